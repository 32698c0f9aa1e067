//! Seconds of complete games of a search against itself, by depth; at all depths with the same
//! set-ups and dice.

use super::measure::parse_players;
use crate::{begin_game, play};
use arena::error::Result;
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;
use indicatif::ProgressBar;
use std::time::{Duration, Instant};

const TIME_PER_DEPTH: Duration = Duration::from_secs(3);

/// Maximal number of games of a mean, as many as of the published ones.
const MAX_GAMES: u32 = 20;

/// Seconds per game at depths 1 to `max_depth`, which replaces `{depth}` in `template`.
pub(crate) fn seconds_a_game(
    template: &str,
    max_depth: u32,
    seed: u64,
    progress: &ProgressBar,
) -> Result<Vec<f64>> {
    let at_depth = |depth: u32| template.replace("{depth}", &depth.to_string());
    let recipes = parse_players((1..=max_depth).map(at_depth))?;
    progress.set_length(recipes.len() as u64);
    let timed = recipes.iter().map(|recipe| {
        let (_, seconds) = time_games(recipe, seed, MAX_GAMES, TIME_PER_DEPTH)?;
        progress.inc(1);
        Ok(seconds)
    });
    timed.collect()
}

fn time_games(
    recipe: &PlayerRecipe<Standard>,
    seed: u64,
    max_games: u32,
    time: Duration,
) -> Result<(u32, f64)> {
    let game = Standard::default();
    let mut players = [recipe.make(), recipe.make()];
    let mut spent = Duration::ZERO;
    let mut games = 0;
    while games < max_games.max(1) && (games == 0 || spent < time) {
        let (start, mut dice) = begin_game(&game, &mut players, seed, games.into());
        let began = Instant::now();
        play(&game, start, &mut players, &mut dice, None)?;
        spent += began.elapsed();
        games += 1;
    }
    Ok((games, spent.as_secs_f64() / f64::from(games)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_stop_when_their_time_is_up() {
        let recipe = &parse_players(["star1(depth=2)"]).unwrap()[0];
        for (max_games, seconds, expected) in [(50, 0, 1), (5, 60, 5)] {
            let (games, _) =
                time_games(recipe, 1, max_games, Duration::from_secs(seconds)).unwrap();
            assert_eq!(games, expected);
        }
    }

    #[test]
    fn every_depth_has_a_time() {
        let progress = ProgressBar::hidden();
        let seconds = seconds_a_game("star1(depth={depth})", 2, 1, &progress).unwrap();
        assert!(seconds.len() == 2 && seconds.iter().all(|&seconds| seconds > 0.0));
    }
}
