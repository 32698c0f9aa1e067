//! `alea play`: a game against a player in the terminal, with hints, prices and a ledger.
//!
//! Everything is asked as the page of `alea web` asks it (docs/api.md). Invariant: `positions[i]` is
//! the position before ply i; taking back forgets both, and a roll of the program depends on the
//! seed and the number of its ply alone, so it stays.

use crate::commands::judge::usual_judge;
use crate::games::{GameArguments, with_game};
use crate::output;
use anyhow::{Context, Result, anyhow, bail};
use engine::core::{
    game::Game as _,
    text::{LineRead, read_line, shortened},
};
use engine::play::{
    build::PlayerRecipe,
    game_line::{FORMAT, GameLine, PlyLine},
    playable::Playable,
};
use serde_json::{Value, json};
use std::{
    io::{self, IsTerminal as _, Write as _},
    path::Path,
    time::{Duration, UNIX_EPOCH},
};
use web::{
    answer::{answer, levels},
    bounds::Bounds,
};

/// Play a game in the terminal, with hints, what each move costs, and a ledger at the end
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea play\n         alea play --opponent hard --seat 2 --seed 7\n         alea play --game reversi --opponent \"mcts(sims=500)\"\n         alea play --dice hand"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// beginner, easy, medium, hard, strong, 'person' for a second one at this terminal, or any
    /// player
    #[arg(long, default_value = "medium", value_name = "LEVEL|PLAYER")]
    opponent: String,
    /// Whether you are the first or the second seat
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    seat: u8,
    /// Seed of start and dice, as on the page of 'alea web' [default: another one each time; it is
    /// shown]
    #[arg(long, value_parser = clap::value_parser!(u64).range(..1 << 53))]
    seed: Option<u64>,
    /// Who rolls: the program, or you type what a die on the table shows
    #[arg(long, default_value = "program", value_parser = ["program", "hand"])]
    dice: String,
    /// Begin with this position
    #[arg(long, value_name = "POSITION")]
    start: Option<String>,
    /// Who rates moves, for hints, prices and the ledger [default: as of 'alea judge']
    #[arg(long, value_name = "PLAYER")]
    judge: Option<String>,
    /// Say nothing of what moves cost
    #[arg(long)]
    quiet: bool,
}

const HELP: &str = "  a move; an empty line plays the only one
  moves        all moves
  hint         the best move and what it is worth
  undo         back to your move before
  save FILE    keep the game; the page of 'alea web' loads it, 'alea data import' a finished one
  quit         end here, with the ledger";

/// Bytes of the longest line that is read.
const LONGEST_LINE: usize = 4096;

/// Colours of ANSI terminals.
const BOLD: u8 = 1;
const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let game = self.game.notation();
        let (seats, titles, has_dice, judge, opponent) = with_game!(&game, game => {
            let titles = [0, 1].map(|seat| game.seat_title(seat));
            let has_dice = game.outcome_names().count() > 1;
            let level = levels(&game).into_iter().find(|level| level.name == self.opponent);
            let opponent = level.map_or(self.opponent.clone(), |level| level.player);
            let judge = self.judge.clone().unwrap_or_else(|| usual_judge(&game));
            for player in [&opponent, &judge].into_iter().filter(|name| *name != "person") {
                PlayerRecipe::parse(player, &game)?;
            }
            Ok::<_, anyhow::Error>((game.seats(), titles, has_dice, judge, opponent))
        })?;
        if seats != 2 {
            bail!("games of two seats are played here; this one has {seats}");
        }
        let says = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let micros = UNIX_EPOCH.elapsed().map_or(1, |since| since.as_micros());
        let mut session = Session {
            seed: self.seed.unwrap_or(micros as u64 % 1_000_000),
            arguments: self,
            judge,
            opponent: Some(opponent).filter(|name| name != "person"),
            titles,
            has_dice,
            colours: io::stdout().is_terminal() && !says("NO_COLOR"),
            game,
            positions: Vec::new(),
            plies: Vec::new(),
        };
        session.play()
    }
}

struct Session<'a> {
    arguments: &'a Arguments,
    game: String,
    seed: u64,
    judge: String,
    /// Nobody if persons sit on both sides.
    opponent: Option<String>,
    titles: [&'static str; 2],
    has_dice: bool,
    colours: bool,
    positions: Vec<String>,
    /// `{face, move}` each.
    plies: Vec<Value>,
}

impl Session<'_> {
    /// The answer to a question about this game.
    fn ask(&self, mut question: Value) -> Result<Value> {
        question["game"] = json!(self.game);
        let bounds = Bounds {
            trusts: true,
            plies: usize::MAX,
            whole: Duration::from_secs(3600),
            ..Bounds::default()
        };
        let answer = serde_json::to_value(answer(serde_json::from_value(question)?, &bounds))?;
        match answer["error"].as_str() {
            Some(problem) => Err(anyhow!("{problem}")),
            None => Ok(answer),
        }
    }

    fn paint(&self, code: u8, text: &str) -> String {
        match self.colours {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    fn play(&mut self) -> Result<()> {
        let start = match &self.arguments.start {
            Some(text) => self.ask(json!({ "ask": "position", "position": text }))?,
            None => self.ask(json!({ "ask": "new", "seed": self.seed }))?,
        };
        self.positions.push(text(&start["position"]));
        let dice = match (self.has_dice, self.arguments.dice.as_str()) {
            (false, _) => String::new(),
            (true, "hand") => "; you roll the die".to_owned(),
            _ => format!(", dice of seed {}", self.seed),
        };
        let (game, judge) = (&self.game, &self.judge);
        let opponent = self.opponent.as_deref().unwrap_or("each other");
        output::line(&format!(
            "{game}, against {opponent}{dice}, judged by {judge}; 'help' tells what may be typed"
        ))?;
        loop {
            let Some(facts) = self.rolled()? else {
                return self.ledger();
            };
            let board = with_game!(&self.game, game => {
                let (position, face) = Playable::parse_position(&game, &text(&facts["position"]))?;
                Ok::<_, anyhow::Error>(game.draw(&position, face))
            })?;
            output::line(&format!("\n{board}"))?;
            let is_over = facts["over"] == true;
            let is_person = self.is_person(&facts);
            if is_over {
                self.ledger()?;
                output::line("undo, save FILE or quit")?;
            }
            let mv = if is_person || is_over {
                match self.typed(&facts)?.as_deref() {
                    Some("undo") => {
                        self.undo()?;
                        continue;
                    }
                    Some(mv) => mv.to_owned(),
                    None if is_over => return Ok(()),
                    None => return self.ledger(),
                }
            } else {
                let seed = self.seed + self.plies.len() as u64;
                let asked = json!({ "ask": "move", "position": facts["position"], "player": self.opponent, "seed": seed });
                let mv = text(&self.ask(asked)?["move"]);
                let name = self.paint(BOLD, &mv);
                output::line(&format!("{} plays {name}", text(&facts["seat_name"])))?;
                mv
            };
            let moves = facts["moves"].as_array().into_iter().flatten();
            let next = moves.clone().find(|next| next["move"] == mv);
            let next = text(&next.context("no such move")?["position"]);
            if is_person && !self.arguments.quiet {
                output::line(&self.price(&facts, &mv)?)?;
            }
            let face = &facts["face"];
            self.plies.push(match face.is_null() {
                true => json!({ "move": mv }),
                false => json!({ "face": face, "move": mv }),
            });
            self.positions.push(next);
        }
    }

    fn is_person(&self, facts: &Value) -> bool {
        self.opponent.is_none() || facts["seat"] == self.arguments.seat - 1
    }

    /// The position with its roll; `None` where somebody ends the game instead of rolling.
    fn rolled(&mut self) -> Result<Option<Value>> {
        let ply = self.plies.len();
        let position = &self.positions[ply];
        let facts = self.ask(json!({ "ask": "position", "position": position }))?;
        if !self.has_dice || !facts["face"].is_null() || facts["over"] == true {
            return Ok(Some(facts));
        }
        if self.arguments.dice == "program" {
            let asked =
                json!({ "ask": "roll", "position": position, "seed": self.seed, "ply": ply });
            return self.ask(asked).map(Some);
        }
        let unrolled = position.trim_end_matches('-');
        let prompt = format!("{} rolls:", text(&facts["seat_name"]));
        loop {
            let said = match self.line(&prompt)? {
                Some(said) if said != "quit" => said,
                _ => return Ok(None),
            };
            let asked = json!({ "ask": "position", "position": format!("{unrolled}{said}") });
            match self.ask(asked) {
                Ok(facts) if !facts["face"].is_null() => return Ok(Some(facts)),
                _ => output::line("what the die shows, a number; or quit")?,
            }
        }
    }

    /// Forgets plies until it is a person's turn again.
    fn undo(&mut self) -> Result<()> {
        let before = self.plies.len();
        while self.plies.pop().is_some() {
            self.positions.pop();
            let position = &self.positions[self.plies.len()];
            if self.is_person(&self.ask(json!({ "ask": "position", "position": position }))?) {
                break;
            }
        }
        output::line(&format!("{} taken back", before - self.plies.len()))
    }

    /// A line that somebody types; `None` at the end of the input.
    fn line(&self, prompt: &str) -> Result<Option<String>> {
        let mut out = io::stdout().lock();
        write!(out, "{} ", self.paint(BOLD, prompt))?;
        out.flush()?;
        let mut line = Vec::new();
        let read = read_line(&mut io::stdin().lock(), LONGEST_LINE, &mut line);
        let read = read.context("cannot read standard input")?;
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if !io::stdin().is_terminal() {
            // What comes from a pipe is nowhere to be seen otherwise.
            writeln!(out, "{text}")?;
        }
        Ok((read != LineRead::End).then_some(text))
    }

    /// A move, `undo`, or none to quit; answers what else is typed.
    fn typed(&self, facts: &Value) -> Result<Option<String>> {
        let moves = facts["moves"].as_array().into_iter().flatten();
        let moves: Vec<String> = moves.map(|one| text(&one["move"])).collect();
        let prompt = format!("{}:", text(&facts["seat_name"]));
        loop {
            let Some(said) = self.line(&prompt)? else {
                return Ok(None);
            };
            let (word, rest) = said.split_once(' ').unwrap_or((&said, ""));
            let answer = match (word, &moves[..]) {
                ("quit" | "exit", _) => return Ok(None),
                ("undo", _) => return Ok(Some(said)),
                ("help" | "?", _) => HELP.to_owned(),
                ("moves", _) => moves.join(" "),
                ("hint", [_, ..]) => {
                    let rated = self.rated(facts)?;
                    format!(
                        "{} ({:.1} %)",
                        text(&rated["best"]),
                        percent(&rated["value"])
                    )
                }
                ("save", _) => match self.save(rest.trim()) {
                    Ok(()) => format!("saved in {}", rest.trim()),
                    Err(error) => self.paint(RED, &format!("not saved: {error:#}")),
                },
                ("", [only]) => return Ok(Some(only.clone())),
                _ if moves.contains(&said) => return Ok(Some(said)),
                _ => {
                    let said = shortened(&said, 80);
                    format!("'{said}' is no move here; 'moves' has all, 'help' the rest")
                }
            };
            output::line(&answer)?;
        }
    }

    fn rated(&self, facts: &Value) -> Result<Value> {
        let asked =
            json!({ "ask": "analyse", "position": facts["position"], "player": self.judge });
        self.ask(asked)
    }

    /// What a move gives away.
    fn price(&self, facts: &Value, mv: &str) -> Result<String> {
        let rated = self.rated(facts)?;
        let mut moves = rated["moves"].as_array().into_iter().flatten();
        let played = moves.find(|one| one["move"] == mv);
        let value = percent(&played.context("no such move")?["value"]);
        let best = percent(&rated["value"]);
        let error = best - value;
        if error < 0.05 {
            let text = format!("{mv}: nothing is better ({value:.1} %)");
            return Ok(self.paint(GREEN, &text));
        }
        let verdict = web::judge::verdict(error / 100.0);
        let colour = if verdict == "doubtful" { YELLOW } else { RED };
        let price = match verdict {
            "" => format!("{mv} costs {error:.1} points"),
            _ => self.paint(colour, &format!("{mv} costs {error:.1} points ({verdict})")),
        };
        Ok(format!(
            "{price}; better is {}, {best:.1} %",
            text(&rated["best"])
        ))
    }

    /// Writes the game as JSON lines.
    fn save(&self, name: &str) -> Result<()> {
        if name.is_empty() {
            bail!("'save' needs the name of a file");
        }
        let mut players = ["person", self.opponent.as_deref().unwrap_or("person")];
        if self.arguments.seat == 2 {
            players.reverse();
        }
        let last = &self.positions[self.plies.len()];
        let payoffs = with_game!(&self.game, game => {
            let (position, _) = Playable::parse_position(&game, last)?;
            Ok::<_, anyhow::Error>(game.payoffs(&position).unwrap_or_default())
        })?;
        let ply = |ply: &Value| {
            let face = ply["face"].as_u64().unwrap_or_default() as u8;
            PlyLine::new(face, ply["move"].as_str().unwrap_or_default().to_owned())
        };
        let plies = self.plies.iter().map(ply).collect();
        let heading = json!({ "format": FORMAT, "game": self.game, "players": players });
        let start = self.positions[0].clone();
        let game = json!(GameLine::new(
            start,
            plies,
            payoffs[..2].to_vec(),
            vec![0, 1]
        ));
        Ok(output::file(
            Path::new(name),
            format!("{heading}\n{game}\n"),
        )?)
    }

    /// The ledger as a sum, in percent of a win of the first seat.
    fn ledger(&self) -> Result<()> {
        if self.plies.is_empty() {
            return Ok(());
        }
        let asked = json!({ "ask": "judge", "start": self.positions[0], "plies": self.plies, "player": self.judge });
        let ledger = self.ask(asked)?;
        let [first, second] = self.titles;
        let of = |key: &str, seat: usize| percent(&ledger[key][seat]);
        let result = if ledger["over"] == true {
            "result"
        } else {
            "so far"
        };
        let terms = [
            ("start".to_owned(), percent(&ledger["start_value"])),
            (format!("luck of {first}"), of("luck", 0)),
            (format!("luck of {second}"), -of("luck", 1)),
            (format!("errors of {first}"), -of("errors", 0)),
            (format!("errors of {second}"), of("errors", 1)),
            ("drift of the judge".to_owned(), percent(&ledger["drift"])),
            (result.to_owned(), percent(&ledger["result"])),
        ];
        output::line(&format!("\nledger, in percent of a win of {first}"))?;
        for (name, value) in terms {
            // A sum of nothing has no sign.
            output::line(&format!("  {name:<20} {:>+8.2}", value + 0.0))?;
        }
        let [own, other] = [0, 1].map(|seat| of("error_per_decision", seat));
        output::line(&format!(
            "points a decision given away: {first} {own:.2}, {second} {other:.2}"
        ))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn percent(value: &Value) -> f64 {
    100.0 * value.as_f64().unwrap_or_default()
}
