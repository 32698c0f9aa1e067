//! Files that the command contains: set-ups, puzzles and suites of EinStein, maps of ReversiXT.

/// Mixed strategy of EinStein set-ups, a weight and a set-up per line.
pub const MIXED_SETUPS: &str = include_str!("setups/nash.txt");
/// The sixteen best set-ups of EinStein against each other, a pair per line.
pub const BEST_SETUPS: &str = include_str!("setups/best.txt");
/// Puzzles of EinStein, a JSON object a line.
pub const EINSTEIN_PUZZLES: &str = include_str!("puzzles/einstein.jsonl");
/// Positions of the suites, kept out of training: sorted canonical bits, 64 each, little-endian.
pub const HELD_OUT_POSITIONS: &[u8] = include_bytes!("suites/held-out.bin");

macro_rules! files {
    ($($name:literal)*) => {
        /// Path in the repository and content of every file.
        pub static FILES: &[(&str, fn() -> &'static [u8])] =
            &[$((concat!("data/", $name), || include_bytes!($name))),*];
    };
}

files! {
    "maps/01_plain_8x8.map"
    "maps/02_round_10x10.map"
    "maps/03_pillars_12x12.map"
    "maps/04_cylinder_10x8.map"
    "maps/05_torus_8x8.map"
    "maps/06_specials_12x12.map"
    "maps/07_ring_three_13x13.map"
    "maps/08_cross_four_15x15.map"
    "maps/09_bombs_five_16x16.map"
    "maps/10_wide_six_24x12.map"
    "maps/11_islands_seven_31x15.map"
    "maps/12_everything_eight_30x30.map"
    "maps/13_published_10x10.map"
    "puzzles/einstein.jsonl"
    "setups/best.txt"
    "setups/nash.txt"
    "suites/stones-5.jsonl"
    "suites/stones-6.jsonl"
    "suites/stones-7.jsonl"
    "suites/stones-8.jsonl"
    "suites/stones-9.jsonl"
    "suites/stones-10.jsonl"
    "suites/stones-11.jsonl"
    "suites/stones-12.jsonl"
}

/// Regret suite of EinStein positions with `stones` stones (5 to 12; at most 5 for 5), a JSON
/// object a line.
///
/// # Panics
/// For other numbers.
#[must_use]
pub fn regret_suite(stones: usize) -> &'static str {
    let path = format!("data/suites/stones-{stones}.jsonl");
    let file = FILES.iter().find(|(known, _)| *known == path);
    let bytes = file.expect("a shipped suite").1();
    std::str::from_utf8(bytes).expect("JSON is UTF-8")
}
