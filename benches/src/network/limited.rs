//! A player that keeps the limits that come with each request, whatever its notation says besides.
//!
//! Invariant: limits are only ever tightened. A player that knows no limit of time or depth, such as
//! `random`, plays as it is.

use super::{legal, message::Limit};
use engine::games::reversixt::{Move, Position, ReversiXt};
use engine::play::{
    build::PlayerRecipe,
    notation::{Argument, Notation, PlayerError, Text},
    player::{Failure, Player},
};
use engine::search::limits::Limits;

/// Most milliseconds that a notation takes.
const MOST_MILLISECONDS: u32 = 86_400_000;

/// A player under changing limits.
pub struct LimitedPlayer {
    game: ReversiXt,
    notation: Notation,
    seed: u64,
    /// The player for the limits of the last request.
    last: Option<(Limit, Box<dyn Player<ReversiXt>>)>,
}

impl LimitedPlayer {
    /// A player from its notation; `seed` rules its random choices.
    ///
    /// # Errors
    /// If the notation names no player of the game.
    pub fn new<'t>(
        game: &ReversiXt,
        notation: impl Into<Text<'t>>,
        seed: u64,
    ) -> Result<Self, PlayerError> {
        let notation = notation.into();
        PlayerRecipe::parse(notation, game)?;
        Ok(Self {
            game: game.clone(),
            notation: Notation::parse(notation)?,
            seed,
            last: None,
        })
    }

    /// The notation in its normal form.
    pub(super) fn name(&self) -> String {
        self.notation.to_string()
    }

    /// The move in a position that is not over. For the way and for what is done beside thinking a
    /// tenth of the time is left, and 10 ms.
    pub(super) fn decide(&mut self, position: &Position, limit: Limit) -> Result<Move, String> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != limit) {
            let mut player = self.under(limit)?.make();
            player.new_game(self.seed);
            self.last = Some((limit, player));
        }
        let Some((_, player)) = &mut self.last else {
            unreachable!("there is one now")
        };
        let legal = legal(&self.game, position);
        let decision = player.decide(position, &legal, &Limits::NONE);
        match player.failure() {
            Some(Failure::OfPlayer(reason) | Failure::OfSystem(reason)) => Err(reason),
            None if legal.contains(&decision.best) => Ok(decision.best),
            None => Err("made a move that is not permitted".to_owned()),
        }
    }

    /// Of the notations that take the limits the one that takes most of them.
    fn under(&self, (milliseconds, depth): Limit) -> Result<PlayerRecipe<ReversiXt>, String> {
        let milliseconds = milliseconds.min(MOST_MILLISECONDS);
        let milliseconds = (milliseconds > 0)
            .then(|| f64::from((milliseconds / 10 * 9).saturating_sub(10).max(1)));
        let depth = (depth > 0).then(|| f64::from(depth.min(127)));
        let timed = milliseconds.map_or(self.notation.clone(), |most| {
            lowered(
                self.notation.clone().without(&["cpu_ms", "clock"]),
                "ms",
                most,
            )
        });
        let deep = |notation: &Notation| {
            let mut most = depth?;
            // By stages of the game: the deepest is what the user allows.
            let depths = notation.says("depths").map_or("", |depths| &depths.name);
            let numbers = depths.split(':').filter_map(|number| number.parse().ok());
            let deepest = numbers.reduce(f64::max);
            most = deepest.map_or(most, |deepest| deepest.min(most));
            let mut notation = notation.clone().without(&["depths"]);
            // What stands alone in front is the depth, or the player takes none.
            if let Some(first) = notation.arguments.first_mut()
                && first.key.is_none()
            {
                first.key = Some("depth".to_owned());
            }
            Some(lowered(notation, "depth", most))
        };
        // Simulations and time exclude each other, and the former may stand alone in front.
        let mut by_time = timed.clone().without(&["sims"]);
        let alone = |argument: &Argument| argument.key.is_none() && is_number(&argument.value);
        by_time.arguments.retain(|argument| !alone(argument));
        let candidates = [
            deep(&timed),
            Some(timed),
            Some(by_time),
            deep(&self.notation),
            Some(self.notation.clone()),
        ];
        let mut candidates = candidates.into_iter().flatten();
        let found = candidates.find_map(|one| PlayerRecipe::of(&one, &self.game).ok());
        found.ok_or_else(|| format!("{} cannot be made again", self.notation))
    }
}

fn is_number(notation: &Notation) -> bool {
    notation.name.parse::<f64>().is_ok() && notation.arguments.is_empty()
}

/// With a value for a key that is at most this.
fn lowered(notation: Notation, key: &str, most: f64) -> Notation {
    let own = notation.says(key).and_then(|own| own.name.parse().ok());
    let value = own.map_or(most, |own: f64| own.min(most));
    notation
        .without(&[key])
        .with(key, Notation::new(value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::play::playable::Playable;

    #[test]
    fn limits_are_tightened_where_a_player_takes_them() {
        let game = ReversiXt::from_notation("reversixt", None).unwrap();
        let made = |text: &str, limit: Limit| {
            let player = LimitedPlayer::new(&game, text, 1).unwrap();
            player.under(limit).unwrap().name().to_owned()
        };
        for (text, limit, expected) in [
            ("star1(3, stones)", (0, 0), "star1(3, stones)"),
            ("star1(3, stones)", (0, 2), "star1(stones, depth=2)"),
            (
                "star1(eval=stones)",
                (1000, 0),
                "star1(eval=stones, ms=890)",
            ),
            ("star1(depth=2, ms=50)", (1000, 4), "star1(ms=50, depth=2)"),
            ("star1(clock=9+1)", (100, 0), "star1(ms=80)"),
            ("star1(depths=6:8:10)", (0, 2), "star1(depth=2)"),
            ("star1(depths=2:3:4)", (0, 9), "star1(depth=4)"),
            ("mcts(500)", (1000, 9), "mcts(ms=890)"),
            ("mcts(500)", (0, 9), "mcts(500)"),
            ("unified(depth=2)", (1000, 1), "unified(depth=1)"),
            ("random", (1000, 1), "random"),
        ] {
            assert_eq!(made(text, limit), expected, "{text} {limit:?}");
        }
    }
}
