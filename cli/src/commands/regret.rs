//! `alea regret`: win probability lost by players, against exact values or solved suites.

use crate::commands::arena;
use crate::endgame_tables;
use crate::games::{GameArguments, GameTask};
use crate::output;
use crate::sharding::ShardArguments;
use ::arena::regret::{
    Contestant,
    positions::{Source, draw_positions},
    reference_values::{Labelled, label_exactly},
    report::{ContestantReport, Report, measure},
    suite::LabelledSuite,
};
use anyhow::{Result, anyhow, bail};
use clap::value_parser;
use engine::core::{
    journal::{ErrorWording, Journal},
    oracle::Oracle,
};
use engine::games::einstein::{Standard, tables::Tables};
use engine::play::{
    playable::Playable,
    player_notation::{Notation, trusted_text},
    registry::OracleEntry,
};
use indicatif::ProgressBar;
use serde_json::json;
use std::{
    any::Any,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use trainer::progress::progress_bar;

/// Measure how much win probability players give away
///
/// Players decide late positions, one of each game of self-play, with every outcome of chance;
/// their moves are compared with exact values: EinStein's endgame tables (files of 'alea solve', or, for at most 5 stones, tables in
/// memory) or Reversi's solver. An evaluator values every successor; the loss of random moves is
/// computed, not sampled. With --suite, positions of 'alea suite' with up to 12 stones, whose
/// values are exact or from rollouts; error bars include the sampling errors of the labels.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea regret --player greedy --player \"star1(depth=2)\" --eval schwarz --eval model:models/quick-network.safetensors\n         \
                  alea regret --suite data/suites --player \"star2(depth=3)\"\n         \
                  alea regret --game reversi --stones 8 --player \"mcts(sims=400)\" --eval best"
)]
pub(crate) struct Arguments {
    /// A player; may be given several times
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// An evaluator; may be given several times. Without any and without players: all hand-made
    /// ones
    #[arg(long = "eval", value_name = "EVALUATOR")]
    evaluators: Vec<String>,
    /// Maximum stones of a position, both sides together (2 to 6) [default: 5]; of Reversi, its
    /// empty squares (1 to 20) [default: 8]
    #[arg(long, visible_alias = "empties", value_parser = value_parser!(u8).range(1..=20), conflicts_with = "suites")]
    stones: Option<u8>,
    /// Positions; each has a decision for every outcome of chance
    #[arg(long, default_value_t = 20_000, value_parser = value_parser!(u64).range(1..=10_000_000), allow_negative_numbers = true, conflicts_with = "suites")]
    positions: u64,
    /// Player of the games that positions are from: a player, or for EinStein 'mixed' (half random,
    /// half greedy); all but random games have 10 % random moves [default: mixed, else random]
    #[arg(long, value_name = "PLAYER", conflicts_with = "suites")]
    from: Option<String>,
    /// Seed of positions and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File that stores the results of the players measured so far; an interrupted run resumes from it
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
    /// Write all figures by class of positions with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a chart: reliability of evaluators, or without any, regret by class of positions
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

const DEFAULT_PLAYERS: [&str; 2] = ["random", "greedy"];
const DEFAULT_EVALUATORS: [&str; 7] = [
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
        self.game.run(self)
    }
}

struct TruthSet<G: Playable> {
    labelled: Vec<Labelled<G>>,
    truth: String,
    from: String,
    headers: Vec<serde_json::Value>,
    loading: Duration,
}

impl GameTask for Arguments {
    fn run<G: Playable>(&self, game: &G) -> Result<()> {
        let progress = progress_bar("positions");
        let began = Instant::now();
        let contestants = self.contestants(game)?;
        let TruthSet {
            labelled,
            truth,
            from,
            headers,
            loading,
        } = match &*self.suites {
            [] => self.label(game, &progress)?,
            _ => self.read_suites()?,
        };
        let mut report = Report {
            truth,
            from,
            seed: self.seed,
            positions: labelled.len() as u64,
            points: (game.points()).map(|points| (points.unit.to_owned(), points.difference(1.0))),
            contestants: Vec::new(),
        };
        let saved = contestants.iter().filter(|_| self.state.is_some());
        let names = saved.map(|contestant| {
            let notation = match contestant.kind() {
                "player" => contestant.name().to_owned(),
                _ => format!("star1(depth=1, eval={})", contestant.name()),
            };
            Ok(arena::contestant(&notation, game)?.name)
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
        let wording = ErrorWording {
            work: "measurement",
            part: "player",
        };
        let (slice, count) = (self.shard.slice(), contestants.len() as u64);
        let (state, number) = (self.state.as_deref(), |line: &(u64, ContestantReport)| {
            line.0
        });
        let (mut journal, mut measured_before) =
            Journal::open(state, wording, &identity, number, (slice, count))?;
        journal.check_complete()?;
        let ours = slice.part_range(count);
        let done = ours
            .clone()
            .filter(|number| measured_before.contains_key(number));
        let (done, own_count) = (done.count(), ours.clone().count());
        if (1..own_count).contains(&done) {
            output::note(&format!("resumed: {done} of {own_count} players are done"));
        }
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
            let class = class_of(game, !self.suites.is_empty());
            let measured = measure(contestant, game, &labelled, class, self.seed, &progress)?;
            journal.add(&(number, measured.clone()))?;
            report.contestants.push(measured);
        }
        progress.finish_and_clear();
        journal.close()?;
        if self.shard.report_task_end(self.json)? {
            return Ok(());
        }
        if self.suites.is_empty() && !self.json {
            let measured = began.elapsed().saturating_sub(loading).as_secs_f64();
            output::note(&format!(
                "exact values ready in {:.1} s, positions drawn and measured in {measured:.1} s",
                loading.as_secs_f64()
            ));
        }
        self.write(&report, game)
    }
}

impl Arguments {
    fn label<G: Playable>(&self, game: &G, progress: &ProgressBar) -> Result<TruthSet<G>> {
        let since = Instant::now();
        let (oracle, max_remaining) = self.oracle(game)?;
        let loading = since.elapsed();
        let source = match &self.from {
            Some(from) => Source::parse(from, game)?,
            None => Source::default_of(game)?,
        };
        let min_remaining = if is_einstein(game) { 2 } else { 1 };
        progress.set_length(self.positions);
        progress.set_position(0);
        let remaining = |_| min_remaining..=max_remaining;
        let (count, seed) = (self.positions, self.seed);
        let positions = draw_positions(game, &source, remaining, count, seed, progress)?;
        Ok(TruthSet {
            labelled: label_exactly(game, &*oracle, &positions)?,
            truth: format!(
                "exact values, at most {max_remaining} {}",
                G::INFO.remaining_unit
            ),
            from: source.summary(),
            headers: Vec::new(),
            loading,
        })
    }

    fn read_suites<G: Playable>(&self) -> Result<TruthSet<G>> {
        let einstein = self.game.require::<Standard>("suites are of EinStein")?;
        let suites = self.suites.iter();
        let suites = suites.map(|path| LabelledSuite::read_all(path, &einstein));
        let suites = suites.collect::<Result<Vec<_>, _>>()?.concat();
        let mut from: Vec<String> = suites
            .iter()
            .map(LabelledSuite::source_description)
            .collect();
        from.dedup();
        let headers = suites
            .iter()
            .map(|suite| serde_json::to_value(&suite.header));
        let headers = headers.collect::<Result<_, _>>()?;
        let labelled = suites
            .into_iter()
            .flat_map(|suite| suite.labelled)
            .collect();
        Ok(TruthSet {
            labelled: downcast_value::<Vec<Labelled<Standard>>, _>(labelled).unwrap_or_default(),
            truth: "exact values, else roll-outs".to_owned(),
            from: from.join(", "),
            headers,
            loading: Duration::ZERO,
        })
    }

    fn contestants<G: Playable>(&self, game: &G) -> Result<Vec<Contestant<G>>> {
        let is_default = self.players.is_empty() && self.evaluators.is_empty();
        let (players, evaluators): (Vec<&str>, Vec<&str>) = match (is_default, is_einstein(game)) {
            (true, true) => (DEFAULT_PLAYERS.to_vec(), DEFAULT_EVALUATORS.to_vec()),
            (true, false) => {
                let own = G::registry().evaluators.iter().map(|entry| entry.name);
                (vec!["random"], own.collect())
            }
            (false, _) => (
                self.players.iter().map(String::as_str).collect(),
                self.evaluators.iter().map(String::as_str).collect(),
            ),
        };
        let players = players.into_iter();
        let players = players.map(|player| Contestant::parse_player(trusted_text(player), game));
        let evaluators = evaluators.into_iter();
        let evaluators =
            evaluators.map(|evaluator| Contestant::parse_evaluator(trusted_text(evaluator), game));
        Ok(players.chain(evaluators).collect::<Result<_, _>>()?)
    }

    /// Tablebase or solver, and the maximum number of stones (or empty squares) that it covers.
    fn oracle<G: Playable>(&self, game: &G) -> Result<(Arc<dyn Oracle<G>>, usize)> {
        if let Some(einstein) = (game as &dyn Any).downcast_ref::<Standard>() {
            let stones = usize::from(self.stones.unwrap_or(5));
            let tables: Arc<dyn Oracle<Standard>> = self.tables(stones, einstein)?;
            if let Some(tables) = downcast_value(tables) {
                return Ok((tables, stones));
            }
        }
        let none = || anyhow!("--game {}: no exact values of late positions", G::INFO.name);
        let entry = G::registry().oracle.ok_or_else(none)?;
        let default = (entry.instant)(game).ok_or_else(none)?;
        let remaining = self.stones.map_or(default, |stones| stones.to_string());
        let knowledge = (entry.read)(&Notation::new(&*remaining), game);
        let knowledge =
            knowledge.map_err(|(_, problem)| anyhow!("--stones {remaining}: {problem}"))?;
        Ok((knowledge.ok_or_else(none)?, remaining.parse()?))
    }

    fn tables(&self, stones: usize, game: &Standard) -> Result<Arc<Tables>> {
        const MAX_STONES_IN_MEMORY: usize = 5;
        let variant = game.variant();
        if !(2..=6).contains(&stones) {
            bail!("--stones {stones}: tables of EinStein have 2 to 6 stones");
        }
        if Tables::stones_on_disk(&self.tables, variant).is_some_and(|there| there >= stones) {
            return Ok(Tables::open(
                &self.tables,
                stones,
                variant,
                &alea_parallel::for_each,
            )?);
        }
        if stones > MAX_STONES_IN_MEMORY {
            bail!(
                "{}: there are no tables of {stones} stones; make them with 'alea solve --stones {stones}'",
                self.tables.display()
            );
        }
        Ok(endgame_tables::in_memory(stones, variant, &self.tables)?)
    }

    fn write<G: Playable>(&self, report: &Report, game: &G) -> Result<()> {
        output::print_result(self.json, report, || {
            let mut text = format!(
                "{} positions{}; {}\ntruth: {}; seed {}\n",
                report.positions,
                match game.outcome_numbers().count() {
                    1 => String::new(),
                    outcomes => format!(", each with {outcomes} outcomes of chance"),
                },
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
                report.regret_by_class().text()
            );
            if self.calibration
                && let Some(calibration) = report.calibration()
            {
                text += &format!("\n{}", calibration.text());
            }
            text.trim_end().to_owned()
        })?;
        if let Some(path) = &self.csv {
            output::write_file(path, report.contestant_class_table().csv())?;
        }
        if let Some(path) = &self.svg {
            output::write_file(path, report.chart_svg()?)?;
        }
        Ok(())
    }
}

fn is_einstein<G: Playable>(game: &G) -> bool {
    (game as &dyn Any).is::<Standard>()
}

fn downcast_value<A: 'static, B: 'static>(value: A) -> Option<B> {
    let value: Box<dyn Any> = Box::new(value);
    value.downcast().ok().map(|value| *value)
}

fn class_of<G: Playable>(game: &G, of_suites: bool) -> impl Fn(&G::Position) -> String {
    move |position| match (G::registry().oracle, of_suites) {
        (Some(OracleEntry { class, .. }), false) => class(game, position),
        _ => {
            let position = (position as &dyn Any).downcast_ref();
            position.map_or_else(String::new, LabelledSuite::class)
        }
    }
}
