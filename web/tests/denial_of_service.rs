//! Answers to others while a client sends nothing, too much or without end, or leaves early.
//!
//! Where an attack must delay nobody, the server's timeout is an hour, so that any delay fails the
//! test.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use engine::core::random::RandomStream;
use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};
use web::{
    limits::RequestLimits,
    server::{ServerOptions, serve},
};

const LATE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

static READING: AtomicUsize = AtomicUsize::new(0);

/// `slow` runs until its time is over, `large` returns more than a connection buffers.
fn read_games(bytes: &[u8], is_over: &dyn Fn() -> bool) -> Result<String, String> {
    if bytes == b"large" {
        return Ok("x".repeat(32 << 20));
    }
    if bytes != b"slow" {
        return Ok("{}".to_owned());
    }
    READING.fetch_add(1, Ordering::SeqCst);
    while !is_over() {
        thread::sleep(Duration::from_millis(1));
    }
    READING.fetch_sub(1, Ordering::SeqCst);
    Err("there was no time for it".to_owned())
}

fn server(client_timeout: Duration, searching: Duration) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let options = ServerOptions {
        client_timeout,
        limits: RequestLimits {
            milliseconds: searching.as_secs_f64() * 1000.0,
            ..RequestLimits::default()
        },
        exec: true,
        ..ServerOptions::new(2, read_games)
    };
    thread::spawn(|| serve(listener, options).unwrap());
    address
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LATE)).unwrap();
    stream
}

fn request(requests: &str, body: &str) -> String {
    let length = body.len();
    format!("{requests} HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn at(address: SocketAddr, text: &str) -> String {
    text.replace("PORT", &address.port().to_string())
}

const MOVE: &str = r#"{"ask":"move","game":"einstein","position":"...../a..../...../...1./..... r 3","player":"star1(depth=1)","seed":1}"#;

#[track_caller]
fn others_are_answered(address: SocketAddr) {
    for (requests, body) in [
        ("GET /", ""),
        ("POST /api", r#"{"ask":"new","game":"einstein","seed":1}"#),
        ("POST /api", MOVE),
        ("POST /records", "games"),
        ("POST /exec", "name"),
    ] {
        let text = request(requests, body).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        let (mut answer, began) = (String::new(), Instant::now());
        while !answer.starts_with("HTTP/1.1 200") {
            let is_retried = answer.is_empty() || answer.contains("ask again");
            assert!(is_retried && began.elapsed() < LATE, "{requests}: {answer}");
            let mut other = connect(address);
            other.write_all(at(address, &text).as_bytes()).unwrap();
            answer.clear();
            other.read_to_string(&mut answer).unwrap();
        }
    }
}

#[track_caller]
fn assert_answered(address: SocketAddr, text: &str) {
    let mut stream = connect(address);
    stream.write_all(at(address, text).as_bytes()).unwrap();
    let mut answer = [0; 12];
    let read = stream.read_exact(&mut answer);
    assert!(read.is_ok() && &answer == b"HTTP/1.1 200", "{text}");
}

struct Attack {
    sends: String,
    drips: bool,
    half_closes: bool,
    answer: &'static str,
}

fn attacks() -> Vec<Attack> {
    let attack = |sends: &str, answer| Attack {
        sends: sends.to_owned(),
        drips: false,
        half_closes: false,
        answer,
    };
    let dripping = |sends: &str, answer| Attack {
        drips: true,
        ..attack(sends, answer)
    };
    let half_closed = |sends: &str| Attack {
        half_closes: true,
        ..attack(sends, "")
    };
    let long = r#"{"ask":"analyse","game":"einstein","position":"215../64.../3...e/...fb/..acd b 1","player":"star1(ms=60000)"}"#;
    let unsent = |path: &str| {
        format!("POST {path} HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 1000\r\n\r\n")
    };
    let chunked =
        "POST /api HTTP/1.1\r\nHost: localhost:PORT\r\nTransfer-Encoding: chunked\r\n\r\n";
    let large_head = format!(
        "GET / HTTP/1.1\r\nHost: localhost:PORT\r\nX: {}",
        "x".repeat(1 << 20)
    );
    let many_headers = format!("GET / HTTP/1.1\r\n{}\r\n", "X: x\r\n".repeat(1000));
    let idle = format!("{}GET", request("GET /", ""));
    vec![
        attack("", ""),
        attack("\r\n\r\n", ""),
        attack("GET / HT", ""),
        attack("GET / HTTP/1.1\r\nHost: localhost", ""),
        dripping("GET /", ""),
        dripping("GET / HTTP/1.1\r\nX: ", ""),
        attack(&unsent("/api"), "HTTP/1.1 408"),
        attack(&unsent("/records"), "HTTP/1.1 408"),
        attack(&unsent("/exec"), "HTTP/1.1 408"),
        dripping(&unsent("/api"), "HTTP/1.1 408"),
        dripping(&unsent("/records"), "HTTP/1.1 408"),
        attack(chunked, "HTTP/1.1 408"),
        attack(&format!("{chunked}fffffff\r\n"), "HTTP/1.1 408"),
        attack(&format!("{chunked}x\r\n"), "HTTP/1.1 400"),
        attack(&large_head, "HTTP/1.1 431"),
        attack(&many_headers, "HTTP/1.1 431"),
        attack("no HTTP\r\n\r\n", "HTTP/1.1 400"),
        attack("\0\x01\x02", "HTTP/1.1 400"),
        attack(&request("GET /", ""), "HTTP/1.1 200"),
        attack(&idle, "HTTP/1.1 200"),
        attack(&format!("{}\0", request("POST /api", MOVE)), "HTTP/1.1 200"),
        half_closed(""),
        half_closed("GET / HTTP"),
        half_closed(&unsent("/api")),
        half_closed(&request("POST /api", long)),
        half_closed(&format!("{}garbage", request("POST /api", long))),
    ]
}

impl Attack {
    fn begin(&self, address: SocketAddr) -> TcpStream {
        let mut stream = connect(address);
        let _ = stream.write_all(at(address, &self.sends).as_bytes());
        if self.half_closes {
            let _ = stream.shutdown(Shutdown::Write);
        }
        stream
    }
}

#[test]
fn every_attack_ends_after_its_time() {
    let address = server(Duration::from_millis(500), Duration::from_secs(1));
    thread::scope(|threads| {
        for attack in attacks() {
            threads.spawn(move || {
                let mut stream = attack.begin(address);
                stream
                    .set_read_timeout(Some(Duration::from_millis(50)))
                    .unwrap();
                let (mut answer, began) = (Vec::new(), Instant::now());
                loop {
                    assert!(began.elapsed() < LATE, "{:?} goes on", attack.sends);
                    if attack.drips {
                        let _ = stream.write_all(b"x");
                    }
                    let mut bytes = [0; 4096];
                    match stream.read(&mut bytes) {
                        Ok(0) => break,
                        Ok(read) => answer.extend_from_slice(&bytes[..read]),
                        Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                        Err(error) if error.kind() == ErrorKind::TimedOut => {}
                        Err(_) => break,
                    }
                }
                let answer = String::from_utf8_lossy(&answer);
                let sends = &attack.sends[..attack.sends.len().min(200)];
                let fits = match attack.half_closes {
                    true => !answer.starts_with("HTTP/1.1 200"),
                    false if attack.answer.is_empty() => answer.is_empty(),
                    false => answer.starts_with(attack.answer),
                };
                assert!(fits, "{sends:?}: {answer}");
            });
        }
    });
    others_are_answered(address);
}

#[test]
fn a_client_that_does_not_take_its_answer_loses_the_connection() {
    let address = server(Duration::from_millis(500), Duration::from_secs(1));
    let mut stream = connect(address);
    let text = request("POST /records", "large");
    stream.write_all(at(address, &text).as_bytes()).unwrap();
    let began = Instant::now();
    while stream.write_all(b"x").is_ok() {
        assert!(began.elapsed() < LATE, "it goes on");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn others_are_answered_meanwhile() {
    for attack in attacks() {
        let address = server(HOUR, HOUR);
        let _open: Vec<TcpStream> = (0..150).map(|_| attack.begin(address)).collect();
        others_are_answered(address);
    }
}

#[test]
fn a_file_is_read_until_its_client_goes_or_its_time_is_over() {
    let slow = request("POST /records", "slow");
    let until_readers = |expected| {
        let began = Instant::now();
        while READING.load(Ordering::SeqCst) != expected {
            assert!(began.elapsed() < LATE, "{expected} readers");
            thread::sleep(Duration::from_millis(1));
        }
        began.elapsed()
    };
    let address = server(HOUR, HOUR);
    for (sends_more, half_closes) in [("", false), ("", true), ("more", false), ("more", true)] {
        let mut stream = connect(address);
        stream
            .write_all((at(address, &slow) + sends_more).as_bytes())
            .unwrap();
        until_readers(1);
        if half_closes {
            stream.shutdown(Shutdown::Write).unwrap();
        } else {
            drop(stream);
        }
        until_readers(0);
    }
    let address = server(HOUR, Duration::from_millis(100));
    let mut stream = connect(address);
    stream.write_all(at(address, &slow).as_bytes()).unwrap();
    until_readers(1);
    until_readers(0);
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 400");
}

const START: &str = "---------------------------OX------XO--------------------------- X";

fn long_search_request(request_kind: &str, position: &str, more: &str) -> String {
    let body = format!(
        r#"{{"ask":"{request_kind}","game":"reversi","{position}":"{START}","player":"minimax(depth=12, ms=3600000)"{more}}}"#
    );
    request("POST /api", &body)
}

const INTERRUPTIONS: usize = 50;
/// Maximal median delay; hang-ups are noticed up to 20 ms late, and debug builds build players
/// slowly.
const SOON: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 100 });

#[test]
fn a_search_ends_when_its_client_goes() {
    // One client per search thread: a search that is not stopped would block the next.
    let address = server(HOUR, HOUR);
    let requests = [
        long_search_request("analyse", "position", ""),
        long_search_request("analyse", "position", r#","stream":true"#),
        long_search_request("move", "position", r#","seed":1"#),
        long_search_request("judge", "start", r#","plies":[]"#),
        request("POST /exec/long", "genmove 3600000"),
    ];
    let prepare = request("POST /exec/long", "set_game reversi");
    assert_answered(address, &prepare);
    let quick = request("POST /api", r#"{"ask":"new","game":"einstein","seed":1}"#);
    let mut random = RandomStream::new(1);
    for text in &requests {
        let mut delays = Vec::new();
        assert_answered(address, &text.replace("3600000", "0000.01"));
        for number in 0..INTERRUPTIONS {
            let mut streams = [connect(address), connect(address)];
            for stream in &mut streams {
                stream.write_all(at(address, text).as_bytes()).unwrap();
            }
            thread::sleep(Duration::from_millis(random.below(70) as u64));
            if number % 2 == 1 {
                streams[0].write_all(b"more").unwrap();
            }
            drop(streams);
            let gone = Instant::now();
            assert_answered(address, &quick);
            delays.push(gone.elapsed());
        }
        delays.sort_unstable();
        assert!(delays[INTERRUPTIONS / 2] < SOON, "{text}: {delays:?}");
        others_are_answered(address);
    }
}
