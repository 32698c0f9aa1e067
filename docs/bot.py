#!/usr/bin/env python3
"""A player for Alea in a few lines: greedy, nearest to the goal. The protocol, in both versions, is in reference/formats.md.

Try it: alea arena --player 'external(cmd="python3 docs/bot.py")' --player random --games 20
"""
import sys


def parse(position):
    """The stones of both sides, {number: (column, row)} with rows from the top, the side to move and the die."""
    board, side, die = position.split()
    stones = {"r": {}, "b": {}}
    for row, squares in enumerate(board.split("/")):
        for column, square in enumerate(squares):
            if square in "123456":
                stones["r"][int(square)] = (column, row)
            elif square in "abcdef":
                stones["b"]["abcdef".index(square) + 1] = (column, row)
    return stones, side, int(die)


def movable(own, die, rules):
    """The stones that a roll allows to move."""
    if die in own:
        return [die]
    lower = [max(n for n in own if n < die)] if min(own) < die else []
    higher = [min(n for n in own if n > die)] if max(own) > die else []
    if rules == "nearest" and lower and higher and die - lower[0] != higher[0] - die:
        return lower if die - lower[0] < higher[0] - die else higher
    return lower + higher


def choose(position, rules):
    stones, side, die = parse(position)
    forward, goal = (1, (4, 4)) if side == "r" else (-1, (0, 0))
    moves = []
    for number in movable(stones[side], die, rules):
        column, row = stones[side][number]
        for right, down in ((1, 1), (1, 0), (0, 1)):
            to = (column + forward * right, row + forward * down)
            if all(0 <= at < 5 for at in to):
                left = max(abs(goal[0] - to[0]), abs(goal[1] - to[1]))
                moves.append((left, (column, row), to))
    _, start, end = min(moves, key=lambda move: move[0])
    return "".join("abcde"[column] + str(5 - row) for column, row in (start, end))


rules = "classic"
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "alea":
        rules = rest.split()[1]
        print("alea", rest.split()[0], flush=True)
    elif word == "move":
        print(choose(rest, rules), flush=True)
