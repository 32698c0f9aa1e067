//! Checks that untrusted input opens no file and starts no program.
//!
//! `@` in fuzzed text stands for a watched directory, whose accesses only Linux reports.

use crate::{checksum_repair, players::is_cheap, protocols};
use arena::external::provide_external;
use arena::regret::suite::LabelledSuite;
use engine::games::{
    einstein::Standard, havannah::Havannah, reversi::Reversi, reversixt::ReversiXt,
};
use engine::learned::{inputs::Learnable, model_file::ModelFile, safetensors_container::Container};
use engine::play::{build::PlayerRecipe, player_notation::Notation};
use rustix::{fs::inotify, io::Errno, process};
use serde_json::{Value, json};
use std::{fs, mem::MaybeUninit, os::fd::OwnedFd, path::Path, path::PathBuf, sync::LazyLock};
use trainer::{
    data::{BadGames, json_lines},
    shard,
};
use web::{answer::answer, limits::RequestLimits};

/// A directory of files that must not be opened, and the descriptor that reports accesses.
static BAIT: LazyLock<(PathBuf, OwnedFd)> = LazyLock::new(|| {
    let directory = std::env::temp_dir().join(format!("alea-bait-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a temporary directory");
    let map = include_bytes!("../../engine/games/reversixt/src/three.map");
    let model = include_bytes!("../../models/quick-ntuple.safetensors");
    for (name, bytes) in [
        ("map", &map[..]),
        ("model", model),
        ("program", b"#!/bin/sh\n"),
    ] {
        fs::write(directory.join(name), bytes).expect("room");
    }
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).expect("a watch");
    inotify::add_watch(&watch, &directory, inotify::WatchFlags::OPEN).expect("a watch");
    fs::read(directory.join("map")).expect("it is there");
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let rang = inotify::Reader::new(&watch, &mut buffer).next().is_ok();
    assert!(rang, "nobody tells what is opened");
    provide_external::<Standard>();
    provide_external::<Reversi>();
    provide_external::<Havannah>();
    provide_external::<ReversiXt>();
    (directory, watch)
});

const SHARD: &[u8] = include_bytes!("../../data/sample/000000.games");
const MODEL: &[u8] = include_bytes!("../../models/quick-ntuple.safetensors");

fn shard_naming_game(text: &str) -> Option<Vec<u8>> {
    let end = 20 + u32::from_le_bytes(*SHARD[12..].first_chunk()?) as usize;
    let mut header: Value = serde_json::from_slice(&SHARD[20..end]).ok()?;
    header["game"] = json!(text);
    let header = header.to_string();
    let length = (header.len() as u32).to_le_bytes();
    let parts = [
        &SHARD[..12],
        &length,
        &SHARD[16..20],
        header.as_bytes(),
        &SHARD[end..],
    ];
    checksum_repair::shard(&parts.concat())
}

fn read<G: Learnable>(text: &str) {
    let path = Path::new("fuzzed");
    let shard = shard_naming_game(text).expect("a shard");
    let _ = shard::decode::<G>(path, &shard);
    let _ = shard::parse_rules::<G>(text, None);
    let _ = G::from_model_game_name(text);
    let _ = G::from_notation(text, None);
    let _ = G::from_notation(&format!("{}({text})", G::INFO.name), None);
    let Ok(game) = G::from_notation(G::INFO.name, None) else {
        return;
    };
    for text in [text.to_owned(), format!("star1(depth=1, eval={text})")] {
        let is_cheap = is_cheap(&text.replace("model:", "no_model_"));
        if is_cheap && let Ok(recipe) = PlayerRecipe::parse(&text, &game) {
            recipe.make().new_game(1);
        }
    }
    for form in G::registry().transcripts {
        let transcript = format!("(;GM[{text}]PB[{text}]SZ[8]C[{text}])");
        let _ = (form.read)(&game, transcript.as_bytes());
    }
    let mut model = Container::parse(MODEL).expect("a model");
    model.metadata.insert("game".to_owned(), text.to_owned());
    let _ = ModelFile::from_bytes(&game, &model.to_bytes());
}

pub(crate) fn trust(bytes: &[u8]) {
    let (directory, watch) = &*BAIT;
    let text = String::from_utf8_lossy(bytes).replace('@', &directory.display().to_string());
    read::<Standard>(&text);
    read::<Reversi>(&text);
    read::<Havannah>(&text);
    read::<ReversiXt>(&text);
    let heading = json!({
        "format": "alea-games-2", "game": text, "players": [text], "run": {"player": text}
    });
    let lines = std::env::temp_dir().join(format!("alea-lines-{}", std::process::id()));
    fs::write(&lines, format!("{heading}\n")).expect("room");
    let out = lines.with_extension("out");
    let _ = json_lines::import::<ReversiXt>(&lines, &out, BadGames::Refuse);
    let _ = fs::remove_dir_all(&out);
    fs::remove_file(&lines).expect("it is there");
    let header = json!({"format": "alea regret suite 2", "game": text, "by": [text], "from": text});
    let _ = LabelledSuite::parse("fuzzed", &header.to_string(), &Standard::default());
    let question = json!({
        "ask": "move", "game": text, "position": "x", "player": text, "evaluators": [text]
    });
    let _ = answer(question.to_string().as_bytes(), &RequestLimits::default());
    let game = json!("einstein");
    let start = "1..../.b.../...../...../..... r 1";
    let question =
        json!({"ask": "move", "game": game, "position": start, "player": text, "seed": 1});
    if Notation::parse(&text).is_ok_and(|notation| notation.name == "external") {
        let _ = answer(question.to_string().as_bytes(), &RequestLimits::default());
    }
    for (which, set) in ["set_game ", "set_option player ", "set_option eval "]
        .iter()
        .enumerate()
    {
        let line = format!("{}{set}{text}", char::from(which as u8 * 4));
        protocols::protocols(line.as_bytes());
    }
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let opened = inotify::Reader::new(watch, &mut buffer).next().is_ok();
    assert!(!opened, "opened a file: {text}");
    let child = process::wait(process::WaitOptions::NOHANG);
    assert!(
        matches!(child, Err(Errno::CHILD)),
        "started a process: {text}"
    );
}
