//! How fast published endgames are solved: the last of FFO's, with their scores.
//!
//! `cargo run --release -p engine --example endgames -- [moves] [numbers…]`: for each, from an empty
//! table, the score, its time and the positions seen; with `moves` the exact scores of all moves.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example talks to whoever runs it"
)]

use engine::core::game::Game;
use engine::games::reversi::endgame::Endgame;
use engine::games::reversi::{MoveList, Reversi};
use std::time::Instant;

/// Number, position and score; from https://www.radagast.se/othello/ffotest.html.
const ENDGAMES: [(&str, &str, i32); 6] = [
    (
        "40",
        "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
        38,
    ),
    (
        "41",
        "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X",
        0,
    ),
    (
        "42",
        "--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X",
        6,
    ),
    (
        "43",
        "--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O",
        -12,
    ),
    (
        "44",
        "--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX-- O",
        -14,
    ),
    (
        "45",
        "---XXXX-X-XXXO--XXOXOO--XXXOXO--XXOXXO---OXXXOO-O-OOOO------OO-- X",
        6,
    ),
];

fn main() {
    let game = Reversi::EIGHT;
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let all = !wanted.iter().any(|word| word != "moves");
    for (number, text, expected) in ENDGAMES {
        if !all && !wanted.iter().any(|word| word == number) {
            continue;
        }
        let position = game.parse_position(text).unwrap();
        let mut solver = Endgame::new(game);
        let began = Instant::now();
        let scores = if wanted.iter().any(|word| word == "moves") {
            let mut moves = MoveList::default();
            game.moves(&position, &mut moves);
            let scores = solver.scores(&position, &moves);
            let named = moves.iter().zip(&scores);
            let named = named.map(|(&mv, score)| format!("{} {score:+}", game.format_move(mv)));
            println!("{}", named.collect::<Vec<_>>().join(", "));
            scores
        } else {
            vec![solver.score(&position)]
        };
        let seconds = began.elapsed().as_secs_f64();
        assert_eq!(scores.iter().max(), Some(&expected), "#{number}");
        let millions = solver.nodes() as f64 / 1e6;
        println!("#{number}: {expected:+}, {seconds:.2} s, {millions:.1} million positions");
    }
}
