//! Checkpoints: the complete state of a training in one file, written atomically. Layout: the magic
//! `ALEATRN3`; four sections (header as JSON, model, optimizer, best model), each after its length
//! in eight bytes, little-endian; the xxh3 of all before.

use super::{EpochProgress, Learner, td::TdProgress};
use crate::Error;
use crate::config::TrainConfig;
use crate::curve::CurvePoint;
use alea_core::{
    files::{FileError, FileKind, read, write_atomically},
    model_names,
};
use alea_learned::{inputs::Learnable, model_file::ModelFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"ALEATRN3";

/// Fingerprint of temporal-difference learning, which has no samples.
pub(super) const TD_FINGERPRINT: u64 = 0;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) family: String,
    pub(super) configuration: String,
    pub(super) fingerprint: u64,
    /// Checksum of the model whose weights were the initial ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) initial_weights: Option<String>,
    /// Epoch of the lowest validation loss, from 1; 0 during the first epoch.
    pub(super) best_epoch: usize,
    pub(super) curve: Vec<CurvePoint>,
    /// Progress of the unfinished epoch; `None` between epochs.
    #[serde(rename = "begun")]
    pub(super) epoch_progress: Option<EpochProgress>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) online: Option<TdProgress>,
    /// Whether this training was lengthened and would have other weights, had it been so long from
    /// the start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) differs_by_length: bool,
}

impl Header {
    pub(super) fn best_point(&self) -> Option<&CurvePoint> {
        self.curve.get(self.best_epoch.checked_sub(1)?)
    }

    /// Lengthens the training to that of `config`; returns the configuration before, or `None` if
    /// `config` is not longer or differs otherwise.
    fn lengthen(&mut self, config: &TrainConfig) -> Option<TrainConfig> {
        let shorter = TrainConfig::from_toml(&self.configuration).ok()?;
        let mut longer = shorter.clone();
        match self.fingerprint {
            TD_FINGERPRINT => longer.online.games = config.online.games.max(longer.online.games),
            _ => longer.training.epochs = config.training.epochs.max(longer.training.epochs),
        }
        if longer == shorter || longer != *config {
            return None;
        }
        self.configuration = longer.to_toml();
        Some(shorter)
    }

    fn check_identity(
        &self,
        directory: &Path,
        family: &str,
        configuration: &str,
        fingerprint: u64,
        initial_weights: Option<&str>,
    ) -> Result<(), Error> {
        let other_training = |what: String| {
            Err(Error::at_path(
                path(directory),
                format!(
                    "it belongs to a training with another {what}; use another directory, or remove it to start again"
                ),
            ))
        };
        if self.family != family {
            return other_training(format!("family ({})", self.family));
        }
        let pairs = self.configuration.lines().zip(configuration.lines());
        if let Some((found, expected)) = pairs
            .into_iter()
            .find(|(found, expected)| found != expected)
        {
            return other_training(format!("configuration ({found}, not {expected})"));
        }
        if self.configuration != configuration {
            return other_training("configuration".to_owned());
        }
        if self.fingerprint != fingerprint {
            return other_training("set of samples".to_owned());
        }
        if self.initial_weights.as_deref() != initial_weights {
            return other_training("model to begin with".to_owned());
        }
        Ok(())
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Checkpoint {
    pub(super) header: Header,
    pub(super) model: Vec<u8>,
    pub(super) optimizer: Vec<u8>,
    pub(super) best: Vec<u8>,
    /// Configuration before this run lengthened the training; not stored.
    pub(super) shorter: Option<TrainConfig>,
}

pub(super) fn path(directory: &Path) -> PathBuf {
    directory.join("checkpoint.bin")
}

fn damaged_error(path: &Path, problem: &str) -> Error {
    Error::at_path(
        path,
        format!("{problem}; remove it to train from the start"),
    )
}

impl Checkpoint {
    /// Restores a training from its checkpoint into `learner`, or begins a new one, with the weights
    /// of `initial_model`, or else of the model that the settings name. A training may become
    /// longer, but not otherwise different.
    pub(super) fn open<G: Learnable>(
        directory: &Path,
        family: &str,
        config: &TrainConfig,
        fingerprint: u64,
        initial_model: Option<&ModelFile<G>>,
        (game, learner): (&G, &mut impl Learner<G>),
    ) -> Result<Self, Error> {
        let configuration = config.to_toml();
        let mut initial_weights = initial_model.map(ModelFile::checksum);
        let checkpoint = if let Some(mut found) = Self::read(directory)? {
            if initial_model.is_none() && !config.training.initial_model.is_empty() {
                // The name is part of the settings, and the checkpoint has the weights.
                initial_weights.clone_from(&found.header.initial_weights);
            }
            found.shorter = found.header.lengthen(config);
            found.header.check_identity(
                directory,
                family,
                &configuration,
                fingerprint,
                initial_weights.as_deref(),
            )?;
            learner.restore(found.model.clone(), Some(found.optimizer.clone()))?;
            found
        } else {
            let name = &config.training.initial_model;
            let named = match initial_model {
                None => read_initial_model(game, name)?,
                Some(_) => None,
            };
            if let Some(initial) = initial_model.or(named.as_ref()) {
                learner
                    .set_initial_weights(&initial.model)
                    .map_err(|error| match named {
                        Some(_) => Error::with_prefix(name)(error),
                        None => error,
                    })?;
                initial_weights = Some(initial.checksum());
            }
            let header = Header {
                family: family.to_owned(),
                configuration,
                fingerprint,
                initial_weights,
                ..Header::default()
            };
            Self {
                header,
                ..Self::default()
            }
        };
        write_atomically(&directory.join("config.toml"), |file| {
            file.write_all(checkpoint.header.configuration.as_bytes())
        })?;
        Ok(checkpoint)
    }

    pub(super) fn capture_state<G: Learnable>(
        &mut self,
        learner: &impl Learner<G>,
    ) -> Result<(), Error> {
        [self.model, self.optimizer] = learner.state()?;
        Ok(())
    }

    pub(super) fn write(&self, directory: &Path) -> Result<(), Error> {
        let path = path(directory);
        let header = serde_json::to_vec(&self.header).map_err(|error| {
            damaged_error(&path, &format!("the header cannot be written: {error}"))
        })?;
        let sections = [&header, &self.model, &self.optimizer, &self.best];
        let mut bytes =
            Vec::with_capacity(48 + sections.iter().map(|section| section.len()).sum::<usize>());
        bytes.extend_from_slice(MAGIC);
        for section in sections {
            bytes.extend_from_slice(&(section.len() as u64).to_le_bytes());
            bytes.extend_from_slice(section);
        }
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        write_atomically(&path, |file| file.write_all(&bytes))?;
        Ok(())
    }

    pub(super) fn read(directory: &Path) -> Result<Option<Self>, Error> {
        let path = path(directory);
        let bytes = match read(&path, FileKind::Data) {
            Err(FileError::NotFound { .. }) => return Ok(None),
            other_training => other_training?,
        };
        Self::parse(&bytes)
            .map(Some)
            .map_err(|problem| damaged_error(&path, &problem))
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or("it is no checkpoint of this version")?;
        let (_, checksum) = bytes.split_last_chunk::<8>().ok_or("it is too short")?;
        if rest.len() < 8 || xxh3_64(&bytes[..bytes.len() - 8]) != u64::from_le_bytes(*checksum) {
            return Err("its checksum is wrong, it is damaged or cut off".to_owned());
        }
        let mut rest = &rest[..rest.len() - 8];
        let mut section = || -> Result<Vec<u8>, String> {
            let (length, content) = rest
                .split_first_chunk::<8>()
                .ok_or("a section is missing")?;
            let length = usize::try_from(u64::from_le_bytes(*length))
                .map_err(|_| "a section is too long")?;
            let (section, remaining) = content
                .split_at_checked(length)
                .ok_or("a section is cut off")?;
            rest = remaining;
            Ok(section.to_vec())
        };
        let header = serde_json::from_slice(&section()?)
            .map_err(|error| format!("its header cannot be read: {error}"))?;
        Ok(Self {
            header,
            model: section()?,
            optimizer: section()?,
            best: section()?,
            shorter: None,
        })
    }
}

/// Reads the model `name`, a path or the name of a shipped one; `None` if `name` is empty.
fn read_initial_model<G: Learnable>(game: &G, name: &str) -> Result<Option<ModelFile<G>>, Error> {
    if name.is_empty() {
        return Ok(None);
    }
    let bytes = model_names::read(name).map_err(Error::new)?;
    let file = ModelFile::from_bytes(game, &bytes);
    file.map(Some).map_err(Error::with_prefix(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let point = CurvePoint {
            epoch: 1,
            training_loss: 0.1 + 0.2,
            validation_loss: 1.0 / 3.0,
            validation_by_phase: Vec::new(),
            learning_rate: 1e-3,
            samples_per_second: 5.0,
            seconds: 0.1,
        };
        let header = Header {
            family: "network".into(),
            configuration: "seed = 1".into(),
            fingerprint: u64::MAX,
            initial_weights: Some("0123456789abcdef".into()),
            best_epoch: 1,
            curve: vec![point],
            epoch_progress: Some(EpochProgress {
                batches: 3,
                samples: 300,
                loss: 0.1 + 0.7,
                learning_rate: 1e-3,
                seconds: 0.1,
            }),
            online: None,
            differs_by_length: false,
        };
        Checkpoint {
            header,
            model: vec![1, 2, 3],
            optimizer: Vec::new(),
            best: vec![9; 1000],
            shorter: None,
        }
    }

    #[test]
    fn a_checkpoint_survives_a_round_trip() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Checkpoint::read(directory.path()).unwrap(), None);
        checkpoint().write(directory.path()).unwrap();
        assert_eq!(
            Checkpoint::read(directory.path()).unwrap(),
            Some(checkpoint())
        );
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        checkpoint().write(directory.path()).unwrap();
        let bytes = std::fs::read(path(directory.path())).unwrap();
        for index in 0..bytes.len() {
            assert!(
                Checkpoint::parse(&bytes[..index]).is_err(),
                "cut at {index}"
            );
            let mut changed = bytes.clone();
            changed[index] ^= 1;
            assert!(Checkpoint::parse(&changed).is_err(), "changed at {index}");
        }
        std::fs::write(path(directory.path()), &bytes[..100]).unwrap();
        let error = Checkpoint::read(directory.path()).unwrap_err().to_string();
        assert!(
            error.contains("checkpoint.bin") && error.contains("cut off"),
            "{error}"
        );
    }
}
