//! Which move a simulation tries: UCB1 with what is proven, RAVE in five blends and progressive bias.
//!
//! Everything is in `f32` and in operations that every machine rounds alike; the logarithm is a
//! table. Of equal scores the first in list order wins. Invariant: a move that is proven to be no
//! better than another permitted one is not tried again, and no score exceeds what is proven.

use super::{
    cell::Cell,
    options::{Blend, FirstPlay, MctsOptions},
    place::Edges,
};

/// The constants of a search's selection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selector {
    exploration: f32,
    first_play: FirstPlay,
    bias: f32,
    rave: f32,
    blend: Blend,
    /// UCB1 alone, and every move once before any twice: the fast path.
    plain: bool,
    /// Means blended with RAVE alone, untried moves by RAVE: another fast path.
    by_rave_alone: bool,
}

impl Selector {
    pub(super) fn new(options: &MctsOptions) -> Self {
        let plain =
            options.first_play == FirstPlay::First && options.bias == 0.0 && options.rave == 0.0;
        Self {
            exploration: options.exploration as f32,
            first_play: options.first_play,
            bias: options.bias,
            rave: options.rave,
            blend: options.blend,
            plain,
            by_rave_alone: options.exploration == 0.0
                && options.bias == 0.0
                && options.rave > 0.0
                && matches!(options.first_play, FirstPlay::Value(_)),
        }
    }

    /// The number of the move to try, of at least one; `visits` are those of the position, at least 1.
    /// `extras` is as long as `edges`, or empty where no rule needs it.
    #[inline]
    pub(super) fn select(&self, edges: Edges<'_>, extras: &[Cell], visits: u32) -> usize {
        if edges.len() == 1 {
            return 0;
        }
        if self.plain {
            self.ucb1(edges, visits)
        } else if self.by_rave_alone {
            self.by_rave(edges, extras, visits)
        } else {
            self.any(edges, extras, visits)
        }
    }

    #[inline]
    fn ucb1(&self, edges: Edges<'_>, visits: u32) -> usize {
        let scale = self.exploration * ln(visits).sqrt();
        let mut best = (0, f32::NEG_INFINITY);
        let mut proven = false;
        for (number, edge) in edges.cells().iter().enumerate() {
            let tried = edge.visits();
            if tried == 0 {
                return number;
            }
            proven |= edge.has_bounds();
            let each = 1.0 / tried as f32;
            let score = edge.payoff() * each + scale * each.sqrt();
            if score > best.1 {
                best = (number, score);
            }
        }
        if proven {
            self.any(edges, &[], visits)
        } else {
            best.0
        }
    }

    #[inline]
    fn by_rave(&self, edges: Edges<'_>, extras: &[Cell], visits: u32) -> usize {
        let FirstPlay::Value(first) = self.first_play else {
            return self.any(edges, extras, visits);
        };
        let mut best = (0, f32::NEG_INFINITY);
        let mut proven = false;
        for (number, (edge, made)) in edges.cells().iter().zip(extras).enumerate() {
            proven |= edge.has_bounds();
            let (tried, known) = (edge.visits(), made.visits() > 0);
            let score = match (tried > 0, known) {
                (true, true) => self.blended(tried as f32, edge.payoff(), made),
                (true, false) => edge.mean(),
                (false, true) => made.mean(),
                (false, false) => first,
            };
            if score > best.1 {
                best = (number, score);
            }
        }
        if proven {
            self.any(edges, extras, visits)
        } else {
            best.0
        }
    }

    /// The value of a move that was tried `n` times with a sum of payoffs `w`, by what was made of
    /// it later on too.
    #[inline]
    fn blended(&self, n: f32, w: f32, made: &Cell) -> f32 {
        let (m, v, k) = (made.visits() as f32, made.payoff(), self.rave);
        let mixed = |weight: f32| weight * (v / m) + (1.0 - weight) * (w / n);
        match self.blend {
            Blend::Gelly => mixed((k / (3.0 * n + k)).sqrt()),
            Blend::Teytaud => mixed(k / (n + k)),
            Blend::Silver => (w * (1.0 + k * m) + v) / (n + m + k * n * m),
            Blend::Variance => {
                // Where all was won or lost there is no variance, and RAVE says nothing.
                let mean = w / n;
                mixed(m / (n + m + k * n * m / (mean * (1.0 - mean)).max(1e-6)))
            }
            Blend::History => w / n + k / (2.0 * (n - w)).max(1.0) * (v / m),
        }
    }

    /// All rules.
    #[inline(never)]
    fn any(&self, edges: Edges<'_>, extras: &[Cell], visits: u32) -> usize {
        let (mut champion, mut floor) = (usize::MAX, 0.0);
        for (number, edge) in edges.iter().enumerate() {
            let lower = edge.bounds().lower;
            if lower > floor {
                (champion, floor) = (number, lower);
            }
        }
        let log = ln(visits);
        let first = match self.first_play {
            // The best by RAVE first.
            FirstPlay::First => (self.rave > 0.0).then_some(URGENT),
            FirstPlay::Above(more) => Some(0.5 + more),
            FirstPlay::Value(value) => Some(value),
        };
        let mut best = (0, f32::NEG_INFINITY);
        for (number, edge) in edges.iter().enumerate() {
            let (bounds, tried) = (edge.bounds(), edge.visits());
            // What is to be tried once has a value then, even if it cannot be better than another.
            if bounds.upper <= floor && number != champion && (tried > 0 || first.is_some()) {
                continue;
            }
            let extra = extras.get(number);
            let mean = if tried > 0 {
                edge.mean()
            } else if let Some(first) = first {
                first
            } else {
                return number;
            };
            let tried = tried as f32;
            let mean = match extra {
                Some(made) if self.rave > 0.0 && made.visits() > 0 => {
                    if tried > 0.0 {
                        self.blended(tried, edge.payoff(), made)
                    } else if let FirstPlay::Value(_) = self.first_play {
                        made.mean()
                    } else {
                        mean - 0.5 + made.mean()
                    }
                }
                _ => mean,
            };
            // What was never tried has its first-play urgency for a score.
            let bonus = if tried == 0.0 {
                0.0
            } else {
                self.exploration * (log / tried).sqrt()
            };
            let score = mean
                + bonus
                + if self.bias > 0.0 {
                    self.bias * edge.hint() / tried.max(1.0).sqrt()
                } else {
                    0.0
                };
            // Without a proof a score may be above 1: what was hardly ever tried is ahead of
            // everything.
            let score = if edge.has_bounds() {
                score.max(bounds.lower).min(bounds.upper)
            } else {
                score
            };
            if score > best.1 {
                best = (number, score);
            }
        }
        best.0
    }
}

/// More than any score: what was never tried comes before everything.
const URGENT: f32 = 1000.0;

/// The natural logarithm of a whole number from 1 on: exact to the last digits below 512, from
/// there on rounded down to a step of a 256th of the number, so at most 0.004 too small.
#[inline]
pub(super) fn ln(number: u32) -> f32 {
    let exponent = number.ilog2();
    if exponent <= 8 {
        return LN[number as usize];
    }
    let shift = exponent - 8;
    LN[(number >> shift) as usize] + shift as f32 * std::f32::consts::LN_2
}

/// ln 1 to ln 511, computed without the system's library so that every machine gets the same bits.
static LN: [f32; 512] = {
    let mut table = [0.0; 512];
    let (mut number, mut total) = (2, 0.0f64);
    while number < 512 {
        // ln n - ln (n - 1) = 2 artanh(1 / (2n - 1)) = 2 (x + x^3 / 3 + x^5 / 5 + …)
        let x = 1.0 / (2.0 * number as f64 - 1.0);
        let (mut power, mut term) = (2.0 * x, 1.0);
        while term < 60.0 {
            total += power / term;
            power *= x * x;
            term += 2.0;
        }
        table[number] = total as f32;
        number += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::chance::Bounds;
    use crate::search::mcts::{allocator::BumpAllocator, graph::Graph};

    /// A position whose moves were tried so often, with these sums of payoffs.
    fn graph(tried: &[(u32, f32)]) -> (Graph, u32) {
        let graph = Graph::for_tests(1 << 16, 16, true, 1);
        let block = graph
            .add(&mut BumpAllocator::default(), 1, tried.len(), 1)
            .unwrap();
        for (cell, &(visits, payoff)) in graph.all_edges(block).iter().zip(tried) {
            cell.add_visits::<true>(visits);
            cell.add_payoff::<true>(payoff);
        }
        (graph, block)
    }

    #[test]
    fn the_logarithm_is_the_librarys() {
        for number in 1..5_000_000u32 {
            let exact = f64::from(number).ln();
            let error = exact - f64::from(ln(number));
            let most = if number < 512 { 1e-6 } else { 0.004 };
            assert!(
                (-2e-6..most).contains(&error),
                "ln {number}: off by {error}"
            );
        }
        assert_eq!(ln(1), 0.0);
        assert!((f64::from(ln(u32::MAX)) - f64::from(u32::MAX).ln()).abs() < 0.004);
    }

    #[test]
    fn every_rule_selects_by_its_formula() {
        let visits = 300;
        let tried = [(100, 40.0f32), (150, 75.0), (40, 22.0), (10, 2.0)];
        let (graph, block) = graph(&tried);
        let (edges, extras) = (graph.all_edges(block), graph.extras(block + 1, tried.len()));
        let hints = [0.1, 0.2, 0.3, 0.9];
        for (edge, hint) in edges.iter().zip(hints) {
            edge.set_hint(hint);
        }
        let best = |score: &dyn Fn(f64, f64, f64) -> f64| {
            let scores: Vec<f64> = tried
                .iter()
                .zip(hints)
                .map(|(&(n, w), hint)| {
                    score(f64::from(n), f64::from(w) / f64::from(n), f64::from(hint))
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
                Selector::new(&options).select(edges, extras, visits)
            };
            assert_eq!(select(0.0), best(&|n, q, _| q + c * (log / n).sqrt()));
            assert_eq!(
                select(3.0),
                best(&|n, q, h| q + c * (log / n).sqrt() + 3.0 * h / n.sqrt())
            );
        }
        // As if the first were made later on, and always won.
        for extra in extras {
            extra.clear();
            extra.add_visits::<true>(10);
            extra.add_payoff::<true>(2.0);
        }
        extras[0].clear();
        extras[0].add_visits::<true>(1000);
        extras[0].add_payoff::<true>(900.0);
        let select = |blend, rave| {
            let options = MctsOptions {
                rave,
                blend,
                exploration: 0.0,
                ..MctsOptions::default()
            };
            Selector::new(&options).select(edges, extras, visits)
        };
        let made = [(1000.0, 900.0), (10.0, 2.0), (10.0, 2.0), (10.0, 2.0)];
        let best = |score: &dyn Fn(f64, f64, f64, f64) -> f64| {
            let score = |number: usize| {
                let ((n, w), (m, v)) = (tried[number], made[number]);
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
        let (graph, block) = graph(&[(50, 10.0), (40, 30.0), (10, 9.0)]);
        let cells = graph.all_edges(block);
        let select = || Selector::new(&MctsOptions::default()).select(cells, &[], 100);
        assert_eq!(select(), 2);
        // Proven to be worth at most what another is worth at least: not tried again.
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
        let (graph, block) = graph(&[(50, 45.0), (0, 0.0), (10, 1.0)]);
        let cells = graph.all_edges(block);
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
