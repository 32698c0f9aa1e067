//! Games from outside on their way into a new set, and what becomes of those that cannot be kept.
//!
//! Invariant: a game that is left out is counted and named; without leave to do so it stops the import.

use super::output::{Output, Written};
use crate::Error;
use crate::shard::{NO_END, PlayedGame, ShardHeader};
use engine::play::playable::Playable;
use serde::Serialize;
use std::{
    fmt::{self, Display},
    path::{Path, PathBuf},
};

/// Left-out games that are named; the others are counted.
const MAX_NAMED: usize = 1_000;

/// What becomes of games that cannot be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadGames {
    /// The first one stops the import.
    #[default]
    Refuse,
    /// They are left out, counted and named.
    Skip,
}

/// Games of a file that a new set does not have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LeftOut {
    /// Games that simply stop, without a result.
    pub stopped: u64,
    /// Games against the rules, or that cannot be read.
    pub damaged: u64,
    /// Games of matches that a program lost by a forfeit.
    pub forfeited: u64,
    /// What is wrong with the stopped and the damaged ones, a line each, of the first 1,000.
    pub problems: Vec<String>,
}

impl LeftOut {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Why a game cannot be kept.
pub(super) enum Unfit {
    /// It stops without a result.
    Stopped,
    /// It is against the rules, or cannot be read.
    Damaged(String),
}

impl From<String> for Unfit {
    fn from(problem: String) -> Self {
        Self::Damaged(problem)
    }
}

impl Display for Unfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Stopped => NO_END,
            Self::Damaged(problem) => problem,
        })
    }
}

/// A new set that is filled from a file.
pub(super) struct Intake<G: Playable> {
    file: PathBuf,
    output: Output<G>,
    bad: BadGames,
    left_out: LeftOut,
}

impl<G: Playable> Intake<G> {
    pub(super) fn create(
        file: &Path,
        place: &Path,
        header: ShardHeader,
        bad: BadGames,
    ) -> Result<Self, Error> {
        Ok(Self {
            file: file.to_owned(),
            output: Output::create(place, header)?,
            bad,
            left_out: LeftOut::default(),
        })
    }

    /// Keeps a game, or leaves it out; `place` says where in the file it is.
    ///
    /// # Errors
    /// If it cannot be kept and bad games are refused, or a shard cannot be written.
    pub(super) fn take(
        &mut self,
        place: impl Display,
        game: Result<PlayedGame<G>, Unfit>,
    ) -> Result<(), Error> {
        let unfit = match game {
            Ok(game) => return self.output.push(game),
            Err(unfit) => unfit,
        };
        let problem = format!("{place}: {unfit}");
        if self.bad == BadGames::Refuse {
            let problem = format!("{problem}; --skip-bad leaves such games out");
            return Err(Error::at(&self.file, problem));
        }
        *match unfit {
            Unfit::Stopped => &mut self.left_out.stopped,
            Unfit::Damaged(_) => &mut self.left_out.damaged,
        } += 1;
        if self.left_out.problems.len() < MAX_NAMED {
            let problem = Error::at(&self.file, problem).to_string();
            self.left_out.problems.push(problem);
        }
        Ok(())
    }

    /// Leaves out a game that was lost by a forfeit.
    pub(super) fn leave_forfeited(&mut self) {
        self.left_out.forfeited += 1;
    }

    /// See [`Output::finish`].
    pub(super) fn finish(self) -> Result<Written, Error> {
        let written = self.output.finish()?;
        Ok(Written {
            left_out: self.left_out,
            ..written
        })
    }
}
