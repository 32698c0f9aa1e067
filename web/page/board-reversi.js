// Reversi: the board from a1, upper left, row by row; X is Black, O White.

import { svg } from "./dom.js";
import { t } from "./i18n.js";

const [SIDE, EDGE] = [50, 28];

export function layout({ position, moves }) {
  const signs = position.split(" ")[0].replaceAll("/", "");
  const size = Math.round(Math.sqrt(signs.length));
  const side = size * SIDE + 2 * EDGE;
  const [squares, ground, stones] = [[], [], []];
  const targets = new Set(moves.map(({ move }) => move));
  ground.push(svg("rect", { width: side, height: side, rx: 8, fill: "#3b3f3a" }));
  [...signs].forEach((sign, index) => {
    const [right, down] = [index % size, Math.floor(index / size)];
    const name = `${String.fromCharCode(97 + right)}${down + 1}`;
    const [x, y] = [EDGE + right * SIDE, EDGE + down * SIDE];
    ground.push(svg("rect", { x, y, width: SIDE, height: SIDE, fill: "#2f7d4f", stroke: "#1d5233" }));
    const centre = { cx: x + SIDE / 2, cy: y + SIDE / 2 };
    const [fill, stroke] = sign === "X" ? ["#16181a", "#000"] : ["#f4f1e8", "#b9b4a5"];
    if (sign !== "-") stones.push(svg("circle", { ...centre, r: 20, fill, stroke, "stroke-width": 2 }));
    else if (targets.has(name)) stones.push(svg("circle", { ...centre, r: 4, fill: "#9fd6b3" }));
    const what = { X: t("Black"), O: t("White") }[sign] ?? t("empty");
    squares.push({ name, x: centre.cx, y: centre.cy, size: SIDE, round: 0, what });
  });
  for (let index = 0; index < size; index += 1) {
    const centre = EDGE + index * SIDE + SIDE / 2;
    ground.push(svg("text", { x: centre, y: side - 9, class: "edge" }, String.fromCharCode(97 + index)));
    ground.push(svg("text", { x: EDGE / 2, y: centre + 5, class: "edge" }, index + 1));
  }
  const count = (sign) => signs.split(sign).length - 1;
  const notes = [`${t("Black")} ${count("X")} · ${t("White")} ${count("O")}`];
  return { box: [0, 0, side, side], squares, ground, stones, squaresOf, notes };
}

/** A move is a square, but for `pass`. */
export function squaresOf(move) {
  return /^[a-z]\d+$/.test(move) ? { to: move } : {};
}
