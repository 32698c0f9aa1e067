//! Any players on a suite: what each costs by phase and in all, and how that compares with the
//! first.

use super::{
    Report, Settings, Study,
    cost::{Compared, shown},
    measure::{PlayerCosts, measure_suite, recipes},
    presets,
};
use crate::error::Result;
use crate::plot::{
    Curve, LineChart,
    scaled::{Scale, scaled_chart},
};
use crate::sheet::Sheet;
use crate::studies::suite::Phase;
use indicatif::ProgressBar;
use serde_json::{json, to_value};

/// Compares the players of the settings, or [`presets::COMPARED`].
pub(super) fn run(settings: &Settings, progress: &ProgressBar) -> Result<Report> {
    let recipes = recipes(&settings.players_or(&presets::COMPARED))?;
    progress.set_length((recipes.len() * settings.suite.positions.len()) as u64);
    let measured = recipes
        .iter()
        .map(|recipe| measure_suite(recipe, settings, true, progress));
    let players = measured.collect::<Result<Vec<_>, _>>()?;
    let parts = parts(&settings.suite.phases());
    let mut lines = Vec::new();
    for &(name, phase) in &parts {
        let total = |player: &PlayerCosts| player.total(phase);
        let baseline = players.first().map(total).unwrap_or_default();
        let line = |player| Compared::new(player, name, phase, &baseline);
        lines.extend(players.iter().map(line));
    }
    let mut text = format!(
        "{}; nodes, leaves and ms are means a position",
        settings.suite.summary()
    );
    if players.len() > 1 {
        text += &format!("; × compares with {}", players[0].player);
    }
    for (phase, _) in &parts {
        let of_phase: Vec<&Compared> = lines.iter().filter(|line| line.phase == *phase).collect();
        text += &format!("\n\n{}", shown(phase, &of_phase).text().trim_end());
    }
    Ok(Report {
        text,
        csv: Sheet::of(&lines)?.csv(),
        json: json!({
            "study": Study::Compare.name(),
            "suite": settings.suite.name,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "lines": to_value(&lines)?,
            "players": to_value(&players)?,
        }),
        svg: chart(&players, &parts)?,
    })
}

/// The phases of a suite and, if there are several, all of them together, with their names.
pub(super) fn parts(phases: &[Phase]) -> Vec<(&'static str, Option<Phase>)> {
    let all = (phases.len() > 1).then_some(("all", None));
    let parts = phases.iter().map(|&phase| (phase.name(), Some(phase)));
    parts.chain(all).collect()
}

/// Milliseconds a position by phase, a curve a player.
fn chart(players: &[PlayerCosts], parts: &[(&str, Option<Phase>)]) -> Result<String> {
    let curve = |player: &PlayerCosts| {
        let milliseconds = |&(_, phase): &_| player.total(phase).milliseconds();
        let points = parts.iter().map(milliseconds).enumerate();
        Curve::new(&player.player, points.map(|(place, y)| (place as f64, y)))
    };
    let curves = players.iter().map(curve);
    let chart = LineChart::new("Time to value a position", ["", "ms"], curves);
    let names = parts.iter().map(|part| part.0.to_owned()).collect();
    scaled_chart(&chart, &Scale::Categories(names), &Scale::Logarithmic(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(players: &[&str]) -> (Report, Vec<Compared>) {
        let settings = Settings::for_tests(players);
        let report = run(&settings, &ProgressBar::hidden()).unwrap();
        let lines = serde_json::from_value(report.json["lines"].clone()).unwrap();
        (report, lines)
    }

    #[test]
    fn a_player_costs_as_much_as_itself() {
        let (_, lines) = compare(&["star1(depth=3, table=0)"; 2]);
        assert_eq!(lines.len(), 8, "two players in three phases and all");
        for line in &lines {
            let ratios = (line.nodes_ratio, line.leaves_ratio);
            assert_eq!(ratios, (Some(1.0), Some(1.0)));
            let positions = if line.phase == "all" { 24 } else { 8 };
            assert_eq!(line.cost.positions, positions);
            assert_eq!(line.rates.hit_rate, None, "there is no table");
        }
    }

    #[test]
    fn cuts_save_what_they_save() {
        let (report, lines) = compare(&[
            "unified(depth=4)",
            "star1(depth=4, table=0)",
            "mcts(sims=50)",
        ]);
        let of = |player: &str, phase: &str| {
            lines
                .iter()
                .find(|line| line.player.starts_with(player) && line.phase == phase)
                .unwrap()
        };
        for phase in ["opening", "middle", "endgame", "all"] {
            let (full, cut) = (of("unified", phase), of("star1", phase));
            let found = cut.leaves_ratio.unwrap();
            assert!(cut.cost.leaves < full.cost.leaves && found < 1.0, "{phase}");
            let ratio = cut.cost.leaves as f64 / full.cost.leaves as f64;
            assert!((found - ratio).abs() < 1e-12);
        }
        let all = of("star1", "all").cost;
        let sum: u64 = ["opening", "middle", "endgame"]
            .into_iter()
            .map(|phase| of("star1", phase).cost.nodes)
            .sum();
        assert_eq!(all.nodes, sum);
        for part in ["leaves ×", "× compares with unified(depth=4)"] {
            assert!(report.text.contains(part), "{}", report.text);
        }
        assert_eq!(report.csv.lines().count(), 1 + 3 * 4);
        let mut lines = report.csv.lines();
        assert!(lines.all(|line| line.matches(',').count() >= 18));
        assert!(report.svg.contains("endgame") && report.svg.contains("mcts(sims=50)"));
    }

    #[test]
    fn one_phase_alone_has_no_sum() {
        let mut settings = Settings::for_tests(&["star1(depth=2)"]);
        settings.suite = settings.suite.only(Phase::Endgame).unwrap();
        let report = run(&settings, &ProgressBar::hidden()).unwrap();
        assert_eq!(report.csv.lines().count(), 2);
        for part in ["opening", "all ", "× compares"] {
            assert!(!report.text.contains(part), "{}", report.text);
        }
    }
}
