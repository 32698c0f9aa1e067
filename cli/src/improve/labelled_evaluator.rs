//! Evaluators of learning in generations, with labels.
//!
//! Invariant: labels contain no paths, so that directories can be moved and equal settings give
//! equal files.

use crate::commands::arena::labelled_contestant;
use crate::gating::{model_notation, with_evaluator};
use anyhow::Result;
use arena::matches::Contestant;
use engine::play::{playable::Playable, player_notation::Notation};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Evaluator {
    pub(crate) notation: String,
    pub(crate) label: String,
    /// File and name of a model of this run; `None` for other evaluators.
    pub(crate) model: Option<(PathBuf, String)>,
}

impl Evaluator {
    pub(crate) fn from_notation(notation: &str) -> Result<Self> {
        let label = Notation::parse(notation)?.to_string();
        Ok(Self {
            notation: label.clone(),
            label,
            model: None,
        })
    }

    pub(crate) fn model(path: &Path, name: &str) -> Self {
        Self {
            notation: model_notation(path),
            label: format!("model:{name}"),
            model: Some((path.to_owned(), name.to_owned())),
        }
    }

    pub(crate) fn contestant<G: Playable>(
        &self,
        template: &str,
        game: &G,
    ) -> Result<Contestant<G>> {
        labelled_contestant(
            &with_evaluator(template, &self.notation)?,
            &with_evaluator(template, &self.label)?,
            game,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::Standard;

    #[test]
    fn the_name_of_a_player_says_nothing_of_paths() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a b.safetensors");
        std::fs::copy(
            concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../models/quick-network.safetensors"
            ),
            &path,
        )
        .unwrap();
        let evaluator = Evaluator::model(&path, "generation-7")
            .contestant("star2(depth=2, eval={model})", &Standard::default())
            .unwrap();
        assert!(
            evaluator
                .name
                .starts_with("star2(depth=2, eval=model:generation-7) ["),
            "{}",
            evaluator.name
        );
        let abt = Evaluator::from_notation("abt").unwrap();
        let without_placeholder = abt.contestant("star2(depth=2)", &Standard::default());
        assert!(without_placeholder.is_err());
    }
}
