//! Reader of Rust sources and manifests: modules, names and crates that they use.
//!
//! A source becomes a list of tokens without comments, strings and test code.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use toml::{Table, Value};

#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) module: String,
    /// Depth of its module: 1 for a module of `lib.rs`.
    depth: usize,
    tokens: Vec<String>,
    pub(crate) test_files: Vec<String>,
}

impl Source {
    /// Reads the text of the file at `path` below `src`.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let module_path = path.trim_end_matches(".rs");
        let (mut tokens, mut test_modules) = (Vec::new(), Vec::new());
        flatten(text.parse().unwrap(), &mut tokens, &mut test_modules);
        let test_files = test_modules.iter();
        Self {
            path: path.to_owned(),
            module: module_path.split('/').next().unwrap_or_default().to_owned(),
            depth: module_path.split('/').count(),
            tokens,
            test_files: test_files
                .map(|module| format!("{module_path}/{module}.rs"))
                .collect(),
        }
    }
}

pub(crate) fn folder_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Modules in the order of `lib.rs`.
pub(crate) fn modules_in_reading_order() -> Vec<String> {
    let text = read(&folder_of("engine").join("src/lib.rs"));
    let source = Source::read("lib.rs", &text);
    let declared = source
        .tokens
        .windows(3)
        .filter(|window| window[0] == "mod" && window[2] == ";");
    declared.map(|window| window[1].clone()).collect()
}

pub(crate) fn engine_sources() -> Vec<Source> {
    let mut sources = crate_sources("engine");
    sources.retain(|source| source.path != "lib.rs");
    sources
}

pub(crate) fn crate_sources(name: &str) -> Vec<Source> {
    let root = folder_of(name).join("src");
    let mut sources = Vec::new();
    collect(&root, &root, &mut sources);
    let tests = sources.iter().flat_map(|source| source.test_files.clone());
    let tests: Vec<String> = tests.collect();
    sources.retain(|source| {
        let folder = source.path.trim_end_matches(".rs");
        !tests.iter().any(|test| {
            *test == source.path
                || folder.starts_with(&format!("{}/", test.trim_end_matches(".rs")))
        })
    });
    assert!(sources.len() > 5, "{name} has more files than these");
    sources
}

fn collect(root: &Path, folder: &Path, sources: &mut Vec<Source>) {
    for path in std::fs::read_dir(folder).unwrap() {
        let path = path.unwrap().path();
        if path.is_dir() {
            collect(root, &path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let below = path.strip_prefix(root).unwrap().to_string_lossy();
            sources.push(Source::read(&below.replace('\\', "/"), &read(&path)));
        }
    }
}

/// Modules of `lib.rs` that a source names, by `crate::…` or by as many `super::` as lead there.
pub(crate) fn roots_used(source: &Source) -> BTreeSet<String> {
    let tokens = &source.tokens;
    let mut roots = BTreeSet::new();
    let mut index = 0;
    while index + 2 < tokens.len() {
        let mut next = index;
        let mut supers = 0;
        while tokens.get(next).is_some_and(|token| token == "super")
            && tokens.get(next + 1).is_some_and(|token| token == "::")
        {
            supers += 1;
            next += 2;
        }
        let from_crate = tokens[index] == "crate" && tokens[index + 1] == "::";
        if from_crate {
            next = index + 2;
        }
        if from_crate || supers == source.depth {
            roots.extend(first_segments(&tokens[next..]));
        }
        index = next.max(index + 1);
    }
    roots
}

pub(crate) fn macros_defined(source: &Source) -> Vec<String> {
    let triples = source.tokens.windows(3);
    triples
        .filter(|window| window[0] == "macro_rules")
        .map(|window| window[2].clone())
        .collect()
}

pub(crate) fn names_used(source: &Source) -> BTreeSet<&str> {
    let tokens = source.tokens.iter().map(String::as_str);
    let is_word = |token: &&str| token.starts_with(|first: char| first.is_alphabetic());
    tokens.filter(is_word).collect()
}

pub(crate) fn names_path(source: &Source, module: &str, item: &str) -> bool {
    let mut paths = source.tokens.windows(3);
    paths.any(|path| path == [module, "::", item])
}

/// The first words of a path, or of each path of a `{…}` group.
fn first_segments(tokens: &[String]) -> Vec<String> {
    let Some(first) = tokens.first() else {
        return Vec::new();
    };
    if first != "{" {
        return vec![first.clone()];
    }
    let mut segments = Vec::new();
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => break,
            "}" => depth -= 1,
            _ if depth == 1 && (index == 1 || tokens[index - 1] == ",") => {
                segments.push(token.clone())
            }
            _ => {}
        }
    }
    segments
}

/// Appends the tokens of a source without strings and items under `#[cfg(test)]`, and the names of
/// test modules in files of their own.
fn flatten(source: TokenStream, tokens: &mut Vec<String>, test_modules: &mut Vec<String>) {
    let is_for_tests =
        |tree: &TokenTree| tree.to_string().replace(char::is_whitespace, "") == "[cfg(test)]";
    let mut trees = source.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                if trees.next_if(is_for_tests).is_none() {
                    tokens.push(sign.to_string());
                    continue;
                }
                // The item ends with a `;`, or with its body.
                let ends = |tree: &TokenTree| match tree {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    other => other.to_string() == ";",
                };
                let mut words = Vec::new();
                while let Some(tree) = trees.next_if(|tree| !ends(tree)) {
                    words.push(tree.to_string());
                }
                if let (Some(TokenTree::Punct(_)), [.., keyword, name]) = (trees.next(), &words[..])
                    && keyword == "mod"
                {
                    test_modules.push(name.clone());
                }
            }
            TokenTree::Punct(sign) if sign.as_char() == ':' && sign.spacing() == Spacing::Joint => {
                trees.next();
                tokens.push("::".to_owned());
            }
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    _ => ["(", ")"],
                };
                tokens.push(open.to_owned());
                flatten(group.stream(), tokens, test_modules);
                tokens.push(close.to_owned());
            }
            TokenTree::Literal(_) => {}
            other => tokens.push(other.to_string()),
        }
    }
}

/// Crates of a manifest's dependencies of every kind, renamed ones under both names.
pub(crate) fn dependencies(manifest: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in manifest {
        let Some(entries) = value.as_table() else {
            continue;
        };
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
