//! The extractor against slow definitions on the positions of random games.

use super::*;
use crate::core::game::Game;
use crate::games::einstein::{GONE, Variant, dice::Die, evaluators::test_support, position::Side};
use crate::learned::{
    inputs::{hash, network_layout},
    names::Named,
};

/// Positions of about so many random games.
fn random_positions(games: usize) -> Vec<Position> {
    test_support::random_positions(&Standard::default(), 23, 20 * games)
}

fn layout(groups: FeatureGroups) -> String {
    network_layout(&Standard::default(), groups)
}

fn dense(game: &Standard, groups: FeatureGroups, position: &Position) -> Vec<f32> {
    let features = DenseFeatures::new(game, groups);
    let mut out = vec![f32::NAN; features.len()];
    features.fill(game, position, &mut out);
    out
}

fn of_group(game: &Standard, group: FeatureGroup, position: &Position) -> Vec<f32> {
    dense(game, FeatureGroups::NONE.with(group), position)
}

fn all_sets() -> Vec<FeatureGroups> {
    (0..64u8)
        .map(|bits| {
            let groups = FeatureGroup::ALL.iter().copied();
            groups
                .filter(|group| bits >> *group as u8 & 1 == 1)
                .collect()
        })
        .collect()
}

fn faces_that_permit(game: &Standard, position: &Position, stone: usize) -> f64 {
    let permits = |&face: &u8| {
        let legal = game.legal_moves(position, face);
        legal.iter().any(|mv| mv.stone() == stone)
    };
    (1..=6).filter(permits).count() as f64
}

fn close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (f64::from(*found) - expected).abs() < 2e-5,
            "{found} {expected}"
        );
    }
}

#[test]
fn sparse_rows_by_hand() {
    // Blue to move: its stone 5 (e) on e3 is on Red's row-major cell 14, so on its own square 10.
    let position = test_support::position("215../64.../3...e/...fb/..acd b -");
    let rows = sparse(&position);
    assert_eq!(rows[4], 4 * 26 + 10);
    // Blue's 4 (d) on e1, cell 24, is on its home corner.
    assert_eq!(rows[3], 3 * 26);
    // Red's 1 on b5, cell 1.
    assert_eq!(rows[6], 6 * 26 + 1);
    let gone = test_support::position("...../...../..1../...../....c r -");
    assert_eq!(sparse(&gone)[..3], [12, 26 + 25, 2 * 26 + 25]);
    assert_eq!(sparse(&gone)[8], 8 * 26);
}

#[test]
fn one_row_of_each_stone_is_on() {
    assert_eq!(SPARSE_ROWS, 312);
    for position in random_positions(50) {
        for (stone, row) in sparse(&position).into_iter().enumerate() {
            assert_eq!(usize::from(row) / 26, stone);
            let side = if stone < 6 {
                position.mover()
            } else {
                position.other()
            };
            let square = match side.squares()[stone % 6] {
                GONE => 25,
                square => usize::from(square),
            };
            assert_eq!(usize::from(row) % 26, square);
        }
    }
}

#[test]
fn sizes_names_and_layout_agree() {
    assert_eq!(FeatureGroups::ALL.inputs(), MAX_DENSE);
    let everything = FeatureGroup::ALL
        .iter()
        .copied()
        .fold(FeatureGroups::NONE, FeatureGroups::with);
    assert_eq!(everything, FeatureGroups::ALL);
    for groups in all_sets() {
        assert_eq!(FeatureGroups::from_names(&groups.names()), Ok(groups));
        let json = serde_json::to_string(&groups).unwrap();
        assert_eq!(
            serde_json::from_str::<FeatureGroups>(&json).unwrap(),
            groups
        );
        assert_eq!(layout(groups).matches("; ").count(), groups.iter().count());
    }
    assert_eq!(
        serde_json::to_string(&FeatureGroups::NONE.with(FeatureGroup::RaceSummary)).unwrap(),
        r#"["race_summary"]"#
    );
    let error = FeatureGroups::from_names("mobility,speed")
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "'speed' is no feature group; there are mobility, race_distribution, race_summary, attack, material, race_mass"
    );
}

#[test]
fn the_hash_is_xxh3_and_tells_all_layouts_apart() {
    assert_eq!(
        hash(""),
        0x2D06_8005_38D3_94C2,
        "xxh3 of nothing, from its specification"
    );
    let all: std::collections::HashSet<u64> = all_sets()
        .into_iter()
        .map(|groups| hash(&layout(groups)))
        .collect();
    assert_eq!(all.len(), 64);
}

#[test]
fn texts_of_models_that_were_trained_before_stay() {
    // Of every shipped network, and of all groups there were at first.
    let first =
        FeatureGroups::from_names("mobility,race_distribution,race_summary,attack,material")
            .unwrap();
    assert_eq!(first.inputs(), 54);
    assert!(layout(first).ends_with("; material v1: stones/6 of mover, other"));
    assert_eq!(
        layout(first.with(FeatureGroup::RaceMass)),
        layout(first) + "; race_mass v1: P(T=k) k=1..16 of mover, other"
    );
}

#[test]
fn mobility_counts_the_faces_that_permit_a_stone() {
    for variant in [Variant::Classic, Variant::NearestOnly] {
        let game = Standard::new(variant, Die::fair());
        for position in random_positions(60) {
            let mut expected = Vec::new();
            // The other side's chances are those it would have on the move.
            for turned in [position, position.passed()] {
                let faces = |stone| faces_that_permit(&game, &turned, stone);
                expected.extend((0..6).map(|stone| faces(stone) / 6.0));
            }
            let found = of_group(&game, FeatureGroup::Mobility, &position);
            close(&found, &expected);
        }
    }
}

#[test]
fn attack_and_threat_follow_their_definition() {
    let game = Standard::default();
    let value = |side: Side, stone: usize| -> f64 {
        let square = i32::from(side.square(stone));
        if square == i32::from(GONE) {
            0.0
        } else {
            2f64.powi(5 - (4 - square / 5).max(4 - square % 5))
        }
    };
    for position in random_positions(100) {
        let mut attack = Vec::new();
        let mut threat = Vec::new();
        for view in [position, position.passed()] {
            let moves = game.all_moves(&view);
            let (mut attacks, mut threatens) = (0.0, 0.0);
            for stone in 0..6 {
                let mobility = faces_that_permit(&game, &view, stone);
                attacks += mobility * value(view.mover(), stone);
                // A capture is a stone of the enemy that is there before the move and gone after
                // it.
                let best = moves
                    .iter()
                    .filter(|mv| mv.stone() == stone)
                    .flat_map(|&mv| {
                        let after = game.play(&view, mv);
                        (0..6).filter(move |&enemy| {
                            after.mover().square(enemy) != view.other().square(enemy)
                        })
                    })
                    .map(|enemy| value(view.other(), enemy))
                    .fold(0.0, f64::max);
                threatens += mobility * best;
            }
            attack.push(attacks / 64.0);
            threat.push(threatens / 64.0);
        }
        attack.extend(threat);
        close(&of_group(&game, FeatureGroup::Attack, &position), &attack);
    }
}

#[test]
fn race_features_of_known_races() {
    let game = Standard::default();
    let of = |group, text: &str| of_group(&game, group, &test_support::position(text));
    let summary = |text: &str| of(FeatureGroup::RaceSummary, text);
    // One stone four steps away on each side: the mover needs four moves, so does the other, the
    // mover is first.
    close(
        &summary("1..../...../...../...../....a r -"),
        &[0.4, 0.4, 1.0, 2.0],
    );
    // Red three steps away waits for Blue, who is two away.
    close(
        &summary("...../.a.../.1.../...../..... b -")[..2],
        &[0.1, 0.3],
    );
    close(
        &summary("...../...../.1a../...../..... r -"),
        &[0.3, 0.2, 0.0, -2.0],
    );
    // E of the two stones 1 and 6 at four steps: 17701/3888.
    let text = "16.../...../...../...../....c r -";
    let pair = summary(text);
    close(&pair[..2], &[17701.0 / 3888.0 / 10.0, 0.4]);
    // Blue needs exactly four moves, so the mover wins the race if T <= 4.
    let distribution = of(FeatureGroup::RaceDistribution, text);
    close(&pair[2..3], &[f64::from(distribution[3])]);
    let odds = f64::from(pair[2]);
    close(
        &pair[3..4],
        &[((odds / (1.0 - odds)).ln() / 4.0).clamp(-2.0, 2.0)],
    );
    // Blue's distribution steps from 0 to 1 at four moves.
    let over: [f64; 16] = std::array::from_fn(|turns| if turns < 3 { 0.0 } else { 1.0 });
    close(&distribution[16..], &over);
    let mass = of(FeatureGroup::RaceMass, text);
    let ends: [f64; 16] = std::array::from_fn(|turns| if turns == 3 { 1.0 } else { 0.0 });
    close(&mass[16..], &ends);
    // Added up, mass is the distribution, and Σ k · mass the expectation.
    let mut sum = 0.0;
    for (mass, distribution) in mass[..16].iter().zip(&distribution) {
        sum += f64::from(*mass);
        assert!(*mass >= 0.0 && (sum - f64::from(*distribution)).abs() < 1e-6);
    }
    let mean: f64 = mass[..16]
        .iter()
        .zip(1..)
        .map(|(mass, turns)| f64::from(*mass) * f64::from(turns))
        .sum();
    assert!((mean - 17701.0 / 3888.0).abs() < 1e-5, "{mean}");
    // Done in four: whichever stone goes first, five of six faces permit it again, three times.
    close(&mass[3..4], &[(5.0f64 / 6.0).powi(3)]);
    assert!(distribution[..16].is_sorted() && distribution[2] == 0.0 && distribution[15] > 0.999);
}

#[test]
fn groups_are_laid_out_one_after_the_other_and_stay_in_range() {
    let game = Standard::default();
    for position in random_positions(40) {
        let all = dense(&game, FeatureGroups::ALL, &position);
        let one_by_one: Vec<f32> = FeatureGroup::ALL
            .iter()
            .copied()
            .flat_map(|group| of_group(&game, group, &position))
            .collect();
        assert_eq!(all, one_by_one);
        assert!(
            all.iter().all(|value| (-2.6..=2.6).contains(value)),
            "{position:?} {all:?}"
        );
        let material = [position.mover(), position.other()];
        let material = material.map(|side| f64::from(side.count()) / 6.0);
        close(&all[52..54], &material);
    }
}
