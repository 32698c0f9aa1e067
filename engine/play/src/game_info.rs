//! `GameInfo`: names, units, presets and defaults of a game.

/// A name with a text, such as a preset with its TOML.
pub type NamedText = (&'static str, &'static str);

/// Constants of a game that search does not need; [`GameInfo::DEFAULT`] has defaults for new games.
#[derive(Debug)]
pub struct GameInfo {
    /// Name of the game on the command line, in game shards and in models.
    pub name: &'static str,
    /// Parameters of the rules with their values, default first: `size=8|6|4`.
    pub parameters: &'static str,
    /// Name of the rule parameter for the board size; empty if there is only one size.
    pub size_parameter: &'static str,
    /// Name of each seat in JSON (`r`) and for display (`Red`).
    pub seats: &'static [NamedText],
    /// Whether results in JSON list the numbers, from 1, of all winners instead of one seat name.
    pub lists_winners: bool,
    /// Unit of [`super::rules::Rules::remaining`] in one word: `stones`.
    pub remaining_unit: &'static str,
    /// Unit of phases and buckets in model files; empty if it is `remaining_unit`.
    pub phase_unit: &'static str,
    /// Number of random plies at the start of a game; above 0 if chance does not vary games.
    pub opening_plies: usize,
    /// Largest number of moves that one outcome allows; `None` if it is the branching hint.
    pub max_legal_moves: Option<usize>,
    /// Default players of self-play with their probability weights.
    pub self_play_players: &'static [(&'static str, f64)],
    /// Presets of `alea pipeline`, the shortest (minutes) first.
    pub pipeline_presets: &'static [NamedText],
    /// Presets of `alea improve`, the shortest (minutes) first.
    pub generation_presets: &'static [NamedText],
    /// Default options of the player `mcts`, such as `leaf=playout, rave=1000`.
    pub mcts_defaults: &'static str,
    /// Names of the first classes of [`alea_core::search_game::SearchHints::move_class`] (quiet
    /// moves first; at most four), with default weights in playouts.
    pub move_classes: &'static [(&'static str, u32)],
    /// Options (key and value) that give a Monte-Carlo search that solves positions its oracle.
    pub solver_options: &'static [NamedText],
    /// Notations of the rules that the web page offers, default first; empty for the default rules.
    pub page_rules: &'static [&'static str],
    /// Rule parameters that a request to the web page may set, with the allowed values if these
    /// could name files (else empty: any).
    pub page_parameters: &'static [(&'static str, &'static [&'static str])],
    /// Opponents on the web page, weakest first, as name and player notation, where `EVAL` is the
    /// best evaluator and `HAND` the default one.
    pub levels: &'static [NamedText],
    /// Notation of rules, and their puzzles in JSON Lines.
    pub puzzles: &'static [NamedText],
}

impl GameInfo {
    /// Defaults: no rule parameters, seats `a` to `h`, self-play by Monte-Carlo search.
    pub const DEFAULT: Self = Self {
        name: "",
        parameters: "",
        size_parameter: "",
        seats: &[
            ("a", "a"),
            ("b", "b"),
            ("c", "c"),
            ("d", "d"),
            ("e", "e"),
            ("f", "f"),
            ("g", "g"),
            ("h", "h"),
        ],
        lists_winners: false,
        remaining_unit: "plies",
        phase_unit: "",
        opening_plies: 0,
        max_legal_moves: None,
        self_play_players: &[("mcts(sims=400, leaf=playout)", 1.0)],
        pipeline_presets: &[],
        generation_presets: &[],
        mcts_defaults: "",
        move_classes: &[("quiet", 1), ("forcing", 4)],
        solver_options: &[],
        page_rules: &[],
        page_parameters: &[],
        levels: &[
            ("beginner", "random"),
            ("easy", "star1(depth=1, eval=HAND)"),
            ("medium", "star2(depth=2, eval=HAND)"),
            ("hard", "star2(depth=3, eval=EVAL)"),
            ("strong", "star2(depth=5, probcut=0, eval=EVAL)"),
        ],
        puzzles: &[],
    };

    /// Name with all parameters and their values: `reversi(size=8|6|4)`.
    #[must_use]
    pub fn synopsis(&self) -> String {
        match self.parameters {
            "" => self.name.to_owned(),
            parameters => format!("{}({parameters})", self.name),
        }
    }

    /// Notations of the rules that the web page offers, default first.
    #[must_use]
    pub fn page_rules(&self) -> &[&'static str] {
        match self.page_rules {
            [] => std::slice::from_ref(&self.name),
            rules => rules,
        }
    }

    /// Unit of phases and buckets in model files.
    #[must_use]
    pub fn phase_unit(&self) -> &'static str {
        match self.phase_unit {
            "" => self.remaining_unit,
            unit => unit,
        }
    }
}
