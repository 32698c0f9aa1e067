//! Constants of a game: names, units, presets and defaults.

/// A name with a text, such as a preset's TOML.
pub type NamedText = (&'static str, &'static str);

/// Constants of a game that search does not need: names, units, presets and defaults.
#[derive(Debug)]
pub struct GameInfo {
    /// Name of the game on the command line and in files.
    pub name: &'static str,
    /// Rule parameters for help texts, with their values, default first: `size=8|6|4`.
    pub parameters: &'static str,
    /// Rule parameter that sets the board size; empty if there is one size.
    pub size_parameter: &'static str,
    /// Name of each seat in JSON (`r`), and for display (`Red`).
    pub seats: &'static [NamedText],
    /// Whether JSON names winners by a list of player numbers (from 1) instead of a seat.
    pub lists_winners: bool,
    /// Unit of `Rules::remaining_length`, such as `stones`.
    pub remaining_unit: &'static str,
    /// Unit of phases and buckets in model files; empty for `remaining_unit`.
    pub phase_unit: &'static str,
    /// Names of parts of the game that `Rules::part` tells apart, such as `contact` and `race`.
    pub parts: &'static [&'static str],
    /// Random plies at the start of match games; above 0 unless chance varies games.
    pub opening_plies: usize,
    /// Maximal number of moves that one chance outcome allows; `None`: the branching hint.
    pub max_legal_moves: Option<usize>,
    /// Default players of self-play, with their probability weights.
    pub self_play_players: &'static [(&'static str, f64)],
    /// Presets of `alea pipeline`, the shortest first.
    pub pipeline_presets: &'static [NamedText],
    /// Presets of `alea improve`, the shortest first.
    pub improve_presets: &'static [NamedText],
    /// Name and default playout weight of each `SearchHints::move_class`, from 0 to 3 at most.
    pub move_classes: &'static [(&'static str, u32)],
    /// Options that give a solving `mcts` its oracle.
    pub solver_options: &'static [NamedText],
    /// Names of position formats, besides the game's own, that UBGI's `position` accepts;
    /// `GameText::parse_position` reads them.
    pub ubgi_positions: &'static [&'static str],
    /// Rules offered on the web page, default first; empty for the default rules alone.
    pub page_rules: &'static [&'static str],
    /// Rule parameters allowed in requests to the web page, with allowed values if others could
    /// name files.
    pub page_parameters: &'static [(&'static str, &'static [&'static str])],
    /// Opponents on the web page, weakest first; `EVAL` stands for the best evaluator. Those of the
    /// project's games are measured in `benches/results/matches.md`.
    pub levels: &'static [NamedText],
    /// Rules in notation with puzzles for them, in JSON Lines.
    pub puzzles: &'static [NamedText],
    /// Description of the rules for players, in lines of at most 80 characters.
    pub rules_text: &'static str,
}

impl GameInfo {
    /// Defaults of all constants, to be overridden.
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
        parts: &[],
        opening_plies: 0,
        max_legal_moves: None,
        self_play_players: &[("mcts(sims=400, leaf=playout)", 1.0)],
        pipeline_presets: &[],
        improve_presets: &[],
        move_classes: &[("quiet", 1), ("forcing", 4)],
        solver_options: &[],
        ubgi_positions: &[],
        page_rules: &[],
        page_parameters: &[],
        levels: &[
            ("beginner", "softmax(star1(1, EVAL), 0.5)"),
            ("medium", "softmax(star1(1, EVAL), 0.05)"),
            ("strongest", "star2(3, EVAL)"),
        ],
        puzzles: &[],
        rules_text: "",
    };

    /// Name with rule parameters and their values, such as `reversi(size=8|6|4)`.
    #[must_use]
    pub fn synopsis(&self) -> String {
        match self.parameters {
            "" => self.name.to_owned(),
            parameters => format!("{}({parameters})", self.name),
        }
    }

    /// Rules offered on the web page, default first.
    #[must_use]
    pub fn web_page_variants(&self) -> &[&'static str] {
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
