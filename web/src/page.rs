//! The files of the page, and what they are as a site without a server.
//!
//! A page asks through `carrier.js`: the one that is served asks its server, the one that is exported
//! the engine as WebAssembly, in Web Workers. Invariant: nothing else differs, but that an exported
//! page says itself what a browser may do with it, for no server does.

use engine::core::files::{FileError, create_directory, write_atomically};
use std::{borrow::Cow, path::Path};

/// What a browser may do with the page: nothing but with what this server gives it. Pictures of
/// boards are styled within.
pub(crate) const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The same of a page that runs WebAssembly and says so itself, where who frames it cannot be said.
const POLICY_OF_EXPORT: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
                                style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                                object-src 'none'; base-uri 'none'; form-action 'none'";

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../page/", $name)))),+]
    };
}
/// What is served, by name.
pub(crate) static FILES: &[(&str, &[u8])] = files![
    "index.html",
    "style.css",
    "icon.svg",
    "api.js",
    "board.js",
    "board-einstein.js",
    "board-plain.js",
    "board-reversi.js",
    "carrier.js",
    "clock.js",
    "dom.js",
    "editor.js",
    "game.js",
    "graph.js",
    "main.js",
    "moves.js",
    "practice.js",
    "strength.js",
    "tutor.js",
    "why.js",
    "words.js",
];

/// The type of a file, for HTTP.
pub(crate) fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

/// What stands in an exported page under these names.
static OF_EXPORT: &[(&str, &[u8])] = &[
    ("carrier.js", include_bytes!("../page/carrier-worker.js")),
    ("worker.js", include_bytes!("../page/worker.js")),
];

/// Where the rest of the page's head goes.
const HEAD: &str = "<meta charset=\"utf-8\">\n";

/// Writes the page with an engine (`alea.wasm`, as `web/build-wasm` makes it) into a directory, which
/// is made if it is not there; files of the same names are replaced.
///
/// # Errors
/// If a file cannot be written.
pub fn export(directory: &Path, engine: &[u8]) -> Result<(), FileError> {
    create_directory(directory)?;
    let policy = format!(
        "{HEAD}<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY_OF_EXPORT}\">\n"
    );
    let replaced = |name: &str| OF_EXPORT.iter().any(|(other, _)| *other == name);
    let served = FILES.iter().filter(|(name, _)| !replaced(name));
    for &(name, content) in served.chain(OF_EXPORT).chain(&[("alea.wasm", engine)]) {
        let content = match name {
            "index.html" => {
                let text = String::from_utf8_lossy(content);
                text.replacen(HEAD, &policy, 1).into_bytes().into()
            }
            _ => Cow::from(content),
        };
        write_atomically(&directory.join(name), |file| file.write_all(&content))?;
    }
    Ok(())
}
