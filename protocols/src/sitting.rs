//! A [`Session`] of any game.

use crate::games::Spoken;
use crate::session::{Choice, Cost, Rate, Rates, Refusal, Session, Terms};
use engine::core::{
    game::{Chance, OutcomeList},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::play::{
    notation::{Argument, Notation},
    player::{Analysis, Player},
    registry::PlainGame,
};
use engine::search::SearchStats;
use std::{
    cmp::Ordering,
    time::{Duration, Instant},
};

/// What ends a search, each instead of the others.
const LIMITS: [&str; 4] = ["ms", "cpu_ms", "clock", "sims"];
/// Those that are replaced where a time is given.
const REPLACED: [&str; 5] = ["ms", "cpu_ms", "clock", "sims", "nodes"];
/// A search's longest time, which the notation of players has.
const LONGEST: Duration = Duration::from_secs(86_400);
/// Memory of a search for proofs, in MiB.
const MEMORY: u32 = 64;

/// A player, with the notation that it was made of.
type Made<G> = (String, Box<dyn Player<G>>);

/// The game, its history, and the player that is asked about it.
pub struct Sitting<G: Spoken> {
    game: G,
    terms: Terms,
    notation: Notation,
    made: Option<Made<G>>,
    games: u64,
    luck: G::Luck,
    start: G::Position,
    plies: Vec<(G::Position, u8, G::Move)>,
    position: G::Position,
    die: Option<u8>,
    grid: bool,
}

impl<G: Spoken> Sitting<G> {
    /// A session of a game between two seats, with a player.
    ///
    /// # Errors
    /// If there are more seats, or the player is none or may not be asked.
    pub fn open(game: G, player: &str, terms: Terms) -> Result<Self, Refusal> {
        let seats = game.seats();
        if seats != 2 {
            return Err(format!(
                "the protocols are for two seats, and {} has {seats} here",
                game.notation()
            ));
        }
        let start = game.random_start(&mut RandomStream::new(0), 0);
        let mut sitting = Self {
            luck: game.luck(0),
            terms,
            notation: Notation::new(player),
            made: None,
            games: 0,
            start,
            plies: Vec::new(),
            position: start,
            die: None,
            grid: false,
            game,
        };
        sitting.set_player(player)?;
        sitting.clear();
        Ok(sitting)
    }

    /// The player that is taken where none is named: the strongest that decides within a second, or
    /// within the longest search.
    pub fn usual_player(game: &G, longest: Duration) -> String {
        let ms = milliseconds(longest.min(Duration::from_secs(1)));
        let best = || game.evaluator(&Notation::new("best")).is_ok();
        match G::SEARCH {
            "" if game.best().is_some() && best() => format!("star2(ms={ms}, eval=best)"),
            "" => format!("star2(ms={ms})"),
            _ => format!("mcts(ms={ms})"),
        }
    }

    fn seed(&self, purpose: SeedSpace) -> u64 {
        derive_seed(self.terms.seed, purpose, &[self.games])
    }

    fn begin(&mut self, start: G::Position, die: Option<u8>) {
        self.games += 1;
        (self.start, self.position, self.die) = (start, start, die);
        self.plies.clear();
        self.sow();
    }

    /// Draws anew, by the seed and how many games there were.
    fn sow(&mut self) {
        self.luck = self.game.luck(self.seed(SeedSpace::Arena));
        let seed = self.seed(SeedSpace::Player);
        if let Some((_, player)) = &mut self.made {
            player.new_game(seed);
        }
    }

    fn goes_on(&self) -> Result<(), Refusal> {
        match self.game.payoffs(&self.position) {
            None => Ok(()),
            Some(_) => Err("the game is over".to_owned()),
        }
    }

    fn has_chance() -> bool {
        G::Outcomes::BOUND > 1
    }

    /// The outcome that counts, and the moves that it permits.
    fn permitted(&self) -> Result<(u8, G::Moves), Refusal> {
        self.goes_on()?;
        let mut moves = G::Moves::default();
        let outcome = match self.die {
            Some(face) => face,
            None if !Self::has_chance() => 0,
            None => return Err("the die has not been rolled".to_owned()),
        };
        self.game.permitted(&self.position, outcome, &mut moves);
        Ok((outcome, moves))
    }

    fn written_move(&self, position: &G::Position, mv: G::Move) -> String {
        let text = self.game.format_move(position, mv);
        let grid = self.grid.then(|| self.game.on_grid(&text, false));
        grid.flatten().unwrap_or(text)
    }

    fn make(&mut self, outcome: u8, mv: G::Move) {
        self.plies.push((self.position, outcome, mv));
        self.position = self.game.play(&self.position, mv);
        self.die = None;
    }

    /// The player with a time limit in place of its own, if it takes one; with `keeps` it remembers
    /// what it searched if it can. Whether it has the limit.
    fn asked(
        &mut self,
        time: Option<Duration>,
        keeps: bool,
    ) -> Result<(&mut Made<G>, bool), Refusal> {
        let plain = self.notation.clone();
        let mut wanted = vec![(plain.to_string(), false)];
        if let Some(time) = time {
            let timed = timed(plain, time.min(self.terms.longest).min(LONGEST));
            wanted.push((timed.to_string(), true));
            if keeps && timed.name == "mcts" {
                let kept = Notation::new("on");
                wanted.push((
                    without(timed, &["keep"]).with("keep", kept).to_string(),
                    true,
                ));
            }
        }
        let mut refused = String::new();
        let mut kept = self.made.take();
        while let Some((text, is_timed)) = wanted.pop() {
            if kept.as_ref().is_none_or(|(known, _)| *known != text) {
                match self.game.player(&text) {
                    Ok(recipe) => {
                        // What it holds is given back first.
                        drop(kept.take());
                        let mut player = recipe.make();
                        player.new_game(self.seed(SeedSpace::Player));
                        kept = Some((text, player));
                    }
                    Err(error) => {
                        refused = error.to_string();
                        continue;
                    }
                }
            }
            if let Some(made) = kept {
                return Ok((self.made.insert(made), is_timed));
            }
        }
        Err(refused)
    }

    fn asked_enough(&mut self) {
        if !self.terms.keeps_players {
            self.made = None;
        }
    }

    /// What an analysis says, in words.
    fn rates(&self, analysis: &Analysis<G::Move>, cost: Cost, is_timed: bool) -> Rates {
        let position = &self.position;
        let tree = analysis.tree.as_ref();
        let rate = |(place, &(mv, value)): (usize, &(G::Move, Option<f32>))| {
            let known = tree.and_then(|tree| tree.moves.get(place));
            Rate {
                mv: self.written_move(position, mv),
                value,
                visits: known.map(|known| known.visits),
                proven: known.map_or([0.0, 1.0], |known| [known.proven.lower, known.proven.upper]),
                exact: None,
            }
        };
        let moves = analysis.moves.iter().enumerate().map(rate).collect();
        let (mut line, mut at) = (Vec::new(), *position);
        for &mv in &analysis.line {
            if self.game.payoffs(&at).is_some() {
                break;
            }
            line.push(self.written_move(&at, mv));
            at = self.game.play(&at, mv);
        }
        Rates {
            moves,
            line,
            cost,
            is_timed,
        }
    }
}

impl<G: Spoken> Session for Sitting<G> {
    fn game(&self) -> String {
        self.game.notation()
    }

    fn parameters(&self) -> &'static str {
        G::PARAMETERS
    }

    fn with_size(&self, size: usize) -> Result<String, Refusal> {
        match (self.game.size(), G::SIZED_BY) {
            (Some(own), _) if own == size => Ok(self.game()),
            (_, Some(key)) => {
                let notation = Notation::parse(&self.game()).map_err(|error| error.to_string())?;
                let size = Notation::new(size.to_string());
                let sized = without(notation, &[key]).with(key, size).to_string();
                match G::from_notation(&sized, None) {
                    Ok(game) => Ok(game.notation()),
                    Err(error) => Err(error.problem),
                }
            }
            (Some(own), None) => Err(format!("boards of {} are of size {own}", G::NAME)),
            (None, None) => Err(format!("boards of {} have no size", G::NAME)),
        }
    }

    fn clear(&mut self) {
        let mut random = RandomStream::new(self.seed(SeedSpace::Arena));
        // Where either seat may begin, it is the one that is called black.
        let start = (self.game).random_start(&mut random, black(self.titles()));
        self.begin(start, None);
    }

    fn set_seed(&mut self, seed: u64) {
        (self.terms.seed, self.games) = (seed, 0);
        self.sow();
    }

    fn position(&self) -> String {
        self.game.format_position(&self.position, self.die)
    }

    fn set_position(&mut self, text: &str) -> Result<(), Refusal> {
        let read = self.game.parse_position(text);
        let (position, die) = read.map_err(|error| error.to_string())?;
        self.begin(position, die);
        Ok(())
    }

    fn set_game(&mut self, text: &str) -> Result<(), Refusal> {
        let form = G::transcripts().first();
        let form = form.ok_or_else(|| format!("{} has no form of whole games", G::NAME))?;
        let mut games = (form.read)(&self.game, text).map_err(|error| error.to_string())?;
        let game = games.pop().ok_or("there is no game in this text")?;
        self.begin(game.start, None);
        for (outcome, mv) in game.plies {
            self.make(outcome, mv);
        }
        Ok(())
    }

    fn written(&self) -> Result<String, Refusal> {
        if let Some(form) = G::transcripts().first() {
            let plies = self.plies.iter();
            return (form.write)(
                &self.game,
                &PlainGame {
                    start: self.start,
                    plies: plies.map(|&(_, outcome, mv)| (outcome, mv)).collect(),
                    players: vec![String::new(); 2],
                },
            );
        }
        let start = self.game.format_position(&self.start, None);
        let mut text = format!("(;FF[4]AP[Alea]GN[{}]C[{start}]", self.game());
        for (position, outcome, mv) in &self.plies {
            let is_black = self.game.to_move(position) == black(self.titles());
            let mv = self.game.format_move(position, *mv);
            text += &format!(";{}[{mv}]", if is_black { "B" } else { "W" });
            if Self::has_chance() {
                text += &format!("DI[{outcome}]");
            }
        }
        Ok(text + ")")
    }

    fn board(&self) -> String {
        self.game.draw(&self.position, self.die)
    }

    fn titles(&self) -> [&'static str; 2] {
        [0, 1].map(|seat| self.game.seat_title(seat))
    }

    fn to_move(&self) -> usize {
        self.game.to_move(&self.position)
    }

    fn winner(&self) -> Option<Option<usize>> {
        let payoffs = self.game.payoffs(&self.position)?;
        Some(match payoffs[0].total_cmp(&payoffs[1]) {
            Ordering::Greater => Some(0),
            Ordering::Equal => None,
            Ordering::Less => Some(1),
        })
    }

    fn moves_left(&self) -> u32 {
        self.game.moves_left(&self.position)
    }

    fn faces(&self) -> Option<[u8; 2]> {
        let names = self.game.outcome_names();
        Self::has_chance().then_some([*names.start(), *names.end()])
    }

    fn die(&self) -> Option<u8> {
        self.die
    }

    fn set_die(&mut self, face: u8) -> Result<(), Refusal> {
        let [first, last] = self.faces().ok_or("this game has no die")?;
        self.goes_on()?;
        let mut moves = G::Moves::default();
        if (first..=last).contains(&face) {
            self.game.permitted(&self.position, face, &mut moves);
        }
        if moves.is_empty() {
            return Err(format!("the die shows {first} to {last}, not {face}"));
        }
        self.die = Some(face);
        Ok(())
    }

    fn restore_die(&mut self, face: Option<u8>) {
        self.die = face;
    }

    fn roll(&mut self) -> Result<u8, Refusal> {
        self.faces().ok_or("this game has no die")?;
        self.goes_on()?;
        if let Some(face) = self.die {
            return Err(format!("the die shows {face} already"));
        }
        let (face, _) = self.luck.draw(&self.game, &self.position);
        self.die = Some(face);
        Ok(face)
    }

    fn play(&mut self, text: &str) -> Result<(), Refusal> {
        let (outcome, legal) = self.permitted()?;
        let ours = match self.grid {
            true => {
                (self.game.on_grid(text, true)).ok_or_else(|| format!("'{text}' is no move"))?
            }
            false => text.to_owned(),
        };
        let read = self.game.parse_move(&self.position, &ours);
        let read = read.or_else(|error| {
            let small = ours.to_ascii_lowercase();
            (self.game.parse_move(&self.position, &small)).map_err(|_| error)
        });
        let mv = read.map_err(|error| error.problem)?;
        if !legal.contains(&mv) {
            return Err(format!("{text} is not permitted with a {outcome}"));
        }
        self.make(outcome, mv);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some((position, outcome, _)) = self.plies.pop() else {
            return false;
        };
        (self.position, self.die) = (position, Self::has_chance().then_some(outcome));
        true
    }

    fn think(&mut self, time: Option<Duration>) -> Result<Choice, Refusal> {
        let (_, legal) = self.permitted()?;
        let (began, position) = (Instant::now(), self.position);
        let ((_, player), _) = self.asked(time, false)?;
        let decision = player.decide(&position, &legal);
        let failure = player.failure();
        self.asked_enough();
        if failure.is_some() || !legal.contains(&decision.best) {
            return Err(format!("the player made no move: {failure:?}"));
        }
        Ok(Choice {
            mv: self.written_move(&position, decision.best),
            value: decision.value,
            cost: cost(decision.stats, began),
        })
    }

    fn rate(&mut self, time: Option<Duration>) -> Result<Rates, Refusal> {
        self.goes_on()?;
        let legal = self.permitted().ok().map(|(_, moves)| moves);
        let (began, position) = (Instant::now(), self.position);
        let ((_, player), is_timed) = self.asked(time, true)?;
        let analysis = player.analyse(&position, legal.as_deref());
        let moves: Vec<G::Move> = analysis.moves.iter().map(|&(mv, _)| mv).collect();
        let exact = player.exact_scores(&position, &moves);
        self.asked_enough();
        let mut rates = self.rates(&analysis, cost(analysis.stats, began), is_timed);
        if let Some((_, scores)) = exact {
            for (rate, score) in rates.moves.iter_mut().zip(scores) {
                rate.exact = Some(score);
            }
        }
        best_first(&mut rates);
        Ok(rates)
    }

    fn value(&mut self) -> Result<f32, Refusal> {
        let value = match self.permitted() {
            Ok(_) => self.rate(None)?.moves.first().and_then(|best| best.value),
            Err(_) => {
                self.goes_on()?;
                let position = self.position;
                let ((_, player), _) = self.asked(None, false)?;
                let value = player.value(&position).value;
                self.asked_enough();
                value
            }
        };
        value.ok_or_else(|| format!("{} rates no moves", self.notation))
    }

    fn prove(&mut self, time: Duration) -> Result<Rates, Refusal> {
        let (_, legal) = self.permitted()?;
        let milliseconds = milliseconds(time.min(self.terms.longest).min(LONGEST));
        let told = match G::PROVING {
            "" => String::new(),
            told => format!(", {told}"),
        };
        let prover = format!("mcts(ms={milliseconds}, leaf=playout, memory={MEMORY}{told})");
        let recipe = self.game.player(&prover);
        let mut player = recipe.map_err(|error| error.to_string())?.make();
        player.new_game(self.seed(SeedSpace::Player));
        let began = Instant::now();
        let analysis = player.analyse(&self.position, Some(&legal));
        let mut rates = self.rates(&analysis, cost(analysis.stats, began), true);
        best_first(&mut rates);
        Ok(rates)
    }

    fn player(&self) -> String {
        self.notation.to_string()
    }

    fn set_player(&mut self, notation: &str) -> Result<(), Refusal> {
        let permitted = (self.terms.permit)(notation)?;
        let wrong = |error: engine::play::notation::PlayerError| error.to_string();
        let read = Notation::parse(&permitted).map_err(wrong)?;
        self.game.player(&permitted).map_err(wrong)?;
        (self.notation, self.made) = (read, None);
        Ok(())
    }

    fn option(&self, key: &str) -> Option<String> {
        let mut arguments = self.notation.arguments.iter();
        let argument = arguments.find(|argument| argument.key.as_deref() == Some(key));
        argument.map(|argument| argument.value.to_string())
    }

    fn set_option(&mut self, key: &str, value: &str) -> Result<(), Refusal> {
        let value = Notation::parse(value).map_err(|error| error.to_string())?;
        let mut changed = without(self.notation.clone(), &[key]);
        if value.name != "default" {
            if LIMITS.contains(&key) {
                changed = without(changed, &LIMITS);
            }
            changed = changed.with(key, value);
        }
        self.set_player(&changed.to_string())
    }

    fn options(&self) -> Vec<String> {
        // Whoever reads a notation says what it takes when it is given what it does not take.
        let wrong = self.notation.clone().with("?", Notation::new("?"));
        let problem = self.game.player(&wrong.to_string()).err();
        let problem = problem.map_or(String::new(), |error| error.problem);
        let keys = problem.split_once(" takes ").map_or("", |(_, keys)| keys);
        keys.split(", ")
            .filter(|key| !["", "none"].contains(key))
            .map(str::to_owned)
            .collect()
    }

    fn set_grid(&mut self, on: bool) -> Result<(), Refusal> {
        if on && self.game.on_grid("a1", false).is_none() {
            return Err(format!("{} has no other coordinates", G::NAME));
        }
        self.grid = on;
        Ok(())
    }
}

/// The seat that is called black where colours are black and white: by the first letter of its name,
/// else the first.
pub(crate) fn black(titles: [&str; 2]) -> usize {
    usize::from(titles[1].starts_with('B'))
}

/// Without the arguments of some keys.
fn without(mut notation: Notation, keys: &[&str]) -> Notation {
    let named = |argument: &Argument| keys.contains(&argument.key.as_deref().unwrap_or_default());
    notation.arguments.retain(|argument| !named(argument));
    notation
}

/// A player's notation with a time limit in place of its own.
fn timed(notation: Notation, time: Duration) -> Notation {
    let mut timed = without(notation, &REPLACED);
    if timed.name == "mcts" {
        // Its first value without a key is a limit, too.
        timed.arguments.retain(|argument| argument.key.is_some());
    }
    timed.with("ms", Notation::new(milliseconds(time)))
}

fn milliseconds(time: Duration) -> String {
    let milliseconds = (time.as_secs_f64() * 100_000.0).round() / 100.0;
    milliseconds.max(0.01).to_string()
}

fn cost(stats: SearchStats, began: Instant) -> Cost {
    Cost {
        nodes: stats.nodes,
        depth: stats.depth,
        time: began.elapsed(),
    }
}

/// Sorts moves: the one that begins the line first, then by what is known of them.
fn best_first(rates: &mut Rates) {
    let best = rates.line.first().cloned();
    rates.moves.sort_by(|one, other| {
        let key = |rate: &Rate| {
            (
                Some(&rate.mv) == best.as_ref(),
                rate.visits.unwrap_or(0),
                rate.value.unwrap_or(-1.0),
            )
        };
        let (one, other) = (key(one), key(other));
        (other.0.cmp(&one.0))
            .then(other.1.cmp(&one.1))
            .then(other.2.total_cmp(&one.2))
    });
}
