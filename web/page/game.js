// A game: its start, the plies played, which of its positions is shown, and all of it in the URL.
//
// Invariant: `nodes[i]` is the position before ply i, `plies[i]` leads from it to `nodes[i + 1]`.
// Positions here are those before the roll; `rolls[i]` is what was rolled there, or null.

import { ask } from "./api.js";

/** The text of a position with another roll; games without a die have none. */
export function withFace(position, face) {
  return position.replace(/ \S+$/, ` ${face ?? "-"}`);
}

export class Game {
  constructor(facts, start, seed) {
    this.facts = facts;
    this.seed = seed;
    this.at = 0;
    this.plies = [];
    this.nodes = [this.#node(start)];
    this.rolls = [start.face];
    // What the seats got in a recorded game that did not end by the rules.
    this.result = null;
  }

  get notation() {
    return this.facts.notation;
  }

  get hasDie() {
    return this.facts.faces !== null;
  }

  get node() {
    return this.nodes[this.at];
  }

  /** The roll that is shown. */
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

  /** The shown position with its roll. */
  text() {
    return this.hasDie ? withFace(this.node.position, this.face) : this.node.position;
  }

  /** What of it is shown is over. */
  #cut() {
    this.result = null;
    this.plies.length = this.at;
    this.nodes.length = this.rolls.length = this.at + 1;
  }

  roll(face) {
    if (this.face === face) return;
    if (!this.isAtEnd) this.#cut();
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
    this.#cut();
    this.plies.push({ seat, face: this.face, move });
    this.nodes.push(this.#node(next));
    this.rolls.push(null);
    this.at += 1;
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.plies.length, at));
  }

  /** Takes plies back until `mayStop` says that the seat whose turn it is then may go on. */
  takeBack(mayStop) {
    if (this.at === 0) return;
    let at = this.at - 1;
    while (at > 0 && !mayStop(this.nodes[at].seat)) at -= 1;
    this.at = at;
    this.#cut();
  }

  /** What goes into the URL after `#`. */
  hash(seats) {
    const ply = ({ face, move }) => (face === null ? move : `${face}${move}`);
    const parts = { game: this.notation, seed: this.seed, start: this.nodes[0].position };
    if (this.plies.length) parts.plies = this.plies.map(ply).join("_");
    if (!this.isAtEnd) parts.at = this.at;
    else if (this.face !== null) parts.face = this.face;
    seats.forEach((player, seat) => (parts[`seat${seat + 1}`] = player));
    return new URLSearchParams(parts).toString();
  }

  /** The game of a URL, asked for ply by ply, and its seats; throws what is wrong with it. */
  static async fromHash(hash, games) {
    const parts = new URLSearchParams(hash);
    const facts = games.find(({ notation }) => notation === parts.get("game"));
    if (!facts) throw new Error(`#game=${parts.get("game")}`);
    const about = (position) => ask({ ask: "position", game: facts.notation, position });
    const seed = Number(parts.get("seed"));
    const isSeed = Number.isSafeInteger(seed) && seed >= 0;
    const game = new Game(facts, await about(parts.get("start") ?? ""), isSeed ? seed : 1);
    const plies = (parts.get("plies") ?? "").split("_").filter(Boolean);
    for (const [number, ply] of plies.entries()) {
      const face = game.hasDie ? Number(ply[0]) : null;
      const move = game.hasDie ? ply.slice(1) : ply;
      game.rolls[game.at] = face;
      const { moves } = await about(game.text());
      const found = moves.find((successor) => successor.move === move);
      if (!found) throw new Error(`#plies: ${number + 1}: '${ply}'`);
      game.play(move, await about(found.position));
    }
    const face = Number(parts.get("face"));
    if (facts.faces?.includes(face)) game.rolls[game.at] = face;
    if (parts.has("at")) game.go(Number(parts.get("at")) || 0);
    const seats = facts.seats.map((_, seat) => parts.get(`seat${seat + 1}`));
    return { game, seats: seats.every((player) => player !== null) ? seats : null };
  }
}
