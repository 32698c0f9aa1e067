//! `alea map`: checks, draws and generates maps of ReversiXT.

use crate::output;
use anyhow::{Result, anyhow, bail};
use clap::{Args, Subcommand, value_parser};
use engine::core::files::{self, FileKind};
use engine::games::reversixt::{
    ReversiXt,
    map::{Cell, Map},
    random_maps::MapSettings,
};
use engine::play::playable::GameText;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Check, draw and make maps of ReversiXT
#[derive(Args)]
#[command(
    after_help = "Example: alea map generate --players 4 --width 15 --height 15 --seed 7 --out four.map\n         \
                  alea map check four.map data/maps/*.map\n         alea map draw four.map --svg four.svg"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(Check),
    Draw(Draw),
    Generate(Generate),
}

/// Check maps and count what is on them
#[derive(Args)]
struct Check {
    /// Files with one map each
    #[arg(required = true, value_name = "FILE")]
    maps: Vec<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Draw a map: cells, with numbers where a line continues elsewhere
#[derive(Args)]
struct Draw {
    /// A file with a map
    #[arg(value_name = "FILE")]
    map: PathBuf,
    /// Write a picture to this file instead of text
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Make a random valid map
///
/// The middle has equal stones of all players; the rest is random. The same options give the same
/// map on every machine.
#[derive(Args)]
struct Generate {
    /// Players, 2 to 8
    #[arg(long, value_name = "N", default_value_t = 2)]
    players: usize,
    /// Columns, at most 50
    #[arg(long, value_name = "N", default_value_t = 12)]
    width: usize,
    /// Rows, at most 50
    #[arg(long, value_name = "N", default_value_t = 12)]
    height: usize,
    /// Override stones each
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(..=5000))]
    overrides: u16,
    /// Bombs each
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(..=5000))]
    bombs: u16,
    /// Radius of a bomb
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(..=5000))]
    strength: u16,
    /// Fraction, from 0 to 1, of special cells and of joined sides
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    density: f64,
    /// Seed of the map
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The file to write [default: the screen]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        match &self.command {
            Command::Check(check) => check.run(),
            Command::Draw(draw) => draw.run(),
            Command::Generate(generate) => generate.run(),
        }
    }
}

fn read_map(path: &Path) -> Result<Map> {
    let text = files::read_text(path, FileKind::Text)?;
    Map::parse(&text).map_err(|error| anyhow!("{}: {error}", path.display()))
}

impl Check {
    fn run(&self) -> Result<()> {
        let maps: Vec<(&PathBuf, Result<Map>)> = self
            .maps
            .iter()
            .map(|path| (path, read_map(path)))
            .collect();
        let unsound = maps.iter().filter(|(_, map)| map.is_err()).count();
        if self.json {
            let describe = |(path, map): &(&PathBuf, Result<Map>)| {
                let mut describe = match map {
                    Ok(map) => map_json(map),
                    Err(error) => json!({ "error": error.to_string() }),
                };
                describe["file"] = json!(path.display().to_string());
                describe["sound"] = json!(map.is_ok());
                describe
            };
            output::print_json(&json!({ "maps": maps.iter().map(describe).collect::<Vec<_>>() }))?;
        } else {
            for (path, map) in &maps {
                match map {
                    Ok(map) => output::print_line(&format!(
                        "{}: sound; {}",
                        path.display(),
                        map_summary(map)
                    ))?,
                    Err(error) => output::print_line(&error.to_string())?,
                }
            }
        }
        if unsound > 0 {
            bail!("{unsound} of {} maps are no sound ones", maps.len());
        }
        Ok(())
    }
}

fn map_json(map: &Map) -> Value {
    let count = |cell: Cell| map.cells().iter().filter(|&&at| at == cell).count();
    json!({
        "players": map.players(),
        "width": map.width(),
        "height": map.height(),
        "cells": map.cells().len() - count(Cell::HOLE),
        "overrides": map.overrides(),
        "bombs": map.bombs(),
        "strength": map.bomb_strength(),
        "expansions": count(Cell::EXPANSION),
        "choices": count(Cell::CHOICE),
        "bonuses": count(Cell::BONUS),
        "inversions": count(Cell::INVERSION),
        "transitions": map.transitions().len(),
    })
}

fn map_summary(map: &Map) -> String {
    let describe = map_json(map);
    let number = |key: &str| describe[key].as_u64().unwrap_or(0);
    let kinds = [
        "expansions",
        "choices",
        "bonuses",
        "inversions",
        "transitions",
    ];
    let there = kinds.into_iter().filter(|key| number(key) > 0);
    let there: Vec<String> = there.map(|key| format!("{} {key}", number(key))).collect();
    let specials = if there.is_empty() {
        "nothing special".to_owned()
    } else {
        there.join(", ")
    };
    format!(
        "{} players, {} × {}, {} cells, {specials}; override stones {}, bombs {} of strength {} each",
        number("players"),
        number("width"),
        number("height"),
        number("cells"),
        number("overrides"),
        number("bombs"),
        number("strength"),
    )
}

impl Draw {
    fn run(&self) -> Result<()> {
        let game = ReversiXt::new(Arc::new(read_map(&self.map)?));
        let start = game.start();
        match &self.svg {
            Some(path) => Ok(output::write_file(path, game.svg(&start, None))?),
            None => output::print_line(game.text_diagram(&start, None).trim_end()),
        }
    }
}

impl Generate {
    fn run(&self) -> Result<()> {
        let settings = MapSettings {
            players: self.players,
            width: self.width,
            height: self.height,
            overrides: self.overrides,
            bombs: self.bombs,
            strength: self.strength,
            density: self.density,
        };
        let map = settings.generate(self.seed);
        let text = map.map_err(|problem| anyhow!("--{problem}"))?.to_string();
        match &self.out {
            Some(path) => Ok(output::write_file(path, text)?),
            None => output::print_line(text.trim_end()),
        }
    }
}
