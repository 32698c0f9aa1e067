//! Tables and a page about judged games: luck and errors by player and by ply. Values are in points
//! (hundredths of a win); intervals are of 95 %, over games.

use super::JudgedGame;
use arena::document::{Block, Page};
use arena::text_table::{Cell, TextTable};
use engine::core::moments::Moments;
use engine::play::playable::Playable;
use std::collections::BTreeMap;
use web::{api_types::PlyReview, position_values::has_chance};

const MAX_DETAILED_GAMES: usize = 20;

pub(super) struct Report<'a> {
    seats: Vec<&'static str>,
    has_luck: bool,
    /// Moments over games by player: score, luck, error per decision.
    players: BTreeMap<&'a str, [Moments; 3]>,
    games: TextTable,
    detailed: Vec<JudgedGame<'a>>,
    /// Largest difference between a game's result and the sum of its ledger's terms.
    balance: f64,
}

fn points_cell(value: f64) -> Cell {
    Cell::Number(100.0 * value, 2)
}

impl<'a> Report<'a> {
    pub(super) fn of<G: Playable>(game: &G) -> Self {
        let seats = (0..game.seats()).map(|seat| game.seat_title(seat));
        let seats: Vec<&str> = seats.collect();
        let mut heads = ["game", "players", "plies"].map(str::to_owned).to_vec();
        for title in &seats {
            heads.push(format!("{title}: start"));
            heads.extend(has_chance::<G>().then(|| "luck".to_owned()));
            heads.extend(["errors", "others", "drift", "result"].map(str::to_owned));
        }
        Self {
            seats,
            has_luck: has_chance::<G>(),
            players: BTreeMap::new(),
            games: TextTable::new(heads),
            detailed: Vec::new(),
            balance: 0.0,
        }
    }

    pub(super) fn add(&mut self, one: JudgedGame<'a>) {
        let ledger = &one.ledger;
        let mut row: Vec<Cell> = vec![
            one.game.into(),
            one.players.join(" – ").into(),
            (ledger.plies.len() as u64).into(),
        ];
        for (seat, name) in ledger.seats.iter().zip(&one.players) {
            let each = [seat.result, seat.luck, seat.error_per_decision];
            for (moments, value) in self.players.entry(name).or_default().iter_mut().zip(each) {
                moments.add(value);
            }
            let luck = self.has_luck.then_some(seat.luck);
            let more = [-seat.errors, seat.others, seat.drift, seat.result];
            row.extend(
                [seat.start]
                    .into_iter()
                    .chain(luck)
                    .chain(more)
                    .map(points_cell),
            );
        }
        self.games.push(row);
        self.balance = self.balance.max(ledger.balance);
        if self.detailed.len() < MAX_DETAILED_GAMES {
            self.detailed.push(one);
        }
    }

    pub(super) fn text(&self, judge: &str) -> String {
        format!(
            "{}\n{} games judged by {judge}, in points; sums miss results by at most {:.1e}\n\n{}",
            self.games.text(),
            self.games.rows.len(),
            100.0 * self.balance,
            self.players_table().text().trim_end()
        )
    }

    fn players_table(&self) -> TextTable {
        let mean = |moments: &Moments| {
            let (mean, half) = (moments.mean(), 1.96 * moments.standard_error());
            Cell::Right(format!("{:.2} ±{:.2}", 100.0 * mean, 100.0 * half))
        };
        let row = |(name, all): (&&str, &[Moments; 3])| {
            let games = Cell::Count(all[0].sample_count() as u64);
            let columns = [Cell::from(*name), games];
            columns.into_iter().chain(all.iter().map(mean)).collect()
        };
        let heads = ["player", "games", "score", "luck", "error a decision"];
        TextTable::from_rows(heads, self.players.iter().map(row))
    }

    pub(super) fn page(self, game: &str, judge: &str) -> Page {
        let mut page = Page {
            title: format!("Judged games of {game}"),
            summary: vec![vec![
                (format!("{} games", self.games.rows.len()), true),
                (format!(", judged by {judge}."), false),
            ]],
            ..Page::default()
        };
        let note = "In points, hundredths of a win, with intervals of 95 % over games. Luck averages to zero; an error is what a decision gives away against the best one.";
        let blocks = vec![
            Block::Table(self.players_table()),
            Block::Note(note.to_owned()),
        ];
        page.push("Players", blocks);
        let note = "In points of each seat: start, luck, errors, what luck and errors of the others brought, and drift add up to the result.";
        let blocks = vec![Block::Table(self.games), Block::Note(note.to_owned())];
        page.push("Games", blocks);
        let heads = ["ply", "seat", "roll", "move", self.seats[0]];
        let heads = heads
            .into_iter()
            .chain(["luck", "error", "verdict", "better"]);
        for one in &self.detailed {
            let row = |(ply, judged): (u64, &PlyReview)| {
                let face = judged.face.map(|face| Cell::Count(face.into()));
                let is_best = judged.error <= 0.0;
                vec![
                    ply.into(),
                    self.seats[judged.seat].into(),
                    face.unwrap_or(Cell::Missing),
                    judged.mv.as_str().into(),
                    points_cell(judged.before[0]),
                    points_cell(judged.luck),
                    points_cell(judged.error),
                    judged.verdict.into(),
                    if is_best { "" } else { &*judged.best }.into(),
                ]
            };
            let plies = TextTable::from_rows(heads.clone(), (1..).zip(&one.ledger.plies).map(row));
            page.push(format!("Game {}", one.game), vec![Block::Table(plies)]);
        }
        page
    }
}
