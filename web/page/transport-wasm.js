// Carries questions to engines in Web Workers (worker.js); in an exported page it is carrier.js.
//
// Invariant: a worker has one question at a time, and one that fails is replaced.

/** One for a long search, one for what is asked meanwhile. */
const WORKERS = Math.max(2, Math.min(4, (navigator.hardwareConcurrency ?? 2) - 1));
/** How long a question that nobody waits for any more may go on before its worker is ended. */
const PATIENCE_MS = 500;

const waiting = [];
const workers = [];
let compiled = null;

/** As of carrier.js. */
export function carry(question, signal, tell) {
  compiled ??= compile();
  return new Promise((resolve, reject) => {
    const job = { text: JSON.stringify(question), resolve, reject, signal, tell };
    signal?.addEventListener("abort", () => giveUp(job), { once: true });
    waiting.push(job);
    next();
  });
}

/** Shards are read by the server alone. */
export async function carryFile() {
  return { status: 400, answer: { error: "here only games as JSON lines are read ('alea data export')" } };
}

async function compile() {
  const response = await fetch(new URL("alea.wasm", import.meta.url));
  if (!response.ok) throw new Error("offline");
  return WebAssembly.compile(await response.arrayBuffer());
}

function next() {
  if (waiting.length === 0) return;
  let place = workers.find((place) => !place.job);
  if (!place && workers.length < WORKERS) {
    place = { job: null, worker: null };
    workers.push(place);
  }
  if (place) give(place, waiting.shift());
}

async function give(place, job) {
  place.job = job;
  place.worker ??= start(place);
  try {
    const worker = await place.worker;
    // It may have been given up meanwhile.
    if (place.job === job) worker.postMessage(job.text);
  } catch {
    place.worker = compiled = null;
    if (place.job === job) done(place, () => job.reject(new Error("offline")));
  }
}

async function start(place) {
  const engine = await compiled;
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.postMessage(engine);
  worker.onmessage = ({ data: { isLast, answer } }) => {
    if (!isLast) {
      place.job.tell(answer);
      return;
    }
    const status = answer.error === undefined ? 200 : answer.out_of_time ? 503 : 400;
    done(place, () => place.job.resolve({ status, answer }));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end(place, { status: 503, answer: { error: "this request is beyond what is answered here" } });
  };
  return worker;
}

function end(place, reason) {
  place.worker?.then((worker) => worker.terminate());
  place.worker = null;
  done(place, () => place.job.resolve(reason));
}

function done(place, tell) {
  clearTimeout(place.job.patience);
  tell();
  place.job = null;
  next();
}

function giveUp(job) {
  job.reject(job.signal.reason);
  const at = waiting.indexOf(job);
  if (at >= 0) waiting.splice(at, 1);
  const place = workers.find((place) => place.job === job);
  // A new worker has its tables to make again, so a short search is let go to its end.
  if (place) job.patience = setTimeout(() => place.job === job && end(place), PATIENCE_MS);
}
