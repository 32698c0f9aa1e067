//! The files of the page, and what they are as a site without a server.
//!
//! A page asks through `carrier.js`: the one that is served asks its server, the one that is exported
//! the engine as WebAssembly, in Web Workers. Invariant: nothing else differs, but that an exported
//! page says itself what a browser may do with it, for no server does.

use engine::core::files::{FileError, create_directory, write_atomically};
use std::path::Path;

/// What a browser may do with the page: nothing but with what this server gives it. Pictures of
/// boards are styled within.
pub(crate) const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The same of a page that runs WebAssembly and says so itself, where who frames it cannot be said.
const POLICY_OF_EXPORT: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
                                style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                                object-src 'none'; base-uri 'none'; form-action 'none'";

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    pub(crate) name: &'static str,
    /// Its type, for HTTP.
    pub(crate) kind: &'static str,
    pub(crate) content: &'static [u8],
}

macro_rules! files {
    ($($name:literal $kind:literal),+ $(,)?) => {
        &[$(File {
            name: $name,
            kind: $kind,
            content: include_bytes!(concat!("../page/", $name)),
        }),+]
    };
}
/// What is served.
pub(crate) static FILES: &[File] = files![
    "index.html" "text/html; charset=utf-8",
    "style.css" "text/css; charset=utf-8",
    "icon.svg" "image/svg+xml",
    "api.js" "text/javascript; charset=utf-8",
    "board.js" "text/javascript; charset=utf-8",
    "board-einstein.js" "text/javascript; charset=utf-8",
    "board-plain.js" "text/javascript; charset=utf-8",
    "board-reversi.js" "text/javascript; charset=utf-8",
    "carrier.js" "text/javascript; charset=utf-8",
    "clock.js" "text/javascript; charset=utf-8",
    "dom.js" "text/javascript; charset=utf-8",
    "editor.js" "text/javascript; charset=utf-8",
    "game.js" "text/javascript; charset=utf-8",
    "graph.js" "text/javascript; charset=utf-8",
    "main.js" "text/javascript; charset=utf-8",
    "moves.js" "text/javascript; charset=utf-8",
    "practice.js" "text/javascript; charset=utf-8",
    "strength.js" "text/javascript; charset=utf-8",
    "tutor.js" "text/javascript; charset=utf-8",
    "why.js" "text/javascript; charset=utf-8",
    "words.js" "text/javascript; charset=utf-8",
];

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
    let write = |name: &str, content: &[u8]| {
        write_atomically(&directory.join(name), |file| file.write_all(content))
    };
    let served = FILES.iter().map(|file| (file.name, file.content));
    let served = served.filter(|(name, _)| OF_EXPORT.iter().all(|(other, _)| other != name));
    for (name, content) in served.chain(OF_EXPORT.iter().copied()) {
        match name {
            "index.html" => {
                let policy = format!(
                    "{HEAD}<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY_OF_EXPORT}\">\n"
                );
                let text = String::from_utf8_lossy(content).replacen(HEAD, &policy, 1);
                write(name, text.as_bytes())?;
            }
            _ => write(name, content)?,
        }
    }
    write("alea.wasm", engine)
}
