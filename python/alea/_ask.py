"""Python callables as evaluators: rows of numbers in, win probabilities out."""

import sys
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from ._alea import Game
from ._positions import Player


class Asked:
    """A callable that is asked what positions are worth.

    It is given an array (n, width) and answers with n win probabilities of the sides to move,
    before chance has spoken. The array is what `VecEnv.observations` shows, uint8, or with `inputs`
    (or an attribute `alea_inputs` of the callable) the rows of a network with these groups of
    inputs, uint16. PyTorch modules are asked without gradients and given tensors; scikit-learn's
    models by `predict_proba`, or `predict` cut to [0, 1]; ONNX sessions by their only input. An
    object with a method `alea_values` is asked by that.
    """

    def __init__(self, function: Any, name: str | None = None, inputs: str | None = None) -> None:
        self.inputs: str | None = getattr(function, "alea_inputs", None) if inputs is None else inputs
        self.name: str = name or getattr(function, "__name__", None) or type(function).__name__
        self._given, self._function = function, _function(function)

    def __reduce__(self) -> Any:
        return type(self), (self._given, self.name, self.inputs)

    def __call__(self, rows: NDArray[Any]) -> NDArray[numpy.float32]:
        """(n, width) -> (n,) float32; raises ValueError if an answer is no win probability."""
        if self.inputs is None:
            rows = rows.astype(numpy.uint8, copy=False)
        answer = numpy.asarray(self._function(rows))
        values = numpy.ascontiguousarray(answer, dtype=numpy.float32).reshape(-1)
        if len(values) != len(rows):
            raise ValueError(f"{self.name}: {len(rows)} values were asked for, the answer is {answer.shape}")
        if not ((values >= 0) & (values <= 1)).all():
            wrong = values[~((values >= 0) & (values <= 1))][0]
            raise ValueError(f"{self.name}: a win probability is in [0, 1], not {wrong}")
        return values


def _function(function: Any) -> Callable[[NDArray[Any]], Any]:
    torch = sys.modules.get("torch")
    if hasattr(function, "alea_values"):
        return function.alea_values
    if torch is not None and isinstance(function, torch.nn.Module):

        def module(rows: NDArray[Any]) -> Any:
            with torch.no_grad():
                kind = numpy.int64 if rows.dtype == numpy.uint16 else numpy.uint8
                return function(torch.from_numpy(rows.astype(kind, copy=False))).cpu().numpy()

        return module
    if hasattr(function, "predict_proba"):
        return lambda rows: function.predict_proba(rows)[:, -1]
    if hasattr(function, "predict"):
        return lambda rows: numpy.clip(function.predict(rows), 0, 1)
    if hasattr(function, "run") and hasattr(function, "get_inputs"):
        [only] = function.get_inputs()
        kinds = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(int64)": "i8", "tensor(int32)": "i4"}
        kind = kinds.get(only.type, "u1")
        return lambda rows: function.run(None, {only.name: rows.astype(kind)})[0]
    if callable(function):
        return function
    raise TypeError(f"{function!r} is no player, no model and no callable")


def one_ply(evaluator: str) -> str:
    """The player that makes the move to the position that an evaluator thinks best."""
    return f'star1(depth=1, eval="{evaluator}")' if evaluator.startswith("model:") else f"star1(depth=1, eval={evaluator})"


def named(game: Game, someone: Any) -> tuple[str, str] | Asked:
    """`("player", notation)`, `("evaluator", notation)`, or a callable that is asked."""
    if isinstance(someone, Asked):
        return someone
    if isinstance(someone, Player):
        if someone.game.notation != game.notation:
            raise ValueError(f"a player of {someone.game.notation}, not of {game.notation}")
        return "player", someone.notation
    text = str(someone) if isinstance(someone, str) or hasattr(someone, "__fspath__") else None
    if text is None:
        return Asked(someone)
    if text.endswith(".safetensors") and not text.startswith("model:"):
        return "evaluator", f"model:{text}"
    try:
        return "player", Player(game, text).notation
    except ValueError as no_player:
        try:
            Player(game, one_ply(text))
        except ValueError:
            raise no_player from None
        return "evaluator", text
