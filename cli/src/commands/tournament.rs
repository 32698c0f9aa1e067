//! `alea tournament`: round-robin matches.

use crate::commands::arena::{MatchArguments, contestant, unsaved_note};
use crate::games::with_game;
use crate::{interruption_report, output};
use anyhow::Result;
use arena::{
    matches::{Contestant, MatchOptions, MatchResult, warning_of_repeats},
    tournament::{TournamentResult, play_tournament},
};
use engine::play::playable::Playable;
use engine::play::player_notation::trusted_text;
use std::sync::{Arc, Mutex, PoisonError};

/// Let every player play every other one, and print the matrix
///
/// With --state DIR an interrupted tournament resumes.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea tournament --games 1000 --player greedy --player \"MrBlack(0)\" --player \"MrBlack(1)\" --player \"FarmerBoy(2)\""
)]
pub(crate) struct Arguments {
    /// A player; give at least two
    #[arg(long = "player", required = true, value_name = "PLAYER")]
    players: Vec<String>,
    #[command(flatten)]
    options: MatchArguments,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let game = &self.options.pairs.game;
        with_game!(trusted_text(&game.notation()), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        let contestants = self.players.iter();
        let contestants = contestants.map(|player| contestant(player, game));
        let contestants = contestants.collect::<Result<Vec<_>>>()?;
        let options = self.options.options(game, false)?;
        let finished = Arc::new(Mutex::new(Vec::new()));
        self.report_if_interrupted(&contestants, &options, &finished);
        let result = play_tournament(&contestants, &options, |result| {
            output::note(&result.to_string());
            let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
            finished.push(result.clone());
        })?;
        interruption_report::clear_report();
        if self.options.pairs.shard.report_task_end(self.json)? {
            return Ok(());
        }
        output::print_result(self.json, &result, || table(&result))
    }

    /// Prints the matches finished so far if a signal ends the tournament.
    fn report_if_interrupted<G: Playable>(
        &self,
        contestants: &[Contestant<G>],
        options: &MatchOptions<G>,
        finished: &Arc<Mutex<Vec<MatchResult>>>,
    ) {
        let names: Vec<String> = contestants.iter().map(|one| one.name.clone()).collect();
        let (finished, as_json) = (Arc::clone(finished), self.json);
        let (is_kept, is_task) = (options.state.is_some(), options.slice.is_task());
        interruption_report::set_report(move || {
            let matches = finished
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            let has_any = !matches.is_empty() && !is_task;
            if has_any {
                let result = TournamentResult::of(names, matches);
                let _ = output::print_result(as_json, &result, || table(&result));
            }
            let saving = "a tournament with --state DIR";
            (!is_kept).then(|| unsaved_note(has_any.then_some("matches"), saving))
        });
    }
}

fn table(result: &TournamentResult) -> String {
    let warning = warning_of_repeats(&result.matches);
    let warning = warning.map_or(String::new(), |warning| format!("\n\n{warning}"));
    result.table_text().trim_end().to_owned() + &warning
}
