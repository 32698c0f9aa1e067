//! How a program wants to be spoken to: its protocol, and what its authors understood by it.
//!
//! `docs/protocols.md` has every key, and the named sets. Invariant: a set is nothing but keys with
//! values, each of which a player's notation may say otherwise.

use engine::play::notation::{Arguments, Notation, Problem};
use std::time::Duration;

/// Sets of keys by name, and the programs they are for.
pub const SETS: [(&str, &str); 7] = [
    // Lajkonik: whole seconds with each genmove; the size is that which it was built for.
    (
        "lajkonik",
        "gtp(time=genmove, colours=\"w b\", game=\"boardsize {size}; clear_board\")",
    ),
    // Castro: time on a line of its own.
    (
        "castro",
        "gtp(time=\"time -m {seconds}\", colours=\"w b\", game=\"boardsize {size}; clear_board\")",
    ),
    // GRhino's gtp-rhino: capitals; it passes by itself and refuses to be told; it heeds no time.
    ("grhino", "gtp(case=upper, pass=none)"),
    // NTest and others that play behind NBoard.
    ("nboard", "nboard"),
    // The tournaments in Taiwan.
    ("tcga", "tcga"),
    // Clients of BGCI.
    ("bgci", "ubgi"),
    // HavannahGui and its programs: seconds a game are told move by move.
    (
        "havannahgui",
        "gtp(time=left, game=\"boardsize {size}; clear_board\")",
    ),
];

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Our own.
    Lines,
    /// That of the computer games courses in Taiwan.
    Tcga,
    /// The Go Text Protocol, version 2.
    Gtp,
    /// The interface of backgammon engines.
    Ubgi,
    /// NBoard's.
    NBoard,
}

const PROTOCOLS: [(&str, Protocol); 5] = [
    ("lines", Protocol::Lines),
    ("tcga", Protocol::Tcga),
    ("gtp", Protocol::Gtp),
    ("ubgi", Protocol::Ubgi),
    ("nboard", Protocol::NBoard),
];

/// How time is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Time {
    /// Not at all.
    None,
    /// At the beginning: `time_settings 0 S 1`, and TCGA's `time_setting`.
    Settings,
    /// Before each question: `time_left COLOUR S 1`.
    Left,
    /// As an argument of genmove.
    Genmove,
    /// By a line of its own when a game begins.
    Line(String),
}

/// How squares are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Squares {
    /// As we do, which is as HavannahGui does.
    Ours,
    /// As Little Golem does: the numbers of each letter begin with 1.
    Golem,
    /// Rows counted from the top.
    Top,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The protocol.
    pub protocol: Protocol,
    /// The version of our own protocol.
    pub version: u32,
    /// Lines to be said when the program has started.
    pub init: Vec<String>,
    /// Lines to be said when a game begins; `None` as the protocol has it.
    pub game: Option<Vec<String>>,
    /// How time is told.
    pub time: Time,
    /// Whether moves are told in capitals.
    pub capitals: bool,
    /// The word for a pass; `none` if passes are not told.
    pub pass: String,
    /// How squares are named.
    pub squares: Squares,
    /// Words for the seats; `None` for their titles.
    pub colours: Option<[String; 2]>,
    /// Whether the first colour is that of whoever begins.
    pub first_begins: bool,
    /// Whether each game has a process of its own.
    pub one_game: bool,
    /// How long the program is told to think about a move.
    pub think: Duration,
    /// How long it may take for a move.
    pub time_of_move: Duration,
    /// How long it may take to start, and to begin a game.
    pub time_of_start: Duration,
}

/// How long a program may take to start, unless a move may take longer, in milliseconds.
const STARTING: u64 = 10_000;

/// Default time for a move, in milliseconds.
const MILLISECONDS: u64 = 10_000;

/// The values of keys: as said, or as the set has it.
struct Said<'a, 'b> {
    arguments: &'b mut Arguments<'a>,
    set: Notation,
}

impl Said<'_, '_> {
    fn text(&mut self, key: &'static str) -> Result<Option<(String, usize)>, Problem> {
        if let Some(value) = self.arguments.take_named(key)? {
            return Ok(Some((value.name.clone(), value.character)));
        }
        let of_set = self.set.says(key);
        Ok(of_set.map(|value| (value.name.clone(), 1)))
    }

    fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&str, T)]) -> Result<T, Problem> {
        let Some((text, character)) = self.text(key)? else {
            return Ok(choices[0].1);
        };
        let chosen = choices.iter().find(|(name, _)| *name == text);
        chosen.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let names = names.join(" or ");
            (character, format!("'{key}' is {names}, not '{text}'"))
        })
    }

    /// Lines, divided by semicolons.
    fn lines(&mut self, key: &'static str) -> Result<Option<Vec<String>>, Problem> {
        let lines = |(text, _): (String, usize)| {
            let lines = text.split(';').map(|line| line.trim().to_owned());
            lines.filter(|line| !line.is_empty()).collect()
        };
        Ok(self.text(key)?.map(lines))
    }

    fn time(&mut self, protocol: Protocol) -> Result<Time, Problem> {
        let usual = match protocol {
            Protocol::Tcga => Time::Settings,
            _ => Time::None,
        };
        let Some((text, character)) = self.text("time")? else {
            return Ok(usual);
        };
        let gtp = protocol == Protocol::Gtp;
        match &*text {
            "none" => Ok(Time::None),
            "settings" if gtp || protocol == Protocol::Tcga => Ok(Time::Settings),
            "left" if gtp => Ok(Time::Left),
            "genmove" if gtp => Ok(Time::Genmove),
            line if line.contains(' ') => Ok(Time::Line(text)),
            _ => Err((
                character,
                format!(
                    "'time' is none, in GTP settings, left or genmove, in TCGA settings, or a line such as \"time -m {{seconds}}\", not '{text}'"
                ),
            )),
        }
    }
}

impl Dialect {
    /// What a player's notation says of it.
    ///
    /// # Errors
    /// If a value is none of those there are.
    pub fn read(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let milliseconds = arguments.number("ms", 1..=86_400_000, MILLISECONDS)?;
        let named = arguments.take_named("dialect")?;
        let set = named.map(|value| {
            let found = SETS.iter().find(|(name, _)| *name == value.name);
            let notation = found.and_then(|(_, set)| Notation::parse(set).ok());
            notation.ok_or_else(|| {
                let names = SETS.map(|(name, _)| name).join(" or ");
                value.wrong(format!("'dialect' is {names}, not '{value}'"))
            })
        });
        let set = set.transpose()?.unwrap_or_else(|| Notation::new("lines"));
        let of_set = PROTOCOLS.iter().position(|(name, _)| *name == set.name);
        let mut protocols = PROTOCOLS;
        protocols.swap(0, of_set.unwrap_or(0));
        let mut said = Said { arguments, set };
        let protocol = said.choice("protocol", &protocols)?;
        if let Some(named) = named.filter(|_| protocol != protocols[0].1) {
            let speaks = protocols[0].0;
            return Err(named.wrong(format!("'{named}' speaks {speaks}: leave 'protocol' out")));
        }
        let colours = said.text("colours")?;
        let colours = colours.map(|(text, character)| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            let wanted = "two words for those who move first and second, such as \"b w\"";
            <[String; 2]>::try_from(words)
                .map_err(|_| (character, format!("'colours' is {wanted}, not '{text}'")))
        });
        let pass = said.text("pass")?;
        let capitals = said.choice("case", &[("lower", false), ("upper", true)])?;
        let usual_pass = match (protocol, capitals) {
            (Protocol::NBoard, _) => "PA",
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
            version: said.choice("version", &[("1", 1), ("2", 2)])?,
            init: said.lines("init")?.unwrap_or_default(),
            game: said.lines("game")?,
            time: said.time(protocol)?,
            capitals,
            pass: pass.map_or(usual_pass.to_owned(), |(word, _)| word),
            squares: said.choice("squares", &squares)?,
            colours: colours.transpose()?,
            first_begins: said.choice("begins", &[("seat", false), ("first", true)])?,
            one_game: said.choice("process", &[("match", false), ("game", true)])?,
            think: Duration::ZERO,
            time_of_move: Duration::from_millis(milliseconds),
            time_of_start: Duration::ZERO,
        };
        let starting = arguments.number_named("start_ms", 1..=86_400_000)?;
        let starting = starting.unwrap_or(STARTING.max(milliseconds));
        let think = arguments.number_named("think", 1..=86_400_000)?;
        let think = think.unwrap_or((milliseconds - milliseconds / 10).max(1));
        let dialect = Self {
            think: Duration::from_millis(think),
            time_of_start: Duration::from_millis(starting),
            ..dialect
        };
        if dialect.tells_seconds() && 1000 * dialect.seconds() >= milliseconds {
            let told = dialect.seconds();
            return Err((
                1,
                format!(
                    "the program would be told to think for {told} s, and be stopped after {milliseconds} ms: say ms={} or more",
                    1000 * told + 500
                ),
            ));
        }
        Ok(dialect)
    }

    /// Whole seconds a move, as most programs want them.
    pub(super) fn seconds(&self) -> u64 {
        self.think.as_secs().max(1)
    }

    fn tells_seconds(&self) -> bool {
        match &self.time {
            Time::None => false,
            Time::Line(line) => line.contains("{seconds}"),
            _ => self.protocol == Protocol::Gtp,
        }
    }
}
