//! Any players on a suite: what each costs by phase and in all, and how that compares with the
//! first.

use super::{
    Report, SearchBenchError, Settings, Study,
    cost::{Compared, Cost, shown},
    measure::{PlayerCosts, measure_suite, recipes},
    presets,
};
use crate::plot::{
    Curve, LineChart,
    scaled::{Scale, scaled_chart},
};
use crate::sheet::Sheet;
use crate::studies::suite::Phase;
use indicatif::ProgressBar;
use serde_json::json;

/// Compares the players of the settings, or [`presets::COMPARED`].
///
/// # Errors
/// If a player cannot be read or gives no value.
pub fn run(settings: &Settings, progress: &ProgressBar) -> Result<Report, SearchBenchError> {
    let notations = if settings.players.is_empty() {
        presets::COMPARED.map(str::to_owned).to_vec()
    } else {
        settings.players.clone()
    };
    let recipes = recipes(&notations)?;
    progress.set_length((recipes.len() * settings.suite.positions.len()) as u64);
    let measured = recipes
        .iter()
        .map(|recipe| measure_suite(recipe, &settings.suite, settings, true, progress));
    let players = measured.collect::<Result<Vec<_>, _>>()?;
    let phases = settings.suite.phases();
    let lines = lines(&players, &phases);
    let mut text = format!(
        "{}; nodes, leaves and ms are means a position",
        settings.suite.summary()
    );
    if players.len() > 1 {
        text += &format!("; × compares with {}", players[0].player);
    }
    for phase in phase_names(&phases) {
        let of_phase: Vec<&Compared> = lines.iter().filter(|line| line.phase == phase).collect();
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
            "lines": serde_json::to_value(&lines)?,
            "players": serde_json::to_value(&players)?,
        }),
        svg: chart(&lines, &phases)?,
    })
}

/// The phases of a suite and, if there are several, all of them together.
#[must_use]
pub fn phase_names(phases: &[Phase]) -> Vec<&'static str> {
    let all = (phases.len() > 1).then_some("all");
    phases.iter().map(|phase| phase.name()).chain(all).collect()
}

/// A line for every phase and player; the first player is the baseline.
#[must_use]
pub fn lines(players: &[PlayerCosts], phases: &[Phase]) -> Vec<Compared> {
    let wanted = phase_names(phases).into_iter();
    let of_phase = |name: &'static str| {
        let total = move |player: &PlayerCosts| player.total(name.parse().ok());
        let baseline = players.first().map(total).unwrap_or_default();
        players
            .iter()
            .map(move |player| Compared::new(&player.player, name, total(player), &baseline))
    };
    wanted.flat_map(of_phase).collect()
}

/// Milliseconds a position by phase, a curve a player.
fn chart(lines: &[Compared], phases: &[Phase]) -> Result<String, SearchBenchError> {
    let names = phase_names(phases);
    let mut curves: Vec<Curve> = Vec::new();
    for line in lines {
        let Some(place) = names.iter().position(|name| *name == line.phase) else {
            continue;
        };
        let point = (place as f64, Cost::milliseconds(&line.cost));
        // The same player may be compared with itself: the k-th line of a phase belongs to the k-th
        // curve.
        let index = lines
            .iter()
            .take_while(|other| !std::ptr::eq(*other, line))
            .filter(|other| other.phase == line.phase)
            .count();
        match curves.get_mut(index) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve {
                name: line.player.clone(),
                points: vec![point],
            }),
        }
    }
    let chart = LineChart {
        title: "Time to value a position".to_owned(),
        x_label: String::new(),
        y_label: "ms".to_owned(),
        curves,
    };
    Ok(scaled_chart(
        &chart,
        &Scale::Categories(names.into_iter().map(str::to_owned).collect()),
        &Scale::Logarithmic(10),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(players: &[&str]) -> Report {
        let players = players.iter().map(|player| (*player).to_owned()).collect();
        run(
            &Settings {
                players,
                ..Settings::for_tests()
            },
            &ProgressBar::hidden(),
        )
        .unwrap()
    }

    #[test]
    fn a_player_costs_as_much_as_itself() {
        let report = compare(&["star1(depth=3, table=0)", "star1(depth=3, table=0)"]);
        let lines: Vec<Compared> = serde_json::from_value(report.json["lines"].clone()).unwrap();
        assert_eq!(lines.len(), 8, "two players in three phases and all");
        for line in &lines {
            assert_eq!(
                (line.ratios.nodes_ratio, line.ratios.leaves_ratio),
                (Some(1.0), Some(1.0))
            );
            assert_eq!(
                line.cost.positions,
                if line.phase == "all" { 24 } else { 8 }
            );
            assert_eq!(line.rates.hit_rate, None, "there is no table");
        }
    }

    #[test]
    fn cuts_save_what_they_save() {
        let report = compare(&[
            "unified(depth=4)",
            "star1(depth=4, table=0)",
            "mcts(sims=50)",
        ]);
        let lines: Vec<Compared> = serde_json::from_value(report.json["lines"].clone()).unwrap();
        let of = |player: &str, phase: &str| {
            lines
                .iter()
                .find(|line| line.player.starts_with(player) && line.phase == phase)
                .unwrap()
        };
        for phase in ["opening", "middle", "endgame", "all"] {
            let (full, cut) = (of("unified", phase), of("star1", phase));
            assert!(
                cut.cost.leaves < full.cost.leaves && cut.ratios.leaves_ratio.unwrap() < 1.0,
                "{phase}"
            );
            let ratio = cut.cost.leaves as f64 / full.cost.leaves as f64;
            assert!((cut.ratios.leaves_ratio.unwrap() - ratio).abs() < 1e-12);
        }
        let all = of("star1", "all").cost;
        let sum: u64 = ["opening", "middle", "endgame"]
            .into_iter()
            .map(|phase| of("star1", phase).cost.nodes)
            .sum();
        assert_eq!(all.nodes, sum);
        assert!(
            report.text.contains("leaves ×")
                && report.text.contains("× compares with unified(depth=4)"),
            "{}",
            report.text
        );
        assert_eq!(report.csv.lines().count(), 1 + 3 * 4);
        assert!(
            report
                .csv
                .lines()
                .all(|line| line.matches(',').count() >= 18)
        );
        assert!(report.svg.contains("endgame") && report.svg.contains("mcts(sims=50)"));
    }

    #[test]
    fn one_phase_alone_has_no_sum() {
        let settings = Settings::for_tests();
        let suite = settings.suite.clone().only(Phase::Endgame).unwrap();
        let players = vec!["star1(depth=2)".to_owned()];
        let report = run(
            &Settings {
                suite,
                players,
                ..settings
            },
            &ProgressBar::hidden(),
        )
        .unwrap();
        assert_eq!(report.csv.lines().count(), 2);
        assert!(
            !report.text.contains("opening")
                && !report.text.contains("all ")
                && !report.text.contains("× compares"),
            "{}",
            report.text
        );
    }
}
