//! `alea web`: the analysis board in a browser.

use crate::{output, recorded, tables};
use anyhow::{Context, Result};
use std::{
    net::{IpAddr, Ipv4Addr, TcpListener},
    path::PathBuf,
};
use web::{bounds::Bounds, server};

/// Show an analysis board in the browser: play, values of all moves and rolls, a tutor
///
/// Open the address that is printed. The page needs no network: all it asks is this program
/// (docs/api.md). Nothing is written, a request can open no file, and what it may cost is bounded.
#[derive(clap::Args)]
#[command(after_help = "Example: alea web\n         alea web --port 8000 --searches 4")]
pub(crate) struct Arguments {
    /// The port; if it is taken, a free one is chosen; 0: a free one
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// The address to listen on; others than 127.0.0.1 let other machines ask
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    listen: IpAddr,
    /// Requests that are answered at a time; others wait; 0: as many as there are cores
    #[arg(long, default_value_t = 0, value_name = "N")]
    searches: usize,
    /// Directory of EinStein's endgame tables, made by 'alea solve' [default: $ALEA_TABLES, else
    /// tables]; without files those of 4 stones are made in memory
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        if let Some(directory) = &self.tables {
            tables::look_in(directory)?;
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
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let searches = match self.searches {
            0 => cores,
            some => some.min(1024),
        };
        server::serve(listener, Bounds::default(), searches, recorded::as_json)
            .context("the server ended")
    }
}
