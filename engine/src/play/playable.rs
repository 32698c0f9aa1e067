//! `Playable`: all that everybody but search may know of a game.
//!
//! Search knows [`crate::core::game::Game`] alone. All others know this trait, and nothing of any one game. Invariant:
//! what is written reads back as the same value, as text and as bytes.

use super::{
    build::{self, PlayerRecipe},
    notation::{Arguments, Notation, PlayerError, Problem, Text},
    registry::{
        AnyEvaluator, EvaluatorEntry, OracleEntry, PlayerEntry, PlayoutEntry, TranscriptForm,
    },
};
use crate::core::{
    game::{ChanceSource, List, MAX_SEATS, Outcome, OutcomeList, Seat},
    random::{RandomStream, SeedSpace, derive_seed},
    search_game::SearchGame,
    text::TextError,
};
use std::{ops::RangeInclusive, sync::Arc};

/// Chance that can be had again from its beginning: the second game of a pair meets the outcomes of
/// the first.
pub trait Repeatable {
    /// Starts again with the first outcomes.
    fn rewind(&mut self);
}

/// A game with all that is needed to play, record and learn it.
pub trait Playable: SearchGame {
    /// Its name on the command line, in shards and in models.
    const NAME: &'static str;

    /// The parameters that [`Playable::from_arguments`] reads, with their values, for help texts:
    /// `size=8|6|4`.
    const PARAMETERS: &'static str = "";

    /// Random plies that a match begins with where nothing is said: more than 0 for games that
    /// nothing else tells apart.
    const OPENING_PLIES: usize = 0;

    /// Who plays the games that others learn from, and how often, where nothing is said.
    const TEACHERS: &'static [(&'static str, f64)] = &[("mcts(sims=400, leaf=playout)", 1.0)];

    /// Settings of a pipeline by name, as TOML: the whole way from self-play to a report. The first
    /// is the one for minutes.
    const PIPELINES: &'static [(&'static str, &'static str)] = &[];

    /// Settings of learning in generations, likewise.
    const GENERATIONS: &'static [(&'static str, &'static str)] = &[];

    /// What `mcts` is told where its notation says nothing of a key: `leaf=playout, rave=1000`.
    const SEARCH: &'static str = "";

    /// What [`Playable::remaining`] counts, in one word: `stones`.
    const REMAINING: &'static str;

    /// What [`crate::core::search_game::SearchHints::move_class`] tells apart, from quiet moves on, at most four, each with the weight
    /// that playouts give it where nothing is said.
    const URGENCIES: &'static [(&'static str, u32)] = &[("quiet", 1), ("forcing", 4)];

    /// What is drawn from in game after game.
    type Luck: ChanceSource<Self> + Send;

    /// What both games of a pair draw from: the k-th outcome of a seat depends on the seed and k
    /// alone.
    type PairedLuck: ChanceSource<Self> + Repeatable + Send;

    /// The learned evaluator that notation calls `best`, as the content of its file: the one for
    /// searches.
    fn best(&self) -> Option<&'static [u8]> {
        None
    }

    /// The rules that parameters name, as in `--game "name(key=value)"`.
    ///
    /// # Errors
    /// If a parameter has no such value. Parameters that are left are the caller's business.
    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem>;

    /// As [`Playable::from_arguments`], where a record carries the text of a map: it stands for the
    /// file that a parameter names.
    ///
    /// # Errors
    /// As [`Playable::from_arguments`], or if the game has no maps or the text is none.
    fn from_map(arguments: &mut Arguments<'_>, map: &str) -> Result<Self, Problem> {
        let _ = (arguments, map);
        Err((1, format!("{} has no maps", Self::NAME)))
    }

    /// The rules that a notation names: what [`Playable::notation`] wrote, with the text of the map
    /// if it has one.
    ///
    /// # Errors
    /// If it names another game, or a parameter is wrong; or if that names a file and the text is not
    /// [trusted](super::notation::trusted).
    fn from_notation<'t>(
        text: impl Into<Text<'t>>,
        map: Option<&str>,
    ) -> Result<Self, PlayerError> {
        let text = text.into();
        let rules = Self::of_notation(&Notation::parse(text)?, map);
        rules.map_err(|problem| PlayerError::of(text, problem))
    }

    /// The same of a notation that was read.
    ///
    /// # Errors
    /// As [`Playable::from_notation`].
    fn of_notation(notation: &Notation, map: Option<&str>) -> Result<Self, Problem> {
        let mut arguments = Arguments::of(notation);
        let rules = if notation.name != Self::NAME {
            let (found, name) = (&notation.name, Self::NAME);
            Err(notation.wrong(format!("the game is '{found}', not '{name}'")))
        } else if let Some(map) = map {
            Self::from_map(&mut arguments, map)
        } else {
            Self::from_arguments(&mut arguments)
        };
        rules.and_then(|rules| arguments.finish().map(|()| rules))
    }

    /// The text of the map, for games whose boards are read from files; records carry it.
    fn map(&self) -> Option<String> {
        None
    }

    /// The parameters that differ from the usual ones, as [`Playable::from_arguments`] reads them:
    /// `variant=nearest`; empty for the usual rules.
    fn parameters(&self) -> String {
        String::new()
    }

    /// Name and parameters: `reversi`, `reversi(size=6)`.
    fn notation(&self) -> String {
        match self.parameters() {
            none if none.is_empty() => Self::NAME.to_owned(),
            parameters => format!("{}({parameters})", Self::NAME),
        }
    }

    /// What other programs that play along are told of the rules, in one word.
    fn told(&self) -> String {
        self.notation()
    }

    /// The evaluators that have a name; the first of them is taken where none is named.
    fn evaluators() -> &'static [EvaluatorEntry<Self>];

    /// The game's own players, beside those that every game has.
    #[must_use]
    fn players() -> &'static [PlayerEntry<Self>] {
        &[]
    }

    /// The game's exact knowledge, for searches.
    #[must_use]
    fn oracle() -> Option<&'static OracleEntry<Self>> {
        None
    }

    /// The game's own ways of playing on at random, for the leaves of a tree search.
    #[must_use]
    fn playouts() -> &'static [PlayoutEntry<Self>] {
        &[]
    }

    /// The forms in which other programs write whole games.
    #[must_use]
    fn transcripts() -> &'static [TranscriptForm<Self>] {
        &[]
    }

    /// The learned evaluator in the content of a file.
    ///
    /// # Errors
    /// In words, if it is none, or of another game.
    fn model(&self, content: &[u8]) -> Result<Arc<dyn AnyEvaluator<Self>>, String> {
        let _ = content;
        Err(format!("there are no models of {}", Self::NAME))
    }

    /// What [`PlayerRecipe::of`] reads. A game that ships with the engine repeats these words
    /// ([`crate::instantiate_players`]), so that its searches are compiled once, with it.
    fn player(&self, notation: &Notation) -> Result<PlayerRecipe<Self>, Problem> {
        build::read_player(notation, self)
    }

    /// What [`build::evaluator_from`] reads, as [`Playable::player`].
    fn evaluator(&self, notation: &Notation) -> Result<Arc<dyn AnyEvaluator<Self>>, Problem> {
        build::read_evaluator(notation, self)
    }

    /// The rules as a player may assume them against the truth, as its notation says: a loaded die.
    ///
    /// # Errors
    /// If an argument has no such value. Arguments that are left are the caller's business.
    fn assume(&self, arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let _ = arguments;
        Ok(self.clone())
    }

    /// The same rules with each outcome apart, where [`crate::core::game::Game::outcomes`] merges those that permit the
    /// same moves: what published searches see.
    #[must_use]
    fn outcome_by_outcome(&self) -> Self {
        self.clone()
    }

    /// At least as many plies as any game has.
    fn max_plies(&self) -> u16;

    /// Outcomes for game after game.
    fn luck(&self, seed: u64) -> Self::Luck;

    /// Outcomes for both games of a pair.
    fn paired_luck(&self, seed: u64) -> Self::PairedLuck;

    /// The moves that an outcome permits, as a record names it (see [`ChanceSource::draw`]), in list
    /// order in place of what the list held; none if there is no such outcome. The position is not
    /// over. Outcomes are numbered as [`crate::core::game::Game::outcomes`] lists them unless the game names its own.
    fn permitted(&self, position: &Self::Position, outcome: u8, moves: &mut Self::Moves) {
        self.moves(position, moves);
        let outcomes = self.outcomes(position, moves);
        let outcome = outcomes.get(usize::from(outcome));
        let run = outcome.map_or(0..0, Outcome::move_range);
        moves.copy_within(run.clone(), 0);
        moves.truncate(run.len());
    }

    /// The moves that an outcome permits, or (`None`) all that some outcome does; none once the game
    /// is over.
    fn legal(&self, position: &Self::Position, outcome: Option<u8>) -> Self::Moves {
        let mut moves = Self::Moves::default();
        match outcome {
            _ if self.payoffs(position).is_some() => {}
            Some(outcome) => self.permitted(position, outcome, &mut moves),
            None => self.moves(position, &mut moves),
        }
        moves
    }

    /// A random position that is not over, with `first` to move and so much left, all numbers
    /// within the range (ends included) equally likely; `None` if the game knows no way to draw
    /// one.
    fn random_endgame(
        &self,
        remaining: [usize; 2],
        first: Seat,
        random: &mut RandomStream,
    ) -> Option<Self::Position> {
        let _ = (remaining, first, random);
        None
    }

    /// The outcomes that chance may bring, as a record names them.
    fn outcome_names(&self) -> RangeInclusive<u8> {
        0..=(Self::Outcomes::CAPACITY - 1) as u8
    }

    /// The first position of a game in which `first` is to begin, unless the same seat always does.
    fn random_start(&self, random: &mut RandomStream, first: Seat) -> Self::Position;

    /// How much of the game is left, for tables by phase: [`Playable::REMAINING`] on the board.
    fn remaining(&self, position: &Self::Position) -> usize;

    /// Reads a position and what chance has said of it, if the text says that.
    ///
    /// # Errors
    /// If the text is no position of this game: the error names the character.
    fn parse_position(&self, text: &str) -> Result<(Self::Position, Option<u8>), TextError>;

    /// Writes a position; `outcome` is `None` before chance has spoken.
    fn format_position(&self, position: &Self::Position, outcome: Option<u8>) -> String;

    /// Reads a move of a position; whether chance permits it is not checked.
    fn parse_move(&self, position: &Self::Position, text: &str) -> Result<Self::Move, TextError> {
        let moves = self.legal(position, None);
        let mut moves = moves.iter().copied();
        moves
            .find(|&mv| self.format_move(position, mv) == text)
            .ok_or_else(|| TextError::new(1, format!("'{text}' is no move of this position")))
    }

    /// Writes a move of a position.
    fn format_move(&self, position: &Self::Position, mv: Self::Move) -> String;

    /// A seat as JSON names it: `r`; letters from `a` on unless the game knows better.
    fn seat_name(&self, seat: Seat) -> &'static str {
        ["a", "b", "c", "d", "e", "f", "g", "h"][seat]
    }

    /// Whether those who have won are told as a list of seats, counted from 1.
    const WINNERS_ARE_LISTED: bool = false;

    /// How a game that is over was won, for games that tell ways apart; `None` before the end.
    fn ways_won(&self, position: &Self::Position) -> Option<Vec<&'static str>> {
        let _ = position;
        None
    }

    /// What a game that is over counts (`discs`), and by how much the side to move leads in it, for
    /// games that count anything; `None` before the end.
    fn final_score(&self, position: &Self::Position) -> Option<(&'static str, i32)> {
        let _ = position;
        None
    }

    /// A seat as people name it: `Red`.
    fn seat_title(&self, seat: Seat) -> &'static str {
        self.seat_name(seat)
    }

    /// The position as lines of text for people, with whose turn it is.
    fn draw(&self, position: &Self::Position, outcome: Option<u8>) -> String {
        self.format_position(position, outcome)
    }

    /// The position as one `<svg>` element that needs nothing from outside, by default
    /// [`Playable::draw`]'s text.
    fn svg(&self, position: &Self::Position, outcome: Option<u8>) -> String {
        svg_of_text(&self.draw(position, outcome))
    }

    /// Appends the bytes of a position: few, and always the same; its text unless the game packs.
    fn encode(&self, position: &Self::Position, bytes: &mut Vec<u8>) {
        let text = self.format_position(position, None);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.into_bytes());
    }

    /// Takes the bytes of a position off the front.
    fn decode(&self, bytes: &mut &[u8]) -> Result<Self::Position, String> {
        let split = bytes.split_first_chunk();
        let split = split
            .and_then(|(&length, rest)| rest.split_at_checked(u32::from_le_bytes(length) as usize));
        let (text, rest) = split.ok_or("the text of a position is cut off")?;
        let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let (position, _) = self
            .parse_position(text)
            .map_err(|error| error.to_string())?;
        *bytes = rest;
        Ok(position)
    }

    /// How many symmetries leave the value of every position as it is, the identity included.
    fn symmetries(&self) -> usize {
        1
    }

    /// The position that a symmetry, below [`Playable::symmetries`], turns this one into; 0 changes
    /// nothing.
    fn image(&self, position: &Self::Position, symmetry: usize) -> Self::Position {
        let _ = symmetry;
        *position
    }

    /// Whether a position, or one that is alike, is kept for judging: training leaves it out.
    fn is_held_out(&self, position: &Self::Position) -> bool {
        let _ = position;
        false
    }

    /// The outcome of chance that permits in the image what this one permits in the position.
    fn outcome_image(&self, outcome: u8, symmetry: usize) -> u8 {
        let _ = symmetry;
        outcome
    }

    /// A move in the image of its position: a number that no other move there has, and the symmetry
    /// that makes the image of the position after it. `None` if the game does not say so: then no
    /// game is known to be the image of another.
    fn move_image(&self, mv: Self::Move, symmetry: usize) -> Option<(u32, usize)> {
        let _ = (mv, symmetry);
        None
    }

    /// The position with colours swapped, the seat to move included, if the rules make no difference
    /// between seats: outcomes, numbers of moves and the mover's value stay as they are. Otherwise
    /// the position itself.
    fn swap_colours(&self, position: &Self::Position) -> Self::Position {
        *position
    }
}

/// Chance as [`crate::core::game::Game::outcomes`] lists it, for games that keep [`Playable::permitted`] as it is.
#[derive(Clone, Debug)]
pub struct ListedChance {
    seed: u64,
    seats: Vec<RandomStream>,
}

impl ListedChance {
    /// Streams of their own for all seats, from one seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let stream = |seat| RandomStream::new(derive_seed(seed, SeedSpace::Arena, &[seat]));
        Self {
            seed,
            seats: (0..MAX_SEATS as u64).map(stream).collect(),
        }
    }
}

impl<G: SearchGame> ChanceSource<G> for ListedChance {
    fn draw(&mut self, game: &G, position: &G::Position) -> (u8, G::Moves) {
        let mut moves = G::Moves::default();
        game.moves(position, &mut moves);
        let outcomes = game.outcomes(position, &moves);
        let mut rest = self.seats[game.to_move(position)].unit() as f32;
        let passes = |outcome: &&Outcome| {
            rest -= outcome.weight;
            rest >= 0.0
        };
        let drawn = outcomes.iter().take_while(passes).count();
        let drawn = drawn.min(outcomes.len() - 1);
        let run = outcomes[drawn].move_range();
        moves.copy_within(run.clone(), 0);
        moves.truncate(run.len());
        (drawn as u8, moves)
    }
}

impl Repeatable for ListedChance {
    fn rewind(&mut self) {
        *self = Self::new(self.seed);
    }
}

/// Lines of text as one `<svg>` element.
fn svg_of_text(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let width = text.lines().map(|line| line.chars().count()).max();
    let (width, height) = (10 * width.unwrap_or(0) + 20, 20 * text.lines().count() + 20);
    let line = |(line, text)| {
        let y = 20 * line + 25;
        format!("<text x=\"10\" y=\"{y}\" xml:space=\"preserve\">{text}</text>")
    };
    let lines: String = text.lines().enumerate().map(line).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"16\">{lines}</svg>"
    )
}

/// What is said of a game without chance inside its `impl` of [`Playable`], where the game itself says
/// how it begins and how positions and moves are written, and its module `drawing` how it looks.
macro_rules! without_chance {
    () => {
        type Luck = $crate::play::playable::NoChance;
        type PairedLuck = $crate::play::playable::NoChance;

        fn luck(&self, _: u64) -> Self::Luck {
            $crate::play::playable::NoChance
        }

        fn paired_luck(&self, _: u64) -> Self::PairedLuck {
            $crate::play::playable::NoChance
        }

        fn random_start(
            &self,
            _: &mut $crate::core::random::RandomStream,
            _: $crate::core::game::Seat,
        ) -> Self::Position {
            self.start()
        }

        fn parse_position(
            &self,
            text: &str,
        ) -> Result<(Self::Position, Option<u8>), $crate::core::text::TextError> {
            Self::parse_position(self, text).map(|position| (position, None))
        }

        fn format_position(&self, position: &Self::Position, _: Option<u8>) -> String {
            Self::format_position(self, position)
        }

        fn parse_move(
            &self,
            position: &Self::Position,
            text: &str,
        ) -> Result<Self::Move, $crate::core::text::TextError> {
            Self::parse_move(self, position, text)
        }

        fn format_move(&self, _: &Self::Position, mv: Self::Move) -> String {
            Self::format_move(self, mv)
        }

        fn draw(&self, position: &Self::Position, _: Option<u8>) -> String {
            drawing::text(self, position)
        }

        fn svg(&self, position: &Self::Position, _: Option<u8>) -> String {
            drawing::svg(self, position)
        }
    };
}
pub(crate) use without_chance;

/// Chance of a game that has none: the one outcome permits every move.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoChance;

impl<G: SearchGame> ChanceSource<G> for NoChance {
    fn draw(&mut self, game: &G, position: &G::Position) -> (u8, G::Moves) {
        let mut moves = G::Moves::default();
        game.moves(position, &mut moves);
        (0, moves)
    }
}

impl Repeatable for NoChance {
    fn rewind(&mut self) {}
}
