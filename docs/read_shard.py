"""Reads a shard of game records (formats.md, "Record shards") and writes a JSON object a game: python read_shard.py FILE

Needs Python 3.8; the checksums are verified if the package `xxhash` is there."""
import json, struct, sys
from itertools import permutations

HOME = (0, 1, 2, 5, 6, 10)  # squares of a side's set-up, in its own perspective
SETUPS = list(permutations(range(6)))  # in the order of their numbers: which stone stands on each home square


def read(path):
    data = open(path, "rb").read()
    assert data[:12] == b"ALEAGAME\x02\0\0\0", f"{path}: not a shard of version 2"
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
        games.append(game(data[place : place + length - 4]))
        place += length
    return header, games


def varint(data, place):
    first = data[place]
    size = {251: 2, 252: 4, 253: 8}.get(first, 0)
    return (int.from_bytes(data[place + 1 : place + 1 + size], "little") if size else first), place + 1 + size


def game(data):
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
    count = (len(data) - place) // (3 if has_values else 1)
    values = struct.unpack_from(f"<{count}H", data, place + count) if has_values else [65535] * count
    plies = []
    for byte, value in zip(data[place : place + count], values):
        explored, roll = divmod(byte, 108)
        die, number = divmod(roll, 18)
        plies.append((die + 1, number, bool(explored), None if value == 65535 else value / 65534))
    return sides, seat, (data[3], data[4]), head >> 20 & 1, plies


def name(square, seat):
    row, column = divmod(24 - square if seat else square, 5)
    return "abcde"[column] + str(5 - row)


if __name__ == "__main__":
    header, games = read(sys.argv[1])
    for sides, seat, players, winner, plies in games:
        moves = []
        for die, number, explored, value in plies:
            stone, step = divmod(number, 3)
            origin, target = sides[seat][stone], sides[seat][stone] + (6, 1, 5)[step]
            for side, square in ((seat, target), (1 - seat, 24 - target)):
                sides[side] = [31 if other == square else other for other in sides[side]]
            sides[seat][stone] = target
            move = name(origin, seat) + name(target, seat)
            moves.append({"die": die, "move": move, "explored": explored, "value": value})
            seat = 1 - seat
        print(json.dumps({"players": [header["players"][player] for player in players], "winner": "rb"[winner], "plies": moves}))
