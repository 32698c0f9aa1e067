//! Small deterministic players for tests.

use crate::arena::{Contestant, MatchOptions, play_pairs};
use engine::games::einstein::{Move, Position, Standard};
use engine::player::{Analysis, Decision, Player};
use engine::random::RandomStream;
use engine::search::SearchStats;
use std::sync::{Arc, Mutex};

/// A contestant from a way to make its player.
pub(crate) fn contestant(name: &str, make: impl Fn() -> Box<dyn Player<Standard>> + Send + Sync + 'static) -> Contestant {
    Contestant { name: name.to_owned(), make: Arc::new(make) }
}

/// Any legal move, by the seed of the game.
pub(crate) fn random() -> Contestant {
    chooser("random", |random, _, legal| random.below(legal.len()))
}

/// The first legal move.
pub(crate) fn first() -> Contestant {
    chooser("first", |_, _, _| 0)
}

/// The destination nearest to the goal; of equal ones the first.
pub(crate) fn greedy() -> Contestant {
    chooser("greedy", |_, position, legal| {
        let left = |mv: &Move| {
            let square = Standard::destination(position, *mv);
            (4 - square % 5).max(4 - square / 5)
        };
        (0..legal.len()).min_by_key(|&index| left(&legal[index])).unwrap()
    })
}

/// The first positions of all games of a match, as its players see them.
pub(crate) fn starts_seen(options: &MatchOptions) -> Vec<Position> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let spy = || {
        let seen = Arc::clone(&seen);
        contestant("spy", move || Box::new(Spy { seen: Arc::clone(&seen) }))
    };
    play_pairs(&spy(), &spy(), options).unwrap();
    let seen = seen.lock().unwrap();
    seen.iter().copied().filter(|position| position.stones() == 12 && all_at_home(position)).collect()
}

fn all_at_home(position: &Position) -> bool {
    let home = Standard::default().home_squares();
    [0, 1].into_iter().all(|seat| position.side(seat).squares().iter().all(|square| home.contains(square)))
}

/// Which of the legal moves to make.
type Choose = fn(&mut RandomStream, &Position, &[Move]) -> usize;

fn chooser(name: &str, choose: Choose) -> Contestant {
    contestant(name, move || Box::new(Chooser { random: RandomStream::new(0), choose }))
}

struct Chooser {
    random: RandomStream,
    choose: Choose,
}

impl Player<Standard> for Chooser {
    fn new_game(&mut self, seed: u64) {
        self.random = RandomStream::new(seed);
    }

    fn decide(&mut self, position: &Position, legal: &[Move]) -> Decision<Move> {
        let best = legal[(self.choose)(&mut self.random, position, legal)];
        Decision { best, value: None, stats: SearchStats::default() }
    }

    fn analyse(&mut self, _: &Position, _: Option<&[Move]>) -> Analysis<Move> {
        unreachable!("a match only asks for decisions")
    }
}

struct Spy {
    seen: Arc<Mutex<Vec<Position>>>,
}

impl Player<Standard> for Spy {
    fn new_game(&mut self, _: u64) {}

    fn decide(&mut self, position: &Position, legal: &[Move]) -> Decision<Move> {
        self.seen.lock().unwrap().push(*position);
        // The last listed move leaves home or captures, so no later position has all stones at home.
        Decision { best: *legal.last().unwrap(), value: None, stats: SearchStats::default() }
    }

    fn analyse(&mut self, _: &Position, _: Option<&[Move]>) -> Analysis<Move> {
        unreachable!("a match only asks for decisions")
    }
}
