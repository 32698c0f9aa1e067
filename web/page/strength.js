// The measured strength of the levels, and an estimate of a player's strength from its mean error
// (docs/results.md).
//
// Source: `alea arena` (benches/results/matches.md); errors of each level in 1,000 games against
// itself, reviewed by REVIEWER (`.ci/page.d/strength.mjs` tests with others).

/**
 * The score of each level against the one before, from the second on, and half its interval of 95 %:
 * 100,000 games in EinStein (4,000 of the last), 10,000 in backgammon (2,000), elsewhere 2,000 (400 of
 * slow ones). In backgammon it is the share of games won.
 */
export const SCORES = {
  einstein: [[0.5844, 0.0023], [0.5844, 0.0022], [0.5829, 0.0023], [0.5808, 0.0023], [0.5836, 0.0025], [0.5811, 0.0026], [0.5915, 0.0132]],
  reversi: [[0.703, 0.0195], [0.7352, 0.0184], [0.7298, 0.0184], [0.696, 0.019], [0.7422, 0.018], [0.702, 0.0182], [0.7087, 0.0401], [0.7037, 0.0391], [0.74, 0.0339]],
  reversixt: [[0.6215, 0.0204], [0.6693, 0.0201], [0.6542, 0.0201], [0.6705, 0.0199], [0.7288, 0.0424], [0.6713, 0.0438], [0.74, 0.0411]],
  "havannah(base=4)": [[0.7005, 0.0196], [0.6757, 0.0207], [0.6837, 0.0194], [0.6952, 0.0198], [0.7332, 0.0181], [0.6875, 0.0376], [0.6683, 0.0394], [0.61, 0.0379]],
  backgammon: [[0.6455, 0.0094], [0.6654, 0.0092], [0.6767, 0.0092], [0.6704, 0.0092], [0.6546, 0.0093], [0.6778, 0.0092], [0.6678, 0.0092], [0.6628, 0.0093], [0.6595, 0.0208]],
};

/**
 * Of the levels of EinStein: the mean error of a decision, in wins, and its standard deviation. Of
 * the strongest the reviewer sees next to no errors: it is as strong.
 */
const ERRORS = [
  [0.067, 0.1019],
  [0.0566, 0.0886],
  [0.0469, 0.0749],
  [0.0376, 0.0637],
  [0.0273, 0.049],
  [0.018, 0.0356],
  [0.009, 0.0222],
  [0.0007, 0.0042],
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
  return [0, ...scores].map((_, level) => scores.slice(0, level).reduce((sum, [score]) => sum + eloOf(score), 0));
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
  // Outside all levels: next to faultless, or worse than the weakest.
  if (!elos.length) return mean < ERRORS[0][0] ? { lower: top, upper: null } : { lower: null, upper: 0 };
  return { lower: elos[0] || null, upper: elos.at(-1) === top ? null : elos.at(-1) };
}

/** Whether strengths can be estimated from reviews of a game by a player. */
export function hasStrengths(notation, reviewer) {
  return notation === "einstein" && reviewer === REVIEWER;
}

/** A seat's decisions in a review and the sum of their errors, of the plies for which `counts(index)`. */
export function errorsOf(review, seat, counts) {
  const plies = review.plies.filter((ply, index) => ply.seat === seat && ply.choices > 1 && counts(index));
  return { decisions: plies.length, sum: plies.reduce((sum, { error }) => sum + error, 0) };
}

/**
 * The strength of who made decisions with this sum of errors, as the bounds of an interval of 95 %; null
 * with few decisions.
 */
export function strengthOf({ decisions, sum }) {
  return decisions < MIN_DECISIONS ? null : { ...strengthsWith(sum / decisions, decisions), decisions };
}

/** The strongest level at or below a bound and the weakest at or above it, as indices. */
export function levelsOf({ lower, upper }) {
  const elos = ladderOf("einstein");
  const below = elos.findLastIndex((elo) => elo <= (lower ?? 0));
  const above = elos.findIndex((elo) => elo >= (upper ?? Infinity));
  return [below, above < 0 ? elos.length - 1 : above];
}
