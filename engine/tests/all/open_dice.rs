//! EinStein with the dice laid open: the rolls decide the moves, and without chance every search is
//! minimax.

use crate::games::HashEvaluator;
use crate::published::all_options;
use crate::support::{cutting, near, random_game, table as new_table};
use engine::core::{evaluator::Evaluator, game::Game, random::RandomStream};
use engine::games::einstein::{
    Move, Position, Standard, Variant,
    dice::{DiceStream, Die},
    evaluators::schwarz_odds::SchwarzOdds,
};
use engine::play::{
    open_chance::{OpenChance, OpenEvaluator, OpenPosition},
    playable::Playable,
};
use engine::search::{
    Search,
    minimax::minimax,
    outcomes::OutcomeSearch,
    star::{Cuts, Star},
};
use std::collections::HashMap;

#[test]
fn moves_along_a_line_are_those_of_the_rolls() {
    let loaded = Die::loaded(&[1.0, 0.0, 3.0, 0.0, 4.0, 0.0]).unwrap();
    for (seed, die) in [(1, Die::fair()), (2, loaded)] {
        let game = Standard::new(Variant::Classic, die);
        let mut random = RandomStream::new(seed);
        // One list for all positions, as a search has: what it held before must not matter.
        let mut moves = Default::default();
        for seed in 0..300 {
            let open = OpenChance::new(game.clone(), seed);
            let mut dice = DiceStream::new(seed, die);
            let start = game.random_start(&mut random, seed as usize % 2);
            let (mut position, mut beside) = (open.start(start), start);
            while game.winner(&beside).is_none() {
                assert_eq!(open.payoffs(&position), None);
                assert_eq!(open.to_move(&position), beside.seat());
                let face = dice.roll();
                assert_eq!(open.outcome(&position), face);
                let legal = game.legal_moves(&beside, face);
                open.moves(&position, &mut moves);
                assert_eq!(moves[..], legal[..]);
                let mv = legal[random.below(legal.len())];
                (position, beside) = (open.play(&position, mv), game.play(&beside, mv));
                assert_eq!(position.position, beside);
            }
            assert_eq!(open.payoffs(&position), game.payoffs(&beside));
        }
    }
}

#[test]
fn no_game_outlasts_its_outcomes() {
    let game = Standard::default();
    let open = OpenChance::new(game.clone(), 5);
    let mut random = RandomStream::new(5);
    for _ in 0..100 {
        let start = open.start(game.random_start(&mut random, 0));
        let position = random_game(&open, start, &mut random).last().unwrap();
        // Each of twelve stones is at most eight rows and columns from its goal.
        assert!(
            position.ply <= 96 && game.most_plies() >= 96,
            "{position:?}"
        );
    }
}

#[test]
fn keys_tell_plies_apart() {
    let game = Standard::default();
    let open = OpenChance::new(game.clone(), 3);
    let mut random = RandomStream::new(3);
    let mut seen = HashMap::new();
    for _ in 0..200 {
        let start = open.start(game.random_start(&mut random, 0));
        for position in random_game(&open, start, &mut random) {
            for ply in position.ply..position.ply + 3 {
                let shifted = OpenPosition { ply, ..position };
                assert_eq!(*seen.entry(open.key(&shifted)).or_insert(shifted), shifted);
            }
        }
    }
}

fn searches_are_minimax<E: Evaluator<OpenChance<Standard>> + Clone>(evaluator: &E) {
    let game = Standard::default();
    let mut random = RandomStream::new(9);
    for seed in 0..60 {
        let open = OpenChance::new(game.clone(), seed);
        let mut position = open.start(game.random_start(&mut random, seed as usize % 2));
        for _ in 0..random.below(20) {
            let next = open.play(&position, open.random_move(&position, random.next_u64()));
            if open.payoffs(&next).is_none() {
                position = next;
            }
        }
        let depth = 1 + seed as u32 % 6;
        let expected = minimax(&open, evaluator, &position, depth, open.to_move(&position));
        for entries in [None, Some(1), Some(1 << 12)] {
            let table = || entries.map(new_table);
            let options = cutting(Cuts::Star1);
            let mut star = Star::new(open.clone(), evaluator.clone(), options, table());
            let value = star.bounds(&position, depth, 0.0, 1.0).lower;
            near(value, expected, 1e-6, entries);
            for options in all_options() {
                let (open, evaluator) = (open.clone(), evaluator.clone());
                let mut search = OutcomeSearch::new(open, evaluator, depth, options, table());
                near(search.value(&position), expected, 1e-6, (options, entries));
            }
        }
    }
}

#[test]
fn searches_are_minimax_with_any_evaluator() {
    searches_are_minimax(&HashEvaluator);
    let schwarz = SchwarzOdds::fitted(&Standard::default());
    searches_are_minimax(&OpenEvaluator(schwarz));
}

/// Counts the moves of a line in its cache, so that refreshing and updating can be told apart.
#[derive(Clone, Copy)]
struct Counting;

impl Evaluator<Standard> for Counting {
    type Cache = u8;

    fn refresh(&self, _: &Standard, _: &Position, cache: &mut u8) {
        *cache = 100;
    }

    fn update(
        &self,
        game: &Standard,
        parent: &u8,
        before: &Position,
        mv: Move,
        after: &Position,
        child: &mut u8,
    ) {
        assert_eq!(game.play(before, mv), *after);
        *child = parent + 1;
    }

    fn value(&self, _: &Standard, _: &Position, cache: &u8) -> f32 {
        f32::from(*cache) / 200.0
    }
}

#[test]
fn the_evaluator_inside_is_asked() {
    let game = Standard::default();
    let open = OpenChance::new(game.clone(), 1);
    let schwarz = SchwarzOdds::fitted(&game);
    let start = open.start(game.start([3, 500], 1));
    assert_eq!(
        OpenEvaluator(schwarz.clone()).value_of(&open, &start),
        schwarz.value_of(&game, &start.position)
    );
    let (mut parent, mut child) = (0, 0);
    let counting = OpenEvaluator(Counting);
    counting.refresh(&open, &start, &mut parent);
    let mv = open.random_move(&start, 0);
    let next = open.play(&start, mv);
    counting.update(&open, &parent, &start, mv, &next, &mut child);
    assert_eq!((parent, child), (100, 101));
    assert_eq!(counting.value(&open, &start, &child), 0.505);
    assert_eq!(
        counting.payoffs(&open, &start, &child)[..2],
        [1.0 - 0.505, 0.505]
    );
}
