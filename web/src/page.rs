//! Files of the web page, and their export as a site without a server.

use engine::core::files::{FileError, prepare_directory, write_atomically};
use std::{borrow::Cow, path::Path};

/// Content security policy; inline styles are those of board pictures (SVG).
pub(crate) const SECURITY_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Content security policy without `frame-ancestors`, which is invalid in an HTML head.
const EXPORT_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
                                style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                                object-src 'none'; base-uri 'none'; form-action 'none'";

macro_rules! page_file {
    ($name:literal) => {
        page_file!($name, $name)
    };
    ($name:literal, $file:literal) => {
        ($name, include_bytes!(concat!("../page/", $file)))
    };
}

pub(crate) static FILES: &[(&str, &[u8])] = &[
    page_file!("index.html"),
    page_file!("style.css"),
    page_file!("icon.svg"),
    page_file!("api.js"),
    page_file!("backgammon-steps.js"),
    page_file!("board.js"),
    page_file!("board-backgammon.js"),
    page_file!("board-einstein.js"),
    page_file!("board-plain.js"),
    page_file!("board-reversi.js"),
    page_file!("clock.js"),
    page_file!("dom.js"),
    page_file!("drills.js"),
    page_file!("editor.js"),
    page_file!("explain.js"),
    page_file!("explain-backgammon.js"),
    page_file!("explain-boards.js"),
    page_file!("game.js"),
    page_file!("graph.js"),
    page_file!("i18n.js"),
    page_file!("main.js"),
    page_file!("moves.js"),
    page_file!("rules.js"),
    page_file!("scale.js"),
    page_file!("strength.js"),
    page_file!("tutor.js"),
    page_file!("transport.js", "transport-http.js"),
];

pub(crate) fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

/// Files of an export that replace those in [`FILES`] or are added.
static EXPORT_FILES: &[(&str, &[u8])] = &[
    page_file!("transport.js", "transport-wasm.js"),
    page_file!("worker.js"),
];

const POLICY_ANCHOR: &str = "<meta charset=\"utf-8\">\n";

/// Writes the page and the engine (`alea.wasm`, built by `web/build-wasm`) to a directory,
/// replacing existing files.
///
/// # Errors
///
/// If a file cannot be written.
pub fn export(directory: &Path, engine: &[u8]) -> Result<(), FileError> {
    prepare_directory(directory)?;
    let policy = format!(
        "{POLICY_ANCHOR}<meta http-equiv=\"Content-Security-Policy\" content=\"{EXPORT_POLICY}\">\n"
    );
    let is_replaced = |name: &str| EXPORT_FILES.iter().any(|(other, _)| *other == name);
    let unchanged = FILES.iter().filter(|(name, _)| !is_replaced(name));
    for &(name, content) in unchanged
        .chain(EXPORT_FILES)
        .chain(&[("alea.wasm", engine)])
    {
        let content = match name {
            "index.html" => {
                let text = String::from_utf8_lossy(content);
                text.replacen(POLICY_ANCHOR, &policy, 1).into_bytes().into()
            }
            _ => Cow::from(content),
        };
        write_atomically(&directory.join(name), |file| file.write_all(&content))?;
    }
    Ok(())
}
