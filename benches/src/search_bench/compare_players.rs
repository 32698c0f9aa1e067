//! Costs of players on a suite, by phase and in total, relative to the first player.

use super::{
    Report, Settings, chart,
    cost::{Compared, cost_table},
    measure::{PlayerCosts, measure_suite, parse_players},
    presets,
};
use crate::{NamedValue, suite::Phase};
use arena::error::Result;
use arena::plot::{Curve, scaled_charts::Scale};
use arena::text_table::TextTable;
use indicatif::ProgressBar;
use serde_json::{json, to_value};

pub fn compare_players(settings: &Settings, progress: &ProgressBar) -> Result<Report> {
    let recipes = parse_players(settings.players_or_default(&presets::DEFAULT_PLAYERS))?;
    progress.set_length((recipes.len() * settings.suite.positions.len()) as u64);
    let measured = recipes
        .iter()
        .map(|recipe| measure_suite(recipe, settings, true, progress));
    let players = measured.collect::<Result<Vec<_>, _>>()?;
    progress.finish_and_clear();
    let parts = phases_and_all(&settings.suite.phases());
    let mut lines = Vec::new();
    for &(name, phase) in &parts {
        let total = |player: &PlayerCosts| player.total_cost(phase);
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
        text += &format!("\n\n{}", cost_table(phase, &of_phase).text().trim_end());
    }
    Ok(Report {
        text,
        csv: TextTable::of(&lines)?.csv(),
        json: json!({
            "study": "compare",
            "suite": settings.suite.name,
            "seed": settings.seed,
            "repeat": settings.repeat,
            "lines": to_value(&lines)?,
            "players": to_value(&players)?,
        }),
        svg: time_chart(&players, &parts)?,
    })
}

fn phases_and_all(phases: &[Phase]) -> Vec<(&'static str, Option<Phase>)> {
    let all = (phases.len() > 1).then_some(("all", None));
    let parts = phases.iter().map(|&phase| (phase.name(), Some(phase)));
    parts.chain(all).collect()
}

fn time_chart(players: &[PlayerCosts], parts: &[(&str, Option<Phase>)]) -> Result<String> {
    let curve = |player: &PlayerCosts| {
        let milliseconds = |&(_, phase): &_| player.total_cost(phase).milliseconds();
        let points = parts.iter().map(milliseconds).enumerate();
        Curve::new(&player.player, points.map(|(index, y)| (index as f64, y)))
    };
    let names = parts.iter().map(|part| part.0.to_owned()).collect();
    chart(
        "Time to value a position",
        ["", "ms"],
        players.iter().map(curve),
        &Scale::Categories(names),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_costs_as_much_as_itself_and_phases_add_up() {
        let settings = Settings::for_tests(&["star1(depth=3, table=0)"; 2]);
        let report = compare_players(&settings, &ProgressBar::hidden()).unwrap();
        let lines = report.json["lines"].clone();
        let lines: Vec<Compared> = serde_json::from_value(lines).unwrap();
        assert_eq!(lines.len(), 8, "two players in three phases and all");
        for line in &lines {
            let ratios = (line.nodes_ratio, line.leaves_ratio);
            assert_eq!(ratios, (Some(1.0), Some(1.0)));
            let positions = if line.phase == "all" { 24 } else { 8 };
            assert_eq!(line.cost.positions, positions);
            assert_eq!(line.rates.hit_rate, None, "there is no table");
        }
        let phases = lines[..6].iter().map(|line| line.cost.nodes);
        assert_eq!(phases.sum::<u64>(), 2 * lines[6].cost.nodes);
        for part in ["leaves ×", "× compares with star1(depth=3, table=0)"] {
            assert!(report.text.contains(part), "{}", report.text);
        }
        assert_eq!(report.csv.lines().count(), 1 + 8);
        assert!(report.svg.contains("endgame"));
    }
}
