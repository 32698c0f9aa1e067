"""Merges hundreds of small shards, each of a run of its own: all games are there, memory is that of a merge of few, and what
is missing or damaged is named in a line each."""

import json
import resource
import subprocess
import sys
from pathlib import Path

alea, room, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
shards = room / "shards"


def ran(*words):
    return subprocess.run([alea, *map(str, words)], capture_output=True, text=True)


def merged(paths, name):
    """What is said of a merge, and the peak of memory of all programs so far, in MB."""
    told = ran("data", "merge", *paths, "--out", room / name, "--json")
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


shards.mkdir()
for seed in range(count):
    run = room / "run"
    told = ran("--threads", 1, "selfplay", "--out", run, "--games", 20, "--seed", seed, "--player", "random", "--player", "greedy")
    assert told.returncode == 0, told.stderr
    (run / "000000.games").rename(shards / f"{seed:06}.games")
    (run / "run.json").unlink()
    run.rmdir()
paths = sorted(shards.iterdir())
few, before = merged(paths[:10], "few")
all_of_them, after = merged([shards], "all")
assert (few["games"], all_of_them["games"]) == (200, 20 * count)
assert after - before < 30, (before, after)
header = (room / "all" / "run.json").read_text()
sources = json.loads(header)["run"]["sources"]
assert len(sources) == 101 and sources[99]["seed"] == 99 and sources[100] == {"more": count - 100}

for number, end in [(3, 100), (40, -9)]:
    content = bytearray(paths[number].read_bytes())
    content[end] ^= 1
    paths[number].write_bytes(content)
paths[7].unlink()
told = ran("data", "merge", *paths, "--out", room / "bad")
lines = told.stderr.splitlines()
assert told.returncode == 1 and len(lines) == 3 and lines[2] == "alea: 2 problems with the records", told.stderr
assert "000003.games: truncated or damaged" in lines[0] and "000007.games: no such file" in lines[1], told.stderr
# Headers are read first; what is damaged within games shows after them, and all of it.
for number in range(50, 80):
    content = bytearray(paths[number].read_bytes())
    content[-9] ^= 1
    paths[number].write_bytes(content)
told = ran("data", "merge", *paths[:3], *paths[8:], "--out", room / "bad")
lines = told.stderr.splitlines()
assert len(lines) == 22 and lines[-1] == "alea: 31 problems with the records", told.stderr
assert lines[-2] == "BAD  … and 11 more" and "000040.games: game 19" in lines[0], told.stderr
assert not (room / "bad").exists()
print(f"{count} shards merged, {before} MB for ten and {after} MB for all")
