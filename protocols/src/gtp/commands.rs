//! The table of GTP commands: the standard's, Lajkonik's, and extensions.

use super::{Call, Reply, analysis::Form, done, is_same_command, syntax, text};
use crate::clock::{Clock, Overtime};
use crate::{Action, seconds};
use alea_play::player_notation::Notation;
use alea_play::playable::Playable;
use std::{str::FromStr, time::Duration};

type Command<G> = (&'static str, fn(&mut Call<'_, G>) -> Reply);

impl<G: Playable> Call<'_, G> {
    pub(super) const COMMANDS: &'static [Command<G>] = &[
        ("protocol_version", |_| text("2")),
        ("name", |_| text("Alea")),
        ("version", |_| text(env!("CARGO_PKG_VERSION"))),
        ("known_command", |call| {
            let name = call.words.first().copied().unwrap_or_default();
            let mut commands = Self::COMMANDS.iter();
            let is_known = commands.any(|(command, _)| is_same_command(command, name));
            text(is_known.to_string())
        }),
        ("list_commands", |_| {
            let names: Vec<&str> = Self::COMMANDS.iter().map(|(name, _)| *name).collect();
            text(names.join("\n"))
        }),
        ("quit", |call| {
            call.session.action = Action::Quit;
            done()
        }),
        // Input has ended the search already.
        ("stop", |_| done()),
        ("boardsize", |call| call.boardsize()),
        ("clear_board", |call| {
            call.session.clear();
            done()
        }),
        ("komi", |call| {
            call.argument::<f64>("komi NUMBER")?;
            done()
        }),
        ("play", |call| {
            let [color, mv] = call.words else {
                return syntax("play COLOR MOVE");
            };
            // Otherwise a wrong colour would be reported as an illegal move.
            call.seat(color)?;
            let played = call.check_turn(color).and_then(|()| call.session.play(mv));
            played.map_err(|problem| format!("illegal move: {problem}"))?;
            done()
        }),
        ("genmove", |call| call.genmove()),
        ("undo", |call| call.session.undo().and_then(|()| done())),
        ("showboard", |call| {
            let session = &call.session;
            text(session.game.draw(&session.position, session.die))
        }),
        ("time_settings", |call| call.time_settings()),
        ("kgs-time_settings", |call| call.kgs_time_settings()),
        ("time_left", |call| call.time_left()),
        ("roll", |call| text(call.session.roll()?.to_string())),
        ("dice", |call| {
            let face = call.argument("dice NUMBER")?;
            call.session.set_die(face).and_then(|()| done())
        }),
        ("playgame", |call| call.playgame()),
        ("winner", |call| call.winner()),
        ("havannah_winner", |call| call.winner()),
        ("final_score", |call| call.final_score()),
        ("loadsgf", |call| call.loadsgf()),
        ("position", |call| match call.words {
            [] => {
                let session = &call.session;
                text(session.game.format_position(&session.position, session.die))
            }
            words => {
                call.session.set_position(&words.join(" "))?;
                done()
            }
        }),
        ("set_game", |call| match call.words {
            [] => text(call.session.game.notation()),
            words => {
                let game = Notation::parse(&words.join(" ")).map_err(|error| error.to_string())?;
                call.session.change_game(&game)?;
                done()
            }
        }),
        ("gridcoords", |call| {
            let is_on = call.words != ["off"];
            if is_on && call.session.game.format_alternate_notation("a1").is_none() {
                return Err(format!("{} has no other coordinates", G::INFO.name));
            }
            call.session.uses_alt_coordinates = is_on;
            done()
        }),
        ("set_random_seed", |call| {
            call.session
                .set_seed(call.argument("set_random_seed NUMBER")?);
            done()
        }),
        ("set_option", |call| {
            let [key, words @ ..] = call.words else {
                return syntax("set_option NAME VALUE");
            };
            call.session.set_option(key, &words.join(" "))?;
            done()
        }),
        ("get_option", |call| {
            let key: String = call.argument("get_option NAME")?;
            let mut options = call.session.options().into_iter();
            let found = options.find(|(name, _)| *name == key);
            let unknown = || format!("there is no '{key}'; list_options lists the options");
            text(found.ok_or_else(unknown)?.1)
        }),
        ("list_options", |call| {
            let options = call.session.options().into_iter();
            let lines = options.map(|(key, value)| format!("{key} = {value}\n"));
            text(lines.collect::<String>())
        }),
        ("get_eval", |call| {
            text(format!("{:.2}", 100.0 * call.session.value(call.output)?))
        }),
        ("get_sgf", |call| text(call.session.transcript()?)),
        ("dump_tree", |call| call.dump_tree()),
        ("solve", |call| call.solve()),
        ("analyze", |call| call.analyze(Form::Leela)),
        ("lz-analyze", |call| call.analyze(Form::Leela)),
        ("kata-analyze", |call| call.analyze(Form::Kata)),
        ("lz-genmove_analyze", |call| {
            call.genmove_analyze(Form::Leela)
        }),
        ("kata-genmove_analyze", |call| {
            call.genmove_analyze(Form::Kata)
        }),
    ];

    fn boardsize(&mut self) -> Reply {
        let requested: usize = self.argument("boardsize NUMBER")?;
        let unacceptable = |problem: String| format!("unacceptable size: {problem}");
        match (self.session.game.board_size(), G::INFO.size_parameter) {
            (Some(size), _) if size == requested => {
                self.session.clear();
                done()
            }
            (None, _) | (_, "") => Err(unacceptable(format!("{} has one board", G::INFO.name))),
            (_, key) => {
                let game = self.session.with_parameter(key, &requested.to_string())?;
                let changed = self.session.change_game(&game).map_err(unacceptable);
                changed.and_then(|()| done())
            }
        }
    }

    /// Chooses and plays a move, in the given number of seconds or in a fraction of the clock.
    fn genmove(&mut self) -> Reply {
        let time = self.words.last().and_then(|word| seconds(word));
        let color = &self.words[..self.words.len() - usize::from(time.is_some())];
        match color {
            [] => {}
            [color] => self.check_turn(color)?,
            _ => return syntax("genmove [COLOR] [SECONDS]"),
        }
        let seat = self.session.game.to_move(&self.session.position);
        let clock = &mut self.clocks[seat];
        let mv = self.session.choose_on_clock(time, clock, self.output)?;
        let reply = self.session.format_move(mv);
        self.session.play_choice(mv)?;
        text(reply)
    }

    fn time_settings(&mut self) -> Reply {
        let times: Vec<_> = self.words.iter().map_while(|word| seconds(word)).collect();
        let [main, period, stones] = *times else {
            return syntax("time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES");
        };
        let stones = stones.as_secs() as u32;
        *self.clocks = [canadian(main, period, stones); 2];
        done()
    }

    /// Sets the clock; KGS's `byoyomi` is a number of periods of one move.
    fn kgs_time_settings(&mut self) -> Reply {
        let (kind, words) = self.words.split_first().unwrap_or((&"", &[]));
        let times: Vec<_> = words.iter().map_while(|word| seconds(word)).collect();
        let clock = match (*kind, &*times) {
            ("none", []) => None,
            ("absolute", &[main]) => Some(Clock::new(main, None)),
            ("canadian", &[main, period, stones]) => {
                canadian(main, period, stones.as_secs() as u32)
            }
            ("byoyomi", &[main, period, _]) => {
                let overtime = Overtime {
                    period,
                    moves: 1,
                    counts_periods: true,
                };
                Some(Clock::new(
                    main,
                    Some(overtime).filter(|_| !period.is_zero()),
                ))
            }
            _ => {
                return syntax(
                    "kgs-time_settings none, absolute MAIN_TIME, byoyomi MAIN_TIME PERIOD PERIODS \
                     or canadian MAIN_TIME PERIOD STONES",
                );
            }
        };
        *self.clocks = [clock; 2];
        done()
    }

    fn time_left(&mut self) -> Reply {
        let [color, time, stones] = self.words else {
            return syntax("time_left COLOR TIME STONES");
        };
        let seat = self.seat(color)?;
        let (Some(time), Ok(stones)) = (seconds(time), stones.parse()) else {
            return syntax("time_left COLOR TIME STONES");
        };
        let clock = &mut self.clocks[seat];
        let clock = clock.get_or_insert_with(|| Clock::new(time, None));
        clock.update(time, stones);
        done()
    }

    /// Plays moves, each after its roll where there are dice; on an error none.
    fn playgame(&mut self) -> Reply {
        let (die_before, mut num_played) = (self.session.die, 0);
        for word in self.words {
            let played = match word.parse() {
                Ok(face) => self.session.set_die(face),
                Err(_) => self.session.play(word).map(|()| num_played += 1),
            };
            if let Err(problem) = played {
                (0..num_played).try_for_each(|_| self.session.undo())?;
                self.session.die = die_before;
                return Err(format!("illegal move: {word}: {problem}"));
            }
        }
        done()
    }

    fn winner(&mut self) -> Reply {
        let title = |seat| self.session.game.seat_title(seat);
        let winner = self.session.winner();
        let winner = winner.map_or("none", |winner| winner.map_or("draw", title));
        text(winner.to_lowercase().replace(' ', "_"))
    }

    /// Result of a finished game: `B+12` if the game has scores, else `B+1`; `0` for a draw.
    fn final_score(&mut self) -> Reply {
        let session = &self.session;
        let winner = session
            .winner()
            .ok_or("cannot score: the game is not over")?;
        let score = session.game.final_score(&session.position);
        let lead = score.map_or(1, |(_, lead)| lead.unsigned_abs());
        text(match winner {
            None => "0".to_owned(),
            Some(seat) if seat == session.black() => format!("B+{lead}"),
            Some(_) => format!("W+{lead}"),
        })
    }

    /// Loads a game from a file, up to its end or to before a move number.
    fn loadsgf(&mut self) -> Reply {
        let (name, before) = match self.words {
            [] => return syntax("loadsgf FILE [MOVE_NUMBER]"),
            [name @ .., number] if !name.is_empty() && number.parse::<usize>().is_ok() => {
                (name, number.parse().ok())
            }
            name => (name, None),
        };
        let load = self.session.load(&name.join(" "), before);
        load.map_err(|problem| format!("cannot load file: {problem}"))?;
        done()
    }

    fn argument<T: FromStr>(&self, usage: &str) -> Result<T, String> {
        match self.words {
            [word] => word.parse().or_else(|_| syntax(usage)),
            _ => syntax(usage),
        }
    }
}

/// By the standard a period without stones means no limit: `None`.
fn canadian(main: Duration, period: Duration, stones: u32) -> Option<Clock> {
    match (period.is_zero(), stones) {
        (true, _) => Some(Clock::new(main, None)),
        (false, 0) => None,
        (false, moves) => {
            let overtime = Overtime {
                period,
                moves,
                counts_periods: false,
            };
            Some(Clock::new(main, Some(overtime)))
        }
    }
}
