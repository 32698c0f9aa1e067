//! `alea play`: a game in the terminal, with hints, win probability lost per move, and a review.
//!
//! Invariant: `positions[i]` is the position before ply i. Rolls depend only on seed and ply, so
//! that an undo keeps them. A saved game can open no file but own models and start no program.

use crate::display_scale::DisplayScale;
use crate::games::{GameArguments, with_game, with_type};
use crate::{interruption_report, output, own_models};
use anyhow::{Context, Error, Result, anyhow, bail};
use arena::text_table::{Cell, TextTable};
use console::style;
use engine::core::{
    files::{self, FileKind},
    text::{LineRead, joined, names_in, printable, read_line, shorten, suggestion},
};
use engine::play::{
    build::{PlayerRecipe, player_names},
    game_jsonl::{GameLine, LINES_FORMAT, PlyLine},
    own_scale::OwnScale,
    playable::Playable,
    player_notation::{NotationError, trusted_text},
    player_plugins,
};
use engine::search::limits::Limits;
use serde_json::{Value, json};
use std::{
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};
use trainer::shard::{BoardMap, parse_rules};
use web::{
    answer::{choose_move, default_reviewer, model_opponents, opponent_levels, roll, start},
    api_types::PlayedPly,
    limits::RequestLimits,
    position_values::{MoveValuer, has_chance},
    review::{MIN_GRADED_LOSS, grade, review},
};

/// Play a game in the terminal, with hints and a review
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea play\n         alea play --opponent hard --seat 2 --seed 7\n         alea play --game reversi --opponent \"mcts(sims=500)\"\n         alea play --dice hand\n         alea play --resume game.jsonl"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Opponent on all other seats: a level (beginner, easy, casual, medium, skilled, hard, strong,
    /// in some games expert and master, strongest), a model of 'runs' or 'models' by name, 'person'
    /// for others at this terminal, or any player [default: medium]
    #[arg(long, value_name = "LEVEL|MODEL|PLAYER")]
    opponent: Option<String>,
    /// Which seat is yours, from 1 [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=8))]
    seat: Option<u8>,
    /// Seed of start and dice, as on the page of 'alea web' [default: a random one, which is shown]
    #[arg(long, value_parser = clap::value_parser!(u64).range(..1 << 53))]
    seed: Option<u64>,
    /// Source of rolls: the program, or what you type
    #[arg(long, default_value = "program", value_parser = ["program", "hand"])]
    dice: String,
    /// Begin with this position
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    start: Option<String>,
    /// Resume a saved game with its players, seat and seed unless others are named; a finished one
    /// is shown and judged
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "variant", "start"])]
    resume: Option<PathBuf>,
    /// Player that values moves, for hints, prices and the ledger [default: as of 'alea judge']
    #[arg(long, value_name = "PLAYER")]
    judge: Option<String>,
    /// Do not show after each move how much win probability it lost against the best move
    #[arg(long)]
    quiet: bool,
}

const COMMANDS_HELP: &str = "  a move; an empty line plays the only one
  moves        all moves
  hint         the best move and what it is worth
  undo         back to your move before
  save FILE    keep the game, to go on with 'alea play --resume FILE'; 'alea judge FILE' reviews it,
               the page of 'alea web' loads it, and 'alea data import' a finished one
  rules        how the game is played
  quit         end here, with the ledger";

const MAX_LINE: usize = 4096;

/// Smallest difference of payoffs that is shown as a cost.
const MIN_SHOWN_LOSS: f64 = 0.0005;

const PERSON_PLAYER: &str = "person";

fn read_saved_game(path: &Path) -> Result<(Value, GameLine)> {
    let text = files::read_text(path, FileKind::Text)?;
    let (heading, game) = text.split_once('\n').unwrap_or_default();
    let game = game.lines().next().unwrap_or_default();
    let read = serde_json::from_str::<Value>(heading);
    let read = read.and_then(|heading| Ok((heading, serde_json::from_str(game)?)));
    let (heading, game) = read.with_context(|| format!("{}: no saved game", path.display()))?;
    if heading["format"] != LINES_FORMAT {
        let path = path.display();
        bail!("{path}: no game of {LINES_FORMAT}, which 'save' writes");
    }
    Ok((heading, game))
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        own_models::find();
        let saved = self.resume.as_deref().map(read_saved_game).transpose()?;
        let Some((heading, _)) = &saved else {
            let game = self.game.notation();
            return with_game!(trusted_text(&game), game => Session::open(self, game, saved)?.play_game());
        };
        let game = heading["game"].as_str().unwrap_or_default().to_owned();
        with_type!(&game, OneGame => {
            let map = serde_json::from_value(heading["map"].clone());
            let read = map.map_err(|error| error.to_string());
            let read = read.and_then(|map: Option<BoardMap>| parse_rules::<OneGame>(&game, map.as_ref()));
            let path = self.resume.as_deref().unwrap_or(Path::new("")).display();
            let game = read.map_err(|problem| anyhow!("{path}: {problem}"))?;
            Session::open(self, game, saved)?.play_game()
        })
    }
}

fn opponent_error<G: Playable>(game: &G, name: &str, error: NotationError) -> Error {
    let players = player_names::<G>() + &player_plugins::names::<G>().replace(';', ",");
    let is_player = names_in(&players).any(|player| player == name);
    if is_player || !names_in(name).eq([name]) {
        return error.into();
    }
    let levels = joined(opponent_levels(game).map(|(level, _)| level), ", ");
    let mut models = joined(model_opponents(game).map(|(model, _)| model), ", ");
    let meant = suggestion(
        name,
        &format!("{levels}, {models}, {PERSON_PLAYER}, {players}"),
    );
    if !models.is_empty() {
        models = format!("; models are {models}");
    }
    anyhow!(
        "--opponent: there is no level or player '{name}'{meant}; levels are {levels}{models}; others are {PERSON_PLAYER} and the players of docs/reference/players.md"
    )
}

/// A move beside the best one; values are expected payoffs of the side to move.
struct RatedMove {
    best: String,
    best_value: f64,
    value: f64,
    /// What the values are, if they do not estimate results.
    own_scale: Option<OwnScale>,
}

struct Session<'a, G: Playable> {
    arguments: &'a Arguments,
    game: G,
    seed: u64,
    seat: usize,
    judge: PlayerRecipe<G>,
    /// Player of all other seats; `None` if people play them.
    opponent: Option<PlayerRecipe<G>>,
    positions: Vec<G::Position>,
    plies: Vec<PlayedPly>,
    /// Roll given with the start position.
    rolled: Option<u8>,
}

impl<'a, G: Playable> Session<'a, G> {
    fn open(arguments: &'a Arguments, game: G, saved: Option<(Value, GameLine)>) -> Result<Self> {
        let default_opponent = if saved.is_some() {
            PERSON_PLAYER
        } else {
            "medium"
        };
        let (heading, saved) = saved.unzip();
        let heading = heading.unwrap_or_default();
        let players = heading["players"].as_array().into_iter().flatten();
        let players: Vec<&str> = players.filter_map(Value::as_str).collect();
        let other = players.iter().copied().find(|&name| name != PERSON_PLAYER);
        let is_level = |name: &str| opponent_levels(&game).any(|(level, _)| level == name);
        if let (None, Some(other)) = (&arguments.opponent, other)
            && !is_level(other)
        {
            let permitted = RequestLimits::default().parse_player::<G>(other);
            permitted.map_err(|problem| {
                let path = arguments.resume.as_deref().unwrap_or(Path::new(""));
                anyhow!(
                    "{}: the game was against a player that no file may name: name it yourself, or another one, with --opponent ({})",
                    path.display(),
                    problem.error
                )
            })?;
        }
        let opponent = arguments.opponent.as_deref().map(trusted_text);
        let opponent = opponent.unwrap_or(other.unwrap_or(default_opponent).into());
        let is_named = |(name, _): &(&str, String)| *name == opponent.as_str();
        let is_player =
            || opponent.as_str() == PERSON_PLAYER || PlayerRecipe::parse(opponent, &game).is_ok();
        let level = opponent_levels(&game).find(is_named);
        let level = match level {
            None if !is_player() => model_opponents(&game).find(is_named),
            level => level,
        };
        let opponent = level.as_ref().map_or(opponent, |(_, player)| player.into());
        let index = players.iter().position(|&name| name == PERSON_PLAYER);
        let seat = arguments.seat.map(|seat| usize::from(seat) - 1).or(index);
        let (seat, seats) = (seat.unwrap_or(0), game.seats());
        if seat >= seats {
            bail!("this game has {seats} seats, there is no seat {}", seat + 1);
        }
        let judge = arguments.judge.clone();
        let judge = judge.unwrap_or_else(|| default_reviewer(&game));
        let judge = PlayerRecipe::parse(trusted_text(&judge), &game)?;
        let opponent = match opponent.as_str() {
            PERSON_PLAYER => None,
            name => {
                let recipe = PlayerRecipe::parse(opponent, &game);
                Some(recipe.map_err(|error| opponent_error(&game, name, error))?)
            }
        };
        let seed = arguments.seed.or(heading["run"]["seed"].as_u64());
        let seed = seed.unwrap_or_else(|| {
            let micros = UNIX_EPOCH.elapsed().map_or(1, |since| since.as_micros());
            micros as u64 % 1_000_000
        });
        let start_line = saved.as_ref().map(|line| &line.start);
        let (first, rolled) = match start_line.or(arguments.start.as_ref()) {
            Some(text) => game.parse_position(text)?,
            None => (start(&game, seed, false), None),
        };
        let dice = match (has_chance::<G>(), &*arguments.dice) {
            (false, _) => String::new(),
            (true, "hand") => "; you roll the die".to_owned(),
            _ => format!(", dice of seed {seed}"),
        };
        let against = opponent.as_ref().map_or("each other", PlayerRecipe::name);
        let (notation, judged) = (game.notation(), judge.name());
        let title = format!(
            "{notation}, against {against}{dice}, judged by {judged}; 'help' tells what may be typed"
        );
        let mut session = Self {
            arguments,
            seed,
            seat,
            judge,
            opponent,
            game,
            positions: vec![first],
            plies: Vec::new(),
            rolled: rolled.filter(|_| has_chance::<G>()),
        };
        for (number, ply) in (1..).zip(saved.into_iter().flat_map(|line| line.plies)) {
            let face = has_chance::<G>().then_some(ply.outcome);
            let is_face = face.is_none_or(|face| session.game.outcome_numbers().contains(&face));
            if !is_face || !session.move_names(face).contains(&ply.mv) {
                let mv = shorten(&ply.mv, 80);
                let path = arguments.resume.as_deref().unwrap_or(Path::new(""));
                let path = path.display();
                bail!("{path}: ply {number}: there is no move '{mv}'");
            }
            session.apply_move(face, ply.mv)?;
        }
        match &arguments.resume {
            Some(path) => session.report_kept(&path.display().to_string()),
            None => interruption_report::set_report(|| {
                Some("nothing was kept; 'save FILE' keeps a game".to_owned())
            }),
        }
        output::print_line(&printable(&title))?;
        Ok(session)
    }

    /// Makes an interruption report that the game is saved in file `name`.
    fn report_kept(&self, name: &str) {
        let (name, plies) = (name.to_owned(), self.plies.len());
        interruption_report::set_report(move || {
            Some(format!(
                "the game is kept in {name} as saved at ply {plies}; go on with: alea play --resume {name}"
            ))
        });
    }

    fn position(&self) -> G::Position {
        self.positions[self.plies.len()]
    }

    fn apply_move(&mut self, face: Option<u8>, mv: String) -> Result<()> {
        let position = self.position();
        let played = self.game.parse_move(&position, face, &mv)?;
        self.positions.push(self.game.play(&position, played));
        self.plies.push(PlayedPly { face, mv });
        Ok(())
    }

    fn play_game(&mut self) -> Result<()> {
        loop {
            let (ply, position) = (self.plies.len(), self.position());
            let is_over = self.game.payoffs(&position).is_some();
            let Some(face) = self.roll_or_ask(is_over)? else {
                return self.print_review();
            };
            output::print_line(&format!("\n{}", self.game.text_diagram(&position, face)))?;
            if is_over {
                self.print_review()?;
                output::print_line("undo, save FILE or quit")?;
            }
            let is_own = self.game.to_move(&position) == self.seat;
            let opponent = self.opponent.as_ref().filter(|_| !is_own && !is_over);
            let mv = match opponent {
                Some(opponent) => {
                    let seed = self.seed + ply as u64;
                    let mv =
                        choose_move(&self.game, &position, face, opponent, seed, &Limits::NONE)?
                            .best;
                    let mv = self.game.format_move(&position, mv);
                    output::print_styled(&format!(
                        "{} plays {}",
                        self.mover_title(),
                        style(&mv).bold()
                    ))?;
                    mv
                }
                None => match self.read_move(face)? {
                    Some(undo) if undo == "undo" => {
                        self.undo()?;
                        continue;
                    }
                    Some(mv) => {
                        if !self.arguments.quiet {
                            output::print_styled(&self.describe_move_cost(face, &mv)?)?;
                        }
                        mv
                    }
                    None if is_over => return Ok(()),
                    None => return self.print_review(),
                },
            };
            self.apply_move(face, mv)?;
        }
    }

    /// Roll for this ply; `None` if the user quits, `Some(None)` without dice or after the end.
    fn roll_or_ask(&self, is_over: bool) -> Result<Option<Option<u8>>> {
        let ply = self.plies.len();
        let rolled = self.rolled.filter(|_| ply == 0);
        let is_hand = self.arguments.dice == "hand" && has_chance::<G>();
        if rolled.is_some() || !is_hand || is_over {
            let roll = || roll(&self.game, &self.position(), self.seed, ply as u64);
            return Ok(Some(rolled.or_else(roll)));
        }
        let prompt = format!("{} rolls:", self.mover_title());
        loop {
            let reply = match self.read_line(&prompt)? {
                Some(reply) if reply != "quit" => reply,
                _ => return Ok(None),
            };
            match self.game.parse_outcome(&reply) {
                Ok(face) => return Ok(Some(Some(face))),
                Err(problem) => output::print_line(&format!("{problem}; or quit"))?,
            }
        }
    }

    fn move_names(&self, face: Option<u8>) -> Vec<String> {
        let position = self.position();
        let moves = self.game.legal_moves(&position, face);
        let names = moves.iter().map(|&mv| self.game.format_move(&position, mv));
        names.collect()
    }

    fn mover_title(&self) -> &'static str {
        self.game.seat_title(self.game.to_move(&self.position()))
    }

    fn undo(&mut self) -> Result<()> {
        let before = self.plies.len();
        while self.plies.pop().is_some() {
            self.positions.pop();
            let seat = self.game.to_move(&self.position());
            if self.opponent.is_none() || seat == self.seat {
                break;
            }
        }
        output::print_line(&format!("{} taken back", before - self.plies.len()))
    }

    /// Prints `prompt` and reads a line; `None` at the end of input.
    fn read_line(&self, prompt: &str) -> Result<Option<String>> {
        let mut out = io::stdout().lock();
        write!(out, "{} ", style(prompt).bold())?;
        out.flush()?;
        let (mut input, mut line) = (io::stdin().lock(), Vec::new());
        let read = read_line(&mut input, MAX_LINE, &mut line);
        let read = read.and_then(|read| match read {
            LineRead::Truncated => input.skip_until(b'\n').map(|_| read),
            read => Ok(read),
        });
        let read = read.context("cannot read standard input")?;
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if !io::stdin().is_terminal() {
            // Shows the input, which pipes do not echo.
            writeln!(out, "{text}")?;
        }
        Ok((read != LineRead::End).then_some(text))
    }

    /// Runs commands until a move or `undo`, which is returned; `None` to quit.
    fn read_move(&self, face: Option<u8>) -> Result<Option<String>> {
        let moves = self.move_names(face);
        let prompt = format!("{}:", self.mover_title());
        loop {
            let Some(reply) = self.read_line(&prompt)? else {
                return Ok(None);
            };
            let (word, rest) = reply.split_once(' ').unwrap_or((&reply, ""));
            let answer = match (word, &moves[..]) {
                ("quit" | "exit", _) => return Ok(None),
                ("undo", _) => return Ok(Some(reply)),
                ("help" | "?", _) => COMMANDS_HELP.to_owned(),
                ("rules", _) if !moves.contains(&reply) => G::INFO.rules_text.trim_end().to_owned(),
                ("moves", _) => moves.join(" "),
                ("hint", [_, ..]) => {
                    let rated = self.rate_move(face, "")?;
                    format!(
                        "{} ({})",
                        rated.best,
                        self.value_text(&rated, rated.best_value)
                    )
                }
                ("save", _) => match self.save(rest.trim()) {
                    Ok(()) => format!("saved in {}", printable(rest.trim())),
                    Err(error) => {
                        let problem = format!("not saved: {error:#}");
                        style(printable(&problem)).red().to_string()
                    }
                },
                ("", [only]) => return Ok(Some(only.clone())),
                _ if moves.contains(&reply) => return Ok(Some(reply)),
                _ => {
                    let reply = shorten(&printable(&reply), 80);
                    format!("'{reply}' is no move here; 'moves' has all, 'help' the rest")
                }
            };
            output::print_styled(&answer)?;
        }
    }

    /// Compares `mv` with the best move.
    fn rate_move(&self, face: Option<u8>, mv: &str) -> Result<RatedMove> {
        let (game, position) = (&self.game, self.position());
        let mut valuer = MoveValuer::new(game, &self.judge).with_only_outcome(face);
        let values = valuer.analyse(&position, None)?;
        let moves = values.moves();
        let name = |index: usize| game.format_move(&position, moves[index].mv);
        let best = values.best(values.allowed_moves(face).unwrap_or_default());
        let played = (0..moves.len()).find(|&index| name(index) == mv);
        let value = |index: usize| f64::from(moves[index].value.unwrap_or_default());
        let is_exact = moves.iter().all(|rated| rated.is_exact);
        Ok(RatedMove {
            best: best.map(name).unwrap_or_default(),
            best_value: best.map_or(0.0, value),
            value: played.map_or(0.0, value),
            own_scale: self.judge.scale().filter(|_| !is_exact),
        })
    }

    /// An expected payoff with its unit, and what it is if the judge does not estimate results.
    fn value_text(&self, rated: &RatedMove, payoff: f64) -> String {
        let text = DisplayScale::of(&self.game).value_text(payoff);
        match rated.own_scale {
            None => text,
            Some(scale) => format!("{text}, {}", scale.title()),
        }
    }

    fn describe_move_cost(&self, face: Option<u8>, mv: &str) -> Result<String> {
        let rated = self.rate_move(face, mv)?;
        let (better, scale) = (&rated.best, DisplayScale::of(&self.game));
        let error = rated.best_value - rated.value;
        if error < MIN_SHOWN_LOSS {
            let value = self.value_text(&rated, rated.value);
            let text = format!("{mv}: nothing is better ({value})");
            return Ok(style(text).green().to_string());
        }
        if self.game.seats() > 2 && error < MIN_GRADED_LOSS {
            return Ok(format!(
                "{mv}: the search cannot tell it from {better}, with so many players"
            ));
        }
        let verdict = grade(error, self.game.points());
        let price = format!("{mv} costs {}", scale.difference_text(error));
        let price = match verdict {
            "" => style(price),
            "doubtful" => style(format!("{price} ({verdict})")).yellow(),
            _ => style(format!("{price} ({verdict})")).red(),
        };
        let best = self.value_text(&rated, rated.best_value);
        Ok(format!("{price}; better is {better}, {best}"))
    }

    fn save(&self, name: &str) -> Result<()> {
        if name.is_empty() {
            bail!("'save' needs the name of a file");
        }
        let seats = self.game.seats();
        let opponent = self
            .opponent
            .as_ref()
            .map_or(PERSON_PLAYER, PlayerRecipe::name);
        let mut players = vec![opponent; seats];
        players[self.seat] = PERSON_PLAYER;
        let payoffs = self.game.payoffs(&self.position()).unwrap_or_default();
        let ply = |ply: &PlayedPly| PlyLine::new(ply.face.unwrap_or(0), ply.mv.clone());
        let (game, run) = (self.game.notation(), json!({ "seed": self.seed }));
        let mut heading =
            json!({ "format": LINES_FORMAT, "game": game, "players": players, "run": run });
        if let Some(map) = BoardMap::from_game(&self.game) {
            heading["map"] = json!(map);
        }
        let game = json!(GameLine::new(
            self.game.format_position(&self.positions[0], None),
            self.plies.iter().map(ply).collect(),
            payoffs[..seats].to_vec(),
            (0..seats as u8).collect(),
        ));
        output::write_file(Path::new(name), format!("{heading}\n{game}\n"))?;
        self.report_kept(name);
        Ok(())
    }

    fn print_review(&self) -> Result<()> {
        if self.plies.is_empty() {
            return Ok(());
        }
        let game = &self.game;
        let mut valuer = MoveValuer::new(game, &self.judge);
        let ledger = review(
            game,
            self.positions[0],
            &self.plies,
            None,
            &mut valuer,
            None,
        )?;
        let titles = (0..game.seats()).map(|seat| game.seat_title(seat));
        let scale = DisplayScale::of(game);
        let title = format!("ledger, in {}", scale.unit());
        let mut text_table = TextTable::new([title.as_str()].into_iter().chain(titles));
        let names = [
            "start",
            "luck",
            "errors",
            "luck and errors of others",
            "drift of the judge",
            if ledger.over { "result" } else { "so far" },
            "given away a decision",
        ];
        text_table.rows = names.map(|name| vec![name.into()]).to_vec();
        for seat in &ledger.seats {
            let terms = [
                scale.value(seat.start),
                scale.difference(seat.luck),
                scale.difference(-seat.errors),
                scale.difference(seat.others),
                scale.difference(seat.drift),
                scale.value(seat.result),
                scale.difference(seat.error_per_decision),
            ];
            let decimals = scale.decimals();
            let unit = 10f64.powi(decimals as i32);
            for (row, term) in text_table.rows.iter_mut().zip(terms) {
                // Avoids negative zero.
                let rounded = (unit * term).round() / unit + 0.0;
                row.push(Cell::Right(format!("{rounded:+.decimals$}")));
            }
        }
        let own_scale = ledger.scale.map(|own| format!("\nvalues: {}", own.title()));
        let note = own_scale.unwrap_or_default();
        output::print_line(&format!("\n{}{note}", text_table.text().trim_end()))
    }
}
