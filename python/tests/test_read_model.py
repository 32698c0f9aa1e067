"""docs/read_model.py, which knows nothing of the engine, gives its values: all shipped models, all kinds of inputs, and errors."""

import importlib.util
import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import xxhash

import alea

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "read_model.py"
MODELS = sorted((ROOT / "models").glob("*.safetensors"))
MAPS = sorted((ROOT / "data" / "maps").glob("*.map"))

spec = importlib.util.spec_from_file_location("read_model", SCRIPT)
read_model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(read_model)

# By the game of a model file: rules to play by, positions, and what the script has to know of the rules.
PLAYED = {
    "einstein-5x5": [("einstein", 1000, {})],
    "backgammon": [("backgammon", 500, {})],
    "reversi(score=discs)": [("reversi(score=discs)", 500, {})],
    "havannah": [(f"havannah(base={base}, swap=on)", count, {"base": base}) for base, count in ((3, 200), (5, 200), (8, 150))],
    "reversixt": [("reversixt", 100, {})] + [(f'reversixt(map="{path}")', 40, {"map": path}) for path in MAPS],
}


def metadata(path):
    content = path.read_bytes()
    return json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]


def unfinished_positions(game, count, dice):
    """Random positions of random games."""
    found, seed = [], 0
    while len(found) < count:
        seed += 1
        position = game.start(seed)
        while not position.is_over:
            if dice.random() < 0.25:
                found.append(position.text)
            position = position.play(dice.choice(position.moves()))
    return dice.sample(found, count)


def check(path, notation, count, parameters):
    game = alea.game(notation)
    compare(path, game, unfinished_positions(game, count, random.Random(1)), parameters)


def compare(path, game, positions, parameters):
    found = read_model.Model.load(path, **parameters).values(positions)
    expected = alea.evaluate(game, [game.position(text) for text in positions], f"model:{path}")
    assert numpy.abs(found - expected).max() < 1e-6
    assert len(set(expected.tolist())) > len(positions) / 4


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_shipped_models_have_the_values_of_the_engine(path):
    for played in PLAYED[metadata(path)["game"]]:
        check(path, *played)


def test_disqualified_players_are_no_rivals():
    path = next(path for path in MAPS if path.stem.startswith("07_ring_three"))
    game, disqualified = alea.game(f'reversixt(map="{path}")'), []
    for text in unfinished_positions(game, 60, random.Random(2)):
        for player in set("123") - {text.split()[2]}:
            disqualified.append(f"{text} {player}")
    compare(ROOT / "models" / "reversixt-2.safetensors", game, disqualified, {"map": path})


def test_there_are_models_of_every_game_and_family():
    found = {(metadata(path)["game"], metadata(path)["kind"]) for path in MODELS}
    assert {game for game, _ in found} == set(PLAYED) and {kind for _, kind in found} == {"ntuple", "integer_network"}


def write_model(path, game, kind, features, tensors, limits, more):
    """A model file by the documented format alone; `tensors` are in the order of the file."""
    dtypes = {"float32": "F32", "int32": "I32", "int16": "I16", "int8": "I8"}
    header, data = {}, b""
    for name, tensor in tensors.items():
        end = len(data) + tensor.nbytes
        header[name] = {"dtype": dtypes[tensor.dtype.name], "shape": list(tensor.shape), "data_offsets": [len(data), end]}
        data += tensor.tobytes()
    divided = "phases" if kind == "ntuple" else "buckets"
    meta = {"schema": "1", "game": game, "kind": kind, "features": features, "provenance": ""} | more
    meta |= {divided: ",".join(map(str, limits))} if limits else {}
    meta |= {"feature_hash": xxhash.xxh3_64_hexdigest(features.encode()), "checksum": xxhash.xxh3_64_hexdigest(data)}
    sealed = "".join(f"{key}\0{meta[key]}\0" for key in sorted(meta))
    meta["metadata_checksum"] = xxhash.xxh3_64_hexdigest(sealed.encode())
    text = json.dumps({"__metadata__": meta} | header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def described(cells, game):
    """The groups of cells with so many cells each, as a description words them."""
    return ", ".join(f"{letter}0-{count - 1} {game.CELLS[letter][1]}" for letter, count in cells.items())


# The results of backgammon, in the order of its outputs.
RESULTS = tuple(read_model.Backgammon.PAYOFFS)

# The inputs of EinStein's networks as descriptions word them, by name.
EINSTEIN_INPUTS = {text.split()[0]: text for text in read_model.EinStein.INPUTS}


@pytest.mark.parametrize(
    "notation, game, features, inputs, rows, widths, limits, parameters, results",
    [
        ("einstein", "einstein-5x5", "sides squares", "", 2 * 156, (48,), (), {}, ()),
        (
            "einstein",
            "einstein-5x5",
            "sides squares mobility race_distribution race contact",
            "mobility,race_distribution,race,contact",
            2 * (156 + 906 + 768) + 1024 + 780,
            (32, 16, 16),
            (5, 8),
            {},
            (),
        ),
        ("reversi(size=6)", "reversi(size=6)", "b 36", "", 3 * 36, (32, 16), (10, 20), {}, ()),
        ("havannah(base=4)", "havannah", "", "", 16 * 430, (32,), (12,), {"base": 4}, ()),
        ("reversixt", "reversixt", "s 20", "", 16 * 20, (32, 16, 16), (30,), {}, ()),
        ("backgammon", "backgammon", "", "bar,off", 24 * 13 + 8 + 32, (32, 16), (12, 25), {}, RESULTS),
        ("backgammon", "backgammon", "", "bar,off", 24 * 13 + 8 + 32, (64, 32), (), {}, RESULTS),
        ("backgammon", "backgammon", "", "bar,off", 24 * 13 + 8 + 32, (48,), (20,), {}, ()),
    ],
)
def test_other_networks_have_the_values_of_the_engine(
    tmp_path, notation, game, features, inputs, rows, widths, limits, parameters, results
):
    if game == "einstein-5x5":
        features, unit = "; ".join(EINSTEIN_INPUTS[name] for name in features.split()), "living stones"
    elif game == "backgammon":
        groups = read_model.Backgammon.INPUTS.items()
        features, unit = "; ".join(name for name, group in groups if group != "expert"), "men"
    elif game == "havannah":
        (features,), unit = read_model.Havannah.INPUTS, "empties"
    else:
        (letter, count), unit = features.split(), "empties"
        of = read_model.ReversiXT if game == "reversixt" else read_model.Reversi
        features = f"sparse v1: {described({letter: int(count)}, of)}"
    features += f"; buckets by {unit} up to {' '.join(map(str, limits))}" if limits else ""
    dice, divided = numpy.random.default_rng(1), (len(limits) + 1,) if limits else ()
    draw = lambda dtype, most, *shape: dice.integers(-most, most, shape, dtype, endpoint=True)
    layers = [(number, before, own) for number, (before, own) in enumerate(zip(widths, widths[1:]), 2)]
    tensors = {f"hidden{number}.bias": draw("int32", 2000, *divided, own) for number, _, own in layers}
    outputs = (len(results),) if results else ()
    bias = (*divided, *outputs) or (1,)
    tensors |= {"output.bias": draw("int32", 2000000, *bias), "rows": draw("int16", 800, rows, widths[0])}
    tensors |= {"hidden1.bias": draw("int16", 800, widths[0])}
    tensors |= {"output.weight": draw("int16", 800, *divided, *outputs, widths[-1])}
    tensors |= {f"hidden{number}.weight": draw("int8", 50, *divided, before, own) for number, before, own in layers}
    scales = {"rows": 2032, "hidden1.bias": 2032}
    for number, _, _ in layers:
        scales |= {f"hidden{number}.weight": 64, f"hidden{number}.bias": 8128}
    scales |= {"output.weight": 1024, "output.bias": 8323072}
    more = {"shape": ",".join(map(str, widths)), "inputs": inputs, "scales": json.dumps(scales, separators=(",", ":"))}
    more |= {"outputs": ",".join(results)} if results else {}
    write_model(tmp_path / "it.safetensors", game, "integer_network", features, tensors, limits, more)
    check(tmp_path / "it.safetensors", notation, 200, parameters)


@pytest.mark.parametrize(
    "notation, game, of, cells, unit, tuples, parameters",
    [
        # The shipped tuples have no cells of EinStein's board.
        (
            "einstein",
            "einstein-5x5",
            read_model.EinStein,
            {"b": 25, "s": 12, "d": 12, "a": 12, "o": 25, "m": 25},
            "living stones",
            "a4, b24, s0 s7, o24 m13, d2 d8 a4, b3 b4 m0 m6, o16 m18 m24 m23",
            {},
        ),
        ("reversi(size=4)", "reversi(size=4)", read_model.Reversi, {"b": 16}, "empties", "b0 b5 b15, b1 b2 b3 b4", {}),
        ("havannah(base=4)", "havannah", read_model.Havannah, {"b": 37}, "empties", "b0 b36, b1 b2 b3 b9", {"base": 4}),
        ("reversixt", "reversixt", read_model.ReversiXT, {"s": 20, "b": 64}, "empties", "s3 s15, b18 b27 b36 b45", {}),
    ],
)
def test_other_tuples_have_the_values_of_the_engine(tmp_path, notation, game, of, cells, unit, tuples, parameters):
    features = f"ntuple v1: {described(cells, of)}; phases by {unit} up to 5 9; set custom: {tuples}"
    rows = sum(math.prod(of.CELLS[cell[0]][0] for cell in text.split()) for text in tuples.split(", "))
    weights = numpy.random.default_rng(2).uniform(-1, 1, 3 * rows).astype("float32")
    # One large weight leaves fewer than 22 bits after the point.
    weights[-1] = 700
    tensors = {"bias": numpy.array([0.25], "float32"), "weights": weights}
    write_model(tmp_path / "it.safetensors", game, "ntuple", features, tensors, (5, 9), {"shape": "custom", "scales": "{}"})
    check(tmp_path / "it.safetensors", notation, 200, parameters)


@pytest.mark.parametrize(
    "name, key, before, after, problem",
    [
        ("strong-2", "features", "turns v1", "turns v2", "inputs 'turns v2"),
        ("strong-2", "features", "sides v1", "sides v2", "inputs 'sides v2"),
        ("havannah-4", "features", "sparse v1", "sparse v2", "inputs 'sparse v2"),
        ("reversixt-2", "features", "summary v1", "summary v2", "inputs 's' of 'sparse v1"),
        ("ntuple-1", "features", "ntuple v1", "ntuple v2", "inputs 'ntuple v2"),
        ("ntuple-1", "features", "distance (0 gone)", "steps (0 gone)", "inputs 'd' of 'ntuple v1"),
        ("ntuple-1", "kind", "ntuple", "forest", "kind forest"),
        ("fast-1", "game", "5x5", "6x6", "game einstein-6x6"),
        ("fast-1", "schema", "1", "2", "schema 1, not 2"),
    ],
)
def test_unknown_models_are_refused_in_one_line(tmp_path, name, key, before, after, problem):
    content = (ROOT / "models" / f"{name}.safetensors").read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    assert before in header["__metadata__"][key]
    header["__metadata__"][key] = header["__metadata__"][key].replace(before, after, 1)
    text = json.dumps(header).encode()
    path = tmp_path / "it.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[begin:])
    refused(path, "", problem)


@pytest.mark.parametrize(
    "name, line",
    [
        ("fast-1", "x"),
        ("fast-1", "a..../...../...../...../...1. r -"),
        ("reversi-2", "XO X"),
        ("havannah-4", "a16"),
        ("reversixt-2", "1"),
    ],
)
def test_other_texts_are_refused_in_one_line(name, line):
    refused(ROOT / "models" / f"{name}.safetensors", line, line)


def test_other_maps_are_refused_in_one_line(tmp_path):
    (tmp_path / "it.map").write_text("2\n0\n")
    refused(ROOT / "models" / "reversixt-2.safetensors", "", "it.map is no map", "--map", tmp_path / "it.map")


def refused(path, line, problem, *options):
    ran = subprocess.run([sys.executable, SCRIPT, path, *options], input=line, text=True, capture_output=True)
    assert ran.returncode == 1 and ran.stdout == "" and len(ran.stderr.splitlines()) == 1 and problem in ran.stderr


def test_the_document_shows_what_the_script_prints():
    document = (ROOT / "docs" / "reference" / "formats.md").read_text()
    (command, shown) = re.search(r"\n\$ (.*read_model\.py .*)\n([^`]*)```", document).groups()
    command = command.replace("python3", f"'{sys.executable}'")
    ran = subprocess.run(command, shell=True, cwd=ROOT, text=True, capture_output=True)
    assert ran.stdout == shown and ran.stderr == ""
