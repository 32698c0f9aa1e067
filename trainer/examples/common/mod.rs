//! What the micro-benchmarks and `training_speed` measure alike: the usual network on random rows.

use engine::core::random::RandomStream;
use engine::games::einstein::Standard;
use engine::learned::inputs::Learnable;
use trainer::batch::{FeatureSpec, NetworkBatch};
use trainer::config::TrainConfig;
use trainer::models::cpu::{CpuNetwork, Shape, SparseInputs};

/// What the usual network looks at.
pub(crate) fn usual() -> FeatureSpec<Standard> {
    FeatureSpec {
        game: Standard::default(),
        groups: Standard::DEFAULT_FEATURES.iter().copied().collect(),
        bounds: Vec::new(),
    }
}

/// The usual network with random weights, before its first step.
pub(crate) fn network(config: &TrainConfig, random: &mut RandomStream) -> CpuNetwork {
    let looks = usual();
    let sparse = SparseInputs::of(&looks.game, looks.groups);
    let shape = Shape::new(sparse, &config.network.hidden);
    let weights: Vec<f32> = (0..shape.parameters())
        .map(|_| (random.unit() as f32 - 0.5) * 0.3)
        .collect();
    CpuNetwork::new(shape, weights, vec![0.0; 2 * shape.parameters()], 0)
}

/// So many samples of random rows and targets.
pub(crate) fn random_batch(samples: usize, random: &mut RandomStream) -> NetworkBatch {
    let looks = usual();
    let runs = looks.game.feature_slots(looks.groups);
    let rows = (0..samples).flat_map(|_| runs.clone());
    let rows = rows.map(|run| (run.start + random.below(run.len())) as u16);
    NetworkBatch {
        rows: rows.collect(),
        buckets: Vec::new(),
        targets: (0..samples).map(|_| random.unit() as f32).collect(),
        weights: Vec::new(),
    }
}
