"""Reads an export of game records (formats.md, "Games as Parquet"): python read_parquet.py FILE [--lines] [--with polars]

Prints what the file holds, or with --lines the games as `alea data export` writes them as JSON lines, without the heading.
Needs Python 3.9 and polars or pyarrow."""
import json, sys
from itertools import groupby


def read(path, package=None):
    """The heading, and the columns by their names as lists."""
    try:
        if package == "polars":
            raise ImportError
        import pyarrow.parquet
        heading = pyarrow.parquet.read_metadata(path).metadata[b"alea"]
        return json.loads(heading), pyarrow.parquet.read_table(path).to_pydict()
    except ImportError:
        import polars
        return json.loads(polars.read_parquet_metadata(path)["alea"]), polars.read_parquet(path).to_dict(as_series=False)


def square(lane, seat):
    """The name of a square that the side `seat` counts in its own perspective."""
    row, column = divmod(24 - lane if seat else lane, 5)
    return "abcde"[column] + str(5 - row)


def position(bits):
    """The text of a position: the lanes of the side to move, then those of the other."""
    lanes, seat = [bits >> 5 * lane & 31 for lane in range(12)], bits >> 60
    board = {square(at, seat if lane < 6 else 1 - seat): (lane % 6, seat if lane < 6 else 1 - seat) for lane, at in enumerate(lanes) if at < 25}
    text = lambda stone, side: "abcdef"[stone] if side else "123456"[stone]
    rows = ["".join(text(*board[c + r]) if c + r in board else "." for c in "abcde") for r in "54321"]
    return "/".join(rows) + " " + "rb"[seat] + " -"


def move(bits, number):
    """The text of a move, from its number and the position."""
    stone, step = divmod(number, 3)
    origin, seat = bits >> 5 * stone & 31, bits >> 60
    return square(origin, seat) + square(origin + (6, 1, 5)[step], seat)


def games(heading, columns):
    """A dictionary a game, as in JSON lines."""
    names = [label["name"] for label in heading.get("labels", [])]
    for _, rows in groupby(range(len(columns["game"])), lambda row: columns["game"][row]):
        rows = list(rows)
        first, at = rows[0], lambda key, row: columns[key][row]
        plies = []
        for row in rows:
            ply = {"die": at("die", row), "move": move(at("position", row), at("move", row)), "value": at("value", row), "explored": at("explored", row)}
            labels = {name: at("label_" + name, row) for name in names if at("label_" + name, row) is not None}
            plies.append(ply | ({"labels": labels} if labels else {}))
        winner = "rb"[at("seat", first) if at("won", first) else 1 - at("seat", first)]
        yield {"players": [at("red", first), at("blue", first)], "start": position(at("position", first)), "winner": winner, "plies": plies}


if __name__ == "__main__":
    heading, columns = read(sys.argv[1], sys.argv[sys.argv.index("--with") + 1] if "--with" in sys.argv else None)
    if "--lines" in sys.argv:
        for game in games(heading, columns):
            print(json.dumps(game))
    else:
        rows, began = len(columns["game"]), [row for row, ply in enumerate(columns["ply"]) if ply == 1]
        print(f"{len(began)} games, {rows} positions of {', '.join(heading['players'])}")
        print(f"won by who began: {sum(columns['won'][row] for row in began) / max(len(began), 1):.3f}")
        for name in [name for name in columns if name == "value" or name.startswith("label_")]:
            pairs = [(value, won) for value, won in zip(columns[name], columns["won"]) if value is not None]
            error = sum((value - won) ** 2 for value, won in pairs) / max(len(pairs), 1)
            print(f"{name}: {len(pairs)} positions, mean square difference from the result {error:.4f}")
