//! A game that is under way between two seats, by its text, and the player that is asked about it.
//!
//! Invariant: what is refused changes nothing, and says why in one line.

mod asking;

pub(crate) use asking::{Asked, Choice, Rate, Rates, value_of};

use crate::{Next, ProtocolGame, Terms};
use engine::core::{
    game::{Chance, OutcomeList},
    random::{RandomStream, SeedSpace, derive_seed},
};
use engine::play::{
    notation::{Notation, trusted},
    player::Player,
    registry::PlainGame,
};

const NO_GAME: &str = "there is no game in this text";
const NO_FORM: &str = "whole games of this game have no form";

/// The seat that is called black where colours are black and white: by the first letter of its name,
/// else the first.
fn black<G: ProtocolGame>(game: &G) -> usize {
    usize::from(game.seat_title(1).starts_with('B'))
}

fn has_dice<G: ProtocolGame>() -> bool {
    G::Outcomes::BOUND > 1
}

/// The game, its history, and its player.
pub(crate) struct Session<G: ProtocolGame> {
    pub(crate) game: G,
    pub(crate) position: G::Position,
    /// What was rolled, if the move is still to come.
    pub(crate) die: Option<u8>,
    /// Whether cells are named by the game's other coordinates.
    pub(crate) grid: bool,
    player: Notation,
    /// Whether the player was asked for, or is the usual one.
    is_asked: bool,
    /// What comes after the line that is answered.
    pub(crate) next: Next,
    terms: Terms,
    /// A player with the notation that it was made of.
    made: Option<(String, Box<dyn Player<G>>)>,
    games: u64,
    luck: G::Luck,
    start: G::Position,
    plies: Vec<(G::Position, u8, G::Move)>,
}

impl<G: ProtocolGame> Session<G> {
    pub(crate) fn open(game: G, player: Option<&Notation>, terms: Terms) -> Result<Self, String> {
        let (name, seats) = (game.notation(), game.seats());
        if seats != 2 {
            return Err(format!(
                "game '{name}': the protocols are for two seats, not {seats}"
            ));
        }
        let position = game.random_start(&mut RandomStream::new(0), 0);
        let mut session = Self {
            luck: game.luck(0),
            die: None,
            grid: false,
            player: Notation::new("random"),
            is_asked: false,
            next: Next::Line,
            terms,
            made: None,
            games: 0,
            start: position,
            plies: Vec::new(),
            position,
            game,
        };
        let usual = || Notation::parse(&session.usual_player()).map_err(|error| error.to_string());
        let notation = player.map_or_else(usual, |player| Ok(player.clone()))?;
        session.set_player(&notation)?;
        session.is_asked = player.is_some();
        session.clear();
        Ok(session)
    }

    /// Begins a new game; where either seat may begin, it is the one that is called black.
    pub(crate) fn clear(&mut self) {
        let mut random = RandomStream::new(self.seed(SeedSpace::Arena));
        let start = self.game.random_start(&mut random, self.black());
        self.begin(start, None);
    }

    /// Goes over to another game, with a player that was asked for if it plays that.
    pub(crate) fn change_game(&mut self, game: &Notation) -> Result<(), String> {
        let player = self.is_asked.then_some(&self.player);
        let open = &self.terms.open;
        let other = open(game, player).or_else(|_| open(game, None));
        self.next = Next::Other(other?);
        Ok(())
    }

    /// What comes next, once.
    pub(crate) fn next(&mut self) -> Next {
        std::mem::replace(&mut self.next, Next::Line)
    }

    fn begin(&mut self, start: G::Position, die: Option<u8>) {
        self.games += 1;
        (self.start, self.position, self.die) = (start, start, die);
        self.plies.clear();
        self.reseed();
    }

    fn seed(&self, purpose: SeedSpace) -> u64 {
        derive_seed(self.terms.seed, purpose, &[self.games])
    }

    /// Draws anew, by the seed and how many games there were.
    fn reseed(&mut self) {
        self.luck = self.game.luck(self.seed(SeedSpace::Arena));
        let seed = self.seed(SeedSpace::Player);
        if let Some((_, player)) = &mut self.made {
            player.new_game(seed);
        }
    }

    pub(crate) fn set_seed(&mut self, seed: u64) {
        (self.terms.seed, self.games) = (seed, 0);
        self.reseed();
    }

    /// The game with another value of a parameter, in notation.
    pub(crate) fn with_parameter(&self, key: &str, value: &str) -> Result<Notation, String> {
        // The file of a map that is played on was named by the user.
        let game = self.game.notation();
        let notation = Notation::parse(trusted(&game)).map_err(|error| error.problem)?;
        let value = Notation::parse(value).map_err(|error| error.problem)?;
        Ok(notation.without(&[key]).with(key, value))
    }

    pub(crate) fn set_position(&mut self, text: &str) -> Result<(), String> {
        let read = self.game.parse_position(text);
        let (position, die) = read.map_err(|error| error.to_string())?;
        self.begin(position, die);
        Ok(())
    }

    /// Goes to the end of a game in the game's first form of whole games.
    pub(crate) fn set_game(&mut self, text: &str) -> Result<(), String> {
        let game = self.read_games(text)?.pop();
        self.follow(game.ok_or(NO_GAME)??, usize::MAX);
        Ok(())
    }

    /// Goes to the end of the first game of a file, or to before its move of a number, from 1.
    /// Whatever the other games are.
    pub(crate) fn load(&mut self, file: &str, before: Option<usize>) -> Result<(), String> {
        let text = (self.terms.read_file)(file)?;
        let game = self.read_games(&text)?.into_iter().next();
        let plies = before.map_or(usize::MAX, |number| number.saturating_sub(1));
        self.follow(game.ok_or(NO_GAME)??, plies);
        Ok(())
    }

    fn follow(&mut self, game: PlainGame<G>, plies: usize) {
        self.begin(game.start, None);
        for (outcome, mv) in game.plies.into_iter().take(plies) {
            self.make(outcome, mv);
        }
    }

    /// The games of a text that [`Session::written`] may have written, or what is wrong with each.
    fn read_games(&self, text: &str) -> Result<Vec<Result<PlainGame<G>, String>>, String> {
        let form = G::transcripts().first().ok_or(NO_FORM)?;
        let games = (form.read)(&self.game, text.as_bytes()).into_iter();
        Ok(games
            .map(|game| game.map_err(|error| error.to_string()))
            .collect())
    }

    /// The game so far, in the game's first form.
    pub(crate) fn written(&self) -> Result<String, String> {
        let form = G::transcripts().first().ok_or(NO_FORM)?;
        let plies = self.plies.iter().map(|&(_, outcome, mv)| (outcome, mv));
        let game = PlainGame {
            start: self.start,
            plies: plies.collect(),
            players: vec![String::new(); 2],
            result: None,
        };
        (form.write)(&self.game, &game)
    }

    /// The seat that is called black.
    pub(crate) fn black(&self) -> usize {
        black(&self.game)
    }

    /// How the game ended: who won, `Some(None)` for a draw; `None` before the end.
    pub(crate) fn winner(&self) -> Option<Option<usize>> {
        let payoffs = self.game.payoffs(&self.position)?;
        let loses = |seat: &usize| payoffs[*seat] < payoffs[1 - seat];
        Some((0..2).find(loses).map(|seat| 1 - seat))
    }

    pub(crate) fn has_dice() -> bool {
        has_dice::<G>()
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
        match Self::has_dice() {
            true => self.goes_on(),
            false => Err("this game has no die".to_owned()),
        }
    }

    pub(crate) fn goes_on(&self) -> Result<(), String> {
        match self.game.payoffs(&self.position) {
            None => Ok(()),
            Some(_) => Err("the game is over".to_owned()),
        }
    }

    /// The outcome that counts, and the moves that it permits.
    pub(crate) fn permitted(&self) -> Result<(u8, G::Moves), String> {
        self.goes_on()?;
        let unrolled = (!Self::has_dice()).then_some(0);
        let outcome = self.die.or(unrolled);
        let outcome = outcome.ok_or("the die has not been rolled")?;
        let mut moves = G::Moves::default();
        self.game.permitted(&self.position, outcome, &mut moves);
        Ok((outcome, moves))
    }

    /// A move of the position, permitted or not, in the coordinates that are in use.
    pub(crate) fn read_move(&self, text: &str) -> Result<G::Move, String> {
        let named = self.grid.then(|| self.game.on_grid(text, true));
        let ours = named.unwrap_or_else(|| Some(text.to_owned()));
        let ours = ours.ok_or_else(|| format!("'{text}' is no move"))?;
        let read = |text: &str| self.game.parse_move(&self.position, text);
        let mv = read(&ours).or_else(|error| read(&ours.to_lowercase()).map_err(|_| error));
        mv.map_err(|error| error.problem)
    }

    pub(crate) fn play(&mut self, text: &str) -> Result<(), String> {
        let (outcome, legal) = self.permitted()?;
        let mv = self.read_move(text)?;
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
}
