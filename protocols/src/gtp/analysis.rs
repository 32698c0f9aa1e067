//! GTP commands for live analysis, tree statistics, and proven values.

use super::{Call, Reply, syntax_error, text_reply};
use crate::session::{MoveAnalysis, Query, Session};
use crate::{one_line, parse_seconds};
use alea_core::game::Seat;
use alea_play::playable::Playable;
use alea_play::player::MoveValue;
use std::{
    thread::sleep,
    time::{Duration, Instant},
};

const POLL_INTERVAL: Duration = Duration::from_millis(5);
const DEFAULT_SOLVE_TIME: Duration = Duration::from_secs(5);
/// Default interval between reports, in centiseconds.
const DEFAULT_INTERVAL_CS: u64 = 100;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Format of Leela Zero: probabilities in hundredths of a per cent.
    Leela,
    /// Format of KataGo: probabilities from 0 to 1.
    Kata,
}

struct AnalyzeArguments<M> {
    interval: Duration,
    only: Option<Vec<M>>,
    min_moves: usize,
    max_moves: usize,
}

impl<G: Playable> Call<'_, G> {
    pub(super) fn analyze(&mut self, form: Form) -> Reply {
        let arguments = self.parse_arguments()?;
        let query = Query {
            time: Some(arguments.interval),
            only: arguments.only.as_deref(),
            is_continuous: true,
        };
        self.session.check_not_over()?;
        self.stream_reply(|call| {
            loop {
                let began = Instant::now();
                let analysis = call.session.analyse(&query, call.output)?;
                if !analysis.is_interrupted {
                    let report = format_moves(call.session, &analysis, &arguments, form);
                    call.output.write_lines(&report);
                }
                while !call.output.input_pending()
                    && (began.elapsed() < arguments.interval || !analysis.is_timed)
                {
                    sleep(POLL_INTERVAL);
                }
                if call.output.input_pending() {
                    return Ok(String::new());
                }
            }
        })
    }

    fn stream_reply(&mut self, run: impl FnOnce(&mut Self) -> Result<String, String>) -> Reply {
        self.output.write_lines(&format!("={}", self.id));
        let last = run(self).unwrap_or_else(|problem| format!("error {}", one_line(&problem)));
        let end = if last.is_empty() { "" } else { "\n" };
        self.output.write_lines(&(last + end));
        Ok(None)
    }

    /// Plays a move after reports of live analysis. Only a tree search runs in slices; other
    /// searches would lose depth.
    pub(super) fn genmove_analyze(&mut self, form: Form) -> Reply {
        let arguments = self.parse_arguments()?;
        let seat = self.session.game.to_move(&self.session.position);
        let time = self.session.move_time(self.clocks[seat].as_ref());
        let time = time.or(self.session.ms_limit());
        self.session.legal_moves()?;
        self.stream_reply(|call| call.choose(seat, time, &arguments, form))
    }

    fn choose(
        &mut self,
        seat: Seat,
        time: Option<Duration>,
        arguments: &AnalyzeArguments<G::Move>,
        form: Form,
    ) -> Result<String, String> {
        let began = Instant::now();
        let mut query = Query {
            only: arguments.only.as_deref(),
            ..Query::single(time)
        };
        let best = loop {
            let is_last = if self.session.has_tree() {
                let left = time.map(|time| time.saturating_sub(began.elapsed()));
                query.time = left.map(|left| left.min(arguments.interval));
                left.is_none_or(|left| left <= arguments.interval)
            } else {
                true
            };
            let analysis = match self.session.has_tree() {
                true => self.session.analyse(&query, self.output)?,
                false => self.session.choose(&query, self.output)?.into(),
            };
            let report = format_moves(self.session, &analysis, arguments, form);
            self.output.write_lines(&report);
            if is_last || analysis.is_interrupted || !analysis.is_timed {
                break analysis.moves.first().ok_or("there is no move")?.mv;
            }
        };
        if let Some(clock) = &mut self.clocks[seat] {
            clock.subtract_move_time(began.elapsed());
        }
        let reply = format!("play {}", self.session.format_move(best));
        self.session.play_choice(best)?;
        Ok(reply)
    }

    fn parse_arguments(&self) -> Result<AnalyzeArguments<G::Move>, String> {
        let mut arguments = AnalyzeArguments {
            interval: Duration::from_millis(10 * DEFAULT_INTERVAL_CS),
            only: None,
            min_moves: 0,
            max_moves: usize::MAX,
        };
        let number = |word: Option<&&str>| -> Result<u64, String> {
            word.and_then(|word| word.parse().ok())
                .map_or_else(|| syntax_error(USAGE), Ok)
        };
        let mut words = self.words.iter();
        while let Some(&word) = words.next() {
            let interval = match word {
                "interval" => Some(number(words.next())?),
                _ => word.parse().ok(),
            };
            match word {
                _ if interval.is_some() => {
                    let interval = interval.unwrap_or(DEFAULT_INTERVAL_CS).clamp(1, 360_000);
                    arguments.interval = Duration::from_millis(10 * interval);
                }
                "minmoves" => arguments.min_moves = number(words.next())? as usize,
                "maxmoves" => arguments.max_moves = number(words.next())?.max(1) as usize,
                "avoid" | "allow" => {
                    let (Some(color), Some(moves)) = (words.next(), words.next()) else {
                        return syntax_error(USAGE);
                    };
                    number(words.next())?;
                    self.check_turn(color)?;
                    self.restrict_moves(&mut arguments.only, moves, word == "allow")?;
                }
                "ownership" | "ownershipStdev" | "movesOwnership" | "pvVisits" | "pvEdgeVisits"
                | "rootInfo" => drop(words.next()),
                _ => self.check_turn(word)?,
            }
        }
        Ok(arguments)
    }

    fn restrict_moves(
        &self,
        only: &mut Option<Vec<G::Move>>,
        names: &str,
        allow: bool,
    ) -> Result<(), String> {
        let mut named = Vec::new();
        for name in names.split(',') {
            let mv = self.session.parse_move(name);
            match ["pass", "resign"].contains(&&*name.to_ascii_lowercase()) {
                true => named.extend(mv),
                false => named.push(mv?),
            }
        }
        let (_, all) = self.session.legal_moves()?;
        let only = only.get_or_insert_with(|| all.to_vec());
        only.retain(|mv| named.contains(mv) == allow);
        match only.is_empty() {
            true => Err("no move is left to look at".to_owned()),
            false => Ok(()),
        }
    }

    pub(super) fn dump_tree(&mut self) -> Reply {
        let analysis = self.session.analyse(&Query::single(None), self.output)?;
        let line = self.session.format_line(&analysis.line).join(" ");
        let stats = analysis.stats;
        let mut reply = format!("nodes {} depth {} pv {line}", stats.nodes, stats.depth);
        for info in &analysis.moves {
            reply += &format!("\n{}", self.session.format_move(info.mv));
            if let Some(visits) = info.tree.map(|tree| tree.visits) {
                reply += &format!(" visits {visits}");
            }
            if let Some(value) = info.value {
                reply += &format!(" value {value:.4}");
            }
            let [lower, upper] = proven_bounds(info);
            if lower > 0.0 || upper < 1.0 {
                reply += &format!(" proven {lower:.4} {upper:.4}");
            }
        }
        text_reply(reply)
    }

    pub(super) fn solve(&mut self) -> Reply {
        let time = match self.words {
            [] => Some(DEFAULT_SOLVE_TIME),
            [word] => parse_seconds(word),
            _ => None,
        };
        let time = time.map_or_else(|| syntax_error("solve [SECONDS]"), Ok)?;
        let analysis = self.session.solve(time, self.output)?;
        let max_bound = |index: usize| {
            let bounds = analysis.moves.iter().map(|info| proven_bounds(info)[index]);
            bounds.fold(0.0, f32::max)
        };
        let (lower, upper) = (max_bound(0), max_bound(1));
        let best = analysis
            .moves
            .iter()
            .find(|info| proven_bounds(info)[0] == lower);
        let best = best.map_or(String::new(), |best| self.session.format_move(best.mv));
        text_reply(match (lower, upper) {
            (lower, upper) if upper - lower > 1e-4 => "unknown".to_owned(),
            (1.0, _) => format!("win {best}"),
            (_, 0.0) => "loss".to_owned(),
            (0.5, 0.5) => format!("draw {best}"),
            _ => format!("{lower:.6} {best}"),
        })
    }
}

const USAGE: &str = "[COLOR] [CENTISECONDS] [interval N] [minmoves N] [maxmoves N] \
                     [avoid COLOR MOVE,MOVE N] [allow COLOR MOVE,MOVE N]";

/// Formats `info move … visits … winrate … order … pv …` for each move, on one line. In searches
/// without a tree, a move with a value has one visit.
fn format_moves<G: Playable>(
    session: &Session<G>,
    analysis: &MoveAnalysis<G::Move>,
    arguments: &AnalyzeArguments<G::Move>,
    form: Form,
) -> String {
    let is_visited = |info: &&MoveValue<G::Move>| info.tree.is_none_or(|tree| tree.visits > 0);
    let visited = analysis.moves.iter().filter(is_visited).count();
    let count = visited
        .max(arguments.min_moves)
        .max(1)
        .min(arguments.max_moves);
    let format_move = |(order, info): (usize, &MoveValue<G::Move>)| {
        let visits = info.tree.map(|tree| tree.visits);
        let visits = visits.unwrap_or(u32::from(info.value.is_some()));
        let mv = session.format_move(info.mv);
        let line = match order {
            0 if !analysis.line.is_empty() => session.format_line(&analysis.line).join(" "),
            _ => mv.clone(),
        };
        let mut text = format!("info move {mv} visits {visits}");
        let mut add_probability = |name: &str, value: Option<f32>| {
            if let Some(value) = value {
                text += &match form {
                    Form::Leela => format!(" {name} {:.0}", 10_000.0 * value),
                    Form::Kata => format!(" {name} {value:.6}"),
                };
            }
        };
        add_probability("winrate", info.value);
        add_probability("prior", info.tree.and_then(|tree| tree.prior));
        if form == Form::Kata {
            let utility = info.value.map(|value| 2.0 * value - 1.0);
            text += &utility.map_or(String::new(), |utility| format!(" utility {utility:.6}"));
            let exact = info.score;
            let exact = exact.map(|exact| format!(" scoreMean {exact} scoreLead {exact}"));
            text += &exact.unwrap_or_default();
        }
        text + &format!(" order {order} pv {line}")
    };
    let moves = analysis.moves.iter().take(count).enumerate();
    moves.map(format_move).collect::<Vec<_>>().join(" ")
}

fn proven_bounds<M>(info: &MoveValue<M>) -> [f32; 2] {
    let proven = info.tree.as_ref().map(|tree| tree.proven);
    proven.map_or([0.0, 1.0], |bounds| [bounds.lower, bounds.upper])
}
