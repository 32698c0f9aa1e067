//! Searches of more than two seats equal plain recursions on random ReversiXT maps.

use crate::reversixt::vector_game;
use crate::support::{full, moves_of, options_with_pruning, player, successors, table_of};
use engine::core::{
    evaluator::Evaluator,
    game::{Game, Payoffs, Seat, uniform_index},
    random::RandomStream,
};
use engine::games::reversixt::{Move, Phase, Position, ReversiXt, random_maps::MapSettings};
use engine::play::{build, registry::EvaluatorPointer};
use engine::search::limits::Limits;
use engine::search::{
    Search,
    best_reply::BestReplySearch,
    deepening::DeepeningOptions,
    limits::SearchLimits,
    max_n::MaxN,
    ordering::{Ordering, limit_moves},
    plain_minimax::minimax,
    star::{Pruning, Star, StarOptions},
    table::{Replacement, Table},
};
use std::sync::Arc;

const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

fn draw(random: &mut RandomStream, count: usize) -> usize {
    uniform_index(count, random.next_u64() as u32)
}

fn random_position(random: &mut RandomStream, players: usize) -> (ReversiXt, Position) {
    loop {
        let settings = MapSettings {
            players,
            width: players + draw(random, 3),
            height: players + draw(random, 3),
            overrides: draw(random, 3) as u16,
            bombs: draw(random, 3) as u16,
            strength: draw(random, 2) as u16,
            density: 0.6 * random.uniform_f64(),
        };
        let game = ReversiXt::new(Arc::new(settings.generate(random.next_u64()).unwrap()));
        let mut position = game.start();
        for _ in 0..draw(random, players * players + 20) {
            if position.phase() == Phase::Over {
                break;
            }
            let moves = moves_of(&game, &position);
            position = game.play(&position, moves[draw(random, moves.len())]);
            if draw(random, 60) == 0 {
                position = game.disqualify(&position, draw(random, players));
            }
        }
        if position.phase() != Phase::Over {
            return (game, position);
        }
    }
}

fn max_affordable_depth(
    game: &ReversiXt,
    position: &Position,
    depth: u32,
    max_leaves: usize,
) -> u32 {
    fn leaves(game: &ReversiXt, position: &Position, depth: u32, max_leaves: usize) -> usize {
        if depth == 0 || position.phase() == Phase::Over {
            return 1;
        }
        let mut sum = 0;
        for next in successors(game, position) {
            if sum <= max_leaves {
                sum += leaves(game, &next, depth - 1, max_leaves - sum);
            }
        }
        sum
    }
    let fits = |&depth: &u32| leaves(game, position, depth, max_leaves) <= max_leaves;
    (2..=depth).take_while(fits).last().unwrap_or(1)
}

fn evaluator(game: &ReversiXt, number: usize) -> EvaluatorPointer<ReversiXt> {
    EvaluatorPointer(
        build::parse_evaluator(["lines", "stones", "mobility"][number % 3], game).unwrap(),
    )
}

struct Case {
    number: usize,
    game: ReversiXt,
    position: Position,
    depth: u32,
    evaluator: EvaluatorPointer<ReversiXt>,
}

impl Case {
    fn text(&self, position: &Position) -> String {
        let Self { number, game, .. } = self;
        let position = game.format_position(position);
        format!(
            "case {number}, depth {}\n{}\n{position}",
            self.depth,
            game.map()
        )
    }

    /// Plain max^n; of equally good moves the first counts.
    fn max_n(&self, position: &Position, depth: u32) -> Payoffs {
        if let Some(payoffs) = self.game.payoffs(position) {
            return payoffs;
        }
        if depth == 0 {
            return self.evaluator.payoffs(&self.game, position, &());
        }
        let seat = position.seat();
        let after = successors(&self.game, position).into_iter();
        let values = after.map(|next| self.max_n(&next, depth - 1));
        let better = |best: Payoffs, next: Payoffs| match next[seat] > best[seat] {
            true => next,
            false => best,
        };
        values.reduce(better).unwrap()
    }

    fn with_turn(&self, position: &Position, seat: Seat) -> Option<Position> {
        let text = self.game.format_position(position);
        let mut words: Vec<&str> = text.split(' ').collect();
        let player = (seat + 1).to_string();
        words[2] = &player;
        self.game.parse_position(&words.join(" ")).ok()
    }

    fn best_reply(&self, position: &Position, depth: u32) -> f32 {
        let root = self.position.seat();
        if let Some(payoffs) = self.game.payoffs(position) {
            return payoffs[root];
        }
        if depth == 0 {
            return self.evaluator.payoffs(&self.game, position, &())[root];
        }
        if position.seat() == root {
            let after = successors(&self.game, position).into_iter();
            let values = after.map(|next| self.best_reply(&next, depth - 1));
            return values.fold(0.0, f32::max);
        }
        let others = (0..self.game.seats()).filter(|&seat| seat != root);
        let flipped_positions = others.filter_map(|seat| self.with_turn(position, seat));
        let replies = flipped_positions.flat_map(|changed| successors(&self.game, &changed));
        let values = replies.map(|next| {
            let next = match next.phase() {
                Phase::Over => next,
                _ => self.with_turn(&next, root).unwrap_or(next),
            };
            self.best_reply(&next, depth - 1)
        });
        values.fold(1.0, f32::min)
    }
}

fn cases(count: usize, seed: u64, max_leaves: usize) -> impl Iterator<Item = Case> {
    let mut random = RandomStream::new(seed);
    (0..count).map(move |number| {
        let (game, position) = random_position(&mut random, 2 + number % 7);
        Case {
            number,
            depth: max_affordable_depth(&game, &position, 1 + (number / 7) as u32 % 4, max_leaves),
            evaluator: evaluator(&game, number / 3),
            game,
            position,
        }
    })
}

fn table(number: usize) -> Option<Arc<Table>> {
    let entries = [0, 1, 64, 1 << 14][number % 4];
    (entries > 0).then(|| table_of(entries, Replacement::Bucketed))
}

fn options(number: usize) -> StarOptions {
    let cuts = [
        Pruning::Star1,
        Pruning::Star2,
        Pruning::Star1,
        Pruning::None,
    ][number % 4];
    let tactics = Ordering {
        tactics: true,
        ..Ordering::NONE
    };
    let history = Ordering {
        table: true,
        history: true,
        ..tactics
    };
    StarOptions {
        negascout: number % 3 == 1,
        ordering: [Ordering::ALL, Ordering::NONE, tactics, history][number / 4 % 4],
        ..options_with_pruning(cuts)
    }
}

fn paranoid_is_minimax(count: usize, seed: u64, max_leaves: usize) {
    let mut met = [0; 3];
    for case in cases(count, seed, max_leaves) {
        let (number, position, depth) = (case.number, case.position, case.depth);
        let (game, evaluator) = (&case.game, &case.evaluator);
        let disqualified = (0..game.seats()).any(|seat| position.is_disqualified(seat));
        let kinds = [depth == 4, position.phase() == Phase::Bombs, disqualified];
        for (count, is_one) in met.iter_mut().zip(kinds) {
            *count += usize::from(is_one);
        }
        let valued = |position: Position, depth| {
            let value = minimax(game, evaluator, &position, depth, position.seat());
            (position, depth, value)
        };
        let first = valued(position, depth);
        let next = successors(game, &position)[0];
        let second = match next.phase() {
            Phase::Over => first,
            _ => valued(next, (depth - 1).max(1)),
        };
        for variant in 0..4 {
            let options = options(number / 28 + 5 * variant);
            let table = table(number / 28 + variant);
            let mut star = Star::new(game.clone(), evaluator.clone(), options, table);
            for (position, depth, expected) in [first, second, first] {
                let found = full(&mut star, &position, depth);
                let off = |bound: f32| (f64::from(bound) - expected).abs();
                assert!(
                    off(found.lower) <= ROUNDING && off(found.upper) <= ROUNDING,
                    "{options:?}: {found:?}, minimax {expected} with depth {depth}, {}",
                    case.text(&position)
                );
            }
        }
    }
    assert!(met.iter().all(|met| met * 20 >= count), "{met:?}");
}

#[test]
fn paranoid_alpha_beta_is_minimax() {
    paranoid_is_minimax(140, 1, 4_000);
}

fn max_n_is_the_textbook(count: usize, seed: u64, max_leaves: usize) {
    for case in cases(count, seed, max_leaves) {
        let (position, depth, text) = (&case.position, case.depth, case.text(&case.position));
        let (game, evaluator) = (case.game.clone(), case.evaluator.clone());
        let expected = case.max_n(position, depth);
        let mut search = MaxN::new(game.clone(), evaluator.clone(), None);
        let found = search.payoffs(position, depth);
        let seats = game.seats();
        assert_eq!(found[..seats], expected[..seats], "{text}");
        let moves = moves_of(&game, position);
        let after = successors(&game, position).into_iter();
        let values = after.map(|next| case.max_n(&next, depth - 1)[position.seat()]);
        let values: Vec<f32> = values.collect();
        let limits = SearchLimits::to_depth(depth);
        let deepening = DeepeningOptions::default();
        let mut search = MaxN::new(game.clone(), evaluator, None).into_deepening(deepening, limits);
        assert_eq!(search.move_values(position, &moves), values, "{text}");
        let of_search = search.move_payoffs(position, &moves);
        for (next, (_, payoffs)) in successors(&game, position).iter().zip(of_search) {
            let expected = case.max_n(next, depth - 1);
            assert_eq!(payoffs.unwrap()[..seats], expected[..seats], "{text}");
        }
        let best = values.iter().copied().fold(0.0, f32::max);
        let first = values.iter().position(|&value| value == best).unwrap();
        assert_eq!(search.best_move(position, &moves), (moves[first], best));
        if seats == 2 {
            two_searches_narrow_alike(&case);
        }
    }
}

fn two_searches_narrow_alike(case: &Case) {
    let (game, position, depth) = (case.game.clone(), &case.position, case.depth);
    let evaluator = evaluator(&game, case.number);
    let options = StarOptions {
        width: Some(3),
        ..options(case.number)
    };
    let mut star = Star::new(game.clone(), evaluator.clone(), options, table(case.number));
    let found = full(&mut star, position, depth);
    let other = MaxN::new(game, evaluator, Some(3)).payoffs(position, depth);
    let off = f64::from(found.lower - other[position.seat()]).abs();
    assert!(
        off <= ROUNDING,
        "{}: {found:?}, {other:?}",
        case.text(position)
    );
}

#[test]
fn max_n_is_that_of_the_textbook() {
    max_n_is_the_textbook(140, 3, 3_000);
}

fn best_reply_is_the_textbook(count: usize, seed: u64, max_leaves: usize) {
    for mut case in cases(count, seed, max_leaves) {
        case.depth = case.depth.min(3);
        let (position, text) = (&case.position, case.text(&case.position));
        let expected = case.best_reply(position, case.depth);
        let moves = moves_of(&case.game, position);
        let mut search = BestReplySearch::new(
            case.game.clone(),
            case.evaluator.clone(),
            options(case.number / 28),
            DeepeningOptions::default(),
            SearchLimits::to_depth(case.depth),
            table(case.number / 28),
            1,
        );
        let off = |value: f32| (f64::from(value) - f64::from(expected)).abs();
        let found = search.value(position);
        let (_, best) = search.best_move(position, &moves);
        assert!(
            off(found) <= ROUNDING && off(best) <= ROUNDING,
            "{found}, best {best}, textbook {expected}, {text}"
        );
    }
}

#[test]
fn best_reply_is_that_of_the_textbook() {
    best_reply_is_the_textbook(140, 5, 300);
}

#[test]
#[ignore = "three minutes"]
fn all_is_as_by_the_book_on_two_thousand_positions() {
    paranoid_is_minimax(2_000, 2, 100_000);
    max_n_is_the_textbook(2_000, 4, 100_000);
    best_reply_is_the_textbook(2_000, 6, 3_000);
}

fn wide_position() -> (ReversiXt, Position) {
    let settings = MapSettings {
        players: 4,
        width: 20,
        height: 20,
        overrides: 40,
        bombs: 2,
        strength: 1,
        density: 0.1,
    };
    let game = ReversiXt::new(Arc::new(settings.generate(1).unwrap()));
    let mut random = RandomStream::new(1);
    let mut position = game.start();
    loop {
        let moves = moves_of(&game, &position);
        let (overrides, stones): (Vec<Move>, Vec<Move>) = moves
            .iter()
            .partition(|mv| position.cell(mv.cell()).is_occupied());
        if overrides.len() > 200 && stones.len() > 5 {
            return (game, position);
        }
        let fewer = if stones.is_empty() { overrides } else { stones };
        position = game.play(&position, fewer[draw(&mut random, fewer.len())]);
    }
}

#[test]
fn narrow_nodes_keep_stones_before_overrides_and_spread_the_rest() {
    let (game, position) = wide_position();
    let all = moves_of(&game, &position);
    let is_override = |cell: usize| position.cell(cell).is_occupied();
    let stones = all.iter().filter(|mv| !is_override(mv.cell())).count();
    assert!(stones > 0 && stones + 30 < all.len());
    let mut remaining = all.clone();
    limit_moves(&game, &position, &mut remaining, stones + 10);
    assert_eq!(remaining.len(), stones + 10);
    let override_cells: Vec<usize> = remaining.iter().map(|mv| mv.cell()).collect();
    assert!(override_cells.is_sorted(), "in the order of the list");
    let spread = override_cells.iter().filter(|&&cell| is_override(cell));
    let (low, high): (Vec<usize>, Vec<usize>) = spread.partition(|&&cell| cell < 200);
    assert!(low.len() >= 3 && high.len() >= 3, "{low:?} {high:?}");
    limit_moves(&game, &position, &mut remaining, 1);
    assert_eq!(remaining.len(), 1);
    assert!(!is_override(remaining[0].cell()));
    let mut unlimited = all.clone();
    limit_moves(&game, &position, &mut unlimited, all.len());
    assert_eq!(unlimited, all);
}

#[test]
fn two_seats_are_searched_as_two() {
    let game = vector_game("plain10_2p");
    let moves = moves_of(&game, &game.start());
    for eval in ["lines", "stones"] {
        let of = |name| {
            let mut player = player(&format!("{name}(depth=4, eval={eval})"), &game);
            let decision = player.decide(&game.start(), &moves, &Limits::NONE).unwrap();
            (decision.best, decision.value)
        };
        assert_eq!([of("maxn"), of("bestreply")], [of("star1"); 2]);
    }
}
