// A hundred thousand requests that nobody would write, bodies and paths: none may be answered by 5xx, and the server lives.
// Arguments: the address of `alea web`, and how many.

import { strict as assert } from "node:assert";
import { Agent, request } from "node:http";
import { connect } from "node:net";

const [address, many] = [new URL(process.argv[2]), Number(process.argv[3])];
/** Connections at a time. */
const AT_ONCE = 8;
const GOOD = [
  '{"ask":"analyse","game":"einstein","position":"215../64.../3...e/...fb/..acd b 1","player":"star1(depth=1, ms=1)"}',
  '{"ask":"judge","game":"reversi","start":"x","plies":[{"move":"d3"}],"player":"star1(depth=1, ms=1)"}',
  '{"ask":"new","game":"einstein","seed":7}',
  '{"ask":"move","game":"havannah(base=4)","position":"x","player":"mcts(sims=20)","seed":3}',
];
const SIGNS = [...'(){}[],":0-9\\'].map((sign) => sign.charCodeAt(0));

// Mulberry32, so that requests are the same each time.
let state = 1;
function below(count) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
}

/** A request with up to six letters that are wrong. */
function spoilt() {
  const body = [...Buffer.from(GOOD[below(GOOD.length)])];
  for (let change = below(6); change >= 0 && body.length; change -= 1) {
    const at = below(body.length);
    [
      () => (body[at] = below(256)),
      () => body.splice(at, 1),
      () => body.splice(at, 0, SIGNS[below(SIGNS.length)]),
      () => (body.length = Math.max(1, at)),
    ][below(4)]();
  }
  return Buffer.from(body);
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** The status of the answer to a request. */
function send(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Length": body.length };
    const asked = request({ host: address.hostname, port: address.port, agent, method, path, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** The same of bytes that are no HTTP, after which nothing follows; 0 without any answer. */
function sendRaw(bytes) {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(address.port), address.hostname, () => socket.end(bytes));
    socket.on("data", (data) => (answer += data));
    socket.on("error", () => {});
    socket.on("close", () => resolve(Number(answer.split(" ")[1] ?? 0)));
  });
}

const began = performance.now();
let [sent, refused] = [0, 0];
async function client() {
  while (sent < many) {
    const number = sent % 500;
    sent += 1;
    const body = spoilt();
    const path = Array.from({ length: below(40) }, () => String.fromCharCode(33 + below(94))).join("");
    const status = await (number === 0
      ? sendRaw(body)
      : number === 1
        ? send("POST", "/records", body)
        : number < 250
          ? send("GET", `/${path}`, Buffer.alloc(0))
          : send("POST", "/api", body));
    assert.ok(status < 500, `${status}: ${path} ${body}`);
    refused += status >= 400 ? 1 : 0;
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, client));
assert.ok(refused > 0.75 * many, `${refused} refused`);
assert.equal(await send("POST", "/api", Buffer.alloc((1 << 16) + 1, 32)), 413);
assert.equal(await send("GET", "/", Buffer.alloc(0)), 200);
agent.destroy();
console.log(`${sent} hostile requests in ${((performance.now() - began) / 1000).toFixed(0)} s, ${refused} refused`);
