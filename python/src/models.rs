//! Model files, and what models look at.
//!
//! Invariant: rows are those that the trainer feeds its networks; weights that make no network leave
//! no file.

use crate::Told;
use crate::games::{Game, each};
use engine::core::game::Seat;
use engine::learned::{
    model_file::{Model, ModelFile},
    inputs::{Learnable, with_view},
    name_set::NameSet,
    network::{Layer, Network, FloatWeights},
};
use pyo3::prelude::*;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// What a model looks at: the rows of a network with these groups of inputs, or nothing: the symbols
/// of all cells.
pub(crate) type Looks = Option<String>;

/// The same of one game.
pub(crate) type View<G> = Option<NameSet<<G as Learnable>::Group>>;

pub(crate) fn view<G: Learnable>(_: &G, looks: &Looks) -> Told<View<G>> {
    let groups = looks.as_deref().map(NameSet::from_names);
    Ok(groups.transpose()?)
}

/// How many symbols all cells have.
pub(crate) fn symbols<G: Learnable>(game: &G) -> usize {
    let ends = game.cells().iter().map(|group| group.start + group.count);
    ends.max().unwrap_or(0)
}

/// What each position shows to a seat, or to its seat to move, so many numbers a position.
pub(crate) fn shown<G: Learnable>(
    game: &G,
    view: View<G>,
    positions: &[G::Position],
    seat: Option<Seat>,
) -> (Vec<u16>, usize) {
    let width = match view {
        Some(groups) => game.feature_slots(groups).len(),
        None => symbols(game),
    };
    let mut rows = vec![0; width * positions.len()];
    for (position, row) in positions.iter().zip(rows.chunks_exact_mut(width)) {
        let seat = seat.unwrap_or_else(|| game.to_move(position));
        match view {
            Some(groups) => game.active_features(groups, position, seat, row),
            None => with_view(game, position, seat, |symbols| {
                row.iter_mut()
                    .zip(symbols)
                    .for_each(|(row, &symbol)| *row = symbol.into());
            }),
        }
    }
    (rows, width)
}

/// A network as it was trained elsewhere: groups of inputs, bounds of buckets, tensors by the names of
/// docs/reference/formats.md, a row for each input, and its story.
type Trained = (String, Vec<u8>, HashMap<String, Vec<f32>>, String);

/// Writes weights in whole numbers as a model file.
#[pyfunction]
pub(crate) fn save_network(
    py: Python<'_>,
    game: &Game,
    path: PathBuf,
    network: Trained,
) -> Told<()> {
    py.detach(|| each!(&game.0, rules => save(&*rules.game, network, &path)))
}

fn save<G: Learnable>(
    game: &G,
    (inputs, bounds, mut tensors, provenance): Trained,
    path: &Path,
) -> Told<()> {
    let missing = |name: &str| format!("there is no tensor '{name}'");
    let mut take = |name: &str| tensors.remove(name).ok_or_else(|| missing(name));
    let mut weights = FloatWeights {
        rows: take("rows")?,
        bias: take("hidden1.bias")?,
        output: take("output.weight")?,
        output_bias: take("output.bias")?,
        ..FloatWeights::default()
    };
    // Layers that there may be.
    let mut layer = 2;
    while let Ok(matrix) = take(&format!("hidden{layer}.weight")) {
        let bias = take(&format!("hidden{layer}.bias"))?;
        weights.hidden.push(Layer {
            weights: matrix,
            bias,
        });
        layer += 1;
    }
    if let Some(name) = tensors.keys().min() {
        return Err(format!("a network has no tensor '{name}'").into());
    }
    let game = game.training_rules();
    let groups = NameSet::from_names(&inputs)?;
    let network = Network::new(&game, groups, &bounds, weights.quantize()?)?;
    let model = Model::Network(network);
    Ok(ModelFile { provenance, model }.save(path)?)
}
