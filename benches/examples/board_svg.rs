//! A position as an SVG picture on standard output; `docs/images/board.svg` was made with it.
//!
//! Run it: `cargo run --release -p benches --example board_svg -- "215../64.../3...e/...fb/..acd b
//! 1"`

use benches::board::board_svg;
use engine::games::einstein::Standard;
use std::error::Error;

#[expect(clippy::print_stdout, reason = "the picture is the output")]
fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args()
        .nth(1)
        .ok_or("give a position, for example \"215../64.../3...e/...fb/..acd b 1\"")?;
    let game = Standard::default();
    let (position, die) = game.parse_position(&text)?;
    println!("{}", board_svg(&game, &position, die));
    Ok(())
}
