//! The default network on random rows.

use alea_core::random::RandomStream;
use alea_learned::inputs::Learnable;
use engine::games::einstein::Standard;
use trainer::batch::{FeatureSpec, NetworkBatch};
use trainer::config::TrainConfig;
use trainer::models::cpu::{CpuNetwork, Shape, SparseInputs};

pub(crate) fn default_features() -> FeatureSpec<Standard> {
    FeatureSpec {
        game: Standard::default(),
        groups: Standard::DEFAULT_FEATURES.iter().copied().collect(),
        bounds: Vec::new(),
        results: None,
    }
}

pub(crate) fn network(config: &TrainConfig, random: &mut RandomStream) -> CpuNetwork {
    let features = default_features();
    let sparse = SparseInputs::for_game(&features.game, features.groups);
    let shape = Shape::new(sparse, &config.network.hidden);
    let weights: Vec<f32> = (0..shape.parameters())
        .map(|_| (random.uniform_f64() as f32 - 0.5) * 0.3)
        .collect();
    CpuNetwork::new(shape, weights, vec![0.0; 2 * shape.parameters()], 0)
}

pub(crate) fn random_batch(samples: usize, random: &mut RandomStream) -> NetworkBatch {
    let features = default_features();
    let runs = features.game.feature_slots(features.groups);
    let rows = (0..samples).flat_map(|_| runs.clone());
    let rows = rows.map(|run| (run.start + random.below(run.len())) as u16);
    NetworkBatch {
        rows: rows.collect(),
        buckets: Vec::new(),
        targets: (0..samples).map(|_| random.uniform_f64() as f32).collect(),
        results: Vec::new(),
        weights: Vec::new(),
    }
}
