//! `alea completions`: shell completions.

use crate::output;
use anyhow::Result;
use clap_complete::Shell;

/// Print the completion script of a shell
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea completions bash > ~/.local/share/bash-completion/completions/alea\n         alea completions zsh > ~/.zfunc/_alea      # in a directory of fpath\n         alea completions fish > ~/.config/fish/completions/alea.fish"
)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::command(), "alea", &mut script);
        output::line(String::from_utf8(script)?.trim_end())
    }
}
