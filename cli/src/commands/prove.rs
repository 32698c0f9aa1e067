//! `alea prove`: who wins, with a proof that is checked.

use crate::games::GameArguments;
use crate::output;
use anyhow::{Result, anyhow, bail};
use clap::builder::PossibleValuesParser;
use engine::core::game::Game;
use engine::core::journal::{Journal, Wording};
use engine::games::havannah::proof::{Prover, Strategy, check};
use engine::games::havannah::{Havannah, Move, Position};
use engine::play::playable::Playable;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use trainer::progress::progress_bar;

/// Prove who wins a position of Havannah on base 3 or 4
///
/// Where the other side is to move, each of its replies is a part of the proof; with --out a part
/// that is proven is kept, and an interrupted run goes on with the next. Every proof is checked in
/// the end, by rules and search that know nothing of how it was found.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea prove a1 --game \"havannah(base=4)\" --out a1.proof\n         \
                  alea prove a1 --game \"havannah(base=4)\" --out a1.proof --check"
)]
pub(crate) struct Arguments {
    /// The position: the moves that were made, such as "d4 a1"
    position: String,
    /// The player who is to win
    #[arg(long, default_value = "1", value_parser = PossibleValuesParser::new(["1", "2"]))]
    winner: String,
    /// Keep the proof in this file, and go on with what it has
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Check what the file has; prove nothing
    #[arg(long, requires = "out")]
    check: bool,
    /// Memory for what is found out, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    memory: u32,
    #[command(flatten)]
    game: GameArguments,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// A reply that loses: how, by the keys of positions, and what it took to find out.
#[derive(Serialize, Deserialize)]
struct Part {
    number: u64,
    reply: String,
    nodes: u64,
    moves: BTreeMap<String, String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game: Havannah = arguments.game.only("proofs are made for Havannah")?;
    let position = game.parse_position(&arguments.position)?;
    let winner = usize::from(arguments.winner == "2");
    if game.payoffs(&position).is_some() {
        bail!("position '{}': the game is over", arguments.position);
    }
    let memory = (arguments.memory as usize) << 20;
    let prover = Prover::new(game, winner, if arguments.check { 0 } else { memory });
    let Some(mut prover) = prover else {
        bail!(
            "--game {}: proofs are made on base 3 and 4 without swap, as havannah(base=4)",
            game.notation()
        )
    };
    let parts = parts(&game, &position, winner);
    let identity = json!({
        "proof": game.notation(), "position": game.format_position(&position), "winner": winner + 1,
    });
    let wording = Wording {
        work: "proof",
        part: "reply",
    };
    let open = |path| Journal::open(path, wording, &identity, |part: &Part| part.number);
    let (mut journal, mut known) = arguments.out.as_deref().map(open).transpose()?.unzip();
    let known = known.get_or_insert_default();
    let began = Instant::now();
    let progress = progress_bar("replies");
    progress.set_length(parts.len() as u64);
    for (number, reply, next) in &parts {
        if !arguments.check && !known.contains_key(number) {
            let before = prover.nodes();
            let mut told = |nodes| progress.set_message(format!("{reply}, {nodes} nodes"));
            if !prover.wins(next, &mut told) {
                progress.finish_and_clear();
                let reply = if reply.is_empty() { "" } else { " after " }.to_owned() + reply;
                output::line(&match arguments.json {
                    true => json!({ "won": false, "reply": reply.trim() }).to_string(),
                    false => format!("player {} does not win{reply}", winner + 1),
                })?;
                return Ok(ExitCode::FAILURE);
            }
            let strategy = prover.strategy(next, &mut told);
            let line = |(key, mv): (&u64, &Move)| (format!("{key:016x}"), game.format_move(*mv));
            let part = Part {
                number: *number,
                reply: reply.clone(),
                nodes: prover.nodes() - before,
                moves: strategy.iter().map(line).collect(),
            };
            if let Some(journal) = &mut journal {
                journal.add(&part)?;
            }
            known.insert(*number, part);
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    let proven = began.elapsed().as_secs_f64();
    let mut checked = 0;
    for (number, reply, next) in &parts {
        let part = known.get(number).ok_or_else(|| {
            anyhow!("reply {reply} is not in the proof yet; go on without --check")
        })?;
        let line = |(key, mv): (&String, &String)| {
            let cell = game.cell_named(mv, false).ok()?;
            Some((u64::from_str_radix(key, 16).ok()?, Move::at(cell)))
        };
        let strategy: Option<Strategy> = part.moves.iter().map(line).collect();
        let strategy = strategy
            .ok_or_else(|| anyhow!("reply {reply}: expected moves by keys of positions"))?;
        checked += check(&game, next, winner, &strategy).map_err(|hole| {
            let hole = game.format_position(&hole);
            anyhow!("reply {reply}: the proof has no winning answer at '{hole}'")
        })?;
    }
    let moves: usize = known.values().map(|part| part.moves.len()).sum();
    let nodes: u64 = known.values().map(|part| part.nodes).sum();
    let check = began.elapsed().as_secs_f64() - proven;
    if let Some(journal) = journal {
        journal.close()?;
    }
    if arguments.json {
        output::json(&json!({
            "game": game.notation(), "position": game.format_position(&position), "won": true,
            "winner": winner + 1, "replies": parts.len(), "nodes": nodes, "moves": moves,
            "checked": checked, "seconds": proven, "check_seconds": check,
        }))?;
    } else {
        output::line(&format!(
            "player {} wins: {nodes} nodes, {proven:.1} s; {} replies up to symmetry, {moves} moves of the \
             winner; checked on {checked} positions, {check:.1} s",
            winner + 1,
            parts.len()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is to be proven one by one: all replies that no symmetry tells apart from an earlier one, or
/// the position itself where the winner is to move.
fn parts(game: &Havannah, position: &Position, winner: usize) -> Vec<(u64, String, Position)> {
    if position.seat() == winner {
        return vec![(0, String::new(), *position)];
    }
    let mut parts: Vec<(u64, String, Position)> = Vec::new();
    for cell in game.empties(position) {
        let next = game.play(position, Move::at(cell));
        let mut images = (0..game.symmetries()).map(|symmetry| game.image(&next, symmetry));
        let known = |image: Position| {
            parts
                .iter()
                .any(|(_, _, part)| game.key(part) == game.key(&image))
        };
        if !images.any(known) {
            parts.push((cell as u64, game.cell_name(cell), next));
        }
    }
    parts
}
