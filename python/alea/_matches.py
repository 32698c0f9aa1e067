"""Matches between players, models and callables."""

import json
from typing import Any

from ._alea import Game, arena as _arena, integer
from ._callable import CallableEvaluator, resolve, one_ply
from ._positions import rules


class Match(dict[str, Any]):
    """The result of a match: the JSON of `alea arena`, see docs/reference/formats.md; scores are those of A."""

    @property
    def score(self) -> float:
        """Fraction of the points of A, a draw being half a point; luck-adjusted if `luck` was given."""
        return (self.get("luck") or self)["score"]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        interval = (self.get("luck") or self)["interval"]
        return interval["lower"], interval["upper"]

    @property
    def points(self) -> tuple[float, tuple[float, float]] | None:
        """Mean points of A a game and their 95 % interval, as `score`; `None` in games without points."""
        points = self.get("points")
        if points is None or self.get("seats"):
            return None
        mean, interval = points.get("luck_adjusted") or (points["mean"], points["interval"])
        return mean, (interval["lower"], interval["upper"])

    def __str__(self) -> str:
        lower, upper = self.interval
        luck = ", without luck" if self.get("luck") else ""
        score = f"{100 * self.score:.2f} % [{100 * lower:.2f}, {100 * upper:.2f}]"
        if self.points is not None:
            mean, (lower, upper) = self.points
            score = f"{mean:+.3f} [{lower:+.3f}, {upper:+.3f}] {self['points']['unit']} a game,"
        return f"{self['a']} against {self['b']}: {score} of {self['games']} games{luck}"


def arena(
    a: Any,
    b: Any,
    games: int = 2000,
    seed: int = 1,
    *,
    game: Game | str = "einstein",
    luck: str | None = None,
    threads: int | None = None,
) -> Match:
    """Plays pairs of games with sides swapped and the same chance, as `alea arena` does.

    `a` and `b` are each a `Player` or its notation, an evaluator or a model file (which then moves
    as `star1(depth=1)`), or a callable (`CallableEvaluator`) that makes the move to the position
    of the best value. Equal seeds give the games of the command line. `luck` is an evaluator or a
    player for luck adjustment. `threads` play at once: all cores, or 64 with a callable, whose
    requests are then answered in batches.
    """
    game = rules(game)
    sides, callables = zip(*(_side(game, participant) for participant in (a, b)))
    functions = [callable_evaluator for callable_evaluator in callables if callable_evaluator is not None]
    games, seed = integer(games, "the number of games"), integer(seed, "a seed")
    if games < 1:
        raise ValueError(f"'games' is at least 1, not {games}")
    if threads is None:
        threads = 64 if functions else 0
    threads = integer(threads, "the number of threads")
    pairs = (games + 1) // 2
    return Match(json.loads(_arena(game, sides, functions, (pairs, seed, threads, luck))))


def _side(game: Game, participant: Any) -> tuple[tuple[str, str, str | None], CallableEvaluator | None]:
    """A participant as the engine takes it, and its callable."""
    resolved = resolve(game, participant)
    if isinstance(resolved, CallableEvaluator):
        return ("callable", resolved.name, resolved.inputs), resolved
    kind, notation = resolved
    return ("player", notation if kind == "player" else one_ply(notation), None), None
