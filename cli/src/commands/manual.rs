//! `alea manual`: manual pages from the definitions of `--help`.

use crate::output;
use anyhow::Result;
use engine::core::files;
use std::path::{Path, PathBuf};

/// Write the manual pages, one for each command
#[derive(clap::Args)]
#[command(after_help = "Example: alea manual --out ~/.local/share/man/man1 && man alea-analyse")]
pub(crate) struct Arguments {
    /// Directory of the pages, created if missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        files::create_directory(&self.out)?;
        let mut command = crate::command().disable_help_subcommand(true);
        command.build();
        let pages = write_pages(&command, &self.out)?;
        output::note(&format!("{pages} pages in {}", self.out.display()));
        Ok(())
    }
}

/// Writes the page of a command and those of its subcommands; returns their number.
fn write_pages(command: &clap::Command, directory: &Path) -> Result<usize> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    output::file(&directory.join(page.get_filename()), text)?;
    command
        .get_subcommands()
        .try_fold(1, |pages, inner| Ok(pages + write_pages(inner, directory)?))
}
