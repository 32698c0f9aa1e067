//! Options of other programs: a protocol with the dialect of one program
//! (`docs/other-programs.md`). Keys of a player's spec override those of a preset.

use super::protocol::{NBOARD_MOVES_ONLY, PROTOCOLS, Protocol};
use alea_play::player_notation::{Arguments, Notation, Problem};
use std::time::Duration;

pub(super) const PRESETS: [(&str, &str); 7] = [
    // Takes integer seconds with each `genmove`; its board size is compiled in.
    ("lajkonik", "gtp(time=genmove, colours=\"w b\")"),
    ("castro", "gtp(time=\"time -m {seconds}\", colours=\"w b\")"),
    // Writes moves in upper case, passes by itself, rejects a pass and ignores time.
    ("grhino", "gtp(case=upper, pass=none)"),
    ("nboard", "nboard"),
    ("tcga", "tcga"),
    ("bgci", "ubgi"),
    ("havannahgui", "gtp(time=left)"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Squares {
    Ours,
    Golem,
    Top,
}

/// Protocol and options of one program.
#[derive(Clone, Debug)]
pub struct Dialect {
    pub(super) protocol: &'static Protocol,
    pub(super) version: u32,
    /// Lines sent at the program's start; `game` has those for each game.
    pub(super) init: String,
    pub(super) game: String,
    /// How the program is told its thinking time: one of the protocol's ways (`none`, `settings`, …),
    /// or a line to send at the start of each game.
    pub(super) time: String,
    pub(super) capitals: bool,
    /// Program's word for a pass; `none` if passes are not sent.
    pub(super) pass: String,
    pub(super) squares: Squares,
    pub(super) colours: Option<[String; 2]>,
    pub(super) first_begins: bool,
    pub(super) one_game: bool,
    pub(super) think: Duration,
    pub(super) time_of_move: Duration,
    pub(super) time_of_start: Duration,
}

const START_TIMEOUT_MS: u64 = 10_000;

const MOVE_TIMEOUT_MS: u64 = 10_000;

struct KeyValues<'a, 'b, 'c> {
    arguments: &'b mut Arguments<'a>,
    set: Arguments<'c>,
}

impl KeyValues<'_, '_, '_> {
    fn value(&mut self, key: &'static str) -> Result<Option<Notation>, Problem> {
        let keys = self.arguments.take_named(key)?;
        Ok(keys.or(self.set.take_named(key)?).cloned())
    }

    fn text(&mut self, key: &'static str) -> Result<Option<String>, Problem> {
        Ok(self.value(key)?.map(|value| value.name))
    }

    fn milliseconds(&mut self, key: &'static str, default: u64) -> Result<Duration, Problem> {
        let keys = self.arguments.number_named(key, 1..=86_400_000)?;
        Ok(Duration::from_millis(keys.unwrap_or(default)))
    }

    fn parse_choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&str, T)],
    ) -> Result<T, Problem> {
        let value = self.value(key)?;
        let Some(value) = value else {
            return Ok(choices[0].1);
        };
        let chosen = choices.iter().find(|(name, _)| *name == value.name);
        chosen.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let (names, text) = (names.join(" or "), &value.name);
            value.problem_here(format!("'{key}' is {names}, not '{text}'"))
        })
    }

    fn time_control(&mut self, protocol: &Protocol) -> Result<String, Problem> {
        let Some(value) = self.value("time")? else {
            return Ok(protocol.times[0].to_owned());
        };
        let text = &value.name;
        if protocol.times.contains(&&**text) || text.contains(' ') {
            return Ok(value.name);
        }
        Err(value.problem_here(format!(
            "'time' is none, in GTP settings, left or genmove, in TCGA settings, or a line such as \"time -m {{seconds}}\", not '{text}'"
        )))
    }
}

impl Dialect {
    /// Reads the options from the keys of a player's spec.
    ///
    /// # Errors
    /// If a value is invalid.
    pub fn read(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let milliseconds = arguments.number("ms", 1..=86_400_000, MOVE_TIMEOUT_MS)?;
        let named = arguments.take_named("dialect")?;
        let set = named.map(|value| {
            let preset = PRESETS.iter().find(|(name, _)| *name == value.name);
            let notation = preset.and_then(|(_, set)| Notation::parse(set).ok());
            notation.ok_or_else(|| {
                let names = PRESETS.map(|(name, _)| name).join(" or ");
                value.problem_here(format!("'dialect' is {names}, not '{value}'"))
            })
        });
        let set = set.transpose()?.unwrap_or_else(|| Notation::new("lines"));
        let mut protocols: Vec<_> = PROTOCOLS.iter().map(|one| (one.name, one)).collect();
        let of_set = protocols.iter().position(|(name, _)| *name == set.name);
        protocols.swap(0, of_set.unwrap_or(0));
        let default_protocol = protocols[0].0;
        let set = Arguments::of(&set);
        let mut keys = KeyValues { arguments, set };
        let protocol = keys.parse_choice("protocol", &protocols)?;
        if let Some(named) = named.filter(|_| protocol.name != default_protocol) {
            return Err(named.problem_here(format!(
                "'{named}' speaks {default_protocol}: leave 'protocol' out"
            )));
        }
        let by_moves = keys.parse_choice("setboard", &[("on", false), ("off", true)])?;
        let protocol = match (protocol.name, by_moves) {
            (_, false) => protocol,
            ("nboard", true) => &NBOARD_MOVES_ONLY,
            (name, true) => {
                return Err((1, format!("'setboard=off' is for nboard, not for {name}")));
            }
        };
        let colours = keys.value("colours")?.map(|value| {
            let words: Vec<String> = value.name.split_whitespace().map(str::to_owned).collect();
            let expected = "two words for those who move first and second, such as \"b w\"";
            <[String; 2]>::try_from(words).map_err(|_| {
                value.problem_here(format!("'colours' is {expected}, not '{}'", value.name))
            })
        });
        let pass = keys.text("pass")?;
        let capitals = keys.parse_choice("case", &[("lower", false), ("upper", true)])?;
        let default_pass = match (protocol.name, capitals) {
            ("nboard", _) => "PA",
            (_, true) => "PASS",
            (_, false) => "pass",
        };
        let squares = [
            ("ours", Squares::Ours),
            ("golem", Squares::Golem),
            ("top", Squares::Top),
        ];
        let dialect = Self {
            protocol,
            version: keys.parse_choice("version", &[("1", 1), ("2", 2)])?,
            init: keys.text("init")?.unwrap_or_default(),
            game: keys.text("game")?.unwrap_or(protocol.game.to_owned()),
            time: keys.time_control(protocol)?,
            capitals: capitals || protocol.name == "nboard",
            pass: pass.unwrap_or(default_pass.to_owned()),
            squares: match keys.parse_choice("squares", &squares)? {
                _ if protocol.name == "tcga" => Squares::Top,
                squares => squares,
            },
            colours: colours.transpose()?,
            first_begins: keys.parse_choice("begins", &[("seat", false), ("first", true)])?,
            one_game: keys.parse_choice("process", &[("match", false), ("game", true)])?,
            time_of_move: Duration::from_millis(milliseconds),
            time_of_start: keys.milliseconds("start_ms", START_TIMEOUT_MS.max(milliseconds))?,
            think: keys.milliseconds("think", (milliseconds - milliseconds / 10).max(1))?,
        };
        let translates =
            dialect.capitals || dialect.pass != "pass" || !matches!(dialect.squares, Squares::Ours);
        if protocol.name == "lines" && translates {
            let problem = "lines has our notation: leave 'case', 'pass' and 'squares' out";
            return Err((1, problem.to_owned()));
        }
        let seconds = dialect.think_seconds();
        if dialect.sends_seconds() && 1000 * seconds >= milliseconds {
            return Err((
                1,
                format!(
                    "the program would be told to think for {seconds} s, and be stopped after {milliseconds} ms: say ms={} or more",
                    1000 * seconds + 500
                ),
            ));
        }
        Ok(dialect)
    }

    pub(super) fn think_seconds(&self) -> u64 {
        self.think.as_secs().max(1)
    }

    fn sends_seconds(&self) -> bool {
        match &*self.time {
            "none" => false,
            line if line.contains(' ') => line.contains("{seconds}"),
            _ => self.protocol.name == "gtp",
        }
    }
}
