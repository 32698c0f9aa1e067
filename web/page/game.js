// A game: its start, its plies, the current position, and its URL.
//
// Invariant: `nodes[i]` is the position before ply i, `plies[i]` leads from it to `nodes[i + 1]`.
// Positions are before the roll; `rolls[i]` is the roll there, or null.

import { ask } from "./api.js";

/** The text of a position with another roll, in games with a die. */
export function withFace(position, face) {
  return position.replace(/ \S+$/, ` ${face ?? "-"}`);
}

export class Game {
  constructor(info, start, seed) {
    this.info = info;
    this.seed = seed;
    this.at = 0;
    this.plies = [];
    this.nodes = [this.#node(start)];
    this.rolls = [start.face];
    // The payoffs of a recorded game that did not end by the rules.
    this.result = null;
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

  #node(answer) {
    const { seat, over } = answer;
    return { position: this.hasDie ? withFace(answer.position, null) : answer.position, seat, over };
  }

  /** The current position with its roll. */
  text() {
    return this.hasDie ? withFace(this.node.position, this.face) : this.node.position;
  }

  /** Drops the plies after the current position. */
  #truncate() {
    this.result = null;
    this.plies.length = this.at;
    this.nodes.length = this.rolls.length = this.at + 1;
  }

  roll(face) {
    if (this.face === face) return;
    if (!this.isAtEnd) this.#truncate();
    this.rolls[this.at] = face;
  }

  /** Plays a move that leads to `next`, the server's answer about the position after it. */
  play(move, next) {
    const { seat } = this.node;
    const played = this.plies[this.at];
    if (played?.move === move && played.face === this.face) {
      this.at += 1;
      return;
    }
    this.#truncate();
    this.plies.push({ seat, face: this.face, move });
    this.nodes.push(this.#node(next));
    this.rolls.push(null);
    this.at += 1;
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.plies.length, at));
  }

  /** Takes plies back until `mayStop` accepts the seat to move. */
  takeBack(mayStop) {
    if (this.at === 0) return;
    let at = this.at - 1;
    while (at > 0 && !mayStop(this.nodes[at].seat)) at -= 1;
    this.at = at;
    this.#truncate();
  }

  /** The fragment of the URL. */
  hash(seats) {
    const ply = ({ face, move }) => (face === null ? move : `${face}${move}`);
    const parts = { game: this.notation, seed: this.seed, start: this.nodes[0].position };
    if (this.plies.length) parts.plies = this.plies.map(ply).join("_");
    if (!this.isAtEnd) parts.at = this.at;
    else if (this.face !== null) parts.face = this.face;
    seats.forEach((player, seat) => (parts[`seat${seat + 1}`] = player));
    return new URLSearchParams(parts).toString();
  }

  /** The game of a URL and its seats, requested ply by ply; throws an error of the URL. */
  static async fromHash(hash, games) {
    const parts = new URLSearchParams(hash);
    const info = games.find(({ notation }) => notation === parts.get("game"));
    if (!info) throw new Error(`#game=${parts.get("game")}`);
    const fetchPosition = (position) => ask({ ask: "position", game: info.notation, position });
    const seed = Number(parts.get("seed"));
    const isSeed = Number.isSafeInteger(seed) && seed >= 0;
    const game = new Game(info, await fetchPosition(parts.get("start") ?? ""), isSeed ? seed : 1);
    const plies = (parts.get("plies") ?? "").split("_").filter(Boolean);
    for (const [number, ply] of plies.entries()) {
      const face = game.hasDie ? Number(ply[0]) : null;
      const move = game.hasDie ? ply.slice(1) : ply;
      game.rolls[game.at] = face;
      const { moves } = await fetchPosition(game.text());
      const successor = moves.find((one) => one.move === move);
      if (!successor) throw new Error(`#plies: ${number + 1}: '${ply}'`);
      game.play(move, await fetchPosition(successor.position));
    }
    const face = Number(parts.get("face"));
    if (info.faces?.includes(face)) game.rolls[game.at] = face;
    if (parts.has("at")) game.go(Number(parts.get("at")) || 0);
    const seats = info.seats.map((_, seat) => parts.get(`seat${seat + 1}`));
    return { game, seats: seats.every((player) => player !== null) ? seats : null };
  }
}
