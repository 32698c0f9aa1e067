// The scale of shown values: percent of a win or, in games that pay points, points.

import { number, percent, t } from "./i18n.js";

/** The points of the shown game, `{unit, max, default_win}`, or null. */
let points = null;

/** Shows values of a game, by its description in the list of games. */
export function setScale(info) {
  points = info.points ?? null;
}

/** Whether values are points. */
export function isInPoints() {
  return points !== null;
}

/** Decimals of sums that add up. */
export function decimals() {
  return points ? 3 : 2;
}

/** An expected payoff in percent or points. */
export function toValue(payoff) {
  return points ? (2 * payoff - 1) * points.max : 100 * payoff;
}

/** A difference of expected payoffs in percent or points. */
export function toDifference(payoff) {
  return points ? 2 * payoff * points.max : 100 * payoff;
}

function withUnit(text) {
  const named = t(points.unit, text);
  return named === points.unit ? `${text} ${points.unit}` : named;
}

/** An expected payoff, such as `61.2` or `+0.250`. */
export function valueText(payoff) {
  if (!points || payoff === null || payoff === undefined) return percent(payoff);
  const text = number(toValue(payoff), 3);
  return toValue(payoff) > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** An expected payoff with its unit, such as `61.2 %` or `+0.250 points`. */
export function valueWithUnit(payoff) {
  return points ? withUnit(valueText(payoff)) : `${percent(payoff)} %`;
}

/** A difference of expected payoffs, such as `2.8` or `0.168`. */
export function differenceText(payoff, digits = 1) {
  return points ? number(toDifference(payoff), 3) : percent(payoff, digits);
}

/** A difference of expected payoffs with its unit, such as `2.8 % of a win` or `0.168 points`. */
export function differenceWithUnit(payoff) {
  const text = differenceText(payoff);
  return points ? withUnit(text) : t("percentOfWin", text);
}

/** Thresholds of grades, in hundredths of a win or of the points of a plain win, as hundredths of a payoff. */
export function gradedPayoffs(thresholds) {
  const scale = points ? points.default_win / (2 * points.max) : 1;
  return Object.fromEntries(Object.entries(thresholds).map(([name, value]) => [name, scale * value]));
}

/** Results that the page names, as the games list them. */
const RESULTS = ["win", "win_gammon", "win_backgammon", "loss", "lose_gammon", "lose_backgammon"];

/** The probabilities of results, an object by name; empty without them. */
export function resultsText(results) {
  const known = RESULTS.filter((name) => typeof results?.[name] === "number");
  return known.map((name) => t(`result.${name}`, percent(results[name]))).join(", ");
}
