"""Reads an export of game records (reference/formats.md, "Games as Parquet"): python read_parquet.py FILE [--lines] [--with polars]

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


def games(heading, columns):
    """A dictionary a game, as in JSON lines."""
    labels = [label["name"] for label in heading.get("labels", [])]
    players = [name for name in columns if name.startswith("player_")]
    for _, rows in groupby(range(len(columns["game"])), lambda row: columns["game"][row]):
        rows = list(rows)
        at = lambda key, row: columns[key][row] if key in columns else None
        plies = []
        for row in rows:
            ply = {"outcome": at("outcome", row)} if at("outcome", row) else {}
            ply |= {key: at(key, row) for key in ("move", "value", "explored")}
            if at("time", row) is not None:
                ply["time"] = at("time", row)
            for kind in ("label", "error"):
                said = {name: at(f"{kind}_{name}", row) for name in labels if at(f"{kind}_{name}", row) is not None}
                ply |= {kind + "s": said} if said else {}
            plies.append(ply)
        # A seat's payoff is in the rows where it moves; of two seats, one that never moved has the rest.
        got = {at("seat", row): at("payoff", row) for row in rows}
        payoffs = [at(name.replace("player_", "payoff_"), rows[0]) for name in players]
        if None in payoffs:
            payoffs = [got.get(seat, 1 - sum(got.values())) for seat in range(len(players))]
        ending = at("ending", rows[0]) or "played"
        yield {"players": [at(player, rows[0]) for player in players], "start": at("position", rows[0]), "payoffs": payoffs, "plies": plies} | ({"ending": ending} if ending != "played" else {})


if __name__ == "__main__":
    heading, columns = read(sys.argv[1], sys.argv[sys.argv.index("--with") + 1] if "--with" in sys.argv else None)
    if "--lines" in sys.argv:
        for game in games(heading, columns):
            print(json.dumps(game))
    else:
        rows, began = len(columns["game"]), [row for row, ply in enumerate(columns["ply"]) if ply == 1]
        print(f"{len(began)} games, {rows} positions of {', '.join(heading['players'])}")
        print(f"won by who began: {sum(columns['payoff'][row] for row in began) / max(len(began), 1):.3f}")
        for name in [name for name in columns if name == "value" or name.startswith("label_")]:
            pairs = [(value, got) for value, got in zip(columns[name], columns["payoff"]) if value is not None]
            error = sum((value - got) ** 2 for value, got in pairs) / max(len(pairs), 1)
            print(f"{name}: {len(pairs)} positions, mean square difference from the result {error:.4f}")
