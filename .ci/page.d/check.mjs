// Plays a whole game of every game by clicks alone, and checks what the page then shows.
// Arguments: the address of `alea web`, the folder for pictures.

import { strict as assert } from "node:assert";
import puppeteer from "puppeteer-core";

const [address, pictures] = process.argv.slice(2);
const WIDTHS = [[390, 844], [768, 1024], [1440, 1000]];
const MOST_CLICKS = 400;

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
    return ended || document.querySelector("#board .spot.may, #unplaced button:enabled");
  });
const centre = (selector) =>
  page.evaluate((selector) => {
    const element = document.querySelector(selector);
    element.scrollIntoView({ block: "nearest" });
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  }, selector);
const plies = () => page.$$eval("#plies li", (items) => items.length);

/** Plays the move of whoever sits here: by the board, or by the list where the board has none. */
async function move(number) {
  const before = await plies();
  const names = (selector) => page.$$eval(selector, (spots) => spots.map((spot) => spot.dataset.square));
  const click = async (name) => page.mouse.click(...(await centre(`#board [data-square="${name}"]`)));
  const spots = await names("#board .spot.may");
  if (spots.length) {
    await click(spots[(number * 7) % spots.length]);
    const targets = await names('#board:has([aria-pressed="true"]) .spot:has(.target)');
    if (targets.length) await click(targets[number % targets.length]);
  } else {
    await page.click("#unplaced button");
  }
  await until((count) => document.querySelectorAll("#plies li").length > count, before);
}

async function wholeGame(notation) {
  await page.select("#game", notation);
  await until((value) => new URLSearchParams(location.hash.slice(1)).get("game") === value, notation);
  await page.evaluate(() => {
    const [first, second] = document.querySelectorAll("#seats select");
    const choose = (select, index) => {
      select.selectedIndex = index;
      select.dispatchEvent(new Event("change"));
    };
    choose(first, 0);
    choose(second, 1);
  });
  await until(() => !document.querySelector("#ledger table"));
  await hasSettled();
  const seed = await page.$eval("#seed", (field) => field.value);
  await page.click("#new");
  await until((seed) => document.querySelector("#seed").value !== seed, seed);
  await until(() => !document.querySelector("#ledger table"));
  for (let number = 0; number < MOST_CLICKS; number += 1) {
    await hasSettled();
    if (await page.$("#ledger table")) break;
    await move(number);
  }
  const ended = await text("#status");
  assert.match(ended, /won|draw/i, `${notation}: ${ended}`);
  // Read at one moment: answers that are still on their way may draw the ledger anew.
  const ledger = await page.evaluate(() => ({
    balance: Number(document.querySelector("#ledger [data-balance]").dataset.balance),
    rows: [...document.querySelectorAll("#ledger .ledger tr")].map((row) => ({
      sign: row.querySelector(".sign").textContent,
      name: row.querySelector("th").textContent,
      value: row.querySelector(".number").textContent,
    })),
  }));
  assert.ok(Math.abs(ledger.balance) < 1e-6, `${notation}: the ledger is off by ${ledger.balance}`);
  const hundredths = ledger.rows.map(({ sign, value }) =>
    (sign === "−" ? -1 : 1) * Math.round(100 * Number(value.replace("−", "-"))));
  const printed = hundredths.slice(0, -1).reduce((sum, value) => sum + value, 0);
  assert.equal(printed, hundredths.at(-1), `${notation}: the printed ledger adds up: ${JSON.stringify(ledger)}`);

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
  console.log(`${notation}: ${count} plies, ${ended}`);
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
  await page.click("#hint");
  await until(() => /^Hint: a3/.test(document.querySelector("#searchState").textContent));
  // Stone 3 goes from a3 to b2 by keys: to the board, then right and down.
  await page.evaluate(() => document.querySelector('#board [data-square="a3"]').focus());
  for (const key of ["Enter", "ArrowRight", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await until(() => document.querySelectorAll("#plies li").length === 1);
  await until(() => /^Blue has rolled/.test(document.querySelector("#status").textContent));
  assert.match(await text("#plies"), /a3b2/);
  await until(() => /a3b2/.test(document.querySelector("#verdict").textContent));
  // By drag: Blue's stone 1 from c1, after its roll is entered.
  await page.click('#die [data-face="1"]');
  await until(() => document.querySelector("#status").textContent === "Blue has rolled 1");
  await page.mouse.move(...(await centre('#board [data-square="c1"]')));
  await page.mouse.down();
  await page.mouse.move(...(await centre('#board [data-square="b1"]')), { steps: 5 });
  await page.mouse.up();
  await until(() => document.querySelectorAll("#plies li").length === 2);
  assert.match(await text("#plies"), /c1b1/);
  await page.click("#takeBack");
  await until(() => document.querySelectorAll("#plies li").length === 1);
  await page.goBack();
  await until(() => document.querySelectorAll("#plies li").length === 2);
  await page.goForward();
  await until(() => document.querySelectorAll("#plies li").length === 1);
  // A wrong text says what is wrong, a right one sets up.
  expects400 = true;
  await page.$eval("#position", (field) => (field.value = "nonsense"));
  await page.click("#edit button");
  await until(() => !document.querySelector("#positionProblem").hidden);
  assert.ok((await text("#positionProblem")).length > 10);
  expects400 = false;
  await page.$eval("#position", (field) => (field.value = "1..../...../..6../...../....a b 1"));
  await page.click("#edit button");
  await until(() => document.querySelectorAll("#plies li").length === 0);
  await until(() => document.querySelector("#status").textContent === "Blue has rolled 1");
  assert.equal(await page.$eval("#positionProblem", (element) => element.hidden), true);
  // Two programs play on by themselves; German; evaluators.
  await page.select("#language", "de");
  await until(() => document.querySelector("#status").textContent === "Blau hat 1 gewürfelt");
  await page.click("#evaluators summary");
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
  await page.click("#evaluators summary");
}

await page.setViewport({ width: 1440, height: 1000 });
await page.goto(address);
await page.waitForSelector("#board svg");
await page.select("#language", "en");
await page.select("#look", "light");
const notations = await page.$$eval("#game option", (options) => options.map(({ value }) => value));
const isQuick = (notation) => !/havannah\(base=[68]/.test(notation);
for (const notation of notations.filter(isQuick)) {
  await wholeGame(notation);
  if (/^(einstein|reversi|havannah\(base=4\)|reversixt)$/.test(notation)) {
    await page.click("#back");
    await page.click("#back");
    await until(() => document.querySelector("#moves .worth"));
    await photograph(notation.replace(/\W+/g, "-").replace(/-$/, ""));
  }
}
await handles();
await browser.close();
assert.deepEqual(problems, [], "the console is quiet");
