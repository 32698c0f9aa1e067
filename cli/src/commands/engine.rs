//! `alea engine`: serves a player to other programs over standard input and output.

mod input;

use crate::games::{self, with_type};
use anyhow::{Context, Result, anyhow};
use engine::core::{
    files::{self, FileKind},
    text::from_utf8_or_latin1,
};
use engine::play::player_notation::{Notation, trusted_text};
use input::Input;
use protocols::{Action, Output, Protocol, ProtocolKind, SessionConfig};
use std::{
    fs::File,
    io::{self, Write},
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::Duration,
};

/// Serve a player to other programs over standard input and output
///
/// GTP and UBGI for every game of two seats, TCGA for EinStein, NBoard for Reversi. Clocks of the
/// protocol replace the player's time limit; docs/other-programs.md lists all commands.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea engine --protocol gtp --game \"havannah(base=5, swap=on)\"\n         \
                  alea engine --protocol tcga --player \"star2(ms=500, eval=best)\""
)]
pub(crate) struct Arguments {
    /// Protocol: gtp, tcga, ubgi or nboard
    #[arg(long, value_parser = ["gtp", "tcga", "ubgi", "nboard"])]
    protocol: String,
    /// The game, with parameters if need be [default: the protocol's, einstein or reversi]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The player [default: a search with the game's best evaluator, 1 second a move]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Seed of starts, rolls and all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let protocol_kind = match &*self.protocol {
            "gtp" => ProtocolKind::Gtp,
            "tcga" => ProtocolKind::Tcga,
            "ubgi" => ProtocolKind::Ubgi,
            _ => ProtocolKind::NBoard,
        };
        let game = self.game.as_deref().unwrap_or(protocol_kind.default_game());
        let game = games::parse(trusted_text(game))?;
        let player = self
            .player
            .as_deref()
            .map(trusted_text)
            .map(Notation::parse);
        let mut protocol = open_session(
            protocol_kind,
            &game,
            player.transpose()?.as_ref(),
            self.seed,
        )?;
        let mut console = Console::new()?;
        while let Some(line) = console
            .input
            .next_line()
            .context("cannot read standard input")?
        {
            let next = protocol.handle_line(&line, &mut console);
            if let Some(error) = console.failed.take() {
                return Err(error.into());
            }
            match next {
                Action::Continue => {}
                Action::Quit => break,
                Action::Replace(other) => protocol = other,
            }
        }
        Ok(())
    }
}

fn open_session(
    protocol_kind: ProtocolKind,
    game: &Notation,
    player: Option<&Notation>,
    seed: u64,
) -> Result<Box<dyn Protocol>> {
    let config = SessionConfig {
        player_policy: Arc::new(|player| Ok(player.clone())),
        max_time: Duration::MAX,
        keeps_players: true,
        seed,
        open: Arc::new(move |game, player| {
            open_session(protocol_kind, game, player, seed).map_err(|error| error.to_string())
        }),
        read_file: read_text_file,
    };
    with_type!(&game.to_string(), OneGame => {
        let rules = games::from_notation::<OneGame>(game)?;
        let opened = protocols::open(protocol_kind, rules, player, config);
        opened.map_err(|problem| anyhow!(problem))
    })
}

struct Console {
    input: Arc<Input>,
    failed: Option<io::Error>,
}

impl Console {
    fn new() -> Result<Self> {
        let input = Arc::new(Input::default());
        let (reading, interrupts) = (Arc::clone(&input), !is_stdin_file());
        let read = move || reading.read(io::stdin().lock(), interrupts);
        let thread = thread::Builder::new().name("input".to_owned()).spawn(read);
        thread.context("cannot start a thread")?;
        Ok(Self {
            input,
            failed: None,
        })
    }
}

fn is_stdin_file() -> bool {
    #[cfg(unix)]
    let input = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned();
    #[cfg(windows)]
    let input = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned();
    let kind = input.and_then(|input| File::from(input).metadata());
    kind.is_ok_and(|kind| kind.is_file())
}

impl Output for Console {
    fn write_lines(&mut self, text: &str) {
        let mut output = io::stdout().lock();
        let written = writeln!(output, "{text}").and_then(|()| output.flush());
        self.failed = self.failed.take().or(written.err());
    }

    fn input_pending(&mut self) -> bool {
        self.failed.is_some() || self.input.has_input()
    }

    fn stop_flag(&mut self, ahead: Duration) -> Arc<AtomicBool> {
        self.input.stop_flag(ahead)
    }
}

fn read_text_file(path: &str) -> Result<String, String> {
    let bytes = files::read(path.as_ref(), FileKind::Text).map_err(|error| error.to_string())?;
    from_utf8_or_latin1(&bytes).map_err(|problem| format!("{path}: {problem}"))
}
