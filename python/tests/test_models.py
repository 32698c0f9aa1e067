"""Weights from Python as model files, and the plain forward pass against the engine's."""

import json
import os
from pathlib import Path

import numpy
import pytest

import alea

MODELS = Path(__file__).parents[2] / "models"
SCALES = {"rows": 2032, "hidden1.bias": 2032, "output.weight": 1024, "output.bias": 8323072}


def weights(random, rows, widths, buckets=1, scale=0.3):
    draw = lambda *shape: random.uniform(-scale, scale, shape).astype(numpy.float32)
    of = (buckets,) if buckets > 1 else ()
    tensors = {"rows": draw(rows, widths[0]), "hidden1.bias": draw(widths[0])}
    for number, (before, own) in enumerate(zip(widths, widths[1:]), 2):
        tensors |= {f"hidden{number}.weight": draw(*of, before, own), f"hidden{number}.bias": draw(*of, own)}
    return tensors | {"output.weight": draw(*of, widths[-1]), "output.bias": draw(buckets)}


def read(path):
    """The tensors of a file in units of 1, by the documented format alone."""
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    kinds, tensors = {"I8": "i1", "I16": "<i2", "I32": "<i4"}, {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] in kinds:
            numbers = numpy.frombuffer(data[begin:][slice(*entry["data_offsets"])], kinds[entry["dtype"]])
            scale = SCALES.get(name) or (64 if name.endswith("weight") else 8128)
            tensors[name] = numbers.reshape(entry["shape"]).astype(numpy.float64) / scale
    # The file's biases have half a step more, which rounding down takes away.
    tensors["hidden1.bias"] -= 8 / 2032
    return header["__metadata__"], tensors


@pytest.mark.parametrize("name", ["quick-network", "integer-1", "strong-1"])
def test_the_plain_forward_pass_is_that_of_shipped_models(name):
    path, game = MODELS / f"{name}.safetensors", alea.game("einstein")
    meta, tensors = read(path)
    packed = alea.endgames(2000, seed=8)
    stones = [sum(map(str.isalnum, position.text.split()[0])) for position in alea.unpack(packed)]
    bounds = [int(bound) for bound in meta.get("buckets", "").split(",") if bound]
    bucket = numpy.array([sum(count > bound for bound in bounds) for count in stones]) if bounds else None
    found = alea.forward(tensors, game.rows(packed, meta["inputs"]), bucket)
    assert found == pytest.approx(alea.evaluate(game, packed, f"model:{path}"), abs=1e-6)


@pytest.mark.parametrize(
    "game, inputs, widths, buckets",
    [
        ("einstein", "mobility,turns,alive", (64, 32), ()),
        ("einstein", "", (32,), ()),
        ("einstein", "race,contact", (48, 16, 16), (5, 8)),
        ("reversi(size=6)", "", (32, 16), ()),
    ],
)
def test_a_network_comes_back_from_its_file(tmp_path, game, inputs, widths, buckets):
    game, random = alea.game(game), numpy.random.default_rng(1)
    rows = max(end for _, end in game.runs(inputs))
    tensors = weights(random, rows, widths, len(buckets) + 1)
    path = tmp_path / "mine.safetensors"
    difference = alea.save_model(tensors, path, game=game, inputs=inputs, buckets=buckets, check=2000)
    assert difference < 1e-5 and [file.name for file in tmp_path.iterdir()] == ["mine.safetensors"]
    meta, read_back = read(path)
    assert numpy.abs(read_back["rows"] - tensors["rows"]).max() < 0.5 / 2032 + 1e-6
    assert meta["kind"] == "integer_network" and meta["shape"] == ",".join(map(str, widths))


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda t: t.pop("rows"), "rows"),
        (lambda t: t.update(rows=t["rows"][1:]), "rows"),
        (lambda t: t["rows"].fill(numpy.nan), "rows"),
        (lambda t: t["output.weight"].fill(40), "output.weight"),
        (lambda t: t["hidden2.weight"].fill(2), "hidden2.weight"),
        (lambda t: t.update(more=t["rows"]), "more"),
    ],
)
def test_weights_that_make_no_network_leave_no_file(tmp_path, change, words):
    tensors = weights(numpy.random.default_rng(1), 2348, (64, 32))
    change(tensors)
    with pytest.raises(ValueError, match=words):
        alea.save_model(tensors, tmp_path / "mine.safetensors", inputs="mobility,turns,alive", check=200)
    assert not list(tmp_path.iterdir())


def test_a_difference_between_network_and_engine_leaves_no_file(tmp_path):
    class Liar:
        alea_inputs = ""
        alea_tensors = staticmethod(lambda: weights(numpy.random.default_rng(1), 312, (32, 16)))
        alea_values = staticmethod(lambda rows: numpy.full(len(rows), 0.9))

    with pytest.raises(ValueError, match="differ by"):
        alea.save_model(Liar(), tmp_path / "mine.safetensors", check=100)
    assert not list(tmp_path.iterdir())


def test_models_are_read_anew_only_when_their_file_changes(tmp_path):
    game, path = alea.game("einstein"), tmp_path / "mine.safetensors"
    position = [game.start()]
    found = []
    for seed in (1, 2):
        tensors = weights(numpy.random.default_rng(seed), 312, (32, 16))
        alea.save_model(tensors, path, inputs="", check=100)
        found.append(alea.evaluate(game, position, f"model:{path}")[0])
    assert found[0] != found[1]


def test_training_needs_the_command(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="cargo install"):
        alea.train("data/sample", tmp_path)


def test_training_asks_the_command(tmp_path):
    """A command that says what it was told stands for `alea`."""
    command = tmp_path / "alea"
    command.write_text('#!/bin/sh\nfor last; do :; done; cat "$last" >&2\n[ "$2" = --json ] && echo \'{"family": "network"}\'\n')
    command.chmod(0o755)
    told = alea.train("data", tmp_path / "out", settings={"training": {"epochs": 1}}, command=str(command))
    assert told == [{"family": "network"}]
    command.write_text("#!/bin/sh\necho 'alea: no records there' >&2\nexit 1\n")
    with pytest.raises(RuntimeError, match="no records there"):
        alea.train("data", tmp_path / "out", command=str(command))


def changed(path, key, value):
    """A model file of the project with something else in its metadata."""
    content = (MODELS / "integer-1.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["__metadata__"][key] = value
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
    return path


@pytest.mark.parametrize("key", ["game", "kind", "inputs", "features", "feature_hash", "schema", "scales", "shape", "provenance", "metadata_checksum"])
@pytest.mark.parametrize("name", ["einstein", "reversixt(map=three)"])
def test_a_model_by_others_opens_no_file_and_commands_no_terminal(tmp_path, key, name):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    game = alea.game(name)
    for value in (f'reversixt(map="{pipe}")', f'star1(eval="model:{pipe}")', "\x1b[31mred\nline \u202e", "x" * 10**6):
        path = changed(tmp_path / "it.safetensors", key, value)
        with pytest.raises(ValueError) as caught:
            alea.evaluate(game, [game.start()], f"model:{path}")
        assert str(caught.value).isprintable() and len(str(caught.value)) < 2000, str(caught.value)
