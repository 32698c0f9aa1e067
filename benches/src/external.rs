//! Other programs as players: `external(cmd="…", ms=…)`, over lines of text on their standard input
//! and output.
//!
//! The protocol stands in `docs/formats.md`. A program that does not answer in time, closes its
//! output or says what is no move has failed: the player says why, the program is ended, and a new
//! one is started when it is needed again. Invariant: an answer is never taken for the answer to
//! another question, because no program is asked again after it failed; and no program outlives its
//! player.

use engine::core::game::List;
use engine::play::notation::{Arguments, Problem};
use engine::play::playable::Playable;
use engine::play::player::{Analysis, Decision, Player};
use engine::play::provided::provide;
use engine::play::registry::Maker;
use engine::search::SearchStats;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The version of the protocol, first thing said.
const VERSION: u32 = 1;

/// Longest line that is read; a longer one is no answer.
const LONGEST_LINE: u64 = 4096;

/// How long a program may take to start, unless a move may take longer.
const STARTING: Duration = Duration::from_secs(10);

/// How long a program may take to end once its input is closed.
const ENDING: Duration = Duration::from_millis(200);

/// Default time for a move, in milliseconds.
const MILLISECONDS: u64 = 10_000;

/// Makes `external` known to the player notation of a game.
pub fn provide_external<G: Playable>() {
    provide::<G>("external", read);
}

fn read<G: Playable>(arguments: &mut Arguments<'_>, game: &G) -> Result<Maker<G>, Problem> {
    let command = arguments.take("cmd")?.ok_or_else(|| {
        (
            1,
            "external needs a program: external(cmd=\"python3 docs/bot.py\")".to_owned(),
        )
    })?;
    let words = words(&command.name).ok_or_else(|| {
        (
            command.character,
            format!("'{}' is no command", command.name),
        )
    })?;
    let milliseconds = arguments.number("ms", 1..=86_400_000, MILLISECONDS)?;
    let (game, time) = (game.clone(), Duration::from_millis(milliseconds));
    Ok(Arc::new(move || {
        Box::new(External::new(game.clone(), words.clone(), time))
    }))
}

/// The words of a command: separated by blanks, or between apostrophes. No shell is involved.
/// `None` if there is none or an apostrophe has no partner.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut quoted = false;
    let mut word: Option<String> = None;
    for letter in command.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            blank if blank.is_whitespace() && !quoted => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    (!quoted && words.first().is_some_and(|program| !program.is_empty())).then_some(words)
}

/// A player that another program speaks for.
pub struct External<G> {
    game: G,
    words: Vec<String>,
    time: Duration,
    program: Option<Program>,
    /// The line that tells of the game, until the program has been told.
    untold: Option<String>,
    seed: u64,
    failure: Option<String>,
}

impl<G: Playable> External<G> {
    /// A player that asks the program `words[0]` with the arguments that follow, and waits so long
    /// for a move.
    #[must_use]
    pub fn new(game: G, words: Vec<String>, time: Duration) -> Self {
        Self {
            game,
            words,
            time,
            program: None,
            untold: None,
            seed: 0,
            failure: None,
        }
    }

    fn ask(&mut self, position: &G::Position, legal: &[G::Move]) -> Result<G::Move, String> {
        let program = match &mut self.program {
            Some(program) => program,
            None => {
                let program =
                    Program::start(&self.words, &self.game.told(), self.time.max(STARTING))?;
                self.untold = Some(format!("game {}", self.seed));
                self.program.insert(program)
            }
        };
        if let Some(line) = self.untold.take() {
            program.say(&line)?;
        }
        // An outcome that permits these moves: which of several is all the same by the rules.
        let mut permitted = G::Moves::default();
        let outcome = (0..=u8::MAX).find(|&outcome| {
            permitted.clear();
            self.game.permitted(position, outcome, &mut permitted);
            *permitted == *legal
        });
        let outcome = outcome.ok_or("asked about moves that no outcome permits")?;
        program.say(&format!(
            "move {}",
            self.game.format_position(position, Some(outcome))
        ))?;
        let answer = program.hear(self.time)?;
        let mv = self.game.parse_move(position, answer.trim());
        let mv = mv.map_err(|error| {
            format!(
                "answered '{}', which is no move: {}",
                shown(&answer),
                error.problem
            )
        })?;
        if legal.contains(&mv) {
            Ok(mv)
        } else {
            Err(format!(
                "made the move {}, which is not permitted",
                shown(&answer)
            ))
        }
    }
}

impl<G: Playable> Player<G> for External<G> {
    engine::player_never!(G: ponders, counts, values);

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        self.failure = None;
        self.untold = Some(format!("game {seed}"));
    }

    fn decide(&mut self, position: &G::Position, legal: &[G::Move]) -> Decision<G::Move> {
        let began = Instant::now();
        let best = self.ask(position, legal).unwrap_or_else(|reason| {
            self.program = None;
            self.failure = Some(reason);
            legal[0]
        });
        Decision {
            best,
            value: None,
            stats: SearchStats {
                time: began.elapsed(),
                ..SearchStats::default()
            },
        }
    }

    fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Other programs rate no moves; only the one they would make is known, and it is put first.
    fn analyse(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> Analysis<G::Move> {
        let mut all = G::Moves::default();
        let line = legal.and_then(|legal| self.ask(position, legal).ok());
        let moves = legal.unwrap_or_else(|| {
            self.game.moves(position, &mut all);
            &all
        });
        Analysis {
            moves: moves.iter().map(|&mv| (mv, None)).collect(),
            line: line.into_iter().collect(),
            stats: SearchStats::default(),
            tree: None,
        }
    }
}

/// The beginning of a line, in one line.
fn shown(line: &str) -> String {
    line.trim()
        .chars()
        .take(40)
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

/// A running program.
struct Program {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Program {
    /// Starts a program and greets it.
    fn start(words: &[String], rules: &str, time: Duration) -> Result<Self, String> {
        let name = words[0].clone();
        let mut command = Command::new(&name);
        command
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("{name} cannot be started: {error}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        // One line may wait; a program that talks without being asked waits for its reader.
        let (sender, lines) = sync_channel(1);
        let mut program = Self {
            name,
            child,
            input,
            lines,
        };
        let output = output.ok_or("its output cannot be read")?;
        // Reading has no time-out, so a thread of its own reads; it ends with the program's output.
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut bytes = Vec::new();
            while reader
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut bytes)
                .is_ok_and(|length| length > 0)
            {
                let line = String::from_utf8_lossy(&bytes).into_owned();
                bytes.clear();
                // What begins with '#' is for people.
                if !line.starts_with('#') && sender.send(line).is_err() {
                    break;
                }
            }
        });
        program.say(&format!("alea {VERSION} {rules}"))?;
        let answer = program.hear(time)?;
        if answer.trim() == format!("alea {VERSION}") {
            Ok(program)
        } else {
            Err(format!(
                "{} greeted with '{}' instead of 'alea {VERSION}'",
                program.name,
                shown(&answer)
            ))
        }
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("its input is closed")?;
        let said = input
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| input.flush());
        said.map_err(|error| self.ended(&error.to_string()))
    }

    fn hear(&mut self, time: Duration) -> Result<String, String> {
        match self.lines.recv_timeout(time) {
            Ok(line) if line.ends_with('\n') => Ok(line),
            Ok(line) => Err(format!("broke off after '{}'", shown(&line))),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("no answer within {} ms", time.as_millis()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ended("its output is closed")),
        }
    }

    /// Why nothing more comes from the program.
    fn ended(&mut self, otherwise: &str) -> String {
        let began = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return format!("ended with {status}"),
                Ok(None) if began.elapsed() < ENDING => thread::sleep(Duration::from_millis(1)),
                _ => return otherwise.to_owned(),
            }
        }
    }
}

impl Drop for Program {
    /// Closes its input, which tells it to end; a program that does not is killed.
    fn drop(&mut self) {
        drop(self.input.take());
        let began = Instant::now();
        while began.elapsed() < ENDING {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        // It may have ended just now; there is nothing else to be done if it cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests;
