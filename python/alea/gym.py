"""Games as environments of Gymnasium: one agent against an opponent, and many at once. Needs gymnasium."""

from typing import Any

import gymnasium
import numpy
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ._alea import Game, Position, VecEnv, whole, wholes
from ._positions import Player, rules

RENDER_MODES = ["ansi"]


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


def observation(game: Game, position: Position, seat: int, outcome: int) -> NDArray[numpy.uint8]:
    """What a seat sees, and last what chance has said."""
    rows = game.rows([position], seat=seat)[0].astype(numpy.uint8)
    return numpy.append(rows, numpy.uint8(outcome))


def check_render_mode(render_mode: str | None) -> None:
    """ValueError if there is no such mode."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"'render_mode' is one of {', '.join(RENDER_MODES)} or None, not {render_mode!r}")


class Env(gymnasium.Env[NDArray[numpy.uint8], int]):
    """One seat of a game of two, against an opponent; chance is drawn inside.

    Observations are what the agent's seat sees, (cells + 1,) uint8: the symbols that `VecEnv` shows,
    and last what chance has said. An action is the index of a permitted move in list order, taken
    modulo their number, which `info["moves"]` tells, so that every action of the space is one.
    `info["action_mask"]`, int8, has a 1 for each permitted move; `action_masks()` is the same as truth
    values. The reward is 1, 0 or -1 at the end, else 0. The opponent is `None`, who moves at random,
    or a player's notation. Which seat the agent has is drawn, or `seat`.
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
        if seat is not None and whole(seat, "a seat") > 1:
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
            self._go_on(self.game.start(int(self.np_random.integers(2**62)), first))
            if self._moves:
                return self._seen(), self._info()

    def step(self, action: int) -> tuple[NDArray[numpy.uint8], float, bool, bool, dict[str, Any]]:
        position = self._begun()
        if not self._moves:
            raise ValueError("the game is over; reset()")
        self._go_on(position.play(whole(action, "an action") % len(self._moves), self._outcome))
        payoffs = self._begun().payoffs
        reward = 2.0 * payoffs[self._seat] - 1.0 if payoffs else 0.0
        return self._seen(), reward, payoffs is not None, False, self._info()

    def action_masks(self) -> NDArray[numpy.bool_]:
        """(moves,) truth values, as learners with masked actions ask for: whether an index is a move."""
        self._begun()
        return numpy.arange(int(self.action_space.n)) < len(self._moves)

    def _begun(self) -> Position:
        """The position; ValueError before the first `reset()`."""
        if self._position is None:
            raise ValueError("the game has not begun; reset()")
        return self._position

    def _go_on(self, position: Position) -> None:
        """Lets chance speak, and the opponent move, until it is the agent's turn or the game is over."""
        outcome, permitted = 0, []
        while not position.is_over:
            outcome = draw(position, self.np_random)
            moves = position.moves(outcome)
            if position.to_move == self._seat:
                permitted = moves
                break
            if self.opponent is None:
                position = position.play(int(self.np_random.integers(len(moves))), outcome)
            else:
                position = position.play(self.opponent.decide(position, outcome), outcome)
        self._position, self._outcome, self._moves = position, outcome if permitted else 0, permitted

    def _seen(self) -> NDArray[numpy.uint8]:
        return observation(self.game, self._begun(), self._seat, self._outcome)

    def _info(self) -> dict[str, Any]:
        return {"moves": len(self._moves), "action_mask": self.action_masks().astype(numpy.int8)}

    def render(self) -> str:
        return str(self._begun())


class VectorEnv(gymnasium.vector.VectorEnv[NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint8]]):
    """Many games at once in which the agent has every seat: `alea.VecEnv` for Gymnasium.

    Observations are (num_envs, cells + 1) uint8, as those of `Env`, of the seat to move; rewards are
    those of the seat that moved. Actions are taken modulo the number of permitted moves,
    `info["counts"]`; `info["mask"]` says which there are, `info["action_mask"]` the same as int8, and
    `info["to_move"]` whose turn it is. A game that ends is followed by the next one within the same
    step: `info["final_obs"]` is what the seat that moved sees of its last position, and
    `info["final_info"]` what there is to do in it, nothing. `reset(options={"reset_mask": …})` begins anew where the
    mask (num_envs,) says so; with a seed, too, chance and starts are from then on those of the seed.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(self, game: Game | str = "einstein", num_envs: int = 1, seed: int = 1) -> None:
        self.game, self.num_envs = rules(game), whole(num_envs, "the number of environments")
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
        return self._seen(), self._info()

    def step(self, actions: NDArray[numpy.int64]) -> tuple[Any, ...]:
        boards = self.boards
        chosen = wholes(actions, "an action")
        if len(chosen) != self.num_envs:
            raise ValueError(f"one action an environment: {self.num_envs}, not {len(chosen)}")
        boards.step(chosen % boards.counts)
        over = boards.terminated.copy()
        info = self._info()
        if over.any():
            info |= self._final(over)
        return self._seen(), boards.rewards.astype(numpy.float64), over, numpy.zeros_like(over), info

    def action_masks(self) -> NDArray[numpy.bool_]:
        """(num_envs, moves) truth values: whether an index is a permitted move."""
        return self.boards.mask.copy()

    def _seen(self) -> NDArray[numpy.uint8]:
        return numpy.hstack([self.boards.observations, self.boards.outcome[:, None]])

    def _info(self) -> dict[str, Any]:
        boards = self.boards
        return _told(
            {
                "counts": boards.counts.copy(),
                "mask": boards.mask.copy(),
                "action_mask": boards.mask.astype(numpy.int8),
                "to_move": boards.to_move.copy(),
            },
            numpy.ones(self.num_envs, numpy.bool_),
        )

    def _final(self, over: NDArray[numpy.bool_]) -> dict[str, Any]:
        """What is said of games that this step ended, in Gymnasium's form."""
        boards = self.boards
        last = numpy.full(self.num_envs, None, dtype=object)
        for index in numpy.flatnonzero(over):
            last[index] = numpy.append(boards.final_observations[index], numpy.uint8(0))
        info = {
            "counts": numpy.zeros_like(boards.counts),
            "mask": numpy.zeros_like(boards.mask),
            "action_mask": numpy.zeros_like(boards.mask, numpy.int8),
        }
        return _told({"final_obs": last, "final_info": _told(info, over)}, over)


def _told(info: dict[str, Any], where: NDArray[numpy.bool_]) -> dict[str, Any]:
    """Information with what Gymnasium keeps beside it: of which environments each is."""
    return info | {f"_{name}": where.copy() for name in info}


def register() -> None:
    """Registers `alea/Einstein-v0`, `alea/Reversi-v0` and `alea/Havannah-v0`, once."""
    for name in ("einstein", "reversi", "havannah"):
        id = f"alea/{name.capitalize()}-v0"
        if id not in gymnasium.registry:
            gymnasium.register(id=id, entry_point=Env, vector_entry_point=VectorEnv, kwargs={"game": name})
