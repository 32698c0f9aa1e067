"""Recorded games as tables and as training samples."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy

from ._alea import Game, Samples as _Samples, convert, integer
from ._positions import rules

Directories = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def _list(paths: Directories) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def read_games(records: Directories, game: Game | str = "einstein") -> Any:
    """Records as a pyarrow table, a row a ply; docs/reference/formats.md has its columns.

    `table["value"].to_numpy()` and its like are numpy arrays. Requires pyarrow.
    """
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as temporary:
        file = os.path.join(temporary, "games.parquet")
        convert(rules(game), _list(records), file, False)
        return pyarrow.parquet.read_table(file, memory_map=False)


def write_games(table: Any, directory: str | os.PathLike[str], game: Game | str = "einstein") -> int:
    """Writes a table of complete games, with the columns of `read_games`, as a new directory of records.

    Every ply is checked against the rules; an illegal one is a ValueError with its row. Returns the
    number of games.
    """
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as temporary:
        file = os.path.join(temporary, "games.parquet")
        pyarrow.parquet.write_table(table, file, compression="snappy")
        return convert(rules(game), [file], os.fspath(directory), True)


class Samples:
    """Training samples of records, read shard by shard at the speed of the trainer's loader.

    docs/train.md defines samples, their values and weights; positions of the benchmark's suites are
    left out. `target` is `share` of the search value (or of the label of that name) and the rest of
    the result; with `share=0` every position is a sample, and `value` is the result where there is
    no other. The validation games depend on `seed` and the moves; copies of a game and its images
    under symmetries (`duplicate_games`) are on the same side of the split.

    A batch is a dict: `rows` (n, active) uint16, the active rows of networks with these `inputs`, or
    with `None` the symbols of `VecEnv.observations`; `positions` (n,) uint64, packed, of EinStein;
    `remaining` (n,) uint16, the material that selects buckets; `target`, `value`, `result` (n,)
    float32, win probabilities of the side to move, and `weight`, the weight of a sample's loss.
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
        batch, window, seed = integer(batch, "'batch'"), integer(window, "'window'"), integer(seed, "a seed")
        self._directories = [os.fspath(Path(path).absolute()) for path in _list(directories)]
        self._game, self._share, self._inputs, self._batch = rules(game), share, inputs, batch
        self._window, self._symmetries, self._seed = window, symmetries, seed
        self._choice = (label, exact, error_scale, share == 0, validation_share, seed)
        self._samples: _Samples | None = None
        self._open()

    def __getstate__(self) -> dict[str, Any]:
        # In another process the directories are opened with the first request.
        return self.__dict__ | {"_samples": None}

    def _open(self) -> _Samples:
        if self._samples is None:
            self._samples = _Samples(self._game, self._directories, self._choice)
        return self._samples

    @property
    def training(self) -> int:
        """The number of training samples."""
        return self._open().counts[0]

    @property
    def validating(self) -> int:
        """The number of validation samples."""
        return self._open().counts[1]

    @property
    def held_out(self) -> int:
        """The number of positions left out because they are in the benchmark's suites."""
        return self._open().counts[2]

    @property
    def duplicate_games(self) -> int:
        """The number of games that repeat others, up to symmetry."""
        return self._open().counts[3]

    def epoch(self, number: int = 1, part: tuple[int, int] = (0, 1)) -> Iterator[dict[str, Any]]:
        """All training samples once, in an order that depends on the number.

        `part=(k, n)`: those of every n-th shard from the k-th on, for the n workers of a loader.
        """
        part = integer(part[0], "a part"), integer(part[1], "the number of parts")
        return self._batches(integer(number, "an epoch's number"), part)

    def validation(self) -> Iterator[dict[str, Any]]:
        """All validation samples, in order."""
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
