//! `alea arena`: a match between two players.

use crate::commands::MAX_GAMES;
use crate::games::{self, GameArguments, with_game};
use crate::progress_bar;
use crate::sharding::ShardArguments;
use crate::{interruption_report, output};
use anyhow::{Result, anyhow, bail};
use arena::matches::{
    Contestant, FinishedPairs, MatchOptions, MatchResult, Openings, StoppingRule, partial_result,
    play_match, warning_of_repeats,
};
use arena::statistics::{
    Estimate, Interval,
    sequential::{EloModel, SequentialTest, Verdict},
};
use clap::value_parser;
use engine::core::{
    files::{self, FileKind},
    model_names,
};
use engine::play::player_notation::trusted_text;
use engine::play::{playable::Playable, player_notation::Notation};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Play a match: pairs of games with the same dice, sides swapped
///
/// Ctrl-C prints the result of the finished pairs; with --state the same command goes on from them.
///
/// Other programs play as external(cmd="...", protocol=lines|tcga|gtp|ubgi|nboard);
/// docs/other-programs.md describes their options.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea arena --player \"star1(depth=3, eval=abt)\" --player \"star1(depth=3, eval=schwarz)\" --games 4000\n\
                  Example: alea arena --player \"star1(depth=2)\" --player \"star1(depth=1)\" --sprt elo0=0 elo1=10 --luck\n\
                  Example: alea arena --game reversi --player 'external(dialect=grhino, cmd=\"gtp-rhino -b 0 -l 1\")' --player random --games 100 --records games.jsonl --log said"
)]
pub(crate) struct Arguments {
    /// A player; give exactly two
    #[arg(long = "player", required = true, value_name = "PLAYER")]
    players: Vec<String>,
    #[command(flatten)]
    options: MatchArguments,
    /// End the match when a sequential test decides between two Elo differences, at the latest
    /// after --games (then 200,000 by default); also alpha=0.05 beta=0.05 model=logistic|normalized
    /// count=pairs|games, and batch=N to look only after every N pairs, with bounds for that
    #[arg(long, num_args = 1..=7, value_name = "elo0=E elo1=E")]
    sprt: Option<Vec<String>>,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

/// Options of the games of a match; shared by all commands that play matches.
#[derive(clap::Args)]
pub(crate) struct PairArguments {
    /// Games a match [default: 2000, or at most 200000 if a sequential test ends it]; an odd number
    /// is rounded up, because games come in pairs
    #[arg(long, value_parser = value_parser!(u64).range(1..=MAX_GAMES), allow_negative_numbers = true)]
    games: Option<u64>,
    /// Seed of starts, dice and players
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Random moves at the start of each pair, the same in both games [default: as the game needs
    /// them, none in games of dice]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(..=1000))]
    opening_plies: Option<u16>,
    /// Plies after which a game is a draw [default: the game's bound]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    max_plies: Option<u16>,
    /// File of finished pairs, from which an interrupted match resumes
    #[arg(long, value_name = "PATH")]
    state: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shard: ShardArguments,
    #[command(flatten)]
    pub(crate) game: GameArguments,
}

const DEFAULT_GAMES: u64 = 2000;

const DEFAULT_TEST_GAMES: u64 = 200_000;

impl PairArguments {
    /// Match options; a sequential test (`tested`) raises the default number of games.
    pub(crate) fn options<G: Playable>(&self, game: &G, tested: bool) -> MatchOptions<G> {
        let default_games = if tested {
            DEFAULT_TEST_GAMES
        } else {
            DEFAULT_GAMES
        };
        let pairs = self.games.unwrap_or(default_games).div_ceil(2);
        let mut options = match_options(game, pairs, self.seed, self.state.clone());
        options.slice = self.shard.slice();
        options.max_plies = self.max_plies;
        if let Some(plies) = self.opening_plies {
            let plies = plies.into();
            options.starts = Arc::new(Openings { plies });
        }
        options
    }
}

pub(crate) fn match_options<G: Playable>(
    game: &G,
    pairs: u64,
    seed: u64,
    state: Option<PathBuf>,
) -> MatchOptions<G> {
    MatchOptions {
        threads: rayon::current_num_threads(),
        state,
        progress: Some(|| progress_bar("pairs")),
        ..MatchOptions::new(game.clone(), pairs, seed)
    }
}

/// Options of matches that `arena` and `tournament` share.
#[derive(clap::Args)]
pub struct MatchArguments {
    #[command(flatten)]
    pub(crate) pairs: PairArguments,
    /// Set-ups of EinStein: 'random', 'nash' (a mix that comes with the program) or nash:FILE,
    /// RED:BLUE (two indices 0-719 or two orders of 123456), or a file with one RED:BLUE a line;
    /// the study 'atlas' of benches makes such files [default: random]
    #[arg(long, value_name = "SETUPS", conflicts_with = "opening_plies")]
    setups: Option<String>,
    /// Report scores without the luck of rolls, by this evaluator (one ply deep) or player that
    /// values moves [default: star1(depth=2, eval=abt), or star1(depth=2) if the game has no abt];
    /// a good one saves most games
    #[arg(long, value_name = "EVAL|PLAYER", num_args = 0..=1, default_missing_value = DEFAULT_LUCK_PLAYER)]
    luck: Option<String>,
    /// Write every game as JSON lines, with moves and times, for 'alea data import': a file, or for
    /// a tournament a folder
    #[arg(long, value_name = "PATH")]
    records: Option<PathBuf>,
    /// Log the lines exchanged with other programs in this folder, a file a process
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,
}

const DEFAULT_LUCK_PLAYER: &str = "star1(depth=2, eval=abt)";
const FALLBACK_LUCK_PLAYER: &str = "star1(depth=2)";

impl MatchArguments {
    /// Arguments that choose the game.
    #[must_use]
    pub fn game(&self) -> &GameArguments {
        &self.pairs.game
    }

    /// Value of `--shard`.
    #[must_use]
    pub fn shard(&self) -> ShardArguments {
        self.pairs.shard
    }

    /// Match options; a sequential test (`tested`) raises the default number of games.
    ///
    /// # Errors
    /// If the set-ups or the luck evaluator cannot be read.
    pub fn options<G: Playable>(&self, game: &G, tested: bool) -> Result<MatchOptions<G>> {
        let mut options = self.pairs.options(game, tested);
        if let Some(setups) = &self.setups {
            options.starts = games::parse_starts(setups)?;
        }
        if let Some(notation) = &self.luck {
            options.luck = Some(luck_evaluator(notation, game)?);
        }
        options.records.clone_from(&self.records);
        crate::other_programs::log_to(self.log.as_deref());
        Ok(options)
    }
}

/// Parses a player, or an evaluator, which becomes a player that searches one ply deep.
pub(crate) fn luck_evaluator<G: Playable>(notation: &str, game: &G) -> Result<Contestant<G>> {
    let evaluated = contestant(&format!("star1(depth=1, eval={notation})"), game);
    let named = evaluated.or_else(|_| contestant(notation, game));
    match named {
        Err(_) if notation == DEFAULT_LUCK_PLAYER => contestant(FALLBACK_LUCK_PLAYER, game),
        named => named,
    }
}

/// Parses the words of `--sprt`, such as `elo0=0 elo1=5 alpha=0.05 count=pairs`.
pub(crate) fn stopping_rule(words: &[String]) -> Result<StoppingRule> {
    let (mut elo0, mut elo1, mut alpha, mut beta) = (None, None, 0.05, 0.05);
    let (mut model, mut single_games, mut batch) = (EloModel::Logistic, false, None);
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            bail!("--sprt takes elo0=0 elo1=5 and the like, not '{word}'")
        };
        let number = || {
            value
                .parse::<f64>()
                .map_err(|_| anyhow!("--sprt: '{key}' is a number, not '{value}'"))
        };
        let which = |names: [&str; 2]| {
            let index = names.iter().position(|name| *name == value);
            let names = names.join(" or ");
            index.ok_or_else(|| anyhow!("--sprt: '{key}' is {names}, not '{value}'"))
        };
        match key {
            "elo0" => elo0 = Some(number()?),
            "elo1" => elo1 = Some(number()?),
            "points0" => (elo0, model) = (Some(number()?), EloModel::Points),
            "points1" => (elo1, model) = (Some(number()?), EloModel::Points),
            "alpha" => alpha = number()?,
            "beta" => beta = number()?,
            "model" => {
                let models = [EloModel::Logistic, EloModel::Normalized];
                model = models[which(["logistic", "normalized"])?];
            }
            "count" => single_games = which(["pairs", "games"])? == 1,
            "batch" => {
                let pairs = value.parse().map_err(|_| {
                    anyhow!("--sprt: 'batch' is a whole number of pairs, not '{value}'")
                })?;
                batch = Some(pairs);
            }
            _ => bail!(
                "--sprt: there is no '{key}'; there are elo0, elo1, points0, points1, alpha, beta, model, count and batch"
            ),
        }
    }
    let (Some(elo0), Some(elo1)) = (elo0, elo1) else {
        bail!("--sprt needs both hypotheses, for example: --sprt elo0=0 elo1=5")
    };
    let test = SequentialTest::new(elo0, elo1, alpha, beta, model)?;
    Ok(StoppingRule {
        test: batch.map_or(Ok(test), |pairs| test.in_batches(pairs))?,
        single_games,
    })
}

/// Player named by its notation and its models' checksums, so that state files with another model
/// do not match.
pub fn contestant<G: Playable>(notation: &str, game: &G) -> Result<Contestant<G>> {
    labelled_contestant(notation, notation, game)
}

/// Player named by `label` and its models' checksums.
pub(crate) fn labelled_contestant<G: Playable>(
    notation: &str,
    label: &str,
    game: &G,
) -> Result<Contestant<G>> {
    let player = Contestant::of(trusted_text(notation), game)?;
    let mut checksums = Vec::new();
    model_checksums(&Notation::parse(trusted_text(notation))?, &mut checksums)?;
    let mut name = Notation::parse(label)?.to_string();
    if !checksums.is_empty() {
        name += &format!(" [{}]", checksums.join(" "));
    }
    Ok(Contestant { name, ..player })
}

fn model_checksums(notation: &Notation, checksums: &mut Vec<String>) -> Result<()> {
    if let Some(path) = notation.name.strip_prefix("model:") {
        let path = notation
            .trusted_path(path)
            .map_err(|(_, problem)| anyhow!(problem))?;
        checksums.push(short_checksum(&model_names::path_of(path))?);
    }
    notation
        .arguments
        .iter()
        .try_for_each(|argument| model_checksums(&argument.value, checksums))
}

pub(crate) fn short_checksum(path: &Path) -> Result<String> {
    let checksum = files::checksum(&files::read(path, FileKind::Data)?);
    Ok(format!("{:08x}", checksum as u32))
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let game = &self.options.pairs.game;
        with_game!(trusted_text(&game.notation()), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        let [a, b] = self.players.as_slice() else {
            bail!(
                "a match is between two players, not {}; for more there is: alea tournament",
                self.players.len()
            );
        };
        let mut options = self.options.options(game, self.sprt.is_some())?;
        if let Some(words) = &self.sprt {
            options.stop = Some(stopping_rule(words)?);
        }
        let (a, b) = (contestant(a, game)?, contestant(b, game)?);
        options.finished = Some(FinishedPairs::default());
        report_if_interrupted([&a, &b], &options, self.json);
        let result = play_match(&a, &b, &options)?;
        interruption_report::clear_report();
        if self.options.pairs.shard.report_task_end(self.json)? {
            return Ok(());
        }
        output::print_result(self.json, &result, || table(&result))
    }
}

/// Prints the pairs finished so far if a signal ends a match with these options.
pub(crate) fn report_if_interrupted<G: Playable>(
    [a, b]: [&Contestant<G>; 2],
    options: &MatchOptions<G>,
    as_json: bool,
) {
    let (a, b, options) = (a.clone(), b.clone(), options.clone());
    interruption_report::set_report(move || {
        let result = (!options.slice.is_task()).then(|| partial_result(&a, &b, &options));
        let result = result.flatten();
        if let Some(result) = &result {
            let _ = output::print_result(as_json, result, || table(result));
        }
        let finished = result.map(|_| "pairs");
        options
            .state
            .is_none()
            .then(|| unsaved_note(finished, "a match with --state FILE"))
    });
}

/// Message after a signal: what is lost of unsaved work, whose `finished` units were printed;
/// `saving` is the way to save it.
pub(crate) fn unsaved_note(finished: Option<&str>, saving: &str) -> String {
    let lost = match finished {
        Some(parts) => {
            format!("the result above is of the {parts} finished so far, which are not kept")
        }
        None => "nothing was kept".to_owned(),
    };
    format!("{lost}; {saving} goes on where it ended")
}

pub(crate) fn table(result: &MatchResult) -> String {
    let [seconds_a, seconds_b] = result.seconds_per_move;
    let cpu = ["A", "B"].into_iter().zip(result.cpu_seconds_per_move);
    let cpu = cpu.filter_map(|(name, time)| Some(format!("{name} {:.1} µs", 1e6 * time?)));
    let cpu = match cpu.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        per_move => format!("\nCPU time a move {per_move}"),
    };
    let score = match &result.points {
        None => format!(
            "A scores        {:.2} %  [{:.2}, {:.2}] (95 %, from {} pairs)\n\
             Elo             {:+.1}  [{:+.1}, {:+.1}]",
            100.0 * result.score,
            100.0 * result.interval.lower,
            100.0 * result.interval.upper,
            result.pairs,
            result.elo,
            result.elo_interval.lower,
            result.elo_interval.upper,
        ),
        Some(points) => {
            let Interval { lower, upper } = points.interval;
            let results = points.results.iter();
            let results: Vec<_> = results
                .map(|(name, count)| format!("{count} {name}"))
                .collect();
            format!(
                "A gets          {:+.4} {} a game{}  [{lower:+.4}, {upper:+.4}] (95 %, from {} pairs)\n{}",
                points.mean,
                points.unit,
                if result.seats.is_some() {
                    " more than B"
                } else {
                    ""
                },
                result.pairs,
                match &result.seats {
                    None => format!("results of A    {}", results.join(", ")),
                    Some(seats) => {
                        let number = |mean: Estimate| {
                            format!("{:.3} ± {:.3}", mean.value, mean.interval().half_width())
                        };
                        let [payoffs, ranks] =
                            [seats.payoffs, seats.ranks].map(|both| both.map(number));
                        format!(
                            "mean payoff     A {}, B {}\nmean rank       A {}, B {} of {} seats",
                            payoffs[0], payoffs[1], ranks[0], ranks[1], seats.count
                        )
                    }
                },
            )
        }
    };
    let mut text = format!(
        "A  {}\nB  {}\n\n\
         {score}\n\
         superiority     {:.2} %\n\
         time a move     A {:.1} µs, B {:.1} µs{cpu}\n\
         games           {} ({:.0} a second), {:.1} plies each, first mover {} {:.1} %",
        result.a,
        result.b,
        100.0 * result.superiority,
        1e6 * seconds_a,
        1e6 * seconds_b,
        result.games_in_words().replacen(" games", "", 1),
        result.games_per_second,
        result.mean_plies,
        if result.draws > 0 { "scores" } else { "wins" },
        100.0 * result.first_mover_share,
    );
    if let Some(luck) = &result.luck {
        let [raw, adjusted] = luck.pair_deviation;
        let factor = luck
            .games_factor
            .map_or_else(|| "all".to_owned(), |factor| format!("{factor:.2}"));
        let adjusted_points = result.points.as_ref().and_then(|points| {
            let (mean, Interval { lower, upper }) = points.luck_adjusted?;
            let unit = &points.unit;
            Some(format!(
                "{mean:+.4} {unit} a game  [{lower:+.4}, {upper:+.4}]"
            ))
        });
        let score = adjusted_points.unwrap_or_else(|| {
            format!(
                "{:.2} %  [{:.2}, {:.2}], Elo {:+.1}  [{:+.1}, {:+.1}]",
                100.0 * luck.score,
                100.0 * luck.interval.lower,
                100.0 * luck.interval.upper,
                luck.elo,
                luck.elo_interval.lower,
                luck.elo_interval.upper,
            )
        });
        text += &format!(
            "\nwithout luck    {score}\n                \
             as told by {}: a pair varies by {adjusted:.3} instead of {raw:.3}, a game counts for {factor}",
            luck.evaluator,
        );
    }
    if result.sequential_test.is_some() {
        if result.points.is_none() {
            let Interval { lower, upper } = result.normalized_elo_interval;
            text += &format!(
                "\nnormalised Elo  {:+.1}  [{lower:+.1}, {upper:+.1}]",
                result.normalized_elo
            );
        }
        text += &format!("\nSPRT            {}", sprt_status(result));
    }
    if result.unfinished > 0 {
        text += &format!(
            "\nunfinished      {} games reached the maximal number of plies and count as draws",
            result.unfinished
        );
    }
    if let Some(warning) = warning_of_repeats([result]) {
        text += &format!("\nrepeats         {warning}");
    }
    for (name, forfeits) in ["A", "B"].into_iter().zip(&result.forfeits) {
        for (reason, count) in forfeits {
            text += &format!("\nforfeits        {name} lost {count} games: {reason}");
        }
    }
    text
}

pub(crate) fn sprt_status(result: &MatchResult) -> String {
    let Some(test) = &result.sequential_test else {
        return String::new();
    };
    let unit = match test.test.model {
        EloModel::Points => "points",
        _ => "elo",
    };
    let (null, alternative) = (test.test.elo0, test.test.elo1);
    let verdict = match test.verdict {
        Verdict::Accepted => format!("accepted: {unit}1 = {alternative}"),
        Verdict::Rejected => format!("rejected: {unit}0 = {null}"),
        Verdict::Open => format!("open between {unit}0 = {null} and {unit}1 = {alternative}"),
    };
    format!(
        "LLR {:+.2} in ({:.2}, {:.2}), {verdict}",
        test.log_likelihood_ratio, test.lower, test.upper
    )
}
