"""Exact look-ups on arrays."""

import time

import numpy
import pytest

import alea


@pytest.fixture(scope="module")
def tables():
    return alea.Tables(4)


def test_values_moves_and_regret_agree(tables):
    """The value of a position is the mean over the faces of its best move, and that move loses nothing."""
    game = alea.game("einstein")
    packed = alea.endgames(300, 2, 4, seed=4)
    rated, values = tables.moves(packed), tables.value(packed)
    for face in range(1, 7):
        faces = numpy.full(len(packed), face)
        counts = [len(position.moves(face)) for position in alea.unpack(packed)]
        lost = numpy.array([tables.regret(packed, faces, numpy.minimum(i, numpy.array(counts) - 1)) for i in range(6)])
        assert (lost.min(axis=0) == 0).all() and (lost >= 0).all()
    best = []
    for position, row in zip(alea.unpack(packed), rated):
        names = position.moves()
        best.append(sum(max(row[names.index(name)] for name in position.moves(face)) for face in range(1, 7)) / 6)
    assert values == pytest.approx(best, abs=5e-5)


def test_texts_positions_and_arrays_give_the_same(tables):
    game = alea.game("einstein")
    packed = alea.endgames(50, 2, 4)
    positions = alea.unpack(packed)
    expected = tables.value(packed).tolist()
    assert tables.value(positions).tolist() == tables.value([p.text for p in positions]).tolist() == expected
    assert tables.value(packed.repeat(2)[::2]).tolist() == expected


def test_what_is_over_or_out_of_reach(tables):
    over, far = "...../...../...../...../a...1 b -", alea.endgames(5, 5, 5)
    assert tables.value([over]).tolist() == [0]
    assert numpy.isnan(tables.moves([over])).all()
    assert numpy.isnan(tables.value(far)).all()


@pytest.mark.parametrize(
    "act",
    [
        lambda t: alea.Tables(1),
        lambda t: alea.Tables(7),
        lambda t: alea.Tables(4, alea.game("reversi")),
        lambda t: alea.Tables(6),
        lambda t: t.value(numpy.array([2**64 - 1], numpy.uint64)),
        lambda t: t.value(numpy.zeros(3, numpy.uint64)),
        lambda t: t.regret(alea.endgames(2), numpy.array([1]), numpy.array([0])),
        lambda t: t.regret(alea.endgames(1, 2, 2), numpy.array([7]), numpy.array([0])),
        lambda t: t.regret(alea.endgames(1, 2, 2), numpy.array([1]), numpy.array([99])),
        lambda t: t.regret(alea.endgames(1, 2, 2), numpy.array([-1]), numpy.array([-1])),
    ],
)
def test_bad_input_is_one_line(tables, act):
    with pytest.raises(ValueError) as caught:
        act(tables)
    assert "\n" not in str(caught.value)


def test_arrays_are_looked_up_by_the_million(tables):
    """Far below what a quiet machine does (docs/python.md), so that others may keep it busy."""
    packed = alea.endgames(200_000, 2, 4)
    began = time.perf_counter()
    tables.value(packed)
    assert len(packed) / (time.perf_counter() - began) > 500_000
