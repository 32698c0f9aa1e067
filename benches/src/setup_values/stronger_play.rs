//! Change of values by better play: a stronger player and the study's own (the policy) play from
//! the same starts with the same dice.
//!
//! If both sides are stronger, the difference estimates the error of the policy's value; if one is,
//! its score bounds the true value.

use super::{
    arrangements::{Rows, start},
    game_runners::{FullGameRunner, GameRunner, PlayGame},
};
use crate::{Estimate, zero_sum::Mixes};
use arena::error::Result;
use engine::core::moments::Moments;
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    pub starts: String,
    pub players: [String; 2],
    /// Games for each of four assignments of the two players to the sides.
    pub games: u64,
    /// Score of the first side if both sides are the stronger player.
    pub both: Estimate,
    /// `both` minus the first side's score if both sides are the policy.
    pub change: Estimate,
    /// Points per game that the first side gains if it alone is the stronger player.
    pub first_gains: Estimate,
    /// Points per game that the second side gains if it alone is the stronger player.
    pub second_gains: Estimate,
}

pub(super) fn measure_improvement(
    games: &FullGameRunner,
    rows: &Rows,
    (name, mixes): (&str, &Mixes),
    count: u64,
    seed: u64,
    done: &(dyn Fn() + Sync),
) -> Result<Improvement> {
    let [policy, stronger] = &games.players;
    let kinds = [
        [policy, policy],
        [stronger, stronger],
        [stronger, policy],
        [policy, stronger],
    ]
    .map(|players| FullGameRunner {
        players: players.map(Clone::clone),
        ..games.clone()
    });
    let one = |play_games: &mut [PlayGame<'_>; 4], number: u64| {
        let seed = derive_seed(seed, SeedSpace::Arena, &[number]);
        let mut random = RandomStream::new(derive_seed(seed, SeedSpace::Arena, &[0]));
        let [first, second] = mixes.each_ref().map(|mix| {
            let behind = rows.arrangements_of_row(sample_mix(mix, random.uniform_f64()));
            behind[random.below(behind.len())]
        });
        done();
        let start = start(&first, &second);
        let mut values = [0.0; 4];
        for (value, play_game) in values.iter_mut().zip(play_games) {
            *value = play_game(&start, seed)?;
        }
        Ok(values)
    };
    let found = (0..count)
        .into_par_iter()
        .map_init(|| kinds.each_ref().map(GameRunner::make_play_game), one)
        .collect::<Result<Vec<_>>>()?;
    let estimate = |of: fn(&[f64; 4]) -> f64| {
        let moments: Moments = found.iter().map(of).collect();
        Estimate {
            value: moments.mean(),
            error: moments.standard_error(),
        }
    };
    Ok(Improvement {
        starts: name.to_owned(),
        players: [policy, stronger].map(|player| player.name().to_owned()),
        games: count,
        both: estimate(|[_, both, _, _]| *both),
        change: estimate(|[nobody, both, _, _]| both - nobody),
        first_gains: estimate(|[nobody, _, first, _]| first - nobody),
        second_gains: estimate(|[nobody, _, _, second]| nobody - second),
    })
}

fn sample_mix(mix: &[f64], mut at: f64) -> usize {
    let last = mix.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
    for (index, weight) in mix[..last].iter().enumerate() {
        at -= weight;
        if at < 0.0 {
            return index;
        }
    }
    last
}
