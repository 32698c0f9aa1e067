// What the page says, in English and German. Each word is `[English, German]`; `{0}` and so on are
// filled in. What the server says stays in English.

import { keep, kept } from "./dom.js";

const WORDS = {
  title: ["Alea: analysis board", "Alea: Analysebrett"],
  game: ["Game", "Spiel"],
  language: ["Language", "Sprache"],
  look: ["Colours", "Farben"],
  auto: ["As the system", "Wie das System"],
  light: ["Light", "Hell"],
  dark: ["Dark", "Dunkel"],
  board: ["Board", "Brett"],
  boardHelp: [
    "Click or drag; or Tab to the board, arrow keys, Enter. Elsewhere ← and → go through the game.",
    "Klicken oder ziehen; oder mit Tab aufs Brett, Pfeiltasten, Enter. Sonst blättern ← und → durch die Partie.",
  ],
  may: ["may move", "spielbar"],
  selected: ["selected", "gewählt"],
  empty: ["empty", "leer"],
  goalOfRed: ["goal of Red", "Ziel von Rot"],
  goalOfBlue: ["goal of Blue", "Ziel von Blau"],
  Red: ["Red", "Rot"],
  Blue: ["Blue", "Blau"],
  Black: ["Black", "Schwarz"],
  White: ["White", "Weiß"],
  player: ["Player {0}", "Spieler {0}"],
  toMove: ["{0} to move", "{0} am Zug"],
  toRoll: ["{0} to roll", "{0} würfelt"],
  rolled: ["{0} has rolled {1}", "{0} hat {1} gewürfelt"],
  thinking: ["{0} is thinking …", "{0} überlegt …"],
  hasWon: ["{0} has won", "{0} hat gewonnen"],
  draw: ["A draw", "Unentschieden"],
  die: ["Die", "Würfel"],
  beforeRoll: ["before the roll", "vor dem Wurf"],
  face: ["{0} on the die", "{0} auf dem Würfel"],
  diceProgram: ["rolled by the program", "das Programm würfelt"],
  diceHand: ["entered by hand", "von Hand eingegeben"],
  newGame: ["New game", "Neues Spiel"],
  takeBack: ["Take back", "Zurücknehmen"],
  hint: ["Hint", "Tipp"],
  goOn: ["Go on", "Weiter"],
  pause: ["Pause", "Pause"],
  players: ["Players and start", "Spieler und Anfang"],
  person: ["Person", "Mensch"],
  other: ["another one …", "anderer …"],
  beginner: ["beginner", "Anfänger"],
  easy: ["easy", "leicht"],
  medium: ["medium", "mittel"],
  hard: ["hard", "schwer"],
  strong: ["strong", "stark"],
  notation: ["Notation of a player", "Notation eines Spielers"],
  seed: ["Seed", "Startzahl"],
  seedHelp: ["The same seed gives the same start and rolls.", "Dieselbe Startzahl gibt Anfang und Würfe wieder."],
  analysis: ["Analysis", "Analyse"],
  analyse: ["Show values during the game", "Werte während der Partie zeigen"],
  analysisOff: [
    "Hidden while you play, so that nothing is given away; shown when you go back in the game and at its end.",
    "Während der Partie verborgen, damit nichts verraten wird; beim Zurückblättern und am Ende sichtbar.",
  ],
  search: ["Search", "Suche"],
  searching: ["searching …", "sucht …"],
  winProbability: ["Win probability", "Gewinnwahrscheinlichkeit"],
  moves: ["Moves", "Züge"],
  noMoves: ["no moves", "keine Züge"],
  find: ["Find a move", "Zug suchen"],
  which: ["Which one?", "Welcher?"],
  exact: ["exact", "exakt"],
  wholeGames: ["In whole games: {0}", "In ganzen Partien: {0}"],
  best: ["best", "bester"],
  hintIs: ["Hint: {0}", "Tipp: {0}"],
  cost: ["{0} positions, {1} ms", "{0} Stellungen, {1} ms"],
  evaluators: ["Evaluators, without search", "Bewertungen ohne Suche"],
  viewOf: ["Win probability of {0}, before the roll", "Gewinnwahrscheinlichkeit von {0}, vor dem Wurf"],
  viewPlain: ["Win probability of {0}", "Gewinnwahrscheinlichkeit von {0}"],
  course: ["Course of the game", "Verlauf der Partie"],
  graph: ["Win probability of {0} by ply", "Gewinnwahrscheinlichkeit von {0} nach Halbzügen"],
  plyOf: ["ply {0} of {1}", "Halbzug {0} von {1}"],
  first: ["To the start", "Zum Anfang"],
  back: ["A ply back", "Einen Halbzug zurück"],
  forth: ["A ply on", "Einen Halbzug vor"],
  last: ["To the end", "Zum Ende"],
  start: ["Start", "Anfang"],
  position: ["Position as text", "Stellung als Text"],
  set: ["Set up", "Aufstellen"],
  tutor: ["Tutor", "Lehrer"],
  tutorOn: ["Say what each move of mine costs", "Sagen, was meine Züge kosten"],
  tutorQuiet: ["After your move, its price stands here.", "Nach deinem Zug steht hier sein Preis."],
  bestMove: ["{0} {1}: the best move.", "{0} {1}: der beste Zug."],
  asGood: ["{0} {1}: as good as {2}.", "{0} {1}: so gut wie {2}."],
  costs: ["{0} {1} costs {2}. Better: {3}.", "{0} {1} kostet {2}. Besser: {3}."],
  doubtful: ["doubtful", "zweifelhaft"],
  error: ["error", "Fehler"],
  blunder: ["blunder", "Patzer"],
  thresholds: ["From such a loss of win probability on, in points", "Ab so viel verlorener Gewinnwahrscheinlichkeit, in Punkten"],
  points: ["{0} points", "{0} Punkte"],
  ledger: ["Ledger of the game", "Bilanz der Partie"],
  makeLedger: ["Make the ledger", "Bilanz ziehen"],
  judging: ["judging the game …", "beurteilt die Partie …"],
  ledgerHelp: [
    "In win probability of {0}, in percent. Drift is what the search thought otherwise a ply later.",
    "In Gewinnwahrscheinlichkeit von {0}, in Prozent. Drift ist, was die Suche einen Halbzug später anders sah.",
  ],
  startValue: ["Start", "Anfang"],
  luckOf: ["Luck of {0}", "Glück von {0}"],
  errorsOf: ["Errors of {0}", "Fehler von {0}"],
  drift: ["Drift", "Drift"],
  result: ["Result", "Ergebnis"],
  soFar: ["Value so far", "Stand"],
  balance: ["Left over: {0}", "Rest: {0}"],
  perDecision: ["Error a decision: {0} {1}, {2} {3}", "Fehler je Entscheidung: {0} {1}, {2} {3}"],
  ply: ["Ply", "Halbzug"],
  move: ["Move", "Zug"],
  luck: ["Luck", "Glück"],
  errorColumn: ["Error", "Fehler"],
  bestColumn: ["Best", "Bester"],
  plyView: ["Luck and error of who moved, in percent", "Glück und Fehler dessen, der zog, in Prozent"],
  noPlies: ["No move has been played yet.", "Noch ist kein Zug gespielt."],
  offline: ["The server does not answer. Is it still running?", "Der Server antwortet nicht. Läuft er noch?"],
  badUrl: ["The address holds no game that can be played: {0}", "Die Adresse enthält keine spielbare Partie: {0}"],
};

export const LANGUAGES = ["en", "de"];

const usual = navigator.language?.startsWith("de") ? "de" : "en";
let language = kept("language", usual);
if (!LANGUAGES.includes(language)) language = usual;

export function currentLanguage() {
  return language;
}

export function setLanguage(name) {
  language = name;
  keep("language", name);
  document.documentElement.lang = name;
}

/** A word; names that are not known, such as those of levels to come, stay as they are. */
export function t(key, ...values) {
  const player = /^Player (\d)$/.exec(key);
  if (player) return t("player", player[1]);
  const text = Object.hasOwn(WORDS, key) ? WORDS[key][LANGUAGES.indexOf(language)] : key;
  return text.replace(/\{(\d)\}/g, (_, index) => values[index]);
}

/** Puts words into all elements that ask for them: `data-t` as text, `data-label` as label. */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
    if (element.localName === "button") element.title = t(element.dataset.label);
  }
}

/** A probability in percent. */
export function percent(value, digits = 1) {
  if (value === null || value === undefined) return "–";
  return number(100 * value, digits);
}

/** A number in the notation of the language, with a true minus; 0 has no sign. */
export function number(value, digits) {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "negative", useGrouping: false };
  return value.toLocaleString(language, options).replace("-", "−");
}
