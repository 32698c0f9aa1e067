//! Rollouts against a slow reference, full expansion, and tables with one stone more than rollouts
//! probe.

use crate::support::{
    MIDDLE, assert_near, moves_of, player, position, random_game, random_positions, six_stones,
};
use crate::toy_games::{HashEvaluator, HashGame, Totals, TotalsPosition};
use engine::core::{
    evaluator::{Evaluator, one_ply_serial},
    game::{Game, Outcome, Seat, sample_outcome},
    moments::Moments,
    oracle::Oracle,
    random::{RandomStream, SeedSpace, derive_seed},
    search_game::SearchGame,
};
use engine::games::einstein::{
    Position, Standard, Variant,
    tables::{Tables, run_sequentially},
};
use engine::games::reversi::Reversi;
use engine::play::{
    build,
    playable::{Playable, Rules},
    player_notation::{Notation, trusted_text},
    registry::{AnyEvaluator, EvaluatorPointer},
};
use engine::search::limits::Limits;
use engine::search::rollout::{
    Cost, EvaluatorRollouts, RolloutResult, Rollouts,
    stopping::{Candidate, StoppingRule, roll_out_moves, roll_out_position, unbiased_value},
};
use std::{collections::HashMap, sync::Arc};
use xxhash_rust::xxh3::xxh3_64_with_seed;

struct Book<'a, G: Game, E: Evaluator<G>> {
    game: &'a G,
    evaluator: &'a E,
    oracle: Option<Arc<dyn Oracle<G>>>,
    plies: u32,
    exact: HashMap<G::Position, f64>,
}

impl<'a, G: Game, E: Evaluator<G>> Book<'a, G, E> {
    fn new(game: &'a G, evaluator: &'a E, oracle: Option<Arc<dyn Oracle<G>>>, plies: u32) -> Self {
        let exact = HashMap::new();
        Self {
            game,
            evaluator,
            oracle,
            plies,
            exact,
        }
    }

    fn known_value(&self, position: &G::Position, seat: Seat) -> Option<f64> {
        let exact_value = self.game.payoff(position, seat).or_else(|| {
            let exact = self.oracle.as_ref()?.value(self.game, position)?;
            Some(if self.game.to_move(position) == seat {
                exact
            } else {
                1.0 - exact
            })
        });
        exact_value.map(f64::from)
    }

    fn one_ply_estimate(&self, position: &G::Position, seat: Seat) -> f64 {
        let mut cache = E::Cache::default();
        self.evaluator.refresh(self.game, position, &mut cache);
        f64::from(self.evaluator.payoffs(self.game, position, &cache)[seat])
    }

    /// Outcomes with the position after the mover's best move, and that position's value for
    /// `seat`.
    fn outcomes(&self, position: &G::Position, seat: Seat) -> Vec<(Outcome, G::Position, f64)> {
        let moves = moves_of(self.game, position);
        let mover = self.game.to_move(position);
        let best = |outcome: &Outcome| {
            let worth = |next: &G::Position, seat| {
                self.known_value(next, seat)
                    .unwrap_or_else(|| self.one_ply_estimate(next, seat))
            };
            let mut best: Option<G::Position> = None;
            for &mv in &moves[outcome.move_range()] {
                let next = self.game.play(position, mv);
                if best.is_none_or(|best| worth(&next, mover) > worth(&best, mover)) {
                    best = Some(next);
                }
            }
            (*outcome, best.unwrap(), worth(&best.unwrap(), seat))
        };
        self.game
            .outcomes(position, &moves)
            .iter()
            .map(best)
            .collect()
    }

    fn play(&self, start: &G::Position, seat: Seat, seed: u64, number: u32) -> RolloutResult {
        let (mut position, mut luck) = (*start, 0.0);
        for ply in 0.. {
            let stopped = (self.plies > 0 && ply == self.plies)
                .then(|| self.one_ply_estimate(&position, seat));
            if let Some(result) = self.known_value(&position, seat).or(stopped) {
                return RolloutResult { result, luck };
            }
            let outcomes = self.outcomes(&position, seat);
            let sampled = (u64::from(number) << 32 | u64::from(ply)).to_le_bytes();
            let listed: Vec<Outcome> = outcomes.iter().map(|outcome| outcome.0).collect();
            let bits = (xxh3_64_with_seed(&sampled, seed) >> 32) as u32;
            let sampled = &listed[sample_outcome(&listed, bits)];
            let sampled = listed
                .iter()
                .position(|outcome| std::ptr::eq(outcome, sampled))
                .unwrap();
            let mean: f64 = outcomes
                .iter()
                .map(|(outcome, _, worth)| f64::from(outcome.weight) * worth)
                .sum();
            if self.game.seats() == 2 {
                luck += outcomes[sampled].2 - mean;
            }
            position = outcomes[sampled].1;
        }
        unreachable!()
    }

    fn exact(&mut self, position: &G::Position) -> f64 {
        if let Some(exact_value) = self.known_value(position, 0) {
            return exact_value;
        }
        if let Some(&exact_value) = self.exact.get(position) {
            return exact_value;
        }
        let outcomes = self.outcomes(position, 0);
        let value = outcomes
            .iter()
            .map(|(outcome, next, _)| f64::from(outcome.weight) * self.exact(next))
            .sum();
        self.exact.insert(*position, value);
        value
    }
}

fn tables(stones: usize) -> Arc<Tables> {
    Tables::in_memory(stones, Variant::Classic, &run_sequentially, &|_, _| {}).unwrap()
}

fn best_evaluator() -> Arc<dyn AnyEvaluator<Standard>> {
    Standard::default()
        .evaluator(&Notation::new("best"))
        .unwrap()
}

fn games<G: SearchGame>(
    roll: &mut dyn Rollouts<G>,
    position: &G::Position,
    seat: Seat,
    seed: u64,
    count: u32,
) -> Vec<RolloutResult> {
    let mut games = Vec::new();
    roll.play_games(position, seat, seed, 0..count, &mut |played| {
        games.push(played)
    });
    games
}

fn check_against_reference<G: SearchGame>(
    mut book: Book<'_, G, impl Evaluator<G>>,
    roll: &mut dyn Rollouts<G>,
    positions: &[G::Position],
    seats: usize,
) {
    for position in positions {
        for seat in 0..seats {
            let found = games(roll, position, seat, 7, 12);
            for (number, found) in (0..).zip(&found) {
                let expected = book.play(position, seat, 7, number);
                assert_near(found.result, expected.result, 1e-6, (position, number));
                assert_near(found.luck, expected.luck, 1e-5, (position, number));
                roll.play_games(position, seat, 7, number..number + 1, &mut |alone| {
                    assert_eq!(alone, *found);
                });
            }
        }
    }
    book.exact.clear();
}

#[test]
fn a_game_is_that_of_the_book() {
    for seats in [2, 3] {
        for (chance, plies) in [(true, 0), (false, 0), (true, 3)] {
            let game = HashGame {
                seats,
                seed: 3,
                length: 9,
                chance,
            };
            let positions: Vec<_> =
                random_game(&game, game.start(), &mut RandomStream::new(1)).collect();
            let mut roll = EvaluatorRollouts::new(game.clone(), HashEvaluator, None, plies);
            check_against_reference(
                Book::new(&game, &HashEvaluator, None, plies),
                &mut roll,
                &positions,
                seats,
            );
        }
    }
    let game = Standard::default();
    let exact_value: Arc<dyn Oracle<Standard>> = tables(3);
    let positions = random_positions(&game, 12, 1);
    for name in ["best", "schwarz", "model:../models/ntuple-1.safetensors"] {
        let evaluator = build::parse_evaluator(trusted_text(name), &game).unwrap();
        for (oracle, plies) in [(None, 0), (Some(&exact_value), 0), (Some(&exact_value), 4)] {
            let mut roll = Arc::clone(&evaluator).rollouts(game.clone(), oracle.cloned(), plies);
            let evaluator = EvaluatorPointer(Arc::clone(&evaluator));
            let book = Book::new(&game, &evaluator, oracle.cloned(), plies);
            check_against_reference(book, &mut *roll, &positions, 2);
        }
    }
}

fn assert_normal(deviations: &[f64], what: &str) {
    let count = deviations.len() as f64;
    let inside = deviations.iter().filter(|z| z.abs() <= 1.96).count() as f64 / count;
    let squares: Moments = deviations.iter().map(|z| z * z).collect();
    let mean: Moments = deviations.iter().copied().collect();
    let figures = format!("{what}: {inside:.3}, {mean:?}, {squares:?}");
    assert!(
        (inside - 0.95).abs() < 4.0 * (0.95 * 0.05 / count).sqrt(),
        "{figures}"
    );
    assert!(mean.mean().abs() < 4.0 / count.sqrt(), "{figures}");
}

/// Mean rollout result minus the exact payoff, in standard errors.
fn deviation_in_errors<G: SearchGame>(
    book: &mut Book<'_, G, impl Evaluator<G>>,
    roll: &mut dyn Rollouts<G>,
    positions: &[G::Position],
    enough: StoppingRule,
) -> Vec<f64> {
    let miss = |(seed, position): (u64, &G::Position)| {
        let exact = book.exact(position);
        let found = roll_out_position(roll, position, 0, seed, enough, &mut Cost::default());
        let error = found.standard_error();
        if error < 1e-6 {
            assert_near(found.mean(), exact, 1e-5, position);
            return None;
        }
        Some((found.mean() - exact) / error)
    };
    (0..).zip(positions).filter_map(miss).collect()
}

#[test]
fn means_are_what_players_by_the_evaluator_get() {
    for (max_games, error) in [(400, 0.0), (100_000, 0.02)] {
        let enough = StoppingRule {
            max_games,
            target_error: error,
        };
        let mut all = Vec::new();
        for seed in 0..200 {
            let game = HashGame {
                seats: 2,
                seed,
                length: 7,
                chance: true,
            };
            let mut roll = EvaluatorRollouts::new(game.clone(), HashEvaluator, None, 0);
            let mut book = Book::new(&game, &HashEvaluator, None, 0);
            all.extend(deviation_in_errors(
                &mut book,
                &mut roll,
                &[game.start()],
                enough,
            ));
        }
        assert_normal(&all, "hashes");
        let game = Totals {
            modulus: 7,
            length: 4,
        };
        let mut roll = EvaluatorRollouts::new(game.clone(), HashEvaluator, None, 0);
        let mut book = Book::new(&game, &HashEvaluator, None, 0);
        let starts: Vec<_> = (0..7)
            .flat_map(|own| {
                (0..7).map(move |other| TotalsPosition {
                    totals: [own, other],
                    ply: 0,
                })
            })
            .collect();
        assert_normal(
            &deviation_in_errors(&mut book, &mut roll, &starts, enough),
            "totals",
        );
    }
}

#[test]
fn roll_outs_of_five_stones_to_tables_of_four_are_as_exact_tables() {
    let game = Standard::default();
    let (four, five) = (tables(4), tables(5));
    let mut random = RandomStream::new(1);
    let positions: Vec<Position> = (0..400)
        .map(|index| game.random_endgame([5, 5], index % 2, &mut random).unwrap())
        .collect();
    let mut roll = best_evaluator().rollouts(game.clone(), Some(four.clone()), 0);
    let evaluator = EvaluatorPointer(best_evaluator());
    let mut book = Book::new(&game, &evaluator, Some(four), 0);
    let enough = StoppingRule {
        max_games: 400,
        target_error: 0.0,
    };
    assert_normal(
        &deviation_in_errors(&mut book, &mut *roll, &positions, enough),
        "five stones",
    );
    let mut loss = Moments::default();
    for position in &positions {
        let exact = f64::from(five.value_of(position).unwrap());
        let exact = if position.seat() == 0 {
            exact
        } else {
            1.0 - exact
        };
        loss.add(book.exact(position) - exact);
    }
    assert!(loss.mean().abs() < 0.01, "{loss:?}");
}

fn deviation(differences: &[f64]) -> f64 {
    let squares = differences.iter().map(|difference| difference * difference);
    squares.collect::<Moments>().mean().sqrt()
}

#[test]
fn roll_outs_of_six_stones_to_tables_of_four_are_near_the_truth() {
    let game = Standard::default();
    let four = tables(4);
    let mut roll = best_evaluator().rollouts(game.clone(), Some(four), 0);
    let enough = StoppingRule {
        max_games: 400,
        target_error: 0.0,
    };
    let (mut rolled, mut guessed, mut errors, mut given, mut blunt) = (
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Moments::default(),
        Moments::default(),
    );
    for (seed, exact) in (0..).zip(six_stones()) {
        let (position, seat, cost) = (exact.position, exact.position.seat(), &mut Cost::default());
        let found = roll_out_position(&mut *roll, &position, seat, seed, enough, cost);
        rolled.push(found.mean() - exact.value);
        errors.push(found.standard_error());
        guessed.push(f64::from(best_evaluator().value_of(&game, &position)) - exact.value);
        let moves = moves_of(&game, &position);
        let after: Vec<Position> = moves.iter().map(|&mv| game.play(&position, mv)).collect();
        let mut candidates = Vec::new();
        let chosen = roll_out_moves(
            &mut *roll,
            &after,
            seat,
            seed,
            enough,
            cost,
            &mut candidates,
        );
        let max_games = moves.iter().map(|&mv| exact.of(mv)).fold(0.0, f64::max);
        given.add(max_games - exact.of(moves[chosen]));
        let mut scores = vec![0.0; moves.len()];
        let best = EvaluatorPointer(best_evaluator());
        best.score_successors(&game, &position, &moves, &mut scores);
        let first = (0..moves.len()).reduce(|best, other| {
            if scores[other] > scores[best] {
                other
            } else {
                best
            }
        });
        blunt.add(max_games - exact.of(moves[first.unwrap()]));
    }
    let figures = format!(
        "off by {:.5} and {:.5} without games, mean {:.5}, standard error {:.5}; a move gives away {:.5} and {:.5}",
        deviation(&rolled),
        deviation(&guessed),
        rolled.iter().copied().collect::<Moments>().mean(),
        deviation(&errors),
        given.mean(),
        blunt.mean()
    );
    println!("{figures}");
    // Rollouts do not remove the errors of their own players.
    assert!(deviation(&rolled) < 0.6 * deviation(&guessed), "{figures}");
    assert!(given.mean() < 0.6 * blunt.mean(), "{figures}");
}

struct Noise;

impl Rollouts<Totals> for Noise {
    fn set_limits(&mut self, _: &Limits) {}

    fn is_stopped(&self) -> bool {
        false
    }

    fn play_games(
        &mut self,
        position: &TotalsPosition,
        _: Seat,
        seed: u64,
        games: std::ops::Range<u32>,
        each: &mut dyn FnMut(RolloutResult),
    ) -> Cost {
        for number in games {
            let path = [u64::from(number), u64::from(position.totals[0])];
            let sampled =
                RandomStream::new(derive_seed(seed, SeedSpace::Player, &path)).uniform_f64();
            each(RolloutResult {
                result: f64::from(position.totals[1]) / 100.0 + sampled,
                luck: 0.0,
            });
        }
        Cost::default()
    }
}

#[test]
fn the_best_move_is_found_and_not_flattered() {
    let of = |worth: [u8; 8]| {
        let position = |(number, worth)| TotalsPosition {
            totals: [number, worth],
            ply: 0,
        };
        (0..).zip(worth).map(position).collect::<Vec<_>>()
    };
    let enough = StoppingRule {
        max_games: 200,
        target_error: 0.0,
    };
    let (mut flattered, mut honest) = (Moments::default(), Moments::default());
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut choose = |worth, seed| {
        let mut cost = Cost::default();
        let best = roll_out_moves(
            &mut Noise,
            &of(worth),
            0,
            seed,
            enough,
            &mut cost,
            &mut candidates,
        );
        (
            best,
            candidates[best].moments.mean(),
            unbiased_value(&candidates),
        )
    };
    for seed in 0..300 {
        // The means are six standard errors of a difference apart.
        assert_eq!(choose([0, 0, 0, 25, 1, 2, 3, 4], seed).0, 3);
        let (_, best, value) = choose([0; 8], seed);
        flattered.add(best);
        honest.add(value);
    }
    assert!(flattered.mean() > 0.51, "{flattered:?}");
    assert_near(honest.mean(), 0.5, 4.0 * honest.standard_error(), honest);
}

#[test]
fn a_player_values_moves_alike_in_any_order_and_plays_wins() {
    let game = Standard::default();
    let notation = "rollout(games=64, tablebase=3)";
    let positions = random_positions(&game, 20, 5);
    let mut one = player(notation, &game);
    let values: Vec<_> = positions
        .iter()
        .map(|position| one.value(position, &Limits::NONE))
        .collect();
    let mut other = player(notation, &game);
    for (position, value) in positions.iter().zip(&values).rev() {
        let again = other.value(position, &Limits::NONE);
        assert_eq!((again.value, again.error), (value.value, value.error));
        let (moves, analysis) = (
            moves_of(&game, position),
            other.analyse(position, None, &Limits::NONE).unwrap(),
        );
        let decision = one.decide(position, &moves, &Limits::NONE).unwrap();
        assert_eq!(analysis.line, [decision.best]);
        assert!(analysis.moves.iter().all(|rated| rated.value.is_some()));
        assert!((0.0..=1.0).contains(&decision.value.unwrap()));
        assert_eq!(
            one.decide(position, &moves, &Limits::NONE).unwrap().value,
            decision.value
        );
    }
    let won = position(".c.../...../...../...../...3. b -");
    assert_eq!(one.value(&won, &Limits::NONE).value, Some(1.0));
    let certain = player("rollout(error=0.01)", &game).value(&position(MIDDLE), &Limits::NONE);
    assert!(certain.error.unwrap() <= 0.01);
    let reversi = Reversi::from_notation("reversi(size=4)", None).unwrap();
    let start = reversi.start();
    let mut mute = player("rollout(eval=mobility)", &reversi);
    assert_eq!(mute.value(&start, &Limits::NONE).error, Some(0.0));
    let moves = moves_of(&reversi, &start);
    assert!(
        mute.decide(&start, &moves, &Limits::NONE)
            .unwrap()
            .value
            .is_some()
    );
}

#[test]
fn one_ply_has_no_luck() {
    let game = Standard::default();
    let mut roll = best_evaluator().rollouts(game.clone(), None, 1);
    for position in random_positions(&game, 50, 3) {
        let value = f64::from(one_ply_serial(
            &EvaluatorPointer(best_evaluator()),
            &game,
            &position,
            &mut (),
        ));
        for played in games(&mut *roll, &position, position.seat(), 1, 8) {
            assert_near(played.luck_adjusted(), value, 1e-5, position);
        }
    }
}

#[test]
fn without_chance_one_rollout_says_all() {
    let game = Reversi::EIGHT;
    let evaluator = build::parse_evaluator(trusted_text("mobility"), &game).unwrap();
    let mut rollouts = EvaluatorRollouts::new(game, EvaluatorPointer(evaluator), None, 0);
    let rule = StoppingRule {
        max_games: 100,
        target_error: 0.0,
    };
    let mut cost = Cost::default();
    let found = roll_out_position(&mut rollouts, &game.start(), 0, 1, rule, &mut cost);
    assert_eq!(found.sample_count(), 1.0);
}
