//! `alea web`: the analysis board in a browser.

use crate::{fatal, output, record_json, tables};
use anyhow::{Context, Result, bail};
use engine::core::files::{self, FileKind};
use std::{
    net::{IpAddr, Ipv4Addr, TcpListener},
    path::PathBuf,
};
use web::{
    page,
    server::{self, ServerOptions},
};

/// Show an analysis board in the browser
///
/// The board shows the values of all moves and rolls, and has a tutor. Open the printed address.
/// The page sends its requests to this program alone (docs/reference/api.md). Requests open
/// and write no
/// file, and their cost is bounded.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea web\n         alea web --port 8000 --searches 4\n         \
                  alea web --export site\n         \
                  alea web --exec, then curl 'http://127.0.0.1:7878/exec?genmove'"
)]
pub(crate) struct Arguments {
    /// The port; if it is taken, a free one is chosen; 0: a free one
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// Address to listen on; others than 127.0.0.1 admit other machines
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    listen: IpAddr,
    /// Maximum concurrent requests; others wait; 0: number of cores
    #[arg(long, default_value_t = 0, value_name = "N")]
    searches: usize,
    /// Directory of EinStein's endgame tables, made by 'alea solve' [default: $ALEA_TABLES, else
    /// tables]; without files those of 4 stones are made in memory
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Also answer commands of GTP, at /exec?COMMAND and /exec/SESSION?COMMAND
    /// (docs/other-programs.md)
    #[arg(long)]
    exec: bool,
    /// Write the page into this directory instead, with the engine as WebAssembly: a site that needs
    /// no server of its own
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// The engine of an exported page, as web/build-wasm makes it [default: alea.wasm beside this
    /// program, else target/alea.wasm]
    #[arg(long, value_name = "FILE", requires = "export")]
    wasm: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        if let Some(directory) = &self.export {
            let file = self.wasm_path()?;
            let engine = files::read(&file, FileKind::Data)?;
            if !engine.starts_with(b"\0asm") {
                let file = file.display();
                bail!("{file}: this is no WebAssembly; web/build-wasm makes the engine");
            }
            page::export(directory, &engine)?;
            return output::line(&format!(
                "{}: the page; any web server can serve it, such as: python3 -m http.server -d {}",
                directory.display(),
                directory.display()
            ));
        }
        if let Some(directory) = &self.tables {
            tables::set_directory(directory)?;
        }
        let bind = |port| TcpListener::bind((self.listen, port));
        let listener = bind(self.port)
            .or_else(|_| bind(0))
            .with_context(|| format!("cannot listen on {}", self.listen))?;
        let address = listener.local_addr().context("cannot listen")?;
        if !self.listen.is_loopback() {
            output::note("whoever reaches this address may ask for searches");
        }
        output::line(&format!("http://{address}/"))?;
        let searches = match self.searches {
            0 => rayon::current_num_threads(),
            some => some.min(1024),
        };
        let options = ServerOptions {
            exec: self.exec,
            ..ServerOptions::new(searches, record_json::shard_json)
        };
        fatal::mark_as_server();
        match server::serve(listener, options).context("the server ended")? {}
    }

    fn wasm_path(&self) -> Result<PathBuf> {
        if let Some(file) = &self.wasm {
            return Ok(file.clone());
        }
        let beside = std::env::current_exe().map(|program| program.with_file_name("alea.wasm"));
        let candidates = beside.into_iter().chain(["target/alea.wasm".into()]);
        candidates.into_iter().find(|file| file.is_file()).context(
            "there is no alea.wasm beside this program or in target; web/build-wasm makes it (or --wasm FILE)",
        )
    }
}
