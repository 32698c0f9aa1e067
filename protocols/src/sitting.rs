//! A game that is under way between two seats, by its text, and the player that is asked about it.
//!
//! Invariant: what is refused changes nothing, and says why in one line.

use crate::{Spoken, Terms};
use engine::core::{
    game::{Chance, OutcomeList},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::play::{
    notation::{Notation, keys_taken},
    player::{Analysis, Player},
    registry::PlainGame,
};
use engine::search::SearchStats;
use std::time::{Duration, Instant};

/// What ends a search, each instead of the others.
const LIMITS: [&str; 4] = ["ms", "cpu_ms", "clock", "sims"];
/// A search's longest time in the notation of players.
const LONGEST: Duration = Duration::from_secs(86_400);

/// The game, its history, and its player.
pub(crate) struct Sitting<G: Spoken> {
    pub(crate) game: G,
    pub(crate) position: G::Position,
    /// What was rolled, if the move is still to come.
    pub(crate) die: Option<u8>,
    /// Whether cells are named by the game's other coordinates.
    pub(crate) grid: bool,
    pub(crate) player: Notation,
    /// Whether the player was asked for, or is the usual one.
    pub(crate) is_asked: bool,
    terms: Terms,
    /// A player with the notation that it was made of.
    made: Option<(String, Box<dyn Player<G>>)>,
    games: u64,
    luck: G::Luck,
    start: G::Position,
    plies: Vec<(G::Position, u8, G::Move)>,
}

/// What a player thinks of the moves of a position.
pub(crate) struct Rates {
    /// The permitted moves, the best first; before a roll all that some roll permits.
    pub(crate) moves: Vec<Rate>,
    /// The line thought best.
    pub(crate) line: Vec<String>,
    pub(crate) stats: SearchStats,
    /// Whether the time that was asked for ended the search.
    pub(crate) is_timed: bool,
}

/// What a player thinks of a move, for the seat that makes it.
pub(crate) struct Rate {
    pub(crate) mv: String,
    pub(crate) value: Option<f32>,
    pub(crate) visits: Option<u32>,
    /// Between what the value is proven to lie.
    pub(crate) proven: [f32; 2],
    /// The difference that it is proven to end with, in what the game counts.
    pub(crate) exact: Option<i32>,
}

impl<G: Spoken> Sitting<G> {
    pub(crate) fn open(game: G, player: Option<&str>, terms: Terms) -> Result<Self, String> {
        let (name, seats) = (game.notation(), game.seats());
        if seats != 2 {
            return Err(format!(
                "game '{name}': the protocols are for two seats, not {seats}"
            ));
        }
        let usual = || {
            let ms = milliseconds(terms.longest.min(Duration::from_secs(1)));
            let best = || game.best().is_some() && game.evaluator(&Notation::new("best")).is_ok();
            match G::SEARCH {
                "" if best() => format!("star2(ms={ms}, eval=best)"),
                "" => format!("star2(ms={ms})"),
                _ => format!("mcts(ms={ms})"),
            }
        };
        let notation = player.map_or_else(usual, str::to_owned);
        let position = game.random_start(&mut RandomStream::new(0), 0);
        let mut sitting = Self {
            luck: game.luck(0),
            die: None,
            grid: false,
            player: Notation::new("random"),
            is_asked: false,
            terms,
            made: None,
            games: 0,
            start: position,
            plies: Vec::new(),
            position,
            game,
        };
        sitting.set_player(&notation)?;
        sitting.is_asked = player.is_some();
        sitting.clear();
        Ok(sitting)
    }

    /// Begins a new game; where either seat may begin, it is the one that is called black.
    pub(crate) fn clear(&mut self) {
        let mut random = RandomStream::new(self.seed(SeedSpace::Arena));
        let start = self.game.random_start(&mut random, self.black());
        self.begin(start, None);
    }

    fn begin(&mut self, start: G::Position, die: Option<u8>) {
        self.games += 1;
        (self.start, self.position, self.die) = (start, start, die);
        self.plies.clear();
        self.sow();
    }

    fn seed(&self, purpose: SeedSpace) -> u64 {
        derive_seed(self.terms.seed, purpose, &[self.games])
    }

    /// Draws anew, by the seed and how many games there were.
    fn sow(&mut self) {
        self.luck = self.game.luck(self.seed(SeedSpace::Arena));
        let seed = self.seed(SeedSpace::Player);
        if let Some((_, player)) = &mut self.made {
            player.new_game(seed);
        }
    }

    pub(crate) fn set_seed(&mut self, seed: u64) {
        (self.terms.seed, self.games) = (seed, 0);
        self.sow();
    }

    /// The game with another value of a parameter, in notation.
    pub(crate) fn with_parameter(&self, key: &str, value: &str) -> Result<String, String> {
        let notation = Notation::parse(&self.game.notation()).map_err(|error| error.problem)?;
        let value = Notation::parse(value).map_err(|error| error.problem)?;
        Ok(notation.without(&[key]).with(key, value).to_string())
    }

    pub(crate) fn set_position(&mut self, text: &str) -> Result<(), String> {
        let read = self.game.parse_position(text);
        let (position, die) = read.map_err(|error| error.to_string())?;
        self.begin(position, die);
        Ok(())
    }

    /// Goes to the end of a game in the game's first form of whole games.
    pub(crate) fn set_game(&mut self, text: &str) -> Result<(), String> {
        let form = G::transcripts().first().ok_or("whole games have no form")?;
        let mut games = (form.read)(&self.game, text).map_err(|error| error.to_string())?;
        let game = games.pop().ok_or("there is no game in this text")?;
        self.begin(game.start, None);
        for (outcome, mv) in game.plies {
            self.make(outcome, mv);
        }
        Ok(())
    }

    /// The game so far, in the game's own form if it has one, else as SGF.
    pub(crate) fn written(&self) -> Result<String, String> {
        if let Some(form) = G::transcripts().first() {
            let plies = self.plies.iter().map(|&(_, outcome, mv)| (outcome, mv));
            let game = PlainGame {
                start: self.start,
                plies: plies.collect(),
                players: vec![String::new(); 2],
            };
            return (form.write)(&self.game, &game);
        }
        let start = self.game.format_position(&self.start, None);
        let mut text = format!("(;FF[4]AP[Alea]GN[{}]C[{start}]", self.game.notation());
        for (position, outcome, mv) in &self.plies {
            let is_black = self.game.to_move(position) == self.black();
            let mv = self.game.format_move(position, *mv);
            text += &format!(";{}[{mv}]", if is_black { "B" } else { "W" });
            if Self::has_dice() {
                text += &format!("DI[{outcome}]");
            }
        }
        Ok(text + ")")
    }

    /// The seat that is called black where colours are black and white: by the first letter of its
    /// name, else the first.
    pub(crate) fn black(&self) -> usize {
        usize::from(self.game.seat_title(1).starts_with('B'))
    }

    /// How the game ended: who won, `Some(None)` for a draw; `None` before the end.
    pub(crate) fn winner(&self) -> Option<Option<usize>> {
        let payoffs = self.game.payoffs(&self.position)?;
        let loses = |seat: &usize| payoffs[*seat] < payoffs[1 - seat];
        Some((0..2).find(loses).map(|seat| 1 - seat))
    }

    pub(crate) fn has_dice() -> bool {
        G::Outcomes::BOUND > 1
    }

    pub(crate) fn set_die(&mut self, face: u8) -> Result<(), String> {
        self.may_roll()?;
        let (names, mut moves) = (self.game.outcome_names(), G::Moves::default());
        if names.contains(&face) {
            self.game.permitted(&self.position, face, &mut moves);
        }
        if moves.is_empty() {
            let (first, last) = names.into_inner();
            return Err(format!("the die shows {first} to {last}, not {face}"));
        }
        self.die = Some(face);
        Ok(())
    }

    pub(crate) fn roll(&mut self) -> Result<u8, String> {
        self.may_roll()?;
        if let Some(face) = self.die {
            return Err(format!("the die shows {face} already"));
        }
        let (face, _) = self.luck.draw(&self.game, &self.position);
        self.die = Some(face);
        Ok(face)
    }

    fn may_roll(&self) -> Result<(), String> {
        Self::has_dice()
            .then_some(())
            .ok_or("this game has no die")?;
        self.goes_on()
    }

    fn goes_on(&self) -> Result<(), String> {
        let is_over = self.game.payoffs(&self.position).is_some();
        (!is_over)
            .then_some(())
            .ok_or("the game is over".to_owned())
    }

    /// The outcome that counts, and the moves that it permits.
    fn permitted(&self) -> Result<(u8, G::Moves), String> {
        self.goes_on()?;
        let unrolled = || (!Self::has_dice()).then_some(0);
        let outcome = self
            .die
            .or_else(unrolled)
            .ok_or("the die has not been rolled")?;
        let mut moves = G::Moves::default();
        self.game.permitted(&self.position, outcome, &mut moves);
        Ok((outcome, moves))
    }

    pub(crate) fn play(&mut self, text: &str) -> Result<(), String> {
        let (outcome, legal) = self.permitted()?;
        let ours = match self.grid {
            true => self.game.on_grid(text, true),
            false => Some(text.to_owned()),
        };
        let ours = ours.ok_or_else(|| format!("'{text}' is no move"))?;
        let read = |text: &str| self.game.parse_move(&self.position, text);
        let mv = read(&ours).or_else(|error| read(&ours.to_lowercase()).map_err(|_| error));
        let mv = mv.map_err(|error| error.problem)?;
        if !legal.contains(&mv) {
            return Err(format!("{text} is not permitted with a {outcome}"));
        }
        self.make(outcome, mv);
        Ok(())
    }

    fn make(&mut self, outcome: u8, mv: G::Move) {
        self.plies.push((self.position, outcome, mv));
        self.position = self.game.play(&self.position, mv);
        self.die = None;
    }

    /// Takes the last move back; what was rolled for it is there again.
    pub(crate) fn undo(&mut self) -> Result<(), String> {
        let (position, outcome, _) = self.plies.pop().ok_or("cannot undo")?;
        (self.position, self.die) = (position, Self::has_dice().then_some(outcome));
        Ok(())
    }

    fn written_move(&self, position: &G::Position, mv: G::Move) -> String {
        let text = self.game.format_move(position, mv);
        let grid = self.grid.then(|| self.game.on_grid(&text, false));
        grid.flatten().unwrap_or(text)
    }

    /// Has the player answer; with a time in place of its own limit if it takes one, and it then
    /// remembers what it searched if it can. Whether it has the limit.
    fn ask<T>(
        &mut self,
        time: Option<Duration>,
        question: impl FnOnce(&mut dyn Player<G>) -> T,
    ) -> Result<(T, bool), String> {
        let mut wanted = vec![(self.player.to_string(), false)];
        if let Some(time) = time {
            let mut timed = self.player.clone().without(&LIMITS).without(&["nodes"]);
            if timed.name == "mcts" {
                // Its first value without a key is a limit, too.
                timed.arguments.retain(|argument| argument.key.is_some());
            }
            let ms = milliseconds(time.min(self.terms.longest).min(LONGEST));
            timed = timed.with("ms", Notation::new(ms));
            wanted.push((timed.to_string(), true));
            if timed.name == "mcts" {
                let kept = timed.without(&["keep"]).with("keep", Notation::new("on"));
                wanted.push((kept.to_string(), true));
            }
        }
        let mut refused = String::new();
        let mut made = self.made.take();
        while let Some((text, is_timed)) = wanted.pop() {
            if made.as_ref().is_none_or(|(known, _)| *known != text) {
                match self.game.player(&text) {
                    Ok(recipe) => {
                        // What it holds is given back first.
                        drop(made.take());
                        let mut player = recipe.make();
                        player.new_game(self.seed(SeedSpace::Player));
                        made = Some((text, player));
                    }
                    Err(error) => {
                        refused = error.to_string();
                        continue;
                    }
                }
            }
            if let Some((_, player)) = &mut made {
                let answer = question(&mut **player);
                self.made = made.filter(|_| self.terms.keeps_players);
                return Ok((answer, is_timed));
            }
        }
        Err(refused)
    }

    /// Has the player choose a move, which is not played: the move, its value and what it cost.
    pub(crate) fn think(
        &mut self,
        time: Option<Duration>,
    ) -> Result<(String, Option<f32>, SearchStats), String> {
        let ((_, legal), position) = (self.permitted()?, self.position);
        let began = Instant::now();
        let ((decision, failure), _) = self.ask(time, |player| {
            let decision = player.decide(&position, &legal);
            (decision, player.failure())
        })?;
        if failure.is_some() || !legal.contains(&decision.best) {
            return Err(format!("the player made no move: {failure:?}"));
        }
        let stats = SearchStats {
            time: began.elapsed(),
            ..decision.stats
        };
        Ok((
            self.written_move(&position, decision.best),
            decision.value,
            stats,
        ))
    }

    /// Has the player rate the moves; asked again for the same time it thinks on.
    pub(crate) fn rate(&mut self, time: Option<Duration>) -> Result<Rates, String> {
        self.goes_on()?;
        let (legal, position) = (self.permitted().ok(), self.position);
        let ((analysis, exact), is_timed) = self.ask(time, |player| {
            let legal = legal.as_ref().map(|(_, moves)| &**moves);
            let analysis = player.analyse(&position, legal);
            let moves: Vec<G::Move> = analysis.moves.iter().map(|&(mv, _)| mv).collect();
            let exact = player.exact_scores(&position, &moves);
            (analysis, exact.map_or(Vec::new(), |(_, scores)| scores))
        })?;
        Ok(self.rates(&analysis, &exact, is_timed))
    }

    /// What a search for proofs finds within a time.
    pub(crate) fn prove(&mut self, time: Duration) -> Result<Rates, String> {
        let (_, legal) = self.permitted()?;
        let ms = milliseconds(time.min(self.terms.longest).min(LONGEST));
        let prover = format!("mcts(ms={ms}, leaf=playout, memory=64{})", G::PROVING);
        let recipe = self
            .game
            .player(&prover)
            .map_err(|error| error.to_string())?;
        let analysis = recipe.make().analyse(&self.position, Some(&legal));
        Ok(self.rates(&analysis, &[], true))
    }

    fn rates(&self, analysis: &Analysis<G::Move>, exact: &[i32], is_timed: bool) -> Rates {
        let tree = analysis.tree.as_ref();
        let rate = |(place, &(mv, value)): (usize, &(G::Move, Option<f32>))| {
            let known = tree.and_then(|tree| tree.moves.get(place));
            Rate {
                mv: self.written_move(&self.position, mv),
                value,
                visits: known.map(|known| known.visits),
                proven: known.map_or([0.0, 1.0], |known| [known.proven.lower, known.proven.upper]),
                exact: exact.get(place).copied(),
            }
        };
        let mut moves: Vec<Rate> = analysis.moves.iter().enumerate().map(rate).collect();
        let (mut line, mut at) = (Vec::new(), self.position);
        for &mv in &analysis.line {
            if self.game.payoffs(&at).is_none() {
                line.push(self.written_move(&at, mv));
                at = self.game.play(&at, mv);
            }
        }
        let key = |rate: &Rate| {
            let value = (rate.value.unwrap_or(0.0) * 1e6) as i64;
            (line.first() == Some(&rate.mv), rate.visits, value)
        };
        moves.sort_by_key(|rate| std::cmp::Reverse(key(rate)));
        Rates {
            moves,
            line,
            stats: analysis.stats,
            is_timed,
        }
    }

    /// The win probability of the seat to move; after a roll that of its best move.
    pub(crate) fn value(&mut self) -> Result<f32, String> {
        self.goes_on()?;
        let position = self.position;
        let value = match self.permitted() {
            Ok(_) => self.rate(None)?.moves.first().and_then(|best| best.value),
            Err(_) => self.ask(None, |player| player.value(&position).value)?.0,
        };
        value.ok_or_else(|| format!("{} rates no moves", self.player))
    }

    pub(crate) fn set_player(&mut self, notation: &str) -> Result<(), String> {
        let permitted = (self.terms.permit)(notation)?;
        let read = Notation::parse(&permitted).map_err(|error| error.to_string())?;
        self.game
            .player(&permitted)
            .map_err(|error| error.to_string())?;
        (self.player, self.made, self.is_asked) = (read, None, true);
        Ok(())
    }

    /// Changes an option of the player; `default` takes it back.
    pub(crate) fn set_option(&mut self, key: &str, value: &str) -> Result<(), String> {
        let value = Notation::parse(value).map_err(|error| error.to_string())?;
        let mut changed = self.player.clone().without(&[key]);
        if value.name != "default" {
            if LIMITS.contains(&key) {
                changed = changed.without(&LIMITS);
            }
            changed = changed.with(key, value);
        }
        self.set_player(&changed.to_string())
    }

    /// The options that the player knows, with their values or `default`.
    pub(crate) fn options(&self) -> Vec<(String, String)> {
        // Whoever reads a notation says what it takes when it is given what it does not take.
        let wrong = self.player.clone().with("?", Notation::new("?"));
        let problem = self.game.player(&wrong.to_string()).err();
        let problem = problem.map_or(String::new(), |error| error.problem);
        keys_taken(&problem)
            .map(|key| (key.to_owned(), value_of(&self.player, key, "default")))
            .collect()
    }
}

/// The value of a key in a notation, or else the usual one.
pub(crate) fn value_of(notation: &Notation, key: &str, usual: &str) -> String {
    let said = notation.says(key);
    said.map_or(usual.to_owned(), ToString::to_string)
}

fn milliseconds(time: Duration) -> String {
    let milliseconds = (time.as_secs_f64() * 100_000.0).round() / 100.0;
    milliseconds.max(0.01).to_string()
}
