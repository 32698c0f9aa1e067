"""The engine against the rules as they are published (rules.py), and against each other's arrays."""

import json
import random
from pathlib import Path

import numpy
import pytest

import alea
import rules

VECTORS = Path(__file__).parents[2] / "engine" / "tests" / "vectors"


def test_moves_and_successors_of_100_000_positions():
    game, dice = alea.game("einstein"), random.Random(1)
    packed = numpy.concatenate([alea.endgames(60_000, seed=2), alea.endgames(40_000, 9, 12, seed=3)])
    assert len(set(packed.tolist())) > 90_000
    for position in alea.unpack(packed):
        face, text = dice.randrange(1, 7), position.text
        names = position.moves(face)
        assert set(names) == rules.moves(text, face) and len(set(names)) == len(names)
        played = dice.choice(names)
        after, expected = position.play(played, face), rules.play(text, played)
        assert after.text == expected
        assert after.is_over == (rules.winner(expected) is not None)
        if after.is_over:
            assert after.payoffs["rb".index(rules.winner(expected))] == 1


def test_exact_values_are_those_of_trying_everything():
    """Win probabilities of positions of two and three stones, by recursion over the rules."""
    game, tables, known = alea.game("einstein"), alea.Tables(3), {}
    packed = alea.endgames(60, 2, 3, seed=5)
    expected = [rules.value(position.text, known) for position in alea.unpack(packed)]
    assert tables.value(packed) == pytest.approx(expected, abs=4e-5)
    rated = tables.moves(packed)
    for position, row in zip(alea.unpack(packed), rated):
        values = [1 - rules.value(rules.play(position.text, name), known) for name in position.moves()]
        assert row[: len(values)] == pytest.approx(values, abs=4e-5)
        assert numpy.isnan(row[len(values) :]).all()


def test_reversixt_moves_as_its_vectors_say():
    """Vectors of an implementation of its own, see the engine's tests."""
    games = {}
    lines = [json.loads(line) for line in (VECTORS / "reversixt.jsonl").read_text().splitlines()]
    for vector in lines:
        name = vector["map"]
        path = VECTORS / "maps" / f"{name}.map"
        game = games.setdefault(name, alea.game(f'reversixt(map="{path}")'))
        position = game.position(state(vector, vector["phase"], vector["player"]))
        assert sorted(position.moves()) == sorted(map(move, vector["legal"]))
        after = vector["after"]
        assert position.play(move(vector["move"])).text == state(after, after["phase"], after["player"])
    assert len(lines) > 2000 and len(games) > 3


def state(said, phase, player):
    overrides, bombs = (",".join(map(str, said[key])) for key in ("override", "bombs"))
    return f"{said['board']} {phase} {player} {overrides} {bombs}"


def move(triple):
    x, y, special = triple
    special = {0: "", 20: ",bomb", 21: ",override"}.get(special, f",{special}")
    return f"{x},{y}{special}"


def test_packing_is_the_form_of_the_documents():
    """Lanes of five bits: the mover's stones in its own perspective, then the other side's; 31 gone."""
    game = alea.game("einstein")
    text = "1..../...../...../...../....a b -"
    lanes = [0, 31, 31, 31, 31, 31, 0, 31, 31, 31, 31, 31]
    bits = sum(lane << 5 * place for place, lane in enumerate(lanes)) | 1 << 60
    assert game.pack([text]).tolist() == [bits] and alea.unpack(numpy.array([bits], numpy.uint64))[0].text == text
