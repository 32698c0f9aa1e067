"""Random games of EinStein: steps a second in OpenSpiel's loop in Python, and of `alea.VecEnv`."""

import random
import time

import pyspiel

import alea


def openspiel(seconds: float) -> float:
    """Moves a second, chance being drawn between them."""
    game, moves, began = pyspiel.load_game("einstein_wurfelt_nicht"), 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(random.choice(state.legal_actions()))
            else:
                state.apply_action(random.choice(state.legal_actions()))
                moves += 1
    return moves / (time.perf_counter() - began)


def boards(seconds: float, n: int = 4096) -> float:
    """Moves a second, observations and masks included."""
    env, rounds, began = alea.VecEnv("einstein", n), 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        env.step(env.sample())
        rounds += 1
    return rounds * n / (time.perf_counter() - began)


slow, fast = max(openspiel(2) for _ in range(3)), max(boards(2) for _ in range(3))
print(f"OpenSpiel {slow:,.0f} moves/s, VecEnv {fast:,.0f} moves/s, ratio {fast / slow:.0f}")
