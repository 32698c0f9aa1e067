// The page: its state, the course of the game, and rendering.
//
// Invariant: every change goes through `update`, which increments the epoch; answers of the server for an
// earlier epoch are dropped.

import { Analyst, ask, askRecords } from "./api.js";
import { Board } from "./board.js";
import { layout as backgammon } from "./board-backgammon.js";
import { layout as einstein } from "./board-einstein.js";
import { layoutOf } from "./board-plain.js";
import { layout as reversi } from "./board-reversi.js";
import { Clock, formatTime } from "./clock.js";
import { byId, el, store, load } from "./dom.js";
import { PALETTES, SEAT_SYMBOLS, stoneOf, withSeat, withSymbol } from "./editor.js";
import { Game, rollName, withFace } from "./game.js";
import { drawGraph } from "./graph.js";
import { drawDie, drawEvaluations, drawMoves } from "./moves.js";
import { addDrill, answerDrill, countDrills, gradeAnswer, nextDrill, ratedPuzzle } from "./drills.js";
import { SCORES, errorsOf, hasStrengths, ladderOf, strengthOf } from "./strength.js";
import { ANNOTATIONS, reviewView, lossOf, gradeOf, strengthText } from "./tutor.js";
import { capturesOwn, hasReasons, needsAnswers, whyBetter } from "./explain.js";
import { hasRules, rulesOf } from "./rules.js";
import { differenceText, differenceWithUnit, gradedPayoffs, isInPoints, resultsText, setScale, valueText, valueWithUnit } from "./scale.js";
import { currentLanguage, number, percent, setLanguage, t, translate } from "./i18n.js";

const SCALES = { playouts: "playoutMean", evaluator: "evaluatorScale" };
const LAYOUTS = { backgammon, einstein, reversi };
const THRESHOLDS = { doubtful: 4, error: 8, blunder: 16 };
/** Pause between the moves of two programs. */
const PROGRAM_PAUSE_MS = 450;
const PERSON = "";
const MOST_ROLLED_OUT = 5;
/** Games from which a person's strength is estimated: with more, errors of the levels' own fit count. */
const MAX_POOLED_GAMES = 20;
/** Losses below, in hundredths of a win, are none: the search does not know values better. */
const SMALLEST_LOSS = 0.2;
/** Games of a file that are listed. */
const MAX_GAMES = 500;
/** For games in which depth 3 takes seconds for each position. */
const DEFAULT_DEPTHS = { "havannah(base=6)": 2, "havannah(base=8)": 2, backgammon: 1 };

const settings = load("settings", {});
settings.thresholds = { ...THRESHOLDS, ...settings.thresholds };
settings.searches ??= {};
settings.tutor ??= true;
settings.analyse ??= false;
settings.warn ??= false;
settings.look ??= "auto";
settings.dice ??= "program";
settings.setups ??= "random";
settings.minutes ??= 0;
settings.puzzle ??= 0;
settings.flipped ??= false;
settings.puzzles = { rating: 1000, solved: 0, guessed: 0, tried: 0, ...settings.puzzles };
settings.reviewed ??= [];

let games = [];
let game = null;
let seats = [];
/** Whether programs move and dice are rolled automatically. */
let isRunning = true;
let epoch = 0;
/** The server's answer on the current position, and its layout, which has the steps of an unfinished play. */
let current = null;
let currentEpoch = 0;
let layout = null;
let isPressed = false;
let isRenderPending = false;
let thinking = false;
let isHintShown = null;
let hoveredMove = null;
let moveChoices = null;
/** The blunder of which the person has been warned, `{move, cost}`. */
let warning = null;
let gameUrl = null;
/** The error of the URL, until the next action. */
let notice = null;
let review = null;
let requestedReview = null;
/** A drill or puzzle: `{values, drill?, puzzle?, move, back}`; `move` is null until the answer. */
let task = null;
/** The game whose file is loaded, or null. */
let loaded = null;
/** The edited position, and the symbol to place. */
let draft = null;

/** The server's answers on positions, and the promises of those that are on their way. */
const positions = new Map();
const awaited = new Map();
const evaluations = new Map();
const clock = new Clock();
/** Errors that are stored as drills. */
const collectedDrills = new Set();
const analyst = new Analyst(() => {
  if (!current) return;
  collectDrills();
  render();
});
const board = new Board(byId("board"), {
  move: (move) => (layout.play ? playStep(move) : play(move)),
  chooseAmong: (moves) => {
    moveChoices = new Set(moves);
    render();
    byId("moves").querySelector("button")?.focus();
  },
});

// Names.

function seatName(seat) {
  return t(game.info.seats[seat]);
}

function allSeats() {
  return game.info.seats.map((_, seat) => seat);
}

/** Persons on all seats. */
function persons(info) {
  return info.seats.map(() => PERSON);
}

function playerName(player) {
  if (player === PERSON) return t("person");
  const { levels, models } = game.info;
  const model = models.find((one) => one.player === player);
  const level = levels.find((one) => one.player === player);
  return model?.name ?? (level ? t(level.name) : player);
}

function winnerText(payoffs) {
  const winners = allSeats().filter((seat) => payoffs[seat] === Math.max(...payoffs));
  const won = isInPoints() ? ` (${valueWithUnit(payoffs[winners[0]])})` : "";
  if (winners.length === 1) return t("hasWon", seatName(winners[0])) + won;
  return payoffs.length === 2 ? t("draw") : t("haveWon", winners.map(seatName).join(", "));
}

function showProblem(text) {
  byId("problem").textContent = text === "offline" ? t("offline") : (text ?? "");
  byId("problem").hidden = !text;
}

/** Says why something failed that a person asked for, until their next move: a program's move would hide it. */
function showFailure({ message }) {
  notice = message;
  showProblem(notice);
}

// Requests.

/** The server's answer on a position, cached. */
async function fetchPosition(position, notation = game.notation) {
  const key = JSON.stringify([notation, position]);
  if (positions.has(key)) return positions.get(key);
  if (!awaited.has(key)) {
    const answer = ask({ ask: "position", game: notation, position });
    awaited.set(key, answer.finally(() => awaited.delete(key)));
  }
  const answer = await awaited.get(key);
  if (positions.size > 1000) positions.delete(positions.keys().next().value);
  positions.set(key, answer);
  return answer;
}

/** The server's answer on a position; null until it is there, which renders the page again. */
function knownAnswer(position) {
  const key = JSON.stringify([game.notation, position]);
  if (!positions.has(key) && !awaited.has(key)) fetchPosition(position).then(render, () => {});
  return positions.get(key) ?? null;
}

/** The server's answers on the positions after moves, by move; null until all are there. */
function answersAfter(position, moves) {
  const answer = knownAnswer(position);
  if (!answer) return null;
  const answers = moves.map((move) => [move, knownAnswer(answer.moves.find((one) => one.move === move).position)]);
  return answers.every(([, known]) => known) ? new Map(answers) : null;
}

/** The usual search, with another evaluator than the strongest if need be. */
function defaultSearch(evaluator = game.info.strongest_evaluator) {
  const isOfTwo = game.info.seats.length === 2;
  const name = game.hasDie ? "star2" : isOfTwo ? "star1" : "maxn";
  const depth = DEFAULT_DEPTHS[game.notation] ?? (isOfTwo ? 3 : 2);
  if (evaluator === game.info.evaluators[0]?.name && isOfTwo) return `${name}(depth=${depth})`;
  return `${name}(depth=${depth}, eval=${isOfTwo ? evaluator : `shares(${evaluator})`})`;
}

function search() {
  return settings.searches[game.notation] ?? defaultSearch();
}

function analysisRequest(index) {
  return { game: game.notation, position: game.nodes[index].position, player: search() };
}

function analysisOf(index) {
  return solutionOf(index) ?? asShares(analyst.answerTo(analysisRequest(index)));
}

/** The exact values of an answered puzzle as an analysis; null elsewhere. */
function solutionOf(index) {
  if (!task?.puzzle || task.move === null || index !== 0) return null;
  const { best, value } = task.answerGrade;
  const moves = Object.entries(task.values).map(([move, value]) => ({ move, value, exact: true }));
  return { moves, faces: [{ face: game.rolls[0], best, value }], best: null, value: null, exact: true, nodes: 0, milliseconds: 0 };
}

const scaled = new WeakMap();
/** Keys of answers that hold expected payoffs. */
const PAYOFF_KEYS = new Set("value shares start luck errors others drift result error_per_decision before rolled after error".split(" "));

/** An answer with payoffs of more than two seats as shares of all points, which add up to 1. */
function asShares(answer) {
  const { length } = game.info.seats;
  if (!answer || length === 2 || typeof answer.error === "string") return answer;
  if (!scaled.has(answer)) {
    const scale = (value, isPayoff) => {
      if (typeof value === "number") return isPayoff ? (2 * value) / length : value;
      if (Array.isArray(value)) return value.map((one) => scale(one, isPayoff));
      if (value === null || typeof value !== "object") return value;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, scale(one, PAYOFF_KEYS.has(key))]));
    };
    scaled.set(answer, scale(answer, false));
  }
  return scaled.get(answer);
}

/**
 * The thresholds of grades. With more than two seats, values change by about 0.04 of a payoff from depth
 * to depth, so smaller losses than twice that have none.
 */
function thresholds() {
  const { length } = game.info.seats;
  if (length === 2) return gradedPayoffs(settings.thresholds);
  const least = (100 * 0.08 * 2) / length;
  return Object.fromEntries(Object.entries(settings.thresholds).map(([name, value]) => [name, value > 0 ? Math.max(least, value) : 0]));
}

/** The loss of ply `index`, `isTold` if the search can tell it from none. */
function lossOfPly(index) {
  const loss = lossOf(game.plies[index], analysisOf(index));
  const isTold = !loss || game.info.seats.length === 2 || gradeOf(loss.error, thresholds()) !== "";
  return loss && { ...loss, isTold };
}

/** The value of a position to each seat, from an analysis and the value to the seat to move; null if unknown. */
function seatValues(analysis, value, seat) {
  if (analysis?.shares) return analysis.shares;
  if (typeof value !== "number" || game.info.seats.length > 2) return null;
  return seat === 0 ? [value, 1 - value] : [1 - value, value];
}

/** The analysis of the current position, also of a running search. */
function currentAnalysis() {
  return solutionOf(game.at) ?? asShares(analyst.partialAnswer(analysisRequest(game.at)));
}

function hasPerson() {
  return seats.includes(PERSON);
}

function showsValues() {
  if (task && task.move === null) return false;
  return settings.analyse || task !== null || !game.isAtEnd || game.node.over;
}

function requestAnalyses() {
  const requests = [];
  if (showsValues() || settings.tutor || isHintShown) requests.push(analysisRequest(game.at));
  const isWrong = analysisOf(game.at)?.error !== undefined;
  if ((settings.tutor || showsValues()) && !isWrong) {
    for (let index = game.plies.length; index >= 0; index -= 1) requests.push(analysisRequest(index));
  }
  analyst.request(requests);
}

// The course of the game.

/** Shows the changed state and continues the game. `entry` adds an entry to the history. */
async function update({ entry = false } = {}) {
  epoch += 1;
  const now = epoch;
  thinking = false;
  isHintShown = hoveredMove = moveChoices = draft = warning = null;
  byId("rolledOut").hidden = true;
  runClock();
  byId("find").value = "";
  writeUrl(entry);
  byId("play").setAttribute("aria-busy", "true");
  try {
    const answer = await fetchPosition(game.text());
    if (now !== epoch) return;
    current = answer;
    currentEpoch = now;
    byId("play").removeAttribute("aria-busy");
    layout = (LAYOUTS[game.info.name] ?? layoutOf(game.info.name))(current);
    showProblem(notice);
    render();
    requestAnalyses();
    await advance(now);
  } catch (error) {
    if (now !== epoch) return;
    thinking = false;
    isRunning = false;
    byId("play").removeAttribute("aria-busy");
    showProblem(error.message);
    if (current) render();
  }
}

/** Whether the rules or a resignation ended the game here. */
function isOver() {
  return game.node.over || (game.isAtEnd && game.resigned !== null);
}

async function advance(now) {
  if (task) return;
  if (isOver()) {
    if (settings.tutor && game.isAtEnd && game.plies.length) await requestReview();
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
  const pause = hasPerson() ? 0 : PROGRAM_PAUSE_MS;
  const pauseEnd = new Promise((resolve) => setTimeout(resolve, pause));
  const seed = (game.seed + game.at) % Number.MAX_SAFE_INTEGER;
  const { move } = await ask({ ask: "move", ...common, player, seed });
  await pauseEnd;
  if (now === epoch) await play(move, false);
}

/** Asks once before a move that is a blunder, if that is wanted. */
function warnsOf(move) {
  const loss = settings.warn && settings.tutor ? lossOf({ face: game.face, move }, analysisOf(game.at)) : null;
  if (!loss || gradeOf(loss.error, thresholds()) !== "blunder" || warning?.move === move) return false;
  warning = { move, cost: costText(loss.error, analysisOf(game.at)) };
  render();
  return true;
}

async function play(move, isByPerson = true) {
  const now = epoch;
  // The board may still show the previous position.
  if (now !== currentEpoch) return;
  const successor = current.moves.find((one) => one.move === move);
  if (!successor || clock.expiredSeat !== null) return;
  if (isByPerson && !task && warnsOf(move)) return;
  if (task && task.move === null) answerTask(move);
  try {
    const next = await fetchPosition(successor.position);
    if (now !== epoch) return;
    const { node, face } = game;
    const isSecondTry = node.children.some(({ ply }) => ply.face === face && ply.move !== move);
    const isHelped = isSecondTry || isHintShown || showsValues() || !byId("rolledOut").hidden;
    game.play(move, next);
    if (isByPerson) {
      const ply = game.plies[game.at - 1];
      if (!ply.isOwn) Object.assign(ply, { isOwn: true, isHelped });
      isRunning = !task;
      notice = null;
    }
    await update({ entry: isByPerson });
  } catch (error) {
    if (now === epoch) showProblem(error.message);
  }
}

/** Makes a step of a play, and the play with its last step. */
function playStep(step) {
  layout = layout.after(step);
  // At once, because the next click may come before `render`, which waits for the release of a button.
  renderBoard(currentValues());
  render();
  if (layout.play.move !== null) play(layout.play.move);
}

/** Takes back the last step of an unfinished play; false if there is none. */
function takeBackStep() {
  if (!layout?.before || !isPlayable()) return false;
  layout = layout.before;
  warning = null;
  render();
  return true;
}

async function startGame(notation, seed) {
  epoch += 1;
  const now = epoch;
  byId("play").setAttribute("aria-busy", "true");
  const info = games.find((one) => one.notation === notation) ?? games[0];
  const isOther = info !== game?.info;
  try {
    const start = await ask({ ask: "new", game: info.notation, seed, best: settings.setups === "best" });
    if (now !== epoch) return;
    game = new Game(info, start, seed);
    task = null;
    dropForeignFile();
    clock.set(settings.minutes, info.seats.length);
    settings.game = info.notation;
    save();
    if (isOther) seats = settings.seats?.[info.notation] ?? defaultSeats(info);
    isRunning = true;
    drawSetUp();
    await update({ entry: true });
  } catch (error) {
    if (now !== epoch) return;
    byId("play").removeAttribute("aria-busy");
    showProblem(error.message);
  }
}

function defaultSeats(info) {
  const { levels } = info;
  const medium = (levels.find(({ name }) => name === "medium") ?? levels[0])?.player ?? PERSON;
  return info.seats.map((_, seat) => (seat === 0 ? PERSON : medium));
}

/** Shows a variation. */
function choose(index, ply) {
  notice = null;
  game.choose(index, ply);
  isRunning = false;
  update({ entry: true });
}

function go(at) {
  notice = null;
  game.go(at);
  update();
}

async function requestReview() {
  const request = reviewRequest();
  const key = JSON.stringify(request);
  if (requestedReview === key) return;
  requestedReview = key;
  review = null;
  render();
  try {
    review = { key, answer: await ask({ ask: "judge", ...request }) };
  } catch (error) {
    review = { key, error: error.message };
  }
  if (requestedReview === key) render();
}

// Practice.

/** Stores the errors of a person's analysed moves as drills. */
function collectDrills() {
  if (task || !settings.tutor) return;
  game.plies.forEach((ply, index) => {
    if (!ply.isOwn) return;
    const analysis = analysisOf(index);
    const loss = lossOf(ply, analysis);
    // Drills compare values from different searches.
    if (!loss || analysis.scale || !gradeOf(loss.error, thresholds())) return;
    const position = game.hasDie ? withFace(game.info, game.nodes[index].position, ply.face) : game.nodes[index].position;
    const key = JSON.stringify([game.notation, position]);
    if (collectedDrills.has(key)) return;
    collectedDrills.add(key);
    fetchPosition(position).then(({ moves }) => {
      const values = moves.map(({ move }) => [move, analysis.moves.find((rated) => rated.move === move)?.value]);
      addDrill(JSON.parse(key)[0], position, Object.fromEntries(values.filter(([, value]) => typeof value === "number")));
      renderTask();
    }, () => collectedDrills.delete(key));
  });
}

async function beginTask(info, position, values, source) {
  const now = ++epoch;
  const back = task?.back ?? location.hash;
  const answer = await ask({ ask: "position", game: info.notation, position });
  if (now !== epoch) return;
  game = new Game(info, answer, game.seed);
  seats = persons(info);
  task = { values, back, move: null, ...source };
  isRunning = false;
  notice = null;
  clock.set(0);
  drawSetUp();
  await update();
}

async function beginDrill() {
  const drill = nextDrill(game.notation);
  const info = games.find(({ notation }) => notation === drill?.game);
  if (info) await beginTask(info, drill.position, drill.values, { drill });
  else renderTask();
}

async function beginPuzzle() {
  const { info } = game;
  const puzzle = await ask({ ask: "puzzle", game: info.notation, number: settings.puzzle });
  settings.puzzle = puzzle.number + 1;
  save();
  const values = Object.fromEntries(puzzle.moves.map(({ move, value }) => [move, value]));
  await beginTask(info, puzzle.position, values, { puzzle });
}

function answerTask(move) {
  task.move = move;
  task.answerGrade = gradeAnswer(task.values, move);
  if (task.isAgain) return;
  if (task.drill) answerDrill(task.drill, task.answerGrade.isRight);
  if (task.puzzle) {
    settings.puzzles = ratedPuzzle(settings.puzzles, task.values, task.answerGrade.isRight);
    save();
  }
}

/** Shows the task anew; another answer counts no more. */
function tryAgain() {
  task.move = null;
  task.isAgain = true;
  game.takeBack(() => true);
  update();
}

function endTask() {
  const { back } = task;
  // `task` tells `readUrl` that the shown tree is none of the game's.
  history.pushState(null, "", back || "#");
  gameUrl = "";
  readUrl().then((isGame) => isGame || startGame(game.notation, game.seed));
}

function renderTask() {
  const { all, due } = countDrills(game.notation);
  byId("drill").textContent = t("drill", due, all);
  byId("drill").disabled = due === 0;
  byId("puzzle").hidden = byId("puzzleHelp").hidden = !game.info.puzzles;
  const { rating, solved, guessed, tried } = settings.puzzles;
  byId("puzzleRating").hidden = !game.info.puzzles || tried === 0;
  byId("puzzleRating").textContent = t("puzzleRating", number(rating, 0), solved, tried, number(guessed, 1));
  byId("tryAgain").hidden = task === null || task.move === null || task.answerGrade.isRight;
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
    const what = face === null ? t("taskPlain", seatName(seat)) : t("task", seatName(seat), rollName(game.info, face));
    host.textContent = `${which} ${what}`;
    return;
  }
  const { best, value, error, isRight } = task.answerGrade;
  host.className = isRight ? "best" : "error";
  host.textContent = isRight
    ? t("right", task.move, valueWithUnit(value))
    : t("wrong", task.move, differenceWithUnit(error), best, valueWithUnit(value));
  if (!isRight) renderWhy(byId("taskWhy"), { position: game.nodes[0].position, best, played: task.move });
}

/** The reasons why a move is better than another; none where they are not known yet. */
function reasonsFor(position, best, played) {
  const { name } = game.info;
  if (!hasReasons(name)) return [];
  const answers = needsAnswers(name) ? answersAfter(position, [best, played]) : null;
  return needsAnswers(name) && !answers ? [] : whyBetter(game.info, position, best, played, answers);
}

/** Renders why a move is better than another, and what refutes that. */
function renderWhy(host, request) {
  const reasons = request ? reasonsFor(request.position, request.best, request.played) : [];
  if (request?.refutation) reasons.push(request.refutation);
  host.hidden = reasons.length === 0;
  if ([...host.children].map(({ textContent }) => textContent).join() !== reasons.join()) {
    host.replaceChildren(...reasons.map((sentence) => el("li", {}, sentence)));
  }
}

// The clock.

function runClock() {
  const runs = !task && isRunning && game.isAtEnd && !isOver() && clock.expiredSeat === null;
  clock.run(runs ? game.node.seat : null);
}

function renderClock() {
  const remaining = clock.remaining();
  byId("clock").hidden = remaining === null;
  if (remaining === null) return;
  byId("clock").textContent = remaining.map((time, seat) => `${seatName(seat)} ${formatTime(time)}`).join(" · ");
  if (clock.expiredSeat === null || !isRunning) return;
  isRunning = false;
  epoch += 1;
  thinking = false;
  warning = null;
  currentEpoch = epoch;
  render();
}

// Files and free editing.

/** Endings of recorded games that are not by the rules. */
const ENDINGS = ["resigned", "time", "agreed", "awarded"];

/** The games of JSON lines; null for other files, which the server reads. */
async function jsonLines(file) {
  const text = await file.text();
  if (!text.startsWith("{")) return null;
  const [heading, ...lines] = text.split("\n").filter(Boolean);
  const head = JSON.parse(heading);
  const read = (line) => {
    const one = JSON.parse(line);
    // As in engine/core/src/text.rs: names must not turn or break their line.
    const controlCharacters = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
    const name = (player) => String(head.players[player]).replace(controlCharacters, "\ufffd");
    return { ...one, players: one.players.map(name) };
  };
  return { game: head.game, seed: head.run?.seed, games: lines.slice(0, MAX_GAMES).map(read) };
}

/** The games of a text of another program in the current game; null for other files. */
async function transcript(file) {
  const format = (game.info.formats ?? []).find((name) => file.name.toLowerCase().endsWith(`.${name}`));
  return format ? ask({ ask: "read", game: game.notation, format, text: await file.text() }) : null;
}

async function loadFile(file) {
  try {
    const read = (await jsonLines(file)) ?? (await transcript(file)) ?? (await askRecords(file));
    const { game: notation, games: recorded } = read;
    const info = games.find((one) => one.notation === notation);
    if (!recorded.length || !info) throw new Error(t("noGames"));
    const ended = ({ payoffs, ending }) => (ENDINGS.includes(ending) ? `, ${payoffs.join(":")} ${t(ending)}` : "");
    const name = (one, index) => `${index + 1}: ${one.players.join(" – ")}${ended(one)}`;
    byId("recorded").replaceChildren(...recorded.map((one, index) => el("option", { value: index }, name(one, index))));
    loaded = notation;
    byId("recordedOf").hidden = false;
    byId("recorded").onchange = () => showRecorded(info, recorded[byId("recorded").value], read.seed);
    await showRecorded(info, recorded[0], read.seed);
  } catch (error) {
    showFailure(error);
  }
}

/** Empties the list of a file of another game. */
function dropForeignFile() {
  if (loaded === null || loaded === game.notation) return;
  loaded = null;
  byId("file").value = "";
  byId("recordedOf").hidden = true;
  byId("recorded").replaceChildren();
}

/** Shows a recorded game; who plays like a level or an own model goes on doing so. */
async function showRecorded(info, { players, start, plies, payoffs, ending, variations }, seed = 1) {
  const parts = { game: info.notation, seed, start, at: 0 };
  const known = [...info.levels, ...info.models].map(({ player }) => player);
  players.forEach((player, seat) => (parts[`seat${seat + 1}`] = known.includes(player) ? player : PERSON));
  parts.plies = plies.map(({ outcome, move }) => (info.faces ? `${rollName(info, outcome)}${move}` : move)).join("_");
  if (variations) parts.tree = variations;
  task = null;
  clock.set(0);
  history.pushState(null, "", `#${new URLSearchParams(parts)}`);
  gameUrl = null;
  await readUrl(ENDINGS.includes(ending) ? payoffs : null);
}

/** The game as JSON lines, which `alea play --resume`, `alea judge` and this page read. */
function gameAsJsonLines() {
  const players = seats.map((player) => player || "person");
  const { payoffs } = current.over ? current : { payoffs: game.result };
  const names = [...new Set(players)];
  const heading = { format: "alea-games-2", game: game.notation, players: names, run: { seed: game.seed } };
  const plies = game.plies.map(({ face, move }) => ({ ...(face === null ? {} : { outcome: face }), move, value: null, explored: false }));
  const ending = game.resigned === null ? {} : { ending: "resigned" };
  const line = { players: players.map((name) => names.indexOf(name)), start: game.nodes[0].position, payoffs: payoffs ?? seats.map(() => 0), ...ending, plies, ...(game.tree === null ? {} : { variations: game.tree }) };
  return `${JSON.stringify(heading)}\n${JSON.stringify(line)}\n`;
}

async function downloadGame() {
  const format = byId("format").value;
  const players = seats.map((player) => player || "person");
  const { start, plies } = reviewRequest();
  const text = format === "jsonl"
    ? gameAsJsonLines()
    : (await ask({ ask: "write", game: game.notation, start, plies, players, resigned: game.resigned, format })).text;
  const link = el("a", { href: URL.createObjectURL(new Blob([text])), download: `${game.info.name}-${game.seed}.${format}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function copyLink() {
  await navigator.clipboard.writeText(location.href);
  byId("copied").textContent = t("copied");
}

/** The last ply of a person's that the tutor calls a mistake; null without one. */
function lastMistake() {
  for (let index = game.at - 1; index >= 0; index -= 1) {
    const loss = seats[game.plies[index].seat] === PERSON ? lossOfPly(index) : null;
    if (loss && gradeOf(loss.error, thresholds())) return index;
  }
  return null;
}

/** Goes back to before the last mistake, to play on from there; the line stays as a variation. */
function retryMistake() {
  const index = lastMistake();
  if (index === null) return;
  game.go(index + 1);
  game.takeBack(() => true);
  isRunning = true;
  update({ entry: true });
}

function renderPalette() {
  const name = game.info.name;
  byId("editBoard").hidden = !(name in PALETTES);
  byId("editBoard").textContent = t(draft ? "editDone" : "edit");
  byId("palette").hidden = draft === null;
  byId("palette").dataset.game = name;
  if (draft === null) return;
  const choice = (label, isOn, act) =>
    el("button", { type: "button", "aria-pressed": isOn ? "true" : "false", onclick: act }, label);
  const symbols = [...PALETTES[name]].map((symbol) => {
    const stone = stoneOf(name, symbol);
    const dot = stone && el("span", { class: `dot seat${stone.seat}`, "aria-hidden": "true" });
    const label = stone ? [dot, el("span", { class: "sr" }, `${seatName(stone.seat)} `), stone.number] : t("empty");
    return choice(label, symbol === draft.symbol, () => {
      draft.symbol = symbol;
      render();
    });
  });
  const sides = SEAT_SYMBOLS[name].map((symbol, seat) =>
    choice(t("toMove", seatName(seat)), draft.position.split(" ")[1] === symbol, () => {
      draft.position = withSeat(name, draft.position, seat);
      render();
    }),
  );
  byId("palette").replaceChildren(...symbols, ...sides);
}

function reviewRequest() {
  const plies = game.plies.map(({ face, move }) => (game.hasDie ? { face, move } : { move }));
  return { game: game.notation, start: game.nodes[0].position, plies, player: search(), payoffs: game.result };
}

async function evaluate() {
  if (!byId("evaluators").open) return;
  const { position } = game.node;
  const request = { game: game.notation, position, evaluators: game.info.evaluators.map(({ name }) => name) };
  const key = JSON.stringify([request.game, position]);
  const plain = isInPoints() ? ["viewEquityOf", "viewEquity"] : ["viewOf", "viewPlain"];
  const view = game.info.seats.length > 2 ? "viewShare" : plain[game.hasDie ? 0 : 1];
  byId("evaluatorsView").textContent = t(view, seatName(game.node.seat));
  const helps = new Map(game.info.evaluators.map(({ name, help }) => [name, help]));
  const draw = (values) => drawEvaluations(byId("evaluations"), values, (name) => helps.get(name) ?? null);
  if (!evaluations.has(key)) {
    if (evaluations.size > 500) evaluations.clear();
    const answer = evaluateAll(request);
    answer.catch(() => evaluations.delete(key));
    evaluations.set(key, answer);
  }
  const now = epoch;
  try {
    const { values } = asShares(await evaluations.get(key));
    if (now === epoch) draw(values);
  } catch (error) {
    if (now === epoch) draw([{ name: "", error: error.message }]);
  }
}

// The URL.

function writeUrl(entry) {
  const hash = `#${game.hash(seats)}`.replace(/%(2F|28|29|2C)/g, (code) => decodeURIComponent(code));
  if (hash === gameUrl) return;
  const isFirst = gameUrl === null;
  gameUrl = hash;
  history[entry && !isFirst ? "pushState" : "replaceState"](null, "", hash);
}

/** Shows the game of the URL; false without one. `payoffs` end it, if they are given. */
async function readUrl(payoffs = null) {
  const { hash } = location;
  if (hash === gameUrl) return true;
  if (!new URLSearchParams(hash.slice(1)).has("game")) return false;
  epoch += 1;
  const now = epoch;
  try {
    const isSameGame = game !== null && task === null;
    const read = await Game.fromHash(hash.slice(1), games, isSameGame ? game : null);
    if (now !== epoch) return true;
    notice = task = null;
    clock.set(0);
    game = read.game;
    if (payoffs) game.end(payoffs);
    dropForeignFile();
    seats = read.seats ?? defaultSeats(game.info);
    isRunning = hasPerson();
    gameUrl = hash;
    drawSetUp();
    await update();
    return true;
  } catch (error) {
    if (now !== epoch) return true;
    task = null;
    notice = t("badUrl", error.message);
    await (game ? update() : startGame(games[0].notation, 1));
    return true;
  }
}

// Rendering.

function isPlayable() {
  if (draft || clock.expiredSeat !== null || (task && task.move !== null)) return false;
  if (current.over || isOver() || (game.hasDie && game.face === null)) return false;
  return !game.isAtEnd || !isRunning || seats[game.node.seat] === PERSON;
}

/** Whether the die of a running game belongs to the program, or to a clock. */
function isDieLocked() {
  if (task) return task.move === null || isRunning;
  return isRunning && game.isAtEnd && (settings.dice === "program" || clock.remaining() !== null);
}

function statusText() {
  const name = seatName(game.node.seat);
  if (draft) return t("editHelp");
  if (clock.expiredSeat !== null) return t("timeOver", seatName(clock.expiredSeat));
  if (warning) return t("warning", warning.move, warning.cost);
  if (current.over) return winnerText(current.payoffs);
  if (game.result && game.isAtEnd) {
    const { resigned } = game;
    return resigned === null ? winnerText(game.result) : `${t("hasResigned", seatName(resigned))} ${winnerText(game.result)}`;
  }
  if (moveChoices) return t("which");
  const steps = layout.play?.steps.join(" ") ?? "";
  const rolled = game.face === null ? null : [t("rolled", name, rollName(game.info, game.face)), steps].filter(Boolean).join(": ");
  if (thinking) return [rolled, t("thinking", playerName(seats[game.node.seat]))].filter(Boolean).join(" · ");
  if (rolled) return rolled;
  return t(game.hasDie ? "toRoll" : "toMove", name);
}

/** The last ply for the tutor. */
function lastReviewedPly() {
  for (let index = game.at - 1; index >= 0; index -= 1) {
    if (seats[game.plies[index].seat] === PERSON || !hasPerson()) return index;
  }
  return null;
}

/** The squares of each step of a seat's move. */
function pathsOf(move, seat) {
  return layout.pathsOf?.(move, seat) ?? [layout.squaresOf(move)];
}

function currentArrows(best) {
  const arrows = [];
  const add = (move, seat, kind) => arrows.push(...pathsOf(move, seat).map((path) => ({ ...path, kind })));
  const index = lastReviewedPly();
  // After the reply it would look like advice for the next move.
  if (settings.tutor && index === game.at - 1 && !task) {
    const loss = lossOfPly(index);
    if (loss && gradeOf(loss.error, thresholds())) {
      add(loss.best, game.plies[index].seat, "better");
    }
  }
  const { seat } = game.node;
  if (best && (showsValues() || isHintShown)) add(best, seat, "best");
  if (hoveredMove) add(hoveredMove, seat, "look");
  return arrows;
}

/** The best move, its value to the seat to move and the results' probabilities, after the roll if there is one. */
function currentValues() {
  const analysis = currentAnalysis();
  if (!analysis || analysis.error) return { analysis, best: null, value: null };
  if (game.face === null) {
    const best = game.hasDie ? null : analysis.best;
    return { analysis, best, value: analysis.value, results: analysis.results };
  }
  const rolled = analysis.faces?.find(({ face }) => face === game.face);
  return { analysis, best: rolled?.best ?? null, value: rolled?.value ?? analysis.value, results: rolled?.results };
}

/** Renders the page; waits while a button is pressed, because a replaced button gets no click. */
function render() {
  isRenderPending = isPressed;
  if (isPressed) return;
  setScale(game.info);
  const stand = currentValues();
  byId("status").textContent = statusText();
  renderBar(stand);
  renderBoard(stand);
  renderMoves(stand);
  renderTutor();
  renderTask();
  renderClock();
  renderPalette();
  renderCourse();
  renderReview();
  evaluate();
}

function renderBar({ analysis, value }) {
  const host = byId("bar");
  host.hidden = !showsValues();
  if (host.hidden) return;
  const shares = seatValues(analysis, value, game.node.seat);
  const names = allSeats().map((seat) => `${seatName(seat)} ${shares ? valueText(shares[seat]) : "–"}`);
  const what = analysis?.scale ? SCALES[analysis.scale] : names.length > 2 ? "shares" : isInPoints() ? "equity" : "winProbability";
  host.setAttribute("aria-label", `${t(what)}: ${names.join(", ")}`);
  const parts = shares ?? names.map(() => 1);
  const total = parts.reduce((sum, part) => sum + part, 0) || 1;
  const width = (seat) => `width:${((100 * parts[seat]) / total).toFixed(1)}%`;
  host.replaceChildren(
    el("span", { class: "parts" }, allSeats().map((seat) => el("span", { class: `seat${seat}`, style: width(seat) }))),
    el("span", { class: "labels" }, names.map((name) => el("span", { class: "label" }, name))),
  );
  host.dataset.game = game.info.name;
}

function renderBoard({ best }) {
  const played = game.plies[game.at - 1];
  if (draft) {
    const squares = { position: draft.position, moves: [] };
    board.show({
      ...squares,
      layout: LAYOUTS[game.info.name](squares),
      isPlayable: false,
      last: [],
      arrows: [],
      label: t("edit"),
      words: {},
      isFlipped: settings.flipped,
      edit: (square) => {
        draft.position = withSymbol(game.info.name, draft.position, square, draft.symbol);
        byId("position").value = draft.position;
        render();
      },
    });
    return;
  }
  const moves = current.moves.map(({ move }) => move);
  board.show({
    position: [current.position, ...(layout.play?.steps ?? [])].join(" "),
    layout,
    moves: layout.play ? [...layout.play.next.keys()] : moves,
    isPlayable: isPlayable(),
    last: played ? pathsOf(played.move, played.seat) : [],
    arrows: currentArrows(best),
    label: `${t("board")}: ${statusText()}`,
    words: { may: t("may"), selected: t("selected") },
    isFlipped: settings.flipped,
  });
  byId("boardNotes").replaceChildren(...(layout.notes ?? []).map((note) => el("li", {}, note)));
  // A play without steps, or one of which the person has been warned.
  const complete = moves.filter((move) => move === layout.play?.move && (!layout.before || move === warning?.move));
  const unplaced = layout.play ? complete : moves.filter((move) => layout.squares.length && !layout.squaresOf(move).to);
  byId("unplaced").replaceChildren(
    ...unplaced.map((move) =>
      el("button", { type: "button", class: "main", disabled: !isPlayable(), onclick: () => play(move) }, move),
    ),
  );
  byId("die").hidden = !game.hasDie;
  if (game.hasDie) {
    const rated = showsValues() ? (analysisOf(game.at)?.faces ?? null) : null;
    const state = { info: game.info, face: game.face, rated, isOver: current.over, isLocked: isDieLocked() };
    drawDie(byId("die"), state, (face) => {
      if (face === null) isRunning = false;
      game.roll(face);
      update();
    });
  }
  const waits = game.isAtEnd && !isOver() && (seats[game.node.seat] !== PERSON || (game.hasDie && game.face === null));
  byId("run").hidden = isRunning ? hasPerson() || isOver() : !waits;
  byId("run").textContent = t(isRunning ? "pause" : "goOn");
  byId("takeBack").disabled = game.at === 0 && !layout.before;
  byId("takeBack").textContent = t(layout.before ? "takeBackStep" : "takeBack");
  byId("hint").disabled = !isPlayable() || task !== null;
  byId("rollOut").hidden = !game.info.rollout || game.face === null || task?.move === null;
  byId("resign").hidden = game.info.seats.length !== 2 || task !== null || !hasPerson();
  byId("resign").disabled = isOver() || !game.isAtEnd;
}

function renderMoves({ analysis, best, value, results }) {
  const isShown = showsValues();
  const state = byId("searchState");
  state.classList.toggle("problem", Boolean(analysis?.error));
  if (analysis?.error) state.textContent = analysis.error;
  else if (isHintShown && !isShown) state.textContent = best ? hintText(best) : t("searching");
  else if (!isShown) state.textContent = t("analysisOff");
  else if (!analysis) state.textContent = t("searching");
  else {
    const cost = t("cost", number(analysis.nodes, 0), number(analysis.milliseconds, 1));
    const worth = `${seatName(game.node.seat)} ${valueWithUnit(value)}${analysis.exact ? ` (${t("exact")})` : ""}`;
    const scale = analysis.scale ? ` (${t(SCALES[analysis.scale])})` : "";
    state.textContent = [`${worth}${scale}`, cost, depthText(analysis)].filter(Boolean).join(" · ");
  }
  renderResults(isShown ? results : null);
  renderLine(isShown || isHintShown ? analysis : null);
  const find = byId("find");
  byId("findOf").hidden = current.moves.length <= 12;
  const text = find.value.trim().toLowerCase();
  const moves = current.moves.map(({ move }) => move);
  const values = isShown && analysis?.moves ? new Map(analysis.moves.map((rated) => [rated.move, rated])) : null;
  const filter = (move) => (moveChoices ? moveChoices.has(move) : move.toLowerCase().includes(text));
  drawMoves(
    byId("moves"),
    { moves, values, best, isPlayable: isPlayable(), filter },
    {
      play,
      look: (move) => {
        hoveredMove = move;
        renderBoard(currentValues());
      },
    },
  );
}

/** The values of all evaluators, of which a request may name 16. */
async function evaluateAll({ evaluators, ...request }) {
  const parts = Array.from({ length: Math.ceil(evaluators.length / 16) }, (_, part) => evaluators.slice(16 * part, 16 * part + 16));
  const answers = await Promise.all(parts.map((part) => ask({ ask: "evaluate", ...request, evaluators: part })));
  return { values: answers.flatMap(({ values }) => values) };
}

/** Plays games after each move of the roll, once, and lists the best moves with their means and standard errors. */
async function rollOut() {
  const now = epoch;
  // The board may still show the previous position.
  if (now !== currentEpoch || game.face === null) return;
  const request = { ask: "analyse", game: game.notation, position: game.text(), player: game.info.rollout, faces: false };
  byId("rollOut").disabled = true;
  try {
    const { moves } = await ask(request);
    if (now !== epoch) return;
    const rated = moves.filter(({ error, exact }) => exact || error !== undefined).sort((a, b) => b.value - a.value);
    const line = ({ move, value, error }) => el("li", {}, `${move}: ${valueText(value)} ± ${differenceText(error ?? 0)}`);
    byId("rolledOut").replaceChildren(...rated.slice(0, MOST_ROLLED_OUT).map(line));
    byId("rolledOut").hidden = false;
  } catch (error) {
    showFailure(error);
  } finally {
    byId("rollOut").disabled = false;
  }
}

/** The hint, why it takes a stone of one's own, and why it is better than the second-best move. */
function hintText(best) {
  const isOwn = game.info.name === "einstein" && capturesOwn(game.node.position, best);
  const values = new Map(currentAnalysis().moves?.map(({ move, value }) => [move, value]));
  const others = current.moves.map(({ move }) => move).filter((move) => move !== best && values.has(move));
  const second = others.length ? others.reduce((one, other) => (values.get(other) > values.get(one) ? other : one)) : null;
  const reasons = second ? reasonsFor(game.node.position, best, second) : [];
  const isReason = (sentence) => ![t("why.none"), t("why.deeper")].includes(sentence);
  return [t("hintIs", best), isOwn ? t("capturesOwn") : "", ...reasons.filter(isReason)].filter(Boolean).join(" ");
}

/** What a move costs, on the scale of the analysis. */
function costText(error, { scale }) {
  return scale ? `${differenceText(error)} (${t(SCALES[scale])})` : differenceWithUnit(error);
}

function smallestLoss() {
  return gradedPayoffs({ smallest: SMALLEST_LOSS }).smallest / 100;
}

function showRules() {
  byId("rulesTitle").textContent = `${t("rules")}: ${t(`game.${game.info.name}`)}`;
  byId("rulesText").replaceChildren(...rulesOf(game.info));
  byId("rulesDialog").showModal();
  byId("rulesTitle").focus();
}

/** The depth that a search has reached, and whether its time ended it earlier. */
function depthText({ depth, exact }) {
  if (!depth || exact) return "";
  if (!analysisOf(game.at)) return t("depth", depth);
  const wanted = Number(/depth=(\d+)/.exec(search())?.[1] ?? 0);
  return wanted > depth ? t("depthStopped", depth, wanted) : t("depthReached", depth);
}

/** Renders the moves that the search expects, by numbers of the current roll. */
function renderLine(analysis) {
  const line = analysis?.line ?? [];
  byId("bestLine").hidden = line.length < 2;
  byId("bestLine").textContent = t("bestLine", line.join(" "));
}

function renderResults(results) {
  const text = resultsText(results);
  byId("results").hidden = text === "";
  byId("results").textContent = t("results", text);
}

function gradeText() {
  // The status has it.
  if (warning) return ["", ""];
  const index = settings.tutor && !task ? lastReviewedPly() : null;
  if (index === null) return settings.tutor ? [t("tutorQuiet"), ""] : ["", ""];
  const ply = game.plies[index];
  const analysis = analysisOf(index);
  if (analysis?.error) return [analysis.error, "problem"];
  const loss = lossOfPly(index);
  if (!loss) return [analysis ? "" : t("searching"), ""];
  const name = seatName(ply.seat);
  if (loss.error === 0) return [t("bestMove", name, ply.move), ""];
  if (loss.error < smallestLoss()) return [t("asGood", name, ply.move, loss.best), ""];
  if (!loss.isTold) return [t("notTold", name, ply.move, loss.best), ""];
  const grade = gradeOf(loss.error, thresholds());
  const cost = costText(loss.error, analysis) + (grade ? ` (${t(grade)})` : "");
  return [t("costs", name, ply.move, cost, loss.best), grade];
}

/** The reply that refutes ply `index`, of the roll that costs the most; null if unknown. */
function refutationOf(index) {
  const analysis = analysisOf(index + 1);
  const { move } = game.plies[index];
  if (!analysis?.moves?.length || game.nodes[index + 1].seat === game.nodes[index].seat) return null;
  if (!game.hasDie) return analysis.best ? t("refutes", move, [analysis.best, ...(analysis.line ?? []).slice(1)].join(" "), valueWithUnit(analysis.value)) : null;
  const worst = analysis.faces.reduce((one, other) => (other.value > one.value ? other : one));
  const isAnyWorst = analysis.faces.every(({ value }) => worst.value - value < gradedPayoffs({ even: 2 }).even / 100);
  return worst.best && !isAnyWorst ? t("refutesByRoll", move, worst.name, worst.best, valueWithUnit(worst.value)) : null;
}

function renderTutor() {
  const [text, grade] = gradeText();
  const host = byId("verdict");
  if (host.textContent !== text) host.textContent = text;
  host.className = grade;
  const index = settings.tutor && !task ? lastReviewedPly() : null;
  const loss = index === null ? null : lossOfPly(index);
  const hasLoss = loss && loss.isTold && loss.error >= smallestLoss() && !warning;
  const request = hasLoss
    ? { position: game.nodes[index].position, best: loss.best, played: game.plies[index].move, refutation: refutationOf(index) }
    : null;
  renderWhy(byId("why"), request);
  byId("retry").hidden = task !== null || !settings.tutor || lastMistake() === null;
}

function renderCourse() {
  const isKnown = settings.tutor || showsValues();
  const hides = !showsValues();
  const grades = game.plies.map((_, index) => {
    const loss = isKnown ? lossOfPly(index) : null;
    return loss ? gradeOf(loss.error, thresholds()) : "";
  });
  const shares = game.nodes.map(({ seat }, index) =>
    hides && index === game.at ? null : seatValues(analysisOf(index), analysisOf(index)?.value, seat),
  );
  // For two seats one line is enough.
  const lines = (game.info.seats.length === 2 ? [0] : allSeats()).map((seat) => ({
    name: seatName(seat),
    values: shares.map((all) => all?.[seat] ?? null),
    marks: ["", ...grades.map((grade, ply) => (game.info.seats.length === 2 || game.plies[ply].seat === seat ? grade : ""))],
  }));
  const scale = game.nodes.map((_, index) => analysisOf(index)?.scale).find(Boolean);
  const field = byId("position");
  if (document.activeElement !== field) {
    field.value = game.text();
    byId("positionProblem").hidden = true;
  }
  // Answers that come change nothing here most of the time, and drawing anew takes a layout of the page.
  const list = byId("plies");
  const key = JSON.stringify([game.hash([]), game.isOnMainLine, grades, lines, scale, currentLanguage(), innerWidth]);
  if (list.drawnGame === game && list.drawn === key) return;
  Object.assign(list, { drawnGame: game, drawn: key });
  byId("graph").dataset.game = game.info.name;
  drawGraph(byId("graph"), { lines, at: game.at, scale: scale ? t(SCALES[scale]) : null }, go);
  byId("graphOf").textContent = byId("graph").querySelector("[aria-label]")?.getAttribute("aria-label") ?? "";
  byId("plyOf").textContent = t("plyOf", game.at, game.plies.length);
  byId("first").disabled = byId("back").disabled = game.at === 0;
  byId("last").disabled = byId("forth").disabled = game.isAtEnd;
  const hadFocus = list.contains(document.activeElement);
  const item = (ply, index) =>
    el("li", {}, [
      el(
        "button",
        {
          type: "button",
          class: `link ${grades[index]}`,
          "aria-current": index + 1 === game.at ? "step" : null,
          onclick: () => go(index + 1),
        },
        [
          el("span", { class: `dot seat${ply.seat}`, "aria-hidden": "true" }),
          el("span", { class: "sr" }, `${seatName(ply.seat)} `),
          ply.face === null ? null : el("span", { class: "rolled" }, rollName(game.info, ply.face)),
          ` ${ply.move}`,
          el("span", { "aria-hidden": "true" }, ANNOTATIONS[grades[index]]),
          grades[index] ? el("span", { class: "sr" }, ` ${t(grades[index])}`) : null,
        ],
      ),
      others(index),
    ]);
  const others = (index) => {
    const plies = game.alternatives(index);
    const button = (ply) =>
      el("button", { type: "button", title: t("variation"), onclick: () => choose(index, ply) }, [
        el("span", { class: "sr" }, `${t("variation")}: `),
        `${rollName(game.info, ply.face)} ${ply.move}`.trim(),
      ]);
    return plies.length ? el("span", { class: "others" }, plies.map(button)) : null;
  };
  list.replaceChildren(...game.plies.map(item));
  const after = others(game.plies.length);
  byId("after").replaceChildren(...(after ? [`${t("variation")}: `, after] : []));
  byId("promote").hidden = game.isOnMainLine;
  byId("deleteFromHere").hidden = !game.hasVariations && game.isAtEnd;
  byId("deleteFromHere").disabled = game.at === 0;
  list.dataset.game = game.info.name;
  const current = list.querySelector("[aria-current]");
  if (hadFocus) current?.focus({ preventScroll: true });
  if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  else list.scrollTop = 0;
}

function renderReview() {
  const key = JSON.stringify(reviewRequest());
  const host = byId("ledger");
  host.dataset.game = game.info.name;
  byId("makeLedger").hidden = requestedReview === key;
  byId("makeLedger").disabled = game.plies.length === 0;
  const drawn = JSON.stringify([key, requestedReview === key, review?.key === key, currentLanguage(), settings.thresholds]);
  if (host.drawn === drawn) return;
  host.drawn = drawn;
  if (game.plies.length === 0) host.replaceChildren(el("p", { class: "note" }, t("noPlies")));
  else if (requestedReview !== key) host.replaceChildren();
  else if (review?.key !== key) host.replaceChildren(el("p", { class: "note" }, t("judging")));
  else if (review.error) host.replaceChildren(el("p", { class: "problem", lang: "en" }, review.error));
  else {
    const names = allSeats().map(seatName);
    const strengths = hasStrengths(game.notation, search()) ? strengthTexts(names) : [];
    host.replaceChildren(...reviewView(asShares(review.answer), names, thresholds(), game.info, go, strengths, review.answer.scale ? t(SCALES[review.answer.scale]) : null));
  }
}

/** Sentences about the strength of each seat in the review, and of the person in the last games. */
function strengthTexts(names) {
  const { levels } = game.info;
  const texts = allSeats().map((seat) => {
    const strength = strengthOf(errorsOf(review.answer, seat, (index) => !game.plies[index].isHelped));
    return strength && strengthText(names[seat], strength, levels);
  });
  const helped = game.plies.filter(({ isHelped }, index) => isHelped && review.answer.plies[index].choices > 1).length;
  if (helped > 0) texts.push(t("helped", helped));
  const person = seats.indexOf(PERSON);
  const own = errorsOf(review.answer, person, (index) => game.plies[index].isOwn && !game.plies[index].isHelped);
  if (review.answer.over && own.decisions > 0) {
    const key = [game.nodes[0].position, ...game.plies.map(({ face, move }) => `${face}${move}`)].join(" ");
    const others = settings.reviewed.filter((one) => one.key !== key);
    settings.reviewed = [...others, { key, ...own }].slice(-MAX_POOLED_GAMES);
    save();
  }
  if (settings.reviewed.length > 1) {
    const total = (key) => settings.reviewed.reduce((sum, one) => sum + one[key], 0);
    const strength = strengthOf({ decisions: total("decisions"), sum: total("sum") });
    if (strength) texts.push(t("pooled", settings.reviewed.length, strengthText(t("you"), strength, levels)));
  }
  return texts.filter(Boolean);
}

/** The name of a game with its parameters, such as `Havannah (side 4)`. */
function gameTitle({ name, notation }) {
  const [, parameters] = /\((.*)\)/.exec(notation) ?? [];
  const title = hasRules(name) ? t(`game.${name}`) : name;
  const words = parameters?.split(/[=,]\s*/).map((word) => t(word)).join(" ");
  return words ? `${title} (${words})` : title;
}

/** Renders the list of games, which changes with the language. */
function drawGames() {
  byId("game").replaceChildren(...games.map((info) => el("option", { value: info.notation, title: info.notation }, gameTitle(info))));
}

/** Renders game, seats, seed and search, which change only with the game. */
function drawSetUp() {
  byId("game").value = game.notation;
  byId("seed").value = game.seed;
  byId("dice").hidden = !game.hasDie;
  byId("setups").hidden = game.info.name !== "einstein";
  for (const button of document.querySelectorAll("[data-rules]")) button.hidden = !hasRules(game.info.name);
  drawLadder();
  byId("board").dataset.game = game.info.name;
  byId("search").value = search();
  const formats = [["jsonl", t("alea")], ...(game.info.writes ?? []).map((format) => [format, format.toUpperCase()])];
  byId("format").replaceChildren(...formats.map(([value, name]) => el("option", { value }, name)));
  byId("copied").textContent = "";
  const searches = game.hasDie
    ? ["star2(depth=2)", "star2(depth=3)", "star2(ms=1000)", "mcts(sims=2000)"]
    : ["star1(depth=2)", "star1(depth=3)", "star1(depth=5)", "mcts(sims=2000)", "maxn(depth=3)"];
  const byModels = game.info.models.map(({ name }) => defaultSearch(`model:${name}`));
  byId("searches").replaceChildren(...[defaultSearch(), ...byModels, ...searches].map((value) => el("option", { value })));
  byId("seats").replaceChildren(...seats.map(seatControl));
}

/** Renders the score of each level against the one before. */
function drawLadder() {
  const elos = ladderOf(game.notation);
  const head = [t("level"), t("beatsLast"), t("elo")].map((text) => el("th", { scope: "col" }, text));
  const score = (index) => SCORES[game.notation][index - 1]?.map((share) => percent(share)).join(" ± ");
  const row = ({ name, player }, index) =>
    el("tr", {}, [
      el("th", { scope: "row", title: player }, t(name)),
      el("td", { class: "number" }, index > 0 ? `${score(index)} %` : "–"),
      el("td", { class: "number" }, number(elos[index], 0)),
    ]);
  const rows = elos ? el("tbody", {}, game.info.levels.map(row)) : null;
  const table = el("table", { class: "plies" }, [el("thead", {}, el("tr", {}, head)), rows]);
  byId("ladderTable").replaceChildren(elos ? table : el("p", { class: "note" }, t("notMeasured")));
}

function seatControl(player, seat) {
  const { levels, models } = game.info;
  const choices = [PERSON, ...[...levels, ...models].map(({ player }) => player)];
  const isOther = !choices.includes(player);
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
      models.length ? el("optgroup", { label: t("ownModels") }, models.map((model) => el("option", { value: model.player }, model.name))) : [],
      el("option", { value: "other" }, t("other")),
    ],
  );
  select.value = isOther ? "other" : player;
  return el("div", { class: "row seat", "data-game": game.info.name }, [
    el("label", {}, [el("span", {}, [el("span", { class: `dot seat${seat}`, "aria-hidden": "true" }), seatName(seat)]), select]),
    notation,
  ]);
}

// Settings and events.

function save() {
  store("settings", settings);
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
      requestAnalyses();
      render();
    });
  };
  checkbox("tutorOn", "tutor");
  checkbox("warnOn", "warn");
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
    drawGames();
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
    startGame(game.notation, game.seed);
  });
  on("minutes", "change", () => {
    settings.minutes = Number(byId("minutes").value);
    save();
    clock.set(settings.minutes, game.info.seats.length);
    runClock();
    render();
  });
  setInterval(() => current && game && renderClock(), 200);
  const releasePointer = () => {
    isPressed = false;
    // After a click event.
    setTimeout(() => isRenderPending && render());
  };
  document.addEventListener("pointerdown", () => (isPressed = true), true);
  for (const kind of ["pointerup", "pointercancel", "blur"]) window.addEventListener(kind, releasePointer);
  const orProblem = (act) => () => act().catch(showFailure);
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
    const position = game.hasDie ? withFace(game.info, game.node.position, null) : game.node.position;
    draft = { position, symbol: PALETTES[game.info.name][0] };
    render();
  });
  const newGame = (notation, seed) => {
    notice = null;
    startGame(notation, seed);
  };
  on("game", "change", () => newGame(byId("game").value, game.seed));
  on("new", "click", () => newGame(game.notation, 1 + Math.floor(Math.random() * 999_999)));
  on("seed", "change", () => {
    const seed = Number(byId("seed").value);
    if (byId("seed").value !== "" && Number.isSafeInteger(seed) && seed >= 0) newGame(game.notation, seed);
    else byId("seed").value = game.seed;
  });
  on("takeBack", "click", () => {
    if (takeBackStep()) return;
    game.takeBack((seat) => seats[seat] === PERSON || !hasPerson());
    if (!hasPerson()) isRunning = false;
    update({ entry: true });
  });
  on("hint", "click", () => {
    isHintShown = true;
    requestAnalyses();
    render();
  });
  on("run", "click", () => {
    isRunning = !isRunning;
    update();
  });
  on("rollOut", "click", rollOut);
  on("search", "change", () => {
    const text = byId("search").value.trim();
    if (text === "" || text === defaultSearch()) delete settings.searches[game.notation];
    else settings.searches[game.notation] = text;
    byId("search").value = search();
    save();
    requestAnalyses();
    render();
  });
  on("find", "input", () => {
    moveChoices = null;
    renderMoves(currentValues());
  });
  for (const event of ["pointerup", "pointercancel", "pointerleave"]) {
    on("moves", event, () => setTimeout(() => renderMoves(currentValues())));
  }
  on("evaluators", "toggle", evaluate);
  on("makeLedger", "click", requestReview);
  on("resign", "click", () => {
    const seat = seats[game.node.seat] === PERSON ? game.node.seat : seats.indexOf(PERSON);
    game.resign(seat);
    update({ entry: true });
  });
  on("flip", "click", () => {
    settings.flipped = !settings.flipped;
    save();
    render();
  });
  for (const button of document.querySelectorAll("[data-rules]")) button.addEventListener("click", showRules);
  on("closeRules", "click", () => byId("rulesDialog").close());
  on("tryAgain", "click", tryAgain);
  on("promote", "click", () => {
    game.promote();
    update({ entry: true });
  });
  on("deleteFromHere", "click", () => {
    game.deleteFromHere();
    isRunning = false;
    update({ entry: true });
  });
  on("download", "click", orProblem(downloadGame));
  on("copyLink", "click", orProblem(copyLink));
  on("retry", "click", retryMistake);
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
      game = new Game(game.info, answer, game.seed);
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
  addEventListener("popstate", () => readUrl());
  addEventListener("resize", () => current && renderCourse());
  document.addEventListener("keydown", (event) => {
    const isElsewhere = event.target.closest?.("input, select, textarea, dialog");
    if (["Escape", "Backspace"].includes(event.key) && !isElsewhere && takeBackStep()) event.preventDefault();
    const isField = event.target.closest?.("input, select, textarea, #board svg");
    if (isField || event.ctrlKey || event.metaKey || event.altKey || !game) return;
    const to = { ArrowLeft: game.at - 1, ArrowRight: game.at + 1, Home: 0, End: game.plies.length }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
}

async function init() {
  showLook();
  showLanguage();
  try {
    ({ games } = await ask({ ask: "games" }));
  } catch (error) {
    showProblem(error.message);
    return;
  }
  drawGames();
  if (!(await readUrl())) {
    const last = settings.game ?? games[0].notation;
    await startGame(last, 1 + Math.floor(Math.random() * 999_999));
  }
}

bind();
init();
