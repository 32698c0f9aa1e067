//! `alea web` by raw HTTP: page, API, foreign sites and hostile requests.

use engine::{
    core::{
        game::Game as _,
        random::RandomStream,
        record::{GameRecord, Ply},
        search_game::Playouts,
    },
    games::reversi::Reversi,
    play::playable::Rules,
};
use trainer::shard::{self, Estimate, Label, PlayedGame, ShardHeader};

use crate::support::{Folder, alea, command, json_lines, list};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Child, ChildStdout, Stdio},
    thread,
    time::{Duration, Instant},
};

pub(crate) struct Server {
    process: Child,
    address: SocketAddr,
    out: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    pub(crate) fn with(options: &str) -> Self {
        let mut process = command(&format!("web --port 0 --searches 2 {options}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let address = address.trim_end_matches('/').parse().unwrap();
        Self {
            process,
            address,
            out,
        }
    }

    fn request(&self, request_line: &str, headers: &str, body: &[u8]) -> (u16, String) {
        let length = body.len();
        let head = format!(
            "{request_line} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let _ = stream.write_all(&[head.as_bytes(), body].concat());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer to {request_line}"));
        (status, answer)
    }

    pub(crate) fn answer(&self, request: &Value) -> Value {
        let headers = self.host() + "Content-Type: application/json\r\n";
        let (status, answer) = self.request("POST /api", &headers, request.to_string().as_bytes());
        assert_eq!(status, 200, "{request}: {answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn host(&self) -> String {
        format!("Host: {}\r\n", self.address)
    }
}

#[test]
fn good_requests_are_answered_and_foreign_sites_and_hosts_are_refused() {
    const GAMES: &str = r#"{"ask":"games"}"#;
    const MOVE: &str = r#"{"ask":"move","game":"einstein","position":"...../a..../...../...1./..... r 3","player":"star1(depth=1)","seed":1}"#;
    const LOCAL: &str = "Host: localhost:PORT\r\n";
    let from_here = format!("{LOCAL}Origin: http://localhost:PORT\r\n");
    let two_hosts = format!("{LOCAL}Host: evil.example\r\n");
    let refused = |headers, expected_text| ("POST /api", headers, GAMES, 403, expected_text);
    let exec = |request_line, headers, status, expected_text| {
        (request_line, headers, "", status, expected_text)
    };
    let policy = "content-security-policy: default-src 'self'";
    let cross = "Sec-Fetch-Site: cross-site\r\n";
    let same = "Sec-Fetch-Site: same-origin\r\n";
    // Request, headers (with the right `Host` by default), body; status, part of the answer.
    let exchanges = [
        ("GET /", "", "", 200, policy),
        ("GET /../Cargo.toml", "", "", 404, "no such page"),
        ("POST /api", "", MOVE, 200, r#""move":"d2e1","value":1.0"#),
        ("POST /api", "", r#"{"ask":"fly"}"#, 400, "fly"),
        ("GET /api", "", "", 405, "POST only"),
        ("POST /api", &from_here, GAMES, 200, "einstein"),
        refused("Host: evil.example:PORT\r\n", "'Host'"),
        refused("Host: 127.0.0.1:7\r\n", "'Host'"),
        refused("Host: 127.0.0.1\r\n", "'Host'"),
        refused("Host: me@localhost:PORT\r\n", "'Host'"),
        refused("Host: 127.0.0.1.evil.example:PORT\r\n", "'Host'"),
        refused(&two_hosts, "'Host'"),
        refused("Origin: http://evil.example\r\n", "'Origin'"),
        refused("Origin: https://127.0.0.1:PORT\r\n", "'Origin'"),
        refused("Origin: null\r\n", "'Origin'"),
        exec(
            "GET /exec?7%20protocol_version",
            "",
            200,
            "\r\n\r\n=7 2\n\n",
        ),
        (
            "POST /exec/mine",
            "",
            "set_game havannah(base=4)",
            200,
            "=\n\n",
        ),
        exec("GET /exec/mine?play+w+a1", "", 200, "=\n\n"),
        exec("GET /exec/mine?position", "", 200, "= a1\n\n"),
        (
            "POST /exec",
            "",
            "set_option player external(cmd)",
            200,
            "\r\n\r\n?",
        ),
        exec("GET /exec?quit", "Host: evil.example\r\n", 403, "'Host'"),
        exec(
            "GET /exec?quit",
            "Origin: http://evil.example\r\n",
            403,
            "'Origin'",
        ),
        exec("GET /exec?quit", cross, 403, "another site"),
        exec("GET /exec?name", same, 200, "="),
        exec("GET /exec/a%20b?name", "", 400, "the name of a session"),
        exec("PUT /exec?name", "", 405, "GET and POST only"),
    ];
    let (server, without) = (Server::with("--exec"), Server::with(""));
    let port = server.address.port().to_string();
    for (request_line, headers, body, expected_status, expected_text) in exchanges {
        let default_host = server.host();
        let default_host = if headers.contains("Host") {
            ""
        } else {
            &default_host
        };
        let headers = format!("{default_host}{headers}").replace("PORT", &port);
        let (status, answer) = server.request(request_line, &headers, body.as_bytes());
        assert_eq!(
            status, expected_status,
            "{request_line} {headers}: {answer}"
        );
        assert!(
            answer.contains(expected_text),
            "{request_line} {headers}: {answer}"
        );
    }
    let (status, answer) = without.request("GET /exec?name", &without.host(), b"");
    assert_eq!(status, 404, "{answer}");
}

#[test]
fn a_server_for_other_machines_prints_addresses_that_open_and_answers_to_its_names_alone() {
    const GAMES: &str = r#"{"ask":"games"}"#;
    let mut server = Server::with("--listen 0.0.0.0 --host alea.example --host nearby");
    let port = server.address.port();
    let mut printed = vec![format!("http://{}/", server.address)];
    while printed.last().unwrap() != &format!("http://nearby:{port}/") {
        let mut line = String::new();
        assert!(server.out.read_line(&mut line).unwrap() > 0, "{printed:?}");
        printed.push(line.trim_end().to_owned());
    }
    assert_eq!(printed[0], format!("http://127.0.0.1:{port}/"));
    let without_names = Server::with("--listen 0.0.0.0");
    for server in [&server, &without_names] {
        let port = server.address.port();
        let (status, answer) = server.request("GET /", &format!("Host: localhost:{port}\r\n"), b"");
        assert_eq!(status, 200, "{answer}");
    }
    for address in printed {
        let host = address.trim_start_matches("http://").trim_end_matches('/');
        let page = format!("Host: {host}\r\nOrigin: http://{host}\r\n");
        let (status, answer) = server.request("POST /api", &page, GAMES.as_bytes());
        assert_eq!(status, 200, "{host}: {answer}");
    }
    let (own, without) = (format!("alea.example:{port}"), &without_names);
    let named = format!("Host: {own}\r\n");
    let capital = format!("Host: ALEA.example:{port}\r\n");
    assert_eq!(server.request("GET /", &capital, b"").0, 200);
    for (server, headers) in [
        (
            without,
            format!("Host: alea.example:{}\r\n", without.address.port()),
        ),
        (&server, "Host: alea.example\r\n".to_owned()),
        (&server, format!("Host: evil.{own}\r\n")),
        (&server, format!("Host: alea.example.evil:{port}\r\n")),
        (&server, format!("Host: me@{own}\r\n")),
        (&server, format!("{named}Origin: http://evil.example\r\n")),
        (&server, format!("{named}Origin: https://{own}\r\n")),
    ] {
        let (status, answer) = server.request("POST /api", &headers, GAMES.as_bytes());
        assert_eq!(status, 403, "{headers}: {answer}");
        let is_helpful = headers.contains("Origin") || answer.contains("--host NAME");
        assert!(is_helpful, "{answer}");
    }
    for wrong in ["http://alea.example", "alea.example:80", "a/b", "a@b", "''"] {
        let ran = alea!("web --port 0 --host {wrong}");
        assert!(ran.code == 2 && ran.err.contains("a name alone"), "{ran}");
    }
}

#[test]
fn shards_come_as_games() {
    let server = Server::with("");
    let folder = Folder::new();
    let (data, lines) = (folder.at("data"), folder.at("games.jsonl"));
    alea!("selfplay --games 3 --out {data} --player 'star1(depth=1)'").succeeds();
    let shard = std::fs::read(format!("{data}/000000.games")).unwrap();
    let host = server.host();
    let (status, answer) = server.request("POST /records", &host, &shard);
    assert_eq!(status, 200, "{answer}");
    let games: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    alea!("data export {data} --out {lines}").succeeds();
    let lines = json_lines(&crate::support::read(&lines));
    assert_eq!(list(&games["games"]).len(), 3);
    let moves = |game: &Value| -> Vec<Value> {
        let plies = list(&game["plies"]).iter();
        plies.map(|ply| ply["move"].clone()).collect()
    };
    for (game, line) in list(&games["games"]).iter().zip(&lines[1..]) {
        assert_eq!((&game["start"], moves(game)), (&line["start"], moves(line)));
    }
    let damaged = [&shard[..40], b"x", &shard[41..]].concat();
    assert_eq!(server.request("POST /records", &host, &damaged).0, 400);
}

fn shard_of_labels(games: u64) -> Vec<u8> {
    let rules = Reversi::default();
    let label = |number| Label {
        name: format!("{:x<31}{number:x}", "label"),
        by: "nobody".to_owned(),
        exact: false,
        errors: true,
        models: Default::default(),
    };
    let header = ShardHeader {
        players: vec!["random".to_owned()],
        labels: (0..16).map(label).collect(),
        games,
        ..ShardHeader::new(&rules, Value::Null)
    };
    let mut random = RandomStream::new(1);
    let mut play = || {
        let start = rules.random_start(&mut random, 0);
        let (mut position, mut plies) = (start, Vec::new());
        let payoffs = loop {
            if let Some(payoffs) = rules.payoffs(&position) {
                break payoffs;
            }
            let mv = rules.sample_move(&position, random.next_u64());
            position = rules.play(&position, mv);
            plies.push(Ply {
                outcome: 0,
                mv,
                value: Some(0.3),
                explored: true,
            });
        };
        let estimate = Estimate {
            value: 0.3,
            error: Some(0.1),
        };
        let labels = vec![vec![Some(estimate); plies.len()]; header.labels.len()];
        let record = GameRecord::<Reversi> {
            start,
            plies,
            payoffs,
            ending: Default::default(),
        };
        PlayedGame {
            labels,
            ..PlayedGame::new(record, vec![0, 0])
        }
    };
    let games: Vec<_> = (0..games).map(|_| play()).collect();
    shard::encode("labels".as_ref(), &header, &games).unwrap()
}

#[test]
fn the_answer_to_a_shard_is_no_longer_than_the_longest_shard() {
    const GAMES: u64 = 80;
    let server = Server::with("");
    let shard = shard_of_labels(GAMES);
    let (status, answer) = server.request("POST /records", &server.host(), &shard);
    assert_eq!(status, 200, "{answer}");
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    let all: Value = serde_json::from_str(body).unwrap();
    let returned = list(&all["games"]).len() as u64;
    assert_eq!(all["left_out"], GAMES - returned);
    assert!((1..GAMES).contains(&returned) && body.len() <= (4 << 20) + 100);
}

#[test]
fn another_command_ends_the_search_of_a_session() {
    let server = Server::with("--exec");
    let send = |command: &str| {
        let (status, answer) = server.request("POST /exec", &server.host(), command.as_bytes());
        assert_eq!(status, 200, "{answer}");
        answer
    };
    send("set_game reversi");
    send("set_option player star1(ms=5000)");
    let began = Instant::now();
    thread::scope(|scope| {
        let thinks = scope.spawn(|| send("genmove b"));
        thread::sleep(Duration::from_millis(400));
        assert!(send("name").contains("= Alea\n\n"));
        let moved = thinks.join().unwrap();
        let is_moved = ["d3", "c4", "f5", "e6"].map(|mv| moved.ends_with(&format!("= {mv}\n\n")));
        assert!(is_moved.contains(&true), "{moved}");
    });
    assert!(began.elapsed() < Duration::from_millis(4500));
}

#[cfg(target_os = "linux")]
#[test]
fn requests_name_nothing_that_is_opened() {
    use crate::untrusted_input::{Bait, games, with_header};
    use serde_json::json;
    let (bait, folder) = (Bait::new(), Folder::new());
    let server = Server::with("--exec");
    let (_, shard) = games(&folder);
    let host = server.host();
    let send = |request_line: &str, body: &[u8], statuses: &[u16]| {
        let (status, answer) = server.request(request_line, &host, body);
        assert!(statuses.contains(&status), "{request_line}: {answer}");
        bait.is_untouched_by(&answer);
        answer
    };
    for game in bait.games() {
        let named = with_header(&shard, |header| header["game"] = json!(game));
        send("POST /records", &named, &[400]);
        let question = json!({"ask": "position", "game": game, "position": "x"});
        send("POST /api", question.to_string().as_bytes(), &[400]);
        send("POST /exec", format!("set_game {game}").as_bytes(), &[200]);
    }
    let players = bait.players();
    let named = with_header(&shard, |header| header["players"] = json!(players));
    let answer = send("POST /records", &named, &[200]);
    assert!(answer.contains("external"), "{answer}");
    let position = "1..../.b.../...../...../..... r 1";
    for player in players {
        for kind in ["move", "analyse", "judge"] {
            let question = json!({
                "ask": kind, "game": "einstein", "position": position, "player": player, "judge": player,
                "evaluators": [player], "seed": 1
            });
            send("POST /api", question.to_string().as_bytes(), &[400]);
        }
        for line in ["set_option player", "set_option eval"] {
            send("POST /exec", format!("{line} {player}").as_bytes(), &[200]);
        }
    }
}
