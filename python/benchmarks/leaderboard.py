"""Writes benches/results/leaderboard.md: the benchmark of all shipped evaluators of EinStein and of some searches.

`python python/benchmarks/leaderboard.py [GAMES]`, in the project's directory.
"""

import sys
from pathlib import Path

import alea

ROOT = Path(__file__).parents[2]
EVALUATORS = ["random", "greedy", "farmer_boy", "reciprocal", "schwarz", "race", "abt", "mrmonte"]
MODELS = ["quick-ntuple", "quick-network", "ntuple-1", "integer-1", "strong-1"]
SEARCHES = [
    "star1(depth=2, eval=schwarz)",
    "star2(depth=3, eval=schwarz)",
    "star2(depth=3, eval=best)",
    "mcts(sims=400, leaf=playout)",
    "mcts(sims=400, leaf=best)",
]
# Roll-outs at every move: minutes a match.
WITHOUT_GAMES = ["mrmonte"]
AGAINST = ["star1(depth=1, eval=schwarz)", "star1(depth=1, eval=best)", "star2(depth=3, eval=best)"]


def cards(games):
    for name in [*EVALUATORS, *MODELS, *SEARCHES]:
        who = ROOT / "models" / f"{name}.safetensors" if name in MODELS else name
        ladder = () if name in WITHOUT_GAMES else alea.LADDER
        print(name, file=sys.stderr)
        yield alea.benchmark(who, name=name, ladder=ladder, games=games)


def row(card):
    regret = card.regret
    few, many = regret["classes"]["5"]["regret"], [regret["classes"][str(n)] for n in range(7, 13)]
    six = regret["classes"]["6"]["regret"]
    weights = sum(part["positions"] for part in many)
    rest = sum(part["positions"] * part["regret"]["value"] for part in many) / weights
    scores = {match["b"]: match for match in card.ladder}

    def score(other):
        match = scores.get(other)
        if match is None:
            return "–"
        lower, upper = match.interval
        return f"{100 * match.score:.1f} ± {50 * (upper - lower):.1f}"

    # Against all of the ladder together, luck taken away: independent matches.
    mean = f"{100 * sum(m.score for m in card.ladder) / len(card.ladder):.1f}" if card.ladder else "–"
    kind = "search" if "(" in card.name else card.kind
    speed = f"{card.evaluations_per_second:.1e}" if card.evaluations_per_second else "–"
    value = f"{regret['regret']['value']:.5f} ± {regret['regret']['error']:.5f}"
    cells = [f"`{card.name}`", kind, value, f"{few['value']:.5f}", f"{six['value']:.5f}", f"{rest:.5f}", mean]
    return "| " + " | ".join([*cells, *map(score, AGAINST), speed]) + " |"


def main():
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    found = sorted(cards(games), key=lambda card: card.regret["regret"]["value"])
    heads = ["", "", "regret", "≤ 5 stones", "6", "7–12", "ladder, %", *(f"`{name}`, %" for name in AGAINST), "evaluations/s"]
    ladder = ", ".join(f"`{name}`" for name in alea.LADDER)
    text = f"""# Leaderboard

Made by `python python/benchmarks/leaderboard.py {games}`; [Python](../../docs/python.md#the-benchmark) has the rules. Benchmark {alea.BENCHMARK}, seed 1. *Regret* is the mean win probability lost a decision on all suites with its standard error, errors of the labels included; evaluators play as `star1(depth=1)`. *Ladder* is the mean score against {ladder}, {games} games each; the next columns are three of these matches with 95 % half-widths. Scores are luck-adjusted by `best`, so they may lie outside 0 to 100. Evaluations are per second of CPU time on two cores of an AMD EPYC (Zen 4). From seven stones on differences below 0.003 are not significant, and all models but `strong-1`, which is `best`, were trained before positions were held out.

| {' | '.join(heads)} |
{'|---' * len(heads)}|
"""
    text += "".join(row(card) + "\n" for card in found)
    (ROOT / "benches" / "results" / "leaderboard.md").write_text(text)


main()
