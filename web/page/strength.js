// How strong the levels were measured to be, and how strong somebody is who gives away as much a
// decision (docs/results.md).
//
// Source: `alea arena`, 2,000 games of each level against the one before; errors of each level in
// 2,000 games against itself, judged by JUDGE.

/** The share that each level won of 2,000 games against the one before, from the second on; the last of ReversiXT of 300, of Havannah of 400. */
export const SCORES = {
  einstein: [0.934, 0.5395, 0.612, 0.508],
  reversi: [0.834, 0.70875, 0.98425, 0.84575],
  reversixt: [0.7695, 0.864, 0.821, 0.8283],
  "havannah(base=4)": [0.999, 0.85975, 0.75525, 0.73375],
};

/** Wins that the first levels of EinStein give away a decision. Who plays as the judge is beyond it. */
const ERRORS = [0.08002, 0.01855, 0.01546, 0.00307];
export const JUDGE = "star2(depth=3, eval=best)";

/** Decisions below which nothing is said. */
const FEWEST = 5;

function eloOf(score) {
  return 400 * Math.log10(score / (1 - score));
}

/** Elo above the weakest level, of each level; null where that was not measured. */
export function ladderOf(notation) {
  const scores = SCORES[notation];
  if (!scores) return null;
  return [0, ...scores].map((_, level) => scores.slice(0, level).reduce((sum, score) => sum + eloOf(score), 0));
}

/** The Elo of who gives away so much a decision: on the line between the levels beside it. */
export function eloOfError(error) {
  const elos = ladderOf("einstein");
  for (let level = 0; level + 1 < ERRORS.length; level += 1) {
    const share = (ERRORS[level] - error) / (ERRORS[level] - ERRORS[level + 1]);
    if (share < 1) return elos[level] + (elos[level + 1] - elos[level]) * Math.max(0, share);
  }
  return elos[ERRORS.length - 1];
}

/**
 * The strength of a seat by a ledger, with its interval of 95 %; null where little was decided, or by
 * another judge than that of the levels.
 */
export function strengthOf(ledger, seat, notation, judge) {
  if (notation !== "einstein" || judge !== JUDGE) return null;
  const errors = ledger.plies.filter((ply) => ply.seat === seat && ply.choices > 1).map(({ error }) => error);
  if (errors.length < FEWEST) return null;
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const squares = errors.reduce((sum, error) => sum + (error - mean) ** 2, 0);
  const half = 1.96 * Math.sqrt(squares / (errors.length - 1) / errors.length);
  return { elo: eloOfError(mean), lower: eloOfError(mean + half), upper: eloOfError(mean - half), decisions: errors.length };
}
