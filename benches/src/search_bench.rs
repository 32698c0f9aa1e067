//! Compares searches on a suite of positions: nodes, leaves, speed, evaluation time, table use.
//! Searches run one after the other, for comparable times.

pub(super) mod chance_cuts;
pub(super) mod clock_overhead;
mod compare_players;
mod cost;
pub(super) mod measure;
pub(super) mod presets;
pub(super) mod table_size;
pub(super) mod time_by_depth;

use crate::suite::Suite;
use arena::error::Result;
use arena::plot::{
    Curve, LineChart,
    scaled_charts::{Scale, scaled_chart},
};
pub use chance_cuts::compare_cuts;
pub use compare_players::compare_players;

#[derive(Clone)]
pub struct Settings {
    pub suite: Suite,
    /// Notations of players; if empty, default players.
    pub players: Vec<String>,
    pub seed: u64,
    /// Searches of each position, of which the fastest counts; at least 1.
    pub repeat: u32,
}

impl Settings {
    fn players_or_default(&self, of_study: &[&str]) -> Vec<String> {
        if self.players.is_empty() {
            of_study.iter().map(|&player| player.to_owned()).collect()
        } else {
            self.players.clone()
        }
    }

    #[cfg(test)]
    pub(crate) fn for_tests(players: &[&str]) -> Self {
        Self {
            suite: Suite::built_in().unwrap(),
            players: players.iter().map(|&player| player.to_owned()).collect(),
            seed: 1,
            repeat: 1,
        }
    }
}

pub struct Report {
    pub text: String,
    pub csv: String,
    pub json: serde_json::Value,
    pub svg: String,
}

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
    use indicatif::ProgressBar;

    #[test]
    fn players_that_do_not_fit_a_study_are_refused_in_one_line() {
        let progress = ProgressBar::hidden();
        let refuse = |run: fn(&Settings, &ProgressBar) -> Result<Report>, player, reason| {
            let refused = run(&Settings::for_tests(&[player]), &progress);
            let error = refused.map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains('\n'), "{error}");
        };
        let own_players = "the study 'chance' has its own players";
        refuse(compare_cuts, "star1(depth=2)", own_players);
        refuse(compare_players, "star1(dpth=2)", "'dpth'");
        refuse(compare_players, "random", "random gives positions no value");
    }

    #[test]
    fn the_players_of_all_studies_exist() {
        let fill = |text: &str| text.replace("{entries}", "16");
        let table_size = presets::POLICIES.map(|policy| presets::table_size_player(policy, 6));
        let compared = presets::DEFAULT_PLAYERS
            .iter()
            .map(|&player| player.to_owned());
        let chance = presets::chance_searches(&presets::FORMS, &presets::SEARCH_LABELS, "schwarz");
        let chance = chance.into_iter().map(|search| search.player);
        let table_size = table_size.iter().map(|text| fill(text));
        measure::parse_players(compared.chain(table_size).chain(chance)).unwrap();
    }
}
