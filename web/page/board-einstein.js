// EinStein würfelt nicht!: rows from the top, digits are Red's stones, letters Blue's.

import { svg } from "./dom.js";
import { t } from "./i18n.js";

const [SIDE, EDGE] = [60, 26];
const FILES = "abcde";

export function layout({ position }) {
  const rows = position.split(" ")[0].split("/");
  const [squares, ground, stones] = [[], [], []];
  const side = 5 * SIDE + 2 * EDGE;
  ground.push(svg("rect", { width: side, height: side, rx: 8, fill: "#6b4f3a" }));
  const write = (x, y, text) => ground.push(svg("text", { x, y, class: "edge" }, text));
  rows.forEach((row, down) => {
    write(EDGE / 2, EDGE + down * SIDE + SIDE / 2 + 5, 5 - down);
    write(EDGE + down * SIDE + SIDE / 2, side - 8, FILES[down]);
    [...row].forEach((sign, right) => {
      const name = `${FILES[right]}${5 - down}`;
      const [x, y] = [EDGE + right * SIDE, EDGE + down * SIDE];
      const fill = (right + down) % 2 ? "#e3cda4" : "#f2e3c6";
      ground.push(svg("rect", { x, y, width: SIDE, height: SIDE, fill }));
      const goal = { a5: "#2b62b3", e1: "#c8372d" }[name];
      if (goal) {
        const inner = { x: x + 4, y: y + 4, width: SIDE - 8, height: SIDE - 8 };
        ground.push(svg("rect", { ...inner, fill: "none", stroke: goal, "stroke-width": 4, "stroke-opacity": 0.55 }));
      }
      const isRed = /[1-6]/.test(sign);
      const number = isRed ? sign : sign === "." ? "" : "abcdef".indexOf(sign) + 1;
      const centre = { x: x + SIDE / 2, y: y + SIDE / 2 };
      if (sign !== ".") {
        const [fill, stroke] = isRed ? ["#c8372d", "#8e211a"] : ["#2b62b3", "#173f7c"];
        stones.push(
          svg("g", { "data-stone": name }, [
            svg("circle", { cx: centre.x, cy: centre.y, r: 22, fill, stroke, "stroke-width": 2 }),
            svg("text", { x: centre.x, y: centre.y + 8, class: "number" }, number),
          ]),
        );
      }
      const goes = goal ? t(name === "e1" ? "goalOfRed" : "goalOfBlue") : "";
      const stone = sign === "." ? t("empty") : `${t(isRed ? "Red" : "Blue")} ${number}`;
      squares.push({ name, ...centre, size: SIDE, round: 0, what: [stone, goes].filter(Boolean).join(", ") });
    });
  });
  return { box: [0, 0, side, side], squares, ground, stones, squaresOf };
}

/** `c1b2` goes from c1 to b2. */
export function squaresOf(move) {
  return /^[a-e][1-5][a-e][1-5]$/.test(move) ? { from: move.slice(0, 2), to: move.slice(2) } : {};
}
