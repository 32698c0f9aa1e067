// Lists of values: the moves of a position, what evaluators say, and the die with what each roll is
// worth.

import { el } from "./dom.js";
import { percent, t } from "./i18n.js";

function bar(value) {
  const width = typeof value === "number" ? 100 * Math.max(0, Math.min(1, value)) : 0;
  return el("span", { class: "track", "aria-hidden": "true" }, el("span", { style: `width:${width.toFixed(1)}%` }));
}

function worth({ value, calibrated, exact }) {
  if (value === undefined) return null;
  const fitted = typeof calibrated === "number" ? t("wholeGames", `${percent(calibrated)} %`) : null;
  return el("span", { class: "worth", title: fitted }, [
    percent(value),
    exact ? el("abbr", { title: t("exact"), class: "exact" }, "=") : null,
    exact ? el("span", { class: "sr" }, ` ${t("exact")}`) : null,
  ]);
}

/**
 * The moves as buttons, the best first where `values` (a map of moves, or null) says so; `isPlayable`
 * tells whether they may be pressed.
 */
export function drawMoves(host, { moves, values, best, isPlayable, filter }, { play, look }) {
  const focused = document.activeElement?.dataset?.move;
  const hadFocus = host.contains(document.activeElement);
  const rated = moves.map((move) => ({ move, ...values?.get(move) }));
  if (values) rated.sort((a, b) => (b.value ?? -1) - (a.value ?? -1));
  const shown = rated.filter(({ move }) => filter(move));
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
  host.replaceChildren(...(shown.length ? shown.map(item) : [el("li", { class: "note" }, t("noMoves"))]));
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

/** The die: a button for each roll and for none; `rated` is what each is worth, or null. */
export function drawDie(host, { faces, face, rated, isOver }, roll) {
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
        onclick: () => roll(value),
      },
      children,
    );
  const one = (value) => {
    const worthOf = rated?.find((entry) => entry.face === value);
    const texts = [t("face", value)];
    if (worthOf) texts.push(`${percent(worthOf.value)} %`, worthOf.best);
    return button(value, texts.join(", "), [
      el("span", { class: "pips" }, value),
      worthOf ? el("span", { class: "small" }, percent(worthOf.value)) : null,
      worthOf ? el("span", { class: "small" }, worthOf.best) : null,
    ]);
  };
  host.replaceChildren(button(null, t("beforeRoll"), el("span", { class: "pips" }, "–")), ...faces.map(one));
  if (focused) host.querySelector(`[data-face="${focused}"]`)?.focus({ preventScroll: true });
}
