"""Values of positions are those that `alea analyse`, HTTP and the page show, to the digit (cli/tests/all/same_values.rs)."""

import json
from itertools import groupby
from pathlib import Path

import alea

VECTORS = Path(__file__).parents[2] / "engine" / "tests" / "vectors"


def test_values_are_those_that_are_shown_elsewhere():
    lines = [json.loads(line) for line in (VECTORS / "same_values.jsonl").read_text().splitlines()]
    assert len(lines) == 1200
    for (game, notation), asked in groupby(lines, key=lambda line: (line["game"], line["player"])):
        asked = list(asked)
        answers = alea.Player(alea.game(game), notation).analyse_all([line["position"] for line in asked])
        values = [answer["value"] if answer["calibrated"] is None else answer["calibrated"] for answer in answers]
        shown = [None if value is None else f"{value:.4f}" for value in values]
        # Players alone do not know what is exact.
        compared = [(value, line["value"]) for value, line in zip(shown, asked) if not line["exact"]]
        assert compared and all(value == expected for value, expected in compared), (game, notation)
