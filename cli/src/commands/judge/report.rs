//! Judged games as tables and as a page: what each player gave away and was given, and games ply by
//! ply.
//!
//! Invariant: intervals are of 95 %, over games; luck is each player's own.

use super::Judged;
use benches::page::{Block, Page};
use benches::sheet::{Cell, Sheet};
use std::collections::BTreeMap;
use web::{api::JudgedPly, games::OnBoard, rating::has_chance};

/// Games that are shown ply by ply.
const WHOLE: usize = 20;

/// All that was judged.
#[derive(Default)]
pub(super) struct Report {
    /// Score, luck and error a decision of every game, by player.
    players: BTreeMap<String, [Vec<f64>; 3]>,
    games: Vec<Vec<Cell>>,
    whole: Vec<Judged>,
    /// The most by which a sum missed its result.
    balance: f64,
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
    pub(super) fn add(&mut self, one: Judged, has_luck: bool) {
        let ledger = &one.ledger;
        let mut row: Vec<Cell> = vec![
            one.game.into(),
            one.players.join(" – ").into(),
            (ledger.plies.len() as u64).into(),
        ];
        for (seat, name) in ledger.seats.iter().zip(&one.players) {
            let each = [seat.result, seat.luck, seat.error_per_decision];
            let all = self.players.entry(name.clone()).or_default();
            all.iter_mut()
                .zip(each)
                .for_each(|(all, one)| all.push(one));
            let luck = has_luck.then_some(seat.luck);
            let more = [-seat.errors, seat.others, seat.drift, seat.result];
            row.extend([seat.start].into_iter().chain(luck).chain(more).map(number));
        }
        self.games.push(row);
        self.balance = self.balance.max(ledger.balance);
        if self.whole.len() < WHOLE {
            self.whole.push(one);
        }
    }

    /// A row a game, in points.
    fn games<G: OnBoard>(&self, game: &G) -> Sheet {
        let mut heads = ["game", "players", "plies"].map(str::to_owned).to_vec();
        for seat in 0..game.seats() {
            let title = game.seat_title(seat);
            heads.push(format!("{title}: start"));
            heads.extend(has_chance::<G>().then(|| "luck".to_owned()));
            heads.extend(["errors", "others", "drift", "result"].map(str::to_owned));
        }
        Sheet::filled(heads, self.games.iter().cloned())
    }

    pub(super) fn text<G: OnBoard>(&self, game: &G, judge: &str) -> String {
        let (games, players) = (self.games(game).text(), self.players().text());
        format!(
            "{games}\n{} games judged by {judge}, in points; sums miss results by at most {:.1e}\n\n{}",
            self.games.len(),
            100.0 * self.balance,
            players.trim_end()
        )
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
        let note = "In points of each seat: start, luck, errors, what luck and errors of the others brought, and drift add up to the result.";
        page.push(
            "Games",
            vec![Block::Table(self.games(game)), Block::Note(note.to_owned())],
        );
        for one in &self.whole {
            let row = |(ply, judged): (u64, &JudgedPly)| {
                let face = judged
                    .face
                    .map_or(Cell::Missing, |face| Cell::Count(face.into()));
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
                    number(judged.before[0]),
                    number(judged.luck),
                    number(judged.error),
                    judged.verdict.into(),
                    better.into(),
                ]
            };
            let heads = [
                "ply",
                "seat",
                "roll",
                "move",
                game.seat_title(0),
                "luck",
                "error",
                "verdict",
                "better",
            ];
            let plies = Sheet::filled(heads, (1..).zip(&one.ledger.plies).map(row));
            page.push(format!("Game {}", one.game), vec![Block::Table(plies)]);
        }
        page
    }
}
