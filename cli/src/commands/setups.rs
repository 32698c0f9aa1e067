//! `alea setups`: which set-ups are good.

use crate::games::GameArguments;
use crate::output;
use anyhow::Result;
use benches::sheet::{Cell, Sheet};
use benches::studies::{
    setup_study::{
        Settings, StudyResult, design::MOST_OPPONENTS, draw, result::order, run as study,
    },
    setups::Setups,
};
use clap::value_parser;
use engine::play::build::PlayerRecipe;
use std::path::PathBuf;
use trainer::progress::progress_bar;

/// Play all 720 set-ups against each other: win rates, the best and the worst, and how to mix them
///
/// One player plays itself. Each two set-ups that meet play pairs of games in which they change
/// sides; who begins is drawn. By default all meet all; with --opponents N each meets N others,
/// those near it on a circle in random order.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea setups --player \"star1(depth=1)\" --games 20 --state setups.jsonl --best best.txt --mix mix.txt\n\
                  Then:    alea arena --setups best.txt --player ... --player ..., or --setups nash:mix.txt"
)]
pub(crate) struct Arguments {
    /// Who plays both sides
    #[arg(long, default_value = "star1(depth=3)", value_name = "PLAYER")]
    player: String,
    /// Games for each two set-ups that meet; an odd number is rounded up
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000), allow_negative_numbers = true)]
    games: u32,
    /// Opponents of each set-up
    #[arg(long, default_value_t = MOST_OPPONENTS as u32, value_name = "N", value_parser = value_parser!(u32).range(1..=MOST_OPPONENTS as i64), allow_negative_numbers = true)]
    opponents: u32,
    /// Seed of dice, players, and of who meets whom
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where finished games are kept, so that an interrupted study can go on
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Write the best sixteen against each other, for 'alea arena --setups FILE'
    #[arg(long, value_name = "FILE")]
    best: Option<PathBuf>,
    /// Write the mix, for 'alea arena --setups nash:FILE'
    #[arg(long, value_name = "FILE")]
    mix: Option<PathBuf>,
    /// Write the rates of all 720
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a picture of the best and the worst sixteen
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    game: GameArguments,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

/// As many as Rock'n'Roll's tournament took.
const SHOWN: usize = 16;

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let files = [&self.best, &self.mix, &self.csv, &self.svg];
        output::check_places(&files)?;
        let game = self
            .game
            .only::<engine::games::einstein::Standard>("set-ups are those of six stones")?;
        let recipe = PlayerRecipe::parse(&self.player, &game)?;
        let settings = Settings {
            game,
            pairs: self.games.div_ceil(2),
            opponents: self.opponents as usize,
            seed: self.seed,
            threads: rayon::current_num_threads(),
            state: self.state.clone(),
        };
        let result = study(&recipe, &settings, &progress_bar("set-ups"))?;
        output::result(self.json, &result, || text(&result))?;
        if self.mix.is_some() && result.mix.is_none() {
            anyhow::bail!(
                "not every class of set-ups met every other, so there is no mix to write; give more --opponents"
            );
        }
        let contents = [
            Some(best_list(&result)),
            mix_list(&result),
            Some(csv(&result).csv()),
            Some(draw::svg(&result, SHOWN)),
        ];
        for (path, content) in files.into_iter().zip(contents) {
            if let (Some(path), Some(content)) = (path, content) {
                output::file(path, content)?;
            }
        }
        Ok(())
    }
}

/// What a person reads.
fn text(result: &StudyResult) -> String {
    let first = &result.setups[result.ranking[0]];
    let last = &result.setups[result.ranking[result.ranking.len() - 1]];
    let own = |of: fn(f64, f64) -> f64| {
        let scores = result.setups.iter().map(|rate| rate.score);
        100.0 * scores.reduce(of).unwrap_or(0.5)
    };
    let mut text = format!(
        "{}: {} games, {} set-ups with {} opponents each, {} games a pairing\n\
         first mover wins {:.2} % ± {:.2}, {:.1} plies a game\n\
         single set-ups win {:.1} to {:.1} % (± {:.1}), classes of four {:.2} to {:.2} % (± {:.2})\n\
         without the luck of the dice classes vary by {:.2} % (standard deviation)\n\
         the four of a class differ {:.2} times as much as luck alone would make them\n",
        result.player,
        result.games,
        result.setups.len(),
        result.opponents,
        result.games_per_pairing,
        100.0 * result.first_mover_share,
        100.0 * result.first_mover_interval.half_width(),
        result.mean_plies,
        own(f64::min),
        own(f64::max),
        100.0 * first.interval.half_width(),
        100.0 * last.class_score,
        100.0 * first.class_score,
        100.0 * first.class_interval.half_width(),
        100.0 * result.deviation,
        result.symmetry_ratio,
    );
    for (name, chosen) in [("best", result.best(SHOWN)), ("worst", result.worst(SHOWN))] {
        text += &format!(
            "\n{name}, as Red's; above each the win % of its class\n{}",
            draw::text(result, chosen)
        );
    }
    let mut sheet = Sheet::new([
        "place",
        "stones",
        "set-up",
        "win %",
        "±",
        "class win %",
        "± ",
    ]);
    for (place, &setup) in result.ranking.iter().enumerate() {
        if place < SHOWN || place + SHOWN >= result.ranking.len() {
            let rate = &result.setups[setup];
            sheet.push(vec![
                (place as u64 + 1).into(),
                rate.order.as_str().into(),
                (setup as u64).into(),
                Cell::Percent(rate.score),
                Cell::Percent(rate.interval.half_width()),
                Cell::Percent(rate.class_score),
                Cell::Percent(rate.class_interval.half_width()),
            ]);
        }
    }
    text += &format!("\n{}\n{}", sheet.text(), mix_text(result));
    text.trim_end().to_owned()
}

fn mix_text(result: &StudyResult) -> String {
    let Some(mix) = &result.mix else {
        return "no mix: not every class of set-ups met every other; give more --opponents"
            .to_owned();
    };
    let mut parts: Vec<usize> = (0..mix.shares.len())
        .filter(|&setup| mix.shares[setup] > 0.0)
        .collect();
    parts.sort_by(|&left, &right| mix.shares[right].total_cmp(&mix.shares[left]));
    let shown: Vec<String> = parts
        .chunks(4)
        .take(8)
        .map(|four| format!("{} {:.1} %", order(four[0]), 400.0 * mix.shares[four[0]]))
        .collect();
    format!(
        "Nash mix over {} set-ups in {} classes (one of four, and its share): {}{}\n\
         the best answer to it wins {:.2} % more than even; to the best class alone {:.2} %, to all alike {:.2} %\n\
         beyond the rates, two classes differ by {:.2} % (standard deviation); of what was seen {:.0} % was believed",
        parts.len(),
        parts.len() / 4,
        shown.join(", "),
        if parts.len() > 32 { ", …" } else { "" },
        100.0 * mix.exploitability,
        100.0 * mix.exploitability_of_best,
        100.0 * mix.exploitability_of_random,
        100.0 * mix.interaction,
        100.0 * mix.believed,
    )
}

/// Where a file came from, as its first line.
fn origin(result: &StudyResult, what: &str) -> String {
    format!(
        "# {what}: alea setups --player \"{}\" --games {} --opponents {} --seed {}\n",
        result.player, result.games_per_pairing, result.opponents, result.seed
    )
}

fn best_list(result: &StudyResult) -> String {
    let mut text = origin(
        result,
        "the best sixteen against each other, twice, so that either side begins",
    );
    if let Setups::Index(pairs) = Setups::product(result.best(SHOWN)) {
        for (red, blue) in pairs {
            text += &format!("{}:{}\n", order(red), order(blue));
        }
    }
    text
}

fn mix_list(result: &StudyResult) -> Option<String> {
    let mix = result.mix.as_ref()?;
    let mut text = origin(result, "a mix of set-ups, weight and stones");
    for (setup, share) in mix.shares.iter().enumerate() {
        let weight = (share * 1e6).round();
        if weight > 0.0 {
            text += &format!("{weight} {}\n", order(setup));
        }
    }
    Some(text)
}

fn csv(result: &StudyResult) -> Sheet {
    let columns = [
        "setup",
        "stones",
        "lost",
        "split",
        "won",
        "score",
        "lower",
        "upper",
        "class",
        "class_score",
        "class_lower",
        "class_upper",
        "share",
    ];
    let mut sheet = Sheet::new(columns);
    for rate in &result.setups {
        let counts = rate.pair_counts;
        sheet.push(vec![
            (rate.setup as u64).into(),
            rate.order.as_str().into(),
            counts.lost.into(),
            counts.split.into(),
            counts.won.into(),
            Cell::Percent(rate.score),
            Cell::Percent(rate.interval.lower),
            Cell::Percent(rate.interval.upper),
            (rate.class as u64).into(),
            Cell::Percent(rate.class_score),
            Cell::Percent(rate.class_interval.lower),
            Cell::Percent(rate.class_interval.upper),
            Cell::percent(result.mix.as_ref().map(|mix| mix.shares[rate.setup])),
        ]);
    }
    sheet
}
