//! What all moves of a position are worth: exactly where that is known, else by a player; and what
//! follows for each roll and before it.
//!
//! Invariant: every value is one of the seat to move. `Σ weight · best move` over the faces is the
//! value before the roll, in `f64`.

use engine::core::{
    game::{Game, OutcomeList},
    random::{SeedSpace, derive_seed},
};
use engine::play::{
    build::PlayerRecipe,
    playable::Playable,
    player::{Failure, Player},
    registry::Knowledge,
};

/// Rates the moves of one position after another.
pub struct Rater<'a, G: Playable> {
    game: &'a G,
    recipe: &'a PlayerRecipe<G>,
    known: Knowledge<G>,
    player: Box<dyn Player<G>>,
}

/// All moves of a position, in list order.
pub struct Rating<M> {
    /// The moves.
    pub moves: Vec<Rated<M>>,
    /// Positions that the search looked at.
    pub nodes: u64,
    /// How long that took.
    pub milliseconds: f64,
}

/// A move and its worth.
#[derive(Clone, Copy, Debug)]
pub struct Rated<M> {
    /// The move.
    pub mv: M,
    /// Its value before the next roll; `None` from players that do not rate it.
    pub value: Option<f64>,
    /// What such values have been worth in whole games, where that was fitted.
    pub calibrated: Option<f64>,
    /// Whether the value is that of best play.
    pub exact: bool,
}

/// What a roll permits, by places in the list of moves.
pub struct Face {
    /// As a record names it.
    pub face: u8,
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

/// All rolls of a position; without chance one that permits every move.
pub fn faces<G: Playable>(game: &G, position: &G::Position) -> Vec<Face> {
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    if !has_chance::<G>() {
        let permitted = (0..moves.len()).collect();
        return vec![Face {
            face: 0,
            weight: 1.0,
            permitted,
        }];
    }
    let apart = game.outcome_by_outcome();
    let outcomes = apart.outcomes(position, &moves);
    // Probabilities are rounded to f32.
    let sum: f64 = outcomes.iter().map(|one| f64::from(one.weight)).sum();
    let named = game.outcome_names().zip(outcomes.iter());
    named
        .map(|(face, outcome)| Face {
            face,
            weight: f64::from(outcome.weight) / sum,
            permitted: outcome.run().collect(),
        })
        .collect()
}

impl<M> Rating<M> {
    /// The best of some moves by a value of theirs, the first of equals; `None` if none has one.
    pub fn best(
        &self,
        permitted: &[usize],
        value: impl Fn(&Rated<M>) -> Option<f64>,
    ) -> Option<(usize, f64)> {
        let rated = permitted.iter();
        let rated = rated.filter_map(|&place| Some((place, value(&self.moves[place])?)));
        rated.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// The value before the roll.
    pub fn expected(
        &self,
        faces: &[Face],
        value: impl Fn(&Rated<M>) -> Option<f64>,
    ) -> Option<f64> {
        let of = |face: &Face| Some(face.weight * self.best(&face.permitted, &value)?.1);
        faces.iter().map(of).sum()
    }
}

impl<'a, G: Playable> Rater<'a, G> {
    /// A rater with what is `known` exactly.
    pub fn new(game: &'a G, recipe: &'a PlayerRecipe<G>, known: Knowledge<G>) -> Self {
        Self {
            game,
            recipe,
            known,
            player: recipe.make(),
        }
    }

    /// The exact value of a position before the roll, to its seat to move.
    pub fn exactly(&self, position: &G::Position) -> Option<f64> {
        let seat = self.game.to_move(position);
        let value = self.game.payoff(position, seat);
        let value = value.or_else(|| self.known.as_ref()?.value(self.game, position));
        value.map(f64::from)
    }

    /// Rates all moves of a position that is not over, whatever was rolled; the position is looked
    /// at afresh. With `all`, moves that the player did not try are valued one by one.
    ///
    /// # Errors
    /// In one line, if the player fails.
    pub fn rate(&mut self, position: &G::Position, all: bool) -> Result<Rating<G::Move>, String> {
        let game = self.game;
        let seat = game.to_move(position);
        let mut moves = G::Moves::default();
        game.moves(position, &mut moves);
        // A value of the seat to move of the next position, as this one sees it.
        let turned = |next: &G::Position, value: f64| {
            if game.to_move(next) == seat {
                value
            } else {
                1.0 - value
            }
        };
        let exact = moves.iter().map(|&mv| {
            let next = game.play(position, mv);
            let value = match game.payoff(&next, seat) {
                Some(payoff) => Some(f64::from(payoff)),
                None => self.exactly(&next).map(|value| turned(&next, value)),
            };
            Rated {
                mv,
                value,
                calibrated: value,
                exact: value.is_some(),
            }
        });
        let mut rating = Rating {
            moves: exact.collect(),
            nodes: 0,
            milliseconds: 0.0,
        };
        if rating.moves.iter().all(|rated| rated.exact) {
            rating
                .moves
                .iter_mut()
                .for_each(|rated| rated.calibrated = None);
            return Ok(rating);
        }
        self.player.new_game(derive_seed(1, SeedSpace::Player, &[]));
        let analysis = self.player.analyse(position, None);
        if let Some(Failure::OfPlayer(reason) | Failure::OfSystem(reason)) = self.player.failure() {
            return Err(format!("{}: {reason}", self.recipe.name()));
        }
        rating.nodes = analysis.stats.nodes;
        rating.milliseconds = analysis.stats.time.as_secs_f64() * 1000.0;
        // Nothing was taken on trust where no leaf was evaluated.
        let nothing_taken = analysis.stats.evaluations == 0;
        for (place, (rated, &(_, value))) in
            rating.moves.iter_mut().zip(&analysis.moves).enumerate()
        {
            if rated.exact {
                continue;
            }
            let next = game.play(position, rated.mv);
            let tree = analysis.tree.as_ref();
            let proven = tree.and_then(|tree| tree.moves.get(place));
            let proven = proven.is_some_and(|mv| mv.proven.lower == mv.proven.upper);
            let value = value.map(f64::from).or_else(|| {
                let value = all.then(|| self.player.value(&next).value).flatten()?;
                Some(turned(&next, value.into()))
            });
            let Some(value) = value else { continue };
            rated.exact = proven || nothing_taken;
            rated.value = Some(value);
            let own = turned(&next, value) as f32;
            let fitted = self.recipe.in_whole_games(&next, own);
            rated.calibrated = fitted.map(|fitted| match rated.exact {
                true => value,
                false => turned(&next, fitted.into()),
            });
        }
        // Where nothing was fitted, nothing is calibrated.
        let fitted = rating
            .moves
            .iter()
            .any(|rated| !rated.exact && rated.calibrated.is_some());
        if !fitted {
            rating
                .moves
                .iter_mut()
                .for_each(|rated| rated.calibrated = None);
        }
        Ok(rating)
    }
}
