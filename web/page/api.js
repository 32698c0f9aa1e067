// Requests to the engine (docs/reference/api.md), and a queue of positions to analyse.

import { send, sendFile } from "./transport.js";

/**
 * The answer to a request; throws an `Error` with the engine's line, `isLasting` if the same request
 * would fail again.
 */
export async function ask(question, signal) {
  return answerOf(await send(question, signal));
}

/** The games of a file (docs/reference/api.md). */
export async function askRecords(file) {
  return answerOf(await sendFile(file));
}

/** Requests an analysis as a stream; `receive` gets all answers but the last, which is returned. */
async function askStream(question, signal, receive) {
  const receiveFitted = (answer) => receive(withFittedValues(answer));
  return answerOf(await send({ ...question, stream: true }, signal, receiveFitted));
}

function answerOf({ status, answer }) {
  if (status === 200) return withFittedValues(answer);
  const error = new Error(answer.error ?? `HTTP ${status}`);
  error.isLasting = status === 400;
  throw error;
}

/** Puts fitted values in place of the search's own, which become `own_scale`, everywhere in an answer. */
function withFittedValues(answer) {
  if (typeof answer !== "object" || answer === null) return answer;
  Object.values(answer).forEach(withFittedValues);
  if (typeof answer.calibrated === "number" && answer.own_scale === undefined) {
    [answer.own_scale, answer.value] = [answer.value, answer.calibrated];
  }
  return answer;
}

const MAX_ANALYSES = 2000;

/**
 * Analyses positions before their rolls, one at a time, in the order of the queue. Answers are stored by
 * request, so a late one is never taken for that of another position.
 */
export class Analyst {
  #answers = new Map();
  #queue = [];
  #running = null;
  #onAnswer;

  /** `onAnswer` is called after each answer. */
  constructor(onAnswer) {
    this.#onAnswer = onAnswer;
  }

  static #key({ game, position, player }) {
    return JSON.stringify([game, position, player]);
  }

  /** The answer to a request: an analysis, `{error}`, or undefined. */
  answerTo(question) {
    return this.#answers.get(Analyst.#key(question));
  }

  /** The same, or the last depth of a running search. */
  partialAnswer(question) {
    return this.answerTo(question) ?? (this.#running?.key === Analyst.#key(question) ? this.#running.partialAnswer : undefined);
  }

  /** Replaces the queue; a search that is no longer in it is aborted. */
  request(questions) {
    this.#queue = questions.filter((question) => !this.answerTo(question));
    const keys = new Set(this.#queue.map(Analyst.#key));
    if (this.#running && !keys.has(this.#running.key)) this.#running.abort.abort();
    this.#next();
  }

  async #next() {
    if (this.#running) return;
    const question = this.#queue.find((queue) => !this.answerTo(queue));
    if (!question) return;
    const running = { key: Analyst.#key(question), abort: new AbortController() };
    this.#running = running;
    try {
      const receive = (partialAnswer) => {
        running.partialAnswer = partialAnswer;
        this.#onAnswer();
      };
      this.#store(running.key, await askStream({ ask: "analyse", ...question }, running.abort.signal, receive));
    } catch (error) {
      // A stream that is aborted may reject without an error.
      if (running.abort.signal.aborted) return this.#finish();
      if (error.isLasting) this.#store(running.key, { error: error.message });
      else this.#queue = [];
    }
    this.#finish();
  }

  #finish() {
    this.#running = null;
    this.#onAnswer();
    this.#next();
  }

  #store(key, answer) {
    this.#answers.set(key, answer);
    if (this.#answers.size > MAX_ANALYSES) this.#answers.delete(this.#answers.keys().next().value);
  }
}
