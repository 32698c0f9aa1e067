//! EinStein's own players: a greedy one, and those of published programs as aliases.
//!
//! Rock'n'Roll's depth 0 values each direct successor, which is depth 1 here.

use super::{Move, Position, Standard, evaluators::race_tables::to_goal};
use crate::core::limits::Limits;
use crate::play::{
    notation::{Arguments, Notation, Problem},
    player::{Analysis, Decision, Failure, Player},
    registry::{Meaning, PlayerEntry},
};
use std::sync::Arc;

/// Milliseconds a move in the published matches of abseval.
const ABSEVAL_MILLISECONDS: &str = "1200";

pub(super) static PLAYERS: [PlayerEntry<Standard>; 9] = [
    PlayerEntry {
        name: "greedy",
        parameters: "",
        help: "the stone nearest to the goal (Monte_Alpha's Greedy)",
        meaning: Meaning::Own(|_, game| {
            let game = game.clone();
            Ok(Arc::new(move || Box::new(GreedyPlayer::new(game.clone()))))
        }),
    },
    alias(
        "monte_alpha",
        LIMITS,
        "Monte_Alpha: UCB1 and playouts",
        |arguments| tree("playout", "off", arguments),
    ),
    alias(
        "monte_alpha_v2",
        LIMITS,
        "Monte_Alpha's second version: leaves by reciprocal distances",
        |arguments| tree("reciprocal", "off", arguments),
    ),
    // Its pruning is not published; here moves proven worse than another are no longer tried.
    alias(
        "uctcut",
        LIMITS,
        "UCTcut, an opponent of Monte_Alpha",
        |arguments| tree("playout", "on", arguments),
    ),
    // Alpha-beta with a table and an evaluation by threats, without published details.
    alias(
        "abseval",
        "ms or cpu_ms or clock",
        "ABSeval, an opponent of Monte_Alpha: Star1 with attack, block and threat",
        |arguments| {
            let star = Notation::new("star1").with("eval", Notation::new("attack_block_threat"));
            let (star, timed) = limited(star, arguments)?;
            let default_time = || Notation::new(ABSEVAL_MILLISECONDS);
            Ok(match timed {
                true => star,
                false => star.with(
                    "ms",
                    arguments.take("ms")?.cloned().unwrap_or_else(default_time),
                ),
            })
        },
    ),
    alias(
        "MrBlack",
        "depth",
        "Rock'n'Roll's: star2 with schwarz, a ply deeper",
        |arguments| deeper("MrBlack", arguments),
    ),
    alias(
        "FarmerBoy",
        "depth",
        "Rock'n'Roll's: star2 with farmer_boy, a ply deeper",
        |arguments| deeper("FarmerBoy", arguments),
    ),
    alias(
        "MrMonte",
        "depth, iterations, player",
        "Rock'n'Roll's: star2 with mrmonte, a ply deeper",
        |arguments| deeper("MrMonte", arguments),
    ),
    alias("MrRandom", "", "Rock'n'Roll's: random", |_| {
        Ok(Notation::new("random"))
    }),
];

/// Alias of another notation.
const fn alias(
    name: &'static str,
    parameters: &'static str,
    help: &'static str,
    meaning: fn(&mut Arguments<'_>) -> Result<Notation, Problem>,
) -> PlayerEntry<Standard> {
    PlayerEntry {
        name,
        parameters,
        help,
        meaning: Meaning::Alias(meaning),
    }
}

const LIMITS: &str = "sims or ms or cpu_ms or clock";

/// Copies a time limit; returns whether there is one.
fn limited(
    mut player: Notation,
    arguments: &mut Arguments<'_>,
) -> Result<(Notation, bool), Problem> {
    let given = player.arguments.len();
    for key in ["ms", "cpu_ms", "clock"] {
        player = player.with(key, arguments.take_named(key)?.cloned());
    }
    let timed = player.arguments.len() > given;
    Ok((player, timed))
}

/// UCB1 with the constant sqrt(2) on a fresh tree for each move, the most visited move being
/// played: the common form of the Monte-Carlo programs.
fn tree(leaf: &str, solver: &str, arguments: &mut Arguments<'_>) -> Result<Notation, Problem> {
    let mcts = Notation::new("mcts")
        .with("leaf", Notation::new(leaf))
        .with("solver", Notation::new(solver))
        .with("graph", Notation::new("off"))
        .with("c", Notation::new(std::f64::consts::SQRT_2.to_string()));
    let (mcts, timed) = limited(mcts, arguments)?;
    // Ending when no other move can catch up changes no choice if the budget is known.
    Ok(match timed {
        true => mcts.with("early", Notation::new("off")),
        false => mcts.with("sims", arguments.take("sims")?.cloned()),
    })
}

/// Full-width search with the evaluator of one of Rock'n'Roll's players.
fn deeper(name: &str, arguments: &mut Arguments<'_>) -> Result<Notation, Problem> {
    let depth: u32 = arguments.number("depth", 0..=63, 0)? + 1;
    Ok(Notation::new("star2")
        .with("depth", Notation::new(depth.to_string()))
        .with("eval", rocknroll(name, arguments)?))
}

/// Evaluator of `MrBlack(…)`, `FarmerBoy(…)` or `MrMonte(…, iterations, player)`, with two equal
/// simulated players.
pub(super) fn rocknroll(name: &str, arguments: &mut Arguments<'_>) -> Result<Notation, Problem> {
    Ok(match name {
        "MrBlack" => Notation::new("schwarz"),
        "FarmerBoy" => Notation::new("farmer_boy"),
        _ => {
            let iterations = arguments.take("iterations")?.cloned();
            let player = arguments.take("player")?.cloned();
            Notation::new("mrmonte")
                .with("iterations", iterations)
                .with("red", player.clone())
                .with("blue", player)
        }
    })
}

/// Player of the legal move whose destination is nearest to the goal, then with most progress along
/// rows and columns, then the first (after Monte_Alpha's Greedy).
#[derive(Clone, Debug)]
pub struct GreedyPlayer {
    game: Standard,
}

impl GreedyPlayer {
    /// A greedy player.
    #[must_use]
    pub fn new(game: Standard) -> Self {
        Self { game }
    }

    /// Choice among some legal moves.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[must_use]
    #[inline]
    pub fn choice(position: &Position, legal: &[Move]) -> Move {
        // Of equal keys `min_by_key` takes the first.
        let best = legal
            .iter()
            .min_by_key(|&&mv| to_goal(Standard::destination(position, mv)));
        *best.expect("a position that is not over has a legal move")
    }
}

impl Player<Standard> for GreedyPlayer {
    fn new_game(&mut self, _seed: u64) {}

    fn decide(
        &mut self,
        position: &Position,
        legal: &[Move],
        _: &Limits,
    ) -> Result<Decision<Move>, Failure> {
        Ok(Decision::without_values(Self::choice(position, legal)))
    }

    fn analyse(
        &mut self,
        position: &Position,
        legal: Option<&[Move]>,
        _: &Limits,
    ) -> Result<Analysis<Move>, Failure> {
        let line = legal.map(|legal| Self::choice(position, legal));
        Ok(Analysis {
            line: line.into_iter().collect(),
            ..Analysis::without_values(&self.game, position, legal)
        })
    }
}
