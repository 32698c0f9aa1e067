//! `alea engine` from outside: GTP against the text of its standard, and transcripts of all four
//! protocols, whose answers follow from the rules of the games.

use crate::support::{MIDDLE, Ran, alea, command};
use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
    time::{Duration, Instant},
};

/// What an engine says to some lines, after which its input ends.
#[track_caller]
fn said(line: &str, heard: &str) -> String {
    let ran = Ran::of(&mut command(line), line, heard.as_bytes());
    assert_eq!((ran.code, &*ran.err), (0, ""), "{line}");
    ran.out
}

/// The answers of GTP, without the empty line after each; a text of several lines follows its sign
/// on the next line.
#[track_caller]
fn gtp(options: &str, heard: &str) -> Vec<String> {
    let out = said(&format!("engine --protocol gtp {options}"), heard);
    let ends = out.is_empty() || out.ends_with("\n\n");
    assert!(ends, "an answer ends with an empty line: {out:?}");
    out.split_terminator("\n\n").map(str::to_owned).collect()
}

#[test]
fn gtp_is_read_as_its_standard_says() {
    // Section 2: comments, control characters, tabs, empty lines, ids, errors.
    let heard = "1 protocol_version\nname\n\n   \n# a comment\n2 name # another\nna\x07me\r\n\
                 3\tknown_command\tgenmove\nknown_command nothing\n4 nothing\n5\n0 quit\nname\n";
    let answers = gtp("", heard);
    assert_eq!(
        answers,
        [
            "=1 2",
            "= Alea",
            "=2 Alea",
            "= Alea",
            "=3 true",
            "= false",
            "?4 unknown command",
            "?5 syntax error: a command follows the id",
            "=0",
        ]
    );
}

#[test]
fn gtp_has_all_commands_that_its_standard_asks_for_and_underscores_do_not_count() {
    let required = "protocol_version name version known_command list_commands quit boardsize \
                    clear_board komi play genmove undo showboard time_settings time_left";
    let heard: String = required
        .split_whitespace()
        .map(|name| {
            format!(
                "known_command {name}\nknown_command {}\n",
                name.replace('_', "")
            )
        })
        .collect();
    assert!(gtp("", &heard).iter().all(|answer| answer == "= true"));
    let listed = gtp("", "listcommands\nlist_commands\n");
    assert_eq!(listed[0], listed[1]);
    let names: Vec<&str> = listed[0].lines().skip(1).collect();
    assert!(
        required
            .split_whitespace()
            .all(|name| names.contains(&name)),
        "{names:?}"
    );
}

#[test]
fn gtp_refuses_in_the_words_of_its_standard() {
    let heard = "boardsize 7\nboardsize x\nkomi\nplay b d3 d4\nplay green d3\nplay b a1\nplay w d3\n\
                 undo\ntime_settings 1\ngenmove b 1 2\nloadsgf file\n";
    let begins = [
        "unacceptable size",
        "syntax error",
        "syntax error",
        "syntax error",
        "invalid color",
        "illegal move",
        "illegal move",
        "cannot undo",
        "syntax error",
        "syntax error",
        "unknown command",
    ];
    let answers = gtp("--game reversi", heard);
    assert_eq!(answers.len(), begins.len());
    for (answer, begin) in answers.iter().zip(begins) {
        assert!(answer.starts_with(&format!("? {begin}")), "{answer}");
        assert!(!answer.contains('\n'), "{answer}");
    }
}

/// Black has four first moves on 8×8: d3, c4, f5, e6. After f5 White may answer d6, f4 or f6.
#[test]
fn gtp_plays_reversi_in_colours_and_capitals() {
    let heard = "play BLACK F5\nplay w f6\nundo\nplay white PASS\nplay white d6\nposition\nboardsize 6\n\
                 set_game\nposition\n";
    let answers = gtp("--game reversi --player random", heard);
    assert_eq!(answers[..3], ["=", "=", "="]);
    assert!(
        answers[3].starts_with("? illegal move: no pass"),
        "{}",
        answers[3]
    );
    let rows = ["---OX---", "---OXX--", "---O----"].concat();
    let position = format!("= {}{rows}{} X", "-".repeat(24), "-".repeat(16));
    assert_eq!(answers[5], position, "d6 turns d5");
    assert_eq!(answers[7], "= reversi(size=6)");
    assert_eq!(answers[8], "= --------------OX----XO-------------- X");
}

/// On base 3 the corners a1 and a3 are bridged by a1, a2, a3: White wins with the fifth stone.
#[test]
fn gtp_knows_how_havannah_is_won_and_both_coordinates() {
    let heard = "winner\nplaygame a1 c3 a2 d4\nhavannah_winner\nplaygame a3 c3\nposition\ngenmove w\n\
                 winner\nhavannah_winner\nplay b c2\ngenmove\n";
    let answers = gtp("--game havannah(base=3) --player mcts(sims=500)", heard);
    assert_eq!(answers[..3], ["= none", "=", "= none"]);
    assert!(
        answers[3].starts_with("? illegal move: c3"),
        "{}",
        answers[3]
    );
    assert_eq!(
        answers[4], "= a1 c3 a2 d4",
        "what was played of a list that fails is taken back"
    );
    assert_eq!(answers[5..8], ["= a3", "= white", "= white"]);
    assert_eq!(answers[8], "? illegal move: the game is over");
    assert_eq!(answers[9], "? the game is over");
    // The letter e has the numbers 3 to 5, for Little Golem 1 to 3.
    let heard = "gridcoords\nplay w e1\nclassiccoords\nposition\nplay b swap\nposition\n";
    let answers = gtp("--game 'havannah(base=3, swap=on)' --player random", heard);
    assert_eq!(answers[3], "= e3");
    assert_eq!(answers[5], "= e3 swap");
}

/// Red's stone 2 on d5, next to nothing; the die decides who moves.
#[test]
fn gtp_has_dice() {
    let heard = format!(
        "position {MIDDLE} -\nplay b c1b2\ngenmove b\ndice 0\ndice 1\nroll\nplay b e3d4\nplay r c1b2\n\
         play blue c1b2\nposition\nundo\nposition\ndice 2\nplay w c1b2\n"
    );
    let answers = gtp("--player random", &heard);
    assert_eq!(
        answers,
        [
            "=".to_owned(),
            "? illegal move: the die has not been rolled".to_owned(),
            "? the die has not been rolled".to_owned(),
            "? the die shows 1 to 6, not 0".to_owned(),
            "=".to_owned(),
            "? the die shows 1 already".to_owned(),
            "? illegal move: e3d4 is not permitted with a 1".to_owned(),
            "? illegal move: it is Blue's turn".to_owned(),
            "=".to_owned(),
            "= 215../64.../3...e/.a.fb/...cd r -".to_owned(),
            "=".to_owned(),
            format!("= {MIDDLE} 1"),
            "=".to_owned(),
            "? illegal move: it is Blue's turn".to_owned(),
        ]
    );
    // The same seed rolls the same, and every roll is one of a die.
    let heard = "roll\ngenmove\n".repeat(8);
    let rolled = gtp("--player random --seed 5", &heard);
    assert_eq!(rolled, gtp("--player random --seed 5", &heard));
    let faces = rolled
        .iter()
        .step_by(2)
        .map(|face| face[2..].parse::<u8>().unwrap());
    assert!(faces.into_iter().all(|face| (1..=6).contains(&face)));
    assert_ne!(rolled, gtp("--player random --seed 6", &heard));
}

/// Red on d1 with one step to its goal, e1, wins at once, whatever is rolled.
const AT_THE_GATE: &str = "...../...../a..../...../...1. r";

#[test]
fn gtp_values_solves_and_writes_games() {
    let heard = format!(
        "position {AT_THE_GATE} 1\nget_eval\ndump_tree\nsolve 1\ngenmove r\nwinner\nget_sgf\n"
    );
    let answers = gtp("--player star1(depth=1)", &heard);
    assert_eq!(answers[1], "= 100.00");
    assert!(answers[2].contains("\nd1e1 value 1.0000"), "{}", answers[2]);
    assert_eq!(answers[3..6], ["= win d1e1", "= d1e1", "= red"]);
    assert!(answers[6].ends_with(";W[d1e1]DI[1])"), "{}", answers[6]);
}

#[test]
fn gtp_changes_options_of_the_search_while_it_runs() {
    let heard = "set_option depth 2\nget_option depth\nget_option eval\nset_option nothing 1\n\
                 set_option depth 0\nset_option depth default\nget_option depth\nget_option nothing\n\
                 set_option player mcts(sims=10)\nset_option ms 5\nget_option player\n";
    let answers = gtp("--player star1(depth=1)", heard);
    assert_eq!(answers[..3], ["=", "= 2", "= default"]);
    assert!(
        answers[3].contains("there is no 'nothing' here"),
        "{}",
        answers[3]
    );
    assert!(answers[4].contains("1 to 127"), "{}", answers[4]);
    assert_eq!(answers[5..7], ["=", "= default"]);
    assert!(
        answers[7].starts_with("? the player has no option"),
        "{}",
        answers[7]
    );
    assert_eq!(answers[10], "= mcts(ms=5)");
}

/// A player of a minute a move has a second for the whole game.
#[test]
fn clocks_take_the_place_of_a_players_own_limit() {
    for (protocol, heard) in [
        (
            "gtp",
            "time_settings 1 0 0\nroll\ngenmove\nroll\ngenmove\ntime_left b 0 0\nroll\ngenmove\n",
        ),
        (
            "gtp",
            "time_settings 600 0 0\nroll\ngenmove b 0.1\ntime_left w 0.5 0\nroll\ngenmove w\n",
        ),
        (
            "tcga",
            "time_setting 1\nget R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3\n",
        ),
    ] {
        let began = Instant::now();
        let line = format!("engine --protocol {protocol} --player star1(ms=60000)");
        let out = said(&line, heard);
        assert!(!out.contains(['?']) && !out.contains("error"), "{out}");
        assert!(began.elapsed() < Duration::from_secs(5), "{protocol}");
    }
}

#[test]
fn gtp_thinks_aloud_until_the_next_line() {
    for player in ["star1(eval=schwarz)", "mcts(sims=100)", "random"] {
        let mut engine = command(&format!("engine --protocol gtp --player {player}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = engine.stdin.take().unwrap();
        let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines();
        let mut line = || lines.next().unwrap().unwrap();
        writeln!(stdin, "position {MIDDLE} 1\n8 lz-analyze b 2").unwrap();
        assert_eq!([line(), line(), line()], ["=", "", "=8"]);
        let told = if player == "random" { 1 } else { 3 };
        for _ in 0..told {
            let line = line();
            assert!(line.starts_with("info move c1"), "{line}");
            assert_eq!(
                line.matches(" order ").count(),
                3,
                "the die permits three moves: {line}"
            );
        }
        writeln!(stdin, "9 name").unwrap();
        let rest: Vec<String> = std::iter::from_fn(|| Some(line()))
            .find(|line| line.is_empty())
            .into_iter()
            .chain([line()])
            .collect();
        assert_eq!(rest, ["", "=9 Alea"]);
        drop(stdin);
        assert!(engine.wait().unwrap().success());
    }
}

/// Squares count from the upper left corner, `A1` is our a5; Red goes down to E5.
#[test]
fn tcga_answers_every_request_by_one_line() {
    let heard = "name\nversion\ntime_setting 240\nboard_setting 5 6 2\nini 0\n\
                 get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3\n\
                 get R 4 A2 0 0 0 0 0 A1 0 D5 0 0 E4  \n\
                 get b 2 B1 0 0 0 0 0 E3 0 0 0 0 0\nget R 3 E5\nget R 7 A2 0 0 0 0 0 D5 0 0 0 0 0\n\
                 get R 1 A2 0 0 0 0 0 F5 0 0 0 0 0\nget R 1 A2 0 0 0 0 0 A2 0 0 0 0 0\nnonsense\nexit\nname\n";
    let out = said("engine --protocol tcga --player star1(depth=1)", heard);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 13, "{out}");
    assert_eq!(lines[0], "Alea");
    // Stone 3 stands on C1 and may go right, down or across.
    assert!(["C1 D1", "C1 C2", "C1 D2"].contains(&lines[5]), "{out}");
    // Stone 4 is captured: 3, the next lower one, wins with D5-E5, and 6, the next higher one, with E4-E5.
    assert!(["D5 E5", "E4 E5"].contains(&lines[6]), "{out}");
    assert_eq!(lines[7], "B1 A1", "Blue goes up and left");
    assert!(
        lines[8..].iter().all(|line| line.starts_with("error: ")),
        "{out}"
    );
}

#[test]
fn ubgi_tells_what_it_is_and_refuses_with_its_four_errors() {
    let heard = format!(
        "ubgi\nisready\nnewgame\ngo\nposition alea {AT_THE_GATE}\ngo\ndice 1\ngo chequer\ngo\ngo cube\n\
         dice 1 2\ndice 7\nUBGI\nposition alea nonsense\nposition gnubgid 4HPwATDgc/ABMA\n\
         set engine.ply 2\nget engine.ply\nset engine.ply 0\nset engine.nothing 1\n\
         get game.variant\nset game.variant nearest\nget game.variant\ngo\nset x\nquit\nisready\n"
    );
    let out = said("engine --protocol ubgi --player star1(depth=1)", &heard);
    let info = |line: &&str| line.starts_with("info ");
    let (infos, lines): (Vec<&str>, Vec<&str>) = out.lines().partition(info);
    assert_eq!(infos.len(), 2);
    assert!(infos[0].contains(" score 1.0000 pv d1e1"), "{out}");
    assert!(lines[0].starts_with("id name Alea") && lines[1].starts_with("id author "));
    let begins = [
        "proto 0.2",
        "ubgiok",
        "readyok",
        "error bad_state missing position",
        "error bad_state missing dice",
        "bestmove d1e1",
        "bestmove d1e1",
        "error unsupported go cube",
        "error bad_command ",
        "error bad_value ",
        "error bad_command UBGI",
        "error bad_value ",
        "error unsupported ",
        "value engine.ply 2",
        "error bad_value ",
        "error unsupported engine.nothing",
        "value game.variant classic",
        "value game.variant nearest",
        "error bad_state missing position",
        "error bad_command ",
    ];
    assert_eq!(lines.len() - 2, begins.len(), "{out}");
    for (line, begin) in lines[2..].iter().zip(begins) {
        assert!(line.starts_with(begin), "{line} is not {begin}");
    }
    let keys = said("engine --protocol ubgi --player star1(depth=1)", "keys\n");
    assert!(
        keys.contains("key game.variant enum classic|nearest classic "),
        "{keys}"
    );
    assert!(keys.contains("key engine.ply int 1..127 1 "), "{keys}");
}

/// The start, one move each, and a board on which Black has to pass: its only disc has none to turn
/// but White's in the corner.
#[test]
fn nboard_waits_for_moves_and_passes_with_pa() {
    let board = |rows: &str, moves: &str| {
        format!("set game (;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 {rows}]{moves};)\n")
    };
    let start = "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
    let passes = "O*------ -------- -------- -------- -------- -------- -------- -------- *";
    let heard = [
        "nboard 2\nset depth 2\n",
        &board(start, "B[F5]W[F6]"),
        "go\ngo\nping 7\nmove E6/1.25/0.1\n\
        hint 2\nping 8\nnonsense of all kinds\nmove E6\n",
        &board(passes, ""),
        "go\nmove PA\ngo\nquit\n",
    ]
    .concat();
    let out = said("engine --protocol nboard --player star1(depth=1)", &heard);
    let of =
        |begin: &str| -> Vec<&str> { out.lines().filter(|line| line.starts_with(begin)).collect() };
    assert_eq!(of("set myname"), ["set myname Alea", "set myname Alea2"]);
    assert_eq!(of("pong"), ["pong 7", "pong 8"]);
    let chosen = of("===");
    let square = |line: &str| line[4..].split('/').next().unwrap().to_owned();
    assert_eq!(square(chosen[0]), square(chosen[1]));
    assert_eq!(square(chosen[2]), "PA");
    assert_eq!(square(chosen[3]), "C1", "White turns b1");
    let hints = of("search");
    assert!(hints.len() % 2 == 0 && !hints.is_empty(), "{out}");
    assert!(
        hints.iter().all(|line| line.split(' ').count() >= 6),
        "{out}"
    );
    let usual = ["status", "status thinking", "status analysing"];
    let told: Vec<&str> = of("status");
    let told = told.iter().filter(|line| !usual.contains(line));
    assert_eq!(told.count(), 1, "e6 is taken: {out}");
}

#[test]
fn a_protocol_is_refused_what_it_has_not() {
    for (line, problem) in [
        (
            "engine --protocol tcga --game reversi",
            "this protocol is for einstein",
        ),
        (
            "engine --protocol nboard --game havannah",
            "this protocol is for reversi",
        ),
        (
            "engine --protocol gtp --game chess",
            "there is no game 'chess'",
        ),
        (
            "engine --protocol gtp --player nobody",
            "there is no player 'nobody'",
        ),
    ] {
        let ran = alea!("{line}");
        assert_eq!(ran.code, 1, "{line}");
        assert!(
            ran.err.contains(problem) && ran.err.lines().count() == 1,
            "{}",
            ran.err
        );
    }
    // Of a line that is too long nothing is done.
    let heard = format!("name {}\nname\n", "x".repeat(1 << 17));
    let answers = gtp("", &heard);
    assert_eq!(answers, ["? a line has at most 65536 bytes", "= Alea"]);
}
