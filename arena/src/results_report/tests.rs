//! Tests of report pages.

use super::*;
use crate::document::tests::{assert_alone, assert_well_formed};
use crate::test_players::{first, greedy_contestant, options, random};
use crate::{
    matches::{MatchOptions, play_match},
    tournament::play_tournament,
};
use engine::games::backgammon::Backgammon;

fn html(text: &str) -> String {
    let html = page("Results", &read("file.json", text, |_| None).unwrap())
        .unwrap()
        .html("alea 1");
    assert_well_formed(&html);
    assert_alone(&html);
    html
}

#[test]
fn matches_that_follow_each_other_are_one_table() {
    let one = serde_json::to_string(
        &play_match(&greedy_contestant(), &random(), &options(50, 1)).unwrap(),
    )
    .unwrap();
    let two =
        serde_json::to_string(&play_match(&first(), &random(), &options(50, 1)).unwrap()).unwrap();
    let html = html(&format!(
        "{one}\n{{\"promoted\":false,\"model\":null,\"match\":{two}}}\n"
    ));
    assert_eq!(html.matches("<table>").count(), 1);
    assert!(html.contains("<strong>greedy</strong> beats") && html.contains("first – random"));
}

#[test]
fn a_tournament_has_ratings_and_a_map() {
    let result = play_tournament(
        &[random(), greedy_contestant(), first()],
        &options(50, 1),
        |_| {},
    )
    .unwrap();
    let html = html(&serde_json::to_string(&result).unwrap());
    assert_eq!(html.matches("<figure").count(), 2);
    assert!(html.contains("<strong>greedy</strong> comes first of 3; 100 games a match."));
    assert!(
        html.contains("Ratings (Bradley–Terry)")
            && html.contains("Games won against each other, %")
    );
}

#[test]
fn a_tournament_for_points_is_a_map_of_points() {
    let options = MatchOptions::new(Backgammon, 20, 3);
    let result = play_tournament(&[random(), first()], &options, |_| {}).unwrap();
    let html = html(&serde_json::to_string(&result).unwrap());
    assert!(html.contains("Mean points a game against each other"));
    let best = &result.points[result.ranking()[0]];
    assert!(
        best.mean > 0.0 && html.contains(&format!(">{:.3}<", best.mean)),
        "{best}"
    );
    assert!(!html.contains("win %") && html.contains("blue: above zero"));
}

#[test]
fn a_curve_is_a_table_of_its_losses() {
    let result = read(
        "curve.csv",
        "epoch,training_loss,validation_loss,seconds\n1,0.7,0.69,3\n2,0.6,0.65,3\n",
        |_| None,
    )
    .unwrap();
    let [ReportItem::Curve(chart)] = &result[..] else {
        panic!("{result:?}")
    };
    let names: Vec<&str> = chart
        .curves
        .iter()
        .map(|curve| curve.name.as_str())
        .collect();
    assert_eq!(names, ["training loss", "validation loss"]);
    assert_eq!(chart.curves[1].points, [(1.0, 0.69), (2.0, 0.65)]);
    let error = read("curve.csv", "epoch,training_loss\n1,0.7\nx,1\n", |_| None)
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
        let error = read("some.json", text, |_| None).unwrap_err().to_string();
        assert!(
            error.starts_with("some.json: ") && error.contains(part) && !error.contains('\n'),
            "{error}"
        );
    }
}
