//! Candidates of a tuple search: orbits of the game's tuples under its symmetries.

use alea_core::random::RandomStream;
use alea_learned::{
    inputs::{Cell, Learnable},
    tuples::tuple_text,
};
use std::collections::BTreeSet;

/// Candidate of a tuple search: all symmetric images of one tuple.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Name of the kind of tuple, defined by the game.
    pub kind: &'static str,
    /// Tuples in the form of [`alea_learned::tuples::TupleSet::parse_custom`], cells ascending.
    pub tuples: Vec<String>,
}

/// Candidates of each kind; if there are more than `max_per_kind`, as many are drawn by `seed`.
#[must_use]
pub fn candidates<G: Learnable>(game: &G, max_per_kind: usize, seed: u64) -> Vec<Candidate> {
    let mut random = RandomStream::new(seed);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (kind, tuples) in game.tuple_candidates(&mut random) {
        let mut orbits: Vec<Vec<Vec<Cell>>> = Vec::new();
        for tuple in tuples {
            let orbit = orbit(game, &tuple);
            if seen.insert(orbit[0].clone()) {
                orbits.push(orbit);
            }
        }
        if orbits.len() > max_per_kind {
            random.shuffle(&mut orbits);
            orbits.truncate(max_per_kind);
        }
        all.extend(orbits.into_iter().map(|orbit| Candidate {
            kind,
            tuples: orbit.iter().map(|tuple| tuple_text(game, tuple)).collect(),
        }));
    }
    all
}

pub(super) fn orbit<G: Learnable>(game: &G, tuple: &[Cell]) -> Vec<Vec<Cell>> {
    let images = (0..game.symmetries()).map(|symmetry| {
        let mut cells: Vec<Cell> = tuple
            .iter()
            .map(|&cell| game.transform_cell(cell, symmetry))
            .collect();
        cells.sort_unstable();
        cells
    });
    images.collect::<BTreeSet<_>>().into_iter().collect()
}
