"""The test game, which its one line in the list of games brings to Python."""

import alea


def test_columns_is_played_rated_and_stepped():
    game = alea.game("columns")
    position = game.position("12034410 -")
    assert [position.play(move).text for move in position.moves(2)] == ["32004401 -", "13034401 -", "12334401 -"]
    assert 0 < alea.evaluate(game, [position], "lead")[0] < 0.5
    (analysis,) = alea.Player(game, "star1(depth=1)").analyse_all([position])
    assert len(analysis["moves"]) == 12
    boards = alea.VecEnv("columns", 4, seed=1)
    assert boards.observations.shape == (4, 6)
