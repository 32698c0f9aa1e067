// Losses of moves, and the review of a game: start value + luck − errors + drift = result.

import { el } from "./dom.js";
import { rollName } from "./game.js";
import { number, t } from "./i18n.js";
import { decimals, differenceText, isInPoints, toDifference, toValue } from "./scale.js";
import { levelsOf } from "./strength.js";

/** Annotation marks of grades. */
export const ANNOTATIONS = { "": "", doubtful: "?!", error: "?", blunder: "??" };

/** The grade of an error, by thresholds in hundredths of a payoff. */
export function gradeOf(error, thresholds) {
  const names = ["blunder", "error", "doubtful"];
  // A value that is shown as the threshold counts as one.
  return names.find((name) => thresholds[name] > 0 && 100 * error >= thresholds[name] - 1e-9) ?? "";
}

/**
 * The loss of a ply: `{best, error}`, from the analysis of the position before its roll; null without
 * values.
 */
export function lossOf(ply, analysis) {
  if (!analysis?.moves) return null;
  const rolled = ply.face === null ? analysis : analysis.faces?.find(({ face }) => face === ply.face);
  const played = analysis.moves.find(({ move }) => move === ply.move);
  if (!rolled?.best || typeof rolled.value !== "number" || typeof played?.value !== "number") return null;
  return { best: rolled.best, error: Math.max(0, rolled.value - played.value) };
}

/** Terms in units of their last decimal, rounded so that they add up to the rounded sum. */
export function roundedToSum(terms) {
  const exact = terms.map((term) => term * 10 ** decimals());
  const units = exact.map(Math.floor);
  const sum = Math.round(exact.reduce((total, term) => total + term, 0));
  const missing = sum - units.reduce((total, term) => total + term, 0);
  const order = exact.map((_, index) => index).sort((a, b) => exact[b] - units[b] - (exact[a] - units[a]));
  for (const index of order.slice(0, missing)) units[index] += 1;
  return { units, sum };
}

/** A strength in words: the levels like which somebody played, of all levels of the game. */
export function strengthText(name, strength, levels) {
  const { lower, upper, decisions } = strength;
  const bounds = levelsOf(strength);
  const fitsAll = upper === null || bounds[1] === levels.length - 1;
  let kind = "strengthBetween";
  if (lower === null) kind = upper === 0 ? "strengthBelow" : fitsAll ? "strengthOpen" : "strengthAtMost";
  else if (upper === null) kind = "strengthAtLeast";
  return t(kind, name, ...bounds.map((index) => t(levels[index].name)), number(lower ?? 0, 0), number(upper ?? 0, 0), decisions);
}

/**
 * The review, on a `scale` (its name, or null if values estimate results), as a table with a column for each seat that adds up, sentences about strength, and a table
 * of its plies.
 */
export function reviewView(review, seatNames, thresholds, info, go, strengths, scale) {
  const hasDie = info.faces !== null;
  const rows = [
    [t("startValue"), "start", ""],
    hasDie ? [t("luck"), "luck", "+"] : null,
    [t("errors"), "errors", "−"],
    [t(hasDie ? "ofOthers" : "errorsOfOthers"), "others", "+"],
    [t("drift"), "drift", "+"],
  ].filter(Boolean);
  const columns = review.seats.map((seat) =>
    roundedToSum(rows.map(([, key, sign]) => (key === "start" ? toValue : toDifference)((sign === "−" ? -1 : 1) * seat[key]))),
  );
  const line = (name, sign, values, attributes = {}) =>
    el("tr", attributes, [
      el("td", { class: "sign" }, sign),
      el("th", { scope: "row" }, name),
      values.map((value) => el("td", { class: "number" }, number(value / 10 ** decimals(), decimals()))),
    ]);
  const term = ([name, , sign], index) =>
    line(name, sign, columns.map(({ units }) => (sign === "−" ? -1 : 1) * units[index]));
  const sums = columns.map(({ sum }) => sum);
  const total = line(t(review.over ? "result" : "soFar"), "=", sums, { class: "total", "data-balance": review.balance });
  const perDecision = line(t("perDecision"), "", review.seats.map((seat) => 10 ** decimals() * toDifference(seat.error_per_decision)), { class: "each" });
  const head = el("tr", {}, [
    el("td", { class: "sign" }),
    el("td"),
    seatNames.map((name, seat) =>
      el("th", { scope: "col", class: "number" }, [el("span", { class: `dot seat${seat}`, "aria-hidden": "true" }), name]),
    ),
  ]);
  const ply = (reviewed, index) => {
    const grade = gradeOf(reviewed.error, thresholds);
    const name = `${rollName(info, reviewed.face)} ${reviewed.move}`.trim();
    return el("tr", { class: grade }, [
      el("td", { class: "number" }, index + 1),
      el("td", {}, el("button", { type: "button", class: "link", onclick: () => go(index) }, [
        el("span", { class: `dot seat${reviewed.seat}`, "aria-hidden": "true" }),
        el("span", { class: "sr" }, `${seatNames[reviewed.seat]} `),
        name,
      ])),
      hasDie ? el("td", { class: "number" }, differenceText(reviewed.luck, 2)) : null,
      el("td", { class: "number" }, differenceText(reviewed.error, 2)),
      el("td", {}, grade ? `${ANNOTATIONS[grade]} ${t(grade)}` : ""),
      el("td", {}, reviewed.error > 0 ? reviewed.best : ""),
    ]);
  };
  const plyView = t(`${hasDie ? "plyView" : "plyViewPlain"}${isInPoints() ? "OfPoints" : ""}`);
  const heads = [t("ply"), t("move"), hasDie ? t("luck") : null, t("errorColumn"), "", t("bestColumn")];
  const parts = [
    el("p", { class: "note" }, t(seatNames.length > 2 ? "ledgerHelpShares" : isInPoints() ? "ledgerHelpPoints" : "ledgerHelp")),
    scale ? el("p", { class: "note" }, t("ledgerScale", scale)) : null,
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("ledger") },
      el("table", { class: "ledger" }, [el("thead", {}, head), el("tbody", {}, [rows.map(term), total, perDecision])])),
    strengths.map((text) => el("p", { class: "strength" }, text)),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": plyView },
      el("table", { class: "plies" }, [
        el("caption", {}, plyView),
        el("thead", {}, el("tr", {}, heads.filter((head) => head !== null).map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, review.plies.map(ply)),
      ])),
  ];
  return parts.flat().filter(Boolean);
}
