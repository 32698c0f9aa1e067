//! `GameInfo`: the constants of a game for everything but search.

/// A name and a text, such as a preset with its TOML.
pub type NamedText = (&'static str, &'static str);

/// The constants of a game; [`GameInfo::DEFAULT`] holds what a new game need not state.
#[derive(Debug)]
pub struct GameInfo {
    /// Name on the command line, in shards and in models.
    pub name: &'static str,
    /// Parameters of the rules with their values, default first: `size=8|6|4`.
    pub parameters: &'static str,
    /// The parameter for the size of the board; empty if there is only one size.
    pub size_parameter: &'static str,
    /// Names of each seat: in JSON (`r`), and for display (`Red`).
    pub seats: &'static [NamedText],
    /// Whether results list the numbers of all winners, from 1, instead of one name.
    pub lists_winners: bool,
    /// Unit of [`super::rules::Rules::remaining`], in one word: `stones`.
    pub remaining_unit: &'static str,
    /// Unit of phases and buckets in model files; empty for `remaining_unit`.
    pub phase_unit: &'static str,
    /// Random plies at the start of a game; above 0 where chance does not vary games.
    pub opening_plies: usize,
    /// Largest number of moves that one outcome allows; `None` stands for the branching hint.
    pub max_legal_moves: Option<usize>,
    /// Default players of self-play, with their probability weights.
    pub self_play_players: &'static [(&'static str, f64)],
    /// Presets of `alea pipeline`; the first one runs for minutes.
    pub pipeline_presets: &'static [NamedText],
    /// Presets of `alea improve`; the first one runs for minutes.
    pub generation_presets: &'static [NamedText],
    /// Default options of `mcts`, such as `leaf=playout, rave=1000`.
    pub mcts_defaults: &'static str,
    /// Names of [`alea_core::search_game::SearchHints::move_class`] from quiet moves on, at most
    /// four, with default weights for playouts.
    pub move_classes: &'static [(&'static str, u32)],
    /// Options of a Monte-Carlo search that solves positions, with the oracle.
    pub solver_options: &'static [NamedText],
    /// Rules that the web page offers, default first; empty for the default alone.
    pub page_rules: &'static [&'static str],
    /// Parameters that a request to the web page may set, with the values allowed where they could
    /// name a file.
    pub page_parameters: &'static [(&'static str, &'static [&'static str])],
    /// Opponents on the web page, weakest first; `EVAL` stands for the best evaluator, `HAND` for
    /// the default one.
    pub levels: &'static [NamedText],
    /// Puzzles for some rules: their notation, and a JSON line per puzzle.
    pub puzzles: &'static [NamedText],
}

impl GameInfo {
    /// Defaults: no parameters, two seats, Monte-Carlo search for self-play, Star2 opponents.
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

    /// The rules that the web page offers, default first.
    #[must_use]
    pub fn page_rules(&self) -> &[&'static str] {
        match self.page_rules {
            [] => std::slice::from_ref(&self.name),
            rules => rules,
        }
    }

    /// The unit of phases and buckets in model files.
    #[must_use]
    pub fn phase_unit(&self) -> &'static str {
        match self.phase_unit {
            "" => self.remaining_unit,
            unit => unit,
        }
    }
}
