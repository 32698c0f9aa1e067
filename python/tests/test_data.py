"""Records as tables and as samples."""

import pickle
from pathlib import Path

import numpy
import pytest

import alea

SAMPLE = Path(__file__).parents[2] / "data" / "sample"


def test_games_go_to_a_table_and_back(tmp_path):
    """600 games of 10,555 plies, as data/README.md says."""
    table = alea.read_games(SAMPLE)
    assert table.num_rows == 10_555 and table["game"].to_numpy().max() == 599
    game = alea.game("einstein")
    rows = table.slice(0, 200).to_pylist()
    for row, following in zip(rows, rows[1:]):
        position = game.position(row["position"])
        assert position.moves(row["outcome"])[row["index"]] == row["move"]
        if following["game"] == row["game"]:
            assert position.play(row["move"], row["outcome"]).text == following["position"]
    assert alea.write_games(table, tmp_path / "copy") == 600
    assert alea.read_games(tmp_path / "copy").equals(table)


def test_a_table_that_breaks_the_rules_is_refused(tmp_path):
    table = alea.read_games(SAMPLE)
    moves = table["move"].to_pylist()
    moves[3] = "a1a2"
    place = table.schema.get_field_index("move")
    wrong = table.set_column(place, table.schema.field("move"), [moves])
    with pytest.raises(ValueError, match="row 3"):
        alea.write_games(wrong, tmp_path / "copy")
    with pytest.raises(ValueError):
        alea.read_games("nowhere")


def everything(batches):
    batches = list(batches)
    return {key: numpy.concatenate([batch[key] for batch in batches]) for key in batches[0]}


def test_samples_are_the_searched_positions_of_the_games():
    """A sample for the position after each valued move, unless it ends the game or is held out."""
    rows = alea.read_games(SAMPLE).to_pylist()
    said = {}
    for row, following in zip(rows, rows[1:]):
        if following["game"] == row["game"] and row["value"] is not None:
            share = 0.7 * (1 - row["value"]) + 0.3 * (1 - row["payoff"])
            said.setdefault(following["position"], []).append(share)
    samples = alea.Samples(SAMPLE, symmetries=False, batch=1000)
    found = [everything(samples.epoch(1)), everything(samples.validation())]
    count = sum(map(len, said.values()))
    assert samples.training + samples.validating + samples.held_out == count
    assert samples.training == len(found[0]["target"]) and samples.validating == len(found[1]["target"])
    game = alea.game("einstein")
    for part in found:
        for position, target in zip(alea.unpack(part["positions"]), part["target"]):
            assert min(abs(target - expected) for expected in said[position.text]) < 1e-5


def test_rows_are_those_of_the_positions_in_some_symmetry():
    samples, game = alea.Samples(SAMPLE, inputs="mobility,turns,alive", batch=512), alea.game("einstein")
    plain = everything(alea.Samples(SAMPLE, symmetries=False).epoch(1))
    batches = list(samples.epoch(1))
    assert {len(batch["target"]) for batch in batches[:-1]} == {512}
    turned = everything(batches)
    assert (game.rows(turned["positions"], "mobility,turns,alive") == turned["rows"]).all()
    assert sorted(turned["target"]) == sorted(plain["target"])
    assert len(set(turned["positions"].tolist()) - set(plain["positions"].tolist())) > samples.training / 2
    stones = [sum(map(str.isalnum, p.text.split()[0])) for p in alea.unpack(turned["positions"][:50])]
    assert turned["remaining"][:50].tolist() == stones
    exact = alea.evaluate(game, turned["positions"], "best")
    assert numpy.corrcoef(exact, turned["target"])[0, 1] > 0.5


def test_epochs_are_repeatable_and_differ(tmp_path):
    samples = alea.Samples(SAMPLE)
    first, again, other = (everything(samples.epoch(n))["positions"].tolist() for n in (1, 1, 2))
    assert first == again != other
    assert pickle.loads(pickle.dumps(samples)).training == samples.training


def test_parts_share_the_shards(tmp_path):
    """Two shards, two workers: together they show every sample once."""
    table = alea.read_games(SAMPLE)
    for name, keep in (("a", table["game"].to_numpy() < 300), ("b", table["game"].to_numpy() >= 300)):
        alea.write_games(table.filter(keep), tmp_path / name)
    samples = alea.Samples([tmp_path / "a", tmp_path / "b"], symmetries=False)
    whole = everything(samples.epoch(3))["positions"]
    parts = [everything(samples.epoch(3, (k, 2)))["positions"] for k in range(2)]
    assert sorted(numpy.concatenate(parts)) == sorted(whole) and all(map(len, parts))


def test_copies_of_a_game_train_or_validate_together(tmp_path):
    alea.write_games(alea.read_games(SAMPLE), tmp_path / "copy")
    once, twice = alea.Samples(SAMPLE), alea.Samples([SAMPLE, tmp_path / "copy"])
    assert (once.duplicate_games, twice.duplicate_games) == (0, 600)
    assert (twice.training, twice.validating) == (2 * once.training, 2 * once.validating)


def test_a_loop_that_is_left_ends_the_reading():
    for _ in range(20):
        next(alea.Samples(SAMPLE, batch=16).epoch())


@pytest.mark.parametrize(
    "act",
    [
        lambda: alea.Samples("nowhere"),
        lambda: alea.Samples(SAMPLE, game="reversi"),
        lambda: alea.Samples(SAMPLE, share=2),
        lambda: alea.Samples(SAMPLE, label="nothing"),
        lambda: next(alea.Samples(SAMPLE, inputs="nothing").epoch()),
        lambda: next(alea.Samples(SAMPLE, batch=0).epoch()),
        lambda: next(alea.Samples(SAMPLE).epoch(1, (2, 2))),
    ],
)
def test_bad_input_is_one_line(act):
    with pytest.raises(ValueError) as caught:
        act()
    assert "\n" not in str(caught.value)
