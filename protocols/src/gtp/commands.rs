//! The commands of GTP: those that the standard asks for, Lajkonik's, and our own.

use super::{Answered, Call, Gtp, done, same, syntax, text};
use crate::clock::Clock;
use crate::{Next, Spoken, seconds};
use std::{str::FromStr, time::Duration};

/// A command's name and what it does.
type Command<G> = (&'static str, fn(&mut Gtp<G>, &mut Call<'_>) -> Answered);

impl<G: Spoken> Gtp<G> {
    pub(super) const COMMANDS: &[Command<G>] = &[
        ("protocol_version", |_, _| text("2")),
        ("name", |_, _| text("Alea")),
        ("version", |_, _| text(env!("CARGO_PKG_VERSION"))),
        ("known_command", |_, call| {
            let name = call.words.first().copied().unwrap_or_default();
            let known = Self::COMMANDS.iter().any(|(known, _)| same(known, name));
            text(known.to_string())
        }),
        ("list_commands", |_, _| {
            let names: Vec<&str> = Self::COMMANDS.iter().map(|(name, _)| *name).collect();
            text(names.join("\n"))
        }),
        ("quit", |gtp, _| {
            gtp.sitting.next = Next::End;
            done()
        }),
        ("boardsize", Self::boardsize),
        ("clear_board", |gtp, _| {
            gtp.sitting.clear();
            done()
        }),
        ("komi", |_, call| {
            only::<f64>(call, "komi NUMBER")?;
            done()
        }),
        ("play", |gtp, call| {
            let [color, mv] = call.words else {
                return syntax("play COLOR MOVE");
            };
            // A colour that is none is said to be that.
            gtp.seat(color)?;
            let played = gtp.turn(color).and_then(|()| gtp.sitting.play(mv));
            played.map_err(|problem| format!("illegal move: {problem}"))?;
            done()
        }),
        ("genmove", Self::genmove),
        ("undo", |gtp, _| gtp.sitting.undo().and_then(|()| done())),
        ("showboard", |gtp, _| {
            text(
                gtp.sitting
                    .game
                    .draw(&gtp.sitting.position, gtp.sitting.die),
            )
        }),
        ("time_settings", Self::time_settings),
        ("time_left", Self::time_left),
        ("roll", |gtp, _| text(gtp.sitting.roll()?.to_string())),
        ("dice", |gtp, call| {
            let face = only(call, "dice NUMBER")?;
            gtp.sitting.set_die(face).and_then(|()| done())
        }),
        ("playgame", Self::playgame),
        ("winner", Self::winner),
        ("havannah_winner", Self::winner),
        ("position", |gtp, call| match call.words {
            [] => {
                let sitting = &gtp.sitting;
                text(sitting.game.format_position(&sitting.position, sitting.die))
            }
            words => gtp
                .sitting
                .set_position(&words.join(" "))
                .and_then(|()| done()),
        }),
        ("set_game", |gtp, call| match call.words {
            [] => text(gtp.sitting.game.notation()),
            words => gtp
                .sitting
                .change_game(&words.join(" "))
                .and_then(|()| done()),
        }),
        ("gridcoords", |gtp, call| {
            let on = call.words != ["off"];
            if on && gtp.sitting.game.on_grid("a1", false).is_none() {
                return Err(format!("{} has no other coordinates", G::NAME));
            }
            gtp.sitting.grid = on;
            done()
        }),
        ("set_random_seed", |gtp, call| {
            gtp.sitting.set_seed(only(call, "set_random_seed NUMBER")?);
            done()
        }),
        ("set_option", |gtp, call| {
            match call.words {
                ["player", words @ ..] => gtp.sitting.set_player(&words.join(" "))?,
                [key, words @ ..] => gtp.sitting.set_option(key, &words.join(" "))?,
                [] => return syntax("set_option NAME VALUE"),
            }
            done()
        }),
        ("get_option", |gtp, call| {
            let key: String = only(call, "get_option NAME")?;
            if key == "player" {
                return text(gtp.sitting.player.to_string());
            }
            let mut options = gtp.sitting.options().into_iter();
            let found = options.find(|(known, _)| *known == key);
            let unknown = || format!("there is no '{key}'; list_options tells what there is");
            text(found.ok_or_else(unknown)?.1)
        }),
        ("list_options", |gtp, _| {
            let player = ("player".to_owned(), gtp.sitting.player.to_string());
            let all = [vec![player], gtp.sitting.options()].concat();
            let lines = all.iter().map(|(key, value)| format!("{key} = {value}\n"));
            text(lines.collect::<String>())
        }),
        ("get_eval", |gtp, _| {
            text(format!("{:.2}", 100.0 * gtp.sitting.value()?))
        }),
        ("get_sgf", |gtp, _| text(gtp.sitting.written()?)),
        ("dump_tree", Self::dump_tree),
        ("solve", Self::solve),
        ("analyze", Self::analyze),
        ("lz-analyze", Self::analyze),
    ];

    fn boardsize(&mut self, call: &mut Call<'_>) -> Answered {
        let wanted: usize = only(call, "boardsize NUMBER")?;
        let unfit = |problem: String| format!("unacceptable size: {problem}");
        match self.sitting.game.size() {
            Some((size, _)) if size == wanted => {
                self.sitting.clear();
                done()
            }
            None | Some((_, "")) => Err(unfit(format!("{} has one board", G::NAME))),
            Some((_, key)) => {
                let game = self.sitting.with_parameter(key, &wanted.to_string())?;
                let changed = self.sitting.change_game(&game).map_err(unfit);
                changed.and_then(|()| done())
            }
        }
    }

    /// The time that a move may take: that which is asked for, else a share of the clock.
    fn genmove(&mut self, call: &mut Call<'_>) -> Answered {
        let last = call.words.last().and_then(|word| seconds(word));
        let color = &call.words[..call.words.len() - usize::from(last.is_some())];
        match color {
            [] => {}
            [color] => self.turn(color)?,
            _ => return syntax("genmove [COLOR] [SECONDS]"),
        }
        let seat = self.sitting.game.to_move(&self.sitting.position);
        let mv = self.sitting.think_on(last, &mut self.clocks[seat])?;
        self.sitting.play(&mv)?;
        text(mv)
    }

    fn time_settings(&mut self, call: &mut Call<'_>) -> Answered {
        let times: Vec<_> = call.words.iter().map_while(|word| seconds(word)).collect();
        let [main, period, stones] = *times else {
            return syntax("time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES");
        };
        let stones = stones.as_secs() as u32;
        self.clocks = [match (period.is_zero(), stones) {
            (true, _) => Some(Clock::new(main, period, 0)),
            // So the standard says that there is no limit.
            (false, 0) => None,
            _ => Some(Clock::new(main, period, stones)),
        }; 2];
        done()
    }

    fn time_left(&mut self, call: &mut Call<'_>) -> Answered {
        let [color, time, stones] = call.words else {
            return syntax("time_left COLOR TIME STONES");
        };
        let seat = self.seat(color)?;
        let (Some(time), Ok(stones)) = (seconds(time), stones.parse()) else {
            return syntax("time_left COLOR TIME STONES");
        };
        let clock = &mut self.clocks[seat];
        let clock = clock.get_or_insert_with(|| Clock::new(time, Duration::ZERO, 0));
        clock.tell(time, stones);
        done()
    }

    /// Moves in turn, each after what was rolled for it where there are dice; all of them or none.
    fn playgame(&mut self, call: &mut Call<'_>) -> Answered {
        let (before, mut made) = (self.sitting.die, 0);
        for word in call.words {
            let played = match word.parse() {
                Ok(face) => self.sitting.set_die(face),
                Err(_) => self.sitting.play(word).map(|()| made += 1),
            };
            if let Err(problem) = played {
                (0..made).try_for_each(|_| self.sitting.undo())?;
                self.sitting.die = before;
                return Err(format!("illegal move: {word}: {problem}"));
            }
        }
        done()
    }

    fn winner(&mut self, _: &mut Call<'_>) -> Answered {
        let title = |seat| self.sitting.game.seat_title(seat);
        let winner = self.sitting.winner();
        let winner = winner.map_or("none", |winner| winner.map_or("draw", title));
        text(winner.to_lowercase().replace(' ', "_"))
    }
}

/// The one argument, a number or the like.
fn only<T: FromStr>(call: &Call<'_>, usage: &str) -> Result<T, String> {
    match call.words {
        [word] => word.parse().or_else(|_| syntax(usage)),
        _ => syntax(usage),
    }
}
