"""Packed positions of EinStein, exact endgames, and players."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from ._alea import Game, Player as _Player, Position, Tables as _Tables
from ._alea import check_foreign, game as _game, integer, integers

if TYPE_CHECKING:
    from ._alea import Positions

SHIFTS = 5 * numpy.arange(12, dtype=numpy.uint64)
CAPTURED = 31


def rules(game: Game | str) -> Game:
    """A game, or that of a notation."""
    return _game(game) if isinstance(game, str) else game


def squares_of(packed: NDArray[numpy.uint64]) -> NDArray[numpy.uint64]:
    """(n,) -> (n, 12): the squares of the mover's stones 1-6 and of the other side's, each in its
    owner's perspective, 0 the corner it starts from and 24 its goal; 31 gone."""
    return (packed[:, None] >> SHIFTS) & numpy.uint64(31)


def unpack(packed: NDArray[numpy.uint64], game: Game | str = "einstein") -> list[Position]:
    """The positions of an array of `Game.pack`; ValueError if a number is invalid."""
    packed = numpy.asarray(packed)
    if packed.dtype != numpy.uint64 or packed.ndim != 1:
        raise ValueError(f"packed positions are an array (n,) of uint64, not {packed.dtype} {packed.shape}")
    if (packed >> numpy.uint64(61)).any():
        raise ValueError("a packed position has 61 bits")
    squares, seats = squares_of(packed).astype(numpy.int64), (packed >> numpy.uint64(60)).astype(numpy.int64)
    if ((squares > 24) & (squares != CAPTURED)).any():
        raise ValueError("a stone stands on a square 0-24, or is gone (31)")
    # In text Red's squares are in its own perspective, and Blue's are rotated by 180 degrees.
    red_first = (seats == 0)[:, None]
    sides = numpy.where(red_first, squares, numpy.roll(squares, 6, axis=1))
    boards = numpy.full((len(packed), 32), ord("."), numpy.uint8)
    for stone, name in enumerate("123456abcdef"):
        own = sides[:, stone]
        boards[numpy.arange(len(packed)), numpy.where(own == CAPTURED, CAPTURED, own if stone < 6 else 24 - own)] = ord(name)
    game, num_stones = rules(game), (squares != CAPTURED).sum(axis=1)
    if ((boards[:, :25] != ord(".")).sum(axis=1) != num_stones).any():
        raise ValueError("two stones stand on one square")
    texts = (row[:25].tobytes().decode() for row in boards)
    rows = ("/".join(text[row : row + 5] for row in range(0, 25, 5)) for text in texts)
    return [game.position(f"{row} {'rb'[seat]} -") for row, seat in zip(rows, seats)]


def endgames(n: int, min_stones: int = 2, max_stones: int = 12, seed: int = 1) -> NDArray[numpy.uint64]:
    """Random positions of EinStein that are not over, packed: (n,) uint64.

    They have `min_stones` to `max_stones` stones in all; every number of stones and every division
    between the sides is equally likely, on any squares but each side's goal, either side to move.
    """
    n, min_stones, max_stones, seed = (integer(number, "each argument") for number in (n, min_stones, max_stones, seed))
    if not 2 <= min_stones <= max_stones <= 12:
        raise ValueError(f"positions have 2 to 12 stones, the minimum first, not {min_stones} to {max_stones}")
    random = numpy.random.default_rng(seed)
    found: list[NDArray[numpy.uint64]] = []
    while sum(map(len, found)) < n:
        count = n - sum(map(len, found)) + 64
        total = random.integers(min_stones, max_stones + 1, count)
        own = random.integers(numpy.maximum(1, total - 6), numpy.minimum(6, total - 1) + 1)
        squares = random.permuted(numpy.tile(numpy.arange(25), (count, 1)), axis=1)[:, :12]
        labels = random.permuted(numpy.tile(numpy.arange(6), (2 * count, 1)), axis=1).reshape(count, 12)
        limits = numpy.stack([own, total - own], axis=1).repeat(6, axis=1)
        # The first labels of a shuffled side are on the board.
        alive = labels < limits
        squares[:, 6:] = 24 - squares[:, 6:]
        valid = ~((squares == 24) & alive).any(axis=1)
        value = numpy.where(alive, squares, CAPTURED).astype(numpy.uint64)
        packed = (value << SHIFTS).sum(axis=1, dtype=numpy.uint64) | random.integers(2, size=count).astype(numpy.uint64) << numpy.uint64(60)
        found.append(packed[valid])
    return numpy.concatenate(found)[:n] if found else numpy.zeros(0, numpy.uint64)


class Player(_Player):
    """A player by its notation. Every position is answered as the first of a game with its seed.

    A pickle holds game, notation and seed; a player whose notation names a file cannot be pickled,
    because a pickle opens no files.
    """

    def __init__(self, game: Game, notation: str, seed: int = 1) -> None:
        self.game, self.seed = game, integer(seed, "a seed")

    def __reduce__(self) -> Any:
        try:
            check_foreign(self.game, self.notation)
        except ValueError as problem:
            raise ValueError(f"a player that names a file is made where it is needed, not copied: {problem}") from None
        return _player, (self.game, self.notation, self.seed)

    def __copy__(self) -> Player:
        return self

    def __deepcopy__(self, memo: Any) -> Player:
        return self

    def decide(self, position: Position | str, outcome: int | None = None) -> str:
        """The move with `outcome`, or the outcome of the text."""
        return self.decide_all([position], outcome)[0]

    def analyse(self, position: Position | str, outcome: int | None = None) -> dict[str, Any]:
        """Win probability, best move and the value of each move, for the side to move."""
        return self.analyse_all([position], outcome)[0]


def _player(game: Game, notation: str, seed: int) -> Player:
    """A player from a pickle, which opens no file."""
    check_foreign(game, notation)
    return Player(game, notation, seed)


class Tables:
    """Exact values of all positions of EinStein with at most `stones` stones, both sides together.

    At most five stones are built in memory, once a process: 0.9 GB and some seconds for five. With
    `folder` they are read from the files that `alea solve` wrote there, six stones too: all bytes
    are checked once, then the files are mapped. Positions are packed (n,) uint64, or a list of
    positions and texts. Positions with more stones are NaN.
    """

    def __init__(self, stones: int = 5, game: Game | str = "einstein", folder: str | os.PathLike[str] | None = None) -> None:
        stones, max_stones = integer(stones, "the number of stones"), 5 if folder is None else 6
        if not 2 <= stones <= max_stones:
            place = "in memory" if folder is None else "in files"
            hint = "" if folder or stones != 6 else "; 'alea solve --stones 6 --tables DIR' writes those of 6, and folder=DIR reads them"
            raise ValueError(f"tables {place} are for 2 to {max_stones} stones in all, not {stones}{hint}")
        self.stones, self.game, self._folder = stones, rules(game), folder
        try:
            self._tables = _Tables(stones, self.game.notation, folder)
        except ValueError as problem:
            if folder is None or self.game.name != "einstein":
                raise
            command = f"alea solve --stones {stones} --tables {os.fspath(folder)}"
            raise ValueError(f"{problem}; '{command}' writes the files") from None

    def __reduce__(self) -> Any:
        if self._folder is not None:
            raise ValueError("tables from files are opened by Tables(stones, folder=…) where they are needed, not copied")
        return type(self), (self.stones, self.game)

    def __copy__(self) -> Tables:
        return self

    def __deepcopy__(self, memo: Any) -> Tables:
        return self

    def value(self, positions: Positions) -> NDArray[numpy.float32]:
        """(n,) float32: win probabilities of the sides to move, before the roll; payoffs at the end."""
        return self._tables.value(positions)

    def moves(self, positions: Positions, outcomes: Sequence[int] | NDArray[Any] | None = None) -> NDArray[numpy.float32]:
        """(n, 18) float32: the value of each move to the seat that makes it, NaN behind the last.

        The moves are in the order of `Position.moves()`, or, with a face for each position, of
        `Position.moves(outcome)`.
        """
        return self._tables.moves(positions, outcomes)

    def regret(self, positions: Positions, outcomes: Sequence[int] | NDArray[Any], actions: Sequence[int] | NDArray[Any]) -> NDArray[numpy.float32]:
        """(n,) float32: the loss of the move at `actions[i]` of those that face `outcomes[i]` allows."""
        outcomes, actions = integers(outcomes, "an outcome"), integers(actions, "an action")
        move_values = self._tables.moves(positions, outcomes)
        if len(actions) != len(move_values):
            raise ValueError(f"{len(move_values)} positions need as many actions, not {len(actions)}")
        is_missing = numpy.isnan(move_values)
        counts = numpy.where(is_missing.all(axis=1), 0, move_values.shape[1] - is_missing[:, ::-1].argmin(axis=1))
        is_known = ~numpy.isnan(self.value(positions))
        illegal = numpy.flatnonzero(is_known & ((actions < 0) | (actions >= counts)))
        if len(illegal):
            index = illegal[0]
            raise ValueError(f"at {index}: an action is below {counts[index]}, not {actions[index]}")
        played = move_values[numpy.arange(len(move_values)), numpy.where(is_known, actions, 0)]
        best = numpy.where(is_missing, -numpy.inf, move_values).max(axis=1, initial=-numpy.inf)
        return numpy.where(is_known, best - played, numpy.float32(numpy.nan))
