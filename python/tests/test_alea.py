"""The package against published numbers, the engine's vectors, and arrays that are wrong."""

import json
import threading
from pathlib import Path

import numpy
import pytest

import alea

VECTORS = Path(__file__).parents[2] / "engine" / "tests" / "vectors"
BOARD = "215../64.../3...e/...fb/..acd b"


def vectors(name):
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def perft(position, plies):
    if plies == 0:
        return 1
    return sum(perft(position.play(mv), plies - 1) for mv in position.moves())


def test_reversi_has_the_published_numbers_of_games():
    start = alea.game("reversi").start()
    assert [perft(start, plies) for plies in range(1, 6)] == [4, 12, 56, 244, 1396]


def test_einstein_moves_by_the_rules():
    game = alea.game("einstein")
    for vector in vectors("rules.jsonl")[:2000]:
        position, face = game.position(vector["position"]), int(vector["position"][-1])
        assert sorted(position.moves(face)) == sorted(vector["moves"])
        after = position.play(vector["played"], face)
        assert after.text.split()[0] == vector["board_after"]
        assert after.is_over == (vector["winner"] is not None)


def test_faces_of_a_fair_die():
    outcomes = alea.game("einstein").position(BOARD + " -").outcomes()
    assert [face for face, _ in outcomes] == [1, 2, 3, 4, 5, 6]
    assert [weight for _, weight in outcomes] == pytest.approx([1 / 6] * 6)


def test_positions_are_equal_when_they_read_the_same():
    game = alea.game("einstein")
    one, other = game.position(BOARD + " 1"), game.position(BOARD + " -")
    assert one == other and hash(one) == hash(other) and len({one, other}) == 1
    assert one != alea.game("einstein(variant=nearest)").position(BOARD + " -")
    assert one.play(0, 1) == one.play(one.moves(1)[0], 1) != one
    assert one._repr_svg_().startswith("<svg")


def test_search_agrees_with_exact_values():
    """Positions of few stones, which a deep search reads to the end."""
    game = alea.game("einstein")
    player = alea.Player(game, "star2(depth=3, tablebase=4)")
    lines = [v for v in vectors("exact.jsonl") if sum(map(str.isalnum, v["position"].split()[0])) <= 3]
    found = player.analyse_all([v["position"] for v in lines[:200]], threads=2)
    assert len(found) > 2
    for vector, answer in zip(lines, found):
        assert answer["value"] == pytest.approx(vector["value"], abs=1e-5)


def test_threads_change_nothing_and_decisions_are_the_best_moves():
    game = alea.game("einstein")
    player = alea.Player(game, "star1(depth=2, eval=schwarz)")
    boards = alea.VecEnv(game, 40, seed=3).positions()
    one = player.analyse_all(boards)
    assert one == player.analyse_all(boards, threads=3)
    assert player.decide_all(boards, threads=2) == [answer["best"] for answer in one]
    for answer in one:
        assert answer["value"] == max(value for _, value in answer["moves"])


def test_evaluate():
    game = alea.game("einstein")
    values = alea.evaluate(game, [BOARD + " -", game.position(BOARD + " -")], eval="schwarz")
    assert values.dtype == numpy.float32 and values[0] == values[1] and 0 < values[0] < 1


@pytest.mark.parametrize("name", ["einstein", "reversi(size=6)", "havannah(base=4)"])
def test_boards_play_by_the_rules(name):
    game = alea.game(name)
    boards = alea.VecEnv(game, 16, seed=5)
    other = alea.VecEnv(name, 16, seed=5)
    ended = 0
    for _ in range(80):
        before, actions = boards.positions(), boards.sample()
        seats, counts = boards.to_move.copy(), boards.counts.copy()
        said = boards.outcome.copy()
        assert (boards.mask.sum(axis=1) == counts).all() and (actions < counts).all()
        boards.step(actions)
        other.step(other.sample())
        after = boards.positions()
        for i in range(16):
            position = game.position(before[i])
            assert len(position.moves(said[i])) == counts[i]
            played = position.play(int(actions[i]), said[i])
            assert played.is_over == boards.terminated[i]
            if played.is_over:
                ended += 1
                assert boards.rewards[i] == 2 * played.payoffs[seats[i]] - 1
            else:
                assert game.position(after[i]) == played and boards.rewards[i] == 0
    assert ended and boards.positions() == other.positions()
    assert boards.observations.tobytes() == other.observations.tobytes()


def test_chance_of_the_caller():
    boards = alea.VecEnv("einstein", 4, explicit_chance=True)
    assert boards.outcomes() == pytest.approx(numpy.full((4, 6), 1 / 6))
    with pytest.raises(ValueError, match="chance has not spoken"):
        boards.step(numpy.zeros(4, numpy.int64))
    boards.step_chance(numpy.array([1, 2, 3, 6]))
    assert list(boards.outcome) == [1, 2, 3, 6]
    boards.step(boards.sample())
    assert not boards.mask.any()


@pytest.mark.parametrize(
    "actions",
    [
        numpy.zeros(3, numpy.int64),
        numpy.zeros((4, 1), numpy.int64),
        numpy.full(4, numpy.nan),
        numpy.zeros(4),
        numpy.zeros(4, bool),
        numpy.array([0, 0, 0, 99]),
        numpy.array([0, -1, 0, 0]),
        [0, 0, 0, None],
        None,
    ],
)
def test_wrong_actions_are_exceptions_and_change_nothing(actions):
    boards = alea.VecEnv("einstein", 4)
    before = boards.positions()
    with pytest.raises((ValueError, TypeError)):
        boards.step(actions)
    assert boards.positions() == before


def test_strided_actions_are_read_and_read_only_arrays_refused():
    boards = alea.VecEnv("einstein", 4)
    boards.step(numpy.zeros(8, numpy.int64)[::2])
    boards.rewards.flags.writeable = False
    with pytest.raises(ValueError):
        boards.step(boards.sample())


@pytest.mark.parametrize(
    "act",
    [
        lambda: alea.game("chess"),
        lambda: alea.game("reversi(size=7)"),
        lambda: alea.game("einstein").position("nonsense"),
        lambda: alea.game("einstein").start(first=2),
        lambda: alea.game("einstein").position(BOARD + " -").play("a1a2", 1),
        lambda: alea.game("einstein").position(BOARD + " -").moves(7),
        lambda: alea.game("einstein").position(BOARD + " -").play(99, 1),
        lambda: alea.Player(alea.game("einstein"), "nobody"),
        lambda: alea.evaluate(alea.game("einstein"), [alea.game("reversi").start()], eval="schwarz"),
        lambda: alea.VecEnv("einstein", 0),
    ],
)
def test_bad_input_is_one_line(act):
    with pytest.raises(ValueError) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_threads_of_python():
    game, results = alea.game("einstein"), []
    ask = lambda: results.append(alea.evaluate(game, [BOARD + " -"], eval="abt")[0])
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and len(set(results)) == 1


def test_the_example_of_the_documents_runs():
    text = (VECTORS.parents[2] / "docs" / "python.md").read_text()
    names = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert names["position"].moves(1) == ["c1b2", "c1b1", "c1c2"]
    assert names["after"] == names["position"].play(0, 1)
    assert names["player"].decide(names["position"], 1) in names["position"].moves(1)


def test_games_that_pay_points_have_them():
    """Payoffs 0 to 1 are -3 to 3 points of backgammon and -64 to 64 discs."""
    game = alea.game("backgammon")
    assert game.points == ("points", 3.0) and alea.game("einstein").points is None
    assert alea.game("reversi(score=discs)").points == ("discs", 64.0)
    answer = alea.Player(game, "star1(depth=1)").analyse("4HPwATDgc/ABMA 31")
    value = answer["value"] if answer["calibrated"] is None else answer["calibrated"]
    assert abs(answer["equity"] - (6 * value - 3)) < 1e-6
    results = alea.Player(game, "star1(depth=1, eval=best)").analyse("4HPwATDgc/ABMA 31")["results"]
    assert len(results) == 6 and abs(sum(results.values()) - 1) < 1e-5 and answer["results"] is None
    assert alea.Player(alea.game("einstein"), "star1(depth=1)").analyse(BOARD + " 1")["equity"] is None
    result = alea.arena("star1(depth=1)", "random", 10, game=game)
    mean, (lower, upper) = result.points
    assert abs(mean - (6 * result.score - 3)) < 1e-9 and lower < mean < upper
    assert f"{mean:+.3f} [{lower:+.3f}, {upper:+.3f}] points a game, of 10 games" in str(result)


def test_values_are_those_that_the_command_prints():
    """`alea evaluate` and `alea analyse --player "star1(depth=3, eval=schwarz)"` with --json."""
    game = alea.game("einstein")
    assert alea.evaluate(game, [BOARD + " -"], eval="schwarz")[0] == numpy.float32(0.7109494805335999)
    player = alea.Player(game, "star1(depth=3, eval=schwarz)")
    answer = player.analyse(BOARD + " 1")
    assert (answer["nodes"], answer["best"]) == (1029, "c1c2")
    assert numpy.float32(answer["value"]) == numpy.float32(0.5538715124130249)
    assert numpy.float32(answer["calibrated"]) == numpy.float32(0.49334418773651123)


def test_values_that_estimate_no_results_have_a_scale_of_their_own():
    havannah = alea.game("havannah(base=4)")
    scales = {
        "star1(depth=1, eval=locality)": "evaluator",
        "mcts(sims=50)": "playouts",
        "star1(depth=1, eval=needs)": None,
    }
    for notation, scale in scales.items():
        assert alea.Player(havannah, notation).analyse("d4 a1")["scale"] == scale
