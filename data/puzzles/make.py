#!/usr/bin/env python3
"""Makes einstein.jsonl: positions of recorded games in which one move is best by a margin, and the shipped evaluator, asked
without search, would play another. Truth comes from the endgame tables.

    alea solve --stones 5 --tables tables
    alea selfplay --player "star1(depth=1, eval=best)" --games 12000 --seed 77 --out games
    alea data export games --out games.jsonl
    data/puzzles/make.py games.jsonl tables > data/puzzles/einstein.jsonl

ALEA names the program, if it is not `alea`.
"""

import json
import os
import subprocess
import sys

MOST_STONES = 5
MARGIN = 0.06
PUZZLES = 300
GUESS = "star1(depth=1, eval=best)"
ALEA = os.environ.get("ALEA", "alea")


def after(position, move):
    """The text of the position that a move leads to, before the next roll."""
    board, seat, _ = position.split(" ")
    rows = [list(row) for row in board.split("/")]
    (from_x, from_y), (to_x, to_y) = ((ord(move[i]) - ord("a"), 5 - int(move[i + 1])) for i in (0, 2))
    rows[to_y][to_x], rows[from_y][from_x] = rows[from_y][from_x], "."
    return f"{'/'.join(map(''.join, rows))} {'b' if seat == 'r' else 'r'} -"


def candidates(path):
    """Positions with few stones, with their roll, each once, in the order of the games."""
    seen = set()
    with open(path) as lines:
        next(lines)
        for game in map(json.loads, lines):
            position = game["start"]
            for ply in game["plies"]:
                rolled = f"{position[:-1]}{ply['outcome']}"
                stones = sum(sign not in "./" for sign in position.split(" ")[0])
                if stones <= MOST_STONES and rolled not in seen:
                    seen.add(rolled)
                    yield rolled
                position = after(position, ply["move"])


def asked(positions, *arguments):
    """What the program says of each position."""
    said = subprocess.run(
        [ALEA, *arguments, "-", "--json"], input="\n".join(positions), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in said.stdout.splitlines()]


def main():
    games, tables = sys.argv[1:]
    positions = list(candidates(games))
    exact = asked(positions, "probe", "--tables", tables)
    guesses = asked(positions, "analyse", "--player", GUESS)
    found = 0
    for position, truth, guess in zip(positions, exact, guesses, strict=True):
        moves = sorted(truth["moves"], key=lambda move: -move["value"])
        if found == PUZZLES or truth["value"] is None or len(moves) < 2:
            continue
        best, second = moves[:2]
        if best["value"] - second["value"] < MARGIN or guess["best"] == best["move"]:
            continue
        found += 1
        values = {move["move"]: round(move["value"], 5) for move in moves}
        print(json.dumps({"position": position, "values": values}, separators=(",", ":")))
    print(f"{found} puzzles of {len(positions)} positions", file=sys.stderr)


main()
