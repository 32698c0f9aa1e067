"""EinStein würfelt nicht by its published rules, slowly: what the engine is compared with.

Written from the rules alone, on boards as text: Red's stones `1`-`6` go to the lower right, Blue's `a`-`f`
to the upper left. A roll permits the stone of its number or, where that is gone, the next lower and the
next higher one; a stone goes one square sideways, forward or diagonally and takes whatever stands there.
"""

RED, BLUE = "123456", "abcdef"


def read(text):
    board, side, *_ = text.split()
    return board.split("/"), side


def square(row, column):
    return "abcde"[column] + "54321"[row]


def moves(text, face):
    """The moves of a roll, as a set."""
    rows, side = read(text)
    if winner(text):
        return set()
    own, sign = (RED, 1) if side == "r" else (BLUE, -1)
    alive = [own.index(cell) + 1 for row in rows for cell in row if cell in own]
    if face in alive:
        stones = [face]
    else:
        lower, higher = [s for s in alive if s < face], [s for s in alive if s > face]
        stones = ([max(lower)] if lower else []) + ([min(higher)] if higher else [])
    found = set()
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if cell in own and own.index(cell) + 1 in stones:
                for down, right in ((1, 1), (0, 1), (1, 0)):
                    to = r + sign * down, c + sign * right
                    if 0 <= to[0] < 5 and 0 <= to[1] < 5:
                        found.add(square(r, c) + square(*to))
    return found


def play(text, move):
    rows, side = read(text)
    cells = [list(row) for row in rows]
    (c, r), (to_c, to_r) = [("abcde".index(name[0]), "54321".index(name[1])) for name in (move[:2], move[2:])]
    cells[to_r][to_c], cells[r][c] = cells[r][c], "."
    return "/".join("".join(row) for row in cells) + (" b -" if side == "r" else " r -")


def winner(text):
    """`r` or `b`, or nothing while the game goes on."""
    rows, _ = read(text)
    cells = "".join(rows)
    red, blue = (any(cell in own for cell in cells) for own in (RED, BLUE))
    if rows[4][4] in RED or not blue:
        return "r"
    if rows[0][0] in BLUE or not red:
        return "b"
    return None


def value(text, known=None):
    """Win probability of the side to move with best play, by trying everything."""
    known = {} if known is None else known
    if text not in known:
        side = read(text)[1]
        won = winner(text)
        known[text] = float(won == side) if won else sum(
            max(1 - value(play(text, move), known) for move in moves(text, face)) for face in range(1, 7)
        ) / 6
    return known[text]
