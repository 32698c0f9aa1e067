//! `alea data relabel`: labels all positions by a player, a model or endgame tables.

use super::{Rewrite, SHARDS_NOUN};
use crate::output;
use crate::sharding::ShardArguments;
use anyhow::Result;
use engine::play::playable::Playable;
use trainer::data::relabel;
use trainer::labeller::{LabelConfig, LabelSource};

/// Label every position, before its roll, with the value of a player, a model or the endgame
/// tables: new targets for old games
///
/// A label is stored under a name beside the values of the games' players and replaces one of that
/// name. An interrupted run resumes with the same arguments; until it is complete the new directory
/// is named DIR.unfinished. With --shard a task labels a range of the shards, and merge/M renames
/// the directory.
#[derive(clap::Args)]
#[command(
    after_help = "Examples: alea data relabel runs/data --out runs/deep --name deep --by \"star2(depth=4)\"\n          alea data relabel runs/data --out runs/net --name net --by model:models/quick-network.safetensors\n          alea data relabel runs/data --out runs/rolled --name rolled --by \"rollout(error=0.01)\"\n          alea data relabel runs/data --out runs/exact --name exact --tables 5"
)]
pub(super) struct Relabel {
    #[command(flatten)]
    pub(super) set: Rewrite,
    /// Name of the label: lower-case letters, digits and _
    #[arg(long)]
    name: String,
    /// Source of values: a player such as "star2(depth=4)", model:PATH, or another evaluator
    #[arg(
        long,
        value_name = "PLAYER",
        required_unless_present = "tables",
        conflicts_with = "tables"
    )]
    by: Option<String>,
    /// Prefer exact values from the game's endgame knowledge: in EinStein tables of up to N stones
    #[arg(long, value_name = "STONES")]
    tables: Option<usize>,
    #[command(flatten)]
    shard: ShardArguments,
}

impl Relabel {
    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        let source = self.set.records.open::<G>()?;
        let by = match (&self.by, self.tables) {
            (Some(by), _) => by.clone(),
            (None, left) => format!(
                "tables({}={})",
                G::INFO.remaining_unit,
                left.unwrap_or_default()
            ),
        };
        let name = self.name.clone();
        let recipe = LabelSource::new(&LabelConfig { name, by }, &source.rules)?;
        if !recipe.is_reproducible() {
            output::note(
                "note: a player with a time limit values differently each time; the same records will not get the same labels",
            );
        }
        let written = output::with_progress("games", |progress| {
            let slice = self.shard.slice();
            relabel::relabel(&source, &self.set.out, &recipe, slice, progress)
        })?;
        if self.shard.report_task_end(self.set.records.json)? {
            return Ok(());
        }
        self.set.records.print_written(&[written], SHARDS_NOUN)
    }
}
