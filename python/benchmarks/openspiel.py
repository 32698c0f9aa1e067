"""Random games of EinStein: moves a second in OpenSpiel's Python and of `alea.VecEnv`, in processor time of one thread.

OpenSpiel twice: the bare loop over states, which shows nothing, and `rl_environment`, which shows observations and
legal actions, as `VecEnv` does.
"""

import random
import time

import pyspiel
from open_spiel.python import rl_environment

import alea

SECONDS = 3


def states():
    game = pyspiel.load_game("einstein_wurfelt_nicht")
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            by_chance = state.is_chance_node()
            state.apply_action(random.choice(state.legal_actions()))
            yield not by_chance


def environment():
    env = rl_environment.Environment("einstein_wurfelt_nicht")
    while True:
        seen = env.reset()
        while not seen.last():
            player = seen.observations["current_player"]
            seen = env.step([random.choice(seen.observations["legal_actions"][player])])
            yield 1


def boards(n=4096):
    env = alea.VecEnv("einstein", n)
    while True:
        env.step(env.sample())
        yield n


def speed(moves):
    """The best of three times."""
    best = 0.0
    for _ in range(3):
        done, began = 0, time.process_time()
        while (passed := time.process_time() - began) < SECONDS / 3:
            done += next(moves)
        best = max(best, done / passed)
    return best


bare, shown, ours = speed(states()), speed(environment()), speed(boards())
print(f"OpenSpiel, bare loop {bare:,.0f}, rl_environment {shown:,.0f}, VecEnv {ours:,.0f} moves/s: {ours / bare:.0f} and {ours / shown:.0f} times")
