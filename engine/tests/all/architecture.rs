//! Import rules, checked on the sources without comments, texts and tests.
//!
//! A module of the engine uses only modules above it in `lib.rs`; games do not use search; outside
//! of the games only a list names one.

use crate::sources::{
    Source, crate_sources, dependencies, engine_sources, folder_of, macros_defined,
    modules_in_reading_order, names_path, names_used, read, roots_used,
};
use crate::support::rows;

/// Modules that serve any game.
const GENERAL: [&str; 4] = ["core", "search", "play", "learned"];

#[test]
fn modules_use_only_modules_above_them() {
    let order = modules_in_reading_order();
    assert_eq!(order, ["core", "search", "play", "learned", "games"]);
    let index = |module: &str| order.iter().position(|declared| declared == module);
    // Macros belong to no module.
    let macros = engine_sources().iter().flat_map(macros_defined).collect();
    let mut violations = Vec::new();
    for source in engine_sources() {
        let own = index(&source.module)
            .unwrap_or_else(|| panic!("{} belongs to no module of lib.rs", source.path));
        for used in roots_used(&source).difference(&macros) {
            match index(used) {
                Some(used_index) if used_index <= own => {}
                _ => violations.push(format!(
                    "{} uses crate::{used}, which does not come before {} in lib.rs",
                    source.path, source.module
                )),
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn games_never_use_search() {
    let mut games = engine_sources();
    games.retain(|source| source.module == "games");
    for source in &games {
        assert!(!roots_used(source).contains("search"), "{}", source.path);
    }
    assert!(games.len() > 2, "games have files");
}

#[test]
fn general_modules_name_no_game_no_die_and_no_stone() {
    let (games, mut violations) = (games(), Vec::new());
    for source in engine_sources()
        .iter()
        .filter(|source| GENERAL.contains(&source.module.as_str()))
    {
        for name in names_used(source) {
            let special = words_of(name).iter().any(|word| {
                games.contains(word) || ["die", "dice", "stone", "stones"].contains(&word.as_str())
            });
            if special || name == "games" {
                violations.push(format!("{} names {name}", source.path));
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// Words of a name in lower case: `EinStein` and `ein_stein` have two.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// Names of all games: the folders of their module.
fn games() -> Vec<String> {
    let entries = std::fs::read_dir(folder_of("engine").join("src/games")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let folders = paths.filter(|path| path.extension().is_none());
    let names = folders.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    names.collect()
}

#[test]
fn outside_of_games_only_the_list_of_games_names_one() {
    let mut games = games();
    assert!(games.contains(&"einstein".to_owned()), "{games:?}");
    // A plain word too.
    games.retain(|game| game != "columns");
    // Files and folders that may name a game, with the reason.
    let may: Vec<[String; 2]> = rows(include_str!("../cases/name_a_game.jsonl")).collect();
    let (mut violations, mut used) = (Vec::new(), vec![false; may.len()]);
    for name in ["trainer", "arena", "protocols", "web", "cli"] {
        for source in crate_sources(name) {
            let words = names_used(&source);
            let named = words.iter().find(|word| {
                let lower = word.to_lowercase();
                games.iter().any(|game| lower.contains(game))
            });
            let Some(named) = named else { continue };
            let path = format!("{name}/{}", source.path);
            let allowed = may.iter().position(|[allowed, _]| {
                path == *allowed
                    || path == format!("{allowed}.rs")
                    || path.starts_with(&format!("{allowed}/"))
            });
            match allowed {
                Some(allowed) => used[allowed] = true,
                None => violations.push(format!("{path} names {named}")),
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    // A file that stops naming games loses the permission.
    for ([allowed, reason], used) in may.iter().zip(used) {
        assert!(used, "{allowed} ({reason}) names no game");
    }
}

#[test]
fn games_and_players_open_a_file_by_leave_of_the_notation_alone() {
    let opens = |source: &&Source| {
        let is_room = ["play", "games"].contains(&&*source.module);
        // Tables lie in the user's directory; no notation names a file of theirs.
        let is_tables = source.path.starts_with("games/einstein/tables");
        let own = ["read", "read_text", "open", "list"];
        let reads = own.iter().any(|name| names_path(source, "files", name));
        let is_raw = ["fs", "File"]
            .iter()
            .any(|name| names_used(source).contains(name));
        is_room && !is_tables && (reads || is_raw)
    };
    let sources = engine_sources();
    let readers: Vec<&Source> = sources.iter().filter(opens).collect();
    assert!(readers.len() > 2, "{readers:?}");
    for source in readers {
        let is_granted = names_used(source).contains("trusted_path");
        assert!(is_granted, "{} opens files unasked", source.path);
    }
}

#[test]
fn crates_depend_only_downwards() {
    // Crate, forbidden dependencies, and an actual one as a check of the reader.
    let crates = include_str!("../cases/dependencies.jsonl");
    for (name, forbidden, expected) in rows::<(String, Vec<String>, String)>(crates) {
        let found = dependencies(&read(&folder_of(&name).join("Cargo.toml")).parse().unwrap());
        let has = |name_of_crate: &str| found.iter().any(|dependency| dependency == name_of_crate);
        assert!(has(&expected), "{name}: {found:?}");
        for wrong in forbidden {
            assert!(!has(&wrong), "{name} must not depend on {wrong}");
        }
    }
}

#[test]
fn the_reader_of_sources_sees_imports_and_skips_comments_texts_and_tests() {
    let text = r##"
        //! Mentions crate::player and a stone.
        use crate::game::{Game,Seat};
        use crate::chance::Bounds;
        use crate::dice::{self,Die};
        use crate::eval;
        /* crate::play /* nested crate::record */ */
        const TEXT: &str = "crate::weights \" crate::files";
        const RAW: &str = r#"crate::random " crate::files"#;
        const QUOTE: char = '"';
        fn borrow<'a>(text: &'a str) -> &'a str { super::super::games::read(text); super::sibling::ask(text) }
        #[cfg(test)]
        pub(crate) mod helpers;
        #[cfg(test)]
        mod tests { use crate::search::SearchStats; fn f() { if true { crate::player::g() } } }
        pub(crate) fn last() { crate::random::draw() }
    "##;
    let source = Source::read("search/example.rs", text);
    assert_eq!(source.module, "search");
    let used: Vec<String> = roots_used(&source).into_iter().collect();
    assert_eq!(used, ["chance", "dice", "eval", "game", "games", "random"]);
    assert_eq!(source.test_files, ["search/example/helpers.rs"]);
    let names = names_used(&source);
    assert!(
        names.contains("Die")
            && names.contains("borrow")
            && !names.contains("stone")
            && !names.contains("SearchStats"),
        "{names:?}"
    );
}

#[test]
fn the_reader_of_manifests_sees_every_kind_of_dependency() {
    let text = "[package]\nname = \"x\"\n[dependencies]\n# burn = 1\nserde.workspace = true\nfast = { package = \"rayon\", version = \"1\" }\n\
                [features]\nclap = []\n[dev-dependencies]\nproptest = \"1\"\n[dependencies.burn]\nversion = \"1\"\n\
                [target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n";
    let mut found = dependencies(&text.parse().unwrap());
    found.sort();
    assert_eq!(
        found,
        ["burn", "fast", "libc", "proptest", "rayon", "serde"]
    );
}
