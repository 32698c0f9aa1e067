// A game as a tree of moves: the shown line, the current position on it, and its URL.
//
// Invariant: `nodes[i]` is the position before ply i of the line, `plies[i]` leads from it to
// `nodes[i + 1]`. Positions are before the roll; `rolls[i]` is the roll there, or null. The first child
// of a node is its main move.

import { ask } from "./api.js";

/** The name of a roll, such as `3` or `31`; empty if there is none. */
export function rollName(info, face) {
  return face === null ? "" : info.face_names[info.faces.indexOf(face)] ?? String(face);
}

/** The text of a position with another roll, in games with a die. */
export function withFace(info, position, face) {
  return position.replace(/ \S+$/, ` ${rollName(info, face) || "-"}`);
}

/** The plies of a text, each with its roll where the game has dice; names of rolls have one length. */
function pliesOf(text, info) {
  const ply = (word) => {
    if (info.faces === null) return { face: null, move: word };
    const { length } = info.face_names[0];
    const name = word.slice(0, length);
    return { face: info.faces[info.face_names.indexOf(name)] ?? name, move: word.slice(length) };
  };
  return text.split("_").filter(Boolean).map(ply);
}

const wordOf = (info, { face, move }) => `${rollName(info, face)}${move}`;

export class Game {
  #path;

  constructor(info, start, seed) {
    this.info = info;
    this.seed = seed;
    this.at = 0;
    this.#follow([this.#node(start, null, null)]);
    this.node.face = start.face;
    this.#follow(this.#path);
  }

  get notation() {
    return this.info.notation;
  }

  get hasDie() {
    return this.info.faces !== null;
  }

  get node() {
    return this.nodes[this.at];
  }

  /** The roll of the current position. */
  get face() {
    return this.rolls[this.at] ?? null;
  }

  get isAtEnd() {
    return this.at === this.plies.length;
  }

  /** The payoffs of the line's end where the rules did not end it, or null. */
  get result() {
    return this.#path.at(-1).result;
  }

  /** The seat that has resigned at the line's end, or null. */
  get resigned() {
    return this.#path.at(-1).resigned;
  }

  /** Ends the line by other means than the rules. */
  end(result, resigned = null) {
    Object.assign(this.#path.at(-1), { result, resigned });
  }

  #node(answer, parent, ply) {
    const { seat, over } = answer;
    const position = this.hasDie ? withFace(this.info, answer.position, null) : answer.position;
    return { position, seat, over, parent, ply, face: null, children: [], result: null, resigned: null };
  }

  /** Shows a line of nodes. */
  #follow(path) {
    this.#path = this.nodes = path;
    this.plies = path.slice(1).map(({ ply }) => ply);
    this.rolls = path.map((node, index) => (index + 1 < path.length ? path[index + 1].ply.face : node.face));
    this.at = Math.min(this.at, this.plies.length);
  }

  /** Shows the line to a node and on by main moves. */
  #showLineOf(node) {
    const path = [node];
    while (path[0].parent) path.unshift(path[0].parent);
    while (path.at(-1).children.length) path.push(path.at(-1).children[0]);
    this.#follow(path);
  }

  /** The current position with its roll. */
  text() {
    return this.hasDie ? withFace(this.info, this.node.position, this.face) : this.node.position;
  }

  /** Ends the line here; its moves stay in the tree. */
  #endLineHere(face) {
    this.node.face = face;
    this.#follow(this.#path.slice(0, this.at + 1));
  }

  roll(face) {
    if (this.face !== face) this.#endLineHere(face);
  }

  /** Plays a move that leads to `next`, the server's answer about the position after it. */
  play(move, next) {
    const { node, face } = this;
    const isIt = ({ ply }) => ply.move === move && ply.face === face;
    let child = node.children.find(isIt);
    if (!child) {
      child = this.#node(next, node, { seat: node.seat, face, move });
      node.children.push(child);
    }
    if (this.nodes[this.at + 1] !== child) this.#showLineOf(child);
    this.at += 1;
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.plies.length, at));
  }

  /** Goes back until `mayStop` accepts the seat to move, and ends the line there. */
  takeBack(mayStop) {
    if (this.at === 0) return;
    let at = this.at - 1;
    while (at > 0 && !mayStop(this.nodes[at].seat)) at -= 1;
    this.at = at;
    this.#endLineHere(this.face);
  }

  // Variations.

  get hasVariations() {
    const isForked = ({ children }) => children.length > 1 || children.some(isForked);
    return isForked(this.nodes[0]);
  }

  /** The other moves that were played instead of ply `index` of the line, or after the line's end. */
  alternatives(index) {
    return this.nodes[index].children.filter((child) => child !== this.nodes[index + 1]).map(({ ply }) => ply);
  }

  /** Shows the line of another move at `index`. */
  choose(index, ply) {
    const child = this.nodes[index].children.find((child) => child.ply === ply);
    this.#showLineOf(child);
    this.at = index + 1;
  }

  /** The first ply at or before the current one that is no main move; null on the main line. */
  #forkBefore() {
    const isSide = (node, index) => index > 0 && index <= this.at && this.nodes[index - 1].children[0] !== node;
    const index = this.nodes.findLastIndex(isSide);
    return index < 0 ? null : index;
  }

  get isOnMainLine() {
    return this.#forkBefore() === null;
  }

  /** Makes the variation of the current position the main one at its last fork. */
  promote() {
    const index = this.#forkBefore();
    if (index === null) return;
    const { children } = this.nodes[index - 1];
    children.unshift(...children.splice(children.indexOf(this.nodes[index]), 1));
  }

  /** Deletes the current move and all that follow it; shows what remains there. */
  deleteFromHere() {
    if (this.at === 0) return;
    const { node } = this;
    const { parent } = node;
    parent.children.splice(parent.children.indexOf(node), 1);
    this.at -= 1;
    parent.face = node.ply.face;
    this.#showLineOf(parent);
  }

  /** The text of the tree; null if there is the shown line alone. */
  get tree() {
    const isTree = this.hasVariations || this.nodes.at(-1).children.length > 0;
    return isTree ? this.#words(this.nodes[0]).join("_") : null;
  }

  /** The tree after a node as plies, with variations in parentheses after the main move. */
  #words(node) {
    const [main, ...others] = node.children;
    if (!main) return [];
    const sides = others.map((child) => `(${[wordOf(this.info, child.ply), ...this.#words(child)].join("_")})`);
    return [wordOf(this.info, main.ply), ...sides, ...this.#words(main)];
  }

  /** The fragment of the URL. */
  hash(seats) {
    const parts = { game: this.notation, seed: this.seed, start: this.nodes[0].position };
    if (this.plies.length) parts.plies = this.plies.map((ply) => wordOf(this.info, ply)).join("_");
    if (this.tree !== null) parts.tree = this.tree;
    if (!this.isAtEnd) parts.at = this.at;
    else if (this.face !== null) parts.face = this.face;
    if (this.resigned !== null) parts.resigned = this.resigned + 1;
    seats.forEach((player, seat) => (parts[`seat${seat + 1}`] = player));
    return new URLSearchParams(parts).toString();
  }

  /** Plays plies from the current position on, by the server's answers. */
  async #replay(plies, first) {
    for (const [number, { face, move }] of plies.entries()) {
      const known = this.node.children.find(({ ply }) => ply.move === move && ply.face === face);
      if (this.face !== face) this.#endLineHere(face);
      if (known) {
        this.play(move);
        continue;
      }
      const fetchPosition = (position) => ask({ ask: "position", game: this.notation, position });
      const { moves } = await fetchPosition(this.text());
      const successor = moves.find((one) => one.move === move);
      if (!successor) throw new Error(`#plies: ${first + number}: '${wordOf(this.info, { face, move })}'`);
      this.play(move, await fetchPosition(successor.position));
    }
  }

  /** Adds the variations of a text to the tree. */
  async #replayTree(text) {
    const forks = [];
    this.at = 0;
    // Moves may end with a count in parentheses, such as 13/9(2).
    const split = (word) => word.match(/^(\(*)(.+?(?:\(\d\))?)(\)*)$/)?.slice(1) ?? [word];
    const parts = ([open, ply = "", close = ""]) => [...open, ply, ...close].filter(Boolean);
    for (const word of text.split("_").flatMap((word) => (word ? parts(split(word)) : []))) {
      if (word === "(") {
        const { parent } = this.node;
        forks.push(this.node);
        this.#showLineOf(parent);
        this.at = this.nodes.indexOf(parent);
      } else if (word === ")") {
        const node = forks.pop();
        this.#showLineOf(node);
        this.at = this.nodes.indexOf(node);
      } else await this.#replay(pliesOf(word, this.info), this.at + 1);
    }
  }

  /**
   * The game of a URL and its seats, requested ply by ply; throws an error of the URL. The tree of
   * `current` is used on where it is the same game.
   */
  static async fromHash(hash, games, current = null) {
    const parts = new URLSearchParams(hash);
    const info = games.find(({ notation }) => notation === parts.get("game"));
    if (!info) throw new Error(`#game=${parts.get("game")}`);
    const seed = Number(parts.get("seed"));
    const isSeed = Number.isSafeInteger(seed) && seed >= 0;
    const start = await ask({ ask: "position", game: info.notation, position: parts.get("start") ?? "" });
    let game = new Game(info, start, isSeed ? seed : 1);
    const isSame = current?.info === info && current.seed === game.seed && current.nodes[0].position === game.nodes[0].position;
    if (isSame) game = current;
    if (parts.has("tree")) await game.#replayTree(parts.get("tree"));
    game.at = 0;
    const face = parts.has("face") ? Number(parts.get("face")) : null;
    const plies = pliesOf(parts.get("plies") ?? "", game.info);
    await game.#replay(plies, 1);
    if (game.at < game.plies.length || isSame) game.#endLineHere(null);
    if (info.faces?.includes(face)) game.roll(face);
    const resigned = Number(parts.get("resigned"));
    if (resigned > 0 && resigned <= info.seats.length) game.resign(resigned - 1);
    if (parts.has("at")) game.go(Number(parts.get("at")) || 0);
    const seats = info.seats.map((_, seat) => parts.get(`seat${seat + 1}`));
    return { game, seats: seats.every((player) => player !== null) ? seats : null };
  }

  /** Ends the line with a win of the others, a plain one in games with points. */
  resign(seat) {
    const { points, seats } = this.info;
    const lost = points ? (1 - points.default_win / points.max) / 2 : 0;
    this.end(seats.map((_, other) => (other === seat ? lost : (1 - lost) / (seats.length - 1))), seat);
  }
}
