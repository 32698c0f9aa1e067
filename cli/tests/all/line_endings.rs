//! Text files of other systems: all readers accept a byte-order mark and carriage returns, some
//! also blank lines and comments (`docs/reference/formats.md`).

use crate::support::{Folder, run};
use std::fs;

const EINSTEIN: &str = "215../64.../3...e/...fb/..acd b -\n...../.a.../...../...../1.... b 4\n";
const STARTS: &str = "215../64.../3...e/...fb/..acd b -\n215../64.../3...e/...fb/..acd r -\n";
const REVERSI: &str = "---------------------------OX------XO--------------------------- X\n-X------/--------/--------/---XO---/---OX---/--------/--------/-------- O\n";
const GGF: &str = "(;GM[Othello]PB[ann]PW[bob]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5];)\n";
const SGF: &str = "(;FF[4]EV[havannah]PB[ann]PW[bob]SZ[3];W[a1];B[c3];W[b1];B[d3];W[c1])\n";
const PGN: &str = "[Black \"ann\"]\n[White \"bob\"]\n[Result \"64-0\"]\n\n1. E6 F4\n2. e3 f6 3. g5 d6\n4. e7 f5 5. c5\n64-0\n";

#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Ends,
    Comments,
}

#[test]
fn every_reader_of_text_takes_it_as_other_systems_write_it() {
    let games = Folder::new();
    let lines = games.at("games.jsonl");
    run(
        &format!("arena --player random --player random --games 2 --records {lines}"),
        b"",
    )
    .succeeds();
    let lines = fs::read_to_string(lines).unwrap();
    let map = fs::read_to_string(crate::support::here("data/maps/01_plain_8x8.map")).unwrap();
    use Takes::{Comments, Ends};
    // FILE is the text (else it is standard input), OUT an output path.
    let table: [(&str, &str, Takes); 14] = [
        ("evaluate - --eval race", EINSTEIN, Comments),
        ("moves - --game reversi", REVERSI, Comments),
        (
            "selfplay --games 1 --player random --starts FILE --out OUT",
            STARTS,
            Comments,
        ),
        (
            "arena --player random --player random --games 2 --setups FILE --json",
            "0:719\n126435 5\n",
            Comments,
        ),
        (
            "arena --player random --player random --games 2 --setups nash:FILE --json",
            "3 0\n5 126435\n",
            Comments,
        ),
        ("map check FILE", &map, Ends),
        ("data import FILE.jsonl --out OUT", &lines, Ends),
        ("data verify FILE.jsonl", &lines, Ends),
        (
            "data import FILE.ggf --game reversi --out OUT",
            GGF,
            Comments,
        ),
        (
            "data import FILE.GGF --game reversi --out OUT",
            GGF,
            Comments,
        ),
        ("data import FILE.Pgn --game reversi --out OUT", PGN, Ends),
        (
            "data import FILE.transcript --game reversi --out OUT",
            "e6f4e3f6g5d6e7f5c5\nf5d6c5f6e7f4g5e6e3\n",
            Comments,
        ),
        (
            "data import FILE.sgf --game havannah(base=3) --out OUT",
            SGF,
            Comments,
        ),
        (
            "engine --protocol gtp --game reversi",
            "1 name\n2 play b d3\n3 quit\n",
            Ends,
        ),
    ];
    for (line, text, takes) in table {
        let mut variants = vec![
            text.as_bytes().to_vec(),
            format!("\u{feff}{text}").into_bytes(),
            format!("\u{feff}{}", text.replace('\n', "\r\n")).into_bytes(),
        ];
        if takes == Comments {
            let commented = text.replace('\n', " # said\r\n\r\n  \n# all\n");
            variants.push(format!("# first\n{commented}").into_bytes());
        }
        let mut answers = variants.iter().map(|bytes| {
            let folder = Folder::new();
            let file = folder.at("file");
            let ends = ["", ".jsonl", ".ggf", ".GGF", ".transcript", ".sgf", ".Pgn"];
            for end in ends {
                fs::write(format!("{file}{end}"), bytes).unwrap();
            }
            let line = line
                .replace("FILE", &file)
                .replace("OUT", &folder.at("out"));
            let ran = run(&line, bytes);
            let out = if line.contains("--player random") {
                ""
            } else {
                &ran.out
            };
            [ran.code.to_string(), out.to_owned(), ran.err]
                .map(|text| text.replace(&folder.path(), ""))
        });
        let plain = answers.next().unwrap();
        for (variant, answer) in answers.enumerate() {
            assert_eq!(answer, plain, "{line}: variant {variant}");
        }
        assert_eq!(plain[0], "0", "{line}: {plain:?}");
    }
}
