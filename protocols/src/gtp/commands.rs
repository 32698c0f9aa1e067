//! The commands of GTP: those that the standard asks for, Lajkonik's, and our own.

use super::{Answered, Call, Command, Gtp, done, same, syntax, text};
use crate::clock::Clock;
use std::{
    str::FromStr,
    time::{Duration, Instant},
};

/// All of them: first those that the standard asks for.
pub(super) const COMMANDS: &[Command] = &[
    ("protocol_version", |_, _| text("2")),
    ("name", |_, _| text("Alea")),
    ("version", |_, _| text(env!("CARGO_PKG_VERSION"))),
    ("known_command", known_command),
    ("list_commands", |_, _| {
        let names: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
        text(names.join("\n"))
    }),
    ("quit", |gtp, _| {
        gtp.quits = true;
        done()
    }),
    ("boardsize", boardsize),
    ("clear_board", |gtp, _| {
        gtp.session.clear();
        done()
    }),
    ("komi", |_, call| {
        only::<f64>(call, "komi NUMBER").map(drop)?;
        done()
    }),
    ("play", play),
    ("genmove", genmove),
    ("reg_genmove", |gtp, call| {
        let time = asked_of(gtp, call, "reg_genmove [COLOR] [SECONDS]")?;
        text(gtp.session.think(time)?.mv)
    }),
    ("undo", |gtp, _| match gtp.session.undo() {
        true => done(),
        false => Err("cannot undo".to_owned()),
    }),
    ("showboard", |gtp, _| text(gtp.session.board())),
    ("time_settings", time_settings),
    ("time_left", time_left),
    ("roll", |gtp, _| text(gtp.session.roll()?.to_string())),
    ("dice", |gtp, call| {
        let face = only(call, "dice NUMBER")?;
        gtp.session.set_die(face)?;
        done()
    }),
    ("playgame", playgame),
    ("winner", winner),
    ("havannah_winner", winner),
    ("set_random_seed", |gtp, call| {
        let seed = only(call, "set_random_seed NUMBER")?;
        gtp.session.set_seed(seed);
        done()
    }),
    ("position", |gtp, call| match call.words {
        [] => text(gtp.session.position()),
        words => {
            gtp.session.set_position(&words.join(" "))?;
            done()
        }
    }),
    ("set_game", |gtp, call| match call.words {
        [] => text(gtp.session.game()),
        words => {
            gtp.change_game(&words.join(" "))?;
            done()
        }
    }),
    ("gridcoords", |gtp, _| {
        gtp.session.set_grid(true)?;
        done()
    }),
    ("classiccoords", |gtp, _| {
        gtp.session.set_grid(false)?;
        done()
    }),
    ("set_option", set_option),
    ("get_option", get_option),
    ("show_option", get_option),
    ("list_options", |gtp, _| {
        let options = gtp.session.options();
        let line = |key: &String| {
            let value = gtp.session.option(key);
            format!("{key} = {}", value.as_deref().unwrap_or("default"))
        };
        let lines: Vec<String> = options.iter().map(line).collect();
        text(format!(
            "player = {}\n{}",
            gtp.session.player(),
            lines.join("\n")
        ))
    }),
    ("get_eval", |gtp, _| {
        let value = gtp.session.value()?;
        text(format!("{:.2}", 100.0 * value))
    }),
    ("get_sgf", |gtp, _| text(gtp.session.written()?)),
    ("dump_tree", super::analysis::dump_tree),
    ("solve", super::analysis::solve),
    ("analyze", super::analysis::analyze),
    ("lz-analyze", super::analysis::analyze),
];

/// The one argument, a number or the like.
fn only<T: FromStr>(call: &Call<'_>, usage: &str) -> Result<T, String> {
    match call.words {
        [word] => word.parse().or_else(|_| syntax(usage)),
        _ => syntax(usage),
    }
}

/// Seconds, from 0 to a year.
pub(super) fn seconds(word: &str) -> Option<Duration> {
    let seconds: f64 = word.parse().ok()?;
    let year = 0.0..=31_536_000.0;
    year.contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

fn known_command(_: &mut Gtp, call: &mut Call<'_>) -> Answered {
    let name = call.words.first().copied().unwrap_or_default();
    let known = COMMANDS.iter().any(|(known, _)| same(known, name));
    text(known.to_string())
}

fn boardsize(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    let size = only(call, "boardsize NUMBER")?;
    let game = gtp.session.with_size(size);
    let game = game.map_err(|problem| format!("unacceptable size: {problem}"))?;
    if game == gtp.session.game() {
        gtp.session.clear();
    } else {
        gtp.change_game(&game)?;
    }
    done()
}

fn play(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    let [color, mv] = call.words else {
        return syntax("play COLOR MOVE");
    };
    let illegal = |problem| format!("illegal move: {problem}");
    // A colour that is none is said to be that.
    gtp.seat(color)?;
    gtp.turn(color).map_err(illegal)?;
    gtp.session.play(mv).map_err(illegal)?;
    done()
}

/// The time that a move may take: that which is asked for, else a share of the clock.
fn asked_of(gtp: &Gtp, call: &Call<'_>, usage: &str) -> Result<Option<Duration>, String> {
    let (color, asked) = match call.words {
        [] => (None, None),
        [word] => match seconds(word) {
            Some(asked) => (None, Some(asked)),
            None => (Some(word), None),
        },
        [color, word] => match seconds(word) {
            Some(asked) => (Some(color), Some(asked)),
            None => return syntax(usage),
        },
        _ => return syntax(usage),
    };
    if let Some(color) = color {
        gtp.turn(color)?;
    }
    let clock = gtp.clocks[gtp.session.to_move()];
    Ok(asked.or_else(|| Some(clock?.share(gtp.session.moves_left()))))
}

fn genmove(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    let time = asked_of(gtp, call, "genmove [COLOR] [SECONDS]")?;
    let (began, seat) = (Instant::now(), gtp.session.to_move());
    let choice = gtp.session.think(time)?;
    gtp.session.play(&choice.mv)?;
    if let Some(clock) = &mut gtp.clocks[seat] {
        clock.spend(began.elapsed());
    }
    text(choice.mv)
}

fn time_settings(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    const USAGE: &str = "time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES";
    let [main, period, stones] = call.words else {
        return syntax(USAGE);
    };
    let (Some(main), Some(period), Ok(stones)) = (seconds(main), seconds(period), stones.parse())
    else {
        return syntax(USAGE);
    };
    // So the standard says that there is no limit.
    let is_limited = period.is_zero() || stones > 0;
    let stones = if period.is_zero() { 0 } else { stones };
    gtp.clocks = [is_limited.then(|| Clock::new(main, period, stones)); 2];
    done()
}

fn time_left(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    const USAGE: &str = "time_left COLOR TIME STONES";
    let [color, time, stones] = call.words else {
        return syntax(USAGE);
    };
    let seat = gtp.seat(color)?;
    let (Some(time), Ok(stones)) = (seconds(time), stones.parse()) else {
        return syntax(USAGE);
    };
    let clock = &mut gtp.clocks[seat];
    let clock = clock.get_or_insert_with(|| Clock::new(time, Duration::ZERO, 0));
    clock.tell(time, stones);
    done()
}

/// Moves in turn, each after what was rolled for it where there are dice; all of them or none.
fn playgame(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    let (before, mut made) = (gtp.session.die(), 0);
    for word in call.words {
        let face = word.parse().ok().filter(|_| gtp.session.faces().is_some());
        let played = match face {
            Some(face) => gtp.session.set_die(face),
            None => gtp.session.play(word).map(|()| made += 1),
        };
        if let Err(problem) = played {
            for _ in 0..made {
                gtp.session.undo();
            }
            gtp.session.restore_die(before);
            return Err(format!("illegal move: {word}: {problem}"));
        }
    }
    done()
}

fn winner(gtp: &mut Gtp, _: &mut Call<'_>) -> Answered {
    text(match gtp.session.winner() {
        None => "none".to_owned(),
        Some(None) => "draw".to_owned(),
        Some(Some(seat)) => gtp.name_of(seat),
    })
}

fn set_option(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    match call.words {
        ["player", notation @ ..] if !notation.is_empty() => {
            gtp.session.set_player(&notation.join(" "))?;
        }
        [key, value @ ..] if !value.is_empty() => {
            gtp.session.set_option(key, &value.join(" "))?;
        }
        _ => return syntax("set_option NAME VALUE"),
    }
    done()
}

fn get_option(gtp: &mut Gtp, call: &mut Call<'_>) -> Answered {
    match call.words {
        ["player"] => text(gtp.session.player()),
        [key] => match gtp.session.option(key) {
            Some(value) => text(value),
            None if gtp.session.options().iter().any(|known| known == key) => text("default"),
            None => Err(format!(
                "the player has no option '{key}'; 'list_options' tells them"
            )),
        },
        _ => syntax("get_option NAME"),
    }
}
