//! Exact values by plain recursion, against published and independent numbers.

use crate::reference_solver::Solver;
use crate::support::{assert_near, exact_positions, full, moves_of, position, schwarz, table};
use engine::games::einstein::{EinStein, Standard, Variant, dice::Die};
use engine::search::{
    limits::MAX_DEPTH,
    star::{Star, StarOptions},
};

#[test]
fn values_and_moves_of_endgames_agree_with_an_independent_solver() {
    let mut solver = Solver::new(Standard::default());
    for exact in exact_positions() {
        let position = exact.position;
        assert_near(solver.value(&position), exact.value, 1e-9, position);
        let moves = moves_of(&solver.game, &position);
        assert_eq!(moves.len(), exact.moves.len(), "{position:?}");
        for &mv in moves.iter() {
            let value = solver.value_of_move(&position, mv);
            assert_near(value, exact.of(mv), 1e-9, (position, mv));
        }
    }
}

/// Values for the side to move by the classic rule (two programs) and the nearest-number rule
/// (one).
pub(crate) const INDEPENDENT_VALUES: [(&str, f64, f64); 6] = [
    ("1..../...../...../...../....a r -", 1.0, 1.0),
    ("...../.1.../...../...../...fa r -", 41.0 / 216.0, 0.625),
    (
        "...../..6../..1b./..e../..... r -",
        2815.0 / 2916.0,
        0.820_312_5,
    ),
    ("...../..6../..1b./..e../..... b -", 64.0 / 81.0, 0.5625),
    (
        "3..../.4.../...../...d./....c r -",
        16_419.0 / 32_768.0,
        0.501_068_115,
    ),
    (
        "16.../...../...../...../...fa r -",
        0.429_997_871_233,
        0.545_562_744,
    ),
];

pub(crate) fn nearest() -> Standard {
    Standard::new(Variant::NearestOnly, Die::fair())
}

#[test]
fn published_values() {
    let [mut classic_rule, mut nearest_rule] = [Standard::default(), nearest()].map(Solver::new);
    for (text, classic, nearest) in INDEPENDENT_VALUES {
        let position = position(text);
        assert_near(classic_rule.value(&position), classic, 6e-12, text);
        assert_near(nearest_rule.value(&position), nearest, 6e-10, text);
    }
}

fn one_stone_each<const COLUMNS: usize, const ROWS: usize>() -> f64 {
    let die = Die::with_faces(1).unwrap();
    let game = EinStein::<COLUMNS, ROWS>::with_stones(Variant::Classic, die, 1);
    let start = game.start([0, 0], 0);
    Solver::new(game).value(&start)
}

/// Whether one stone each has the published result: with SHORT ≤ LONG the second player wins
/// exactly when LONG is odd and LONG ≥ 2 · SHORT − 1.
fn is_won_as_published<const SHORT: usize, const LONG: usize>() {
    let lost = LONG % 2 == 1 && LONG >= 2 * SHORT - 1;
    let both = [
        one_stone_each::<SHORT, LONG>(),
        one_stone_each::<LONG, SHORT>(),
    ];
    assert_eq!(both, [if lost { 0.0 } else { 1.0 }; 2], "{SHORT}×{LONG}");
}

#[test]
fn one_stone_each_is_won_by_the_second_player_on_long_odd_boards_only() {
    is_won_as_published::<2, 2>();
    is_won_as_published::<2, 3>();
    is_won_as_published::<2, 4>();
    is_won_as_published::<2, 5>();
    is_won_as_published::<3, 3>();
    is_won_as_published::<3, 4>();
    is_won_as_published::<3, 5>();
    is_won_as_published::<4, 4>();
    is_won_as_published::<4, 5>();
    is_won_as_published::<5, 5>();
}

fn mean_of_three_stones<const COLUMNS: usize, const ROWS: usize>(faces: usize) -> f64 {
    let die = Die::with_faces(faces).unwrap();
    let game = EinStein::<COLUMNS, ROWS>::with_stones(Variant::Classic, die, 3);
    assert_eq!(game.num_setups(), 6);
    let mut solver = Solver::new(game);
    let pairs = (0..36).map(|pair| [pair / 6, pair % 6]);
    let values = pairs.map(|pair| solver.value(&solver.game.start(pair, 0)));
    values.sum::<f64>() / 36.0
}

#[test]
fn small_games_have_the_values_of_an_independent_program() {
    // Fractions by a program with integer arithmetic.
    for (mean, numerator, denominator) in [
        (mean_of_three_stones::<3, 3>(3), 1_459.0, 2_187.0),
        (mean_of_three_stones::<3, 3>(6), 88_085.0, 139_968.0),
        (
            mean_of_three_stones::<4, 4>(3),
            213_893_743.0,
            387_420_489.0,
        ),
    ] {
        assert_near(
            mean,
            numerator / denominator,
            1e-12,
            (numerator, denominator),
        );
    }
}

#[test]
fn full_depth_search_finds_the_exact_values() {
    let game = Standard::default();
    let star = |table| Star::new(game.clone(), schwarz(&game), StarOptions::default(), table);
    let (mut with_table, mut without) = (star(Some(table(1 << 20))), star(None));
    let mut num_small = 0;
    for exact in exact_positions() {
        let assert_forms_agree = |star: &mut Star<_, _>| {
            let bounds = full(star, &exact.position, MAX_DEPTH);
            assert_near(bounds.lower, exact.value, 1e-6, exact.position);
            assert_near(bounds.upper, exact.value, 1e-6, exact.position);
        };
        assert_forms_agree(&mut with_table);
        if exact.position.num_stones() <= 4 {
            assert_forms_agree(&mut without);
            num_small += 1;
        }
    }
    assert!(
        num_small > 50,
        "{num_small} positions of at most four stones"
    );
    let evaluations = [with_table, without].map(|mut star| star.take_stats().evaluations);
    assert_eq!(evaluations, [0; 2]);
}
