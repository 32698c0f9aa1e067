//! `alea judge`: analyses luck and errors in recorded games.

mod games_to_judge;
mod report;

use crate::games::{self, with_type};
use crate::output;
use anyhow::{Context, Error, Result};
use engine::play::build::PlayerRecipe;
use engine::play::playable::Playable;
use engine::play::player_notation::trusted_text;
use games_to_judge::{GameToJudge, GamesToJudge};
use report::Report;
use serde::Serialize;
use std::path::PathBuf;
use web::{
    answer::default_reviewer,
    api_types::{GameReview, Problem},
    position_values::MoveValuer,
};

/// Analyse recorded games: luck, errors, and where they were made
///
/// For every seat the result is the value of the start, plus its luck, minus its errors, plus luck
/// and errors of the others, plus the judge's revaluations a ply later ('drift'). Values are those
/// of the judging player, exact where endgame tables or a quick solution have them, in points of
/// the game or, in games without points, hundredths of a win.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea judge runs/data --player \"star2(depth=3, eval=best)\" --games 20\n         alea judge runs/data --html judged.html\n         alea judge game.jsonl   # as 'save' of 'alea play' writes it"
)]
pub(crate) struct Arguments {
    /// Shards, directories of shards, or JSON lines: a game that 'alea play' saved, also an
    /// unfinished one, or games of 'alea data export'
    #[arg(required = true, value_name = "GAMES")]
    paths: Vec<PathBuf>,
    /// The judging player; it has to value moves [default: the game's best evaluator with
    /// star2(depth=3), star2(depth=2) in backgammon, without chance star1(depth=2), with more than
    /// two seats maxn(depth=2)]
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
struct JudgedGame {
    game: u64,
    players: Vec<String>,
    #[serde(flatten)]
    ledger: GameReview,
}

const MAX_GAMES_IN_MEMORY: u64 = 256;

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_type!(&games::game_of_records(&self.paths), OneGame => self.run_for::<OneGame>())
    }

    fn run_for<G: Playable>(&self) -> Result<()> {
        let mut source = GamesToJudge::<G>::open(&self.paths)?;
        let game = source.rules().clone();
        let player = self
            .player
            .clone()
            .unwrap_or_else(|| default_reviewer(&game));
        let recipe = PlayerRecipe::parse(trusted_text(&player), &game)?;
        output::check_output_dirs(&[&self.html])?;
        let mut report = Report::of(&game);
        let (mut first, max_games) = (0, self.games.unwrap_or(u64::MAX));
        output::with_progress("games", |progress| {
            loop {
                let batch = source.next_games(MAX_GAMES_IN_MEMORY.min(max_games - first))?;
                if batch.is_empty() {
                    return Ok::<_, Error>(());
                }
                progress.inc_length(batch.len() as u64);
                let one = |index: usize| {
                    let played: &GameToJudge<G> = &batch[index];
                    let ledger = review_game(&game, played, &recipe);
                    progress.inc(1);
                    Ok::<_, Error>(JudgedGame {
                        game: first + index as u64 + 1,
                        players: played.players.clone(),
                        ledger: ledger.with_context(|| played.name.clone())?,
                    })
                };
                for one in alea_parallel::try_map(batch.len(), one)? {
                    if self.json {
                        progress.suspend(|| output::print_json(&one))?;
                    }
                    report.add(one);
                }
                first += batch.len() as u64;
            }
        })?;
        if !self.json {
            output::print_line(&report.text(recipe.name()))?;
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
    played: &GameToJudge<G>,
    judge: &PlayerRecipe<G>,
) -> Result<GameReview, Problem> {
    web::review::review(
        game,
        played.start,
        &played.plies,
        played.payoffs.as_deref(),
        &mut MoveValuer::new(game, judge),
        None,
    )
}
