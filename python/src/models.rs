//! Model files, and the features of models.

use crate::PyRes;
use crate::game_dispatch::{Game, dispatch};
use engine::core::game::Seat;
use engine::learned::{
    inputs::{Learnable, with_view},
    model_file::{Model, ModelFile},
    named_set::NamedSet,
    network::{FloatWeights, Layer, Network},
};
use pyo3::prelude::*;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// A network's feature groups, or `None` for the symbols of all cells.
pub(crate) type FeatureSpec = Option<String>;

pub(crate) type FeatureSet<G> = Option<NamedSet<<G as Learnable>::Group>>;

pub(crate) fn parse_features<G: Learnable>(_: &G, features: &FeatureSpec) -> PyRes<FeatureSet<G>> {
    let groups = features.as_deref().map(NamedSet::from_names);
    Ok(groups.transpose()?)
}

pub(crate) fn num_symbols<G: Learnable>(game: &G) -> usize {
    let ends = game
        .cell_groups()
        .iter()
        .map(|group| group.start + group.count);
    ends.max().unwrap_or(0)
}

/// Features for `seat`, or for each position's seat to move; with their number per position.
pub(crate) fn feature_rows<G: Learnable>(
    game: &G,
    feature_set: FeatureSet<G>,
    positions: &[G::Position],
    seat: Option<Seat>,
) -> (Vec<u16>, usize) {
    let width = match feature_set {
        Some(groups) => game.feature_slots(groups).len(),
        None => num_symbols(game),
    };
    let mut rows = vec![0; width * positions.len()];
    for (position, row) in positions.iter().zip(rows.chunks_exact_mut(width)) {
        let seat = seat.unwrap_or_else(|| game.to_move(position));
        match feature_set {
            Some(groups) => game.active_features(groups, position, seat, row),
            None => with_view(game, position, seat, |num_symbols| {
                row.iter_mut()
                    .zip(num_symbols)
                    .for_each(|(row, &symbol)| *row = symbol.into());
            }),
        }
    }
    (rows, width)
}

/// Feature groups, bounds of buckets, tensors by the names in docs/reference/formats.md,
/// provenance.
type TrainedNetwork = (String, Vec<u8>, HashMap<String, Vec<f32>>, String);

/// Quantizes weights and writes them as a model file.
#[pyfunction]
pub(crate) fn save_network(
    py: Python<'_>,
    game: &Game,
    path: PathBuf,
    network: TrainedNetwork,
) -> PyRes<()> {
    py.detach(|| dispatch!(&game.0, rules => write_network(&*rules.game, network, &path)))
}

fn write_network<G: Learnable>(
    game: &G,
    (inputs, bounds, mut tensors, provenance): TrainedNetwork,
    path: &Path,
) -> PyRes<()> {
    let missing = |name: &str| format!("there is no tensor '{name}'");
    let mut take = |name: &str| tensors.remove(name).ok_or_else(|| missing(name));
    let mut weights = FloatWeights {
        rows: take("rows")?,
        bias: take("hidden1.bias")?,
        output: take("output.weight")?,
        output_bias: take("output.bias")?,
        ..FloatWeights::default()
    };
    // Hidden layers after the first are optional.
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
    let groups = NamedSet::from_names(&inputs)?;
    let network = Network::new(&game, groups, &bounds, weights.quantize()?)?;
    let model = Model::Network(network);
    Ok(ModelFile { provenance, model }.save(path)?)
}
