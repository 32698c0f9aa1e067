//! Tests of the report.

use super::*;
use crate::arena::{MatchOptions, play_match};
use crate::page::tests::assert_well_formed;
use crate::plot::Curve;
use crate::test_players::{greedy, random};
use engine::games::einstein::Standard;

fn options(pairs: u64) -> MatchOptions<Standard> {
    MatchOptions {
        threads: 1,
        ..MatchOptions::new(Standard::default(), pairs, 1)
    }
}

fn data() -> ReportData {
    let game = Standard::default();
    let (position, _) = game
        .parse_position("123../45.../6...f/...ed/..cba r -")
        .unwrap();
    let curve = Curve {
        name: "network".to_owned(),
        points: vec![(0.0, 0.7), (1.0, 0.6)],
    };
    ReportData {
        title: "A run <1>".to_owned(),
        configuration: "name = \"a & b\"".to_owned(),
        commands: vec!["alea pipeline".to_owned()],
        stages: vec![Stage {
            name: "self-play".to_owned(),
            seconds: 75.0,
            outcome: "1,000 games".to_owned(),
        }],
        self_play: vec![("games".to_owned(), "1,000".to_owned())],
        curves: vec![LineChart {
            title: "loss".to_owned(),
            x_label: "epoch".to_owned(),
            y_label: "loss".to_owned(),
            curves: vec![curve],
        }],
        matches: vec![ReportMatch {
            condition: "depth 1".to_owned(),
            result: play_match(&greedy(), &random(), &options(100)).unwrap(),
        }],
        calibration: vec![(
            "network".to_owned(),
            vec![CalibrationBin {
                predicted: 0.4,
                observed: 0.5,
                positions: 10,
            }],
        )],
        picture: Some(Picture::of(&game, &position)),
    }
}

#[test]
fn the_page_is_whole_and_stands_alone() {
    let page = page(&data()).unwrap().html();
    assert_well_formed(&page);
    for outside in ["<script", "<link", "src=", "url(", "@import", "href="] {
        assert!(!page.contains(outside), "{outside}");
    }
    // The only address is the name of the SVG vocabulary.
    assert_eq!(
        page.matches("http").count(),
        page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count()
    );
    for heading in [
        "Arena",
        "Training",
        "Calibration",
        "Self-play",
        "Stages",
        "Configuration",
        "How to reproduce",
    ] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    assert!(page.contains("<strong>greedy</strong> beats <strong>random</strong> at depth 1"));
    assert!(page.contains("class=\"board\"") && page.contains("<td>self-play</td><td>75.0 s</td>"));
}

#[test]
fn all_text_is_escaped() {
    let mut data = data();
    let evil = "</style><script>alert('x')</script>&\"";
    data.title = evil.to_owned();
    data.configuration = evil.to_owned();
    data.commands = vec![evil.to_owned()];
    data.stages[0].name = evil.to_owned();
    data.stages[0].outcome = evil.to_owned();
    data.self_play[0] = (evil.to_owned(), evil.to_owned());
    data.matches[0].condition = evil.to_owned();
    data.matches[0].result.a = evil.to_owned();
    data.matches[0].result.b = evil.to_owned();
    data.curves[0].title = evil.to_owned();
    data.curves[0].x_label = evil.to_owned();
    data.curves[0].y_label = evil.to_owned();
    data.curves[0].curves[0].name = evil.to_owned();
    data.calibration[0].0 = evil.to_owned();
    let page = page(&data).unwrap().html();
    assert!(!page.contains("<script") && page.matches("</style>").count() == 1);
    assert_well_formed(&page);
}

#[test]
fn the_sentence_says_what_the_interval_says() {
    let sentence = |a, b| {
        let found = ReportMatch {
            condition: String::new(),
            result: play_match(&a, &b, &options(100)).unwrap(),
        };
        summary_sentence(&found)
            .into_iter()
            .map(|(words, _)| words)
            .collect::<String>()
    };
    assert!(sentence(greedy(), random()).starts_with("greedy beats random: "));
    assert!(sentence(random(), greedy()).starts_with("random loses to greedy: "));
    assert!(sentence(greedy(), greedy()).contains("cannot be told from"));
}

#[test]
fn a_report_of_nothing_is_a_page_and_data_can_be_stored() {
    let empty = page(&ReportData::default()).unwrap().html();
    assert_well_formed(&empty);
    assert!(!empty.contains("<section>"));
    let whole = data();
    let text = serde_json::to_string(&whole).unwrap();
    assert_eq!(serde_json::from_str::<ReportData>(&text).unwrap(), whole);
}

#[test]
fn the_file_is_the_page() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.html");
    let data = data();
    write_report(&path, &data).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        page(&data).unwrap().html()
    );
    assert!(write_report(&directory.path().join("none/report.html"), &data).is_err());
}
