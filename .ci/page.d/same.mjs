// Whether the engine as WebAssembly says what the server says, to the last digit: `same.mjs ADDRESS ALEA.WASM`. Games at random
// of every kind; each position is analysed, evaluated and moved from, by every level without a limit of time. Then how fast it is.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const [address, file] = process.argv.slice(2);
/** Games and plies of EinStein, all rolls of which are to come, and of the others. */
const EINSTEIN = [3, 12];
const OTHERS = [2, 8];

const imports = { alea: { now: () => performance.now(), tell: () => {} } };
const { instance } = await WebAssembly.instantiate(await readFile(file), imports);
const engine = instance.exports;

function inWorker(text) {
  const bytes = new TextEncoder().encode(text);
  const start = engine.request(bytes.length);
  new Uint8Array(engine.memory.buffer, start, bytes.length).set(bytes);
  const length = engine.respond();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.answer_start(), length)));
}

async function onServer(text) {
  const headers = { "Content-Type": "application/json" };
  return (await fetch(`${address}api`, { method: "POST", headers, body: text })).json();
}

/** All of an answer but the time it took, the models of the server, and the example game, which only WebAssembly has here. */
function lasting(answer) {
  const common = (one) => !/model:/.test(one?.name + one?.player) && one?.name !== "columns";
  const own = (value) => Array.isArray(value) && value.filter(common);
  return JSON.stringify(answer, (key, value) => (key === "milliseconds" ? undefined : own(value) || value));
}

let asked = 0;
async function ask(question) {
  const text = typeof question === "string" ? question : JSON.stringify(question);
  const sent = onServer(text);
  // The server computes meanwhile.
  await new Promise(setImmediate);
  const here = inWorker(text);
  const there = await sent;
  const [ours, theirs] = [here, there].map(lasting);
  const at = [...ours].findIndex((letter, index) => letter !== theirs[index]);
  const near = (answer) => answer.slice(Math.max(0, at - 60), at + 60);
  assert.ok(ours === theirs, `${text}: …${near(ours)}…, on the server …${near(theirs)}…`);
  asked += 1;
  return there;
}

// Mulberry32, so that games are the same each time.
let state = 20_251;
function below(count) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
}

const { games } = await ask({ ask: "games" });
for (const wrong of ["", "{}", '{"ask":"new","game":"chess"}', '{"ask":"new","game":"einstein(eval=x)"}']) {
  assert.ok((await ask(wrong)).error);
}
const seen = new Set();
for (const facts of games) {
  const game = facts.notation;
  const evaluators = facts.evaluators.filter(({ name }) => !/^model:/.test(name));
  // Two plies of the largest board of Havannah, or of all rolls of backgammon, would run into the limit of time.
  const depth = ["havannah", "backgammon"].includes(facts.name) ? 1 : 2;
  const timeless = facts.levels.map(({ player }) => player).filter((player) => !/ms=|star2\([5-8]/.test(player));
  const several = facts.seats.length > 2 ? ["maxn(depth=2)"] : [];
  const search = facts.evaluators.some(({ name }) => name === "best") ? [`star1(depth=${depth}, eval=best)`] : [];
  const all = [...new Set([...timeless, `star1(depth=${depth})`, ...search, ...several])];
  // Slow ones would run into the limit of time, too.
  const slow = facts.name === "backgammon" ? /star2\(2/ : /mcts\(\d{4}/;
  const players = all.filter((player) => !slow.test(player));
  const [count, length] = facts.notation === "einstein" ? EINSTEIN : OTHERS;
  for (let seed = 0; seed < count; seed += 1) {
    let here = await ask({ ask: "new", game, seed });
    const start = here.position;
    const plies = [];
    for (let ply = 0; ply < length && !here.over; ply += 1) {
      const { values } = await ask({ ask: "evaluate", game, position: here.position, evaluators: evaluators.map(({ name }) => name) });
      assert.ok(values.every(({ value }) => value >= 0 && value <= 1), JSON.stringify(values));
      const player = players[below(players.length)];
      await ask({ ask: "analyse", game, position: here.position, player });
      const before = await ask({ ask: "analyse", game, position: here.position, player: `star1(depth=${depth})` });
      here = await ask({ ask: "roll", game, position: here.position, seed, ply });
      if (facts.faces) {
        // The rolls are a position before and after its roll.
        if (facts.name === "einstein") seen.add(here.face);
        const face = before.faces.find((one) => one.face === here.face);
        const after = await ask({ ask: "analyse", game, position: here.position, player: `star1(depth=${depth})` });
        assert.ok(after.best === face.best && Math.abs(after.value - face.value) < 1e-6, here.position);
        assert.deepEqual(after.moves.map(({ move }) => move), here.moves.map(({ move }) => move));
      }
      const { move } = await ask({ ask: "move", game, position: here.position, player, seed: ply });
      const played = here.moves[below(here.moves.length)];
      assert.ok(here.moves.some((known) => known.move === move), `${player} plays ${move} in ${here.position}`);
      plies.push(facts.faces ? { face: here.face, move: played.move } : { move: played.move });
      here = await ask({ ask: "position", game, position: played.position });
    }
    await ask({ ask: "judge", game, start, plies, player: "star1(depth=1)" });
  }
}
// An analysis comes depth by depth; the last is what is answered without a stream.
const whole = { ask: "analyse", game: "einstein", position: "215../64.../3...e/...fb/..acd b 1", player: "star2(depth=3, eval=schwarz)" };
const streamed = await fetch(`${address}api`, { method: "POST", body: JSON.stringify({ ...whole, stream: true }) });
assert.equal(streamed.headers.get("content-type"), "application/x-ndjson");
const found = (await streamed.text()).trim().split("\n").map((line) => JSON.parse(line));
assert.deepEqual(found.map(({ depth }) => depth), [1, 2, 3]);
assert.equal(lasting(found.at(-1)), lasting(await ask(whole)));
assert.deepEqual([...seen].sort(), [1, 2, 3, 4, 5, 6], "all rolls come");
console.log(`${asked} answers of the engine as WebAssembly are those of the server`);

// The middle game of 25 searches of one thread each, in turns.
const question = { ask: "analyse", game: "einstein", position: "215../64.../3...e/...fb/..acd r -" };
for (const player of ["star2(depth=5, eval=schwarz, probcut=0)", "star2(depth=4, eval=best, probcut=0)"]) {
  const text = JSON.stringify({ ...question, player });
  const ways = { "as WebAssembly": inWorker, "on the server": onServer };
  const speeds = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (let turn = 0; turn < 25; turn += 1) {
    for (const [way, carry] of Object.entries(ways)) {
      const { nodes, milliseconds } = await carry(text);
      speeds[way].push(nodes / milliseconds);
    }
  }
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const told = Object.entries(speeds).map(([way, values]) => `${Math.round(middle(values))} ${way}`);
  console.log(`${player}: thousand nodes/s: ${told.join(", ")}`);
}
