"""Games as environments of Gymnasium, single and vectorized. Requires gymnasium."""

from typing import Any

import gymnasium
import numpy
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ._alea import Game, Position, VecEnv, integer, integers
from ._positions import Player, rules

RENDER_MODES = ["ansi"]


def spaces(game: Game) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Discrete]:
    """The spaces of observations, the symbols of all cells and the outcome, and of actions."""
    boards = VecEnv(game, 1)
    observations = gymnasium.spaces.Box(0, 255, (boards.observations.shape[1] + 1,), numpy.uint8)
    return observations, gymnasium.spaces.Discrete(boards.mask.shape[1])


def draw_outcome(position: Position, random: numpy.random.Generator) -> int:
    """A random outcome."""
    outcomes = position.outcomes()
    weights = numpy.array([weight for _, weight in outcomes], numpy.float64)
    return outcomes[random.choice(len(outcomes), p=weights / weights.sum())][0]


def observation(game: Game, position: Position, seat: int, outcome: int) -> NDArray[numpy.uint8]:
    """The observation of a seat, with the outcome as its last number."""
    rows = game.rows([position], seat=seat)[0].astype(numpy.uint8)
    return numpy.append(rows, numpy.uint8(outcome))


def check_render_mode(render_mode: str | None) -> None:
    """ValueError for an unknown mode."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"'render_mode' is one of {', '.join(RENDER_MODES)} or None, not {render_mode!r}")


class Env(gymnasium.Env[NDArray[numpy.uint8], int]):
    """One seat of a game of two, against an opponent; the environment draws chance.

    Observations are (cells + 1,) uint8: the symbols of `VecEnv` from the perspective of the agent's
    seat, and the outcome. An action is the index of a legal move in list order, modulo their number
    `info["moves"]`, so that every action is legal. `info["action_mask"]`, int8, has a 1 for each legal
    move; `action_masks()` returns truth values. The reward is 1, 0 or -1 at the end, else 0. The
    opponent is a player's notation, or `None` for random moves. The agent's seat is `seat`, or random.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 1}
    _position: Position | None = None

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
        if seat is not None and integer(seat, "a seat") > 1:
            raise ValueError(f"a seat is 0 or 1, not {seat}")
        check_render_mode(render_mode)
        self.opponent = None if opponent is None else Player(self.game, opponent)
        self.seat, self.render_mode = seat if seat is None else int(seat), render_mode
        self.observation_space, self.action_space = spaces(self.game)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[numpy.uint8], dict[str, Any]]:
        super().reset(seed=seed)
        while True:
            first = int(self.np_random.integers(2))
            self._seat = int(self.np_random.integers(2)) if self.seat is None else self.seat
            self._advance(self.game.start(int(self.np_random.integers(2**62)), first))
            if self._moves:
                return self._observation(), self._info()

    def step(self, action: int) -> tuple[NDArray[numpy.uint8], float, bool, bool, dict[str, Any]]:
        position = self._current_position()
        if not self._moves:
            raise ValueError("the game is over; reset()")
        self._advance(position.play(integer(action, "an action") % len(self._moves), self._outcome))
        payoffs = self._current_position().payoffs
        reward = 2.0 * payoffs[self._seat] - 1.0 if payoffs else 0.0
        return self._observation(), reward, payoffs is not None, False, self._info()

    def action_masks(self) -> NDArray[numpy.bool_]:
        """(moves,) truth values for learners with masked actions: whether an index is a move."""
        self._current_position()
        return numpy.arange(int(self.action_space.n)) < len(self._moves)

    def _current_position(self) -> Position:
        """The position; ValueError before the first `reset()`."""
        if self._position is None:
            raise ValueError("the game has not begun; reset()")
        return self._position

    def _advance(self, position: Position) -> None:
        """Draws outcomes and makes the opponent's moves until it is the agent's turn or the game is over."""
        outcome, legal = 0, []
        while not position.is_over:
            outcome = draw_outcome(position, self.np_random)
            moves = position.moves(outcome)
            if position.to_move == self._seat:
                legal = moves
                break
            if self.opponent is None:
                position = position.play(int(self.np_random.integers(len(moves))), outcome)
            else:
                position = position.play(self.opponent.decide(position, outcome), outcome)
        self._position, self._outcome, self._moves = position, outcome if legal else 0, legal

    def _observation(self) -> NDArray[numpy.uint8]:
        return observation(self.game, self._current_position(), self._seat, self._outcome)

    def _info(self) -> dict[str, Any]:
        return {"moves": len(self._moves), "action_mask": self.action_masks().astype(numpy.int8)}

    def render(self) -> str:
        return str(self._current_position())


class VectorEnv(gymnasium.vector.VectorEnv[NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint8]]):
    """Many games at once in which the agent has every seat: `alea.VecEnv` for Gymnasium.

    Observations are (num_envs, cells + 1) uint8, as those of `Env`, of the seat to move; rewards are
    those of the seat that moved. Actions are taken modulo the number of legal moves, `info["counts"]`;
    `info["mask"]` marks the legal ones, `info["action_mask"]` the same as int8, and `info["to_move"]`
    is the seat to move. A game that ends is followed by the next one within the same step:
    `info["final_obs"]` is its last observation for the seat that moved, and `info["final_info"]` has no
    legal moves. `reset(options={"reset_mask": …})` resets the games of the mask (num_envs,); a seed
    reseeds chance and starts.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(self, game: Game | str = "einstein", num_envs: int = 1, seed: int = 1) -> None:
        self.game, self.num_envs = rules(game), integer(num_envs, "the number of environments")
        self.boards = VecEnv(self.game, num_envs, seed=seed, final_observations=True)
        self.single_observation_space, self.single_action_space = spaces(self.game)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, self.num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[numpy.uint8], dict[str, Any]]:
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            mask = numpy.asarray(mask)
            if mask.dtype != numpy.bool_ or mask.shape != (self.num_envs,) or not mask.any():
                raise ValueError(f"'reset_mask' has {self.num_envs} truth values, one of them true, not {mask.dtype} {mask.shape}")
        self.boards.reset(mask, seed)
        return self._observation(), self._info()

    def step(self, actions: NDArray[numpy.int64]) -> tuple[Any, ...]:
        boards = self.boards
        indices = integers(actions, "an action")
        if len(indices) != self.num_envs:
            raise ValueError(f"one action an environment: {self.num_envs}, not {len(indices)}")
        boards.step(indices % boards.counts)
        terminated = boards.terminated.copy()
        info = self._info()
        if terminated.any():
            info |= self._final_info(terminated)
        return self._observation(), boards.rewards.astype(numpy.float64), terminated, numpy.zeros_like(terminated), info

    def action_masks(self) -> NDArray[numpy.bool_]:
        """(num_envs, moves) truth values: whether an index is a legal move."""
        return self.boards.mask.copy()

    def _observation(self) -> NDArray[numpy.uint8]:
        return numpy.hstack([self.boards.observations, self.boards.outcome[:, None]])

    def _info(self) -> dict[str, Any]:
        boards = self.boards
        return _with_presence(
            {
                "counts": boards.counts.copy(),
                "mask": boards.mask.copy(),
                "action_mask": boards.mask.astype(numpy.int8),
                "to_move": boards.to_move.copy(),
            },
            numpy.ones(self.num_envs, numpy.bool_),
        )

    def _final_info(self, terminated: NDArray[numpy.bool_]) -> dict[str, Any]:
        """Information on games that this step ended, in Gymnasium's form."""
        boards = self.boards
        final_observations = numpy.full(self.num_envs, None, dtype=object)
        for index in numpy.flatnonzero(terminated):
            final_observations[index] = numpy.append(boards.final_observations[index], numpy.uint8(0))
        info = {
            "counts": numpy.zeros_like(boards.counts),
            "mask": numpy.zeros_like(boards.mask),
            "action_mask": numpy.zeros_like(boards.mask, numpy.int8),
        }
        return _with_presence({"final_obs": final_observations, "final_info": _with_presence(info, terminated)}, terminated)


def _with_presence(info: dict[str, Any], is_present: NDArray[numpy.bool_]) -> dict[str, Any]:
    """Information with Gymnasium's masks: the environments that each entry belongs to."""
    return info | {f"_{name}": is_present.copy() for name in info}


def register() -> None:
    """Registers `alea/Einstein-v0`, `alea/Reversi-v0` and `alea/Havannah-v0`, once."""
    for name in ("einstein", "reversi", "havannah"):
        id = f"alea/{name.capitalize()}-v0"
        if id not in gymnasium.registry:
            gymnasium.register(id=id, entry_point=Env, vector_entry_point=VectorEnv, kwargs={"game": name})
