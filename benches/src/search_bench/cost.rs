//! Costs of valuing positions by search, and their rates. Evaluation time is from an instrumented
//! search, all other numbers are from a plain one.

use super::measure::PlayerCosts;
use crate::suite::Phase;
use arena::text_table::{Cell, TextTable};
use engine::search::SearchStats;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub positions: u64,
    /// Visited positions, including leaves.
    pub nodes: u64,
    /// Evaluations or playouts.
    pub leaves: u64,
    pub probes: u64,
    /// Table probes that found the position, at any depth.
    pub hits: u64,
    /// Table probes whose result made a search unnecessary.
    pub cuts: u64,
    /// Table entries overwritten by results of another position.
    pub replacements: u64,
    /// Wall time of the plain search in its fastest repetition.
    pub seconds: f64,
    /// Evaluation time in seconds, corrected for the clock (so possibly slightly negative); `None`
    /// without an instrumented search.
    pub evaluation_seconds: Option<f64>,
}

impl Cost {
    pub(crate) fn of(stats: &SearchStats, seconds: f64, evaluation_seconds: Option<f64>) -> Self {
        Self {
            positions: 1,
            nodes: stats.nodes,
            leaves: stats.evaluations,
            probes: stats.table.probes,
            hits: stats.table.hits,
            cuts: stats.table.cuts,
            replacements: stats.table.replacements,
            seconds,
            evaluation_seconds,
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        // `None` unless both are measured; 0 positions have no time yet.
        self.evaluation_seconds = match (self.evaluation_seconds, other.evaluation_seconds) {
            (Some(own), Some(others)) => Some(own + others),
            (None, others) if self.positions == 0 => others,
            _ => None,
        };
        self.positions += other.positions;
        self.nodes += other.nodes;
        self.leaves += other.leaves;
        self.probes += other.probes;
        self.hits += other.hits;
        self.cuts += other.cuts;
        self.replacements += other.replacements;
        self.seconds += other.seconds;
    }

    pub(crate) fn sum<'a>(costs: impl IntoIterator<Item = &'a Self>) -> Self {
        costs.into_iter().fold(Self::default(), |mut sum, cost| {
            sum.add(cost);
            sum
        })
    }

    pub(crate) fn milliseconds(&self) -> f64 {
        1000.0 * self.seconds / self.positions as f64
    }

    pub(crate) fn rates(&self) -> Rates {
        let fraction = |part: u64, total: u64| (total > 0).then(|| part as f64 / total as f64);
        let per_second = |count: u64| (self.seconds > 0.0).then(|| count as f64 / self.seconds);
        Rates {
            milliseconds_a_position: self.milliseconds(),
            nodes_a_second: per_second(self.nodes),
            leaves_a_second: per_second(self.leaves),
            evaluation_fraction: self.evaluation_fraction(),
            hit_rate: fraction(self.hits, self.probes),
            cut_rate: fraction(self.cuts, self.probes),
        }
    }

    pub(super) fn table_replacements(&self) -> Option<u64> {
        (self.probes > 0).then_some(self.replacements)
    }

    fn evaluation_fraction(&self) -> Option<f64> {
        let evaluating = self.evaluation_seconds?;
        (self.seconds > 0.0).then(|| (evaluating / self.seconds).clamp(0.0, 1.0))
    }
}

/// Ratios of summed costs; `None` if not measured or the divisor is 0.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Rates {
    pub milliseconds_a_position: f64,
    pub nodes_a_second: Option<f64>,
    pub leaves_a_second: Option<f64>,
    #[serde(rename = "evaluation_share")]
    pub evaluation_fraction: Option<f64>,
    pub hit_rate: Option<f64>,
    pub cut_rate: Option<f64>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Compared {
    pub player: String,
    pub phase: String,
    #[serde(flatten)]
    pub cost: Cost,
    #[serde(flatten)]
    pub rates: Rates,
    pub nodes_ratio: Option<f64>,
    pub leaves_ratio: Option<f64>,
    pub time_ratio: Option<f64>,
}

impl Compared {
    pub(super) fn new(
        player: &PlayerCosts,
        name: &str,
        phase: Option<Phase>,
        baseline: &Cost,
    ) -> Self {
        Self::of(&player.player, name, player.total_cost(phase), baseline)
    }

    fn of(player: &str, name: &str, cost: Cost, baseline: &Cost) -> Self {
        let ratio = |own: f64, other: f64| (other > 0.0).then(|| own / other);
        Self {
            player: player.to_owned(),
            phase: name.to_owned(),
            cost,
            rates: cost.rates(),
            nodes_ratio: ratio(cost.nodes as f64, baseline.nodes as f64),
            leaves_ratio: ratio(cost.leaves as f64, baseline.leaves as f64),
            time_ratio: ratio(cost.seconds, baseline.seconds),
        }
    }
}

pub(super) fn cost_table(first: &str, lines: &[&Compared]) -> TextTable {
    let mut text_table = TextTable::new([
        first,
        "nodes",
        "leaves",
        "ms",
        "nodes/s",
        "leaves/s",
        "eval %",
        "hit %",
        "cut %",
        "replaced",
        "nodes ×",
        "leaves ×",
        "time ×",
    ]);
    for line in lines {
        let (cost, rates) = (&line.cost, &line.rates);
        let mean = |count: u64| Cell::Number(count as f64 / cost.positions as f64, 0);
        text_table.push(vec![
            line.player.as_str().into(),
            mean(cost.nodes),
            mean(cost.leaves),
            Cell::Number(rates.milliseconds_a_position, 3),
            Cell::number(rates.nodes_a_second, 0),
            Cell::number(rates.leaves_a_second, 0),
            Cell::percent(rates.evaluation_fraction),
            Cell::percent(rates.hit_rate),
            Cell::percent(rates.cut_rate),
            cost.table_replacements().map_or(Cell::Missing, mean),
            Cell::number(line.nodes_ratio, 3),
            Cell::number(line.leaves_ratio, 3),
            Cell::number(line.time_ratio, 3),
        ]);
    }
    text_table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(positions: u64, nodes: u64, seconds: f64) -> Cost {
        Cost {
            positions,
            nodes,
            leaves: nodes / 2,
            probes: 10,
            hits: 5,
            cuts: 2,
            seconds,
            ..Cost::default()
        }
    }

    #[test]
    fn rates_come_from_sums() {
        let sum = Cost::sum([&cost(1, 100, 0.001), &cost(1, 900, 0.003)]);
        assert_eq!(
            (sum.positions, sum.nodes, sum.leaves, sum.probes),
            (2, 1000, 500, 20)
        );
        let rates = sum.rates();
        assert!((rates.milliseconds_a_position - 2.0).abs() < 1e-12);
        assert!((rates.nodes_a_second.unwrap() - 250_000.0).abs() < 1e-6);
        assert!((rates.leaves_a_second.unwrap() - 125_000.0).abs() < 1e-6);
        assert_eq!(
            (rates.hit_rate, rates.cut_rate, rates.evaluation_fraction),
            (Some(0.5), Some(0.2), None)
        );
        assert_eq!(Cost::default().rates().hit_rate, None);
        let line = Compared::of("a", "all", sum, &cost(2, 2000, 0.008));
        assert_eq!(
            (line.nodes_ratio, line.leaves_ratio),
            (Some(0.5), Some(0.5))
        );
        assert!((line.time_ratio.unwrap() - 0.5).abs() < 1e-12);
        let line = Compared::of("a", "all", sum, &Cost::default());
        assert_eq!(line.nodes_ratio, None);
    }

    #[test]
    fn a_part_without_measurement_leaves_the_sum_unmeasured() {
        let unknown = cost(1, 1, 1.0);
        let with_counts = Cost {
            evaluation_seconds: Some(0.4),
            ..unknown
        };
        assert_eq!(with_counts.rates().evaluation_fraction, Some(0.4));
        for (parts, sum) in [
            ([&with_counts, &unknown], None),
            ([&unknown, &with_counts], None),
            ([&with_counts, &with_counts], Some(0.8)),
        ] {
            assert_eq!(Cost::sum(parts).evaluation_seconds, sum);
        }
        let both = Cost::sum([&with_counts, &with_counts]).rates();
        assert_eq!(both.evaluation_fraction, Some(0.4));
    }

    #[test]
    fn lines_have_as_many_cells_as_columns() {
        let cost = cost(2, 100, 0.1);
        let line = Compared::of("a", "all", cost, &cost);
        let text_table = cost_table("player", &[&line]);
        assert_eq!(text_table.rows[0].len(), text_table.columns.len());
        assert!(text_table.text().contains("50"));
    }
}
