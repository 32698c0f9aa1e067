//! `alea league`: ranks many players by the games that decide their order. Its directory has
//! `league.toml`, the journal of results, and files derived from both.

mod page;

use crate::commands::MAX_GAMES;
use crate::commands::arena::{contestant, luck_evaluator, match_options};
use crate::games::{DEFAULT_GAME, with_game};
use crate::output;
use crate::settings::SetArguments;
use anyhow::{Context, Result, anyhow, bail};
use arena::league::{Entrant, LeagueOptions, LeagueResult, play_league};
use arena::matches::{Contestant, Openings, format_repeat_warning};
use arena::text_table::{Cell, TextTable};
use clap::value_parser;
use engine::core::{
    files::{self, FileKind},
    game::ChanceSource,
    random::RandomStream,
    text::printable,
};
use engine::play::player_notation::trusted_text;
use engine::play::{
    playable::Playable,
    player::Player,
    player_notation::{Notation, NotationError},
};
use engine::search::limits::Limits;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use trainer::progress::{progress_bar, resume_at};

/// Rank many players with as few games as possible
///
/// DIR/league.toml names the entrants: players of this program and commands of others. Neighbours
/// in the ranking play on until their order is decided. An interrupted league resumes without
/// repeating games; entrants may join later, and those that cannot start are skipped.
/// DIR/standings.json and DIR/league.html have the standings.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea league runs/league, with a file runs/league/league.toml such as\n\n\
        luck = \"abt\"\n\n\
        [[entrant]]\n\
        name = \"nearest\"\n\
        player = \"greedy\"\n\n\
        [[entrant]]\n\
        name = \"student\"\n\
        command = \"./student\"\n\
        options = \"protocol=tcga, ms=1000\"\n\n\
        While it is played: alea league runs/league --status"
)]
pub(crate) struct Arguments {
    /// Directory with league.toml
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Settings file [default: DIR/league.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    set: SetArguments,
    /// Pause after N games in all; overrides the settings and may be raised later
    #[arg(long, value_parser = value_parser!(u64).range(1..=MAX_GAMES))]
    games: Option<u64>,
    /// Only show the standings, also while the league is played elsewhere
    #[arg(long)]
    status: bool,
    /// Log the lines exchanged with other programs in this folder, a file a process
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LeagueConfig {
    game: String,
    seed: u64,
    luck: Option<String>,
    opening_plies: Option<usize>,
    /// Number of games of a pairing before the next pairing is chosen.
    step: u64,
    /// Elo: neighbours in the ranking count as equal once two standard errors of their difference
    /// are at most this.
    precision: f64,
    /// Total number of games at which the league pauses.
    games: u64,
    records: bool,
    entrant: Vec<EntrantConfig>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntrantConfig {
    name: String,
    player: Option<String>,
    command: Option<String>,
    options: Option<String>,
}

impl Default for LeagueConfig {
    fn default() -> Self {
        Self {
            game: DEFAULT_GAME.to_owned(),
            seed: 1,
            luck: None,
            opening_plies: None,
            step: 40,
            precision: 10.0,
            games: 100_000,
            records: false,
            entrant: Vec::new(),
        }
    }
}

impl EntrantConfig {
    fn notation(&self) -> Result<String> {
        match (&self.player, &self.command, &self.options) {
            (Some(player), None, None) => Ok(player.clone()),
            (None, Some(command), keys) => {
                let keys: String = keys.iter().map(|keys| format!(", {keys}")).collect();
                let command = Notation::from_text(command)
                    .map_err(|problem| anyhow!("command: {problem}"))?;
                Ok(format!("external(cmd={command}{keys})"))
            }
            _ => bail!("needs either 'player', or 'command' and, if need be, 'options'"),
        }
    }

    /// Entrant for the league, marked as absent if its program is missing or fails; invalid
    /// notations are errors.
    fn enter<G: Playable>(&self, game: &G) -> Result<Entrant<G>> {
        let notation = self.notation()?;
        let parsed = Notation::parse(&notation)?;
        let is_external = parsed.name == "external";
        let (contestant, absent) = match contestant(&notation, game) {
            Ok(player) => {
                let failed = is_external.then(|| try_out((player.make)().as_mut(), game));
                (player, failed.flatten())
            }
            Err(error) => match error.downcast_ref::<NotationError>() {
                Some(gone) if is_external && gone.problem.contains("cannot be started") => {
                    let player = Contestant {
                        name: parsed.to_string(),
                        make: Arc::new(|| unreachable!("nobody asks who is absent to play")),
                    };
                    (player, Some(gone.problem.clone()))
                }
                _ => return Err(error),
            },
        };
        Ok(Entrant {
            name: self.name.clone(),
            contestant,
            absent,
        })
    }
}

/// Error of an external player's first move, if any.
fn try_out<G: Playable>(player: &mut dyn Player<G>, game: &G) -> Option<String> {
    let start = game.random_start(&mut RandomStream::new(0), 0);
    player.new_game(0);
    let (_, legal) = game.chance(0).draw(game, &start);
    let decision = player.decide(&start, &legal, &Limits::NONE);
    decision.err().map(|failure| failure.to_string())
}

const REFRESH_INTERVAL: Duration = Duration::from_secs(2);

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        if self.status {
            let path = self.directory.join("standings.json");
            let text = files::read_text(&path, FileKind::Text)?;
            let result: LeagueResult =
                serde_json::from_str(&text).with_context(|| path.display().to_string())?;
            return output::print_result(self.json, &result, || table(&result));
        }
        let default_config = || self.directory.join("league.toml");
        let config = self.config.clone().unwrap_or_else(default_config);
        let config: LeagueConfig = self.set.read_toml(&config)?;
        let _claim = files::claim_directory(&self.directory)?;
        crate::other_programs::log_to(self.log.as_deref());
        with_game!(trusted_text(&config.game), game => self.run_for(&game, &config))
    }

    fn run_for<G: Playable>(&self, game: &G, config: &LeagueConfig) -> Result<()> {
        let enter = |entrant: &EntrantConfig| {
            let entered = entrant.enter(game);
            entered.with_context(|| format!("entrant {}", entrant.name))
        };
        let entrants = config.entrant.iter().map(enter);
        let entrants = entrants.collect::<Result<Vec<_>>>()?;
        for entrant in &entrants {
            if let Some(reason) = &entrant.absent {
                output::note(&format!("{} is skipped: {reason}", entrant.name));
            }
        }
        let mut matches = match_options(game, 1, config.seed, None);
        if let Some(plies) = config.opening_plies {
            matches.starts = Arc::new(Openings { plies });
        }
        let luck = config.luck.as_ref();
        matches.luck = luck.map(|luck| luck_evaluator(luck, game)).transpose()?;
        matches.records = config.records.then(|| self.directory.join("games"));
        for (key, found) in [("step", config.step), ("games", config.games)] {
            if !(1..=MAX_GAMES).contains(&found) {
                bail!("{key} = {found}: it must be from 1 to {MAX_GAMES}");
            }
        }
        let options = LeagueOptions {
            matches,
            step: config.step.div_ceil(2),
            precision: config.precision,
            max_games: self.games.unwrap_or(config.games),
        };
        let mut last_refresh: Option<Instant> = None;
        let progress = progress_bar("games");
        progress.set_length(options.max_games);
        let result = play_league(&self.directory, &entrants, &options, |result, pairing| {
            let Some(pairing) = pairing else {
                return resume_at(&progress, result.games);
            };
            progress.set_position(result.games);
            progress.set_message(pairing.to_owned());
            if last_refresh.is_none_or(|last_refresh| last_refresh.elapsed() > REFRESH_INTERVAL) {
                // Errors do not matter: the files are written again later.
                let _ = write_result_files(&self.directory, result);
                last_refresh = Some(Instant::now());
            }
        })?;
        progress.finish_and_clear();
        let written = write_result_files(&self.directory, &result);
        output::print_result(self.json, &result, || table(&result))?;
        written
    }
}

fn write_result_files(directory: &Path, result: &LeagueResult) -> Result<()> {
    let json = serde_json::to_string_pretty(result)? + "\n";
    output::write_file(&directory.join("standings.json"), json)?;
    let html = page::page(result)?.html(crate::PROGRAM);
    Ok(output::write_file(&directory.join("league.html"), html)?)
}

fn standings(result: &LeagueResult) -> TextTable {
    let mut points = result.standings.iter().flat_map(|one| &one.points);
    let points = points
        .next()
        .map(|points| format!("{} a game", points.unit));
    let heads = ["", "name", "Elo", "95 %"].map(str::to_owned).into_iter();
    let heads = heads.chain(points.clone());
    let heads = heads.chain(["games", "group", "forfeits"].map(str::to_owned));
    let mut text_table = TextTable::new(heads);
    for (rank, one) in (1..).zip(&result.standings) {
        let optional = |text: Option<String>| text.map_or(Cell::Missing, Cell::Right);
        let half_width = one.interval.map(|interval| interval.half_width());
        let own_points = optional(one.points.as_ref().map(ToString::to_string));
        let mut row = vec![
            Cell::Count(rank),
            one.name.as_str().into(),
            optional(one.elo.map(|elo| format!("{elo:+.1}"))),
            optional(half_width.map(|half| format!("±{half:.1}"))),
        ];
        row.extend(points.as_ref().map(|_| own_points));
        row.extend([
            Cell::Count(one.games),
            Cell::Count(one.group as u64),
            Cell::Count(one.forfeits.values().sum()),
        ]);
        text_table.push(row);
    }
    text_table
}

fn crosstable(result: &LeagueResult) -> TextTable {
    let names: Vec<&str> = result.standings.iter().map(|one| &*one.name).collect();
    let ranks = (1..=names.len()).map(|rank| rank.to_string());
    let mut text_table =
        TextTable::new(["".to_owned(), "name".to_owned()].into_iter().chain(ranks));
    let mut cells = BTreeMap::new();
    for pairing in &result.pairings {
        let score = pairing.adjusted.unwrap_or(pairing.score);
        let (a, b, games) = (&*pairing.a, &*pairing.b, pairing.games);
        let cell = |score: f64| format!("{:.1} % of {games}", 100.0 * score);
        if games > 0 {
            let both = match pairing.points.clone() {
                None => [score, 1.0 - score].map(cell),
                Some(points) => {
                    [points.clone(), points.negated()].map(|points| format!("{points} of {games}"))
                }
            };
            let [of_a, of_b] = both;
            cells.insert((a, b), of_a);
            cells.insert((b, a), of_b);
        }
    }
    for (rank, row) in (1..).zip(&names) {
        let cell =
            |column: &&str| Cell::Right(cells.get(&(*row, *column)).cloned().unwrap_or_default());
        let head = [Cell::Count(rank), (*row).into()];
        text_table.push(head.into_iter().chain(names.iter().map(cell)).collect());
    }
    text_table
}

fn status_sentence(result: &LeagueResult) -> String {
    let groups = result.standings.iter().map(|one| one.group);
    let groups = groups.max().unwrap_or(0);
    let state = match result.settled {
        true => "all neighbours are told apart, or equal within the precision asked for",
        false => "not all neighbours are told apart yet",
    };
    let luck = result.luck.iter();
    let luck = luck.map(|luck| format!("; ratings are without luck, as told by {luck}"));
    let luck = printable(&luck.collect::<String>()).into_owned();
    format!("{} games, {groups} groups: {state}{luck}", result.games)
}

fn problem_lines(result: &LeagueResult) -> Vec<String> {
    let mut troubles = Vec::new();
    for one in &result.standings {
        let name = &one.name;
        for (reason, count) in &one.forfeits {
            troubles.push(format!("{name} lost {count} games: {reason}"));
        }
        let skipped = one.absent.iter();
        troubles.extend(skipped.map(|reason| format!("{name} was skipped: {reason}")));
    }
    troubles.extend(format_repeat_warning(
        result.repeated_games.unwrap_or(0),
        result.games,
    ));
    troubles
}

fn table(result: &LeagueResult) -> String {
    let [standings, crosstable] =
        [standings(result), crosstable(result)].map(|text_table| text_table.text());
    let troubles: String = problem_lines(result)
        .into_iter()
        .map(|line| printable(&line).into_owned() + "\n")
        .collect();
    let (standings, crosstable) = (standings.trim_end(), crosstable.trim_end());
    format!(
        "{standings}\n\n{crosstable}\n\n{troubles}{}",
        status_sentence(result)
    )
}
