//! Reversi against outside vectors, a plain board, reference searches and published values.

use crate::support::{
    self, assert_near, full, moves_of, parse_json_rows, player, successors, table,
};
use crate::toy_games::HashEvaluator;
use engine::core::{
    calibration::{Calibrated, Calibration},
    chance_bounds::Bounds,
    evaluator::Score,
    game::{Game, uniform_index},
    oracle::Oracle,
    random::RandomStream,
    search_game::Playouts,
};
use engine::games::reversi::{
    BLACK, Move, Position, Reversi, WHITE,
    endgame::{Endgame, EndgamePlayer, SolvedEndgames},
    evaluators::{Discs, Mobility, Squares},
};
use engine::play::{
    build::parse_evaluator,
    perft::perft,
    playable::{Codec, GameText, Playable, Rules},
    player::Player,
};
use engine::search::limits::Limits;
use engine::search::{
    expectiminimax::{Expectiminimax, Form},
    plain_minimax::minimax,
    star::{Star, StarOptions},
};
use serde_json::Value;
use std::{collections::HashMap, time::Instant};

fn read(game: &Reversi, text: &str) -> Position {
    game.parse_position(text).unwrap()
}

fn board(game: &Reversi, position: &Position) -> String {
    let text = game.format_position(position);
    text[..text.len() - 2].to_owned()
}

fn random_games(game: &Reversi, games: usize, seed: u64) -> Vec<Position> {
    let mut random = RandomStream::new(seed);
    let mut game =
        |_| -> Vec<Position> { support::random_game(game, game.start(), &mut random).collect() };
    (0..games).flat_map(&mut game).collect()
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct PlainBoard {
    size: i32,
    signs: Vec<char>,
    turn: char,
}

impl PlainBoard {
    fn of(game: &Reversi, position: &Position) -> Self {
        let text = game.format_position(position);
        let (signs, turn) = text.split_once(' ').unwrap();
        Self {
            size: game.size() as i32,
            turn: turn.chars().next().unwrap(),
            signs: signs.chars().collect(),
        }
    }

    fn opponent(&self) -> char {
        if self.turn == 'X' { 'O' } else { 'X' }
    }

    fn flips(&self, square: i32) -> Vec<usize> {
        let mut all = Vec::new();
        if self.signs[square as usize] != '-' {
            return all;
        }
        for (down, right) in [
            (0, 1),
            (1, 1),
            (1, 0),
            (1, -1),
            (0, -1),
            (-1, -1),
            (-1, 0),
            (-1, 1),
        ] {
            let mut run = Vec::new();
            let (mut row, mut column) = (square / self.size + down, square % self.size + right);
            while (0..self.size).contains(&row) && (0..self.size).contains(&column) {
                let at = (row * self.size + column) as usize;
                if self.signs[at] == self.turn {
                    all.append(&mut run);
                    break;
                }
                if self.signs[at] == '-' {
                    break;
                }
                run.push(at);
                (row, column) = (row + down, column + right);
            }
        }
        all
    }

    fn pass_turn(&self) -> Self {
        Self {
            turn: self.opponent(),
            ..self.clone()
        }
    }

    fn placements(&self) -> Vec<(String, Self)> {
        let squares = (0..self.size * self.size).map(|square| (square, self.flips(square)));
        let legal = squares.filter(|(_, flips)| !flips.is_empty());
        legal
            .map(|(square, flips)| {
                let mut after = self.pass_turn();
                after.signs[square as usize] = self.turn;
                flips.iter().for_each(|&at| after.signs[at] = self.turn);
                let column = (b'a' + (square % self.size) as u8) as char;
                (format!("{column}{}", square / self.size + 1), after)
            })
            .collect()
    }

    fn moves(&self) -> Vec<(String, Self)> {
        let placements = self.placements();
        if placements.is_empty() && !self.pass_turn().placements().is_empty() {
            return vec![("pass".to_owned(), self.pass_turn())];
        }
        placements
    }

    fn disc_lead(&self) -> i32 {
        let count = |of_sign| self.signs.iter().filter(|&&sign| sign == of_sign).count() as i32;
        count(self.turn) - count(self.opponent())
    }

    fn solve(&self, to_winner: bool, cache: &mut HashMap<(Self, bool), i32>) -> i32 {
        if let Some(&value) = cache.get(&(self.clone(), to_winner)) {
            return value;
        }
        let moves = self.moves();
        let best = moves
            .iter()
            .map(|(_, after)| -after.solve(to_winner, cache))
            .max();
        let value = best.unwrap_or_else(|| {
            let empties = self.signs.iter().filter(|&&sign| sign == '-').count() as i32;
            self.disc_lead() + i32::from(to_winner) * self.disc_lead().signum() * empties
        });
        cache.insert((self.clone(), to_winner), value);
        value
    }
}

#[test]
fn the_rules_are_those_of_a_plain_board_on_every_size() {
    for (game, games) in Reversi::ALL.into_iter().zip([60, 60, 200]) {
        let mut ends = 0;
        for position in random_games(&game, games, 3) {
            let plain = PlainBoard::of(&game, &position);
            let expected = plain.moves();
            let Some(payoffs) = game.payoffs(&position) else {
                let moves = moves_of(&game, &position);
                let found = moves.iter().map(|&mv| {
                    let after = game.play(&position, mv);
                    (game.format_move(mv), PlainBoard::of(&game, &after))
                });
                assert_eq!(found.collect::<Vec<_>>(), expected);
                continue;
            };
            assert!(expected.is_empty(), "{plain:?}");
            let expected = (1 + plain.disc_lead().signum()) as f32 / 2.0;
            assert_eq!(payoffs[position.seat()], expected, "{plain:?}");
            assert_eq!(payoffs[0] + payoffs[1], 1.0);
            ends += 1;
        }
        assert_eq!(ends, games);
    }
}

#[test]
fn moves_boards_and_results_agree_with_an_independent_program() {
    let game = Reversi::EIGHT;
    let mut lines = [0, 0];
    for vector in parse_json_rows::<Value>(include_str!("../vectors/othello.jsonl")) {
        let text = |key: &str| vector[key].as_str().unwrap_or_default();
        let list =
            |key: &str| -> Vec<String> { serde_json::from_value(vector[key].clone()).unwrap() };
        if vector["final"] == true {
            let moves = list("moves").concat();
            let [ggf, row, ..] = Reversi::registry().transcripts else {
                panic!("two forms")
            };
            let read = |text: &str| -> Vec<_> {
                let games = (ggf.read)(&game, text.as_bytes()).into_iter();
                games.collect::<Result<_, _>>().unwrap()
            };
            let parsed = read(&moves).remove(0);
            let played = parsed.plies.iter();
            let last = played.fold(game.start(), |position, ply| game.play(&position, ply.1));
            assert_eq!(board(&game, &last), text("board"));
            for (seat, key) in [(BLACK, "x"), (WHITE, "o")] {
                assert_eq!(Value::from(last.discs(seat).count_ones()), vector[key]);
            }
            assert_eq!(Value::from(game.empties(&last)), vector["empty"]);
            let returns = vector["returns"][0].as_f64().unwrap();
            let payoffs = game.payoffs(&last).unwrap();
            assert_eq!(f64::from(payoffs[BLACK]), (returns + 1.0) / 2.0);
            let [ggf, row] = [ggf, row].map(|form| (form.write)(&game, &parsed).unwrap());
            assert_eq!(moves.replace("pass", ""), row);
            assert_eq!([read(&ggf), read(&row)], [[parsed.clone()], [parsed]]);
            lines[1] += 1;
            continue;
        }
        let position = read(&game, &format!("{} {}", text("board"), text("to_move")));
        let moves = moves_of(&game, &position);
        let names: Vec<String> = moves.iter().map(|&mv| game.format_move(mv)).collect();
        assert_eq!(names, list("legal"));
        let after = game.play(&position, game.parse_move(&position, text("move")).unwrap());
        assert_eq!(board(&game, &after), text("after"));
        assert_eq!(Value::from(game.payoffs(&after).is_some()), vector["over"]);
        if vector["over"] == false {
            assert_eq!(game.seat_name(after.seat()), text("after_to_move"));
        }
        lines[0] += 1;
    }
    assert_eq!(lines, [400, 32]);
}

#[test]
fn perft_counts_are_the_published_ones() {
    let game = Reversi::EIGHT;
    let published = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288];
    for (plies, expected) in (1..).zip(published) {
        let count = perft(&game, &game.start(), plies);
        assert_eq!(
            (count.leaves, count.finished_before),
            (expected, 0),
            "{plies} plies"
        );
    }
    let game = Reversi::FOUR;
    let start = game.start();
    let (mut lines, mut over) = (vec![PlainBoard::of(&game, &start)], 0);
    for plies in 0..8 {
        let count = perft(&game, &start, plies);
        let expected = (lines.len() as u64, over);
        assert_eq!((count.leaves, count.finished_before), expected);
        over += lines.iter().filter(|line| line.moves().is_empty()).count() as u64;
        let after = lines.iter().flat_map(PlainBoard::moves);
        lines = after.map(|(_, after)| after).collect();
    }
    assert_eq!(perft(&game, &start, 19).leaves, 0);
}

#[test]
fn four_by_four_is_won_by_the_second_player() {
    let game = Reversi::FOUR;
    let start = game.start();
    let plain = PlainBoard::of(&game, &start);
    let mut cache = HashMap::new();
    assert_eq!(plain.solve(false, &mut cache), -8);
    assert_eq!(plain.solve(true, &mut cache), -10);
    let mut solver = Endgame::new(game);
    assert_eq!((solver.score(&start), solver.value(&start)), (-10, 0.0));
    let table = Some(table(1 << 16));
    let mut star: Star<_, _> = Star::new(game, HashEvaluator, StarOptions::default(), table);
    assert_eq!(full(&mut star, &start, 24), Bounds::exact(0.0));
    for position in random_games(&game, 50, 7) {
        let plain = PlainBoard::of(&game, &position);
        let expected = plain.solve(true, &mut cache);
        assert_eq!(solver.score(&position), expected, "{plain:?}");
        let expected = (1 + expected.signum()) as f32 / 2.0;
        assert_eq!(solver.value(&position), expected, "{plain:?}");
    }
}

#[test]
fn played_for_discs_payoffs_are_scaled_leads_and_searches_maximise_them() {
    let by_wins = Reversi::FOUR;
    let game = by_wins.with_score_by_discs(true);
    assert_eq!(game.notation(), "reversi(size=4, score=discs)");
    assert_eq!(Reversi::from_notation(&*game.notation(), None), Ok(game));
    let points = game.points().unwrap();
    let mut cache = HashMap::new();
    let mut solver = Endgame::new(game);
    for position in random_games(&game, 50, 7) {
        let plain = PlainBoard::of(&game, &position);
        let lead = plain.solve(true, &mut cache);
        let payoff = 0.5 + lead as f32 / 32.0;
        assert_eq!(solver.value(&position), payoff, "{plain:?}");
        assert_eq!(points.final_points(payoff.into()), f64::from(lead));
        assert_eq!(points.result_name(payoff.into()), format!("{lead:+}"));
        if let Some(payoffs) = game.payoffs(&position) {
            let seat = game.to_move(&position);
            assert_eq!((payoffs[seat], payoffs[1 - seat]), (payoff, 1.0 - payoff));
            let winner = by_wins.payoffs(&position).unwrap()[seat];
            assert_eq!(winner, (1 + lead.signum()) as f32 / 2.0);
        } else if game.empties(&position) <= 6 {
            let table = Some(table(1 << 12));
            let mut star: Star<_, _> =
                Star::new(game, HashEvaluator, StarOptions::default(), table);
            assert_eq!(full(&mut star, &position, 12), Bounds::exact(payoff));
        }
    }
}

/// Published endgames (FFO) with a number that `numbers` accepts: number, position, score, scores
/// of all moves.
fn published(numbers: impl Fn(u64) -> bool) -> Vec<(u64, Position, i32, Vec<i32>)> {
    let game = Reversi::EIGHT;
    let vectors = parse_json_rows::<Value>(include_str!("../vectors/ffo.jsonl"));
    let of_sign = vectors.filter(|vector| numbers(vector["id"].as_u64().unwrap()));
    let of = |vector: Value| {
        let text = |key: &str| vector[key].as_str().unwrap().to_owned();
        let score = |value: &Value| value.as_i64().unwrap() as i32;
        let position = read(&game, &format!("{} {}", text("board"), text("to_move")));
        let moves = moves_of(&game, &position);
        let scores = moves.iter();
        let scores = scores.map(|&mv| score(&vector["moves"][game.format_move(mv)]));
        let number = vector["id"].as_u64().unwrap();
        (number, position, score(&vector["score"]), scores.collect())
    };
    of_sign.map(of).collect()
}

#[test]
fn published_endgames_are_solved() {
    let game = Reversi::EIGHT;
    let mut solver = Endgame::new(game);
    for (number, position, score, scores) in published(|id| id <= 37 || id == 40) {
        assert_eq!(solver.score(&position), score, "#{number}");
        if game.empties(&position) <= 15 {
            let moves = moves_of(&game, &position);
            assert_eq!(solver.scores(&position, &moves), scores, "#{number}");
        }
    }
}

#[test]
#[ignore = "takes a minute"]
fn hard_published_endgames_are_solved() {
    let game = Reversi::EIGHT;
    for (number, position, score, scores) in published(|id| id >= 38) {
        let mut solver = Endgame::new(game);
        let began = Instant::now();
        assert_eq!(solver.score(&position), score, "#{number}");
        let (alone, nodes) = (began.elapsed(), solver.nodes());
        let mut solver = Endgame::new(game);
        let began = Instant::now();
        let moves = moves_of(&game, &position);
        assert_eq!(solver.scores(&position, &moves), scores, "#{number}");
        println!(
            "#{number}: {score:+} in {:.2} s, {:.1} million positions; all moves in {:.2} s",
            alone.as_secs_f64(),
            nodes as f64 / 1e6,
            began.elapsed().as_secs_f64()
        );
    }
}

fn slow_score(game: &Reversi, position: &Position) -> i32 {
    if game.payoffs(position).is_some() {
        return game.final_discs(position);
    }
    let after = successors(game, position).into_iter();
    after.map(|next| -slow_score(game, &next)).max().unwrap()
}

#[test]
fn the_solver_is_right_wherever_few_squares_are_empty() {
    for (game, games) in Reversi::ALL.into_iter().zip([500, 500, 400]) {
        let tables = [0, 1, 1 << 8, 1 << 16];
        let mut solvers = tables.map(|entries| Endgame::with_entries(game, entries));
        let mut solved = 0;
        for position in random_games(&game, games, 17) {
            if game.empties(&position) > 7 {
                continue;
            }
            let expected = slow_score(&game, &position);
            for solver in &mut solvers {
                let text = game.format_position(&position);
                assert_eq!(solver.score(&position), expected, "{text}");
            }
            solved += 1;
        }
        assert!(solved > 2000, "{solved}");
    }
}

#[test]
fn no_table_changes_a_score() {
    for (game, left) in [(Reversi::EIGHT, 16), (Reversi::SIX, 17)] {
        let plain = Endgame::with_entries(game, 0);
        let others = [Endgame::new(game), Endgame::with_entries(game, 1 << 14)];
        let positions = random_games(&game, 6, 19).into_iter();
        for position in positions.filter(|position| game.empties(position) == left) {
            let expected = plain.clone().score(&position);
            for mut solver in others.clone() {
                assert_eq!(solver.score(&position), expected);
                assert_eq!(solver.score(&position), expected);
            }
            if game.payoffs(&position).is_none() {
                let scores = others[0]
                    .clone()
                    .scores(&position, &moves_of(&game, &position));
                assert_eq!(scores.into_iter().max(), Some(expected));
            }
        }
    }
}

#[test]
fn the_endgame_player_and_the_oracle_know_what_the_solver_knows() {
    let game = Reversi::EIGHT;
    let mut player = EndgamePlayer::new(game, 8);
    let oracle = SolvedEndgames::up_to(8);
    let knows = |position: &Position| oracle.value(&game, position);
    let mut solver = Endgame::new(game);
    for position in random_games(&game, 20, 9) {
        if game.payoffs(&position).is_some() {
            continue;
        }
        let moves = moves_of(&game, &position);
        let decision = player.decide(&position, &moves, &Limits::NONE).unwrap();
        assert!(moves.contains(&decision.best));
        let analysis = player.analyse(&position, None, &Limits::NONE).unwrap();
        assert_eq!(analysis.line, [decision.best]);
        if game.empties(&position) > 8 {
            assert_eq!((decision.value, knows(&position)), (None, None));
            continue;
        }
        let expected = solver.value(&position);
        assert_eq!(
            (decision.value, knows(&position)),
            (Some(expected), Some(expected))
        );
        assert_eq!(
            -solver.score(&game.play(&position, decision.best)),
            solver.score(&position)
        );
        assert_eq!(analysis.moves.len(), moves.len());
    }
}

#[test]
fn searches_agree_with_plain_minimax() {
    let game = Reversi::SIX;
    let eval = Calibrated {
        score: Squares::new(&game),
        calibration: Squares::calibration(&Reversi::EIGHT),
    };
    for (index, position) in random_games(&game, 12, 5).iter().enumerate() {
        let depth = 1 + index as u32 % 4;
        let expected = minimax(&game, &eval, position, depth, position.seat());
        let mut unified = Expectiminimax::new(game, eval.clone(), depth, Form::Unified);
        let unified = unified.value_at_depth(position, depth, position.seat());
        assert_near(unified, expected, 1e-6, position);
        for table in [None, Some(table(1 << 10))] {
            let mut star: Star<_, _> = Star::new(game, eval.clone(), StarOptions::default(), table);
            let bounds = full(&mut star, position, depth);
            assert_near(bounds.lower, expected, 1e-6, position);
            assert_near(bounds.upper, expected, 1e-6, position);
        }
    }
}

#[test]
fn symmetric_positions_have_symmetric_moves_and_equal_values() {
    for game in Reversi::ALL {
        let scores = Squares::new(&game);
        for position in random_games(&game, 5, 11) {
            let mut images = Vec::new();
            for symmetry in 0..game.symmetries() {
                let image = game.transform_position(&position, symmetry);
                let moves = match game.is_over(&position) {
                    true => 0,
                    false => moves_of(&game, &position).len(),
                };
                assert_eq!(PlainBoard::of(&game, &image).moves().len(), moves);
                let reported = |at: &Position| {
                    let (squares, moves) = (scores.score(&game, at), Mobility.score(&game, at));
                    (game.payoffs(at), squares, moves)
                };
                assert_eq!(reported(&image), reported(&position));
                images.push(image);
            }
            assert_eq!(images[0], position);
        }
        let corner = game.position(1 << 1, 0, BLACK);
        let mut images: Vec<u64> = (0..8)
            .map(|symmetry| game.transform_position(&corner, symmetry).discs(BLACK))
            .collect();
        images.sort_unstable();
        images.dedup();
        assert_eq!(images.len(), 8);
        assert!(images.iter().all(|image| image & !game.squares() == 0));
    }
}

#[test]
fn texts_and_bytes_read_back() {
    for game in Reversi::ALL {
        for position in random_games(&game, 5, 13) {
            assert_eq!(read(&game, &game.format_position(&position)), position);
            let mut bytes = Vec::new();
            game.encode(&position, &mut bytes);
            let mut rest = &bytes[..];
            assert_eq!((game.decode(&mut rest), rest.len()), (Ok(position), 0));
            for cut in 0..bytes.len() {
                assert!(game.decode(&mut &bytes[..cut]).is_err());
            }
            if game.payoffs(&position).is_none() {
                for &mv in moves_of(&game, &position).iter() {
                    assert_eq!(game.parse_move(&position, &game.format_move(mv)), Ok(mv));
                }
            }
        }
        assert_eq!(Reversi::from_notation(&game.notation(), None), Ok(game));
    }
    let error = Reversi::from_notation("reversi(size=5)", None).unwrap_err();
    assert_eq!(error.problem, "'size' is 8 or 6 or 4, not '5'");
}

#[test]
fn players_and_evaluators_have_names() {
    let game = Reversi::EIGHT;
    let position = read(
        &game,
        "-OXXXXX-/XOOOXX-X/XOXOOXXX/XXOOXOXX/XXXOOXXX/XXOOOOXX/-XOOOX-X/XXXXXXX- O",
    );
    let moves = moves_of(&game, &position);
    for text in ["squares", "mobility", "discs(scale=raw)"] {
        assert!(
            (0.0..=1.0).contains(
                &parse_evaluator(text, &game)
                    .unwrap()
                    .value_of(&game, &position)
            )
        );
    }
    let mut exact = player("endgame", &game);
    let expected = Endgame::new(game).scores(&position, &moves);
    assert_eq!(
        exact.exact_scores(&position, &moves, &Limits::NONE),
        Some(("discs", expected))
    );
    let values = exact
        .analyse(&position, None, &Limits::NONE)
        .unwrap()
        .moves
        .into_iter();
    let best = values.filter_map(|rated| rated.value).fold(0.0, f32::max);
    for text in [
        "star1(depth=9, eval=discs)",
        "star1(depth=1, endgame=10)",
        "mcts(sims=2000)",
    ] {
        let decision = player(text, &game)
            .decide(&position, &moves, &Limits::NONE)
            .unwrap();
        assert_eq!(decision.value, Some(best), "{text}");
    }
}

#[test]
fn random_moves_are_equally_likely() {
    let game = Reversi::EIGHT;
    let start = game.start();
    let mut random = RandomStream::new(1);
    let mut counts = HashMap::new();
    for _ in 0..40_000 {
        let mv = game.sample_move(&start, random.next_u64());
        *counts.entry(mv).or_insert(0_i32) += 1;
    }
    assert_eq!(counts.len(), 4);
    // 346 is four standard deviations of a count of 10,000.
    let mut off = counts.values().map(|count| (count - 10_000).abs());
    assert!(off.all(|off| off < 346), "{counts:?}");
}

/// Slope of a logistic fitted to 1,000 games of an evaluator against itself at depth 1, after eight
/// random plies and with one random move in ten.
fn fit_logistic_slope(score: &impl Score<Reversi>) -> f64 {
    let game = Reversi::EIGHT;
    let mut random = RandomStream::new(1);
    let mut samples: Vec<(f64, f64)> = Vec::new();
    for _ in 0..1000 {
        let mut position = game.start();
        let mut line = Vec::new();
        let payoffs = loop {
            if let Some(payoffs) = game.payoffs(&position) {
                break payoffs;
            }
            line.push((position.seat(), f64::from(score.score(&game, &position))));
            let moves = moves_of(&game, &position);
            let after = |&mv: &Move| game.play(&position, mv);
            let worth = |mv: &Move| {
                let next = after(mv);
                match game.payoff(&next, position.seat()) {
                    Some(payoff) => (payoff - 0.5) * 1e6,
                    None => -score.score(&game, &next),
                }
            };
            let is_random = line.len() <= 8 || random.below(10) == 0;
            let chosen = if is_random {
                moves[uniform_index(moves.len(), random.next_u64() as u32)]
            } else {
                *moves
                    .iter()
                    .max_by(|one, other| worth(one).total_cmp(&worth(other)))
                    .unwrap()
            };
            position = after(&chosen);
        };
        let line = line.into_iter();
        samples.extend(line.map(|(seat, score)| (score, f64::from(payoffs[seat]))));
    }
    let mut slope = 0.0;
    for _ in 0..50 {
        let (mut gradient, mut curvature) = (0.0, 0.0);
        for &(score, payoff) in &samples {
            let value = 1.0 / (1.0 + f64::exp(-slope * score));
            gradient += (payoff - value) * score;
            curvature += value * (1.0 - value) * score * score;
        }
        slope += gradient / curvature;
    }
    slope
}

#[test]
fn calibrations_were_fitted_to_games() {
    let game = Reversi::EIGHT;
    let assert_near = |fitted: f64, calibration: Calibration| {
        let Calibration::Logistic { slope, offset } = calibration else {
            panic!("{calibration:?}")
        };
        assert_eq!(offset, 0.0);
        let ratio = fitted / f64::from(slope);
        assert!((0.85..1.15).contains(&ratio), "{fitted}, {slope}");
    };
    assert_near(
        fit_logistic_slope(&Discs),
        Discs::calibration(&Reversi::EIGHT),
    );
    assert_near(
        fit_logistic_slope(&Mobility),
        Mobility::calibration(&Reversi::EIGHT),
    );
    assert_near(
        fit_logistic_slope(&Squares::new(&game)),
        Squares::calibration(&Reversi::EIGHT),
    );
}

#[test]
fn far_from_the_end_the_solver_minimises_replies() {
    let game = Reversi::SIX;
    let mut player = EndgamePlayer::new(game, 0);
    for position in random_games(&game, 5, 4) {
        if game.is_over(&position) || game.empties(&position) == 0 {
            continue;
        }
        let moves = moves_of(&game, &position);
        let replies = |mv| {
            let next = game.play(&position, mv);
            PlainBoard::of(&game, &next).placements().len()
        };
        let best = player
            .decide(&position, &moves, &Limits::NONE)
            .unwrap()
            .best;
        let min_replies = moves.iter().map(|&mv| replies(mv)).min();
        assert_eq!(Some(replies(best)), min_replies);
    }
}
