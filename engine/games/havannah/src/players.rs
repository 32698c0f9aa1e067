//! The player `lajkonik(…)`: Lajkonik's options, translated to those of `mcts`.
//!
//! Lajkonik's rewards are ±1, here 1 and 0: terms added to mean rewards are halved. Source: *Inside
//! Lajkonik*.

use super::{Havannah, MAX_CELLS};
use alea_play::{
    player_notation::{Argument, Arguments, Notation, Problem},
    registry::{Meaning, PlayerEntry},
};
use std::fmt::Write;

pub(super) static PLAYERS: [PlayerEntry<Havannah>; 1] = [PlayerEntry {
    name: "lajkonik",
    parameters: "sims or seconds_per_move, and the published options by name",
    help: "the published program: patterns, mates, RAVE, solver",
    meaning: Meaning::Alias(lajkonik_notation),
}];

fn lajkonik_notation(arguments: &mut Arguments<'_>) -> Result<Notation, Problem> {
    let mut text = String::from("mcts(");
    let budget = [
        "sims", "ms", "cpu_ms", "clock", "threads", "memory", "keep", "ponder",
    ];
    let mut ours = Vec::new();
    let mut limited = false;
    for key in budget {
        if let Some(value) = arguments.take_named(key)? {
            limited |= budget[..4].contains(&key);
            ours.push(Argument {
                key: Some(key.to_owned()),
                character: value.character,
                value: value.clone(),
            });
        }
    }
    let seconds = arguments.number("seconds_per_move", 0.001..=1e6, 30.0)?;
    if !limited {
        let _ = write!(text, "ms={}, ", (seconds * 1000.0_f64).round());
    }
    let mut number = |key, from, to, default: f64| arguments.number(key, from..=to, default);
    let mut playout = [
        ("connect", "chance_of_forced_connection_intercept", 34.0),
        ("connect_slope", "chance_of_forced_connection_slope", -30.0),
        ("defend", "chance_of_connection_defense_intercept", 42.0),
        ("defend_slope", "chance_of_connection_defense_slope", -28.0),
        ("ring", "initial_chance_of_ring_notice", 150.0),
        ("ring_end", "final_chance_of_ring_notice", -350.0),
    ];
    for (_, key, chance) in &mut playout {
        *chance = number(key, -10_000.0, 10_000.0, *chance)?;
    }
    let exploration = number("exploration_factor", 0.0, 1e6, 0.0)?.sqrt() / 2.0;
    let bias = number("rave_bias", 1e-30, 1e8, 0.0001)?;
    let urgency = number("first_play_urgency", -20.0, 2000.0, 1000.0)?;
    let again = number("tricky_epsilon", 0.0, 1.0, 0.02)?;
    let locality = number("locality_bias", 0.0, 1000.0, 1.0)?;
    let chain = number("chain_size_bias_factor", 0.0, 3.0, 0.0)?;
    let sole = number("sole_nonlosing_move_win_ratio_threshold", 0.0, 1.0, 0.2)?;
    number("win_ratio_threshold", 0.0, 1.0, 0.6)?;
    let mut count = |key, from, to, default: u32| arguments.number(key, from..=to, default);
    let retries = count("retries_of_isolated_moves", 0, 100, 1)?;
    let depth = count("rave_update_depth", 0, u32::MAX, 1000)?;
    let expand = count("expand_after_n_playouts", 1, 1_000_000, 160)?;
    let times = count("play_n_playouts_at_once", 1, 1000, 1)?;
    let least = count("prior_num_simulations_base", 0, 500, 4)?;
    let max = least + count("prior_num_simulations_range", 1, 500, 7)? - 1;
    let half = count("prior_reward_halfrange", 0, 1000, 5)?;
    let reach = count("neighborhood_size", 0, 20, 2)?;
    let strategy = count("exploration_strategy", 0, 7, 5)?;
    let mut is = |key, default: bool| {
        let choices = [("true", true), ("false", false)];
        let first = usize::from(!default);
        arguments.choice(key, &[choices[first], choices[1 - first]])
    };
    let on = |on: bool| if on { "on" } else { "off" };
    let rings = is("use_ring_detection", true)?;
    let mate = is("use_havannah_mate", true)?;
    let antimate = is("use_havannah_antimate", true)?;
    let in_tree = is("use_mate_in_tree", true)? & is("use_antimate_in_tree", true)?;
    let deeper = is("use_deeper_mate_in_tree", true)?;
    let virtual_loss = is("use_virtual_loss", true)?;
    let solver = is("use_solver", true)?;
    let by_rave = is("use_rave_randomization", false)?;
    let human = is("use_human_like_time_control", false)?;
    for key in [
        "clear_tt_after_move",
        "print_debug_info",
        "use_lg_coordinates",
    ] {
        is(key, false)?;
    }
    for key in ["use_swap", "end_games_quickly"] {
        arguments.choice(key, &[("false", ())])?;
    }
    let mates = match solver && in_tree {
        true if deeper => "deep",
        in_tree => on(in_tree),
    };
    let _ = write!(
        text,
        "leaf=playout, playouts={times}, playout=havannah(mate={}, antimate={}, retries={retries}",
        on(mate),
        on(antimate)
    );
    for (key, _, value) in playout {
        let unseen = key.starts_with("ring") && !rings;
        let _ = write!(text, ", {key}={}", if unseen { -1.0 } else { value });
    }
    let (blend, k) = match strategy {
        0 | 1 => ("gelly", 0.0),
        2 => ("gelly", 3.0 * bias),
        3 => ("teytaud", bias),
        6 => ("variance", bias),
        7 => ("history", bias),
        _ => ("silver", bias),
    };
    let _ = write!(
        text,
        "), exploration={exploration}, fpu=above({}), rave={k}, expand={expand}, \
         mates={mates}, solver={}, virtual_loss={}, sole={sole}, human={}, batch=1",
        urgency / 2.0,
        on(solver),
        u8::from(virtual_loss),
        on(human),
    );
    if strategy > 1 {
        let _ = write!(text, ", blend={blend}, again={again}, rave_depth={depth}");
    }
    if strategy > 1 || !by_rave {
        let kind = if by_rave { "rave" } else { "tries" };
        let _ = write!(text, ", noise={kind}({least}, {max}, {half})");
    }
    if strategy == 5 && locality + chain > 0.0 {
        let total = locality + chain * MAX_CELLS as f64;
        let _ = write!(
            text,
            ", prior=locality(reach={reach}, near={locality}, chain={chain}), bias={}",
            total / 2.0
        );
    }
    text.push(')');
    let mut total = Notation::parse(&text).map_err(|error| (error.character, error.problem))?;
    total.arguments.append(&mut ours);
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_play::build::PlayerRecipe;

    proptest::proptest! {
        #[test]
        fn numbers_from_end_to_end_give_a_player(
            epsilon in 0.0..=1.0, bias in 1e-30..1e8, near in 0.0..=1000.0, chain in 0.0..=3.0,
            urgency in -20.0..=2000.0, least in 0..=500, range in 1..=500, strategy in 0..=7,
        ) {
            let player = format!(
                "lajkonik(sims=1, tricky_epsilon={epsilon}, rave_bias={bias}, locality_bias={near}, \
                 chain_size_bias_factor={chain}, first_play_urgency={urgency}, \
                 prior_num_simulations_base={least}, prior_num_simulations_range={range}, \
                 exploration_strategy={strategy})"
            );
            PlayerRecipe::parse(&player, &Havannah::new(4, false)).map_err(|error| {
                proptest::test_runner::TestCaseError::fail(error.to_string())
            })?;
        }
    }
}
