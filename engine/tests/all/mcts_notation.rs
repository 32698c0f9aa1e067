//! Monte-Carlo players by name: every key is understood, wrong ones are refused with what would be
//! right.

use crate::support::{MIDDLE, near, player, position};
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;

#[test]
fn every_key_makes_a_player_that_plays() {
    let game = Standard::default();
    let position = position(MIDDLE);
    for (text, reproducible) in [
        ("mcts(200)", true),
        ("mcts(sims=200, leaf=playout, exploration=0.7)", true),
        ("mcts(sims=200, c=0.7, leaf=schwarz)", true),
        ("mcts(sims=200, leaf=mix(0.3, abt))", true),
        ("mcts(sims=100, leaf=star(2, schwarz), batch=4)", true),
        ("mcts(sims=200, select=tuned, fpu=1.1)", true),
        (
            "mcts(sims=200, select=puct, prior=schwarz, temperature=0.2, fpu=parent)",
            true,
        ),
        (
            "mcts(sims=200, prior=schwarz, bias=2, backup=expected)",
            true,
        ),
        (
            "mcts(sims=200, solver=off, graph=off, virtual_loss=0, memory=1, early=off)",
            true,
        ),
        (
            "mcts(sims=200, keep=on, threads=2, virtual_loss=2, die=1:1:1:1:1:5)",
            false,
        ),
        (
            "mcts(sims=200, leaf=playout, rave=0.01, blend=silver, expand=5, rave_depth=2, noise=rave(4, 10, 5), playouts=2)",
            true,
        ),
        (
            "mcts(ms=2, human=on, sole=0.2, prior=schwarz, bias=1, bias_by=root)",
            false,
        ),
        ("mcts(ms=2)", false),
        ("mcts(clock=1+0.1, keep=on)", false),
        ("mcts(sims=200, playout=uniform)", true),
        ("mcts(sims=100, playout=greedy)", true),
        ("mcts(sims=100, playout=schwarz, rave=20)", true),
        ("mcts(sims=100, playout=farmer_boy, batch=8)", true),
        ("mcts(sims=100, playout=urgent(2), select=tuned)", true),
        (
            "mcts(sims=100, playout=weighted(quiet=1, own=0, capture=4, win=100))",
            true,
        ),
        (
            "mcts(sims=100, playout=mixture(0.5, schwarz, mixture(0.2, urgent)))",
            true,
        ),
        ("mcts(sims=100, truncate=4)", true),
        (
            "mcts(sims=100, playout=greedy, truncate=6, close=abt, batch=8)",
            true,
        ),
        (
            "mcts(sims=100, leaf=mix(0.5, schwarz), playout=urgent, truncate=8, close=race)",
            true,
        ),
        ("mcts(sims=100, truncate=3, rave=20, threads=2)", false),
        ("mcts(sims=100, ponder=on)", false),
        ("mcts(ms=2, ponder=1)", false),
        ("monte_alpha(200)", true),
        ("monte_alpha(ms=2)", false),
        ("monte_alpha_v2(sims=200)", true),
        ("uctcut(200)", true),
        ("abseval(2)", false),
        ("abseval(cpu_ms=2)", false),
    ] {
        let recipe = PlayerRecipe::parse(text, &game).unwrap();
        // The name is the notation of the same player.
        let again = PlayerRecipe::parse(recipe.name(), &game).unwrap();
        for recipe in [&recipe, &again] {
            assert_eq!(
                (recipe.name(), recipe.is_reproducible()),
                (text, reproducible)
            );
        }
        for mut player in [recipe.make(), recipe.make_instrumented()] {
            player.new_game(1);
            for die in 1..=6 {
                let legal = game.legal_moves(&position, die);
                let decision = player.decide(&position, &legal);
                assert!(legal.contains(&decision.best), "{text}");
                let value = decision.value.unwrap();
                assert!((0.0..=1.0).contains(&value), "{text}: {value}");
            }
            let value = player.value(&position).value.unwrap();
            assert!((0.1..0.9).contains(&value), "{text}: {value}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let game = Standard::default();
    let refused = |text: &str, part: &str| {
        let error = PlayerRecipe::parse(text, &game).err().expect(text);
        assert!(error.to_string().contains(part), "{text}: {error}");
    };
    for (options, part) in [
        ("sims=0", "character 11: 'sims' is a number from 1"),
        ("ms=nan", "'ms' is a number"),
        (
            "ms=3, clock=5",
            "character 18: only one of 'ms', 'cpu_ms' and 'clock' can be given",
        ),
        ("clock=x", "60+0.5"),
        (
            "cpu_ms=3, threads=2",
            "character 24: 'cpu_ms' is a limit of one thread: use 'ms'",
        ),
        (
            "simulations=3",
            "there is no 'simulations' here; mcts takes",
        ),
        (
            "select=best",
            "'select' is ucb1 or tuned or puct, not 'best'",
        ),
        ("c=1, exploration=2", "'c' is short for 'exploration'"),
        ("c=-1", "'exploration' is a number from 0"),
        (
            "fpu=soon",
            "character 10: 'fpu' is first, parent, above(more), or a number from -10 to 10, not 'soon'",
        ),
        ("fpu=nan", "'fpu' is first"),
        ("bias=1", "'bias' needs an evaluator"),
        (
            "bias=1, select=puct, prior=schwarz",
            "'bias' is not for select=puct",
        ),
        (
            "prior=schwarz",
            "'prior' is for select=puct, or needs a 'bias'",
        ),
        ("temperature=1", "there is no 'temperature' here"),
        ("keep=on, graph=off", "'keep=on' needs graph=on"),
        ("batch=2, rave=1", "'batch' and 'rave' exclude each other"),
        (
            "select=tuned, rave=1",
            "'select=tuned' and 'rave' exclude each other",
        ),
        (
            "blend=silver",
            "'blend' is for searches with 'rave' above 0",
        ),
        (
            "rave=1, noise=4",
            "character 20: 'noise' is rave(least, most, half) or tries(…), not '4'",
        ),
        ("rave=1, again=0.1", "'again' is for games without chance"),
        ("human=on", "'human' needs a limit of time: ms=1000"),
        (
            "leaf=schwarz, playouts=2",
            "'playouts' is for leaves that play on",
        ),
        ("memory=0", "'memory' is a number from 1 to"),
        ("threads=0", "'threads' is a number from 1 to 256"),
        ("leaf=foo", "no evaluator 'foo'"),
        ("leaf=mix(2, schwarz)", "'share' is a number from 0 to 1"),
        ("leaf=star(9)", "'depth' is a number from 1 to 4"),
        ("leaf=playout(3)", "playout takes none"),
        (
            "playout=foo",
            "character 14: there is no policy 'foo'; there are uniform, urgent(least), weighted(",
        ),
        ("playout=schwarz(slope=0)", "'slope' is a number from"),
        ("playout=uniform(1)", "uniform takes none"),
        (
            "playout=urgent(4)",
            "'least' is a number from 1 to 3, not '4'",
        ),
        ("playout=weighted(1, -1)", "'own' is a number from 0"),
        (
            "playout=mixture(greedy, uniform)",
            "'share' is a number from 0 to 1, not 'greedy'",
        ),
        (
            "playout=mixture(0.5)",
            "'mixture' needs a policy: mixture(0.5, schwarz, uniform)",
        ),
        (
            "playout=mixture(0.5, foo)",
            "character 27: there is no policy 'foo'",
        ),
        (
            "truncate=0",
            "character 15: 'truncate' is a number from 1 to 200, not '0'",
        ),
        (
            "close=schwarz",
            "'close' values playouts that are cut short: it needs 'truncate'",
        ),
        ("truncate=5, close=foo", "no evaluator 'foo'"),
        (
            "leaf=schwarz, playout=greedy",
            "character 28: 'playout' is for leaves that play on: leaf=playout or leaf=mix(share, EVAL)",
        ),
        (
            "leaf=star(1), truncate=5",
            "'truncate' is for leaves that play on",
        ),
        ("ponder=yes", "'ponder' is off or on"),
        ("ponder=on, keep=off", "'ponder=on' needs keep=on"),
        ("ponder=on, graph=off", "'keep=on' needs graph=on"),
    ] {
        refused(&format!("mcts({options})"), part);
    }
    refused("monte_alpha(playout=greedy)", "there is no 'playout' here");
    refused("monte_alpha(solver=on)", "there is no 'solver' here");
}

#[test]
fn the_policy_named_is_the_one_that_plays() {
    let game = Standard::default();
    let value = |leaf: &str| {
        let mut player = player(&format!("mcts(sims=3000, solver=off, {leaf})"), &game);
        player.value(&position(MIDDLE)).value.unwrap()
    };
    let [uniform, again, greedy, mixed, cut] = [
        "leaf=playout",
        "playout=uniform",
        "playout=greedy",
        "playout=mixture(0.5, greedy, uniform)",
        "truncate=2, close=schwarz",
    ]
    .map(value);
    assert_eq!(uniform, again);
    assert!(greedy != uniform && mixed != greedy && mixed != uniform && cut != uniform);
    // A share of 1 or 0 is the policy alone, but for the numbers that are drawn to choose it.
    let alone = value("playout=mixture(1, greedy, uniform)");
    near(alone, greedy, 0.05, "alone");
}
