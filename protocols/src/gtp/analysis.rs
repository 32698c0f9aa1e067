//! What the player thinks: live information, the tree, and proofs.

use super::{Answered, Call, syntax, text};
use crate::session::{Asked, Rate, Rates};
use crate::{ProtocolGame, one_line, seconds};
use engine::core::game::Seat;
use std::{
    thread::sleep,
    time::{Duration, Instant},
};

/// Between two looks for the next line.
const PATIENCE: Duration = Duration::from_millis(5);
/// How long a proof is looked for.
const DEFAULT_PROOF: Duration = Duration::from_secs(5);
/// Centiseconds between two pieces of live information.
const INTERVAL: u64 = 100;

/// How live information is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Leela Zero's: shares are in hundredths of a per cent.
    Leela,
    /// KataGo's: shares are from 0 to 1.
    Kata,
}

/// What live information was asked for.
struct Wish<M> {
    interval: Duration,
    /// The moves to look at, if not all.
    only: Option<Vec<M>>,
    /// How many moves to tell at least, untried ones too, and at most.
    min_moves: usize,
    max_moves: usize,
}

impl<G: ProtocolGame> Call<'_, G> {
    /// Thinks until something is heard and says what, every so many centiseconds.
    pub(super) fn analyze(&mut self, form: Form) -> Answered {
        let wish = self.wish()?;
        let asked = Asked {
            time: Some(wish.interval),
            only: wish.only.as_deref(),
            is_endless: true,
        };
        self.session.goes_on()?;
        self.begun(|call| {
            loop {
                let began = Instant::now();
                let rates = call.session.rate(&asked, call.outside)?;
                // What was looked at when a line came is not worth a line any more.
                if !rates.is_cut {
                    call.outside.say(&information(&rates, &wish, form));
                }
                // Who has no limit of time thinks the same again.
                while !call.outside.calls() && (began.elapsed() < wish.interval || !rates.is_timed)
                {
                    sleep(PATIENCE);
                }
                if call.outside.calls() {
                    return Ok(String::new());
                }
            }
        })
    }

    /// Says that the command is answered, then what `answer` comes to, and the empty line.
    fn begun(&mut self, answer: impl FnOnce(&mut Self) -> Result<String, String>) -> Answered {
        self.outside.say(&format!("={}", self.id));
        let last = answer(self).unwrap_or_else(|problem| format!("error {}", one_line(&problem)));
        let end = if last.is_empty() { "" } else { "\n" };
        self.outside.say(&(last + end));
        Ok(None)
    }

    /// Chooses a move and plays it, with live information until then. A search that keeps its tree
    /// thinks in parts; others would lose by that, and tell what they have chosen.
    pub(super) fn genmove_analyze(&mut self, form: Form) -> Answered {
        let wish = self.wish()?;
        let seat = self.session.game.to_move(&self.session.position);
        let share = self.session.share(self.clocks[seat].as_ref());
        let time = share.or(self.session.own_time());
        self.session.permitted()?;
        self.begun(|call| call.chosen(seat, time, &wish, form))
    }

    fn chosen(
        &mut self,
        seat: Seat,
        time: Option<Duration>,
        wish: &Wish<G::Move>,
        form: Form,
    ) -> Result<String, String> {
        let began = Instant::now();
        let mut asked = Asked {
            only: wish.only.as_deref(),
            ..Asked::once(time)
        };
        let best = if self.session.has_tree() {
            loop {
                let left = time.map(|time| time.saturating_sub(began.elapsed()));
                asked.time = left.map(|left| left.min(wish.interval));
                let rates = self.session.rate(&asked, self.outside)?;
                self.outside.say(&information(&rates, wish, form));
                let is_last = left.is_none_or(|left| left <= wish.interval);
                if is_last || rates.is_cut || !rates.is_timed {
                    let best = rates.moves.into_iter().next();
                    break best.ok_or("there is no move")?.mv;
                }
            }
        } else {
            let choice = self.session.think(&asked, self.outside)?;
            let rates = Rates::from(choice);
            self.outside.say(&information(&rates, wish, form));
            rates.line.into_iter().next().unwrap_or_default()
        };
        if let Some(clock) = &mut self.clocks[seat] {
            clock.spend(began.elapsed());
        }
        self.session.play(&best)?;
        Ok(format!("play {best}"))
    }

    /// `[COLOR] [CENTISECONDS]` and pairs of a key and what it takes.
    fn wish(&self) -> Result<Wish<G::Move>, String> {
        let mut wish = Wish {
            interval: Duration::from_millis(10 * INTERVAL),
            only: None,
            min_moves: 0,
            max_moves: usize::MAX,
        };
        let number = |word: Option<&&str>| -> Result<u64, String> {
            word.and_then(|word| word.parse().ok())
                .map_or_else(|| syntax(USAGE), Ok)
        };
        let mut words = self.words.iter();
        while let Some(&word) = words.next() {
            let interval = match word {
                "interval" => Some(number(words.next())?),
                _ => word.parse().ok(),
            };
            match word {
                _ if interval.is_some() => {
                    let interval = interval.unwrap_or(INTERVAL).clamp(1, 360_000);
                    wish.interval = Duration::from_millis(10 * interval);
                }
                "minmoves" => wish.min_moves = number(words.next())? as usize,
                "maxmoves" => wish.max_moves = number(words.next())?.max(1) as usize,
                "avoid" | "allow" => {
                    let (Some(color), Some(moves)) = (words.next(), words.next()) else {
                        return syntax(USAGE);
                    };
                    // How many moves ahead it counts: here it is always the next one.
                    number(words.next())?;
                    self.turn(color)?;
                    self.keep_from(&mut wish.only, moves, word == "allow")?;
                }
                // What is told of whole boards of Go, of which there is nothing here.
                "ownership" | "ownershipStdev" | "movesOwnership" | "pvVisits" | "pvEdgeVisits"
                | "rootInfo" => drop(words.next()),
                _ => self.turn(word)?,
            }
        }
        Ok(wish)
    }

    /// Leaves of the moves to look at those that are named, or (`allow` is false) the others.
    fn keep_from(
        &self,
        only: &mut Option<Vec<G::Move>>,
        names: &str,
        allow: bool,
    ) -> Result<(), String> {
        let mut named = Vec::new();
        for name in names.split(',') {
            // Neither is a move of a game without it.
            if !["pass", "resign"].contains(&&*name.to_ascii_lowercase()) {
                named.push(self.session.read_move(name)?);
            } else {
                named.extend(self.session.read_move(name));
            }
        }
        let (_, all) = self.session.permitted()?;
        let only = only.get_or_insert_with(|| all.to_vec());
        only.retain(|mv| named.contains(mv) == allow);
        match only.is_empty() {
            true => Err("no move is left to look at".to_owned()),
            false => Ok(()),
        }
    }

    /// The moves of the root with what the search knows of them.
    pub(super) fn dump_tree(&mut self) -> Answered {
        let rates = self.session.rate(&Asked::once(None), self.outside)?;
        let (stats, line) = (rates.stats, rates.line.join(" "));
        let mut told = format!("nodes {} depth {} pv {line}", stats.nodes, stats.depth);
        for rate in &rates.moves {
            told += &format!("\n{}", rate.mv);
            if let Some(visits) = rate.visits {
                told += &format!(" visits {visits}");
            }
            if let Some(value) = rate.value {
                told += &format!(" value {value:.4}");
            }
            let [lower, upper] = rate.proven;
            if lower > 0.0 || upper < 1.0 {
                told += &format!(" proven {lower:.4} {upper:.4}");
            }
        }
        text(told)
    }

    /// What is proven of the best move within some seconds.
    pub(super) fn solve(&mut self) -> Answered {
        let time = match self.words {
            [] => Some(DEFAULT_PROOF),
            [word] => seconds(word),
            _ => None,
        };
        let time = time.map_or_else(|| syntax("solve [SECONDS]"), Ok)?;
        let rates = self.session.prove(time, self.outside)?;
        let most = |index: usize| {
            let bounds = rates.moves.iter().map(|rate| rate.proven[index]);
            bounds.fold(0.0, f32::max)
        };
        let (lower, upper) = (most(0), most(1));
        let best = rates.moves.iter().find(|rate| rate.proven[0] == lower);
        let best = best.map_or("", |best| &best.mv);
        text(match (lower, upper) {
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

/// One line: for each move `info move … visits … winrate … order … pv …`.
///
/// Visits are those of a tree search; other searches value every move once, whatever that took, and
/// who rates no moves visits none. Moves that a tree search has not tried are left out, unless so many
/// are asked for.
fn information<M>(rates: &Rates, wish: &Wish<M>, form: Form) -> String {
    let is_tried = |rate: &&Rate| rate.visits != Some(0);
    let tried = rates.moves.iter().filter(is_tried).count();
    let count = tried.max(wish.min_moves).max(1).min(wish.max_moves);
    let one = |(order, rate): (usize, &Rate)| {
        let visits = rate.visits.unwrap_or(u32::from(rate.value.is_some()));
        let line = match order {
            0 if !rates.line.is_empty() => rates.line.join(" "),
            _ => rate.mv.clone(),
        };
        let mut text = format!("info move {} visits {visits}", rate.mv);
        let mut share = |name: &str, value: Option<f32>| {
            if let Some(value) = value {
                text += &match form {
                    Form::Leela => format!(" {name} {:.0}", 10_000.0 * value),
                    Form::Kata => format!(" {name} {value:.6}"),
                };
            }
        };
        share("winrate", rate.value);
        share("prior", rate.prior);
        if form == Form::Kata {
            // A win is worth 1, a defeat -1, and nothing else counts.
            let utility = rate.value.map(|value| 2.0 * value - 1.0);
            text += &utility.map_or(String::new(), |utility| format!(" utility {utility:.6}"));
            let exact = rate
                .exact
                .map(|exact| format!(" scoreMean {exact} scoreLead {exact}"));
            text += &exact.unwrap_or_default();
        }
        text + &format!(" order {order} pv {line}")
    };
    let all: Vec<String> = rates
        .moves
        .iter()
        .take(count)
        .enumerate()
        .map(one)
        .collect();
    all.join(" ")
}
