"""Quantization-aware networks in PyTorch, and records as a dataset. Requires torch."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy
import torch
from numpy.typing import NDArray
from torch import nn

from ._alea import Game
from ._data import Directories, Samples
from ._models import FULL, HIDDEN, LIMITS, OUTPUT, ROW, STEP
from ._positions import rules

DEFAULT_INPUTS = {"einstein": "mobility,turns,alive"}
"""The default groups of inputs of a game."""


def straight_through(others: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """The straight-through estimator: `numbers` with the gradient of `others` (Bengio et al. 2013)."""
    return others + (numbers - others).detach()


def quantize(weights: torch.Tensor, scale: int) -> torch.Tensor:
    """Weights as integers in units of 1 / scale."""
    return straight_through(weights * scale, torch.round(weights * scale))


class Bag(torch.autograd.Function):
    """Sums of the active rows; the backward pass is three times as fast as that of `embedding_bag`."""

    @staticmethod
    def forward(context: Any, rows: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(rows)
        context.number = weights.shape[0]
        return nn.functional.embedding_bag(rows, weights, mode="sum")

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> tuple[None, torch.Tensor]:  # type: ignore[override]
        [rows] = context.saved_tensors
        sums = gradient.new_zeros(context.number, gradient.shape[1])
        for column in rows.unbind(1):
            sums.index_add_(0, column, gradient)
        return None, sums


class Network(nn.Module):
    """The network of docs/train.md; its forward pass rounds as the engine does.

    `forward(rows)` maps (n, active) int64 rows of `Game.rows` to (n,) logits of the win probability
    of the side to move. `limit()` after each step of the optimiser keeps weights in the range of a
    file. `alea.save_model(network, path)` writes it; `alea.arena` and `alea.benchmark` accept it.
    """

    def __init__(self, game: Game | str = "einstein", hidden: Sequence[int] = (64, 32), inputs: str | None = None) -> None:
        super().__init__()
        game = rules(game)
        self.alea_inputs: str = DEFAULT_INPUTS.get(game.name, "") if inputs is None else inputs
        runs = game.runs(self.alea_inputs)
        widths = [len(runs), *hidden]

        def uniform(fan_in: int, *shape: int) -> nn.Parameter:
            return nn.Parameter((2 * torch.rand(shape) - 1) / fan_in**0.5)

        self.rows = uniform(len(runs), max(end for _, end in runs), hidden[0])
        self.first_bias = uniform(len(runs), hidden[0])
        pairs = list(zip(widths[1:], widths[2:]))
        self.further = nn.ParameterList([uniform(input_width, input_width, width) for input_width, width in pairs])
        self.further_bias = nn.ParameterList([uniform(input_width, width) for input_width, width in pairs])
        self.output = uniform(hidden[-1], hidden[-1])
        self.output_bias = nn.Parameter(torch.zeros(1))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, active) int64 -> (n,) logits."""
        sums = Bag.apply(rows, quantize(self.rows, ROW))
        steps = (sums + quantize(self.first_bias, ROW) + 8) / STEP
        x = straight_through(steps.clamp(0, 127), steps.clamp(0, 127).floor())
        y = 64 * x
        for number, (weights, bias) in enumerate(zip(self.further, self.further_bias), 1):
            y = (x @ quantize(weights, HIDDEN) + quantize(bias, FULL)).clamp(0, FULL)
            x = straight_through((y + 32) / 64, ((y + 32) / 64).floor())
        return (y @ (quantize(self.output, OUTPUT) / OUTPUT)) / FULL + self.output_bias

    @torch.no_grad()
    def limit(self) -> None:
        """Clamps weights to the range of a file."""
        for tensor, name in self._named_tensors():
            limit = next(limit for ending, limit in LIMITS.items() if name.endswith(ending))
            tensor.clamp_(-limit, limit)

    def _named_tensors(self) -> Iterator[tuple[nn.Parameter, str]]:
        yield self.rows, "rows"
        yield self.first_bias, "hidden1.bias"
        for number, (weights, bias) in enumerate(zip(self.further, self.further_bias), 2):
            yield weights, f"hidden{number}.weight"
            yield bias, f"hidden{number}.bias"
        yield self.output, "output.weight"
        yield self.output_bias, "output.bias"

    def alea_tensors(self) -> dict[str, NDArray[numpy.float32]]:
        """The weights by the names of docs/reference/formats.md."""
        return {name: tensor.detach().cpu().numpy() for tensor, name in self._named_tensors()}

    @torch.no_grad()
    def alea_values(self, rows: NDArray[Any]) -> NDArray[numpy.float32]:
        """(n, active) rows -> (n,) win probabilities."""
        logits = self(torch.from_numpy(rows.astype(numpy.int64)).to(self.rows.device))
        return torch.sigmoid(logits).clamp(1e-6, 1 - 1e-6).cpu().numpy()


class Dataset(torch.utils.data.IterableDataset):
    """Batches of recorded samples, `alea.Samples` as tensors, for `DataLoader(batch_size=None)`.

    Takes the arguments of `alea.Samples`. `rows` are int64; each worker of a loader reads other
    shards. `set_epoch(n)` before each epoch changes the order.
    """

    def __init__(self, directories: Directories, game: Game | str = "einstein", *, validation: bool = False, **options: Any) -> None:
        super().__init__()
        name = (game if isinstance(game, str) else game.name).split("(")[0]
        options.setdefault("inputs", DEFAULT_INPUTS.get(name, ""))
        self.samples = Samples(directories, game, **options)
        self.number, self.validation = 1, validation

    def set_epoch(self, number: int) -> None:
        """Sets the number of the next epoch, from 1."""
        self.number = number

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = torch.utils.data.get_worker_info()
        part = (worker.id, worker.num_workers) if worker else (0, 1)
        batches: Iterator[dict[str, Any]]
        if self.validation:
            batches = itertools.islice(self.samples.validation(), part[0], None, part[1])
        else:
            batches = self.samples.epoch(self.number, part)
        for batch in batches:
            tensors = {name: torch.from_numpy(batch[name]) for name in ("target", "value", "result", "weight")}
            tensors["rows"] = torch.from_numpy(batch["rows"].astype(numpy.int64))
            tensors["remaining"] = torch.from_numpy(batch["remaining"].astype(numpy.int64))
            yield tensors


def loss(network: Network, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """The mean cross-entropy in nats between targets and values, weighted by sample."""
    losses = nn.functional.binary_cross_entropy_with_logits(network(batch["rows"]), batch["target"], reduction="none")
    return (losses * batch["weight"]).mean()
