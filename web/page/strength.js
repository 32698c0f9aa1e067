// The measured strength of the levels, and an estimate of a player's strength from its mean error
// (docs/results.md).
//
// Source: `alea arena`, 2,000 games of each level against the one before; errors of each level in
// 2,000 games against itself, reviewed by REVIEWER.

/** The score of each level against the one before, from the second on, in 2,000 games; the last of ReversiXT in 300, of Havannah in 400. */
export const SCORES = {
  einstein: [0.934, 0.5395, 0.612, 0.508],
  reversi: [0.834, 0.70875, 0.98425, 0.84575],
  reversixt: [0.7695, 0.864, 0.821, 0.8283],
  "havannah(base=4)": [0.999, 0.85975, 0.75525, 0.73375],
};

/** Mean errors of the first levels of EinStein, in wins. */
const ERRORS = [0.08002, 0.01855, 0.01546, 0.00307];
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

/** The Elo of a mean error, interpolated between the levels. */
export function eloOfError(error) {
  const elos = ladderOf("einstein");
  for (let level = 0; level + 1 < ERRORS.length; level += 1) {
    const fraction = (ERRORS[level] - error) / (ERRORS[level] - ERRORS[level + 1]);
    if (fraction < 1) return elos[level] + (elos[level + 1] - elos[level]) * Math.max(0, fraction);
  }
  return elos[ERRORS.length - 1];
}

/**
 * The strength of a seat in a review, with its interval of 95 %; null with few decisions, or with another
 * reviewer than that of the levels.
 */
export function strengthOf(review, seat, notation, reviewer) {
  if (notation !== "einstein" || reviewer !== REVIEWER) return null;
  const errors = review.plies.filter((ply) => ply.seat === seat && ply.choices > 1).map(({ error }) => error);
  if (errors.length < MIN_DECISIONS) return null;
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const squares = errors.reduce((sum, error) => sum + (error - mean) ** 2, 0);
  const margin = 1.96 * Math.sqrt(squares / (errors.length - 1) / errors.length);
  return { elo: eloOfError(mean), lower: eloOfError(mean + margin), upper: eloOfError(mean - margin), decisions: errors.length };
}
