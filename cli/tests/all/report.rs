//! `alea report` from outside.

use crate::support::{alea, fed, text};
use std::fs;

#[test]
fn results_of_several_commands_become_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let results: Vec<(&str, Vec<&str>)> = vec![
        (
            "match.json",
            vec![
                "arena", "--player", "greedy", "--player", "random", "--games", "40", "--luck",
                "abt", "--json",
            ],
        ),
        (
            "round.json",
            vec![
                "tournament",
                "--player",
                "greedy",
                "--player",
                "random",
                "--player",
                "MrBlack(0)",
                "--games",
                "40",
                "--json",
            ],
        ),
        (
            "regret.json",
            vec![
                "regret",
                "--positions",
                "200",
                "--eval",
                "schwarz",
                "--player",
                "greedy",
                "--json",
            ],
        ),
        (
            "opening.json",
            vec![
                "bench", "opening", "--player", "greedy", "--player", "random", "--games", "100",
                "--json",
            ],
        ),
        (
            "setups.json",
            vec![
                "setups",
                "--player",
                "MrBlack(0)",
                "--opponents",
                "2",
                "--json",
            ],
        ),
        (
            "strength.json",
            vec![
                "bench",
                "strength",
                "--player",
                "star1(depth={n})",
                "--numbers",
                "1,2",
                "--against",
                "greedy",
                "--games",
                "20",
                "--json",
            ],
        ),
    ];
    let mut files = Vec::new();
    for (name, arguments) in &results {
        let ran = alea(arguments);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        fs::write(path(name), ran.out).unwrap();
        files.push(path(name));
    }
    let arguments: Vec<&str> = std::iter::once("report")
        .chain(files.iter().map(|file| text(file)))
        .collect();
    let (html, markdown) = (path("page.html"), path("page.md"));
    assert_eq!(
        alea(
            &[
                &arguments[..],
                &["--out", text(&html), "--title", "All <of> it"]
            ]
            .concat()
        )
        .code,
        0
    );
    let page = fs::read_to_string(&html).unwrap();
    for part in [
        "All &lt;of&gt; it",
        "Matches",
        "Tournament",
        "Regret",
        "The first move",
        "Set-ups",
        "star1(depth={n}) against greedy",
        "without luck",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(
        alea(&[&arguments[..], &["--out", text(&markdown)]].concat()).code,
        0
    );
    let written = fs::read_to_string(&markdown).unwrap();
    assert!(written.starts_with("# Results\n") && written.contains("(page-1.svg)"));
    assert_eq!(
        written.matches(".svg)").count(),
        page.matches("<svg").count()
    );
    assert!(path("page-1.svg").exists());
    // From a pipe.
    let piped = fed(
        &["report", "-", "--out", text(&html)],
        &fs::read(path("match.json")).unwrap(),
    );
    assert_eq!(piped.code, 0, "{}", piped.err);
}

#[test]
fn what_cannot_be_shown_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (page, bad) = (
        folder.path().join("page.html"),
        folder.path().join("bad.json"),
    );
    fs::write(&bad, "{\"games\": 3}\n").unwrap();
    assert!(
        alea(&["report", text(&bad), "--out", text(&page)])
            .failure()
            .contains("bad.json: result 1: no page shows it")
    );
    assert!(
        alea(&["report", "none.json", "--out", text(&page)])
            .failure()
            .starts_with("none.json: ")
    );
    assert!(
        alea(&["report", text(&bad), "--out", "page.pdf"])
            .failure()
            .contains(".html or .md")
    );
    assert!(!page.exists());
}
