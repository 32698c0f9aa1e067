//! `alea engine`: a player that other programs talk with over standard input and output.

use crate::games::{names, parse, with_game};
use anyhow::{Context, Result, anyhow, bail};
use engine::{
    core::text::{LineRead, read_line},
    games::{einstein::Standard, reversi::Reversi},
    play::playable::Playable,
};
use protocols::{
    gtp::Gtp,
    nboard::NBoard,
    protocol::{LONGEST_LINE, Outside, Protocol},
    session::{Open, Session, Terms},
    sitting::Sitting,
    tcga::Tcga,
    ubgi::Ubgi,
};
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
    #[arg(long, value_enum)]
    protocol: Spoken,
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

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Spoken {
    Gtp,
    Tcga,
    Ubgi,
    Nboard,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let (usual, only) = match self.protocol {
            Spoken::Gtp | Spoken::Ubgi => (crate::games::USUAL, None),
            Spoken::Tcga => (Standard::NAME, Some(Standard::NAME)),
            Spoken::Nboard => (Reversi::NAME, Some(Reversi::NAME)),
        };
        let game = self.game.as_deref().unwrap_or(usual);
        if let Some(only) = only.filter(|only| parse(game).is_ok_and(|game| game.name != *only)) {
            bail!("--game {game}: this protocol is for {only}");
        }
        let (player, seed) = (self.player.clone(), self.seed);
        let open: Open = Arc::new(move |game| {
            let opened = opened(game, player.as_deref(), seed);
            opened.map_err(|error| error.to_string())
        });
        let wrong = |problem: String| anyhow!(problem);
        let mut protocol: Box<dyn Protocol> = match self.protocol {
            Spoken::Gtp => Box::new(Gtp::new(open, game).map_err(wrong)?),
            Spoken::Ubgi => Box::new(Ubgi::new(open, game).map_err(wrong)?),
            Spoken::Tcga => Box::new(Tcga::new(open(game).map_err(wrong)?)),
            Spoken::Nboard => Box::new(NBoard::new(open(game).map_err(wrong)?)),
        };
        let mut console = Console::new()?;
        while let Some(line) = console.line()? {
            let goes_on = protocol.hear(&line, &mut console);
            if let Some(error) = console.failed.take() {
                return Err(error.into());
            }
            if !goes_on {
                break;
            }
        }
        Ok(())
    }
}

/// A session of a game, with a player that it plays, or else its usual one.
fn opened(game: &str, player: Option<&str>, seed: u64) -> Result<Box<dyn Session>> {
    if parse(game).is_err() {
        bail!(
            "there is no game '{game}'; there are {}",
            names().join(", ")
        );
    }
    with_game!(game, rules => {
        let terms = Terms {
            permit: Arc::new(|notation| Ok(notation.to_owned())),
            longest: Duration::MAX,
            keeps_players: true,
            seed,
        };
        let player = player.map_or_else(|| Sitting::usual_player(&rules, terms.longest), str::to_owned);
        let sitting = Sitting::open(rules, &player, terms);
        Ok(Box::new(sitting.map_err(|problem| anyhow!(problem))?))
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
            loop {
                let line = line_of(&mut input).transpose();
                let Some(line) = line else { return };
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
