// Practice: drills from one's own errors, which come back at growing intervals, and puzzles.
//
// A drill is `{game, position (with its roll), values (of every permitted move), step, due}`. A right
// answer takes it a step on, a wrong one back to the first, at the end of what is due. Invariant: what
// is kept is the list alone, so another page of this browser goes on with it.

import { keep, kept } from "./dom.js";

const DAY = 86_400_000;
const STEPS = [0, 1, 3, 7, 21, 60];
const MOST = 300;
/** A move that gives away no more than this is as good as the best. */
const AS_GOOD = 0.0005;

function drills() {
  const list = kept("drills", []);
  return Array.isArray(list) ? list.filter((drill) => drill?.position && drill.values) : [];
}

function without(list, { game, position }) {
  return list.filter((drill) => drill.game !== game || drill.position !== position);
}

/** Keeps an error as a drill; the oldest are forgotten where there are too many. */
export function addDrill(game, position, values) {
  const list = without(drills(), { game, position });
  keep("drills", [...list, { game, position, values, step: 0, due: Date.now() }].slice(-MOST));
}

/** How many drills there are, and how many of them are due. */
export function countDrills(now = Date.now()) {
  const list = drills();
  return { all: list.length, due: list.filter(({ due }) => due <= now).length };
}

/** The drill that has been due longest; null where none is. */
export function nextDrill(now = Date.now()) {
  const due = drills().filter((drill) => drill.due <= now);
  return due.reduce((first, drill) => (first && first.due <= drill.due ? first : drill), null);
}

/** Notes an answer; after the last step a drill is learned and gone. */
export function answerDrill(drill, isRight, now = Date.now()) {
  const step = isRight ? drill.step + 1 : 0;
  const list = without(drills(), drill);
  if (step < STEPS.length) list.push({ ...drill, step, due: now + STEPS[step] * DAY });
  keep("drills", list);
}

/** What an answer is worth: `{best, value, error, isRight}`. */
export function mark(values, move) {
  const [best, value] = Object.entries(values).reduce((top, entry) => (entry[1] > top[1] ? entry : top));
  const error = value - (values[move] ?? 0);
  return { best, value, error, isRight: error <= AS_GOOD };
}
