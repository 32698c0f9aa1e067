//! Expectiminimax without pruning, in `f64`: the reference for [`super::star`].

use super::{
    RootVersusRest, Search, SearchStats, UNKNOWN_VALUE,
    limits::{LimitChecker, Limits},
};
use alea_core::{
    chance_bounds::Bounds,
    evaluator::Evaluator,
    game::{Game, Seat},
};

/// How often a move that several outcomes allow is searched; values are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Searched once for every outcome that allows it.
    Textbook,
    /// Searched once (Rock'n'Roll, Schäfer 2006).
    Unified,
}

/// Full-width expectiminimax to a fixed depth.
#[derive(Clone, Debug)]
pub struct Expectiminimax<G, E> {
    game: G,
    evaluator: E,
    depth: u32,
    form: Form,
    limit_checker: LimitChecker,
    stats: SearchStats,
}

impl<G: Game, E: Evaluator<G>> Expectiminimax<G, E> {
    /// A search of `depth` plies (at least 1), the root move included.
    pub fn new(game: G, evaluator: E, depth: u32, form: Form) -> Self {
        Self {
            game,
            evaluator,
            depth,
            form,
            limit_checker: LimitChecker::default(),
            stats: SearchStats::default(),
        }
    }

    /// Value of a position before its chance event, `depth` plies deep, for the side to move: the
    /// seat `root` or all others.
    pub fn value_at_depth(&mut self, position: &G::Position, depth: u32, root: Seat) -> f64 {
        let perspective = RootVersusRest { root };
        if let Some(payoffs) = self.game.payoffs(position) {
            return f64::from(perspective.value(&self.game, position, &payoffs));
        }
        if depth == 0 {
            self.stats.evaluations += 1;
            return perspective
                .evaluate_from_scratch(&self.game, &self.evaluator, position)
                .into();
        }
        let mut moves = G::Moves::default();
        self.game.moves(position, &mut moves);
        let outcomes = self.game.outcomes(position, &moves);
        let unified = self.form == Form::Unified;
        let mut value_of = |&mv| self.move_value_at_depth(position, mv, depth, root);
        let move_values: Vec<f64> = match unified {
            true => moves.iter().map(&mut value_of).collect(),
            false => Vec::new(),
        };
        let mut value = 0.0_f64;
        for outcome in outcomes.iter() {
            let best = match unified {
                true => move_values[outcome.move_range()]
                    .iter()
                    .copied()
                    .fold(0.0, f64::max),
                false => moves[outcome.move_range()]
                    .iter()
                    .map(&mut value_of)
                    .fold(0.0, f64::max),
            };
            value += f64::from(outcome.weight) * best;
        }
        value.min(1.0)
    }

    fn move_value_at_depth(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        root: Seat,
    ) -> f64 {
        let next = self.game.play(position, mv);
        self.stats.nodes += 1;
        if self.limit_checker.is_over(self.stats.nodes) {
            return 0.0;
        }
        let value = self.value_at_depth(&next, depth - 1, root);
        if (RootVersusRest { root }).is_same_side(&self.game, position, &next) {
            value
        } else {
            1.0 - value
        }
    }
}

impl<G: Game, E: Evaluator<G>> Search<G> for Expectiminimax<G, E> {
    fn game(&self) -> &G {
        &self.game
    }

    fn clear(&mut self) {}

    fn set_limits(&mut self, limits: &Limits) {
        self.limit_checker.start_with_stop(self.stats.nodes, limits);
    }

    fn is_stopped(&self) -> bool {
        self.limit_checker.stopped()
    }

    fn move_value(&mut self, position: &G::Position, mv: G::Move, _alpha: f32) -> Bounds {
        let root = self.game.to_move(position);
        Bounds::exact(self.move_value_at_depth(position, mv, self.depth, root) as f32)
    }

    fn value(&mut self, position: &G::Position) -> f32 {
        let value = self.value_at_depth(position, self.depth, self.game.to_move(position)) as f32;
        if self.is_stopped() {
            UNKNOWN_VALUE
        } else {
            value
        }
    }

    fn take_stats(&mut self) -> SearchStats {
        std::mem::take(&mut self.stats)
    }
}
