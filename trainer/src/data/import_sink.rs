//! Writes imported games to a new set and counts those that cannot be stored.

use super::shard_writer::{ShardWriter, WriteSummary};
use crate::Error;
use crate::shard::{NO_RESULT, PlayedGame, ShardHeader};
use alea_play::playable::Playable;
use serde::Serialize;
use std::{
    fmt::{self, Display},
    path::{Path, PathBuf},
};

const MAX_LISTED_PROBLEMS: usize = 1_000;

/// Treatment of illegal or unfinished games at an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadGames {
    /// Stop with an error.
    #[default]
    Refuse,
    /// Leave such games out and list them.
    Skip,
}

/// Numbers of imported games that were not stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SkippedGames {
    /// Number of games without a result.
    pub stopped: u64,
    /// Number of illegal or unreadable games.
    pub damaged: u64,
    /// Number of games that ended by a forfeit.
    pub forfeited: u64,
    /// Problems of the first 1,000 stopped or damaged games, one line each.
    pub problems: Vec<String>,
}

impl SkippedGames {
    /// Whether every game was stored.
    #[must_use]
    pub fn has_none(&self) -> bool {
        *self == Self::default()
    }
}

pub(super) enum Rejection {
    Stopped,
    Damaged(String),
}

impl From<String> for Rejection {
    fn from(problem: String) -> Self {
        Self::Damaged(problem)
    }
}

impl Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Stopped => NO_RESULT,
            Self::Damaged(problem) => problem,
        })
    }
}

pub(super) struct ImportSink<G: Playable> {
    file: PathBuf,
    output: ShardWriter<G>,
    bad: BadGames,
    left_out: SkippedGames,
}

impl<G: Playable> ImportSink<G> {
    pub(super) fn create(
        file: &Path,
        directory: &Path,
        header: ShardHeader,
        bad: BadGames,
    ) -> Result<Self, Error> {
        Ok(Self {
            file: file.to_owned(),
            output: ShardWriter::create(directory, header)?,
            bad,
            left_out: SkippedGames::default(),
        })
    }

    pub(super) fn take(
        &mut self,
        location: impl Display,
        game: Result<PlayedGame<G>, Rejection>,
    ) -> Result<(), Error> {
        let rejection = match game {
            Ok(game) => return self.output.push(game),
            Err(rejection) => rejection,
        };
        let problem = format!("{location}: {rejection}");
        if self.bad == BadGames::Refuse {
            let problem = format!("{problem}; --skip-bad leaves such games out");
            return Err(Error::at_path(&self.file, problem));
        }
        *match rejection {
            Rejection::Stopped => &mut self.left_out.stopped,
            Rejection::Damaged(_) => &mut self.left_out.damaged,
        } += 1;
        if self.left_out.problems.len() < MAX_LISTED_PROBLEMS {
            let problem = Error::at_path(&self.file, problem).to_string();
            self.left_out.problems.push(problem);
        }
        Ok(())
    }

    pub(super) fn skip_forfeited(&mut self) {
        self.left_out.forfeited += 1;
    }

    pub(super) fn finish(self) -> Result<WriteSummary, Error> {
        let written = self.output.finish()?;
        Ok(WriteSummary {
            left_out: self.left_out,
            ..written
        })
    }
}
