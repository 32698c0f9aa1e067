"""Model files of networks trained elsewhere, and training by the command line."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from ._alea import Game, VecEnv, evaluate, integer, integers, save_network
from ._positions import CAPTURED, endgames, squares_of, rules

ROW, HIDDEN, FULL, OUTPUT, STEP = 2032, 64, 8128, 1024, 16
"""The fixed-point units of 1.0 in rows, in weights of further layers and their sums, and in the output; units a step."""

LIMITS = {"rows": 32767 / ROW, "hidden1.bias": 32767 / ROW, "weight": 127 / HIDDEN, "bias": 500.0, "output.weight": 32767 / OUTPUT}
"""The largest magnitudes in a file: rows and biases of the first layer, weights and biases of further
layers, and weights of the output."""


def forward(
    tensors: Mapping[str, NDArray[Any]], rows: NDArray[Any], bucket: NDArray[Any] | None = None
) -> NDArray[numpy.float64]:
    """Win probabilities (n,) of the sides to move, by a network with weights quantized as in a file.

    `tensors` have the names and shapes of docs/reference/formats.md, in units of 1; `rows` (n, active) are
    those of `Game.rows`, `bucket` (n,) is each position's, if the network has several. This is the
    reference that `save_model` compares the engine with.
    """
    rows = numpy.asarray(rows)
    if rows.dtype.kind not in "iu" or rows.ndim != 2:
        raise ValueError(f"rows are whole numbers (n, active), not {rows.dtype} {rows.shape}")
    _check_below(rows, len(tensors["rows"]), "a row")
    if bucket is not None:
        bucket = integers(bucket, "a bucket")
        _check_below(bucket, len(tensors["output.weight"]), "a bucket")
        if len(bucket) != len(rows):
            raise ValueError(f"one bucket for each of {len(rows)} rows, not {len(bucket)}")
    # In 32 bits, as the engine rounds them.
    quantized = lambda name, scale: numpy.rint(numpy.asarray(tensors[name], "f4") * numpy.float32(scale)).astype("f8")
    select = (lambda part: part) if bucket is None else (lambda part: part[bucket])
    x = quantized("rows", ROW)[rows].sum(axis=1) + numpy.minimum(quantized("hidden1.bias", ROW) + 8, 32767)
    x = numpy.clip(numpy.floor(x / STEP), 0, 127)
    y, layer = 64 * x, 2
    while f"hidden{layer}.weight" in tensors:
        weights, bias = select(quantized(f"hidden{layer}.weight", HIDDEN)), select(quantized(f"hidden{layer}.bias", FULL))
        y = numpy.clip(_times(x, weights) + bias, 0, FULL)
        x, layer = numpy.floor((y + 32) / 64), layer + 1
    logit = (y * select(quantized("output.weight", OUTPUT))).sum(axis=1)
    logit += select(quantized("output.bias", FULL * OUTPUT)) if bucket is not None else quantized("output.bias", FULL * OUTPUT)[0]
    logit = 32 * numpy.floor(logit / 32) / (FULL * OUTPUT)
    return numpy.clip(1 / (1 + numpy.exp(-logit)), 1e-6, 1 - 1e-6)


def _times(x: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """The product with the same weights for all rows, or with weights for each."""
    return x @ weights if weights.ndim == 2 else numpy.einsum("ni,nio->no", x, weights)


def _check_below(indices: NDArray[Any], count: int, what: str) -> None:
    """ValueError if an index is out of range; numpy counts negative ones from the end."""
    invalid = indices[(indices < 0) | (indices >= count)]
    if invalid.size:
        raise ValueError(f"{what} is below {count}, not {invalid[0]}")


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    game: Game | str = "einstein",
    inputs: str | None = None,
    buckets: Sequence[int] = (),
    provenance: Mapping[str, Any] | None = None,
    check: int = 20_000,
    tolerance: float = 1e-4,
) -> float:
    """Writes a network as a model file, if the engine computes the same values.

    `model` is an `alea.torch.Network`, or a mapping of float arrays by the names of docs/reference/formats.md
    (`rows` [R, H1], `hidden1.bias` [H1], `hidden2.weight` [H1, H2], `hidden2.bias`, ...,
    `output.weight` [H], `output.bias` [1]; with buckets one dimension more before the others but for
    the first two) for the groups of `inputs` and the bounds of `buckets`. Weights are rounded to
    those of the file; one out of `LIMITS` is a ValueError.

    `check` positions are compared with the network in Python: a PyTorch network's own values, or
    `forward`. A difference above `tolerance` in win probability is a ValueError, and no file is
    written. Returns the largest difference.
    """
    game, path, check = rules(game), Path(path), integer(check, "the number of positions")
    if hasattr(model, "alea_tensors"):
        tensors, inputs = model.alea_tensors(), model.alea_inputs
        buckets = getattr(model, "alea_buckets", buckets)
    else:
        tensors = {name: numpy.asarray(tensor) for name, tensor in model.items()}
    buckets = integers(buckets, "a bound of buckets").tolist()
    for name, tensor in tensors.items():
        if tensor.dtype.kind not in "fiu":
            raise ValueError(f"tensor {name} holds {tensor.dtype}, not numbers")
    tensors = {name: numpy.ascontiguousarray(tensor, numpy.float32) for name, tensor in tensors.items()}
    if inputs is None:
        raise ValueError("'inputs' names the groups of inputs, such as 'mobility,turns,alive', or '' for none")
    positions = some_positions(game, check)
    rows = game.rows(positions, inputs)
    _check_shapes(tensors, int(max(end for _, end in game.runs(inputs))), len(buckets) + 1)
    provenance_json = json.dumps({"trained": "elsewhere, written by the Python package", **(provenance or {})})
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as temporary:
        file = os.path.join(temporary, "model.safetensors")
        flat = {name: tensor.reshape(-1).tolist() for name, tensor in tensors.items()}
        save_network(game, file, (inputs, bytes(buckets), flat, provenance_json))
        actual = evaluate(game, positions, f"model:{file}")
        if hasattr(model, "alea_values") and not buckets:
            expected = model.alea_values(rows)
        else:
            bucket = None
            if buckets:
                stones = (squares_of(positions) != CAPTURED).sum(axis=1)
                bucket = numpy.searchsorted(numpy.asarray(buckets), stones, side="left")
            expected = forward(tensors, rows, bucket)
        difference = float(numpy.abs(actual - expected).max())
        if not difference <= tolerance:
            raise ValueError(f"engine and network differ by {difference:.6f}, more than {tolerance}")
        os.replace(file, path)
    return difference


def _check_shapes(tensors: Mapping[str, NDArray[Any]], rows: int, buckets: int) -> None:
    widths, layer = [numpy.asarray(tensors.get("hidden1.bias", ())).shape[-1]], 2
    while f"hidden{layer}.bias" in tensors:
        widths.append(tensors[f"hidden{layer}.bias"].shape[-1])
        layer += 1
    leading = (buckets,) if buckets > 1 else ()
    shapes = {"rows": (rows, widths[0]), "hidden1.bias": (widths[0],), "output.weight": (*leading, widths[-1]), "output.bias": (buckets,)}
    for number, (input_width, select) in enumerate(zip(widths, widths[1:]), 2):
        shapes |= {f"hidden{number}.weight": (*leading, input_width, select), f"hidden{number}.bias": (*leading, select)}
    for name, shape in shapes.items():
        actual = tensors[name].shape if name in tensors else None
        if actual != shape:
            raise ValueError(f"tensor {name} has the shape {actual}, not {shape}")


def some_positions(game: Game, count: int, seed: int = 1) -> Any:
    """Positions of random games, and of EinStein as many random endgames, packed."""
    einstein = game.name == "einstein"
    num_random = count - count // 2 if einstein else count
    boards = VecEnv(game, 256, seed=seed)
    texts: list[str] = []
    while len(texts) < num_random:
        texts += boards.positions()
        boards.step(boards.sample())
    texts = texts[:num_random]
    if not einstein:
        return texts
    return numpy.concatenate([game.pack(texts), endgames(count // 2, seed=seed)])


def train(
    data: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    family: str = "network",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int | None = None,
    command: str | None = None,
) -> list[dict[str, Any]]:
    """Runs `alea train` on directories of records; returns its JSON of each model, with its `path`.

    Training is done by the command `alea` at `command`, or on the PATH. `settings` are the tables of docs/train.md, such as
    `{"training": {"epochs": 5}}`. An interrupted training continues when it is called again.
    """
    program = command or shutil.which("alea")
    if program is None:
        raise FileNotFoundError(
            "training needs the command 'alea', which is not on the PATH; "
            "'cargo install --path cli' of the project installs it, or say command=\"target/release/alea\""
        )
    directories = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    arguments = [program, "train", "--json", "--out", os.fspath(out), "--family", family]
    for directory in directories:
        arguments += ["--data", os.fspath(directory)]
    if seed is not None:
        arguments += ["--seed", str(seed)]
    with tempfile.TemporaryDirectory() as temporary:
        if settings:
            config = Path(temporary, "train.toml")
            config.write_text("".join(f"[{table}]\n{_toml(keys)}\n" for table, keys in settings.items()))
            arguments += ["--config", os.fspath(config)]
        done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise RuntimeError(f"alea train: {lines[-1]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]


def _toml(keys: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
