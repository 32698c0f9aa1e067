//! Random valid maps of ReversiXT: a Latin square of the players' stones amid random cells.

use super::map::{Cell, DIRECTIONS, MAX_SIDE, Map, Side};
use alea_core::{
    game::{MAX_SEATS, uniform_index},
    random::RandomStream,
};

/// Settings of random maps.
#[derive(Clone, Copy, Debug)]
pub struct MapSettings {
    /// Number of players, 2 to 8, and side length of the Latin square.
    pub players: usize,
    /// Number of columns, from `players` to 50.
    pub width: usize,
    /// Number of rows, from `players` to 50.
    pub height: usize,
    /// Override stones of each player.
    pub overrides: u16,
    /// Bombs of each player.
    pub bombs: u16,
    /// Reach of a bomb in steps.
    pub strength: u16,
    /// Fraction, 0 to 1, of special cells outside the Latin square, and of open sides with a
    /// transition.
    pub density: f64,
}

const SPECIAL_CELLS: [Cell; 8] = [
    Cell::HOLE,
    Cell::HOLE,
    Cell::HOLE,
    Cell::HOLE,
    Cell::EXPANSION,
    Cell::CHOICE,
    Cell::BONUS,
    Cell::INVERSION,
];

impl MapSettings {
    /// Makes the map determined by `seed`; the error names a setting out of range.
    pub fn generate(&self, seed: u64) -> Result<Map, String> {
        let players = self.players;
        if !(2..=MAX_SEATS).contains(&players) {
            return Err(format!(
                "players is a number from 2 to {MAX_SEATS}, not {players}"
            ));
        }
        for (name, size) in [("width", self.width), ("height", self.height)] {
            if !(players..=MAX_SIDE).contains(&size) {
                return Err(format!(
                    "{name} is a number from {players}, for so many players, to {MAX_SIDE}, not {size}"
                ));
            }
        }
        if !(0.0..=1.0).contains(&self.density) {
            return Err(format!(
                "density is a number from 0 to 1, not {}",
                self.density
            ));
        }
        let mut random = RandomStream::new(seed);
        let (left, top) = ((self.width - players) / 2, (self.height - players) / 2);
        let cells = (0..self.width * self.height).map(|at| {
            let (x, y) = (at % self.width, at / self.width);
            let in_middle = |at: usize, from: usize| (from..from + players).contains(&at);
            if in_middle(x, left) && in_middle(y, top) {
                Cell::stone((x - left + y - top) % players)
            } else if random.uniform_f64() < self.density {
                SPECIAL_CELLS[uniform_index(SPECIAL_CELLS.len(), (random.next_u64() >> 32) as u32)]
            } else {
                Cell::EMPTY
            }
        });
        let cells = cells.collect();
        let mut map = Map::new(self.players, self.width, cells);
        (map.overrides, map.bombs, map.strength) = (self.overrides, self.bombs, self.strength);
        let mut open: Vec<Side> = (0..map.cells().len() * DIRECTIONS)
            .map(|side| Side::new(side / DIRECTIONS, side % DIRECTIONS))
            .filter(|&side| map.cells()[side.cell()] != Cell::HOLE && map.step(side) == Side::NONE)
            .collect();
        for _ in 0..(open.len() as f64 * self.density / 2.0) as usize {
            let mut side =
                || open.swap_remove(uniform_index(open.len(), (random.next_u64() >> 32) as u32));
            map.add_transition([side(), side()]);
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: MapSettings = MapSettings {
        players: 3,
        width: 9,
        height: 7,
        overrides: 2,
        bombs: 1,
        strength: 2,
        density: 0.3,
    };

    #[test]
    fn maps_are_sound_and_everybody_has_stones() {
        for seed in 0..50 {
            let map = SETTINGS.generate(seed).unwrap();
            assert_eq!(Map::parse(&map.to_string()), Ok(map.clone()));
            assert_eq!(SETTINGS.generate(seed), Ok(map.clone()));
            for seat in 0..3 {
                let stones = map
                    .cells()
                    .iter()
                    .filter(|&&cell| cell == Cell::stone(seat));
                assert_eq!(stones.count(), 3);
            }
            assert!(!map.transitions().is_empty());
        }
        let plain = MapSettings {
            density: 0.0,
            ..SETTINGS
        }
        .generate(1)
        .unwrap();
        let expected = "3\n2\n1 2\n7 9\n\
            0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0\n\
            0 0 0 1 2 3 0 0 0\n0 0 0 2 3 1 0 0 0\n0 0 0 3 1 2 0 0 0\n\
            0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0\n";
        assert_eq!(plain.to_string(), expected);
    }

    #[test]
    fn settings_out_of_range_are_refused_in_words() {
        let [mut many, mut narrow, mut dense] = [SETTINGS; 3];
        (many.players, narrow.width, dense.density) = (9, 2, f64::NAN);
        for (settings, message) in [
            (many, "players is a number from 2 to 8, not 9"),
            (
                narrow,
                "width is a number from 3, for so many players, to 50, not 2",
            ),
            (dense, "density is a number from 0 to 1, not NaN"),
        ] {
            assert_eq!(settings.generate(1), Err(message.to_owned()));
        }
    }
}
