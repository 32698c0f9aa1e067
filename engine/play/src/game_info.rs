//! Names, units, presets and defaults of a game.

/// A name with a text, such as a preset with its TOML.
pub type NamedText = (&'static str, &'static str);

/// Constants of a game that search does not need.
#[derive(Debug)]
pub struct GameInfo {
    /// Name on the command line, in game shards and in models.
    pub name: &'static str,
    /// Rule parameters with their values, default first: `size=8|6|4`.
    pub parameters: &'static str,
    /// Rule parameter for the board size; empty if there is only one size.
    pub size_parameter: &'static str,
    /// Name of each seat in JSON (`r`) and for display (`Red`).
    pub seats: &'static [NamedText],
    /// Whether results list the numbers (from 1) of all winners instead of one name.
    pub lists_winners: bool,
    /// Unit of `Rules::remaining_length` in one word: `stones`.
    pub remaining_unit: &'static str,
    /// Unit of phases and buckets in model files; empty if it is `remaining_unit`.
    pub phase_unit: &'static str,
    /// Random plies at the start; above 0 if chance does not vary games.
    pub opening_plies: usize,
    /// Maximal moves of one outcome; `None`: the branching hint.
    pub max_legal_moves: Option<usize>,
    /// Default players with their probability weights.
    pub self_play_players: &'static [(&'static str, f64)],
    /// Presets of `alea pipeline`, shortest (minutes) first.
    pub pipeline_presets: &'static [NamedText],
    /// Presets of `alea improve`, shortest (minutes) first.
    pub improve_presets: &'static [NamedText],
    /// Default options of `mcts`, such as `leaf=playout, rave=1000`.
    pub mcts_defaults: &'static str,
    /// Name and default playout weight of each move class (`SearchHints::move_class`), at most
    /// four, quiet first.
    pub move_classes: &'static [(&'static str, u32)],
    /// Options that give a solving Monte-Carlo search its oracle.
    pub solver_options: &'static [NamedText],
    /// Rules on the web page, default first; empty for the default rules.
    pub page_rules: &'static [&'static str],
    /// Rule parameters allowed in requests to the web page, with the allowed values where they
    /// could name files.
    pub page_parameters: &'static [(&'static str, &'static [&'static str])],
    /// Opponents on the web page, weakest first; `EVAL` stands for the best evaluator, `HAND` for
    /// the default one.
    pub levels: &'static [NamedText],
    /// Rules in notation, each with puzzles in JSON Lines.
    pub puzzles: &'static [NamedText],
}

impl GameInfo {
    /// Constants of a new game.
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
        improve_presets: &[],
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

    /// Rules that the web page offers, default first.
    #[must_use]
    pub fn web_page_rules(&self) -> &[&'static str] {
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
