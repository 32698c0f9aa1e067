// Backgammon's plays step by step. The server lists the plays of a roll, one for each position that
// they lead to; a person moves one checker after the other, in any order. Here are the steps by which a
// listed play can be begun or continued, so that its rules (both dice, the larger die) hold.
//
// Checkers are `[own, other]`: the side to move and the other side, each as numbers by point from its own
// view; 0 is the tray, 25 the bar.

const NUM_CHECKERS = 15;
export const BAR = 25;
export const HOME = 6;

/** The checkers of a position's text, which begins with GNU Backgammon's position ID. */
export function checkersOf(position) {
  const bytes = [...atob(position.slice(0, 14))].map((byte) => byte.charCodeAt(0));
  const bits = bytes.map((byte) => [...byte.toString(2).padStart(8, "0")].reverse().join("")).join("");
  // A 1 for each checker, and a 0 after each point and after the bar; first of the other side.
  const counts = bits.split("0").map(({ length }) => length);
  return [counts.slice(BAR, 2 * BAR), counts.slice(0, BAR)].map((points) => [
    NUM_CHECKERS - points.reduce((sum, count) => sum + count, 0),
    ...points,
  ]);
}

/** The dice of a position's roll, the smaller one first and doubles four times; none before the roll. */
export function diceOf(position) {
  const roll = /\b[1-6]{2}$/.exec(position)?.[0] ?? "";
  const dice = [...roll].map(Number).sort();
  return dice[0] === dice[1] ? [...dice, ...dice] : dice;
}

/** The points from which a checker may go with a die. */
export function sourcesOf([own, other], die) {
  const rearmost = own.findLastIndex((count) => count > 0);
  const isOpen = (point) => {
    const target = point - die;
    if (target > 0) return other[BAR - target] < 2;
    return rearmost <= HOME && (target === 0 || point === rearmost);
  };
  const points = rearmost === BAR ? [BAR] : [...own.keys()].slice(1).filter((point) => own[point] > 0);
  return points.filter(isOpen);
}

/** The checkers after a step, which hits a single checker of the other side. */
export function afterStep([own, other], from, to) {
  const [ours, theirs] = [[...own], [...other]];
  ours[from] -= 1;
  ours[to] += 1;
  if (to > 0 && theirs[BAR - to] === 1) {
    theirs[BAR - to] = 0;
    theirs[BAR] += 1;
  }
  return [ours, theirs];
}

const nameOf = (point) => ({ 0: "off", [BAR]: "bar" })[point] ?? String(point);

/**
 * A play of a position answer before its first step: `checkers`, the `dice` that are left, `steps` (names
 * of the steps so far), `next` (a map from the names of possible steps, such as `13/9` or `6/off`, to
 * functions that return the play after it), and `move`, the listed play if it is complete, or null.
 */
export function beginPlay({ position, moves }) {
  const ends = new Map(moves.map(({ move, position }) => [String(checkersOf(position).reverse()), move]));
  /** All steps by the rules for single checkers, each with the checkers and dice after it. */
  const allSteps = ({ checkers, dice }) =>
    [...new Set(dice)].flatMap((die) =>
      sourcesOf(checkers, die).map((from) => {
        const to = Math.max(0, from - die);
        const rest = dice.filter((_, index) => index !== dice.indexOf(die));
        return { from, to, checkers: afterStep(checkers, from, to), dice: rest };
      }),
    );
  const isPossible = new Map();
  /** Whether a listed play can be reached: no step may be left when it ends. */
  const leadsToPlay = (state) => {
    const key = `${state.checkers} ${state.dice}`;
    if (!isPossible.has(key)) {
      const steps = allSteps(state);
      isPossible.set(key, steps.length ? steps.some(leadsToPlay) : ends.has(String(state.checkers)));
    }
    return isPossible.get(key);
  };
  const stepsOf = (state) => allSteps(state).filter(leadsToPlay);
  /** Where each checker can go with one die or several, unless it matters by way of which points. */
  const reachableFrom = (state) => {
    const reached = new Map();
    const name = ({ from, to }) => `${nameOf(from)}/${nameOf(to)}`;
    const continued = (way) => stepsOf(way).flatMap((step) => (step.from === way.to ? { ...step, from: way.from } : []));
    for (let ways = stepsOf(state); ways.length; ways = ways.flatMap(continued)) {
      for (const one of new Set(ways.map(name).filter((one) => !reached.has(one)))) {
        const same = ways.filter((way) => name(way) === one);
        if (new Set(same.map(({ checkers }) => String(checkers))).size === 1) reached.set(one, same[0]);
      }
    }
    return reached;
  };
  const playFrom = (state, steps) => ({
    checkers: state.checkers,
    dice: state.dice,
    steps,
    next: new Map([...reachableFrom(state)].map(([name, after]) => [name, () => playFrom(after, [...steps, name])])),
    move: (diceOf(position).length && !allSteps(state).length && ends.get(String(state.checkers))) || null,
  });
  return playFrom({ checkers: checkersOf(position), dice: diceOf(position) }, []);
}
