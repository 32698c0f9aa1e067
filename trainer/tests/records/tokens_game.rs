//! Records of a game without chance: each seat in turn takes 1 to `per_turn` tokens of a bag; most
//! tokens win, equal ones share the point.

use crate::format::{self, quantize_value};
use crate::{assert_refused, content, decode, scratch, scratch_paths, with_threads};
use alea_core::{
    game::{Game, MAX_SEATS, Payoffs, Seat, SingleOutcome},
    random::RandomStream,
    search_game::{OutOfTurn, Playouts, SearchHints},
    text::TextError,
};
use alea_play::{
    chance_sources::NoChance,
    playable::{ChanceSources, Codec, GameInfo, GameText, Playable, Registry, Rules},
    player_notation::{Arguments, Problem},
};
use engine::games::einstein::Standard;
use indicatif::ProgressBar;
use std::{collections::HashSet, path::Path};
use trainer::data::{
    BadGames, ShardReader, derived_sets, json_lines, parquet, position_filter::Filter, statistics,
    verify,
};
use trainer::selfplay::{Limits, SelfPlay, SelfPlayConfig};
use trainer::shard::{self, PlayedGame, ShardHeader};

#[derive(Clone, Debug)]
struct Tokens {
    seats: usize,
    bag: u16,
    per_turn: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Bag {
    left: u16,
    collected: [u16; 4],
    seat: usize,
}

impl Game for Tokens {
    type Position = Bag;
    type Move = u16;
    type Moves = Vec<u16>;
    type Outcomes = SingleOutcome;

    fn seats(&self) -> usize {
        self.seats
    }

    fn to_move(&self, bag: &Bag) -> Seat {
        bag.seat
    }

    fn payoffs(&self, bag: &Bag) -> Option<Payoffs> {
        let highest = *bag.collected.iter().max()?;
        let winners = bag
            .collected
            .iter()
            .filter(|&&collected| collected == highest)
            .count();
        let mut payoffs = [0.0; MAX_SEATS];
        for (payoff, &collected) in payoffs.iter_mut().zip(&bag.collected) {
            *payoff = if collected == highest {
                1.0 / winners as f32
            } else {
                0.0
            };
        }
        (bag.left == 0).then_some(payoffs)
    }

    fn moves(&self, bag: &Bag, moves: &mut Vec<u16>) {
        moves.clear();
        moves.extend(1..=self.per_turn.min(bag.left));
    }

    fn play(&self, bag: &Bag, collected: u16) -> Bag {
        let mut after = *bag;
        after.left -= collected;
        after.collected[bag.seat] += collected;
        after.seat = (bag.seat + 1) % self.seats;
        after
    }
}

impl SearchHints for Tokens {}

impl Playouts for Tokens {}

impl OutOfTurn for Tokens {}

static REGISTRY: Registry<Tokens> = Registry::DEFAULT;

impl Playable for Tokens {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }
}

impl Codec for Tokens {}

impl ChanceSources for Tokens {
    type Chance = NoChance;
    type PairedChance = NoChance;
}

impl Rules for Tokens {
    const INFO: &'static GameInfo = &GameInfo {
        name: "tokens",
        opening_plies: 2,
        remaining_unit: "tokens",
        ..GameInfo::DEFAULT
    };

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        Ok(Self {
            seats: arguments.number("seats", 2..=4, 2)?,
            bag: arguments.number("bag", 1..=10_000, 12)?,
            per_turn: arguments.number("most", 1..=10_000, 3)?,
        })
    }

    fn parameters(&self) -> String {
        format!(
            "seats={}, bag={}, most={}",
            self.seats, self.bag, self.per_turn
        )
    }

    fn max_plies(&self) -> u16 {
        self.bag
    }

    fn random_start(&self, _: &mut RandomStream, _: Seat) -> Bag {
        Bag {
            left: self.bag,
            collected: [0; 4],
            seat: 0,
        }
    }

    fn remaining_length(&self, bag: &Bag) -> usize {
        bag.left.into()
    }
}

impl GameText for Tokens {
    fn parse_position(&self, text: &str) -> Result<(Bag, Option<u8>), TextError> {
        let numbers: Option<Vec<u16>> = text
            .split(' ')
            .map(|part| part.parse::<u16>().ok())
            .collect();
        match numbers.as_deref() {
            Some(&[left, a, b, c, d, seat]) => Ok((
                Bag {
                    left,
                    collected: [a, b, c, d],
                    seat: seat.into(),
                },
                None,
            )),
            _ => Err(TextError::new(1, "six numbers are a position")),
        }
    }

    fn format_position(&self, bag: &Bag, _: Option<u8>) -> String {
        let [a, b, c, d] = bag.collected;
        format!("{} {a} {b} {c} {d} {}", bag.left, bag.seat)
    }

    fn format_move(&self, _: &Bag, collected: u16) -> String {
        collected.to_string()
    }
}

fn tokens(seats: usize, bag: u16, per_turn: u16) -> Tokens {
    Tokens {
        seats,
        bag,
        per_turn,
    }
}

fn random_games(rules: &Tokens, games: usize) -> (ShardHeader, Vec<PlayedGame<Tokens>>) {
    let mut random = RandomStream::new(5);
    let starts = vec![rules.random_start(&mut random, 0); games];
    let (header, games) = format::random_games(rules, &starts, &mut random, 0.7, 1, true);
    (header, quantize_value(games))
}

#[test]
fn games_of_any_number_of_seats_and_moves_round_trip() {
    let path = Path::new("x.games");
    for rules in [tokens(2, 8, 3), tokens(3, 20, 4), tokens(4, 9000, 2500)] {
        let (header, games) = random_games(&rules, 60);
        assert_eq!(
            header.game,
            format!(
                "tokens(seats={}, bag={}, most={})",
                rules.seats, rules.bag, rules.per_turn
            )
        );
        let bytes = shard::encode(path, &header, &games).unwrap();
        assert!(shard::decode::<Tokens>(path, &bytes).unwrap() == (header.clone(), games.clone()));
        let text = assert_refused(decode(path, &bytes), path, "'tokens'");
        assert!(text.contains("'einstein'"), "{text}");
        let mut wrong = games.clone();
        wrong[3].record.plies[0].mv = rules.per_turn + 1;
        let assert_refused = |wrong: &[_], expected: &str| {
            assert_refused(shard::encode(path, &header, wrong), path, expected);
        };
        assert_refused(&wrong, "game 3");
        wrong = games.clone();
        wrong[4].record.payoffs = [0.25; MAX_SEATS];
        assert_refused(&wrong, "payoffs");
        wrong = games;
        wrong[5].players.pop();
        assert_refused(&wrong, "players");
    }
}

#[test]
fn sets_are_counted_exchanged_and_derived() {
    let at = scratch_paths();
    let rules = tokens(3, 20, 4);
    let (header, games) = random_games(&rules, 50);
    std::fs::create_dir(at("a")).unwrap();
    shard::write(&at("a/000000.games"), &header, &games).unwrap();
    let open = |name: &str| ShardReader::<Tokens>::open(&[at(name)]).unwrap();
    let counts = statistics::info(&open("a")).unwrap();
    let shared =
        |game: &&PlayedGame<Tokens>| game.record.payoffs.iter().all(|&payoff| payoff < 1.0);
    assert_eq!(counts.draws, games.iter().filter(shared).count() as u64);
    assert!(counts.draws > 0);
    for seat in 0..3 {
        let points: f64 = games
            .iter()
            .map(|game| f64::from(game.record.payoffs[seat]))
            .sum();
        assert!((counts.points[seat] - points).abs() < 1e-9);
    }
    assert!((counts.points.iter().sum::<f64>() - 50.0).abs() < 1e-5);
    assert_eq!(
        (counts.first_mover_points, counts.positions_by_remaining[20]),
        (counts.points[0], 50)
    );
    let all = |name: &str| {
        let mut games = Vec::new();
        let source = open(name);
        let result = source.for_each_game(|game| {
            games.push(game);
            Ok(())
        });
        result.unwrap();
        (source.new_header(serde_json::Value::Null), games)
    };
    json_lines::export(&open("a"), &at("a.jsonl")).unwrap();
    json_lines::import::<Tokens>(&at("a.jsonl"), &at("b"), BadGames::Refuse).unwrap();
    parquet::export(&open("a"), &at("a.parquet")).unwrap();
    parquet::import::<Tokens>(&at("a.parquet"), &at("c"), None, BadGames::Refuse).unwrap();
    assert!(all("b") == all("a") && all("c") == all("a") && all("a").1 == games);
    let read = json_lines::import::<Standard>(&at("a.jsonl"), &at("d"), BadGames::Refuse);
    assert_refused(read, &at("a.jsonl"), "'tokens'");
    let (other, others) = random_games(&tokens(3, 20, 5), 5);
    std::fs::create_dir(at("other")).unwrap();
    shard::write(&at("other/000000.games"), &other, &others).unwrap();
    let both = ShardReader::<Tokens>::open(&[at("a"), at("other")]);
    assert_refused(both, &at("other"), " among games of ");
    let few = Filter {
        remaining: (0, 4),
        ..Filter::default()
    };
    let written = derived_sets::filter(&open("a"), &at("few"), &few).unwrap();
    assert!(0 < written.values && written.values < counts.values);
    for game in all("few").1 {
        let positions: Vec<Bag> = game.record.positions(&rules).collect();
        for (ply, ply_record) in game.record.plies.iter().enumerate() {
            assert!(ply_record.value.is_none() || positions[ply + 1].left <= 4);
            assert!(game.label_value(0, ply).is_none() || positions[ply].left <= 4);
        }
    }
    let found = verify::verify::<Tokens>(&[at("few"), at("b")]).unwrap();
    assert!(found.problems.is_empty(), "{:?}", found.problems);
}

fn config(rules: &Tokens, games: u64) -> SelfPlayConfig {
    SelfPlayConfig {
        players: crate::config(&["random", "mcts(sims=4)"], 0).players,
        games,
        seed: 3,
        ..SelfPlayConfig::for_game(rules)
    }
}

#[test]
fn without_chance_games_are_distinct_and_only_those_are_counted() {
    let directory = scratch();
    let make = |config: &SelfPlayConfig, threads: usize, name: &str| {
        let run = SelfPlay::<Tokens>::new(config.clone()).unwrap();
        with_threads(threads, || {
            let target = directory.join(name);
            run.run(&target, &Limits::default(), &ProgressBar::hidden())
        })
        .unwrap()
        .summary
    };
    let fingerprints = |rules: &Tokens, name: &str| {
        let path = directory.join(name).join("000000.games");
        let (_, games) = shard::read::<Tokens>(&path).unwrap();
        let fingerprints: HashSet<u128> =
            games.iter().map(|game| game.fingerprint(rules)).collect();
        (games, fingerprints)
    };
    let rules = tokens(3, 30, 4);
    let summary = make(&config(&rules, 400), 1, "one");
    assert_eq!(summary, make(&config(&rules, 400), 3, "three"));
    assert!(content(&directory.join("one")) == content(&directory.join("three")));
    assert_eq!(
        (summary.games, summary.distinct, summary.counted_games()),
        (400, Some(400), 400)
    );
    let (games, distinct) = fingerprints(&rules, "one");
    assert_eq!((games.len(), distinct.len()), (400, 400));
    assert!(games.iter().all(|game| game.players.len() == 3));
    let points: f64 = summary.players.iter().map(|tally| tally.points).sum();
    assert!((points - 400.0).abs() < 1e-3, "{points}");
    // Four tokens allow seven games: compositions of 4 of parts up to 3.
    let few = tokens(2, 4, 3);
    let summary = make(&config(&few, 200), 2, "few");
    let (games, distinct) = fingerprints(&few, "few");
    assert_eq!(
        (games.len(), distinct.len(), summary.distinct),
        (200, 7, Some(7))
    );
    let points: f64 = summary.players.iter().map(|tally| tally.points).sum();
    assert_eq!(
        (
            points,
            summary.players.iter().map(|tally| tally.sides).sum::<u64>()
        ),
        (7.0, 14)
    );
    // Points of the first mover: 3+1 → 1, 2+2 → ½, 2+1+1 → 1, 1+3 → 0, 1+2+1 → ½, 1+1+2 → 1,
    // 1+1+1+1 → ½.
    assert_eq!(summary.first_mover_points, 4.5);
}
