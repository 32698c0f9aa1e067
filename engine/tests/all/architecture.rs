//! Architecture rules that crate boundaries do not enforce.

use crate::support::parse_json_rows;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn sources(name: &str) -> Vec<(String, String)> {
    fn collect(root: &Path, folder: &Path, sources: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_test = path.file_stem().is_some_and(|name| name == "tests");
            if path.is_dir() && !is_test {
                collect(root, &path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
                let below = path.strip_prefix(root).unwrap().to_string_lossy();
                sources.push((below.replace('\\', "/"), code.to_owned()));
            }
        }
    }
    let (root, mut found) = (folder(name), Vec::new());
    collect(&root, &root, &mut found);
    assert!(found.len() > 5, "{name} has more files than these");
    found
}

#[test]
fn outside_of_games_only_the_list_of_games_names_one() {
    let may: Vec<[String; 2]> =
        parse_json_rows(include_str!("../cases/name_a_game.jsonl")).collect();
    let mut used = vec![false; may.len()];
    for (name, path_of_games) in [
        ("arena", "alea_einstein::"),
        ("cli", "engine::games::"),
        ("web", "engine::games::"),
    ] {
        for (path, code) in sources(&format!("{name}/src")) {
            if !code.contains(path_of_games) {
                continue;
            }
            let path = format!("{name}/{path}");
            let allowed = may.iter().position(|[allowed, _]| {
                path == *allowed
                    || path == format!("{allowed}.rs")
                    || path.starts_with(&format!("{allowed}/"))
            });
            used[allowed.unwrap_or_else(|| panic!("{path} names a game"))] = true;
        }
    }
    for ([allowed, reason], used) in may.iter().zip(used) {
        assert!(used, "{allowed} ({reason}) names no game");
    }
}

#[test]
fn games_and_players_open_a_file_by_leave_of_the_notation_alone() {
    let opens = |code: &str| {
        ["read", "read_text", "open", "list"]
            .iter()
            .any(|name| code.contains(&format!("files::{name}(")))
            || code.contains("model_names::read(")
            || code.contains("fs::")
            || code.contains("File::")
    };
    let mut readers = Vec::new();
    for (path, code) in [sources("engine/play/src"), sources("engine/games")].concat() {
        // Tables lie in the user's directory, and no notation names them.
        if opens(&code) && !path.starts_with("einstein/src/tables") {
            assert!(code.contains("trusted_path"), "{path} opens files unasked");
            readers.push(path);
        }
    }
    assert!(readers.len() > 2, "{readers:?}");
}

#[test]
fn crates_depend_only_downwards() {
    let crates = include_str!("../cases/dependencies.jsonl");
    for (name, forbidden, expected) in parse_json_rows::<(String, Vec<String>, String)>(crates) {
        let manifest = std::fs::read_to_string(folder(&name).join("Cargo.toml")).unwrap();
        let found = dependencies(&manifest.parse().unwrap());
        let has = |name_of_crate: &str| found.iter().any(|dependency| dependency == name_of_crate);
        assert!(has(&expected), "{name}: {found:?}");
        for wrong in forbidden {
            assert!(!has(&wrong), "{name} must not depend on {wrong}");
        }
    }
}

fn dependencies(manifest: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in manifest {
        let Some(entries) = value.as_table() else {
            continue;
        };
        if key == "dev-dependencies" {
            continue;
        }
        if !key.ends_with("dependencies") {
            found.extend(dependencies(entries));
            continue;
        }
        for (name, entry) in entries {
            found.push(name.clone());
            let package = entry.get("package").and_then(Value::as_str);
            found.extend(package.map(str::to_owned));
        }
    }
    found
}

#[test]
fn the_reader_of_manifests_sees_every_kind_of_dependency() {
    let text = "[package]\nname = \"x\"\n[dependencies]\n# burn = 1\nserde.workspace = true\nfast = { package = \"rayon\", version = \"1\" }\n\
                [features]\nclap = []\n[dev-dependencies]\nproptest = \"1\"\n[dependencies.burn]\nversion = \"1\"\n\
                [target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n";
    let mut found = dependencies(&text.parse().unwrap());
    found.sort();
    assert_eq!(found, ["burn", "fast", "libc", "rayon", "serde"]);
}
