//! `alea map`: boards that are read from files: checked, drawn, generated.

use crate::output;
use anyhow::{Result, anyhow, bail};
use clap::{Args, Subcommand};
use engine::core::files;
use engine::games::reversixt::{
    ReversiXt,
    generate::MapSettings,
    map::{Cell, Map},
};
use engine::play::playable::Playable;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
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

/// Say whether maps are sound, and what is on them
#[derive(Args)]
struct Check {
    /// Files with one map each
    #[arg(required = true, value_name = "FILE")]
    maps: Vec<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Draw a map: cells, and numbers where a line goes on elsewhere
#[derive(Args)]
struct Draw {
    /// A file with a map
    #[arg(value_name = "FILE")]
    map: PathBuf,
    /// Write a picture to this file, not text to the screen
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Make a random sound map
///
/// In the middle everybody has as many stones; around it stands what chance says. The same options
/// give the same map on every machine.
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
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=5000))]
    overrides: u16,
    /// Bombs each
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=5000))]
    bombs: u16,
    /// How many steps a bomb reaches
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=5000))]
    strength: u16,
    /// The share, from 0 to 1, of cells that are not simply empty and of sides that are joined
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    density: f64,
    /// Which of all such maps
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The file to write [default: the screen]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.command {
        Command::Check(check) => run_check(check),
        Command::Draw(draw) => run_draw(draw),
        Command::Generate(generate) => run_generate(generate),
    }
}

fn read(path: &Path) -> Result<Map> {
    let text = files::read_text(path)?;
    Map::parse(&text).map_err(|error| anyhow!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    Ok(files::write_atomically(path, |file| {
        file.write_all(text.as_bytes())
    })?)
}

fn run_check(check: &Check) -> Result<ExitCode> {
    let maps: Vec<(&PathBuf, Result<Map>)> =
        check.maps.iter().map(|path| (path, read(path))).collect();
    let unsound = maps.iter().filter(|(_, map)| map.is_err()).count();
    if check.json {
        let facts = |(path, map): &(&PathBuf, Result<Map>)| {
            let mut facts = match map {
                Ok(map) => facts(map),
                Err(error) => json!({ "error": error.to_string() }),
            };
            facts["file"] = json!(path.display().to_string());
            facts["sound"] = json!(map.is_ok());
            facts
        };
        output::json(&json!({ "maps": maps.iter().map(facts).collect::<Vec<_>>() }))?;
    } else {
        for (path, map) in &maps {
            match map {
                Ok(map) => output::line(&format!("{}: sound; {}", path.display(), words(map)))?,
                Err(error) => output::line(&format!("{error}"))?,
            }
        }
    }
    if unsound > 0 {
        bail!("{unsound} of {} maps are no sound ones", maps.len());
    }
    Ok(ExitCode::SUCCESS)
}

fn facts(map: &Map) -> Value {
    let count = |cell: Cell| map.cells().iter().filter(|&&at| at == cell).count();
    json!({
        "players": map.players(),
        "width": map.width(),
        "height": map.height(),
        "cells": map.cells().len() - count(Cell::HOLE),
        "overrides": map.overrides(),
        "bombs": map.bombs(),
        "strength": map.strength(),
        "expansions": count(Cell::EXPANSION),
        "choices": count(Cell::CHOICE),
        "bonuses": count(Cell::BONUS),
        "inversions": count(Cell::INVERSION),
        "transitions": map.transitions().len(),
    })
}

fn words(map: &Map) -> String {
    let facts = facts(map);
    let number = |key: &str| facts[key].as_u64().unwrap_or(0);
    let kinds = [
        "expansions",
        "choices",
        "bonuses",
        "inversions",
        "transitions",
    ];
    let several = kinds.map(|key| (number(key), key));
    let there = several.iter().filter(|(number, _)| *number > 0);
    let there: Vec<String> = there
        .map(|(number, key)| format!("{number} {key}"))
        .collect();
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

fn run_draw(draw: &Draw) -> Result<ExitCode> {
    let game = ReversiXt::new(Arc::new(read(&draw.map)?));
    let start = game.start();
    match &draw.svg {
        Some(path) => write(path, &game.svg(&start, None))?,
        None => output::line(game.draw(&start, None).trim_end())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn run_generate(generate: &Generate) -> Result<ExitCode> {
    let settings = MapSettings {
        players: generate.players,
        width: generate.width,
        height: generate.height,
        overrides: generate.overrides,
        bombs: generate.bombs,
        strength: generate.strength,
        density: generate.density,
    };
    let map = settings.generate(generate.seed);
    let text = map.map_err(|problem| anyhow!("--{problem}"))?.to_string();
    match &generate.out {
        Some(path) => write(path, &text)?,
        None => output::line(text.trim_end())?,
    }
    Ok(ExitCode::SUCCESS)
}
