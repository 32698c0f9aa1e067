"""Recorded games as tables and as training samples."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy

from ._alea import Game, Samples as _Samples, convert, whole
from ._positions import rules

Directories = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def _list(paths: Directories) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def read_games(records: Directories, game: Game | str = "einstein") -> Any:
    """Records as a pyarrow table, a row a ply; its columns are those of docs/reference/formats.md.

    `table["value"].to_numpy()` and its like are numpy arrays. Needs pyarrow.
    """
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as room:
        file = os.path.join(room, "games.parquet")
        convert(rules(game), _list(records), file, False)
        return pyarrow.parquet.read_table(file, memory_map=False)


def write_games(table: Any, directory: str | os.PathLike[str], game: Game | str = "einstein") -> int:
    """Writes a table of `read_games`, whole games of it or more of the same, as a new directory of records.

    Every ply is checked against the rules: one that does not follow them is a ValueError that names
    its row. Returns how many games there are.
    """
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as room:
        file = os.path.join(room, "games.parquet")
        pyarrow.parquet.write_table(table, file, compression="snappy")
        return convert(rules(game), [file], os.fspath(directory), True)


class Samples:
    """Training samples of records, read shard by shard at the speed of the trainer's loader.

    What is a sample, its value and its weight is said in docs/train.md; positions of the
    benchmark's suites are none. `target` mixes `share` of the search value (or of the label of
    that name) with the result; with `share=0` every position is a sample, whether it has a value or
    not, and `value` is the result where there is none. Which games validate depends on `seed` and
    what was played; copies of a game and its images under symmetries (`duplicate_games`) are where
    the game is.

    A batch is a dict: `rows` (n, active) uint16, those of networks with these `inputs`, or with
    `None` the symbols of `VecEnv.observations`; `positions` (n,) uint64, packed, of EinStein;
    `remaining` (n,) uint16, what buckets go by; `target`, `value`, `result`, `weight` (n,) float32,
    win probabilities of the side to move, and what a sample's loss counts.
    """

    def __init__(
        self,
        directories: Directories,
        game: Game | str = "einstein",
        *,
        inputs: str | None = None,
        batch: int = 4096,
        share: float = 0.7,
        window: int = 1 << 22,
        symmetries: bool = True,
        label: str | None = None,
        exact: bool = True,
        error_scale: float = 0.05,
        validation_share: float = 0.05,
        seed: int = 1,
    ) -> None:
        if not 0 <= share <= 1:
            raise ValueError(f"'share' is in [0, 1], not {share}")
        batch, window, seed = whole(batch, "'batch'"), whole(window, "'window'"), whole(seed, "a seed")
        self._directories = [os.fspath(Path(path).absolute()) for path in _list(directories)]
        self._game, self._share, self._inputs, self._batch = rules(game), share, inputs, batch
        self._window, self._symmetries, self._seed = window, symmetries, seed
        self._choice = (label, exact, error_scale, share == 0, validation_share, seed)
        self._samples: _Samples | None = None
        self._open()

    def __getstate__(self) -> dict[str, Any]:
        # What is read from another process opens its directories when it is asked for samples, not before.
        return self.__dict__ | {"_samples": None}

    def _open(self) -> _Samples:
        if self._samples is None:
            self._samples = _Samples(self._game, self._directories, self._choice)
        return self._samples

    @property
    def training(self) -> int:
        """How many samples train."""
        return self._open().counts[0]

    @property
    def validating(self) -> int:
        """How many validate."""
        return self._open().counts[1]

    @property
    def held_out(self) -> int:
        """How many are left out as positions of the benchmark's suites."""
        return self._open().counts[2]

    @property
    def duplicate_games(self) -> int:
        """How many games repeat others, up to symmetry."""
        return self._open().counts[3]

    def epoch(self, number: int = 1, part: tuple[int, int] = (0, 1)) -> Iterator[dict[str, Any]]:
        """All training samples once, in an order of their own for each number.

        `part=(k, n)`: those of every n-th shard from the k-th on, for the n workers of a loader.
        """
        part = whole(part[0], "a part"), whole(part[1], "the number of parts")
        return self._batches(whole(number, "an epoch's number"), part)

    def validation(self) -> Iterator[dict[str, Any]]:
        """All validation samples, as they are."""
        return self._batches(None, (0, 1))

    def _batches(self, epoch: int | None, part: tuple[int, int]) -> Iterator[dict[str, Any]]:
        share = numpy.float32(self._share)
        order = {
            "inputs": self._inputs,
            "batch": self._batch,
            "epoch": epoch,
            "seed": self._seed,
            "window": self._window,
            "symmetries": self._symmetries,
            "part": list(part),
        }
        batches = self._open().batches(order)
        while (arrays := batches.next()) is not None:
            positions, rows, remaining, (value, result, weight) = arrays
            batch = {"rows": rows, "remaining": remaining, "value": value, "result": result, "weight": weight}
            batch["target"] = numpy.where(value == result, value, share * value + (1 - share) * result)
            if len(positions):
                batch["positions"] = positions
            yield batch
