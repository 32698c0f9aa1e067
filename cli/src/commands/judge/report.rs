//! Judged games as tables and as a page: what each player gave away and was given, and games ply by
//! ply.
//!
//! Invariant: intervals are of 95 %, over games; luck is each player's own.

use super::Judged;
use benches::page::{Block, Page};
use benches::sheet::{Cell, Sheet};
use std::collections::BTreeMap;
use web::{api::JudgedPly, games::OnBoard};

/// Games that are shown ply by ply.
const WHOLE: usize = 20;

/// All that was judged.
#[derive(Default)]
pub(super) struct Report {
    /// Score, luck and error a decision of every game, by player.
    players: BTreeMap<String, [Vec<f64>; 3]>,
    games: Vec<Vec<Cell>>,
    whole: Vec<Judged>,
}

/// The mean with its interval, in points, hundredths of a win.
fn points(values: &[f64]) -> Cell {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let half = 1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt();
    Cell::Right(format!("{:.2} ±{:.2}", 100.0 * mean, 100.0 * half))
}

fn number(value: f64) -> Cell {
    Cell::Number(100.0 * value, 2)
}

impl Report {
    pub(super) fn add(&mut self, one: Judged) {
        let ledger = &one.ledger;
        for (seat, name) in one.players.iter().enumerate().take(2) {
            let own = [ledger.result, 1.0 - ledger.result][seat];
            let each = [own, ledger.luck[seat], ledger.error_per_decision[seat]];
            let all = self.players.entry(name.clone()).or_default();
            all.iter_mut()
                .zip(each)
                .for_each(|(all, one)| all.push(one));
        }
        let sums = [
            ledger.result,
            ledger.start_value,
            ledger.luck[0],
            ledger.luck[1],
            ledger.errors[0],
            ledger.errors[1],
            ledger.drift,
        ];
        let mut row = vec![one.game.into(), one.players.join(" – ").into()];
        row.extend(sums.map(number));
        self.games.push(row);
        if self.whole.len() < WHOLE {
            self.whole.push(one);
        }
    }

    /// A row a player, in points.
    pub(super) fn players(&self) -> Sheet {
        let row = |(name, [scores, luck, errors]): (&String, &[Vec<f64>; 3])| {
            let games = scores.len() as u64;
            vec![
                name.as_str().into(),
                games.into(),
                points(scores),
                points(luck),
                points(errors),
            ]
        };
        let heads = ["player", "games", "score", "luck", "error a decision"];
        Sheet::filled(heads, self.players.iter().map(row))
    }

    pub(super) fn page<G: OnBoard>(self, game: &G, judge: &str) -> Page {
        let [first, second] = [0, 1].map(|seat| game.seat_title(seat));
        let mut page = Page {
            title: format!("Judged games of {}", game.notation()),
            summary: vec![vec![
                (format!("{} games", self.games.len()), true),
                (format!(", judged by {judge}."), false),
            ]],
            ..Page::default()
        };
        let note = "In points, hundredths of a win, with intervals of 95 % over games. Luck averages to zero; an error is what a decision gives away against the best one.";
        page.push(
            "Players",
            vec![Block::Table(self.players()), Block::Note(note.to_owned())],
        );
        let heads = ["game", "players", "result", "start"]
            .map(str::to_owned)
            .into_iter();
        let luck = [first, second].map(|seat| format!("luck {seat}"));
        let errors = [first, second].map(|seat| format!("errors {seat}"));
        let heads = heads.chain(luck).chain(errors).chain(["drift".to_owned()]);
        let note = format!(
            "In points of {first}: result = start + luck {first} − luck {second} − errors {first} + errors {second} + drift."
        );
        page.push(
            "Games",
            vec![
                Block::Table(Sheet::filled(heads, self.games)),
                Block::Note(note),
            ],
        );
        for one in &self.whole {
            let row = |(ply, judged): (u64, &JudgedPly)| {
                let face = judged
                    .face
                    .map_or(Cell::Missing, |face| Cell::Count(face.into()));
                let luck = [judged.luck, -judged.luck][judged.seat];
                let seat = game.seat_title(judged.seat);
                let better = if judged.error > 0.0 {
                    judged.best.as_str()
                } else {
                    ""
                };
                vec![
                    ply.into(),
                    seat.into(),
                    face,
                    judged.mv.as_str().into(),
                    number(judged.before),
                    number(luck),
                    number(judged.error),
                    judged.verdict.into(),
                    better.into(),
                ]
            };
            let heads = [
                "ply", "seat", "roll", "move", first, "luck", "error", "verdict", "better",
            ];
            let plies = Sheet::filled(heads, (1..).zip(&one.ledger.plies).map(row));
            page.push(format!("Game {}", one.game), vec![Block::Table(plies)]);
        }
        page
    }
}
