"""An outside controller of GTP 2, written from its standard: it lets two engines play each other.

Every answer has to have the id of its command and end with one empty line; every move that one engine
makes the other one has to accept; after every ply both have to show the same board and name the same
winner. Of EinStein the rules are here once more: who may move with a die, where to, and who has won.

    controller.py ALEA GAMES            two processes, commands over pipes
    controller.py ALEA GAMES --exec     one server, commands over HTTP
"""

import http.client
import random
import subprocess
import sys
import urllib.parse

REQUIRED = """protocol_version name version known_command list_commands quit boardsize clear_board komi
play genmove""".split()

# Game, the colour that begins, where dice come from, the players of both engines, share of the games.
PLANS = [
    ("einstein", "b", "roll", ("star1(depth=1)", "random"), 6),
    ("einstein", "b", "dice", ("star2(depth=2)", "star1(depth=1)"), 5),
    ("einstein(variant=nearest)", "b", "dice", ("mcts(sims=30)", "random"), 3),
    ("reversi", "b", None, ("star1(depth=1)", "random"), 2),
    ("reversi(size=6)", "b", None, ("random", "mcts(sims=20)"), 2),
    ("havannah(base=4)", "w", None, ("mcts(sims=20)", "random"), 2),
]


def check(holds, *what):
    if not holds:
        sys.exit("protocols: " + " ".join(str(one) for one in what))


class Pipes:
    """An engine of its own."""

    def __init__(self, alea, game, player, seed):
        command = [alea, "engine", "--protocol", "gtp", "--game", game, "--player", player]
        self.process = subprocess.Popen(
            command + ["--seed", str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def exchange(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            heard = self.process.stdout.readline()
            check(heard, "the engine ended after", line)
            if heard == "\n":
                return lines
            lines.append(heard.rstrip("\n"))

    def close(self):
        rest, _ = self.process.communicate(timeout=20)
        check(rest == "" and self.process.returncode == 0, "after quit", self.process.returncode, rest)


class Exec:
    """A session of a server; commands go by GET and POST in turn."""

    def __init__(self, address, game, player, seed):
        self.connection = http.client.HTTPConnection(address, timeout=60)
        self.name, self.count = f"s{seed}", 0
        for command in (f"set_game {game}", f"set_option player {player}", f"set_random_seed {seed}"):
            check(self.exchange(command) == ["="], command)

    def exchange(self, line):
        self.count += 1
        path = f"/exec/{self.name}"
        if self.count % 2:
            self.connection.request("GET", f"{path}?{urllib.parse.quote(line)}")
        else:
            self.connection.request("POST", path, line)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        check(answer.status == 200 and text.endswith("\n\n"), line, answer.status, text)
        check("\n\n" not in text[:-2], line, "was answered twice:", text)
        return text[:-2].split("\n")

    def close(self):
        self.connection.close()


class Engine:
    """Commands with ids, and their answers."""

    def __init__(self, wire):
        self.wire, self.id = wire, 0

    def ask(self, *words):
        self.id += 1
        lines = self.wire.exchange(f"{self.id} {' '.join(words)}")
        head = f"{self.id}"
        check(lines and lines[0][1:].split(" ")[0] == head, words, "was answered", lines)
        check(lines[0][0] == "=", words, "was refused:", lines)
        return "\n".join([lines[0][1 + len(head):].strip()] + lines[1:]).strip()

    def refuses(self, *words):
        self.id += 1
        return self.wire.exchange(f"{self.id} {' '.join(words)}")[0].startswith(f"?{self.id} ")


class Rules:
    """EinStein, from its printed rules. Columns count from the left, rows from the top."""

    def __init__(self, text):
        rows = text.split(" ")[0].split("/")
        self.at = {(x, y): s for y, row in enumerate(rows) for x, s in enumerate(row) if s != "."}

    def stones(self, seat):
        signs = "123456" if seat == "r" else "abcdef"
        return {signs.index(s) + 1: place for place, s in self.at.items() if s in signs}

    def play(self, seat, die, move, nearest):
        stones = self.stones(seat)
        above, below = [n for n in stones if n > die], [n for n in stones if n < die]
        near = ([min(above)] if above else []) + ([max(below)] if below else [])
        if nearest and len(near) == 2 and near[0] - die != die - near[1]:
            near = [min(near, key=lambda n: abs(n - die))]
        may = [die] if die in stones else near
        (x, y), (to_x, to_y) = [(ord(s[0]) - ord("a"), 5 - int(s[1])) for s in (move[:2], move[2:])]
        step = 1 if seat == "r" else -1
        check((x, y) in [stones[n] for n in may], move, "moves no stone of", may)
        check((to_x - x, to_y - y) in [(step, 0), (0, step), (step, step)], move, "is no step")
        self.at[to_x, to_y] = self.at.pop((x, y))

    def winner(self):
        red, blue = self.stones("r"), self.stones("b")
        if not blue or (4, 4) in red.values():
            return "red"
        return "blue" if not red or (0, 0) in blue.values() else "none"


def play(engines, game, color, dice, number, dealer):
    """One game; how many plies it had."""
    first, second = engines
    first.ask("clear_board")
    start = first.ask("position")
    second.ask("position", start) if start else second.ask("clear_board")
    rules, plies = Rules(start) if dice else None, 0
    while True:
        boards = [engine.ask("showboard") for engine in engines]
        check(boards[0] == boards[1], game, "differ:", *boards)
        winners = {engine.ask("winner") for engine in engines}
        check(len(winners) == 1, game, "has", winners)
        (winner,) = winners
        if rules:
            check(winner == rules.winner(), game, winner, rules.at)
        if winner != "none":
            check(first.refuses("genmove", color), "a move after the end")
            scores = {engine.ask("final_score") for engine in engines}
            sign = {"black": "B", "blue": "B", "white": "W", "red": "W", "draw": "0"}[winner]
            check(len(scores) == 1 and {score[0] for score in scores} == {sign}, winner, "has", scores)
            (score,) = scores
            if "reversi" in game:
                board = first.ask("position").split(" ")[0]
                black, white = board.count("X"), board.count("O")
                lead = abs(black - white) + (board.count("-") if black != white else 0)
                check(score[2:] == (str(lead) if lead else ""), score, "is not", lead)
            return plies
        mover = engines[(plies + number) % 2]
        other = engines[(plies + number + 1) % 2]
        if dice:
            check(mover.refuses("genmove", color), "a move without a die")
            if dice == "roll":
                face = mover.ask("roll")
                other.ask("dice", face)
            else:
                face = str(dealer.randint(1, 6))
                for engine in engines:
                    engine.ask("dice", face)
        move = mover.ask("genmove", color)
        other.ask("play", color, move)
        if rules:
            rules.play("b" if color == "b" else "r", int(face), move, "nearest" in game)
        color, plies = ("w" if color == "b" else "b"), plies + 1


def main():
    alea, games, over_http = sys.argv[1], int(sys.argv[2]), "--exec" in sys.argv
    server = None
    if over_http:
        server = subprocess.Popen([alea, "web", "--port", "0", "--exec"], stdout=subprocess.PIPE, text=True)
        address = server.stdout.readline().strip().removeprefix("http://").rstrip("/")
    dealer, played, plies, commands = random.Random(1), 0, 0, 0
    try:
        shares = sum(plan[4] for plan in PLANS)
        for game, color, dice, players, share in PLANS:
            wires = [
                Exec(address, game, player, seed) if over_http else Pipes(alea, game, player, seed)
                for seed, player in enumerate(players, 1)
            ]
            engines = [Engine(wire) for wire in wires]
            for engine in engines:
                known = engine.ask("list_commands").split("\n")
                check(all(name in known for name in REQUIRED), "list_commands", known)
                check(engine.ask("protocol_version") == "2", "version")
            for number in range(games * share // shares):
                plies += play(engines, game, color, dice, number, dealer)
                played += 1
            for engine in engines:
                engine.ask("quit")
                engine.wire.close()
                commands += engine.id
    finally:
        if server:
            server.kill()
            server.wait()
    way = "over /exec" if over_http else "over pipes"
    print(f"{played} games {way}: {plies} plies, {commands} commands, every one answered and no move refused")


main()
