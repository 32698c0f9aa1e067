//! Heuristic playouts of Havannah: `playout=havannah(…)`.
//!
//! A move is the first of: a winning cell of the last stone's chain; the last good reply (Drake
//! 2009); a pattern around the last stone; a cell that joins two own chains or separates two enemy
//! chains; a random cell, resampled if isolated. By default only the patterns of *Inside Lajkonik*
//! are used.

use super::{
    EMPTY, Havannah, NEIGHBOUR_RUNS, Position, ROOT_FLAG, WinKinds,
    patterns::{PUBLISHED_PATTERNS, Patterns},
    shape::{NUM_CELL_SLOTS, NUM_NEAR_CELLS, OFF_BOARD},
};
use alea_core::{
    bits::nth_set_bit,
    files::{self, FileKind},
    game::{DRAW, Game, Payoffs, Seat, win_for},
    leaf::{Leaf, MoveKinds},
    random::RandomStream,
    search_game::{Playouts, SearchHints},
};
use alea_play::{
    player_notation::{Arguments, Problem},
    registry::{LeafMaker, PlayoutEntry},
};
use std::sync::Arc;

pub(super) static PLAYOUT_ENTRIES: [PlayoutEntry<Havannah>; 1] = [PlayoutEntry {
    name: "havannah",
    parameters: "ring, ring_end, connect, connect_slope, defend, defend_slope, retries, mate, antimate, patterns, reply",
    read: parse_playout,
}];

/// Options of playouts; probabilities are percentages.
#[derive(Clone, Debug)]
struct PlayoutParameters {
    /// Probability that a ring ends the playout, at its first and at its last move.
    ring: [f32; 2],
    /// Probability of joining two own chains beside the last stone, and its increment per own chain
    /// at the playout's start.
    connect: [f32; 2],
    /// Probability of separating two enemy chains beside the last stone, and the same increment.
    defend: [f32; 2],
    retries: u32,
    mate: bool,
    antimate: bool,
    patterns: Option<Arc<Patterns>>,
    reply: bool,
}

fn parse_playout(
    arguments: &mut Arguments<'_>,
    _: &Havannah,
) -> Result<LeafMaker<Havannah>, Problem> {
    let choices = [("off", false), ("on", true)];
    let mut per_cent = |key, default: f32| arguments.number(key, -10_000.0..=10_000.0, default);
    let ring = [per_cent("ring", 100.0)?, per_cent("ring_end", 100.0)?];
    let connect = [per_cent("connect", 0.0)?, per_cent("connect_slope", 0.0)?];
    let defend = [per_cent("defend", 0.0)?, per_cent("defend_slope", 0.0)?];
    let retries = arguments.number("retries", 0..=100, 0)?;
    let mate = arguments.choice("mate", &choices)?;
    let antimate = arguments.choice("antimate", &choices)?;
    let named = arguments.take_named("patterns")?;
    if let Some(named) = named.filter(|named| !named.arguments.is_empty()) {
        let problem = format!("'patterns' is published, off or a file, not '{named}'");
        return Err((named.character, problem));
    }
    let at = named.map_or(1, |named| named.character);
    let text = match named.map(|named| (named, named.name.as_str())) {
        None | Some((_, "published")) => PUBLISHED_PATTERNS.to_owned(),
        Some((_, "off")) => String::new(),
        Some((named, path)) => files::read_text(named.trusted_path(path)?.as_ref(), FileKind::Text)
            .map_err(|error| (at, error.to_string()))?,
    };
    let patterns = Patterns::parse(&text).map_err(|problem| (at, problem))?;
    let knowledge = PlayoutParameters {
        ring,
        connect,
        defend,
        retries,
        mate,
        antimate,
        patterns: (!text.is_empty()).then(|| Arc::new(patterns)),
        reply: arguments.choice("reply", &choices)?,
    };
    Ok(Arc::new(move || {
        Box::new(PatternPlayout::new(knowledge.clone()))
    }))
}

struct PatternPlayout {
    knowledge: PlayoutParameters,
    empty: [u16; NUM_CELL_SLOTS],
    indices: [u16; NUM_CELL_SLOTS],
    left: usize,
    connect: f32,
    defend: f32,
    /// Replies by seat and enemy stone from the last playout that the seat won.
    replies: Box<[[u16; NUM_CELL_SLOTS]; 2]>,
    cells_played: Vec<u16>,
    winning_cells: [usize; 2],
    seen: [u64; NUM_CELL_SLOTS],
    traversal: u64,
    chain: Vec<u16>,
}

impl PatternPlayout {
    fn new(knowledge: PlayoutParameters) -> Self {
        Self {
            knowledge,
            empty: [0; NUM_CELL_SLOTS],
            indices: [0; NUM_CELL_SLOTS],
            left: 0,
            connect: 0.0,
            defend: 0.0,
            replies: Box::new([[OFF_BOARD as u16; NUM_CELL_SLOTS]; 2]),
            cells_played: Vec::with_capacity(NUM_CELL_SLOTS),
            winning_cells: [OFF_BOARD; 2],
            seen: [0; NUM_CELL_SLOTS],
            traversal: 0,
            chain: Vec::with_capacity(NUM_CELL_SLOTS),
        }
    }

    fn remove_empty_cell(&mut self, cell: usize) {
        self.left -= 1;
        let (index, last) = (self.indices[cell], self.empty[self.left]);
        self.empty[usize::from(index)] = last;
        self.indices[usize::from(last)] = index;
    }

    /// Queues the chains that a stone on `cell` links, except one that already touches every side and
    /// corner that they touch together.
    fn queue_linked_chains(
        &mut self,
        game: &Havannah,
        position: &Position,
        cell: usize,
        seat: Seat,
    ) {
        let near = &game.shape.near[cell];
        let (runs, starts) = NEIGHBOUR_RUNS[position.own_neighbours(cell, seat)];
        let starts = starts[..usize::from(runs)].iter();
        let starts = starts.map(|&start| near[usize::from(start)]);
        let rim = |start: u16| position.links[position.root(start.into())] & !ROOT_FLAG;
        let total = starts
            .clone()
            .fold(game.shape.rim[cell], |rims, start| rims | rim(start));
        let knows = starts.clone().find(|&start| rim(start) == total);
        self.chain.clear();
        for start in starts.filter(|&start| Some(start) != knows) {
            self.chain.push(start);
        }
    }

    /// Finds up to two cells where the side of the last stone would win (by a ring only if `ring`).
    fn find_winning_cells(
        &mut self,
        game: &Havannah,
        position: &Position,
        ring: bool,
    ) -> [usize; 2] {
        let stone = usize::from(position.last[0]);
        let Some(seat) = position
            .seat_at(stone)
            .filter(|_| game.may_threaten(position))
        else {
            return [OFF_BOARD; 2];
        };
        let wins = |cell: usize| {
            let kinds = game.would_win(position, cell, seat);
            kinds.0 & !WinKinds::RING.0 != 0 || ring && kinds.any()
        };
        let options = self.winning_cells[seat];
        let first = match position.colours[options] == EMPTY && (ring || wins(options)) {
            true => options,
            false => OFF_BOARD,
        };
        let mut found = [first, OFF_BOARD];
        let mut is_marked = |cell: usize| {
            if cell != found[0] && wins(cell) {
                found[usize::from(found[0] != OFF_BOARD)] = cell;
            }
            found[1] != OFF_BOARD
        };
        let colour = seat as u8 + 1;
        self.traversal += 1;
        self.seen[stone] = self.traversal;
        'all: for &near in &game.shape.near[stone][..6] {
            let near = usize::from(near);
            let cell = match position.colours[near] {
                EMPTY => near,
                own if own == colour && ring => {
                    let others = 63 ^ position.own_neighbours(near, seat);
                    if !others.is_power_of_two() {
                        continue;
                    }
                    usize::from(game.shape.near[near][others.trailing_zeros() as usize])
                }
                _ => continue,
            };
            self.seen[cell] = self.traversal;
            if position.colours[cell] == EMPTY && is_marked(cell) {
                self.chain.clear();
                break 'all;
            }
        }
        let mut next = 0;
        'all: while let Some(&cell) = self.chain.get(next) {
            next += 1;
            for &near in &game.shape.near[usize::from(cell)][..6] {
                let near = usize::from(near);
                let seen = std::mem::replace(&mut self.seen[near], self.traversal);
                if seen == self.traversal {
                    continue;
                }
                if position.colours[near] == colour {
                    self.chain.push(near as u16);
                } else if position.colours[near] == EMPTY && is_marked(near) {
                    break 'all;
                }
            }
        }
        self.winning_cells[seat] = found[0];
        found
    }

    fn chain_linking_cell(
        game: &Havannah,
        position: &Position,
        seat: Seat,
        stone: u16,
    ) -> Option<usize> {
        let near = &game.shape.near[usize::from(stone)][..6];
        near.iter().map(|&near| usize::from(near)).find(|&cell| {
            position.colours[cell] == EMPTY && {
                let around = &game.shape.near[cell];
                let (count, starts) = NEIGHBOUR_RUNS[position.own_neighbours(cell, seat)];
                let root = |run: usize| position.root(around[usize::from(starts[run])].into());
                (1..usize::from(count)).any(|run| root(run) != root(0))
            }
        })
    }

    fn choose_cell(
        &self,
        game: &Havannah,
        position: &Position,
        random: &mut RandomStream,
    ) -> usize {
        let (options, seat) = (&self.knowledge, position.seat());
        let last = position.last[0];
        let mut bits = random.next_u64();
        let mut draw = |bound: u64| {
            let sampled;
            (bits, sampled) = bits.carrying_mul(bound, 0);
            sampled as usize
        };
        if usize::from(last) != OFF_BOARD {
            let reply = usize::from(self.replies[seat][usize::from(last)]);
            if options.reply && position.colours[reply] == EMPTY {
                return reply;
            }
            if let Some(patterns) = &options.patterns {
                let (mask, chance) = patterns.reply_to_last(game.shape, position);
                if mask != 0 && (chance == 8 || draw(8) < usize::from(chance)) {
                    let sampled = if mask.is_power_of_two() {
                        0
                    } else {
                        draw(u64::from(mask.count_ones()))
                    };
                    return usize::from(
                        game.shape.near[usize::from(last)]
                            [nth_set_bit(mask.into(), sampled) % NUM_NEAR_CELLS],
                    );
                }
            }
            let mut happens = |chance: f32| {
                chance > 0.0 && (draw(1 << 20) as f32) < chance * ((1 << 20) as f32 / 100.0)
            };
            if happens(self.connect)
                && let Some(cell) = Self::chain_linking_cell(game, position, seat, last)
            {
                return cell;
            }
            if happens(self.defend)
                && let Some(cell) = Self::chain_linking_cell(game, position, 1 - seat, last)
            {
                return cell;
            }
        }
        let mut cell = usize::from(self.empty[draw(self.left as u64)]);
        for _ in 0..options.retries {
            let near = &game.shape.near[cell][..6];
            if near
                .iter()
                .any(|&near| position.seat_at(near.into()).is_some())
            {
                break;
            }
            cell = usize::from(self.empty[random.below(self.left)]);
        }
        cell
    }

    fn update_replies(&mut self, first: Seat, winner: Seat) {
        for (ply, pair) in self.cells_played.windows(2).enumerate() {
            let seat = (first + ply + 1) % 2;
            let reply = &mut self.replies[seat][usize::from(pair[0])];
            if seat == winner {
                *reply = pair[1];
            } else if *reply == pair[1] {
                *reply = OFF_BOARD as u16;
            }
        }
    }
}

impl Leaf<Havannah> for PatternPlayout {
    fn new_game(&mut self) {
        *self.replies = [[OFF_BOARD as u16; NUM_CELL_SLOTS]; 2];
    }

    fn payoffs(
        &mut self,
        game: &Havannah,
        start: &Position,
        random: &mut RandomStream,
        mut cells_played: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let mut position = *start;
        if game.may_swap(&position) {
            let mv = game.sample_move(&position, random.next_u64());
            if let Some(cells_played) = &mut cells_played {
                cells_played.insert(game.history_index(&position, mv));
            }
            position = game.play(&position, mv);
        }
        self.left = game.copy_empties(&position, &mut self.empty);
        for (index, &cell) in self.empty[..self.left].iter().enumerate() {
            self.indices[usize::from(cell)] = index as u16;
        }
        self.cells_played.clear();
        let chains = f32::from(position.chains[position.seat()]);
        let by_chains = |[base, slope]: [f32; 2]| base + slope * chains;
        self.connect = by_chains(self.knowledge.connect);
        self.defend = by_chains(self.knowledge.defend);
        let (all, first) = (self.left as f32, position.seat());
        let mut winner = None;
        let checks_threats = self.knowledge.mate || self.knowledge.antimate;
        self.winning_cells = [OFF_BOARD; 2];
        self.chain.clear();
        self.chain.extend(
            position.last[..1]
                .iter()
                .filter(|&&last| usize::from(last) != OFF_BOARD),
        );
        while self.left > 0 && winner.is_none() {
            let [begin, end] = self.knowledge.ring;
            let ring_chance = begin + (end - begin) * (1.0 - self.left as f32 / all);
            let seat = position.seat();
            let [one, other] = match checks_threats {
                true => self.find_winning_cells(game, &position, ring_chance >= 100.0),
                false => [OFF_BOARD; 2],
            };
            if other != OFF_BOARD && self.knowledge.mate {
                winner = Some(1 - seat);
                break;
            }
            let cell = match self.knowledge.antimate && one != OFF_BOARD {
                true => one,
                false => self.choose_cell(game, &position, random),
            };
            if checks_threats {
                self.queue_linked_chains(game, &position, cell, seat);
            }
            self.remove_empty_cell(cell);
            self.cells_played.push(cell as u16);
            if let Some(cells_played) = &mut cells_played {
                cells_played.insert(NUM_CELL_SLOTS * seat + cell);
            }
            let kinds = position.place_stone(game.shape, cell, seat);
            position.seat = 1 - position.seat;
            let mut notices_ring = || {
                ring_chance >= 100.0
                    || (ring_chance > 0.0 && random.uniform_f64() * 100.0 < f64::from(ring_chance))
            };
            if kinds.0 & !WinKinds::RING.0 != 0 || (kinds.any() && notices_ring()) {
                winner = Some(seat);
            }
        }
        if self.knowledge.reply
            && let Some(winner) = winner
        {
            self.update_replies(first, winner);
        }
        winner.map_or(DRAW, win_for)
    }
}

const _: () = assert!(
    NUM_NEAR_CELLS == 18,
    "patterns count near cells by letters, a to r"
);

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: PlayoutParameters = PlayoutParameters {
        ring: [100.0; 2],
        connect: [0.0; 2],
        defend: [0.0; 2],
        retries: 0,
        mate: false,
        antimate: false,
        patterns: None,
        reply: false,
    };

    #[test]
    fn threats_are_all_cells_on_which_a_side_would_win() {
        let mut seen = [0; 3];
        for seed in 0..3000 {
            let game = Havannah::new(3 + seed as usize % 4, false);
            let mut random = RandomStream::new(seed);
            let mut playouts = PatternPlayout::new(NOTHING);
            let mut position = game.start();
            let mut left = game.copy_empties(&position, &mut playouts.empty);
            while left > 0 {
                let sampled = random.below(left);
                let cell = usize::from(playouts.empty[sampled]);
                left -= 1;
                playouts.empty[sampled] = playouts.empty[left];
                let seat = position.seat();
                playouts.queue_linked_chains(&game, &position, cell, seat);
                if position.place_stone(game.shape, cell, seat).any() {
                    break;
                }
                let found = playouts.find_winning_cells(&game, &position, true);
                let found: Vec<usize> = found
                    .into_iter()
                    .filter(|&cell| cell != OFF_BOARD)
                    .collect();
                let wins: Vec<usize> = game.winning_cells(&position, seat).collect();
                seen[found.len()] += 1;
                assert_eq!(
                    found.len(),
                    wins.len().min(2),
                    "{position:?} {found:?} {wins:?}"
                );
                assert!(found.iter().all(|cell| wins.contains(cell)), "{position:?}");
                if found.len() == 2 {
                    break;
                }
                position.seat = 1 - position.seat;
            }
        }
        assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
    }
}
