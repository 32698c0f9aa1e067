//! Batched successors against single evaluations, bit by bit.

use super::*;
use crate::{EinStein, GONE, Variant, dice::Die};
use alea_core::{
    game::Game,
    search_game::{MoveCount, Playouts},
};
use proptest::prelude::*;
use std::sync::LazyLock;

fn all_sets() -> Vec<TupleSet> {
    let mut all = sets();
    let mixed = [
        "b12 s0 a6",
        "b12 o12 m12",
        "s3 d3 a3 s9",
        "b0 b24 d7",
        "o0 o6 o12 o18 o24",
        "a0 a1 a2 a3 a4 a5 a6 a7",
        "b7 s8 d8",
    ];
    all.push(custom_set(&mixed));
    all.push(custom_set(&["o0 o1 o5 o6", "m7 m12", "m3 b4 o8", "s7 o12"]));
    let board: Vec<String> = (0..256)
        .map(|number| format!("b{} b{}", number % 25, (number % 25 + 1 + number / 25) % 25))
        .collect();
    all.push(custom_set(&board));
    let windows = &set_by_name("board-windows").tuple_texts()[..40];
    all.push(custom_set(windows).with_phases([4, 11]).unwrap());
    all
}

static NETWORKS: LazyLock<Vec<NTuple>> = LazyLock::new(|| {
    all_sets()
        .iter()
        .zip(100..)
        .map(|(set, seed)| random_network(set, seed, 0.1))
        .collect()
});

fn check(network: &NTuple, game: &Standard, position: &Position, cache: &mut Successors) {
    let expected = test_support::reference_one_ply(network, game, position);
    let found = network.one_ply(game, position, cache);
    let name = network.tuple_set().name();
    assert_eq!(found.to_bits(), expected.to_bits(), "{name} {position:?}");
    let moves = game.all_moves(position);
    test_support::check_scores(network, game, position, &moves, |next| network.logit(next));
}

fn check_afresh(network: &NTuple, game: &Standard, position: &Position) {
    check(network, game, position, &mut Successors::default());
}

#[test]
fn batched_successors_equal_single_evaluations() {
    let game = Standard::default();
    let positions = test_support::random_positions(&game, 41, 1200);
    for network in NETWORKS.iter() {
        let mut cache = Successors::default();
        for position in &positions {
            check(network, &game, position, &mut cache);
            if let Some(other) = test_support::with_another_enemy(&game, position) {
                check(network, &game, &other, &mut cache);
            }
        }
    }
}

#[test]
fn moves_may_be_scored_in_any_order() {
    let game = Standard::default();
    for network in NETWORKS.iter() {
        for position in test_support::random_positions(&game, 43, 60) {
            let mut flipped = game.all_moves(&position);
            flipped.sort_by_key(|mv| (mv.direction(), mv.stone()));
            test_support::check_scores(network, &game, &position, &flipped, |next| {
                network.logit(next)
            });
        }
    }
}

fn any_sides() -> impl Strategy<Value = Position> {
    let order = Just((0..25u8).collect::<Vec<_>>()).prop_shuffle();
    (order, 1..64u8, 1..64u8, 0..2usize).prop_map(|(squares, own, other, seat)| {
        let free: Vec<u8> = squares
            .into_iter()
            .filter(|square| ![0, 24].contains(square))
            .collect();
        let lives = |stones: u8, stone: usize| stones >> stone & 1 == 1;
        let mover = Side::new(std::array::from_fn(|stone| {
            if lives(own, stone) { free[stone] } else { GONE }
        }));
        let enemy = std::array::from_fn(|stone| {
            if lives(other, stone) {
                24 - free[MAX_STONES + stone]
            } else {
                GONE
            }
        });
        Position::new(mover, Side::new(enemy), seat)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn batched_successors_of_any_position_equal_single_evaluations(position in any_sides(), set in 0..NETWORKS.len(), nearest: bool) {
        let variant = if nearest { Variant::NearestOnly } else { Variant::Classic };
        let game: Standard = EinStein::new(variant, Die::fair());
        check_afresh(&NETWORKS[set], &game, &position);
    }
}

#[test]
fn special_captures_and_arrivals_are_exact() {
    let game = Standard::default();
    // Two stones before the goal, one can capture the other; the enemy's last stone is ahead of the
    // third.
    let mover = Side::new([23, 18, 0, GONE, GONE, GONE]);
    let enemy = Side::new([GONE, GONE, 24 - 6, GONE, GONE, GONE]);
    let position = Position::new(mover, enemy, 0);
    let moves = game.all_moves(&position);
    let count = |what: fn(&Position) -> bool| {
        let nexts = moves.iter().map(|&mv| game.play(&position, mv));
        nexts.filter(what).count()
    };
    let own_captured = count(|next| next.other().num_stones() == 2);
    let arrived = count(|next| next.other().occupies(24));
    let lost = count(|next| next.mover().is_empty());
    assert_eq!((own_captured, arrived, lost), (1, 2, 1));
    for network in NETWORKS.iter() {
        check_afresh(network, &game, &position);
    }
    assert_eq!(
        game.count_moves(&position),
        MoveCount {
            total: 7,
            nonterminal: 4
        }
    );
}

#[test]
fn weights_of_all_moves_together_may_be_larger_than_any_sum() {
    let game = Standard::default();
    // All moves change the one tuple, whose weight alone nearly overflows.
    let set = custom_set(&["d6 d7 d8 d9 d10 d11"]);
    let rows = set.row_count();
    let network = NTuple::new(set, vec![255.0; rows], 0.0).unwrap();
    for position in test_support::random_positions(&game, 43, 200) {
        check_afresh(&network, &game, &position);
    }
}

#[test]
fn impossible_positions_are_harmless() {
    let game = Standard::default();
    for network in NETWORKS.iter() {
        for position in test_support::impossible_positions(60) {
            let found = network.one_ply(&game, &position, &mut Successors::default());
            assert!(found.is_finite() || game.count_moves(&position).total == 0);
        }
    }
}
