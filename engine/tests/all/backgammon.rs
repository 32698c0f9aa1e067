//! Backgammon against outside vectors, a plain generator of plays, and published counts.

use crate::support::parse_json_rows;
use engine::core::{
    game::Game,
    random::RandomStream,
    search_game::{Playouts, playout_by_moves},
};
use engine::games::backgammon::{
    BLACK, Backgammon, MAX_PLAYS_OF_ROLL, Men, Plays, Position, WHITE,
    position_id::{format_position_id, parse_position_id},
    rolls::{NUM_ROLLS, ROLL_NAMES, dice, roll_named, roll_number, roll_probability, sample_roll},
};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

const GAME: Backgammon = Backgammon;

fn parse(id: &str) -> Position {
    let (mover, other) = parse_position_id(id).unwrap();
    Position::new(mover, other, WHITE)
}

fn id(position: &Position) -> String {
    format_position_id(position.mover(), position.other())
}

fn ids_after(position: &Position, roll: usize) -> Vec<String> {
    let mut plays = Plays::new();
    GAME.moves_for(position, roll, &mut plays);
    let after = plays.iter().map(|&play| GAME.play(position, play));
    after.map(|after| id(&after)).collect()
}

/// Counts by point − 1, the bar last; the other side's from its own view.
type Sides = [[u8; 25]; 2];

fn successors([own, other]: &Sides, die: usize) -> Vec<Sides> {
    let mut found = Vec::new();
    for from in 1..=25 {
        if own[from - 1] == 0 || (own[24] > 0 && from != 25) {
            continue;
        }
        let [mut own, mut other] = [*own, *other];
        own[from - 1] -= 1;
        if from > die {
            let to = from - die;
            let enemy = &mut other[24 - to];
            if *enemy >= 2 {
                continue;
            }
            if *enemy == 1 {
                *enemy = 0;
                other[24] += 1;
            }
            own[to - 1] += 1;
        } else {
            let is_home = own[6..].iter().all(|&men| men == 0) && from <= 6;
            let is_rearmost = own[from..].iter().all(|&men| men == 0);
            if !is_home || (from < die && !is_rearmost) {
                continue;
            }
        }
        found.push([own, other]);
    }
    found
}

/// Sides after the dice in this order, as far as they can be used, with the number used.
fn after_dice(sides: &Sides, dice: &[usize], used: usize, found: &mut HashSet<(usize, Sides)>) {
    let next = match dice {
        [] => Vec::new(),
        [die, ..] => successors(sides, *die),
    };
    if next.is_empty() {
        found.insert((used, *sides));
    }
    for sides in next {
        after_dice(&sides, &dice[1..], used + 1, found);
    }
}

fn reference_positions(position: &Position, (larger, smaller): (u8, u8)) -> Vec<Position> {
    let sides = [position.mover().counts(), position.other().counts()];
    let [larger, smaller] = [larger, smaller].map(usize::from);
    let mut found = HashSet::new();
    if larger == smaller {
        after_dice(&sides, &[larger; 4], 0, &mut found);
    } else {
        after_dice(&sides, &[larger, smaller], 0, &mut found);
        let used_by_larger_first = found.iter().map(|after| after.0).max();
        let mut smaller_first = HashSet::new();
        after_dice(&sides, &[smaller, larger], 0, &mut smaller_first);
        // With one step, the larger die goes first; only if it has none, the smaller one.
        if used_by_larger_first != Some(1) {
            found.extend(smaller_first);
        } else {
            found.extend(smaller_first.into_iter().filter(|after| after.0 == 2));
        }
    }
    let most = found.iter().map(|after| after.0).max();
    let longest: HashSet<Sides> = found
        .into_iter()
        .filter(|after| Some(after.0) == most)
        .map(|after| after.1)
        .collect();
    let after = |[own, other]: [[u8; 25]; 2]| {
        let [own, other] = [own, other].map(|counts| Men::from_counts(counts).unwrap());
        Position::new(other, own, 1 - position.seat())
    };
    longest.into_iter().map(after).collect()
}

fn check_plays(position: &Position, roll: usize) -> usize {
    let ids = ids_after(position, roll);
    let sorted: BTreeSet<String> = ids.iter().cloned().collect();
    assert_eq!(
        sorted.len(),
        ids.len(),
        "{} {}",
        id(position),
        ROLL_NAMES[roll]
    );
    let expected = reference_positions(position, dice(roll));
    let expected: BTreeSet<String> = expected.iter().map(id).collect();
    assert_eq!(sorted, expected, "{} {}", id(position), ROLL_NAMES[roll]);
    ids.len()
}

/// A position with men anywhere, often few, or all of a side at home.
fn random_position(random: &mut RandomStream) -> Position {
    loop {
        let sides = [(); 2].map(|()| {
            let (men, points) = (1 + random.below(15), [6, 12, 25][random.below(3)]);
            let mut counts = [0; 25];
            (0..men).for_each(|_| counts[random.below(points)] += 1);
            Men::from_counts(counts).unwrap()
        });
        let shares = |point| sides[0].count_on(point) > 0 && sides[1].count_on(25 - point) > 0;
        if !(1..=24).any(shares) {
            return Position::new(sides[0], sides[1], random.below(2));
        }
    }
}

#[test]
fn plays_are_those_of_the_reference() {
    let mut random = RandomStream::new(1);
    for _ in 0..500 {
        let position = random_position(&mut random);
        (0..NUM_ROLLS).for_each(|roll| _ = check_plays(&position, roll));
    }
    let (mut all, mut most, mut positions) = (0, 0, 0);
    for _ in 0..10 {
        let mut position = GAME.start(WHITE);
        while GAME.payoffs(&position).is_none() {
            let counts = (0..NUM_ROLLS).map(|roll| check_plays(&position, roll));
            let counts: Vec<usize> = counts.collect();
            all += counts.iter().sum::<usize>();
            most = most.max(*counts.iter().max().unwrap());
            positions += 1;
            position = GAME.play(&position, GAME.sample_move(&position, random.next_u64()));
        }
    }
    assert!(
        (400..520).contains(&(all / positions)),
        "{all} in {positions}"
    );
    assert!(
        most < MAX_PLAYS_OF_ROLL && positions > 300,
        "{most} {positions}"
    );
}

#[test]
fn plays_are_those_of_an_independent_program() {
    let (mut lines, vectors) = (0, include_str!("../vectors/backgammon.jsonl"));
    for vector in parse_json_rows::<Value>(vectors) {
        let position = parse(vector["id"].as_str().unwrap());
        assert_eq!(id(&position), vector["id"].as_str().unwrap());
        let mut after = ids_after(
            &position,
            roll_named(vector["roll"].as_str().unwrap()).unwrap(),
        );
        after.sort();
        assert_eq!(Value::from(after), vector["after"], "{vector}");
        lines += 1;
    }
    assert_eq!(lines, 2_000);
}

#[test]
fn plays_of_the_start_have_the_published_numbers() {
    let start = GAME.start(BLACK);
    assert_eq!(id(&start), "4HPwATDgc/ABMA");
    let counts: Vec<usize> = (0..NUM_ROLLS)
        .map(|roll| ids_after(&start, roll).len())
        .collect();
    let expected = [
        42, 15, 75, 16, 17, 73, 14, 18, 17, 52, 8, 8, 9, 9, 4, 10, 14, 14, 14, 7, 11,
    ];
    assert_eq!(counts, expected);
    let mut plays = Plays::new();
    GAME.moves(&start, &mut plays);
    let outcomes = GAME.outcomes(&start, &plays);
    let lengths: Vec<usize> = outcomes
        .iter()
        .map(|outcome| outcome.move_range().len())
        .collect();
    assert_eq!(lengths, expected);
    let of_31 = &plays[outcomes[roll_named("31").unwrap()].move_range()];
    assert!(
        of_31
            .iter()
            .all(|play| play.roll() == roll_named("31").unwrap())
    );
    assert!(
        GAME.outcomes(&start, &[])
            .iter()
            .all(|outcome| outcome.move_range().is_empty())
    );
}

#[test]
fn rolls_are_numbered_by_their_dice() {
    let names: Vec<String> = (0..NUM_ROLLS)
        .map(|roll| format!("{}{}", dice(roll).0, dice(roll).1))
        .collect();
    assert_eq!(names, ROLL_NAMES);
    assert!((0..NUM_ROLLS).all(|roll| roll_number(dice(roll).1, dice(roll).0) == Some(roll)));
    assert_eq!((roll_number(0, 1), roll_number(7, 1)), (None, None));
    let mut sampled = [0; NUM_ROLLS];
    (0..36u64).for_each(|part| sampled[sample_roll(((part << 32) / 36 + 1) as u32)] += 1);
    for (roll, count) in sampled.into_iter().enumerate() {
        assert_eq!(roll_probability(roll), count as f32 / 36.0);
    }
}

#[test]
fn results_are_single_games_gammons_and_backgammons() {
    let men = |points: &[(usize, u8)]| {
        let mut counts = [0; 25];
        points
            .iter()
            .for_each(|&(point, men)| counts[point - 1] = men);
        Men::from_counts(counts).unwrap()
    };
    for (loser, points, payoff) in [
        (men(&[(1, 14)]), 1, 1.0 / 3.0),
        (men(&[(24, 14)]), 1, 1.0 / 3.0),
        (men(&[(18, 15)]), 2, 1.0 / 6.0),
        (men(&[(18, 14), (19, 1)]), 3, 0.0),
        (men(&[(1, 14), (25, 1)]), 3, 0.0),
    ] {
        for seat in [WHITE, BLACK] {
            let over = Position::new(loser, Men::default(), seat);
            let early = Position::new(Men::default(), loser, 1 - seat);
            for position in [over, early] {
                assert_eq!(GAME.points_won(&position, seat), Some(-points));
                assert_eq!(GAME.points_won(&position, 1 - seat), Some(points));
                let payoffs = GAME.payoffs(&position).unwrap();
                assert!((payoffs[seat] - payoff).abs() < 1e-6, "{payoffs:?}");
                assert!((payoffs[0] + payoffs[1] - 1.0).abs() < 1e-6);
            }
        }
    }
    assert_eq!(GAME.payoffs(&GAME.start(WHITE)), None);
}

#[test]
fn playouts_sample_a_roll_and_then_one_of_its_plays() {
    let mut random = RandomStream::new(5);
    for game in 0..20 {
        let mut streams = [RandomStream::new(game), RandomStream::new(game)];
        let start = GAME.start(game as usize % 2);
        let [one, other] = &mut streams;
        let played = GAME.playout(&start, || one.next_u64());
        assert_eq!(played, playout_by_moves(&GAME, &start, || other.next_u64()));
        let position = random_position(&mut random);
        let bits = random.next_u64();
        let mut plays = Plays::new();
        GAME.moves_for(&position, sample_roll((bits >> 32) as u32), &mut plays);
        let index = (plays.len() as u64 * (bits & 0xFFFF_FFFF)) >> 32;
        assert_eq!(GAME.sample_move(&position, bits), plays[index as usize]);
    }
}

#[test]
fn men_are_counted() {
    let mut random = RandomStream::new(7);
    for _ in 0..1_000 {
        let position = random_position(&mut random);
        let men = position.mover();
        let counts = men.counts();
        let with = |least| {
            (0..25)
                .filter(move |&at| counts[at] >= least)
                .map(|at| 1 << at)
                .sum::<u32>()
        };
        assert_eq!(
            (men.occupied_points(), men.made_points()),
            (with(1), with(2))
        );
        let sum: u32 = counts.iter().map(|&men| u32::from(men)).sum();
        assert_eq!((men.in_play(), men.borne_off()), (sum, 15 - sum));
        let pips: usize = (0..25).map(|at| (at + 1) * usize::from(counts[at])).sum();
        assert_eq!(men.pips() as usize, pips);
        let rearmost = (0..25).rev().find(|&at| counts[at] > 0).unwrap() + 1;
        assert_eq!(men.rearmost() as usize, rearmost);
        assert!(
            (1..=25).all(|point| men.count_on(point) == u32::from(counts[usize::from(point) - 1]))
        );
        assert_eq!(parse(&id(&position)).mover(), men);
    }
}
