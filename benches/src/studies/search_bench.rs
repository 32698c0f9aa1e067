//! Searches side by side on a suite of positions: nodes, leaves, speed, where the time goes, what
//! the table does.
//!
//! [`run`] does one [`Study`]: a comparison of any players, or a named preset. A study gives a
//! [`Report`]: tables for a terminal, CSV and JSON with all digits, and a chart. Searches run one
//! after the other, each on one thread unless its player asks for more, so that times compare.
//! Invariant: baseline and candidates are measured in the same run on the same positions.

pub mod chance;
pub mod clock;
pub mod compare;
pub mod cost;
pub mod depth;
pub mod measure;
pub mod presets;
pub mod table_size;

use crate::plot::PlotError;
use crate::studies::suite::{Suite, SuiteError};
use engine::core::text::TextError;
use engine::play::notation::PlayerError;
use indicatif::ProgressBar;
use std::{fmt, str::FromStr};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Study {
    /// Any players, the first of them as the baseline.
    Compare,
    /// Searches at rising depths, and seconds per complete game.
    Depth,
    /// How chance nodes are cut: Star0, Star0.5, Star1, Star2, outcome by outcome and on the
    /// unified operator.
    Chance,
    /// One search with tables of rising size, by replacement policy.
    TableSize,
}

impl Study {
    /// The named studies; [`Study::Compare`] needs no name.
    pub const NAMED: [Self; 3] = [Self::Depth, Self::Chance, Self::TableSize];

    /// The name in arguments and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Depth => "depth",
            Self::Chance => "chance",
            Self::TableSize => "table-size",
        }
    }
}

impl fmt::Display for Study {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Study {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::NAMED.map(Self::name).join(", ");
        Self::NAMED
            .into_iter()
            .find(|study| study.name() == text)
            .ok_or_else(|| format!("'{text}' is no study; there are {}", names()))
    }
}

/// How a study is done.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The positions.
    pub suite: Suite,
    /// Players to compare, in notation; for the studies of depth and table size, with `{depth}` or
    /// `{entries}` where the number goes. Empty: those of the study.
    pub players: Vec<String>,
    /// Given to players, and what the dice of games come from.
    pub seed: u64,
    /// Searches of every position, of which the fastest counts; at least 1.
    pub repeat: u32,
    /// Largest depth of the study `depth`, at least 1.
    pub max_depth: u32,
    /// Most complete games for each depth of the study `depth`, at least 1.
    pub games: u32,
}

#[cfg(test)]
impl Settings {
    /// The built-in suite and nothing for long.
    pub(crate) fn for_tests() -> Self {
        let suite = Suite::built_in().unwrap_or_else(|error| panic!("{error}"));
        Self {
            suite,
            players: Vec::new(),
            seed: 1,
            repeat: 1,
            max_depth: 2,
            games: 2,
        }
    }
}

/// What a study found.
#[derive(Clone, Debug)]
pub struct Report {
    /// For a terminal.
    pub text: String,
    /// One table with all digits.
    pub csv: String,
    /// Everything that was measured.
    pub json: serde_json::Value,
    /// A chart.
    pub svg: String,
}

/// Why a study could not be done.
#[derive(Debug, thiserror::Error)]
pub enum SearchBenchError {
    /// A player's notation is wrong, or names what this program does not have.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The suite is wrong.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A position of a study cannot be read.
    #[error("the study's own position: {0}")]
    Position(TextError),
    /// A player that moves but rates nothing.
    #[error(
        "{player} gives positions no value, so there is no search to measure; compare players that search, such as star1 or mcts"
    )]
    NoValue {
        /// The player.
        player: String,
    },
    /// A study that has its own players was given others.
    #[error(
        "the study '{study}' has its own players; leave out --player, or leave out --study to compare players"
    )]
    OwnPlayers {
        /// The study.
        study: Study,
    },
    /// A notation without the place for the number that the study varies.
    #[error(
        "player '{player}' has no {placeholder}, which the study '{study}' replaces by a number; for example {example}"
    )]
    NoPlaceholder {
        /// The notation.
        player: String,
        /// What should occur in it.
        placeholder: &'static str,
        /// The study.
        study: Study,
        /// A notation that would do.
        example: &'static str,
    },
    /// The chart cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The result cannot be written as JSON.
    #[error("cannot write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Does a study.
///
/// # Errors
/// If a player cannot be read or gives no value; see [`SearchBenchError`].
pub fn run(
    study: Study,
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Report, SearchBenchError> {
    if study == Study::Chance && !settings.players.is_empty() {
        return Err(SearchBenchError::OwnPlayers { study });
    }
    let report = match study {
        Study::Compare => compare::run(settings, progress),
        Study::Depth => depth::run(settings, progress),
        Study::Chance => chance::run(
            &presets::chance(&presets::CHANCE.0, &presets::CHANCE.1, "schwarz"),
            settings,
            progress,
        ),
        Study::TableSize => table_size::run(
            &presets::TABLE_SIZE,
            &presets::TABLE_SIZE_EXPONENTS,
            settings,
            progress,
        ),
    };
    progress.finish_and_clear();
    report
}

/// A notation with a number in the place of `placeholder`.
///
/// # Errors
/// If there is no such place.
fn filled(
    study: Study,
    template: &str,
    placeholder: &'static str,
    number: u64,
    example: &'static str,
) -> Result<String, SearchBenchError> {
    if !template.contains(placeholder) {
        return Err(SearchBenchError::NoPlaceholder {
            player: template.to_owned(),
            placeholder,
            study,
            example,
        });
    }
    Ok(template.replace(placeholder, &number.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(study: Study, players: &[&str]) -> String {
        let players = players.iter().map(|player| (*player).to_owned()).collect();
        let error = run(
            study,
            &Settings {
                players,
                ..Settings::for_tests()
            },
            &ProgressBar::hidden(),
        )
        .map(|_| ())
        .unwrap_err();
        let text = error.to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    }

    #[test]
    fn studies_have_names() {
        for study in Study::NAMED {
            assert_eq!(study.name().parse(), Ok(study));
        }
        let error = "star".parse::<Study>().unwrap_err();
        assert_eq!(
            error,
            "'star' is no study; there are depth, chance, table-size"
        );
    }

    #[test]
    fn players_that_do_not_fit_a_study_are_refused_in_one_line() {
        assert!(
            refusal(Study::Chance, &["star1(depth=2)"]).contains("'chance' has its own players")
        );
        assert!(refusal(Study::Depth, &["star1(depth=2)"]).contains("has no {depth}"));
        assert!(refusal(Study::TableSize, &["star1(depth=2)"]).contains("has no {entries}"));
        assert!(refusal(Study::Compare, &["star1(depth=2)", "star1(dpth=2)"]).contains("'dpth'"));
        assert!(refusal(Study::Depth, &["star9(depth={depth})"]).contains("no player 'star9'"));
        assert!(refusal(Study::Compare, &["greedy"]).contains("gives positions no value"));
    }

    #[test]
    fn the_players_of_all_studies_exist() {
        let fill = |text: &str| {
            text.replace("{depth}", "2")
                .replace("{entries}", "16")
                .replace("{seed}", "1")
        };
        let table_size = presets::TABLE_SIZE.iter().map(|search| search.1);
        let all = table_size.chain(presets::COMPARED).chain(presets::DEPTH);
        let chance = presets::chance(&presets::CHANCE.0, &presets::CHANCE.1, "schwarz");
        let chance = chance.into_iter().map(|search| search.player);
        let notations: Vec<String> = all.map(fill).chain(chance).collect();
        assert_eq!(measure::recipes(&notations).unwrap().len(), notations.len());
    }
}
