//! Values of EinStein's set-ups, and of the first move.
//!
//! With one to three stones a side, all values are exact, from the endgame tables. With six, all
//! 720 set-ups play each other, up to symmetry, and a model is fitted to the results.

pub mod analysis;
mod arrangements;
mod display;
mod fit;
pub mod game_runners;
mod stronger_play;

use crate::{
    mean,
    zero_sum::{Mixes, mix_value, square_matrix},
};
use analysis::{Analysis, FitReport, SetupValues};
use arena::error::Result;
use arena::matches::{compute_missing, pool};
use arena::statistics::dot;
use arrangements::Rows;
pub use display::MAX_DISPLAYED;
use engine::core::{
    job_array::TaskSlice,
    journal::{ErrorWording, Journal},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::games::einstein::{Standard, symmetry::transform_position, tables::Tables};
use engine::play::playable::Rules;
use fit::{Design, Terms};
use game_runners::{FullGameRunner, GameRunner, PlayGame};
use indicatif::ProgressBar;
use serde_json::json;
use std::path::PathBuf;

/// Number of meetings: pairs of six-stone set-ups up to symmetry, 720 · 720 / 8.
pub const NUM_MEETINGS: u64 = 64_800;

pub const MAX_EXACT_STONES: usize = 3;

#[derive(Clone)]
pub struct Settings {
    pub game: Standard,
    /// Games of each meeting: even, at least 2.
    pub games: u32,
    pub seed: u64,
    pub threads: usize,
    pub state: Option<PathBuf>,
    pub slice: TaskSlice,
    pub better: Option<(FullGameRunner, u64)>,
}

pub struct SetupStudy {
    pub setup_values: SetupValues,
    rows: Rows,
    /// Win probability of the first side, for each row (set-up up to relabelling) of either side.
    values: Vec<Vec<f64>>,
}

const CHUNK_MEETINGS: usize = 120;

/// Fixed-point units per point; sums of integers do not depend on the order of games.
const UNITS_PER_POINT: f64 = (1 << 20) as f64;

/// Fixed-point sums of a meeting: results of even games, of odd games, squares of all results.
type Sums = [i64; 3];

const NUM_NOISE_FITS: u64 = 64;

pub fn exact_study(game: &Standard, tables: &Tables, stones: usize) -> Result<SetupStudy> {
    use engine::core::oracle::Oracle;
    let rows = Rows::new(stones);
    let values = square_matrix(rows.len(), |first, second| {
        let start = arrangements::start(&rows.orders[first], &rows.orders[second]);
        tables.value(game, &start).map_or(f64::NAN, f64::from)
    });
    if values.iter().flatten().any(|value| value.is_nan()) {
        return Err(format!(
            "these tables do not know all starts of {stones} stones a side of {}",
            game.notation()
        )
        .into());
    }
    let setup_values = SetupValues {
        stones,
        game: game.notation(),
        source: "endgame tables".to_owned(),
        within: Some(tables.max_error().into()),
        ..Analysis::new(&values).setup_values(&rows, &values, [0.0; 4])
    };
    Ok(SetupStudy {
        setup_values,
        rows,
        values,
    })
}

/// Plays the games of six stones that are not stored yet, and fits the values; `None` in one task
/// of a job array, which only stores its games.
pub fn study_games(
    games: &dyn GameRunner,
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Option<SetupStudy>> {
    if settings.game.die() != Standard::default().die() {
        let problem = "set-ups are worth the same by symmetry with a fair die alone";
        return Err(problem.to_owned().into());
    }
    let design = Design::new();
    let sums = play(games, &design, settings, progress)?;
    if settings.slice.is_task() {
        return Ok(None);
    }
    let mut study = fit_study(&design, &sums, settings);
    study.setup_values.source = games.name();
    if let Some((players, count)) = &settings.better {
        let equilibrium = Analysis::new(&study.values).mixes;
        progress.reset();
        progress.set_length(2 * count);
        for (index, name) in ["random", "equilibrium"].into_iter().enumerate() {
            let starts: (&str, &Mixes) = (name, &equilibrium[index]);
            let done = || progress.inc(1);
            let better = pool(settings.threads)?.install(|| {
                stronger_play::measure_improvement(
                    players,
                    &design.rows,
                    starts,
                    *count,
                    settings.seed,
                    &done,
                )
            })?;
            study.setup_values.better.push(better);
        }
    }
    progress.finish_and_clear();
    Ok(Some(study))
}

fn play(
    games: &dyn GameRunner,
    design: &Design,
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Vec<Sums>> {
    let chunks = design.num_meetings() / CHUNK_MEETINGS;
    let identity = json!({
        "format": "alea-atlas-1",
        "player": games.name(),
        "seed": settings.seed,
        "games": settings.games,
        "game": settings.game.notation(),
    });
    let number = |line: &(u64, Vec<Sums>)| line.0;
    let wording = ErrorWording {
        work: "study",
        part: "chunk",
    };
    let (path, slice) = (settings.state.as_deref(), (settings.slice, chunks as u64));
    let (journal, exact) = Journal::open(path, wording, &identity, number, slice)?;
    journal.check_complete()?;
    if let Some((number, _)) = exact
        .values()
        .find(|(number, sums)| *number >= chunks as u64 || sums.len() != CHUNK_MEETINGS)
    {
        return Err(format!(
            "chunk {number} of the state file does not fit the study; remove the file"
        )
        .into());
    }
    let ours = settings.slice.part_range(chunks as u64);
    let left = ours.end - ours.start - exact.range(ours.clone()).count() as u64;
    progress.set_length(left * CHUNK_MEETINGS as u64);
    let play = |play_game: &mut PlayGame<'_>, number| {
        let first = number as usize * CHUNK_MEETINGS;
        let sums = (first..first + CHUNK_MEETINGS).map(|pair| {
            progress.inc(1);
            play_meeting(play_game, design, pair, settings)
        });
        sums.collect()
    };
    let exact = pool(settings.threads)?
        .install(|| compute_missing((journal, exact), ours, || games.make_play_game(), play))?;
    Ok(exact.into_values().flat_map(|(_, sums)| sums).collect())
}

fn play_meeting(
    play_game: &mut PlayGame<'_>,
    design: &Design,
    pair: usize,
    settings: &Settings,
) -> Result<Sums> {
    let [first, second] = design.rows_of(pair).map(|row| &design.rows.orders[row]);
    let start = arrangements::start(first, second);
    let mut sums = [0; 3];
    for number in 0..settings.games {
        let indices = [pair as u64, number.into()];
        let seed = derive_seed(settings.seed, SeedSpace::Arena, &indices);
        // Each start position has an even and an odd game; sixteen games use all.
        let worth = play_game(&transform_position(&start, (number / 2 % 8) as usize), seed)?;
        sums[number as usize % 2] += (worth * UNITS_PER_POINT).round() as i64;
        sums[2] += (worth * worth * UNITS_PER_POINT).round() as i64;
    }
    Ok(sums)
}

fn fit_study(design: &Design, sums: &[Sums], settings: &Settings) -> SetupStudy {
    let games = f64::from(settings.games);
    let half_sums = [0, 1].map(|half| {
        sums.iter()
            .map(|sums| sums[half] as f64 / UNITS_PER_POINT / (games / 2.0))
            .collect::<Vec<_>>()
    });
    let pairs = half_sums[0].iter().zip(&half_sums[1]);
    let means: Vec<f64> = pairs.map(|(one, other)| (one + other) / 2.0).collect();
    let squares = sums
        .iter()
        .map(|sums| sums[2] as f64 / UNITS_PER_POINT)
        .sum::<f64>();
    let of_game =
        ((squares - games * dot(&means, &means)) / (means.len() as f64 * (games - 1.0))).max(0.0);
    let (terms, held_out) = design.select_model(&half_sums, 2.0 * of_game / games);
    let noise = of_game / games;
    let fitted = design.fit(&means, terms, noise, None);
    let values = matrix(design, &fitted.meetings);
    let analysis = Analysis::new(&values);
    let errors = standard_errors(design, terms, fitted.shrinkage, noise.sqrt(), &analysis);
    let middle = mean(&fitted.meetings);
    let squares = fitted.meetings.iter().map(|value| (value - middle).powi(2));
    let spread = mean(&squares.collect::<Vec<_>>());
    let setup_values = SetupValues {
        stones: 6,
        game: settings.game.notation(),
        seed: settings.seed,
        games: means.len() as u64 * u64::from(settings.games),
        fit: Some(FitReport {
            deviation: of_game.sqrt(),
            spread: spread.sqrt(),
            class_error: (noise / design.rows.len() as f64).sqrt(),
            taken: terms as usize,
            held_out,
            shrinkage: fitted.shrinkage,
        }),
        ..analysis.setup_values(&design.rows, &values, errors)
    };
    SetupStudy {
        setup_values,
        rows: Rows::new(6),
        values,
    }
}

fn matrix(design: &Design, meetings: &[f64]) -> Vec<Vec<f64>> {
    let pair = |first, second| meetings[design.pair_index(first, second)];
    square_matrix(design.rows.len(), pair)
}

/// Standard errors of the four values of an [`Analysis`]: the model is linear, so that fits to
/// noise alone are distributed like its errors.
fn standard_errors(
    design: &Design,
    terms: Terms,
    shrinkage: f64,
    deviation: f64,
    analysis: &Analysis,
) -> [f64; 4] {
    let mut squares = [0.0; 4];
    for replicate in 0..NUM_NOISE_FITS {
        let mut random = RandomStream::new(derive_seed(replicate, SeedSpace::Arena, &[]));
        let noise: Vec<f64> = (0..design.num_meetings())
            .map(|_| deviation * sample_normal(&mut random))
            .collect();
        let fitted = design.fit(&noise, terms, 0.0, Some(shrinkage));
        let values = matrix(design, &fitted.meetings);
        for (square, mixes) in squares.iter_mut().zip(&analysis.mixes) {
            *square += mix_value(&values, mixes).powi(2) / NUM_NOISE_FITS as f64;
        }
    }
    squares.map(f64::sqrt)
}

fn sample_normal(random: &mut RandomStream) -> f64 {
    (0..12).map(|_| random.uniform_f64()).sum::<f64>() - 6.0
}

#[cfg(test)]
mod tests;
