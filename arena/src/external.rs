//! Players whose moves come from another program, by lines over its standard input and output;
//! `docs/other-programs.md` describes the protocols.
//!
//! A program fails by a timeout, a closed pipe or an invalid reply; it is then killed, and
//! restarted for the next position, so that late replies cannot be taken for others. No program
//! outlives its player.

mod adapter;
mod coordinates;
mod deadline;
pub mod dialect_options;
pub mod log;
mod process_watchdog;
mod program;
mod protocol;
pub mod reply;

use crate::command_line::split_command;
use adapter::{ProtocolAdapter, Request, Substitution};
use alea_core::{game::List, random::RandomStream};
use alea_play::{
    playable::Playable,
    player::{Analysis, Decision, Failure, GameEvent, Player},
    player_notation::{Arguments, Problem},
    player_plugins::register,
    registry::PlayerMaker,
};
use alea_search::limits::Limits;
use deadline::Deadline;
use dialect_options::Dialect;
use program::Program;
use reply::{Reply, parse_reply, printable_excerpt};
use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

/// Registers the player `external(cmd="…")` for the game `G`.
pub fn provide_external<G: Playable>() {
    register::<G>("external", read);
}

fn read<G: Playable>(arguments: &mut Arguments<'_>, game: &G) -> Result<PlayerMaker<G>, Problem> {
    let missing = "external needs a program: external(cmd=\"python3 docs/bot.py\")";
    let command = arguments.take("cmd")?;
    let command = command.ok_or_else(|| (1, missing.to_owned()))?;
    let is_none = || command.problem_here(format!("'{}' is no command", command.name));
    let mut command_line = CommandLine {
        words: split_command(command.trusted_path(&command.name)?).ok_or_else(is_none)?,
        folder: None,
    };
    if let Some(value) = arguments.take_named("dir")? {
        let found = command_line.enter(Path::new(&value.name));
        found.map_err(|problem| value.problem_here(problem))?;
    }
    check_executable(&command_line.words[0]).map_err(|problem| command.problem_here(problem))?;
    let adapter = ProtocolAdapter::new(Dialect::read(arguments)?, game.clone());
    let adapter = Arc::new(adapter.map_err(|problem| (1, problem))?);
    Ok(Arc::new(move || {
        let command = command_line.clone();
        Box::new(External::with_adapter(command, Arc::clone(&adapter)))
    }))
}

#[derive(Clone)]
struct CommandLine {
    words: Vec<String>,
    folder: Option<PathBuf>,
}

impl CommandLine {
    fn enter(&mut self, folder: &Path) -> Result<(), String> {
        if !folder.is_dir() {
            let quote = printable_excerpt(&folder.display().to_string());
            return Err(format!(
                "'dir' is a folder, and there is none called '{quote}'"
            ));
        }
        let folder = std::path::absolute(folder).map_err(|error| format!("'dir': {error}"))?;
        let program = &mut self.words[0];
        if program.contains('/') {
            *program = folder.join(&*program).display().to_string();
        }
        self.folder = Some(folder);
        Ok(())
    }
}

fn check_executable(program: &str) -> Result<(), String> {
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
    let quote = printable_excerpt(program);
    found.then_some(()).ok_or_else(|| {
        format!("{quote} cannot be started: there is no such program, or it is not executable")
    })
}

const STOP_TIMEOUT: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 50 });

/// Player whose moves come from another program.
pub struct External<G: Playable> {
    command: CommandLine,
    adapter: Arc<ProtocolAdapter<G>>,
    program: Option<Program>,
    is_begun: bool,
    /// Plies that lead to the current position, from the start of the game or the last position
    /// set.
    history: Vec<(G::Position, u8, G::Move)>,
    synced: usize,
    current: Option<G::Position>,
    last_reply: Option<(G::Position, G::Move)>,
    seed: u64,
    start_failure: Option<Failure>,
    limits: Limits,
    /// CPU time of the program at the start of the game or the end of its last decision.
    cpu_time: Option<Duration>,
}

impl<G: Playable> External<G> {
    fn with_adapter(command: CommandLine, adapter: Arc<ProtocolAdapter<G>>) -> Self {
        Self {
            command,
            adapter,
            program: None,
            is_begun: false,
            history: Vec::new(),
            synced: 0,
            current: None,
            last_reply: None,
            seed: 0,
            start_failure: None,
            limits: Limits::NONE,
            cpu_time: None,
        }
    }

    fn ask(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Option<G::Move>, Failure> {
        if let Some(failure) = self.start_failure.take() {
            return Err(failure);
        }
        if limits.is_stopped() {
            return Ok(None);
        }
        self.limits.clone_from(limits);
        let started = self.start().and_then(|()| self.begin_game(position));
        let answer = started.and_then(|()| self.try_request_move(position, legal));
        self.limits = Limits::NONE;
        if answer.is_err() {
            self.program = None;
        }
        if let Some(program) = &mut self.program {
            program.limits = Limits::NONE;
        }
        match answer {
            Err(_) if limits.is_stopped() => Ok(None),
            answer => answer.map(Some),
        }
    }

    fn start(&mut self) -> Result<(), Failure> {
        if self.program.is_some() {
            return Ok(());
        }
        let adapter = &self.adapter;
        let deadline = Deadline::after(adapter.dialect.time_of_start);
        let CommandLine { words, folder } = &self.command;
        let mut program = Program::start(words, folder.as_deref(), adapter.protocol.chatter)?;
        program.limits.clone_from(&self.limits);
        self.is_begun = false;
        let requests = adapter.requests(adapter.protocol.start, &[]);
        send_all(&mut program, &requests, deadline)?;
        self.program = Some(program);
        Ok(())
    }

    fn begin_game(&mut self, position: &G::Position) -> Result<(), Failure> {
        self.track_position(position);
        if self.is_begun {
            return Ok(());
        }
        let adapter = &self.adapter;
        let first = self.history.first().map_or(*position, |history| history.0);
        let start = || adapter.game.random_start(&mut RandomStream::new(0), 0);
        if !adapter.accepts_positions() && first != start() {
            let problem = "it is told the moves of a game from the standard start alone, and cannot be asked about another position";
            return Err(Failure::SystemFault(problem.to_owned()));
        }
        let deadline = Deadline::after(adapter.dialect.time_of_start);
        let mut substitutions = self.fill_position(&first, 0);
        substitutions.push(("seed", Some(self.seed.to_string())));
        let requests = adapter.requests(adapter.protocol.begin, &substitutions);
        self.send(&requests, deadline)?;
        (self.is_begun, self.synced) = (true, 0);
        self.cpu_time = self.program.as_ref().and_then(Program::cpu_time);
        Ok(())
    }

    fn take_cpu_time(&mut self) -> Option<Duration> {
        let current = self.program.as_ref()?.cpu_time();
        let before = std::mem::replace(&mut self.cpu_time, current);
        Some(current?.saturating_sub(before?))
    }

    fn track_position(&mut self, position: &G::Position) {
        if self.current.replace(*position) != Some(*position) {
            self.history.clear();
            self.is_begun &= !self.adapter.tracks_board();
            self.synced = 0;
        }
    }

    fn send(&mut self, requests: &[Request], deadline: Deadline) -> Result<String, Failure> {
        match &mut self.program {
            Some(program) => {
                program.limits.clone_from(&self.limits);
                send_all(program, requests, deadline)
            }
            None => Err(Failure::SystemFault("no program runs".to_owned())),
        }
    }

    /// Sends the protocol's stop line and returns the move of the stopped search; fails if the
    /// protocol has none.
    fn stop_search(&mut self, question: &Request) -> Result<String, Failure> {
        let stop = self.adapter.requests(self.adapter.protocol.stop, &[]);
        let program = self.program.as_mut().filter(|program| program.awaits_reply);
        let ([stop], Some(program)) = (&*stop, program) else {
            return Err(Failure::SystemFault("it was stopped".to_owned()));
        };
        if let Some(answer) = program.poll_reply(question.reply)? {
            return Ok(answer);
        }
        let limits = std::mem::replace(&mut program.limits, Limits::NONE);
        let deadline = Deadline::after(STOP_TIMEOUT);
        let written = program.write_line(&stop.line, deadline);
        let answer = written.and_then(|()| program.await_reply(question.reply, deadline));
        let answer =
            answer.and_then(|answer| program.receive(stop.reply, deadline).and(Ok(answer)));
        program.limits = limits;
        answer
    }

    fn fill_position(&self, position: &G::Position, outcome: u8) -> Vec<Substitution> {
        let first = self.history.first().map_or(position, |history| &history.0);
        let first = self.adapter.game.to_move(first);
        self.adapter.position_placeholders(position, outcome, first)
    }

    fn try_request_move(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
    ) -> Result<G::Move, Failure> {
        let (adapter, protocol) = (&self.adapter, self.adapter.protocol);
        let mut permitted = G::Moves::default();
        let outcome = (0..=u8::MAX).find(|&outcome| {
            permitted.clear();
            adapter
                .game
                .allowed_moves(position, outcome, &mut permitted);
            *permitted == *legal
        });
        let asked_wrongly = "asked about moves that no outcome permits".to_owned();
        let outcome = outcome.ok_or(Failure::SystemFault(asked_wrongly))?;
        // Some programs cannot pass by themselves, so a forced pass is not requested.
        if let [only] = legal
            && adapter.game.format_move(position, *only) == "pass"
        {
            return Ok(*only);
        }
        let deadline = Deadline::after(adapter.dialect.time_of_move);
        let untold = self.history[self.synced..].iter();
        let requests = untold.flat_map(|(position, outcome, mv)| {
            let mut substitutions = self.fill_position(position, *outcome);
            substitutions.push(adapter.move_placeholder(&adapter.game.format_move(position, *mv)));
            adapter.requests(protocol.move_message, &substitutions)
        });
        let mut requests: Vec<Request> = requests.collect();
        requests.extend(adapter.requests(
            protocol.move_request,
            &self.fill_position(position, outcome),
        ));
        let move_request = requests.pop().expect("every protocol asks for moves");
        self.send(&requests, deadline)?;
        let answer = match self.send(std::slice::from_ref(&move_request), deadline) {
            Err(Failure::SystemFault(_)) if self.limits.is_stopped() => {
                self.stop_search(&move_request)?
            }
            answer => answer?,
        };
        let answer = self.adapter.translate_answer(&answer)?;
        let mv = parse_reply(&self.adapter.game, position, Some(outcome), legal, &answer)?;
        self.synced = self.history.len();
        self.last_reply = Some((*position, mv));
        Ok(mv)
    }
}

/// Translates a program's reply and parses it as one of the `legal` moves.
///
/// # Errors
/// If the reply is no legal move, or the protocol is for other games.
pub fn parse_move_of_reply<G: Playable>(
    dialect: &Dialect,
    game: &G,
    (position, legal): (&G::Position, &[G::Move]),
    answer: &str,
) -> Result<G::Move, Failure> {
    let adapter =
        ProtocolAdapter::new(dialect.clone(), game.clone()).map_err(Failure::SystemFault)?;
    let answer = adapter.translate_answer(answer)?;
    parse_reply(game, position, None, legal, &answer)
}

fn send_all(
    program: &mut Program,
    requests: &[Request],
    deadline: Deadline,
) -> Result<String, Failure> {
    let mut answer = String::new();
    for request in requests {
        program.send(&request.line, deadline)?;
        let history = program.receive(request.reply, deadline);
        answer = history.map_err(|failure| match failure {
            Failure::PlayerFault(reason) if reason.starts_with("refused") => Failure::PlayerFault(
                format!("{reason} to '{}'", printable_excerpt(&request.line)),
            ),
            failure => failure,
        })?;
        let expected: Vec<&str> = request.line.split(' ').take(2).collect();
        let expected = expected.join(" ");
        if request.reply == Reply::Greeting && answer != expected {
            let answer = printable_excerpt(&answer);
            let problem = format!("greeted with '{answer}' instead of '{expected}'");
            return Err(Failure::PlayerFault(problem));
        }
    }
    Ok(answer)
}

impl<G: Playable> Player<G> for External<G> {
    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        self.is_begun = false;
        self.history.clear();
        (self.current, self.last_reply) = (None, None);
        if self.adapter.dialect.one_game {
            self.end();
        }
        self.start_failure = self.start().err();
    }

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        let began = Instant::now();
        let chosen = self.ask(position, legal, limits)?;
        let mut decision = Decision::without_values(chosen.unwrap_or(legal[0]));
        decision.stats.time = began.elapsed();
        decision.cpu_time = self.take_cpu_time();
        Ok(decision)
    }

    fn notify(&mut self, event: GameEvent<'_, G>) {
        match event {
            GameEvent::Ply(position, outcome, mv) => {
                self.track_position(position);
                let own = self.last_reply.take() == Some((*position, mv));
                let is_made = own && !self.adapter.protocol.repeats;
                if is_made && self.synced == self.history.len() {
                    self.synced += 1;
                }
                self.history.push((*position, outcome, mv));
                self.current = Some(self.adapter.game.play(position, mv));
            }
            GameEvent::End(payoffs) => {
                let game = &self.adapter.game;
                let payoffs = &payoffs[..game.seats()];
                let most = payoffs.iter().copied().fold(0.0, f32::max);
                let first = (0..game.seats()).filter(|&seat| payoffs[seat] >= most);
                let names: Vec<&str> = first.map(|seat| game.seat_name(seat)).collect();
                self.send_result(match names.len() {
                    all if all == payoffs.len() => "draw".to_owned(),
                    _ => names.join(","),
                });
            }
        }
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        let best = match (legal, self.start_failure.take()) {
            (_, Some(failure)) => return Err(failure),
            (Some(legal), _) => self.ask(position, legal, limits)?,
            _ => None,
        };
        Ok(Analysis {
            line: best.into_iter().collect(),
            ..Analysis::without_values(&self.adapter.game, position, legal)
        })
    }
}

impl<G: Playable> External<G> {
    fn send_result(&mut self, winner: String) {
        let adapter = &self.adapter;
        let substitutions = ("winner", adapter.gets_all_moves().then_some(winner));
        let requests = adapter.requests(adapter.protocol.over, &[substitutions]);
        let deadline = Deadline::after(adapter.dialect.time_of_move);
        if self.is_begun && self.send(&requests, deadline).is_err() {
            self.program = None;
        }
    }

    fn end(&mut self) {
        let line = self.adapter.protocol.end;
        if let Some(mut program) = self.program.take()
            && !line.is_empty()
        {
            let _ = program.send(line, Deadline::after(Duration::from_millis(100)));
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
