// Backgammon: White's home board at the lower right. Points have the numbers by which moves call them,
// those of the side to move. A play is made by steps (backgammon-steps.js).

import { beginPlay, diceOf } from "./backgammon-steps.js";
import { svg } from "./dom.js";
import { t } from "./i18n.js";
import { toValue } from "./scale.js";

const [COLUMN, SIDE, EDGE, RADIUS] = [44, 14, 26, 20];
const [BAR, TRAY] = [6, 13];
const LENGTH = 204;
const [WIDTH, HEIGHT] = [2 * SIDE + 14 * COLUMN + 10, 528];
const SEATS = ["White", "Black"];
const COLOURS = [["#f6f1e4", "#8a7f68"], ["#33302c", "#0f0e0d"]];
/** Checkers that are drawn one by one on a point; a number stands for more. */
const MAX_DRAWN = 5;
/** The pips of a die's faces, by cells of a grid of 3 by 3. */
const PIPS = ["", "4", "08", "048", "0268", "02468", "023568"];

const left = (column) => SIDE + column * COLUMN + (column === TRAY ? 10 : 0);
const fromEdge = (isUpper, distance) => (isUpper ? distance : HEIGHT - distance);

/** The column and half of a point by White's numbers. */
function cellOf(point) {
  const column = (point > 12 ? point - 13 : 12 - point) + (point > 18 || point < 7 ? 1 : 0);
  return { column, isUpper: point > 12 };
}

/** Points, bars (checkers enter in the other side's home board) and trays, with their checkers. */
function cells([own, other], seat) {
  const points = Array.from({ length: 24 }, (_, index) => {
    const point = index + 1;
    const isOwn = own[point] > 0;
    return {
      name: String(point),
      ...cellOf(seat === 0 ? point : 25 - point),
      seat: isOwn ? seat : 1 - seat,
      count: isOwn ? own[point] : other[25 - point],
    };
  });
  const beside = ([name, checkers, owner]) => [
    { name: `${name}bar`, column: BAR, isUpper: owner === 0, seat: owner, count: checkers[25], title: t("barOf", t(SEATS[owner])) },
    { name: `${name}off`, column: TRAY, isUpper: owner === 1, seat: owner, count: checkers[0], title: t("trayOf", t(SEATS[owner])) },
  ];
  return [...points, ...[["", own, seat], ["other ", other, 1 - seat]].flatMap(beside)];
}

function drawnGround() {
  const box = (column, columns, fill) =>
    svg("rect", { x: left(column), y: EDGE, width: columns * COLUMN, height: HEIGHT - 2 * EDGE, fill });
  const triangle = (point) => {
    const { column, isUpper } = cellOf(point);
    const [edge, tip] = [EDGE, EDGE + LENGTH - 4].map((distance) => fromEdge(isUpper, distance));
    const [x, fill] = [left(column), point % 2 ? "#b5482f" : "#f2e3c6"];
    return svg("polygon", { points: `${x},${edge} ${x + COLUMN},${edge} ${x + COLUMN / 2},${tip}`, fill });
  };
  return [
    svg("rect", { width: WIDTH, height: HEIGHT, rx: 8, fill: "#6b4f3a" }),
    [box(0, 6, "#d9c7a3"), box(7, 6, "#d9c7a3"), box(TRAY, 1, "#4d3828")],
    Array.from({ length: 24 }, (_, index) => triangle(index + 1)),
  ];
}

/** The checkers of a cell; the last one, which can be dragged, has the cell's name. */
function drawnCheckers({ name, column, isUpper, seat, count }) {
  const [[fill, stroke], x] = [COLOURS[seat], left(column) + COLUMN / 2];
  if (column === TRAY) {
    const y = (index) => fromEdge(isUpper, EDGE + 8 + 13 * index) - 5;
    const slab = (_, index) => svg("rect", { x: x - 17, y: y(index), width: 34, height: 10, rx: 2, fill, stroke });
    return Array.from({ length: count }, slab);
  }
  const checker = (_, index) => {
    const y = fromEdge(isUpper, EDGE + (2 * index + 1) * RADIUS);
    const isLast = index === Math.min(count, MAX_DRAWN) - 1;
    const number = { x, y: y + 6, "font-size": 18, "font-weight": 700, fill: COLOURS[1 - seat][0] };
    return svg("g", { "data-stone": isLast ? name : null }, [
      svg("circle", { cx: x, cy: y, r: RADIUS - 1, fill, stroke, "stroke-width": 2 }),
      isLast && count > MAX_DRAWN ? svg("text", number, count) : null,
    ]);
  };
  return Array.from({ length: Math.min(count, MAX_DRAWN) }, checker);
}

/** The dice of the side to move; those that are used are pale. */
function drawnDice(all, remaining, seat) {
  const rest = [...remaining];
  const [ground, ink] = [COLOURS[seat][0], COLOURS[1 - seat][0]];
  return all.map((die, index) => {
    const isLeft = rest.includes(die);
    if (isLeft) rest.splice(rest.indexOf(die), 1);
    const x = left(seat === 0 ? 10 : 3) + 46 * (index - all.length / 2) + 4;
    const y = HEIGHT / 2 - 19;
    const pip = (cell) => svg("circle", { cx: x + 8 + 11 * (cell % 3), cy: y + 8 + 11 * Math.floor(cell / 3), r: 3.8, fill: ink });
    return svg("g", { opacity: isLeft ? 1 : 0.3 }, [
      svg("rect", { x, y, width: 38, height: 38, rx: 7, fill: ground, stroke: COLOURS[seat][1], "stroke-width": 2 }),
      [...PIPS[die]].map(Number).map(pip),
    ]);
  });
}

/** The squares by which each checker goes in a play such as `13/7* 6/5(2)`, in the numbers of its side. */
function pathsOf(play) {
  return play.split(" ").flatMap((word) => {
    const points = word.replace(/\*|\(\d\)/g, "").split("/");
    return points.slice(1).map((to, index) => ({ from: points[index], to }));
  });
}

/** The name of another side's square. */
function nameFromOtherSide(name) {
  return /^\d+$/.test(name) ? String(25 - name) : `other ${name}`;
}

/** A layout of `play`, which is begun in the position of `answer`; `before` is the one before its last step. */
export function layout(answer, play = beginPlay(answer), before = null) {
  const seat = / b /.test(answer.position) ? 1 : 0;
  const all = cells(play.checkers, seat);
  const number = ({ name, column, isUpper }) =>
    svg("text", { x: left(column) + COLUMN / 2, y: fromEdge(isUpper, EDGE / 2) + 6, class: "edge" }, name);
  const square = ({ name, column, isUpper, seat, count, title }) => ({
    name,
    title,
    x: left(column) + COLUMN / 2,
    y: fromEdge(isUpper, EDGE + LENGTH / 2),
    size: COLUMN,
    height: LENGTH,
    round: 0,
    what: !count ? t("empty") : title ? String(count) : `${t(SEATS[seat])}: ${count}`,
  });
  const standing = (seat, checkers) => {
    const pips = checkers.reduce((sum, count, point) => sum + count * point, 0);
    return t("pips", t(SEATS[seat]), pips, checkers[0]);
  };
  const notes = play.checkers.map((checkers, index) => standing(index === 0 ? seat : 1 - seat, checkers));
  if (seat === 1) notes.reverse();
  if (answer.over) notes.push(t("pointsWon", Math.round(Math.abs(toValue(answer.payoffs[0])))));
  const shown = {
    box: [0, 0, WIDTH, HEIGHT],
    squares: all.map(square),
    ground: [drawnGround(), all.slice(0, 24).map(number), drawnDice(diceOf(answer.position), play.dice, seat)],
    stones: all.map(drawnCheckers),
    squaresOf: (step) => pathsOf(step)[0] ?? {},
    pathsOf: (move, mover) => {
      const turn = mover === seat ? (name) => name : nameFromOtherSide;
      return pathsOf(move).map(({ from, to }) => ({ from: turn(from), to: turn(to) }));
    },
    notes,
    before,
    play,
    after: (step) => layout(answer, play.next.get(step)(), shown),
  };
  return shown;
}
