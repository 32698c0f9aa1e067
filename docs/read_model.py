#!/usr/bin/env python3
"""Values of an n-tuple model without Alea: read_model.py MODEL.safetensors < POSITIONS (docs/reference/formats.md; needs numpy)."""
import json, math, numpy, sys

def load(path):
    """Weights, bias, cells of each tuple, and the maximum of stones of each phase but the last."""
    data = open(path, "rb").read()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    meta = header["__metadata__"]
    assert meta["kind"] == "ntuple", f"{path}: a model of kind {meta['kind']}; this reads n-tuple networks"
    tensor = lambda name: numpy.frombuffer(data[begin:][slice(*header[name]["data_offsets"])], "<f4")
    tuples = [cells.split() for cells in meta["features"].split(": ")[-1].split(", ")]
    return tensor("weights"), tensor("bias")[0], tuples, [int(most) for most in meta.get("phases", "").split(",") if most]

def view(line):
    """Symbol and number of symbols of every cell, by name."""
    rows, mover = line.split()[:2]
    cells = {f"b{square}": (0, 13) for square in range(25)} | {f"s{stone}": (25, 26) for stone in range(12)}
    for place, content in enumerate(rows.replace("/", "")):
        if content != ".":
            red = content.isdigit()
            stone = "123456abcdef".index(content) % 6 + (0 if red == (mover == "r") else 6)
            cells[f"s{stone}"] = (place if red else 24 - place, 26)
            cells[f"b{place if mover == 'r' else 24 - place}"] = (stone + 1, 13)
    for stone in range(12):
        row, column = divmod(cells[f"s{stone}"][0], 5)
        cells |= {f"d{stone}": (4 - min(row, column) if row < 5 else 0, 5), f"a{stone}": (int(row < 5), 2)}
    alive = lambda stone: cells[f"a{stone}"][0]
    for square in range(25):
        content = cells[f"b{square}"][0]
        side, stone = divmod(content - 1, 6)
        others = any(0 <= near < 6 and not alive(6 * side + near) for near in (stone - 1, stone + 1))
        cells[f"o{square}"] = (side + 1 if content else 0, 3)
        cells[f"m{square}"] = (1 + 2 * side + others if content else 0, 5)
    return cells

weights, bias, tuples, phases = load(sys.argv[1])
for line in sys.stdin:
    cells, logit = view(line), float(bias)
    stones = sum(cells[f"a{stone}"][0] for stone in range(12))
    table = sum(stones > most for most in phases) * len(weights) // (len(phases) + 1)
    for symbols in ([cells[name] for name in names] for names in tuples):
        size = [math.prod(count for _, count in symbols[:place]) for place in range(len(symbols) + 1)]
        logit += float(weights[table + sum(symbol * step for (symbol, _), step in zip(symbols, size))])
        table += size[-1]
    print(1 / (1 + math.exp(-logit)))
