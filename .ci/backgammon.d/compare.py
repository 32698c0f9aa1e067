"""Compares plays, bear-offs and choices of `alea` with those of GNU Backgammon, through gnubg-nn."""

import json
import random
import subprocess
import sys

import gnubg_nn as gnubg

START = "4HPwATDgc/ABMA"
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
# What a choice may lose at most on average, in points by two plies of look-ahead.
MAX_MEAN_LOSS = {"best": 0.02, "pips": 0.4}
# The other table keeps 16 bits a position, and what it rounds adds up from roll to roll.
MAX_BEAROFF_ERROR = 1e-4


def ask(alea, lines, *arguments):
    """JSON answers of a command that reads a position a line."""
    command = [alea, *arguments, "-", "--json", "--game", "backgammon"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines), done.stderr
    return answers


def after_plays(identity, roll):
    """Position IDs after each different play, the other side on roll."""
    board = gnubg.board_from_position_id(identity)
    keys = gnubg.moves(board, *roll)
    boards = [gnubg.board_from_position_key(key) for key in keys] or [board]
    return {gnubg.position_id([list(mover), list(other)]) for other, mover in boards}


def random_positions(count, generator):
    """Positions on roll from games of random plays, half of them by GNU Backgammon's choices."""
    positions = []
    while len(positions) < count:
        identity, skill = START, generator.random() < 0.5
        for _ in range(400):
            board = gnubg.board_from_position_id(identity)
            if not any(board[0]) or not any(board[1]):
                break
            roll = generator.choice(ROLLS)
            positions.append((identity, roll))
            plays = sorted(after_plays(identity, roll))
            if skill:
                plays = [min(plays, key=equity)]
            identity = generator.choice(plays)
    return generator.sample(positions, count)


def equity(identity, plies=0):
    """Cubeless equity of the side on roll."""
    board = gnubg.board_from_position_id(identity)
    if not any(board[1]):
        return 1.0
    if not any(board[0]):
        return -1.0
    win, gammon, backgammon, lost_gammon, lost_backgammon = gnubg.probabilities(board, plies)
    return 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon


def roll_name(roll):
    return f"{roll[0]}{roll[1]}"


def compare_plays(alea, positions):
    lines = [f"{identity} {roll_name(roll)}" for identity, roll in positions]
    different = 0
    for (identity, roll), answer in zip(positions, ask(alea, lines, "moves")):
        ours = [move["position"] for move in answer["moves"]]
        assert all(position.endswith(" -") for position in ours), answer
        ours = [position[:-2] for position in ours]
        if len(set(ours)) != len(ours) or set(ours) != after_plays(identity, roll):
            different += 1
            print("different plays:", identity, roll)
    print(f"plays of {len(positions)} positions: {different} different")
    return different == 0


def compare_bearoffs(alea, generator, count=2000):
    identities = []
    while len(identities) < count:
        sides = []
        for _ in range(2):
            points = [generator.randrange(6) for _ in range(generator.randint(1, 6))]
            sides.append([points.count(point) for point in range(25)])
        identities.append(gnubg.position_id(sides))
    worst = 0.0
    for identity, answer in zip(identities, ask(alea, [f"{i} -" for i in identities], "probe")):
        board = gnubg.board_from_position_id(identity)
        worst = max(worst, abs(answer["win"] - gnubg.probabilities(board, 0)[0]))
    print(f"{count} two-sided bear-offs: at most {worst:.6f} apart")
    return worst < MAX_BEAROFF_ERROR


def gnubg_values(afters):
    """Equity for the mover after plays, by two plies of GNU Backgammon's look-ahead."""
    return [-equity(after, 2) for after in afters]


def sage_values(afters, level="3ply"):
    """Equity for the mover after plays by bgsage, whose first ply is the look at the position after the play."""
    import bgsage

    def values_of(afters):
        positions = []
        for after in afters:
            other, mover = reversed(gnubg.board_from_position_id(after))
            points = [men - theirs for men, theirs in zip(mover[:24], reversed(other[:24]))]
            positions.append({"board": [other[24], *points, mover[24]], "cube_owner": "centered"})
        return [found.cubeless_equity for found in bgsage.batch_post_move_evaluate(positions, level)]

    finished = {}
    for after in afters:
        if not all(map(any, gnubg.board_from_position_id(after))):
            finished[after] = -equity(after)
    unfinished = [after for after in afters if after not in finished]
    values = dict(zip(unfinished, values_of(unfinished))) | finished
    return [values[after] for after in afters]


class Judge:
    """Equity for the mover after plays of one decision, by a function from positions to equities."""

    def __init__(self, identity, roll, values_of=gnubg_values):
        plays = after_plays(identity, roll)
        self.plays = plays
        self.static = sorted(plays, key=equity)
        self.values_of = values_of
        self.values = {}

    def value(self, after):
        if after not in self.values:
            self.values[after] = self.values_of([after])[0]
        return self.values[after]

    def loss(self, after):
        """Equity lost by a play, against the best of those that look best without look-ahead."""
        least = equity(self.static[0])
        best = [other for other in self.static[:6] if equity(other) < least + 0.16]
        return max(map(self.value, [after, *best])) - self.value(after)


def best_by_sage(plays):
    """The play that looks best to bgsage without look-ahead."""
    plays = sorted(plays)
    return plays[max(enumerate(sage_values(plays, "1ply")), key=lambda pair: pair[1])[0]]


def main():
    alea, positions, decisions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with_sage = sys.argv[4:] == ["bgsage"]
    generator = random.Random(5)
    good = compare_plays(alea, random_positions(positions, generator))
    good &= compare_bearoffs(alea, generator)

    openings = [(START, (high, low)) for high, low in ROLLS if high != low]
    chosen = [pair for pair in random_positions(4 * decisions, random.Random(7)) if len(after_plays(*pair)) > 1]
    chosen = openings + chosen[:decisions]
    judges = [Judge(identity, roll) for identity, roll in chosen]
    lines = [f"{identity} {roll_name(roll)}" for identity, roll in chosen]
    names = {}
    for answer in ask(alea, lines, "moves"):
        names[answer["position"]] = {move["move"]: move["position"][:-2] for move in answer["moves"]}

    def choices(player):
        answers = ask(alea, lines, "analyse", "--player", player)
        return [names[answer["position"]][answer["best"]] for answer in answers]

    choices_of = {"gnubg-nn 0-ply": [judge.static[0] for judge in judges]}
    if with_sage:
        choices_of["bgsage 1-ply"] = [best_by_sage(judge.plays) for judge in judges]
    for name in MAX_MEAN_LOSS:
        choices_of[name] = choices(f"star1(depth=1, eval={name})")

    def print_losses(judges):
        table = {}
        for name, picked in choices_of.items():
            lost = table[name] = [judge.loss(after) for judge, after in zip(judges, picked)]
            openings_right = sum(loss < 0.01 for loss in lost[:15])
            mean = sum(lost[15:]) / len(lost[15:])
            print(f"{name}: {mean:.5f} points lost a decision, {openings_right} of 15 opening rolls within 0.01")
        return table

    table = print_losses(judges)
    for name, most in MAX_MEAN_LOSS.items():
        good &= sum(table[name][15:]) <= most * len(table[name][15:])
    good &= sum(loss < 0.01 for loss in table["best"][:15]) >= 12
    if with_sage:
        print("judged by bgsage 3-ply:")
        print_losses([Judge(identity, roll, sage_values) for identity, roll in chosen])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
