//! The choices of players, kept so that measuring them goes on where it was stopped, or is spread
//! over tasks.
//!
//! A part is what one player chooses in a few positions that follow each other; those of one player
//! stand before those of the next. Invariant: a file is only continued for the same positions, players
//! and seed.

use super::{
    Contestant,
    choices::{Answer, Choice},
    truth::Labelled,
};
use crate::error::{MeasuringError, Result};
use engine::core::{
    files::checksum,
    journal::{Journal, Wording},
    share::Share,
};
use engine::games::einstein::{MAX_OUTCOMES, Standard};
use engine::play::playable::Playable;
use serde_json::json;
use std::{
    collections::BTreeMap,
    ops::Range,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Positions of a part; few, for searches take long, and all threads are to be busy to the end.
pub(super) const PIECE: usize = 8;

/// A part by its number: for each position what is chosen by each outcome.
type Line = (u64, Vec<[Choice; MAX_OUTCOMES]>);

/// Parts by their numbers.
type Lines = BTreeMap<u64, Line>;

/// Choices of players in a file.
pub struct Kept {
    players: Vec<String>,
    /// Parts of one player.
    pieces: u64,
    ours: Range<u64>,
    /// What was not written stands in the way of more.
    kept: Mutex<(Result<Journal<Line>>, Lines)>,
}

impl Kept {
    /// Opens or creates the file for players, whose names say what they choose by, and positions; of
    /// the parts those of a share are measured here.
    ///
    /// # Errors
    /// If the file cannot be used, belongs to another measurement, or lacks what tasks should have
    /// done.
    pub fn open(
        path: &Path,
        share: Share,
        players: &[(&Contestant, String)],
        (game, labelled): (&Standard, &[Labelled]),
        seed: u64,
    ) -> Result<Self> {
        let mut asked: Vec<(String, &String)> = Vec::new();
        for (player, name) in players {
            if player.is_asked() && asked.iter().all(|(_, known)| *known != name) {
                asked.push((player.name().to_owned(), name));
            }
        }
        let positions: String = labelled
            .iter()
            .map(|labelled| game.format_position(&labelled.position, None) + "\n")
            .collect();
        let identity = json!({
            "format": "alea-regret-1",
            "game": game.notation(),
            "players": asked.iter().map(|(_, name)| name).collect::<Vec<_>>(),
            "positions": format!("{}, {:016x}", labelled.len(), checksum(positions.as_bytes())),
            "seed": seed,
        });
        let wording = Wording {
            work: "measurement",
            part: "part",
        };
        let pieces = labelled.len().div_ceil(PIECE) as u64;
        let parts = pieces * asked.len() as u64;
        let shared = (share, parts);
        let shared = Journal::open_share(path, wording, &identity, |line: &Line| line.0, shared)?;
        let (journal, known) = shared.complete()?;
        Ok(Self {
            players: asked.into_iter().map(|(player, _)| player).collect(),
            pieces,
            ours: share.parts(parts),
            kept: Mutex::new((Ok(journal), known)),
        })
    }

    /// What a player says of a piece of the positions: as it is known, or as `answer` finds out; of
    /// what another task does, and once something could not be written, nothing.
    pub(super) fn answers(
        &self,
        player: &str,
        piece: usize,
        answer: impl FnOnce() -> Vec<Answer>,
    ) -> Vec<Answer> {
        let player = self.players.iter().position(|known| known == player);
        let Some(player) = player else {
            return answer();
        };
        let number = player as u64 * self.pieces + piece as u64;
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let (journal, known) = &*kept();
            if let Some((_, choices)) = known.get(&number) {
                let answer = |&choices| Answer {
                    choices,
                    value: None,
                };
                return choices.iter().map(answer).collect();
            }
            if !self.ours.contains(&number) || journal.is_err() {
                return Vec::new();
            }
        }
        let answers = answer();
        let line = (number, answers.iter().map(|one| one.choices).collect());
        let (journal, known) = &mut *kept();
        if let Ok(open) = journal
            && let Err(error) = open.add(&line)
        {
            *journal = Err(error.into());
        }
        known.insert(number, line);
        answers
    }

    /// Brings everything to disk.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn close(self) -> Result<()> {
        let kept = self.kept.into_inner();
        let (journal, _) = kept.unwrap_or_else(PoisonError::into_inner);
        journal?.close().map_err(MeasuringError::from)
    }
}
