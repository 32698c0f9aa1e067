//! `alea probe`: exact values of endgame positions and their moves.

use crate::endgame_tables;
use crate::games::{GameArguments, GameTask};
use crate::position_arguments::{self, PositionArguments};
use anyhow::{Result, bail};
use engine::core::{chance_bounds::flip_unless_same, oracle::Oracle};
use engine::games::einstein::{Move, Standard, tables::Tables};
use engine::play::{
    playable::{Playable, Rules},
    player_notation::Notation,
    points::Points,
};
use serde::Serialize;
use std::{path::PathBuf, sync::Arc};

/// Read exact values from endgame tables or a solver
///
/// With a die the value is that of the best legal move, before the roll ('-') the expectation over
/// the die. In EinStein uses the files of 'alea solve'; without files, tables of up to 5 stones are built in
/// memory as needed. Positions with more stones are solved down to the tables if that takes no more
/// than --limit positions.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea probe \"...../.1.../...../...../...fa r -\"\n         alea probe - --json < positions.txt\n         alea probe \"1..../.2..b/....d/3..fe/..... r -\" --stones 4 --limit 3000000"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Directory of the tables
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables: PathBuf,
    /// Maximum stones of tables built in memory, both sides together
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=5))]
    stones: u8,
    /// Maximum positions solved beyond the tables
    #[arg(long, default_value_t = 1_000_000)]
    limit: usize,
}

#[derive(Default, Serialize)]
struct Answer {
    value: Option<f32>,
    /// Expected points, in games whose results pay points.
    #[serde(skip_serializing_if = "Option::is_none")]
    equity: Option<f64>,
    /// Probability of a win, in games whose results pay points.
    #[serde(skip_serializing_if = "Option::is_none")]
    win: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    moves: Vec<RatedMove>,
}

#[derive(Serialize)]
struct RatedMove {
    #[serde(rename = "move")]
    mv: String,
    value: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Vec<u8>>,
}

type Question = position_arguments::Question<Standard>;

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        if notation_name(&self.position.game)? != Standard::INFO.name {
            return self.position.game.run(self);
        }
        let game = self.position.game.require::<Standard>("")?;
        let mut source = Source {
            arguments: self,
            game: &game,
            tables: None,
        };
        let answer = |question: &Question| source.answer(question);
        position_arguments::answer_all(&self.position, &game, answer, |question, answer| {
            format_answer(&game, question, answer)
        })
    }
}

impl GameTask for Arguments {
    fn run<G: Playable>(&self, game: &G) -> Result<()> {
        let oracle = (G::registry().oracle)
            .and_then(|entry| Some((entry, (entry.instant)(game)?)))
            .map(|(entry, value)| ((entry.read)(&Notation::new(value), game), entry));
        let Some((Ok(Some(oracle)), entry)) = oracle else {
            bail!("{} has no exact values to probe", game.notation());
        };
        let answer = |question: &position_arguments::Question<G>| {
            Ok(probe_oracle(
                game,
                &*oracle,
                entry.win_probability,
                question,
            ))
        };
        position_arguments::answer_all(&self.position, game, answer, |question, answer| {
            format_values(question.text_diagram(game), answer, game.points())
        })
    }
}

fn notation_name(arguments: &GameArguments) -> Result<String> {
    Ok(crate::games::parse(&arguments.notation())?.name)
}

/// Exact values of a position and of its moves: before the roll that of the oracle, after it that
/// of the best move.
fn probe_oracle<G: Playable>(
    game: &G,
    oracle: &dyn Oracle<G>,
    win_probability: fn(f32) -> Option<f32>,
    question: &position_arguments::Question<G>,
) -> Answer {
    let position = &question.position;
    let unknown = || Answer {
        reason: Some("the position is beyond the exact values".to_owned()),
        ..Answer::default()
    };
    let equity = |value: Option<f32>| Some(game.points()?.from_payoff(value?.into()));
    if question.end.is_some() {
        let value = question.final_value(game);
        return Answer {
            value,
            equity: equity(value),
            ..Answer::default()
        };
    }
    let Some(before) = oracle.value(game, position) else {
        return unknown();
    };
    let seat = game.to_move(position);
    let after = |mv| {
        let next = game.play(position, mv);
        let value = || {
            Some(flip_unless_same(
                oracle.value(game, &next)?,
                game.to_move(&next) == seat,
            ))
        };
        game.payoff(&next, seat).or_else(value)
    };
    let rated = |&mv: &G::Move| {
        Some(RatedMove {
            mv: game.format_move(position, mv),
            value: after(mv)?,
            best: None,
        })
    };
    let moves: Option<Vec<_>> = question.moves(game).iter().map(rated).collect();
    let best = moves
        .iter()
        .flatten()
        .map(|rated| rated.value)
        .reduce(f32::max);
    let value = match question.outcome {
        Some(_) => best,
        None => Some(before),
    };
    match moves {
        Some(moves) => Answer {
            value,
            equity: equity(value),
            win: value.and_then(win_probability),
            moves,
            ..Answer::default()
        },
        None => unknown(),
    }
}

fn format_values(mut text: String, answer: &Answer, points: Option<Points>) -> String {
    let number = |value: f32| match points {
        None => format!("{value:.5}"),
        Some(points) => format!("{:+.4}", points.from_payoff(value.into())),
    };
    if let Some(value) = answer.value {
        let unit = points.map_or("payoff", |points| points.unit);
        let value = number(value);
        text += &format!("\n\n  expected {unit} of the side to move: {value}");
    }
    if let Some(win) = answer.win {
        text += &format!("\n  probability of a win: {win:.5}");
    }
    if let Some(reason) = &answer.reason {
        text += &format!("\n\n  value unknown: {reason}");
    }
    let mut moves: Vec<&RatedMove> = answer.moves.iter().collect();
    moves.sort_by(|one, other| other.value.total_cmp(&one.value));
    for rated in moves {
        text += &format!("\n  {}  {}", number(rated.value), rated.mv);
    }
    text
}

struct Source<'a> {
    arguments: &'a Arguments,
    game: &'a Standard,
    tables: Option<Arc<Tables>>,
}

impl Source<'_> {
    fn answer(&mut self, question: &Question) -> Result<Answer> {
        if question.end.is_some() {
            return Ok(Answer {
                value: question.final_value(self.game),
                ..Answer::default()
            });
        }
        let stones = question.position.num_stones() as usize;
        let tables = self.tables(stones)?;
        // With three stones more than the tables, positions to solve exceed any limit.
        let near = stones <= tables.max_stones() + 2;
        let limit = if near { self.arguments.limit } else { 0 };
        let Some(probe) = tables.probe_within(self.game, &question.position, limit) else {
            let reason = format!(
                "{stones} stones are on the board, the tables know at most {}, and more than {limit} positions are between them",
                tables.max_stones()
            );
            return Ok(Answer {
                reason: Some(reason),
                ..Answer::default()
            });
        };
        let value = question
            .outcome
            .map_or(probe.value, |die| probe.faces[usize::from(die) - 1].value);
        let faces: Vec<u8> = question
            .outcome
            .map_or_else(|| (1..=6).collect(), |die| vec![die]);
        let legal = question
            .outcome
            .map(|die| self.game.legal_moves(&question.position, die));
        let is_legal = |mv: &Move| legal.as_ref().is_none_or(|legal| legal.contains(mv));
        let rated = |&(mv, value): &(Move, f32)| RatedMove {
            mv: self.game.format_move(&question.position, mv),
            value,
            best: Some(
                (faces.iter().copied())
                    .filter(|&face| probe.faces[usize::from(face) - 1].best.contains(&mv))
                    .collect(),
            ),
        };
        let moves = probe
            .moves
            .iter()
            .filter(|(mv, _)| is_legal(mv))
            .map(rated)
            .collect();
        Ok(Answer {
            value: Some(value),
            moves,
            ..Answer::default()
        })
    }

    /// Tables of at least `stones` stones if possible, else the largest available.
    fn tables(&mut self, stones: usize) -> Result<Arc<Tables>> {
        const MAX_QUICK_STONES: usize = 4;
        let variant = self.game.variant();
        if let Some(there) = Tables::stones_on_disk(&self.arguments.tables, variant) {
            let needed = stones.max(MAX_QUICK_STONES).min(there);
            let tables = self.tables.as_ref();
            if tables.is_none_or(|tables| tables.max_stones() < needed) {
                let directory = &self.arguments.tables;
                self.tables = Some(Tables::open(
                    directory,
                    needed,
                    variant,
                    &alea_parallel::for_each,
                )?);
            }
        }
        let max_stones = usize::from(self.arguments.stones);
        // Tables of four stones take no time; larger ones are built only if `--stones` allows.
        let stones_to_build = if stones > MAX_QUICK_STONES && stones <= max_stones {
            stones
        } else {
            max_stones.min(MAX_QUICK_STONES)
        };
        match &self.tables {
            Some(tables) if tables.max_stones() >= stones_to_build => Ok(tables.clone()),
            _ => {
                let tables =
                    endgame_tables::in_memory(stones_to_build, variant, &self.arguments.tables)?;
                Ok(self.tables.insert(tables).clone())
            }
        }
    }
}

fn format_answer(game: &Standard, question: &Question, answer: &Answer) -> String {
    let mut text = question.text_diagram(game);
    if let Some(value) = answer.value {
        text += &format!("\n\n  win probability of the side to move: {value:.5}");
    }
    if let Some(reason) = &answer.reason {
        text += &format!("\n\n  value unknown: {reason}");
    }
    if !answer.moves.is_empty() {
        text += "\n\n  move    value  best for";
    }
    let mut moves: Vec<&RatedMove> = answer.moves.iter().collect();
    moves.sort_by(|one, other| other.value.total_cmp(&one.value));
    for rated in moves {
        let faces: Vec<String> = rated.best.iter().flatten().map(u8::to_string).collect();
        text += &format!("\n  {}  {:.5}  {}", rated.mv, rated.value, faces.join(" "));
    }
    text
}
