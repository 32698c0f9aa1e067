//! How far the values of players and evaluators are from reference values, such as exact
//! scores of endgames.

use arena::error::Result;
use arena::text_table::{Cell, TextTable};
use engine::core::{
    files::{self, FileKind},
    text::{content_lines, shorten},
};
use engine::play::{
    build::{PlayerRecipe, parse_evaluator},
    playable::Playable,
    player_notation::trusted_text,
};
use engine::search::limits::Limits;
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

/// Position before its chance event, and its value for the side to move: points, or the payoff in
/// a game without points.
#[derive(Clone, Debug)]
pub struct ValuedPosition<P> {
    pub position: P,
    pub value: f64,
}

/// Reads lines of a position, a tab and its value; `#` begins a comment.
pub fn read_positions<G: Playable>(
    game: &G,
    path: &Path,
) -> Result<Vec<ValuedPosition<G::Position>>> {
    parse_positions(
        game,
        &path.display().to_string(),
        &files::read_text(path, FileKind::Archive)?,
    )
}

fn parse_positions<G: Playable>(
    game: &G,
    name: &str,
    text: &str,
) -> Result<Vec<ValuedPosition<G::Position>>> {
    let parse = |(line, content)| {
        parse_line(game, content).map_err(|problem| format!("{name}:{line}: {problem}"))
    };
    let positions: Vec<_> = content_lines(text).map(parse).collect::<Result<_, _>>()?;
    match positions.len() {
        0..3 => Err(format!(
            "{name}: at least three positions are needed; a line is a position, a tab and its value"
        )
        .into()),
        _ => Ok(positions),
    }
}

fn parse_line<G: Playable>(game: &G, content: &str) -> Result<ValuedPosition<G::Position>, String> {
    let Some((text, value)) = content.rsplit_once('\t') else {
        return Err(format!(
            "'{}' should be a position, a tab and its value",
            shorten(content, 60)
        ));
    };
    let (position, outcome) = game
        .parse_position(text.trim())
        .map_err(|error| format!("position '{}': {error}", shorten(text, 60)))?;
    if outcome.is_some() {
        return Err(format!(
            "position '{text}' has a roll; values are before it"
        ));
    }
    if game.payoffs(&position).is_some() {
        return Err(format!("position '{text}' is over"));
    }
    match value.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(ValuedPosition { position, value }),
        _ => Err(format!("'{value}' is no value")),
    }
}

/// Values of a player or evaluator against the reference values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    pub name: String,
    pub positions: usize,
    /// Pearson's correlation.
    pub correlation: f64,
    /// Spearman's correlation of ranks.
    pub rank_correlation: f64,
    /// Standard deviation of the reference values from a linear fit to these.
    pub error_of_fit: f64,
    pub slope_of_fit: f64,
    pub mean_absolute_difference: f64,
}

/// Values all positions by each of the players and evaluators.
pub fn measure<G: Playable>(
    game: &G,
    positions: &[ValuedPosition<G::Position>],
    players: &[String],
    evaluators: &[String],
    seed: u64,
) -> Result<Vec<Accuracy>> {
    let reference: Vec<f64> = positions.iter().map(|entry| entry.value).collect();
    let points = |payoff: f32| match game.points() {
        Some(points) => points.from_payoff(payoff.into()),
        None => payoff.into(),
    };
    let mut found = Vec::new();
    for text in players {
        let recipe = PlayerRecipe::parse(trusted_text(text), game)?;
        let values = positions.par_iter().map(|entry| {
            let mut player = recipe.make();
            player.new_game(seed);
            let value = player.value(&entry.position, &Limits::NONE).value;
            value.map(points)
        });
        let values: Option<Vec<f64>> = values.collect();
        let values = values.ok_or_else(|| format!("the player '{text}' values no positions"))?;
        found.push(Accuracy::new(text, &values, &reference));
    }
    for text in evaluators {
        let evaluator = parse_evaluator(trusted_text(text), game)?;
        let values = positions
            .iter()
            .map(|entry| points(evaluator.value_of(game, &entry.position)));
        found.push(Accuracy::new(text, &values.collect::<Vec<_>>(), &reference));
    }
    Ok(found)
}

impl Accuracy {
    fn new(name: &str, values: &[f64], reference: &[f64]) -> Self {
        let (spread, reference_spread) = (Spread::new(values), Spread::new(reference));
        let correlation = spread.correlation(&reference_spread);
        let differences = values.iter().zip(reference);
        let total: f64 = differences
            .map(|(value, reference)| (value - reference).abs())
            .sum();
        let deviation = (reference_spread.squares / reference.len() as f64).sqrt();
        Self {
            name: name.to_owned(),
            positions: values.len(),
            correlation,
            rank_correlation: Spread::new(&ranks(values))
                .correlation(&Spread::new(&ranks(reference))),
            error_of_fit: deviation * (1.0 - correlation * correlation).max(0.0).sqrt(),
            slope_of_fit: match spread.squares {
                0.0 => 0.0,
                squares => correlation * (reference_spread.squares / squares).sqrt(),
            },
            mean_absolute_difference: total / reference.len() as f64,
        }
    }
}

struct Spread {
    differences: Vec<f64>,
    squares: f64,
}

impl Spread {
    fn new(values: &[f64]) -> Self {
        let sum: f64 = values.iter().sum();
        // Of equal values the sum is rounded.
        let mean = match values {
            [first, others @ ..] if others.iter().all(|other| other == first) => *first,
            _ => sum / values.len() as f64,
        };
        let differences: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let squares = differences.iter().map(|one| one * one).sum();
        Self {
            differences,
            squares,
        }
    }

    /// Pearson's correlation; 0 if all values of one side are equal.
    fn correlation(&self, other: &Self) -> f64 {
        let pairs = self.differences.iter().zip(&other.differences);
        let products: f64 = pairs.map(|(left, right)| left * right).sum();
        match self.squares * other.squares {
            0.0 => 0.0,
            squares => products / squares.sqrt(),
        }
    }
}

/// Ranks of values, equal ones with the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&left, &right| values[left] == values[right]) {
        for &index in equal {
            ranks[index] = first as f64 + (equal.len() - 1) as f64 / 2.0;
        }
        first += equal.len();
    }
    ranks
}

pub fn text_table(found: &[Accuracy]) -> TextTable {
    let mut table = TextTable::new([
        "values of",
        "positions",
        "correlation",
        "of ranks",
        "error of fit",
        "slope",
        "mean difference",
    ]);
    for accuracy in found {
        table.push(vec![
            accuracy.name.clone().into(),
            (accuracy.positions as u64).into(),
            Cell::Number(accuracy.correlation, 4),
            Cell::Number(accuracy.rank_correlation, 4),
            Cell::Number(accuracy.error_of_fit, 2),
            Cell::Number(accuracy.slope_of_fit, 3),
            Cell::Number(accuracy.mean_absolute_difference, 2),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::core::game::Game;
    use engine::games::reversi::Reversi;
    use engine::play::{
        playable::{Rules, rules_from_notation},
        player_notation::Notation,
    };

    fn discs() -> Reversi {
        let notation = Notation::parse("reversi(size=4, score=discs)").unwrap();
        rules_from_notation(&notation, None).ok().unwrap()
    }

    #[test]
    fn a_fit_is_that_of_a_calculation_by_hand() {
        // Sums of squares about the means: 5, 8, of products 6; of ranks 5, 4.5, of products 4.5.
        let found = Accuracy::new("four", &[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 3.0, 5.0]);
        let numbers = [
            (found.correlation, 6.0 / 40f64.sqrt()),
            (found.rank_correlation, 4.5 / 22.5f64.sqrt()),
            (found.error_of_fit, 0.2f64.sqrt()),
            (found.slope_of_fit, 1.2),
            (found.mean_absolute_difference, 0.5),
        ];
        for (found, expected) in numbers {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn equal_values_tell_nothing() {
        let found = Accuracy::new("constant", &[0.1; 4], &[1.0, 3.0, 3.0, 5.0]);
        assert_eq!(
            (
                found.correlation,
                found.rank_correlation,
                found.slope_of_fit
            ),
            (0.0, 0.0, 0.0)
        );
        assert!((found.error_of_fit - 2f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn exact_play_has_the_exact_values() {
        let game = discs();
        let lines = [
            "OXXX/OOXX/OXO-/---- X\t",
            "XXXX/-XXO/--OO/---O O\t",
            "---O/-XXO/-XOX/--O- X\t",
        ];
        let text = lines.map(|line| format!("{line}0\n")).concat();
        let mut positions = parse_positions(&game, "three", &text).unwrap();
        for entry in &mut positions {
            entry.value = exact(&game, &entry.position);
        }
        let players = ["star1(depth=16)".to_owned()];
        let found = measure(&game, &positions, &players, &["squares".to_owned()], 1).unwrap();
        assert!(found[0].mean_absolute_difference < 1e-5, "{found:?}");
        assert!(found[1].mean_absolute_difference > 0.1, "{found:?}");
        assert_eq!(text_table(&found).text().lines().count(), 3);
    }

    /// Disc lead with best play, by search of everything.
    fn exact(game: &Reversi, position: &<Reversi as Game>::Position) -> f64 {
        let seat = game.to_move(position);
        if let Some(payoffs) = game.payoffs(position) {
            return game.points().unwrap().from_payoff(payoffs[seat].into());
        }
        let mut moves = <Reversi as Game>::Moves::default();
        game.moves(position, &mut moves);
        let values = moves.iter().map(|&one| {
            let after = game.play(position, one);
            let value = exact(game, &after);
            if game.to_move(&after) == seat {
                value
            } else {
                -value
            }
        });
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn a_wrong_line_is_named() {
        let problem = |text: &str| {
            parse_positions(&discs(), "file", text)
                .unwrap_err()
                .to_string()
        };
        for (text, expected) in [
            ("# nothing", "file: at least three positions are needed"),
            (
                "---O/-XXO/-XOX/--O- X 3",
                "file:1: '---O/-XXO/-XOX/--O- X 3' should be a position",
            ),
            ("\n---O/-XXO X\t3", "file:2: position '---O/-XXO X'"),
            ("---O/-XXO/-XOX/--O- X\tnan", "file:1: 'nan' is no value"),
            (
                "XXXX/XXXX/XXXX/XXXX X\t16",
                "file:1: position 'XXXX/XXXX/XXXX/XXXX X' is over",
            ),
        ] {
            assert!(problem(text).starts_with(expected), "{}", problem(text));
        }
    }
}
