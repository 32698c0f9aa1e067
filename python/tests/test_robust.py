"""Arrays of every kind, processes that fork, and memory over millions of steps."""

import multiprocessing
import random
import resource

import numpy
import pytest

import alea

KINDS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "O", "S3", "U3", "M8[s]", ">i8", ">u8"]


def some_array(dice):
    """An array of some type, shape and layout, or what is none."""
    shape = dice.choice([(), (0,), (1,), (4,), (5,), (4, 1), (2, 2), (4, 25), (1, 2, 3), (1000,)])
    array = numpy.zeros(shape, dice.choice(KINDS))
    if array.dtype.kind in "iuf" and array.size:
        info = numpy.iinfo(array.dtype) if array.dtype.kind in "iu" else None
        numbers = [info.min, info.max, 0, 1, 7] if info else [numpy.nan, numpy.inf, -1, 0, 0.5, 1e4]
        array.flat[:] = [dice.choice(numbers) for _ in range(array.size)]
    layouts = [
        lambda a: a,
        lambda a: a[::-1] if a.ndim else a,
        lambda a: a.T,
        lambda a: numpy.repeat(a, 2, axis=0)[::2] if a.ndim else a,
        lambda a: numpy.asfortranarray(a),
        lambda a: a.tolist(),
        lambda a: numpy.frombuffer(b"\0" + a.tobytes() + b"\0" * 8, "u1")[1:],
    ]
    array = dice.choice(layouts)(array)
    if isinstance(array, numpy.ndarray) and array.flags.writeable and dice.random() < 0.3:
        array.flags.writeable = False
    return dice.choice([array, array, array, array, None, "text", 3, object(), b"bytes", {}])


def test_no_array_is_more_than_an_exception():
    dice, game = random.Random(1), alea.game("einstein")
    tables, boards, chosen = alea.Tables(2), alea.VecEnv("einstein", 4), alea.VecEnv("einstein", 4, explicit_chance=True)
    acts = [
        lambda a, b: boards.step(a),
        lambda a, b: chosen.step_chance(a),
        lambda a, b: chosen.step(a),
        lambda a, b: tables.value(a),
        lambda a, b: tables.moves(a, threads=2),
        lambda a, b: tables.regret(a, b, b),
        lambda a, b: tables.regret(alea.endgames(4, 2, 2), a, b),
        lambda a, b: alea.unpack(a),
        lambda a, b: game.pack(a),
        lambda a, b: game.rows(a, "mobility"),
        lambda a, b: alea.evaluate(game, a, "schwarz"),
        lambda a, b: alea.Player(game, "greedy").decide_all(a, 1),
        lambda a, b: alea.save_model({"rows": a, "output.weight": b}, "/nowhere/x", inputs="", check=4),
        lambda a, b: setattr(boards, "mask", a),
    ]
    expected = (ValueError, TypeError, AttributeError, OverflowError, IndexError, OSError)
    raised = 0
    for _ in range(20_000):
        try:
            dice.choice(acts)(some_array(dice), some_array(dice))
        except expected:
            raised += 1
    assert raised > 10_000
    boards.step(boards.sample())


def test_arrays_of_the_boards_that_are_made_read_only_are_refused():
    boards = alea.VecEnv("einstein", 4)
    boards.mask.flags.writeable = False
    with pytest.raises(ValueError):
        boards.step(boards.sample())


def work(seed):
    """What a worker does: everything that has threads or files behind it."""
    game = alea.game("einstein")
    boards = alea.VecEnv(game, 64, seed=seed)
    for _ in range(100):
        boards.step(boards.sample())
    values = alea.evaluate(game, alea.endgames(100, seed=seed), "best")
    match = alea.arena("schwarz", "greedy", games=20, seed=seed)
    card = alea.benchmark("random", ladder=(), seed=seed)
    return boards.positions()[0], float(values.sum()), match["wins"], card.regret["regret"]["value"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_do_what_the_first_one_does(method):
    expected = [work(seed) for seed in range(3)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(work, range(3)).get(timeout=240) == expected


def megabytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 2**20


def test_nothing_leaks_over_ten_million_steps():
    game, boards = alea.game("einstein"), alea.VecEnv("einstein", 4096)
    position, packed = game.start(), alea.endgames(1000)

    def some_steps(count):
        for _ in range(count):
            boards.step(boards.sample())
            alea.unpack(packed[:20])
            alea.evaluate(game, packed, "schwarz")
            position.play(0, 1).moves(2)

    some_steps(200)
    before = megabytes()
    some_steps(2450)
    assert 2450 * 4096 > 10_000_000 and megabytes() - before < 16
