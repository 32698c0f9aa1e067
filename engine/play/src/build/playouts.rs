//! Construction of playouts: `playout=POLICY`, where an evaluator plays its best successor;
//! `truncate=PLIES` ends playouts after that many plies with the value of `close=EVAL`.

use super::evaluators::{evaluator_from, evaluator_names, or_default_evaluator};
use crate::{
    playable::Playable,
    player_notation::{Arguments, Notation, Problem, parse_number},
    registry::{AnyEvaluator, LeafMaker},
};
use alea_core::text::{joined, suggestion};
use alea_search::{
    mcts::{AveragedLeaf, Leaf, PlayoutLeaf},
    playout_policies::{
        ClassWeightedPolicy, HighestClass, MixedPolicy, Policy, PolicyPlayout, TruncatedPlayout,
        Uniform,
    },
};
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct PlayoutRecipe<G: Playable> {
    policy: PolicyKind<G>,
    truncated: Option<(u16, Arc<dyn AnyEvaluator<G>>)>,
    own: Option<LeafMaker<G>>,
    times: u32,
}

#[derive(Clone)]
enum PolicyKind<G: Playable> {
    Uniform,
    Urgent(HighestClass),
    Weighted(ClassWeightedPolicy),
    Best(Arc<dyn AnyEvaluator<G>>),
    MixedPolicy(f64, Box<Self>, Box<Self>),
}

const MAX_CLASS_WEIGHT: u32 = 1_000_000;

fn policy_names<G: Playable>() -> String {
    let names = joined(G::INFO.move_classes.iter().map(|(name, _)| name), ", ");
    let own = G::registry().playouts.iter();
    let own: String = own
        .map(|entry| format!("{}({}), ", entry.name, entry.parameters))
        .collect();
    format!("{own}uniform, urgent(least), weighted({names}), mixture(share, first, second)")
}

pub(super) struct PlayoutArguments<'a> {
    playout: Option<&'a Notation>,
    truncate: Option<&'a Notation>,
    close: Option<&'a Notation>,
    times: Option<&'a Notation>,
}

impl<'a> PlayoutArguments<'a> {
    pub(super) fn take(arguments: &mut Arguments<'a>) -> Result<Self, Problem> {
        Ok(Self {
            playout: arguments.take_named("playout")?,
            truncate: arguments.take_named("truncate")?,
            close: arguments.take_named("close")?,
            times: arguments.take_named("playouts")?,
        })
    }

    pub(super) fn has_any(&self) -> bool {
        self.playout.is_some() || self.truncate.is_some() || self.times.is_some()
    }

    /// Parses the options, which are refused unless the leaf has playouts (`plays`).
    pub(super) fn into_recipe<G: Playable>(
        self,
        plays: bool,
        game: &G,
    ) -> Result<PlayoutRecipe<G>, Problem> {
        for (key, value) in [
            ("playout", self.playout),
            ("truncate", self.truncate),
            ("playouts", self.times),
        ] {
            if let Some(value) = value.filter(|_| !plays) {
                return Err(value.problem_here(format!(
                    "'{key}' is for leaves that play on: leaf=playout or leaf=mix(share, EVAL)"
                )));
            }
        }
        if let Some(value) = self.close.filter(|_| self.truncate.is_none()) {
            return Err(value
                .problem_here("'close' values playouts that are cut short: it needs 'truncate'"));
        }
        let times = self
            .times
            .map_or(Ok(1), |value| parse_number("playouts", value, 1..=1000))?;
        let own = self.playout.and_then(|notation| {
            let mut entries = G::registry().playouts.iter();
            Some((notation, entries.find(|entry| entry.name == notation.name)?))
        });
        if let Some((notation, entry)) = own {
            if let Some(value) = self.truncate {
                let name = entry.name;
                return Err(
                    value.problem_here(format!("'{name}' plays to the end, without 'truncate'"))
                );
            }
            let mut arguments = Arguments::of(notation);
            let own = (entry.read)(&mut arguments, game)?;
            arguments.finish()?;
            return Ok(PlayoutRecipe {
                own: Some(own),
                times,
                ..PlayoutRecipe::uniform_to_end()
            });
        }
        let policy = PolicyKind::or_uniform(self.playout, game)?;
        let truncated = match self.truncate {
            None => None,
            Some(value) => {
                let plies = parse_number("truncate", value, 1..=game.max_plies())?;
                Some((plies, or_default_evaluator(self.close, game)?))
            }
        };
        Ok(PlayoutRecipe {
            policy,
            truncated,
            own: None,
            times,
        })
    }
}

impl<G: Playable> PlayoutRecipe<G> {
    fn uniform_to_end() -> Self {
        Self {
            policy: PolicyKind::Uniform,
            truncated: None,
            own: None,
            times: 1,
        }
    }

    pub(super) fn make(&self) -> Box<dyn Leaf<G>> {
        if self.times > 1 {
            let once = Self {
                times: 1,
                ..self.clone()
            };
            return Box::new(AveragedLeaf::new(self.times, once.make()));
        }
        if let Some(own) = &self.own {
            return own();
        }
        match &self.truncated {
            None if matches!(self.policy, PolicyKind::Uniform) => Box::new(PlayoutLeaf),
            None => Box::new(PolicyPlayout(self.policy.make())),
            Some((plies, evaluator)) => {
                let end = Arc::clone(evaluator).leaf();
                Box::new(TruncatedPlayout::new(
                    self.policy.make(),
                    u32::from(*plies),
                    end,
                ))
            }
        }
    }
}

impl<G: Playable> PolicyKind<G> {
    fn or_uniform(notation: Option<&Notation>, game: &G) -> Result<Self, Problem> {
        notation.map_or(Ok(Self::Uniform), |notation| {
            Self::from_notation(notation, game)
        })
    }

    fn from_notation(notation: &Notation, game: &G) -> Result<Self, Problem> {
        let mut arguments = Arguments::of(notation);
        let policy = match notation.name.as_str() {
            "uniform" => Self::Uniform,
            "urgent" => {
                let quiet = G::INFO
                    .move_classes
                    .first()
                    .map_or(1, |(_, weight)| *weight);
                let heavier = G::INFO
                    .move_classes
                    .iter()
                    .position(|(_, weight)| *weight > quiet);
                let (most, usual) = (
                    G::INFO.move_classes.len() as u8 - 1,
                    heavier.unwrap_or(1) as u8,
                );
                Self::Urgent(HighestClass {
                    min_class: arguments.number("least", 1..=most, usual)?,
                })
            }
            "weighted" => {
                let mut weights = [0; 4];
                let mut weight = 0;
                for (index, slot) in weights.iter_mut().enumerate() {
                    if let Some((name, usual)) = G::INFO.move_classes.get(index) {
                        weight = arguments.number(name, 0..=MAX_CLASS_WEIGHT, *usual)?;
                    }
                    *slot = weight;
                }
                Self::Weighted(ClassWeightedPolicy { weights })
            }
            "mixture" => {
                let share = arguments.number("share", 0.0..=1.0, 0.5)?;
                let first = arguments.take("first")?.ok_or_else(|| {
                    let usual = G::default_evaluator_name();
                    notation.problem_here(format!(
                        "'mixture' needs a policy: mixture(0.5, {usual}, uniform)"
                    ))
                })?;
                let first = Self::from_notation(first, game)?;
                let second = Self::or_uniform(arguments.take("second")?, game)?;
                Self::MixedPolicy(share, Box::new(first), Box::new(second))
            }
            name => {
                let evaluator = evaluator_from(notation, game);
                return evaluator.map(Self::Best).map_err(|(character, problem)| {
                    let unknown = problem.starts_with("there is no evaluator");
                    let problem = match unknown {
                        true => {
                            let (own, evaluators) = (policy_names::<G>(), evaluator_names::<G>());
                            let names = format!("{own}, and the evaluators {evaluators}");
                            let meant = suggestion(name, &names);
                            format!("there is no policy '{name}'{meant}; there are {names}")
                        }
                        false => problem,
                    };
                    (character, problem)
                });
            }
        };
        arguments.finish()?;
        Ok(policy)
    }

    fn make(&self) -> Box<dyn Policy<G>> {
        match self {
            Self::Uniform => Box::new(Uniform),
            Self::Urgent(policy) => Box::new(*policy),
            Self::Weighted(policy) => Box::new(*policy),
            Self::Best(evaluator) => Arc::clone(evaluator).policy(),
            Self::MixedPolicy(share, first, second) => {
                Box::new(MixedPolicy::new(first.make(), *share, second.make()))
            }
        }
    }
}
