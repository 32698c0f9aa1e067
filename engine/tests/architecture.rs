//! The house rules, checked on the sources: who may import whom, and which crates stay out of
//! which.
//!
//! A module of the engine uses only modules above it in `lib.rs`; the game loop, chance and search
//! name no game, no die and no stone; trainer and benches do not know each other. Comments, texts
//! and test code are exempt.

mod sources;

use sources::{
    Source, dependencies, engine_sources, modules_in_reading_order, names_used, roots_used,
};
use std::path::Path;

/// Modules that serve any game.
const GENERAL: [&str; 6] = ["game", "chance", "oracle", "search", "record", "play"];

#[test]
fn modules_use_only_modules_above_them() {
    let order = modules_in_reading_order();
    assert!(
        order.contains(&"game".to_owned()) && order.contains(&"search".to_owned()),
        "{order:?}"
    );
    let place = |module: &str| order.iter().position(|declared| declared == module);
    let mut violations = Vec::new();
    for source in engine_sources() {
        let own = place(&source.module)
            .unwrap_or_else(|| panic!("{} belongs to no module of lib.rs", source.path));
        for used in roots_used(&source) {
            match place(&used) {
                Some(used_place) if used_place <= own => {}
                Some(_) => violations.push(format!(
                    "{} uses {used}, which comes after {} in lib.rs",
                    source.path, source.module
                )),
                None => violations.push(format!(
                    "{} uses crate::{used}, which is no module of lib.rs",
                    source.path
                )),
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn games_never_use_search_and_search_never_uses_games() {
    let order = modules_in_reading_order();
    let mut checked = 0;
    for source in engine_sources() {
        let forbidden: &[&str] = match source.module.as_str() {
            "games" => &["search", "eval", "player", "play"],
            "search" => &["games", "dice"],
            _ => continue,
        };
        let used = roots_used(&source);
        let wrong: Vec<&&str> = forbidden
            .iter()
            .filter(|module| used.contains(**module))
            .collect();
        assert!(wrong.is_empty(), "{} uses {wrong:?}", source.path);
        assert!(
            forbidden
                .iter()
                .all(|module| order.iter().any(|declared| declared == module)),
            "{order:?}"
        );
        checked += 1;
    }
    assert!(checked > 2, "both modules have files");
}

#[test]
fn general_modules_name_no_game_no_die_and_no_stone() {
    let mut violations = Vec::new();
    for source in engine_sources()
        .iter()
        .filter(|source| GENERAL.contains(&source.module.as_str()))
    {
        for name in names_used(source) {
            let lower = name.to_lowercase();
            let special = ["einstein", "dice", "stone"]
                .iter()
                .any(|part| lower.contains(part))
                || ["die", "games"].contains(&lower.as_str());
            if special {
                violations.push(format!("{} names {name}", source.path));
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn crates_depend_only_downwards() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // The crate, what it must not depend on, and something it does depend on (so that the reading
    // is seen to work).
    for (name, forbidden, expected) in [
        (
            "engine",
            &[
                "burn",
                "clap",
                "rayon",
                "indicatif",
                "trainer",
                "benches",
                "alea",
                "anyhow",
            ][..],
            "rand_mt",
        ),
        (
            "trainer",
            &["benches", "alea", "cli", "clap", "anyhow"][..],
            "engine",
        ),
        (
            "benches",
            &["trainer", "alea", "cli", "clap", "burn", "anyhow"][..],
            "engine",
        ),
        ("cli", &["burn"][..], "trainer"),
    ] {
        let manifest = root.join(name).join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest)
            .unwrap_or_else(|error| panic!("{}: {error}", manifest.display()));
        let found = dependencies(&text);
        assert!(
            found.iter().any(|dependency| dependency == expected),
            "{name}: {found:?}"
        );
        let wrong: Vec<&String> = found
            .iter()
            .filter(|dependency| forbidden.contains(&dependency.as_str()))
            .collect();
        assert!(wrong.is_empty(), "{name} must not depend on {wrong:?}");
    }
}

#[test]
fn the_reader_of_sources_sees_imports_and_skips_comments_texts_and_tests() {
    let text = r##"
        //! Mentions crate::player and a stone.
        use crate::game::{Game, Seat};
        use crate::{chance::Bounds, dice::{self, Die}, eval};
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
    assert_eq!(
        dependencies(text),
        ["serde", "fast", "rayon", "proptest", "burn", "libc"]
    );
}
