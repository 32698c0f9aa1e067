//! Settings files: TOML, with errors of one line that name the line and the key.

use anyhow::{Context, Result, anyhow, bail};
use engine::core::files;
use engine::play::playable::Playable;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Reads a settings file.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = String::from_utf8(files::read(path)?).map_err(|_| anyhow!("not a text file"));
    text.and_then(|text| parse(&text))
        .with_context(|| path.display().to_string())
}

/// The text of one of a game's presets, with comments; with the rules that `game` names, if it names
/// any.
pub(crate) fn preset<G: Playable>(
    name: &str,
    presets: &[(&str, &str)],
    game: &str,
) -> Result<String> {
    let Some((_, text)) = presets.iter().find(|(known, _)| *known == name) else {
        let names: Vec<_> = presets.iter().map(|(name, _)| *name).collect();
        let there = if names.is_empty() {
            "presets; name settings of your own with --config".to_owned()
        } else {
            format!("such preset; there are {}", names.join(", "))
        };
        bail!("--preset {name}: {} has no {there}", G::NAME);
    };
    let line = text.lines().find(|line| line.starts_with("game = "));
    Ok(match line {
        Some(line) if game != G::NAME => {
            text.replacen(line, &format!("game = {}", toml::Value::from(game)), 1)
        }
        _ => (*text).to_owned(),
    })
}

/// Reads settings; an error names the line and the key.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let line = 1 + text.as_bytes()[..at]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        anyhow!("line {line}: {}", error.message().replace('\n', " "))
    })
}
