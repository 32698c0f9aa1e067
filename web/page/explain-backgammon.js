// Why a play of backgammon is better than another: measures of the position after each, for the side
// that made it. As in explain-boards.js, a measure is `[name, sign, threshold]`.

import { BAR, HOME, afterStep, checkersOf, sourcesOf } from "./backgammon-steps.js";

export const BACKGAMMON_MEASURES = [
  ["hits", 1, 1],
  ["shots", -1, 2],
  ["off", 1, 1],
  ["prime", 1, 1],
  ["home", 1, 1],
  ["back", -1, 1],
  ["lead", 1, 8],
];

/** Fewer made points in a row are no block. */
const MIN_PRIME = 3;

/** The checkers after a play such as `24/18*\/13 6/5(2)`. */
function afterPlay(checkers, play) {
  const numberOf = (name) => ({ bar: BAR, off: 0 })[name] ?? Number(name);
  for (const part of play.split(" ").filter((part) => part.includes("/"))) {
    const [, way, times] = /^([^(]+)(?:\((\d)\))?$/.exec(part);
    const points = way.replaceAll("*", "").split("/").map(numberOf);
    for (let time = 0; time < Number(times ?? 1); time += 1) {
      for (let leg = 1; leg < points.length; leg += 1) checkers = afterStep(checkers, points[leg - 1], points[leg]);
    }
  }
  return checkers;
}

/** The most dice that a roll lets a side play, and whether a play of so many can hit; `seen` holds results. */
function bestOfRoll(checkers, dice, seen) {
  const key = `${checkers} ${dice}`;
  if (seen.has(key)) return seen.get(key);
  let best = { used: 0, hits: false };
  for (const die of new Set(dice)) {
    const rest = dice.filter((_, index) => index !== dice.indexOf(die));
    for (const from of sourcesOf(checkers, die)) {
      const to = Math.max(0, from - die);
      const isHit = to > 0 && checkers[1][BAR - to] === 1;
      const next = bestOfRoll(afterStep(checkers, from, to), rest, seen);
      const [used, hits] = [next.used + 1, isHit || next.hits];
      // Of two dice that cannot both be played the larger one must be; it comes last.
      const isForced = used === 1 && best.used < 2 && die > dice[0];
      if (used > best.used || isForced) best = { used, hits: hits || (isForced && best.hits && best.die === die), die };
      else if (used === best.used && (used > 1 || best.die === die)) best.hits ||= hits;
    }
  }
  seen.set(key, best);
  return best;
}

/** The rolls of 36 with which a side can hit. */
export function hittingRolls(checkers) {
  let rolls = 0;
  for (let small = 1; small <= 6; small += 1) {
    for (let large = small; large <= 6; large += 1) {
      const dice = small === large ? [small, small, small, small] : [small, large];
      if (bestOfRoll(checkers, dice, new Map()).hits) rolls += small === large ? 1 : 2;
    }
  }
  return rolls;
}

function pips(points) {
  return points.reduce((sum, count, point) => sum + count * point, 0);
}

/** The measures of the position after a play. */
export function measureBackgammon(position, play) {
  const [own, other] = afterPlay(checkersOf(position), play);
  // Points block those checkers of the other side that have still to pass them.
  const behind = BAR - other.findLastIndex((count) => count > 0);
  let [prime, row] = [0, 0];
  for (let point = behind + 1; point < BAR; point += 1) {
    row = own[point] > 1 ? row + 1 : 0;
    prime = Math.max(prime, row);
  }
  const sum = (from, to) => own.slice(from, to + 1).reduce((all, count) => all + count, 0);
  return {
    wins: Number(own[0] === 15),
    hits: other[BAR],
    shots: hittingRolls([other, own]),
    off: own[0],
    prime: prime < MIN_PRIME ? 0 : prime,
    home: own.slice(1, HOME + 1).filter((count) => count > 1).length,
    back: sum(BAR - HOME, BAR - 1),
    lead: pips(other) - pips(own),
  };
}
