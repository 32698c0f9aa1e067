//! Players of the games between set-ups.

use crate::play;
use arena::{error::Result, matches::luck};
use engine::core::random::{SeedSpace, derive_seed};
use engine::games::einstein::{Position, RED, Standard, dice::DuplicateDice};
use engine::play::{
    build::PlayerRecipe,
    registry::{AnyEvaluator, OptionalOracle},
};
use std::sync::Arc;

/// Plays a game from a start position where Red begins, with a seed; returns Red's result, which
/// may be luck-adjusted.
pub type PlayGame<'a> = Box<dyn FnMut(&Position, u64) -> Result<f64> + 'a>;

pub trait GameRunner: Sync {
    fn name(&self) -> String;

    fn make_play_game(&self) -> PlayGame<'_>;
}

/// Rollouts: both sides take the best successor by an evaluator, which also adjusts results for
/// luck.
pub struct RollOuts {
    pub game: Standard,
    pub name: String,
    pub evaluator: Arc<dyn AnyEvaluator<Standard>>,
    pub oracle: OptionalOracle<Standard>,
}

impl GameRunner for RollOuts {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn make_play_game(&self) -> PlayGame<'_> {
        let evaluator = Arc::clone(&self.evaluator);
        let mut roll = evaluator.rollouts(self.game.clone(), self.oracle.clone(), 0);
        Box::new(move |start, seed| {
            let mut luck_adjusted = 0.0;
            roll.play_games(start, RED, seed, 0..1, &mut |played| {
                luck_adjusted = played.luck_adjusted()
            });
            Ok(luck_adjusted)
        })
    }
}

#[derive(Clone)]
pub struct FullGameRunner {
    pub game: Standard,
    pub players: [PlayerRecipe<Standard>; 2],
    /// Player whose values adjust results for luck; without one, results are 0 or 1.
    pub luck: Option<PlayerRecipe<Standard>>,
}

impl GameRunner for FullGameRunner {
    fn name(&self) -> String {
        let [first, second] = self.players.each_ref().map(PlayerRecipe::name);
        let mut name = first.to_owned();
        if first != second {
            name += &format!(" against {second}");
        }
        if let Some(luck) = &self.luck {
            name += &format!(", luck told by {}", luck.name());
        }
        name
    }

    fn make_play_game(&self) -> PlayGame<'_> {
        let mut players = self.players.each_ref().map(PlayerRecipe::make);
        let mut luck = self.luck.as_ref().map(PlayerRecipe::make);
        Box::new(move |start, seed| {
            for (seat, player) in players.iter_mut().enumerate() {
                player.new_game(derive_seed(seed, SeedSpace::Player, &[seat as u64]));
            }
            let dice = derive_seed(seed, SeedSpace::Arena, &[1]);
            let mut dice = DuplicateDice::new(dice, self.game.die());
            let record = play(&self.game, *start, &mut players, &mut dice, None)?;
            let lucky = match &mut luck {
                None => 0.0,
                Some(player) => {
                    player.new_game(0);
                    luck::of_game(&self.game, &record, RED, player.as_mut())?
                }
            };
            Ok(f64::from(record.payoffs[RED]) - lucky)
        })
    }
}
