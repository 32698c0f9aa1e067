"""Matches between players, models and callables."""

import json
from typing import Any

from ._alea import Game, arena as _arena, whole
from ._ask import Asked, named, one_ply
from ._positions import rules


class Match(dict[str, Any]):
    """What came of a match: the JSON of `alea arena`, see docs/reference/formats.md; shares are those of A."""

    @property
    def score(self) -> float:
        """Share of the points that A made, a draw being half a point; without luck if that was told."""
        return (self.get("luck") or self)["score"]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        interval = (self.get("luck") or self)["interval"]
        return interval["lower"], interval["upper"]

    def __str__(self) -> str:
        lower, upper = self.interval
        luck = ", without luck" if self.get("luck") else ""
        return (
            f"{self['a']} against {self['b']}: {100 * self.score:.2f} % "
            f"[{100 * lower:.2f}, {100 * upper:.2f}] of {self['games']} games{luck}"
        )


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
    as `star1(depth=1)`), or a callable, see `Asked`, that makes the move to the position it thinks
    best. Equal seeds give equal games, those of the command line. `luck` names who tells luck, an
    evaluator or a player. `threads` play at once: all cores, or 64 if a callable is to be asked by
    all of them together.
    """
    game = rules(game)
    sides, callables = zip(*(_side(game, someone) for someone in (a, b)))
    asked = [one for one in callables if one is not None]
    games, seed = whole(games, "the number of games"), whole(seed, "a seed")
    if games < 1:
        raise ValueError(f"'games' is at least 1, not {games}")
    if threads is None:
        threads = 64 if asked else 0
    threads = whole(threads, "the number of threads")
    pairs = (games + 1) // 2
    return Match(json.loads(_arena(game, sides, asked, (pairs, seed, threads, luck))))


def _side(game: Game, someone: Any) -> tuple[tuple[str, str, str | None], Asked | None]:
    """Somebody as the engine takes it, and who is to be asked."""
    found = named(game, someone)
    if isinstance(found, Asked):
        return ("callable", found.name, found.inputs), found
    kind, notation = found
    return ("player", notation if kind == "player" else one_ply(notation), None), None
