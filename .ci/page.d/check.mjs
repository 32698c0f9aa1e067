// Plays a whole game of every game by clicks alone, and checks what the page then shows.
// Arguments: the address of `alea web` and the folder for pictures; or the address of an exported page alone.

import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const [address, pictures] = process.argv.slice(2);
const hasServer = pictures !== undefined;
const WIDTHS = [[390, 844], [768, 1024], [1440, 1000]];
const MOST_CLICKS = 400;
const MOST_BYTES = 350_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const alea = (...words) => execFileSync(process.env.ALEA, words, { encoding: "utf8" });

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage();
const problems = [];
// A question that is wrong on purpose is answered with status 400, which the browser reports.
let expects400 = false;
page.on("console", (message) => {
  const is400 = /status of 400/.test(message.text());
  if (["error", "warn"].includes(message.type()) && !(expects400 && is400)) problems.push(message.text());
});
page.on("pageerror", (error) => problems.push(error.message));
page.on("dialog", (dialog) => {
  problems.push(`dialog: ${dialog.message()}`);
  dialog.dismiss();
});

const text = (selector) => page.$eval(selector, (element) => element.textContent);
const until = (test, ...values) => page.waitForFunction(test, { timeout: 20_000, polling: 20 }, ...values);
const hasSettled = () =>
  until(() => {
    if (document.querySelector("#play").ariaBusy === "true") return false;
    const ended = document.querySelector("#ledger table");
    const hasSquares = document.querySelector("#board .spot");
    return ended || document.querySelector(hasSquares ? "#board .spot.may, #unplaced button:enabled" : "#moves [data-move]:not([aria-disabled])");
  });
const centre = (selector) =>
  page.evaluate((selector) => {
    const element = document.querySelector(selector);
    element.scrollIntoView({ block: "nearest" });
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  }, selector);
/** A click, tried again until it hits: answers that arrive may draw anew what was found a moment before. */
const press = (selector) => page.locator(selector).setTimeout(20_000).click();
/** A click on a move of the list, found and clicked in one step: its place changes with the values that arrive. */
const pressMove = (move) =>
  until((move) => {
    const button = document.querySelector(`#moves [data-move${move && `="${move}"`}]:not([aria-disabled])`);
    button?.click();
    return button;
  }, move);
const plies = () => page.$$eval("#plies li", (items) => items.length);

const names = (selector) => page.$$eval(selector, (spots) => spots.map((spot) => spot.dataset.square));
const clickSquare = async (name) => page.mouse.click(...(await centre(`#board [data-square="${name}"]`)));
const TARGETS = '#board:has([aria-pressed="true"]) .spot:has(.target)';
const labels = () => page.$$eval("#board .spot", (spots) => spots.map((spot) => spot.ariaLabel).join("; "));

/** Plays the move of whoever sits here: by the board, or by the list where the board has none. */
async function move(number) {
  const before = await plies();
  const spots = await names("#board .spot.may");
  if (spots.length) {
    await clickSquare(spots[(number * 7) % spots.length]);
    const targets = await names(TARGETS);
    if (targets.length) await clickSquare(targets[number % targets.length]);
  } else {
    await ((await page.$("#board .spot")) ? press("#unplaced button") : pressMove(""));
  }
  await until((count) => document.querySelectorAll("#plies li").length > count, before);
}

/**
 * Makes a play of backgammon step by step, the rearmost checker first and by one die; by a button if there is no step. Adds the
 * numbers and targets of steps to `seen`. Before the first play steps are taken back, by the button and by keys.
 */
async function playSteps(isFirst, seen) {
  const before = await plies();
  const highest = (points) => String(Math.max(...points.map((point) => Number(point) || 0)));
  const step = async () => {
    const shown = await text("#status");
    const sources = await names("#board .spot.may");
    const from = sources.includes("bar") ? "bar" : highest(sources);
    await clickSquare(from);
    const targets = await names(TARGETS);
    assert.ok(targets.length, `${shown}: nothing can be reached from ${from}`);
    const to = targets.includes("off") ? "off" : highest(targets);
    await clickSquare(to);
    seen.add(to);
    await until((before, shown) => {
      const goesOn = document.querySelector("#status").textContent !== shown && document.querySelector("#board .spot.may");
      return goesOn || document.querySelectorAll("#plies li").length > before;
    }, before, shown);
  };
  if (isFirst) {
    const start = await labels();
    for (const takeBack of [() => press("#takeBack"), () => page.keyboard.press("Escape"), () => page.keyboard.press("Backspace")]) {
      await step();
      assert.match(await text("#status"), /rolled \d\d: [\d/]+$/);
      assert.notEqual(await labels(), start, "the step is shown");
      await takeBack();
      await until(() => /rolled \d\d$/.test(document.querySelector("#status").textContent));
      assert.equal(await labels(), start, "the step is taken back");
    }
  }
  if (!(await page.$("#board .spot.may"))) await press("#unplaced button");
  for (let number = 1; number <= 4 && (await plies()) === before && (await page.$("#board .spot.may")); number += 1) {
    await step();
    seen.add(number);
  }
  await until((count) => document.querySelectorAll("#plies li").length > count, before);
}

async function wholeGame(notation) {
  await page.select("#game", notation);
  await until((value) => new URLSearchParams(location.hash.slice(1)).get("game") === value, notation);
  // A person, and beginners on all other seats; in backgammon they would take twice as many plies to the end.
  await page.evaluate((level) => {
    document.querySelectorAll("#seats select").forEach((select, seat) => {
      select.selectedIndex = seat === 0 ? 0 : level;
      select.dispatchEvent(new Event("change"));
    });
  }, notation === "backgammon" ? 6 : 1);
  // Strength is measured with the usual search; elsewhere one ply tells as much of the page.
  if (notation !== "einstein") {
    await page.$eval("#search", (field) => {
      field.value = field.value.replace(/depth=\d+/, "depth=1");
      field.dispatchEvent(new Event("change"));
    });
  }
  await until(() => !document.querySelector("#ledger table"));
  await hasSettled();
  const isBackgammon = notation === "backgammon";
  const seed = await page.$eval("#seed", (field) => field.value);
  if (isBackgammon) {
    // The rolls of this game are known.
    await page.$eval("#seed", (field) => {
      field.value = "1";
      field.dispatchEvent(new Event("change"));
    });
  } else await press("#new");
  await until((seed) => document.querySelector("#seed").value !== seed || location.hash.includes("seed=1&"), seed);
  await until(() => !document.querySelector("#ledger table"));
  const seen = new Set();
  for (let number = 0; number < MOST_CLICKS; number += 1) {
    await hasSettled();
    if (await page.$("#ledger table")) break;
    await (isBackgammon ? playSteps(number === 0, seen) : move(number));
  }
  if (isBackgammon) assert.ok(seen.has(4) && seen.has("off"), "doubles are played, checkers borne off");
  const ended = await text("#status");
  assert.match(ended, /won|draw|share/i, `${notation}: ${ended}`);
  // Read at one moment: answers that are still on their way may draw the ledger anew.
  const ledger = await page.evaluate(() => ({
    balance: Number(document.querySelector("#ledger [data-balance]").dataset.balance),
    rows: [...document.querySelectorAll("#ledger .ledger tbody tr:not(.each)")].map((row) => ({
      sign: row.querySelector(".sign").textContent,
      values: [...row.querySelectorAll(".number")].map((cell) => cell.textContent),
    })),
  }));
  assert.ok(Math.abs(ledger.balance) < 1e-6, `${notation}: the ledger is off by ${ledger.balance}`);
  const seats = await page.$$eval("#seats select", (all) => all.length);
  for (let seat = 0; seat < seats; seat += 1) {
    const units = ledger.rows.map(({ sign, values }) =>
      (sign === "−" ? -1 : 1) * Math.round(1000 * Number(values[seat].replace("−", "-"))));
    const printed = units.slice(0, -1).reduce((sum, value) => sum + value, 0);
    assert.equal(printed, units.at(-1), `${notation}: the printed ledger adds up: ${JSON.stringify(ledger)}`);
  }

  const strengths = await page.$$eval("#ledger .strength", (sentences) => sentences.map(({ textContent }) => textContent));
  const isStrength = (sentence) => /played (like the level|worse than beginner)|fit every level/.test(sentence);
  assert.equal(strengths.some(isStrength), notation === "einstein", `${notation}: ${strengths}`);

  // The address holds the whole game.
  const board = () => [...document.querySelectorAll("#board .spot")].map((spot) => spot.ariaLabel).join("; ");
  const stones = await page.evaluate(board);
  const count = await plies();
  const url = page.url();
  await page.goto("about:blank");
  await page.goto(url);
  await until((count) => document.querySelectorAll("#plies li").length === count, count);
  await until((ended) => document.querySelector("#status").textContent === ended, ended);
  assert.equal(await page.evaluate(board), stones, `${notation}: the board of the address is the same`);

  // Back and forth.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("ArrowLeft");
  await until((text) => document.querySelector("#plyOf").textContent === text, `ply ${count - 1} of ${count}`);
  await page.keyboard.press("End");
  await until((text) => document.querySelector("#plyOf").textContent === text, `ply ${count} of ${count}`);
  if (/^(einstein|reversi\(size=4\)|reversixt\(map=three\))$/.test(notation)) await ledgerByItself(notation);
  await accessible(notation);
  console.log(`${notation}: ${count} plies, ${ended}`);
}

const ask = (question) =>
  page.evaluate(async (question) => {
    const { ask } = await import(new URL("api.js", location.href).href);
    return ask(question);
  }, question);

/** Every term of the ledger that is shown, computed from analyses of each position by itself. */
async function ledgerByItself(notation) {
  const parts = new URLSearchParams(new URL(page.url()).hash.slice(1));
  const player = await page.$eval("#search", (field) => field.value);
  const game = notation;
  const hasDie = (await ask({ ask: "new", game, seed: 1 })).position.endsWith(" -");
  const plies = parts.get("plies").split("_").map((ply) => (hasDie ? { face: Number(ply[0]), move: ply.slice(1) } : { move: ply }));
  const ledger = await ask({ ask: "judge", game, start: parts.get("start"), plies, player });
  const near = (found, wanted, what) => assert.ok(Math.abs(found - wanted) < 1e-5, `${notation}: ${what}: ${found}, not ${wanted}`);
  const { games } = await ask({ ask: "games" });
  const { seats } = games.find((facts) => facts.notation === notation);
  const sums = seats.map(() => ({ luck: 0, errors: 0, others: 0, drift: 0 }));
  // What a value of who moves leaves the others, unless that is told.
  const all = ({ value, shares }, seat) => shares ?? seats.map((_, one) => (one === seat ? value : 1 - value));
  let position = parts.get("start");
  let thought = null;
  for (const [index, { face, move }] of plies.entries()) {
    const { seat, moves } = await ask({ ask: "position", game, position });
    const analysis = await ask({ ask: "analyse", game, position, player });
    const { faces, moves: rated } = analysis;
    const top = hasDie ? faces.find((one) => one.face === face) : analysis;
    const [before, rolled, after] = [analysis, top, rated.find((one) => one.move === move)].map((one) => all(one, seat));
    if (hasDie) near(faces.reduce((sum, one) => sum + one.weight * one.value, 0), analysis.value, "the mean of the rolls");
    // Drift, ply by ply: what the judge says of this position anew.
    seats.forEach((_, one) => {
      if (thought === null) near(ledger.seats[one].start, before[one], "start");
      else near(ledger.plies[index - 1].drift[one], before[one] - thought[one], `drift of ply ${index}`);
      sums[one].drift += thought === null ? 0 : before[one] - thought[one];
      sums[one].others += one === seat ? 0 : after[one] - before[one];
    });
    near(ledger.plies[index].luck, hasDie ? rolled[seat] - before[seat] : 0, `luck of ply ${index + 1}`);
    near(ledger.plies[index].error, rolled[seat] - after[seat], `error of ply ${index + 1}`);
    sums[seat].luck += hasDie ? rolled[seat] - before[seat] : 0;
    sums[seat].errors += rolled[seat] - after[seat];
    thought = after;
    position = moves.find((one) => one.move === move).position;
  }
  const { payoffs: results } = await ask({ ask: "position", game, position });
  seats.forEach((_, one) => {
    near(ledger.seats[one].result, results[one], "result");
    sums[one].drift += results[one] - thought[one];
    for (const [term, sum] of Object.entries(sums[one])) near(ledger.seats[one][term], sum, term);
  });
}

/** What axe-core calls serious or critical, in both looks and languages. */
async function accessible(name) {
  await page.evaluate(AXE);
  for (const [look, language] of [["light", "en"], ["dark", "de"]]) {
    await page.select("#look", look);
    await page.select("#language", language);
    await hasSettled();
    const found = await page.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
      const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      return grave.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
    });
    assert.deepEqual(found, [], `${name}, ${look}, ${language}`);
  }
  await page.select("#language", "en");
  await page.select("#look", "light");
}

async function photograph(name) {
  for (const look of ["light", "dark"]) {
    await page.select("#look", look);
    for (const [width, height] of WIDTHS) {
      await page.setViewport({ width, height });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${name} is ${wide} px wide at ${width} px`);
      await page.screenshot({ path: `${pictures}/${name}-${width}-${look}.png`, fullPage: true });
    }
  }
  await page.setViewport({ width: 1440, height: 1000 });
}

/** Keys, drag, taking back, the text field, the history, in EinStein. */
async function handles() {
  const start = "215../64.../3...e/...fb/..acd r -";
  const hash = new URLSearchParams({ game: "einstein", seed: 7, start, face: 3, seat1: "", seat2: "" });
  await page.goto("about:blank");
  await page.goto(`${address}#${hash}`);
  await until(() => document.querySelector("#status").textContent === "Red has rolled 3");
  await press("#hint");
  await until(() => /^Hint: a3/.test(document.querySelector("#searchState").textContent));
  // Stone 3 goes from a3 to b2 by keys: to the board, then right and down.
  await page.evaluate(() => document.querySelector('#board [data-square="a3"]').focus());
  for (const key of ["Enter", "ArrowRight", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await until(() => document.querySelectorAll("#plies li").length === 1);
  await until(() => /^Blue has rolled/.test(document.querySelector("#status").textContent));
  assert.match(await text("#plies"), /a3b2/);
  await until(() => /a3b2/.test(document.querySelector("#verdict").textContent));
  // The program's roll stays; by hand, another one is entered.
  const rolled = await text("#status");
  const other = /rolled 1/.test(rolled) ? 2 : 1;
  await page.$eval(`#die [data-face="${other}"]`, (button) => button.click());
  await hasSettled();
  assert.equal(await text("#status"), rolled, "a click changes no roll of a running game");
  await page.select("#diceBy", "hand");
  await until(() => !document.querySelector('#die [data-face="1"]').ariaDisabled);
  await press('#die [data-face="1"]');
  // By drag: Blue's stone 1 from c1.
  await until(() => document.querySelector("#status").textContent === "Blue has rolled 1");
  await hasSettled();
  await page.mouse.move(...(await centre('#board [data-square="c1"]')));
  await page.mouse.down();
  await page.mouse.move(...(await centre('#board [data-square="b1"]')), { steps: 5 });
  await page.mouse.up();
  await until(() => document.querySelectorAll("#plies li").length === 2);
  assert.match(await text("#plies"), /c1b1/);
  await press("#takeBack");
  await until(() => document.querySelectorAll("#plies li").length === 1);
  await page.goBack();
  await until(() => document.querySelectorAll("#plies li").length === 2);
  await page.goForward();
  await until(() => document.querySelectorAll("#plies li").length === 1);
  await page.select("#diceBy", "program");
  // A wrong text says what is wrong, a right one sets up.
  expects400 = true;
  await page.$eval("#position", (field) => (field.value = "nonsense"));
  await press("#edit button");
  await until(() => !document.querySelector("#positionProblem").hidden);
  assert.ok((await text("#positionProblem")).length > 10);
  expects400 = false;
  await page.$eval("#position", (field) => (field.value = "1..../...../..6../...../....a b 1"));
  await press("#edit button");
  await until(() => document.querySelectorAll("#plies li").length === 0);
  await until(() => document.querySelector("#status").textContent === "Blue has rolled 1");
  assert.equal(await page.$eval("#positionProblem", (element) => element.hidden), true);
  // Two programs play on by themselves; German; evaluators.
  await page.select("#language", "de");
  await until(() => document.querySelector("#status").textContent === "Blau hat 1 gewürfelt");
  await press("#evaluators summary");
  await until(() => document.querySelectorAll("#evaluations li .worth").length > 3);
  await page.select("#language", "en");
  await page.evaluate(() => {
    for (const select of document.querySelectorAll("#seats select")) {
      select.selectedIndex = 1;
      select.dispatchEvent(new Event("change"));
    }
  });
  await until(() => /won/.test(document.querySelector("#status").textContent));
  await until(() => document.querySelector("#ledger table"));
  await press("#evaluators summary");
}

/** A model of the folder `runs`, as opponent, in the analysis and among the evaluators. */
async function ownModel() {
  await page.goto("about:blank");
  const start = "215../64.../3...e/...fb/..acd r -";
  await page.goto(`${address}#${new URLSearchParams({ game: "einstein", seed: 7, start, face: 3, seat1: "", seat2: "" })}`);
  await until(() => document.querySelector("#status").textContent === "Red has rolled 3");
  const player = await page.$$eval("#seats option", (options) => options.find((option) => option.textContent === "mine-network").value);
  assert.match(player, /star2\(5, model:mine-network\)/);
  await page.select("#seats .seat:last-child select", player);
  await hasSettled();
  if ((await plies()) === 0) await move(0);
  await until(() => document.querySelectorAll("#plies li").length >= 2);
  await hasSettled();
  await press("#rollOut");
  await until(() => document.querySelectorAll("#rolledOut li").length > 0);
  assert.match(await text("#rolledOut li"), /^\w+: \d+\.\d ± \d+\.\d$/);
  const search = await page.$$eval("#searches option", (options) => options.map(({ value }) => value).find((value) => /model:mine-network/.test(value)));
  await page.$eval(
    "#search",
    (field, search) => {
      field.value = search;
      field.dispatchEvent(new Event("change"));
    },
    search,
  );
  await press("#evaluators summary");
  await until(() => /model:mine-network/.test(document.querySelector("#evaluations").textContent));
  await press("#analyse");
  await until(() => document.querySelector("#moves .worth"));
  assert.equal(await page.$eval("#problem", (element) => element.hidden), true);
  await press("#analyse");
  await press("#evaluators summary");
  await page.$eval("#search", (field) => {
    field.value = "";
    field.dispatchEvent(new Event("change"));
  });
}

/** What is shown for the positions of same_values.jsonl is what `alea analyse`, HTTP and Python say. */
async function sameValues() {
  const all = readFileSync(new URL("same_values.jsonl", import.meta.url), "utf8").trim().split("\n").map(JSON.parse);
  // The engine as WebAssembly is compared with the server by same.mjs.
  const lines = all.filter((_, index) => hasServer || index % 6 === 0);
  const shown = await page.evaluate(async (lines) => {
    const [{ ask }, { percent }] = await Promise.all(["api.js", "i18n.js"].map((name) => import(new URL(name, location.href).href)));
    const one = async ({ game, player, position }) => {
      const { value } = await ask({ ask: "analyse", game, player, position });
      return value === null ? null : percent(value, 2);
    };
    const all = [];
    for (let at = 0; at < lines.length; at += 4) all.push(...(await Promise.all(lines.slice(at, at + 4).map(one))));
    return all;
  }, lines);
  lines.forEach(({ value, ...line }, index) =>
    assert.equal(shown[index], value === null ? null : (100 * Number(value)).toFixed(2), JSON.stringify(line)));
  console.log(`${lines.length} positions have the same value as elsewhere`);
}

/** Variations: another move keeps the rest, both are walked, promoted, deleted; flip, resign, save and load. */
async function variations() {
  const start = "---------------------------OX------XO--------------------------- X";
  await page.goto("about:blank");
  await page.goto(`${address}#${new URLSearchParams({ game: "reversi", seed: 7, start, seat1: "", seat2: "" })}`);
  const line = async () => (await page.$$eval("#plies li > button", (all) => all.map((one) => one.textContent.replace(/^\S+ +/, "").replace(/[?!].*/, "").trim()))).join(" ");
  const is = (wanted) => until((wanted) => [...document.querySelectorAll("#plies li > button")].map((one) => one.textContent.replace(/^\S+ +/, "").replace(/[?!].*/, "").trim()).join(" ") === wanted, wanted);
  const play = async (move, wanted) => {
    await pressMove(move);
    await is(wanted);
    await hasSettled();
  };
  const folder = mkdtempSync("/tmp/alea-page-");
  const saved = async (format) => {
    const client = await page.createCDPSession();
    await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
    await page.select("#format", format);
    await press("#download");
    const path = `${folder}/reversi-7.${format}`;
    for (let tries = 0; tries < 100 && !existsSync(path); tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    return path;
  };
  await play("d3", "d3");
  await play("c3", "d3 c3");
  await play("c4", "d3 c3 c4");
  assert.match(await text("#boardNotes"), /Black 5 · White 2/);
  await press("#back");
  await press("#back");
  await until(() => document.querySelector("#plyOf").textContent === "ply 1 of 3");
  await hasSettled();
  await play("e3", "d3 e3");
  await press("#plies .others button");
  await is("d3 c3 c4");
  await page.goBack();
  await is("d3 e3");
  await page.reload();
  await is("d3 e3");
  await hasSettled();
  await press("#promote");
  await until(() => /_e3_\(c3_c4\)/.test(decodeURIComponent(location.hash)));
  // A file of this page keeps the variations.
  const input = await page.$("#file");
  const kept = `${folder}/kept.jsonl`;
  renameSync(await saved("jsonl"), kept);
  await press("#new");
  await until(() => document.querySelectorAll("#plies li").length === 0);
  await input.uploadFile(kept);
  await until(() => /_e3_\(c3_c4\)/.test(decodeURIComponent(location.hash)));
  await press("#last");
  await until(() => document.querySelector("#plyOf").textContent === "ply 2 of 2");
  await press("#deleteFromHere");
  await is("d3 c3 c4");
  assert.ok(await page.$eval("#deleteFromHere", (button) => !button.hidden));
  await press("#last");
  await until(() => document.querySelector("#plyOf").textContent === "ply 3 of 3");
  // Flipped, the same squares are on the other side.
  const [x] = await centre('#board [data-square="a1"]');
  await press("#flip");
  await until((x) => Math.abs(document.querySelector('#board [data-square="a1"]').getBoundingClientRect().x - x) > 100, x);
  await press("#flip");
  // Saved to a file and loaded again; what is saved can be reviewed by the command.
  await press("#resign");
  await until(() => /White has resigned. Black has won/.test(document.querySelector("#status").textContent));
  const file = await saved("jsonl");
  assert.match(alea("judge", file), /person/);
  assert.match(readFileSync(await saved("ggf"), "utf8"), /^\(;GM\[Othello\].*\)\s*$/s);
  await press("#new");
  await until(() => document.querySelectorAll("#plies li").length === 0);
  for (const name of ["jsonl", "ggf"]) {
    await input.uploadFile(`${folder}/reversi-7.${name}`);
    await is("d3 c3 c4");
    await press("#last");
    await until(() => /Black has won/.test(document.querySelector("#status").textContent));
    await press("#new");
    await until(() => document.querySelectorAll("#plies li").length === 0);
  }
  // The list of a file is not that of another game; puzzles do not jump to one.
  assert.equal(await page.$eval("#recordedOf", (label) => label.hidden), false);
  await page.select("#game", "havannah(base=4)");
  await until(() => document.querySelector("#recordedOf").hidden);
  assert.equal(await page.$eval("#puzzle", (button) => button.hidden), true);
  // Boards have no paper of their own in the dark.
  await page.select("#look", "dark");
  for (const game of ["havannah(base=4)", "reversixt(map=four)"]) {
    await page.select("#game", game);
    await until((game) => new URLSearchParams(location.hash.slice(1)).get("game") === game, game);
    await hasSettled();
    const fill = await page.$eval("#board .plate", (plate) => getComputedStyle(plate).fill);
    assert.ok(Math.max(...fill.match(/\d+/g).map(Number)) < 80, `${game}: ${fill}`);
  }
  await page.select("#look", "light");
  // Of ReversiXT, coordinates and one colour a player; German has no English captions.
  assert.ok((await page.$$("#board text.outer")).length >= 20);
  await page.select("#language", "de");
  await until(() => /Spieler 1: 4 Steine/.test(document.querySelector("#boardNotes").textContent));
  assert.doesNotMatch(await text("#board"), /stones|to move/);
  const dot = await page.$eval("#seats .dot.seat3", (one) => getComputedStyle(one).backgroundColor);
  const stone = await page.$eval('#board circle[fill="#f2c230"]', (one) => getComputedStyle(one).fill);
  assert.equal(dot, stone, "player 4 has one colour");
  await page.select("#language", "en");
}

/** The rules of every game on one screen, the tutor's reasons in each, and the warning before a blunder. */
async function lessons() {
  const at = async (game, start) => {
    await page.goto("about:blank");
    await page.goto(`${address}#${new URLSearchParams({ game, seed: 7, start, seat1: "", seat2: "" })}`);
    await until(() => document.querySelector("#board .spot.may"));
  };
  for (const game of ["einstein", "reversi", "havannah(base=4)", "reversixt(map=three)", "backgammon"]) {
    await page.select("#game", game);
    await until((game) => new URLSearchParams(location.hash.slice(1)).get("game") === game, game);
    const scores = await page.$$eval("#ladderTable tbody tr", (rows) => rows.map(({ textContent }) => textContent));
    assert.ok(scores.length >= 8 || game === "reversixt(map=three)", game);
    assert.ok(!scores.some((row) => /undefined|–$/.test(row)), `${game}: ${scores}`);
    const said = [];
    for (const language of ["en", "de"]) {
      await page.select("#language", language);
      await hasSettled();
      await press("#rules");
      await until(() => document.querySelector("#rulesDialog").open);
      said.push(await text("#rulesText"));
      const [all, shown] = await page.$eval("#rulesDialog", (dialog) => [dialog.scrollHeight, dialog.clientHeight]);
      assert.ok(all <= shown, `${game}: the rules need ${all} px of ${shown}`);
      assert.ok((await page.$$("#rulesText figure svg")).length >= 2, game);
      await press("#closeRules");
    }
    assert.ok(said[0].length > 300 && said[1].length > 300 && said[0] !== said[1], game);
    await page.select("#language", "en");
  }
  // The worst move: why it is, and what answers it.
  const worst = async (game, position) => {
    const player = await page.$eval("#search", (field) => field.value);
    const { moves } = await ask({ ask: "analyse", game, position, player });
    return moves.reduce((one, other) => (other.value < one.value ? other : one)).move;
  };
  const reversi = "------------------X-------XXX------OXO--------------------------";
  const reversixt = "00111020/00111110/01112222/02111021/02222200/02022200/00000220/00000000 play 2 0,0 0,0";
  for (const [game, start] of [["reversi", `${reversi} O`], ["havannah(base=4)", "d4 a1 d3 b1 e4"], ["reversixt", reversixt]]) {
    await at(game, start);
    const move = await worst(game, start);
    await pressMove(move);
    await until(() => /costs|as good|best move/.test(document.querySelector("#verdict").textContent));
    if (/costs/.test(await text("#verdict"))) await until(() => /The answer to/.test(document.querySelector("#why").textContent));
    console.log(`${game}: ${await text("#verdict")} ${await text("#why")}`);
    assert.match(await text("#verdict"), /costs/, "the position is of use");
    if (game === "reversixt") await until(() => /7,0 takes a corner/.test(document.querySelector("#why").textContent));
  }
  await at("backgammon", "4HPwATDgc/ABMA w 31");
  await pressMove(await worst("backgammon", "4HPwATDgc/ABMA w 31"));
  await until(() => /Rolls|Points|Checkers|Lead/.test(document.querySelector("#why").textContent));
  console.log(`backgammon: ${await text("#verdict")} ${await text("#why")}`);
  // A search that its time ends says how deep it came.
  await at("reversi", `${reversi} O`);
  const search = (text) =>
    page.$eval("#search", (field, text) => {
      field.value = text;
      field.dispatchEvent(new Event("change"));
    }, text);
  await press("#analyse");
  await search("star1(depth=12, ms=50)");
  await until(() => /stopped by the time limit at depth \d+ of 12/.test(document.querySelector("#searchState").textContent));
  await search("");
  await until(() => / depth 3$/.test(document.querySelector("#searchState").textContent));
  // Values that estimate no results are nowhere called percent of a win.
  await search("star1(depth=1, eval=random)");
  await until(() => /own scale, no win probability/.test(document.querySelector("#graphOf").textContent));
  await until(() => /own scale, no win probability/.test(document.querySelector("#searchState").textContent));
  await search("");
  await press("#analyse");
  await at("einstein", "...../a..../...../...1./..... r -");
  await page.select("#diceBy", "hand");
  await until(() => !document.querySelector('#die [data-face="3"]').ariaDisabled);
  await press('#die [data-face="3"]');
  await until(() => document.querySelector("#status").textContent === "Red has rolled 3");
  await press("#warnOn");
  await until(() => document.querySelector('#moves [data-move="d2d1"]:not([aria-disabled])'));
  await press("#hint");
  await until(() => /^Hint: d2/.test(document.querySelector("#searchState").textContent));
  await pressMove("d2d1");
  await until(() => /d2d1 would be a blunder: it costs [\d.]+ % of a win/.test(document.querySelector("#status").textContent));
  assert.equal(await plies(), 0, "a blunder is asked about");
  await pressMove("d2d1");
  await until(() => document.querySelectorAll("#plies li").length === 1);
  await press("#warnOn");
  await page.select("#diceBy", "program");
}

/** Values, costs, the review and a resignation of a game that pays points are points, as the API has them. */
async function points() {
  const [game, start, thirtyOne] = ["backgammon", "4HPwATDgc/ABMA w -", 3];
  const parts = { game, seed: 7, start, face: thirtyOne, seat1: "", seat2: "" };
  await page.goto("about:blank");
  await page.goto(`${address}#${new URLSearchParams(parts)}`);
  await until(() => /has rolled 31$/.test(document.querySelector("#status").textContent));
  const player = await page.$eval("#search", (field) => field.value);
  const { moves, equity, results } = await ask({ ask: "analyse", game, position: start.replace("-", "31"), player });
  const worst = moves.reduce((one, other) => (other.equity < one.equity ? other : one));
  await pressMove(worst.move);
  await until(() => /costs/.test(document.querySelector("#verdict").textContent));
  const verdict = await text("#verdict");
  const [, cost] = /costs (\d\.\d{3}) points \(blunder\)/.exec(verdict);
  assert.ok(Math.abs(cost - (equity - worst.equity)) < 0.00051, `${verdict}: ${equity}, ${worst.equity}`);
  await press("#back");
  await until(() => /^White \+\d\.\d{3} points/.test(document.querySelector("#searchState").textContent));
  const shown = Number(/[\d.]+/.exec(await text("#searchState"))[0]);
  assert.ok(Math.abs(shown - equity) < 0.00051, `${shown}: ${equity}`);
  assert.match(await text("#moves .worth"), /^\+0\.\d{3}/);
  const percents = (await text("#results")).match(/[\d.]+(?= %)/g).map(Number);
  const names = ["win", "win_gammon", "win_backgammon", "loss", "lose_gammon", "lose_backgammon"];
  assert.deepEqual(percents, names.map((name) => Number((100 * results[name]).toFixed(1))));
  await press("#rollOut");
  await until(() => document.querySelectorAll("#rolledOut li").length > 1);
  assert.match(await text("#rolledOut li"), /^[\w/* ]+: [+−-]\d\.\d{3} ± \d\.\d{3}$/);
  await press("#last");
  await press("#makeLedger");
  await until(() => document.querySelector("#ledger table"));
  const plies = [{ face: thirtyOne, move: worst.move }];
  const { seats } = await ask({ ask: "judge", game, start, plies, player });
  const errors = await page.$eval("#ledger .ledger tbody tr:nth-child(3) .number", (cell) => Number(cell.textContent));
  assert.ok(Math.abs(errors - seats[0].equity.errors) < 0.0021, `${errors}: ${seats[0].equity.errors}`);
  assert.match(await text("#ledger .note"), /^In points of the game/);
  await press("#resign");
  await until(() => /has resigned\. White has won \(\+1\.000 points\)/.test(document.querySelector("#status").textContent));
}

/** Opens the page at a position of EinStein, with persons on both sides. */
async function openAt(start, face) {
  const hash = new URLSearchParams({ game: "einstein", seed: 7, start, face, seat1: "", seat2: "" });
  await page.goto("about:blank");
  await page.goto(`${address}#${hash}`);
  await until(() => document.querySelector("#board .spot.may"));
}

/** The tutor's prices are those of the endgame tables; an error comes back as a drill, after a reload too. */
async function practice() {
  await page.evaluate(() => localStorage.removeItem("alea.drills"));
  const start = "...../...../.1..a/...../.2...";
  const position = `${start} r 1`;
  await openAt(`${start} r -`, 1);
  const { moves } = JSON.parse(alea("probe", position, "--json"));
  const [best, ...others] = moves.sort((one, other) => other.value - one.value);
  const worst = others.at(-1);
  const price = 100 * (best.value - worst.value);
  assert.ok(price > 5, "the position is of use");
  for (const square of [worst.move.slice(0, 2), worst.move.slice(2)]) {
    await page.mouse.click(...(await centre(`#board [data-square="${square}"]`)));
  }
  await until((move) => document.querySelector("#verdict").textContent.includes(move), worst.move);
  const verdict = await text("#verdict");
  const said = Number(/costs ([\d.]+) % of a win/.exec(verdict)[1]);
  assert.ok(Math.abs(said - price) <= 0.0501, `${verdict}: alea probe says ${price}`);
  const equals = moves.filter(({ value }) => value === best.value);
  assert.ok(equals.some(({ move }) => verdict.includes(move)), verdict);
  const why = await text("#why");
  // Stone 1 is 2 steps from the goal after b3c2 and 3 after b3b2, so it is the race.
  assert.match(why, /turns to the goal/, why);
  assert.ok(await page.$(".arrow.better"), "the better move is an arrow");
  console.log(`${verdict} ${why}`);
  await until(() => /1 due of 1/.test(document.querySelector("#drill").textContent));

  await page.reload();
  await until(() => /1 due of 1/.test(document.querySelector("#drill").textContent));
  // The game of the URL arrives later, and would end the drill.
  await hasSettled();
  // Again if values that arrived moved the button away from under the click.
  const isDrill = () => /^Drill\. Find the best move/.test(document.querySelector("#task").textContent);
  for (let begun = false, tries = 0; !begun; tries += 1) {
    await press("#drill");
    begun = await page.waitForFunction(isDrill, { timeout: 3000 }).catch((error) => assert.ok(tries < 5, error));
  }
  await until(() => document.querySelector("#board .spot.may"));
  assert.equal(await page.$(".moves .worth"), null, "the answer is hidden");
  assert.equal(await page.$(".arrow"), null, "the answer is hidden");
  await pressMove(worst.move);
  await until(() => /^No: /.test(document.querySelector("#task").textContent));
  // A wrong answer comes back at once, a right one tomorrow.
  await until(() => /1 due of 1/.test(document.querySelector("#drill").textContent));
  await press("#drill");
  await until(() => /^Drill\. Find/.test(document.querySelector("#task").textContent));
  await until(() => document.querySelector("#board .spot.may"));
  await pressMove(best.move);
  await until(() => /^Right: /.test(document.querySelector("#task").textContent));
  await until(() => /0 due of 1/.test(document.querySelector("#drill").textContent));
  const [drill] = await page.evaluate(() => JSON.parse(localStorage.getItem("alea.drills")));
  assert.ok(Math.abs(drill.due - Date.now() - 86_400_000) < 60_000 && drill.step === 1);
  // With its day it is due again.
  await page.evaluate(() => {
    const [drill] = JSON.parse(localStorage.getItem("alea.drills"));
    localStorage.setItem("alea.drills", JSON.stringify([{ ...drill, due: Date.now() - 1 }]));
  });
  await page.reload();
  await until(() => /1 due of 1/.test(document.querySelector("#drill").textContent));
  // The game of the URL arrives later, and would end the drill.
  await hasSettled();

  await press("#puzzle");
  await until(() => /^Puzzle \d+ of 300/.test(document.querySelector("#task").textContent));
  await until(() => document.querySelector("#board .spot.may"));
  const number = Number(/\d+/.exec(await text("#task"))[0]) - 1;
  const puzzle = await ask({ ask: "puzzle", game: "einstein", number });
  const truth = JSON.parse(alea("probe", puzzle.position, "--json"));
  truth.moves.sort((one, other) => other.value - one.value);
  assert.equal(truth.moves[0].move, puzzle.best, "the tables agree");
  await pressMove(puzzle.best);
  await until(() => /^Right: /.test(document.querySelector("#task").textContent));
  await press("#back");
  const exact = new RegExp(`^${(100 * truth.moves[0].value).toFixed(1)}=`);
  await until((text) => document.querySelector("#moves .best .worth")?.textContent.startsWith(text), (100 * truth.moves[0].value).toFixed(1));
  assert.match(await text("#moves .best .worth"), exact, "the values of the puzzle are exact");
  await press("#endPractice");
  await until(() => document.querySelector("#task").textContent === "");
}

/** Files of games, editing by clicks, the best set-ups, a clock. */
async function tools() {
  const folder = mkdtempSync("/tmp/alea-page-");
  alea("selfplay", "--games", "3", "--out", `${folder}/data`, "--player", "star1(depth=1)");
  alea("data", "export", `${folder}/data`, "--out", `${folder}/games.jsonl`);
  const [, first] = readFileSync(`${folder}/games.jsonl`, "utf8").split("\n");
  const plies_ = JSON.parse(first).plies;
  const input = await page.$("#file");
  for (const name of hasServer ? ["data/000000.games", "games.jsonl"] : ["games.jsonl"]) {
    await press("#new");
    await until(() => document.querySelectorAll("#plies li").length === 0);
    await input.uploadFile(`${folder}/${name}`);
    await until((count) => document.querySelectorAll("#plies li").length === count, plies_.length);
    await until(() => document.querySelectorAll("#recorded option").length === 3);
    assert.ok((await text("#plies li:last-child")).includes(plies_.at(-1).move), name);
  }
  // A game that a person played against a level goes on against it, with its rolls.
  const { position: start } = await ask({ ask: "new", game: "einstein", seed: 11 });
  const level = (await ask({ ask: "games" })).games[0].levels[2].player;
  const heading = { format: "alea-games-2", game: "einstein", players: ["person", level], run: { seed: 11 } };
  const line = { players: [0, 1], start, payoffs: [0, 0], plies: [] };
  writeFileSync(`${folder}/own.jsonl`, `${JSON.stringify(heading)}\n${JSON.stringify(line)}\n`);
  await input.uploadFile(`${folder}/own.jsonl`);
  await until((level) => document.querySelector("#seats .seat:last-child select").value === level, level);
  const { face } = await ask({ ask: "roll", game: "einstein", position: start, seed: 11, ply: 0 });
  await until((status) => document.querySelector("#status").textContent === status, `Red has rolled ${face}`);
  await move(0);
  await until(() => document.querySelectorAll("#plies li").length >= 2);
  expects400 = true;
  writeFileSync(`${folder}/no.games`, "ALEAGAME, but no more");
  await input.uploadFile(`${folder}/no.games`);
  await until(() => !document.querySelector("#problem").hidden);
  expects400 = false;

  await openAt("...../...../.1..a/...../.2... r -", 1);
  await press("#editBoard");
  await page.evaluate(() => [...document.querySelectorAll("#palette button")].find((one) => one.textContent === "Red 5").click());
  await page.mouse.click(...(await centre('#board [data-square="d5"]')));
  await press("#editBoard");
  await until(() => /^\.\.\.5\.\//.test(document.querySelector("#position").value));
  await until(() => document.querySelector("#palette").hidden);

  await page.select("#setupsBy", "best");
  await until(() => document.querySelectorAll("#plies li").length === 0);
  await page.select("#minutes", "1");
  await until(() => /0:5\d/.test(document.querySelector("#clock").textContent));
  await page.select("#minutes", "0");
  await page.select("#setupsBy", "random");
  await press("#ladder summary");
  assert.match(await text("#ladderTable"), /strongest59\.\d ± 1\.3 %41\d/);
}

await page.setViewport({ width: 1440, height: 1000 });
const sizes = [];
page.on("response", async (response) => {
  if (response.request().method() === "GET" && response.ok() && !response.url().endsWith(".wasm")) sizes.push((await response.buffer().catch(() => "")).length);
});
await page.goto(address);
await page.waitForSelector("#board svg");
const bytes = sizes.reduce((sum, size) => sum + size, 0);
await page.goto("about:blank");
const began = performance.now();
await page.goto(address);
await page.waitForSelector("#board svg");
console.log(`the board is there after ${(performance.now() - began).toFixed(0)} ms beside other checks, ${bytes} bytes`);
assert.ok(bytes < MOST_BYTES, "the page is too large");
await page.select("#language", "en");
await page.select("#look", "light");
const notations = await page.$$eval("#game option", (options) => options.map(({ value }) => value));
// One board of each game or two; the small ones as WebAssembly, which is slower.
const isQuick = (notation) =>
  hasServer
    ? !/havannah\(base=[68]|reversi\(size=[46]|^reversixt$/.test(notation)
    : /^(einstein|havannah\(base=4\)|reversi\(size=4\)|reversixt\(map=three\)|backgammon|columns)$/.test(notation);
for (const notation of notations.filter(isQuick)) {
  await wholeGame(notation);
  if (hasServer && /^(einstein|reversi|havannah\(base=4\)|reversixt\(map=four\)|backgammon)$/.test(notation)) {
    await press("#back");
    await press("#back");
    await until(() => document.querySelector("#moves .worth"));
    await photograph(notation.replace(/\W+/g, "-").replace(/-$/, ""));
  }
}
await handles();
if (hasServer) await ownModel();
await variations();
await lessons();
await points();
await sameValues();
await practice();
await tools();
await browser.close();
assert.deepEqual(problems, [], "the console is quiet");
