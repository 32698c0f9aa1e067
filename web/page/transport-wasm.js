// Sends requests to engines in Web Workers (worker.js), as transport.js of an exported page.
//
// Invariant: a worker has one request at a time, and one that fails is replaced.

/** One for a long search, one for other requests. */
const WORKERS = Math.max(2, Math.min(4, (navigator.hardwareConcurrency ?? 2) - 1));
/** Time for an aborted request to finish before its worker is terminated. */
const ABANDON_MS = 500;

const queue = [];
const workers = [];
let compiled = null;

/** As in transport-http.js. */
export function send(question, signal, receive) {
  compiled ??= compile();
  return new Promise((resolve, reject) => {
    const job = { text: JSON.stringify(question), resolve, reject, signal, receive };
    signal?.addEventListener("abort", () => abandon(job), { once: true });
    queue.push(job);
    next();
  });
}

/** Only the server reads shards. */
export async function sendFile() {
  return { status: 400, answer: { error: "here only games as JSON lines are read ('alea data export')" } };
}

async function compile() {
  const response = await fetch(new URL("alea.wasm", import.meta.url));
  if (!response.ok) throw new Error("offline");
  return WebAssembly.compile(await response.arrayBuffer());
}

function next() {
  if (queue.length === 0) return;
  let slot = workers.find((slot) => !slot.job);
  if (!slot && workers.length < WORKERS) {
    slot = { job: null, worker: null };
    workers.push(slot);
  }
  if (slot) assign(slot, queue.shift());
}

async function assign(slot, job) {
  slot.job = job;
  slot.worker ??= start(slot);
  try {
    const worker = await slot.worker;
    // The request may be abandoned meanwhile.
    if (slot.job === job) worker.postMessage(job.text);
  } catch {
    slot.worker = compiled = null;
    if (slot.job === job) finish(slot, () => job.reject(new Error("offline")));
  }
}

async function start(slot) {
  const engine = await compiled;
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.postMessage(engine);
  worker.onmessage = ({ data: { isLast, answer } }) => {
    if (!isLast) {
      slot.job.receive(answer);
      return;
    }
    const status = answer.error === undefined ? 200 : answer.out_of_time ? 503 : 400;
    finish(slot, () => slot.job.resolve({ status, answer }));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    terminate(slot, { status: 503, answer: { error: "this request is beyond what is answered here" } });
  };
  return worker;
}

function terminate(slot, answer) {
  slot.worker?.then((worker) => worker.terminate());
  slot.worker = null;
  finish(slot, () => slot.job.resolve(answer));
}

function finish(slot, receive) {
  clearTimeout(slot.job.timer);
  receive();
  slot.job = null;
  next();
}

function abandon(job) {
  job.reject(job.signal.answer);
  const index = queue.indexOf(job);
  if (index >= 0) queue.splice(index, 1);
  const slot = workers.find((slot) => slot.job === job);
  // A new worker has to build its tables again, so a short search may finish.
  if (slot) job.timer = setTimeout(() => slot.job === job && terminate(slot), ABANDON_MS);
}
