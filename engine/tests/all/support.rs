//! Helpers shared by tests.

pub(crate) use engine::core::text::parse_json_rows;
use engine::core::{
    chance_bounds::Bounds, evaluator::Evaluator, game::Game, random::RandomStream,
    search_game::SearchGame,
};
use engine::games::einstein::{
    Move, Position, Standard, Variant, dice::Die, evaluators::schwarz_odds::SchwarzOdds,
};
use engine::play::{
    build::PlayerRecipe, playable::Playable, player::Player, player_notation::trusted_text,
};
use engine::search::{
    star::{Pruning, Star, StarOptions},
    table::{DepthPolicy, Replacement, Table},
};
use serde_json::Value;
use std::{collections::HashMap, fmt::Debug, sync::Arc};

pub(crate) const MIDDLE: &str = "215../64.../3...e/...fb/..acd b -";

pub(crate) const ALL_CUTS: [Pruning; 4] = [
    Pruning::None,
    Pruning::BetweenMoves,
    Pruning::Star1,
    Pruning::Star2,
];

pub(crate) fn position(text: &str) -> Position {
    Standard::default().parse_position(text).unwrap().0
}

pub(crate) fn random_positions(game: &Standard, count: usize, seed: u64) -> Vec<Position> {
    let mut random = RandomStream::new(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let first = random.below(2);
        let mut position = game.random_start(&mut random, first);
        for _ in 0..random.below(24) {
            if game.winner(&position).is_none() {
                let legal = game.legal_moves(&position, random.below(6) as u8 + 1);
                position = game.play(&position, legal[random.below(legal.len())]);
            }
        }
        if game.winner(&position).is_none() {
            positions.push(position);
        }
    }
    positions
}

pub(crate) fn random_game<G: SearchGame>(
    game: &G,
    start: G::Position,
    random: &mut RandomStream,
) -> impl Iterator<Item = G::Position> {
    std::iter::successors(Some(start), |position| {
        let goes_on = game.payoffs(position).is_none();
        goes_on.then(|| game.play(position, game.sample_move(position, random.next_u64())))
    })
}

pub(crate) fn moves_of<G: Game>(game: &G, position: &G::Position) -> G::Moves {
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    moves
}

pub(crate) fn successors<G: Game>(game: &G, position: &G::Position) -> Vec<G::Position> {
    let moves = moves_of(game, position);
    moves.iter().map(|&mv| game.play(position, mv)).collect()
}

pub(crate) fn all_rules() -> [Standard; 4] {
    let loaded = Die::with_weights(&[0.3, 0.0, 0.1, 0.25, 0.05, 0.3]).unwrap();
    [
        (Variant::Classic, Die::fair()),
        (Variant::NearestOnly, Die::fair()),
        (Variant::Classic, loaded),
        (Variant::NearestOnly, loaded),
    ]
    .map(|(variant, die)| Standard::new(variant, die))
}

pub(crate) fn schwarz(game: &Standard) -> Arc<SchwarzOdds> {
    Arc::new(SchwarzOdds::with_fitted_scale(game))
}

pub(crate) fn table(entries: usize) -> Arc<Table> {
    table_of(entries, Replacement::default())
}

pub(crate) fn table_of(entries: usize, replacement: Replacement) -> Arc<Table> {
    Arc::new(Table::with_entries(entries, replacement, DepthPolicy::default()).unwrap())
}

pub(crate) fn options_with_pruning(cuts: Pruning) -> StarOptions {
    StarOptions {
        pruning: cuts,
        ..StarOptions::default()
    }
}

pub(crate) fn player<G: Playable>(notation: &str, game: &G) -> Box<dyn Player<G>> {
    let mut player = PlayerRecipe::parse(trusted_text(notation), game)
        .unwrap()
        .make();
    player.new_game(1);
    player
}

pub(crate) struct Exact {
    pub(crate) position: Position,
    pub(crate) value: f64,
    pub(crate) moves: HashMap<String, f64>,
}

impl Exact {
    pub(crate) fn of(&self, mv: Move) -> f64 {
        self.moves[&Standard::default().format_move(&self.position, mv)]
    }
}

pub(crate) fn exact_positions() -> Vec<Exact> {
    exact(include_str!("../vectors/exact.jsonl"), 230)
}

/// Six-stone positions from games, with values by `alea probe --json`.
pub(crate) fn six_stones() -> Vec<Exact> {
    exact(include_str!("../vectors/six.jsonl"), 300)
}

fn exact(text: &str, count: usize) -> Vec<Exact> {
    let lines = parse_json_rows::<Value>(text).map(|line| Exact {
        position: position(line["position"].as_str().unwrap()),
        value: line["value"].as_f64().unwrap(),
        moves: serde_json::from_value(line["moves"].clone()).unwrap(),
    });
    let lines: Vec<Exact> = lines.collect();
    assert_eq!(lines.len(), count);
    lines
}

#[track_caller]
pub(crate) fn assert_near(
    found: impl Into<f64>,
    expected: impl Into<f64>,
    within: f64,
    what: impl Debug,
) {
    let (found, expected) = (found.into(), expected.into());
    assert!(
        (found - expected).abs() < within,
        "{what:?}: {found}, expected {expected}"
    );
}

#[track_caller]
pub(crate) fn encloses(bounds: Bounds, value: f64, within: f64, what: impl Debug) {
    let (lower, upper) = (f64::from(bounds.lower), f64::from(bounds.upper));
    assert!(
        lower - within < value && value < upper + within,
        "{what:?}: {bounds:?}, expected {value}"
    );
}

pub(crate) fn full<G: SearchGame, E: Evaluator<G>>(
    star: &mut Star<G, E>,
    position: &G::Position,
    depth: u32,
) -> Bounds {
    star.bounds(position, depth, f32::NEG_INFINITY, f32::INFINITY)
}

/// Checks that a full window gives the expected value, and narrow windows bound it.
#[track_caller]
pub(crate) fn star_agrees<G: SearchGame, E: Evaluator<G>>(
    star: &mut Star<G, E>,
    (position, depth): (&G::Position, u32),
    windows: [(f32, f32); 3],
    (expected, within): (f64, f64),
    what: impl Debug,
) {
    let found = full(star, position, depth);
    assert_near(found.lower, expected, within, &what);
    assert_near(found.upper, expected, within, &what);
    for (alpha, beta) in windows {
        let bounds = star.bounds(position, depth, alpha, beta);
        encloses(bounds, expected, within, &what);
        let width = f64::from(bounds.upper) - f64::from(bounds.lower);
        let decided = width < within || bounds.lower >= beta || bounds.upper <= alpha;
        assert!(decided, "{what:?}: {bounds:?} in ({alpha}, {beta})");
    }
}
