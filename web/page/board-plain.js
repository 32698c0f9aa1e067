// Other games: the server's picture, without its captions, which are English. Where the project's
// pictures put cells is known for Havannah and ReversiXT, so that these are played on the board too; a
// game that is not known here is played by its list of moves.

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

/** The stones, override stones and bombs of each player, from the words of a position. */
function standingOfPlayers({ position }) {
  const [rows, , , overrides, bombs] = position.split(" ");
  const stocks = [overrides, bombs].map((words) => words.split(","));
  return stocks[0].map((_, seat) => {
    const stones = rows.split(String(seat + 1)).length - 1;
    return t("stock", t(`Player ${seat + 1}`), stones, ...stocks.map((counts) => counts[seat]));
  });
}

/** The coordinates of ReversiXT's cells, by which its moves are called. */
function coordinates([, , width, height]) {
  const text = (x, y, number) => svg("text", { x, y, class: "outer", "font-size": 13 }, number);
  const count = (side) => Math.max(0, Math.round((side - 68) / 40));
  const across = Array.from({ length: count(width) }, (_, x) => text(54 + 40 * x, 24, x));
  return [...across, ...Array.from({ length: count(height) }, (_, y) => text(16, 59 + 40 * y, y))];
}

/** The six neighbours of a cell of Havannah. */
const NEIGHBOURS = [[1, 0], [1, 1], [0, 1], [-1, 0], [-1, -1], [0, -1]];

/** The winner's stones that are connected with the last stone, when a game of Havannah is over. */
export function winningChain({ position, over, payoffs }) {
  const stones = position.split(" ").filter((word) => /^[a-z]\d+$/.test(word));
  if (!over || !stones.length || payoffs[0] === payoffs[1]) return [];
  const own = new Set(stones.filter((_, index) => index % 2 === (stones.length - 1) % 2));
  const chain = [stones.at(-1)];
  own.delete(chain[0]);
  for (let index = 0; index < chain.length; index += 1) {
    const [letter, number] = [chain[index].charCodeAt(0), Number(chain[index].slice(1))];
    for (const [right, down] of NEIGHBOURS) {
      const name = `${String.fromCharCode(letter + right)}${number + down}`;
      if (own.delete(name)) chain.push(name);
    }
  }
  return chain;
}

const KNOWN = {
  havannah: { squares: havannah, to: (move) => move, below: 24, chain: winningChain },
  reversixt: {
    squares: reversixt,
    to: (move) => move.split(",").slice(0, 2).join(","),
    crop: ({ position }) => {
      const rows = position.split(" ")[0].split("/");
      return [40 * rows[0].length + 68, 40 * rows.length + 68];
    },
    ground: coordinates,
    notes: standingOfPlayers,
  },
};

/** Makes a picture that is drawn for light pages one for both looks, without its captions. */
function withoutPaper(root) {
  for (const paper of root.querySelectorAll('rect[fill="#f6f5f1"]')) paper.remove();
  for (const text of root.querySelectorAll("text")) {
    if (text.getAttribute("fill") === "#3b3f3a") text.setAttribute("class", "outer");
    if (text.getAttribute("text-anchor") === "start" || text.getAttribute("font-size") === "15" && text.classList.contains("outer")) text.remove();
  }
  for (const key of root.querySelectorAll('rect[width="12"]')) key.remove();
}

export function layoutOf(game) {
  const LAYOUTS = KNOWN[game];
  return (answer) => {
    const drawn = picture(answer.svg) ?? { root: svg("svg", {}), box: [0, 0, 100, 20] };
    const [x, y, wide, high] = drawn.box;
    const [width, height] = LAYOUTS?.crop?.(answer) ?? [wide, high - (LAYOUTS?.below ?? 0)];
    for (const [name, value] of Object.entries({ x, y, width, height })) drawn.root.setAttribute(name, value);
    drawn.root.setAttribute("viewBox", [x, y, width, height].join(" "));
    if (LAYOUTS) withoutPaper(drawn.root);
    const plate = svg("rect", { x, y, width, height, rx: 8, class: "plate" });
    const squares = LAYOUTS?.squares(drawn.box, answer) ?? [];
    const names = new Set(squares.map(({ name }) => name));
    const squaresOf = (move) => {
      const to = LAYOUTS?.to(move);
      return names.has(to) ? { to } : {};
    };
    const box = [x, y, width, height];
    return {
      box,
      squares,
      ground: [plate, drawn.root, ...(LAYOUTS?.ground?.(box) ?? [])],
      stones: [],
      squaresOf,
      chain: LAYOUTS?.chain?.(answer) ?? [],
      notes: LAYOUTS?.notes?.(answer) ?? [],
    };
  };
}
