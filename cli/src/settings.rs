//! Settings files in TOML, and the options that override them; errors name line and key.

mod keys;
mod overrides;

use crate::games::{self, GameArguments};
use crate::output;
use anyhow::{Result, bail};
use engine::core::{
    files::{self, FileError, FileKind},
    text,
};
use engine::play::playable::Playable;
use engine::play::player_notation::trusted_text;
pub(crate) use overrides::{Override, SetArguments, override_settings};
use serde::{Serialize, de::DeserializeOwned};
use std::path::{Path, PathBuf};
pub(crate) use trainer::config::parse_toml;

pub(crate) trait Settings: Serialize + DeserializeOwned {
    fn presets<G: Playable>() -> &'static [(&'static str, &'static str)];

    /// Game, seed and training device, which all settings have.
    fn common_fields(&mut self) -> (&mut String, &mut u64, &mut String);
}

/// Options of a run: a preset or a settings file, and overrides.
#[derive(clap::Args)]
pub(crate) struct SettingsArguments {
    /// Preset of the game's settings: on two cores a pipeline or a generation of 'quick' takes
    /// minutes, of 'standard' most of an hour
    #[arg(long, default_value = "quick", value_name = "PRESET")]
    pub(crate) preset: String,
    #[command(flatten)]
    game: GameArguments,
    /// Settings file instead of a preset
    #[arg(long, value_name = "FILE", conflicts_with_all = ["preset", "game", "variant"])]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    set: SetArguments,
    /// Seed of everything random; overrides the settings
    #[arg(long)]
    seed: Option<u64>,
    /// What trains networks: cpu, or burn on wgpu, cuda or flex if compiled in; overrides the settings
    #[arg(long)]
    backend: Option<String>,
    /// Write the preset with its comments to standard output, and stop
    #[arg(long, conflicts_with = "set")]
    print_config: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl SettingsArguments {
    pub(crate) fn game<S: Settings>(&self) -> Result<String> {
        Ok(match &self.config {
            Some(path) => self.set.read_toml::<S>(path)?.common_fields().0.clone(),
            None => self.game.notation(),
        })
    }

    /// Reads the settings and their rules; with `--print-config`, prints the preset and returns
    /// `None`.
    pub(crate) fn read<S: Settings, G: Playable>(&self) -> Result<Option<(S, G)>> {
        let mut settings: S = match &self.config {
            Some(path) if !self.print_config => self.set.read_toml(path)?,
            _ => {
                let text = self.preset_text::<S, G>()?;
                if self.print_config {
                    output::print_line(text.trim_end())?;
                    return Ok(None);
                }
                self.set.parse_toml(&text, || self.preset.clone())?
            }
        };
        let (game, seed, backend) = settings.common_fields();
        let rules: G = games::parse_game(trusted_text(game))?;
        *game = rules.notation();
        *seed = self.seed.unwrap_or(*seed);
        if let Some(chosen) = &self.backend {
            backend.clone_from(chosen);
        }
        Ok(Some((settings, rules)))
    }

    fn preset_text<S: Settings, G: Playable>(&self) -> Result<String> {
        let (name, presets, game) = (&self.preset, S::presets::<G>(), self.game.notation());
        let Some((_, text)) = presets.iter().find(|(preset_name, _)| preset_name == name) else {
            let names: Vec<_> = presets.iter().map(|(name, _)| *name).collect();
            let there = if names.is_empty() {
                "presets; name settings of your own with --config".to_owned()
            } else {
                let names = names.join(", ");
                let meant = text::suggestion(name, &names);
                format!("such preset{meant}; there are {names}")
            };
            bail!("--preset {name}: {} has no {there}", G::INFO.name);
        };
        let line = text.lines().find(|line| line.starts_with("game = "));
        Ok(match line {
            Some(line) if game != G::INFO.name => {
                text.replacen(line, &format!("game = {}", toml::Value::from(game)), 1)
            }
            _ => (*text).to_owned(),
        })
    }
}

/// Stores the settings as file `name`, or checks that the stored ones are equal apart from the keys
/// in `free`.
pub(crate) fn store_or_check<S: Settings, G: Playable>(
    settings: &S,
    directory: &Path,
    name: &str,
    free: &[&str],
) -> Result<()> {
    let path = directory.join(name);
    let text = toml::to_string(settings)?;
    if path.exists() {
        let mut found: S = read_toml(&path)?;
        // Compares rules, which may have several notations.
        let (game, ..) = found.common_fields();
        if let Ok(rules) = G::from_notation(trusted_text(game), None) {
            *game = rules.notation();
        }
        let found = toml::to_string(&found)?;
        let is_free = |line: &str| {
            free.iter()
                .any(|key| line.starts_with(&format!("{key} = ")))
        };
        let bound = |text| str::lines(text).filter(|line| !is_free(line));
        if !bound(&text).eq(bound(&found)) {
            let mut lines = bound(&text).zip(bound(&found));
            let differs = (lines.find(|(expected, found)| expected != found))
                .map(|(expected, found)| format!(" ('{found}', not '{expected}')"))
                .unwrap_or_default();
            bail!(
                "{}: made with other settings{differs}; choose another --out, or remove it",
                directory.display()
            );
        }
    }
    Ok(output::write_file(&path, text)?)
}

pub(crate) fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T> {
    SetArguments::default().read_toml(path)
}

fn read_text(path: &Path) -> Result<String, FileError> {
    files::read_text(path, FileKind::Text)
}
