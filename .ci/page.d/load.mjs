// Clients that analyse all at once: none may fail, and the server's memory stays flat.
// Arguments: the address of `alea web`, the number of its process, seconds, clients.

import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";

const [address, process_, seconds, clients] = process.argv.slice(2);
/** Growth of memory from the middle of the run to its end, in MiB. */
const MOST_GROWTH = 48;

const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process_}/status`, "utf8"))[1]) / 1024;
const games = [
  ["einstein", "star2(depth=2, eval=best)"],
  ["reversi", "star1(depth=2, eval=squares)"],
  ["havannah(base=4)", "mcts(sims=100)"],
  ["einstein", "star2(ms=20, eval=best)"],
];
const times = [];
const until = performance.now() + 1000 * seconds;
const [start, samples] = [performance.now(), []];
const sampler = setInterval(() => samples.push(memory()), 500);

async function ask(question) {
  const began = performance.now();
  const response = await fetch(`${address}api`, { method: "POST", body: JSON.stringify(question) });
  const answer = await response.text();
  assert.equal(response.status, 200, answer);
  times.push(performance.now() - began);
  return answer;
}

async function client(number) {
  for (let ply = 0; performance.now() < until; ply += 1) {
    const [game, player] = games[(number + ply) % games.length];
    const { position } = JSON.parse(await ask({ ask: "new", game, seed: number * 1000 + ply }));
    await ask({ ask: "analyse", game, position, player, stream: ply % 2 === 0 });
  }
}

await Promise.all(Array.from({ length: Number(clients) }, (_, number) => client(number)));
clearInterval(sampler);
times.sort((a, b) => a - b);
const middle = Math.max(...samples.slice(0, Math.ceil(samples.length / 2)));
const end = Math.max(...samples.slice(Math.ceil(samples.length / 2)));
const p = (share) => times[Math.floor(share * (times.length - 1))].toFixed(0);
console.log(
  `${clients} clients for ${((performance.now() - start) / 1000).toFixed(0)} s: ${times.length} answers, median ${p(0.5)} ms, ` +
    `p95 ${p(0.95)} ms, memory at most ${middle.toFixed(0)} MiB in the first half, ${end.toFixed(0)} MiB in the second`,
);
assert.ok(end - middle < MOST_GROWTH, "memory grows");

// One client alone: 50 ms of search are here after 100 ms.
const alone = [];
for (let number = 0; number < 15; number += 1) {
  const { position } = JSON.parse(await ask({ ask: "new", game: "einstein", seed: number }));
  const began = performance.now();
  await ask({ ask: "analyse", game: "einstein", position, player: "star2(ms=50, eval=best)" });
  alone.push(performance.now() - began);
}
alone.sort((a, b) => a - b);
console.log(`50 ms of search over HTTP: median ${alone[7].toFixed(1)} ms, longest ${alone.at(-1).toFixed(1)} ms`);
assert.ok(alone[7] < 100, "50 ms of search take more than 100 ms");
