//! `alea referee`: what another program takes the rules of EinStein for.
//!
//! It is asked about positions that tell one belief from another. Invariant: the referee's own
//! rules are the classic ones, under which every answer in question is permitted; so what is
//! refused is refused by the program.

use crate::output;
use anyhow::Result;
use clap::Subcommand;
use engine::games::einstein::Standard;
use engine::play::{build::PlayerRecipe, playable::Playable, player::Failure};
use serde::Serialize;

/// Be a referee of other programs: find out what they believe
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea referee check --protocol tcga --cmd ./student\n\nMatches with such programs: alea arena --help, alea league --help."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(Check),
}

/// Ask a program about positions of EinStein that tell the variants of its rules apart
///
/// What it does where the rolled stone is gone, where it can only take its own stones, and where a
/// move that wins is not permitted.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea referee check --cmd \"python3 docs/bot.py\"\nExample: alea referee check --protocol tcga --cmd ./student --options \"ms=1000\""
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

/// What a position asks.
#[derive(Clone, Copy, PartialEq)]
enum Asks {
    /// The rolled stone is gone; the farther of its neighbours wins by this move, which only
    /// classic rules permit.
    Farther(&'static str),
    /// All moves take stones of one's own.
    OwnStones,
    /// One stone has to move, while another would win.
    Forced,
    /// There is one move, along the edge.
    Edge,
    /// This move takes the last stone of the other side, and wins.
    LastStone(&'static str),
}

/// Red goes from the upper left to the lower right. By hand, from the rules.
const POSITIONS: [(&str, Asks); 11] = [
    // Of stones 2 and 6 a roll of 3 is nearer to 2; 6 stands before the goal. (Of rolls that classic
    // rules take for the same the lowest is told, so it is the higher stone that is farther.)
    ("2..../...../....a/...6./..... r 3", Asks::Farther("d2e1")),
    ("1..../...../....a/...5./..... r 2", Asks::Farther("d2e1")),
    ("...../.f.../1..../...../....b b 3", Asks::Farther("b4a5")),
    ("12.../34.../...../...../....a r 1", Asks::OwnStones),
    ("1..../...../...../...cd/...ba b 1", Asks::OwnStones),
    ("2..../...../....a/...1./..... r 2", Asks::Forced),
    // Above the highest stone the highest moves, below the lowest the lowest.
    ("3..../...../....a/...1./..... r 6", Asks::Forced),
    ("3..../...../....a/...5./..... r 1", Asks::Forced),
    ("...../...../....a/...../2.... r 5", Asks::Edge),
    ("...b./...../1..../...../..... b 6", Asks::Edge),
    ("1..../.a.../...../...../..... r 1", Asks::LastStone("a5b4")),
];

/// What came of a position.
#[derive(Serialize)]
struct Answer {
    position: &'static str,
    /// The move, or why there is none.
    answer: Result<String, String>,
    meaning: &'static str,
}

#[derive(Serialize)]
struct Beliefs {
    /// `classic`, `nearest`, or nothing if it answered both ways or not at all.
    variant: Option<&'static str>,
    takes_own_stones: bool,
    obeys_the_die: bool,
    moves_along_the_edge: bool,
    takes_the_last_stone: bool,
    answers: Vec<Answer>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let Command::Check(check) = &self.command;
        let keys = check.options.iter().map(|keys| format!(", {keys}"));
        let notation = format!(
            "external(cmd=\"{}\", protocol={}{})",
            check.cmd,
            check.protocol,
            keys.collect::<String>()
        );
        let game = Standard::default();
        let beliefs = beliefs(&game.player(&notation)?, &game)?;
        output::result(check.json, &beliefs, || table(&beliefs))
    }
}

fn beliefs(program: &PlayerRecipe<Standard>, game: &Standard) -> Result<Beliefs> {
    let mut player = program.make();
    let mut answers = Vec::new();
    for (text, asks) in POSITIONS {
        let (position, die) = Playable::parse_position(game, text)?;
        let mut legal = Default::default();
        game.permitted(&position, die.unwrap_or_default(), &mut legal);
        player.new_game(1);
        let decision = player.decide(&position, &legal);
        let answer = match player.failure() {
            None => Ok(Playable::format_move(game, &position, decision.best)),
            Some(Failure::OfPlayer(reason) | Failure::OfSystem(reason)) => Err(reason),
        };
        let meaning = match (asks, answer.as_deref()) {
            (Asks::Farther(_), Err(_)) => "no answer where the rolled stone is gone",
            (Asks::Farther(winning), Ok(mv)) if mv == winning => CLASSIC,
            (Asks::Farther(_), Ok(_)) => NEAREST,
            (Asks::OwnStones, Ok(_)) => "takes its own stones",
            (Asks::OwnStones, Err(_)) => "does not take its own stones",
            (Asks::Forced, Ok(_)) => "moves the stone it has to",
            (Asks::Forced, Err(_)) => "does not move the stone it has to",
            (Asks::Edge, Ok(_)) => "moves along the edge",
            (Asks::Edge, Err(_)) => "does not move along the edge",
            (Asks::LastStone(winning), Ok(mv)) if mv == winning => "takes the last stone and wins",
            (Asks::LastStone(_), _) => "does not win by taking the last stone",
        };
        answers.push(Answer {
            position: text,
            answer,
            meaning,
        });
    }
    let all = |asks: fn(Asks) -> bool, meaning: &str| {
        let mut of_kind = answers
            .iter()
            .zip(POSITIONS)
            .filter(|(_, (_, one))| asks(*one));
        of_kind.all(|(answer, _)| answer.meaning == meaning)
    };
    let farther: fn(Asks) -> bool = |asks| matches!(asks, Asks::Farther(_));
    let variants = [("classic", CLASSIC), ("nearest", NEAREST)];
    let variant = variants.iter().find(|(_, meaning)| all(farther, meaning));
    Ok(Beliefs {
        variant: variant.map(|(name, _)| *name),
        takes_own_stones: all(|asks| asks == Asks::OwnStones, "takes its own stones"),
        obeys_the_die: all(|asks| asks == Asks::Forced, "moves the stone it has to"),
        moves_along_the_edge: all(|asks| asks == Asks::Edge, "moves along the edge"),
        takes_the_last_stone: all(
            |asks| matches!(asks, Asks::LastStone(_)),
            "takes the last stone and wins",
        ),
        answers,
    })
}

const CLASSIC: &str = "classic: the next lower or higher stone, however far";
const NEAREST: &str = "nearest: did not win with the farther stone";

fn table(beliefs: &Beliefs) -> String {
    let lines = beliefs.answers.iter().map(|one| {
        let answer = match &one.answer {
            Ok(mv) | Err(mv) => mv,
        };
        format!("{}  {}: {answer}\n", one.position, one.meaning)
    });
    let knows = |knows: bool, what: &str| match knows {
        true => format!("it {what}"),
        false => format!("it DOES NOT always: {what}"),
    };
    let variant = match beliefs.variant {
        Some(variant) => format!("it plays by the {variant} rule where the rolled stone is gone"),
        None => "it is not clear which rule it plays by where the rolled stone is gone".to_owned(),
    };
    let sentences = [
        variant,
        knows(
            beliefs.takes_own_stones,
            "takes its own stones where nothing else is permitted",
        ),
        knows(beliefs.obeys_the_die, "moves the stone that the die names"),
        knows(beliefs.moves_along_the_edge, "moves along the edge"),
        knows(beliefs.takes_the_last_stone, "takes the last stone to win"),
    ];
    format!("{}\n{}", lines.collect::<String>(), sentences.join("\n"))
}
