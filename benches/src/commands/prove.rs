//! Command `prove`: the winner of a position of Havannah, with a proof that is checked.

use anyhow::{Result, anyhow, bail};
use clap::value_parser;
use cli::GameArguments;
use cli::output;
use cli::progress_bar;
use engine::core::{
    game::Game,
    journal::{ErrorWording, Journal},
};
use engine::games::havannah::{
    Havannah, Move, Position,
    proof::{Prover, Strategy, check_strategy},
};
use engine::play::playable::{Codec, Rules};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{collections::BTreeMap, path::PathBuf, time::Instant};

/// Prove the winner of a position of Havannah on base 3 or 4
///
/// If the loser is to move, each reply is a part of the proof, on one thread; with --out, proven
/// parts are stored and an interrupted run resumes. Every part is checked by an independent
/// implementation of rules and search. A failed proof is not a proof of the opposite.
#[derive(clap::Args)]
#[command(
    after_help = "Example: benches prove a1 --game \"havannah(base=4)\" --out a1.proof\n         \
                  benches prove a1 --game \"havannah(base=4)\" --out a1.proof --check"
)]
pub(crate) struct Arguments {
    /// The position: the moves that were made, such as "d4 a1"
    position: String,
    /// The player that wins
    #[arg(long, value_name = "1|2", default_value_t = 1, value_parser = value_parser!(u8).range(1..=2))]
    winner: u8,
    /// File of the proof; its parts are not proven again
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Only check the file
    #[arg(long, requires = "out")]
    check: bool,
    /// Memory of the solver, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = value_parser!(u32).range(1..=1 << 20))]
    memory: u32,
    #[command(flatten)]
    game: GameArguments,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize, Deserialize)]
struct ReplyProof {
    number: u64,
    reply: String,
    nodes: u64,
    moves: BTreeMap<String, String>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let Arguments {
            position: text,
            winner,
            ..
        } = self;
        let small = "proofs are made on base 3 and 4 without swap, as --game \"havannah(base=4)\"";
        let game: Havannah = self.game.require(small)?;
        if !Prover::supports(&game) {
            bail!("--game \"{}\": {small}", game.notation());
        }
        let position =
            (game.parse_position(text)).map_err(|error| anyhow!("position '{text}': {error}"))?;
        if game.payoffs(&position).is_some() {
            bail!("position '{text}': the game is over");
        }
        let mut result = json!({
            "proof": game.notation(), "position": game.format_position(&position), "winner": winner,
        });
        let winner = usize::from(winner - 1);
        let parts = positions_to_prove(&game, &position, winner);
        let wording = ErrorWording {
            work: "proof",
            part: "reply",
        };
        let path = self.out.as_deref();
        if let Some(path) = path.filter(|path| self.check && !path.exists()) {
            let path = path.display();
            bail!("{path}: there is no such proof; make it without --check");
        }
        let number = |part: &ReplyProof| part.number;
        let (mut journal, stored) =
            Journal::open(path, wording, &result, number, Default::default())?;
        let mut prover = None;
        if parts
            .iter()
            .any(|(number, ..)| !stored.contains_key(number))
        {
            if self.check {
                bail!("the proof is not finished; go on without --check");
            }
            let new_prover = Prover::new(game, winner, (self.memory as usize) << 20);
            prover = Some(
                new_prover
                    .ok_or_else(|| anyhow!("--memory {}: there is not as much", self.memory))?,
            );
        }
        let began = Instant::now();
        let progress = progress_bar("replies");
        progress.set_length(parts.len() as u64);
        let (mut nodes, mut moves, mut checked) = (0, 0, 0);
        for (number, reply, next) in &parts {
            let mut new = None;
            if let Some(prover) = prover.as_mut().filter(|_| !stored.contains_key(number)) {
                // Else a resumed proof would have other moves and nodes than an unbroken one.
                prover.clear();
                let before = prover.nodes();
                let mut report_nodes =
                    |nodes| progress.set_message(format!("{reply}, {nodes} nodes"));
                if !prover.prove_win(next, &mut report_nodes) {
                    progress.finish_and_clear();
                    result["won"] = false.into();
                    result["reply"] = reply.as_str().into();
                    output::print_result(self.json, &result, || {
                        let after = if reply.is_empty() { "" } else { " after " };
                        format!("player {} does not win{after}{reply}", winner + 1)
                    })?;
                    return Err(output::already_reported());
                }
                let strategy = prover.strategy(next, &mut report_nodes);
                let line =
                    |(key, mv): (&u64, &Move)| (format!("{key:016x}"), game.format_move(*mv));
                new = Some(ReplyProof {
                    number: *number,
                    reply: reply.clone(),
                    nodes: prover.nodes() - before,
                    moves: strategy.iter().map(line).collect(),
                });
            }
            let Some(part) = new.as_ref().or(stored.get(number)) else {
                continue;
            };
            let line = |(key, mv): (&String, &String)| {
                let cell = game.parse_cell(mv, false).ok()?;
                Some((u64::from_str_radix(key, 16).ok()?, Move::place(cell)))
            };
            let strategy: Option<Strategy> = part.moves.iter().map(line).collect();
            let strategy = strategy.ok_or_else(|| {
            anyhow!("reply {reply}: expected moves by numbers of positions, as \"00c8b94de8fd0011\":\"d4\"")
        })?;
            checked += check_strategy(&game, next, winner, &strategy).map_err(|hole| {
            anyhow!(
                "the proof has no winning answer at '{hole}'; remove the line of reply '{reply}'"
            )
        })?;
            (nodes, moves) = (nodes + part.nodes, moves + part.moves.len());
            if let Some(part) = new {
                journal.add(&part)?;
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        let seconds = began.elapsed().as_secs_f64();
        journal.close()?;
        result["won"] = true.into();
        result["replies"] = parts.len().into();
        result["nodes"] = nodes.into();
        result["moves"] = moves.into();
        result["checked"] = checked.into();
        result["seconds"] = seconds.into();
        output::print_result(self.json, &result, || {
            format!(
                "player {} wins: {nodes} nodes; {} replies up to symmetry, {moves} moves of the winner; checked on \
             {checked} positions; {seconds:.1} s",
                winner + 1,
                parts.len()
            )
        })
    }
}

fn positions_to_prove(
    game: &Havannah,
    position: &Position,
    winner: usize,
) -> Vec<(u64, String, Position)> {
    if position.seat() == winner {
        return vec![(0, String::new(), *position)];
    }
    let mut parts: Vec<(u64, String, Position)> = Vec::new();
    for cell in game.empties(position) {
        let next = game.play(position, Move::place(cell));
        let mut images =
            (0..game.symmetries()).map(|symmetry| game.transform_position(&next, symmetry));
        let stored = |image: Position| parts.iter().any(|(_, _, part)| *part == image);
        if !images.any(stored) {
            parts.push((cell as u64, game.cell_name(cell), next));
        }
    }
    parts
}
