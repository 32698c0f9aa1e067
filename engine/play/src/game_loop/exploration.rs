//! Exploration: random moves instead of players' choices, to diversify training data.

use alea_core::random::RandomStream;

/// A probability or temperature that fades from ply to ply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fading {
    /// Strength at ply 0.
    pub start: f64,
    /// First ply with strength 0; `None` for never.
    pub until: Option<usize>,
    /// Number of plies that halve the strength; `None` for never.
    pub half_life: Option<f64>,
}

impl Fading {
    /// A strength that never fades.
    #[must_use]
    pub fn constant(strength: f64) -> Self {
        Self {
            start: strength,
            until: None,
            half_life: None,
        }
    }

    /// Strength at a ply, counted from 0.
    #[must_use]
    pub fn at(&self, ply: usize) -> f64 {
        if self.until.is_some_and(|until| ply >= until) {
            return 0.0;
        }
        self.half_life.map_or(self.start, |half_life| {
            self.start * (-(ply as f64) / half_life).exp2()
        })
    }
}

/// Settings and random stream of exploration.
#[derive(Debug)]
pub struct Exploration {
    /// Number of plies at the start of a game whose moves are all uniformly random.
    pub opening_plies: usize,
    /// Probability of a uniformly random move at later plies.
    pub random_move_probability: Fading,
    /// Temperature, in win probability, at which other moves are sampled by the player's values; at
    /// 0 the player decides.
    pub temperature: Fading,
    /// Random numbers of exploration.
    pub random: RandomStream,
}

impl Exploration {
    /// Exploration with a constant probability of random moves, and no sampling by value.
    #[must_use]
    pub fn new(opening_plies: usize, random_move_probability: f64, random: RandomStream) -> Self {
        Self {
            opening_plies,
            random_move_probability: Fading::constant(random_move_probability),
            temperature: Fading::default(),
            random,
        }
    }

    /// Index of a uniformly random one of `count` moves; `None` if this ply does not explore.
    pub(super) fn draw_random_move(&mut self, ply: usize, count: usize) -> Option<usize> {
        // Drawn at every ply, so that opening plies do not shift later choices.
        let draw = self.random.uniform_f64();
        (ply < self.opening_plies || draw < self.random_move_probability.at(ply))
            .then(|| self.random.below(count))
    }

    /// Temperature and random number for [`boltzmann_index`]; `None` if this ply does not sample by
    /// value.
    pub(super) fn draw_temperature(&mut self, ply: usize, count: usize) -> Option<(f64, f64)> {
        let temperature = self.temperature.at(ply);
        (temperature > 0.0 && count > 1).then(|| (temperature, self.random.uniform_f64()))
    }
}

/// Index sampled by `unit`, in `[0, 1)`, with probabilities proportional to exp(value /
/// temperature); moves without value get none.
pub(crate) fn boltzmann_index(
    values: impl Iterator<Item = Option<f32>> + Clone,
    temperature: f64,
    unit: f64,
) -> Option<usize> {
    let best = values.clone().flatten().reduce(f32::max)?;
    let weight = |value: f32| (f64::from(value - best) / temperature).exp();
    let mut rest = unit * values.clone().flatten().map(weight).sum::<f64>();
    let mut last = None;
    for (index, value) in values.enumerate() {
        let Some(value) = value else { continue };
        rest -= weight(value);
        if rest < 0.0 {
            return Some(index);
        }
        // Rounding may leave no move selected: then the last of positive weight counts.
        last = if weight(value) > 0.0 {
            Some(index)
        } else {
            last
        };
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_fade_as_asked() {
        let fading = Fading {
            start: 0.8,
            until: Some(9),
            half_life: Some(4.0),
        };
        assert_eq!(
            [0, 4, 8, 9, 100].map(|ply| fading.at(ply)),
            [0.8, 0.4, 0.2, 0.0, 0.0]
        );
        assert_eq!(
            [0, 1000].map(|ply| Fading::constant(0.1).at(ply)),
            [0.1, 0.1]
        );
        assert_eq!(Fading::default().at(0), 0.0);
    }

    #[test]
    fn moves_are_drawn_by_their_values() {
        // Cumulative fractions of exp(0), exp(-1), none, exp(-2): 0.6652, 0.9100, 1.
        let values = [Some(0.7), Some(0.6), None, Some(0.5)];
        let drawn = |temperature, unit| boltzmann_index(values.iter().copied(), temperature, unit);
        for (unit, index) in [
            (0.0, 0),
            (0.66, 0),
            (0.67, 1),
            (0.909, 1),
            (0.911, 3),
            (0.999_999, 3),
        ] {
            assert_eq!(drawn(0.1, unit), Some(index), "{unit}");
        }
        assert_eq!(
            [0.0, 0.5, 0.999].map(|unit| drawn(1e-12, unit)),
            [Some(0); 3]
        );
        assert_eq!(
            [0.32, 0.34, 0.66, 0.67].map(|unit| drawn(1e9, unit)),
            [Some(0), Some(1), Some(1), Some(3)]
        );
        assert_eq!(boltzmann_index([None, None].into_iter(), 0.1, 0.5), None);
    }
}
