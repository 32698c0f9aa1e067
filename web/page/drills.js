// Drills from the player's own errors, repeated at growing intervals, and grades of answers.
//
// A drill is `{game, position (with its roll), values (of every legal move), step, due}`. A right answer
// takes it to the next interval, a wrong one back to the first. Invariant: the list is stored alone, so
// that another page of this browser continues with it.

import { store, load } from "./dom.js";

const MS_A_DAY = 86_400_000;
const INTERVALS_IN_DAYS = [0, 1, 3, 7, 21, 60];
const MAX_DRILLS = 300;
/** The largest error of a right answer. */
const MAX_RIGHT_ERROR = 0.0005;

function drills() {
  const list = load("drills", []);
  return Array.isArray(list) ? list.filter((drill) => drill?.position && drill.values) : [];
}

function without(list, { game, position }) {
  return list.filter((drill) => drill.game !== game || drill.position !== position);
}

/** Stores an error as a drill, and drops the oldest beyond the limit. */
export function addDrill(game, position, values) {
  const list = without(drills(), { game, position });
  store("drills", [...list, { game, position, values, step: 0, due: Date.now() }].slice(-MAX_DRILLS));
}

/** The number of drills of a game, and of those that are due. */
export function countDrills(game, now = Date.now()) {
  const list = drills().filter((drill) => drill.game === game);
  return { all: list.length, due: list.filter(({ due }) => due <= now).length };
}

/** The drill of a game that is due for longest; null without one. */
export function nextDrill(game, now = Date.now()) {
  const due = drills().filter((drill) => drill.game === game && drill.due <= now);
  return due.reduce((first, drill) => (first && first.due <= drill.due ? first : drill), null);
}

/** Records an answer; after the last interval a drill is learned and removed. */
export function answerDrill(drill, isRight, now = Date.now()) {
  const step = isRight ? drill.step + 1 : 0;
  const list = without(drills(), drill);
  if (step < INTERVALS_IN_DAYS.length) list.push({ ...drill, step, due: now + INTERVALS_IN_DAYS[step] * MS_A_DAY });
  store("drills", list);
}

/** The grade of an answer: `{best, value, error, isRight}`. */
export function gradeAnswer(values, move) {
  const [best, value] = Object.entries(values).reduce((top, entry) => (entry[1] > top[1] ? entry : top));
  const error = value - (values[move] ?? 0);
  return { best, value, error, isRight: error <= MAX_RIGHT_ERROR };
}

/** The most that an answer changes a rating. */
const RATING_STEP = 32;

/**
 * The rating after an answer, as of chess puzzles (Elo): a puzzle counts as the stronger the closer its
 * two best moves are, and is also solved by guessing, so that guesses win nothing. `record` is `{rating,
 * solved, guessed, tried}`, where `guessed` is how many a guesser would have solved on average.
 */
export function ratedPuzzle({ rating, solved, guessed, tried }, values, isRight) {
  const sorted = Object.values(values).sort((one, other) => other - one);
  const puzzle = 1600 - 2000 * Math.min(0.5, sorted[0] - (sorted[1] ?? 0));
  const guess = 1 / sorted.length;
  const expected = guess + (1 - guess) / (1 + 10 ** ((puzzle - rating) / 400));
  return {
    rating: rating + RATING_STEP * (Number(isRight) - expected),
    solved: solved + Number(isRight),
    guessed: guessed + guess,
    tried: tried + 1,
  };
}
