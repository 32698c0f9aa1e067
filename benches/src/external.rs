//! Other programs as players: `external(cmd="…", protocol=…, ms=…)`, over lines of text on their
//! standard input and output.
//!
//! The protocols stand in `docs/protocols.md`, our own in `docs/formats.md`. A program that does
//! not answer in time, closes its output or says what is no move has failed: the player says why,
//! the program is ended, and a new one is started when it is needed again. Invariant: an answer is
//! never taken for the answer to another question, because no program is asked again after it
//! failed; no program outlives its player; and what fails on our side is no failure of a program.

pub mod dialect;
pub mod log;
mod program;
pub mod said;
mod speech;
mod squares;
mod watch;

use crate::deadline::Deadline;
use dialect::Dialect;
use engine::core::{game::List, random::RandomStream};
use engine::play::{
    notation::{Arguments, Problem},
    playable::Playable,
    player::{Analysis, Decision, Failure, News, Player},
    provided::provide,
    registry::Maker,
};
use program::Program;
use said::{answered, shown};
use speech::{Asked, Speech, Step};
use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

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
    let speech = Speech::of(Dialect::read(arguments)?, game).map_err(|problem| (1, problem))?;
    let (game, speech) = (game.clone(), Arc::new(speech));
    Ok(Arc::new(move || {
        let player = External::speaking(game.clone(), words.clone(), Arc::clone(&speech));
        Box::new(player)
    }))
}

/// The words of a command: separated by blanks, or between apostrophes. No shell is involved.
/// `None` if there is none or an apostrophe has no partner.
#[must_use]
pub fn words(command: &str) -> Option<Vec<String>> {
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
pub struct External<G: Playable> {
    game: G,
    words: Vec<String>,
    speech: Arc<Speech>,
    program: Option<Program>,
    /// Whether the program has been told that this game began.
    begun: bool,
    /// What happened since the game began, or since somebody asked about another position.
    heard: Vec<(G::Position, u8, G::Move)>,
    /// How much of it the program knows.
    known: usize,
    /// Where that led to.
    now: Option<G::Position>,
    /// What the program answered last.
    answered: Option<(G::Position, G::Move)>,
    seed: u64,
    failure: Option<Failure>,
}

impl<G: Playable> External<G> {
    fn speaking(game: G, words: Vec<String>, speech: Arc<Speech>) -> Self {
        Self {
            game,
            words,
            speech,
            program: None,
            begun: false,
            heard: Vec::new(),
            known: 0,
            now: None,
            answered: None,
            seed: 0,
            failure: None,
        }
    }

    /// The move of the program; after a failure it is ended.
    fn ask(&mut self, position: &G::Position, legal: &[G::Move]) -> Option<G::Move> {
        let asked = match self.failure.take() {
            // Nobody asked yet about the game that it failed to start for.
            Some(failure) => Err(failure),
            None => self.start().and_then(|()| self.begin(position)),
        };
        let answer = asked.and_then(|()| self.try_asking(position, legal));
        answer.map_err(|failure| self.fail(failure)).ok()
    }

    fn fail(&mut self, failure: Failure) {
        self.program = None;
        self.failure = Some(failure);
    }

    /// Starts the program unless it runs, and greets it.
    fn start(&mut self) -> Result<(), Failure> {
        if self.program.is_some() {
            return Ok(());
        }
        let deadline = Deadline::after(self.speech.dialect.time_of_start);
        let mut program = Program::start(&self.words, self.speech.talk())?;
        self.begun = false;
        say_all(&mut program, &self.speech.greeting(), deadline)?;
        self.program = Some(program);
        Ok(())
    }

    /// Sees to it that the program knows of the game, in the time that a start may take.
    fn begin(&mut self, position: &G::Position) -> Result<(), Failure> {
        if self.now != Some(*position) {
            // Somebody asks about something else.
            self.heard.clear();
            self.now = Some(*position);
            self.begun &= !self.speech.follows();
            self.known = 0;
        }
        if self.begun {
            return Ok(());
        }
        let first = self.heard.first().map_or(*position, |heard| heard.0);
        if !self.speech.begins_anywhere()
            && first != self.game.random_start(&mut RandomStream::new(0), 0)
        {
            let problem =
                "a program that follows a game cannot be asked about a position in its midst";
            return Err(Failure::OfSystem(problem.to_owned()));
        }
        let deadline = Deadline::after(self.speech.dialect.time_of_start);
        let steps = self.speech.begin(&self.asked(&first, 0), self.seed);
        self.say(&steps, deadline)?;
        (self.begun, self.known) = (true, 0);
        Ok(())
    }

    fn say(&mut self, steps: &[Step], deadline: Deadline) -> Result<String, Failure> {
        match &mut self.program {
            Some(program) => say_all(program, steps, deadline),
            None => Err(Failure::OfSystem("no program runs".to_owned())),
        }
    }

    /// A position as it is spoken of.
    fn asked(&self, position: &G::Position, outcome: u8) -> Asked {
        let text = |outcome| self.game.format_position(position, outcome);
        let first = self.heard.first().map_or(position, |heard| &heard.0);
        // Where nothing is said of an outcome, the text has no place for it.
        let spoken = self.game.outcome_names().contains(&outcome);
        Asked {
            position: [text(None), text(spoken.then_some(outcome))],
            outcome,
            seat: self.game.to_move(position),
            first: self.game.to_move(first),
        }
    }

    fn try_asking(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
    ) -> Result<G::Move, Failure> {
        // An outcome that permits these moves: which of several is all the same by the rules.
        let mut permitted = G::Moves::default();
        let outcome = (0..=u8::MAX).find(|&outcome| {
            permitted.clear();
            self.game.permitted(position, outcome, &mut permitted);
            *permitted == *legal
        });
        let asked_wrongly = "asked about moves that no outcome permits".to_owned();
        let outcome = outcome.ok_or(Failure::OfSystem(asked_wrongly))?;
        // Not every program knows that it has to pass.
        if let [only] = legal
            && self.game.format_move(position, *only) == "pass"
        {
            return Ok(*only);
        }
        let deadline = Deadline::after(self.speech.dialect.time_of_move);
        let untold = self.heard[self.known..].iter();
        let steps = untold.flat_map(|(position, outcome, mv)| {
            let mv = self.game.format_move(position, *mv);
            self.speech.told(&self.asked(position, *outcome), &mv)
        });
        let mut steps: Vec<Step> = steps.collect();
        steps.extend(self.speech.question(&self.asked(position, outcome)));
        let answer = self.say(&steps, deadline)?;
        let answer = self.speech.answer(&answer)?;
        let mv = answered(&self.game, position, legal, &answer)?;
        self.known = self.heard.len();
        self.answered = Some((*position, mv));
        Ok(mv)
    }
}

/// The move that an answer names to who speaks a dialect of a protocol; any text may be tried.
///
/// # Errors
/// If it is none of those that are permitted, or the protocol is for other games.
pub fn understood<G: Playable>(
    dialect: &Dialect,
    game: &G,
    (position, legal): (&G::Position, &[G::Move]),
    answer: &str,
) -> Result<G::Move, Failure> {
    let speech = Speech::of(dialect.clone(), game).map_err(Failure::OfSystem)?;
    answered(game, position, legal, &speech.answer(answer)?)
}

/// Says lines and hears their answers; the last one is given.
fn say_all(program: &mut Program, steps: &[Step], deadline: Deadline) -> Result<String, Failure> {
    let mut answer = String::new();
    for step in steps {
        program.say(&step.line, deadline)?;
        answer = program
            .hear(step.reply, deadline)
            .map_err(|failure| match failure {
                Failure::OfPlayer(reason) if reason.starts_with("refused") => {
                    Failure::OfPlayer(format!("{reason} to '{}'", shown(&step.line)))
                }
                failure => failure,
            })?;
        if let Some(expected) = step
            .expected
            .as_ref()
            .filter(|&expected| *expected != answer)
        {
            let answer = shown(&answer);
            let problem = format!("greeted with '{answer}' instead of '{expected}'");
            return Err(Failure::OfPlayer(problem));
        }
    }
    Ok(answer)
}

impl<G: Playable> Player<G> for External<G> {
    engine::player_never!(G: ponders, counts, values);

    /// The program is started now, so that its start is not taken for thinking.
    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        self.failure = None;
        self.begun = false;
        self.heard.clear();
        (self.now, self.answered) = (None, None);
        if self.speech.dialect.one_game {
            self.end();
        }
        if let Err(failure) = self.start() {
            self.fail(failure);
        }
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

    /// What is heard is kept until the program is asked: telling it takes of its time.
    fn hear(&mut self, news: News<'_, G>) {
        match news {
            News::Ply(position, outcome, mv) => {
                if self.now != Some(*position) {
                    self.heard.clear();
                    self.begun &= !self.speech.follows();
                    self.known = 0;
                }
                // Its own move it knows, if it knows all before.
                let own = self.answered.take() == Some((*position, mv));
                if own && self.known == self.heard.len() {
                    self.known += 1;
                }
                self.heard.push((*position, outcome, mv));
                self.now = Some(self.game.play(position, mv));
            }
            News::End(payoffs) => {
                let seats = self.game.seats();
                let most = payoffs[..seats]
                    .iter()
                    .fold(0.0_f32, |most, &one| most.max(one));
                let first = (0..seats).filter(|&seat| payoffs[seat] >= most);
                let names: Vec<&str> = first.map(|seat| self.game.seat_name(seat)).collect();
                let winner = match names.len() {
                    all if all == seats => "draw".to_owned(),
                    _ => names.join(","),
                };
                self.tell_result(&winner);
            }
        }
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

impl<G: Playable> External<G> {
    /// Says who has won to a program that wants to know; who fails then has lost nothing.
    fn tell_result(&mut self, winner: &str) {
        let Some(line) = self.speech.result(winner).filter(|_| self.begun) else {
            return;
        };
        let deadline = Deadline::after(self.speech.dialect.time_of_move);
        let told = self
            .program
            .as_mut()
            .map(|program| program.say(&line, deadline));
        if matches!(told, Some(Err(_))) {
            self.program = None;
        }
    }

    /// Lets the program end by itself, if it does.
    fn end(&mut self) {
        if let Some(mut program) = self.program.take()
            && let Some(line) = self.speech.goodbye()
        {
            // Who does not read it is killed.
            let _ = program.say(line, Deadline::after(Duration::from_millis(100)));
        }
    }
}

impl<G: Playable> Drop for External<G> {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests;
