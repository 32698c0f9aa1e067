// The value of each position of a game, as a line to click on.

import { svg } from "./dom.js";
import { percent, t } from "./words.js";

const [HEIGHT, LEFT, EDGE] = [150, 34, 10];

/**
 * Draws `values` (of seat 0; null where not known yet) with a mark at each of `verdicts` (of the ply
 * before), and tells `go` which ply was asked for.
 */
export function drawGraph(host, { values, verdicts, at, seatName }, go) {
  // A unit is a pixel, so that the words keep their size.
  const width = Math.max(240, host.clientWidth);
  const last = Math.max(1, values.length - 1);
  const x = (ply) => LEFT + ((width - LEFT - EDGE) * ply) / last;
  const y = (value) => EDGE + (HEIGHT - 2 * EDGE) * (1 - value);
  const level = (value) => [
    svg("line", { class: "level", x1: LEFT, x2: width - EDGE, y1: y(value), y2: y(value) }),
    svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, 100 * value),
  ];
  // A gap where a value is missing.
  let path = "";
  values.forEach((value, ply) => {
    if (value === null) return;
    const isOn = ply > 0 && values[ply - 1] !== null;
    path += `${isOn ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`;
  });
  const dot = (value, ply) => {
    const verdict = verdicts[ply] ?? "";
    if (value === null) return null;
    return svg("circle", { class: `point ${verdict}`, cx: x(ply), cy: y(value), r: verdict ? 5 : 2.5 });
  };
  const value = values[at] === null ? "" : `, ${percent(values[at])} %`;
  const root = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "slider",
      tabindex: 0,
      "aria-label": t("graph", seatName),
      "aria-valuemin": 0,
      "aria-valuemax": values.length - 1,
      "aria-valuenow": at,
      "aria-valuetext": t("plyOf", at, values.length - 1) + value,
      onclick: (event) => {
        const box = root.getBoundingClientRect();
        const along = ((event.clientX - box.left) / box.width) * width;
        go(Math.max(0, Math.min(values.length - 1, Math.round(((along - LEFT) / (width - LEFT - EDGE)) * last))));
      },
    },
    [
      [0, 0.5, 1].map(level),
      svg("line", { class: "now", x1: x(at), x2: x(at), y1: EDGE, y2: HEIGHT - EDGE }),
      svg("path", { class: "line", d: path }),
      values.map(dot),
      values[at] === null ? null : svg("circle", { class: "here", cx: x(at), cy: y(values[at]), r: 5 }),
    ],
  );
  const hadFocus = host.contains(document.activeElement);
  host.replaceChildren(root);
  if (hadFocus) root.focus({ preventScroll: true });
}
