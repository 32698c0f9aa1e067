//! `alea network` from outside: a server and a client of ours.

use crate::support::{alea, command, keys, list};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

#[test]
fn a_client_meets_a_server_and_both_tell_the_same() {
    let serve = "network serve --port 0 --depth 1 --json --seat client --seat random";
    let mut server = command(serve)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(server.stderr.take().unwrap()).lines();
    let listening = told.next().unwrap().unwrap();
    let port = listening.rsplit_once(':').unwrap().1;
    let player = "--player 'star1(depth=2, eval=lines)' --group 4";
    let client = alea!("network play --port {port} --json {player}").json();
    let told: Vec<String> = told.map(Result::unwrap).collect();
    let output = server.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(keys(&report), "players moves position");
    assert_eq!(report["position"], client["position"]);
    let first = &report["players"][0];
    assert_eq!(first["place"], client["place"]);
    assert_eq!(first["stones"], client["stones"][0]);
    assert_eq!(first["disqualified"], Value::Null);
    let moves = list(&report["moves"]);
    assert_eq!(client["moves"], moves.len());
    assert!(
        told[0].starts_with("player 1: group 4 at 127.0.0.1:"),
        "{told:?}"
    );
    assert_eq!(told[2..], *moves);
}
