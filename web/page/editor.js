// Free editing: stones put on a position's text, by the names of squares.

/** What may be put on a square; the last is nothing. */
export const PALETTES = { einstein: "123456abcdef.", reversi: "XO-" };

/** How the seats are written. */
export const SEATS = { einstein: ["r", "b"], reversi: ["X", "O"] };

/** The text of a position with a sign on a square. Stones of EinStein are there once. */
export function withSign(game, position, square, sign) {
  const [board, ...rest] = position.split(" ");
  const signs = board.replaceAll("/", "");
  const size = Math.round(Math.sqrt(signs.length));
  const rows = Array.from({ length: size }, (_, down) => [...signs.slice(down * size, (down + 1) * size)]);
  const number = Number(square.slice(1));
  const [right, down] = [square.charCodeAt(0) - 97, game === "einstein" ? 5 - number : number - 1];
  if (game === "einstein") {
    for (const row of rows) row.forEach((other, place) => (row[place] = other === sign ? "." : other));
  }
  rows[down][right] = sign;
  return [rows.map((row) => row.join("")).join("/"), ...rest].join(" ");
}

/** The same with another seat to move, before the roll. */
export function withSeat(game, position, seat) {
  const parts = position.split(" ");
  parts[1] = SEATS[game][seat];
  if (game === "einstein") parts[2] = "-";
  return parts.join(" ");
}
