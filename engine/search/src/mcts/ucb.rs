//! Selection of edges: UCB1 with proven bounds, RAVE and progressive bias, in `f32` operations that
//! round alike on every machine.

use super::{
    cell::Cell,
    cell_refs::EdgeSlice,
    options::{Blend, FirstPlay, MctsOptions},
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Selector {
    exploration: f32,
    first_play: FirstPlay,
    bias: f32,
    rave: f32,
    blend: Blend,
    ucb1_only: bool,
    rave_only: bool,
}

impl Selector {
    pub(super) fn new(options: &MctsOptions) -> Self {
        let ucb1_only =
            options.first_play == FirstPlay::First && options.bias == 0.0 && options.rave == 0.0;
        Self {
            exploration: options.exploration as f32,
            first_play: options.first_play,
            bias: options.bias,
            rave: options.rave,
            blend: options.blend,
            ucb1_only,
            rave_only: options.exploration == 0.0
                && options.bias == 0.0
                && options.rave > 0.0
                && matches!(options.first_play, FirstPlay::Value(_)),
        }
    }

    /// Index of the edge to visit; the node has `visits` ≥ 1, and a RAVE cell per edge or none.
    #[inline]
    pub(super) fn select(&self, edges: EdgeSlice<'_>, rave_cells: &[Cell], visits: u32) -> usize {
        if edges.len() == 1 {
            return 0;
        }
        if self.ucb1_only {
            self.ucb1(edges, visits)
        } else if self.rave_only {
            self.select_by_rave(edges, rave_cells, visits)
        } else {
            self.select_general(edges, rave_cells, visits)
        }
    }

    #[inline]
    fn ucb1(&self, edges: EdgeSlice<'_>, visits: u32) -> usize {
        let scale = self.exploration * ln(visits).sqrt();
        let mut best = (0, f32::NEG_INFINITY);
        let mut proven = false;
        for (index, edge) in edges.cells().iter().enumerate() {
            let edge_visits = edge.visits();
            if edge_visits == 0 {
                return index;
            }
            proven |= edge.has_bounds();
            let inverse = 1.0 / edge_visits as f32;
            let score = edge.payoff_sum() * inverse + scale * inverse.sqrt();
            if score > best.1 {
                best = (index, score);
            }
        }
        if proven {
            self.select_general(edges, &[], visits)
        } else {
            best.0
        }
    }

    #[inline]
    fn select_by_rave(&self, edges: EdgeSlice<'_>, rave_cells: &[Cell], visits: u32) -> usize {
        let FirstPlay::Value(first) = self.first_play else {
            return self.select_general(edges, rave_cells, visits);
        };
        let mut best = (0, f32::NEG_INFINITY);
        let mut proven = false;
        for (index, (edge, rave_cell)) in edges.cells().iter().zip(rave_cells).enumerate() {
            proven |= edge.has_bounds();
            let (edge_visits, has_rave) = (edge.visits(), rave_cell.visits() > 0);
            let score = match (edge_visits > 0, has_rave) {
                (true, true) => self.blend_rave(edge_visits as f32, edge.payoff_sum(), rave_cell),
                (true, false) => edge.mean(),
                (false, true) => rave_cell.mean(),
                (false, false) => first,
            };
            if score > best.1 {
                best = (index, score);
            }
        }
        if proven {
            self.select_general(edges, rave_cells, visits)
        } else {
            best.0
        }
    }

    /// Mean payoff of an edge (`n` visits, payoff sum `w`) blended with its RAVE mean.
    #[inline]
    fn blend_rave(&self, n: f32, w: f32, rave_cell: &Cell) -> f32 {
        let (m, v, k) = (rave_cell.visits() as f32, rave_cell.payoff_sum(), self.rave);
        let mixed = |weight: f32| weight * (v / m) + (1.0 - weight) * (w / n);
        match self.blend {
            Blend::Gelly => mixed((k / (3.0 * n + k)).sqrt()),
            Blend::Teytaud => mixed(k / (n + k)),
            Blend::Silver => (w * (1.0 + k * m) + v) / (n + m + k * n * m),
            Blend::Variance => {
                let mean = w / n;
                mixed(m / (n + m + k * n * m / (mean * (1.0 - mean)).max(1e-6)))
            }
            Blend::History => w / n + k / (2.0 * (n - w)).max(1.0) * (v / m),
        }
    }

    #[inline(never)]
    fn select_general(&self, edges: EdgeSlice<'_>, rave_cells: &[Cell], visits: u32) -> usize {
        let (mut best_proven, mut best_lower) = (usize::MAX, 0.0);
        for (index, edge) in edges.iter().enumerate() {
            let lower = edge.bounds().lower;
            if lower > best_lower {
                (best_proven, best_lower) = (index, lower);
            }
        }
        let log = ln(visits);
        let first = match self.first_play {
            FirstPlay::First => (self.rave > 0.0).then_some(UNTRIED_SCORE),
            FirstPlay::Above(more) => Some(0.5 + more),
            FirstPlay::Value(value) => Some(value),
        };
        let mut best = (0, f32::NEG_INFINITY);
        for (index, edge) in edges.iter().enumerate() {
            let (bounds, edge_visits) = (edge.bounds(), edge.visits());
            if bounds.upper <= best_lower
                && index != best_proven
                && (edge_visits > 0 || first.is_some())
            {
                continue;
            }
            let rave_cell = rave_cells.get(index);
            let mean = if edge_visits > 0 {
                edge.mean()
            } else if let Some(first) = first {
                first
            } else {
                return index;
            };
            let edge_visits = edge_visits as f32;
            let mean = match rave_cell {
                Some(rave_cell) if self.rave > 0.0 && rave_cell.visits() > 0 => {
                    if edge_visits > 0.0 {
                        self.blend_rave(edge_visits, edge.payoff_sum(), rave_cell)
                    } else if let FirstPlay::Value(_) = self.first_play {
                        rave_cell.mean()
                    } else {
                        mean - 0.5 + rave_cell.mean()
                    }
                }
                _ => mean,
            };
            let bonus = if edge_visits == 0.0 {
                0.0
            } else {
                self.exploration * (log / edge_visits).sqrt()
            };
            let score = mean
                + bonus
                + if self.bias > 0.0 {
                    self.bias * edge.prior() / edge_visits.max(1.0).sqrt()
                } else {
                    0.0
                };
            let score = if edge.has_bounds() {
                score.max(bounds.lower).min(bounds.upper)
            } else {
                score
            };
            if score > best.1 {
                best = (index, score);
            }
        }
        best.0
    }
}

const UNTRIED_SCORE: f32 = 1000.0;

/// Natural logarithm of a `number` ≥ 1, above 511 up to 0.004 too small.
#[inline]
pub(super) fn ln(number: u32) -> f32 {
    let exponent = number.ilog2();
    if exponent <= 8 {
        return LN[number as usize];
    }
    let shift = exponent - 8;
    LN[(number >> shift) as usize] + shift as f32 * std::f32::consts::LN_2
}

/// Logarithms of the indices, computed at compile time, so that every machine gets the same bits.
static LN: [f32; 512] = {
    let mut table = [0.0; 512];
    let (mut index, mut total) = (2, 0.0f64);
    while index < 512 {
        // ln n - ln (n - 1) = 2 artanh(1 / (2n - 1)) = 2 (x + x^3 / 3 + x^5 / 5 + …)
        let x = 1.0 / (2.0 * index as f64 - 1.0);
        let (mut power, mut term) = (2.0 * x, 1.0);
        while term < 60.0 {
            total += power / term;
            power *= x * x;
            term += 2.0;
        }
        table[index] = total as f32;
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::{allocator::Chunk, graph::Graph};
    use alea_core::chance_bounds::Bounds;

    fn graph(edge_visits: &[(u32, f32)]) -> (Graph, u32) {
        let graph = Graph::for_tests(1 << 16, 16, true, 1);
        let node = graph
            .add_node(&mut Chunk::default(), 1, edge_visits.len(), 1)
            .unwrap();
        for (cell, &(visits, payoff)) in graph.edges_of(node).iter().zip(edge_visits) {
            cell.add_visits::<true>(visits);
            cell.add_payoff::<true>(payoff);
        }
        (graph, node)
    }

    #[test]
    fn the_logarithm_is_the_librarys() {
        for index in 1..5_000_000u32 {
            let exact = f64::from(index).ln();
            let error = exact - f64::from(ln(index));
            let max_error = if index < 512 { 1e-6 } else { 0.004 };
            assert!(
                (-2e-6..max_error).contains(&error),
                "ln {index}: off by {error}"
            );
        }
        assert_eq!(ln(1), 0.0);
        assert!((f64::from(ln(u32::MAX)) - f64::from(u32::MAX).ln()).abs() < 0.004);
    }

    #[test]
    fn every_rule_selects_by_its_formula() {
        let visits = 300;
        let edge_visits = [(100, 40.0f32), (150, 75.0), (40, 22.0), (10, 2.0)];
        let (graph, node) = graph(&edge_visits);
        let (edges, rave_cells) = (
            graph.edges_of(node),
            graph.rave_cells(node + 1, edge_visits.len()),
        );
        let priors = [0.1, 0.2, 0.3, 0.9];
        for (edge, prior) in edges.iter().zip(priors) {
            edge.set_prior(prior);
        }
        let best = |score: &dyn Fn(f64, f64, f64) -> f64| {
            let scores: Vec<f64> = edge_visits
                .iter()
                .zip(priors)
                .map(|(&(n, w), prior)| {
                    score(f64::from(n), f64::from(w) / f64::from(n), f64::from(prior))
                })
                .collect();
            (0..4)
                .max_by(|&one, &other| scores[one].total_cmp(&scores[other]))
                .unwrap()
        };
        let log = 300f64.ln();
        for c in [0.01, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0] {
            let select = |bias| {
                let options = MctsOptions {
                    exploration: c,
                    bias,
                    ..MctsOptions::default()
                };
                Selector::new(&options).select(edges, rave_cells, visits)
            };
            assert_eq!(select(0.0), best(&|n, q, _| q + c * (log / n).sqrt()));
            assert_eq!(
                select(3.0),
                best(&|n, q, h| q + c * (log / n).sqrt() + 3.0 * h / n.sqrt())
            );
        }
        for rave_cell in rave_cells {
            rave_cell.clear();
            rave_cell.add_visits::<true>(10);
            rave_cell.add_payoff::<true>(2.0);
        }
        rave_cells[0].clear();
        rave_cells[0].add_visits::<true>(1000);
        rave_cells[0].add_payoff::<true>(900.0);
        let select = |blend, rave| {
            let options = MctsOptions {
                rave,
                blend,
                exploration: 0.0,
                ..MctsOptions::default()
            };
            Selector::new(&options).select(edges, rave_cells, visits)
        };
        let rave_cell = [(1000.0, 900.0), (10.0, 2.0), (10.0, 2.0), (10.0, 2.0)];
        let best = |score: &dyn Fn(f64, f64, f64, f64) -> f64| {
            let score = |index: usize| {
                let ((n, w), (m, v)) = (edge_visits[index], rave_cell[index]);
                score(f64::from(n), f64::from(w), m, v)
            };
            (0..4)
                .max_by(|&one, &other| score(one).total_cmp(&score(other)))
                .unwrap()
        };
        let mixed =
            |weight: f64, n: f64, w: f64, m: f64, v: f64| weight * v / m + (1.0 - weight) * w / n;
        for k in [1e-4, 0.01, 1.0, 30.0, 1000.0, 1e9] {
            let found = [
                Blend::Gelly,
                Blend::Teytaud,
                Blend::Silver,
                Blend::Variance,
                Blend::History,
            ]
            .map(|blend| select(blend, k as f32));
            let expected = [
                best(&|n, w, m, v| mixed((k / (3.0 * n + k)).sqrt(), n, w, m, v)),
                best(&|n, w, m, v| mixed(k / (n + k), n, w, m, v)),
                best(&|n, w, m, v| mixed(m / (n + m + k * n * m), n, w, m, v)),
                best(&|n, w, m, v| {
                    let mean = w / n;
                    mixed(m / (n + m + k * n * m / (mean * (1.0 - mean))), n, w, m, v)
                }),
                best(&|n, w, m, v| w / n + k / (2.0 * (n - w)) * v / m),
            ];
            assert_eq!(found, expected, "{k}");
        }
    }

    #[test]
    fn what_is_proven_decides() {
        let (graph, node) = graph(&[(50, 10.0), (40, 30.0), (10, 9.0)]);
        let cells = graph.edges_of(node);
        let select = || Selector::new(&MctsOptions::default()).select(cells, &[], 100);
        assert_eq!(select(), 2);
        cells.get(2).tighten::<true>(Bounds {
            lower: 0.0,
            upper: 0.3,
        });
        cells.get(0).tighten::<true>(Bounds {
            lower: 0.4,
            upper: 1.0,
        });
        assert_eq!(select(), 1);
        cells.get(1).tighten::<true>(Bounds::exact(0.35));
        assert_eq!(select(), 0);
    }

    #[test]
    fn moves_that_were_never_tried_have_their_urgency() {
        let (graph, node) = graph(&[(50, 45.0), (0, 0.0), (10, 1.0)]);
        let cells = graph.edges_of(node);
        let select = |first_play| {
            Selector::new(&MctsOptions {
                first_play,
                exploration: 0.1,
                ..MctsOptions::default()
            })
            .select(cells, &[], 60)
        };
        assert_eq!(select(FirstPlay::First), 1);
        assert_eq!(select(FirstPlay::Value(1.1)), 1);
        assert_eq!(select(FirstPlay::Value(0.5)), 0);
    }
}
