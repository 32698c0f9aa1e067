//! Lines that nobody would send, to every protocol: whatever is heard, what is said is well formed,
//! nothing panics and nothing goes on for ever.
//!
//! Lines of a real conversation are cut, doubled, mixed and spoilt by a seeded generator. The long
//! version, ten million lines for each protocol, runs with `--include-ignored`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use engine::core::random::RandomStream;
use engine::games::{
    einstein::Standard, havannah::Havannah, reversi::Reversi, reversixt::ReversiXt,
};
use engine::play::notation::Notation;
use protocols::{
    games::Spoken,
    gtp::Gtp,
    nboard::NBoard,
    protocol::{LONGEST_LINE, Outside, Protocol},
    session::{Open, Session, Terms},
    sitting::Sitting,
    tcga::Tcga,
    ubgi::Ubgi,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

const GTP: &[&str] = &[
    "1 protocol_version",
    "name",
    "version",
    "7 known_command genmove",
    "list_commands",
    "quit",
    "boardsize 5",
    "boardsize 4",
    "clear_board",
    "komi 6.5",
    "play b c1b2",
    "play w d3",
    "genmove",
    "genmove b",
    "genmove w 1",
    "12 reg_genmove",
    "undo",
    "showboard",
    "time_settings 60 10 5",
    "time_left b 10 0",
    "roll",
    "dice 3",
    "dice 6",
    "playgame 3 c1b2 a1 d3",
    "winner",
    "position",
    "havannah_winner # comment",
    "position 215../64.../3...e/...fb/..acd b -",
    "position a1 b2",
    "set_game reversi(size=4)",
    "set_game havannah(base=4, swap=on)",
    "set_game einstein",
    "gridcoords",
    "classiccoords",
    "set_option player random",
    "set_option depth 1",
    "set_option player star1(depth=1)",
    "get_option depth",
    "list_options",
    "get_eval",
    "get_sgf",
    "dump_tree",
    "analyze 1",
    "lz-analyze b interval 1",
    "play b swap",
    "play w pass",
    "play w a1",
];
const TCGA: &[&str] = &[
    "name",
    "version",
    "time_setting 240",
    "board_setting 5 6 2",
    "ini 0",
    "exit",
    "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3",
    "get B 6 E5 0 C5 E4 0 E3 A1 B1 C1 0 B2 A3",
    "get R 1 A2 0 0 0 0 0 D5 0 0 0 0 0",
    "get b 2 a1 0 0 0 0 0 d5 0 0 0 0 e5",
];
const UBGI: &[&str] = &[
    "ubgi",
    "isready",
    "newgame",
    "position alea 215../64.../3...e/...fb/..acd b",
    "dice 1",
    "go",
    "go chequer",
    "go cube",
    "keys",
    "set engine.ply 1",
    "get engine.ply",
    "get game.variant",
    "set game.variant nearest",
    "set engine.player random",
    "quit",
    "dice 3 1",
    "dice 6",
    "position alea ..1../...../...../a..../..2.. r",
    "position gnubgid 4HPwATDgc/ABMA",
];
const NBOARD: &[&str] = &[
    "nboard 2",
    "set depth 1",
    "go",
    "hint 3",
    "ping 4",
    "learn",
    "move F5",
    "move PA",
    "F5",
    "set game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5]W[F6];)",
    "move d6/1.5/2",
    "set contempt 0",
    "status",
    "quit",
    "move E3/0.5",
    "set myname x",
];

/// Players that decide at once, and no others.
fn permit(text: &str) -> Result<String, String> {
    let notation = Notation::parse(text).map_err(|error| error.to_string())?;
    let cheap = |value: &Notation| value.name.parse().map_or(true, |number: f64| number <= 1.0);
    let plain = |value: &Notation| value.arguments.is_empty() && !value.name.contains([':', '/']);
    let mut values = notation.arguments.iter().map(|argument| &argument.value);
    match values.all(|value| cheap(value) && plain(value)) {
        true if notation.name == "random" => Ok(text.to_owned()),
        true if notation.name == "star1" && text.contains("depth=1") => Ok(text.to_owned()),
        _ => Err("only random and star1(depth=1)".to_owned()),
    }
}

fn opened<G: Spoken>(game: &str) -> Result<Box<dyn Session>, String> {
    let rules = G::from_notation(game, None).map_err(|error| error.to_string())?;
    let terms = Terms {
        permit: Arc::new(permit),
        longest: Duration::from_millis(1),
        keeps_players: true,
        seed: 1,
    };
    Ok(Box::new(Sitting::open(rules, "random", terms)?))
}

fn open() -> Open {
    Arc::new(|game| {
        let name = Notation::parse(game)
            .map_err(|error| error.to_string())?
            .name;
        match &*name {
            "einstein" => opened::<Standard>(game),
            "havannah" => opened::<Havannah>(game),
            "reversi" => opened::<Reversi>(game),
            // It reads no file that a line names.
            "reversixt" if game == name => opened::<ReversiXt>(game),
            _ => Err("there is no such game".to_owned()),
        }
    })
}

/// Hears all that is said, and always has the next line ready.
#[derive(Default)]
struct Ears(String);

impl Outside for Ears {
    fn say(&mut self, text: &str) {
        self.0 += text;
        self.0.push('\n');
    }

    fn calls(&mut self) -> bool {
        true
    }
}

/// Begins a conversation.
type Begin = fn() -> Box<dyn Protocol>;
/// Whether a line may be answered like this.
type IsFit = fn(&str, &str) -> bool;

struct Spoilt {
    random: RandomStream,
    lines: &'static [&'static str],
}

impl Spoilt {
    fn below(&mut self, end: usize) -> usize {
        ((self.random.unit() * end as f64) as usize).min(end.saturating_sub(1))
    }

    fn one(&mut self) -> String {
        let place = self.below(self.lines.len());
        self.lines[place].to_owned()
    }

    /// A line as it is, half of the time, or spoilt in one to three places.
    fn line(&mut self) -> String {
        let mut line = self.one();
        if self.below(2) == 0 {
            return line;
        }
        for _ in 0..=self.below(3) {
            let places: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
            let at = places.get(self.below(places.len())).copied().unwrap_or(0);
            match self.below(9) {
                0 => line.truncate(at),
                1 => line.insert(
                    at,
                    ['\t', '#', '\0', '/', '(', '9', '-', 'é'][self.below(8)],
                ),
                2 => line.insert_str(at, &self.one()),
                3 => {
                    let mut words: Vec<&str> = line.split(' ').collect();
                    let (one, other) = (self.below(words.len()), self.below(words.len()));
                    words.swap(one, other);
                    line = words.join(" ");
                }
                4 => {
                    let other = self.one();
                    let mut words: Vec<&str> = line.split(' ').collect();
                    let others: Vec<&str> = other.split(' ').collect();
                    let (one, other) = (self.below(words.len()), self.below(others.len()));
                    words[one] = others[other];
                    line = words.join(" ");
                }
                5 => drop((!line.is_empty()).then(|| line.remove(at))),
                6 => line = format!("{} {line}", self.below(1 << 33)),
                7 => {
                    let digit = self.below(10).to_string();
                    line = line.replacen(|sign: char| sign.is_ascii_digit(), &digit, 1);
                }
                _ if self.below(1000) == 0 => line = line.repeat(LONGEST_LINE / 10),
                _ => line += " 99999999999999999999",
            }
        }
        line
    }
}

/// Talks for so many lines, beginning anew after each that is the last.
fn talk(begin: Begin, lines: &'static [&'static str], fits: IsFit, count: u64, seed: u64) {
    let mut spoilt = Spoilt {
        random: RandomStream::new(seed),
        lines,
    };
    let (mut protocol, mut ears) = (begin(), Ears::default());
    let (mut recent, mut slowest) = (Vec::new(), Duration::ZERO);
    for number in 0..count {
        let line = spoilt.line();
        ears.0.clear();
        recent.push(line.clone());
        let began = Instant::now();
        let goes_on = protocol.hear(&line, &mut ears);
        slowest = slowest.max(began.elapsed());
        let said = &ears.0;
        let control = |sign: char| sign.is_control() && sign != '\n';
        let short = said.len() < 100_000;
        assert!(
            short && !said.contains(control) && (!goes_on || fits(&line, said)),
            "line {number}: {recent:?} was answered {said:?}"
        );
        if !goes_on || recent.len() > 400 {
            (protocol, recent) = (begin(), Vec::new());
        }
    }
    assert!(slowest < Duration::from_secs(5), "a line took {slowest:?}");
}

fn lines_begin(said: &str, known: &[&str]) -> bool {
    said.lines()
        .all(|line| known.iter().any(|begin| line.starts_with(begin)))
}

/// One answer, whose end is the only empty line; to an empty line or a comment none.
fn fits_gtp(line: &str, said: &str) -> bool {
    let heard = line.split('#').next().unwrap();
    let heard = heard.replace('\t', " ").replace(char::is_control, "");
    if heard.split_ascii_whitespace().next().is_none() {
        return said.is_empty();
    }
    said.starts_with(['=', '?']) && said.find("\n\n") == Some(said.len() - 2)
}

/// One line to each line.
fn fits_tcga(line: &str, said: &str) -> bool {
    said.lines().count() == usize::from(line.split_whitespace().next().is_some())
}

fn fits_ubgi(_: &str, said: &str) -> bool {
    const KNOWN: [&str; 9] = [
        "id ",
        "proto ",
        "ubgiok",
        "readyok",
        "key ",
        "value ",
        "info ",
        "bestmove ",
        "error ",
    ];
    let wrong = |line: &str| {
        let codes = ["bad_command ", "bad_value ", "bad_state ", "unsupported "];
        line.strip_prefix("error ")
            .is_some_and(|rest| !codes.iter().any(|code| rest.starts_with(code)))
    };
    lines_begin(said, &KNOWN) && !said.lines().any(wrong)
}

fn fits_nboard(_: &str, said: &str) -> bool {
    const KNOWN: [&str; 7] = [
        "set myname ",
        "status",
        "nodestats ",
        "search ",
        "=== ",
        "pong ",
        "learned",
    ];
    lines_begin(said, &KNOWN)
}

const PROTOCOLS: [(Begin, &[&str], IsFit); 4] = [
    (
        || Box::new(Gtp::new(open(), "einstein").unwrap()),
        GTP,
        fits_gtp,
    ),
    (
        || Box::new(Tcga::new(open()("einstein").unwrap())),
        TCGA,
        fits_tcga,
    ),
    (
        || Box::new(Ubgi::new(open(), "einstein").unwrap()),
        UBGI,
        fits_ubgi,
    ),
    (
        || Box::new(NBoard::new(open()("reversi").unwrap())),
        NBOARD,
        fits_nboard,
    ),
];

#[test]
fn every_line_is_answered_as_the_protocol_says() {
    for (begin, lines, fits) in PROTOCOLS {
        talk(begin, lines, fits, 20_000, 1);
    }
}

/// The long version of the test above for one protocol.
fn ten_million_lines(place: usize) {
    let (begin, lines, fits) = PROTOCOLS[place];
    talk(begin, lines, fits, 10_000_000, 2);
}

#[test]
#[ignore = "ten million lines take minutes"]
fn ten_million_lines_of_gtp() {
    ten_million_lines(0);
}

#[test]
#[ignore = "ten million lines take minutes"]
fn ten_million_lines_of_tcga() {
    ten_million_lines(1);
}

#[test]
#[ignore = "ten million lines take minutes"]
fn ten_million_lines_of_ubgi() {
    ten_million_lines(2);
}

#[test]
#[ignore = "ten million lines take minutes"]
fn ten_million_lines_of_nboard() {
    ten_million_lines(3);
}
