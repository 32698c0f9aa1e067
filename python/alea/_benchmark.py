"""The benchmark of EinStein: regret on exactly solved suites, matches against a ladder of players, speed."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._alea import evaluate, game as _game, regret as _regret, suites as _suites, integer
from ._callable import CallableEvaluator, resolve
from ._matches import Match, arena
from ._positions import Player, Tables, endgames, unpack

BENCHMARK = "einstein-2"
"""The version: other suites, ladder or rules of counting are another version. In the first one `best`,
which stands in the ladder, was `integer-1`."""

LADDER = (
    "random",
    "greedy",
    "star1(depth=1, eval=schwarz)",
    "star1(depth=1, eval=abt)",
    "star1(depth=2, eval=schwarz)",
    "star1(depth=1, eval=best)",
    "star2(depth=3, eval=best)",
)
"""Players to compare with, the weakest first."""

HASHES = {
    "stones-5.jsonl": "0d22f2cfb566da226957c37166972fa8e4ee9c61fee8a7e16cc393830f785ce4",
    "stones-6.jsonl": "1d82bdfb84fa7cc31e3115036404ca4b4927bd47f5d7d2308806bded72a34d33",
    "stones-7.jsonl": "4d05921402535009e7f6f792f990856d3498649f771dc809a2a88fd4a65dbebb",
    "stones-8.jsonl": "8c1a3cd768421fbb61392a2b5f5cfa5cf695275dfd349c7c469eebe1fb025d9b",
    "stones-9.jsonl": "86a092d9720c679f88aa1d86348dcc591557d7c257a9047bbd15cd057e3d8c92",
    "stones-10.jsonl": "2ca706bb466ab7450d1175babd29628b391c59732015c3755ec2829cd0eb52a6",
    "stones-11.jsonl": "1143ffd13bf2d8cde0a21324e8593754b5b27416bdb5151abff3d067f5554ab7",
    "stones-12.jsonl": "d9f63e5e624e7045e920d5cce1a6089b3468eae11783f2b16c2a63a900eefe52",
}
"""The suites of this version, by SHA-256; training leaves their positions out."""


def suites() -> dict[str, str]:
    """The suites that come with the package, text by name; ValueError if one is not that of BENCHMARK."""
    texts = dict(_suites())
    for name, text in texts.items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        if HASHES[name] != digest:
            raise ValueError(f"{name} is not the suite of {BENCHMARK}: {digest}")
    return texts


@dataclass(frozen=True, repr=False)
class Card:
    """The result of a benchmark."""

    name: str
    kind: str
    """`player`, `evaluator` or `callable`."""
    benchmark: str
    """Its version, or `custom` for other suites."""
    regret: dict[str, Any]
    """The JSON of `alea regret --suite data/suites`: win probability lost a decision."""
    ladder: list[Match]
    evaluations_per_second: float
    """Evaluations a second of processor time; of players those in their searches, or 0."""
    seed: int
    exact: dict[str, Any] | None = None
    """The JSON of `alea regret --stones N`, on new positions, if tables were given."""

    def json(self) -> str:
        """The card as JSON."""
        return json.dumps(self.__dict__, indent=1)

    def markdown(self) -> str:
        """The card as Markdown."""
        overall, classes = self.regret["regret"], self.regret["classes"]
        names = sorted(classes, key=int)
        cells = [f"{classes[name]['regret']['value']:.5f} ± {classes[name]['regret']['error']:.5f}" for name in names]
        speed = f", {self.evaluations_per_second:,.0f} evaluations a second" if self.evaluations_per_second else ""
        lines = [
            f"### {self.name}",
            "",
            f"{self.kind}, benchmark {self.benchmark}, seed {self.seed}{speed}",
            "",
            "| regret a decision | " + " | ".join(f"≤ {name}" if name == "5" else name for name in names) + " |",
            "|---" * (len(names) + 1) + "|",
            f"| {overall['value']:.5f} ± {overall['error']:.5f} | " + " | ".join(cells) + " |",
        ]
        if self.exact:
            fresh = self.exact["regret"]
            max_stones = max(sum(map(int, name.split("v"))) for name in self.exact["classes"])
            lines += ["", f"On fresh positions of at most {max_stones} stones: {fresh['value']:.5f} ± {fresh['error']:.5f}"]
        if self.ladder:
            lines += ["", "| against | score, % | 95 % interval | games |", "|---|---|---|---|"]
            for match in self.ladder:
                lower, upper = (100 * bound for bound in match.interval)
                lines.append(f"| `{match['b']}` | {100 * match.score:.2f} | {lower:.2f} – {upper:.2f} | {match['games']} |")
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<alea.Card of {self.name}: regret {self.regret['regret']['value']:.5f}>"

    def _repr_markdown_(self) -> str:
        return self.markdown()


def benchmark(
    participant: Any,
    *,
    name: str | None = None,
    ladder: Sequence[Any] = LADDER,
    games: int = 2000,
    luck: str | None = "best",
    seed: int = 1,
    custom_suites: Mapping[str, str] | None = None,
    tables: Tables | None = None,
    positions: int = 20_000,
) -> Card:
    """Measures a player, an evaluator, a model file or a callable (`CallableEvaluator`) of EinStein.

    Regret is that of `alea regret --suite data/suites`, to the last digit; evaluators and callables
    value every successor. Then come `games` games against each of the `ladder`, luck-adjusted by the
    evaluator `luck` (`None`: not adjusted). `custom_suites` are other suites, text by name. With
    `tables`, such as `Tables(6, folder="tables")`, also the regret on `positions` new positions:
    that of `alea regret --stones 6 --tables tables`.
    """
    game, seed = _game("einstein"), integer(seed, "a seed")
    positions = integer(positions, "the number of positions")
    resolved = resolve(game, participant)
    target: Any
    if isinstance(resolved, CallableEvaluator):
        kind, target, participant_spec, functions = "callable", resolved, ("callable", resolved.name, resolved.inputs), [resolved]
    else:
        (kind, target), participant_spec, functions = resolved, (*resolved, None), []
    texts = suites() if custom_suites is None else custom_suites
    if tables is not None and tables.game.notation != game.notation:
        raise ValueError(f"the benchmark is of {game.notation}, the tables of {tables.game.notation}")
    overall = json.loads(_regret(participant_spec, functions, list(texts.items()), seed))
    exact = None if tables is None else json.loads(_regret(participant_spec, functions, (tables._tables, positions), seed))
    matches = [arena(participant, other, games, seed, game=game, luck=luck) for other in ladder]
    title = name or (target.name if isinstance(target, CallableEvaluator) else target)
    version = BENCHMARK if custom_suites is None else "custom"
    return Card(title, kind, version, overall, matches, _speed(game, kind, target), seed, exact)


def _speed(game: Any, kind: str, target: Any) -> float:
    """Evaluations a second of processor time, the best of three times."""
    if kind == "player":
        player, positions = Player(game, target), unpack(endgames(40))

        def work() -> int:
            return sum(answer["evaluations"] for answer in player.analyse_all(positions))

    else:
        positions = endgames(65_536)

        def work() -> int:
            if kind == "evaluator":
                return len(evaluate(game, positions, target))
            parts = (positions[first : first + 4096] for first in range(0, len(positions), 4096))
            return sum(len(target(game.rows(part, target.inputs))) for part in parts)

    best = 0.0
    for _ in range(3):
        start = time.process_time()
        best = max(best, work() / (time.process_time() - start))
    return best
