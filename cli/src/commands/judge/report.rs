//! Tables and page about judged games: luck and errors by player and by ply, in points of the game
//! or hundredths of a win, with 95 % intervals over games.

use super::JudgedGame;
use crate::display_scale::DisplayScale;
use arena::document::{Block, Page};
use arena::statistics::{fraction_if_all_equal, t_quantile_95};
use arena::text_table::{Cell, TextTable};
use engine::core::moments::Moments;
use engine::play::{own_scale::OwnScale, playable::Playable};
use std::collections::BTreeMap;
use web::{api_types::PlyReview, position_values::has_chance};

const MAX_DETAILED_GAMES: usize = 20;
/// Minimal number of games for an interval: of fewer, one side may win all by chance.
const MIN_GAMES_OF_INTERVAL: f64 = 10.0;

pub(super) struct Report {
    seats: Vec<&'static str>,
    has_luck: bool,
    scale: DisplayScale,
    /// What values are, if they do not estimate results.
    own_scale: Option<OwnScale>,
    /// By player: statistics over games of score, luck and error per decision (means of the
    /// player's seats).
    players: BTreeMap<String, [Moments; 3]>,
    games: TextTable,
    detailed: Vec<JudgedGame>,
    unfinished: usize,
    /// Maximum difference between a game's result and the sum of its terms.
    balance: f64,
}

/// Half of the mean's 95 % interval; `None` for few games. If all scores are equal, the interval is
/// that of a fraction, not of zero width.
fn half_width(moments: &Moments, is_score: bool) -> Option<f64> {
    let games = moments.sample_count();
    let half = if is_score && moments.deviation() <= 0.0 {
        1.0 - fraction_if_all_equal(games)
    } else {
        t_quantile_95(games - 1.0) * moments.standard_error()
    };
    (games >= MIN_GAMES_OF_INTERVAL).then_some(half)
}

fn add_to_moments(moments: &mut [Moments; 3], values: [f64; 3]) {
    let pairs = moments.iter_mut().zip(values);
    pairs.for_each(|(moments, value)| moments.add(value));
}

impl Report {
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
            scale: DisplayScale::of(game),
            own_scale: None,
            players: BTreeMap::new(),
            games: TextTable::new(heads),
            detailed: Vec::new(),
            unfinished: 0,
            balance: 0.0,
        }
    }

    pub(super) fn add(&mut self, one: JudgedGame) {
        let ledger = &one.ledger;
        let mut row: Vec<Cell> = vec![
            one.game.into(),
            one.players.join(" – ").into(),
            (ledger.plies.len() as u64).into(),
        ];
        let mut means = BTreeMap::<&str, [Moments; 3]>::new();
        for (seat, name) in ledger.seats.iter().zip(&one.players) {
            let each = [seat.result, seat.luck, seat.error_per_decision];
            add_to_moments(means.entry(name).or_default(), each);
            let luck = self.has_luck.then_some(seat.luck);
            let terms = [-seat.errors, seat.others, seat.drift];
            let terms = luck.into_iter().chain(terms);
            row.push(self.scale.value_cell(seat.start));
            row.extend(terms.map(|term| self.scale.difference_cell(term)));
            row.push(self.scale.value_cell(seat.result));
        }
        for (name, seats) in means {
            let each = seats.map(|moments| moments.mean());
            add_to_moments(self.players.entry(name.to_owned()).or_default(), each);
        }
        self.games.push(row);
        self.own_scale = ledger.scale;
        self.balance = self.balance.max(ledger.balance);
        self.unfinished += usize::from(!ledger.over);
        if self.detailed.len() < MAX_DETAILED_GAMES {
            self.detailed.push(one);
        }
    }

    pub(super) fn text(&self, judge: &str) -> String {
        let count = self.games.rows.len();
        let games = if count == 1 { "game" } else { "games" };
        let notes = self.notes().map(|note| format!("\n{note}"));
        let notes: String = notes.collect();
        format!(
            "{}\n{count} {games} judged by {judge}, in {}; sums miss results by at most {:.1e}\n\n{}{notes}",
            self.games.text(),
            self.scale.unit(),
            self.scale.difference(self.balance),
            self.players_table().text().trim_end()
        )
    }

    fn notes(&self) -> impl Iterator<Item = String> + use<> {
        let mut players = self.players.values();
        let has_few = players.any(|all| all[0].sample_count() < MIN_GAMES_OF_INTERVAL);
        let few = has_few.then(|| {
            format!("without ±: too few games for an interval, fewer than {MIN_GAMES_OF_INTERVAL}")
        });
        let unfinished = self.unfinished;
        let open = (unfinished > 0).then(|| {
            format!(
                "unfinished: {unfinished}, with the judge's value of the last position as result"
            )
        });
        let own_scale = self.own_scale;
        let own_scale = own_scale.map(|scale| format!("values: {}", scale.title()));
        few.into_iter().chain(open).chain(own_scale)
    }

    fn players_table(&self) -> TextTable {
        let scale = self.scale;
        let decimals = scale.decimals();
        let mean = |(moments, is_score): (&Moments, bool)| {
            let mean = if is_score {
                scale.value(moments.mean())
            } else {
                scale.difference(moments.mean())
            };
            Cell::Right(match half_width(moments, is_score) {
                Some(half) => format!("{mean:.decimals$} ±{:.decimals$}", scale.difference(half)),
                None => format!("{mean:.decimals$}"),
            })
        };
        let row = |(name, all): (&String, &[Moments; 3])| {
            let games = Cell::Count(all[0].sample_count() as u64);
            let columns = [Cell::from(name.as_str()), games];
            let means = all.iter().zip([true, false, false]).map(mean);
            columns.into_iter().chain(means).collect()
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
        let scale = self.scale;
        let note = format!(
            "In {}, with intervals of 95 % over games. Luck averages to zero; an error is what a decision gives away against the best one.",
            scale.description()
        );
        let mut blocks = vec![Block::Table(self.players_table()), Block::Note(note)];
        blocks.extend(self.notes().map(Block::Note));
        page.push("Players", blocks);
        let note = format!(
            "In {} of each seat: start, luck, errors, what luck and errors of the others brought, and drift add up to the result.",
            scale.unit()
        );
        let blocks = vec![Block::Table(self.games), Block::Note(note)];
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
                    scale.value_cell(judged.before[0]),
                    scale.difference_cell(judged.luck),
                    scale.difference_cell(judged.error),
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

#[test]
fn an_interval_needs_ten_games_and_is_never_empty() {
    let half = |wins: usize, losses: usize| {
        let scores = [vec![1.0; wins], vec![0.0; losses]].concat();
        half_width(&scores.into_iter().collect(), true)
    };
    assert_eq!([half(1, 0), half(9, 0), half(5, 4)], [None; 3]);
    let widths = [half(10, 0), half(5, 5), half(500, 500)].map(Option::unwrap);
    for (width, expected) in widths.iter().zip([0.2589, 0.3770, 0.0310]) {
        assert!((width - expected).abs() < 1e-3, "{widths:?}");
    }
}
