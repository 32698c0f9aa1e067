"""Steps a second of boards with random actions, everything that they show included."""

import sys
import time

import alea

name, n = (sys.argv[1:] + ["einstein"])[0], 4096
boards = alea.VecEnv(name, n)
for _ in range(20):
    boards.step(boards.sample())
began, rounds = time.perf_counter(), 300
for _ in range(rounds):
    boards.step(boards.sample())
print(f"{name}: {rounds * n / (time.perf_counter() - began) / 1e6:.2f} million steps/s")
