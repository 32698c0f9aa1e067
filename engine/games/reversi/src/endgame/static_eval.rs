//! Static estimate of an endgame's score, and stable discs.
//!
//! Weights of [`expected_score`] were fitted by least squares to exact scores of 55,902 positions
//! with 10 to 14 empty squares; errors have a standard deviation of 10 discs.

use super::super::{
    Reversi,
    bits::{COLUMNS, run_ends},
};
use super::line_flips::{FIRST_COLUMN, LAST_COLUMN, with_neighbours};

#[inline(always)]
pub(super) fn expected_score(game: &Reversi, own: u64, enemy: u64, moves: u64) -> f32 {
    let empty = game.squares() & !(own | enemy);
    let other = run_ends(enemy, own) & empty;
    let count = |set: u64| set.count_ones() as f32;
    let difference = |set: u64| count(own & set) - count(enemy & set);
    let open = |discs: u64| count(with_neighbours(discs) & empty);
    let corners = game.corners & empty;
    let beside = (corners & !LAST_COLUMN) << 1 | (corners & !FIRST_COLUMN) >> 1;
    let above = corners << COLUMNS | corners >> COLUMNS;
    let diagonal = beside << COLUMNS | beside >> COLUMNS;
    let sides = game.edge_columns() | game.edge_rows();
    2.1 * (count(moves) - count(other)) + 4.5 * count(moves & game.corners)
        - 3.3 * count(other & game.corners)
        + 1.08 * (open(own) - open(enemy))
        + 3.0 * difference(game.corners)
        - 1.75 * difference(beside | above)
        - 0.85 * difference(diagonal)
        + 1.24 * (count(stable_discs(game, own, enemy)) - count(stable_discs(game, enemy, own)))
        - 0.49 * difference(sides & !(game.corners | beside | above))
        - 0.9 * difference(with_neighbours(empty))
        + 2.15 * (empty.count_ones() % 2) as f32
}

/// Own discs that are provably stable: on each axis the line is full, or a neighbour is stable or
/// off the board.
#[inline(always)]
pub(super) fn stable_discs(game: &Reversi, own: u64, enemy: u64) -> u64 {
    let empty = game.squares() & !(own | enemy);
    // Diagonals with an empty square; no upward shift ends in `first`, no downward one in `last`.
    let open_diagonals = |step: u32, first: u64, last: u64| {
        let (mut up, mut down) = (empty, empty);
        let (mut up_to, mut down_to) = (!first, !last);
        for far in [step, 2 * step, 4 * step] {
            up |= up << far & up_to;
            down |= down >> far & down_to;
            up_to &= up_to << far;
            down_to &= down_to >> far;
        }
        up | down
    };
    let mut rows = empty | empty >> 4 & 0x0F0F_0F0F_0F0F_0F0F;
    rows |= rows >> 2 & 0x3333_3333_3333_3333;
    rows |= rows >> 1 & 0x5555_5555_5555_5555;
    let open_rows = (rows & FIRST_COLUMN) * 0xFF;
    let columns = [8, 16, 32].into_iter();
    let open_columns = columns.fold(empty, |set, far| set | set.rotate_left(far));
    let sides = game.edge_columns() | game.edge_rows();
    let safe = [
        (1, !open_rows | game.edge_columns()),
        (8, !open_columns | game.edge_rows()),
        (9, !open_diagonals(9, FIRST_COLUMN, LAST_COLUMN) | sides),
        (7, !open_diagonals(7, LAST_COLUMN, FIRST_COLUMN) | sides),
    ];
    let mut found = 0;
    loop {
        let holds = |&(step, safe): &(u32, u64)| safe | found << step | found >> step;
        let next = safe.iter().map(holds).fold(own, |all, set| all & set);
        if next == found {
            return found;
        }
        found = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::{game::Game, random::RandomStream, search_game::Playouts};

    #[test]
    fn stable_discs_by_hand() {
        let game = Reversi::EIGHT;
        let stable_discs = |text: &str| {
            let position = game.parse_position(text).unwrap();
            stable_discs(&game, position.own, position.enemy)
        };
        let rest = "/--------/--------/---XO---/---OX---/--------/--------";
        assert_eq!(stable_discs(&format!("-XXXXXX-/--------{rest} X")), 0);
        assert_eq!(stable_discs(&format!("XXX-----/XX------{rest} X")), 0x0307);
        assert_eq!(stable_discs(&format!("XXOXXOXX/--------{rest} X")), 0xDB);
    }

    #[test]
    fn stable_discs_are_there_at_the_end() {
        let mut random = RandomStream::new(5);
        for game in Reversi::ALL {
            let mut seen = 0;
            for _ in 0..300 {
                let mut position = game.start();
                let mut stable_so_far = [0; 2];
                while !game.is_over(&position) {
                    let (own, enemy) = (position.own, position.enemy);
                    stable_so_far[position.seat()] |= stable_discs(&game, own, enemy);
                    let mv = game.sample_move(&position, random.next_u64());
                    position = game.play(&position, mv);
                }
                for (seat, stable_so_far) in stable_so_far.into_iter().enumerate() {
                    assert_eq!(stable_so_far & !position.discs(seat), 0);
                    seen += stable_so_far.count_ones();
                }
            }
            assert!(seen > 300, "{seen}");
        }
    }
}
