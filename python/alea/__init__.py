"""Games, evaluators and players of Alea; what each does is said in docs/python.md."""

from ._alea import Game, Player, Position, VecEnv, evaluate, game

__all__ = ["Game", "Player", "Position", "VecEnv", "evaluate", "game"]
