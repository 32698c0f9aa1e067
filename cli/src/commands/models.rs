//! `alea models`: lists and verifies model files.

use crate::games;
use crate::output;
use anyhow::{Error, Result, bail};
use engine::core::{files, model_names, text::printable};
use engine::learned::{
    inputs::Learnable,
    model_file::{ModelFile, read_game_name},
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// List and verify model files
///
/// Verified are format, checksum, features and shapes.
#[derive(clap::Args)]
#[command(after_help = "Example: alea models\n         alea models fast-1 --json")]
pub(crate) struct Arguments {
    /// A directory of model files, or a model by path or name; `models` has those that the program
    /// contains
    #[arg(default_value = "models")]
    path: PathBuf,
    /// Write one JSON object a model
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let name = self.path.to_string_lossy();
        let mut paths = vec![model_names::path_of(&name)];
        let mut missing = None;
        match files::list(&self.path) {
            Ok(listed) => {
                paths = listed;
                paths.retain(|path| path.extension().is_some_and(|end| end == "safetensors"));
                paths.sort();
            }
            Err(_) => missing = model_names::read(&name).err(),
        }
        if paths.is_empty() && !self.json {
            output::print_line(&format!(
                "no model in {}; make one with: alea pipeline",
                self.path.display()
            ))?;
        }
        let (mut bad, all) = (0, paths.len());
        for path in paths {
            let verified = missing
                .take()
                .map_or_else(|| verify(&path), |problem| Err(Error::msg(problem)));
            if let Err(error) = &verified {
                bad += 1;
                if !self.json {
                    let problem = format!("BAD  {error:#}");
                    output::print_line(&printable(&problem))?;
                    continue;
                }
            }
            let object = verified.unwrap_or_else(
            |error| json!({ "path": path.display().to_string(), "ok": false, "error": format!("{error:#}") }),
        );
            output::print_result(self.json, &object, || {
                let [game, kind, weights, description] = ["game", "kind", "weights", "description"]
                    .map(|key| {
                        let text = object[key].as_str().map(str::to_owned);
                        let text = text.unwrap_or_else(|| object[key].to_string());
                        printable(&text).into_owned()
                    });
                let path = path.display().to_string();
                let path = printable(&path);
                format!("ok   {path}\n     {game}, {kind}, {weights} weights, {description}")
            })?;
        }
        if bad > 0 {
            bail!("{bad} of {all} model files cannot be used");
        }
        Ok(())
    }
}

fn verify(path: &Path) -> Result<Value> {
    let name = read_game_name(path)?;
    let verified =
        engine::for_games!(crate::games::each_game! OneGame => verify_for::<OneGame>(path, &name));
    let verified = verified.into_iter().flatten().next();
    verified.unwrap_or_else(|| {
        let games_with_models = games::game_synopses().join(", ");
        bail!(
            "{}: a model of '{name}'; there are {games_with_models}",
            path.display()
        )
    })
}

/// Verifies a model; `None` if it is not for game `G`.
fn verify_for<G: Learnable>(path: &Path, name: &str) -> Option<Result<Value>> {
    let file = match ModelFile::load(&G::from_model_game_name(name)?, path) {
        Ok(file) => file,
        Err(error) => return Some(Err(error.into())),
    };
    let provenance =
        serde_json::from_str(&file.provenance).unwrap_or(Value::String(file.provenance.clone()));
    Some(Ok(json!({
        "path": path.display().to_string(), "ok": true, "game": name, "kind": file.model.kind(), "weights": file.model.parameters(),
        "description": file.model.summary(), "provenance": provenance,
    })))
}
