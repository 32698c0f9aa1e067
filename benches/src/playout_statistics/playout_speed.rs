//! Speed of EinStein playouts on one thread, from random set-ups, against a slow reference.

use super::play_block;
use arena::text_table::{Cell, TextTable};
use engine::core::{
    calibration::Calibrated,
    game::Game,
    random::{RandomStream, SeedSpace, derive_seed},
    search_game::Playouts,
    simd::Instructions,
};
use engine::games::einstein::{
    Position, Standard,
    evaluators::{farmer_boy::FarmerBoy, greedy::Greedy, schwarz_odds::SchwarzOdds},
    playout::{Choice, LanePlayouts, Tally},
};
use engine::search::{
    mcts::{EvaluatorLeaf, Leaf},
    playout_policies::{
        ClassWeightedPolicy, GreedyPolicy, HighestClass, MixedPolicy, Policy, TruncatedPlayout,
        Uniform,
    },
};
use serde::Serialize;
use std::time::Instant;

const NUM_RUNS: u32 = 3;

/// Maximal number of games of a policy, which may be a thousand times slower than the engines.
const MAX_POLICY_GAMES: u64 = 20_000;

const MAX_SINGLE_GAMES: u64 = 200_000;

#[derive(Debug, Serialize)]
pub struct PlayoutRow {
    pub name: String,
    pub games: u64,
    pub games_per_second: f64,
    pub times_reference: f64,
    /// Mean number of plies of a game; `None` if plies are not counted.
    pub mean_plies: Option<f64>,
    /// Mean result of the side that begins (mean value if games are truncated).
    #[serde(rename = "first_mover_share")]
    pub first_mover_score: f64,
    pub first_mover_error: f64,
}

#[derive(Serialize)]
pub struct Comparison {
    /// Uniformly random play: the reference first, then faster engines.
    pub engines: Vec<PlayoutRow>,
    pub policies: Vec<PlayoutRow>,
}

impl Comparison {
    pub fn text_table(&self) -> TextTable {
        let row = |row: &PlayoutRow| {
            vec![
                row.name.as_str().into(),
                row.games.into(),
                Cell::Number(row.games_per_second, 0),
                Cell::Number(row.times_reference, 2),
                Cell::number(row.mean_plies, 3),
                Cell::Percent(row.first_mover_score),
                Cell::Percent(row.first_mover_error),
            ]
        };
        TextTable::from_rows(
            [
                "playouts",
                "games",
                "games/s",
                "× reference",
                "plies",
                "first mover %",
                "±",
            ],
            self.engines.iter().chain(&self.policies).map(row),
        )
    }
}

#[derive(Default)]
struct PayoffSums {
    games: u64,
    plies: Option<u64>,
    payoff: f64,
    squared_payoff: f64,
}

impl PayoffSums {
    fn add(&mut self, payoff: f32) {
        let payoff = f64::from(payoff);
        self.games += 1;
        self.payoff += payoff;
        self.squared_payoff += payoff * payoff;
    }
}

impl From<Tally> for PayoffSums {
    fn from(tally: Tally) -> Self {
        let wins = tally.first_mover_wins as f64;
        Self {
            games: tally.games,
            plies: Some(tally.plies),
            payoff: wins,
            squared_payoff: wins,
        }
    }
}

fn measure_row<C: Into<PayoffSums>>(name: &str, mut run: impl FnMut() -> C) -> PlayoutRow {
    measure_prepared_row(name, || (), |()| run())
}

fn measure_prepared_row<S, C: Into<PayoffSums>>(
    name: &str,
    mut prepare: impl FnMut() -> S,
    mut run: impl FnMut(S) -> C,
) -> PlayoutRow {
    let mut best = f64::INFINITY;
    let mut count = PayoffSums::default();
    for _ in 0..NUM_RUNS {
        let prepared = prepare();
        let began = Instant::now();
        let counted = run(prepared);
        best = best.min(began.elapsed().as_secs_f64());
        count = counted.into();
    }
    let n = count.games as f64;
    let win_rate = count.payoff / n;
    PlayoutRow {
        name: name.to_owned(),
        games: count.games,
        games_per_second: n / best.max(1e-9),
        times_reference: 0.0,
        mean_plies: count.plies.map(|plies| plies as f64 / n),
        first_mover_score: win_rate,
        first_mover_error: ((count.squared_payoff / n - win_rate * win_rate).max(0.0) / n).sqrt(),
    }
}

/// Measures all playouts on `games` games (at least 1), the slow ones on fewer.
pub fn compare(game: &Standard, games: u64, seed: u64) -> Comparison {
    let games = games.max(1);
    let seed = derive_seed(seed, SeedSpace::Playouts, &[u64::MAX]);
    let single = games.min(MAX_SINGLE_GAMES);
    let mut engines = vec![measure_row("reference", || {
        let counts = play_block(game, seed, single);
        Tally {
            games: counts.games,
            first_mover_wins: counts.first_mover_wins,
            plies: counts.plies,
            ..Tally::default()
        }
    })];
    let starts = starts(game, seed);
    let some_starts = |count: u64| starts.iter().cycle().take(count as usize);
    engines.push(measure_row("one game at a time", || {
        let mut random = RandomStream::new(seed);
        let mut count = PayoffSums::default();
        for start in some_starts(single) {
            count.add(game.playout(start, || random.next_u64())[start.seat()]);
        }
        count
    }));
    for (choice, suffix) in [
        (Choice::Moves, ""),
        (Choice::Stones, ", stones equally likely"),
    ] {
        for instructions in Instructions::available() {
            if LanePlayouts::with_instructions(instructions, game, choice, seed)
                .is_some_and(|playouts| playouts.instructions() == instructions)
            {
                engines.push(measure_prepared_row(
                    &format!("{}{suffix}", instructions.name()),
                    || LanePlayouts::with_instructions(instructions, game, choice, seed),
                    |playouts| {
                        let played = playouts.map(|mut playouts| playouts.random_setups(games));
                        played.unwrap_or_default()
                    },
                ));
            }
        }
    }
    if let Some(mut playouts) = LanePlayouts::new(game, Choice::Moves, seed) {
        let name = format!("{}, 64 from each position", playouts.instructions().name());
        engines.push(measure_row(&name, || {
            let mut tally = Tally::default();
            for start in some_starts(games.div_ceil(64)) {
                tally = tally.merge(playouts.from_position(game, start, 64));
            }
            tally
        }));
    }
    let policy_games = games.min(MAX_POLICY_GAMES);
    let mut rows: Vec<PlayoutRow> = policies(game)
        .into_iter()
        .map(|(name, mut policy)| {
            measure_row(name, || {
                play_policy(game, &mut *policy, some_starts(policy_games), seed)
            })
        })
        .collect();
    let evaluator = SchwarzOdds::with_fitted_scale(game);
    let mut truncated =
        TruncatedPlayout::new(Uniform, TRUNCATED_PLIES, EvaluatorLeaf::new(evaluator));
    rows.push(measure_row("uniform for 6 plies, then schwarz", || {
        let mut random = RandomStream::new(seed);
        let mut count = PayoffSums::default();
        for start in some_starts(policy_games) {
            count.add(truncated.payoffs(game, start, &mut random, None)[start.seat()]);
        }
        count
    }));
    let reference = engines[0].games_per_second;
    for row in engines.iter_mut().chain(&mut rows) {
        row.times_reference = row.games_per_second / reference;
    }
    Comparison {
        engines,
        policies: rows,
    }
}

const TRUNCATED_PLIES: u32 = 6;

fn starts(game: &Standard, seed: u64) -> Vec<Position> {
    let mut random = RandomStream::new(seed);
    (0..4096)
        .map(|index| game.random_start(&mut random, index % 2))
        .collect()
}

fn policies(game: &Standard) -> Vec<(&'static str, Box<dyn Policy<Standard>>)> {
    let schwarz = || GreedyPolicy::new(SchwarzOdds::with_fitted_scale(game));
    let greedy = Calibrated {
        score: Greedy,
        calibration: Greedy::CALIBRATION,
    };
    let farmer_boy = Calibrated {
        score: FarmerBoy,
        calibration: FarmerBoy::CALIBRATION,
    };
    vec![
        ("uniform", Box::new(Uniform)),
        ("greedy", Box::new(GreedyPolicy::new(greedy))),
        ("schwarz(0)", Box::new(schwarz())),
        ("farmer_boy(0)", Box::new(GreedyPolicy::new(farmer_boy))),
        (
            "half schwarz(0), half uniform",
            Box::new(MixedPolicy::new(schwarz(), 0.5, Uniform)),
        ),
        (
            "wins and captures first",
            Box::new(HighestClass { min_class: 2 }),
        ),
        (
            "captures weigh 4, wins 100",
            Box::new(ClassWeightedPolicy {
                weights: [1, 1, 4, 100],
            }),
        ),
    ]
}

fn play_policy<'a>(
    game: &Standard,
    policy: &mut dyn Policy<Standard>,
    starts: impl Iterator<Item = &'a Position>,
    seed: u64,
) -> Tally {
    let mut random = RandomStream::new(seed);
    let mut tally = Tally::default();
    for start in starts {
        tally.games += 1;
        let mut position = *start;
        let winner = loop {
            if let Some(winner) = game.winner(&position) {
                break winner;
            }
            position = game.play(
                &position,
                policy.roll_and_choose(game, &position, &mut random),
            );
            tally.plies += 1;
        };
        tally.first_mover_wins += u64::from(winner == start.seat());
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::{Variant, dice::Die};

    #[test]
    fn uniform_play_has_the_same_statistics_whoever_plays() {
        let comparison = compare(&Standard::default(), 40_000, 3);
        let reference = &comparison.engines[0];
        let plies = reference.mean_plies.unwrap();
        assert!((plies - 21.58).abs() < 0.1, "{reference:?}");
        assert_eq!(reference.times_reference, 1.0);
        let uniform = comparison.engines.iter().chain(&comparison.policies[..1]);
        let uniform = uniform.filter(|row| !row.name.contains("stones"));
        let mut seen = 0;
        for row in uniform {
            let error = row.first_mover_error.hypot(reference.first_mover_error);
            assert!(
                (row.first_mover_score - reference.first_mover_score).abs() < 4.0 * error + 0.01,
                "{row:?}"
            );
            let plies = row.mean_plies.unwrap_or(21.58);
            assert!((plies - 21.58).abs() < 0.15, "{row:?}");
            seen += 1;
        }
        assert!(seen >= 5);
        let mut policies = comparison.policies.iter();
        let schwarz = policies.find(|row| row.name == "schwarz(0)").unwrap();
        let (win_rate, plies) = (schwarz.first_mover_score, schwarz.mean_plies.unwrap());
        assert!(win_rate > 0.52 && plies < 18.0, "{schwarz:?}");
        assert_eq!(
            comparison.text_table().rows.len(),
            comparison.engines.len() + comparison.policies.len()
        );
    }

    #[test]
    fn rules_without_a_fast_way_are_compared_too() {
        let loaded = Standard::new(
            Variant::Classic,
            Die::with_weights(&[1.0, 2.0, 1.0, 1.0, 1.0, 1.0]).unwrap(),
        );
        let names = |game: &Standard| {
            let engines = compare(game, 1, 1).engines.into_iter();
            engines.map(|row| row.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&loaded), ["reference", "one game at a time"]);
        let nearest = names(&Standard::new(Variant::NearestOnly, Die::fair()));
        assert_eq!(
            nearest[2..],
            [
                "portable",
                "portable, stones equally likely",
                "portable, 64 from each position"
            ]
        );
    }
}
