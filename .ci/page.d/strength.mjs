// Whether the page's intervals of strength cover what they estimate: strength.jsonl has the decisions and the mean error of
// both sides in 200 games of each level against itself (alea arena --player LEVEL --player LEVEL --games 200 --seed 2
// --records GAMES; alea judge GAMES --player "star2(depth=3, eval=best)" --json). The page's numbers are from other games.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { errorsOf, ladderOf, levelsOf, strengthOf, strengthsWith } from "./strength-of-page.mjs";

const lines = readFileSync(new URL("strength.jsonl", import.meta.url), "utf8").trim().split("\n");
const elos = ladderOf("einstein");
lines.forEach((line, index) => {
  const { level, games } = JSON.parse(line);
  const intervals = games.map(([decisions, mean]) => strengthsWith(mean, decisions));
  const covers = ({ lower, upper }) => (lower ?? -Infinity) <= elos[index] && elos[index] <= (upper ?? Infinity);
  const share = intervals.filter(covers).length / games.length;
  const isOpen = intervals.filter(({ upper }) => upper === null).length / games.length;
  console.log(`${level}, ${elos[index].toFixed(0)} Elo: ${(100 * share).toFixed(1)} % of ${games.length} intervals cover it, ${(100 * isOpen).toFixed(1)} % say "at least"`);
  // Three standard errors below 95 %.
  assert.ok(share >= 0.95 - 3 * Math.sqrt((0.95 * 0.05) / games.length), level);
});
// A level of which the reviewer sees no error is told a lower bound alone, however many decisions are faultless.
for (const decisions of [5, 20, 100, 1000]) {
  const { lower, upper } = strengthsWith(0, decisions);
  assert.ok(upper === null && (decisions === 5 || lower > 300), `${decisions}: ${lower}, ${upper}`);
}
assert.deepEqual(strengthsWith(0.2, 100), { lower: null, upper: 0 });
// Many decisions narrow the interval.
const [few, many] = [10, 1000].map((decisions) => strengthsWith(0.03, decisions));
assert.ok(many.upper - many.lower < 120 && few.upper - (few.lower ?? 0) > 300, JSON.stringify([few, many]));
// Forced moves, other seats' and those that do not count are no decisions; few decisions say nothing.
const ply = (seat, choices, error) => ({ seat, choices, error });
const review = { plies: [ply(0, 3, 0.1), ply(1, 3, 0.2), ply(0, 1, 0), ply(0, 2, 0.04), ply(0, 2, 0.3)] };
const { decisions, sum } = errorsOf(review, 0, (index) => index !== 4);
assert.ok(decisions === 2 && Math.abs(sum - 0.14) < 1e-12, `${decisions}, ${sum}`);
assert.equal(strengthOf({ decisions: 4, sum: 0 }), null);
// Levels around bounds: 59 Elo is easy, 118 casual.
assert.deepEqual(levelsOf({ lower: 60, upper: 110 }), [1, 2]);
assert.deepEqual(levelsOf({ lower: null, upper: 0 }), [0, 0]);
assert.deepEqual(levelsOf({ lower: 400, upper: null }), [6, 7]);
