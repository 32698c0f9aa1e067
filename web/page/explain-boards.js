// Why a move of Reversi, ReversiXT or Havannah is better than another: measures of the position after each.
//
// A measure is `[name, sign, threshold]`: the sign is that of a difference in favour of the mover, the
// threshold the smallest difference that is a reason.

const EIGHT = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];

// Reversi.

export const REVERSI_MEASURES = [
  ["corner", 1, 1],
  ["cornersGiven", -1, 1],
  ["stable", 1, 1],
  ["replies", -1, 2],
  ["parity", 1, 1],
];
/** Empty squares from which on parity counts. */
const LATE = 16;

function squareOf(move, size) {
  return move.charCodeAt(0) - 97 + size * (Number(move.slice(1)) - 1);
}

/** The discs that a disc of `sign` on an empty square turns. */
function turned(cells, size, at, sign) {
  if (cells[at] !== "-") return [];
  const [x, y] = [at % size, Math.floor(at / size)];
  return EIGHT.flatMap(([dx, dy]) => {
    const row = [];
    for (let [i, j] = [x + dx, y + dy]; i >= 0 && j >= 0 && i < size && j < size; [i, j] = [i + dx, j + dy]) {
      const cell = cells[i + size * j];
      if (cell === sign) return row;
      if (cell === "-") return [];
      row.push(i + size * j);
    }
    return [];
  });
}

/** The discs of `sign` that surely never turn: on every line they border on the edge or on another one. */
function stableDiscs(cells, size, sign) {
  const stable = new Set();
  const isHeld = (x, y) => x < 0 || y < 0 || x >= size || y >= size || stable.has(x + size * y);
  for (let before = -1; before < stable.size; ) {
    before = stable.size;
    cells.forEach((cell, at) => {
      const [x, y] = [at % size, Math.floor(at / size)];
      const lines = EIGHT.slice(0, 4);
      if (cell === sign && lines.every(([dx, dy]) => isHeld(x + dx, y + dy) || isHeld(x - dx, y - dy))) stable.add(at);
    });
  }
  return stable.size;
}

export function measureReversi(position, move) {
  const [rows, sign] = position.split(" ");
  const cells = [...rows.replaceAll("/", "")];
  const size = Math.round(Math.sqrt(cells.length));
  const other = sign === "X" ? "O" : "X";
  const corners = [0, size - 1, size * (size - 1), size * size - 1];
  const isPass = !/^[a-z]\d/.test(move);
  const at = isPass ? -1 : squareOf(move, size);
  if (!isPass) for (const disc of [...turned(cells, size, at, sign), at]) cells[disc] = sign;
  const replies = cells.map((_, index) => index).filter((index) => turned(cells, size, index, other).length);
  const empty = cells.filter((cell) => cell === "-").length;
  return {
    corner: Number(corners.includes(at)),
    cornersGiven: replies.filter((index) => corners.includes(index)).length,
    stable: stableDiscs(cells, size, sign),
    replies: replies.length,
    parity: empty > 0 && empty <= LATE ? Number(empty % 2 === 0) : 0,
  };
}

// ReversiXT, by the server's answers on the positions after each move.

export const REVERSIXT_MEASURES = [
  ["corner", 1, 1],
  ["cornersGiven", -1, 1],
  ["keptOverrides", 1, 1],
  ["keptBombs", 1, 1],
  ["nextReplies", -1, 2],
  ["stones", 1, 2],
];

/**
 * The measures of a seat's move, from the answer on the position after it. Corners are known of the plain
 * board alone, on others rows may go on beyond an edge, and while stones are placed.
 */
export function measureReversixt({ position, seat: next, moves }, seat, move, isPlain) {
  const [rows, phase, , overrides, bombs] = position.split(" ");
  const replies = phase === "play" && next !== seat ? moves : [];
  const empty = rows.split("0").length - 1;
  const last = rows.split("/").length - 1;
  const isCorner = (text) => isPlain && phase === "play" && text.split(",").slice(0, 2).every((at) => Number(at) === 0 || Number(at) === last);
  return {
    corner: Number(isCorner(move)),
    cornersGiven: replies.filter(({ move }) => isCorner(move)).length,
    keptOverrides: Number(overrides.split(",")[seat]),
    keptBombs: Number(bombs.split(",")[seat]),
    nextReplies: replies.length,
    // Stones that are taken early are often lost again.
    stones: empty <= LATE ? rows.split(String(seat + 1)).length - 1 : 0,
  };
}

// Havannah.

export const HAVANNAH_MEASURES = [
  ["needed", -1, 1],
  ["theyNeed", 1, 1],
  ["joined", 1, 1],
];
const SIX = [[1, 0], [1, 1], [0, 1], [-1, 0], [-1, -1], [0, -1]];

/** The fewest stones to each cell from a set of cells, own stones free and `blocked` ones in the way. */
function distances(cells, sources, own, blocked) {
  const far = new Map();
  let level = sources.filter((name) => !blocked.has(name)).map((name) => [name, own.has(name) ? 0 : 1]);
  for (let cost = 0; level.length; cost += 1) {
    const next = [];
    const now = level.filter(([, at]) => at === cost).map(([name]) => name);
    next.push(...level.filter(([, at]) => at > cost));
    for (let index = 0; index < now.length; index += 1) {
      const name = now[index];
      if (far.has(name)) continue;
      far.set(name, cost);
      for (const other of cells.get(name)) {
        if (far.has(other) || blocked.has(other)) continue;
        if (own.has(other)) now.push(other);
        else next.push([other, cost + 1]);
      }
    }
    level = next;
  }
  return far;
}

/** The cells of a board with their neighbours. */
function cellsOf(base) {
  const name = (letter, number) => `${String.fromCharCode(97 + letter)}${number + 1}`;
  const size = 2 * base - 1;
  const isThere = (x, y) => x >= 0 && y >= 0 && x < size && y < size && Math.abs(x - y) < base;
  const cells = new Map();
  for (let x = 0; x < size; x += 1) {
    for (let y = 0; y < size; y += 1) {
      if (!isThere(x, y)) continue;
      cells.set(name(x, y), SIX.filter(([dx, dy]) => isThere(x + dx, y + dy)).map(([dx, dy]) => name(x + dx, y + dy)));
    }
  }
  const edges = (test) => [...cells.keys()].filter((key) => cells.get(key).length === 4 && test(key.charCodeAt(0) - 97, Number(key.slice(1)) - 1));
  const sides = [(x) => x === 0, (_, y) => y === 0, (x) => x === size - 1, (_, y) => y === size - 1, (x, y) => x - y === base - 1, (x, y) => y - x === base - 1].map(edges);
  return { cells, sides, corners: [...cells.keys()].filter((key) => cells.get(key).length === 3) };
}

/** The fewest stones with which a side completes a bridge or a fork, if the other side passes. */
function stonesNeeded({ cells, sides, corners }, own, blocked) {
  let fewest = Infinity;
  for (const corner of corners) {
    const far = distances(cells, [corner], own, blocked);
    for (const other of corners) if (other !== corner) fewest = Math.min(fewest, far.get(other) ?? Infinity);
  }
  const fars = sides.map((side) => distances(cells, side, own, blocked));
  for (const cell of cells.keys()) {
    if (blocked.has(cell)) continue;
    const [one, two, three] = fars.map((far) => far.get(cell) ?? Infinity).sort((a, b) => a - b);
    // The cell itself is in all three ways.
    fewest = Math.min(fewest, one + two + three - (own.has(cell) ? 0 : 2));
  }
  return fewest;
}

export function measureHavannah(position, move, base) {
  const moves = position.split(" ").filter((word) => /^[a-z]\d+$/.test(word));
  const board = cellsOf(base);
  const own = new Set(moves.filter((_, index) => index % 2 === moves.length % 2));
  const theirs = new Set(moves.filter((_, index) => index % 2 !== moves.length % 2));
  const near = (board.cells.get(move) ?? []).filter((name) => own.has(name));
  // Groups next to the stone: neighbours that are not connected without it.
  const groups = [];
  for (const name of near) {
    if (groups.some((group) => group.has(name))) continue;
    const free = distances(board.cells, [name], own, theirs);
    groups.push(new Set([...free].filter(([, cost]) => cost === 0).map(([cell]) => cell)));
  }
  own.add(move);
  const count = (value) => Math.min(value, 99);
  return {
    needed: count(stonesNeeded(board, own, theirs)),
    theyNeed: count(stonesNeeded(board, theirs, own)),
    // One group is extended, not connected.
    joined: groups.length >= 2 ? groups.length : 0,
  };
}
