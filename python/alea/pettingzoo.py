"""Games as environments of PettingZoo with alternating agents. Requires pettingzoo."""

from typing import Any, ClassVar

import gymnasium
import numpy
import pettingzoo
from pettingzoo.utils import wrappers

from ._alea import Game, Position, integer
from ._positions import rules
from .gym import RENDER_MODES, check_render_mode, draw_outcome, observation, spaces


class Raw(pettingzoo.AECEnv[str, dict[str, Any], int]):
    """A game: agents `seat_0`, `seat_1`, ..., each observing `{"observation", "action_mask"}`.

    `observation` is (cells + 1,) uint8: the symbols of `alea.VecEnv` from the perspective of the
    agent's seat, and the outcome; `action_mask` (moves,) int8 marks the indices of legal moves, none
    for an agent that is not to move. At the end each seat's reward is twice its payoff less 1.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "alea", "is_parallelizable": False, "render_modes": RENDER_MODES}
    _position: Position | None = None

    def __init__(self, game: Game | str = "einstein", render_mode: str | None = None) -> None:
        super().__init__()
        check_render_mode(render_mode)
        self.game, self.render_mode = rules(game), render_mode
        observations, actions = spaces(self.game)
        mask = gymnasium.spaces.Box(0, 1, (int(actions.n),), numpy.int8)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.game.seats)]
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict({"observation": observations, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(int(actions.n)) for agent in self.possible_agents}
        self._random = numpy.random.default_rng()

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._random = numpy.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        first = int(self._random.integers(self.game.seats))
        self._position = self.game.start(int(self._random.integers(2**62)), first)
        self._draw_outcome()

    def _current_position(self) -> Position:
        """The position; ValueError before the first `reset()`."""
        if self._position is None:
            raise ValueError("the game has not begun; reset()")
        return self._position

    def _draw_outcome(self) -> None:
        """Draws the outcome, unless the game is over."""
        position = self._current_position()
        self._outcome, self._moves = 0, []
        if not position.is_over:
            self._outcome = draw_outcome(position, self._random)
            self._moves = position.moves(self._outcome)
            self.agent_selection = self.possible_agents[position.to_move]

    def observe(self, agent: str) -> dict[str, Any]:
        position = self._current_position()
        if agent not in self.possible_agents:
            raise ValueError(f"an agent is one of {', '.join(self.possible_agents)}, not {agent!r}")
        mask = numpy.zeros(int(self.action_spaces[agent].n), numpy.int8)
        if agent == self.agent_selection:
            mask[: len(self._moves)] = 1
        seat = self.possible_agents.index(agent)
        return {"observation": observation(self.game, position, seat, self._outcome), "action_mask": mask}

    def step(self, action: int | None) -> None:
        position = self._current_position()
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        index = integer(action, "an action")
        if index >= len(self._moves):
            raise ValueError(f"an action is below {len(self._moves)}, not {action}")
        mover = self.agent_selection
        self._cumulative_rewards[mover] = 0.0
        self._position = position.play(index, self._outcome)
        self._draw_outcome()
        payoffs = self._position.payoffs
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if payoffs is not None:
            self.rewards = {agent: 2.0 * payoff - 1.0 for agent, payoff in zip(self.possible_agents, payoffs)}
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[(self.agents.index(mover) + 1) % len(self.agents)]
        self._accumulate_rewards()

    def render(self) -> str:
        return str(self._current_position())

    def close(self) -> None:
        """Has no effect."""


def env(game: Game | str = "einstein", render_mode: str | None = None) -> Any:
    """The game in PettingZoo's wrapper that checks the order of calls."""
    return wrappers.OrderEnforcingWrapper(Raw(game, render_mode))
