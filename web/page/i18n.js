// The texts of the page, `[English, German]` each, with placeholders `{0}` and so on. Texts of the
// server stay in English.

import { store, load } from "./dom.js";

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
  haveWon: ["{0} share the first place", "{0} teilen sich den ersten Platz"],
  draw: ["A draw", "Unentschieden"],
  resigned: ["resigned", "aufgegeben"],
  time: ["on time", "durch Zeit"],
  agreed: ["agreed", "vereinbart"],
  awarded: ["awarded", "zuerkannt"],
  die: ["Die", "Würfel"],
  beforeRoll: ["before the roll", "vor dem Wurf"],
  face: ["{0} on the die", "{0} auf dem Würfel"],
  diceProgram: ["rolled by the program", "das Programm würfelt"],
  diceHand: ["entered by hand", "von Hand eingegeben"],
  newGame: ["New game", "Neues Spiel"],
  takeBack: ["Take back", "Zurücknehmen"],
  takeBackStep: ["Take back the step", "Schritt zurücknehmen"],
  hint: ["Hint", "Tipp"],
  goOn: ["Go on", "Weiter"],
  pause: ["Pause", "Pause"],
  players: ["Players and start", "Spieler und Anfang"],
  person: ["Person", "Mensch"],
  other: ["another one …", "anderer …"],
  rollOut: ["Play the moves out", "Züge ausspielen"],
  ownModels: ["Own models", "Eigene Modelle"],
  beginner: ["beginner", "Anfänger"],
  easy: ["easy", "leicht"],
  casual: ["casual", "gemütlich"],
  medium: ["medium", "mittel"],
  skilled: ["skilled", "geübt"],
  hard: ["hard", "schwer"],
  strong: ["strong", "stark"],
  expert: ["expert", "sehr stark"],
  master: ["master", "meisterhaft"],
  strongest: ["strongest", "am stärksten"],
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
  equity: ["Equity", "Equity"],
  "result.win": ["win {0} %", "Sieg {0} %"],
  "result.win_gammon": ["gammon won {0} %", "Gammon gewonnen {0} %"],
  "result.win_backgammon": ["backgammon won {0} %", "Backgammon gewonnen {0} %"],
  "result.loss": ["loss {0} %", "Niederlage {0} %"],
  "result.lose_gammon": ["gammon lost {0} %", "Gammon verloren {0} %"],
  "result.lose_backgammon": ["backgammon lost {0} %", "Backgammon verloren {0} %"],
  shares: ["Shares of the points", "Anteile an den Punkten"],
  viewEquity: ["Equity of {0}", "Equity von {0}"],
  graphOfPoints: ["Equity of {0} by ply", "Equity von {0} nach Halbzügen"],
  viewShare: ["Expected share of the points of {0}", "Erwarteter Anteil von {0} an den Punkten"],
  graphOfShares: ["Shares of the points of {0} by ply", "Anteile an den Punkten von {0} nach Halbzügen"],
  notTold: [
    "{0} {1}: with so many players the search cannot tell it from {2}.",
    "{0} {1}: bei so vielen Spielern kann die Suche ihn nicht von {2} unterscheiden.",
  ],
  ledgerHelpShares: [
    "In percent of all points, which the players share. Drift is what the search thought otherwise a ply later.",
    "In Prozent aller Punkte, die sich die Spieler teilen. Drift ist, was die Suche einen Halbzug später anders sah.",
  ],
  moves: ["Moves", "Züge"],
  noMoves: ["no moves", "keine Züge"],
  find: ["Find a move", "Zug suchen"],
  which: ["Which one?", "Welcher?"],
  exact: ["exact", "exakt"],
  ownScale: ["On the search's own scale: {0}", "Auf der eigenen Skala der Suche: {0}"],
  evaluatorScale: ["on the evaluator's own scale, no win probability", "auf der eigenen Skala der Bewertung, keine Gewinnwahrscheinlichkeit"],
  playoutMean: ["mean of the search's playouts, not fitted to games", "Mittel der Zufallspartien der Suche, nicht an Partien angepasst"],
  stock: ["{0}: {1} stones, {2} override stones, {3} bombs", "{0}: {1} Steine, {2} Überschreibsteine, {3} Bomben"],
  barOf: ["bar of {0}", "Bar von {0}"],
  trayOf: ["tray of {0}", "Ablage von {0}"],
  pips: ["{0}: {1} pips, {2} off", "{0}: {1} Augen, {2} abgetragen"],
  pointsWon: ["Points won: {0}", "Gewonnene Punkte: {0}"],
  dieLocked: [
    "The program rolls. Choose 'entered by hand' under Players to set the roll.",
    "Das Programm würfelt. Unter Spieler lässt sich „von Hand eingegeben“ wählen.",
  ],
  rules: ["Rules", "Regeln"],
  close: ["Close", "Schließen"],
  marks: ["What the marks mean", "Was die Zeichen bedeuten"],
  size: ["size", "Größe"],
  base: ["side", "Seitenlänge"],
  map: ["map", "Karte"],
  variant: ["variant", "Variante"],
  nearest: ["nearest", "nächster Stein"],
  "game.einstein": ["EinStein würfelt nicht!", "EinStein würfelt nicht!"],
  "game.reversi": ["Reversi", "Reversi"],
  "game.havannah": ["Havannah", "Havannah"],
  "game.reversixt": ["ReversiXT", "ReversiXT"],
  "game.backgammon": ["Backgammon", "Backgammon"],
  capturesOwn: [
    "It takes a stone of its own: with fewer stones, the remaining ones move more often.",
    "Er schlägt einen eigenen Stein: Mit weniger Steinen ziehen die übrigen öfter.",
  ],
  variation: ["Variation", "Variante"],
  promote: ["Make it the main line", "Zur Hauptvariante machen"],
  deleteFromHere: ["Delete from this move on", "Ab diesem Zug löschen"],
  flip: ["Flip the board", "Brett drehen"],
  resign: ["Resign", "Aufgeben"],
  hasResigned: ["{0} has resigned.", "{0} hat aufgegeben."],
  fileKeeps: [
    "Files of Alea and links keep variations, and who played if it was a level or an own model; other formats have the line that is shown.",
    "Dateien von Alea und Links behalten Varianten und wer spielte, wenn es eine Stufe oder ein eigenes Modell war; andere Formate haben die gezeigte Zugfolge.",
  ],
  download: ["Save to a file", "In Datei speichern"],
  format: ["Format", "Format"],
  alea: ["Alea (JSON lines)", "Alea (JSON-Zeilen)"],
  copyLink: ["Copy link", "Link kopieren"],
  copied: ["Copied.", "Kopiert."],
  retry: ["Retry from before the mistake", "Vor dem Fehler neu versuchen"],
  tryAgain: ["Try again", "Noch einmal"],
  puzzleRating: [
    "Puzzle rating {0}, on a scale of its own that begins at 1000; {1} of {2} solved, by guessing {3}",
    "Aufgabenwertung {0}, auf einer eigenen Skala ab 1000; {1} von {2} gelöst, durch Raten {3}",
  ],
  results: ["Results by the evaluator: {0}", "Ergebnisse nach der Bewertung: {0}"],
  bestLine: ["Expected: {0}", "Erwartet: {0}"],
  depthReached: ["depth {0}", "Tiefe {0}"],
  depthStopped: ["stopped by the time limit at depth {0} of {1}", "vom Zeitlimit bei Tiefe {0} von {1} beendet"],
  best: ["best", "bester"],
  hintIs: ["Hint: {0}.", "Tipp: {0}."],
  cost: ["{0} positions, {1} ms", "{0} Stellungen, {1} ms"],
  evaluators: ["Evaluators, without search", "Bewertungen ohne Suche"],
  viewOf: [
    "Values for {0} in percent of a win, before the roll. Learned ones are fitted to strong games, hand-made ones to games with many random moves.",
    "Werte für {0} in Prozent eines Gewinns, vor dem Wurf. Gelernte sind an starke Partien angepasst, von Hand gemachte an Partien mit vielen Zufallszügen.",
  ],
  viewEquityOf: ["Equity of {0}, before the roll", "Equity von {0}, vor dem Wurf"],
  viewPlain: [
    "Values for {0} in percent of a win. Learned ones are fitted to strong games, hand-made ones to games with many random moves.",
    "Werte für {0} in Prozent eines Gewinns. Gelernte sind an starke Partien angepasst, von Hand gemachte an Partien mit vielen Zufallszügen.",
  ],
  course: ["Course of the game", "Verlauf der Partie"],
  graph: ["Win probability of {0} by ply", "Gewinnwahrscheinlichkeit von {0} nach Halbzügen"],
  graphOnScale: ["Value of {0} by ply: {1}", "Wert von {0} nach Halbzügen: {1}"],
  plyOf: ["ply {0} of {1}", "Halbzug {0} von {1}"],
  first: ["To the start", "Zum Anfang"],
  back: ["A ply back", "Einen Halbzug zurück"],
  forth: ["A ply on", "Einen Halbzug vor"],
  last: ["To the end", "Zum Ende"],
  start: ["Start", "Anfang"],
  position: ["Position as text", "Stellung als Text"],
  set: ["Set up", "Aufstellen"],
  practice: ["Practice", "Üben"],
  practiceHelp: [
    "Drills are your own errors from games with the tutor; they stay in this browser and come back after 1, 3, 7, 21 and 60 days.",
    "Geübt werden deine eigenen Fehler aus Partien mit dem Lehrer; sie bleiben in diesem Browser und kommen nach 1, 3, 7, 21 und 60 Tagen wieder.",
  ],
  puzzleHelp: ["Puzzles have exact answers.", "Aufgaben haben exakte Lösungen."],
  drill: ["Drill ({0} due of {1})", "Eigene Fehler üben ({0} von {1} fällig)"],
  puzzle: ["Puzzle", "Aufgabe lösen"],
  endPractice: ["Back to the game", "Zurück zur Partie"],
  task: ["Find the best move for {0}, who has rolled {1}.", "Finde den besten Zug für {0} nach dem Wurf {1}."],
  taskPlain: ["Find the best move for {0}.", "Finde den besten Zug für {0}."],
  puzzleOf: ["Puzzle {0} of {1}.", "Aufgabe {0} von {1}."],
  drillOf: ["Drill.", "Eigener Fehler."],
  right: ["Right: {0}, {1}.", "Richtig: {0}, {1}."],
  wrong: ["No: {0} costs {1}. Best is {2}, {3}.", "Nein: {0} kostet {1}. Am besten ist {2}, {3}."],
  "why.wins": ["{0} wins at once.", "{0} gewinnt sofort."],
  "why.loses": [
    "After {1} the other side can win at once with {3} of its rolls, after {0} with {2}.",
    "Nach {1} kann die andere Seite mit {3} ihrer Würfe sofort gewinnen, nach {0} mit {2}.",
  ],
  "why.threat": [
    "{0} threatens to win on the next turn with {2} of the rolls, {1} with {3}.",
    "{0} droht im nächsten Zug mit {2} der Würfe zu gewinnen, {1} mit {3}.",
  ],
  "why.exposed": [
    "After {1} the foremost stone can be captured with {3} of the rolls, after {0} with {2}.",
    "Nach {1} kann der vorderste Stein mit {3} der Würfe geschlagen werden, nach {0} mit {2}.",
  ],
  "why.turns": [
    "Without captures {0} leaves {2} turns to the goal, {1} leaves {3}.",
    "Ohne Schlagen bleiben nach {0} {2} Züge bis zum Ziel, nach {1} {3}.",
  ],
  "why.theirTurns": [
    "Without captures the other side needs {2} turns to its goal after {0}, {3} after {1}.",
    "Ohne Schlagen braucht die andere Seite nach {0} {2} Züge bis zu ihrem Ziel, nach {1} {3}.",
  ],
  "why.mobility": [
    "After {0} a roll leaves {2} moves to choose from on average, after {1} {3}.",
    "Nach {0} lässt ein Wurf im Mittel {2} Züge zur Wahl, nach {1} {3}.",
  ],
  "why.none": [
    "Race, threats, captures and mobility do not tell the moves apart: the difference lies deeper.",
    "Wettlauf, Drohungen, Schlagen und Beweglichkeit unterscheiden die Züge nicht: der Unterschied liegt tiefer.",
  ],
  "why.corner": ["{0} takes a corner, whose disc never turns.", "{0} nimmt eine Ecke, deren Stein nie umgedreht wird."],
  "why.cornersGiven": [
    "After {1} the other side can take {3} corners, after {0} {2}.",
    "Nach {1} kann die andere Seite {3} Ecken nehmen, nach {0} {2}.",
  ],
  "why.stable": [
    "After {0} {2} discs can never turn again, after {1} {3}.",
    "Nach {0} können {2} Steine nie mehr umgedreht werden, nach {1} {3}.",
  ],
  "why.replies": [
    "{0} leaves the other side {2} moves, {1} leaves {3}.",
    "{0} lässt der anderen Seite {2} Züge, {1} lässt {3}.",
  ],
  "why.parity": [
    "{0} leaves an even number of empty squares, so that one moves last.",
    "{0} lässt eine gerade Zahl freier Felder, sodass man zuletzt zieht.",
  ],
  "why.needed": [
    "After {0} a bridge or a fork needs {2} more stones, after {1} {3}.",
    "Nach {0} fehlen zu einer Brücke oder Gabel {2} Steine, nach {1} {3}.",
  ],
  "why.theyNeed": [
    "After {0} the other side needs {2} more stones for a bridge or a fork, after {1} {3}.",
    "Nach {0} fehlen der anderen Seite {2} Steine zu einer Brücke oder Gabel, nach {1} {3}.",
  ],
  "why.joined": ["{0} connects {2} groups, {1} {3}.", "{0} verbindet {2} Gruppen, {1} {3}."],
  "why.hits": [
    "Checkers of the other side on the bar: {2} after {0}, {3} after {1}.",
    "Steine der anderen Seite auf der Bar: {2} nach {0}, {3} nach {1}.",
  ],
  "why.shots": [
    "Rolls of 36 that hit a single checker: {2} after {0}, {3} after {1}.",
    "Würfe von 36, die einen einzelnen Stein schlagen: {2} nach {0}, {3} nach {1}.",
  ],
  "why.off": ["Checkers borne off: {2} after {0}, {3} after {1}.", "Ausgewürfelte Steine: {2} nach {0}, {3} nach {1}."],
  "why.prime": [
    "Points in a row that block the other side: {2} after {0}, {3} after {1}.",
    "Punkte nebeneinander, die die andere Seite sperren: {2} nach {0}, {3} nach {1}.",
  ],
  "why.home": [
    "Points made in the home board: {2} after {0}, {3} after {1}.",
    "Besetzte Punkte im Heimfeld: {2} nach {0}, {3} nach {1}.",
  ],
  "why.back": [
    "Checkers in the other side's home board: {2} after {0}, {3} after {1}.",
    "Steine im Heimfeld der anderen Seite: {2} nach {0}, {3} nach {1}.",
  ],
  "why.lead": [
    "Lead in the race in pips: {2} after {0}, {3} after {1}.",
    "Vorsprung im Wettlauf in Augen: {2} nach {0}, {3} nach {1}.",
  ],
  "why.keptOverrides": [
    "{0} leaves {2} override stones in stock, {1} {3}.",
    "{0} lässt {2} Überschreibsteine im Vorrat, {1} {3}.",
  ],
  "why.keptBombs": ["{0} leaves {2} bombs in stock, {1} {3}.", "{0} lässt {2} Bomben im Vorrat, {1} {3}."],
  "why.nextReplies": [
    "{0} leaves the next player {2} moves, {1} leaves {3}.",
    "{0} lässt dem nächsten Spieler {2} Züge, {1} lässt {3}.",
  ],
  "why.stones": ["After {0} one has {2} stones, after {1} {3}.", "Nach {0} hat man {2} Steine, nach {1} {3}."],
  "why.deeper": [
    "What can be counted after each move does not tell them apart: the difference lies deeper.",
    "Was sich nach den Zügen zählen lässt, unterscheidet sie nicht: der Unterschied liegt tiefer.",
  ],
  refutes: ["The answer to {0}: {1}, {2} for who plays it.", "Die Antwort auf {0}: {1}, {2} für den, der sie spielt."],
  refutesByRoll: [
    "The worst roll after {0} is a {1}: {2}, {3} for the other side.",
    "Der schlimmste Wurf nach {0} ist eine {1}: {2}, {3} für die andere Seite.",
  ],
  warnOn: ["Warn me before a blunder", "Vor einem Patzer warnen"],
  warning: [
    "{0} would be a blunder: it costs {1}. Play it again if you want it all the same.",
    "{0} wäre ein Patzer: er kostet {1}. Spiele ihn noch einmal, wenn du ihn trotzdem willst.",
  ],
  edit: ["Edit the board", "Brett bearbeiten"],
  editDone: ["Done", "Fertig"],
  editHelp: ["Choose what to put on squares.", "Wähle, was auf Felder gesetzt wird."],
  file: ["Load games", "Partien laden"],
  fileHelp: [
    "A shard of records or JSON lines, up to 4 MiB; or drop it on the page.",
    "Eine Datei von Aufzeichnungen oder JSON-Zeilen, bis 4 MiB; oder auf die Seite ziehen.",
  ],
  recorded: ["Games of the file", "Partien der Datei"],
  noGames: ["This file holds no game that can be shown.", "Diese Datei enthält keine Partie, die sich zeigen lässt."],
  setups: ["Set-ups", "Aufstellungen"],
  setupsRandom: ["random", "zufällig"],
  setupsBest: ["among the best", "unter den besten"],
  clock: ["Clock", "Uhr"],
  noClock: ["none", "keine"],
  timeOver: ["{0} has lost on time", "{0} hat durch Zeit verloren"],
  ladder: ["How strong the levels are", "Wie stark die Stufen sind"],
  level: ["Level", "Stufe"],
  beatsLast: ["Score against the one before", "Ergebnis gegen die vorige"],
  elo: ["Elo", "Elo"],
  notMeasured: ["Not measured for this game.", "Für dieses Spiel nicht gemessen."],
  strengthBetween: [
    "{0} played like the levels {1} to {2} (95 % interval {3} to {4} Elo above beginner, from {5} decisions)",
    "{0} spielte wie die Stufen {1} bis {2} (95-%-Intervall {3} bis {4} Elo über Anfänger, aus {5} Entscheidungen)",
  ],
  strengthAtLeast: [
    "{0} played like the level {1} or better (95 % interval from {3} Elo above beginner on, from {5} decisions; the reviewer cannot tell stronger players apart)",
    "{0} spielte wie die Stufe {1} oder besser (95-%-Intervall ab {3} Elo über Anfänger, aus {5} Entscheidungen; stärkere kann die Beurteilung nicht unterscheiden)",
  ],
  strengthAtMost: [
    "{0} played like the level {2} or weaker (95 % interval up to {4} Elo above beginner, from {5} decisions)",
    "{0} spielte wie die Stufe {2} oder schwächer (95-%-Intervall bis {4} Elo über Anfänger, aus {5} Entscheidungen)",
  ],
  strengthBelow: [
    "{0} played worse than beginner, who sees wins at once alone (from {5} decisions)",
    "{0} spielte schwächer als Anfänger, der nur sofortige Gewinne sieht (aus {5} Entscheidungen)",
  ],
  strengthOpen: [
    "{0}: these {5} decisions fit every level",
    "{0}: diese {5} Entscheidungen passen zu jeder Stufe",
  ],
  you: ["You", "Du"],
  pooled: ["In your last {0} reviewed games: {1}", "In deinen letzten {0} beurteilten Partien: {1}"],
  helped: ["Decisions with a hint, shown values or a second try do not count: {0}.", "Entscheidungen mit Tipp, gezeigten Werten oder im zweiten Versuch zählen nicht: {0}."],
  depth: ["depth {0} …", "Tiefe {0} …"],
  tutor: ["Tutor", "Lehrer"],
  tutorOn: ["Say what each move of mine costs", "Sagen, was meine Züge kosten"],
  tutorQuiet: ["After your move, its price stands here.", "Nach deinem Zug steht hier sein Preis."],
  bestMove: ["{0} {1}: the best move.", "{0} {1}: der beste Zug."],
  asGood: ["{0} {1}: as good as {2}.", "{0} {1}: so gut wie {2}."],
  costs: ["{0} {1} costs {2}. Better: {3}.", "{0} {1} kostet {2}. Besser: {3}."],
  doubtful: ["doubtful", "zweifelhaft"],
  error: ["error", "Fehler"],
  blunder: ["blunder", "Patzer"],
  thresholds: [
    "What counts as an error: losses from so many percent of a win (of the points of a plain win) on",
    "Was als Fehler gilt: Verluste ab so viel Prozent eines Gewinns (der Punkte eines einfachen Gewinns)",
  ],
  points: ["{0} points", "{0} Punkte"],
  percentOfWin: ["{0} % of a win", "{0} % eines Gewinns"],
  discs: ["{0} discs", "{0} Steine"],
  ledger: ["Ledger of the game", "Bilanz der Partie"],
  makeLedger: ["Make the ledger", "Bilanz ziehen"],
  judging: ["judging the game …", "beurteilt die Partie …"],
  ledgerHelp: [
    "In percent of a win, for each seat; all errors of a game can add up to more than one win. Drift: how the search changed its mind when it saw a ply (a single move) further.",
    "In Prozent eines Gewinns, für jeden Platz; alle Fehler einer Partie können mehr als einen Gewinn ausmachen. Drift: wie die Suche ihre Meinung änderte, als sie einen Halbzug (einen einzelnen Zug) weiter sah.",
  ],
  ledgerHelpPoints: [
    "In points of the game, for each seat. Drift: how the search changed its mind when it saw a ply (a single move) further.",
    "In Punkten des Spiels, für jeden Platz. Drift: wie die Suche ihre Meinung änderte, als sie einen Halbzug (einen einzelnen Zug) weiter sah.",
  ],
  ledgerScale: ["Values: {0}.", "Werte: {0}."],
  startValue: ["Start", "Anfang"],
  errors: ["Own errors", "Eigene Fehler"],
  ofOthers: ["Errors less luck of the others", "Fehler weniger Glück der anderen"],
  errorsOfOthers: ["Errors of the others", "Fehler der anderen"],
  drift: ["Drift", "Drift"],
  result: ["Result", "Ergebnis"],
  soFar: ["Value so far", "Stand"],
  perDecision: ["Error a decision", "Fehler je Entscheidung"],
  ply: ["Ply", "Halbzug"],
  move: ["Move", "Zug"],
  luck: ["Luck", "Glück"],
  errorColumn: ["Error", "Fehler"],
  bestColumn: ["Best", "Bester"],
  plyView: ["Luck and error of who moved, in percent", "Glück und Fehler dessen, der zog, in Prozent"],
  plyViewOfPoints: ["Luck and error of who moved, in points", "Glück und Fehler dessen, der zog, in Punkten"],
  plyViewPlainOfPoints: ["Error of who moved, in points", "Fehler dessen, der zog, in Punkten"],
  plyViewPlain: ["Error of who moved, in percent", "Fehler dessen, der zog, in Prozent"],
  noPlies: ["No move has been played yet.", "Noch ist kein Zug gespielt."],
  offline: ["The server does not answer. Is it still running?", "Der Server antwortet nicht. Läuft er noch?"],
  badUrl: ["The address holds no game that can be played: {0}", "Die Adresse enthält keine spielbare Partie: {0}"],
};

export const LANGUAGES = ["en", "de"];

const usual = navigator.language?.startsWith("de") ? "de" : "en";
let language = load("language", usual);
if (!LANGUAGES.includes(language)) language = usual;

export function currentLanguage() {
  return language;
}

export function setLanguage(name) {
  language = name;
  store("language", name);
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
