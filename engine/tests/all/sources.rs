//! Reads Rust sources and manifests just well enough to tell which modules, names and crates they
//! use.
//!
//! A source becomes a list of tokens without comments, texts and test code; paths are then found by
//! their tokens.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// A file of a crate, as tokens.
#[derive(Debug)]
pub(crate) struct Source {
    /// Path below `src`, with `/`.
    pub(crate) path: String,
    /// The module of `lib.rs` it belongs to.
    pub(crate) module: String,
    /// How many modules deep its items lie: 1 for a module of `lib.rs`.
    depth: usize,
    tokens: Vec<String>,
    /// Files that it declares as test modules.
    pub(crate) test_files: Vec<String>,
}

impl Source {
    /// Reads the text of the file at `path` below `src`.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let module_path = path.trim_end_matches(".rs");
        let (tokens, test_modules) = without_tests(&tokens_of(text));
        Self {
            path: path.to_owned(),
            module: module_path.split('/').next().unwrap_or_default().to_owned(),
            depth: module_path.split('/').count(),
            tokens,
            test_files: test_modules
                .iter()
                .map(|module| format!("{module_path}/{module}.rs"))
                .collect(),
        }
    }
}

/// The folder of a crate.
pub(crate) fn folder_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The modules that `lib.rs` declares, in its order.
pub(crate) fn modules_in_reading_order() -> Vec<String> {
    let text = read(&folder_of("engine").join("src/lib.rs"));
    let (tokens, _) = without_tests(&tokens_of(&text));
    let declared = tokens
        .windows(3)
        .filter(|window| window[0] == "mod" && window[2] == ";");
    declared.map(|window| window[1].clone()).collect()
}

/// All files of the engine but `lib.rs` and those that only tests use.
pub(crate) fn engine_sources() -> Vec<Source> {
    let mut sources = crate_sources("engine");
    sources.retain(|source| source.path != "lib.rs");
    sources
}

/// All files of a crate but those that only tests use.
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

/// The modules of `lib.rs` that a source names, by `crate::…` or by as many `super::` as lead
/// there.
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

/// The macros that a source makes.
pub(crate) fn macros_made(source: &Source) -> Vec<String> {
    let made = source.tokens.windows(3);
    made.filter(|window| window[0] == "macro_rules")
        .map(|window| window[2].clone())
        .collect()
}

/// Every word of the code.
pub(crate) fn names_used(source: &Source) -> BTreeSet<&str> {
    let tokens = source.tokens.iter().map(String::as_str);
    tokens.filter(|token| token.starts_with(is_word)).collect()
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

/// The tokens without items under `#[cfg(test)]`, and the names of the test modules that are files
/// of their own.
fn without_tests(tokens: &[String]) -> (Vec<String>, Vec<String>) {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut files) = (Vec::new(), Vec::new());
    let mut index = 0;
    while index < tokens.len() {
        if !tokens[index..]
            .iter()
            .take(ATTRIBUTE.len())
            .eq(ATTRIBUTE.iter())
        {
            kept.push(tokens[index].clone());
            index += 1;
            continue;
        }
        // The item ends with the first `;` outside brackets, or with the brace that closes its
        // body.
        let item = index + ATTRIBUTE.len();
        let mut depth = 0;
        index = item;
        while index < tokens.len() {
            match tokens[index].as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            index += 1;
            if depth == 0 && [";", "}"].contains(&tokens[index - 1].as_str()) {
                break;
            }
        }
        let words = &tokens[item..index];
        if let [.., keyword, name, end] = words
            && keyword == "mod"
            && end == ";"
        {
            files.push(name.clone());
        }
    }
    (kept, files)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Words, `::` and single characters, without white space, comments, texts and character literals.
fn tokens_of(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let starts = |at: usize, pattern: &str| {
        let mut wanted = pattern.chars().zip(at..);
        wanted.all(|(wanted, at)| characters.get(at) == Some(&wanted))
    };
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let character = characters[at];
        if starts(at, "//") {
            while at < characters.len() && characters[at] != '\n' {
                at += 1;
            }
        } else if starts(at, "/*") {
            let mut depth = 0;
            loop {
                if starts(at, "/*") {
                    depth += 1;
                    at += 2;
                } else if starts(at, "*/") {
                    depth -= 1;
                    at += 2;
                } else {
                    at += 1;
                }
                if depth == 0 || at >= characters.len() {
                    break;
                }
            }
        } else if character == '"' {
            at = end_of_text(&characters, at);
        } else if character == '\'' {
            // A lifetime has no closing quote right after its first character.
            if characters.get(at + 1) == Some(&'\\') {
                at += 3;
                while at < characters.len() && characters[at] != '\'' {
                    at += 1;
                }
                at += 1;
            } else if characters.get(at + 2) == Some(&'\'') {
                at += 3;
            } else {
                at += 1;
            }
        } else if is_word(character) {
            let start = at;
            while at < characters.len() && is_word(characters[at]) {
                at += 1;
            }
            let word: String = characters[start..at].iter().collect();
            let rest = characters[at..].iter();
            let hashes = rest.take_while(|&&next| next == '#').count();
            if ["r", "br"].contains(&word.as_str()) && characters.get(at + hashes) == Some(&'"') {
                let closing = "\"".to_owned() + &"#".repeat(hashes);
                at += hashes + 1;
                while at < characters.len() && !starts(at, &closing) {
                    at += 1;
                }
                at += closing.len();
            } else {
                tokens.push(word);
            }
        } else if starts(at, "::") {
            tokens.push("::".to_owned());
            at += 2;
        } else {
            if !character.is_whitespace() {
                tokens.push(character.to_string());
            }
            at += 1;
        }
    }
    tokens
}

/// One past the closing quote of the text that begins at `at`.
fn end_of_text(characters: &[char], at: usize) -> usize {
    let mut at = at + 1;
    while at < characters.len() && characters[at] != '"' {
        at += if characters[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// The crates a manifest depends on, of every kind, renamed ones under both names.
pub(crate) fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_table = false;
    for line in manifest.lines().map(str::trim) {
        let table = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'));
        if let Some(table) = table {
            in_table = table.ends_with("dependencies");
            if let Some((kind, name)) = table.rsplit_once('.')
                && kind.ends_with("dependencies")
            {
                found.push(name.to_owned());
            }
        } else if in_table
            && !line.starts_with('#')
            && let Some((key, value)) = line.split_once('=')
        {
            found.extend(key.trim().split('.').next().map(str::to_owned));
            if let Some((_, package)) = value.split_once("package = \"") {
                found.extend(package.split('"').next().map(str::to_owned));
            }
        }
    }
    found
}
