//! `alea engine`: a player that other programs talk with over standard input and output.

use crate::games::with_game;
use anyhow::{Context, Result, anyhow};
use engine::core::text::{LineRead, read_line};
use protocols::{LONGEST_LINE, Next, Outside, Protocol, Speech, Terms};
use std::{
    io::{self, BufRead, Write},
    sync::{
        Arc,
        mpsc::{Receiver, TryRecvError, sync_channel},
    },
    thread,
    time::Duration,
};

/// Lines that are read before they are answered.
const AHEAD: usize = 256;

/// Answer other programs in a line protocol, over standard input and output
///
/// GTP for every game of two seats, UBGI likewise, TCGA for EinStein, NBoard for Reversi. Clocks of
/// GTP and TCGA take the place of the player's own limit of time; docs/protocols.md has all commands.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea engine --protocol gtp --game \"havannah(base=5, swap=on)\"\n         \
                  alea engine --protocol tcga --player \"star2(ms=500, eval=best)\""
)]
pub(crate) struct Arguments {
    /// What is spoken
    #[arg(long, value_parser = ["gtp", "tcga", "ubgi", "nboard"])]
    protocol: String,
    /// The game, with parameters if need be [default: the protocol's, einstein or reversi]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Who plays [default: a search of the game's best evaluator, 1 second a move]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Decides starts, rolls and all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let speech = match &*self.protocol {
            "gtp" => Speech::Gtp,
            "tcga" => Speech::Tcga,
            "ubgi" => Speech::Ubgi,
            _ => Speech::NBoard,
        };
        let game = self.game.as_deref().unwrap_or(speech.usual_game());
        let mut protocol = opened(speech, game, self.player.as_deref(), self.seed)?;
        let mut console = Console::new()?;
        while let Some(line) = console.line()? {
            let next = protocol.hear(&line, &mut console);
            if let Some(error) = console.failed.take() {
                return Err(error.into());
            }
            match next {
                Next::Line => {}
                Next::End => break,
                Next::Other(other) => protocol = other,
            }
        }
        Ok(())
    }
}

fn opened(
    speech: Speech,
    game: &str,
    player: Option<&str>,
    seed: u64,
) -> Result<Box<dyn Protocol>> {
    let terms = Terms {
        permit: Arc::new(|notation| Ok(notation.to_owned())),
        longest: Duration::MAX,
        keeps_players: true,
        seed,
        open: Arc::new(move |game, player| {
            opened(speech, game, player, seed).map_err(|error| error.to_string())
        }),
    };
    with_game!(game, rules => {
        let opened = protocols::engine(speech, rules, player, terms);
        opened.map_err(|problem| anyhow!(problem))
    })
}

/// Standard input, read by a thread of its own so that a search can end when a line comes, and
/// standard output.
struct Console {
    lines: Receiver<io::Result<String>>,
    next: Option<io::Result<String>>,
    failed: Option<io::Error>,
}

impl Console {
    fn new() -> Result<Self> {
        let (send, lines) = sync_channel(AHEAD);
        let read = move || {
            let mut input = io::stdin().lock();
            while let Some(line) = line_of(&mut input).transpose() {
                let failed = line.is_err();
                if send.send(line).is_err() || failed {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("input".to_owned()).spawn(read);
        thread.context("cannot start a thread")?;
        Ok(Self {
            lines,
            next: None,
            failed: None,
        })
    }

    fn line(&mut self) -> Result<Option<String>> {
        let line = self.next.take().or_else(|| self.lines.recv().ok());
        line.transpose().context("cannot read standard input")
    }
}

/// The next line; of one that is too long a byte more than is read of any.
fn line_of(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    match read_line(input, LONGEST_LINE + 1, &mut line)? {
        LineRead::End => return Ok(None),
        LineRead::Whole => {}
        LineRead::Beginning => {
            input.skip_until(b'\n')?;
        }
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

impl Outside for Console {
    fn say(&mut self, text: &str) {
        let mut output = io::stdout().lock();
        let said = writeln!(output, "{text}").and_then(|()| output.flush());
        self.failed = self.failed.take().or(said.err());
    }

    fn calls(&mut self) -> bool {
        if self.next.is_none() {
            match self.lines.try_recv() {
                Ok(line) => self.next = Some(line),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return true,
            }
        }
        self.next.is_some() || self.failed.is_some()
    }
}
