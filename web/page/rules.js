// The rules of the games, one screen each, with pictures by the boards' own layouts.

import { arrow } from "./board.js";
import { layout as backgammon } from "./board-backgammon.js";
import { layout as einstein } from "./board-einstein.js";
import { layout as reversi } from "./board-reversi.js";
import { el, svg } from "./dom.js";
import { currentLanguage } from "./i18n.js";

const HEXAGON = (x, y) => `M${x} ${y - 25}l22 12v26l-22 12l-22-12v-26z`;

/** A board of Havannah with the cells of a chain, `[column in half cells, row]` each. */
function havannah(chain) {
  const cells = [];
  for (let row = 0; row < 5; row += 1) {
    const count = 5 - Math.abs(2 - row);
    for (let index = 0; index < count; index += 1) cells.push([Math.abs(2 - row) + 2 * index, row]);
  }
  const place = ([right, row]) => [30 + 22 * right, 34 + 38 * row];
  const cell = (at) => svg("path", { d: HEXAGON(...place(at)), fill: "#d9b978", stroke: "#8a6d35" });
  const stone = (at) => svg("circle", { cx: place(at)[0], cy: place(at)[1], r: 16, fill: "#f4f1e8", stroke: "#16181a" });
  return svg("svg", { viewBox: "0 0 236 220" }, cells.map(cell), chain.map(stone));
}

function picture(layout, position, arrows = []) {
  const { box, ground, stones, squares } = layout({ position, moves: [] });
  const at = (name) => squares.find((square) => square.name === name);
  const drawn = ([from, to]) => arrow(at(from), at(to), at(from).size, "rule");
  return svg("svg", { viewBox: box.join(" ") }, ground, stones, arrows.map(drawn));
}

/** A row of ReversiXT before and after a stone. */
function row(cells) {
  const COLOURS = { 1: "#c8372d", 2: "#2f62c9", 3: "#2b7a3b" };
  const square = (x) => svg("rect", { x: 4 + 40 * x, y: 4, width: 40, height: 40, fill: "#e4e1d6", stroke: "#b7b2a1" });
  const stone = (sign, x) => (sign in COLOURS ? svg("circle", { cx: 24 + 40 * x, cy: 24, r: 15, fill: COLOURS[sign], stroke: "#333" }) : svg("text", { x: 24 + 40 * x, y: 29, fill: "#333", "text-anchor": "middle" }, sign === "0" ? "" : sign));
  return svg("svg", { viewBox: `0 0 ${8 + 40 * cells.length} 48` }, [...cells].map((_, x) => square(x)), [...cells].map(stone));
}

/** Texts of EinStein's classic rules and what stands for them in the variant, `[classic, nearest]`. */
const NEAREST = [
  ["Stone 4 is gone: 5 or 2, the next ones, may move.", "Stone 4 is gone: 5 moves, which is nearer than 2."],
  ["Stein 4 fehlt: 5 oder 2, die nächsten, dürfen ziehen.", "Stein 4 fehlt: 5 zieht, denn 2 ist weiter weg."],
  [
    "If it is gone, one chooses between the next higher and the next lower number that is left.",
    "If it is gone, the stone with the nearest number moves; of two equally near ones, one chooses.",
  ],
  [
    "Fehlt er, wählt man zwischen der nächsthöheren und der nächstniedrigeren Zahl, die es noch gibt.",
    "Fehlt er, zieht der Stein mit der nächstgelegenen Zahl; bei gleichem Abstand wählt man.",
  ],
];

/** `[figures, [English paragraphs], [German paragraphs]]` of a game; a figure is `[picture, English, German]`. */
const RULES = {
  einstein: [
    () => [
      [picture(einstein, "6.2../.4.../...../...../..... r 4", [["b4", "c4"], ["b4", "b3"], ["b4", "c3"]]), "A 4 lets stone 4 move: right, down or diagonally.", "Eine 4 zieht den Stein 4: nach rechts, nach unten oder schräg."],
      [picture(einstein, "6.2../.5.../...../...../..... r 4", [["b4", "c3"], ["c5", "d4"]]), "Stone 4 is gone: 5 or 2, the next ones, may move.", "Stein 4 fehlt: 5 oder 2, die nächsten, dürfen ziehen."],
      [picture(einstein, "12.../.3.../...../...../....b r 1", [["a5", "b5"]]), "Taking a stone of one's own: 1 and 3 then move more often.", "Ein eigener Stein wird geschlagen: 1 und 3 ziehen dann öfter."],
    ],
    [
      "Red starts in the upper left corner and goes to the lower right one; Blue goes the other way. Who is to move rolls the die.",
      "The stone with the number rolled moves one square towards the other corner: straight or diagonally. If it is gone, one chooses between the next higher and the next lower number that is left.",
      "Whatever stands on the target square is taken, a stone of one's own, too. That can be good: with fewer stones, the remaining ones move more often.",
      "One wins by reaching the opposite corner, or by taking all stones of the other side.",
    ],
    [
      "Rot beginnt in der linken oberen Ecke und will in die rechte untere, Blau umgekehrt. Wer am Zug ist, würfelt.",
      "Der Stein mit der gewürfelten Zahl zieht ein Feld auf die andere Ecke zu: gerade oder schräg. Fehlt er, wählt man zwischen der nächsthöheren und der nächstniedrigeren Zahl, die es noch gibt.",
      "Was auf dem Zielfeld steht, wird geschlagen, auch ein eigener Stein. Das kann gut sein: Mit weniger Steinen ziehen die übrigen öfter.",
      "Es gewinnt, wer die gegenüberliegende Ecke erreicht oder alle Steine der anderen Seite schlägt.",
    ],
  ],
  reversi: [
    () => [
      [picture(reversi, "----/-OX-/-XO-/---- X", [["a2", "c2"]]), "Black at a2 encloses the white disc at b2 …", "Schwarz auf a2 schließt den weißen Stein auf b2 ein …"],
      [picture(reversi, "----/XXX-/-XO-/---- O"), "… which turns.", "… der umgedreht wird."],
    ],
    [
      "Black begins. A disc is placed so that it encloses a straight row of the other side's discs, in any of eight directions, between itself and another disc of one's own. All rows that are enclosed turn over.",
      "Only moves that turn a disc are allowed. Who has none passes; if neither side has one, the game is over. Who has more discs then wins.",
      "Discs in corners never turn: early on, corners are worth more than many discs.",
    ],
    [
      "Schwarz beginnt. Ein Stein wird so gesetzt, dass er eine gerade Reihe gegnerischer Steine, in einer von acht Richtungen, mit einem eigenen einschließt. Alle eingeschlossenen Reihen werden umgedreht.",
      "Nur Züge, die etwas umdrehen, sind erlaubt. Wer keinen hat, passt; hat niemand einen, ist die Partie zu Ende. Wer dann mehr Steine hat, gewinnt.",
      "Steine in Ecken werden nie umgedreht: Am Anfang sind Ecken mehr wert als viele Steine.",
    ],
  ],
  havannah: [
    () => [
      [havannah([[2, 0], [3, 1], [5, 1], [6, 0]]), "A bridge joins two corners.", "Eine Brücke verbindet zwei Ecken."],
      [havannah([[4, 0], [3, 1], [4, 2], [3, 3], [1, 3], [5, 3], [7, 3]]), "A fork touches three sides.", "Eine Gabel berührt drei Seiten."],
      [havannah([[3, 1], [5, 1], [6, 2], [5, 3], [3, 3], [2, 2]]), "A ring goes around a cell.", "Ein Ring umschließt ein Feld."],
    ],
    [
      "White begins. The players place a stone in turn on any empty cell; stones never move and are never taken.",
      "Who first connects own stones to a bridge, a fork or a ring wins. Corners belong to no side; what is inside a ring does not matter. A full board without any of them is a draw.",
    ],
    [
      "Weiß beginnt. Abwechselnd wird ein Stein auf ein beliebiges freies Feld gesetzt; Steine ziehen nicht und werden nicht geschlagen.",
      "Wer zuerst eigene Steine zu einer Brücke, einer Gabel oder einem Ring verbindet, gewinnt. Ecken gehören zu keiner Seite; was in einem Ring liegt, ist gleich. Ein volles Brett ohne all das ist unentschieden.",
    ],
  ],
  backgammon: [
    () => [
      [picture(backgammon, "4HPwATDgc/ABMA w 61", [["13", "7"], ["8", "7"]]), "White plays 61: 13/7 and 8/7 make a point.", "Weiß spielt 61: 13/7 und 8/7 besetzen einen Punkt."],
      [picture(backgammon, "4Dn4IDDgc/ABMA w 61", [["13", "7"], ["8", "7"]]), "Here they hit a single checker, which goes to the bar.", "Hier schlagen sie einen einzelnen Stein, der auf die Bar kommt."],
      [picture(backgammon, "GwAAgLsBAAAAAA w 64", [["5", "off"]]), "Bearing off: the 6 is used for the rearmost checker.", "Abtragen: Die 6 gilt für den hintersten Stein."],
    ],
    [
      "The checkers go from the high points to the low ones, in the numbers of who is to move; the other side goes the other way. Each die is a step of one checker, and the same checker may make several; doubles are four steps.",
      "A point with two or more checkers of the other side is closed. A checker on the bar enters in the other side's home board, points 24 to 19, before any other may move. Both dice are used if that is possible, otherwise the larger one if possible.",
      "Who has all checkers at home, on points 6 to 1, bears them off; who is first without checkers wins. That counts two points if the other side has borne off none (gammon), and three if it also has a checker on the bar or in the winner's home board (backgammon).",
      "On the board, click a checker and then its target, which has a dot: after one step or several of the same checker, or the tray beside the board. Escape, Backspace or the button takes back a step. The last step plays the move.",
    ],
    [
      "Die Steine ziehen von den hohen Punkten zu den niedrigen, in den Zahlen dessen, der am Zug ist; die andere Seite zieht umgekehrt. Jeder Würfel ist ein Schritt eines Steins, auch mehrere desselben; ein Pasch sind vier Schritte.",
      "Ein Punkt mit mindestens zwei gegnerischen Steinen ist gesperrt. Ein Stein auf der Bar kommt zuerst ins Spiel, im gegnerischen Heimfeld, Punkte 24 bis 19, bevor andere ziehen. Beide Würfel werden benutzt, wenn das möglich ist, sonst wenn möglich der größere.",
      "Wer alle Steine daheim hat, auf den Punkten 6 bis 1, trägt sie ab; wer zuerst keine mehr hat, gewinnt. Das zählt zwei Punkte, wenn die andere Seite noch keinen abgetragen hat (Gammon), und drei, wenn sie zudem einen auf der Bar oder im Heimfeld des Siegers hat (Backgammon).",
      "Auf dem Brett klickt man einen Stein an und dann sein Ziel, das einen Punkt trägt: nach einem Schritt oder mehreren desselben Steins, oder die Ablage neben dem Brett. Escape, die Rücktaste oder der Knopf nimmt einen Schritt zurück. Der letzte Schritt spielt den Zug.",
    ],
  ],
  reversixt: [
    () => [
      [row("01232"), "Red at the left encloses nothing …", "Rot links schließt nichts ein …"],
      [row("02321"), "… here blue and green, which become red.", "… hier Blau und Grün, die rot werden."],
    ],
    [
      "Reversi for several players: a stone encloses a straight row of stones of others between itself and one's own, and the row becomes one's own. Cells with the same small number are joined at that edge: rows go on through it.",
      "An override stone is placed on an occupied cell: if it encloses a row, or on an expansion stone (x) always. Bonus cells (b) give a bomb or an override stone; choice cells (c) let one exchange all stones with a player; inversion cells (i) pass every player's stones on to the next.",
      "When nobody can place a stone, the players throw their bombs, which destroy the cells around their target. Places are by the number of stones then: the first counts 1, the last 0.",
    ],
    [
      "Reversi für mehrere: Ein Stein schließt eine gerade Reihe fremder Steine mit einem eigenen ein, und die Reihe wird eigen. Felder mit derselben kleinen Zahl hängen an dieser Kante zusammen: Reihen gehen dort weiter.",
      "Ein Überschreibstein wird auf ein besetztes Feld gesetzt: wenn er eine Reihe einschließt, auf einen Expansionsstein (x) immer. Bonusfelder (b) geben eine Bombe oder einen Überschreibstein; auf Wahlfeldern (c) darf man alle Steine mit einem Spieler tauschen; Inversionsfelder (i) geben die Steine jedes Spielers an den nächsten weiter.",
      "Kann niemand mehr setzen, werfen die Spieler ihre Bomben, die die Felder um ihr Ziel zerstören. Die Plätze richten sich dann nach der Zahl der Steine: Der erste zählt 1, der letzte 0.",
    ],
  ],
};

/** What the marks of the page mean, `[English, German]` each. */
const MARKS = [
  ["Green frames: what may move; dots: where to. Yellow: the last move. Arrows and rings: green the best move, orange a better one than yours, violet the one that you look at.", "Grüne Rahmen: was ziehen darf; Punkte: wohin. Gelb: der letzte Zug. Pfeile und Ringe: grün der beste Zug, orange ein besserer als deiner, violett der angesehene."],
  ["?! doubtful, ? error, ?? blunder: what a move costs of the win probability. = exact: from tables, a solver or the end of every line. Luck: what a roll gained against the average roll.", "?! zweifelhaft, ? Fehler, ?? Patzer: was ein Zug an Gewinnwahrscheinlichkeit kostet. = exakt: aus Tabellen, einem Löser oder vom Ende aller Varianten. Glück: was ein Wurf gegenüber dem mittleren brachte."],
];

/** Whether there are rules of a game here. */
export function hasRules(game) {
  return game in RULES;
}

/** The rules of a game, as elements. */
export function rulesOf({ name, notation }) {
  const [figures, ...languages] = RULES[name];
  const isNearest = notation.includes("variant=nearest");
  const adapted = (text) => (isNearest ? NEAREST.reduce((all, [classic, nearest]) => all.replace(classic, nearest), text) : text);
  const language = currentLanguage() === "de" ? 1 : 0;
  const figure = ([image, ...captions]) => {
    image.setAttribute("aria-hidden", "true");
    return el("figure", {}, image, el("figcaption", {}, adapted(captions[language])));
  };
  return [
    el("div", { class: "figures" }, figures().map(figure)),
    ...languages[language].map((text) => el("p", {}, adapted(text))),
    ...MARKS.map((texts) => el("p", { class: "note" }, texts[language])),
  ];
}
