// Editing of positions: stones in a position's text, by the names of squares.

/** The symbols of squares; the last is an empty one. */
export const PALETTES = { einstein: "123456abcdef.", reversi: "XO-" };

/** The seat and number of a symbol's stone; null for an empty square. */
export function stoneOf(game, symbol) {
  if (symbol === "." || symbol === "-") return null;
  if (game === "reversi") return { seat: SEAT_SYMBOLS.reversi.indexOf(symbol), number: "" };
  const seat = /\d/.test(symbol) ? 0 : 1;
  return { seat, number: seat === 0 ? symbol : String("abcdef".indexOf(symbol) + 1) };
}

/** The symbols of the seats. */
export const SEAT_SYMBOLS = { einstein: ["r", "b"], reversi: ["X", "O"] };

/** The text of a position with a symbol on a square. EinStein has each stone once. */
export function withSymbol(game, position, square, symbol) {
  const [board, ...rest] = position.split(" ");
  const symbols = board.replaceAll("/", "");
  const size = Math.round(Math.sqrt(symbols.length));
  const rows = Array.from({ length: size }, (_, down) => [...symbols.slice(down * size, (down + 1) * size)]);
  const number = Number(square.slice(1));
  const [right, down] = [square.charCodeAt(0) - 97, game === "einstein" ? 5 - number : number - 1];
  if (game === "einstein") {
    for (const row of rows) row.forEach((other, index) => (row[index] = other === symbol ? "." : other));
  }
  rows[down][right] = symbol;
  return [rows.map((row) => row.join("")).join("/"), ...rest].join(" ");
}

/** The same with another seat to move, before the roll. */
export function withSeat(game, position, seat) {
  const parts = position.split(" ");
  parts[1] = SEAT_SYMBOLS[game][seat];
  if (game === "einstein") parts[2] = "-";
  return parts.join(" ");
}
