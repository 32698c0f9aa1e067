//! EinStein's own players: a greedy one, and published programs as aliases of search players.
//!
//! Depth 0 of Rock'n'Roll evaluates the direct successors, which is depth 1 here.

use super::{Move, Position, Standard, evaluators::race_tables::distances_to_goal};
use alea_core::limits::Limits;
use alea_play::{
    player::{Analysis, Decision, Failure, Player},
    player_notation::{Arguments, Notation, Problem},
    registry::{Meaning, PlayerEntry},
};
use std::sync::Arc;

const DEFAULT_ABSEVAL_MILLISECONDS: &str = "1200";

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
        LIMIT_PARAMETERS,
        "Monte_Alpha: UCB1 and playouts",
        |arguments| mcts_notation("playout", "off", arguments),
    ),
    alias(
        "monte_alpha_v2",
        LIMIT_PARAMETERS,
        "Monte_Alpha's second version: leaves by reciprocal distances",
        |arguments| mcts_notation("reciprocal", "off", arguments),
    ),
    // UCTcut's pruning is not published; here the solver skips moves proven worse than another.
    alias(
        "uctcut",
        LIMIT_PARAMETERS,
        "UCTcut, an opponent of Monte_Alpha",
        |arguments| mcts_notation("playout", "on", arguments),
    ),
    // ABSeval uses alpha-beta with a table and an evaluation by threats; no details are published.
    alias(
        "abseval",
        "ms or cpu_ms or clock",
        "ABSeval, an opponent of Monte_Alpha: Star1 with attack, block and threat",
        |arguments| {
            let star =
                Notation::new("star1").with_argument("eval", Notation::new("attack_block_threat"));
            let (star, timed) = with_time_limit(star, arguments)?;
            let default_time = || Notation::new(DEFAULT_ABSEVAL_MILLISECONDS);
            Ok(match timed {
                true => star,
                false => star.with_argument(
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
        |arguments| rocknroll_star2("MrBlack", arguments),
    ),
    alias(
        "FarmerBoy",
        "depth",
        "Rock'n'Roll's: star2 with farmer_boy, a ply deeper",
        |arguments| rocknroll_star2("FarmerBoy", arguments),
    ),
    alias(
        "MrMonte",
        "depth, iterations, player",
        "Rock'n'Roll's: star2 with mrmonte, a ply deeper",
        |arguments| rocknroll_star2("MrMonte", arguments),
    ),
    alias("MrRandom", "", "Rock'n'Roll's: random", |_| {
        Ok(Notation::new("random"))
    }),
];

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

const LIMIT_PARAMETERS: &str = "sims or ms or cpu_ms or clock";

fn with_time_limit(
    mut player: Notation,
    arguments: &mut Arguments<'_>,
) -> Result<(Notation, bool), Problem> {
    let given = player.arguments.len();
    for key in ["ms", "cpu_ms", "clock"] {
        player = player.with_argument(key, arguments.take_named(key)?.cloned());
    }
    let timed = player.arguments.len() > given;
    Ok((player, timed))
}

fn mcts_notation(
    leaf: &str,
    solver: &str,
    arguments: &mut Arguments<'_>,
) -> Result<Notation, Problem> {
    let mcts = Notation::new("mcts")
        .with_argument("leaf", Notation::new(leaf))
        .with_argument("solver", Notation::new(solver))
        .with_argument("graph", Notation::new("off"))
        .with_argument("c", Notation::new(std::f64::consts::SQRT_2.to_string()));
    let (mcts, timed) = with_time_limit(mcts, arguments)?;
    // With a fixed number of simulations, early stopping never changes the chosen move.
    Ok(match timed {
        true => mcts.with_argument("early", Notation::new("off")),
        false => mcts.with_argument("sims", arguments.take("sims")?.cloned()),
    })
}

fn rocknroll_star2(name: &str, arguments: &mut Arguments<'_>) -> Result<Notation, Problem> {
    let depth: u32 = arguments.number("depth", 0..=63, 0)? + 1;
    Ok(Notation::new("star2")
        .with_argument("depth", Notation::new(depth.to_string()))
        .with_argument("eval", rocknroll_evaluator(name, arguments)?))
}

pub(super) fn rocknroll_evaluator(
    name: &str,
    arguments: &mut Arguments<'_>,
) -> Result<Notation, Problem> {
    Ok(match name {
        "MrBlack" => Notation::new("schwarz"),
        "FarmerBoy" => Notation::new("farmer_boy"),
        _ => {
            let iterations = arguments.take("iterations")?.cloned();
            let player = arguments.take("player")?.cloned();
            Notation::new("mrmonte")
                .with_argument("iterations", iterations)
                .with_argument("red", player.clone())
                .with_argument("blue", player)
        }
    })
}

/// Player that moves to the square nearest to the goal in king's moves, then in rows plus columns,
/// then first in the list (our reading of Monte_Alpha's Greedy).
#[derive(Clone, Debug)]
pub struct GreedyPlayer {
    game: Standard,
}

impl GreedyPlayer {
    /// The greedy player for the rules `game`.
    pub fn new(game: Standard) -> Self {
        Self { game }
    }

    /// The move among `legal` that the greedy player chooses.
    #[inline]
    pub fn best_move(position: &Position, legal: &[Move]) -> Move {
        let best = legal
            .iter()
            .min_by_key(|&&mv| distances_to_goal(Standard::destination(position, mv)));
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
        Ok(Decision::without_values(Self::best_move(position, legal)))
    }

    fn analyse(
        &mut self,
        position: &Position,
        legal: Option<&[Move]>,
        _: &Limits,
    ) -> Result<Analysis<Move>, Failure> {
        let line = legal.map(|legal| Self::best_move(position, legal));
        Ok(Analysis {
            line: line.into_iter().collect(),
            ..Analysis::without_values(&self.game, position, legal)
        })
    }
}
