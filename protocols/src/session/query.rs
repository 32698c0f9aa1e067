//! Queries to a session's player: for a move, or for the values of all moves.

use super::{EnginePlayer, Session};
use crate::{INPUT_GRACE, Output, SessionConfig, clock::Clock};
use alea_core::random::SeedSpace;
use alea_play::{
    build::PlayerRecipe,
    playable::Playable,
    player::{Analysis, Failure, MoveValue, Player},
    player_notation::Notation,
};
use alea_search::{SearchStats, limits::Limits};
use std::{
    fmt::Display,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

const MIN_TIME: Duration = Duration::from_micros(10);
const MAX_TIME: Duration = Duration::from_secs(86_400);
const QUICK_SEARCH_TIME: Duration = Duration::from_millis(50);

#[derive(Clone, Copy)]
pub(crate) struct Query<'a, M> {
    /// Time limit that replaces the player's own limits; `None` for those.
    pub(crate) time: Option<Duration>,
    pub(crate) only: Option<&'a [M]>,
    /// True if the caller repeats the query until input comes.
    pub(crate) is_continuous: bool,
}

impl<M> Query<'_, M> {
    pub(crate) fn single(time: Option<Duration>) -> Self {
        Self {
            time,
            only: None,
            is_continuous: false,
        }
    }
}

pub(crate) struct Choice<M> {
    pub(crate) mv: M,
    /// Win probability of the side to move, if the player gives one.
    pub(crate) value: Option<f32>,
    /// Proven final score of the side to move; `None` if unproven.
    pub(crate) exact: Option<i32>,
    pub(crate) stats: SearchStats,
}

pub(crate) struct MoveAnalysis<M> {
    /// Moves, best first; before the roll, the moves of all rolls.
    pub(crate) moves: Vec<MoveValue<M>>,
    pub(crate) line: Vec<M>,
    pub(crate) stats: SearchStats,
    pub(crate) is_timed: bool,
    pub(crate) is_interrupted: bool,
}

impl<M: Copy> From<Choice<M>> for MoveAnalysis<M> {
    fn from(choice: Choice<M>) -> Self {
        let mv = MoveValue {
            score: choice.exact,
            ..MoveValue::new(choice.mv, choice.value)
        };
        Self {
            moves: vec![mv],
            line: vec![choice.mv],
            stats: choice.stats,
            is_timed: true,
            is_interrupted: false,
        }
    }
}

/// Default player: a search of one second per move, or of `max_time` if that is less.
pub(super) fn default_player<G: Playable>(game: &G, config: &SessionConfig) -> Notation {
    let time = ms_notation(Duration::from_secs(1).min(config.max_time));
    let evaluator = || Notation::new(game.strongest_evaluator_name());
    let defaults = game.mcts_defaults();
    let evaluator = defaults.is_empty().then(evaluator);
    let name = if defaults.is_empty() { "star2" } else { "mcts" };
    Notation::new(name)
        .with_argument("ms", time)
        .with_argument("eval", evaluator)
}

fn ms_notation(time: Duration) -> Notation {
    let milliseconds = (time.min(MAX_TIME).as_secs_f64() * 100_000.0).round() / 100.0;
    Notation::new(milliseconds.max(0.01).to_string())
}

impl<G: Playable> Session<G> {
    pub(crate) fn has_tree(&self) -> bool {
        self.player.has_tree()
    }

    pub(crate) fn ms_limit(&self) -> Option<Duration> {
        self.player.ms_limit()
    }

    fn with_player<T>(
        &mut self,
        query: &Query<'_, G::Move>,
        output: &mut dyn Output,
        run: impl FnOnce(&mut dyn Player<G>, &Limits) -> T,
    ) -> (T, bool, bool) {
        let seed = self.seed(SeedSpace::Player);
        let time = (query.time).map(|time| time.min(self.config.max_time).max(MIN_TIME));
        let (player, time, is_timed) = self.player.player_for_query(time, &self.game, seed);
        let is_continuous = query.is_continuous && is_timed;
        let grace = if is_continuous {
            Duration::ZERO
        } else {
            INPUT_GRACE
        };
        let stop = output.stop_flag(grace);
        let limits = Limits {
            time,
            ..Limits::from(&stop)
        };
        // The stop flag exists already, so that no input between the two is missed.
        let (answer, is_interrupted) = if is_continuous && output.input_pending() {
            (run_briefly(&stop, || run(player, &limits)), false)
        } else {
            let answer = run(player, &limits);
            (answer, limits.is_stopped())
        };
        if !self.config.keeps_players {
            self.player.drop_players();
        }
        (answer, is_timed, is_interrupted)
    }

    pub(crate) fn choose(
        &mut self,
        query: &Query<'_, G::Move>,
        output: &mut dyn Output,
    ) -> Result<Choice<G::Move>, String> {
        let ((_, all), position) = (self.legal_moves()?, self.position);
        let legal = query.only.unwrap_or(&all);
        let began = Instant::now();
        let (answer, ..) = self.with_player(query, output, |player, limits| {
            let decision = player.decide(&position, legal, limits)?;
            let exact = player.exact_scores(&position, &[decision.best], limits);
            Ok::<_, Failure>((decision, exact))
        });
        let (decision, exact) = answer.map_err(no_move_error)?;
        if !legal.contains(&decision.best) {
            return Err(no_move_error("it is not legal"));
        }
        Ok(Choice {
            mv: decision.best,
            value: decision.value,
            exact: exact.and_then(|(_, scores)| scores.first().copied()),
            stats: SearchStats {
                time: began.elapsed(),
                ..decision.stats
            },
        })
    }

    pub(crate) fn choose_on_clock(
        &mut self,
        time: Option<Duration>,
        clock: &mut Option<Clock>,
        output: &mut dyn Output,
    ) -> Result<G::Move, String> {
        let began = Instant::now();
        let time = time.or(self.move_time(clock.as_ref()));
        let mv = self.choose(&Query::single(time), output)?.mv;
        if let Some(clock) = clock {
            clock.subtract_move_time(began.elapsed());
        }
        Ok(mv)
    }

    pub(crate) fn move_time(&self, clock: Option<&Clock>) -> Option<Duration> {
        let expected_moves_left = self.game.expected_moves_left(&self.position);
        clock.map(|clock| clock.move_time(expected_moves_left))
    }

    /// Values the moves; a repeated query with a time continues the search.
    pub(crate) fn analyse(
        &mut self,
        query: &Query<'_, G::Move>,
        output: &mut dyn Output,
    ) -> Result<MoveAnalysis<G::Move>, String> {
        self.check_not_over()?;
        let (all, position) = (self.legal_moves().ok(), self.position);
        let legal = query.only.or(all.as_ref().map(|(_, moves)| &**moves));
        let began = Instant::now();
        let run = |player: &mut dyn Player<G>, limits: &Limits| {
            let mut analysis = player.analyse(&position, legal, limits)?;
            if let Some((_, scores)) =
                player.exact_scores(&position, &analysis.analysed_moves(), limits)
            {
                for (mv, score) in analysis.moves.iter_mut().zip(scores) {
                    mv.score = Some(score);
                }
            }
            Ok::<_, Failure>(analysis)
        };
        let (answer, is_timed, is_interrupted) = self.with_player(query, output, run);
        let mut analysis = answer.map_err(|failure| failure.to_string())?;
        analysis.stats.time = began.elapsed();
        Ok(MoveAnalysis {
            is_timed,
            is_interrupted,
            ..sort_moves(analysis)
        })
    }

    pub(crate) fn solve(
        &mut self,
        time: Duration,
        output: &mut dyn Output,
    ) -> Result<MoveAnalysis<G::Move>, String> {
        let (_, legal) = self.legal_moves()?;
        let solver = Notation::new("mcts")
            .with_argument("ms", ms_notation(time.min(self.config.max_time)))
            .with_argument("leaf", Notation::new("playout"))
            .with_argument("memory", Notation::new("64"));
        let options = G::INFO.solver_options.iter();
        let solver = options.fold(solver, |solver, (key, value)| {
            solver.with_argument(key, Notation::new(*value))
        });
        let recipe =
            PlayerRecipe::from_parsed(&solver, &self.game).map_err(|error| error.to_string())?;
        let limits = Limits::from(&output.stop_flag(INPUT_GRACE));
        let analysis = recipe.make().analyse(&self.position, Some(&legal), &limits);
        let analysis = analysis.map_err(|failure| failure.to_string())?;
        Ok(sort_moves(analysis))
    }

    /// Win probability of the seat to move, after the roll if it is set.
    pub(crate) fn value(&mut self, output: &mut dyn Output) -> Result<f32, String> {
        self.check_not_over()?;
        let (position, query) = (self.position, Query::single(None));
        let value = match self.legal_moves() {
            Ok(_) => {
                let analysis = self.analyse(&query, output)?;
                analysis.moves.first().and_then(|best| best.value)
            }
            Err(_) => {
                let run = |player: &mut dyn Player<G>, limits: &Limits| {
                    player.value(&position, limits).value
                };
                self.with_player(&query, output, run).0
            }
        };
        value.ok_or_else(|| format!("{} rates no moves", self.player.spec()))
    }

    fn set_player(&mut self, spec: &Notation) -> Result<(), String> {
        let spec = (self.config.player_policy)(spec)?;
        self.player = EnginePlayer::new(spec, &self.game)?;
        self.is_player_named = true;
        Ok(())
    }

    /// Sets the player (key `player`) or one of its options, which the value `default` resets.
    pub(crate) fn set_option(&mut self, key: &str, value: &str) -> Result<(), String> {
        let value = Notation::parse(value).map_err(|error| error.to_string())?;
        if key == "player" {
            return self.set_player(&value);
        }
        let value = Some(value).filter(|value| value.name != "default");
        self.set_player(&self.player.with_option(key, value))
    }

    pub(crate) fn options(&self) -> Vec<(String, String)> {
        self.player.options(&self.game)
    }
}

fn sort_moves<M: Copy + PartialEq>(analysis: Analysis<M>) -> MoveAnalysis<M> {
    let Analysis {
        mut moves,
        line,
        stats,
        ..
    } = analysis;
    moves.sort_by_key(|one| {
        let value = (one.value.unwrap_or(0.0) * 1e6) as i64;
        let visits = one.tree.map(|tree| tree.visits);
        std::cmp::Reverse((line.first() == Some(&one.mv), visits, value))
    });
    MoveAnalysis {
        moves,
        line,
        stats,
        is_timed: true,
        is_interrupted: false,
    }
}

fn run_briefly<T>(stop: &AtomicBool, search: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let timer = scope.spawn(|| {
            thread::park_timeout(QUICK_SEARCH_TIME);
            stop.store(true, Ordering::Relaxed);
        });
        let answer = search();
        timer.thread().unpark();
        answer
    })
}

fn no_move_error(problem: impl Display) -> String {
    format!("the player made no move: {problem}")
}
