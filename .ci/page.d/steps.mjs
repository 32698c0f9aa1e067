// Whether the page composes those plays of backgammon that the engine lists, and no others: `steps.mjs ADDRESS`. Cases by hand,
// then every roll in positions of random games; and whether it counts the rolls that hit. The page's files are copied beside this one.
import assert from "node:assert/strict";
import { beginPlay, checkersOf } from "./backgammon-steps.mjs";
import { hittingRolls, measureBackgammon } from "./explain-backgammon.mjs";

const [address] = process.argv.slice(2);
const GAMES = 2;
const EACH_PLIES = 9;
const headers = { "Content-Type": "application/json" };

async function ask(question) {
  const response = await fetch(`${address}api`, { method: "POST", headers, body: JSON.stringify({ game: "backgammon", ...question }) });
  const answer = await response.json();
  assert.equal(answer.error, undefined);
  return answer;
}

// Positions are White's view: from Black's bar over points 1 to 24 to White's bar, White in capitals. A line has the roll, the
// steps so far, and then the steps to choose from or, after `=`, the play that is complete.
const CASES = `
-b----E-C---eE---c-e----B-
65: 13/2 13/7 13/8 24/13 24/18 8/2 8/3
65 24/13 = 24/13
65 24/18 18/13 = 24/13
31 6/5 8/5 = 8/5 6/5
44 13/9 24/20 13/9 24/20 = 24/20(2) 13/9(2)
44 24/16 24/16 = 24/16(2)
-b----E-C---eE---c-e----AA
41: bar/20 bar/21 bar/24
41 bar/24: 13/9 24/20 6/2 8/4
66 = pass
-b----E-----eE---c-e-----B
33: bar/22
33 bar/22: bar/22
33 bar/22 bar/22 6/3 6/3 = bar/22(2) 6/3(2)
-----E--------------a---A-
42: 24/20 24/22 5/1 5/3
42 24/20 20/18 = 24/20*/18
42 24/22 22/18 = 24/18
-----E------------a-----A-
42: 24/18 24/20 24/22 5/1 5/3
42 24/18 = 24/18*
-------------b----------A-
65: 24/18
65 24/18 = 24/18
---A----------b-----A-----
62: 20/12 20/18
62 20/12 = 20/12
62 20/18 18/12 = 20/12
--A-A-------------------b-
65: 4/off
65 4/off 2/off = 4/off 2/off
---A--A-----------------b-
64: 6/2 6/off
64 6/2 3/off = 6/2 3/off
-A----A-----------------b-
61: 1/off 6/5 6/off
61 6/off: 1/off
61 6/5 5/off = 6/off
--B-B-------------------b-
66 4/off 4/off 2/off 2/off = 4/off(2) 2/off(2)
22: 2/off 4/2 4/off
22 4/off: 2/off 4/2 4/off
22 4/2 2/off 4/2: 2/off
22 4/2 4/2 2/off 2/off = 4/off(2)
`;
let xgid;
for (const line of CASES.trim().split("\n")) {
  if (/^[-A-Oa-o]{26}$/.test(line)) {
    xgid = line;
    continue;
  }
  const [roll, ...words] = line.split(/:? /);
  const isComplete = words.includes("=");
  const steps = isComplete ? words.slice(0, words.indexOf("=")) : line.split(":")[0].split(" ").slice(1);
  const expected = isComplete ? line.split(" = ")[1] : line.split(": ")[1];
  let play = beginPlay(await ask({ ask: "position", position: `XGID=${xgid}:0:0:1:${roll}` }));
  for (const step of steps) {
    assert.ok(play.next.has(step), `${xgid} ${line}: ${step} is none of ${[...play.next.keys()]}`);
    play = play.next.get(step)();
  }
  assert.equal(isComplete ? play.move : [...play.next.keys()].sort().join(" "), expected, `${xgid} ${line}`);
  assert.equal(play.next.size === 0, isComplete, `${xgid} ${line}`);
}
assert.deepEqual(checkersOf("4HPwATDgc/ABMA w -").map((points) => points.join(",")), Array(2).fill(`0,${"0,".repeat(5)}5,0,3,${"0,".repeat(4)}5,${"0,".repeat(10)}2,0`));

// Few checkers of White, who can often play one die alone, or both in one order: rolls that hit.
const BARE = [
  ["-----E------------a-----A-", null],
  ["-a-----d--b-a--A--A-------", 26],
  ["--bb------------cAaA------", 11],
  ["---A--b--A------ba--a--Aa-", 28],
  ["--b-A---b-a---b-A---A---b-", 17],
  ["-a-a--b-----a-a-b-------AA", null],
];
for (const [xgid, known] of BARE) {
  let hitting = 0;
  let checkers;
  for (let roll = 0; roll < 36; roll += 1) {
    const [one, two] = [1 + Math.floor(roll / 6), 1 + (roll % 6)];
    const { position, moves } = await ask({ ask: "position", position: `XGID=${xgid}:0:0:1:${one}${two}` });
    checkers = checkersOf(position);
    hitting += Number(moves.some(({ move }) => move.includes("*")));
  }
  assert.equal(hittingRolls(checkers), hitting, xgid);
  assert.ok([null, hitting].includes(known), xgid);
}

/** All plays that steps lead to, each by way of any. */
function composed(answer) {
  const [plays, visited] = [new Set(), new Set()];
  const visit = (play) => {
    const key = `${play.checkers} ${play.dice}`;
    if (visited.has(key)) return;
    visited.add(key);
    assert.equal(play.move === null, play.next.size > 0, `${answer.position}: ${play.steps}`);
    if (play.move !== null) plays.add(play.move);
    for (const next of play.next.values()) visit(next());
  };
  visit(beginPlay(answer));
  return plays;
}

let [count, slowest, most, quiet] = [0, 0, 0, 0];
for (let seed = 1; seed <= GAMES; seed += 1) {
  let { position } = await ask({ ask: "new", seed });
  for (let ply = 0; ; ply += 1) {
    const rolled = await ask({ ask: "roll", position, seed, ply });
    if (rolled.over) break;
    if (ply % EACH_PLIES === 0) {
      let hitting = 0;
      for (let roll = 0; roll < 36; roll += 1) {
        const dice = `${1 + Math.floor(roll / 6)}${1 + (roll % 6)}`;
        if (dice[0] < dice[1]) continue;
        const answer = await ask({ ask: "position", position: position.replace(/-$/, dice) });
        const began = performance.now();
        beginPlay(answer);
        slowest = Math.max(slowest, performance.now() - began);
        assert.deepEqual([...composed(answer)].sort(), answer.moves.map(({ move }) => move).sort(), answer.position);
        count += answer.moves.length;
        if (answer.moves.some(({ move }) => move.includes("*"))) hitting += dice[0] === dice[1] ? 1 : 2;
      }
      assert.equal(hittingRolls(checkersOf(position)), hitting, position);
      [most, quiet] = [Math.max(most, hitting), quiet + (hitting === 0)];
    }
    position = rolled.moves[(7 * ply) % rolled.moves.length].position;
  }
}
assert.ok(most > 25 && quiet > 3, `${most} ${quiet}`);
// White makes the bar point with 61, or leaves single checkers there and on 5.
const opening = "4HPwATDgc/ABMA w 61";
assert.deepEqual(measureBackgammon(opening, "13/7 8/7"), { wins: 0, hits: 0, shots: 0, off: 0, prime: 3, home: 1, back: 2, lead: 7 });
// 11 + 9 with a 4 or a 6, 31 and 51 twice each, 11, 22 and 33.
assert.equal(measureBackgammon(opening, "13/7 6/5").shots, 27);
console.log(`${count} plays of backgammon are composed of steps, the first of which take ${slowest.toFixed(0)} ms at most`);
