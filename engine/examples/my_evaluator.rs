//! Example of a new evaluator: one search, and a match against `schwarz`. Run by `cargo run
//! --release -p alea-engine --example my_evaluator`.

use engine::core::{
    calibration::{Calibrated, Calibration},
    evaluator::Score,
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::games::einstein::{
    BLUE, Position, RED, Standard,
    dice::{Die, DuplicateDice},
};
use engine::play::{
    build::PlayerRecipe, game_loop::play_game, player::Player, search_player::SearchPlayer,
};
use engine::search::deepening::DeepeningSearch;
use engine::search::limits::Limits;
use std::{error::Error, sync::Arc};

/// Score: rows and columns covered by the most advanced own stone, minus the enemy's.
struct Runner;

impl Score<Standard> for Runner {
    fn score(&self, _game: &Standard, position: &Position) -> f32 {
        let furthest = |squares: [u8; 6]| {
            squares
                .into_iter()
                .filter(|&square| square < 25)
                .map(|square| square / 5 + square % 5)
                .max()
        };
        f32::from(furthest(position.mover().squares()).unwrap_or(0))
            - f32::from(furthest(position.other().squares()).unwrap_or(0))
    }
}

fn evaluator() -> Calibrated<Runner> {
    Calibrated {
        score: Runner,
        calibration: Calibration::Logistic {
            slope: 0.4,
            offset: 0.2,
        },
    }
}

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), Box<dyn Error>> {
    let game = Standard::default();
    let search = DeepeningSearch::to_depth(game.clone(), Arc::new(evaluator()), 3);
    let mut mine: Box<dyn Player<Standard>> = Box::new(SearchPlayer::new(search));
    let mut schwarz = PlayerRecipe::parse("star1(depth=3, eval=schwarz)", &game)?.make();

    let (position, die) = game.parse_position("215../64.../3...e/...fb/..acd b 1")?;
    let legal = game.legal_moves(&position, die.ok_or("the die has been rolled")?);
    let analysis = mine.analyse(&position, Some(&legal), &Limits::NONE)?;
    for rated in analysis.moves {
        println!(
            "{}  {:.4}",
            game.format_move(&position, rated.mv),
            rated.value.ok_or("a search rates every move")?
        );
    }

    let (pairs, mut won) = (500, 0);
    for pair in 0..pairs {
        let seed = derive_seed(1, SeedSpace::Arena, &[pair]);
        let start = game.random_start(&mut RandomStream::new(seed), (pair % 2) as usize);
        for side in [RED, BLUE] {
            let mut dice = DuplicateDice::new(seed, Die::fair());
            mine.new_game(seed);
            schwarz.new_game(seed);
            let mut players: [&mut dyn Player<Standard>; 2] = [&mut *mine, &mut *schwarz];
            players.rotate_left(side);
            let record = play_game(&game, start, &mut players, &mut dice, None, None)?;
            won += u32::from(record.payoffs[side] > 0.5);
        }
    }
    println!(
        "Runner wins {won} of {} games against Schwarz at depth 3",
        2 * pairs
    );
    Ok(())
}
