//! Playouts against the plain rules, random streams against their definition, vectors against
//! scalars.

use super::{lockstep::PLIES_PER_BATCH, random_bits::NUM_CODES, scalar::ScalarGame, *};
use crate::{
    EinStein, GONE, MAX_STONES, Move, Variant, dice::Die, evaluators::test_support, position::Side,
};
use alea_core::{
    game::{Game, MAX_SEATS},
    search_game::{Playouts, playout_by_moves},
};
use std::collections::{HashMap, HashSet};

fn move_by_the_rules<const C: usize, const R: usize>(
    game: &EinStein<C, R>,
    position: &Position,
    draw: PlyBits,
    choice: Choice,
) -> Move {
    let value = u32::from(draw.0) * 18 / 65536;
    let legal = game.legal_moves(position, (value / 3) as u8 + 1);
    let (first, last) = (legal[0].stone(), legal[legal.len() - 1].stone());
    let steps = |stone: usize| -> Vec<Move> {
        let own = |mv: &Move| mv.stone() == stone;
        legal.iter().copied().filter(own).collect()
    };
    let weight = |stone: usize| match choice {
        Choice::Stones => 1,
        Choice::Moves => steps(stone).len(),
    };
    // The two lowest bits select the first stone if below 4 · (its fraction of the moves).
    let takes_first = first == last
        || usize::from(draw.0 % 4) * (weight(first) + weight(last)) < 4 * weight(first);
    let steps = steps(if takes_first { first } else { last });
    match steps[..] {
        [only] => only,
        _ => steps[value as usize % 3],
    }
}

fn random_positions(count: usize) -> Vec<Position> {
    test_support::random_positions(&Standard::default(), 5, count)
}

fn after_ply<const BY_STONES: bool>(
    table: StoneTable,
    position: &Position,
    draw: PlyBits,
) -> Position {
    let mut game = ScalarGame::from_position::<5, 5>(position);
    game.ply::<5, 5, 0, BY_STONES, true>(table, draw);
    let mut branchless = ScalarGame::from_position::<5, 5>(position);
    branchless.ply::<5, 5, 0, BY_STONES, false>(table, draw);
    let sides: [[u8; MAX_STONES]; 2] = game.own_squares::<5, 5>();
    assert_eq!(sides, branchless.own_squares::<5, 5>());
    Position::new(
        Side::new(sides[1]),
        Side::new(sides[0]),
        1 - position.seat(),
    )
}

#[test]
fn all_draws_together_give_every_move_its_exact_probability() {
    let mut worst = 0.0f64;
    for variant in [Variant::Classic, Variant::NearestOnly] {
        let game = Standard::new(variant, Die::fair());
        let table = *game.playout_table().unwrap();
        for position in random_positions(4000).iter().step_by(97) {
            let mut exact: [HashMap<Position, f64>; 2] = Default::default();
            for face in 1..=6 {
                let legal = game.legal_moves(position, face);
                let (first, last) = (legal[0].stone(), legal[legal.len() - 1].stone());
                let stones = if first == last { 1.0 } else { 2.0 };
                for &mv in legal.iter() {
                    let own = |other: &&Move| other.stone() == mv.stone();
                    let of_stone = legal.iter().filter(own).count() as f64;
                    let probabilities = [legal.len() as f64, stones * of_stone];
                    for (exact, frequency) in exact.iter_mut().zip(probabilities) {
                        *exact.entry(game.play(position, mv)).or_default() += 1.0 / 6.0 / frequency;
                    }
                }
            }
            let mut found: [HashMap<Position, u32>; 2] = Default::default();
            for draw in (0..=u16::MAX).map(PlyBits) {
                for (found, after) in found.iter_mut().zip([
                    after_ply::<false>(table, position, draw),
                    after_ply::<true>(table, position, draw),
                ]) {
                    *found.entry(after).or_default() += 1;
                }
            }
            for (exact, found) in exact.iter().zip(&found) {
                assert_eq!(exact.len(), found.len(), "{position:?}");
                for (after, probability) in exact {
                    worst = worst.max((f64::from(found[after]) / 65536.0 - probability).abs());
                }
            }
        }
    }
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn a_face_has_its_sixth_of_all_draws() {
    let mut codes = [0u32; NUM_CODES as usize];
    for draw in (0..=u16::MAX).map(PlyBits) {
        codes[draw.face_step_code()] += 1;
    }
    let frequency = |face: &[u32]| f64::from(face.iter().sum::<u32>()) / 65536.0;
    assert!(
        codes
            .chunks(3)
            .all(|face| (frequency(face) - 1.0 / 6.0).abs() < 1e-4)
            && codes.iter().all(|&count| count == 3640 || count == 3641),
        "{codes:?}"
    );
}

#[test]
fn generators_are_the_published_ones() {
    let mut random = LaneRandom {
        state: [[[1; 8]; 2], [[2; 8]; 2]],
    };
    // Output of the authors' program from the state (1, 2).
    for expected in [
        3,
        412_333_834_243,
        2_360_170_716_294_286_339,
        9_295_852_285_959_843_169,
    ] {
        assert_eq!(random.next(), [[expected; 8]; 2]);
    }
    let mut random = SplitMix64::new(1_477_776_061_723_855_037);
    for expected in [
        1_985_237_415_132_408_290,
        2_979_275_885_539_914_483,
        13_511_426_838_097_143_398,
    ] {
        assert_eq!(random.next_u64(), expected);
    }
}

/// Chi-squared statistic above its mean for equal probabilities, in standard deviations.
fn chi_squared_excess(counts: &[u32]) -> f64 {
    let degrees = counts.len() as f64 - 1.0;
    (test_support::chi_squared(counts) - degrees) / (2.0 * degrees).sqrt()
}

#[test]
fn draws_of_lanes_are_uniform_and_independent() {
    const PLIES: usize = 200_000;
    let mut random = LaneRandom::new(&mut RandomStream::new(8));
    let mut codes = vec![[0u32; 18]; LANES];
    let mut coins = vec![[0u32; 4]; LANES];
    let (mut successive, mut neighbours) = (vec![0u32; 36], vec![0u32; 36]);
    let mut before = random.next_plies();
    for _ in 0..PLIES {
        let draws = random.next_plies();
        for lane in 0..LANES {
            let face = |draw: PlyBits| usize::from(draw.face()) - 1;
            codes[lane][draws[lane].face_step_code()] += 1;
            coins[lane][usize::from(draws[lane].stone_choice())] += 1;
            successive[6 * face(before[lane]) + face(draws[lane])] += 1;
            neighbours[6 * face(draws[lane]) + face(draws[(lane + 1) % LANES])] += 1;
        }
        before = draws;
    }
    // Limits for 128 values: chi-squared has a long tail.
    for lane in 0..LANES {
        assert!(
            chi_squared_excess(&codes[lane]) < 5.5 && chi_squared_excess(&coins[lane]) < 6.5,
            "{:?} {:?}",
            codes[lane],
            coins[lane]
        );
    }
    assert!(
        chi_squared_excess(&successive) < 5.0 && chi_squared_excess(&neighbours) < 5.0,
        "{successive:?} {neighbours:?}"
    );
}

#[test]
fn first_moves_after_each_roll_have_the_probabilities_of_the_rules() {
    let game = Standard::default();
    let table = *game.playout_table().unwrap();
    let mut random = LaneRandom::new(&mut RandomStream::new(9));
    for text in [
        "215../64.../3...e/...fb/..acd r -",
        "...../.b.5./..1.a/...../.d..4 b -",
        "....6/.a.../...../f...2/.e..c r -",
    ] {
        let position = test_support::position(text);
        let mut counts: Vec<HashMap<Position, u32>> = vec![HashMap::new(); 7];
        for _ in 0..60_000 {
            for draw in random.next_plies() {
                *counts[usize::from(draw.face())]
                    .entry(after_ply::<false>(table, &position, draw))
                    .or_default() += 1;
            }
        }
        for face in 1..=6u8 {
            let legal = game.legal_moves(&position, face);
            let counts: Vec<u32> = legal
                .iter()
                .map(|&mv| {
                    counts[usize::from(face)]
                        .remove(&game.play(&position, mv))
                        .unwrap()
                })
                .collect();
            assert!(
                counts.len() == 1 || chi_squared_excess(&counts) < 6.5,
                "{text} {face}: {counts:?}"
            );
        }
        assert!(
            counts.iter().all(HashMap::is_empty),
            "no move that the rules forbid"
        );
    }
}

fn replay<const C: usize, const R: usize>(variant: Variant, stones: usize) {
    let game = &EinStein::<C, R>::with_stones(variant, Die::fair(), stones);
    let table = *game.playout_table().unwrap();
    let mut random = RandomStream::new(4);
    for _ in 0..3000 {
        let start = game.random_start(&mut random, 1);
        let mut words = Vec::new();
        let mover_wins = scalar::playout_from::<C, R>(table, &start, || {
            words.push(random.next_u64());
            words[words.len() - 1]
        });
        let mut draws = words
            .iter()
            .flat_map(|word| (0..4).map(move |field| PlyBits((word >> (16 * field)) as u16)));
        let mut position = start;
        let winner = loop {
            if let Some(winner) = game.winner(&position) {
                break winner;
            }
            let draw = draws.next().expect("the fast game was not over");
            let mv = move_by_the_rules(game, &position, draw, Choice::Moves);
            assert!(game.legal_moves(&position, draw.face()).contains(&mv));
            position = game.play(&position, mv);
            assert!(Position::from_bits(position.bits(), EinStein::<C, R>::SQUARES).is_some());
        };
        assert_eq!(winner == start.seat(), mover_wins);
        assert!(draws.count() < 4, "the fast game was over too");
    }
}

#[test]
fn single_games_replay_by_the_rules() {
    replay::<5, 5>(Variant::Classic, 6);
    replay::<5, 5>(Variant::NearestOnly, 6);
    replay::<5, 5>(Variant::Classic, 3);
    replay::<4, 5>(Variant::Classic, 5);
    replay::<3, 3>(Variant::Classic, 3);
    replay::<5, 2>(Variant::Classic, 2);
}

/// Plays games by the plain rules; `next_starts` gives starts for all free lanes at once.
fn lockstep(
    game: &Standard,
    choice: Choice,
    mut next_starts: impl FnMut(usize) -> Vec<Position>,
    games: usize,
    random: &mut LaneRandom,
) -> Tally {
    let mut tally = Tally::default();
    let mut lanes: Vec<Option<(Position, usize, u64)>> = vec![None; LANES];
    let mut begun = 0;
    loop {
        for lane in &mut lanes {
            if let Some((position, first, plies)) = *lane
                && let Some(winner) = game.winner(&position)
            {
                tally.games += 1;
                tally.first_mover_wins += u64::from(winner == first);
                tally.count_plies(plies);
                *lane = None;
            }
        }
        let free = lanes.iter_mut().filter(|lane| lane.is_none());
        let free: Vec<_> = free.take(games - begun).collect();
        begun += free.len();
        let starts = next_starts(free.len());
        for (lane, start) in free.into_iter().zip(starts) {
            *lane = Some((start, start.seat(), 0));
        }
        if lanes.iter().all(Option::is_none) {
            return tally;
        }
        for _ in 0..PLIES_PER_BATCH {
            for (lane, draw) in lanes.iter_mut().zip(random.next_plies()) {
                if let Some((position, _, plies)) = lane
                    && game.winner(position).is_none()
                {
                    *position =
                        game.play(position, move_by_the_rules(game, position, draw, choice));
                    *plies += 1;
                }
            }
        }
    }
}

#[test]
fn lanes_replay_by_the_rules() {
    let positions = random_positions(800);
    for variant in [Variant::Classic, Variant::NearestOnly] {
        let game = Standard::new(variant, Die::fair());
        for choice in [Choice::Moves, Choice::Stones] {
            for instructions in Instructions::available() {
                let mut playouts =
                    LanePlayouts::with_instructions(instructions, &game, choice, 3).unwrap();
                for (position, games) in positions
                    .iter()
                    .step_by(61)
                    .zip([1, 2, 63, 64, 65, 300, 500].into_iter().cycle())
                {
                    let mut random = playouts.random.clone();
                    let starts = |count| vec![*position; count];
                    let expected = lockstep(&game, choice, starts, games, &mut random);
                    assert_eq!(
                        playouts.from_position(&game, position, games as u64),
                        expected,
                        "{instructions:?} {choice:?} {games}"
                    );
                    assert_eq!(playouts.random, random);
                }
            }
        }
    }
}

#[test]
fn lanes_replay_from_random_setups() {
    let game = Standard::default();
    for instructions in Instructions::available() {
        let mut playouts =
            LanePlayouts::with_instructions(instructions, &game, Choice::Moves, 21).unwrap();
        let mut stream = RandomStream::new(21);
        let mut random = LaneRandom::new(&mut stream);
        let mut starts = Starts::new(&game, &mut stream);
        starts.use_random_setups();
        let mut used: HashSet<Position> = HashSet::new();
        let side = |packed: u64| {
            Side::new(std::array::from_fn(|stone| {
                (packed >> (8 * stone)) as u8 & 31
            }))
        };
        for games in [40, 700, 3000] {
            let found = playouts.random_setups(games as u64);
            assert_eq!(found.games, games as u64);
            let next_starts = |count| {
                let start = |index| {
                    let [own, other] = starts.packed_start(index).map(side);
                    let start = Position::new(own, other, 0);
                    assert!(Position::from_bits(start.bits(), 25).is_some());
                    assert_eq!(start.num_stones(), 12);
                    start
                };
                let some: Vec<Position> = (0..count).map(start).collect();
                starts.advance(count, &mut stream);
                used.extend(&some);
                some
            };
            let expected = lockstep(&game, Choice::Moves, next_starts, games, &mut random);
            assert_eq!(found, expected, "{instructions:?} {games}");
        }
        assert!(used.len() > 3500, "pairs hardly repeat: {}", used.len());
    }
}

#[test]
fn all_engines_count_the_same() {
    let game = Standard::default();
    for choice in [Choice::Moves, Choice::Stones] {
        for seed in 0..3 {
            let counts = |instructions| {
                let mut playouts =
                    LanePlayouts::with_instructions(instructions, &game, choice, seed).unwrap();
                assert!(playouts.instructions() <= instructions);
                let position = game.start([seed as usize, 99], 1);
                [
                    playouts.random_setups(150_000),
                    playouts.from_position(&game, &position, 10_000),
                    playouts.random_setups(777),
                ]
            };
            let expected = counts(Instructions::PORTABLE);
            for instructions in Instructions::available().skip(1) {
                assert_eq!(
                    counts(instructions),
                    expected,
                    "{instructions:?} {choice:?} {seed}"
                );
            }
        }
    }
}

fn mean_and_error(sum: u64, squares: u64, games: u64) -> (f64, f64) {
    let [mean, square] = [sum, squares].map(|sum| sum as f64 / games as f64);
    (mean, ((square - mean * mean) / games as f64).sqrt())
}

#[test]
fn statistics_are_those_of_the_plain_rules() {
    for variant in [Variant::Classic, Variant::NearestOnly] {
        let game = Standard::new(variant, Die::fair());
        let mut random = RandomStream::new(17);
        let mut plain = Tally::default();
        for _ in 0..300_000 {
            let mut position = game.random_start(&mut random, 0);
            let mut plies = 0;
            while game.winner(&position).is_none() {
                position = game.play(&position, game.sample_move(&position, random.next_u64()));
                plies += 1;
            }
            plain.games += 1;
            plain.first_mover_wins += u64::from(game.winner(&position) == Some(0));
            plain.count_plies(plies);
        }
        let fast = LanePlayouts::new(&game, Choice::Moves, 2)
            .unwrap()
            .random_setups(3_000_000);
        let measures = |tally: &Tally| {
            [
                mean_and_error(tally.first_mover_wins, tally.first_mover_wins, tally.games),
                mean_and_error(tally.plies, tally.squared_plies, tally.games),
            ]
        };
        for ((plain, plain_error), (fast, fast_error)) in
            measures(&plain).into_iter().zip(measures(&fast))
        {
            assert!(
                (plain - fast).abs() < 4.0 * plain_error.hypot(fast_error),
                "{variant:?}: {plain} {fast} ± {fast_error}"
            );
        }
        assert!(plain.longest.abs_diff(fast.longest) < 12);
    }
}

#[test]
fn playouts_have_the_frequencies_of_the_plain_rules() {
    let game = Standard::default();
    let mut random = RandomStream::new(6);
    for position in random_positions(240).iter().step_by(23) {
        let games = 40_000;
        let mut wins = [0u64; 2];
        for _ in 0..games {
            wins[0] += game.playout(position, || random.next_u64())[0] as u64;
            wins[1] += playout_by_moves(&game, position, || random.next_u64())[0] as u64;
        }
        let [(fast, error), (plain, plain_error)] =
            wins.map(|wins| mean_and_error(wins, wins, games));
        assert!(
            (fast - plain).abs() <= 4.5 * error.hypot(plain_error),
            "{position:?}: {fast} {plain}"
        );
    }
}

fn won_by_the_rules(game: &Standard, positions: &[Position], seed: u64) -> u64 {
    let mut random = LaneRandom::from_seed(seed);
    let (mut games, mut won, mut over) = (positions.to_vec(), 0u64, 0);
    while over < games.len() {
        let draws = random.next_plies();
        for (lane, position) in games.iter_mut().enumerate() {
            if game.winner(position).is_some() {
                continue;
            }
            let mv = move_by_the_rules(game, position, draws[lane], Choice::Moves);
            *position = game.play(position, mv);
            if let Some(winner) = game.winner(position) {
                over += 1;
                won |= u64::from(winner == positions[lane].seat()) << lane;
            }
        }
    }
    won
}

#[test]
fn games_from_many_positions_together_are_those_of_the_rules_on_every_engine() {
    let positions = random_positions(1200);
    for variant in [Variant::Classic, Variant::NearestOnly] {
        let game = Standard::new(variant, Die::fair());
        let table = *game.playout_table().unwrap();
        for (seed, count) in (0u64..).zip([1, 2, 4, 16, 31, 33, 63, 64, 64, 64]) {
            let some: Vec<Position> = positions
                .iter()
                .skip(7 * seed as usize)
                .step_by(11)
                .take(count)
                .copied()
                .collect();
            let expected = won_by_the_rules(&game, &some, seed);
            assert_eq!(play_one_each(table, variant, &some, seed), expected);
            let random = || LaneRandom::from_seed(seed);
            let scalar = play_positions(ScalarLanes::new(table), &mut random(), &some);
            assert_eq!(scalar, expected);
            if variant == Variant::Classic {
                for lanes in Instructions::available().filter_map(ByteLanes::new) {
                    assert_eq!(play_positions(lanes, &mut random(), &some), expected);
                }
            }
            let (mut payoffs, mut seeds) = (vec![[0.5; MAX_SEATS]; some.len()], seed..);
            game.playout_batch(&some, || seeds.next().unwrap(), &mut payoffs);
            if count >= MIN_BATCH {
                let is_won_by_mover = |lane: usize| payoffs[lane][some[lane].seat()] == 1.0;
                assert!(
                    (0..count).all(|lane| is_won_by_mover(lane) == (expected >> lane & 1 == 1))
                );
            } else {
                let alone: Vec<_> = (seed..)
                    .zip(&some)
                    .map(|(seed, position)| game.playout(position, || seed))
                    .collect();
                assert_eq!(payoffs, alone);
            }
        }
        let over = Position::new(positions[0].mover(), Side::new([GONE; MAX_STONES]), 0);
        let mut payoffs = [[0.5; MAX_SEATS]; 6];
        game.playout_batch(
            &[positions[0], over, positions[1], over, over, positions[2]],
            || 3,
            &mut payoffs,
        );
        assert!(
            payoffs.iter().all(|payoffs| payoffs[0] + payoffs[1] == 1.0)
                && payoffs[1][..2] == [1.0, 0.0]
        );
        let mut many = vec![[0.5; MAX_SEATS]; 150];
        game.playout_batch(&positions[..150], || 4, &mut many);
        assert!(many.iter().all(|payoffs| payoffs[0] + payoffs[1] == 1.0));
    }
}

#[test]
fn rules_without_a_fast_way_are_played_move_by_move() {
    let loaded = Die::with_weights(&[1.0, 2.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
    for game in [
        Standard::new(Variant::Classic, loaded),
        Standard::with_stones(Variant::Classic, Die::with_faces(4).unwrap(), 4),
    ] {
        assert!(
            game.playout_table().is_none() && LanePlayouts::new(&game, Choice::Moves, 1).is_none()
        );
        let start = game.start([1, 2], 1);
        let (mut one, mut two) = (RandomStream::new(3), RandomStream::new(3));
        for _ in 0..100 {
            assert_eq!(
                game.playout(&start, || one.next_u64()),
                playout_by_moves(&game, &start, || two.next_u64())
            );
        }
    }
    assert!(
        LanePlayouts::new(
            &Standard::with_stones(Variant::Classic, Die::fair(), 5),
            Choice::Moves,
            1
        )
        .is_none()
    );
}

#[test]
fn games_that_are_over_take_no_ply() {
    let game = Standard::default();
    let start = game.start([0, 0], 0);
    let gone = Side::new([GONE; MAX_STONES]);
    for (position, wins) in [
        (Position::new(start.mover(), gone, 0), 7),
        (Position::new(gone, start.mover(), 1), 0),
    ] {
        let tally = LanePlayouts::new(&game, Choice::Moves, 1)
            .unwrap()
            .from_position(&game, &position, 7);
        assert_eq!(
            tally,
            Tally {
                games: 7,
                first_mover_wins: wins,
                ..Tally::default()
            }
        );
        let payoffs = game.playout(&position, || unreachable!("no chance is left"));
        assert_eq!(Some(payoffs), game.payoffs(&position));
    }
    assert_eq!(
        LanePlayouts::new(&game, Choice::Moves, 1)
            .unwrap()
            .random_setups(0),
        Tally::default()
    );
}
