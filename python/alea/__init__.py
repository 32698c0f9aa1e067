"""Games, evaluators and players of Alea; docs/python.md describes them."""

from ._alea import Game, Position, VecEnv, evaluate, game
from ._callable import CallableEvaluator
from ._benchmark import BENCHMARK, LADDER, Card, benchmark, suites
from ._data import Samples, read_games, write_games
from ._matches import Match, arena
from ._models import LIMITS, forward, save_model, train
from ._positions import Player, Tables, endgames, unpack

__all__ = [
    "BENCHMARK",
    "LADDER",
    "LIMITS",
    "CallableEvaluator",
    "Card",
    "Game",
    "Match",
    "Player",
    "Position",
    "Samples",
    "Tables",
    "VecEnv",
    "arena",
    "benchmark",
    "endgames",
    "evaluate",
    "forward",
    "game",
    "read_games",
    "save_model",
    "suites",
    "train",
    "unpack",
    "write_games",
]
