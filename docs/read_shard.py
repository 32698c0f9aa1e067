"""Reads a shard of game records (reference/formats.md, "Record shards") and writes a JSON object a game: python read_shard.py FILE

Reads shards of any game; moves, results and sides are those of EinStein, whose rules are here. Needs Python 3.9; the
checksums are verified if the package `xxhash` is installed."""
import json, struct, sys
from itertools import permutations

HOME = (0, 1, 2, 5, 6, 10)  # squares of a side's set-up, in its own perspective
SETUPS = list(permutations(range(6)))  # by number: the stone on each home square
GONE = 31


def read(path):
    data = open(path, "rb").read()
    assert data[:12] in (b"ALEAGAME\4\0\0\0", b"ALEAGAME\5\0\0\0"), f"{path}: not a shard of version 4 or 5"
    text, index = struct.unpack_from("<II", data, 12)
    header = json.loads(data[20 : 20 + text])
    end = 20 + text + index
    try:
        import xxhash
        for last in (end, len(data) - 8):
            assert xxhash.xxh3_64_intdigest(data[:last]) == struct.unpack_from("<Q", data, last)[0], f"{path}: damaged"
    except ImportError:
        print("the checksums are not verified: there is no package xxhash", file=sys.stderr)
    _, place = varint(data, 20 + text)
    lengths = []
    while place < end:
        length, place = varint(data, place)
        lengths.append(length)
    games, place = [], end + 8
    for length in lengths:
        games.append(game(data[place : place + length - 4], header))
        place += length
    return header, games


def varint(data, place):
    """A number of the index: bincode's."""
    first = data[place]
    size = {251: 2, 252: 4, 253: 8}.get(first, 0)
    return (int.from_bytes(data[place + 1 : place + 1 + size], "little") if size else first), place + 1 + size


def leb(data, place):
    """A number of a game: seven bits a byte."""
    number = shift = 0
    while True:
        byte = data[place]
        number, shift, place = number | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return number, place


def names(header):
    """The columns of the header, in order."""
    columns = ["value"] + (["time"] if header.get("times") else [])
    for label in header.get("labels", []):
        columns += [label["name"]] + (["error of " + label["name"]] if label.get("errors") else [])
    return columns


def game(data, header):
    """Players, ending and payoffs unless by the rules, start, plies of (outcome, index, explored), and columns by
    name."""
    count, place = leb(data, 0)
    columns = names(header)
    states = data[place : place + (len(columns) + 3) // 4]
    place += len(states)
    players = list(data[place : place + header["seats"]])
    place, ending, payoffs = place + len(players), "played", None
    if header.get("ended_early"):
        ending, place = ("played", "resigned", "time", "agreed", "awarded")[data[place]], place + 1
        if ending != "played":
            payoffs = list(struct.unpack_from(f"<{len(players)}f", data, place))
            place += 4 * len(players)
    start, place = position(data, place)
    plies = []
    for _ in range(count):
        number, place = leb(data, place)
        plies.append((number // 2 % header["outcomes"], number // 2 // header["outcomes"], bool(number % 2)))
    read = {}
    for number, name in enumerate(columns):
        state = states[number // 4] >> 2 * (number % 4) & 3
        first, entries = count, []
        if state:
            first, place = leb(data, place) if state == 2 else (0, place)
        for _ in range(count - first):
            if name == "time":
                entry, place = leb(data, place)
                entries.append(entry - 1 if entry else None)
            else:
                step = struct.unpack_from("<H", data, place)[0]
                entries.append(None if step == 65535 else step / 65534)
                place += 2
        read[name] = [None] * first + entries
    assert place == len(data)
    return players, (ending, payoffs), start, plies, read


# EinStein.


def position(data, place):
    """The squares of Red's and Blue's stones, each in the side's perspective, and the seat to move."""
    head = int.from_bytes(data[place : place + 3], "little")
    number, seat = head & 0x7FFFF, head >> 19 & 1
    if number < 518400:
        sides = [[HOME[setup.index(stone)] for stone in range(6)] for setup in (SETUPS[number // 720], SETUPS[number % 720])]
        return (sides, seat), place + 3
    bits = int.from_bytes(data[place + 3 : place + 11], "little")
    sides, seat = [[bits >> 5 * (6 * side + stone) & 31 for stone in range(6)] for side in range(2)], bits >> 60
    return (sides[:: -1 if seat else 1], seat), place + 11


def permitted(side, die, nearest):
    """The moves of a roll in their order: stone, and the squares it leaves and reaches."""
    alive = [stone for stone in range(6) if side[stone] != GONE]
    lower, higher = [stone for stone in alive if stone < die - 1][-1:], [stone for stone in alive if stone >= die - 1][:1]
    stones = [die - 1] if die - 1 in alive else lower + higher
    if nearest and len(stones) == 2:
        gap = [abs(stone - die + 1) for stone in stones]
        stones = [stone for stone, own in zip(stones, gap) if own == min(gap)]
    for stone in stones:
        row, column = divmod(side[stone], 5)
        for down, right in ((1, 1), (0, 1), (1, 0)):
            if row + down < 5 and column + right < 5:
                yield stone, side[stone], side[stone] + 5 * down + right


def name(square, seat):
    row, column = divmod(24 - square if seat else square, 5)
    return "abcde"[column] + str(5 - row)


if __name__ == "__main__":
    header, games = read(sys.argv[1])
    assert header["game"].startswith("einstein"), f"{header['game']}: its positions and moves are not known here"
    labels = [label["name"] for label in header.get("labels", [])]
    for players, (ending, payoffs), (sides, seat), plies, columns in games:
        moves = []
        for number, (die, index, explored) in enumerate(plies):
            stone, origin, target = list(permitted(sides[seat], die, "nearest" in header["game"]))[index]
            for side, square in ((seat, target), (1 - seat, 24 - target)):
                sides[side] = [GONE if other == square else other for other in sides[side]]
            sides[seat][stone] = target
            move = {"outcome": die, "move": name(origin, seat) + name(target, seat), "value": columns["value"][number], "explored": explored}
            said = {label: columns[label][number] for label in labels if columns[label][number] is not None}
            moves.append(move | ({"labels": said} if said else {}))
            seat = 1 - seat
        # A side wins on its goal, its square 24, or when the other side is captured.
        won = [24 in side or all(square == GONE for square in other) for side, other in zip(sides, reversed(sides))]
        print(json.dumps({"players": [header["players"][player] for player in players], "payoffs": payoffs or [float(one) for one in won], "plies": moves} | ({"ending": ending} if payoffs else {})))
