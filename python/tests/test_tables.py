"""Exact look-ups on arrays."""

import shutil
import subprocess
import time
from pathlib import Path

import numpy
import pytest

import alea
import rules

ROOT = Path(__file__).parents[2]
# `alea solve --stones 2 --tables python/tests/tables`, commit 0271455.
FILES = ROOT / "python" / "tests" / "tables"
COMMAND = shutil.which("alea") or ROOT / "target" / "release" / "alea"


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
        lambda t: alea.Tables(7, folder=FILES),
        lambda t: alea.Tables(6, folder=FILES),
        lambda t: alea.Tables(2, "einstein(variant=nearest)", folder=FILES),
        lambda t: alea.Tables(2, "reversi", folder=FILES),
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


def test_two_stones_of_a_file_have_the_values_of_the_rules():
    tables, packed = alea.Tables(2, folder=FILES), alea.endgames(40, 2, 2, seed=2)
    expected = [rules.value(position.text) for position in alea.unpack(packed)]
    assert tables.value(packed) == pytest.approx(expected, abs=4e-5)


@pytest.mark.skipif(not Path(COMMAND).exists(), reason="there is no command 'alea', built or on the PATH")
def test_what_the_command_wrote_is_what_is_built_in_memory(tables, tmp_path):
    subprocess.run([COMMAND, "solve", "--stones", "4", "--tables", tmp_path], check=True, capture_output=True)
    read, packed = alea.Tables(4, folder=tmp_path), alea.endgames(100_000, 2, 5, seed=6)
    faces, actions = numpy.arange(100_000) % 6 + 1, numpy.zeros(100_000, int)
    numpy.testing.assert_array_equal(read.value(packed), tables.value(packed))
    numpy.testing.assert_array_equal(read.moves(packed), tables.moves(packed))
    numpy.testing.assert_array_equal(read.moves(packed, faces), tables.moves(packed, faces))
    few = packed[~numpy.isnan(tables.value(packed))]
    faces, actions = faces[: len(few)], actions[: len(few)]
    numpy.testing.assert_array_equal(read.regret(few, faces, actions), tables.regret(few, faces, actions))


@pytest.mark.parametrize("change", [lambda file: file.unlink(), lambda file: file.write_bytes(file.read_bytes()[:-9] + b"nine more")])
def test_files_that_are_missing_or_damaged_name_the_command_that_writes_them(tmp_path, change):
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    change(tmp_path / "classic-1v1.ends")
    with pytest.raises(ValueError, match=f"classic-1v1.ends.*'alea solve --stones 2 --tables {tmp_path}'") as caught:
        alea.Tables(2, folder=tmp_path)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="alea solve --stones 6"):
        alea.Tables(6)
