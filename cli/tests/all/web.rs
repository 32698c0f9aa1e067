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

/// A connection that is used again until the server ends it.
struct Kept<'a> {
    server: &'a Server,
    stream: BufReader<TcpStream>,
}

impl Kept<'_> {
    /// Sends a request; the status of the answer, which is read whole.
    fn status(&mut self, what: &str, body: &[u8]) -> u16 {
        let (host, length) = (self.server.host(), body.len());
        let head = format!("{what} HTTP/1.1\r\n{host}Content-Length: {length}\r\n\r\n");
        let _ = self
            .stream
            .get_mut()
            .write_all(&[head.as_bytes(), body].concat());
        let (mut status, mut length, mut line) = (0, 0, String::new());
        while line != "\r\n" {
            line.clear();
            assert!(
                self.stream.read_line(&mut line).unwrap() > 0,
                "{what}: no answer"
            );
            let lower = line.to_lowercase();
            if let Some(code) = lower.strip_prefix("http/1.1 ") {
                status = code[..3].parse().unwrap();
            } else if let Some(said) = lower.strip_prefix("content-length: ") {
                length = said.trim().parse().unwrap();
            }
        }
        self.stream.read_exact(&mut vec![0; length]).unwrap();
        // After what is no HTTP the server hangs up.
        if status == 400 && length == 0 {
            self.stream = self.server.keep().stream;
        }
        status
    }
}

impl Server {
    fn keep(&self) -> Kept<'_> {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Kept {
            server: self,
            stream: BufReader::new(stream),
        }
    }

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

    /// Sends bytes as they are, and with `ends` that nothing follows; the status, 0 without any, and
    /// the whole answer.
    fn send(&self, bytes: &[u8], ends: bool) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // The server may hang up before all is sent.
        let _ = stream.write_all(bytes);
        if ends {
            let _ = stream.shutdown(std::net::Shutdown::Write);
        }
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.unwrap_or(0), answer)
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> (u16, String) {
        let mut bytes = format!(
            "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        bytes.extend(body);
        let (status, answer) = self.send(&bytes, false);
        assert!(status > 0, "no answer to {method} {path}");
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
    assert_eq!(status, 200);
    let lower = page.to_lowercase();
    assert!(
        lower.contains("content-security-policy: default-src 'self'"),
        "{page}"
    );
    assert!(lower.contains("content-type: text/html"), "{page}");
    // What the page names, and what its scripts import, is there.
    let quoted = |text: &str| -> Vec<String> {
        let parts = text.split(['"', '\'']).map(str::to_owned);
        parts
            .filter(|part| !part.contains([' ', '/']) || part.starts_with("./"))
            .filter(|part| {
                [".js", ".css", ".svg"]
                    .iter()
                    .any(|end| part.ends_with(end))
            })
            .map(|part| part.trim_start_matches("./").to_owned())
            .collect()
    };
    let (mut wanted, mut seen) = (quoted(&page), Vec::new());
    while let Some(name) = wanted.pop() {
        if seen.contains(&name) {
            continue;
        }
        let (status, part) = server.get(&format!("/{name}"));
        assert_eq!(status, 200, "{name}");
        if name.ends_with(".js") {
            wanted.extend(quoted(&part));
        }
        seen.push(name);
    }
    assert!(seen.len() > 5, "{seen:?}");
    assert_eq!(server.get("/../Cargo.toml").0, 404);
    assert_eq!(server.get("/nothing").0, 404);
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
    let port = server.address.port();
    let games = br#"{"ask":"games"}"#;
    for (headers, wanted) in [
        (format!("Host: 127.0.0.1:{port}\r\n"), 200),
        (
            format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n"),
            200,
        ),
        (format!("Host: evil.example:{port}\r\n"), 403),
        (format!("Host: 127.0.0.1:{}\r\n", port ^ 1), 403),
        (format!("Host: 127.0.0.1.evil.example:{port}\r\n"), 403),
        (
            format!("Host: localhost:{port}\r\nOrigin: http://evil.example\r\n"),
            403,
        ),
        (
            format!("Host: localhost:{port}\r\nOrigin: https://localhost:{port}\r\n"),
            403,
        ),
        (format!("Host: localhost:{port}\r\nOrigin: null\r\n"), 403),
        (
            format!("Host: localhost:{port}\r\nHost: evil.example\r\n"),
            403,
        ),
    ] {
        let (status, answer) = server.request("POST", "/api", &headers, games);
        assert_eq!(status, wanted, "{headers}{answer}");
        if wanted == 403 {
            let (_, body) = answer.split_once("\r\n\r\n").unwrap();
            let body: Value = serde_json::from_str(body).unwrap();
            assert!(body["error"].is_string());
        }
    }
}

#[test]
fn a_hundred_thousand_hostile_requests_are_refused_and_the_server_lives() {
    let server = Server::start();
    let mut kept = server.keep();
    let good = [
        r#"{"ask":"analyse","game":"einstein","position":"215../64.../3...e/...fb/..acd b 1","player":"star1(depth=1, ms=1)"}"#,
        r#"{"ask":"judge","game":"reversi","start":"x","plies":[{"move":"d3"}],"player":"star1(depth=1, ms=1)"}"#,
        r#"{"ask":"new","game":"einstein","seed":7}"#,
        r#"{"ask":"move","game":"havannah(base=4)","position":"x","player":"mcts(sims=20)","seed":3}"#,
    ];
    let mut state = 1_u64;
    let mut draw = |bound: usize| {
        // Knuth's MMIX generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let mut refusals = 0;
    for number in 0..100_000 {
        let mut body = good[draw(good.len())].as_bytes().to_vec();
        for _ in 0..=draw(6) {
            if body.is_empty() {
                break;
            }
            let at = draw(body.len());
            match draw(4) {
                0 => body[at] = draw(256) as u8,
                1 => drop(body.remove(at)),
                2 => body.insert(at, b"(){}[],\":0-9\\"[draw(13)]),
                _ => body.truncate(at.max(1)),
            }
        }
        let status = match number % 500 {
            // A path and a body of a connection that is kept.
            2..250 => {
                let path: String = (0..draw(40))
                    .map(|_| char::from(33 + draw(94) as u8))
                    .collect();
                kept.status(&format!("GET /{path}"), b"")
            }
            // No HTTP at all, or the connection just ends.
            0 => server.send(&body, true).0,
            1 => server.request("POST", "/records", &server.host(), &body).0,
            _ => kept.status("POST /api", &body),
        };
        assert!(status < 500, "{status}: {}", String::from_utf8_lossy(&body));
        refusals += u32::from(status >= 400);
    }
    assert!(refusals > 75_000, "{refusals}");
    let long = vec![b' '; (1 << 16) + 1];
    assert_eq!(server.request("POST", "/api", &server.host(), &long).0, 413);
    assert_eq!(server.get("/").0, 200);
}

#[test]
fn judged_records_add_up() {
    let folder = Folder::new();
    let data = folder.at("data");
    alea!("selfplay --games 6 --seed 3 --out {data} --player 'star1(depth=1)'").succeeds();
    let judged = alea!("judge {data} --player 'star1(depth=1)' --json");
    judged.succeeds();
    let ledgers = json_lines(&judged.out);
    assert_eq!(ledgers.len(), 6);
    for ledger in &ledgers {
        let [luck, errors] = ["luck", "errors"].map(|key| {
            let seats = list(&ledger[key]);
            number(&seats[0]) - number(&seats[1])
        });
        let sum = number(&ledger["start_value"]) + luck - errors + number(&ledger["drift"]);
        assert!((sum - number(&ledger["result"])).abs() < 1e-6, "{ledger}");
        assert_eq!(ledger["over"], true);
    }
    alea!("judge {data} --player 'star1(depth=1)' --games 2")
        .shows(&["2 games judged by star1(depth=1)", "mean"]);
    alea!("judge {data} --player random").fails("rates no moves");
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
    assert_eq!(
        said(post("/exec/mine", "set_game havannah(base=4)")),
        "=\n\n"
    );
    assert_eq!(said(server.get("/exec/mine?play+w+a1")), "=\n\n");
    assert_eq!(said(server.get("/exec/mine?position")), "= a1\n\n");
    assert_eq!(said(server.get("/exec/other?set_game")), "= einstein\n\n");
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
    let data = folder.at("data");
    alea!("selfplay --games 3 --out {data} --player 'star1(depth=1)'").succeeds();
    let shard = std::fs::read(format!("{data}/000000.games")).unwrap();
    let (status, answer) = server.request("POST", "/records", &server.host(), &shard);
    assert_eq!(status, 200, "{answer}");
    let games: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let lines = folder.at("games.jsonl");
    alea!("data export {data} --out {lines}").succeeds();
    for (game, line) in list(&games["games"])
        .iter()
        .zip(&json_lines(&crate::support::read(&lines))[1..])
    {
        assert_eq!(game["start"], line["start"]);
        let moves = |game: &Value| {
            list(&game["plies"])
                .iter()
                .map(|ply| ply["move"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(moves(game), moves(line));
    }
    assert_eq!(list(&games["games"]).len(), 3);
    let damaged = [&shard[..40], b"x", &shard[41..]].concat();
    assert_eq!(
        server
            .request("POST", "/records", &server.host(), &damaged)
            .0,
        400
    );
}
