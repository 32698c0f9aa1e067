// Other games: the server's picture. Where the project's pictures put cells is known for Havannah
// and ReversiXT, so that these are played on the board too; a game that is not known here is played
// by its list of moves.

import { picture, svg } from "./dom.js";
import { t } from "./i18n.js";

/** Havannah: rows are numbers, each half a cell further left; see the engine's drawing. */
function havannah([, , width], { position }) {
  const base = (width / 22 - 2) / 4;
  const stones = position.split(" ").filter(Boolean);
  const owner = (name) => {
    const index = stones.indexOf(name);
    if (index < 0) return t("empty");
    return t(index % 2 === 0 ? "White" : "Black");
  };
  const squares = [];
  for (let number = 0; number < 2 * base - 1; number += 1) {
    for (let letter = 0; letter < 2 * base - 1; letter += 1) {
      if (Math.abs(letter - number) >= base) continue;
      const name = `${String.fromCharCode(97 + letter)}${number + 1}`;
      const [x, y] = [(2 * letter - number + base + 2) * 22, (number + 2) * 38];
      squares.push({ name, x, y, size: 40, round: 0.5, what: owner(name) });
    }
  }
  return squares;
}

/** ReversiXT: `x,y` from the upper left; a third number is a choice. */
function reversixt(_, { position }) {
  const rows = position.split(" ")[0].split("/");
  const what = (sign) => (sign === "0" ? t("empty") : /[1-8]/.test(sign) ? t(`Player ${sign}`) : sign);
  const cell = (y) => (sign, x) =>
    ({ name: `${x},${y}`, x: 54 + 40 * x, y: 54 + 40 * y, size: 40, round: 0, what: what(sign) });
  return rows.flatMap((row, y) => [...row].map(cell(y))).filter(({ what }) => what !== "-");
}

const KNOWN = {
  havannah: { squares: havannah, to: (move) => move },
  reversixt: { squares: reversixt, to: (move) => move.split(",").slice(0, 2).join(",") },
};

export function layoutOf(game) {
  const LAYOUTS = KNOWN[game];
  return (answer) => {
    const drawn = picture(answer.svg) ?? { root: svg("svg", {}), box: [0, 0, 100, 20] };
    const [x, y, width, height] = drawn.box;
    for (const [name, value] of Object.entries({ x, y, width, height })) drawn.root.setAttribute(name, value);
    // The lines below the board are long for its width in some fonts.
    for (const text of drawn.root.querySelectorAll('text[text-anchor="start"]')) text.setAttribute("font-size", 12);
    // Pictures are made for light pages.
    const plate = svg("rect", { x, y, width, height, rx: 8, fill: "#f6f5f1" });
    const squares = LAYOUTS?.squares(drawn.box, answer) ?? [];
    const names = new Set(squares.map(({ name }) => name));
    const squaresOf = (move) => {
      const to = LAYOUTS?.to(move);
      return names.has(to) ? { to } : {};
    };
    return { box: drawn.box, squares, ground: [plate, drawn.root], stones: [], squaresOf };
  };
}
