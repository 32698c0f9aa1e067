// Questions to the engine (docs/reference/api.md), and a queue of positions to analyse.

import { carry, carryFile } from "./transport.js";

/**
 * The answer to a question; throws an `Error` with the engine's one line, `isLasting` if the same
 * question will get no better answer.
 */
export async function ask(question, signal) {
  return answerOf(await carry(question, signal));
}

/** The games of a file (docs/reference/api.md). */
export async function askRecords(file) {
  return answerOf(await carryFile(file));
}

/** Asks for an analysis, and tells each of its answers as it comes; the last is returned. */
async function askEach(question, signal, tell) {
  return answerOf(await carry({ ...question, stream: true }, signal, tell));
}

function answerOf({ status, answer }) {
  if (status === 200) return answer;
  const error = new Error(answer.error ?? `HTTP ${status}`);
  error.isLasting = status === 400;
  throw error;
}

const MOST_KEPT = 2000;

/**
 * Analyses positions before their rolls, one at a time, the first wanted first. Answers are found by
 * what was asked, so one that comes late is never taken for that of another position.
 */
export class Analyst {
  #found = new Map();
  #wanted = [];
  #running = null;
  #told;

  /** `told` is called whenever an answer has come. */
  constructor(told) {
    this.#told = told;
  }

  static #key({ game, position, player }) {
    return JSON.stringify([game, position, player]);
  }

  /** What is known: an analysis, `{error}`, or undefined. */
  known(question) {
    return this.#found.get(Analyst.#key(question));
  }

  /** The same, or what a search that goes on has found up to now. */
  sofar(question) {
    return this.known(question) ?? (this.#running?.key === Analyst.#key(question) ? this.#running.sofar : undefined);
  }

  /** Replaces what is wanted; a search for what no longer is, is given up. */
  want(questions) {
    this.#wanted = questions.filter((question) => !this.known(question));
    const keys = new Set(this.#wanted.map(Analyst.#key));
    if (this.#running && !keys.has(this.#running.key)) this.#running.abort.abort();
    this.#next();
  }

  async #next() {
    if (this.#running) return;
    const question = this.#wanted.find((wanted) => !this.known(wanted));
    if (!question) return;
    const running = { key: Analyst.#key(question), abort: new AbortController() };
    this.#running = running;
    try {
      const tell = (sofar) => {
        running.sofar = sofar;
        this.#told();
      };
      this.#keep(running.key, await askEach({ ask: "analyse", ...question }, running.abort.signal, tell));
    } catch (error) {
      if (error.isLasting) this.#keep(running.key, { error: error.message });
      else if (error.name !== "AbortError") this.#wanted = [];
    }
    this.#running = null;
    this.#told();
    this.#next();
  }

  #keep(key, answer) {
    this.#found.set(key, answer);
    if (this.#found.size > MOST_KEPT) this.#found.delete(this.#found.keys().next().value);
  }
}
