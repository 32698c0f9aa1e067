"""Reads a shard of game records (formats.md, "Record shards") and writes a JSON object a game: python read_shard.py FILE

Needs Python 3.9; the checksums are verified if the package `xxhash` is there."""
import json, struct, sys
from itertools import permutations

HOME = (0, 1, 2, 5, 6, 10)  # squares of a side's set-up, in its own perspective
SETUPS = list(permutations(range(6)))  # in the order of their numbers: which stone stands on each home square


def read(path):
    data = open(path, "rb").read()
    assert data[:12] in (b"ALEAGAME\2\0\0\0", b"ALEAGAME\3\0\0\0"), f"{path}: not a shard of version 2 or 3"
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
        games.append(game(data[place : place + length - 4], len(header.get("labels", []))))
        place += length
    return header, games


def varint(data, place):
    first = data[place]
    size = {251: 2, 252: 4, 253: 8}.get(first, 0)
    return (int.from_bytes(data[place + 1 : place + 1 + size], "little") if size else first), place + 1 + size


def game(data, labels):
    head = int.from_bytes(data[:3], "little")
    place, number, seat = 5, head & 0x7FFFF, head >> 19 & 1
    if number < 518400:
        sides = [[HOME[setup.index(stone)] for stone in range(6)] for setup in (SETUPS[number // 720], SETUPS[number % 720])]
    else:
        bits, place = int.from_bytes(data[5:13], "little"), 13
        sides = [[bits >> 5 * (6 * side + stone) & 31 for stone in range(6)] for side in range(2)]
        seat = bits >> 60
        sides = sides[:: -1 if seat else 1]
    has_values = head >> 21 & 1
    stored = list(data[place : place + labels]) if head >> 22 & 1 else []  # of how many of the last plies, for each label
    place += len(stored)
    count = (len(data) - place - 2 * sum(stored)) // (3 if has_values else 1)
    values = steps(data, place + count, count) if has_values else [None] * count
    labelled, after = [], place + count * (3 if has_values else 1)
    for last in stored:
        labelled.append([None] * (count - last) + steps(data, after, last))
        after += 2 * last
    plies = []
    for number, (byte, value) in enumerate(zip(data[place : place + count], values)):
        explored, roll = divmod(byte, 108)
        die, move = divmod(roll, 18)
        plies.append((die + 1, move, bool(explored), value, [label[number] for label in labelled]))
    return sides, seat, (data[3], data[4]), head >> 20 & 1, plies


def steps(data, place, count):
    return [None if step == 65535 else step / 65534 for step in struct.unpack_from(f"<{count}H", data, place)]


def name(square, seat):
    row, column = divmod(24 - square if seat else square, 5)
    return "abcde"[column] + str(5 - row)


if __name__ == "__main__":
    header, games = read(sys.argv[1])
    names = [label["name"] for label in header.get("labels", [])]
    for sides, seat, players, winner, plies in games:
        moves = []
        for die, number, explored, value, labels in plies:
            stone, step = divmod(number, 3)
            origin, target = sides[seat][stone], sides[seat][stone] + (6, 1, 5)[step]
            for side, square in ((seat, target), (1 - seat, 24 - target)):
                sides[side] = [31 if other == square else other for other in sides[side]]
            sides[seat][stone] = target
            move = name(origin, seat) + name(target, seat)
            labels = {name: label for name, label in zip(names, labels) if label is not None}
            moves.append({"die": die, "move": move, "explored": explored, "value": value} | ({"labels": labels} if labels else {}))
            seat = 1 - seat
        print(json.dumps({"players": [header["players"][player] for player in players], "winner": "rb"[winner], "plies": moves}))
