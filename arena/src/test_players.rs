//! Simple deterministic players for tests.

use crate::matches::{Contestant, MatchOptions, PairResult, play_pairs};
use alea_core::{game::Game, random::RandomStream};
use alea_einstein::{Move, MoveList, Position, Standard};
use alea_play::{
    playable::Playable,
    player::{Analysis, Decision, Failure, MoveValue, Player},
};
use alea_search::limits::Limits;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

pub(crate) fn contestant<G: Game>(
    name: &str,
    make: impl Fn() -> Box<dyn Player<G>> + Send + Sync + 'static,
) -> Contestant<G> {
    Contestant {
        name: name.to_owned(),
        make: Arc::new(make),
    }
}

pub(crate) fn luck_evaluator(notation: &str) -> Contestant<Standard> {
    Contestant::of(notation, &Standard::default()).unwrap()
}

pub(crate) fn options(pairs: u64, seed: u64) -> MatchOptions<Standard> {
    MatchOptions {
        threads: 1,
        ..MatchOptions::new(Standard::default(), pairs, seed)
    }
}

pub(crate) fn play_pairs_untimed<G: Playable>(
    a: &Contestant<G>,
    b: &Contestant<G>,
    options: &MatchOptions<G>,
) -> Vec<PairResult> {
    let mut results = play_pairs(a, b, options).unwrap().pairs;
    results
        .iter_mut()
        .for_each(|result| result.nanoseconds = [0; 2]);
    results
}

pub(crate) fn random<G: Game>() -> Contestant<G> {
    chooser("random", |random, _, legal| random.below(legal.len()))
}

pub(crate) fn first<G: Game>() -> Contestant<G> {
    chooser("first", |_, _, _| 0)
}

pub(crate) fn greedy_contestant() -> Contestant<Standard> {
    chooser("greedy", |_, position, legal| {
        let left = |mv: &Move| {
            let square = Standard::destination(position, *mv);
            (4 - square % 5).max(4 - square / 5)
        };
        (0..legal.len())
            .min_by_key(|&index| left(&legal[index]))
            .unwrap()
    })
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GameSeen {
    pub(crate) seeds: Vec<u64>,
    pub(crate) positions: Vec<Position>,
}

pub(crate) fn games_seen(options: &MatchOptions<Standard>) -> Vec<GameSeen> {
    let games = Arc::new(Mutex::new(Vec::new()));
    let spy = || {
        let games = Arc::clone(&games);
        contestant("spy", move || {
            Box::new(Spy {
                games: Arc::clone(&games),
            })
        })
    };
    play_pairs(&spy(), &spy(), options).unwrap();
    let games = games.lock().unwrap();
    games.clone()
}

type Choose<G> = fn(&mut RandomStream, &<G as Game>::Position, &[<G as Game>::Move]) -> usize;

pub(crate) fn chooser<G: Game>(name: &str, choose: Choose<G>) -> Contestant<G> {
    contestant(name, move || {
        Box::new(Chooser::<G> {
            random: RandomStream::new(0),
            choose,
            pondered: None,
        })
    })
}

pub(crate) fn pondering(pondered: &Arc<AtomicU64>) -> Contestant<Standard> {
    let pondered = Arc::clone(pondered);
    contestant("pondering", move || {
        Box::new(Chooser::<Standard> {
            random: RandomStream::new(0),
            choose: |_, _, _| 0,
            pondered: Some(Arc::clone(&pondered)),
        })
    })
}

struct Chooser<G: Game> {
    random: RandomStream,
    choose: Choose<G>,
    pondered: Option<Arc<AtomicU64>>,
}

impl<G: Game> Player<G> for Chooser<G> {
    fn new_game(&mut self, seed: u64) {
        self.random = RandomStream::new(seed);
    }

    fn can_ponder(&self) -> bool {
        self.pondered.is_some()
    }

    fn ponder(&mut self, _: &G::Position, _: &Arc<AtomicBool>) {
        if let Some(pondered) = &self.pondered {
            pondered.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        _limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        let index = (self.choose)(&mut self.random, position, legal);
        Ok(Decision::without_values(legal[index]))
    }

    fn analyse(
        &mut self,
        _: &G::Position,
        _: Option<&[G::Move]>,
        _limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        Ok(analysis_of_values(Vec::new()))
    }
}

fn analysis_of_values<M>(moves: Vec<(M, Option<f32>)>) -> Analysis<M> {
    let moves = moves.into_iter();
    Analysis {
        moves: moves.map(|(mv, value)| MoveValue::new(mv, value)).collect(),
        ..Analysis::default()
    }
}

pub(crate) struct Rated(pub(crate) f32);

impl Player<Standard> for Rated {
    fn new_game(&mut self, _: u64) {}

    fn decide(
        &mut self,
        _: &Position,
        legal: &[Move],
        _limits: &Limits,
    ) -> Result<Decision<Move>, Failure> {
        Ok(Decision::without_values(legal[0]))
    }

    fn analyse(
        &mut self,
        position: &Position,
        _: Option<&[Move]>,
        _limits: &Limits,
    ) -> Result<Analysis<Move>, Failure> {
        let game = Standard::default();
        let mut all = MoveList::default();
        game.moves(position, &mut all);
        let value = |mv| {
            game.payoff(&game.play(position, mv), game.to_move(position))
                .unwrap_or(1.0 - self.0)
        };
        Ok(analysis_of_values(
            all.iter().map(|&mv| (mv, Some(value(mv)))).collect(),
        ))
    }
}

pub(crate) fn faulty(fault: &'static str) -> Contestant<Standard> {
    contestant(fault, move || Box::new(Faulty { fault, moves: 0 }))
}

struct Faulty {
    fault: &'static str,
    moves: usize,
}

impl Player<Standard> for Faulty {
    fn new_game(&mut self, _: u64) {
        self.moves = 0;
    }

    fn decide(
        &mut self,
        _: &Position,
        legal: &[Move],
        _limits: &Limits,
    ) -> Result<Decision<Move>, Failure> {
        self.moves += 1;
        let mut moves =
            (0..6).flat_map(|stone| (0..3).map(move |direction| Move::new(stone, direction)));
        let best = match self.fault {
            _ if self.moves <= 2 => legal[0],
            "crash" => std::panic::resume_unwind(Box::new("out of cheese")),
            "silent" => return Err(Failure::PlayerFault("no answer".to_owned())),
            "starved" => return Err(Failure::SystemFault("no memory".to_owned())),
            _ => moves.find(|mv| !legal.contains(mv)).unwrap(),
        };
        Ok(Decision::without_values(best))
    }

    fn analyse(
        &mut self,
        _: &Position,
        _: Option<&[Move]>,
        _limits: &Limits,
    ) -> Result<Analysis<Move>, Failure> {
        unreachable!("a match only asks for decisions")
    }
}

struct Spy {
    games: Arc<Mutex<Vec<GameSeen>>>,
}

impl Player<Standard> for Spy {
    fn new_game(&mut self, seed: u64) {
        let mut games = self.games.lock().unwrap();
        match games.last_mut().filter(|game| game.seeds.len() == 1) {
            Some(game) => game.seeds.push(seed),
            None => games.push(GameSeen {
                seeds: vec![seed],
                positions: Vec::new(),
            }),
        }
    }

    fn decide(
        &mut self,
        position: &Position,
        legal: &[Move],
        _limits: &Limits,
    ) -> Result<Decision<Move>, Failure> {
        let mut games = self.games.lock().unwrap();
        games.last_mut().unwrap().positions.push(*position);
        Ok(Decision::without_values(*legal.last().unwrap()))
    }

    fn analyse(
        &mut self,
        _: &Position,
        _: Option<&[Move]>,
        _limits: &Limits,
    ) -> Result<Analysis<Move>, Failure> {
        unreachable!("a match only asks for decisions")
    }
}
