"""The wrappers by the checkers of the projects that they are for."""

import random
import warnings

import gymnasium
import numpy
import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils import turn_based_aec_to_parallel

import alea
import alea.gym
import alea.openspiel
import alea.pettingzoo
import rules


@pytest.mark.parametrize("game, opponent", [("einstein", None), ("einstein", "greedy"), ("reversi(size=4)", None)])
def test_gymnasium_checks_an_environment(game, opponent):
    alea.gym.register()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Of an environment that was not made by its name the checker cannot make others, to draw them.
        warnings.filterwarnings("ignore", message=".*not having a spec.*")
        check_env(alea.gym.Env(game, opponent, render_mode="ansi"))
        if game == "einstein":
            made = gymnasium.make("alea/Einstein-v0", opponent=opponent, render_mode="ansi")
            check_env(made.unwrapped)


def test_masks_are_those_that_learners_ask_for():
    """As sb3-contrib finds them (`action_masks` through all wrappers), and as spaces of Gymnasium sample."""
    alea.gym.register()
    env = gymnasium.make("alea/Einstein-v0")
    for seed in range(30):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            masks = env.get_wrapper_attr("action_masks")()
            assert masks.dtype == numpy.bool_ and masks.shape == (env.action_space.n,)
            assert info["action_mask"].dtype == numpy.int8 and (info["action_mask"] == masks).all()
            assert list(numpy.flatnonzero(masks)) == list(range(info["moves"]))
            action = env.action_space.sample(mask=info["action_mask"])
            assert masks[action]
            _, _, over, _, info = env.step(action)
        assert not env.get_wrapper_attr("action_masks")().any() and not info["action_mask"].any()


def test_an_agent_sees_by_its_own_seat_to_the_end():
    env = alea.gym.Env("einstein")
    for seed in range(40):
        seen, _ = env.reset(seed=seed)
        over = False
        while not over:
            seen, reward, over, _, info = env.step(0)
            expected = env.game.rows([env._position], seat=env._seat)[0]
            assert (seen[:-1] == expected).all() and (seen[-1] == 0) == over
        assert reward == 2 * env._position.payoffs[env._seat] - 1


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


@pytest.mark.parametrize("game", ["einstein", "reversi(size=4)", "havannah(base=3)"])
def test_a_game_that_ends_leaves_what_it_showed_at_last(game):
    """What `final_obs` is, from the positions alone; and nothing more than Gymnasium's own kind has."""
    envs, game = alea.gym.VectorEnv(game, 16), alea.game(game)
    envs.reset(seed=5)
    ended = 0
    for _ in range(120):
        before, actions, seats = envs.boards.positions(), envs.boards.sample(), envs.boards.to_move.copy()
        outcomes = envs.boards.outcome.copy()
        seen, rewards, over, _, info = envs.step(actions)
        assert ("final_obs" in info) == ("final_info" in info) == over.any()
        if not over.any():
            continue
        assert (info["_final_obs"] == over).all() and (info["_final_info"] == over).all()
        for index in range(16):
            if not over[index]:
                assert info["final_obs"][index] is None
                continue
            ended += 1
            last = game.position(before[index]).play(int(actions[index]), int(outcomes[index]))
            assert last.is_over and rewards[index] == 2 * last.payoffs[seats[index]] - 1
            expected = numpy.append(game.rows([last], seat=int(seats[index]))[0], 0)
            assert (info["final_obs"][index] == expected).all() and envs.single_observation_space.contains(info["final_obs"][index])
            assert not info["final_info"]["action_mask"][index].any() and info["final_info"]["counts"][index] == 0
            assert info["action_mask"][index].any()
    assert ended > 20


def test_wrappers_of_gymnasium_take_what_happens_within_a_step():
    alea.gym.register()
    make = lambda **how: gymnasium.make_vec("alea/Einstein-v0", num_envs=6, **how)
    sync = make(vectorization_mode="sync", vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP})
    own = make(vectorization_mode="vector_entry_point")
    assert own.metadata["autoreset_mode"] == sync.metadata["autoreset_mode"]
    for envs in (sync, own):
        envs.reset(seed=1)
        final = None
        while final is None:
            info = envs.step(numpy.zeros(6, numpy.int64))[4]
            final = info.get("final_info")
        names = {"final_obs", "_final_obs", "final_info", "_final_info", "action_mask", "_action_mask"}
        assert names <= info.keys() and {"action_mask", "_action_mask"} <= final.keys()
        assert info["final_obs"].dtype == object and info["action_mask"].dtype == numpy.int8
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(own)
    listed = gymnasium.wrappers.vector.DictInfoToList(wrapped)
    listed.reset(seed=2)
    ended = 0
    for _ in range(60):
        _, _, over, _, infos = listed.step(listed.action_space.sample())
        assert len(infos) == 6
        for info, done in zip(infos, over):
            assert info.keys() >= {"action_mask", "counts"} and ("final_obs" in info) == done
            if done:
                ended += 1
                assert info["final_info"]["counts"] == 0 and info["episode"]["l"] >= 1 and abs(info["episode"]["r"]) <= 1
    assert ended > 3


def test_only_the_environments_of_a_mask_begin_anew():
    envs = alea.gym.VectorEnv("einstein", 8)
    envs.reset(seed=1)
    for _ in range(3):
        envs.step(envs.action_space.sample())
    before, positions = envs._observation(), envs.boards.positions()
    mask = numpy.array([True, False] * 4)
    options = {"reset_mask": mask}
    seen, _ = envs.reset(options=options)
    stones = lambda text: sum(map(str.isalnum, text.split()[0]))
    after = envs.boards.positions()
    assert (seen[~mask] == before[~mask]).all() and after[1::2] == positions[1::2] and after[::2] != positions[::2]
    assert all(stones(text) == 12 for text in after[::2]) and options == {"reset_mask": mask}
    # With a seed what is drawn from then on is that seed's, whatever was before.
    again = alea.gym.VectorEnv("einstein", 8)
    again.reset(seed=77)
    one, other = (some.reset(seed=9, options={"reset_mask": numpy.ones(8, bool)})[0] for some in (envs, again))
    assert (one == other).all() and (one == alea.gym.VectorEnv("einstein", 8, seed=9)._observation()).all()
    for wrong in ([True] * 7, [1] * 8, [False] * 8, True, "x", numpy.ones((8, 1), bool)):
        with pytest.raises(ValueError, match="'reset_mask' has 8 truth values, one of them true, not"):
            envs.reset(options={"reset_mask": wrong})
    with pytest.raises(ValueError, match="one truth value a board: 8, not 7"):
        envs.boards.reset(numpy.ones(7, bool))


@pytest.mark.parametrize("game", ["einstein", "reversi(size=4)", "havannah(base=3)", "reversixt(map=three)"])
def test_pettingzoo_checks_turns(game):
    api_test(alea.pettingzoo.env(game), num_cycles=500)
    seed_test(lambda: alea.pettingzoo.env(game), num_cycles=50)
    parallel_api_test(turn_based_aec_to_parallel(alea.pettingzoo.env(game)), num_cycles=200)


def test_every_seat_observes_for_itself():
    env, game = alea.pettingzoo.env("einstein"), alea.game("einstein")
    for seed in range(20):
        env.reset(seed=seed)
        differ = 0
        while env.agents:
            position = env.unwrapped._position
            rows = [env.observe(agent)["observation"] for agent in env.possible_agents]
            for seat in range(2):
                assert (rows[seat][:-1] == game.rows([position], seat=seat)[0]).all()
            differ += (rows[0] != rows[1]).any()
            masks = [env.observe(agent)["action_mask"].any() for agent in env.possible_agents]
            assert masks == [agent == env.agent_selection and not position.is_over for agent in env.possible_agents]
            env.step(None if position.is_over else 0)
        assert differ


@pytest.mark.parametrize(
    "act",
    [
        lambda env: env.render(),
        lambda env: env.step(0),
        lambda env: alea.gym.Env.action_masks(env) if isinstance(env, alea.gym.Env) else env.observe("seat_0"),
    ],
)
@pytest.mark.parametrize("make", [alea.gym.Env, alea.pettingzoo.Raw])
def test_what_has_not_begun_says_so(make, act):
    with pytest.raises(ValueError, match=r"^the game has not begun; reset\(\)$"):
        act(make("einstein", render_mode="ansi"))


@pytest.mark.parametrize(
    "act, line",
    [
        (lambda: alea.gym.Env(seat=2), "a seat is 0 or 1, not 2"),
        (lambda: alea.gym.Env(render_mode="human"), "'render_mode' is one of ansi or None, not 'human'"),
        (lambda: alea.pettingzoo.env(render_mode="human"), "'render_mode' is one of ansi or None, not 'human'"),
        (lambda: alea.gym.VectorEnv(num_envs=2).step([0]), "one action an environment: 2, not 1"),
        (lambda: alea.pettingzoo.Raw.observe(begun(), "nobody"), "an agent is one of seat_0, seat_1, not 'nobody'"),
        (lambda: begun().step(6), "an action is below [0-9]+, not 6"),
        (lambda: begun().step(None), "an action is a whole number, not None"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(act, line):
    with pytest.raises(ValueError, match=f"^{line}$"):
        act()


def begun():
    env = alea.pettingzoo.Raw("einstein")
    env.reset(seed=1)
    return env


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


def test_a_bot_of_openspiel_is_of_one_game():
    game = alea.game("einstein")
    bot = alea.openspiel.Bot(alea.Player(game, "random"))
    start = pyspiel.load_game("einstein_wurfelt_nicht").new_initial_state()
    other = pyspiel.load_game("tic_tac_toe").new_initial_state()
    ended = random_states(1, 1)[0]
    while not ended.is_terminal():
        ended.apply_action(ended.legal_actions()[0])
    cases = [
        (lambda: bot.step(other), "a state of einstein_wurfelt_nicht is needed, not of tic_tac_toe"),
        (lambda: alea.openspiel.text_of(other), "a state of einstein_wurfelt_nicht is needed, not of tic_tac_toe"),
        (lambda: alea.openspiel.move_of(other, 0), "a state of einstein_wurfelt_nicht is needed, not of tic_tac_toe"),
        (lambda: bot.step(start), "nobody is to move in this state"),
        (lambda: bot.step(ended), "nobody is to move in this state"),
        (lambda: alea.openspiel.text_of(start), "the stones are not set up yet: there is no position"),
        (lambda: alea.openspiel.move_of(start, 0), "action 0 is none of the side to move"),
        (lambda: alea.openspiel.Bot(alea.Player(alea.game("reversi"), "random")), "a player of einstein is needed, not of reversi"),
        (lambda: alea.openspiel.Bot("greedy"), "a player of einstein is needed, an alea.Player, not a str"),
    ]
    for act, line in cases:
        with pytest.raises(ValueError) as caught:
            act()
        assert str(caught.value) == line
