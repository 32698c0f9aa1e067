//! `alea completions`: shell completions and manual pages.

use crate::output;
use anyhow::{Result, bail};
use clap_complete::Shell;
use engine::core::files;
use std::path::{Path, PathBuf};

/// Print the completions of a shell, or write manual pages
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea completions bash > ~/.local/share/bash-completion/completions/alea\n         alea completions zsh > ~/.zfunc/_alea      # in a directory of fpath\n         alea completions fish > ~/.config/fish/completions/alea.fish\n         alea completions man --out ~/.local/share/man/man1 && man alea-analyse"
)]
pub(crate) struct Arguments {
    /// The shell, or man for a manual page of each command
    form: Form,
    /// Directory of the manual pages, created if missing
    #[arg(long, value_name = "DIR", required_if_eq("form", "man"))]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Form {
    Bash,
    Zsh,
    Fish,
    Man,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let shell = match (self.form, &self.out) {
            (Form::Man, Some(directory)) => return write_manual(directory),
            (_, Some(_)) => bail!("--out is for man; completions are printed"),
            (Form::Zsh, None) => Shell::Zsh,
            (Form::Fish, None) => Shell::Fish,
            (Form::Bash | Form::Man, None) => Shell::Bash,
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut crate::alea_command(), "alea", &mut script);
        output::print_line(String::from_utf8(script)?.trim_end())
    }
}

fn write_manual(directory: &Path) -> Result<()> {
    files::prepare_directory(directory)?;
    let mut command = crate::alea_command().disable_help_subcommand(true);
    command.build();
    let pages = write_man_pages(&command, directory)?;
    output::note(&format!("{pages} pages in {}", directory.display()));
    Ok(())
}

fn write_man_pages(command: &clap::Command, directory: &Path) -> Result<usize> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    output::write_file(&directory.join(page.get_filename()), text)?;
    command.get_subcommands().try_fold(1, |pages, inner| {
        Ok(pages + write_man_pages(inner, directory)?)
    })
}
