"""What others wrote opens no file and starts no program, whichever reader of the package is given it: the system tells."""

import ctypes
import json
import os
import pickle
import shutil
import struct
import sys
from pathlib import Path

import pytest
import xxhash

import alea
from alea._positions import _player

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux tells what was opened")

ROOT = Path(__file__).parents[2]
SAMPLE, MODEL = ROOT / "data" / "sample", ROOT / "models" / "integer-1.safetensors"
OPEN, CREATE = 0x20, 0x100


class Bait:
    """A map, a model, patterns and a program that nobody may touch, and who watches them."""

    def __init__(self, folder):
        self.folder, libc = folder, ctypes.CDLL(None, use_errno=True)
        _, (_, text) = alea.game("reversixt(map=three)").__reduce__()
        (folder / "map").write_text(text)
        shutil.copy(MODEL, folder / "model")
        (folder / "patterns").write_text("patterns")
        (folder / "program").write_text(f"#!/bin/sh\ntouch {folder}/started\n")
        (folder / "program").chmod(0o755)
        self.watch = libc.inotify_init1(os.O_NONBLOCK)
        assert self.watch >= 0 and libc.inotify_add_watch(self.watch, os.fsencode(folder), OPEN | CREATE) >= 0

    def touched(self):
        """What was opened or made since the last look."""
        try:
            events = os.read(self.watch, 1 << 16)
        except BlockingIOError:
            return set()
        names, at = set(), 0
        while at < len(events):
            length = struct.unpack_from("iIII", events, at)[3]
            names.add(events[at + 16 : at + 16 + length].rstrip(b"\0").decode())
            at += 16 + length
        return names

    def games(self):
        """Notations of games that name a file, or are none and do."""
        at = self.folder
        return [
            f"reversixt(map={at}/map)",
            f'reversixt( "map" = "{at}/map", points=5)',
            f"havannah(base=4, patterns={at}/patterns)",
            f"einstein(external(cmd={at}/program))",
            f"external(cmd={at}/program)",
            f"model:{at}/model",
        ]

    def players(self):
        """Notations of players that name a file or a program."""
        at = self.folder
        return [
            f'external(cmd="{at}/program")',
            f"star1(depth=1, eval=model:{at}/model)",
            f'mcts(sims=9, leaf="model:{at}/model")',
            f"mcts(sims=9, playout=havannah(patterns={at}/patterns))",
            f"rollout(eval=model:{at}/model, games=1)",
            f"model:{at}/model",
        ]


@pytest.fixture
def bait(tmp_path):
    (tmp_path / "bait").mkdir()
    bait = Bait(tmp_path / "bait")
    # The alarm rings, also for what the package itself opens when its user names it.
    game = alea.game("einstein")
    alea.evaluate(game, [game.start()], f"model:{bait.folder}/model")
    assert bait.touched() == {"model"}
    alea.game(f"reversixt(map={bait.folder}/map)")
    assert bait.touched() == {"map"}
    yield bait
    os.close(bait.watch)


def quiet(bait, read, *what):
    """Reads what may be refused, in a line; whether it was not."""
    try:
        read(*what)
        succeeds = True
    except (ValueError, OSError) as refused:
        assert str(refused).isprintable(), refused
        succeeds = False
    assert not bait.touched(), what
    return succeeds


def checksum(data):
    return xxhash.xxh3_64_intdigest(data).to_bytes(8, "little")


def shard(edit):
    """The sample's shard with another header."""
    data = (SAMPLE / "000000.games").read_bytes()
    length, index = struct.unpack_from("<II", data, 12)
    header = json.loads(data[20 : 20 + length])
    edit(header)
    text = json.dumps(header).encode()
    head = data[:12] + struct.pack("<II", len(text), index) + text + data[20 + length : 20 + length + index]
    head += checksum(head)
    assert checksum(data[: 20 + length + index]) == data[20 + length + index :][:8]
    head += data[28 + length + index : -8]
    return head + checksum(head)


def test_records_and_their_manifests(bait, tmp_path):
    records = tmp_path / "records"
    records.mkdir()
    manifest = json.loads((SAMPLE / "run.json").read_text())

    def write(edit):
        (records / "000000.games").write_bytes(shard(edit))
        named = json.loads(json.dumps(manifest))
        edit(named)
        (records / "run.json").write_text(json.dumps(named))

    def read_all():
        einstein = quiet(bait, alea.read_games, records)
        another = quiet(bait, alea.read_games, records, "reversixt(map=three)")
        samples = quiet(bait, lambda: next(alea.Samples(records, batch=64).epoch(1)))
        return einstein, another, samples

    write(lambda _: None)
    assert read_all() == (True, False, True)
    for name in bait.games():
        write(lambda header: header.update(game=name))
        assert read_all() == (False, False, False), name

    def labels(header):
        header["players"] = (bait.players() * 2)[: len(header["players"])]
        header["run"] = {"players": bait.players(), "models": {name: "0" for name in bait.players()}}

    write(labels)
    # Who played is a label: it is read, and nobody is made of it.
    (records / "run.json").unlink()
    assert read_all() == (True, False, True)
    assert alea.read_games(records).num_rows == 10_555


def test_tables(bait, tmp_path):
    table = alea.read_games(SAMPLE)
    metadata = json.loads(table.schema.metadata[b"alea"])
    for number, notation in enumerate(bait.games() + bait.players()):
        for key, value in (("game", notation), ("players", [notation, notation]), ("run", {"players": [notation]})):
            changed = table.replace_schema_metadata({"alea": json.dumps({**metadata, key: value})})
            wrote = quiet(bait, alea.write_games, changed, tmp_path / f"{number}-{key}")
            assert wrote or key == "game", (key, notation)
    changed = table.set_column(2, "position", [[notation for notation in bait.games()] + table["position"].to_pylist()[6:]])
    assert not quiet(bait, alea.write_games, changed, tmp_path / "positions")


def test_model_files(bait, tmp_path):
    content = MODEL.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header, path = json.loads(content[8 : 8 + length]), tmp_path / "it.safetensors"
    game = alea.game("einstein")
    for notation in bait.games() + bait.players():
        for key in [*header["__metadata__"], "pad"]:
            changed = {**header, "__metadata__": {**header["__metadata__"], key: notation}}
            text = json.dumps(changed).encode()
            path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
            quiet(bait, alea.evaluate, game, [game.start()], f"model:{path}")
            quiet(bait, alea.Player, game, f"star1(depth=1, eval=model:{path})")


class Made:
    """What a pickle makes, for it says so."""

    def __init__(self, *reduced):
        self.reduced = reduced

    def __reduce__(self):
        return self.reduced


def test_texts_and_pickles(bait):
    einstein, havannah = alea.game("einstein"), alea.game("havannah(base=4)")
    _, (_, text) = alea.game("reversixt(map=three)").__reduce__()
    for notation in bait.games() + bait.players():
        for game in (einstein, havannah):
            assert not quiet(bait, game.position, notation)
            assert not quiet(bait, game.start().play, notation, 1)
            quiet(bait, pickle.loads, pickle.dumps(Made(_player, (game, notation, 1))))
            quiet(bait, pickle.loads, pickle.dumps(Made(alea.Position, (game, notation))))
        # The text of a map is one, and names no other.
        quiet(bait, pickle.loads, pickle.dumps(Made(alea.Game, (notation,))))
        quiet(bait, pickle.loads, pickle.dumps(Made(alea.Game, (notation, text))))
        quiet(bait, pickle.loads, pickle.dumps(Made(alea.Game, ("reversixt(map=three)", notation))))


def test_no_reader_of_the_package_is_missing_here():
    """Who takes a path, and who takes what others wrote as bytes or text."""
    readers = {"Game", "Player", "Position", "Samples", "evaluate", "read_games", "write_games"}
    # These take the user's own words, arrays, or say in which folder tables of ours are.
    others = {"BENCHMARK", "LADDER", "LIMITS", "CallableEvaluator", "Card", "Match", "Tables", "VecEnv", "arena", "benchmark", "endgames"}
    others |= {"forward", "game", "save_model", "suites", "train", "unpack"}
    assert set(alea.__all__) == readers | others
