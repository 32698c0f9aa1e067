#!/usr/bin/env python3
"""Values of Alea's models without Alea, in plain Python and numpy: one file, to copy or to learn from.

    read_model.py MODEL.safetensors < POSITIONS             prints one win probability a line
    read_model.py MODEL.safetensors --base 5 < POSITIONS    Havannah with 5 cells a side instead of 8
    read_model.py MODEL.safetensors --map FILE < POSITIONS  ReversiXT on a map instead of plain 8×8

    from read_model import Model
    model = Model.load("models/strong-2.safetensors")
    model.values(["215../64.../3...e/...fb/..acd b -"])     # numpy array, float64, shape (1,)

A position is a line of text as `alea` prints it; its game must not be over. A value is the win probability of the side to move
before the roll, in ReversiXT with three players or more its expected points as a fraction of a winner's, in backgammon its
expected points from -3 as 0 to 3 as 1. The engine's values
differ by less than 1e-6, because they have 32 bits. docs/reference/formats.md describes the files and all inputs.

A model is read in three steps: the file becomes tensors and a description of the inputs; a position becomes small integers, the
inputs; sums over tensors become the logit of the win probability, or a logit for each result. Each game is a class of positions with

    CELLS        by letter, for each group of cells: number of symbols of a cell, and their meaning as descriptions word it
    cells()      by letter: the symbol of each cell, as the side to move sees it
    INPUTS       other inputs of networks, as descriptions word them
    rows(names)  with these inputs: the active rows of a network's first layer, a list of indices
    remaining()  what remains of the game, which selects phases and buckets
    PAYOFFS      by name, where networks may have an output for each result: its value

Inputs that are worded otherwise are refused. Checksums are not verified (`alea models` does)."""
import argparse, functools, itertools, json, re, sys
import numpy

# ==== The file ================================================================================================================


class Model:
    """A model: `Model.load(path)`, then `values(positions)`."""

    @classmethod
    def load(cls, path, base=8, map=None):
        """The model of a file. `base` is Havannah's cells a side, `map` the path of a map of ReversiXT."""
        with open(path, "rb") as file:
            data = file.read()
        try:
            begin = 8 + int.from_bytes(data[:8], "little")
            header = json.loads(data[8:begin])
            return cls(header.pop("__metadata__"), header, data[begin:], base, map)
        except (KeyError, UnicodeDecodeError, json.JSONDecodeError):
            raise ValueError(f"{path}: this is no model file") from None
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def __init__(self, meta, entries, data, base, map):
        if meta["schema"] != "1":
            raise ValueError(f"this reads models of schema 1, not {meta['schema']}")
        game, features = meta["game"], meta["features"]
        if game == "einstein-5x5":
            self.position = cells = EinStein
        elif game.split("(")[0] == "reversi":
            self.position = cells = Reversi
        elif game == "havannah":
            self.position, cells = functools.partial(Havannah, base=base), Havannah
        elif game == "reversixt":
            try:
                board = Map(open(map).read() if map else PLAIN_MAP)
            except (ValueError, IndexError):
                raise ValueError(f"{map} is no map of ReversiXT") from None
            self.position, cells = functools.partial(ReversiXT, map=board), ReversiXT
        elif game == "backgammon":
            self.position = cells = Backgammon
        else:
            raise ValueError(f"this does not know the game {game}")
        kinds = {"F32": "<f4", "I32": "<i4", "I16": "<i2", "I8": "i1"}
        tensors = {}
        for name, entry in entries.items():
            numbers = numpy.frombuffer(data[slice(*entry["data_offsets"])], kinds[entry["dtype"]])
            tensors[name] = numbers.reshape(entry["shape"]).astype(float if entry["dtype"] == "F32" else int)
        scales = json.loads(meta["scales"])
        # The maxima of `remaining` in all phases or buckets but the last: "…; phases by living stones up to 5 8".
        limits = re.search(r"; (?:phases|buckets) by [a-z ]+ up to ([\d ]+)", features)
        self.limits = [int(limit) for limit in limits[1].split()] if limits else []
        features = features.replace(limits[0], "") if limits else features
        # Or the names of the game's parts.
        self.parts = getattr(cells, "PARTS", ())
        named = re.search(rf"; (?:phases|buckets) {' '.join(self.parts)}(?=; |$)", features) if self.parts else None
        features = features.replace(named[0], "") if named else features
        self.parts = self.parts if named else ()
        if meta["kind"] not in ("ntuple", "integer_network"):
            raise ValueError(f"this does not know models of kind {meta['kind']}")
        parts = len(self.parts) or len(self.limits) + 1
        if meta["kind"] == "ntuple":
            self.family = NTuples(tensors, features, cells, parts, scales.get("weights"))
        else:
            self.family = Network(tensors, features, cells, parts)
        # The names of the results that have an output each; none if the only output is the logit of a win.
        self.results = meta["outputs"].split(",") if "outputs" in meta else []
        if self.results and self.results != list(getattr(cells, "PAYOFFS", {})):
            raise ValueError(f"this does not know the results '{meta['outputs']}'")
        self.payoffs = [cells.PAYOFFS[name] for name in self.results]

    def position_and_part(self, text):
        """A position and its phase or bucket."""
        position = self.position(text)
        if self.parts:
            return position, position.part()
        return position, sum(position.remaining() > limit for limit in self.limits)

    def probabilities(self, positions):
        """Probabilities of `results` for the sides to move, shape (positions, results): the softmax of the logits."""
        logits = numpy.array([self.family.logits(*self.position_and_part(text)) for text in positions]) / 8323072
        terms = numpy.exp(logits - logits.max(axis=1, keepdims=True))
        return terms / terms.sum(axis=1, keepdims=True)

    def values(self, positions):
        """Win probabilities of the sides to move, float64, shape (positions,); `positions` is a list of texts."""
        if self.results:
            return (self.probabilities(positions) @ self.payoffs).clip(1e-6, 1 - 1e-6)
        logits = [self.family.logit(*self.position_and_part(text)) for text in positions]
        return 1 / (1 + numpy.exp(-numpy.array(logits, dtype=float)))


def group_size(game, letter, features):
    """The number of cells of a group, which the description must give the meaning that this file knows."""
    _, meaning = game.CELLS.get(letter, (0, "?"))
    found = re.search(rf"[:,] {letter}0-(\d+) {re.escape(meaning)}(?:, |; |$)", features)
    if not found:
        raise ValueError(f"this does not know the inputs {letter!r} of '{features[:100]}'")
    return int(found[1]) + 1


def symbols_of(position, letter, size):
    """The symbols of a group's cells, of which the model's boards have `size`."""
    symbols = position.cells()[letter]
    if len(symbols) != size:
        raise ValueError(f"this model is for boards of {size} cells, not {len(symbols)}")
    return symbols


# ==== n-tuple networks ========================================================================================================


class NTuples:
    """logit = bias + Σ weights[row of each tuple], in integers: units of 2⁻ᵇ, b = `bits`.

    `weights` has shape (phases, rows of all tables one after the other); they are multiples of 1/`scale` if that is given."""

    def __init__(self, tensors, features, game, phases, scale):
        # "ntuple v1: GROUPS OF CELLS; set NAME: b0 b1, s3 s4 = s4 s5": a cell is a letter and a number; tables lie between
        # commas, and tuples that share a table between equals signs.
        found = re.fullmatch(r"ntuple v1: .*; set [^:]+: (.*)", features)
        if not found:
            raise ValueError(f"this does not know the inputs '{features[:100]}'")
        cells = lambda text: [(cell[0], int(cell[1:])) for cell in text.split()]
        tables = [[cells(text) for text in table.split(" = ")] for table in found[1].split(", ")]
        letters = {letter for table in tables for tuple in table for letter, _ in tuple}
        self.sizes = {letter: group_size(game, letter, features) for letter in letters}
        # A row in a table is a mixed-radix number with a tuple's first cell as lowest digit; the last product is its length.
        radices = [[game.CELLS[letter][0] for letter, _ in table[0]] for table in tables]
        strides = [list(itertools.accumulate(radix, int.__mul__, initial=1)) for radix in radices]
        starts = list(itertools.accumulate((stride[-1] for stride in strides), initial=0))
        self.tuples = [(cells, *placed) for table, *placed in zip(tables, strides, starts) for cells in table]
        weights, bias = tensors["weights"].reshape(phases, starts[-1]) / (scale or 1), tensors["bias"]
        largest = sum(abs(weights[:, start : start + stride[-1]]).max() for _, stride, start in self.tuples) + abs(bias[0])
        most = scale.bit_length() - 1 if scale else 22
        self.bits = max(bits for bits in range(8, most + 1) if bits == 8 or largest * 2**bits < 2**30 - 1000)
        quantized = lambda numbers: (numpy.sign(numbers) * numpy.floor(abs(numbers) * 2**self.bits + 0.5)).astype(int)
        self.weights, self.bias = quantized(weights), int(quantized(bias)[0])

    def logit(self, position, phase):
        symbols = {letter: symbols_of(position, letter, size) for letter, size in self.sizes.items()}
        total = self.bias
        for cells, strides, start in self.tuples:
            row = sum(symbols[letter][number] * stride for (letter, number), stride in zip(cells, strides))
            total += int(self.weights[phase, start + row])
        # To the nearest multiple of 2⁻¹⁸.
        step = 2 ** max(self.bits - 18, 0)
        return (total + step // 2) // step * step / 2**self.bits


# ==== Networks ================================================================================================================


class Network:
    """One to three layers over binary inputs, in integers.

    Tensors have shapes `rows` (R, H₁), `hidden1.bias` (H₁,), and with the bucket as first dimension `hiddenK.weight`
    (buckets, Hₖ₋₁, Hₖ), `hiddenK.bias` (buckets, Hₖ), `output.weight` (buckets, outputs, H), `output.bias` (buckets, outputs)."""

    def __init__(self, tensors, features, game, buckets):
        undivided = ("rows", "hidden1.bias")
        self.tensors = {name: t if buckets > 1 or name in undivided else t[numpy.newaxis] for name, t in tensors.items()}
        self.tensors["output.bias"] = bias = tensors["output.bias"].reshape(buckets, -1)
        self.tensors["output.weight"] = tensors["output.weight"].reshape(*bias.shape, -1)
        self.layers = 1 + ("hidden2.bias" in tensors) + ("hidden3.bias" in tensors)
        cells = re.match(r"sparse v1: ([a-z])0-\d+ ", features)
        if cells:
            # A row for each cell of the group and each of its symbols.
            letter, size = cells[1], group_size(game, cells[1], features)
            count = game.CELLS[letter][0]
            self.rows = lambda position: count * numpy.arange(size) + symbols_of(position, letter, size)
        else:
            names = []
            while features:
                name = next((name for name in game.INPUTS if features.startswith(name)), None)
                if name is None:
                    raise ValueError(f"this does not know the inputs '{features[:100]}'")
                names.append(name)
                features = features[len(name) :].removeprefix("; ")
            self.rows = lambda position: position.rows(names)

    def logits(self, position, bucket):
        """The logits, integers in units of 1/8323072: 127 of x and 8128 of y are an activation of 1."""
        tensors = self.tensors
        x = (tensors["hidden1.bias"] + tensors["rows"][self.rows(position)].sum(axis=0)) // 16  # shape (H₁,)
        x = x.clip(0, 127)
        y = 64 * x
        for layer in range(2, self.layers + 1):
            y = tensors[f"hidden{layer}.bias"][bucket] + x @ tensors[f"hidden{layer}.weight"][bucket]  # shape (Hₖ,)
            y = y.clip(0, 8128)
            x = (y + 32) // 64
        return tensors["output.bias"][bucket] + tensors["output.weight"][bucket] @ y

    def logit(self, position, bucket):
        """The logit of a win, of the only output."""
        output = int(self.logits(position, bucket)[0])
        # At most the log odds of 1 − 1e-6.
        return float(numpy.clip(32 * (output // 32) / 8323072, -13.8155096, 13.8155096))


# ==== EinStein würfelt nicht! =================================================================================================


class EinStein:
    """A position: for each side, `own` to move and `other`, the squares of its stones 1 to 6.

    Squares are in the perspective of the stone's owner: row by row from its start corner, 0, to its goal, 24; 25 is captured."""

    CELLS = {
        "b": (13, "board seen by the mover (0 empty, 1-6 mover, 7-12 other)"),
        "s": (26, "square of mover 1-6, other 1-6 in the owner's perspective (25 gone)"),
        "d": (5, "distance (0 gone)"),
        "a": (2, "alive"),
        "o": (3, "whose stone (0 empty, 1 mover, 2 other)"),
        "m": (5, "the faces that permit it (0 empty, 1 mover: its own, 2 mover: others too, 3 other: its own, 4 other: others too)"),
    }

    def __init__(self, text):
        board, mover = (text.split() + ["", ""])[:2]
        board = board.replace("/", "")
        if len(board) != 25 or mover not in ("r", "b"):
            raise ValueError(f"this is no position of EinStein: '{text}'")
        red = [board.index(stone) if stone in board else 25 for stone in "123456"]
        blue = [24 - board.index(stone) if stone in board else 25 for stone in "abcdef"]
        if 24 in red + blue or 25 in (min(red), min(blue)):
            raise ValueError(f"this game is over: '{text}'")
        self.own, self.other = (red, blue) if mover == "r" else (blue, red)

    def remaining(self):
        """Living stones of both sides."""
        return sum(square < 25 for square in self.own + self.other)

    def cells(self):
        stones = self.own + self.other  # stone 0 to 11
        faces = num_faces(self.own) + num_faces(self.other)
        board, mobile = [0] * 25, [0] * 25  # in the mover's perspective
        for stone, square in enumerate(stones):
            if square < 25:
                seen = square if stone < 6 else 24 - square
                board[seen] = 1 + stone
                mobile[seen] = 1 + 2 * (stone // 6) + (faces[stone] > 1)
        return {
            "b": board,
            "s": stones,
            "d": [distance(square) for square in stones],
            "a": [int(square < 25) for square in stones],
            "o": [(content + 5) // 6 for content in board],
            "m": mobile,
        }

    def rows(self, names):
        """The mover's inputs, then those of the other side, then the inputs of both."""
        rows, start = [], 0
        for sides, of_both in (((self.own,), False), ((self.other,), False), ((self.own, self.other), True)):
            for count, active in (self.INPUTS[name] for name in names if (" v1 of both: " in name) == of_both):
                rows += [start + row for row in active(*sides)]
                start += count
        return rows


def distance(square):
    """King's moves to the goal; 0 if captured."""
    return 4 - min(divmod(square, 5)) if square < 25 else 0


def allowed(alive, face):
    """The stones that a face allows, all from 0: its own, or else the next living ones below and above."""
    below = [stone for stone in range(face) if alive[stone]]
    above = [stone for stone in range(face + 1, 6) if alive[stone]]
    return [face] if alive[face] else below[-1:] + above[:1]


def num_faces(side):
    """For each stone the number of faces of the die that allow it."""
    stones = [stone for face in range(6) for stone in allowed([square < 25 for square in side], face)]
    return [stones.count(stone) for stone in range(6)]


@functools.cache
def race(distances):
    """The side's own turns T to the goal, if nobody captures and it hurries, from the six distances (0 for captured stones).

    Returns E[T] · 6¹⁹ and the tuple of 6ᵏ · P(T ≤ k) for k = 0 to 19, exact integers; no race takes more than 19 turns. Each
    turn it moves the allowed stone with the smaller E[T]; where these are equal, so are the distributions."""

    def after(stone):
        nearer = distances[stone] - 1
        if nearer == 0:
            return 0, tuple(6**turns for turns in range(20))
        return race(distances[:stone] + (nearer,) + distances[stone + 1 :])

    within = [0] * 20
    for face in range(6):
        _, best = min(map(after, allowed(distances, face)), key=lambda outcome: outcome[0])
        for turns in range(1, 20):
            within[turns] += best[turns - 1]
    # E[T] = Σ P(T > k) over all k.
    expected = sum((6**turns - ways) * 6 ** (19 - turns) for turns, ways in enumerate(within))
    return expected, tuple(within)


def race_classes(side):
    """Classes of the mean of T (in quarters of a turn, up to 47) and of its standard deviation (in sixths, up to 15)."""
    expected, within = race(tuple(map(distance, side)))
    mean = expected / 6**19
    reached = [ways / 6**turns for turns, ways in enumerate(within)]
    square = sum(turns**2 * (reached[turns] - reached[turns - 1]) for turns in range(1, 20))
    deviation = max(square - mean**2, 0) ** 0.5
    return min(int(4 * (mean + 1e-6)), 47), min(int(6 * (deviation + 1e-6)), 15)


def squares(side):
    return [26 * stone + square for stone, square in enumerate(side)]


def mobility(side):
    within = [25 * (faces - 1) + square if faces else 150 for square, faces in zip(side, num_faces(side))]
    return [151 * stone + row for stone, row in enumerate(within)]


def turns(side):
    return [race_classes(side)[0]]


def race_distribution(side):
    return [16 * race_classes(side)[0] + race_classes(side)[1]]


def alive(side):
    return [sum(1 << stone for stone, square in enumerate(side) if square < 25)]


def race_of_both(own, other):
    return [32 * min(race_classes(own)[0], 31) + min(race_classes(other)[0], 31)]


def contact(own, other):
    rows = []
    for side, enemy in ((own, other), (other, own)):
        for square in side:
            row = 64 if square == 25 else 0
            for bit, step in enumerate((1, 5, 6)):
                target = square + step
                if target < 25 and (square % 5 < 4 or step == 5):
                    row += ((target in side) << bit) + ((24 - target in enemy) << bit + 3)
            rows.append(row)
    return [65 * stone + row for stone, row in enumerate(rows)]


# By the wording of descriptions: number of rows, and the active ones from the squares of a side ("of both": own and other).
EinStein.INPUTS = {
    "sides v1: all inputs of the mover, then all of the other": (0, lambda side: []),
    "squares v1: stones 1-6 by square in the owner's perspective, 25 gone": (6 * 26, squares),
    "mobility v1: stones 1-6 by 25 * (faces - 1) + square, 150 gone; "
    "faces = 1 + adjoining gone labels below + above": (6 * 151, mobility),
    "turns v1: floor(4 * (E[T] + 1e-6)) up to 47, T own turns to the goal with a fair die": (48, turns),
    "alive v1: set of living stones, stone i as bit i - 1": (64, alive),
    "race_distribution v1: 16 * class of turns + floor(6 * (standard deviation of T + 1e-6)) up to 15": (768, race_distribution),
    "race v1 of both: 32 * class of the mover's turns up to 31 + that of the other's": (32 * 32, race_of_both),
    "contact v1 of both: mover's stones 1-6, other's 1-6, by own stones on squares +1, +5, +6 as bits 0-2 and enemy's as bits "
    "3-5, 64 gone": (12 * 65, contact),
}

# ==== Reversi =================================================================================================================


class Reversi:
    """A position: `symbols` of the squares from a1 along the rows."""

    CELLS = {
        "b": (3, "board, row by row (0 empty, 1 mover, 2 other)"),
        "m": (32, "moves of mover and other, at most 31"),
        "e": (65, "empty squares"),
        "q": (2, "parity of each quarter's empty squares, row by row"),
    }
    INPUTS = {}

    def __init__(self, text):
        board, mover = (text.split() + ["", ""])[:2]
        board = board.replace("/", "")
        if len(board) not in (16, 36, 64) or mover not in ("X", "O"):
            raise ValueError(f"this is no position of Reversi: '{text}'")
        self.symbols = [0 if square == "-" else 1 if square == mover else 2 for square in board]
        self.size = round(len(board) ** 0.5)

    def remaining(self):
        """Empty squares."""
        return self.symbols.count(0)

    def moves(self, side):
        """The number of empty squares from which a line of enemy discs leads to a disc of the side, 1 or 2."""
        content = {divmod(square, self.size): symbol for square, symbol in enumerate(self.symbols)}

        def captures(row, column, down, right):
            length = 1
            while content.get((row + length * down, column + length * right)) == 3 - side:
                length += 1
            return length > 1 and content.get((row + length * down, column + length * right)) == side

        directions = [step for step in itertools.product((-1, 0, 1), repeat=2) if any(step)]
        empty = [square for square, symbol in content.items() if symbol == 0]
        return sum(any(captures(*square, *step) for step in directions) for square in empty)

    def cells(self):
        half = self.size // 2
        quarters = [0] * 4
        for square, symbol in enumerate(self.symbols):
            row, column = divmod(square, self.size)
            quarters[2 * (row >= half) + (column >= half)] += symbol == 0
        return {
            "b": self.symbols,
            "m": [min(self.moves(side), 31) for side in (1, 2)],
            "e": [self.remaining()],
            "q": [count % 2 for count in quarters],
        }


# ==== Havannah ================================================================================================================

OFF_BOARD = 3
AROUND = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)]  # steps to the six neighbours, in a circle


class Havannah:
    """A position: `board` maps each cell (letter, number), from 0, to 0 empty, 1 the mover's stone or 2 the other side's.

    A cell is on the board if letter and number are below 2 · base − 1 and differ by less than base."""

    CELLS = {"b": (3, "board, letter by letter (0 empty, 1 mover, 2 other)")}
    INPUTS = {
        "sparse v1: each cell (empty with wins of mover and other, or mover's or other's stone with the sides and corners of its "
        "chain) and the six around it, turned and mirrored alike": None,
    }

    def __init__(self, text, base):
        last = 2 * base - 2
        self.board = {(x, y): 0 for x in range(last + 1) for y in range(last + 1) if abs(x - y) < base}
        self.near = {(x, y): [(x + dx, y + dy) for dx, dy in AROUND] for x, y in self.board}
        # The six sides of the board: a cell on two of them is a corner and belongs to no side.
        lines = lambda x, y: (x == 0, y == 0, x == last, y == last, x - y == base - 1, y - x == base - 1)
        rims = {cell: {number for number, on_line in enumerate(lines(*cell)) if on_line} for cell in self.board}
        self.sides = {cell: rim if len(rim) == 1 else set() for cell, rim in rims.items()}
        self.corners = {cell: {cell} if len(rim) == 2 else set() for cell, rim in rims.items()}
        mover, other = 1, 2
        for word in text.lower().split():
            if word == "swap":
                self.board = {cell: 3 - content if content else 0 for cell, content in self.board.items()}
            else:
                cell = (ord(word[0]) - ord("a"), int(word[1:]) - 1) if word[1:].isdigit() else None
                if self.board.get(cell) != 0:
                    raise ValueError(f"'{word}' is no empty cell of a board with {base} cells a side")
                self.board[cell] = mover
            mover, other = other, mover
        self.board = {cell: content and (1 if content == mover else 2) for cell, content in self.board.items()}

    def remaining(self):
        """Empty cells."""
        return list(self.board.values()).count(0)

    def cells(self):
        return {"b": [self.board[cell] for cell in sorted(self.board)]}

    def rows(self, names):
        """For each cell 430 · class of its content + number of what surrounds it."""
        chains = self.chains()
        rows = []
        for cell, content in self.board.items():
            around = tuple(self.board.get(near, OFF_BOARD) for near in self.near[cell])
            if content == 0:
                kind = self.would_win(cell, 1, chains) + 2 * self.would_win(cell, 2, chains)
            else:
                sides = self.united(self.sides, chains[cell])
                corners = self.united(self.corners, chains[cell])
                kind = 4 + 6 * (content - 1) + 3 * bool(corners) + min(len(sides), 2)
            rows.append(430 * kind + neighbourhoods()[around])
        return rows

    def chains(self):
        """For each stone the set of cells of its chain."""
        chains = {}
        for cell, content in self.board.items():
            if content and cell not in chains:
                chain = self.flood([cell], lambda near: self.board.get(near) == content)
                chains |= dict.fromkeys(chain, chain)
        return chains

    def flood(self, cells, passes):
        """All cells that steps through cells which `passes` accepts reach from `cells`."""
        reached, waiting = set(cells), list(cells)
        while waiting:
            for near in self.near[waiting.pop()]:
                if near not in reached and passes(near):
                    reached.add(near)
                    waiting.append(near)
        return frozenset(reached)

    def united(self, sets, cells):
        return set().union(*(sets[cell] for cell in cells))

    def would_win(self, cell, side, chains):
        """Whether a stone on an empty cell makes a fork, a bridge or a ring."""
        own = [near for near in self.near[cell] if self.board.get(near) == side]
        chain = frozenset([cell]).union(*(chains[near] for near in own))
        fork = len(self.united(self.sides, chain)) >= 3
        bridge = len(self.united(self.corners, chain)) >= 2
        return fork or bridge or (len(own) >= 2 and self.has_ring(chain))

    def has_ring(self, chain):
        """Whether the chain encloses a cell: a stone of its own with six such neighbours, or one cut off from the edge."""
        if any(chain.issuperset(self.near[cell]) for cell in chain):
            return True
        edge = [cell for cell in self.board if (self.sides[cell] or self.corners[cell]) and cell not in chain]
        outside = self.flood(edge, lambda near: near in self.board and near not in chain)
        return len(outside) + len(chain) < len(self.board)


@functools.cache
def neighbourhoods():
    """The numbers, 0 to 429, of all contents of six neighbours, in ascending order; equal for rotations and reflections."""
    numbers = {}
    for around in itertools.product(range(4), repeat=6):
        if around not in numbers:
            number = len(set(numbers.values()))
            for turn in range(6):
                turned = around[turn:] + around[:turn]
                numbers[turned] = numbers[turned[::-1]] = number
    return numbers


# ==== ReversiXT ===============================================================================================================

PLAIN_MAP = "2\n0\n0 0\n8 8\n" + "".join(" ".join(row) + "\n" for row in ["0" * 8] * 3 + ["00021000", "00012000"] + ["0" * 8] * 3)
DIRECTIONS = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]  # clockwise from up


class Map:
    """The board before the first move: `cells`, row by row, as the characters of maps, and the lines along which stones capture.

    `steps[cell][direction]` is the next cell of a line and the direction there, or `None`."""

    def __init__(self, text):
        lines = text.splitlines()
        self.players = int(lines[0])
        height, self.width = map(int, lines[3].split())
        self.cells = "".join(lines[4 : 4 + height]).replace(" ", "")
        self.steps = [[self.neighbour(cell, direction) for direction in range(8)] for cell in range(len(self.cells))]
        for line in lines[4 + height :]:
            # "x y direction <-> x y direction": leaving by one side enters by the other.
            one, two = (tuple(map(int, side.split())) for side in line.split("<->"))
            for (x, y, direction), (to_x, to_y, side) in ((one, two), (two, one)):
                self.steps[x + self.width * y][direction] = (to_x + self.width * to_y, (side + 4) % 8)
        # How many of the four lines through a cell end there: 4 in a corner, 2 or 3 at an edge.
        closed = lambda sides: sum(sides[line] is None or sides[line + 4] is None for line in range(4))
        self.closed = [closed(sides) for sides in self.steps]
        self.near = [[side[0] for side in sides if side] for sides in self.steps]
        self.near_corners = [[near for near in cells if self.closed[near] == 4] for cells in self.near]

    def neighbour(self, cell, direction):
        right, down = DIRECTIONS[direction]
        x, y = cell % self.width + right, cell // self.width + down
        inside = 0 <= x < self.width and 0 <= y < len(self.cells) // self.width
        there = x + self.width * y
        return (there, direction) if inside and "-" not in (self.cells[cell], self.cells[there]) else None


class ReversiXT:
    """A position: `board` of the characters of maps, players by their characters "1" to "8"."""

    CELLS = {
        "s": (
            16,
            "summary v1 (empties, phase and players, leads in stones, moves, corners, edges, X, C, frontier, stocks, tempo, the "
            "last stones)",
        ),
        "b": (4, "board, row by row (0 empty, 1 mover, 2 another's, 3 hole)"),
    }
    INPUTS = {}

    def __init__(self, text, map):
        words = text.split() + [""]
        self.map, self.board = map, words[0].replace("/", "")
        if len(words) < 6 or len(self.board) != len(map.cells) or words[1] not in ("play", "bomb"):
            raise ValueError(f"this is no position on the map: '{text}'")
        self.phase, self.own = words[1:3]
        players = "12345678"[: map.players]
        self.overrides, self.bombs = (dict(zip(players, [int(n) for n in word.split(",")])) for word in words[3:5])
        self.rivals = [player for player in players if player != self.own and player not in words[5].split(",")]

    def remaining(self):
        """Empty cells, special ones included."""
        return sum(cell in "0cbi" for cell in self.board)

    def cells(self):
        plain = lambda cell: 1 if cell == self.own else 3 if cell == "-" else 0 if cell in "0cbi" else 2
        return {"s": self.summary(), "b": [plain(cell) for cell in self.board]}

    def movers(self, cell):
        """The players who capture with a stone on an empty cell: who owns a stone of a line, but not its first one."""
        movers = set()
        for side in self.map.steps[cell]:
            owners = []
            while side and self.board[side[0]] in "12345678x":
                owners.append(self.board[side[0]])
                side = self.map.steps[side[0]][side[1]]
            movers |= set(owners[1:]) - set(owners[:1])
        return movers

    def summary(self):
        """Twenty symbols of 0 to 15, most of them leads over the best rival."""
        board, players = self.board, [self.own] + self.rivals
        empty = [cell for cell, content in enumerate(board) if content in "0cbi"]
        movers = {cell: self.movers(cell) if self.phase == "play" else set() for cell in empty}
        # By quantity and player.
        count = {name: dict.fromkeys(players, 0) for name in ("corners", "edges", "x", "c", "frontier")}
        for cell, player in enumerate(board):
            if player in players:
                closed = self.map.closed[cell]
                danger = any(board[corner] in "0cbi" for corner in self.map.near_corners[cell])
                count["corners"][player] += closed == 4
                count["edges"][player] += closed in (2, 3) and not danger
                count["c"][player] += closed in (2, 3) and danger
                count["x"][player] += closed < 2 and danger
                count["frontier"][player] += any(board[near] in "0cbi" for near in self.map.near[cell])
        stones = {player: board.count(player) for player in players}
        moves = {player: sum(player in who for who in movers.values()) for player in players}

        rival = lambda quantity: max((quantity[player] for player in self.rivals), default=0)
        lead = lambda quantity: min(max(quantity[self.own] - rival(quantity), -7), 8) + 7

        def ratio(quantity):
            """15 · own / (own + rival's), rounded."""
            total = quantity[self.own] + rival(quantity)
            return (30 * quantity[self.own] + total) // (2 * total) if total else 8

        def special(content):
            fillable = any(board[cell] == content and self.own in movers[cell] for cell in empty)
            return min(board.count(content), 7) + 8 * fillable

        cells = sum(content != "-" for content in self.map.cells)
        return [
            min(16 * len(empty) // max(cells, 1), 15),
            self.map.players - 2 + 8 * (self.phase == "bomb"),
            ratio(stones),
            ratio(moves),
            min(moves[self.own], 15),
            lead(count["corners"]),
            lead(count["edges"]),
            lead(count["x"]),
            lead(count["c"]),
            ratio(count["frontier"]),
            lead(self.overrides),
            lead(self.bombs),
            min(self.overrides[self.own], 15),
            special("c"),
            special("i"),
            len(empty) % self.map.players + 8 * (rival(moves) == 0),
            lead(stones),
            lead(moves),
            min(self.bombs[self.own], 15),
            min(len(empty), 15),
        ]


# ==== Backgammon ==============================================================================================================


class Backgammon:
    """A position: men by point, from the side's own ace point to its bar, of `own`, on roll, and `other`."""

    DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    CELLS = {
        "p": (13, "points from the mover's ace point (0 empty, 1-6 mover's men, 7-12 other's, 6 and more alike)"),
        "b": (4, "men on the bar, mover and other (3 and more alike)"),
        "o": (16, "men borne off, mover and other"),
        "s": (5, "points from the mover's ace point (0 empty, 1 mover's blot, 2 made point, 3, 4 other's)"),
    }
    # By the wording of descriptions: the group of cells whose symbols are the inputs.
    INPUTS = {
        f"backgammon v1: p0-23 {CELLS['p'][1]}": "p",
        "bar v1: mover's and other's men on the bar, 3 and more alike": "b",
        "off v1: mover's and other's men borne off": "o",
        "expert v1: mover's and other's pips / 6 up to 47, home points, anchors, prime up to 7, blots up to 6, men back up to 7, "
        "rolls that escape, rolls that hit; 41 * contact + 20 + lead / 4 within 20; pips to passing each other up to 25": "expert",
    }
    EXPERT_SIZES = 2 * [48, 64, 64, 8, 7, 8, 37, 37] + [82, 26]
    PARTS = ("contact", "race", "bearoff")
    PAYOFFS = {
        name: (points + 3) / 6
        for name, points in {
            "win": 1,
            "win_gammon": 2,
            "win_backgammon": 3,
            "loss": -1,
            "lose_gammon": -2,
            "lose_backgammon": -3,
        }.items()
    }

    def __init__(self, text):
        id = (text.split() + [""])[0]
        if len(id) != 14 or not set(id) <= set(self.DIGITS):
            raise ValueError(f"this is no position of backgammon: '{text}'")
        # 84 bits, the highest first of each digit; bytes of the 80 bits are filled from the lowest.
        digits = "".join(f"{self.DIGITS.index(digit):06b}" for digit in id)[:80]
        bits = "".join(digits[byte : byte + 8][::-1] for byte in range(0, 80, 8))
        # Each point has a 1 for each man and a 0; first the side that is not on roll.
        men = [len(ones) for ones in bits.split("0")[:50]]
        self.other, self.own = men[:25], men[25:]
        if len(self.own) != 25 or not 0 < sum(self.own) <= 15 or not 0 < sum(self.other) <= 15:
            raise ValueError(f"this is no position of backgammon: '{text}'")

    def remaining(self):
        """Men of both sides in play."""
        return sum(self.own) + sum(self.other)

    def part(self):
        """Index of the part of the game in PARTS."""
        rears = [rearmost(side) for side in (self.own, self.other)]
        return 0 if sum(rears) > 25 else 1 + (max(rears) <= 6)

    def expert(self):
        """Symbols of the expert inputs."""
        sides = [(self.own, self.other), (self.other, self.own)]
        pips = [sum(point * count for point, count in enumerate(men, 1)) for men, _ in sides]
        contact = max(rearmost(self.own) + rearmost(self.other) - 25, 0)
        lead = min(max(20 + (pips[1] - pips[0]) // 4, 0), 40)
        return structure(*sides[0]) + structure(*sides[1]) + [lead + 41 * (contact > 0), contact]

    def cells(self):
        points = list(zip(self.own, self.other[23::-1]))
        symbols = lambda most: [most + min(other, most) if other else min(own, most) for own, other in points]
        return {
            "p": symbols(6),
            "b": [min(side[24], 3) for side in (self.own, self.other)],
            "o": [15 - sum(side) for side in (self.own, self.other)],
            "s": symbols(2),
        }

    def rows(self, names):
        rows, start, cells = [], 0, self.cells()
        for group in map(self.INPUTS.get, names):
            symbols = self.expert() if group == "expert" else cells[group]
            sizes = self.EXPERT_SIZES if group == "expert" else len(symbols) * [self.CELLS[group][0]]
            for symbol, size in zip(symbols, sizes):
                rows.append(start + symbol)
                start += size
        return rows


def rearmost(men):
    """The highest point with men, 25 for the bar; 0 without men."""
    return max((point for point, count in enumerate(men, 1) if count), default=0)


def structure(own, other):
    """Eight symbols of the men `own` against `other`, each from its own ace point to its bar."""
    made = [count > 1 for count in own[:24]]
    runs = "".join("#" if point else " " for point in made).split()
    set_of = lambda points: sum(bool(point) << bit for bit, point in enumerate(points))
    return [
        min(sum(point * count for point, count in enumerate(own, 1)) // 6, 47),
        set_of(made[:6]),
        set_of(made[18:]),
        min(max(map(len, runs), default=0), 7),
        min(sum(count == 1 for count in own[:24]), 6),
        min(sum(own[18:]), 7),
        escapes(own, other),
        shots(own, other),
    ]


ROLLS = [(one, two) for one in range(1, 7) for two in range(1, 7)]


def escapes(own, other):
    """Rolls, of 36, that bring the rearmost man past the made points of the other side among the next six."""
    behind = 25 - max(rearmost(own), 1)
    # At a distance d from the man: index d - 1.
    blocked = [count > 1 for count in (other[:24] + 12 * [0] + 24 * [0])[behind : behind + 12]]
    last = max((distance for distance in range(1, 7) if blocked[distance - 1]), default=0)
    is_open = lambda distance: not blocked[distance - 1]
    passes = lambda distance: is_open(distance) and distance > last
    count = 0
    for one, two in ROLLS:
        if one == two:
            steps = []
            while len(steps) < 4 and (len(steps) + 1) * one <= 12 and is_open((len(steps) + 1) * one):
                steps.append((len(steps) + 1) * one)
            count += any(step > last for step in steps)
        else:
            count += passes(one) or passes(two) or (is_open(one) or is_open(two)) and passes(one + two)
    return count


def shots(own, other):
    """Rolls, of 36, that hit a blot of the other side, were this side on roll."""
    there = other[23::-1]
    blocked = {point for point in range(24) if there[point] > 1}
    blots = {point for point in range(24) if there[point] == 1}
    men = {point for point in range(24) if own[point]}
    reached = lambda start, die: {point - die for point in start if point >= die} - blocked

    def in_order(first, second):
        if own[24] == 0:
            once = reached(men, first)
            return once | reached(men, second) | reached(once, second)
        entered = reached({24}, first)
        if own[24] > 1:
            return entered | reached({24}, second)
        return entered | reached(men | entered, second) if entered else set()

    def hits(one, two):
        if one != two:
            return (in_order(one, two) | in_order(two, one)) & blots
        start, found = men, set()
        if own[24]:
            entered = reached({24}, one)
            start, found = (men | entered, entered) if entered else (set(), set())
        for _ in range(own[24], 4):
            start = reached(start, one)
            found = found | start
        return found & blots

    return sum(bool(hits(one, two)) for one, two in ROLLS) if blots else 0


# ==== The command =============================================================================================================


def main():
    parser = argparse.ArgumentParser(description="Prints the values of a model for positions, one a line of standard input.")
    parser.add_argument("model", help="a file *.safetensors")
    parser.add_argument("--base", type=int, default=8, help="Havannah: cells a side (8)")
    parser.add_argument("--map", help="ReversiXT: file of the map (plain 8×8)")
    given = parser.parse_args()
    try:
        model = Model.load(given.model, given.base, given.map)
        for line in sys.stdin:
            print(f"{model.values([line.strip()])[0]:.9f}", flush=True)
    except (OSError, ValueError) as error:
        sys.exit(f"read_model.py: {error}")


if __name__ == "__main__":
    main()
