//! Tests of pipeline reports.

use super::*;
use crate::document::tests::{assert_alone, assert_well_formed};
use crate::matches::MatchOptions;
use crate::matches::play_match;
use crate::plot::Curve;
use crate::test_players::first;
use crate::test_players::{greedy_contestant, options, random};
use alea_einstein::Standard;
use engine::games::backgammon::Backgammon;

fn data() -> ReportData {
    let game = Standard::default();
    let (position, _) = game
        .parse_position("123../45.../6...f/...ed/..cba r -")
        .unwrap();
    let curve = Curve::new("network", [(0.0, 0.7), (1.0, 0.6)]);
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
        curves: vec![LineChart::new("loss", ["epoch", "loss"], [curve])],
        matches: vec![ReportMatch {
            condition: "depth 1".to_owned(),
            result: play_match(&greedy_contestant(), &random(), &options(100, 1)).unwrap(),
        }],
        calibration: vec![(
            "network".to_owned(),
            vec![CalibrationBin {
                predicted: 0.4,
                observed: 0.5,
                positions: 10,
            }],
        )],
        picture: Some(PositionPicture::of(&game, &position)),
    }
}

#[test]
fn the_page_is_whole_and_stands_alone() {
    let page = page(&data()).unwrap().html("alea 1");
    assert_well_formed(&page);
    assert_alone(&page);
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
    let run = &mut data;
    let (stage, figure) = (&mut run.stages[0], &mut run.self_play[0]);
    let (result, chart) = (&mut run.matches[0], &mut run.curves[0]);
    for text in [
        &mut run.title,
        &mut run.configuration,
        &mut run.commands[0],
        &mut stage.name,
        &mut stage.outcome,
        &mut figure.0,
        &mut figure.1,
        &mut result.condition,
        &mut result.result.a,
        &mut result.result.b,
        &mut chart.title,
        &mut chart.x_label,
        &mut chart.y_label,
        &mut chart.curves[0].name,
        &mut run.calibration[0].0,
    ] {
        *text = evil.to_owned();
    }
    let page = page(&data).unwrap().html("alea 1");
    assert!(!page.contains("<script") && page.matches("</style>").count() == 1);
    assert_well_formed(&page);
}

#[test]
fn the_sentence_says_what_the_interval_says() {
    let sentence = |a, b| {
        let result = ReportMatch {
            condition: String::new(),
            result: play_match(&a, &b, &options(100, 1)).unwrap(),
        };
        summary_sentence(&result)
            .into_iter()
            .map(|(words, _)| words)
            .collect::<String>()
    };
    assert!(sentence(greedy_contestant(), random()).starts_with("greedy beats random: "));
    assert!(sentence(random(), greedy_contestant()).starts_with("random loses to greedy: "));
    assert!(sentence(greedy_contestant(), greedy_contestant()).contains("cannot be told from"));
}

#[test]
fn matches_for_points_are_shown_in_points() {
    let options = MatchOptions::new(Backgammon, 20, 3);
    let data = ReportData {
        matches: vec![ReportMatch {
            condition: String::new(),
            result: play_match(&first(), &random(), &options).unwrap(),
        }],
        ..ReportData::default()
    };
    let points = data.matches[0].result.points.clone().unwrap();
    let page = page(&data).unwrap().html("alea 1");
    let expected = [
        format!(": {:+.3} ±", points.mean),
        format!(
            "{:+.3} – {:+.3}",
            points.interval.lower, points.interval.upper
        ),
        "\npoints a game\n".to_owned(),
    ];
    for part in &expected {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("Score, %") && !page.contains("Blue: above 50 %"));
}

#[test]
fn a_report_of_nothing_is_a_page_and_data_can_be_stored() {
    let empty = page(&ReportData::default()).unwrap().html("alea 1");
    assert_well_formed(&empty);
    assert!(!empty.contains("<section>"));
    let stored = data();
    let text = serde_json::to_string(&stored).unwrap();
    assert_eq!(serde_json::from_str::<ReportData>(&text).unwrap(), stored);
}

#[test]
fn the_file_is_the_page() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.html");
    let data = data();
    write_report(&path, &data, "alea 1").unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        page(&data).unwrap().html("alea 1")
    );
    assert!(write_report(&directory.path().join("none/report.html"), &data, "alea 1").is_err());
}
