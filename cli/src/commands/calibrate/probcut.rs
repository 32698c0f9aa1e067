//! `alea calibrate --probcut`: measures errors of shallow searches and stores them with a model.

use super::Arguments;
use crate::output;
use anyhow::{Result, bail};
use engine::core::probcut::{MIN_DEPTH, ProbcutErrors, shallow_depths};
use engine::core::random::RandomStream;
use engine::learned::{inputs::Learnable, model_file::ModelFile};
use serde_json::json;
use std::path::Path;
use trainer::probcut::measure;

/// Prefix of evaluators that are models.
const MODEL: &str = "model:";

impl Arguments {
    pub(super) fn measure_probcut<G: Learnable>(&self, game: &G) -> Result<()> {
        let [evaluator] = &self.evaluators[..] else {
            bail!("--probcut measures one --eval at a time");
        };
        let mut file = match &self.out {
            None => None,
            Some(out) if out.exists() => {
                bail!("--out {}: exists already; name another file", out.display())
            }
            Some(out) => {
                let Some(path) = evaluator.strip_prefix(MODEL) else {
                    bail!("--out is for models: --eval {MODEL}FILE, not {evaluator}");
                };
                Some((out, ModelFile::load(game, Path::new(path))?))
            }
        };
        let player = self.player.clone();
        let player = player.unwrap_or_else(|| format!("star1(depth=1, eval={evaluator})"));
        let mut samples = self.play(game, &player)?;
        let mut random = RandomStream::new(self.seed);
        random.shuffle(&mut samples);
        samples.truncate(self.positions as usize);
        let positions: Vec<G::Position> =
            samples.into_iter().map(|(position, _)| position).collect();
        let errors = output::with_progress("positions", |progress| {
            measure(game, evaluator, &positions, self.depth, progress)
        })?;
        if let Some((out, file)) = &mut file {
            file.model.set_probcut_errors(Some(errors.clone()));
            file.save(out)?;
        }
        let told =
            json!({ "evaluator": evaluator, "positions": positions.len(), "probcut": errors });
        output::print_result(self.json, &told, || table(&errors))
    }
}

fn table(errors: &ProbcutErrors) -> String {
    let mut text =
        "mean and standard deviation of deep minus shallow, in log odds\n\ndepth".to_owned();
    let depths = errors.stages.first().map_or(0, Vec::len) as u32;
    for depth in MIN_DEPTH..MIN_DEPTH + depths {
        for shallow in shallow_depths(depth) {
            text += &format!("{:>15}", format!("{depth}-{shallow}"));
        }
    }
    for (stage, errors_of_stage) in errors.stages.iter().enumerate() {
        let first = stage as u32 * errors.moves_per_stage;
        text += &format!("\n{first:>2}-{:<2}", first + errors.moves_per_stage - 1);
        for error in errors_of_stage.iter().flatten() {
            text += &format!("{:>8.3} {:>6.3}", error.mean, error.deviation);
        }
    }
    text + "\n\nrows: moves left of the side to move"
}
