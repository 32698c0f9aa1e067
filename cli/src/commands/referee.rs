//! `alea referee`: what another program takes the rules of EinStein for.
//!
//! Invariant: the referee's own rules are the classic ones, under which every answer in question is
//! permitted; so what is refused is refused by the program.

use crate::output;
use anyhow::{Result, anyhow};
use clap::Subcommand;
use engine::games::einstein::Standard;
use engine::play::{
    build::PlayerRecipe,
    notation::{Notation, trusted},
    playable::Playable,
    player::Failure,
};
use engine::search::limits::Limits;
use serde::Serialize;
use std::collections::BTreeMap;

/// Be a referee of other programs: find out what they believe
#[derive(clap::Args)]
#[command(after_help = "Example: alea referee check --protocol tcga --cmd ./student")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(Check),
}

/// Ask a program about positions of EinStein that tell what it takes the rules for
///
/// Which stone moves where the rolled one is gone, and whether it takes its own stones, obeys the
/// die, moves along the edge, and takes the last stone to win.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea referee check --protocol tcga --cmd ./student --options \"ms=1000\""
)]
struct Check {
    /// The program and its arguments
    #[arg(long, value_name = "COMMAND")]
    cmd: String,
    /// The protocol it speaks: lines, tcga, gtp or ubgi
    #[arg(long, default_value = "lines")]
    protocol: String,
    /// More keys of external(...), as docs/protocols.md has them: "ms=1000, init=\"...\""
    #[arg(long, value_name = "KEYS")]
    options: Option<String>,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

const VARIANT: &str = "variant";
const OWN: &str = "takes_own_stones";
const DIE: &str = "obeys_the_die";
const EDGE: &str = "moves_along_the_edge";
const LAST: &str = "takes_the_last_stone";

/// Positions, what they ask, and the move that says yes; without one any permitted move does. By
/// hand, from the rules: Red goes from the upper left to the lower right.
const POSITIONS: [(&str, &str, &str); 11] = [
    // Of stones 2 and 6 a roll of 3 is nearer to 2, and 6 would win, which only classic rules permit.
    // (Of rolls that those take for the same the lowest is told, so it is the higher that is farther.)
    ("2..../...../....a/...6./..... r 3", VARIANT, "d2e1"),
    ("1..../...../....a/...5./..... r 2", VARIANT, "d2e1"),
    ("...../.f.../1..../...../....b b 3", VARIANT, "b4a5"),
    ("12.../34.../...../...../....a r 1", OWN, ""),
    ("1..../...../...../...cd/...ba b 1", OWN, ""),
    // Another stone would win: 1, 1 and 5.
    ("2..../...../....a/...1./..... r 2", DIE, ""),
    ("3..../...../....a/...1./..... r 6", DIE, ""),
    ("3..../...../....a/...5./..... r 1", DIE, ""),
    ("...../...../....a/...../2.... r 5", EDGE, ""),
    ("...b./...../1..../...../..... b 6", EDGE, ""),
    ("1..../.a.../...../...../..... r 1", LAST, "a5b4"),
];

#[derive(Serialize)]
struct Beliefs {
    /// `classic`, `nearest`, or nothing if it answered both ways or not at all.
    variant: Option<&'static str>,
    #[serde(flatten)]
    knows: BTreeMap<&'static str, bool>,
    /// Positions, what they ask, and the move or why there is none.
    answers: Vec<(&'static str, &'static str, String)>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let Command::Check(check) = &self.command;
        let keys = check.options.iter().map(|keys| format!(", {keys}"));
        let keys: String = keys.collect();
        let cmd = Notation::text(&check.cmd).map_err(|problem| anyhow!("--cmd: {problem}"))?;
        let protocol = &check.protocol;
        let notation = format!("external(cmd={cmd}, protocol={protocol}{keys})");
        let beliefs = beliefs(&notation)?;
        output::result(check.json, &beliefs, || table(&beliefs))
    }
}

fn beliefs(notation: &str) -> Result<Beliefs> {
    let game = Standard::default();
    let mut player = PlayerRecipe::parse(trusted(notation), &game)?.make();
    let (mut answers, mut knows) = (Vec::new(), BTreeMap::new());
    let mut nearest = true;
    for (text, asks, yes) in POSITIONS {
        let (position, die) = Playable::parse_position(&game, text)?;
        let mut legal = Default::default();
        game.permitted(&position, die.unwrap_or_default(), &mut legal);
        player.new_game(1);
        let decision = player.decide(&position, &legal, &Limits::NONE);
        let answer = match player.failure() {
            None => Ok(Playable::format_move(&game, &position, decision.best)),
            Some(Failure::OfPlayer(reason) | Failure::OfSystem(reason)) => Err(reason),
        };
        let says_yes = answer.as_ref().is_ok_and(|mv| yes.is_empty() || mv == yes);
        *knows.entry(asks).or_insert(true) &= says_yes;
        nearest &= asks != VARIANT || answer.is_ok() && !says_yes;
        answers.push((text, asks, answer.unwrap_or_else(|reason| reason)));
    }
    let variant = match knows.remove(VARIANT) {
        Some(true) => Some("classic"),
        _ => nearest.then_some("nearest"),
    };
    Ok(Beliefs {
        variant,
        knows,
        answers,
    })
}

fn table(beliefs: &Beliefs) -> String {
    let answers = beliefs.answers.iter();
    let answers: String = answers
        .map(|(position, asks, answer)| format!("{position}  {asks}: {answer}\n"))
        .collect();
    let knows = beliefs.knows.iter();
    let knows: String = knows
        .map(|(what, knows)| format!("\n{what}: {}", if *knows { "yes" } else { "NO" }))
        .collect();
    let variant = beliefs.variant.unwrap_or("not clear");
    format!("{answers}\nvariant: {variant}{knows}")
}
