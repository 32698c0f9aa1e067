//! `--set KEY=VALUE`: settings from the command line in place of those of the settings file.

use super::{keys::setting_keys, parse_toml};
use anyhow::{Context, Result, bail, ensure};
use engine::core::text;
use serde::{Serialize, de::DeserializeOwned};
use std::path::Path;
use toml::{Table, Value};

#[derive(clap::Args, Default)]
pub(crate) struct SetArguments {
    /// Override a setting of the settings file, in TOML (seed=5); may be given several
    /// times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl SetArguments {
    pub(crate) fn read_toml<T: DeserializeOwned>(&self, path: &Path) -> Result<T> {
        let text = super::read_text(path)?;
        self.parse_toml(&text, || path.display().to_string())
    }

    /// Parses the text of a settings file, and overrides its settings; `file` names the file in its
    /// errors.
    pub(crate) fn parse_toml<T: DeserializeOwned>(
        &self,
        text: &str,
        file: impl Fn() -> String,
    ) -> Result<T> {
        let settings = parse_toml(text).with_context(&file)?;
        if self.set.is_empty() {
            return Ok(settings);
        }
        override_table(parse_toml(text).with_context(file)?, &self.parse("--set")?)
    }

    fn parse(&self, option: &'static str) -> Result<Vec<Override>> {
        let set = self.set.iter();
        set.map(|argument| Override::parse(option, argument))
            .collect()
    }
}

/// A setting and its new value, with the option that gave it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Override {
    option: &'static str,
    pub(crate) key: String,
    pub(crate) value: Value,
}

impl Override {
    /// Parses `KEY=VALUE`. A value that is no TOML, such as `cosine`, is a string, unless it begins
    /// like a string, a list or a table.
    pub(crate) fn parse(option: &'static str, argument: &str) -> Result<Self> {
        let Some((key, value)) = argument.split_once('=') else {
            bail!("{option} {argument}: it is written KEY=VALUE");
        };
        let (key, text) = (key.trim(), value.trim());
        let value = match text.parse::<Value>() {
            Err(error) if text.starts_with(['"', '\'', '[', '{']) => {
                bail!(
                    "{option} {argument}: {}",
                    error.message().replace('\n', " ")
                )
            }
            Err(_) => Value::String(text.to_owned()),
            Ok(value) => value,
        };
        ensure!(
            is_finite(&value),
            "{option} {argument}: it must be a finite number"
        );
        let key = key.to_owned();
        Ok(Self { option, key, value })
    }

    pub(crate) fn with_value(&self, value: Value) -> Self {
        Self {
            value,
            ..self.clone()
        }
    }

    fn insert(&self, table: &mut Table) -> Result<()> {
        let (mut section, mut key) = (table, &*self.key);
        while let Some((name, rest)) = key.split_once('.') {
            let inner = section.entry(name).or_insert_with(|| Table::new().into());
            let Some(inner) = inner.as_table_mut() else {
                bail!("{self}: '{name}' is no section");
            };
            (section, key) = (inner, rest);
        }
        section.insert(key.to_owned(), self.value.clone());
        Ok(())
    }

    fn check_key(&self, keys: &[String]) -> Result<()> {
        if keys.contains(&self.key) {
            return Ok(());
        }
        let name = self.key.rsplit('.').next().unwrap_or_default();
        let same_name = keys
            .iter()
            .filter(|key| key.rsplit('.').next() == Some(name));
        let same_name: Vec<_> = same_name.map(|key| format!("'{key}'")).collect();
        let nearest = match &same_name[..] {
            [] => text::suggestion(&self.key, &keys.join(", ")),
            keys => format!(" (did you mean {}?)", keys.join(" or ")),
        };
        let mut sections = keys.iter().filter(|key| !key.contains('.'));
        let there = match (&*nearest, sections.next()) {
            ("", Some(first)) => {
                sections.fold(format!("; there are {first}"), |all, key| all + ", " + key)
            }
            _ => String::new(),
        };
        bail!("{self}: there is no setting '{}'{nearest}{there}", self.key)
    }
}

impl std::fmt::Display for Override {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}={}", self.option, self.key, self.value)
    }
}

fn is_finite(value: &Value) -> bool {
    match value {
        Value::Float(number) => number.is_finite(),
        Value::Array(values) => values.iter().all(is_finite),
        Value::Table(table) => table.values().all(is_finite),
        _ => true,
    }
}

/// Copies `settings` with the values of `overrides`.
///
/// # Errors
/// Names the first override with an unknown key or a value of a wrong type.
pub(crate) fn override_settings<T: Serialize + DeserializeOwned>(
    settings: &T,
    overrides: &[Override],
) -> Result<T> {
    override_table(Table::try_from(settings)?, overrides)
}

fn override_table<T: DeserializeOwned>(table: Table, overrides: &[Override]) -> Result<T> {
    let keys = setting_keys::<T>();
    overrides.iter().try_for_each(|one| one.check_key(&keys))?;
    let merge = |overrides: &[Override]| -> Result<std::result::Result<T, toml::de::Error>> {
        let mut table = table.clone();
        overrides
            .iter()
            .try_for_each(|one| one.insert(&mut table))?;
        Ok(table.try_into())
    };
    let error = match merge(overrides)? {
        Ok(settings) => return Ok(settings),
        Err(error) => error,
    };
    // Alone, the wrong one still has its error. Keys of a new section may miss each other.
    for one in overrides {
        if let Err(alone) = merge(std::slice::from_ref(one))?
            && alone.message() == error.message()
        {
            bail!("{one}: {}", describe_type_error(error.message()));
        }
    }
    let option = overrides.first().map_or("", |one| one.option);
    bail!("{option}: {}", describe_type_error(error.message()))
}

/// Names the expected type as TOML does, where the error has the name of Rust's type.
fn describe_type_error(message: &str) -> String {
    let message = message.replace('\n', " ");
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message;
    };
    let expected = match expected {
        "u8" => "an integer from 0 to 255",
        "u16" => "an integer from 0 to 65535",
        "u32" | "u64" | "usize" => "an integer from 0",
        "i64" => "an integer",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        expected if expected.starts_with("struct ") => "a section",
        expected => expected,
    };
    format!("{found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trainer::config::{Schedule, TrainConfig};

    fn train_config(set: &[&str]) -> Result<TrainConfig> {
        let set = set.iter().map(ToString::to_string).collect();
        SetArguments { set }.parse_toml("[network]\nbatch = 64", || "a file".to_owned())
    }

    #[test]
    fn values_are_toml_and_bare_words_are_strings() {
        let config = train_config(&[
            "training.schedule=constant",
            "network.hidden=[32, 16]",
            "network.learning_rate=1",
            "target.label = \"deep = 5\"",
            "ntuple.tuples=[\"s0 s6\"]",
            "training.epochs=3",
            "training.epochs=4",
        ]);
        let mut expected = TrainConfig::default();
        expected.network.batch = 64;
        expected.training.schedule = Schedule::Constant;
        expected.network.hidden = vec![32, 16];
        expected.network.learning_rate = 1.0;
        expected.target.label = "deep = 5".to_owned();
        expected.ntuple.tuples = vec!["s0 s6".to_owned()];
        expected.training.epochs = 4;
        assert_eq!(config.unwrap(), expected);
    }

    #[test]
    fn settings_survive_an_override_of_one() {
        let config = TrainConfig::default();
        let one = Override::parse("--sweep", "target.final_search_share=0.3").unwrap();
        let changed = override_settings(&config, &[one]).unwrap();
        assert_eq!(changed.target.final_lambda, Some(0.3));
        let mut expected = config;
        expected.target.final_lambda = Some(0.3);
        assert_eq!(changed, expected);
    }

    #[test]
    fn a_wrong_override_is_one_line_with_the_right_one() {
        for (argument, expected) in [
            ("training.epochs", "it is written KEY=VALUE"),
            (
                "training.epoch=3",
                "there is no setting 'training.epoch' (did you mean 'training.epochs'?)",
            ),
            (
                "learning_rate=0.1",
                "there is no setting 'learning_rate' (did you mean 'network.learning_rate' or 'ntuple.learning_rate' or 'online.learning_rate'?)",
            ),
            (
                "x=1",
                "there is no setting 'x'; there are seed, target, training, network, ntuple, online",
            ),
            (
                "seed.x=1",
                "there is no setting 'seed.x' (did you mean 'seed'?)",
            ),
            (
                "training.epochs=many",
                "invalid type: string \"many\", expected an integer from 0",
            ),
            (
                "training.epochs=-1",
                "invalid value: integer `-1`, expected an integer from 0",
            ),
            (
                "network.learning_rate=[1]",
                "invalid type: sequence, expected a number",
            ),
            (
                "training.schedule=linear",
                "unknown variant `linear`, expected one of `cosine`, `step`, `constant`",
            ),
            (
                "training=3",
                "invalid type: integer `3`, expected a section",
            ),
            ("network.learning_rate=inf", "it must be a finite number"),
            ("network.hidden=[16", "unclosed array, expected `]`"),
        ] {
            let error = train_config(&["seed=3", argument]).unwrap_err().to_string();
            let (option, problem) = error.split_once(": ").unwrap();
            assert!(option.starts_with("--set "), "{error}");
            assert_eq!(problem, expected);
        }
    }

    #[test]
    fn keys_of_a_new_section_come_together() {
        use crate::improve::config::ImproveConfig;
        use engine::games::einstein::Standard;
        use engine::play::playable::Rules;
        let quick = Standard::INFO.improve_presets[0].1;
        let improve = |set: &[&str]| {
            let set = set.iter().map(ToString::to_string).collect();
            SetArguments { set }.parse_toml::<ImproveConfig>(quick, String::new)
        };
        let config = improve(&["relabel.name=deep", "relabel.by=star1(depth=2)"]).unwrap();
        assert!(config.relabel.is_some());
        let error = improve(&["relabel.name=deep"]).unwrap_err().to_string();
        assert_eq!(error, "--set relabel.name=\"deep\": missing field `by`");
    }
}
