// What moves cost, and the ledger of a game: start value + luck − errors + drift = result.

import { el } from "./dom.js";
import { number, percent, t } from "./i18n.js";

/** Marks as annotators write them. */
export const MARKS = { "": "", doubtful: "?!", error: "?", blunder: "??" };

/** What to call an error, by thresholds in points: a hundredth of win probability each. */
export function verdictOf(error, thresholds) {
  const names = ["blunder", "error", "doubtful"];
  // A value that is printed as the threshold counts as it.
  return names.find((name) => thresholds[name] > 0 && 100 * error >= thresholds[name] - 1e-9) ?? "";
}

/**
 * What a ply cost: `{best, error}`, from the analysis of the position before its roll; null where
 * that rates nothing.
 */
export function priceOf(ply, analysis) {
  if (!analysis?.moves) return null;
  const top = ply.face === null ? analysis : analysis.faces?.find(({ face }) => face === ply.face);
  const played = analysis.moves.find(({ move }) => move === ply.move);
  if (!top?.best || typeof top.value !== "number" || typeof played?.value !== "number") return null;
  return { best: top.best, error: Math.max(0, top.value - played.value) };
}

/** Whole hundredths of a percent that add up to the rounded sum, each off by less than one. */
export function roundedToSum(terms) {
  const exact = terms.map((term) => term * 1e4);
  const whole = exact.map(Math.floor);
  const sum = Math.round(exact.reduce((total, term) => total + term, 0));
  const missing = sum - whole.reduce((total, term) => total + term, 0);
  const order = exact.map((_, index) => index).sort((a, b) => exact[b] - whole[b] - (exact[a] - whole[a]));
  for (const index of order.slice(0, missing)) whole[index] += 1;
  return { whole, sum };
}

/** The ledger as a table whose columns, one for each seat, add up, and a table of its plies. */
export function ledgerView(ledger, seatNames, thresholds, hasDie, go, strengths) {
  const rows = [
    [t("startValue"), "start", ""],
    hasDie ? [t("luck"), "luck", "+"] : null,
    [t("errors"), "errors", "−"],
    [t(hasDie ? "ofOthers" : "errorsOfOthers"), "others", "+"],
    [t("drift"), "drift", "+"],
  ].filter(Boolean);
  const columns = ledger.seats.map((seat) =>
    roundedToSum(rows.map(([, key, sign]) => (sign === "−" ? -seat[key] : seat[key]))),
  );
  const line = (name, sign, values, attributes = {}) =>
    el("tr", attributes, [
      el("td", { class: "sign" }, sign),
      el("th", { scope: "row" }, name),
      values.map((value) => el("td", { class: "number" }, number(value / 100, 2))),
    ]);
  const term = ([name, , sign], index) =>
    line(name, sign, columns.map(({ whole }) => (sign === "−" ? -1 : 1) * whole[index]));
  const sums = columns.map(({ sum }) => sum);
  const total = line(t(ledger.over ? "result" : "soFar"), "=", sums, { class: "total", "data-balance": ledger.balance });
  const each = line(t("perDecision"), "", ledger.seats.map((seat) => 1e4 * seat.error_per_decision), { class: "each" });
  const head = el("tr", {}, [
    el("td", { class: "sign" }),
    el("td"),
    seatNames.map((name, seat) =>
      el("th", { scope: "col", class: "number" }, [el("span", { class: `dot seat${seat}`, "aria-hidden": "true" }), name]),
    ),
  ]);
  const ply = (judged, index) => {
    const verdict = verdictOf(judged.error, thresholds);
    const name = `${judged.face ?? ""} ${judged.move}`.trim();
    return el("tr", { class: verdict }, [
      el("td", { class: "number" }, index + 1),
      el("td", {}, el("button", { type: "button", class: "link", onclick: () => go(index) }, [
        el("span", { class: `dot seat${judged.seat}`, "aria-hidden": "true" }),
        el("span", { class: "sr" }, `${seatNames[judged.seat]} `),
        name,
      ])),
      hasDie ? el("td", { class: "number" }, percent(judged.luck, 2)) : null,
      el("td", { class: "number" }, percent(judged.error, 2)),
      el("td", {}, verdict ? `${MARKS[verdict]} ${t(verdict)}` : ""),
      el("td", {}, judged.error > 0 ? judged.best : ""),
    ]);
  };
  const heads = [t("ply"), t("move"), hasDie ? t("luck") : null, t("errorColumn"), "", t("bestColumn")];
  const parts = [
    el("p", { class: "note" }, t("ledgerHelp")),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("ledger") },
      el("table", { class: "ledger" }, [el("thead", {}, head), el("tbody", {}, [rows.map(term), total, each])])),
    strengths.map((one, seat) =>
      one ? el("p", { class: "strength" }, t("strengthOf", seatNames[seat], ...[one.elo, one.lower, one.upper].map((elo) => number(elo, 0)), one.decisions)) : null,
    ),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("plyView") },
      el("table", { class: "plies" }, [
        el("caption", {}, t("plyView")),
        el("thead", {}, el("tr", {}, heads.filter((head) => head !== null).map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, ledger.plies.map(ply)),
      ])),
  ];
  return parts.flat().filter(Boolean);
}
