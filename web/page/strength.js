// The measured strength of the levels, and an estimate of a player's strength from its mean error
// (docs/results.md).
//
// Source: `alea arena`, 2,000 games of each level against the one before; errors of each level in
// 200 games against itself, reviewed by REVIEWER (`.ci/page.d/strength.mjs` tests with others).

/** The score of each level against the one before, from the second on, in 2,000 games; the last of ReversiXT in 300, of Havannah in 400. */
export const SCORES = {
  einstein: [0.934, 0.5395, 0.612, 0.508],
  reversi: [0.834, 0.70875, 0.98425, 0.84575],
  reversixt: [0.7695, 0.864, 0.821, 0.8283],
  "havannah(base=4)": [0.999, 0.85975, 0.75525, 0.73375],
};

/**
 * Of the levels of EinStein up to `hard`: the mean error of a decision, in wins, and its standard
 * deviation. From `hard` on the reviewer sees next to no errors: it is as strong as they are.
 */
const ERRORS = [
  [0.0807, 0.13],
  [0.0178, 0.0505],
  [0.0146, 0.041],
  [0.0007, 0.004],
];
export const REVIEWER = "star2(depth=3, eval=best)";

/** Decisions that an estimate needs. */
const MIN_DECISIONS = 5;

function eloOf(score) {
  return 400 * Math.log10(score / (1 - score));
}

/** Elo of each level above the weakest; null if that is not measured. */
export function ladderOf(notation) {
  const scores = SCORES[notation];
  if (!scores) return null;
  return [0, ...scores].map((_, level) => scores.slice(0, level).reduce((sum, score) => sum + eloOf(score), 0));
}

/** Where a mean error lies in those of a strength, in standard deviations of an approximate normal. */
function deviationOf(mean, decisions, elo) {
  const elos = ladderOf("einstein");
  const level = Math.max(0, Math.min(ERRORS.length - 2, elos.findLastIndex((one) => one <= elo)));
  const along = (elo - elos[level]) / (elos[level + 1] - elos[level]);
  // Errors shrink by factors.
  const [expected, spread] = ERRORS[level].map((low, which) => low * (ERRORS[level + 1][which] / low) ** along);
  // Means of a few skewed errors are about gamma-distributed, whose cube root is about normal (Wilson and Hilferty 1931).
  const variance = spread ** 2 / (9 * decisions * expected ** 2);
  return (Math.cbrt(mean / expected) - 1 + variance) / Math.sqrt(variance);
}

/** Deviations within which 95 % of games lie; faultless games are more frequent than in the approximation. */
const ACCEPTED = [-2.7, 2.2];

/**
 * The strengths, in Elo, with which a mean error agrees: `{lower, upper}`, null without a bound, because
 * no level is weaker, or because the reviewer cannot tell stronger ones apart.
 */
export function strengthsWith(mean, decisions) {
  const top = Math.floor(ladderOf("einstein")[ERRORS.length - 1]);
  const isAccepted = (elo) => {
    const deviation = deviationOf(mean, decisions, elo);
    return deviation >= ACCEPTED[0] && deviation <= ACCEPTED[1];
  };
  const elos = Array.from({ length: top + 1 }, (_, elo) => elo).filter(isAccepted);
  if (!elos.length) return { lower: null, upper: 0 };
  return { lower: elos[0] || null, upper: elos.at(-1) === top ? null : elos.at(-1) };
}

/**
 * The strength of a seat in a review, as the bounds of an interval of 95 %; null with few decisions, or
 * with another reviewer than that of the levels.
 */
export function strengthOf(review, seat, notation, reviewer) {
  if (notation !== "einstein" || reviewer !== REVIEWER) return null;
  const errors = review.plies.filter((ply) => ply.seat === seat && ply.choices > 1).map(({ error }) => error);
  if (errors.length < MIN_DECISIONS) return null;
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  return { ...strengthsWith(mean, errors.length), decisions: errors.length };
}
