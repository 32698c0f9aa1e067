//! `alea web` from outside, by raw HTTP: the page, the API, foreign pages and hostile requests; and
//! `alea judge` on records.

use crate::support::{Folder, alea, command, json_lines, list, number, word};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Child, Stdio},
    time::Duration,
};

/// A server on a port of its own, which ends with the test.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    fn start() -> Self {
        Self::with("")
    }

    fn with(options: &str) -> Self {
        let mut process = command(&format!("web --port 0 --searches 2 {options}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let address = address.trim_end_matches('/').parse().unwrap();
        Self { process, address }
    }

    /// The status of an answer, and all of it.
    fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> (u16, String) {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // The server may hang up before all is sent.
        let _ = stream.write_all(&[head.as_bytes(), body].concat());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer to {method} {path}"));
        (status, answer)
    }

    fn host(&self) -> String {
        format!("Host: {}\r\n", self.address)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.request("GET", path, &self.host(), b"")
    }

    fn ask(&self, body: &[u8]) -> (u16, Value) {
        let (status, answer) = self.request("POST", "/api", &self.host(), body);
        let (_, json) = answer.split_once("\r\n\r\n").unwrap();
        let json = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {answer}"));
        (status, json)
    }
}

#[test]
fn the_page_and_all_its_parts_are_served_and_may_load_nothing_from_elsewhere() {
    let server = Server::start();
    let (status, page) = server.get("/");
    let page = page.to_lowercase();
    assert!(status == 200 && page.contains("content-security-policy: default-src 'self'"));
    assert!(page.contains("content-type: text/html"), "{page}");
    let mut parts = 0;
    for part in std::fs::read_dir("../web/page").unwrap() {
        let name = part.unwrap().file_name().into_string().unwrap();
        // Two are those of a page without a server.
        let status = if name.contains("worker") { 404 } else { 200 };
        assert_eq!(server.get(&format!("/{name}")).0, status, "{name}");
        parts += 1;
    }
    assert!(parts > 15, "{parts}");
    for nothing in ["/../Cargo.toml", "/nothing"] {
        assert_eq!(server.get(nothing).0, 404);
    }
}

#[test]
fn the_api_answers_as_the_commands_do() {
    let server = Server::start();
    let position = "215../64.../3...e/...fb/..acd b 1";
    let player = "star1(depth=2, eval=schwarz)";
    let asked =
        json!({ "ask": "analyse", "game": "einstein", "position": position, "player": player });
    let (status, answer) = server.ask(asked.to_string().as_bytes());
    assert_eq!(status, 200);
    let told = alea!("analyse '{position}' --json --player '{player}'").json();
    assert_eq!(answer["best"], told["best"]);
    assert!((number(&answer["value"]) - number(&told["value"])).abs() < 1e-6);
    let (status, wrong) = server.ask(b"{\"ask\":\"fly\"}");
    assert_eq!(status, 400);
    assert!(word(&wrong["error"]).contains("fly"), "{wrong}");
    assert_eq!(server.request("GET", "/api", &server.host(), b"").0, 405);
}

#[test]
fn other_sites_and_other_names_are_refused() {
    let server = Server::start();
    let port = server.address.port().to_string();
    let games = br#"{"ask":"games"}"#;
    for (headers, wanted) in [
        ("Host: 127.0.0.1:PORT", 200),
        ("Host: localhost:PORT\r\nOrigin: http://localhost:PORT", 200),
        ("Host: evil.example:PORT", 403),
        ("Host: 127.0.0.1:7", 403),
        ("Host: 127.0.0.1.evil.example:PORT", 403),
        ("Host: localhost:PORT\r\nOrigin: http://evil.example", 403),
        (
            "Host: localhost:PORT\r\nOrigin: https://localhost:PORT",
            403,
        ),
        ("Host: localhost:PORT\r\nOrigin: null", 403),
        ("Host: localhost:PORT\r\nHost: evil.example", 403),
    ] {
        let headers = format!("{}\r\n", headers.replace("PORT", &port));
        let (status, answer) = server.request("POST", "/api", &headers, games);
        assert_eq!(status, wanted, "{headers}{answer}");
        assert_eq!(answer.contains("{\"error\":"), wanted == 403, "{answer}");
    }
}

#[test]
fn judged_records_add_up_with_two_seats_and_with_three() {
    let folder = Folder::new();
    for (game, seats) in [("einstein", 2), ("reversixt(map=three)", 3)] {
        let data = folder.at(game);
        let player = "--player 'star1(depth=1)'";
        alea!("selfplay --game '{game}' --games 4 --seed 3 --out '{data}' {player}").succeeds();
        let judged = alea!("judge '{data}' {player} --json");
        judged.succeeds();
        let ledgers = judged.lines();
        assert_eq!(ledgers.len(), 4);
        for ledger in &ledgers {
            assert!(ledger["over"] == true && list(&ledger["seats"]).len() == seats);
            assert!(number(&ledger["balance"]) < 1e-6, "{ledger}");
        }
        alea!("judge '{data}' {player} --games 2")
            .shows(&["2 games judged by star1(depth=1)", "error a decision"]);
        alea!("judge '{data}' --player random").fails("rates no moves");
    }
}

#[test]
fn gtp_is_answered_where_it_was_asked_for_and_to_this_site_alone() {
    let (status, answer) = Server::start().get("/exec?name");
    assert_eq!(status, 404, "{answer}");
    let server = Server::with("--exec");
    let said = |(status, answer): (u16, String)| {
        assert_eq!(status, 200, "{answer}");
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    };
    assert_eq!(said(server.get("/exec?7%20protocol_version")), "=7 2\n\n");
    let host = server.host();
    let post = |path: &str, body: &str| server.request("POST", path, &host, body.as_bytes());
    said(post("/exec/mine", "set_game havannah(base=4)"));
    said(server.get("/exec/mine?play+w+a1"));
    assert_eq!(said(server.get("/exec/mine?position")), "= a1\n\n");
    assert!(said(post("/exec", "set_option player external(cmd)")).starts_with('?'));
    for (headers, path, wanted) in [
        ("Origin: http://evil.example\r\n", "/exec?quit", 403),
        ("Sec-Fetch-Site: cross-site\r\n", "/exec?quit", 403),
        ("Sec-Fetch-Site: same-origin\r\n", "/exec?name", 200),
        ("", "/exec/a%20b?name", 400),
    ] {
        let (status, answer) = server.request("GET", path, &format!("{host}{headers}"), b"");
        assert_eq!(status, wanted, "{headers}{path}: {answer}");
    }
    let (status, _) = server.request("GET", "/exec?quit", "Host: evil.example\r\n", b"");
    assert_eq!(status, 403);
    let (status, _) = server.request("PUT", "/exec?name", &host, b"");
    assert_eq!(status, 405);
}

#[test]
fn an_analysis_comes_depth_by_depth_and_shards_come_as_games() {
    let server = Server::start();
    let asked = json!({ "ask": "analyse", "game": "einstein", "position": "215../64.../3...e/...fb/..acd b 1",
        "player": "star2(depth=3, eval=schwarz)", "stream": true });
    let (status, answer) =
        server.request("POST", "/api", &server.host(), asked.to_string().as_bytes());
    assert_eq!(status, 200);
    assert!(answer.contains("application/x-ndjson"), "{answer}");
    let found: Vec<Value> = answer
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|line: &Value| line.is_object())
        .collect();
    let depths: Vec<&Value> = found.iter().map(|one| &one["depth"]).collect();
    assert_eq!(depths, [&json!(1), &json!(2), &json!(null)]);
    // The last is what is answered without a stream.
    let mut whole = asked;
    whole["stream"] = false.into();
    let (_, whole) = server.ask(whole.to_string().as_bytes());
    for key in ["value", "best", "moves", "faces", "nodes"] {
        assert_eq!(found[2][key], whole[key]);
    }

    let folder = Folder::new();
    let (data, lines) = (folder.at("data"), folder.at("games.jsonl"));
    alea!("selfplay --games 3 --out {data} --player 'star1(depth=1)'").succeeds();
    let shard = std::fs::read(format!("{data}/000000.games")).unwrap();
    let host = server.host();
    let (status, answer) = server.request("POST", "/records", &host, &shard);
    assert_eq!(status, 200, "{answer}");
    let games: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    alea!("data export {data} --out {lines}").succeeds();
    let lines = json_lines(&crate::support::read(&lines));
    assert_eq!(list(&games["games"]).len(), 3);
    for (game, line) in list(&games["games"]).iter().zip(&lines[1..]) {
        assert_eq!(
            [&game["start"], &game["plies"]],
            [&line["start"], &line["plies"]]
        );
    }
    let damaged = [&shard[..40], b"x", &shard[41..]].concat();
    assert_eq!(server.request("POST", "/records", &host, &damaged).0, 400);
}
