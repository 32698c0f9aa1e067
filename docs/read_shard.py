"""Reads a shard of game records (formats.md, "Record shards") and writes a JSON object a game: python read_shard.py FILE

Needs Python 3.8; the checksum is verified if the package `xxhash` is there."""
import json, struct, sys


def read(path):
    data = open(path, "rb").read()
    magic, version, length = struct.unpack_from("<8sII", data)
    assert magic == b"ALEAGAME" and version == 1, f"{path}: not a shard of version 1"
    try:
        import xxhash
        assert xxhash.xxh3_64_intdigest(data[:-8]) == struct.unpack("<Q", data[-8:])[0], f"{path}: damaged"
    except ImportError:
        print("the checksum is not verified: there is no package xxhash", file=sys.stderr)
    header = json.loads(data[16 : 16 + length])
    place = 16 + length

    def take(form):
        nonlocal place
        (value,) = struct.unpack_from("<" + form, data, place)
        place += struct.calcsize("<" + form)
        return value

    def varint():
        first = take("B")
        return first if first < 251 else take({251: "H", 252: "I", 253: "Q"}[first])

    def game():
        start, red, blue, winner = varint(), take("B"), take("B"), take("B")
        plies = [(take("B"), take("B"), take("?"), take("f") if take("B") else None) for _ in range(varint())]
        return start, (red, blue), winner, plies

    games = [game() for _ in range(header["games"])]
    assert place == len(data) - 8, f"{path}: {len(data) - 8 - place} bytes follow the last game"
    return header, games


def lanes(bits):
    seat = bits >> 60
    sides = [[bits >> 5 * (6 * side + stone) & 31 for stone in range(6)] for side in range(2)]
    return sides[::-1] if seat else sides, seat  # Red's stones, then Blue's


def name(square, seat):
    square = 24 - square if seat else square
    return "abcde"[square % 5] + str(5 - square // 5)


if __name__ == "__main__":
    header, games = read(sys.argv[1])
    for start, players, winner, plies in games:
        sides, seat = lanes(start)
        moves = []
        for die, number, explored, value in plies:
            origin = sides[seat][number // 3]
            target = origin + (6, 1, 5)[number % 3]
            for side, square in ((0, target if seat == 0 else 24 - target), (1, target if seat == 1 else 24 - target)):
                sides[side] = [31 if stone == square else stone for stone in sides[side]]
            sides[seat][number // 3] = target
            moves.append({"die": die, "move": name(origin, seat) + name(target, seat), "explored": explored, "value": value})
            seat = 1 - seat
        print(json.dumps({"players": [header["players"][player] for player in players], "winner": "rb"[winner], "plies": moves}))
