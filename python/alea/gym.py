"""Games as environments of Gymnasium: one agent against an opponent, and many at once. Needs gymnasium."""

from typing import Any

import gymnasium
import numpy
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ._alea import Game, Position, VecEnv
from ._positions import Player, rules


def spaces(game: Game) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Discrete]:
    """What is seen, the symbols of all cells with what chance has said behind them, and what is done."""
    boards = VecEnv(game, 1)
    seen = gymnasium.spaces.Box(0, 255, (boards.observations.shape[1] + 1,), numpy.uint8)
    return seen, gymnasium.spaces.Discrete(boards.mask.shape[1])


def draw(position: Position, random: numpy.random.Generator) -> int:
    """What chance says."""
    outcomes = position.outcomes()
    weights = numpy.array([weight for _, weight in outcomes], numpy.float64)
    return outcomes[random.choice(len(outcomes), p=weights / weights.sum())][0]


class Env(gymnasium.Env[NDArray[numpy.uint8], int]):
    """One seat of a game of two, against an opponent; chance is drawn inside.

    Observations are those of the seat to move, (cells + 1,) uint8: the symbols that `VecEnv` shows,
    and last what chance has said. An action is the index of a permitted move in list order, taken
    modulo their number, which `info["moves"]` tells, so that every action of the space is one. The
    reward is 1, 0 or -1 at the end, else 0. The opponent is `None`, who moves at random, or a
    player's notation. Which seat the agent has is drawn, or `seat`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: Game | str = "einstein",
        opponent: str | None = None,
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.game = rules(game)
        if self.game.seats != 2:
            raise ValueError(f"a game of two is needed, not one of {self.game.seats}")
        self.opponent = None if opponent is None else Player(self.game, opponent)
        self.seat, self.render_mode = seat, render_mode
        self.observation_space, self.action_space = spaces(self.game)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[numpy.uint8], dict[str, Any]]:
        super().reset(seed=seed)
        while True:
            first = int(self.np_random.integers(2))
            self._seat = int(self.np_random.integers(2)) if self.seat is None else self.seat
            self._position = self.game.start(int(self.np_random.integers(2**62)), first)
            self._outcome = 0
            self._moves: list[str] = []
            self._go_on()
            if not self._position.is_over:
                return self._seen(), {"moves": len(self._moves)}

    def step(self, action: int) -> tuple[NDArray[numpy.uint8], float, bool, bool, dict[str, Any]]:
        if not self._moves:
            raise ValueError("the game is over, or has not begun; reset()")
        self._position = self._position.play(int(action) % len(self._moves), self._outcome)
        self._moves = []
        self._go_on()
        over = self._position.is_over
        reward = 2.0 * self._position.payoffs[self._seat] - 1.0 if self._position.payoffs else 0.0
        return self._seen(), reward, over, False, {"moves": len(self._moves)}

    def _go_on(self) -> None:
        """Lets chance speak, and the opponent move, until it is the agent's turn."""
        while not self._position.is_over:
            self._outcome = draw(self._position, self.np_random)
            moves = self._position.moves(self._outcome)
            if self._position.to_move == self._seat:
                self._moves = moves
                return
            if self.opponent is None:
                self._position = self._position.play(int(self.np_random.integers(len(moves))), self._outcome)
            else:
                self._position = self._position.play(self.opponent.decide(self._position, self._outcome), self._outcome)

    def _seen(self) -> NDArray[numpy.uint8]:
        rows = self.game.rows([self._position])[0].astype(numpy.uint8)
        return numpy.append(rows, numpy.uint8(0 if self._position.is_over else self._outcome))

    def render(self) -> str:
        return str(self._position)


class VectorEnv(gymnasium.vector.VectorEnv[NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint8]]):
    """Many games at once in which the agent has every seat: `alea.VecEnv` for Gymnasium.

    Observations are (num_envs, cells + 1) uint8, as those of `Env`, of the seat to move; rewards are
    those of the seat that moved. Actions are taken modulo the number of permitted moves,
    `info["counts"]`; `info["mask"]` says which there are and `info["to_move"]` whose turn it is. A
    game that ends is followed by the next one within the same step.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(self, game: Game | str = "einstein", num_envs: int = 1, seed: int = 1) -> None:
        self.game, self.num_envs = rules(game), num_envs
        self.boards = VecEnv(self.game, num_envs, seed=seed)
        self.single_observation_space, self.single_action_space = spaces(self.game)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[numpy.uint8], dict[str, Any]]:
        if seed is not None:
            self.boards = VecEnv(self.game, self.num_envs, seed=seed)
        else:
            self.boards.reset()
        return self._seen(), self._info()

    def step(self, actions: NDArray[numpy.int64]) -> tuple[Any, ...]:
        boards = self.boards
        boards.step(numpy.asarray(actions, numpy.int64) % boards.counts)
        over = boards.terminated.copy()
        rewards = boards.rewards.astype(numpy.float64)
        return self._seen(), rewards, over, numpy.zeros_like(over), self._info()

    def _seen(self) -> NDArray[numpy.uint8]:
        return numpy.hstack([self.boards.observations, self.boards.outcome[:, None]])

    def _info(self) -> dict[str, Any]:
        boards = self.boards
        return {"counts": boards.counts.copy(), "mask": boards.mask.copy(), "to_move": boards.to_move.copy()}


def register() -> None:
    """Registers `alea/Einstein-v0`, `alea/Reversi-v0` and `alea/Havannah-v0`."""
    for name in ("einstein", "reversi", "havannah"):
        gymnasium.register(
            id=f"alea/{name.capitalize()}-v0",
            entry_point=Env,
            vector_entry_point=VectorEnv,
            kwargs={"game": name},
        )
