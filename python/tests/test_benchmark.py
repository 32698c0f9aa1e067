"""The benchmark against figures that the command line printed, and matches with callables."""

import json
import math
import os
import signal
import threading
from pathlib import Path

import numpy
import pytest

import alea

# `alea regret --suite data/suites --player greedy --eval schwarz --eval abt --json`, commit 159e036.
HERE = Path(__file__).parent
PRINTED = json.loads((HERE / "regret.json").read_text())


def test_the_suites_are_those_of_the_version():
    directory = HERE.parents[1] / "data" / "suites"
    texts = alea.suites()
    assert len(texts) == 8
    for name, text in texts.items():
        assert (directory / name).read_text() == text


@pytest.mark.parametrize("name", ["schwarz", "abt", "greedy"])
def test_regret_is_that_of_the_command_to_the_last_digit(name):
    card = alea.benchmark(name if name != "greedy" else alea.Player(alea.game("einstein"), name), ladder=())
    expected = next(c for c in PRINTED["contestants"] if c["name"] == name)
    for key in expected.keys() - {"seconds"}:
        assert card.regret[key] == expected[key], key
    assert json.loads(card.json())["regret"] == card.regret
    assert (card.evaluations_per_second > 0) == (name != "greedy")
    assert f"{expected['regret']['value']:.5f}" in card.markdown()


# `alea regret --stones 4 --positions 2000 --player greedy --eval schwarz --json`, commit 0271455.
FRESH = json.loads((HERE / "regret-4.json").read_text())


@pytest.mark.parametrize("name", ["schwarz", "greedy"])
def test_regret_on_fresh_positions_is_that_of_the_command_to_the_last_digit(name):
    who = name if name != "greedy" else alea.Player(alea.game("einstein"), name)
    five = {"stones-5.jsonl": alea.suites()["stones-5.jsonl"]}
    card = alea.benchmark(who, ladder=(), custom_suites=five, tables=alea.Tables(4), positions=2000)
    expected = next(c for c in FRESH["contestants"] if c["name"] == name)
    assert set(card.exact["classes"]) >= {"1v1", "3v1"}
    for key in expected.keys() - {"seconds"}:
        assert card.exact[key] == expected[key], key
    assert f"at most 4 stones: {expected['regret']['value']:.5f}" in card.markdown()
    assert json.loads(card.json())["exact"] == card.exact


def schwarz(rows):
    """Schwarz' evaluator by way of Python: the same numbers the engine has, from what is seen alone."""
    cells = rows[:, :25].astype(numpy.int64)
    # Symbols: nothing, the mover's stones 1-6, the other side's; the board in the mover's perspective.
    own = numpy.zeros(len(rows), numpy.uint64)
    for stone in range(12):
        there = cells == stone + 1
        square = numpy.where(there.any(axis=1), there.argmax(axis=1), 31)
        square = numpy.where((stone >= 6) & (square != 31), 24 - square, square).astype(numpy.uint64)
        own |= square << numpy.uint64(5 * stone)
    return alea.evaluate(alea.game("einstein"), own, eval="schwarz")


def test_a_callable_has_the_regret_of_the_evaluator_that_it_asks():
    card = alea.benchmark(schwarz, ladder=["random"], games=100, luck="schwarz")
    expected = next(c for c in PRINTED["contestants"] if c["name"] == "schwarz")
    assert card.name == "schwarz" and card.kind == "callable"
    for key in ("regret", "optimal", "classes", "values"):
        assert card.regret[key] == expected[key], key
    assert card.ladder[0].interval[0] > 0.5 and "luck" in card.ladder[0]


def test_a_callable_plays_the_games_of_the_evaluator_that_it_asks():
    ours = alea.arena(schwarz, "greedy", games=200, seed=7)
    engines = alea.arena("star1(depth=1, eval=schwarz)", "greedy", games=200, seed=7)
    for key in ("wins", "pair_counts", "score", "interval", "mean_plies", "elo"):
        assert ours[key] == engines[key], key
    assert alea.arena("schwarz", "greedy", games=200, seed=7)["wins"] == engines["wins"]


def test_two_callables_and_other_games():
    guess = lambda rows: numpy.full(len(rows), 0.5)
    other = lambda rows: rows.mean(axis=1) / 255
    match = alea.arena(guess, other, games=20)
    assert match["games"] == 20 and math.isclose(match.score, match["score"])
    match = alea.arena(other, "random", games=10, game="reversi(size=4)")
    assert match["game"] == "reversi(size=4)" and "against random" in str(match)


def test_batches_hold_many_games_at_once():
    asked = []

    def guess(rows):
        asked.append(len(rows))
        return numpy.full(len(rows), 0.5)

    alea.arena(guess, "random", games=400)
    assert numpy.mean(asked) > 20


@pytest.mark.parametrize(
    "function, error",
    [
        (lambda rows: 1 / 0, ZeroDivisionError),
        (lambda rows: numpy.full(len(rows), numpy.nan), ValueError),
        (lambda rows: numpy.full(len(rows), 1.5), ValueError),
        (lambda rows: numpy.zeros(len(rows) + 1), ValueError),
        (lambda rows: None, ValueError),
        (lambda rows: ["a"] * len(rows), ValueError),
    ],
)
def test_what_is_wrong_with_a_callable_is_its_own_exception(function, error):
    with pytest.raises(error):
        alea.arena(function, "random", games=50)
    with pytest.raises(error):
        alea.benchmark(function, ladder=())


@pytest.mark.parametrize(
    "act",
    [
        lambda: alea.arena("nobody", "random", games=2),
        lambda: alea.arena("random", "random", games=0),
        lambda: alea.arena(alea.Player(alea.game("reversi"), "random"), "random"),
        lambda: alea.arena("random", "random", games=2, luck="greedy(1, 2, 3)"),
        lambda: alea.benchmark("model:nowhere.safetensors", ladder=()),
        lambda: alea.benchmark("schwarz", ladder=(), custom_suites={"mine": "nothing"}),
        lambda: alea.arena(alea.CallableEvaluator(schwarz, inputs="nothing"), "random", games=2),
    ],
)
def test_bad_input_is_one_line(act):
    with pytest.raises(ValueError) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_scikit_learn_plays():
    sklearn = pytest.importorskip("sklearn.linear_model", reason="in the extra [test]")
    game = alea.game("einstein")
    packed = alea.endgames(2000)
    model = sklearn.LinearRegression().fit(game.rows(packed), alea.evaluate(game, packed, "best"))
    assert alea.arena(model, "random", games=200).interval[0] > 0.5


@pytest.mark.parametrize("a", ["star2(depth=3, eval=schwarz)", schwarz])
def test_a_match_ends_when_python_is_interrupted(a):
    # Where Python runs in the background of a shell, it ignores the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        alea.arena(a, "star2(depth=3, eval=abt)", games=10_000_000)
