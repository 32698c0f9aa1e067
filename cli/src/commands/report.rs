//! `alea report`: writes results as an HTML or Markdown page.

use crate::output;
use anyhow::{Context, Result, anyhow, bail};
use arena::results_report::{self, SectionParser};
use clap::Args;
use engine::core::{
    files::{self, FileKind},
    text,
};
use std::path::{Path, PathBuf};

/// Write a page of results
///
/// Reads the --json output of arena, gate, tournament and regret, and the curve.csv of a training:
/// tables, ratings with error bars, reliability plots, heat maps, learning curves. The HTML is one file that needs
/// no network; Markdown has its pictures beside it. `alea pipeline` writes a page of its own.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: alea tournament --player greedy --player \"star1(depth=1)\" --player random --json > round.json\n         \
                  alea report round.json --out round.html"
)]
pub struct Arguments {
    /// Files of results, in the order of the page; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where the page goes: .html, or .md for Markdown
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The heading
    #[arg(long, default_value = "Results")]
    title: String,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        self.run_with(|_| None)
    }

    /// Writes the page; `other` reads kinds of results that `arena` does not know.
    ///
    /// # Errors
    /// If a result cannot be read or the page cannot be written.
    pub fn run_with(&self, other: SectionParser) -> Result<()> {
        let out = &self.out;
        let markdown = match out.extension().and_then(|extension| extension.to_str()) {
            Some("html" | "htm") => false,
            Some("md" | "markdown") => true,
            _ => bail!("{}: a page ends in .html or .md", out.display()),
        };
        let mut found = Vec::new();
        for path in &self.files {
            let (name, text) = read(path)?;
            found.extend(results_report::read(&name, &text, other)?);
        }
        let page = results_report::page(&self.title, &found)?;
        if markdown {
            let stem = out.file_stem().and_then(|stem| stem.to_str());
            let (text, pictures) =
                page.markdown(stem.context("the page's name is no text")?, crate::PROGRAM);
            for (name, svg) in pictures {
                output::write_file(&out.with_file_name(name), svg)?;
            }
            output::write_file(out, text)?;
        } else {
            output::write_file(out, page.html(crate::PROGRAM))?;
        }
        output::note(&format!("{}: {} results", out.display(), found.len()));
        Ok(())
    }
}

fn read(path: &Path) -> Result<(String, String)> {
    if path == Path::new("-") {
        let name = Path::new("standard input");
        let bytes = files::read_stream(std::io::stdin(), name, FileKind::Text)?;
        let text = text::from_utf8(&bytes).map_err(|problem| anyhow!("standard input: {problem}"));
        return Ok(("standard input".to_owned(), text?));
    }
    let directory = std::env::current_dir().unwrap_or_default();
    Ok((
        file_title(path, &directory),
        files::read_text(path, FileKind::Text)?,
    ))
}

/// Name of a file in a report: its path from `directory` if it is inside, else its name with that
/// of its folder.
fn file_title(path: &Path, directory: &Path) -> String {
    let within = path.strip_prefix(directory).unwrap_or(path);
    if within.is_relative() {
        return within.display().to_string();
    }
    let folder = path.parent().and_then(Path::file_name).map(Path::new);
    let name = path.file_name().map(Path::new).unwrap_or(path);
    folder
        .map_or(name.to_owned(), |folder| folder.join(name))
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_no_absolute_paths() {
        let title = |path: &str| file_title(Path::new(path), Path::new("/home/me/alea"));
        assert_eq!(title("runs/quick-1/curve.csv"), "runs/quick-1/curve.csv");
        assert_eq!(title("/home/me/alea/runs/curve.csv"), "runs/curve.csv");
        assert_eq!(title("/tmp/other/curve.csv"), "other/curve.csv");
        assert_eq!(title("/curve.csv"), "curve.csv");
    }
}
