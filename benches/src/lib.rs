//! Studies of searches and evaluators, compared with published figures and reference values.

#![cfg_attr(test, allow(clippy::unwrap_used))]
#![allow(
    missing_docs,
    reason = "fields of results have the names of their columns"
)]

use arena::{error::Result, statistics::Estimate};
use engine::core::{
    game::ChanceSource,
    random::{RandomStream, SeedSpace, derive_seed},
    record::GameRecord,
};
use engine::games::einstein::{BLUE, Position, RED, Standard, dice::DiceStream};
use engine::play::{
    game_loop::{Exploration, play_game},
    player::Player,
};

mod zero_sum;

mod published;

pub mod accuracy;

pub mod setup_values;

pub mod playout_statistics;

pub mod suite;

pub mod strength_curves;

pub mod search_bench;

pub mod reproduce;

pub mod report_sections;

/// Value with a name in command-line arguments and results.
pub trait NamedValue: Copy + PartialEq + 'static {
    const NAMES: &'static [(&'static str, Self)];

    fn name(self) -> &'static str {
        let mut all = Self::NAMES.iter();
        all.find(|(_, one)| *one == self)
            .map_or("", |(name, _)| name)
    }

    fn from_name(name: &str) -> Option<Self> {
        let entry = Self::NAMES
            .iter()
            .find(|(name_of_value, _)| *name_of_value == name);
        entry.map(|(_, one)| *one)
    }
}

/// Start position and dice of game `number`, in which Red begins if `number` is even; starts a new
/// game for both players.
fn begin_game(
    game: &Standard,
    players: &mut [Box<dyn Player<Standard>>; 2],
    seed: u64,
    number: u64,
) -> (Position, DiceStream) {
    let game_seed = derive_seed(seed, SeedSpace::Arena, &[number]);
    let [of_start, of_dice] = [0, 1].map(|what| derive_seed(game_seed, SeedSpace::Arena, &[what]));
    for (seat, player) in (0..).zip(players) {
        player.new_game(derive_seed(game_seed, SeedSpace::Player, &[seat]));
    }
    let first = if number.is_multiple_of(2) { RED } else { BLUE };
    let start = game.random_start(&mut RandomStream::new(of_start), first);
    (start, DiceStream::new(of_dice, game.die()))
}

fn play(
    game: &Standard,
    start: Position,
    [one, other]: &mut [Box<dyn Player<Standard>>; 2],
    dice: &mut impl ChanceSource<Standard>,
    exploration: Option<&mut Exploration>,
) -> Result<GameRecord<Standard>> {
    let players: &mut [&mut dyn Player<Standard>] = &mut [one.as_mut(), other.as_mut()];
    let record = play_game(game, start, players, dice, exploration, None);
    Ok(record.map_err(|failure| failure.to_string())?)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
