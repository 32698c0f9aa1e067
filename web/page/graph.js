// A clickable graph of the values of a game's positions.

import { svg } from "./dom.js";
import { t } from "./i18n.js";
import { isInPoints, toValue, valueWithUnit } from "./scale.js";

const [HEIGHT, LEFT, EDGE] = [150, 34, 10];

/**
 * Draws `lines` on a `scale` (its name, or null if values estimate results), each with the `values` of a seat (null if unknown), `marks`, the grades of the plies
 * before, and its `name`; calls `go` with the chosen ply.
 */
export function drawGraph(host, { lines, at, scale }, go) {
  const title = scale ? "graphOnScale" : lines.length > 1 ? "graphOfShares" : isInPoints() ? "graphOfPoints" : "graph";
  // A unit is a pixel, so that texts keep their size.
  const width = Math.max(240, host.clientWidth);
  const plies = lines[0].values.length - 1;
  const last = Math.max(1, plies);
  const x = (ply) => LEFT + ((width - LEFT - EDGE) * ply) / last;
  const y = (value) => EDGE + (HEIGHT - 2 * EDGE) * (1 - value);
  const level = (value) => [
    svg("line", { class: "level", x1: LEFT, x2: width - EDGE, y1: y(value), y2: y(value) }),
    svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, toValue(value)),
  ];
  // A gap where a value is missing.
  const path = (values) =>
    values
      .map((value, ply) => {
        if (value === null) return "";
        const isOn = ply > 0 && values[ply - 1] !== null;
        return `${isOn ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`;
      })
      .join("");
  const dot = (marks) => (value, ply) => {
    const grade = marks[ply] ?? "";
    if (value === null || (lines.length > 1 && !grade)) return null;
    return svg("circle", { class: `point ${grade}`, cx: x(ply), cy: y(value), r: grade ? 5 : 2.5 });
  };
  const current = lines.filter(({ values }) => values[at] !== null);
  const valueTexts = current.map(({ name, values }) => `${lines.length > 1 ? `${name} ` : ""}${valueWithUnit(values[at])}`);
  const root = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "slider",
      tabindex: 0,
      "aria-label": t(title, lines.map(({ name }) => name).join(", "), scale),
      "aria-valuemin": 0,
      "aria-valuemax": plies,
      "aria-valuenow": at,
      "aria-valuetext": [t("plyOf", at, plies), ...valueTexts].join(", "),
      onclick: (event) => {
        const box = root.getBoundingClientRect();
        const along = ((event.clientX - box.left) / box.width) * width;
        go(Math.max(0, Math.min(plies, Math.round(((along - LEFT) / (width - LEFT - EDGE)) * last))));
      },
    },
    [
      [0, 0.5, 1].map(level),
      svg("line", { class: "now", x1: x(at), x2: x(at), y1: EDGE, y2: HEIGHT - EDGE }),
      lines.map(({ values }, seat) => svg("path", { class: lines.length > 1 ? `line seat${seat}` : "line", d: path(values) })),
      lines.map(({ values, marks }) => values.map(dot(marks))),
      current.map(({ values }) => svg("circle", { class: "here", cx: x(at), cy: y(values[at]), r: 5 })),
    ],
  );
  const hadFocus = host.contains(document.activeElement);
  host.replaceChildren(root);
  if (hadFocus) root.focus({ preventScroll: true });
}
