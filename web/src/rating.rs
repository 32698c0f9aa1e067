//! What all moves of a position are worth: exactly where that is known, else by a player; and what
//! follows for each roll and before it.
//!
//! Invariant: `Σ weight · best move` over the faces is what the position is worth before the roll, in
//! `f64`.

use crate::api::Problem;
use crate::games::OnBoard;
use engine::core::{
    evaluator::others_alike,
    game::{Game, MAX_SEATS, OutcomeList, Seat},
    random::{SeedSpace, derive_seed},
};
use engine::play::{
    build::PlayerRecipe, notation::Notation, playable::Playable, player::Player,
    position_analysis::PositionAnalysis, registry::Knowledge,
};
use engine::search::SearchStats;
use engine::search::limits::Limits;
use std::array;

/// What something brings each seat, as payoffs are counted; nothing beyond the last seat.
pub type Shares = [f64; MAX_SEATS];

/// Rates the moves of one position after another.
pub struct Rater<'a, G: Playable> {
    game: &'a G,
    recipe: &'a PlayerRecipe<G>,
    known: Knowledge<G>,
    player: Box<dyn Player<G>>,
    pub(crate) limits: Limits,
}

/// All moves of a position, in list order.
pub struct Rating<M> {
    /// Who moves.
    pub seat: Seat,
    /// What each seat got, once the game is over; there are no moves then.
    pub end: Option<Shares>,
    /// The moves.
    pub moves: Vec<Rated<M>>,
    /// All rolls; without chance one that permits every move.
    pub faces: Vec<Face>,
    /// What that took.
    pub stats: SearchStats,
}

/// A move and its worth.
pub struct Rated<M> {
    /// The move.
    pub mv: M,
    /// Its text.
    pub name: String,
    /// What it brings, before the next roll; `None` from players that do not rate it.
    pub shares: Option<Shares>,
    /// What that has been worth to who moves in whole games, where that was fitted.
    pub calibrated: Option<f64>,
    /// Whether that is the value of best play.
    pub exact: bool,
}

/// What a roll permits, by places in the list of moves.
pub struct Face {
    /// As a record names it; none without chance.
    pub face: Option<u8>,
    /// Its probability.
    pub weight: f64,
    /// The moves.
    pub permitted: Vec<usize>,
}

/// Whether a game has chance.
#[must_use]
pub fn has_chance<G: Game>() -> bool {
    G::Outcomes::BOUND > 1
}

/// All rolls of a position with these moves.
fn faces<G: Playable>(game: &G, position: &G::Position, moves: &[G::Move]) -> Vec<Face> {
    let outcomes = game.outcome_by_outcome().outcomes(position, moves);
    // Probabilities are rounded to f32.
    let sum: f64 = outcomes.iter().map(|one| f64::from(one.weight)).sum();
    let named = game.outcome_names().zip(outcomes.iter());
    named
        .map(|(face, outcome)| Face {
            face: has_chance::<G>().then_some(face),
            weight: f64::from(outcome.weight) / sum,
            permitted: outcome.run().collect(),
        })
        .collect()
}

/// The shares of all seats where only what who is to move gets is known.
fn alike<G: Game>(game: &G, position: &G::Position, own: f32) -> Shares {
    others_alike(game, position, own).map(f64::from)
}

impl<M> Rating<M> {
    /// What a move is worth to the seat that makes it.
    #[must_use]
    pub fn value(&self, index: usize) -> Option<f64> {
        self.moves[index].shares.map(|shares| shares[self.seat])
    }

    /// The places of the moves that a roll permits; `None` before it, and if there is no such roll.
    #[must_use]
    pub fn permitted(&self, face: Option<u8>) -> Option<&[usize]> {
        let found = self.faces.iter().find(|found| found.face == face)?;
        Some(&found.permitted)
    }

    /// The place of the best of some moves, the first of equals; `None` if none is rated.
    #[must_use]
    pub fn best(&self, permitted: &[usize]) -> Option<usize> {
        let rated = permitted.iter().copied();
        let rated = rated.filter_map(|index| Some((index, self.value(index)?)));
        let best = rated.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(index, _)| index)
    }

    /// What the position brings each seat, where all its moves are rated.
    #[must_use]
    pub fn shares(&self) -> Shares {
        let expected = |seat| self.expected(|index| Some(self.moves[index].shares?[seat]));
        self.end.unwrap_or_else(|| array::from_fn(expected))
    }

    /// The expectation before the roll of something that the best move of each brings, 0 where
    /// that is not known.
    pub fn expected(&self, of: impl Fn(usize) -> Option<f64>) -> f64 {
        let best = |face: &Face| of(self.best(&face.permitted)?);
        let each = self.faces.iter();
        each.map(|face| face.weight * best(face).unwrap_or(0.0))
            .sum()
    }
}

impl<'a, G: OnBoard> Rater<'a, G> {
    /// A rater that also knows what is known exactly in no time.
    ///
    /// # Errors
    /// In one line, if tables cannot be made or read.
    pub fn new(game: &'a G, recipe: &'a PlayerRecipe<G>) -> Result<Self, Problem> {
        let known = match (G::oracle(), game.known()) {
            (Some(entry), Some(known)) => (entry.read)(&Notation::new(known), game),
            _ => Ok(None),
        };
        Ok(Self {
            game,
            recipe,
            known: known.map_err(|(_, problem)| Problem::wrong(problem))?,
            player: recipe.make(),
            limits: Limits::NONE,
        })
    }

    /// The same whose searches also end by these limits.
    #[must_use]
    pub fn within(self, limits: &Limits) -> Self {
        let limits = limits.clone();
        Self { limits, ..self }
    }

    /// What a position is worth, exactly.
    fn exactly(&self, position: &G::Position) -> Option<Shares> {
        if let Some(payoffs) = self.game.payoffs(position) {
            return Some(payoffs.map(f64::from));
        }
        let value = self.known.as_ref()?.value(self.game, position)?;
        Some(alike(self.game, position, value))
    }

    /// Rates all moves of a position, whatever was rolled; the position is looked at afresh. With
    /// `all`, moves that the player did not try are valued one by one.
    ///
    /// # Errors
    /// In one line, if the player fails, or with `all` rates nothing.
    pub fn rate(&mut self, position: &G::Position, all: bool) -> Result<Rating<G::Move>, Problem> {
        let (game, seat) = (self.game, self.game.to_move(position));
        let (mut moves, mut faces) = (G::Moves::default(), Vec::new());
        let end = game.payoffs(position).map(|end| end.map(f64::from));
        if end.is_none() {
            game.moves(position, &mut moves);
            faces = self::faces(game, position, &moves);
        }
        let exact = moves.iter().map(|&mv| {
            let shares = self.exactly(&game.play(position, mv));
            Rated {
                mv,
                name: game.format_move(position, mv),
                shares,
                calibrated: None,
                exact: shares.is_some(),
            }
        });
        let mut rating = Rating {
            seat,
            end,
            moves: exact.collect(),
            faces,
            stats: SearchStats::default(),
        };
        if rating.moves.iter().all(|rated| rated.exact) {
            return Ok(rating);
        }
        self.player.new_game(derive_seed(1, SeedSpace::Player, &[]));
        let opinion = PositionAnalysis::of(
            self.recipe,
            &mut *self.player,
            game,
            position,
            None,
            &self.limits,
        );
        let PositionAnalysis {
            analysis, moves, ..
        } = opinion.map_err(Problem::wrong)?;
        rating.stats = analysis.stats;
        let mut is_fitted = false;
        for (index, rated) in rating.moves.iter_mut().enumerate() {
            if rated.exact {
                continue;
            }
            let told = analysis.payoffs.as_ref();
            let told = told.map(|all| all[index].map(f64::from));
            let value = analysis.moves[index].1;
            rated.shares = told.or(value.map(|value| alike(game, position, value)));
            if all && rated.shares.is_none() {
                let next = game.play(position, rated.mv);
                let value = self
                    .player
                    .value(&next, &self.limits)
                    .value
                    .ok_or_else(|| {
                        Problem::wrong("this player rates no moves; name one that searches")
                    })?;
                rated.shares = Some(alike(game, &next, value));
            }
            rated.exact = rated.shares.is_some() && moves[index].is_proven;
            if game.seats() == 2 && !rated.exact {
                rated.calibrated = moves[index].calibrated.map(f64::from);
                is_fitted |= rated.calibrated.is_some();
            }
        }
        // Where nothing was fitted, nothing is calibrated.
        for rated in rating.moves.iter_mut().filter(|_| is_fitted) {
            let shares = rated.shares.filter(|_| rated.exact);
            rated.calibrated = rated.calibrated.or(shares.map(|shares| shares[seat]));
        }
        Ok(rating)
    }
}
