//! The published program under its name: `lajkonik(…)`, our search with its rules, its numbers and
//! the names of its options.
//!
//! Its rewards are +1 and −1 where ours are 1 and 0, so what it adds to a mean counts half here.
//! Source: *Inside Lajkonik*. Invariant: every option that decides a move is read; those that only
//! concern its console have no meaning here and are refused by name like any other.

use super::{Havannah, MOST_CELLS};
use crate::play::notation::{Arguments, Notation, Problem};
use crate::play::registry::{Meaning, PlayerEntry};
use std::fmt::Write;

/// The game's own players.
pub(super) static PLAYERS: [PlayerEntry<Havannah>; 1] = [PlayerEntry {
    name: "lajkonik",
    parameters: "sims or seconds_per_move, and the published options by name",
    help: "the published program: patterns, mates, RAVE, solver",
    meaning: Meaning::Alias(lajkonik),
}];

fn lajkonik(arguments: &mut Arguments<'_>) -> Result<Notation, Problem> {
    let flag = [("true", true), ("false", false)];
    let unset = [("false", false), ("true", true)];
    let mut text = String::from("mcts(");
    // Writing to a string cannot fail.
    let budget = [
        "sims", "ms", "cpu_ms", "clock", "threads", "memory", "keep", "ponder",
    ];
    let mut limited = false;
    for key in budget {
        if let Some(value) = arguments.take_named(key)? {
            limited |= budget[..4].contains(&key);
            let _ = write!(text, "{key}={value}, ");
        }
    }
    let seconds = arguments.number("seconds_per_move", 0.001..=1e6, 30.0)?;
    if !limited {
        let _ = write!(text, "ms={}, ", (seconds * 1000.0_f64).round());
    }
    let mut number = |key, usual: f64| arguments.number(key, -1e6..=1e6, usual);
    // Playouts.
    let playout = [
        ("ring", number("initial_chance_of_ring_notice", 150.0)?),
        ("ring_end", number("final_chance_of_ring_notice", -350.0)?),
        (
            "connect",
            number("chance_of_forced_connection_intercept", 34.0)?,
        ),
        (
            "connect_slope",
            number("chance_of_forced_connection_slope", -30.0)?,
        ),
        (
            "defend",
            number("chance_of_connection_defense_intercept", 42.0)?,
        ),
        (
            "defend_slope",
            number("chance_of_connection_defense_slope", -28.0)?,
        ),
        ("retries", number("retries_of_isolated_moves", 1.0)?),
    ];
    // Selection; the blends that it numbers, with the k that ours take.
    let exploration = number("exploration_factor", 0.0)?.max(0.0).sqrt() / 2.0;
    let (bias, urgency) = (
        number("rave_bias", 0.0001)?.max(1e-30),
        number("first_play_urgency", 1000.0)?,
    );
    let chain = number("chain_size_bias_factor", 0.0)?;
    let depth = number("rave_update_depth", 1000.0)?;
    let (again, locality) = (
        number("tricky_epsilon", 0.02)?,
        number("locality_bias", 1.0)?,
    );
    let expand = number("expand_after_n_playouts", 160.0)?;
    let times = number("play_n_playouts_at_once", 1.0)?;
    let (least, range) = (
        number("prior_num_simulations_base", 4.0)?,
        number("prior_num_simulations_range", 7.0)?,
    );
    let half = number("prior_reward_halfrange", 5.0)?;
    let reach = number("neighborhood_size", 2.0)?;
    let sole = number("sole_nonlosing_move_win_ratio_threshold", 0.2)?;
    let strategy = arguments.number("exploration_strategy", 0..=7, 5)?;
    let [blend, k] = match strategy {
        0 | 1 => ["gelly", "0"].map(str::to_owned),
        2 => ["gelly".to_owned(), (3.0 * bias).to_string()],
        3 => ["teytaud".to_owned(), bias.to_string()],
        6 => ["variance".to_owned(), bias.to_string()],
        7 => ["history".to_owned(), bias.to_string()],
        _ => ["silver".to_owned(), bias.to_string()],
    };
    let rave = strategy > 1;
    let ring = arguments.choice("use_ring_detection", &flag)?;
    let mut switch = |key, choices: &[(&str, bool)]| arguments.choice(key, choices).map(on);
    let (mate, antimate) = (
        switch("use_havannah_mate", &flag)?,
        switch("use_havannah_antimate", &flag)?,
    );
    let in_tree = [
        switch("use_mate_in_tree", &flag)?,
        switch("use_antimate_in_tree", &flag)?,
    ];
    let deeper = switch("use_deeper_mate_in_tree", &flag)?;
    let (virtual_loss, solver) = (
        switch("use_virtual_loss", &flag)?,
        switch("use_solver", &flag)?,
    );
    let human = switch("use_human_like_time_control", &unset)?;
    let mates = match (solver, in_tree, deeper) {
        ("off", ..) | (_, ["off", _] | [_, "off"], _) => "off",
        (.., "off") => "on",
        _ => "deep",
    };
    let _ = write!(
        text,
        "leaf=playout, playouts={times}, playout=havannah(mate={mate}, antimate={antimate}"
    );
    for (key, value) in playout {
        let value = if key.starts_with("ring") && !ring {
            -1.0
        } else {
            value
        };
        let _ = write!(text, ", {key}={value}");
    }
    let fpu = if urgency >= 1000.0 {
        "first".to_owned()
    } else {
        (urgency / 2.0 + 0.5).clamp(-10.0, 10.0).to_string()
    };
    let _ = write!(
        text,
        "), select=ucb1, exploration={exploration}, fpu={fpu}, rave={}, expand={expand}, mates={mates}, \
         solver={solver}, virtual_loss={}, sole={sole}, human={human}, backup=sampled, batch=1",
        if rave { &k } else { "0" },
        u8::from(virtual_loss == "on"),
    );
    if rave {
        let most = least + (range - 1.0).max(0.0);
        let _ = write!(
            text,
            ", blend={blend}, again={again}, rave_depth={depth}, noise=visits({least}, {most}, {half})"
        );
    }
    // The bias is part of formula 5 alone.
    if strategy == 5 && locality + chain > 0.0 {
        let whole = locality + chain * MOST_CELLS as f64;
        let _ = write!(
            text,
            ", prior=locality(reach={reach}, near={locality}, chain={chain}), bias={}, bias_by=root",
            whole / 2.0
        );
    }
    text.push(')');
    Notation::parse(&text).map_err(|error| (error.character, error.problem))
}

fn on(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::game::Game;
    use crate::play::playable::Playable;

    #[test]
    fn every_published_option_is_read_under_its_name() {
        let game = Havannah::new(4, false);
        let (position, mut moves) = (game.start(), <Havannah as Game>::Moves::default());
        game.moves(&position, &mut moves);
        let strategies = (0..=7).map(|number| format!("exploration_strategy={number}"));
        let others = [
            "initial_chance_of_ring_notice=100, final_chance_of_ring_notice=0",
            "chance_of_forced_connection_intercept=0, chance_of_forced_connection_slope=0",
            "chance_of_connection_defense_intercept=0, chance_of_connection_defense_slope=0",
            "retries_of_isolated_moves=0, use_havannah_mate=false, use_havannah_antimate=false",
            "use_ring_detection=false, exploration_factor=0.5, rave_bias=0.01, tricky_epsilon=0",
            "first_play_urgency=1, locality_bias=0, chain_size_bias_factor=0.1, neighborhood_size=3",
            "expand_after_n_playouts=10, play_n_playouts_at_once=2, rave_update_depth=2",
            "prior_num_simulations_base=0, prior_num_simulations_range=1, prior_reward_halfrange=0",
            "use_mate_in_tree=false",
            "use_deeper_mate_in_tree=false",
            "use_antimate_in_tree=false",
            "use_virtual_loss=false, use_solver=false, sole_nonlosing_move_win_ratio_threshold=1",
        ];
        for options in strategies.chain(others.map(str::to_owned)) {
            let recipe = game.player(&format!("lajkonik(sims=50, {options})"));
            let mut player = recipe.unwrap_or_else(|error| panic!("{error}")).make();
            assert!(
                moves.contains(&player.decide(&position, &moves).best),
                "{options}"
            );
        }
        let timed = "lajkonik(seconds_per_move=0.01, use_human_like_time_control=true)";
        assert!(game.player(timed).is_ok());
        let unknown = game
            .player("lajkonik(expand=1)")
            .err()
            .map(|error| error.to_string());
        assert!(unknown.is_some_and(|error| error.contains("there is no 'expand' here")));
    }
}
