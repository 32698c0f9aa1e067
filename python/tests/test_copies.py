"""Copies, by pickle and by hand, go on as the first one does; what is read from a pickle opens no file."""

import copy
import os
import pickle
import pickletools
import subprocess
import sys

import cloudpickle
import numpy
import pytest

import alea
import alea.gym
import alea.pettingzoo
from alea._positions import _player

GAMES = ["einstein", "einstein(variant=nearest)", "reversi(size=6)", "havannah(base=4, swap=on)", "reversixt(map=three, points=3-2-1)"]
WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "old pickle": lambda thing: pickle.loads(pickle.dumps(thing, 2)),
    "cloudpickle": lambda thing: pickle.loads(cloudpickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}
each_way = pytest.mark.parametrize("way", WAYS)
each_game = pytest.mark.parametrize("name", GAMES)


def positions_of(name):
    """Positions of some games, those that are over among them."""
    game, boards = alea.game(name), alea.VecEnv(name, 4, seed=3)
    found = [game.start()]
    for _ in range(150):
        before, actions, outcomes = boards.positions(), boards.sample(), boards.outcome.copy()
        boards.step(actions)
        over = numpy.flatnonzero(boards.terminated)
        found += [game.position(before[i]).play(int(actions[i]), int(outcomes[i])) for i in over]
        found.append(game.position(boards.positions()[0]))
    assert any(position.is_over for position in found)
    return found


@each_way
@each_game
def test_games_and_positions(name, way):
    game, positions = alea.game(name), positions_of(name)
    twin, others = WAYS[way]((game, positions))
    assert twin.notation == game.notation and others == positions and [hash(p) for p in others] == [hash(p) for p in positions]
    assert [p.text for p in others] == [p.text for p in positions] and [p.payoffs for p in others] == [p.payoffs for p in positions]
    assert [p.moves() for p in others] == [p.moves() for p in positions]
    # A copy is taken where the game's own positions are, and the other way about.
    assert (game.rows(others) == twin.rows(positions)).all()
    assert alea.Position(twin, positions[3].text) == positions[3]


@each_way
def test_a_game_on_a_map_takes_its_map_along(tmp_path, way):
    path = tmp_path / "some.map"
    path.write_text(map_text())
    game = alea.game(f'reversixt(map="{path}")')
    position = game.start()
    path.write_text("another file now")
    twin = WAYS[way](game)
    assert twin.start() == position and WAYS[way](position).moves() == position.moves()
    path.unlink()
    assert WAYS[way](twin).start() == position


def map_text():
    """The text of a map."""
    _, (_, text) = alea.game("reversixt(map=three)").__reduce__()
    return text


def run(boards, steps):
    """What boards show over some steps."""
    seen = []
    for number in range(steps):
        if number % 17 == 5:
            boards.reset(numpy.arange(boards.n) % 2 == 0)
        boards.step(boards.sample())
        arrays = [boards.observations, boards.mask, boards.counts, boards.outcome, boards.to_move, boards.rewards, boards.terminated]
        seen.append((b"".join(array.tobytes() for array in arrays), tuple(boards.positions())))
    return seen


@pytest.mark.parametrize("way", WAYS)
@each_game
def test_boards_go_on_as_they_would_have(name, way):
    boards = alea.VecEnv(alea.game(name), 5, seed=11, final_observations=True)
    run(boards, 40)
    twin = WAYS[way](boards)
    for array in ("observations", "mask", "counts", "outcome", "to_move", "rewards", "terminated", "final_observations"):
        assert (getattr(twin, array) == getattr(boards, array)).all() and getattr(twin, array) is not getattr(boards, array)
    assert twin.positions() == boards.positions()
    again = WAYS[way](twin)
    expected = run(boards, 60)
    assert run(twin, 60) == expected == run(again, 60)


def test_boards_whose_chance_the_caller_says_are_copied_at_either_moment():
    boards = alea.VecEnv("einstein", 3, explicit_chance=True)
    for _ in range(5):
        waiting = copy.deepcopy(boards)
        assert (waiting.outcome == 255).all() and not waiting.mask.any()
        boards.step_chance([1, 2, 3])
        waiting.step_chance([1, 2, 3])
        spoken = copy.deepcopy(boards)
        actions = boards.sample()
        assert (waiting.sample() == actions).all() and (spoken.sample() == actions).all()
        for some in (boards, waiting, spoken):
            some.step(actions)
        assert boards.positions() == waiting.positions() == spoken.positions()


def test_streams_that_have_given_much_begin_anew_and_are_found_again():
    boards = alea.VecEnv("einstein", 4096, seed=2)
    for _ in range(300):
        boards.step(boards.sample())
    _, _, (state, *_) = boards.__reduce__()
    assert max(renewals for renewals, _ in state["streams"]) >= 1 and all(draws <= 2**20 + 4096 for _, draws in state["streams"])
    assert run(pickle.loads(pickle.dumps(boards)), 3) == run(boards, 3)


@each_way
@pytest.mark.parametrize("opponent", [None, "star1(depth=1, eval=schwarz)"])
def test_environments_of_gymnasium(way, opponent):
    env = alea.gym.Env("einstein", opponent)
    fresh = WAYS[way](env)
    assert (fresh.reset(seed=4)[0] == env.reset(seed=4)[0]).all()
    if way == "copy":
        return
    for _ in range(3):
        twin = WAYS[way](env)
        for _ in range(10):
            one, other = env.step(1), twin.step(1)
            assert (one[0] == other[0]).all() and one[1:4] == other[1:4]
            if one[2]:
                assert (env.reset()[0] == twin.reset()[0]).all()
    many = alea.gym.VectorEnv("einstein", 4)
    many.reset(seed=2)
    twin = WAYS[way](many)
    for _ in range(30):
        one, other = many.step([1, 1, 1, 1]), twin.step([1, 1, 1, 1])
        assert (one[0] == other[0]).all() and (one[1] == other[1]).all() and (one[2] == other[2]).all()


@pytest.mark.parametrize("way", [way for way in WAYS if way != "copy"])
@pytest.mark.parametrize("make", [alea.pettingzoo.env, alea.pettingzoo.Raw])
def test_environments_of_pettingzoo(way, make):
    env = make("einstein")
    WAYS[way](env).reset(seed=1)
    env.reset(seed=1)
    twin = WAYS[way](env)
    while env.agents:
        one, other = (some.last() for some in (env, twin))
        assert (one[0]["observation"] == other[0]["observation"]).all() and one[1:4] == other[1:4]
        for some in (env, twin):
            some.step(None if one[2] else 0)


@each_way
def test_players_evaluators_and_callables(way):
    game = alea.game("einstein")
    position = game.position("215../64.../3...e/...fb/..acd b -")
    player = alea.Player(game, "mcts(sims=50)", seed=7)
    twin = WAYS[way](player)
    assert (twin.notation, twin.seed, twin.game.notation) == (player.notation, 7, game.notation)
    assert twin.analyse(position, 1) == player.analyse(position, 1)
    asked = WAYS[way](alea.CallableEvaluator(abs, name="abs", inputs="mobility"))
    assert (asked.name, asked.inputs) == ("abs", "mobility")
    tables = WAYS[way](alea.Tables(2))
    assert tables.stones == 2 and (tables.value(alea.endgames(9, 2, 2)) == alea.Tables(2).value(alea.endgames(9, 2, 2))).all()


READER = """
import pickle, sys
try:
    pickle.loads(sys.stdin.buffer.read())
except Exception as problem:
    print(type(problem).__name__, problem)
else:
    print("read")
"""


class Made:
    """What a pickle makes of such parts."""

    def __init__(self, *parts):
        self.parts = parts

    def __reduce__(self):
        return self.parts


def hostile(path):
    """Pickles of our own things in which a path stands, by name."""
    game, reduced = "einstein", {}
    plain = alea.game(game)
    reduced["game"] = Made(alea.Game, (f'reversixt(map="{path}")', None))
    reduced["game, points"] = Made(alea.Game, (f'reversixt(points=3-2-1, map="{path}")',))
    reduced["position"] = Made(alea.Position, (reduced["game"], "x"))
    boards = alea.VecEnv(game, 2).__reduce__()
    reduced["boards"] = Made(alea.VecEnv, (reduced["game"], *boards[1][1:]), boards[2])
    for name, notation in {
        "model": f'star1(depth=1, eval="model:{path}")',
        "model, deeper": f'mcts(sims=2, leaf="model:{path}")',
        "prior": f'mcts(sims=2, prior="model:{path}")',
        "program": f'external(cmd="cat {path}")',
        "luck": f'rollout(eval="model:{path}")',
    }.items():
        reduced[name] = Made(_player, (plain, notation, 1))
    reduced["map"] = Made(_player, (Made(alea.Game, (f'reversixt(map="{path}")',)), "random", 1))
    reduced["patterns"] = Made(_player, (alea.game("havannah"), f'lajkonik(patterns="{path}")', 1))
    samples = object.__new__(alea.Samples)
    samples.__dict__.update(_samples=None, _directories=[path], _game=plain, _choice=(None, True, 0.05, 0.05, 1))
    reduced["samples"] = samples
    return {name: pickle.dumps(thing) for name, thing in reduced.items()}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("name", list(hostile("/nowhere")))
def test_a_pickle_opens_no_file_that_it_names(tmp_path, name):
    """A pipe that nobody writes to: whoever opens it waits for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = subprocess.run([sys.executable, "-c", READER], input=hostile(str(pipe))[name], capture_output=True, timeout=60)
    said = done.stdout.decode().strip()
    assert done.returncode == 0, done.stderr
    assert said == "read" if name == "samples" else said.startswith("ValueError") and "\n" not in said, said


@pytest.mark.parametrize(
    "notation", ["star1(depth=1, eval=model:{}/models/integer-1.safetensors)", 'mcts(sims=2, leaf="model:{}/models/integer-1.safetensors")']
)
def test_a_player_that_names_a_file_is_no_pickle_and_says_so(notation):
    root = os.path.join(os.path.dirname(__file__), "..", "..")
    player = alea.Player(alea.game("einstein"), notation.format(os.path.realpath(root)))
    with pytest.raises(ValueError, match="names a file") as caught:
        pickle.dumps(player)
    assert "\n" not in str(caught.value)
    assert copy.deepcopy(player) is player


def test_a_pickle_holds_words_and_numbers_of_ours_alone():
    """No name of another module."""
    things = [alea.game(GAMES[-1]), positions_of("einstein"), alea.VecEnv("einstein", 2), alea.Player(alea.game("einstein"), "greedy")]
    for thing in things:
        names, strings = set(), []
        for code, argument, _ in pickletools.genops(pickle.dumps(thing)):
            if code.name == "STACK_GLOBAL":
                names.add(tuple(strings[-2:]))
            elif isinstance(argument, str):
                strings.append(argument)
        assert {module.split(".")[0] for module, _ in names} <= {"alea"}, names


@pytest.mark.parametrize(
    "change",
    [
        lambda state, rest: ({**state, "positions": state["positions"][:1]}, *rest),
        lambda state, rest: ({**state, "positions": ["nonsense"] * 2}, *rest),
        lambda state, rest: ({**state, "outcomes": [9, 9]}, *rest),
        lambda state, rest: ({**state, "streams": [(0, 2**63)] * 3}, *rest),
        lambda state, rest: (state, [0.0], *rest[1:]),
        lambda state, rest: (state, *rest[:2], [1]),
    ],
)
def test_boards_take_no_state_that_is_none(change):
    boards = alea.VecEnv("einstein", 2)
    _, _, (state, *rest) = boards.__reduce__()
    before = boards.positions()
    with pytest.raises(ValueError) as caught:
        boards.__setstate__(change(state, rest))
    assert "\n" not in str(caught.value) and boards.positions() == before


@pytest.mark.parametrize("notation", ["reversixt(map=three)", "reversixt(points=3-2-1)", "reversixt", "einstein(variant=nearest)"])
def test_a_game_by_words_alone_needs_no_file(notation):
    assert alea.Game(notation).start() == alea.game(notation).start()


def test_what_is_no_map_is_said_in_one_line():
    for notation, text in (("einstein", "x"), ("reversixt", "x"), ("reversixt(map=x)", "2 3"), ("reversixt(map=nowhere.map)", None), ("chess", None)):
        with pytest.raises(ValueError) as caught:
            alea.Game(notation, text)
        assert "\n" not in str(caught.value)
