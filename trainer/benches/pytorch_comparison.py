"""The same trainings in PyTorch, to stand beside `cargo run --release -p alea-trainer --example training_speed`.

Network: EinStein's usual inputs, one row of each of 28 runs (for either side six stones by square, six by square and mobility,
turns to the goal, set of living stones) -> 64 -> 32 -> 1, clipped to [0, 1], binary cross-entropy with soft targets, Adam, batches
of 4096; in floating point, without the rounding that the trainer is aware of. n-tuple network: 40 tables of 13^4 weights, any rows
equally likely, and those of a file that the example writes if it is given one; batches, as PyTorch has no online updates. Inputs
are ready tensors on both sides; only steps are timed. Prints samples a second of wall time and processor time a sample over all
threads, the figure to compare on a busy machine.

    python -m venv /tmp/venv && /tmp/venv/bin/pip install torch numpy
    /tmp/venv/bin/python trainer/benches/pytorch_comparison.py [THREADS] [ROWS]
"""

import sys
import time
import warnings

import numpy
import torch
from torch import nn

RUNS = 5
# Rows of each run of inputs, of which one is on: of the mover's side, then of the other.
RUNS_OF_INPUTS = 2 * (6 * [26] + 6 * [151] + [48, 64])
warnings.filterwarnings("ignore", message="Sparse invariant checks")


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.EmbeddingBag(sum(RUNS_OF_INPUTS), 64, mode="sum")
        self.bias = nn.Parameter(torch.zeros(64))
        self.second = nn.Linear(64, 32)
        self.output = nn.Linear(32, 1)

    def forward(self, rows):
        first = (self.first(rows) + self.bias).clamp(0.0, 1.0)
        return self.output(self.second(first).clamp(0.0, 1.0)).squeeze(1)


class Tables(nn.Module):
    def __init__(self, sparse):
        super().__init__()
        self.weights = nn.EmbeddingBag(40 * 13**4, 1, mode="sum", sparse=sparse)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, rows):
        return self.weights(rows).squeeze(1) + self.bias


def measure(name, samples, step):
    step()
    best, least = 0.0, float("inf")
    for _ in range(RUNS):
        started, before, steps = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - started < 0.3:
            step()
            steps += 1
        best = max(best, steps * samples / (time.perf_counter() - started))
        least = min(least, (time.process_time() - before) / (steps * samples))
    print(f"{name:<58} {best / 1e6:8.3f} million/s {least * 1e9:7.0f} ns", flush=True)


def trainer(model, optimisers, inputs, targets):
    loss = nn.BCEWithLogitsLoss()

    def step():
        for optimiser in optimisers:
            optimiser.zero_grad()
        loss(model(*inputs), targets).backward()
        for optimiser in optimisers:
            optimiser.step()

    return step


def main(threads, file):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    print(f"PyTorch {torch.__version__}, threads {threads}; the best of {RUNS} runs of 0.3 s")
    batch = 4096
    starts = [sum(RUNS_OF_INPUTS[:run]) for run in range(len(RUNS_OF_INPUTS))]
    rows = torch.stack([start + torch.randint(0, size, (batch,)) for start, size in zip(starts, RUNS_OF_INPUTS)], dim=1)
    network, targets = Network(), torch.rand(batch)
    for fused in (False, True):
        try:
            adam = torch.optim.Adam(network.parameters(), lr=1e-3, fused=fused)
        except RuntimeError as error:  # Before 2.4 for graphics cards alone.
            print(error)
            continue
        measure(f"network, Adam{' (fused)' if fused else ''}", batch, trainer(network, [adam], (rows,), targets))
    played = numpy.fromfile(file, "<u4").astype("int64").reshape(-1, 40) if file else None
    for batch in (4096, 65536):
        any_rows = torch.arange(40) * 13**4 + torch.randint(0, 13**4, (batch, 40))
        for kind, rows in [("any rows", any_rows)] + ([("rows of positions", torch.from_numpy(played[:batch]))] if file else []):
            targets = torch.rand(len(rows))
            for name, sparse in (("SGD", True), ("Adagrad", True), ("SparseAdam", True), ("Adam", False)):
                tables = Tables(sparse)
                optimiser = getattr(torch.optim, name)
                optimisers = [optimiser([tables.weights.weight], lr=1e-3), torch.optim.SGD([tables.bias], lr=1e-3)]
                step = trainer(tables, optimisers, (rows,), targets)
                measure(f"40 tables of 13^4, {kind}, {name}, batch {len(rows)}", len(rows), step)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1, sys.argv[2] if len(sys.argv) > 2 else None)
