//! Player of a session.
//!
//! If the player can be limited in time, a second one is built for times that the client sets, such
//! as a fraction of a clock, which replace the player's own limits. Either is built once and keeps
//! its tree and table from move to move.

use alea_play::{
    build::PlayerRecipe, playable::Playable, player::Player, player_notation::Notation,
};
use std::time::Duration;

const LIMIT_KEYS: [&str; 4] = ["ms", "cpu_ms", "clock", "sims"];
const MAX_MS: &str = "86400000";

pub(super) struct EnginePlayer<G: Playable> {
    spec: Notation,
    own: LazyPlayer<G>,
    /// The second player. Outer `None`: not needed yet; inner `None`: the player cannot be limited
    /// in time.
    timed: Option<Option<LazyPlayer<G>>>,
}

struct LazyPlayer<G: Playable> {
    recipe: PlayerRecipe<G>,
    player: Option<Box<dyn Player<G>>>,
}

impl<G: Playable> LazyPlayer<G> {
    fn new(recipe: PlayerRecipe<G>) -> Self {
        let player = None;
        Self { recipe, player }
    }

    fn get_or_build(&mut self, seed: u64) -> &mut dyn Player<G> {
        let build = || {
            let mut player = self.recipe.make();
            player.new_game(seed);
            player
        };
        &mut **self.player.get_or_insert_with(build)
    }
}

impl<G: Playable> EnginePlayer<G> {
    pub(super) fn new(spec: Notation, game: &G) -> Result<Self, String> {
        let recipe = PlayerRecipe::from_parsed(&spec, game).map_err(|error| error.to_string())?;
        Ok(Self {
            spec,
            own: LazyPlayer::new(recipe),
            timed: None,
        })
    }

    pub(super) fn spec(&self) -> &Notation {
        &self.spec
    }

    pub(super) fn player_for_query(
        &mut self,
        time: Option<Duration>,
        game: &G,
        seed: u64,
    ) -> (&mut dyn Player<G>, Option<Duration>, bool) {
        let is_caller_time = time.is_some();
        let time = time.or_else(|| self.ms_limit().filter(|_| self.has_only_time_limit()));
        if time.is_some() {
            let spec = &self.spec;
            let timed =
                (self.timed).get_or_insert_with(|| timed_recipe(spec, game).map(LazyPlayer::new));
            if let Some(timed) = timed {
                return (timed.get_or_build(seed), time, is_caller_time);
            }
        }
        (
            self.own.get_or_build(seed),
            time.filter(|_| is_caller_time),
            false,
        )
    }

    pub(super) fn new_game(&mut self, seed: u64) {
        for built in [Some(&mut self.own), self.timed.iter_mut().flatten().next()] {
            if let Some(player) = built.and_then(|built| built.player.as_mut()) {
                player.new_game(seed);
            }
        }
    }

    pub(super) fn drop_players(&mut self) {
        (self.own.player, self.timed) = (None, None);
    }

    pub(super) fn has_tree(&self) -> bool {
        self.spec.name == "mcts"
    }

    pub(super) fn ms_limit(&self) -> Option<Duration> {
        let ms: f64 = self.spec.argument("ms")?.to_string().parse().ok()?;
        Duration::try_from_secs_f64(ms / 1000.0).ok()
    }

    fn has_only_time_limit(&self) -> bool {
        let keeps_tree = (self.spec.argument("keep")).is_some_and(|keep| keep.name == "on");
        let own = self.spec.clone().without_arguments(&["ms", "keep"]);
        (keeps_tree || !self.has_tree())
            && own.to_string() == without_limits(&self.spec).to_string()
    }

    pub(super) fn with_option(&self, key: &str, value: Option<Notation>) -> Notation {
        let replaced = match value.is_some() && LIMIT_KEYS.contains(&key) {
            true => &LIMIT_KEYS[..],
            false => &[key],
        };
        self.spec
            .clone()
            .without_arguments(replaced)
            .with_argument(key, value)
    }

    pub(super) fn options(&self, game: &G) -> Vec<(String, String)> {
        let player = ("player".to_owned(), self.spec.to_string());
        let recipe = PlayerRecipe::from_parsed(&self.spec, game);
        let keys = recipe.map_or_else(|_| Vec::new(), |recipe| recipe.option_keys().to_vec());
        // Of `softmax` the inner player, which changes with the whole.
        let options = keys.into_iter().filter(|key| *key != "player");
        let options = options.map(|key| (key.to_owned(), value_of(&self.spec, key, "default")));
        [player].into_iter().chain(options).collect()
    }
}

fn without_limits(spec: &Notation) -> Notation {
    let mut spec = spec
        .clone()
        .without_arguments(&LIMIT_KEYS)
        .without_arguments(&["nodes", "keep"]);
    // The unnamed argument of `mcts` is the number of simulations.
    let is_tree = spec.name == "mcts";
    spec.arguments.retain(|one| !is_tree || one.key.is_some());
    spec
}

/// Recipe of the second player, limited by time alone, which reuses its tree if the game permits.
/// `None` if the player cannot be limited in time.
fn timed_recipe<G: Playable>(spec: &Notation, game: &G) -> Option<PlayerRecipe<G>> {
    let timed = without_limits(spec).with_argument("ms", Notation::new(MAX_MS));
    let is_tree = spec.name == "mcts";
    let kept = is_tree.then(|| timed.clone().with_argument("keep", Notation::new("on")));
    let mut specs = kept.into_iter().chain([timed]);
    let recipe = specs.find_map(|spec| PlayerRecipe::from_parsed(&spec, game).ok());
    recipe.filter(PlayerRecipe::is_time_limited)
}

pub(crate) fn value_of(spec: &Notation, key: &str, default: &str) -> String {
    let value = spec.argument(key).map(ToString::to_string);
    value.unwrap_or(default.to_owned())
}
