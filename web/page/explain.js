// Explanations why a move is better than another, from measures of the position after each: of
// EinStein's here, of boards without dice in explain-boards.js, of backgammon in explain-backgammon.js.
//
// Rules: digits are Red's stones and go right and down to e1, letters Blue's and go left and up to a5.
// A roll moves its stone, or without it the next higher or lower one, in the variant `nearest` the nearer
// of them. Turns to the goal are expected
// without captures, with the choice that leaves the fewest, as in the Schwarz table. Invariant: every
// reason is a measured difference in favour of the better move.

import { BACKGAMMON_MEASURES, measureBackgammon } from "./explain-backgammon.js";
import { HAVANNAH_MEASURES, REVERSIXT_MEASURES, REVERSI_MEASURES, measureHavannah, measureReversi, measureReversixt } from "./explain-boards.js";
import { number, percent, t } from "./i18n.js";

const FACES = [1, 2, 3, 4, 5, 6];

/** Stones as `{number, x, y, steps}` of both sides, x and y from the goal's opposite corner. */
function stonesOf(position) {
  const sides = [[], []];
  position.split(" ")[0].split("/").forEach((row, down) => {
    [...row].forEach((sign, right) => {
      if (sign === ".") return;
      const seat = /\d/.test(sign) ? 0 : 1;
      const number = seat === 0 ? Number(sign) : "abcdef".indexOf(sign) + 1;
      const [x, y] = seat === 0 ? [right, down] : [4 - right, 4 - down];
      sides[seat].push({ number, x, y, steps: 4 - Math.min(x, y) });
    });
  });
  return sides;
}

/** The stones that a roll allows to move. */
function permitted(stones, face, isNearest) {
  const exact = stones.find(({ number }) => number === face);
  if (exact) return [exact];
  const above = stones.filter(({ number }) => number > face).sort((a, b) => a.number - b.number)[0];
  const below = stones.filter(({ number }) => number < face).sort((a, b) => b.number - a.number)[0];
  const both = [above, below].filter(Boolean);
  if (!isNearest) return both;
  const least = Math.min(...both.map(({ number }) => Math.abs(number - face)));
  return both.filter(({ number }) => Math.abs(number - face) === least);
}

const turnsCache = new Map();

/** Expected turns to the goal of stones `{number, steps}`, without captures. */
function turns(stones, isNearest) {
  if (stones.length === 0) return Infinity;
  if (stones.some(({ steps }) => steps === 0)) return 0;
  const key = [isNearest, ...stones.map(({ number, steps }) => `${number}${steps}`).sort()].join();
  if (!turnsCache.has(key)) {
    const after = (moved) => turns(stones.map((stone) => (stone === moved ? { ...stone, steps: stone.steps - 1 } : stone)), isNearest);
    const all = FACES.map((face) => Math.min(...permitted(stones, face, isNearest).map(after)));
    turnsCache.set(key, 1 + all.reduce((sum, one) => sum + one, 0) / 6);
  }
  return turnsCache.get(key);
}

/** The squares that a stone can reach. */
function targets({ x, y }) {
  return [[x + 1, y], [x, y + 1], [x + 1, y + 1]].filter(([x, y]) => x < 5 && y < 5);
}

/** The fraction of rolls with which one of these stones can reach a square for which `is` holds. */
function fractionOfRolls(stones, isNearest, is) {
  const may = (face) => permitted(stones, face, isNearest).some((stone) => targets(stone).some(([x, y]) => is(x, y)));
  return FACES.filter(may).length / 6;
}

/** Whether a move takes a stone of its own side. */
export function capturesOwn(position, move) {
  const [board, side] = position.split(" ");
  const sign = board.split("/")[5 - Number(move[3])]?.[move.charCodeAt(2) - 97] ?? ".";
  return (side === "r" ? /[1-6]/ : /[a-f]/).test(sign);
}

/** The measures of the position after a move, for the side that made it. */
export function measureAfterMove(position, move, isNearest = false) {
  const [board, side] = position.split(" ");
  const rows = board.split("/").map((row) => [...row]);
  const [fromX, fromY, toX, toY] = [0, 1, 2, 3].map((index) => (index % 2 ? 5 - Number(move[index]) : move.charCodeAt(index) - 97));
  rows[toY][toX] = rows[fromY][fromX];
  rows[fromY][fromX] = ".";
  const seat = side === "r" ? 0 : 1;
  const sides = stonesOf(rows.map((row) => row.join("")).join("/"));
  const [own, other] = [sides[seat], sides[1 - seat]];
  const isGoal = (x, y) => x === 4 && y === 4;
  if (!other.length || own.some(({ x, y }) => isGoal(x, y))) return { wins: 1 };
  const front = own.reduce((first, stone) => (stone.steps < first.steps ? stone : first), own[0] ?? { steps: 9 });
  const lastStone = ({ x, y }) => own.length === 1 && x === own[0].x && y === own[0].y;
  // The other side's coordinates are rotated.
  const isCapture = (x, y) => 4 - x === front.x && 4 - y === front.y;
  const choices = (face) => permitted(own, face, isNearest).reduce((sum, stone) => sum + targets(stone).length, 0);
  return {
    wins: 0,
    loses: own.length ? fractionOfRolls(other, isNearest, (x, y) => isGoal(x, y) || lastStone({ x: 4 - x, y: 4 - y })) : 1,
    threat: fractionOfRolls(own, isNearest, isGoal),
    exposed: own.length ? fractionOfRolls(other, isNearest, isCapture) : 1,
    turns: turns(own, isNearest),
    theirTurns: turns(other, isNearest),
    mobility: FACES.reduce((sum, face) => sum + choices(face), 0) / 6,
  };
}

/** Measures: their sign, and the smallest difference that is a reason. */
const MEASURES = [
  ["wins", 1, 1],
  ["loses", -1, 0.03],
  ["threat", 1, 0.1],
  ["exposed", -1, 0.1],
  ["turns", -1, 0.1],
  ["theirTurns", 1, 0.1],
  ["mobility", 1, 0.5],
];
const FRACTIONS = ["loses", "threat", "exposed"];

const GAMES = {
  einstein: [
    MEASURES.slice(1),
    (notation) => (position, move) => measureAfterMove(position, move, notation.includes("variant=nearest")),
    (measure, value) => (FRACTIONS.includes(measure) ? `${percent(value, 0)} %` : number(value, 2)),
  ],
  reversi: [REVERSI_MEASURES, () => measureReversi, (_, value) => number(value, 0)],
  reversixt: [
    REVERSIXT_MEASURES,
    (notation) => (position, move, answers) =>
      measureReversixt(answers.get(move), Number(position.split(" ")[2]) - 1, move, notation === "reversixt"),
    (_, value) => number(value, 0),
  ],
  havannah: [
    HAVANNAH_MEASURES,
    (notation) => (position, move) => measureHavannah(position, move, Number(/base=(\d+)/.exec(notation)?.[1] ?? 8)),
    (_, value) => number(value, 0),
  ],
  backgammon: [BACKGAMMON_MEASURES, () => measureBackgammon, (_, value) => number(value, 0)],
};

/** Whether there are reasons for moves of a game. */
export function hasReasons(game) {
  return game in GAMES;
}

/** Whether reasons need the server's answers on the positions after the moves. */
export function needsAnswers(game) {
  return game === "reversixt";
}

/**
 * The reasons why `best` is better than `played`, as at most two sentences, the strongest first;
 * `answers` has the server's answer on the position after each of them, where reasons need it.
 */
export function whyBetter({ name, notation }, position, best, played, answers) {
  const [measures, measureOf, format] = GAMES[name];
  const [afterBest, afterPlayed] = [best, played].map((move) => measureOf(notation)(position, move, answers));
  if (afterBest.wins) return [t("why.wins", best, played)];
  const gains = measures.map(([measure, sign, threshold]) => ({
    measure,
    gain: (sign * (afterBest[measure] - afterPlayed[measure])) / threshold,
  }));
  const reasons = gains.filter(({ gain }) => gain >= 1 - 1e-9).sort((one, other) => other.gain - one.gain);
  const sentence = ({ measure }) =>
    t(`why.${measure}`, best, played, format(measure, afterBest[measure]), format(measure, afterPlayed[measure]));
  return reasons.length ? reasons.slice(0, 2).map(sentence) : [t(name === "einstein" ? "why.none" : "why.deeper")];
}
