"""Reads a shard of game records (formats.md, "Record shards") and writes a JSON object a game: python read_shard.py FILE

Needs Python 3.8; the checksum is verified if the package `xxhash` is there."""
import json, struct, sys


def read(path):
    data = open(path, "rb").read()
    assert data[:12] == b"ALEAGAME\x01\0\0\0", f"{path}: not a shard of version 1"
    place = 16 + int.from_bytes(data[12:16], "little")
    try:
        import xxhash
        assert xxhash.xxh3_64_intdigest(data[:-8]) == struct.unpack("<Q", data[-8:])[0], f"{path}: damaged"
    except ImportError:
        print("the checksum is not verified: there is no package xxhash", file=sys.stderr)
    header = json.loads(data[16:place])

    def take(form):
        nonlocal place
        (value,) = struct.unpack_from("<" + form, data, place)
        place += struct.calcsize("<" + form)
        return value

    def varint():
        first = take("B")
        return first if first < 251 else take("HIQ"[first - 251])

    def game():
        start, red, blue, winner = varint(), take("B"), take("B"), take("B")
        plies = [(take("B"), take("B"), take("?"), take("f") if take("B") else None) for _ in range(varint())]
        return start, (red, blue), winner, plies

    return header, [game() for _ in range(header["games"])]


def lanes(bits):  # Red's stones, then Blue's, and the seat to move
    sides = [[bits >> 5 * (6 * side + stone) & 31 for stone in range(6)] for side in range(2)]
    return sides[:: -1 if bits >> 60 else 1], bits >> 60


def name(square, seat):
    row, column = divmod(24 - square if seat else square, 5)
    return "abcde"[column] + str(5 - row)


if __name__ == "__main__":
    header, games = read(sys.argv[1])
    for start, players, winner, plies in games:
        sides, seat = lanes(start)
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
