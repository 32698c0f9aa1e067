//! The protocols of other programs as data: what is said when, and what answers it.
//!
//! Sources: the published texts that `docs/other-programs.md` names. Lines are divided by
//! semicolons;
//! what stands in braces is filled in, and a line that names what is not known is left out.
//! Invariant: every line has its answer, or is known to have none, so that no answer is taken for
//! another one's.

use super::reply::{ChatterPolicy, Reply};

/// A protocol.
#[derive(Debug)]
pub(super) struct Protocol {
    pub(super) name: &'static str,
    /// Which games it is for, in words.
    pub(super) games: &'static str,
    /// What is said when the program has started.
    pub(super) start: &'static str,
    /// What is said when a game begins.
    pub(super) begin: &'static str,
    /// What stands for `{game}` there unless the dialect says so.
    pub(super) game: &'static str,
    /// What is said of a move that was made.
    pub(super) move_message: &'static str,
    /// What asks for a move; the last line is answered by it.
    pub(super) question: &'static str,
    /// What has it answer that at once; then that is answered, too.
    pub(super) stop: &'static str,
    /// What is said of a game that is over.
    pub(super) over: &'static str,
    /// What is said before the end.
    pub(super) end: &'static str,
    /// What answers lines that begin so; nothing answers others.
    pub(super) replies: &'static [(&'static str, Reply)],
    /// What may be said unasked.
    pub(super) chatter: ChatterPolicy,
    /// The words for ways to tell the time, the usual one first.
    pub(super) times: &'static [&'static str],
    /// Writes a position, which is given before chance spoke and after it.
    pub(super) format_position: fn(&[String; 2]) -> String,
    /// Whether a program keeps the board itself, and is told every move.
    pub(super) tracks_board: bool,
    /// Whether it is told its own moves as well: it answers without making them.
    pub(super) repeats: bool,
}

/// What most have.
const DEFAULT_PROTOCOL: Protocol = Protocol {
    name: "",
    games: "",
    start: "{init}",
    begin: "{game}; {time}",
    game: "",
    move_message: "",
    question: "",
    stop: "",
    over: "",
    end: "quit",
    replies: &[],
    chatter: ChatterPolicy::Blanks,
    times: &["none"],
    format_position: |[open, _]| open.clone(),
    tracks_board: false,
    repeats: false,
};

/// Reversi behind NBoard.
const NBOARD: Protocol = Protocol {
    name: "nboard",
    games: "nboard is for reversi on 8 by 8 squares",
    start: "nboard 2; {init}; ping 1",
    begin: "{game}; {time}; ping 1",
    question: "set game {format_position}; ping 2; go",
    stop: "ping 3",
    replies: &[("ping ", Reply::Word("pong")), ("go", Reply::Word("==="))],
    chatter: ChatterPolicy::AllExcept(&["===", "pong"]),
    format_position: |[open, _]| ggf(open),
    ..DEFAULT_PROTOCOL
};

/// The same for programs that take no other board than that of the start.
pub(super) static NBOARD_BY_MOVES: Protocol = Protocol {
    begin: "set game {format_position}; {game}; {time}; ping 1",
    move_message: "move {move}",
    question: "ping 2; go",
    tracks_board: true,
    repeats: true,
    ..NBOARD
};

/// All of them, our own first.
pub(super) static PROTOCOLS: [Protocol; 5] = [
    Protocol {
        name: "lines",
        start: "alea {version} {rules}; {init}",
        begin: "game {seed}; {game}; {time}",
        move_message: "played {format_position} {move}",
        question: "move {format_position}",
        over: "result {winner}",
        end: "",
        replies: &[("alea ", Reply::Greeting), ("move ", Reply::Line)],
        chatter: ChatterPolicy::Comments,
        format_position: |[_, rolled]| rolled.clone(),
        ..DEFAULT_PROTOCOL
    },
    Protocol {
        name: "tcga",
        games: "tcga is for einstein",
        start: "name; version; time_setting {whole_game}; board_setting 5 6 2; {init}",
        question: "get {format_position}",
        end: "exit",
        replies: &[("", Reply::Line)],
        times: &["settings", "none"],
        format_position: |[_, rolled]| stones(rolled),
        ..DEFAULT_PROTOCOL
    },
    Protocol {
        name: "gtp",
        games: "gtp and ubgi are for two seats",
        begin: "{game}; {time}; time_settings 0 {settings} 1",
        game: "boardsize {size}; clear_board; position {start}",
        move_message: "dice {die}; play {colour} {move}",
        question: "dice {die}; time_left {colour} {left} 1; genmove {colour} {genmove}",
        replies: &[("", Reply::Block)],
        times: &["none", "settings", "left", "genmove"],
        tracks_board: true,
        ..DEFAULT_PROTOCOL
    },
    Protocol {
        name: "ubgi",
        games: "gtp and ubgi are for two seats",
        // When it is ready it has read what went before.
        start: "ubgi; {init}; isready",
        begin: "newgame; {game}; {time}; isready",
        question: "position alea {format_position}; dice {die}; go",
        stop: "stop",
        replies: &[
            ("ubgi", Reply::Word("ubgiok")),
            ("isready", Reply::Word("readyok")),
            ("go", Reply::Word("bestmove")),
        ],
        chatter: ChatterPolicy::AllExcept(&["bestmove", "ubgiok", "readyok", "error"]),
        ..DEFAULT_PROTOCOL
    },
    NBOARD,
];

/// What TCGA's question tells: side, die, squares of Blue's stones, then of Red's, counted from the
/// upper left.
fn stones(position: &str) -> String {
    let mut words = position.split(' ');
    let mut word = || words.next().unwrap_or_default();
    let (board, side, die) = (word(), word(), word());
    let mut squares = vec!["0".to_owned(); 12];
    for (row, line) in board.split('/').enumerate() {
        for (column, sign) in (b'A'..).zip(line.chars()) {
            if let Some(stone) = "abcdef123456".find(sign) {
                squares[stone] = format!("{}{}", char::from(column), row + 1);
            }
        }
    }
    format!("{} {die} {}", side.to_uppercase(), squares.join(" "))
}

/// A position as GGF, which NBoard reads.
fn ggf(position: &str) -> String {
    let signs = position.replace('/', "").replace('X', "*");
    let (board, side) = signs.split_once(' ').unwrap_or((&signs, "*"));
    format!("(;GM[Othello]PC[alea]PB[Black]PW[White]RE[?]TI[0]TY[8]BO[8 {board} {side}];)")
}
