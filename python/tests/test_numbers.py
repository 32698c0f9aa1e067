"""Every place that takes an index or an array of them takes whole numbers of each type, and nothing else."""

from pathlib import Path

import numpy
import pytest

import alea
import alea.gym
import alea.pettingzoo

GAME = alea.game("einstein")
BOARD = "215../64.../3...e/...fb/..acd b -"
POSITION = GAME.position(BOARD)
SAMPLE = str(Path(__file__).parents[2] / "data" / "sample")
SAMPLES = alea.Samples(SAMPLE)
# A network of one neuron, in two buckets.
TENSORS = {"rows": [[1.0]], "hidden1.bias": [0.0], "output.weight": [[1.0], [1.0]], "output.bias": [0.0, 0.0]}
TABLES = alea.Tables(2)
ENDGAME = GAME.pack(["1..../...../...../...../..a.. r -"])
KINDS = [numpy.int8, numpy.int16, numpy.int32, numpy.int64, numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64]


def env():
    env = alea.gym.Env("einstein", seat=0)
    env.reset(seed=1)
    return env


def turns():
    env = alea.pettingzoo.env("einstein")
    env.reset(seed=1)
    return env


def boards(n=1, **options):
    return alea.VecEnv("einstein", n, **options)


# What takes one number; 1 is one that each of them takes.
ONE = {
    "play a move": lambda n: POSITION.play(n, 1),
    "play with an outcome": lambda n: POSITION.play("c1b2", n),
    "moves": POSITION.moves,
    "svg": POSITION.svg,
    "start, seed": lambda n: GAME.start(seed=n),
    "start, seat": lambda n: GAME.start(first=n),
    "rows, seat": lambda n: GAME.rows([BOARD], seat=n),
    "player, seed": lambda n: alea.Player(GAME, "greedy", seed=n),
    "decide": lambda n: alea.Player(GAME, "greedy").decide(POSITION, n),
    "analyse": lambda n: alea.Player(GAME, "greedy").analyse(POSITION, n),
    "threads": lambda n: alea.Player(GAME, "greedy").decide_all([POSITION], 1, threads=n),
    "boards": lambda n: boards(n),
    "boards, seed": lambda n: boards(seed=n),
    "boards, reset": lambda n: boards().reset(seed=n),
    "epoch": lambda n: SAMPLES.epoch(n),
    "part": lambda n: SAMPLES.epoch(1, (n, 2)),
    "batch": lambda n: alea.Samples(SAMPLE, batch=n),
    "samples, seed": lambda n: alea.Samples(SAMPLE, seed=n),
    "endgames": lambda n: alea.endgames(n),
    "games": lambda n: alea.arena("random", "random", games=n),
    "Gymnasium, action": lambda n: env().step(n),
    "Gymnasium, seat": lambda n: alea.gym.Env(seat=n),
    "Gymnasium, many": lambda n: alea.gym.VectorEnv(num_envs=n),
    "Gymnasium, many, seed": lambda n: alea.gym.VectorEnv().reset(seed=n),
    "PettingZoo, action": lambda n: turns().step(n),
}
# What takes an array of one number.
MANY = {
    "boards": lambda a: boards().step(a),
    "chance": lambda a: boards(explicit_chance=True).step_chance(a),
    "Gymnasium": lambda a: alea.gym.VectorEnv().step(a),
    "forward, buckets": lambda a: alea.forward(TENSORS, numpy.zeros((1, 1), int), a if a is not None else ()),
    "tables, outcomes": lambda a: TABLES.moves(ENDGAME, a if a is not None else ()),
    "tables, regret, outcomes": lambda a: TABLES.regret(ENDGAME, a, [0]),
    "tables, regret, actions": lambda a: TABLES.regret(ENDGAME, [1], a),
}


@pytest.mark.parametrize("name", ONE)
def test_a_whole_number_of_any_type_is_taken_and_nothing_else(name):
    act = ONE[name]
    for kind in KINDS:
        act(kind(1))
        act(numpy.array(1, kind))
    act(1)
    others = [1.0, 1.7, numpy.float64(1), numpy.float32(1.7), True, False, numpy.True_, numpy.array(True), numpy.array(1.0)]
    others += [numpy.nan, "x", b"1", [1], (1,), numpy.array([1]), numpy.array([[1, 2], [3, 4]]), {}, object(), 1j]
    others += [-1, numpy.int8(-1), 2**70, -(2**70)]
    for other in others:
        with pytest.raises(ValueError) as caught:
            act(other)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 200, str(caught.value)


@pytest.mark.parametrize("name", MANY)
def test_whole_numbers_of_any_type_are_taken_and_nothing_else(name):
    act = MANY[name]
    for kind in KINDS:
        act(numpy.array([1], kind))
        act(numpy.array([1, 9], kind)[::2])
        act(numpy.array([1], kind).astype(numpy.dtype(kind).newbyteorder()))
    for taken in ([1], (1,), numpy.array(1), [numpy.int32(1)], [numpy.array(1)]):
        act(taken)
    others = [[1.0], [1.7], numpy.array([1.7]), numpy.array([1], bool), [True], [numpy.True_], numpy.array([numpy.nan])]
    others += [None, "1", ["1"], [None], [[1]], [[1], [1, 2]], numpy.array([[1]]), numpy.array([1], object), {}, object(), [1, 1], []]
    others += [[-1], [2**40], [2**70], numpy.array([2**64 - 1], numpy.uint64)]
    for other in others:
        # Gymnasium's own kind of environment takes an action modulo the number of moves.
        if name == "Gymnasium" and other in ([-1], [2**40]):
            continue
        with pytest.raises(ValueError) as caught:
            act(other)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 200, str(caught.value)


def test_what_is_refused_is_named():
    with pytest.raises(ValueError, match=r"an action is a whole number, not float64"):
        boards(2).step(numpy.zeros(2))
    with pytest.raises(ValueError, match=r"an action is a whole number, not 1\.7"):
        env().step(1.7)
    with pytest.raises(ValueError, match="an outcome is 1 to 6, not 7"):
        POSITION.moves(numpy.uint8(7))
    with pytest.raises(ValueError, match="below 3, the number of moves, not 3"):
        POSITION.play(3, 1)


def test_positions_of_another_type_are_refused_in_one_line():
    packed = GAME.pack([BOARD])
    for other in (packed.astype(numpy.int64), packed.astype(numpy.float64), packed.tolist(), [None], [1.5], packed[:, None]):
        with pytest.raises(ValueError, match="positions? (are|is) an"):
            alea.evaluate(GAME, other, "schwarz")


def test_rows_of_a_network_are_whole_numbers():
    assert alea.forward(TENSORS, numpy.zeros((2, 1), numpy.uint16), [0, 1]).shape == (2,)
    for rows in (numpy.zeros((2, 1), bool), numpy.zeros((2, 1)), numpy.zeros(2, int), None):
        with pytest.raises(ValueError, match=r"rows are whole numbers \(n, active\), not"):
            alea.forward(TENSORS, rows, [0, 1])
