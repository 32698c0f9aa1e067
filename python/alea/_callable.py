"""Python callables as evaluators: feature rows to win probabilities."""

import sys
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from ._alea import Game
from ._positions import Player


class CallableEvaluator:
    """A callable as an evaluator.

    It maps an array (n, width) to n win probabilities of the sides to move, before chance. The array
    is that of `VecEnv.observations`, uint8, or with `inputs` (or an attribute `alea_inputs` of the
    callable) the active rows of a network with these groups of inputs, uint16. PyTorch modules get
    tensors and run without gradients; scikit-learn models are called by `predict_proba`, or `predict`
    clipped to [0, 1], ONNX sessions by their only input, other objects by a method `alea_values`.
    """

    def __init__(self, function: Any, name: str | None = None, inputs: str | None = None) -> None:
        self.inputs: str | None = getattr(function, "alea_inputs", None) if inputs is None else inputs
        self.name: str = name or getattr(function, "__name__", None) or type(function).__name__
        self._original, self._function = function, _function(function)

    def __reduce__(self) -> Any:
        return type(self), (self._original, self.name, self.inputs)

    def __call__(self, rows: NDArray[Any]) -> NDArray[numpy.float32]:
        """(n, width) -> (n,) float32; ValueError if an output is no win probability."""
        if self.inputs is None:
            rows = rows.astype(numpy.uint8, copy=False)
        output = numpy.asarray(self._function(rows))
        values = numpy.ascontiguousarray(output, dtype=numpy.float32).reshape(-1)
        if len(values) != len(rows):
            raise ValueError(f"{self.name}: {len(rows)} values were asked for, the answer is {output.shape}")
        if not ((values >= 0) & (values <= 1)).all():
            invalid = values[~((values >= 0) & (values <= 1))][0]
            raise ValueError(f"{self.name}: a win probability is in [0, 1], not {invalid}")
        return values


def _function(function: Any) -> Callable[[NDArray[Any]], Any]:
    torch = sys.modules.get("torch")
    if hasattr(function, "alea_values"):
        return function.alea_values
    if torch is not None and isinstance(function, torch.nn.Module):

        def module(rows: NDArray[Any]) -> Any:
            with torch.no_grad():
                dtype = numpy.int64 if rows.dtype == numpy.uint16 else numpy.uint8
                return function(torch.from_numpy(rows.astype(dtype, copy=False))).cpu().numpy()

        return module
    if hasattr(function, "predict_proba"):
        return lambda rows: function.predict_proba(rows)[:, -1]
    if hasattr(function, "predict"):
        return lambda rows: numpy.clip(function.predict(rows), 0, 1)
    if hasattr(function, "run") and hasattr(function, "get_inputs"):
        [tensor_input] = function.get_inputs()
        dtypes = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(int64)": "i8", "tensor(int32)": "i4"}
        dtype = dtypes.get(tensor_input.type, "u1")
        return lambda rows: function.run(None, {tensor_input.name: rows.astype(dtype)})[0]
    if callable(function):
        return function
    raise TypeError(f"{function!r} is no player, no model and no callable")


def one_ply(evaluator: str) -> str:
    """The player that makes the move with the best value of an evaluator."""
    return f'star1(depth=1, eval="{evaluator}")' if evaluator.startswith("model:") else f"star1(depth=1, eval={evaluator})"


def resolve(game: Game, participant: Any) -> tuple[str, str] | CallableEvaluator:
    """`("player", notation)`, `("evaluator", notation)`, or a callable."""
    if isinstance(participant, CallableEvaluator):
        return participant
    if isinstance(participant, Player):
        if participant.game.notation != game.notation:
            raise ValueError(f"a player of {participant.game.notation}, not of {game.notation}")
        return "player", participant.notation
    text = str(participant) if isinstance(participant, str) or hasattr(participant, "__fspath__") else None
    if text is None:
        return CallableEvaluator(participant)
    if text.endswith(".safetensors") and not text.startswith("model:"):
        return "evaluator", f"model:{text}"
    try:
        return "player", Player(game, text).notation
    except ValueError as player_error:
        try:
            Player(game, one_ply(text))
        except ValueError:
            raise player_error from None
        return "evaluator", text
