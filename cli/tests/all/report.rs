//! `alea report` from outside.

use crate::support::{Folder, alea, exists, read, run};
use std::fs;

#[test]
fn results_of_several_commands_become_one_page() {
    let folder = Folder::new();
    let mut report = "report".to_owned();
    for (name, line) in [
        (
            "match.json",
            "arena --player greedy --player random --games 40 --luck abt --json",
        ),
        (
            "round.json",
            "tournament --player greedy --player random --player MrBlack(0) --games 40 --json",
        ),
        (
            "regret.json",
            "regret --positions 200 --eval schwarz --player greedy --json",
        ),
        ("atlas.json", "atlas --stones 2 --json"),
        (
            "strength.json",
            "bench strength --player star1(depth={n}) --numbers 1,2 --against greedy --games 20 --json",
        ),
    ] {
        let ran = alea!("{line}");
        ran.succeeds();
        report += &format!(" {}", folder.file(name, ran.out));
    }
    let (html, markdown) = (folder.at("page.html"), folder.at("page.md"));
    alea!("{report} --out {html} --title 'All <of> it'").succeeds();
    let page = read(&html);
    for part in [
        "All &lt;of&gt; it",
        "Matches",
        "Tournament",
        "Regret",
        "Set-ups",
        "Strength against greedy",
        "without luck",
    ] {
        assert!(page.contains(part), "{part}");
    }
    alea!("{report} --out {markdown}").succeeds();
    let written = read(&markdown);
    assert!(written.starts_with("# Results\n") && written.contains("(page-1.svg)"));
    let pictures = written.matches(".svg)").count();
    assert_eq!(pictures, page.matches("<svg").count());
    assert!(exists(&folder.at("page-1.svg")));
    // From a pipe.
    let piped = fs::read(folder.at("match.json")).unwrap();
    run(&format!("report - --out {html}"), &piped).succeeds();
}

#[test]
fn what_cannot_be_shown_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    let (page, bad) = (
        folder.at("page.html"),
        folder.file("bad.json", "{\"games\": 3}\n"),
    );
    alea!("report {bad} --out {page}").fails("bad.json: result 1: no page shows it");
    let missing = alea!("report none.json --out {page}");
    assert!(missing.failure().starts_with("none.json: "), "{missing}");
    alea!("report {bad} --out page.pdf").fails(".html or .md");
    assert!(!exists(&page));
}
