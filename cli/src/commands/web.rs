//! `alea web`: serves the analysis board to browsers.

use crate::{endgame_tables, fatal, output, own_models, record_json};
use anyhow::{Context, Result, bail};
use engine::core::{
    files::{self, FileKind},
    text::joined,
};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, UdpSocket},
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
    /// Address to listen on; others than 127.0.0.1 admit other machines, 0.0.0.0 at any address of
    /// this one
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    listen: IpAddr,
    /// A name by which browsers reach this machine, such as alea.example; may be given several
    /// times. Requests under other names are refused, since other sites could make them point here
    #[arg(long = "host", value_name = "NAME", value_parser = parse_host)]
    hosts: Vec<String>,
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
            return output::print_line(&format!(
                "{}: the page; any web server can serve it, such as: python3 -m http.server -d {}",
                directory.display(),
                directory.display()
            ));
        }
        if let Some(directory) = &self.tables {
            endgame_tables::set_directory(directory)?;
        }
        own_models::find();
        let bind = |port| TcpListener::bind((self.listen, port));
        let listener = bind(self.port)
            .or_else(|_| bind(0))
            .with_context(|| format!("cannot listen on {}", self.listen))?;
        let address = listener.local_addr().context("cannot listen")?;
        if !self.listen.is_loopback() {
            output::note("whoever reaches this address may ask for searches");
        }
        let hosts = self.hosts_to_open(address.ip()).into_iter();
        let addresses = hosts.map(|host| format!("http://{host}:{}/", address.port()));
        output::print_line(&joined(addresses, "\n"))?;
        let searches = match self.searches {
            0 => rayon::current_num_threads(),
            some => some.min(1024),
        };
        let options = ServerOptions {
            exec: self.exec,
            hosts: self.hosts.clone(),
            ..ServerOptions::new(searches, record_json::shard_json)
        };
        fatal::mark_as_server();
        match server::serve(listener, options).context("the server ended")? {}
    }

    fn hosts_to_open(&self, listening: IpAddr) -> Vec<String> {
        let mut addresses = vec![listening];
        if listening.is_unspecified() {
            addresses = match listening {
                IpAddr::V4(_) => vec![Ipv4Addr::LOCALHOST.into()],
                IpAddr::V6(_) => vec![Ipv6Addr::LOCALHOST.into()],
            };
            addresses.extend(address_in_network(listening));
        }
        let addresses = addresses.into_iter().map(|address| match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
        addresses.chain(self.hosts.iter().cloned()).collect()
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

/// Address of this machine in its network; nothing is sent.
fn address_in_network(listening: IpAddr) -> Option<IpAddr> {
    // Addresses reserved for documentation (RFC 5737 and 3849).
    let other = match listening {
        IpAddr::V4(_) => "192.0.2.1:9",
        IpAddr::V6(_) => "[2001:db8::1]:9",
    };
    let socket = UdpSocket::bind((listening, 0)).ok()?;
    socket.connect(other).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

fn parse_host(text: &str) -> Result<String, &'static str> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let is_name = !text.is_empty() && text.chars().all(is_letter);
    let rule = "a name alone, such as alea.example, without http:// and port";
    is_name.then(|| text.to_owned()).ok_or(rule)
}
