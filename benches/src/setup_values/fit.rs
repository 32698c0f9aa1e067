//! Values of set-ups against each other, by a linear model fitted to games.
//!
//! A *meeting* is eight symmetric pairs of set-ups: a class of the first side against a row of the
//! second ([`super::arrangements`]). All have equally many games, so that least-squares fits are
//! plain means. More [`Terms`] are used if they predict held-out games better.

use super::arrangements::{Arrangement, Rows};
use crate::mean;
use arena::statistics::dot;
use engine::core::moments::Moments;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Terms {
    /// A mean, and a term for each class on each side.
    Classes,
    /// Those of `Classes`, and 52 products of a feature of either side's set-up.
    Pairs,
    /// Those of `Pairs`, and each meeting's residual, shrunk by empirical Bayes.
    Meetings,
}

const ALL_TERMS: [Terms; 3] = [Terms::Classes, Terms::Pairs, Terms::Meetings];

/// Quality of a model on the half of the games to which it was not fitted, for both halves in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutFit {
    pub terms: Terms,
    /// Fraction explained of the variance of the meetings' true values.
    pub explained: f64,
    /// Slope of the regression of results on predictions; 1 if unbiased.
    pub slope: f64,
    /// Standard deviation of the error of predictions, without the noise of the held-out games.
    pub residual: f64,
    /// Reduction of the mean squared error against the last smaller model that was an improvement,
    /// in standard errors; `None` for the first model.
    pub better_by: Option<f64>,
}

/// Contrasts of the stone pairs 1|6, 2|5 and 3|4, of unit length over six stones.
const STONE_CONTRASTS: [[f64; 3]; 2] = [
    [0.5, 0.0, -0.5],
    [
        0.288_675_134_594_812_9,
        -0.577_350_269_189_625_8,
        0.288_675_134_594_812_9,
    ],
];

/// Contrasts of home squares, of unit length: reflection in the board's diagonal preserves the
/// first three and negates the other two.
const SQUARE_CONTRASTS: [[f64; 6]; 5] = {
    const SQRT_HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
    const SQRT_TWELFTH: f64 = 0.288_675_134_594_812_9;
    [
        [SQRT_HALF, 0.0, 0.0, 0.0, -SQRT_HALF, 0.0],
        [0.0, 0.5, -0.5, 0.5, 0.0, -0.5],
        [
            2.0 * SQRT_TWELFTH,
            -SQRT_TWELFTH,
            -SQRT_TWELFTH,
            -SQRT_TWELFTH,
            2.0 * SQRT_TWELFTH,
            -SQRT_TWELFTH,
        ],
        [0.0, SQRT_HALF, 0.0, -SQRT_HALF, 0.0, 0.0],
        [0.0, 0.0, SQRT_HALF, 0.0, 0.0, -SQRT_HALF],
    ]
};

const FIRST_ANTISYMMETRIC: usize = 3;

type Features = [[f64; SQUARE_CONTRASTS.len()]; STONE_CONTRASTS.len()];

fn features(order: &Arrangement) -> Features {
    let stone = |stone: u8| usize::from(stone.min(7 - stone)) - 1;
    STONE_CONTRASTS.map(|stones| {
        SQUARE_CONTRASTS.map(|squares| {
            let terms = order.iter().zip(squares);
            terms.map(|(&on, square)| stones[stone(on)] * square).sum()
        })
    })
}

pub(super) struct Design {
    pub(super) rows: Rows,
    features: Vec<Features>,
}

pub(super) struct FittedModel {
    pub(super) meetings: Vec<f64>,
    pub(super) shrinkage: f64,
}

impl Design {
    pub(super) fn new() -> Self {
        let rows = Rows::new(6);
        let features = rows.orders.iter().map(features).collect();
        Self { rows, features }
    }

    pub(super) fn num_meetings(&self) -> usize {
        self.rows.classes.len() * self.rows.len()
    }

    pub(super) fn rows_of(&self, pair_index: usize) -> [usize; 2] {
        let width = self.rows.len();
        [self.rows.classes[pair_index / width], pair_index % width]
    }

    pub(super) fn pair_index(&self, first: usize, second: usize) -> usize {
        let class = self.rows.class[first];
        let straight = self.rows.classes[class] == first;
        let second = if straight {
            second
        } else {
            self.rows.transposed[second]
        };
        class * self.rows.len() + second
    }

    /// Means of the values of each class as first and as second side, both as win probabilities of
    /// the first side.
    pub(super) fn class_means(&self, values: &[f64]) -> [Vec<f64>; 2] {
        let (width, classes) = (self.rows.len(), self.rows.classes.len());
        let first = values.chunks(width).map(mean);
        let mut second = vec![0.0; classes];
        for (index, value) in values.iter().enumerate() {
            second[self.rows.class[index % width]] += value / (values.len() / classes) as f64;
        }
        [first.collect(), second]
    }

    /// Fits a model to `means`, the mean results of meetings, whose sampling variance is `noise`;
    /// without `shrinkage`, the residuals' factor is estimated.
    pub(super) fn fit(
        &self,
        means: &[f64],
        terms: Terms,
        noise: f64,
        shrinkage: Option<f64>,
    ) -> FittedModel {
        let middle = mean(means);
        let [first, second] = self.class_means(means);
        let width = self.rows.len();
        let mut fitted: Vec<f64> = (0..means.len())
            .map(|index| first[index / width] + second[self.rows.class[index % width]] - middle)
            .collect();
        let mut part = 0.0;
        if terms != Terms::Classes {
            self.add_pair_terms(means, &mut fitted);
        }
        if terms == Terms::Meetings {
            let pairs = means.iter().zip(&fitted);
            let remaining: Vec<f64> = pairs.map(|(mean, fitted)| mean - fitted).collect();
            let excess = (dot(&remaining, &remaining) / remaining.len() as f64 - noise).max(0.0);
            part = shrinkage.unwrap_or(excess / (excess + noise).max(f64::MIN_POSITIVE));
            let pairs = fitted.iter_mut().zip(&remaining);
            pairs.for_each(|(fitted, remaining)| *fitted += part * remaining);
        }
        FittedModel {
            meetings: fitted,
            shrinkage: part,
        }
    }

    /// Fits each of [`Terms::Pairs`] separately: they are orthogonal to each other and to the terms
    /// of classes.
    fn add_pair_terms(&self, means: &[f64], fitted: &mut [f64]) {
        let squares = (0..SQUARE_CONTRASTS.len() * SQUARE_CONTRASTS.len())
            .map(|pair| [pair / SQUARE_CONTRASTS.len(), pair % SQUARE_CONTRASTS.len()])
            .filter(|pair| (pair[0] < FIRST_ANTISYMMETRIC) == (pair[1] < FIRST_ANTISYMMETRIC));
        let stones = [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter();
        let products =
            stones.flat_map(|stones| squares.clone().map(move |squares| [stones, squares]));
        for [[of_first, of_second], [square, other]] in products {
            let product = |index: usize| {
                let [first, second] = self.rows_of(index);
                self.features[first][of_first][square] * self.features[second][of_second][other]
            };
            let (mut along, mut length) = (0.0, 0.0);
            for (index, mean) in means.iter().enumerate() {
                let product = product(index);
                along += mean * product;
                length += product * product;
            }
            for (index, fitted) in fitted.iter_mut().enumerate() {
                *fitted += along / length * product(index);
            }
        }
    }

    /// Chooses the terms, by testing models on the half of the games to which they were not fitted;
    /// `noise` is the sampling variance of a half's mean.
    pub(super) fn select_model(
        &self,
        half_sums: &[Vec<f64>; 2],
        noise: f64,
    ) -> (Terms, Vec<HeldOutFit>) {
        let count = self.num_meetings() as f64;
        let centred = half_sums.each_ref().map(|half| {
            let middle = mean(half);
            half.iter().map(|value| value - middle).collect::<Vec<_>>()
        });
        // The halves have independent dice, so that their covariance is the variance of the true
        // values.
        let truth = dot(&centred[0], &centred[1]) / count;
        let mut before: Option<Vec<f64>> = None;
        let (mut chosen, mut found) = (Terms::Classes, Vec::new());
        for terms in ALL_TERMS {
            let mut errors = vec![0.0; self.num_meetings()];
            let (mut along, mut length) = (0.0, 0.0);
            for (train, test) in [(0, 1), (1, 0)] {
                let fitted = self.fit(&centred[train], terms, noise, None).meetings;
                along += dot(&fitted, &centred[test]);
                length += dot(&fitted, &fitted);
                for ((error, fitted), seen) in errors.iter_mut().zip(&fitted).zip(&centred[test]) {
                    *error += (seen - fitted).powi(2) / 2.0;
                }
            }
            let remaining = errors.iter().sum::<f64>() / count - noise;
            let better_by = before.as_ref().map(|before| {
                let pairs = before.iter().zip(&errors);
                let gains: Moments = pairs.map(|(before, now)| before - now).collect();
                gains.mean() / gains.standard_error().max(f64::MIN_POSITIVE)
            });
            let is_better = better_by.is_some_and(|better_by| better_by > 2.0);
            if is_better {
                chosen = terms;
            }
            found.push(HeldOutFit {
                terms,
                explained: 1.0 - remaining / truth.max(f64::MIN_POSITIVE),
                slope: along / length.max(f64::MIN_POSITIVE),
                residual: remaining.max(0.0).sqrt(),
                better_by,
            });
            if is_better || before.is_none() {
                before = Some(errors);
            }
        }
        (chosen, found)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sample_normal, *};
    use engine::core::random::RandomStream;

    fn half_sums(
        design: &Design,
        law: impl Fn([usize; 2]) -> f64,
        deviation: f64,
        seed: u64,
    ) -> [Vec<f64>; 2] {
        let mut random = RandomStream::new(seed);
        [(); 2].map(|()| {
            let game = |pair_index| {
                law(design.rows_of(pair_index)) + deviation * sample_normal(&mut random)
            };
            (0..design.num_meetings()).map(game).collect()
        })
    }

    #[test]
    fn contrasts_and_products_are_orthogonal_to_all_before_them() {
        let design = Design::new();
        assert_eq!(design.num_meetings(), 64_800);
        for (row, features) in design.features.iter().enumerate() {
            let other = design.features[design.rows.transposed[row]];
            for (one, two) in features.iter().zip(&other) {
                for (square, (one, two)) in one.iter().zip(two).enumerate() {
                    let sign = if square < FIRST_ANTISYMMETRIC {
                        1.0
                    } else {
                        -1.0
                    };
                    assert!((one - sign * two).abs() < 1e-12);
                }
            }
        }
        // Values made only of products are fitted exactly, and terms of classes stay 0.
        let law = |[first, second]: [usize; 2]| {
            let (one, two) = (design.features[first], design.features[second]);
            0.03 * one[0][1] * two[1][2] + 0.02 * one[1][3] * two[1][4]
                - 0.01 * one[0][0] * two[0][0]
        };
        let [exact, _] = half_sums(&design, law, 0.0, 1);
        for terms in [Terms::Pairs, Terms::Meetings] {
            let fitted = design.fit(&exact, terms, 0.0, None).meetings;
            let mut pairs = fitted.iter().zip(&exact);
            assert!(pairs.all(|(one, two)| (one - two).abs() < 1e-12));
        }
        let fitted = design.fit(&exact, Terms::Classes, 0.0, None).meetings;
        assert!(fitted.iter().all(|value| value.abs() < 1e-12));
    }

    #[test]
    fn held_out_games_determine_the_number_of_terms() {
        let design = Design::new();
        let class = |row: usize| design.rows.class[row] as f64 / 180.0 - 0.5;
        let classes =
            |[first, second]: [usize; 2]| 0.1 * class(first) - 0.08 * class(second).powi(2);
        let pairs = |at: [usize; 2]| {
            let [one, two] = at.map(|row| design.features[row]);
            classes(at) + 0.02 * one[0][1] * two[1][2] - 0.02 * one[1][3] * two[1][4]
        };
        let mut random = RandomStream::new(3);
        let own: Vec<f64> = (0..design.num_meetings())
            .map(|_| 0.02 * sample_normal(&mut random))
            .collect();
        let meetings = |at: [usize; 2]| pairs(at) + own[design.pair_index(at[0], at[1])];
        let deviation = 0.02;
        type Law<'a> = &'a dyn Fn([usize; 2]) -> f64;
        let laws: [(Terms, Law<'_>, f64); 3] = [
            (Terms::Classes, &classes, 0.0),
            (Terms::Pairs, &pairs, 0.0),
            (Terms::Meetings, &meetings, 0.014),
        ];
        for (terms, law, residual) in laws {
            let found = half_sums(&design, law, deviation, 7);
            let (chosen, held_out) = design.select_model(&found, deviation * deviation);
            assert_eq!(chosen, terms, "{held_out:?}");
            let best = &held_out[terms as usize];
            assert_eq!(best.terms, terms);
            assert!(
                (best.residual - residual).abs() < 2e-3 && (best.slope - 1.0).abs() < 0.02,
                "{best:?}"
            );
            let pairs = found[0].iter().zip(&found[1]);
            let both: Vec<f64> = pairs.map(|(one, two)| (one + two) / 2.0).collect();
            let noise = deviation * deviation / 2.0;
            let fitted = design.fit(&both, terms, noise, None).meetings;
            let off = |(pair_index, value)| law(design.rows_of(pair_index)) - value;
            let errors = fitted.into_iter().enumerate().map(off);
            let squares: Vec<f64> = errors.map(|error: f64| error.powi(2)).collect();
            assert!(mean(&squares) <= 0.75 * noise, "{terms:?}");
        }
    }
}
