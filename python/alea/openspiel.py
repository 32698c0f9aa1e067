"""Players of Alea as bots of OpenSpiel's `einstein_wurfelt_nicht`. Needs open_spiel."""

import re

import pyspiel

from ._positions import Player

STONES = {"b": "123456", "w": "abcdef"}
STEPS = {"diag": (1, 1), "down": (1, 0), "right": (0, 1), "up": (1, 0), "left": (0, 1)}


def text_of(state: pyspiel.State) -> str:
    """The position of a state as text of Alea, Black being Red: with the roll, if it has fallen."""
    rows = [re.findall(r"\|(.)(.)\|", line) for line in str(state).splitlines() if line.strip()]
    cells = ["".join("." if side == "_" else STONES[side][int(stone) - 1] for side, stone in row) for row in rows]
    # The first two outcomes of chance are the set-ups; then each roll is followed by a move.
    history = state.history()
    rolled = not state.is_terminal() and not state.is_chance_node()
    mover = (len(history) - 2 - rolled) // 2 % 2 if state.is_terminal() else None
    if mover is None:
        mover = state.current_player() if rolled else _next(state)
    return f"{'/'.join(cells)} {'rb'[mover]} {history[-1] + 1 if rolled else '-'}"


def _next(state: pyspiel.State) -> int:
    """Who moves once chance has spoken."""
    after = state.child(state.legal_actions()[0])
    return after.current_player()


def move_of(state: pyspiel.State, action: int) -> str:
    """An action of the side to move as a move of Alea."""
    name = state.action_to_string(state.current_player(), action)
    [(side, stone, step)] = re.findall(r"^([BW])(\d)-(\w+)", name)
    board = text_of(state).split()[0].replace("/", "")
    place = board.index(STONES[side.lower()][int(stone) - 1])
    down, right = STEPS[step]
    sign = 1 if side == "B" else -1
    squares = [divmod(place, 5), (place // 5 + sign * down, place % 5 + sign * right)]
    return "".join("abcde"[column] + "54321"[row] for row, column in squares)


class Bot(pyspiel.Bot):
    """A player of EinStein as a bot: `pyspiel.evaluate_bots(state, [Bot(player), other], seed)`."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self.player = player

    def step(self, state: pyspiel.State) -> int:
        wanted = self.player.decide(text_of(state))
        return next(action for action in state.legal_actions() if move_of(state, action) == wanted)

    def restart_at(self, state: pyspiel.State) -> None:
        """Nothing is remembered from question to question."""
