"""Players of Alea as bots of OpenSpiel's `einstein_wurfelt_nicht`. Requires open_spiel."""

import re

import pyspiel

from ._positions import Player

STONE_NAMES = {"b": "123456", "w": "abcdef"}
DIRECTIONS = {"diag": (1, 1), "down": (1, 0), "right": (0, 1), "up": (1, 0), "left": (0, 1)}


GAME = "einstein_wurfelt_nicht"


def _check_game(state: pyspiel.State) -> None:
    """ValueError if a state is of another game."""
    name = state.get_game().get_type().short_name
    if name != GAME:
        raise ValueError(f"a state of {GAME} is needed, not of {name}")


def text_of(state: pyspiel.State) -> str:
    """The position of a state as text, with Black as Red, and with the roll if there is one.

    ValueError if the state is of another game, or its stones are not set up yet.
    """
    _check_game(state)
    if len(state.history()) < 2:
        raise ValueError("the stones are not set up yet: there is no position")
    rows = [re.findall(r"\|(.)(.)\|", line) for line in str(state).splitlines() if line.strip()]
    cells = ["".join("." if side == "_" else STONE_NAMES[side][int(stone) - 1] for side, stone in row) for row in rows]
    # The first two chance outcomes are the set-ups; then rolls and moves alternate.
    history = state.history()
    has_roll = not state.is_terminal() and not state.is_chance_node()
    mover = (len(history) - 2 - has_roll) // 2 % 2 if state.is_terminal() else None
    if mover is None:
        mover = state.current_player() if has_roll else _mover_after_roll(state)
    return f"{'/'.join(cells)} {'rb'[mover]} {history[-1] + 1 if has_roll else '-'}"


def _mover_after_roll(state: pyspiel.State) -> int:
    """The seat to move after the roll."""
    child = state.child(state.legal_actions()[0])
    return child.current_player()


def move_of(state: pyspiel.State, action: int) -> str:
    """An action of the side to move as a move; ValueError if it is not legal."""
    _check_game(state)
    if state.is_chance_node() or action not in state.legal_actions():
        raise ValueError(f"action {action} is none of the side to move")
    name = state.action_to_string(state.current_player(), action)
    [(side, stone, step)] = re.findall(r"^([BW])(\d)-(\w+)", name)
    board = text_of(state).split()[0].replace("/", "")
    index = board.index(STONE_NAMES[side.lower()][int(stone) - 1])
    down, right = DIRECTIONS[step]
    sign = 1 if side == "B" else -1
    squares = [divmod(index, 5), (index // 5 + sign * down, index % 5 + sign * right)]
    return "".join("abcde"[column] + "54321"[row] for row, column in squares)


class Bot(pyspiel.Bot):
    """A player of EinStein as a bot: `pyspiel.evaluate_bots(state, [Bot(player), other], seed)`.

    ValueError if the player or a state is of another game, or if nobody is to move in a state.
    """

    def __init__(self, player: Player) -> None:
        super().__init__()
        if not isinstance(player, Player):
            raise ValueError(f"a player of einstein is needed, an alea.Player, not a {type(player).__name__}")
        if player.game.notation != "einstein":
            raise ValueError(f"a player of einstein is needed, not of {player.game.notation}")
        self.player = player

    def step(self, state: pyspiel.State) -> int:
        _check_game(state)
        if state.is_terminal() or state.is_chance_node():
            raise ValueError("nobody is to move in this state")
        best = self.player.decide(text_of(state))
        return next(action for action in state.legal_actions() if move_of(state, action) == best)

    def restart_at(self, state: pyspiel.State) -> None:
        """Has no effect: the player keeps no state."""
