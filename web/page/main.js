// The page: who plays, what is shown, and what happens next.
//
// Invariant: every change goes through `update`, which counts an epoch; what comes back from the
// server for an earlier epoch is dropped.

import { Analyst, ask, askRecords } from "./api.js";
import { Board } from "./board.js";
import { layout as einstein } from "./board-einstein.js";
import { layoutOf } from "./board-plain.js";
import { layout as reversi } from "./board-reversi.js";
import { Clock, shownTime } from "./clock.js";
import { byId, el, keep, kept } from "./dom.js";
import { PALETTES, SEATS, withSeat, withSign } from "./editor.js";
import { Game, withFace } from "./game.js";
import { drawGraph } from "./graph.js";
import { drawDie, drawEvaluations, drawMoves } from "./moves.js";
import { addDrill, answerDrill, countDrills, mark, nextDrill } from "./drills.js";
import { SCORES, ladderOf, strengthOf } from "./strength.js";
import { MARKS, ledgerView, priceOf, verdictOf } from "./tutor.js";
import { whyBetter } from "./explain.js";
import { currentLanguage, number, percent, setLanguage, t, translate } from "./i18n.js";

const LAYOUTS = { einstein, reversi };
const THRESHOLDS = { doubtful: 4, error: 8, blunder: 16 };
/** Between the moves of two programs, so that one can follow. */
const WATCHING_MS = 450;
const PERSON = "";
/** Games of a file that may be chosen. */
const MOST_GAMES = 500;
/** Where depth 3 takes seconds for each position. */
const DEPTHS = { "havannah(base=6)": 2, "havannah(base=8)": 2 };

const settings = kept("settings", {});
settings.thresholds = { ...THRESHOLDS, ...settings.thresholds };
settings.searches ??= {};
settings.tutor ??= true;
settings.analyse ??= false;
settings.look ??= "auto";
settings.dice ??= "program";
settings.setups ??= "random";
settings.minutes ??= 0;
settings.puzzle ??= 0;

let games = [];
let game = null;
let seats = [];
/** Whether programs move and dice fall by themselves. */
let isRunning = true;
let epoch = 0;
/** The server's answer about the position that is shown, and its layout. */
let shown = null;
let shownEpoch = 0;
let layout = null;
let isPressed = false;
let isOwed = false;
let thinking = false;
let hinted = null;
let looked = null;
let several = null;
let urlOfGame = null;
/** What was wrong with the URL, until somebody does something else. */
let notice = null;
let ledger = null;
let wantedLedger = null;
/** What is to be found: `{values, drill?, puzzle?, move, back}`; `move` is null until the answer. */
let task = null;
/** The position that is edited, and what is put on its squares. */
let draft = null;

const answers = new Map();
const evaluations = new Map();
const clock = new Clock();
/** Errors that are kept as drills already. */
const collected = new Set();
const analyst = new Analyst(() => {
  if (!shown) return;
  collectDrills();
  render();
});
const board = new Board(byId("board"), {
  move: (move) => play(move),
  several: (moves) => {
    several = new Set(moves);
    render();
    byId("moves").querySelector("button")?.focus();
  },
});

// Names.

function seatName(seat) {
  return t(game.facts.seats[seat]);
}

function allSeats() {
  return game.facts.seats.map((_, seat) => seat);
}

/** Persons on all seats. */
function persons(facts) {
  return facts.seats.map(() => PERSON);
}

function playerName(player) {
  if (player === PERSON) return t("person");
  const level = game.facts.levels.find((known) => known.player === player);
  return level ? t(level.name) : player;
}

function winnerText(payoffs) {
  const winners = allSeats().filter((seat) => payoffs[seat] === Math.max(...payoffs));
  if (winners.length === 1) return t("hasWon", seatName(winners[0]));
  return payoffs.length === 2 ? t("draw") : t("haveWon", winners.map(seatName).join(", "));
}

function showProblem(text) {
  byId("problem").textContent = text === "offline" ? t("offline") : (text ?? "");
  byId("problem").hidden = !text;
}

// What is asked.

/** What the server says of a position, remembered. */
async function about(position, notation = game.notation) {
  const key = JSON.stringify([notation, position]);
  if (!answers.has(key)) {
    const answer = await ask({ ask: "position", game: notation, position });
    if (answers.size > 1000) answers.delete(answers.keys().next().value);
    answers.set(key, answer);
  }
  return answers.get(key);
}

function usualSearch() {
  const isOfTwo = game.facts.seats.length === 2;
  const name = game.hasDie ? "star2" : isOfTwo ? "star1" : "maxn";
  const hasBest = game.facts.evaluators.some((evaluator) => evaluator.name === "best");
  const depth = DEPTHS[game.notation] ?? (isOfTwo ? 3 : 2);
  return hasBest ? `${name}(depth=${depth}, eval=best)` : `${name}(depth=${depth})`;
}

function search() {
  return settings.searches[game.notation] ?? usualSearch();
}

function question(index) {
  return { game: game.notation, position: game.nodes[index].position, player: search() };
}

function analysisOf(index) {
  return analyst.known(question(index));
}

/** What a position is worth to each seat, by an analysis and the value to who moves; null where that is not known. */
function sharesOf(analysis, value, seat) {
  if (analysis?.shares) return analysis.shares;
  if (typeof value !== "number" || game.facts.seats.length > 2) return null;
  return seat === 0 ? [value, 1 - value] : [1 - value, value];
}

/** The same while a search goes on. */
function analysisNow() {
  return analyst.sofar(question(game.at));
}

function hasPerson() {
  return seats.includes(PERSON);
}

function showsValues() {
  if (task && task.move === null) return false;
  return settings.analyse || task !== null || !game.isAtEnd || game.node.over;
}

function wantAnalyses() {
  const wanted = [];
  if (showsValues() || settings.tutor || hinted) wanted.push(question(game.at));
  const isWrong = analysisOf(game.at)?.error !== undefined;
  if ((settings.tutor || showsValues()) && !isWrong) {
    for (let index = game.plies.length; index >= 0; index -= 1) wanted.push(question(index));
  }
  analyst.want(wanted);
}

// What happens.

/** Shows what has changed, and lets go on who is to go on. `entry` makes a step of the history. */
async function update({ entry = false } = {}) {
  epoch += 1;
  const now = epoch;
  thinking = false;
  hinted = looked = several = draft = null;
  runClock();
  byId("find").value = "";
  writeUrl(entry);
  byId("play").setAttribute("aria-busy", "true");
  try {
    const answer = await about(game.text());
    if (now !== epoch) return;
    shown = answer;
    shownEpoch = now;
    byId("play").removeAttribute("aria-busy");
    layout = (LAYOUTS[game.facts.name] ?? layoutOf(game.facts.name))(shown);
    showProblem(notice);
    render();
    wantAnalyses();
    await advance(now);
  } catch (error) {
    if (now !== epoch) return;
    thinking = false;
    isRunning = false;
    byId("play").removeAttribute("aria-busy");
    showProblem(error.message);
    if (shown) render();
  }
}

async function advance(now) {
  if (task) return;
  if (game.node.over) {
    if (settings.tutor && game.isAtEnd && game.plies.length) await makeLedger();
    return;
  }
  if (!game.isAtEnd || !isRunning) return;
  const common = { game: game.notation, position: game.text() };
  if (game.hasDie && game.face === null) {
    if (settings.dice === "hand") return;
    const rolled = await ask({ ask: "roll", ...common, seed: game.seed, ply: game.at });
    if (now !== epoch) return;
    game.roll(rolled.face);
    await update();
    return;
  }
  const player = seats[game.node.seat];
  if (player === PERSON) return;
  thinking = true;
  render();
  const pause = hasPerson() ? 0 : WATCHING_MS;
  const waited = new Promise((resolve) => setTimeout(resolve, pause));
  const seed = (game.seed + game.at) % Number.MAX_SAFE_INTEGER;
  const { move } = await ask({ ask: "move", ...common, player, seed });
  await waited;
  if (now === epoch) await play(move, false);
}

async function play(move, isByPerson = true) {
  const now = epoch;
  // What is on the board may still be the position before.
  if (now !== shownEpoch) return;
  const successor = shown.moves.find((known) => known.move === move);
  if (!successor || clock.over !== null) return;
  if (task && task.move === null) answerTask(move);
  try {
    const next = await about(successor.position);
    if (now !== epoch) return;
    game.play(move, next);
    if (isByPerson) {
      game.plies[game.at - 1].isOwn = true;
      isRunning = !task;
      notice = null;
    }
    await update({ entry: isByPerson });
  } catch (error) {
    if (now === epoch) showProblem(error.message);
  }
}

async function begin(notation, seed) {
  epoch += 1;
  const now = epoch;
  byId("play").setAttribute("aria-busy", "true");
  const facts = games.find((known) => known.notation === notation) ?? games[0];
  const isOther = facts !== game?.facts;
  try {
    const start = await ask({ ask: "new", game: facts.notation, seed, best: settings.setups === "best" });
    if (now !== epoch) return;
    game = new Game(facts, start, seed);
    task = null;
    clock.set(settings.minutes, facts.seats.length);
    settings.game = facts.notation;
    save();
    if (isOther) seats = settings.seats?.[facts.notation] ?? usualSeats(facts);
    isRunning = true;
    drawSetUp();
    await update({ entry: true });
  } catch (error) {
    if (now !== epoch) return;
    byId("play").removeAttribute("aria-busy");
    showProblem(error.message);
  }
}

function usualSeats(facts) {
  const { levels } = facts;
  const medium = (levels.find(({ name }) => name === "medium") ?? levels[0])?.player ?? PERSON;
  return facts.seats.map((_, seat) => (seat === 0 ? PERSON : medium));
}

function go(at) {
  notice = null;
  game.go(at);
  update();
}

async function makeLedger() {
  const asked = ledgerQuestion();
  const key = JSON.stringify(asked);
  if (wantedLedger === key) return;
  wantedLedger = key;
  ledger = null;
  render();
  try {
    ledger = { key, answer: await ask({ ask: "judge", ...asked }) };
  } catch (error) {
    ledger = { key, error: error.message };
  }
  if (wantedLedger === key) render();
}

// Practice.

/** Keeps the errors of moves made here whose prices are known. */
function collectDrills() {
  if (task || !settings.tutor) return;
  game.plies.forEach((ply, index) => {
    if (!ply.isOwn) return;
    const analysis = analysisOf(index);
    const price = priceOf(ply, analysis);
    if (!price || !verdictOf(price.error, settings.thresholds)) return;
    const position = game.hasDie ? withFace(game.nodes[index].position, ply.face) : game.nodes[index].position;
    const key = JSON.stringify([game.notation, position]);
    if (collected.has(key)) return;
    collected.add(key);
    about(position).then(({ moves }) => {
      const values = moves.map(({ move }) => [move, analysis.moves.find((rated) => rated.move === move)?.value]);
      addDrill(JSON.parse(key)[0], position, Object.fromEntries(values.filter(([, value]) => typeof value === "number")));
      renderTask();
    }, () => collected.delete(key));
  });
}

async function beginTask(facts, position, values, of) {
  const now = ++epoch;
  const back = task?.back ?? location.hash;
  const answer = await ask({ ask: "position", game: facts.notation, position });
  if (now !== epoch) return;
  game = new Game(facts, answer, 1);
  seats = persons(facts);
  task = { values, back, move: null, ...of };
  isRunning = false;
  notice = null;
  clock.set(0);
  drawSetUp();
  await update();
}

async function beginDrill() {
  const drill = nextDrill();
  const facts = games.find(({ notation }) => notation === drill?.game);
  if (facts) await beginTask(facts, drill.position, drill.values, { drill });
  else renderTask();
}

async function beginPuzzle() {
  const facts = games.find(({ notation }) => notation === "einstein");
  const puzzle = await ask({ ask: "puzzle", game: facts.notation, number: settings.puzzle });
  settings.puzzle = puzzle.number + 1;
  save();
  const values = Object.fromEntries(puzzle.moves.map(({ move, value }) => [move, value]));
  await beginTask(facts, puzzle.position, values, { puzzle });
}

function answerTask(move) {
  task.move = move;
  task.mark = mark(task.values, move);
  if (task.drill) answerDrill(task.drill, task.mark.isRight);
}

function endTask() {
  const { back } = task;
  task = null;
  history.pushState(null, "", back || "#");
  urlOfGame = "";
  readUrl().then((isGame) => isGame || begin(game.notation, game.seed));
}

function renderTask() {
  const { all, due } = countDrills();
  byId("drill").textContent = t("drill", due, all);
  byId("drill").disabled = due === 0;
  byId("endPractice").hidden = task === null;
  const host = byId("task");
  host.className = "";
  renderWhy(byId("taskWhy"), null);
  if (!task) {
    host.textContent = "";
    return;
  }
  const { face, seat } = { face: game.rolls[0], seat: game.nodes[0].seat };
  if (task.move === null) {
    const which = task.puzzle ? t("puzzleOf", task.puzzle.number + 1, task.puzzle.count) : t("drillOf");
    const what = face === null ? t("taskPlain", seatName(seat)) : t("task", seatName(seat), face);
    host.textContent = `${which} ${what}`;
    return;
  }
  const { best, value, error, isRight } = task.mark;
  host.className = isRight ? "best" : "error";
  host.textContent = isRight
    ? t("right", task.move, percent(value))
    : t("wrong", task.move, percent(error), best, percent(value));
  if (!isRight) renderWhy(byId("taskWhy"), { position: game.nodes[0].position, best, played: task.move });
}

/** Why a move of EinStein is better than another. */
function renderWhy(host, asked) {
  const isKnown = asked !== null && game.facts.name === "einstein";
  const told = isKnown ? whyBetter(asked.position, asked.best, asked.played) : [];
  host.hidden = told.length === 0;
  if ([...host.children].map(({ textContent }) => textContent).join() !== told.join()) {
    host.replaceChildren(...told.map((sentence) => el("li", {}, sentence)));
  }
}

// The clock.

function runClock() {
  const runs = !task && isRunning && game.isAtEnd && !game.node.over && clock.over === null;
  clock.run(runs ? game.node.seat : null);
}

function renderClock() {
  const left = clock.left();
  byId("clock").hidden = left === null;
  if (left === null) return;
  byId("clock").textContent = left.map((time, seat) => `${seatName(seat)} ${shownTime(time)}`).join(" · ");
  if (clock.over === null || !isRunning) return;
  isRunning = false;
  epoch += 1;
  thinking = false;
  shownEpoch = epoch;
  render();
}

// Files and free editing.

/** How recorded games end that are not played out. */
const ENDINGS = ["resigned", "time", "agreed", "awarded"];

/** The games of JSON lines; null where a file is something else, which the server reads. */
async function jsonLines(file) {
  const text = await file.text();
  if (!text.startsWith("{")) return null;
  const [heading, ...lines] = text.split("\n").filter(Boolean);
  const named = JSON.parse(heading);
  const read = (line) => {
    const one = JSON.parse(line);
    // As engine/src/core/text.rs has it: names do not turn or break the line that they stand in.
    const obeyed = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
    const name = (player) => String(named.players[player]).replace(obeyed, "\ufffd");
    return { ...one, players: one.players.map(name) };
  };
  return { game: named.game, games: lines.slice(0, MOST_GAMES).map(read) };
}

async function loadFile(file) {
  try {
    const { game: notation, games: found } = (await jsonLines(file)) ?? (await askRecords(file));
    const facts = games.find((known) => known.notation === notation);
    if (!found.length || !facts) throw new Error(t("noGames"));
    const ended = ({ payoffs, ending }) => (ENDINGS.includes(ending) ? `, ${payoffs.join(":")} ${t(ending)}` : "");
    const name = (one, index) => `${index + 1}: ${one.players.join(" – ")}${ended(one)}`;
    byId("recorded").replaceChildren(...found.map((one, index) => el("option", { value: index }, name(one, index))));
    byId("recordedOf").hidden = false;
    byId("recorded").onchange = () => showRecorded(facts, found[byId("recorded").value]);
    await showRecorded(facts, found[0]);
  } catch (error) {
    showProblem(error.message);
  }
}

async function showRecorded(facts, { start, plies, payoffs, ending }) {
  const parts = { game: facts.notation, seed: 1, start, at: 0 };
  persons(facts).forEach((player, seat) => (parts[`seat${seat + 1}`] = player));
  parts.plies = plies.map(({ outcome, move }) => (outcome ? `${outcome}${move}` : move)).join("_");
  task = null;
  clock.set(0);
  history.pushState(null, "", `#${new URLSearchParams(parts)}`);
  await readUrl();
  if (!ENDINGS.includes(ending)) return;
  game.result = payoffs;
  render();
}

function renderPalette() {
  const name = game.facts.name;
  byId("editBoard").hidden = !(name in PALETTES);
  byId("editBoard").textContent = t(draft ? "editDone" : "edit");
  byId("palette").hidden = draft === null;
  if (draft === null) return;
  const choice = (label, isOn, act) =>
    el("button", { type: "button", "aria-pressed": isOn ? "true" : "false", onclick: act }, label);
  const signs = [...PALETTES[name]].map((sign) =>
    choice(sign, sign === draft.sign, () => {
      draft.sign = sign;
      render();
    }),
  );
  const sides = SEATS[name].map((sign, seat) =>
    choice(t("toMove", seatName(seat)), draft.position.split(" ")[1] === sign, () => {
      draft.position = withSeat(name, draft.position, seat);
      render();
    }),
  );
  byId("palette").replaceChildren(...signs, ...sides, el("span", { class: "note" }, t("editHelp")));
}

function ledgerQuestion() {
  const plies = game.plies.map(({ face, move }) => (game.hasDie ? { face, move } : { move }));
  return { game: game.notation, start: game.nodes[0].position, plies, player: search(), payoffs: game.result };
}

async function evaluate() {
  if (!byId("evaluators").open) return;
  const { position } = game.node;
  const asked = { game: game.notation, position, evaluators: game.facts.evaluators.map(({ name }) => name) };
  const key = JSON.stringify([asked.game, position]);
  byId("evaluatorsView").textContent = t(game.hasDie ? "viewOf" : "viewPlain", seatName(game.node.seat));
  const helps = new Map(game.facts.evaluators.map(({ name, help }) => [name, help]));
  const draw = (values) => drawEvaluations(byId("evaluations"), values, (name) => helps.get(name) ?? null);
  if (!evaluations.has(key)) {
    if (evaluations.size > 500) evaluations.clear();
    const answer = ask({ ask: "evaluate", ...asked });
    answer.catch(() => evaluations.delete(key));
    evaluations.set(key, answer);
  }
  const now = epoch;
  try {
    const { values } = await evaluations.get(key);
    if (now === epoch) draw(values);
  } catch (error) {
    if (now === epoch) draw([{ name: "", error: error.message }]);
  }
}

// The URL.

function writeUrl(entry) {
  const hash = `#${game.hash(seats)}`.replace(/%(2F|28|29|2C)/g, (code) => decodeURIComponent(code));
  if (hash === urlOfGame) return;
  const isFirst = urlOfGame === null;
  urlOfGame = hash;
  history[entry && !isFirst ? "pushState" : "replaceState"](null, "", hash);
}

/** Shows the game of the URL; false if there is none. */
async function readUrl() {
  const { hash } = location;
  if (hash === urlOfGame) return true;
  if (!new URLSearchParams(hash.slice(1)).has("game")) return false;
  epoch += 1;
  const now = epoch;
  try {
    const read = await Game.fromHash(hash.slice(1), games);
    if (now !== epoch) return true;
    notice = task = null;
    clock.set(0);
    game = read.game;
    seats = read.seats ?? usualSeats(game.facts);
    isRunning = hasPerson();
    urlOfGame = hash;
    drawSetUp();
    await update();
    return true;
  } catch (error) {
    if (now !== epoch) return true;
    notice = t("badUrl", error.message);
    await (game ? update() : begin(games[0].notation, 1));
    return true;
  }
}

// What is shown.

function isPlayable() {
  if (draft || clock.over !== null || (task && task.move !== null)) return false;
  if (shown.over || (game.hasDie && game.face === null)) return false;
  return !game.isAtEnd || !isRunning || seats[game.node.seat] === PERSON;
}

function statusText() {
  const name = seatName(game.node.seat);
  if (clock.over !== null) return t("timeOver", seatName(clock.over));
  if (shown.over) return winnerText(shown.payoffs);
  if (game.result && game.isAtEnd) return winnerText(game.result);
  if (several) return t("which");
  const rolled = game.face === null ? null : t("rolled", name, game.face);
  if (thinking) return [rolled, t("thinking", playerName(seats[game.node.seat]))].filter(Boolean).join(" · ");
  if (rolled) return rolled;
  return t(game.hasDie ? "toRoll" : "toMove", name);
}

/** The last ply that the tutor speaks of. */
function judgedPly() {
  for (let index = game.at - 1; index >= 0; index -= 1) {
    if (seats[game.plies[index].seat] === PERSON || !hasPerson()) return index;
  }
  return null;
}

function arrowsNow(best) {
  const arrows = [];
  const index = judgedPly();
  if (settings.tutor && index !== null && !task) {
    const price = priceOf(game.plies[index], analysisOf(index));
    if (price && verdictOf(price.error, settings.thresholds)) {
      arrows.push({ ...layout.place(price.best), kind: "better" });
    }
  }
  if (best && (showsValues() || hinted)) arrows.push({ ...layout.place(best), kind: "best" });
  if (looked) arrows.push({ ...layout.place(looked), kind: "look" });
  return arrows;
}

/** What is best here, and what it is worth to the seat to move: after the roll, if there is one. */
function standNow() {
  const analysis = analysisNow();
  if (!analysis || analysis.error) return { analysis, best: null, value: null };
  if (game.face === null) {
    const best = game.hasDie ? null : analysis.best;
    return { analysis, best, value: analysis.value };
  }
  const rolled = analysis.faces?.find(({ face }) => face === game.face);
  return { analysis, best: rolled?.best ?? null, value: rolled?.value ?? analysis.value };
}

/** Draws all; while a button is pressed it waits, for what is drawn anew under the pointer hears no click. */
function render() {
  isOwed = isPressed;
  if (isPressed) return;
  const stand = standNow();
  byId("status").textContent = statusText();
  renderBar(stand);
  renderBoard(stand);
  renderMoves(stand);
  renderTutor();
  renderTask();
  renderClock();
  renderPalette();
  renderCourse();
  renderLedger();
  evaluate();
}

function renderBar({ analysis, value }) {
  const host = byId("bar");
  host.hidden = !showsValues();
  if (host.hidden) return;
  const shares = sharesOf(analysis, value, game.node.seat);
  const names = allSeats().map((seat) => `${seatName(seat)} ${shares ? percent(shares[seat]) : "–"}`);
  host.setAttribute("aria-label", `${t(names.length === 2 ? "winProbability" : "shares")}: ${names.join(", ")}`);
  const parts = shares ?? names.map(() => 1);
  const whole = parts.reduce((sum, part) => sum + part, 0) || 1;
  const width = (seat) => `width:${((100 * parts[seat]) / whole).toFixed(1)}%`;
  host.replaceChildren(
    el("span", { class: "parts" }, allSeats().map((seat) => el("span", { class: `seat${seat}`, style: width(seat) }))),
    el("span", { class: "labels" }, names.map((name) => el("span", { class: "label" }, name))),
  );
  host.dataset.game = game.facts.name;
}

function renderBoard({ best }) {
  const played = game.plies[game.at - 1];
  if (draft) {
    const squares = { position: draft.position, moves: [] };
    board.show({
      ...squares,
      layout: LAYOUTS[game.facts.name](squares),
      isPlayable: false,
      last: null,
      arrows: [],
      label: t("edit"),
      words: {},
      edit: (square) => {
        draft.position = withSign(game.facts.name, draft.position, square, draft.sign);
        byId("position").value = draft.position;
        render();
      },
    });
    return;
  }
  board.show({
    position: shown.position,
    layout,
    moves: shown.moves.map(({ move }) => move),
    isPlayable: isPlayable(),
    last: played ? layout.place(played.move) : null,
    arrows: arrowsNow(best),
    label: `${t("board")}: ${statusText()}`,
    words: { may: t("may"), selected: t("selected") },
  });
  const unplaced = shown.moves.filter(({ move }) => layout.squares.length && !layout.place(move).to);
  byId("unplaced").replaceChildren(
    ...unplaced.map(({ move }) =>
      el("button", { type: "button", class: "main", disabled: !isPlayable(), onclick: () => play(move) }, move),
    ),
  );
  byId("die").hidden = !game.hasDie;
  if (game.hasDie) {
    const rated = showsValues() ? (analysisOf(game.at)?.faces ?? null) : null;
    drawDie(byId("die"), { faces: game.facts.faces, face: game.face, rated, isOver: shown.over }, (face) => {
      if (face === null) isRunning = false;
      game.roll(face);
      update();
    });
  }
  const waits = game.isAtEnd && !shown.over && (seats[game.node.seat] !== PERSON || (game.hasDie && game.face === null));
  byId("run").hidden = isRunning ? hasPerson() || shown.over : !waits;
  byId("run").textContent = t(isRunning ? "pause" : "goOn");
  byId("takeBack").disabled = game.at === 0;
  byId("hint").disabled = !isPlayable() || task !== null;
}

function renderMoves({ analysis, best, value }) {
  const isShown = showsValues();
  const state = byId("searchState");
  state.classList.toggle("problem", Boolean(analysis?.error));
  if (analysis?.error) state.textContent = analysis.error;
  else if (hinted && !isShown) state.textContent = best ? t("hintIs", best) : t("searching");
  else if (!isShown) state.textContent = t("analysisOff");
  else if (!analysis) state.textContent = t("searching");
  else {
    const cost = t("cost", number(analysis.nodes, 0), number(analysis.milliseconds, 1));
    const worth = `${seatName(game.node.seat)} ${percent(value)} %${analysis.exact ? ` (${t("exact")})` : ""}`;
    const depth = analysisOf(game.at) || !analysis.depth ? "" : ` · ${t("depth", analysis.depth)}`;
    state.textContent = `${worth} · ${cost}${depth}`;
  }
  const find = byId("find");
  find.hidden = shown.moves.length <= 12;
  const text = find.value.trim().toLowerCase();
  const moves = shown.moves.map(({ move }) => move);
  const values = isShown && analysis?.moves ? new Map(analysis.moves.map((rated) => [rated.move, rated])) : null;
  const filter = (move) => (several ? several.has(move) : move.toLowerCase().includes(text));
  drawMoves(
    byId("moves"),
    { moves, values, best, isPlayable: isPlayable(), filter },
    {
      play,
      look: (move) => {
        looked = move;
        renderBoard(standNow());
      },
    },
  );
}

function verdictText() {
  const index = settings.tutor && !task ? judgedPly() : null;
  if (index === null) return settings.tutor ? [t("tutorQuiet"), ""] : ["", ""];
  const ply = game.plies[index];
  const analysis = analysisOf(index);
  if (analysis?.error) return [analysis.error, "problem"];
  const price = priceOf(ply, analysis);
  if (!price) return [analysis ? "" : t("searching"), ""];
  const name = seatName(ply.seat);
  if (price.error === 0) return [t("bestMove", name, ply.move), ""];
  if (price.error < 0.0005) return [t("asGood", name, ply.move, price.best), ""];
  const verdict = verdictOf(price.error, settings.thresholds);
  const cost = t("points", percent(price.error)) + (verdict ? ` (${t(verdict)})` : "");
  return [t("costs", name, ply.move, cost, price.best), verdict];
}

function renderTutor() {
  const [text, verdict] = verdictText();
  const host = byId("verdict");
  if (host.textContent !== text) host.textContent = text;
  host.className = verdict;
  const index = settings.tutor && !task ? judgedPly() : null;
  const price = index === null ? null : priceOf(game.plies[index], analysisOf(index));
  const costs = price && price.error >= 0.0005;
  const asked = costs ? { position: game.nodes[index].position, best: price.best, played: game.plies[index].move } : null;
  renderWhy(byId("why"), asked);
}

function renderCourse() {
  const isKnown = settings.tutor || showsValues();
  const hides = !showsValues();
  const verdicts = game.plies.map((ply, index) => {
    const price = isKnown ? priceOf(ply, analysisOf(index)) : null;
    return price ? verdictOf(price.error, settings.thresholds) : "";
  });
  const shares = game.nodes.map(({ seat }, index) =>
    hides && index === game.at ? null : sharesOf(analysisOf(index), analysisOf(index)?.value, seat),
  );
  // Of two seats one line says all.
  const lines = (game.facts.seats.length === 2 ? [0] : allSeats()).map((seat) => ({
    name: seatName(seat),
    values: shares.map((all) => all?.[seat] ?? null),
    marks: ["", ...verdicts.map((verdict, ply) => (game.facts.seats.length === 2 || game.plies[ply].seat === seat ? verdict : ""))],
  }));
  byId("graph").dataset.game = game.facts.name;
  drawGraph(byId("graph"), { lines, at: game.at }, go);
  byId("plyOf").textContent = t("plyOf", game.at, game.plies.length);
  byId("first").disabled = byId("back").disabled = game.at === 0;
  byId("last").disabled = byId("forth").disabled = game.isAtEnd;
  const list = byId("plies");
  const hadFocus = list.contains(document.activeElement);
  const item = (ply, index) =>
    el("li", {}, [
      el(
        "button",
        {
          type: "button",
          class: `link ${verdicts[index]}`,
          "aria-current": index + 1 === game.at ? "step" : null,
          onclick: () => go(index + 1),
        },
        [
          el("span", { class: `dot seat${ply.seat}`, "aria-hidden": "true" }),
          el("span", { class: "sr" }, `${seatName(ply.seat)} `),
          ply.face === null ? null : el("span", { class: "rolled" }, ply.face),
          ` ${ply.move}`,
          el("span", { "aria-hidden": "true" }, MARKS[verdicts[index]]),
          verdicts[index] ? el("span", { class: "sr" }, ` ${t(verdicts[index])}`) : null,
        ],
      ),
    ]);
  list.replaceChildren(...game.plies.map(item));
  list.dataset.game = game.facts.name;
  const current = list.querySelector("[aria-current]");
  if (hadFocus) current?.focus({ preventScroll: true });
  if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  else list.scrollTop = 0;
  const field = byId("position");
  if (document.activeElement !== field) {
    field.value = game.text();
    byId("positionProblem").hidden = true;
  }
}

function renderLedger() {
  const key = JSON.stringify(ledgerQuestion());
  const host = byId("ledger");
  host.dataset.game = game.facts.name;
  byId("makeLedger").hidden = wantedLedger === key;
  byId("makeLedger").disabled = game.plies.length === 0;
  const drawn = JSON.stringify([key, wantedLedger === key, ledger?.key === key, currentLanguage(), settings.thresholds]);
  if (host.drawn === drawn) return;
  host.drawn = drawn;
  if (game.plies.length === 0) host.replaceChildren(el("p", { class: "note" }, t("noPlies")));
  else if (wantedLedger !== key) host.replaceChildren();
  else if (ledger?.key !== key) host.replaceChildren(el("p", { class: "note" }, t("judging")));
  else if (ledger.error) host.replaceChildren(el("p", { class: "problem", lang: "en" }, ledger.error));
  else {
    const names = allSeats().map(seatName);
    const strengths = allSeats().map((seat) => strengthOf(ledger.answer, seat, game.notation, search()));
    host.replaceChildren(...ledgerView(ledger.answer, names, settings.thresholds, game.hasDie, go, strengths));
  }
}

/** Game, seats, seed and search: what changes only with the game. */
function drawSetUp() {
  byId("game").value = game.notation;
  byId("seed").value = game.seed;
  byId("dice").hidden = !game.hasDie;
  byId("setups").hidden = game.facts.name !== "einstein";
  drawLadder();
  byId("board").dataset.game = game.facts.name;
  byId("search").value = search();
  const searches = game.hasDie
    ? ["star2(depth=2)", "star2(depth=3)", "star2(ms=1000)", "mcts(sims=2000)"]
    : ["star1(depth=2)", "star1(depth=3)", "star1(depth=5)", "mcts(sims=2000)", "maxn(depth=3)"];
  byId("searches").replaceChildren(...[usualSearch(), ...searches].map((value) => el("option", { value })));
  byId("seats").replaceChildren(...seats.map(seatControl));
}

/** What each level scored against the one before. */
function drawLadder() {
  const elos = ladderOf(game.notation);
  const head = [t("level"), t("beatsLast"), t("elo")].map((text) => el("th", { scope: "col" }, text));
  const row = ({ name, player }, place) =>
    el("tr", {}, [
      el("th", { scope: "row", title: player }, t(name)),
      el("td", { class: "number" }, place in elos && place > 0 ? `${percent(SCORES[game.notation][place - 1])} %` : "–"),
      el("td", { class: "number" }, place in elos ? number(elos[place], 0) : "–"),
    ]);
  const rows = elos ? el("tbody", {}, game.facts.levels.map(row)) : null;
  const table = el("table", { class: "plies" }, [el("thead", {}, el("tr", {}, head)), rows]);
  byId("ladderTable").replaceChildren(elos ? table : el("p", { class: "note" }, t("notMeasured")));
}

function seatControl(player, seat) {
  const { levels } = game.facts;
  const known = [PERSON, ...levels.map((level) => level.player)];
  const isOther = !known.includes(player);
  const choose = (value) => {
    seats[seat] = value;
    settings.seats = { ...settings.seats, [game.notation]: [...seats] };
    save();
    isRunning = true;
    update();
  };
  const notation = el("input", {
    "aria-label": `${seatName(seat)}: ${t("notation")}`,
    spellcheck: "false",
    value: isOther ? player : "mcts(sims=500)",
    hidden: !isOther,
    onchange: () => notation.value.trim() && choose(notation.value.trim()),
  });
  const select = el(
    "select",
    {
      onchange: () => {
        notation.hidden = select.value !== "other";
        choose(select.value === "other" ? notation.value : select.value);
      },
    },
    [
      el("option", { value: PERSON }, t("person")),
      levels.map((level) => el("option", { value: level.player }, t(level.name))),
      el("option", { value: "other" }, t("other")),
    ],
  );
  select.value = isOther ? "other" : player;
  return el("div", { class: "row seat", "data-game": game.facts.name }, [
    el("label", {}, [el("span", {}, [el("span", { class: `dot seat${seat}`, "aria-hidden": "true" }), seatName(seat)]), select]),
    notation,
  ]);
}

// Settings and events.

function save() {
  keep("settings", settings);
}

function showLook() {
  const { dataset } = document.documentElement;
  if (settings.look === "auto") delete dataset.look;
  else dataset.look = settings.look;
}

function showLanguage() {
  setLanguage(currentLanguage());
  document.title = t("title");
  translate(document);
}

function bind() {
  const on = (id, kind, act) => byId(id).addEventListener(kind, act);
  const checkbox = (id, key) => {
    byId(id).checked = settings[key];
    on(id, "change", () => {
      settings[key] = byId(id).checked;
      save();
      wantAnalyses();
      render();
    });
  };
  checkbox("tutorOn", "tutor");
  checkbox("analyse", "analyse");
  for (const name of Object.keys(THRESHOLDS)) {
    byId(name).value = settings.thresholds[name];
    on(name, "change", () => {
      const value = Number(byId(name).value);
      settings.thresholds[name] = byId(name).value !== "" && value >= 0 && value <= 100 ? value : THRESHOLDS[name];
      byId(name).value = settings.thresholds[name];
      save();
      render();
    });
  }
  byId("language").value = currentLanguage();
  on("language", "change", () => {
    setLanguage(byId("language").value);
    showLanguage();
    drawSetUp();
    update();
  });
  byId("look").value = settings.look;
  on("look", "change", () => {
    settings.look = byId("look").value;
    save();
    showLook();
  });
  byId("diceBy").value = settings.dice;
  on("diceBy", "change", () => {
    settings.dice = byId("diceBy").value;
    save();
    update();
  });
  byId("setupsBy").value = settings.setups;
  byId("minutes").value = String(settings.minutes);
  on("setupsBy", "change", () => {
    settings.setups = byId("setupsBy").value;
    save();
    begin(game.notation, game.seed);
  });
  on("minutes", "change", () => {
    settings.minutes = Number(byId("minutes").value);
    save();
    clock.set(settings.minutes, game.facts.seats.length);
    runClock();
    render();
  });
  setInterval(() => shown && game && renderClock(), 200);
  const letGo = () => {
    isPressed = false;
    // After the click that this may be.
    setTimeout(() => isOwed && render());
  };
  document.addEventListener("pointerdown", () => (isPressed = true), true);
  for (const kind of ["pointerup", "pointercancel", "blur"]) window.addEventListener(kind, letGo);
  const orProblem = (act) => () => act().catch((error) => showProblem(error.message));
  on("drill", "click", orProblem(beginDrill));
  on("puzzle", "click", orProblem(beginPuzzle));
  on("endPractice", "click", endTask);
  on("file", "change", () => byId("file").files[0] && loadFile(byId("file").files[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files[0]) loadFile(event.dataTransfer.files[0]);
  });
  on("editBoard", "click", () => {
    if (draft) {
      byId("position").value = draft.position;
      byId("edit").requestSubmit();
      return;
    }
    const position = game.hasDie ? withFace(game.node.position, null) : game.node.position;
    draft = { position, sign: PALETTES[game.facts.name][0] };
    render();
  });
  const anew = (notation, seed) => {
    notice = null;
    begin(notation, seed);
  };
  on("game", "change", () => anew(byId("game").value, game.seed));
  on("new", "click", () => anew(game.notation, 1 + Math.floor(Math.random() * 999_999)));
  on("seed", "change", () => {
    const seed = Number(byId("seed").value);
    if (byId("seed").value !== "" && Number.isSafeInteger(seed) && seed >= 0) anew(game.notation, seed);
    else byId("seed").value = game.seed;
  });
  on("takeBack", "click", () => {
    game.takeBack((seat) => seats[seat] === PERSON || !hasPerson());
    if (!hasPerson()) isRunning = false;
    update({ entry: true });
  });
  on("hint", "click", () => {
    hinted = true;
    wantAnalyses();
    render();
  });
  on("run", "click", () => {
    isRunning = !isRunning;
    update();
  });
  on("search", "change", () => {
    const text = byId("search").value.trim();
    if (text === "" || text === usualSearch()) delete settings.searches[game.notation];
    else settings.searches[game.notation] = text;
    byId("search").value = search();
    save();
    wantAnalyses();
    render();
  });
  on("find", "input", () => {
    several = null;
    renderMoves(standNow());
  });
  on("evaluators", "toggle", evaluate);
  on("makeLedger", "click", makeLedger);
  on("first", "click", () => go(0));
  on("back", "click", () => go(game.at - 1));
  on("forth", "click", () => go(game.at + 1));
  on("last", "click", () => go(game.plies.length));
  on("edit", "submit", async (event) => {
    event.preventDefault();
    const problem = byId("positionProblem");
    const now = epoch;
    try {
      const answer = await ask({ ask: "position", game: game.notation, position: byId("position").value.trim() });
      if (now !== epoch) return;
      game = new Game(game.facts, answer, game.seed);
      task = null;
      isRunning = false;
      notice = null;
      problem.hidden = true;
      byId("position").value = game.text();
      update({ entry: true });
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  });
  addEventListener("popstate", readUrl);
  addEventListener("resize", () => shown && renderCourse());
  document.addEventListener("keydown", (event) => {
    const isField = event.target.closest?.("input, select, textarea, #board svg");
    if (isField || event.ctrlKey || event.metaKey || event.altKey || !game) return;
    const to = { ArrowLeft: game.at - 1, ArrowRight: game.at + 1, Home: 0, End: game.plies.length }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
}

async function open() {
  showLook();
  showLanguage();
  try {
    ({ games } = await ask({ ask: "games" }));
  } catch (error) {
    showProblem(error.message);
    return;
  }
  byId("game").replaceChildren(...games.map(({ notation }) => el("option", { value: notation }, notation)));
  if (!(await readUrl())) {
    const last = settings.game ?? games[0].notation;
    await begin(last, 1 + Math.floor(Math.random() * 999_999));
  }
}

bind();
open();
