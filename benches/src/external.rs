//! Other programs as players: `external(cmd="…", ms=…)`, over lines of text on their standard input
//! and output.
//!
//! The protocol stands in `docs/formats.md`. A program that does not answer in time, closes its
//! output or says what is no move has failed: the player says why, the program is ended, and a new
//! one is started when it is needed again. Invariant: an answer is never taken for the answer to
//! another question, because no program is asked again after it failed; no program outlives its
//! player; and what fails on our side is no failure of a program.

mod program;
pub mod said;
mod watch;

use crate::deadline::Deadline;
use engine::core::game::List;
use engine::play::{
    notation::{Arguments, Problem},
    playable::Playable,
    player::{Analysis, Decision, Failure, Player},
    provided::provide,
    registry::Maker,
};
use program::Program;
use said::{answered, shown};
use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// How long a program may take to start, unless a move may take longer.
const STARTING: Duration = Duration::from_secs(10);

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
    find(&words[0]).map_err(|problem| (command.character, problem))?;
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

/// Refuses a program that cannot be started, before the first game.
fn find(program: &str) -> Result<(), String> {
    let is_program = |path: &Path| {
        std::fs::metadata(path)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let found = if program.contains('/') {
        is_program(Path::new(program))
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|directory| is_program(&directory.join(program)))
    };
    let shown = shown(program);
    found.then_some(()).ok_or_else(|| {
        format!("{shown} cannot be started: there is no such program, or it is not executable")
    })
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
    failure: Option<Failure>,
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

    /// The move of the program; after a failure it is ended.
    fn ask(&mut self, position: &G::Position, legal: &[G::Move]) -> Option<G::Move> {
        self.try_asking(position, legal)
            .map_err(|failure| {
                self.program = None;
                self.failure = Some(failure);
            })
            .ok()
    }

    fn try_asking(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
    ) -> Result<G::Move, Failure> {
        let program = match &mut self.program {
            Some(program) => program,
            None => {
                let program =
                    Program::start(&self.words, &self.game.told(), self.time.max(STARTING))?;
                self.untold = Some(format!("game {}", self.seed));
                self.program.insert(program)
            }
        };
        let deadline = Deadline::after(self.time);
        if let Some(line) = self.untold.take() {
            program.say(&line, deadline)?;
        }
        // An outcome that permits these moves: which of several is all the same by the rules.
        let mut permitted = G::Moves::default();
        let outcome = (0..=u8::MAX).find(|&outcome| {
            permitted.clear();
            self.game.permitted(position, outcome, &mut permitted);
            *permitted == *legal
        });
        let asked_wrongly = "asked about moves that no outcome permits".to_owned();
        let outcome = outcome.ok_or(Failure::OfSystem(asked_wrongly))?;
        let position_text = self.game.format_position(position, Some(outcome));
        program.say(&format!("move {position_text}"), deadline)?;
        let answer = program.hear(deadline)?;
        answered(&self.game, position, legal, &answer)
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
        let mut decision = Decision::unrated(self.ask(position, legal).unwrap_or(legal[0]));
        decision.stats.time = began.elapsed();
        decision
    }

    fn failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// Other programs rate no moves; only the one they would make is known, and it is put first.
    fn analyse(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> Analysis<G::Move> {
        let line = legal.and_then(|legal| self.ask(position, legal));
        Analysis {
            line: line.into_iter().collect(),
            ..Analysis::unrated(&self.game, position, legal)
        }
    }
}

#[cfg(test)]
mod tests;
