//! Tests of pages of results.

use super::*;
use crate::arena::{MatchOptions, play_match, tournament::play_tournament};
use crate::page::tests::assert_well_formed;
use crate::statistics::Interval;
use crate::test_players::{first, greedy, random};
use engine::games::einstein::Standard;

fn options() -> MatchOptions<Standard> {
    MatchOptions {
        threads: 1,
        ..MatchOptions::new(Standard::default(), 50, 1)
    }
}

fn html(text: &str) -> String {
    let html = page("Results", &read("file.json", text).unwrap())
        .unwrap()
        .html();
    assert_well_formed(&html);
    for outside in ["<script", "<link", "src=", "url(", "@import", "href="] {
        assert!(!html.contains(outside), "{outside}");
    }
    html
}

#[test]
fn matches_that_follow_each_other_are_one_table() {
    let one =
        serde_json::to_string(&play_match(&greedy(), &random(), &options()).unwrap()).unwrap();
    let two = serde_json::to_string(&play_match(&first(), &random(), &options()).unwrap()).unwrap();
    let html = html(&format!(
        "{one}\n{{\"promoted\":false,\"model\":null,\"match\":{two}}}\n"
    ));
    assert_eq!(html.matches("<table>").count(), 1);
    assert!(html.contains("<strong>greedy</strong> beats") && html.contains("first – random"));
}

#[test]
fn a_tournament_has_ratings_and_a_map() {
    let result = play_tournament(&[random(), greedy(), first()], &options(), |_| {}).unwrap();
    let html = html(&serde_json::to_string(&result).unwrap());
    assert_eq!(html.matches("<figure").count(), 2);
    assert!(html.contains("<strong>greedy</strong> comes first of 3; 100 games a match."));
    assert!(
        html.contains("Ratings (Bradley–Terry)")
            && html.contains("Games won against each other, %")
    );
}

#[test]
fn figures_stand_beside_published_ones() {
    let figure = |label: &str, published: f64, measured: f64| crate::studies::reproduce::Figure {
        label: label.to_owned(),
        published: Some(published),
        published_error: None,
        measured,
        interval: Some(Interval {
            lower: measured - 1.0,
            upper: measured + 1.0,
        }),
        games: 100,
    };
    let comparison = crate::studies::reproduce::Comparison {
        title: "score".to_owned(),
        unit: "points".to_owned(),
        figures: vec![
            figure("one", 50.0, 51.0),
            figure("two", 60.0, 57.0),
            figure("three", 70.0, 70.0),
        ],
        decimals: 1,
    };
    let result = Reproduction {
        target: "a study".to_owned(),
        source: "A report (2000)".to_owned(),
        full: false,
        comparisons: vec![comparison],
        claims: vec![crate::studies::reproduce::Claim {
            published: "It wins.".to_owned(),
            measured: "It does.".to_owned(),
        }],
        assumptions: vec!["random set-ups".to_owned()],
        details: None,
        pictures: None,
    };
    let html = html(&serde_json::to_string(&result).unwrap());
    // Differences of 1, 3 and 0.
    assert!(
        html.contains("mean absolute difference 1.33 points")
            && html.contains("<li>random set-ups</li>"),
        "{html}"
    );
    assert!(html.contains("Published: It wins. Measured: It does."));
}

#[test]
fn a_curve_is_a_table_of_its_losses() {
    let found = read(
        "curve.csv",
        "epoch,training_loss,validation_loss,seconds\n1,0.7,0.69,3\n2,0.6,0.65,3\n",
    )
    .unwrap();
    let [Found::Curve(chart)] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        chart
            .curves
            .iter()
            .map(|curve| curve.name.as_str())
            .collect::<Vec<_>>(),
        ["training loss", "validation loss"]
    );
    assert_eq!(chart.curves[1].points, [(1.0, 0.69), (2.0, 0.65)]);
    let error = read("curve.csv", "epoch,training_loss\n1,0.7\nx,1\n")
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "curve.csv: line 3: 2 columns of numbers belong there"
    );
}

#[test]
fn what_is_no_result_is_refused() {
    for (text, part) in [
        ("", "nothing in it"),
        ("{", "no result"),
        ("{\"x\":1}", "result 1: no page shows it"),
        ("{\"a\":1,\"b\":2,\"pair_counts\":3}", "result 1: "),
    ] {
        let error = read("some.json", text).unwrap_err().to_string();
        assert!(
            error.starts_with("some.json: ") && error.contains(part) && !error.contains('\n'),
            "{error}"
        );
    }
}
