//! Untrusted input opens no file and starts no program: every reader gets notations that name some,
//! and the system reports accesses.

use crate::support::{Folder, alea, exists, here, read, run};
use engine::core::{files::checksum, text::is_unprintable};
use rustix::fs::inotify;
use serde_json::{Value, json};
use std::{fs, mem::MaybeUninit, os::fd::OwnedFd, os::unix::fs::PermissionsExt};

/// Directory of files and a program that must not be accessed, with a watcher.
pub(crate) struct Bait {
    folder: Folder,
    watch: OwnedFd,
}

impl Bait {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        let program = format!("#!/bin/sh\ntouch {}\n", folder.at("started"));
        let map = fs::read(here("engine/games/reversixt/src/three.map")).unwrap();
        let model = fs::read(here("models/quick-ntuple.safetensors")).unwrap();
        for (name, bytes) in [
            ("map", &map[..]),
            ("model", &model),
            ("patterns", b"patterns"),
            ("program", program.as_bytes()),
        ] {
            fs::write(folder.at(name), bytes).unwrap();
        }
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.at("program"), executable).unwrap();
        let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
        let what = inotify::WatchFlags::OPEN | inotify::WatchFlags::CREATE;
        inotify::add_watch(&watch, folder.path(), what).unwrap();
        let bait = Self { folder, watch };
        read(&bait.folder.at("map"));
        assert_eq!(bait.touched(), ["map"]);
        bait
    }

    fn touched(&self) -> Vec<String> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.watch, &mut buffer);
        let next = || {
            Some(
                events
                    .next()
                    .ok()?
                    .file_name()?
                    .to_string_lossy()
                    .into_owned(),
            )
        };
        std::iter::from_fn(next).collect()
    }

    pub(crate) fn is_untouched_by(&self, what: &str) {
        assert_eq!(self.touched(), [""; 0], "{what}");
    }

    pub(crate) fn games(&self) -> Vec<String> {
        let at = |name| self.folder.at(name);
        let (map, patterns, program) = (at("map"), at("patterns"), at("program"));
        vec![
            format!("reversixt(map={map})"),
            format!("reversixt( \"map\" = \"{map}\", points=5)"),
            format!("reversixt(map={map}(1))"),
            format!("havannah(base=4, patterns={patterns})"),
            format!("einstein(external(cmd={program}))"),
            format!("external(cmd={program})"),
            format!("model:{}", at("model")),
        ]
    }

    pub(crate) fn players(&self) -> Vec<String> {
        let at = |name| self.folder.at(name);
        let (model, patterns, program) = (at("model"), at("patterns"), at("program"));
        vec![
            format!("external(cmd=\"{program}\")"),
            format!("external(ms=9, \"{program}\")"),
            format!("star1(depth=1, eval=model:{model})"),
            format!("star1(depth=1, eval=\"model:{model}\")"),
            format!("mcts(sims=9, leaf=model:{model})"),
            format!("mcts(sims=9, playout=greedy(model:{model}))"),
            format!("mcts(sims=9, playout=havannah(patterns={patterns}))"),
            format!("rollout(eval=model:{model}, games=1)"),
            format!("model:{model}"),
        ]
    }
}

pub(crate) fn with_header(shard: &[u8], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let length = |at: usize| u32::from_le_bytes(*shard[at..].first_chunk().unwrap()) as usize;
    let (text, index) = (length(12), length(16));
    let (head, body) = shard.split_at(20 + text + index);
    let mut header: Value = serde_json::from_slice(&head[20..][..text]).unwrap();
    edit(&mut header);
    let header = header.to_string();
    let mut bytes = head[..12].to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&head[16..20]);
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(&head[20 + text..]);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes.extend_from_slice(&body[8..body.len() - 8]);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

fn assert_bait_untouched(bait: &Bait, line: &str, input: &[u8]) {
    let ran = run(line, input);
    assert!(ran.code <= 2 && !ran.err.contains("panicked"), "{ran}");
    bait.is_untouched_by(&ran.to_string());
}

pub(crate) fn games(folder: &Folder) -> (String, Vec<u8>) {
    let data = folder.at("data");
    alea!("selfplay --games 2 --out {data} --player random").succeeds();
    let shard = fs::read(format!("{data}/000000.games")).unwrap();
    (data, shard)
}

#[test]
fn shards_and_their_manifests_name_nothing_that_is_opened() {
    let (bait, folder) = (Bait::new(), Folder::new());
    let (data, shard) = games(&folder);
    let (path, manifest) = (format!("{data}/000000.games"), format!("{data}/run.json"));
    let run: Value = serde_json::from_str(&read(&manifest)).unwrap();
    let out = folder.at("out");
    let read_all = |is_right: bool| {
        for line in [
            format!("data info {data}"),
            format!("data verify {data}"),
            format!("data merge {data} --out {out}"),
            format!("data shuffle {data} --out {out}"),
            format!("data export {data} --out {out}"),
            format!("data relabel {data} --out {out} --name new --by 'star1(depth=1)'"),
            format!("judge {data} --games 1 --player 'star1(depth=1)'"),
            format!("train --data {data} --family ntuple --out {out}"),
        ] {
            let trains = line.starts_with("train");
            if !trains || !is_right {
                assert_bait_untouched(&bait, &line, b"");
            }
            assert!(!is_right || trains || !line.contains("merge") || exists(&out));
            let _ = fs::remove_dir_all(&out).or_else(|_| fs::remove_file(&out));
        }
    };
    for game in bait.games() {
        let named = with_header(&shard, |header| header["game"] = json!(game));
        fs::write(&path, named).unwrap();
        let mut named = run.clone();
        named["game"] = json!(game);
        fs::write(&manifest, named.to_string()).unwrap();
        read_all(false);
    }
    let edit = |header: &mut Value| {
        let players = bait.players();
        header["players"] = json!(players);
        header["run"]["players"] = json!(players);
    };
    fs::write(&path, with_header(&shard, edit)).unwrap();
    fs::remove_file(&manifest).unwrap();
    read_all(true);
}

#[test]
fn texts_of_games_name_nothing_that_is_opened() {
    let (bait, folder) = (Bait::new(), Folder::new());
    let (data, _) = games(&folder);
    let (lines, named, out) = (folder.at("a.jsonl"), folder.at("b.jsonl"), folder.at("out"));
    alea!("data export {data} --out {lines}").succeeds();
    let text = read(&lines);
    let (heading, rest) = text.split_once('\n').unwrap();
    let heading: Value = serde_json::from_str(heading).unwrap();
    let mut headings: Vec<Value> = bait
        .games()
        .iter()
        .map(|game| {
            let mut heading = heading.clone();
            heading["game"] = json!(game);
            heading
        })
        .collect();
    let mut labels = heading.clone();
    labels["players"] = json!(bait.players());
    headings.push(labels);
    let parquet = folder.at("a.parquet");
    let arena = "arena --games 2 --player random --player greedy";
    for heading in &headings {
        fs::write(&named, format!("{heading}\n{rest}")).unwrap();
        for line in [
            format!("data import {named} --out {out}"),
            format!("data verify {named}"),
            format!("data info {named}"),
            format!("judge {named}"),
            format!("{arena} --state {named}"),
            format!("{arena} --state {out}.state --records {named}"),
        ] {
            assert_bait_untouched(&bait, &line, b"");
            let _ = fs::remove_dir_all(&out);
            let _ = fs::remove_file(format!("{out}.state"));
        }
        let pad = 4000;
        let mut padded = heading.clone();
        (padded["game"], padded["players"]) = (json!("einstein"), json!(["random"]));
        padded["run"] = json!({"pad": "x".repeat(pad)});
        fs::write(&named, format!("{padded}\n{rest}")).unwrap();
        let _ = fs::remove_file(&parquet);
        alea!("data import {named} --out {out}").succeeds();
        alea!("data export {out} --out {parquet}").succeeds();
        fs::remove_dir_all(&out).unwrap();
        let bytes = fs::read(&parquet).unwrap();
        let begin = find(&bytes, b"{\"format\":");
        let end = begin + find(&bytes[begin..], b"xxx\"}}") + 6;
        let mut metadata: Value = serde_json::from_slice(&bytes[begin..end]).unwrap();
        for key in ["game", "players"] {
            metadata[key] = heading[key].clone();
        }
        let more = metadata.to_string().len() - (end - begin);
        metadata["run"]["pad"] = json!("x".repeat(pad - more));
        let patched = metadata.to_string();
        let patched = [&bytes[..begin], patched.as_bytes(), &bytes[end..]].concat();
        fs::write(&parquet, patched).unwrap();
        assert_bait_untouched(&bait, &format!("data import {parquet} --out {out}"), b"");
        assert_eq!(exists(&out), heading["game"] == "einstein", "{heading}");
        let _ = fs::remove_dir_all(&out);
    }
}

#[test]
fn saved_games_name_nothing_that_is_opened() {
    let (bait, folder) = (Bait::new(), Folder::new());
    let (game, named) = (folder.at("game.jsonl"), folder.at("named.jsonl"));
    let line = "play --opponent beginner --seat 2 --quiet --seed 1 --judge 'star1(depth=1)'";
    run(line, format!("save {game}\nquit\n").as_bytes()).succeeds();
    let line = format!("play --resume {game} --quiet --judge 'star1(depth=1)'");
    run(&line, b"").succeeds();
    let text = read(&game);
    let (heading, rest) = text.split_once('\n').unwrap();
    let players = bait.players().into_iter().map(|name| ("player", name));
    let games = bait.games().into_iter().map(|name| ("game", name));
    for (key, notation) in players.chain(games) {
        let mut heading: Value = serde_json::from_str(heading).unwrap();
        match key {
            "game" => heading["game"] = json!(notation),
            _ => heading["players"][0] = json!(notation),
        }
        fs::write(&named, format!("{heading}\n{rest}")).unwrap();
        let refused = alea!("play --resume {named}");
        assert_eq!(
            (refused.code, refused.err.lines().count()),
            (1, 1),
            "{refused}"
        );
        bait.is_untouched_by(&refused.to_string());
        if key == "player" {
            assert!(
                refused.err.contains(&named) && refused.err.contains("--opponent"),
                "{refused}"
            );
            alea!("play --resume {named} --opponent person --quiet --judge 'star1(depth=1)'")
                .succeeds();
        }
    }
}

fn find(bytes: &[u8], pattern: &[u8]) -> usize {
    let mut windows = bytes.windows(pattern.len());
    windows.position(|window| window == pattern).unwrap()
}

#[test]
fn games_of_other_programs_name_nothing_that_is_opened() {
    let (bait, folder) = (Bait::new(), Folder::new());
    let out = folder.at("out");
    let all = [bait.games(), bait.players()].concat();
    let sgf = |n: &String| format!("(;FF[4]GN[{n}]GM[{n}]SZ[4]PB[{n}]AP[{n}]C[{n}];W[a1];B[b1])\n");
    let ggf = |n: &String| format!("(;GM[{n}]PB[{n}]PW[{n}]PL[{n}]TY[8]C[{n}]B[d3];)\n");
    let line = |n: &String| format!("{n}\n");
    for (name, game, text) in [
        (
            "a.sgf",
            "havannah(base=4)",
            &sgf as &dyn Fn(&String) -> String,
        ),
        ("a.ggf", "reversi", &ggf),
        ("a.transcript", "reversi", &line),
    ] {
        for text in all.iter().map(text).chain([all.iter().map(text).collect()]) {
            let path = folder.at(name);
            fs::write(&path, text).unwrap();
            assert_bait_untouched(
                &bait,
                &format!("data import {path} --game {game} --out {out}"),
                b"",
            );
            let _ = fs::remove_dir_all(&out);
        }
    }
    let lines: String = all.iter().map(line).collect();
    for line in [
        "moves -",
        "evaluate -",
        "analyse - --player random",
        "moves - --game reversixt",
    ] {
        assert_bait_untouched(&bait, line, lines.as_bytes());
    }
}

#[test]
fn model_files_suites_and_standings_name_nothing_that_is_opened() {
    let (bait, folder) = (Bait::new(), Folder::new());
    let all = [bait.games(), bait.players()].concat();
    let bytes = fs::read(here("models/quick-ntuple.safetensors")).unwrap();
    let length = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    let header: Value = serde_json::from_slice(&bytes[8..][..length]).unwrap();
    let (model, suite) = (folder.at("m.safetensors"), folder.at("suite.jsonl"));
    let text = read(&here("data/suites/stones-5.jsonl"));
    let mut lines = text.lines();
    let first: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    let second = lines.next().unwrap();
    for notation in &all {
        let mut header = header.clone();
        let [metadata, provenance] = ["__metadata__", "provenance"];
        (header[metadata]["game"], header[metadata][provenance]) =
            (json!(notation), json!(notation));
        let mut header = header.to_string();
        header += &" ".repeat(header.len().next_multiple_of(8) - header.len());
        let head = (header.len() as u64).to_le_bytes();
        let named = [&head[..], header.as_bytes(), &bytes[8 + length..]].concat();
        fs::write(&model, named).unwrap();
        assert_bait_untouched(&bait, &format!("models {model}"), b"");
        let position = "'1..../.b.../...../...../..... r -'";
        assert_bait_untouched(
            &bait,
            &format!("evaluate --eval model:{model} {position}"),
            b"",
        );
        for key in ["game", "from"] {
            let mut first = first.clone();
            (first["positions"], first["by"]) = (json!(1), json!(all));
            first[key] = json!(notation);
            fs::write(&suite, format!("{first}\n{second}\n")).unwrap();
            assert_bait_untouched(
                &bait,
                &format!("regret --suite {suite} --player random"),
                b"",
            );
        }
        let standings = json!({
            "game": notation, "seed": 1, "luck": notation, "games": 0, "settled": true, "standings": [],
            "pairings": []
        });
        fs::write(folder.at("standings.json"), standings.to_string()).unwrap();
        assert_bait_untouched(&bait, &format!("league {} --status", folder.path()), b"");
    }
}

#[test]
fn lines_of_protocols_name_nothing_that_is_opened() {
    let bait = Bait::new();
    for (protocol, set, option) in [
        ("gtp", "set_game", "set_option"),
        ("ubgi", "set game.map", "set engine."),
    ] {
        let mut lines = String::new();
        for notation in bait.games() {
            lines += &format!("{set} {notation}\n");
        }
        for notation in bait.players() {
            lines += &format!("{option} player {notation}\n{option} eval {notation}\n");
            lines += &format!("{option}player {notation}\n{option}eval {notation}\n");
            lines += &format!("{option}cmd {notation}\n{option}playout {notation}\n");
        }
        lines += "genmove b\ngo\nquit\n";
        for player in ["random", "star1(depth=1)", "mcts(sims=9)"] {
            let line = format!("engine --protocol {protocol} --game reversi --player {player}");
            assert_bait_untouched(&bait, &line, lines.as_bytes());
        }
        let line = format!("engine --protocol {protocol} --game reversixt --player random");
        assert_bait_untouched(&bait, &line, lines.as_bytes());
    }
}

#[test]
fn the_users_own_words_open_and_start_what_they_name() {
    let bait = Bait::new();
    let at = |name: &str| bait.folder.at(name);
    let line = format!("moves --game reversixt(map={}) x", at("map"));
    run(&line, b"");
    assert_eq!(bait.touched(), ["map"]);
    let eval = format!(
        "evaluate --eval model:{} '1..../.b.../...../...../..... r -'",
        at("model")
    );
    run(&eval, b"").succeeds();
    assert!(bait.touched().iter().all(|name| name == "model"));
    let start = "1..../.b.../...../...../..... r 1";
    run(
        &format!(
            "analyse --player 'external(cmd={})' '{start}'",
            at("program")
        ),
        b"",
    );
    assert!(fs::exists(at("started")).unwrap());
    bait.touched();
    let game = at("game.jsonl");
    let line = format!(
        "play --game reversixt(map={}) --opponent person --quiet",
        at("map")
    );
    run(&line, format!("save {game}\nquit\n").as_bytes()).succeeds();
    fs::remove_file(at("map")).unwrap();
    alea!("play --resume {game} --quiet").succeeds();
}

const HOSTILE: &str = "\u{1b}[2J\u{9b}31m\nforged <b> \u{202e}evil\r\u{7}";

fn is_harmless(ran: &crate::support::Ran) {
    for text in [&ran.out, &ran.err] {
        let obeyed = text
            .chars()
            .find(|&sign| sign != '\n' && is_unprintable(sign));
        assert_eq!(obeyed, None, "{ran}");
        assert!(
            !text.lines().any(|line| line.starts_with("forged")),
            "{ran}"
        );
    }
}

#[test]
fn names_from_outside_command_no_terminal() {
    let folder = Folder::new();
    let (data, shard) = games(&folder);
    let (out, page) = (folder.at("out"), folder.at("page.html"));
    let edit = |header: &mut Value| header["players"][0] = json!(HOSTILE);
    fs::write(format!("{data}/000000.games"), with_header(&shard, edit)).unwrap();
    fs::remove_file(format!("{data}/run.json")).unwrap();
    for line in [
        format!("data info {data}"),
        format!("data info {data} --json"),
        format!("data filter {data} --player nobody --out {out}"),
        format!("judge {data} --player 'star1(depth=1)'"),
        format!("judge {data} --player 'star1(depth=1)' --html {page}"),
        format!("judge {data} --player 'star1(depth=1)' --json"),
        format!("data info '{HOSTILE}'"),
        format!("play --resume '{HOSTILE}'"),
        format!("moves '{HOSTILE}'"),
        format!("moves --json '{HOSTILE}'"),
        format!("analyse x --player '{HOSTILE}'"),
        format!("perft --game '{HOSTILE}'"),
        format!("data export {data} --format '{HOSTILE}' --out {out}"),
        format!("models '{HOSTILE}'"),
    ] {
        let ran = run(&line, b"");
        is_harmless(&ran);
        if line.starts_with("judge") || line.starts_with(&format!("data info {data}")) {
            ran.succeeds();
        }
    }
    is_harmless(&run("moves -", HOSTILE.as_bytes()));
    let judged = alea!("judge {data} --player 'star1(depth=1)' --json");
    assert_eq!(judged.lines()[0]["players"][0], HOSTILE);
    let html = read(&page);
    assert!(!html.contains(|sign| sign != '\n' && is_unprintable(sign)) && !html.contains("<b>"));
    let header = json!({"__metadata__": {
        "schema": "1", "game": HOSTILE, "kind": HOSTILE, "provenance": HOSTILE
    }});
    let text = header.to_string();
    let model = folder.at("m.safetensors");
    let length = (text.len() as u64).to_le_bytes();
    fs::write(&model, [&length[..], text.as_bytes()].concat()).unwrap();
    is_harmless(&alea!("models {model}"));
    let standings = json!({
        "game": HOSTILE, "seed": 1, "luck": HOSTILE, "games": 0, "settled": true, "pairings": [], "history": [],
        "standings": [{
            "name": HOSTILE, "player": HOSTILE, "elo": null, "interval": null, "games": 0, "group": 1,
            "forfeits": {HOSTILE: 1}, "absent": HOSTILE
        }],
    });
    fs::write(folder.at("standings.json"), standings.to_string()).unwrap();
    let status = alea!("league {} --status", folder.path());
    status.succeeds();
    is_harmless(&status);
}
