//! `alea judge`: luck and errors in recorded games.

mod report;

use crate::games::{self, with_type};
use crate::output;
use anyhow::{Context, Error, Result};
use engine::play::playable::Playable;
use engine::play::player_notation::trusted_text;
use engine::{core::record::GameRecord, play::build::PlayerRecipe};
use report::Report;
use serde::Serialize;
use std::path::PathBuf;
use trainer::data::ShardReader;
use web::{
    answer::default_reviewer,
    api_types::{GameReview, PlayedPly, Problem},
    position_values::{MoveValuer, has_chance},
};

/// Analyse recorded games: luck, errors, and where they were made
///
/// For every seat the result is the value of the start, plus its luck, minus its errors, plus luck
/// and errors of the others, plus the judge's revaluations a ply later ('drift'). Values are those
/// of the judging player, exact where endgame tables or a quick solution have them, in points
/// (hundredths of a win).
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea judge runs/data --player \"star2(depth=3, eval=best)\" --games 20\n         alea judge runs/data --html judged.html"
)]
pub(crate) struct Arguments {
    /// Shards, or directories of shards
    #[arg(required = true, value_name = "GAMES")]
    paths: Vec<PathBuf>,
    /// The judging player; it has to value moves [default: the game's best evaluator with
    /// star2(depth=3), without chance with star1(depth=2), with more than two seats with
    /// maxn(depth=2)]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Only the first N games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Also write a page: all players, all games, and the first twenty ply by ply
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write JSON: the ledger of every game with all its plies, one game a line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct JudgedGame<'a> {
    /// Number from 1.
    game: u64,
    players: Vec<&'a str>,
    #[serde(flatten)]
    ledger: GameReview,
}

const MAX_GAMES_IN_MEMORY: u64 = 256;

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_type!(&games::game_of_records(&self.paths), OneGame => self.run_for::<OneGame>())
    }

    fn run_for<G: Playable>(&self) -> Result<()> {
        let source = ShardReader::<G>::open(&self.paths)?;
        let game = &source.rules;
        let player = self
            .player
            .clone()
            .unwrap_or_else(|| default_reviewer(game));
        let recipe = PlayerRecipe::parse(trusted_text(&player), game)?;
        output::check_output_dirs(&[&self.html])?;
        let all = self.games.unwrap_or(u64::MAX).min(source.games);
        let mut report = Report::of(game);
        output::with_progress("games", |progress| {
            progress.set_length(all);
            for first in (0..all).step_by(MAX_GAMES_IN_MEMORY as usize) {
                let some = source.read_games(first, all.min(first + MAX_GAMES_IN_MEMORY))?;
                let one = |index: usize| {
                    let played = &some[index];
                    let number = first + index as u64 + 1;
                    let ledger = review_game(game, &played.record, &recipe);
                    progress.inc(1);
                    let player = |&player: &u8| &*source.players[usize::from(player)];
                    Ok::<_, Error>(JudgedGame {
                        game: number,
                        players: played.players.iter().map(player).collect(),
                        ledger: ledger.with_context(|| format!("game {number}"))?,
                    })
                };
                for one in alea_parallel::try_map(some.len(), one)? {
                    if self.json {
                        progress.suspend(|| output::json(&one))?;
                    }
                    report.add(one);
                }
            }
            Ok::<_, Error>(())
        })?;
        if !self.json {
            output::line(&report.text(recipe.name()))?;
        }
        if let Some(path) = &self.html {
            let page = report.page(&game.notation(), recipe.name());
            output::write_file(path, page.html(crate::PROGRAM))?;
        }
        Ok(())
    }
}

fn review_game<G: Playable>(
    game: &G,
    record: &GameRecord<G>,
    judge: &PlayerRecipe<G>,
) -> Result<GameReview, Problem> {
    let plies = record.positions(game).zip(&record.plies);
    let plies = plies.map(|(position, ply)| PlayedPly {
        face: has_chance::<G>().then_some(ply.outcome),
        mv: game.format_move(&position, ply.mv),
    });
    let plies: Vec<PlayedPly> = plies.collect();
    let payoffs = (!record.ending.is_played()).then(|| &record.payoffs[..game.seats()]);
    web::review::review(
        game,
        record.start,
        &plies,
        payoffs,
        &mut MoveValuer::new(game, judge)?,
        None,
    )
}
