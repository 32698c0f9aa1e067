//! `alea judge`: where the results of recorded games came from.

mod report;

use crate::games::{self, with_type};
use crate::output;
use anyhow::{Context, Result, bail};
use engine::play::{build::PlayerRecipe, notation::Notation};
use rayon::prelude::*;
use report::Report;
use serde::Serialize;
use std::path::PathBuf;
use trainer::{data::Source, progress::progress_bar, shard::PlayedGame};
use web::{
    api::Ledger,
    games::{OnBoard, knowledge},
    judge::judge,
    rating::{Rater, has_chance},
};

/// Judge recorded games: what the start was worth, luck, errors, and where they were made
///
/// For every game the result is what the start was worth, and the luck of each seat less its
/// errors, and what the judge thought otherwise a ply later ('drift'). Values are those of the
/// player that judges, exact where endgame tables or a quick solution know them; luck, errors and
/// drift are wins, from the view of seat 0 where no seat is named.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea judge runs/data --player \"star2(depth=3, eval=best)\" --games 20\n         alea judge runs/data --html judged.html"
)]
pub(crate) struct Arguments {
    /// Shards, or directories of shards
    #[arg(required = true, value_name = "GAMES")]
    paths: Vec<PathBuf>,
    /// The player that judges; it has to rate moves [default: the game's best evaluator with
    /// star2(depth=3), without chance with star1(depth=2)]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Only the first so many games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Also write a page: all players, all games, and the first twenty ply by ply
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write JSON: the ledger of every game with all its plies, one a line
    #[arg(long)]
    json: bool,
}

/// Who judges where nobody is named.
pub(crate) fn usual_judge<G: OnBoard>(game: &G) -> String {
    let best = game.evaluator(&Notation::new("best".to_owned()));
    let name = G::evaluators().first().map_or("random", |entry| entry.name);
    let best = best.map_or(name, |_| "best");
    match has_chance::<G>() {
        true => format!("star2(depth=3, eval={best})"),
        false => format!("star1(depth=2, eval={best})"),
    }
}

/// A game and its ledger.
#[derive(Serialize)]
struct Judged {
    /// Counted from 1.
    game: u64,
    /// Who played, by seat.
    players: Vec<String>,
    #[serde(flatten)]
    ledger: Ledger,
}

/// Games that are read and judged at a time.
const AT_ONCE: u64 = 256;

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_type!(&games::of_records(&self.paths), OneGame => self.run_for::<OneGame>())
    }

    fn run_for<G: OnBoard>(&self) -> Result<()> {
        let source = Source::<G>::open(&self.paths)?;
        let game = &source.rules;
        if game.seats() != 2 {
            bail!("only games of two seats are judged");
        }
        let player = self.player.clone().unwrap_or_else(|| usual_judge(game));
        let recipe = PlayerRecipe::parse(&player, game)?;
        let known = knowledge(game, game.known()).map_err(anyhow::Error::msg)?;
        output::check_places(&[&self.html])?;
        let all = self.games.unwrap_or(u64::MAX).min(source.games);
        let progress = progress_bar("games");
        progress.set_length(all);
        let mut totals = Totals::default();
        let mut report = Report::default();
        for first in (0..all).step_by(AT_ONCE as usize) {
            let some = source.games(first, all.min(first + AT_ONCE))?;
            let judged = some
                .par_iter()
                .enumerate()
                .map(|(place, played)| {
                    let index = first + place as u64;
                    let mut rater = Rater::new(game, &recipe, known.clone());
                    let judged = judge_one(game, played, &source.players, index, &mut rater);
                    progress.inc(1);
                    judged.with_context(|| format!("game {}", index + 1))
                })
                .collect::<Result<Vec<Judged>>>()?;
            for one in &judged {
                progress.suspend(|| self.tell(game, one, &mut totals))?;
            }
            judged.into_iter().for_each(|one| report.add(one));
        }
        progress.finish_and_clear();
        let players = report.players().text();
        if let Some(path) = &self.html {
            let page = report.page(game, recipe.name());
            output::file(path, page.html())?;
        }
        if self.json {
            return Ok(());
        }
        output::line(&totals.told(game, recipe.name()))?;
        output::line(&format!("\n{}", players.trim_end()))
    }

    /// One line of the table, or one of JSON.
    fn tell<G: OnBoard>(&self, game: &G, one: &Judged, totals: &mut Totals) -> Result<()> {
        if self.json {
            return output::json(one);
        }
        if totals.games == 0 {
            let [first, second] = [0, 1].map(|seat| game.seat_title(seat));
            output::line(&format!(
                "  game plies  result  start  luck {first:<6} {second:<6}  errors {first:<6} {second:<6}  drift  blunders"
            ))?;
        }
        totals.add(&one.ledger);
        output::line(&row(
            &one.game.to_string(),
            one.ledger.plies.len() as f64,
            &sums(&one.ledger),
        ))
    }
}

fn judge_one<G: OnBoard>(
    game: &G,
    played: &PlayedGame<G>,
    players: &[String],
    index: u64,
    rater: &mut Rater<'_, G>,
) -> Result<Judged> {
    let record = &played.record;
    let plies = record.plies.iter().map(|ply| (ply.outcome, ply.mv));
    let plies: Vec<_> = plies.collect();
    let ledger = judge(game, record.start, &plies, rater, None);
    let name = |&player: &u8| {
        players
            .get(usize::from(player))
            .cloned()
            .unwrap_or_default()
    };
    Ok(Judged {
        game: index + 1,
        players: played.players.iter().map(name).collect(),
        ledger: ledger.map_err(|problem| anyhow::Error::msg(problem.error))?,
    })
}

/// Result, start, luck and errors of both seats, drift, and the number of blunders.
type Sums = [f64; 8];

fn sums(ledger: &Ledger) -> Sums {
    let blunders = ledger.plies.iter().filter(|ply| ply.verdict == "blunder");
    let ([luck, other_luck], [errors, other_errors]) = (ledger.luck, ledger.errors);
    [
        ledger.result,
        ledger.start_value,
        luck,
        other_luck,
        errors,
        other_errors,
        ledger.drift,
        blunders.count() as f64,
    ]
}

fn row(name: &str, plies: f64, sums: &Sums) -> String {
    let [
        result,
        start,
        luck,
        other_luck,
        errors,
        other_errors,
        drift,
        blunders,
    ] = sums;
    format!(
        "{name:>6} {plies:>5.0}  {result:>6.2}  {start:>5.3}       {luck:>+6.3} {other_luck:>+6.3}         {errors:>6.3} {other_errors:>6.3} {drift:>+6.3}  {blunders:>8.2}"
    )
}

/// Sums over all games.
#[derive(Default)]
struct Totals {
    games: u32,
    plies: usize,
    sums: Sums,
    per_decision: [f64; 2],
    balance: f64,
}

impl Totals {
    fn add(&mut self, ledger: &Ledger) {
        self.games += 1;
        self.plies += ledger.plies.len();
        for (sum, one) in self.sums.iter_mut().zip(sums(ledger)) {
            *sum += one;
        }
        for seat in 0..2 {
            self.per_decision[seat] += ledger.error_per_decision[seat];
        }
        self.balance = self.balance.max(ledger.balance.abs());
    }

    fn told<G: OnBoard>(&self, game: &G, judge: &str) -> String {
        if self.games == 0 {
            return "no games".to_owned();
        }
        let games = f64::from(self.games);
        let mean = row(
            "mean",
            self.plies as f64 / games,
            &self.sums.map(|sum| sum / games),
        );
        let [first, second] = self.per_decision.map(|sum| sum / games);
        format!(
            "{mean}\n\n{} games judged by {judge}; errors a decision {first:.4} ({}) and {second:.4} ({}); sums miss 0 by at most {:.1e}",
            self.games,
            game.seat_title(0),
            game.seat_title(1),
            self.balance
        )
    }
}
