// Lists of values: moves, evaluators, and the rolls of the die.

import { el } from "./dom.js";
import { rollName } from "./game.js";
import { t } from "./i18n.js";
import { valueText, valueWithUnit } from "./scale.js";

function bar(value) {
  const width = typeof value === "number" ? 100 * Math.max(0, Math.min(1, value)) : 0;
  return el("span", { class: "track", "aria-hidden": "true" }, el("span", { style: `width:${width.toFixed(1)}%` }));
}

function worth({ value, own_scale, exact }) {
  if (value === undefined) return null;
  const ownScale = typeof own_scale === "number" && !exact ? t("ownScale", valueWithUnit(own_scale)) : null;
  return el("span", { class: "worth", title: ownScale }, [
    valueText(value),
    exact ? el("abbr", { title: t("exact"), class: "exact" }, "=") : null,
    exact ? el("span", { class: "sr" }, ` ${t("exact")}`) : null,
  ]);
}

/** Sorts moves by value. Under the pointer rated moves keep their order, so that a click plays what it points at. */
function sortMoves(host, rated) {
  const isAimedAt = host.matches(":hover") && !host.classList.contains("plain");
  const shown = isAimedAt ? [...host.querySelectorAll("[data-move]")].map(({ dataset }) => dataset.move) : [];
  const isSame = shown.length === rated.length && rated.every(({ move }) => shown.includes(move));
  if (isSame) rated.sort((a, b) => shown.indexOf(a.move) - shown.indexOf(b.move));
  else rated.sort((a, b) => (b.value ?? -1) - (a.value ?? -1));
}

/**
 * The moves as buttons, sorted by `values` (a map of moves, or null); `isPlayable` enables them. Nothing
 * changes while one of them is pressed: call again when the pointer is released or leaves.
 */
export function drawMoves(host, { moves, values, best, isPlayable, filter }, { play, look }) {
  if (host.matches(":active")) return;
  const focused = document.activeElement?.dataset?.move;
  const hadFocus = host.contains(document.activeElement);
  const rated = moves.map((move) => ({ move, ...values?.get(move) }));
  const filtered = rated.filter(({ move }) => filter(move));
  if (values) sortMoves(host, filtered);
  const item = (entry) => {
    const { move } = entry;
    const isBest = values !== null && move === best;
    const button = el(
      "button",
      {
        type: "button",
        "data-move": move,
        class: isBest ? "best" : null,
        "aria-disabled": isPlayable ? null : "true",
        onclick: () => isPlayable && play(move),
        onpointerenter: () => look(move),
        onpointerleave: () => look(null),
        onfocus: () => look(move),
        onblur: () => look(null),
      },
      [
        el("span", { class: "name" }, move),
        values ? bar(entry.value) : null,
        values ? worth({ ...entry, value: entry.value ?? null }) : null,
        isBest ? el("span", { class: "sr" }, ` ${t("best")}`) : null,
      ],
    );
    return el("li", {}, button);
  };
  host.classList.toggle("plain", !values);
  host.replaceChildren(...(filtered.length ? filtered.map(item) : [el("li", { class: "note" }, t("noMoves"))]));
  if (hadFocus && focused) host.querySelector(`[data-move="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

export function drawEvaluations(host, evaluations, helpOf) {
  const item = (evaluation) =>
    el("li", {}, [
      el("div", { class: "evaluation", title: helpOf(evaluation.name) }, [
        el("span", { class: "name" }, evaluation.name),
        evaluation.error
          ? el("span", { class: "problem", lang: "en" }, evaluation.error)
          : [bar(evaluation.value), worth(evaluation)],
      ]),
    ]);
  host.replaceChildren(...evaluations.map(item));
}

/**
 * The die: a button for each roll and for none; `rated` has their values, or is null. `isLocked` if the
 * roll is not chosen here.
 */
export function drawDie(host, { info, face, rated, isOver, isLocked }, roll) {
  const focused = host.contains(document.activeElement) ? document.activeElement.dataset.face : null;
  const button = (value, label, ...children) =>
    el(
      "button",
      {
        type: "button",
        "data-face": value ?? "none",
        "aria-pressed": face === value ? "true" : "false",
        "aria-label": label,
        disabled: isOver,
        "aria-disabled": isLocked ? "true" : null,
        title: isLocked ? t("dieLocked") : null,
        onclick: () => isLocked || roll(value),
      },
      children,
    );
  const faceButton = (value) => {
    const rating = rated?.find((entry) => entry.face === value);
    const name = rollName(info, value);
    const texts = [t("face", name)];
    if (rating) texts.push(valueWithUnit(rating.value), rating.best);
    return button(value, texts.join(", "), [
      el("span", { class: "pips" }, name),
      rating ? el("span", { class: "small" }, valueText(rating.value)) : null,
      rating ? el("span", { class: "small" }, rating.best) : null,
    ]);
  };
  host.replaceChildren(button(null, t("beforeRoll"), el("span", { class: "pips" }, "–")), ...info.faces.map(faceButton));
  if (focused) host.querySelector(`[data-face="${focused}"]`)?.focus({ preventScroll: true });
}
