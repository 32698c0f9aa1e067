"""The wrappers by the checkers of the projects that they are for."""

import random
import warnings

import gymnasium
import numpy
import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import alea
import alea.gym
import alea.openspiel
import alea.pettingzoo
import rules


@pytest.mark.parametrize("game, opponent", [("einstein", None), ("einstein", "greedy"), ("reversi(size=4)", None)])
def test_gymnasium_checks_an_environment(game, opponent):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*render.*")
        check_env(alea.gym.Env(game, opponent), skip_render_check=True)


def test_an_agent_wins_as_often_as_its_player():
    """Greedy by hand against chance: as often as in the arena, give or take four standard errors."""
    env = alea.gym.Env("einstein", seat=0)
    player, won = alea.Player(env.game, "greedy"), 0
    for number in range(300):
        _, info = env.reset(seed=number)
        reward, over = 0.0, False
        while not over:
            assert info["moves"] == len(env._moves)
            action = env._moves.index(player.decide(env._position, env._outcome))
            _, reward, over, _, info = env.step(action)
        won += reward == 1
    score = alea.arena("greedy", "random", games=4000).score
    assert abs(won / 300 - score) < 4 * (score * (1 - score) / 300) ** 0.5


def test_gymnasium_makes_many_at_once():
    alea.gym.register()
    envs = gymnasium.make_vec("alea/Einstein-v0", num_envs=8)
    seen, info = envs.reset(seed=3)
    ended = 0
    for _ in range(200):
        assert envs.observation_space.contains(seen) and (info["mask"].sum(axis=1) == info["counts"]).all()
        seen, rewards, over, cut, info = envs.step(envs.action_space.sample())
        assert ((rewards != 0) == over).all() and not cut.any()
        ended += over.sum()
    assert ended > 20
    other = alea.gym.VectorEnv("einstein", 8)
    assert (other.reset(seed=3)[0] == gymnasium.make_vec("alea/Einstein-v0", num_envs=8).reset(seed=3)[0]).all()


@pytest.mark.parametrize("game", ["einstein", "reversi(size=4)"])
def test_pettingzoo_checks_turns(game):
    api_test(alea.pettingzoo.env(game), num_cycles=500)
    seed_test(lambda: alea.pettingzoo.env(game), num_cycles=50)


def random_states(count, seed):
    """States of random games of OpenSpiel in which somebody is to move."""
    game, dice, states = pyspiel.load_game("einstein_wurfelt_nicht"), random.Random(seed), []
    while len(states) < count:
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                states.append(state.clone())
            state.apply_action(dice.choice(state.legal_actions()))
    return states[:count]


def test_openspiel_has_the_same_moves_and_successors():
    game = alea.game("einstein")
    for state in random_states(3000, 1):
        text = alea.openspiel.text_of(state)
        names = {alea.openspiel.move_of(state, action): action for action in state.legal_actions()}
        position, face = game.position(text), int(text[-1])
        assert set(names) == set(position.moves(face)) == rules.moves(text, face)
        for name, action in names.items():
            after, played = state.child(action), position.play(name, face)
            assert after.is_terminal() == played.is_over
            assert alea.openspiel.text_of(after).split()[0] == played.text.split()[0]
            if played.is_over:
                assert after.returns() == [2 * payoff - 1 for payoff in played.payoffs]
            else:
                assert alea.openspiel.text_of(after) == played.text


def test_a_bot_of_openspiel_beats_chance():
    game, dice = pyspiel.load_game("einstein_wurfelt_nicht"), numpy.random.RandomState(1)
    bot = alea.openspiel.Bot(alea.Player(alea.game("einstein"), "star1(depth=1, eval=schwarz)"))
    won = 0
    for number in range(100):
        bots = [bot, pyspiel.make_uniform_random_bot(1, number)]
        seat = number % 2
        if seat:
            bots = [pyspiel.make_uniform_random_bot(0, number), bot]
        won += pyspiel.evaluate_bots(game.new_initial_state(), bots, number)[seat] > 0
    assert won > 75
