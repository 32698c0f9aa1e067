//! `alea regret`: loss of win probability against exact values or certified suites.

use crate::commands::arena;
use crate::games::GameArguments;
use crate::output;
use crate::positions::parallel;
use crate::shard::ShardArguments;
use crate::tables;
use ::arena::regret::{
    Contestant,
    positions::{MIXED, Source, draw_positions},
    report::{Measured, Report, measure},
    suite::LabelledSuite,
    truth::{Labelled, label_exactly},
};
use anyhow::{Result, bail};
use clap::value_parser;
use engine::core::journal::{ErrorTerms, Journal};
use engine::games::einstein::{Standard, tables::Tables};
use engine::play::notation::trusted;
use engine::play::playable::Rules;
use serde_json::json;
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use trainer::progress::progress_bar;

/// Measure exactly how much win probability players give away
///
/// Positions of few stones, one of each game of self-play, each with all six faces of the die,
/// against endgame tables: files of 'alea solve', or, for at most 5 stones, tables in memory. An
/// evaluator values every successor; the loss of random moves is computed, not sampled. With
/// --suite, certified positions of up to 12 stones instead, with values that are exact or from
/// rollouts; error bars include the sampling errors of the labels.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea regret --player greedy --player \"star1(depth=2)\" --eval schwarz --eval model:models/quick-network.safetensors\n         \
                  alea regret --suite data/suites --player \"star2(depth=3)\""
)]
pub(crate) struct Arguments {
    /// A player; may be given several times
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// An evaluator; may be given several times. Without any and without players: all hand-made
    /// ones
    #[arg(long = "eval", value_name = "EVALUATOR")]
    evaluators: Vec<String>,
    /// Maximum stones of a position, both sides together
    #[arg(long, default_value_t = 5, value_parser = value_parser!(u8).range(2..=6), conflicts_with = "suites")]
    stones: u8,
    /// Positions; each has six decisions
    #[arg(long, default_value_t = 20_000, value_parser = value_parser!(u64).range(1..=10_000_000), allow_negative_numbers = true, conflicts_with = "suites")]
    positions: u64,
    /// Player of the games that positions are from: 'mixed' (half random, half greedy) or a player;
    /// all but the random games have 10 % random moves
    #[arg(long, value_name = "PLAYER", default_value = MIXED, conflicts_with = "suites")]
    from: String,
    /// Seed of positions and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File of finished players, from which an interrupted run resumes
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    #[command(flatten)]
    shard: ShardArguments,
    #[command(flatten)]
    game: GameArguments,
    /// Directory of the tables
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables: PathBuf,
    /// A suite that 'alea suite' made, or a directory with several; may be given several times
    #[arg(long = "suite", value_name = "FILE")]
    suites: Vec<PathBuf>,
    /// Also compare evaluators' values with the truth, in bins of 0.05; JSON always does
    #[arg(long)]
    calibration: bool,
    /// Write all figures by stone class with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a chart: reliability of evaluators, or without any, regret by stone class
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

const PLAYERS: [&str; 2] = ["random", "greedy"];
const EVALUATORS: [&str; 7] = [
    "random",
    "greedy",
    "farmer_boy",
    "reciprocal",
    "schwarz",
    "race",
    "abt",
];

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let game = self.game.only::<Standard>(
            "regret is measured against endgame tables, which only EinStein has",
        )?;
        let progress = progress_bar("positions");
        let began = Instant::now();
        let contestants = self.contestants(&game)?;
        let mut waited = Duration::ZERO;
        let mut headers = Vec::new();
        let (truth, from, labelled) = if self.suites.is_empty() {
            let since = Instant::now();
            let tables = self.tables(&game)?;
            waited = since.elapsed();
            let source = Source::parse(&self.from, &game)?;
            let count = self.positions;
            progress.set_length(count);
            progress.set_position(0);
            let stones = |_| 2..=u32::from(self.stones);
            let positions = draw_positions(&game, &source, stones, count, self.seed, &progress)?;
            let labelled = label_exactly(&game, &tables, &positions)?;
            let truth = format!("exact values, at most {} stones", self.stones);
            (truth, source.summary(), labelled)
        } else {
            let read = self.suites.iter();
            let read = read.map(|path| LabelledSuite::all(path, &game));
            let suites = read.collect::<Result<Vec<_>, _>>()?.concat();
            let mut from: Vec<String> = suites.iter().map(LabelledSuite::from).collect();
            from.dedup();
            headers.extend(suites.iter().map(|suite| suite.header.clone()));
            let truth = "exact values, else roll-outs".to_owned();
            let labelled = suites.into_iter().flat_map(|suite| suite.labelled);
            (truth, from.join(", "), labelled.collect())
        };
        let mut report = Report {
            truth,
            from,
            seed: self.seed,
            positions: labelled.len() as u64,
            contestants: Vec::new(),
        };
        let saved = contestants.iter().filter(|_| self.state.is_some());
        let names = saved.map(|contestant| {
            let notation = match contestant.kind() {
                "player" => contestant.name().to_owned(),
                _ => format!("star1(depth=1, eval={})", contestant.name()),
            };
            Ok(arena::contestant(&notation, &game)?.name)
        });
        let identity = json!({
            "format": "alea-regret-1",
            "game": game.notation(),
            "measured": names.collect::<Result<Vec<_>>>()?,
            "truth": report.truth,
            "from": report.from,
            "positions": report.positions,
            "suites": headers,
            "seed": self.seed,
        });
        let wording = ErrorTerms {
            work: "measurement",
            part: "player",
        };
        let (slice, count) = (self.shard.slice(), contestants.len() as u64);
        let (state, number) = (self.state.as_deref(), |line: &(u64, Measured)| line.0);
        let (mut journal, mut measured_before) =
            Journal::open(state, wording, &identity, number, (slice, count))?;
        journal.check_complete()?;
        let ours = slice.parts(count);
        for (number, contestant) in (0..).zip(&contestants) {
            if let Some((_, measured)) = measured_before.remove(&number) {
                report.contestants.push(measured);
                continue;
            }
            if !ours.contains(&number) {
                continue;
            }
            progress.set_length(labelled.len() as u64);
            progress.set_position(0);
            progress.set_message(contestant.name().to_owned());
            let measured = measure(
                contestant,
                &game,
                &labelled,
                !self.suites.is_empty(),
                self.seed,
                &progress,
            )?;
            journal.add(&(number, measured.clone()))?;
            report.contestants.push(measured);
        }
        progress.finish_and_clear();
        journal.close()?;
        if self.shard.ends_task(self.json)? {
            return Ok(());
        }
        if self.suites.is_empty() && !self.json {
            let measured = began.elapsed().saturating_sub(waited).as_secs_f64();
            output::note(&format!(
                "tables ready in {:.1} s, positions drawn and measured in {measured:.1} s",
                waited.as_secs_f64()
            ));
        }
        self.write(&report, &labelled)
    }

    fn contestants(&self, game: &Standard) -> Result<Vec<Contestant>> {
        let (mut players, mut evaluators) = (PLAYERS.to_vec(), EVALUATORS.to_vec());
        if !(self.players.is_empty() && self.evaluators.is_empty()) {
            players = self.players.iter().map(String::as_str).collect();
            evaluators = self.evaluators.iter().map(String::as_str).collect();
        }
        let players = (players.into_iter()).map(|player| Contestant::player(trusted(player), game));
        let evaluators = evaluators.into_iter();
        let evaluators =
            evaluators.map(|evaluator| Contestant::evaluator(trusted(evaluator), game));
        Ok(players.chain(evaluators).collect::<Result<_, _>>()?)
    }

    /// Tables from files if they reach far enough, else from memory.
    fn tables(&self, game: &Standard) -> Result<Arc<Tables>> {
        const MAX_STONES_IN_MEMORY: usize = 5;
        let (stones, variant) = (usize::from(self.stones), game.variant());
        if Tables::stones_in(&self.tables, variant).is_some_and(|there| there >= stones) {
            return Ok(Tables::open(&self.tables, stones, variant, &parallel)?);
        }
        if stones > MAX_STONES_IN_MEMORY {
            bail!(
                "{}: there are no tables of {stones} stones; make them with 'alea solve --stones {stones}'",
                self.tables.display()
            );
        }
        Ok(tables::in_memory(stones, variant, &self.tables)?)
    }

    fn write(&self, report: &Report, labelled: &[Labelled]) -> Result<()> {
        output::result(self.json, report, || {
            let mut text = format!(
                "{} positions, each with six faces; {}\ntruth: {}; seed {}\n",
                labelled.len(),
                report.from,
                report.truth,
                report.seed
            );
            if let Some(first) = report.contestants.first() {
                text += &format!(
                    "real choices are {:.2} % of all decisions\n",
                    100.0 * first.figures.choices
                );
            }
            text += &format!(
                "\n{}\n{}",
                report.text_table().text(),
                report.class_table().text()
            );
            if self.calibration
                && let Some(calibration) = report.calibration()
            {
                text += &format!("\n{}", calibration.text());
            }
            text.trim_end().to_owned()
        })?;
        if let Some(path) = &self.csv {
            output::file(path, report.classes().csv())?;
        }
        if let Some(path) = &self.svg {
            output::file(path, report.svg()?)?;
        }
        Ok(())
    }
}
