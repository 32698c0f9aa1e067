//! Commands that make sets of game records from others.

use super::{Rewrite, SHARDS_NOUN};
use anyhow::{Context, Result, bail};
use engine::play::playable::Playable;
use trainer::data::{ShardReader, derived_sets, position_filter};

/// Merge sets of records, in order
///
/// Missing, foreign and damaged shards are named, and nothing is written.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea data merge runs/a runs/b --out runs/both --unique\n         alea data merge runs/stopped --out runs/so-far --partial"
)]
pub(super) struct Merge {
    #[command(flatten)]
    pub(super) set: Rewrite,
    /// Keep only the first of games with equal start, outcomes and moves; takes some 40 bytes of
    /// memory a game
    #[arg(long)]
    unique: bool,
    /// Accept unfinished runs
    #[arg(long)]
    partial: bool,
}

impl Merge {
    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        let Rewrite { records, out } = &self.set;
        let source = if self.partial {
            records.open::<G>()?
        } else {
            ShardReader::open_complete(&records.paths)?
        };
        records.print_written(
            &[derived_sets::merge(&source, out, self.unique)?],
            SHARDS_NOUN,
        )
    }
}

/// Keep values and labels, the targets of training, of some positions only; games without any are
/// left out
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea data filter runs/data --out runs/endgames --stones 2-6 --chosen --disagreement 0.95"
)]
pub(super) struct Filter {
    #[command(flatten)]
    pub(super) set: Rewrite,
    /// Stones of both sides after the ply, in other games empty cells: 3-8, -6, 9-
    #[arg(
        long,
        visible_alias = "remaining",
        value_name = "FROM-TO",
        allow_hyphen_values = true
    )]
    stones: Option<String>,
    /// Number of the ply that led to the position, from 1, or 0 for the start: 5-20
    #[arg(long, value_name = "FROM-TO", allow_hyphen_values = true)]
    plies: Option<String>,
    /// Only plies that a player chose
    #[arg(long, conflicts_with = "explored")]
    chosen: bool,
    /// Only plies whose move differs from the player's choice (exploration)
    #[arg(long)]
    explored: bool,
    /// Only plies of this player, named as in `data info`
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Maximum difference between value and result, 0 to 1
    #[arg(long, default_value_t = 1.0, value_name = "D")]
    disagreement: f32,
}

impl Filter {
    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.disagreement) {
            bail!("--disagreement is from 0 to 1, not {}", self.disagreement);
        }
        let all = position_filter::Filter::default();
        let mut keep = position_filter::Filter {
            remaining: parse_range("--stones", self.stones.as_deref(), all.remaining)?,
            plies: parse_range("--plies", self.plies.as_deref(), all.plies)?,
            explored: (self.chosen || self.explored).then_some(self.explored),
            player: None,
            disagreement: self.disagreement,
        };
        (self.set).make::<G>(|source, out| {
            if let Some(name) = &self.player {
                keep.player = Some(source.player_index(name)?);
            }
            derived_sets::filter(source, out, &keep)
        })
    }
}

/// Parses `3-8`, `3-`, `-8` or `3`; `None` is `all`.
fn parse_range(option: &str, text: Option<&str>, all: (usize, usize)) -> Result<(usize, usize)> {
    let Some(text) = text else { return Ok(all) };
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let end = |text: &str, open| match text {
        "" => Ok(open),
        text => text.parse(),
    };
    match (end(from, all.0), end(to, all.1)) {
        (Ok(from), Ok(to)) if from <= to => Ok((from, to)),
        _ => bail!("{option} '{text}': expected two numbers such as 3-8, 3- or -8"),
    }
}

/// Take N games at random, in their order
#[derive(clap::Args)]
#[command(after_help = "Example: alea data sample runs/data --out runs/few --games 1000 --seed 3")]
pub(super) struct Sample {
    #[command(flatten)]
    pub(super) set: Rewrite,
    /// How many games
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Seed of the choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Sample {
    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        (self.set).make::<G>(|source, out| derived_sets::sample(source, out, self.games, self.seed))
    }
}

/// Put all games in random order; takes some 400 bytes of memory a game
#[derive(clap::Args)]
#[command(after_help = "Example: alea data shuffle runs/both --out runs/shuffled")]
pub(super) struct Shuffle {
    #[command(flatten)]
    pub(super) set: Rewrite,
    /// Seed of the order
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Shuffle {
    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        (self.set).make::<G>(|source, out| derived_sets::shuffle(source, out, self.seed))
    }
}

/// Split games into directories; equal games, and their symmetric images, stay together
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea data split runs/data --out runs/split --part train=0.9 --part test=0.1"
)]
pub(super) struct Split {
    #[command(flatten)]
    pub(super) set: Rewrite,
    /// Name and fraction of a part; given twice or more, fractions add up to 1
    #[arg(long = "part", required = true, value_name = "NAME=SHARE")]
    parts: Vec<String>,
    /// Seed of the split
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Split {
    pub(super) fn run<G: Playable>(&self) -> Result<()> {
        let parts = parse_parts(&self.parts)?;
        let Rewrite { records, out } = &self.set;
        let written_line = derived_sets::split(&records.open::<G>()?, out, &parts, self.seed)?;
        records.print_written(&written_line, SHARDS_NOUN)
    }
}

pub(super) fn parse_parts(texts: &[String]) -> Result<Vec<derived_sets::SplitPart>> {
    const TOLERANCE: f64 = 1e-6;
    let parts = texts.iter().map(parse_part);
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let sum: f64 = parts.iter().map(|part| part.weight).sum();
    if (sum - 1.0).abs() > TOLERANCE {
        let sum = (1e6 * sum).round() / 1e6;
        bail!("--part: the fractions add up to {sum}, not to 1, as train=0.9 and test=0.1 do");
    }
    Ok(parts)
}

fn parse_part(text: &String) -> Result<derived_sets::SplitPart> {
    let (name, fraction) = text
        .split_once('=')
        .with_context(|| format!("--part '{text}': expected NAME=SHARE"))?;
    let fraction = fraction
        .parse()
        .with_context(|| format!("--part '{text}': '{fraction}' is no number"))?;
    Ok(derived_sets::SplitPart {
        name: name.to_owned(),
        weight: fraction,
    })
}
