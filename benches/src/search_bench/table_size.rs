//! Nodes of a search by size and replacement policy of its transposition table (Rock'n'Roll,
//! Schäfer 2006, section 6.3).

use super::{
    Settings,
    cost::Cost,
    measure::{PlayerCosts, largest_disagreement, measure_suite, parse_players},
    presets,
};
use crate::suite::Suite;
use arena::error::Result;
use arena::text_table::{Cell, TextTable};
use indicatif::ProgressBar;

struct SizedSearch {
    policy: String,
    entries: u64,
    cost: Cost,
}

pub(crate) struct TableSizes {
    policies: Vec<(String, String)>,
    searches: Vec<SizedSearch>,
    disagreement: f32,
}

pub(crate) fn measure(
    policies: Vec<(String, String)>,
    exponents: &[u32],
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<TableSizes> {
    let position = format!("opening {}", presets::TABLE_SIZE_POSITION);
    let settings = Settings {
        suite: Suite::parse("the fixed start position", &position)?,
        ..settings.clone()
    };
    let of_sizes = |(_, template): &(_, String)| {
        let sizes = exponents.iter().map(|exponent| 1_u64 << exponent);
        parse_players(sizes.map(|size| template.replace("{entries}", &size.to_string())))
    };
    let planned = policies.iter().map(of_sizes).collect::<Result<Vec<_>>>()?;
    progress.set_length((policies.len() * exponents.len()) as u64);
    let (mut searches, mut costs): (Vec<SizedSearch>, Vec<PlayerCosts>) = (Vec::new(), Vec::new());
    for ((policy, _), recipes) in policies.iter().zip(&planned) {
        for (exponent, recipe) in exponents.iter().zip(recipes) {
            let found = measure_suite(recipe, &settings, false, progress)?;
            searches.push(SizedSearch {
                policy: policy.clone(),
                entries: 1 << exponent,
                cost: found.total_cost(None),
            });
            costs.push(found);
        }
    }
    Ok(TableSizes {
        policies,
        searches,
        disagreement: largest_disagreement(&costs),
    })
}

impl TableSizes {
    pub(crate) fn nodes(&self, policy: &str, exponent: u32) -> f64 {
        let mut found = self.of_policy(policy);
        let size = found.find(|one| one.entries == 1 << exponent);
        size.map_or(0.0, |one| one.cost.nodes as f64)
    }

    fn of_policy(&self, policy: &str) -> impl Iterator<Item = &SizedSearch> {
        self.searches.iter().filter(move |one| one.policy == policy)
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("position {}\n", presets::TABLE_SIZE_POSITION);
        for (policy, template) in &self.policies {
            let table = text_table(self.of_policy(policy)).text();
            text += &format!("\n{policy}: {template}\n{table}");
        }
        let disagreement = self.disagreement;
        text + &format!("\nvalues differ by at most {disagreement:.1e} between tables")
    }
}

fn text_table<'a>(rows: impl Iterator<Item = &'a SizedSearch>) -> TextTable {
    let mut text_table = TextTable::new([
        "entries", "nodes", "leaves", "ms", "hit %", "cut %", "replaced",
    ]);
    for one in rows {
        let rates = one.cost.rates();
        text_table.push(vec![
            one.entries.into(),
            one.cost.nodes.into(),
            one.cost.leaves.into(),
            Cell::Number(one.cost.milliseconds(), 3),
            Cell::percent(rates.hit_rate),
            Cell::percent(rates.cut_rate),
            one.cost
                .table_replacements()
                .map_or(Cell::Missing, Cell::Count),
        ]);
    }
    text_table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_and_size_is_searched() {
        let policies = [
            ("newest", "star1(depth=4, table={entries})"),
            ("again", "star1(4, schwarz, table={entries})"),
        ];
        let policies = policies.map(|(policy, player)| (policy.to_owned(), player.to_owned()));
        let settings = Settings::for_tests(&[]);
        let tables = measure(policies.into(), &[0, 2], &settings, &ProgressBar::hidden()).unwrap();
        assert!(tables.nodes("again", 2) > 0.0 && tables.nodes("again", 1) == 0.0);
        let sizes = tables.searches.iter();
        let sizes: Vec<_> = sizes
            .map(|one| (one.policy.as_str(), one.entries))
            .collect();
        let expected = [("newest", 1), ("newest", 4), ("again", 1), ("again", 4)];
        assert_eq!(sizes, expected);
        assert_eq!(tables.nodes("newest", 0), tables.nodes("again", 0));
        assert_eq!(tables.disagreement, 0.0);
        let heading = "newest: star1(depth=4, table={entries})";
        assert!(tables.text().contains(heading), "{}", tables.text());
    }
}
