//! Corrections for multiple comparisons (Holm 1979; Bonferroni), which bound the probability that
//! any of many equal pairings seems different by chance.

use super::{QUANTILE_95, normal_cdf};

/// Two-sided p-value of the hypothesis that two contestants are equal, by their likelihood of
/// superiority.
pub(crate) fn two_sided(superiority: f64) -> f64 {
    (2.0 * superiority.min(1.0 - superiority)).clamp(0.0, 1.0)
}

/// Holm's adjusted p-values, in the given order.
pub(crate) fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&left, &right| probabilities[left].total_cmp(&probabilities[right]));
    let mut adjusted = vec![0.0; probabilities.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest
            .max((probabilities.len() - rank) as f64 * probabilities[index])
            .min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// Half-width, in standard errors, of `count` intervals that all contain their true values with
/// probability 95 % (Bonferroni).
pub(crate) fn simultaneous_quantile(count: usize) -> f64 {
    if count <= 1 {
        return QUANTILE_95;
    }
    let outside = 0.025 / count as f64;
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if 1.0 - normal_cdf(middle) > outside {
            low = middle
        } else {
            high = middle
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Tally, tests::close};
    use alea_core::random::RandomStream;

    #[test]
    fn holm_by_hand() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (actual, expected) in adjusted.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
            close(actual, expected, 1e-12);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn quantiles_as_tabled() {
        for (count, quantile) in [(1, 1.95996), (10, 2.80703), (20, 3.02334)] {
            close(simultaneous_quantile(count), quantile, 1e-5);
        }
    }

    #[test]
    fn among_equals_seldom_any_pairing_is_called_different() {
        let mut random = RandomStream::new(11);
        let (mut adjusted, mut naive) = (0, 0);
        for _ in 0..2000 {
            let probabilities: Vec<f64> = (0..15)
                .map(|_| {
                    let mut counts = [0; 3];
                    (0..200).for_each(|_| counts[random.below(2) + random.below(2)] += 1);
                    two_sided(Tally { counts }.superiority())
                })
                .collect();
            let any = |probabilities: &[f64]| probabilities.iter().any(|&one| one < 0.05);
            adjusted += u32::from(any(&holm(&probabilities)));
            naive += u32::from(any(&probabilities));
        }
        assert!((60..=130).contains(&adjusted), "{adjusted} of 2000");
        assert!(naive > 900, "{naive} of 2000");
    }
}
