//! Session: a game of two seats in progress and its player. A refused change leaves the session as
//! it was; errors are one line.

mod engine_player;
mod query;
#[cfg(test)]
mod tests;

pub(crate) use engine_player::value_of;
pub(crate) use query::{Choice, MoveAnalysis, Query};

use crate::{Action, SessionConfig};
use alea_core::{
    game::{ChanceSource, OutcomeList},
    random::{RandomStream, SeedSpace, derive_seed},
};
use alea_play::{
    playable::Playable,
    player_notation::{Notation, trusted_text},
    registry::PlainGame,
};
use engine_player::EnginePlayer;

const NO_GAME_ERROR: &str = "there is no game in this text";
const NO_FORMAT_ERROR: &str = "whole games of this game have no form";

pub(crate) struct Session<G: Playable> {
    pub(crate) game: G,
    pub(crate) position: G::Position,
    pub(crate) die: Option<u8>,
    pub(crate) uses_alt_coordinates: bool,
    pub(crate) action: Action,
    config: SessionConfig,
    player: EnginePlayer<G>,
    is_player_named: bool,
    games: u64,
    luck: G::Chance,
    start: G::Position,
    plies: Vec<(G::Position, u8, G::Move)>,
}

impl<G: Playable> Session<G> {
    pub(crate) fn open(
        game: G,
        player: Option<&Notation>,
        config: SessionConfig,
    ) -> Result<Self, String> {
        let (name, seats) = (game.notation(), game.seats());
        if seats != 2 {
            return Err(format!(
                "game '{name}': the protocols are for two seats, not {seats}"
            ));
        }
        let position = game.random_start(&mut RandomStream::new(0), 0);
        let default = || query::default_player(&game, &config);
        let spec = player.cloned().unwrap_or_else(default);
        let spec = (config.player_policy)(&spec)?;
        let mut session = Self {
            luck: game.chance(0),
            die: None,
            uses_alt_coordinates: false,
            action: Action::Continue,
            player: EnginePlayer::new(spec, &game)?,
            is_player_named: player.is_some(),
            config,
            games: 0,
            start: position,
            plies: Vec::new(),
            position,
            game,
        };
        session.start_new_game();
        Ok(session)
    }

    /// Starts a game in which Black is to move, if the game permits that.
    pub(crate) fn start_new_game(&mut self) {
        let mut random = RandomStream::new(self.seed(SeedSpace::Arena));
        let start = self.game.random_start(&mut random, self.black_seat());
        self.begin(start, None);
    }

    /// Opens another game. A player that the user named stays if that game supports it.
    pub(crate) fn change_game(&mut self, game: &Notation) -> Result<(), String> {
        let player = self.is_player_named.then_some(self.player.spec());
        let open = &self.config.open;
        let other = open(game, player).or_else(|_| open(game, None));
        self.action = Action::Replace(other?);
        Ok(())
    }

    pub(crate) fn take_action(&mut self) -> Action {
        std::mem::replace(&mut self.action, Action::Continue)
    }

    /// Sets the start of a new game; the player drops its tree and table.
    fn begin(&mut self, start: G::Position, die: Option<u8>) {
        self.jump_to(start, die);
        self.player.new_game(self.seed(SeedSpace::Player));
    }

    /// Sets the start of the game; the player keeps its tree and table.
    fn jump_to(&mut self, start: G::Position, die: Option<u8>) {
        self.games += 1;
        (self.start, self.position, self.die) = (start, start, die);
        self.plies.clear();
        self.luck = self.game.chance(self.seed(SeedSpace::Arena));
    }

    fn seed(&self, purpose: SeedSpace) -> u64 {
        derive_seed(self.config.seed, purpose, &[self.games])
    }

    pub(crate) fn set_seed(&mut self, seed: u64) {
        (self.config.seed, self.games) = (seed, 0);
        self.luck = self.game.chance(self.seed(SeedSpace::Arena));
        self.player.new_game(self.seed(SeedSpace::Player));
    }

    pub(crate) fn with_parameter(&self, key: &str, value: &str) -> Result<Notation, String> {
        // The current game may name a map file, since the user chose it.
        let game = self.game.notation();
        let notation = Notation::parse(trusted_text(&game)).map_err(|error| error.problem)?;
        let value = Notation::parse(value).map_err(|error| error.problem)?;
        Ok(notation.without_arguments(&[key]).with_argument(key, value))
    }

    pub(crate) fn set_position(&mut self, text: &str) -> Result<(), String> {
        let (position, die) = self.parse_position(text)?;
        self.begin(position, die);
        Ok(())
    }

    /// Sets a position of the same game; the player keeps its tree and table.
    pub(crate) fn continue_at(&mut self, text: &str) -> Result<(), String> {
        let (position, die) = self.parse_position(text)?;
        self.jump_to(position, die);
        Ok(())
    }

    fn parse_position(&self, text: &str) -> Result<(G::Position, Option<u8>), String> {
        let parsed = self.game.parse_position(text);
        parsed.map_err(|error| error.to_string())
    }

    /// Loads the last game in `text`; the player keeps its tree and table if that game continues
    /// the current one.
    pub(crate) fn set_transcript(&mut self, text: &str) -> Result<(), String> {
        let game = self.read_games(text)?.pop().ok_or(NO_GAME_ERROR)??;
        let own_plies = self.plies.iter().map(|&(_, outcome, mv)| (outcome, mv));
        let same_plies = (game.plies.iter())
            .zip(own_plies)
            .all(|(one, own)| *one == own);
        match game.start == self.start && same_plies && game.plies.len() >= self.plies.len() {
            true => self.jump_to(game.start, None),
            false => self.begin(game.start, None),
        }
        self.replay(game, usize::MAX);
        Ok(())
    }

    /// Loads the first game of a file, without move number `before` (from 1) and later ones if
    /// given.
    pub(crate) fn load_game(&mut self, file: &str, before: Option<usize>) -> Result<(), String> {
        let text = (self.config.read_file)(file)?;
        let game = self.read_games(&text)?.into_iter().next();
        let game = game.ok_or(NO_GAME_ERROR)??;
        self.begin(game.start, None);
        let plies = before.map_or(usize::MAX, |number| number.saturating_sub(1));
        self.replay(game, plies);
        Ok(())
    }

    fn replay(&mut self, game: PlainGame<G>, plies: usize) {
        for (outcome, mv) in game.plies.into_iter().take(plies) {
            self.make_move(outcome, mv);
        }
    }

    fn read_games(&self, text: &str) -> Result<Vec<Result<PlainGame<G>, String>>, String> {
        let form = G::registry().transcripts.first().ok_or(NO_FORMAT_ERROR)?;
        let games = (form.read)(&self.game, text.as_bytes()).into_iter();
        Ok(games
            .map(|game| game.map_err(|error| error.to_string()))
            .collect())
    }

    pub(crate) fn transcript(&self) -> Result<String, String> {
        let form = G::registry().transcripts.first().ok_or(NO_FORMAT_ERROR)?;
        let plies = self.plies.iter().map(|&(_, outcome, mv)| (outcome, mv));
        let game = PlainGame {
            start: self.start,
            plies: plies.collect(),
            players: vec![String::new(); 2],
            result: None,
        };
        (form.write)(&self.game, &game)
    }

    /// Seat that GTP calls black: the one whose title begins with B, else seat 0.
    pub(crate) fn black_seat(&self) -> usize {
        usize::from(self.game.seat_title(1).starts_with('B'))
    }

    /// Winner of a finished game, `Some(None)` for a draw; `None` before the end.
    pub(crate) fn winner(&self) -> Option<Option<usize>> {
        let payoffs = self.game.payoffs(&self.position)?;
        let loses = |seat: &usize| payoffs[*seat] < payoffs[1 - seat];
        Some((0..2).find(loses).map(|seat| 1 - seat))
    }

    pub(crate) fn has_dice() -> bool {
        G::Outcomes::CAPACITY > 1
    }

    pub(crate) fn set_die(&mut self, name: &str) -> Result<(), String> {
        self.check_can_roll()?;
        self.die = Some(self.game.parse_outcome(name)?);
        Ok(())
    }

    /// Rolls, and returns the outcome's name; an error if an outcome is set.
    pub(crate) fn roll(&mut self) -> Result<String, String> {
        self.check_can_roll()?;
        if let Some(outcome) = self.die {
            let name = self.game.outcome_name(outcome);
            return Err(format!("the die shows {name} already"));
        }
        let (outcome, _) = self.luck.draw(&self.game, &self.position);
        self.die = Some(outcome);
        Ok(self.game.outcome_name(outcome))
    }

    fn check_can_roll(&self) -> Result<(), String> {
        match Self::has_dice() {
            true => self.check_not_over(),
            false => Err("this game has no die".to_owned()),
        }
    }

    pub(crate) fn check_not_over(&self) -> Result<(), String> {
        match self.game.payoffs(&self.position) {
            None => Ok(()),
            Some(_) => Err("the game is over".to_owned()),
        }
    }

    pub(crate) fn legal_moves(&self) -> Result<(u8, G::Moves), String> {
        self.check_not_over()?;
        let without_dice = (!Self::has_dice()).then_some(0);
        let outcome = self.die.or(without_dice);
        let outcome = outcome.ok_or("the die has not been rolled")?;
        let mut moves = G::Moves::default();
        self.game.allowed_moves(&self.position, outcome, &mut moves);
        Ok((outcome, moves))
    }

    pub(crate) fn parse_move(&self, text: &str) -> Result<G::Move, String> {
        let converted = match self.uses_alt_coordinates {
            true => self.game.parse_alternate_notation(text),
            false => Some(text.to_owned()),
        };
        let converted = converted.ok_or_else(|| format!("'{text}' is no move"))?;
        let parse = |text: &str| self.game.parse_move(&self.position, self.die, text);
        let mv = parse(&converted);
        let mv = mv.or_else(|error| parse(&converted.to_lowercase()).map_err(|_| error));
        mv.map_err(|error| error.problem)
    }

    pub(crate) fn format_move(&self, mv: G::Move) -> String {
        self.format_move_at(&self.position, mv)
    }

    fn format_move_at(&self, position: &G::Position, mv: G::Move) -> String {
        let text = self.game.format_move(position, mv);
        let converted = self
            .uses_alt_coordinates
            .then(|| self.game.format_alternate_notation(&text));
        converted.flatten().unwrap_or(text)
    }

    pub(crate) fn format_line(&self, line: &[G::Move]) -> Vec<String> {
        let (mut texts, mut position) = (Vec::new(), self.position);
        for &mv in line {
            if self.game.payoffs(&position).is_none() {
                texts.push(self.format_move_at(&position, mv));
                position = self.game.play(&position, mv);
            }
        }
        texts
    }

    pub(crate) fn play(&mut self, text: &str) -> Result<(), String> {
        let (outcome, legal) = self.legal_moves()?;
        let mv = self.parse_move(text)?;
        if !legal.contains(&mv) {
            return Err(format!(
                "{text} is not permitted with a {}",
                self.game.outcome_name(outcome)
            ));
        }
        self.make_move(outcome, mv);
        Ok(())
    }

    pub(crate) fn play_choice(&mut self, mv: G::Move) -> Result<(), String> {
        let (outcome, _) = self.legal_moves()?;
        self.make_move(outcome, mv);
        Ok(())
    }

    fn make_move(&mut self, outcome: u8, mv: G::Move) {
        self.plies.push((self.position, outcome, mv));
        self.position = self.game.play(&self.position, mv);
        self.die = None;
    }

    pub(crate) fn undo(&mut self) -> Result<(), String> {
        let (position, outcome, _) = self.plies.pop().ok_or("cannot undo")?;
        (self.position, self.die) = (position, Self::has_dice().then_some(outcome));
        Ok(())
    }
}
