"""Players of Alea as bots of OpenSpiel's `einstein_wurfelt_nicht`. Needs open_spiel."""

import re

import pyspiel

from ._positions import Player

STONES = {"b": "123456", "w": "abcdef"}
STEPS = {"diag": (1, 1), "down": (1, 0), "right": (0, 1), "up": (1, 0), "left": (0, 1)}


GAME = "einstein_wurfelt_nicht"


def _check(state: pyspiel.State) -> None:
    """ValueError if a state is of another game."""
    name = state.get_game().get_type().short_name
    if name != GAME:
        raise ValueError(f"a state of {GAME} is needed, not of {name}")


def text_of(state: pyspiel.State) -> str:
    """The position of a state as text of Alea, Black being Red: with the roll, if it has fallen.

    ValueError if the state is of another game, or its stones are not set up yet.
    """
    _check(state)
    if len(state.history()) < 2:
        raise ValueError("the stones are not set up yet: there is no position")
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
    """An action of the side to move as a move of Alea; ValueError if it is none of that side."""
    _check(state)
    if state.is_chance_node() or action not in state.legal_actions():
        raise ValueError(f"action {action} is none of the side to move")
    name = state.action_to_string(state.current_player(), action)
    [(side, stone, step)] = re.findall(r"^([BW])(\d)-(\w+)", name)
    board = text_of(state).split()[0].replace("/", "")
    place = board.index(STONES[side.lower()][int(stone) - 1])
    down, right = STEPS[step]
    sign = 1 if side == "B" else -1
    squares = [divmod(place, 5), (place // 5 + sign * down, place % 5 + sign * right)]
    return "".join("abcde"[column] + "54321"[row] for row, column in squares)


class Bot(pyspiel.Bot):
    """A player of EinStein as a bot: `pyspiel.evaluate_bots(state, [Bot(player), other], seed)`.

    ValueError if the player is of another game or of other rules, and if it is asked about a state of
    another game, or one in which nobody is to move.
    """

    def __init__(self, player: Player) -> None:
        super().__init__()
        if not isinstance(player, Player):
            raise ValueError(f"a player of einstein is needed, an alea.Player, not a {type(player).__name__}")
        if player.game.notation != "einstein":
            raise ValueError(f"a player of einstein is needed, not of {player.game.notation}")
        self.player = player

    def step(self, state: pyspiel.State) -> int:
        _check(state)
        if state.is_terminal() or state.is_chance_node():
            raise ValueError("nobody is to move in this state")
        wanted = self.player.decide(text_of(state))
        return next(action for action in state.legal_actions() if move_of(state, action) == wanted)

    def restart_at(self, state: pyspiel.State) -> None:
        """Nothing is remembered from question to question."""
