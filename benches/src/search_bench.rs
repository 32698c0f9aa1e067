//! Searches on a suite of positions: nodes, leaves, speed, evaluation time, table use.
//!
//! [`run`] compares any players, or does a [`Study`], a preset. Its [`Report`] has tables for a
//! terminal, CSV and JSON with all digits, and a chart. Searches run one after the other, each on
//! one thread unless its player has more, baseline and candidates in the same run on the same
//! positions, so that times are comparable.

pub(super) mod chance;
pub(super) mod clock;
mod compare;
mod cost;
pub(super) mod depth;
pub(super) mod measure;
pub(super) mod presets;
pub(super) mod table_size;

use crate::{Named, suite::Suite};
use arena::error::Result;
use arena::plot::{
    Curve, LineChart,
    scaled::{Scale, scaled_chart},
};
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;
use indicatif::ProgressBar;

/// Studies with players of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Study {
    /// Searches at rising depths, and seconds per complete game.
    Depth,
    /// Cuts at chance nodes: Star0, Star0.5, Star1, Star2, outcome by outcome and on the unified
    /// operator.
    ChanceSource,
    /// One search with tables of rising size, by replacement policy.
    TableSize,
}

impl Named for Study {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("depth", Self::Depth),
        ("chance", Self::ChanceSource),
        ("table-size", Self::TableSize),
    ];
}

/// Settings of a study.
#[derive(Clone)]
pub struct Settings {
    /// The positions.
    pub suite: Suite,
    /// Players to compare, in notation; for the studies of depth and table size, with `{depth}` or
    /// `{entries}` where the number goes. Empty: those of the study.
    pub players: Vec<String>,
    /// Seed of players and of the dice of games.
    pub seed: u64,
    /// Searches of every position, of which the fastest counts; at least 1.
    pub repeat: u32,
    /// Largest depth of the study `depth`, at least 1.
    pub max_depth: u32,
    /// Most complete games for each depth of the study `depth`, at least 1.
    pub games: u32,
}

impl Settings {
    /// The players that were given, or those of a study.
    fn players_or(&self, of_study: &[&str]) -> Vec<String> {
        if self.players.is_empty() {
            of_study.iter().map(|&player| player.to_owned()).collect()
        } else {
            self.players.clone()
        }
    }

    /// The built-in suite and short searches, for these players.
    #[cfg(test)]
    pub(crate) fn for_tests(players: &[&str]) -> Self {
        Self {
            suite: Suite::built_in().unwrap(),
            players: players.iter().map(|&player| player.to_owned()).collect(),
            seed: 1,
            repeat: 1,
            max_depth: 2,
            games: 2,
        }
    }
}

/// The results of a study.
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

/// Does a study, or compares players, the first of them as the baseline.
///
/// # Errors
/// If a player cannot be read or gives no value.
pub fn run(study: Option<Study>, settings: &Settings, progress: &ProgressBar) -> Result<Report> {
    let report = match study {
        None => compare::run(settings, progress),
        Some(Study::Depth) => depth::run(settings, progress),
        Some(Study::ChanceSource) => chance::run(settings, progress),
        Some(Study::TableSize) => table_size::run(settings, progress),
    };
    progress.finish_and_clear();
    report
}

/// The searches that come of a notation with each of these numbers in the place of `placeholder`.
///
/// # Errors
/// If there is no such place, or one of them cannot be read or gives no value.
fn fill_numbers(
    study: Study,
    template: &str,
    placeholder: &str,
    numbers: impl Iterator<Item = u64>,
    example: &str,
) -> Result<Vec<PlayerRecipe<Standard>>> {
    if !template.contains(placeholder) {
        return Err(format!(
            "player '{template}' has no {placeholder}, which the study '{}' replaces by a number; for example {example}",
            study.name()
        )
        .into());
    }
    measure::recipes(numbers.map(|number| template.replace(placeholder, &number.to_string())))
}

/// Curves with a logarithmic axis.
fn chart(
    title: &str,
    labels: [&str; 2],
    curves: impl IntoIterator<Item = Curve>,
    along: &Scale,
) -> Result<String> {
    let chart = LineChart::new(title, labels, curves);
    scaled_chart(&chart, along, &Scale::Logarithmic(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_that_do_not_fit_a_study_are_refused_in_one_line() {
        let two = ["star1(depth=2)", "star1(dpth=2)"];
        for (study, players, reason) in [
            (
                "chance",
                &two[..1],
                "the study 'chance' has its own players",
            ),
            ("depth", &two[..1], "player 'star1(depth=2)' has no {depth}"),
            (
                "table-size",
                &two[..1],
                "player 'star1(depth=2)' has no {entries}",
            ),
            ("", &two, "'dpth'"),
            ("depth", &["star9(depth={depth})"], "no player 'star9'"),
            ("", &["random"], "random gives positions no value"),
        ] {
            let settings = Settings::for_tests(players);
            let refused = run(Study::named(study), &settings, &ProgressBar::hidden());
            let error = refused.map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn the_players_of_all_studies_exist() {
        let fill = |text: &str| {
            text.replace("{depth}", "2")
                .replace("{entries}", "16")
                .replace("{seed}", "1")
        };
        let table_size = presets::POLICIES.map(|policy| presets::table_size(policy, 6));
        let named = presets::DEFAULT_PLAYERS
            .iter()
            .chain(&presets::DEPTH_STUDY_PLAYERS);
        let named = named.map(|&player| player.to_owned()).chain(table_size);
        let chance = presets::chance(&presets::FORMS, &presets::LABELS, "schwarz");
        let chance = chance.into_iter().map(|search| search.player);
        measure::recipes(named.map(|text| fill(&text)).chain(chance)).unwrap();
    }
}
