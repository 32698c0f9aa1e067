//! `alea selfplay`: records games of players against themselves and each other.

mod variety;

use self::variety::VarietyArguments;
use crate::commands::MAX_GAMES;
use crate::display_scale::DisplayScale;
use crate::games::{GameArguments, with_game};
use crate::output;
use crate::sharding::ShardArguments;
use anyhow::{Context, Result, bail};
use clap::value_parser;
use engine::core::job_array::TaskSlice;
use engine::core::text::printable;
use engine::play::playable::Playable;
use engine::play::player_notation::trusted_text;
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};
use trainer::labeller::LabelConfig;
use trainer::selfplay::{
    GAMES_PER_SHARD, Limits, SelfPlay, SelfPlayConfig, SelfPlaySummary, Timing, WeightedPlayer,
};

/// Let players play themselves and each other, and record the games
///
/// Every position, die, move, value and result is recorded. An interrupted run resumes with the
/// same settings. With --shard any scheduler can spread a run over machines, in one directory: a
/// shard has the same bytes on every machine.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea selfplay --out runs/data --games 20000 \\\n           --player \"star1(depth=3, eval=abt)\" --player \"0.05*mcts(sims=400)\"\n         alea selfplay --out runs/big --seed 7 --shard 17/100\n         alea selfplay --out runs/varied --target-positions 1000000 --hours 8 \\\n           --temperature 0.05 --temperature-until 12 --endgames 3-7 --endgames-share 0.1"
)]
pub(crate) struct Arguments {
    /// Directory of the shards
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A player, optionally with a weight: "0.1*mcts(sims=400)"; may be given several times
    #[arg(long = "player", value_name = "[WEIGHT*]PLAYER")]
    players: Vec<String>,
    /// Games to play [default: 20000; with --shard a shard of 4096 for each task, with
    /// --target-positions as many as it takes]
    #[arg(long, alias = "target-games", value_parser = value_parser!(u64).range(1..=MAX_GAMES), allow_negative_numbers = true)]
    games: Option<u64>,
    /// End with the first game, in the order of their numbers, that completes N positions
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), allow_negative_numbers = true, conflicts_with = "shard")]
    target_positions: Option<u64>,
    /// Begin no shard after N hours; the same command resumes
    #[arg(
        long,
        value_name = "H",
        allow_negative_numbers = true,
        conflicts_with = "shard"
    )]
    hours: Option<f64>,
    #[command(flatten)]
    shard: ShardArguments,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Fraction of random moves [default: 0.08]
    #[arg(long)]
    exploration: Option<f64>,
    /// Random plies at the start of every game [default: as the game needs them, at least 2]
    #[arg(long)]
    opening_plies: Option<usize>,
    /// Also label every position before its roll, under a name: "deep=star2(depth=4)",
    /// "net=model:PATH", "exact=tables(stones=5)"; may be given several times
    #[arg(long = "label", value_name = "NAME=PLAYER")]
    labels: Vec<String>,
    #[command(flatten)]
    variety: VarietyArguments,
    #[command(flatten)]
    game: GameArguments,
    /// Write the summary as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn num_games(&self, defaults: u64) -> Result<u64> {
        let of = match self.shard.slice() {
            TaskSlice::All => None,
            TaskSlice::Task { of, .. } | TaskSlice::Merge { of } => Some(of),
        };
        match (self.games, of) {
            (Some(games), Some(of)) if games.div_ceil(GAMES_PER_SHARD) < of => {
                let shards = games.div_ceil(GAMES_PER_SHARD);
                bail!(
                    "{games} games make {shards} shards of at most {GAMES_PER_SHARD}, too few for {of} tasks"
                )
            }
            (None, Some(of)) if of > MAX_GAMES / GAMES_PER_SHARD => {
                bail!(
                    "{of} tasks of {GAMES_PER_SHARD} games are more than {MAX_GAMES} games; say --games"
                )
            }
            (Some(games), _) => Ok(games),
            (None, Some(of)) => Ok(of * GAMES_PER_SHARD),
            (None, None) if self.target_positions.is_some() => Ok(MAX_GAMES),
            (None, None) => Ok(defaults),
        }
    }

    pub(crate) fn run(&self) -> Result<()> {
        with_game!(trusted_text(&self.game.notation()), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        let defaults = SelfPlayConfig::for_game(game);
        let mut players = defaults.players;
        if !self.players.is_empty() {
            let given = self.players.iter().map(|text| parse_weighted_player(text));
            players = given.collect::<Result<_>>()?;
        }
        let run = SelfPlay::<G>::new(SelfPlayConfig {
            players,
            games: self.num_games(defaults.games)?,
            seed: self.seed,
            opening_plies: self.opening_plies.unwrap_or(defaults.opening_plies),
            exploration: self.exploration.unwrap_or(defaults.exploration),
            game: defaults.game,
            options: self.variety.options(),
            labels: (self.labels.iter())
                .map(|text| parse_label(text))
                .collect::<Result<_>>()?,
        })?;
        if !run.is_reproducible() {
            output::note(
                "note: a player with a time limit plays differently each time; the same seed will not give the same games",
            );
        }
        let began = Instant::now();
        let limits = Limits {
            positions: self.target_positions,
            until: (self.hours)
                .map(|hours| parse_deadline(began, hours))
                .transpose()?
                .flatten(),
            slice: self.shard.slice(),
        };
        let report =
            output::with_progress("games", |progress| run.run(&self.out, &limits, progress))?;
        let mut object = serde_json::to_value(&report.summary)?;
        // `time`: thread-seconds of the games that this process played.
        object["time"] = serde_json::to_value(report.timing)?;
        object["stopped"] = report.stopped.into();
        output::print_result(self.json, &object, || {
            let scale = DisplayScale::of(game);
            let mut text = table(&report.summary, began.elapsed().as_secs_f64(), scale);
            let Timing {
                games,
                outside_players,
                ..
            } = report.timing;
            if games > 0 {
                let outside = 100.0 * outside_players;
                text += &format!(
                    "\n\n{games} games played now: {outside:.1} % of the time of all threads outside players"
                );
            }
            text + &if report.stopped {
                "\n\nthe time is over; the same command goes on".to_owned()
            } else {
                let out = self.out.display();
                format!("\n\nnext: alea train --data {out} --out runs/model")
            }
        })
    }
}

fn parse_deadline(began: Instant, hours: f64) -> Result<Option<Instant>> {
    if !hours.is_finite() || hours <= 0.0 {
        bail!("--hours {hours}: a number above 0");
    }
    Ok(Duration::try_from_secs_f64(3600.0 * hours)
        .ok()
        .and_then(|time| began.checked_add(time)))
}

fn parse_weighted_player(text: &str) -> Result<WeightedPlayer> {
    let (mut player, mut weight) = (text, 1.0_f64);
    if let Some((before, after)) = text.split_once('*') {
        weight = (before.trim().parse())
            .with_context(|| format!("--player '{text}': '{before}' before '*' is no weight"))?;
        player = after.trim();
    }
    if weight.is_nan() || weight < 0.0 {
        bail!("--player '{text}': a weight is at least 0");
    }
    let player = player.to_owned();
    Ok(WeightedPlayer { player, weight })
}

fn parse_label(text: &str) -> Result<LabelConfig> {
    let (name, by) = text
        .split_once('=')
        .with_context(|| format!("--label '{text}': expected NAME=PLAYER"))?;
    Ok(LabelConfig {
        name: name.trim().to_owned(),
        by: by.trim().to_owned(),
    })
}

pub(crate) fn table(summary: &SelfPlaySummary, seconds: f64, scale: DisplayScale) -> String {
    let explored = 100.0 * summary.explored as f64 / summary.positions.max(1) as f64;
    let first_mover = scale.mean_text(summary.first_mover_points, summary.counted_games());
    let distinct = (summary.distinct)
        .map(|games| format!(" ({games} distinct, {} repeats)", summary.repeated_games()))
        .unwrap_or_default();
    let mut text = format!(
        "{} games{distinct}, {} positions in {seconds:.1} s: {:.0} games/s, {:.0} positions/s\n{:.1} plies a game, {first_mover} won by who began, {explored:.1} % of moves explored",
        summary.games,
        summary.positions,
        summary.games as f64 / seconds,
        summary.positions as f64 / seconds,
        summary.positions as f64 / summary.games.max(1) as f64,
    );
    if summary.repeated_games() > 0 {
        text += "\nrepeats are in the records but not in these shares; more random moves give more games that differ: --opening-plies, --exploration";
    }
    text.extend(
        summary
            .unfinished_warning()
            .map(|warning| format!("\n{warning}")),
    );
    let players = summary.players.iter();
    let players = players.map(|tally| (&*tally.player, tally.sides, tally.points));
    text += "\n\n";
    text += &players_table(scale, players);
    text
}

/// Table of `players` (name, number of sides played, sum of payoffs) with the percentage that each
/// won, or its mean points.
pub(crate) fn players_table<'a>(
    scale: DisplayScale,
    players: impl Iterator<Item = (&'a str, u64, f64)> + Clone,
) -> String {
    let players = players.map(|(player, sides, points)| (printable(player), sides, points));
    let names = players.clone().map(|(player, ..)| player.chars().count());
    let width = names.max().unwrap_or(0).max(6);
    let heading = scale.mean_heading();
    let mut text = format!("{:<width$}  {:>9}  {heading:>6}", "player", "sides");
    for (player, sides, points) in players {
        let mean = scale.mean_number(points, sides);
        text += &format!("\n{player:<width$}  {sides:>9}  {mean:>6}");
    }
    text
}
