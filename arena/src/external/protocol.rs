//! Protocols of other programs as data; `docs/other-programs.md` names the sources. Lines are
//! separated by semicolons and have placeholders in braces; a line with a placeholder without value
//! is left out.

use super::reply::{ChatterPolicy, Reply};

#[derive(Debug)]
pub(super) struct Protocol {
    pub(super) name: &'static str,
    pub(super) games: &'static str,
    pub(super) start: &'static str,
    pub(super) begin: &'static str,
    pub(super) game: &'static str,
    pub(super) move_message: &'static str,
    pub(super) move_request: &'static str,
    /// Line that ends the search for `move_request`: first the move comes, then the reply to this
    /// line.
    pub(super) stop: &'static str,
    pub(super) over: &'static str,
    pub(super) end: &'static str,
    /// Kind of reply by the beginning of the line sent; other lines get none.
    pub(super) replies: &'static [(&'static str, Reply)],
    pub(super) chatter: ChatterPolicy,
    pub(super) times: &'static [&'static str],
    /// Converts our text of a position, given without and with the outcome of chance, to the
    /// program's.
    pub(super) format_position: fn(&[String; 2]) -> String,
    pub(super) tracks_board: bool,
    pub(super) repeats: bool,
}

const DEFAULT_PROTOCOL: Protocol = Protocol {
    name: "",
    games: "",
    start: "{init}",
    begin: "{game}; {time}",
    game: "",
    move_message: "",
    move_request: "",
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

const NBOARD_PROTOCOL: Protocol = Protocol {
    name: "nboard",
    games: "nboard is for reversi on 8 by 8 squares",
    start: "nboard 2; {init}; ping 1",
    begin: "{game}; {time}; ping 1",
    move_request: "set game {written}; ping 2; go",
    stop: "ping 3",
    replies: &[("ping ", Reply::Word("pong")), ("go", Reply::Word("==="))],
    chatter: ChatterPolicy::AllExcept(&["===", "pong"]),
    format_position: |[open, _]| ggf(open),
    ..DEFAULT_PROTOCOL
};

pub(super) static NBOARD_MOVES_ONLY: Protocol = Protocol {
    begin: "set game {written}; {game}; {time}; ping 1",
    move_message: "move {move}",
    move_request: "ping 2; go",
    tracks_board: true,
    repeats: true,
    ..NBOARD_PROTOCOL
};

pub(super) static PROTOCOLS: [Protocol; 5] = [
    Protocol {
        name: "lines",
        start: "alea {version} {rules}; {init}",
        begin: "game {seed}; {game}; {time}",
        move_message: "played {written} {move}",
        move_request: "move {written}",
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
        move_request: "get {written}",
        end: "exit",
        replies: &[("", Reply::Line)],
        times: &["settings", "none"],
        format_position: |[_, rolled]| tcga_position(rolled),
        ..DEFAULT_PROTOCOL
    },
    Protocol {
        name: "gtp",
        games: "gtp and ubgi are for two seats",
        begin: "{game}; {time}; time_settings 0 {settings} 1",
        game: "boardsize {size}; clear_board; position {start}",
        move_message: "dice {die}; play {colour} {move}",
        move_request: "dice {die}; time_left {colour} {left} 1; genmove {colour} {genmove}",
        replies: &[("", Reply::Block)],
        times: &["none", "settings", "left", "genmove"],
        tracks_board: true,
        ..DEFAULT_PROTOCOL
    },
    Protocol {
        name: "ubgi",
        games: "gtp and ubgi are for two seats",
        start: "ubgi; {init}; isready",
        begin: "newgame; {game}; {time}; isready",
        move_request: "position alea {written}; dice {die}; go",
        stop: "stop",
        replies: &[
            ("ubgi", Reply::Word("ubgiok")),
            ("isready", Reply::Word("readyok")),
            ("go", Reply::Word("bestmove")),
        ],
        chatter: ChatterPolicy::AllExcept(&["bestmove", "ubgiok", "readyok", "error"]),
        ..DEFAULT_PROTOCOL
    },
    NBOARD_PROTOCOL,
];

fn tcga_position(position: &str) -> String {
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

fn ggf(position: &str) -> String {
    let signs = position.replace('/', "").replace('X', "*");
    let (board, side) = signs.split_once(' ').unwrap_or((&signs, "*"));
    format!("(;GM[Othello]PC[alea]PB[Black]PW[White]RE[?]TI[0]TY[8]BO[8 {board} {side}];)")
}
