//! GTP commands of the standard and of Lajkonik (for Havannah), and extensions.

use super::{Call, Reply, analysis::Form, empty_reply, is_same_command, syntax_error, text_reply};
use crate::clock::{Clock, Overtime};
use crate::{Action, parse_seconds};
use alea_play::playable::Playable;
use alea_play::player_notation::Notation;
use std::{str::FromStr, time::Duration};

type Command<G> = (&'static str, fn(&mut Call<'_, G>) -> Reply);

impl<G: Playable> Call<'_, G> {
    pub(super) const COMMANDS: &'static [Command<G>] = &[
        ("protocol_version", |_| text_reply("2")),
        ("name", |_| text_reply("Alea")),
        ("version", |_| text_reply(env!("CARGO_PKG_VERSION"))),
        ("known_command", |call| {
            let name = call.words.first().copied().unwrap_or_default();
            let mut commands = Self::COMMANDS.iter();
            let is_known = commands.any(|(command, _)| is_same_command(command, name));
            text_reply(is_known.to_string())
        }),
        ("list_commands", |_| {
            let names: Vec<&str> = Self::COMMANDS.iter().map(|(name, _)| *name).collect();
            text_reply(names.join("\n"))
        }),
        ("quit", |call| {
            call.session.action = Action::Quit;
            empty_reply()
        }),
        ("stop", |_| empty_reply()),
        ("boardsize", |call| call.boardsize()),
        ("clear_board", |call| {
            call.session.start_new_game();
            empty_reply()
        }),
        ("komi", |call| {
            call.argument::<f64>("komi NUMBER")?;
            empty_reply()
        }),
        ("play", |call| {
            let [color, mv @ ..] = call.words else {
                return syntax_error("play COLOR MOVE");
            };
            if mv.is_empty() {
                return syntax_error("play COLOR MOVE");
            }
            call.parse_seat(color)?;
            let (mv, is_word) = (mv.join(" "), mv.len() == 1);
            if !is_word && call.session.parse_move(&mv).is_err() {
                return syntax_error("play COLOR MOVE");
            }
            let played = call.check_turn(color);
            let played = played.and_then(|()| call.session.play(&mv));
            played.map_err(|problem| format!("illegal move: {problem}"))?;
            empty_reply()
        }),
        ("genmove", |call| call.genmove()),
        ("undo", |call| {
            call.session.undo().and_then(|()| empty_reply())
        }),
        ("showboard", |call| {
            let session = &call.session;
            text_reply(session.game.text_diagram(&session.position, session.die))
        }),
        ("time_settings", |call| call.time_settings()),
        ("kgs-time_settings", |call| call.kgs_time_settings()),
        ("time_left", |call| call.time_left()),
        ("roll", |call| text_reply(call.session.roll()?)),
        ("dice", |call| {
            let dice = call.words.join(" ");
            if dice.is_empty() {
                return syntax_error("dice NUMBER");
            }
            call.session.set_die(&dice).and_then(|()| empty_reply())
        }),
        ("playgame", |call| call.playgame()),
        ("winner", |call| call.winner()),
        ("havannah_winner", |call| call.winner()),
        ("final_score", |call| call.final_score()),
        ("loadsgf", |call| call.loadsgf()),
        ("position", |call| match call.words {
            [] => {
                let session = &call.session;
                text_reply(session.game.format_position(&session.position, session.die))
            }
            words => {
                call.session.set_position(&words.join(" "))?;
                empty_reply()
            }
        }),
        ("set_game", |call| match call.words {
            [] => text_reply(call.session.game.notation()),
            words => {
                let game = Notation::parse(&words.join(" ")).map_err(|error| error.to_string())?;
                call.session.change_game(&game)?;
                empty_reply()
            }
        }),
        ("gridcoords", |call| {
            let is_on = call.words != ["off"];
            if is_on && call.session.game.format_alternate_notation("a1").is_none() {
                return Err(format!("{} has no other coordinates", G::INFO.name));
            }
            call.session.uses_alt_coordinates = is_on;
            empty_reply()
        }),
        ("set_random_seed", |call| {
            call.session
                .set_seed(call.argument("set_random_seed NUMBER")?);
            empty_reply()
        }),
        ("set_option", |call| {
            let [key, words @ ..] = call.words else {
                return syntax_error("set_option NAME VALUE");
            };
            call.session.set_option(key, &words.join(" "))?;
            empty_reply()
        }),
        ("get_option", |call| {
            let key: String = call.argument("get_option NAME")?;
            let mut options = call.session.options().into_iter();
            let found = options.find(|(name, _)| *name == key);
            let unknown = || format!("there is no '{key}'; list_options lists the options");
            text_reply(found.ok_or_else(unknown)?.1)
        }),
        ("list_options", |call| {
            let options = call.session.options().into_iter();
            let lines = options.map(|(key, value)| format!("{key} = {value}\n"));
            text_reply(lines.collect::<String>())
        }),
        ("get_eval", |call| {
            text_reply(format!("{:.2}", 100.0 * call.session.value(call.output)?))
        }),
        ("get_sgf", |call| text_reply(call.session.transcript()?)),
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
                self.session.start_new_game();
                empty_reply()
            }
            (None, _) | (_, "") => Err(unacceptable(format!("{} has one board", G::INFO.name))),
            (_, key) => {
                let game = self.session.with_parameter(key, &requested.to_string())?;
                let changed = self.session.change_game(&game).map_err(unacceptable);
                changed.and_then(|()| empty_reply())
            }
        }
    }

    fn genmove(&mut self) -> Reply {
        let time = self.words.last().and_then(|word| parse_seconds(word));
        let color = &self.words[..self.words.len() - usize::from(time.is_some())];
        match color {
            [] => {}
            [color] => self.check_turn(color)?,
            _ => return syntax_error("genmove [COLOR] [SECONDS]"),
        }
        let seat = self.session.game.to_move(&self.session.position);
        let clock = &mut self.clocks[seat];
        let mv = self.session.choose_on_clock(time, clock, self.output)?;
        let reply = self.session.format_move(mv);
        self.session.play_choice(mv)?;
        text_reply(reply)
    }

    fn time_settings(&mut self) -> Reply {
        let times: Vec<_> = self
            .words
            .iter()
            .map_while(|word| parse_seconds(word))
            .collect();
        let [main, period, stones] = *times else {
            return syntax_error("time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES");
        };
        let stones = stones.as_secs() as u32;
        *self.clocks = [canadian_clock(main, period, stones); 2];
        empty_reply()
    }

    fn kgs_time_settings(&mut self) -> Reply {
        let (kind, words) = self.words.split_first().unwrap_or((&"", &[]));
        let times: Vec<_> = words.iter().map_while(|word| parse_seconds(word)).collect();
        let clock = match (*kind, &*times) {
            ("none", []) => None,
            ("absolute", &[main]) => Some(Clock::new(main, None)),
            ("canadian", &[main, period, stones]) => {
                canadian_clock(main, period, stones.as_secs() as u32)
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
                return syntax_error(
                    "kgs-time_settings none, absolute MAIN_TIME, byoyomi MAIN_TIME PERIOD PERIODS \
                     or canadian MAIN_TIME PERIOD STONES",
                );
            }
        };
        *self.clocks = [clock; 2];
        empty_reply()
    }

    fn time_left(&mut self) -> Reply {
        let [color, time, stones] = self.words else {
            return syntax_error("time_left COLOR TIME STONES");
        };
        let seat = self.parse_seat(color)?;
        let (Some(time), Ok(stones)) = (parse_seconds(time), stones.parse()) else {
            return syntax_error("time_left COLOR TIME STONES");
        };
        let clock = &mut self.clocks[seat];
        let clock = clock.get_or_insert_with(|| Clock::new(time, None));
        clock.set_left(time, stones);
        empty_reply()
    }

    fn playgame(&mut self) -> Reply {
        let (die_before, mut num_played) = (self.session.die, 0);
        for word in self.words {
            let played = match word.bytes().all(|byte| byte.is_ascii_digit()) {
                true => self.session.set_die(word),
                false => self.session.play(word).map(|()| num_played += 1),
            };
            if let Err(problem) = played {
                (0..num_played).try_for_each(|_| self.session.undo())?;
                self.session.die = die_before;
                return Err(format!("illegal move: {word}: {problem}"));
            }
        }
        empty_reply()
    }

    fn winner(&mut self) -> Reply {
        let title = |seat| self.session.game.seat_title(seat);
        let winner = self.session.winner();
        let winner = winner.map_or("none", |winner| winner.map_or("draw", title));
        text_reply(winner.to_lowercase().replace(' ', "_"))
    }

    /// Formats winner and lead, such as `B+12`; the lead is 1 in games without scores, and a draw
    /// is `0`.
    fn final_score(&mut self) -> Reply {
        let session = &self.session;
        let winner = session
            .winner()
            .ok_or("cannot score: the game is not over")?;
        let score = session.game.final_score(&session.position);
        let lead = score.map_or(1, |(_, lead)| lead.unsigned_abs());
        text_reply(match winner {
            None => "0".to_owned(),
            Some(seat) if seat == session.black_seat() => format!("B+{lead}"),
            Some(_) => format!("W+{lead}"),
        })
    }

    fn loadsgf(&mut self) -> Reply {
        let (name, before) = match self.words {
            [] => return syntax_error("loadsgf FILE [MOVE_NUMBER]"),
            [name @ .., number] if !name.is_empty() && number.parse::<usize>().is_ok() => {
                (name, number.parse().ok())
            }
            name => (name, None),
        };
        let load = self.session.load_game(&name.join(" "), before);
        load.map_err(|problem| format!("cannot load file: {problem}"))?;
        empty_reply()
    }

    fn argument<T: FromStr>(&self, usage: &str) -> Result<T, String> {
        match self.words {
            [word] => word.parse().or_else(|_| syntax_error(usage)),
            _ => syntax_error(usage),
        }
    }
}

/// By the standard, a period without stones means no time limit: `None`.
fn canadian_clock(main: Duration, period: Duration, stones: u32) -> Option<Clock> {
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
