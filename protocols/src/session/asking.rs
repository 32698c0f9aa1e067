//! What the player of a session is asked: a move, or what it thinks of all of them; and its options.

use super::Session;
use crate::{AHEAD, Outside, ProtocolGame, clock::Clock};
use engine::core::random::SeedSpace;
use engine::play::{
    build::PlayerRecipe,
    notation::{Notation, keys_taken},
    player::{Analysis, Failure, MoveValue, Player},
};
use engine::search::{SearchStats, limits::Limits};
use std::{
    fmt::Display,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// What ends a search, each instead of the others.
const LIMITS: [&str; 4] = ["ms", "cpu_ms", "clock", "sims"];
/// A search's longest time in the notation of players.
const MAX_TIME: Duration = Duration::from_secs(86_400);
/// How long an analysis without end looks at a position when the line that ends it was sent ahead.
const GLANCE: Duration = Duration::from_millis(50);

/// What a player thinks of the moves of a position.
pub(crate) struct Rates {
    /// The permitted moves, the best first; before a roll all that some roll permits.
    pub(crate) moves: Vec<Rate>,
    /// The line thought best.
    pub(crate) line: Vec<String>,
    pub(crate) stats: SearchStats,
    /// Whether the time that was asked for ended the search.
    pub(crate) is_timed: bool,
    /// Whether something that was heard ended it.
    pub(crate) is_cut: bool,
}

/// What a player is asked.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a, M> {
    /// A time in place of the player's own limit.
    pub(crate) time: Option<Duration>,
    /// The moves to choose from, if not all that are legal.
    pub(crate) only: Option<&'a [M]>,
    /// Whether it is asked again and again until something is heard.
    pub(crate) is_endless: bool,
}

/// The move alone.
impl From<Choice> for Rates {
    fn from(choice: Choice) -> Self {
        let rate = Rate {
            mv: choice.mv.clone(),
            value: choice.value,
            visits: None,
            prior: None,
            proven: [0.0, 1.0],
            exact: choice.exact,
        };
        Self {
            moves: vec![rate],
            line: vec![choice.mv],
            stats: choice.stats,
            is_timed: true,
            is_cut: false,
        }
    }
}

impl<M> Asked<'_, M> {
    /// All moves, once, and for as long as the player itself thinks unless a time is given.
    pub(crate) fn once(time: Option<Duration>) -> Self {
        Self {
            time,
            only: None,
            is_endless: false,
        }
    }
}

/// The move that a player chose, and what it thinks of it.
pub(crate) struct Choice {
    pub(crate) mv: String,
    /// The win probability of the side to move.
    pub(crate) value: Option<f32>,
    /// The difference that the game ends with, for the side to move, if that is proven.
    pub(crate) exact: Option<i32>,
    pub(crate) stats: SearchStats,
}

/// What a player thinks of a move, for the seat that makes it.
pub(crate) struct Rate {
    pub(crate) mv: String,
    pub(crate) value: Option<f32>,
    /// How often a tree search tried it.
    pub(crate) visits: Option<u32>,
    /// What the prior of a tree search says of it, 0 to 1.
    pub(crate) prior: Option<f32>,
    /// Between what the value is proven to lie.
    pub(crate) proven: [f32; 2],
    /// The difference that it is proven to end with, in what the game counts.
    pub(crate) exact: Option<i32>,
}

impl<G: ProtocolGame> Session<G> {
    fn written_move(&self, position: &G::Position, mv: G::Move) -> String {
        let text = self.game.format_move(position, mv);
        let grid = self.grid.then(|| self.game.on_grid(&text, false));
        grid.flatten().unwrap_or(text)
    }

    /// Who plays where nobody was asked for.
    pub(super) fn usual_player(&self) -> String {
        let ms = self.milliseconds(Duration::from_secs(1));
        let best = Notation::new("best");
        let has_best = || self.game.best().is_some() && self.game.evaluator(&best).is_ok();
        match G::SEARCH {
            "" if has_best() => format!("star2(ms={ms}, eval=best)"),
            "" => format!("star2(ms={ms})"),
            _ => format!("mcts(ms={ms})"),
        }
    }

    /// A time that may be asked for, in the notation of players.
    fn milliseconds(&self, time: Duration) -> String {
        let time = time.min(self.terms.longest).min(MAX_TIME);
        let milliseconds = (time.as_secs_f64() * 100_000.0).round() / 100.0;
        milliseconds.max(0.01).to_string()
    }

    /// Whether the player is a search that keeps its tree from one question to the next.
    pub(crate) fn has_tree(&self) -> bool {
        self.player.name == "mcts"
    }

    /// The time that the player takes for a move by its own limit, if that is one.
    pub(crate) fn own_time(&self) -> Option<Duration> {
        let ms: f64 = self.player.says("ms")?.to_string().parse().ok()?;
        Duration::try_from_secs_f64(ms / 1000.0).ok()
    }

    /// Has the player answer; with a time in place of its own limit if it takes one, and it then
    /// remembers what it searched if it can. Whether it has the limit, and whether it was cut short.
    fn ask<T>(
        &mut self,
        asked: &Asked<'_, G::Move>,
        outside: &mut dyn Outside,
        question: impl FnOnce(&mut dyn Player<G>, &Limits) -> T,
    ) -> Result<(T, bool, bool), String> {
        let mut wanted = Vec::new();
        if let Some(time) = asked.time {
            let player = self.player.clone();
            let mut timed = player.without(&LIMITS).without(&["nodes", "keep"]);
            let is_tree = timed.name == "mcts";
            // Its first value without a key is a limit, too.
            timed.arguments.retain(|one| !is_tree || one.key.is_some());
            let timed = timed.with("ms", Notation::new(self.milliseconds(time)));
            let kept = timed.clone().with("keep", Notation::new("on"));
            wanted.extend(is_tree.then_some((kept, true)));
            wanted.push((timed, true));
        }
        wanted.push((self.player.clone(), false));
        let mut made = Err(String::new());
        for (player, is_timed) in wanted {
            made = made.or_else(|_| self.prepare(&player).map(|()| is_timed));
        }
        let is_timed = made?;
        let (_, player) = self.made.as_mut().ok_or("there is no player")?;
        // Who has no limit of time answers once, and is given the time for it.
        let is_endless = asked.is_endless && is_timed;
        let stop = outside.stop_flag(if is_endless { Duration::ZERO } else { AHEAD });
        let limits = Limits::from(&stop);
        // In this order: what is heard in between is seen by one of them.
        let (answer, is_cut) = if is_endless && outside.calls() {
            (glance(&stop, || question(&mut **player, &limits)), false)
        } else {
            let answer = question(&mut **player, &limits);
            (answer, limits.is_stopped())
        };
        self.made.take_if(|_| !self.terms.keeps_players);
        Ok((answer, is_timed, is_cut))
    }

    /// Makes the player of a notation, unless it is there already.
    fn prepare(&mut self, notation: &Notation) -> Result<(), String> {
        let name = notation.to_string();
        if self.made.as_ref().is_none_or(|(known, _)| *known != name) {
            let recipe = PlayerRecipe::of(notation, &self.game);
            let recipe = recipe.map_err(|error| error.to_string())?;
            // What it holds is given back first.
            self.made = None;
            let mut player = recipe.make();
            player.new_game(self.seed(SeedSpace::Player));
            self.made = Some((name, player));
        }
        Ok(())
    }

    /// Has the player choose a move, which is not played.
    pub(crate) fn think(
        &mut self,
        asked: &Asked<'_, G::Move>,
        outside: &mut dyn Outside,
    ) -> Result<Choice, String> {
        let ((_, all), position) = (self.permitted()?, self.position);
        let legal = asked.only.unwrap_or(&all);
        let began = Instant::now();
        let (answer, ..) = self.ask(asked, outside, |player, limits| {
            let decision = player.decide(&position, legal, limits)?;
            let exact = player.exact_scores(&position, &[decision.best], limits);
            Ok::<_, Failure>((decision, exact))
        })?;
        let (mut decision, exact) = answer.map_err(no_move)?;
        if !legal.contains(&decision.best) {
            return Err(no_move("it is not legal"));
        }
        decision.stats.time = began.elapsed();
        let mv = self.written_move(&position, decision.best);
        Ok(Choice {
            mv,
            value: decision.value,
            exact: exact.and_then(|(_, scores)| scores.first().copied()),
            stats: decision.stats,
        })
    }

    /// Has the player choose a move in a time that is asked for, else in a share of what a clock has
    /// left, and stops that clock.
    pub(crate) fn think_on(
        &mut self,
        time: Option<Duration>,
        clock: &mut Option<Clock>,
        outside: &mut dyn Outside,
    ) -> Result<String, String> {
        let began = Instant::now();
        let time = time.or(self.share(clock.as_ref()));
        let mv = self.think(&Asked::once(time), outside)?.mv;
        if let Some(clock) = clock {
            clock.spend(began.elapsed());
        }
        Ok(mv)
    }

    /// What a clock has for the next move.
    pub(crate) fn share(&self, clock: Option<&Clock>) -> Option<Duration> {
        let left = self.game.expected_moves_left(&self.position);
        clock.map(|clock| clock.share(left))
    }

    /// Has the player rate the moves; asked again for the same time it thinks on.
    pub(crate) fn rate(
        &mut self,
        asked: &Asked<'_, G::Move>,
        outside: &mut dyn Outside,
    ) -> Result<Rates, String> {
        self.goes_on()?;
        let (all, position) = (self.permitted().ok(), self.position);
        let legal = asked.only.or(all.as_ref().map(|(_, moves)| &**moves));
        let began = Instant::now();
        let question = |player: &mut dyn Player<G>, limits: &Limits| {
            let analysis = player.analyse(&position, legal, limits)?;
            let exact = player.exact_scores(&position, &analysis.list(), limits);
            Ok::<_, Failure>((analysis, exact.map_or(Vec::new(), |(_, scores)| scores)))
        };
        let (answer, is_timed, is_cut) = self.ask(asked, outside, question)?;
        let (mut analysis, exact) = answer.map_err(|failure| failure.to_string())?;
        analysis.stats.time = began.elapsed();
        let mut rates = self.rates(&analysis, &exact);
        (rates.is_timed, rates.is_cut) = (is_timed, is_cut);
        Ok(rates)
    }

    /// What a search for proofs finds within a time.
    pub(crate) fn prove(
        &mut self,
        time: Duration,
        outside: &mut dyn Outside,
    ) -> Result<Rates, String> {
        let (_, legal) = self.permitted()?;
        let ms = self.milliseconds(time);
        let prover = format!("mcts(ms={ms}, leaf=playout, memory=64{})", G::PROVING);
        let recipe = PlayerRecipe::parse(&prover, &self.game);
        let recipe = recipe.map_err(|error| error.to_string())?;
        let mut player = recipe.make();
        let limits = Limits::from(&outside.stop_flag(AHEAD));
        let analysis = player.analyse(&self.position, Some(&legal), &limits);
        let analysis = analysis.map_err(|failure| failure.to_string())?;
        Ok(self.rates(&analysis, &[]))
    }

    fn rates(&self, analysis: &Analysis<G::Move>, exact: &[i32]) -> Rates {
        let rate = |(index, rated): (usize, &MoveValue<G::Move>)| {
            let known = rated.tree;
            Rate {
                mv: self.written_move(&self.position, rated.mv),
                value: rated.value,
                visits: known.map(|known| known.visits),
                prior: known.and_then(|known| known.prior),
                proven: known.map_or([0.0, 1.0], |known| [known.proven.lower, known.proven.upper]),
                exact: exact.get(index).copied(),
            }
        };
        let mut moves: Vec<Rate> = analysis.moves.iter().enumerate().map(rate).collect();
        let (mut line, mut at) = (Vec::new(), self.position);
        for &mv in &analysis.line {
            if self.game.payoffs(&at).is_none() {
                line.push(self.written_move(&at, mv));
                at = self.game.play(&at, mv);
            }
        }
        let key = |rate: &Rate| {
            let value = (rate.value.unwrap_or(0.0) * 1e6) as i64;
            (line.first() == Some(&rate.mv), rate.visits, value)
        };
        moves.sort_by_key(|rate| std::cmp::Reverse(key(rate)));
        Rates {
            moves,
            line,
            stats: analysis.stats,
            is_timed: true,
            is_cut: false,
        }
    }

    /// The win probability of the seat to move; after a roll that of its best move.
    pub(crate) fn value(&mut self, outside: &mut dyn Outside) -> Result<f32, String> {
        self.goes_on()?;
        let (position, asked) = (self.position, Asked::once(None));
        let value = match self.permitted() {
            Ok(_) => {
                let rates = self.rate(&asked, outside)?;
                rates.moves.first().and_then(|best| best.value)
            }
            Err(_) => {
                let value = |player: &mut dyn Player<G>, limits: &Limits| {
                    player.value(&position, limits).value
                };
                self.ask(&asked, outside, value)?.0
            }
        };
        value.ok_or_else(|| format!("{} rates no moves", self.player))
    }

    pub(super) fn set_player(&mut self, notation: &Notation) -> Result<(), String> {
        let permitted = (self.terms.permit)(notation)?;
        let made = PlayerRecipe::of(&permitted, &self.game);
        made.map_err(|error| error.to_string())?;
        (self.player, self.made, self.is_asked) = (permitted, None, true);
        Ok(())
    }

    /// Changes the player, or an option of it; `default` takes that back.
    pub(crate) fn set_option(&mut self, key: &str, value: &str) -> Result<(), String> {
        let value = Notation::parse(value).map_err(|error| error.to_string())?;
        if key == "player" {
            return self.set_player(&value);
        }
        let is_limit = LIMITS.contains(&key) && value.name != "default";
        let gone = if is_limit { &LIMITS[..] } else { &[key] };
        let value = Some(value).filter(|value| value.name != "default");
        let changed = self.player.clone().without(gone).with(key, value);
        self.set_player(&changed)
    }

    /// The player, then the options that it knows with their values or `default`.
    pub(crate) fn options(&self) -> Vec<(String, String)> {
        // Whoever reads a notation says what it takes when it is given what it does not take.
        let wrong = self.player.clone().with("?", Notation::new("?"));
        let problem = PlayerRecipe::of(&wrong, &self.game).err();
        let problem = problem.map_or(String::new(), |error| error.problem);
        let player = ("player".to_owned(), self.player.to_string());
        let known = keys_taken(&problem)
            .map(|key| (key.to_owned(), value_of(&self.player, key, "default")));
        [player].into_iter().chain(known).collect()
    }
}

/// An answer that is wanted soon: the stop flag is set after a while.
fn glance<T>(stop: &AtomicBool, answer: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            thread::park_timeout(GLANCE);
            stop.store(true, Ordering::Relaxed);
        });
        let answer = answer();
        watch.thread().unpark();
        answer
    })
}

fn no_move(problem: impl Display) -> String {
    format!("the player made no move: {problem}")
}

/// The value of a key in a notation, or else the usual one.
pub(crate) fn value_of(notation: &Notation, key: &str, usual: &str) -> String {
    let said = notation.says(key).map(ToString::to_string);
    said.unwrap_or(usual.to_owned())
}
