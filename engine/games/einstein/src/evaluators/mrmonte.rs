//! MrMonte of Rock'n'Roll (Schäfer 2006): the win rate of rollouts between two simple players.
//!
//! Invariant: random numbers depend only on the evaluator's seed and the position, so a position's
//! value never changes.

use crate::{
    MAX_STONES, Move, Position, RED, Standard, dice::DiceStream, players::rocknroll_evaluator,
};
use alea_core::{
    calibration::clamp_to_open_interval,
    chance_bounds::expectation,
    evaluator::Evaluator,
    game::Game,
    random::{RandomStream, SeedSpace, derive_seed},
};
use alea_play::{
    build::evaluator_from,
    player_notation::{Arguments, Notation, Problem},
    registry::{AnyEvaluator, EvaluatorEntry},
};
use std::sync::Arc;

/// How one side chooses its moves in the rollouts.
#[derive(Clone)]
pub enum SimulatedPlayer {
    /// Plays uniformly random moves.
    Random,
    /// Plays the first winning move, else the first of the highest-rated moves.
    Rating {
        /// Evaluates the positions that `depth` reaches.
        evaluator: Arc<dyn AnyEvaluator<Standard>>,
        /// Plies of search below the successor; 0 evaluates the successor itself.
        depth: u8,
    },
}

/// Evaluator: the win rate of the side to move in rollouts between two simulated players.
#[derive(Clone)]
pub struct MrMonte {
    /// Rollouts per position; 0 counts as 1.
    pub iterations: u32,
    /// Plays Red's moves.
    pub red: SimulatedPlayer,
    /// Plays Blue's moves.
    pub blue: SimulatedPlayer,
    /// Determines, with the position, all random numbers.
    pub seed: u64,
}

impl MrMonte {
    fn play_out_win(
        &self,
        game: &Standard,
        mut position: Position,
        seat: usize,
        random_source: &mut RandomSource,
    ) -> bool {
        loop {
            if let Some(winner) = game.winner(&position) {
                return winner == seat;
            }
            let player = if position.seat() == RED {
                &self.red
            } else {
                &self.blue
            };
            let legal = game.legal_moves(&position, random_source.dice.roll());
            let mv = match player {
                SimulatedPlayer::Random => legal[random_source.moves.below(legal.len())],
                SimulatedPlayer::Rating { evaluator, depth } => {
                    best_rated_move(game, &**evaluator, *depth, &position, &legal)
                }
            };
            position = game.play(&position, mv);
        }
    }
}

impl Evaluator<Standard> for MrMonte {
    type Cache = ();

    fn value(&self, game: &Standard, position: &Position, (): &()) -> f32 {
        let iterations = self.iterations.max(1);
        let seed = derive_seed(self.seed, SeedSpace::Playouts, &[position.key()]);
        let moves = RandomStream::new(derive_seed(seed, SeedSpace::Player, &[]));
        let mut random_source = RandomSource {
            dice: DiceStream::new(seed, game.die()),
            moves,
        };
        let won = (0..iterations)
            .filter(|_| self.play_out_win(game, *position, position.seat(), &mut random_source))
            .count();
        clamp_to_open_interval(won as f32 / iterations as f32)
    }

    fn estimates_payoffs(&self) -> bool {
        false
    }
}

struct RandomSource {
    dice: DiceStream,
    moves: RandomStream,
}

fn best_rated_move(
    game: &Standard,
    evaluator: &dyn AnyEvaluator<Standard>,
    depth: u8,
    position: &Position,
    legal: &[Move],
) -> Move {
    let mut best = (f32::NEG_INFINITY, legal[0]);
    if legal.len() == 1 {
        return best.1;
    }
    for &mv in legal {
        let after = game.play(position, mv);
        if game.winner(&after) == Some(position.seat()) {
            return mv;
        }
        let value = 1.0 - expectiminimax(game, evaluator, &after, depth);
        if value > best.0 {
            best = (value, mv);
        }
    }
    best.1
}

fn expectiminimax(
    game: &Standard,
    evaluator: &dyn AnyEvaluator<Standard>,
    position: &Position,
    depth: u8,
) -> f32 {
    if let Some(winner) = game.winner(position) {
        return if winner == position.seat() { 1.0 } else { 0.0 };
    }
    if depth == 0 {
        return evaluator.value_of(game, position);
    }
    let moves = game.all_moves(position);
    let outcomes = game.outcomes(position, &moves);
    let mut values = [0.0; 3 * MAX_STONES];
    for (value, &mv) in values.iter_mut().zip(moves.iter()) {
        *value = 1.0 - expectiminimax(game, evaluator, &game.play(position, mv), depth - 1);
    }
    expectation(&outcomes, &values[..moves.len()])
}

/// Default number of rollouts per position; Rock'n'Roll's strongest players use up to 200.
const DEFAULT_ITERATIONS: u32 = 50;

pub(super) const ENTRY: EvaluatorEntry<Standard> = EvaluatorEntry {
    name: "mrmonte",
    aliases: &[],
    parameters: "iterations, red, blue, seed",
    help: "roll-outs between two simple players (Rock'n'Roll)",
    make: |arguments, game| {
        let iterations = arguments.number("iterations", 1..=1_000_000, DEFAULT_ITERATIONS)?;
        let (red, blue) = (
            simulated_player(arguments.take("red")?, game)?,
            simulated_player(arguments.take("blue")?, game)?,
        );
        Ok(Arc::new(MrMonte {
            iterations,
            red,
            blue,
            seed: arguments.number("seed", 0..=u64::MAX, 0)?,
        }))
    },
};

fn simulated_player(
    notation: Option<&Notation>,
    game: &Standard,
) -> Result<SimulatedPlayer, Problem> {
    let schwarz = Notation::new("schwarz");
    let notation = notation.unwrap_or(&schwarz);
    let mut arguments = Arguments::of(notation);
    let (evaluator, depth) = match notation.name.as_str() {
        "MrRandom" => {
            arguments.finish()?;
            return Ok(SimulatedPlayer::Random);
        }
        name @ ("MrBlack" | "FarmerBoy" | "MrMonte") => {
            let depth = arguments.number("depth", 0..=8, 0)?;
            let evaluator = rocknroll_evaluator(name, &mut arguments)?;
            arguments.finish()?;
            (evaluator_from(&evaluator, game)?, depth)
        }
        _ => (evaluator_from(notation, game)?, 0),
    };
    Ok(SimulatedPlayer::Rating { evaluator, depth })
}

#[cfg(test)]
mod tests {
    use super::super::{
        farmer_boy::FarmerBoy,
        schwarz::Schwarz,
        schwarz_odds::SchwarzOdds,
        test_support::{check_board, position, random_positions},
    };
    use super::*;
    use crate::BLUE;
    use alea_core::{calibration::Calibrated, evaluator::Score};
    use alea_play::random_evaluator::Random;

    fn schwarz_evaluator() -> Arc<dyn AnyEvaluator<Standard>> {
        Arc::new(SchwarzOdds::with_fitted_scale(&Standard::default()))
    }

    fn rating(evaluator: Arc<dyn AnyEvaluator<Standard>>) -> SimulatedPlayer {
        SimulatedPlayer::Rating {
            evaluator,
            depth: 0,
        }
    }

    fn schwarz() -> SimulatedPlayer {
        rating(schwarz_evaluator())
    }

    fn self_play(player: SimulatedPlayer, iterations: u32, seed: u64) -> MrMonte {
        MrMonte {
            iterations,
            red: player.clone(),
            blue: player,
            seed,
        }
    }

    fn expectiminimax_by_face(
        game: &Standard,
        evaluator: &dyn AnyEvaluator<Standard>,
        position: &Position,
        depth: u8,
    ) -> f64 {
        match game.winner(position) {
            Some(winner) => return f64::from(u8::from(winner == position.seat())),
            None if depth == 0 => return f64::from(evaluator.value_of(game, position)),
            None => {}
        }
        let best_of = |face| {
            let legal = game.legal_moves(position, face);
            legal
                .iter()
                .map(|&mv| {
                    1.0 - expectiminimax_by_face(
                        game,
                        evaluator,
                        &game.play(position, mv),
                        depth - 1,
                    )
                })
                .fold(0.0, f64::max)
        };
        (1..=6).map(|face| best_of(face) / 6.0).sum()
    }

    #[test]
    fn the_search_of_a_simulated_player_is_expectiminimax() {
        let (game, evaluator) = (Standard::default(), schwarz_evaluator());
        for position in random_positions(&game, 8, 60).iter().step_by(5) {
            for depth in 0..3 {
                let fast = expectiminimax(&game, &*evaluator, position, depth);
                let slow = expectiminimax_by_face(&game, &*evaluator, position, depth);
                assert!((f64::from(fast) - slow).abs() < 1e-5, "{fast} {slow}");
            }
        }
    }

    #[test]
    fn a_simulated_player_chooses_the_best_rated_move_and_always_a_sure_win() {
        let (game, evaluator) = (Standard::default(), schwarz_evaluator());
        let schwarz = Schwarz::new(&game);
        for position in random_positions(&game, 9, 300) {
            let rating = |mv: Move| {
                let after = game.play(&position, mv);
                match game.winner(&after) {
                    Some(_) => f32::INFINITY,
                    None => -schwarz.score(&game, &after),
                }
            };
            for face in 1..=6 {
                let legal = game.legal_moves(&position, face);
                let best = legal.iter().map(|&mv| rating(mv)).fold(f32::MIN, f32::max);
                let chosen = rating(best_rated_move(&game, &*evaluator, 0, &position, &legal));
                assert!(chosen == best || (chosen - best).abs() < 1e-3);
                let chosen = rating(best_rated_move(
                    &game,
                    &Random::new(1),
                    1,
                    &position,
                    &legal,
                ));
                assert_eq!(chosen == f32::INFINITY, best == f32::INFINITY);
            }
        }
    }

    #[test]
    fn random_players_move_at_random() {
        let game = Standard::default();
        let monte = MrMonte {
            iterations: 6000,
            red: SimulatedPlayer::Random,
            blue: schwarz(),
            seed: 3,
        };
        // Red needs the diagonal (1/3) now: Blue stands one step before its goal.
        let value = monte.value(&game, &position("...../.a.../...../...1./..... r -"), &());
        assert!(
            (value - 1.0 / 3.0).abs() < 4.0 * (2.0_f32 / 9.0 / 6000.0).sqrt(),
            "{value}"
        );
    }

    #[test]
    fn forced_games_have_certain_values() {
        let game = Standard::default();
        let monte = self_play(schwarz(), 20, 1);
        // One stone each, on the edges: the shorter way wins, and of equally long ones the mover's.
        let expected = [
            ("...../...../..1../...../.b... r -", 1.0),
            ("...../....a/....1/...../..... r -", 1.0),
            ("....a/...../...../1..../..... b -", 1.0),
            ("....1/...../...../...../a.... b -", 1.0),
            ("....1/...../...../b..../..... r -", 0.0),
        ];
        check_board(
            |position| monte.value(&game, position, &()),
            2e-6,
            &expected,
        );
    }

    #[test]
    fn the_win_rate_approaches_the_exact_value() {
        let game = Standard::default();
        let monte = self_play(schwarz(), 5_000, 3);
        // Blue wins with stone a on faces 1–5; on a 6 stone f moves. Red needs 1, 2 or 3 steps.
        for (text, exact) in [
            (".a.../...../...../...1./f.... b -", 5.0 / 6.0),
            (".a.../...../..1../...../f.... r -", 1.0 / 6.0),
            (".a.../.1.../...../...../f.... r -", 1.0 / 36.0),
            (".a.../.1.../...../...../f.... b -", 1.0 - 1.0 / 216.0),
        ] {
            let value = f64::from(monte.value(&game, &position(text), &()));
            let exact: f64 = exact;
            assert!(
                (value - exact).abs() < 4.0 * (exact * (1.0 - exact) / 5_000.0).sqrt(),
                "{text}: {value}"
            );
        }
    }

    #[test]
    fn values_are_reproducible_and_depend_on_the_seed_and_the_players() {
        let game = Standard::default();
        let start = position("215../64.../3...e/...fb/..acd b -");
        let monte = |red: &SimulatedPlayer, blue: &SimulatedPlayer, seed| {
            MrMonte {
                iterations: 100,
                red: red.clone(),
                blue: blue.clone(),
                seed,
            }
            .value(&game, &start, &())
        };
        let (strong, weak) = (schwarz(), rating(Arc::new(Random::new(5))));
        assert_eq!(monte(&strong, &weak, 1), monte(&strong, &weak, 1));
        assert!(
            (0..5).any(|seed| monte(&strong, &strong, seed) != monte(&strong, &strong, seed + 1))
        );
        assert!(monte(&weak, &strong, 1) > 0.7 && monte(&strong, &weak, 1) < 0.4);
        assert_eq!(start.seat(), BLUE);
    }

    #[test]
    fn roll_outs_may_be_nested() {
        let game = Standard::default();
        let farmer_boy = rating(Arc::new(Calibrated {
            score: FarmerBoy,
            calibration: FarmerBoy::CALIBRATION,
        }));
        let nested = rating(Arc::new(self_play(farmer_boy, 4, 1)));
        let outer = self_play(nested, 10, 2);
        let start = position("215../64.../3...e/...fb/..acd b -");
        let value = outer.value(&game, &start, &());
        assert_eq!(value, outer.value(&game, &start, &()));
        assert!(value > 0.0 && value < 1.0);
    }
}
