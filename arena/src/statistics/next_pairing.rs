//! Choice of a league's next pairing: its games should reduce most the relative variances of open
//! Elo differences between neighbours in the ranking. A difference is open unless it exceeds two
//! standard errors, or these are within a given precision.

use super::ratings::{ELO_PER_LOGIT, MatchRecord, Ratings, ratings, reachable_from};

pub(crate) const SIGNIFICANT_SIGMAS: f64 = 2.0;

pub(crate) fn ranking(ratings: &Ratings) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ratings.elo.len()).collect();
    order.sort_by(|&left, &right| ratings.elo[right].total_cmp(&ratings.elo[left]));
    order
}

pub(crate) fn are_apart(ratings: &Ratings, a: usize, b: usize) -> bool {
    let difference = (ratings.elo[a] - ratings.elo[b]).abs();
    difference > SIGNIFICANT_SIGMAS * ratings.difference_error(a, b)
}

/// Open differences (see the module) between neighbours in the ranking of the contestants that
/// `counts` accepts; `precision` in Elo.
pub(crate) fn open_differences(
    ratings: &Ratings,
    precision: f64,
    counts: impl Fn(usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut order = ranking(ratings);
    order.retain(|&one| counts(one));
    let neighbours = order.windows(2).map(|pair| (pair[0], pair[1]));
    neighbours
        .filter(|&(a, b)| {
            !are_apart(ratings, a, b)
                && SIGNIFICANT_SIGMAS * ratings.difference_error(a, b) > precision
        })
        .collect()
}

/// The `allowed` pairing to play `pairs` more pairs of games: first one that connects contestants,
/// then the most informative one. `None` if no difference is open or no pairing is allowed.
pub(crate) fn next_pairing(
    contestants: usize,
    records: &[MatchRecord],
    pairs: f64,
    precision: f64,
    allowed: impl Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let apart = |distance: usize| (distance..contestants).map(move |b| (b - distance, b));
    let pairings = (1..contestants).flat_map(apart);
    let mut pairings = pairings.filter(|&(a, b)| allowed(a, b));
    let Some(ratings) = ratings(contestants, records) else {
        return pairings.find(|&(a, b)| !reachable_from(contestants, records, a)[b]);
    };
    let pairings: Vec<(usize, usize)> = pairings.collect();
    let plays = |one: usize| pairings.iter().any(|&(a, b)| a == one || b == one);
    let open = open_differences(&ratings, precision, plays);
    let covariance = &ratings.covariance;
    let gain = |a: usize, b: usize| {
        let column = |row: usize| covariance[row][a] - covariance[row][b];
        let fraction = super::score_of_elo(ratings.elo[a] - ratings.elo[b]);
        let known = column(a) - column(b);
        let decided =
            ELO_PER_LOGIT * ELO_PER_LOGIT / (2.0 * pairs * fraction * (1.0 - fraction)).max(1e-9);
        let one = |&(c, d): &(usize, usize)| {
            let common = column(c) - column(d);
            let variance = ratings.difference_error(c, d).powi(2).max(1e-9);
            common * common / ((decided + known) * variance)
        };
        open.iter().map(one).sum::<f64>()
    };
    let rated = pairings.iter().copied().map(|(a, b)| (gain(a, b), (a, b)));
    let best = rated.reduce(|best, other| if other.0 > best.0 { other } else { best });
    best.filter(|_| !open.is_empty())
        .map(|(_, pairing)| pairing)
}

#[cfg(test)]
mod tests;
