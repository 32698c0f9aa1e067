//! Start positions from a file or random endgames.

use super::config::{EndgameStarts, SelfPlayOptions};
use crate::Error;
use alea_core::{
    files::{self, FileKind},
    game::Seat,
    random::RandomStream,
    text,
};
use alea_play::playable::Playable;
use std::path::Path;

#[derive(Clone)]
pub(super) struct Starts<P> {
    suite: Vec<P>,
    suite_fraction: f64,
    checksum: Option<String>,
    endgames: Option<EndgameStarts>,
}

impl<P: Copy> Starts<P> {
    pub(super) fn new<G: Playable<Position = P>>(
        options: &SelfPlayOptions,
        game: &G,
    ) -> Result<Self, Error> {
        let mut starts = Self {
            suite: Vec::new(),
            suite_fraction: 0.0,
            checksum: None,
            endgames: options.endgames.clone(),
        };
        if let Some(EndgameStarts { remaining, .. }) = starts.endgames
            && game
                .random_endgame(remaining, 0, &mut RandomStream::new(0))
                .is_none()
        {
            return Err(Error::new(format!(
                "self-play: 'endgames': {} has none of {} to {} {}",
                game.notation(),
                remaining[0],
                remaining[1],
                G::INFO.remaining_unit
            )));
        }
        if let Some(settings) = &options.starts {
            let path = Path::new(&settings.file);
            let bytes = files::read(path, FileKind::Archive)?;
            let wrong = Error::with_prefix(path.display());
            let text = text::from_utf8(&bytes).map_err(|problem| wrong(problem.to_owned()))?;
            starts.suite = parse_positions(&text, game).map_err(wrong)?;
            starts.suite_fraction = settings.fraction;
            starts.checksum = Some(format!("{:016x}", files::checksum(&bytes)));
        }
        Ok(starts)
    }

    pub(super) fn checksum(&self) -> Option<&str> {
        self.checksum.as_deref()
    }

    /// Draws a start, in endgames with seat `first` to move; `None` stands for the usual start.
    pub(super) fn sample<G: Playable<Position = P>>(
        &self,
        game: &G,
        first: Seat,
        random: &mut RandomStream,
    ) -> Option<P> {
        let draw = random.uniform_f64();
        if draw < self.suite_fraction && !self.suite.is_empty() {
            return Some(self.suite[random.below(self.suite.len())]);
        }
        let endgames = self
            .endgames
            .as_ref()
            .filter(|endgames| draw < self.suite_fraction + endgames.fraction)?;
        game.random_endgame(endgames.remaining, first, random)
    }
}

fn parse_positions<G: Playable>(text: &str, game: &G) -> Result<Vec<G::Position>, String> {
    let mut positions = Vec::new();
    for (number, line) in text::content_lines(text) {
        let (position, outcome) = game
            .parse_position(line)
            .map_err(|error| format!("line {number}, {error}"))?;
        if outcome.is_some() {
            return Err(format!("line {number}: games start before the roll"));
        }
        if game.payoffs(&position).is_some() {
            return Err(format!("line {number}: the game is over there"));
        }
        positions.push(position);
    }
    if positions.is_empty() {
        Err("holds no position".to_owned())
    } else {
        Ok(positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::games::einstein::Standard;

    #[test]
    fn files_of_positions_are_read_or_refused_by_line() {
        let game = Standard::default();
        let good = "# a suite\n\n215../64.../3...e/...fb/..acd b -   # the first\n123../45.../6...f/...ed/..cba r -\r\n";
        assert_eq!(parse_positions(good, &game).unwrap().len(), 2);
        for (text, expected) in [
            ("", "no position"),
            ("# nothing\n", "no position"),
            (
                "\n215../64.../3...e/...fb/..acd b 1",
                "line 2: games start before the roll",
            ),
            ("215../64.../3...e/...fb/..ac b -", "line 1, character"),
            (
                "...../...../a..../...../....1 b -",
                "line 1: the game is over",
            ),
            (
                "a..../...../..1../...../..... r -",
                "line 1: the game is over",
            ),
        ] {
            let problem = parse_positions(text, &game).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
