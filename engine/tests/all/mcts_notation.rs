//! Monte-Carlo players by name: every key is understood, wrong ones are refused with what would be
//! right.

use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;

const MIDDLE: &str = "215../64.../3...e/...fb/..acd b -";

#[test]
fn every_key_makes_a_player_that_plays() {
    let game = Standard::default();
    let (position, _) = game.parse_position(MIDDLE).expect("a position");
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
        let recipe = PlayerRecipe::parse(text, &game).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(recipe.is_reproducible(), reproducible, "{text}");
        // The name is the notation of the same player.
        let again =
            PlayerRecipe::parse(recipe.name(), &game).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (again.name(), again.is_reproducible()),
            (text, reproducible)
        );
        for mut player in [recipe.make(), recipe.make_instrumented()] {
            player.new_game(1);
            for die in 1..=6 {
                let legal = game.legal_moves(&position, die);
                let decision = player.decide(&position, &legal);
                assert!(legal.contains(&decision.best), "{text}");
                assert!(
                    decision
                        .value
                        .is_some_and(|value| (0.0..=1.0).contains(&value)),
                    "{text}: {decision:?}"
                );
            }
            let value = player.value(&position).value.expect("a value");
            assert!((0.1..0.9).contains(&value), "{text}: {value}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let game = Standard::default();
    for (text, part) in [
        ("mcts(sims=0)", "character 11: 'sims' is a number from 1"),
        ("mcts(ms=nan)", "'ms' is a number"),
        (
            "mcts(ms=3, clock=5)",
            "character 18: only one of 'ms', 'cpu_ms' and 'clock' can be given",
        ),
        ("mcts(clock=x)", "60+0.5"),
        (
            "mcts(cpu_ms=3, threads=2)",
            "character 24: 'cpu_ms' is a limit of one thread: use 'ms'",
        ),
        (
            "mcts(simulations=3)",
            "there is no 'simulations' here; mcts takes",
        ),
        (
            "mcts(select=best)",
            "'select' is ucb1 or tuned or puct, not 'best'",
        ),
        ("mcts(c=1, exploration=2)", "'c' is short for 'exploration'"),
        ("mcts(c=-1)", "'exploration' is a number from 0"),
        (
            "mcts(fpu=soon)",
            "character 10: 'fpu' is first, parent, above(more), or a number from -10 to 10, not 'soon'",
        ),
        ("mcts(fpu=nan)", "'fpu' is first"),
        ("mcts(bias=1)", "'bias' needs an evaluator"),
        (
            "mcts(bias=1, select=puct, prior=schwarz)",
            "'bias' is not for select=puct",
        ),
        (
            "mcts(prior=schwarz)",
            "'prior' is for select=puct, or needs a 'bias'",
        ),
        ("mcts(temperature=1)", "there is no 'temperature' here"),
        ("mcts(keep=on, graph=off)", "'keep=on' needs graph=on"),
        (
            "mcts(batch=2, rave=1)",
            "'batch' and 'rave' exclude each other",
        ),
        (
            "mcts(select=tuned, rave=1)",
            "'select=tuned' and 'rave' exclude each other",
        ),
        (
            "mcts(blend=silver)",
            "'blend' is for searches with 'rave' above 0",
        ),
        (
            "mcts(rave=1, noise=4)",
            "character 20: 'noise' is rave(least, most, half) or tries(…), not '4'",
        ),
        (
            "mcts(rave=1, again=0.1)",
            "'again' is for games without chance",
        ),
        ("mcts(human=on)", "'human' needs a limit of time: ms=1000"),
        (
            "mcts(leaf=schwarz, playouts=2)",
            "'playouts' is for leaves that play on",
        ),
        ("mcts(memory=0)", "'memory' is a number from 1 to"),
        ("mcts(threads=0)", "'threads' is a number from 1 to 256"),
        ("mcts(leaf=foo)", "no evaluator 'foo'"),
        (
            "mcts(leaf=mix(2, schwarz))",
            "'share' is a number from 0 to 1",
        ),
        ("mcts(leaf=star(9))", "'depth' is a number from 1 to 4"),
        ("mcts(leaf=playout(3))", "playout takes none"),
        (
            "mcts(playout=foo)",
            "character 14: there is no policy 'foo'; there are uniform, urgent(least), weighted(",
        ),
        ("mcts(playout=schwarz(slope=0))", "'slope' is a number from"),
        ("mcts(playout=uniform(1))", "uniform takes none"),
        (
            "mcts(playout=urgent(4))",
            "'least' is a number from 1 to 3, not '4'",
        ),
        ("mcts(playout=weighted(1, -1))", "'own' is a number from 0"),
        (
            "mcts(playout=mixture(greedy, uniform))",
            "'share' is a number from 0 to 1, not 'greedy'",
        ),
        (
            "mcts(playout=mixture(0.5))",
            "'mixture' needs a policy: mixture(0.5, schwarz, uniform)",
        ),
        (
            "mcts(playout=mixture(0.5, foo))",
            "character 27: there is no policy 'foo'",
        ),
        (
            "mcts(truncate=0)",
            "character 15: 'truncate' is a number from 1 to 200, not '0'",
        ),
        (
            "mcts(close=schwarz)",
            "'close' values playouts that are cut short: it needs 'truncate'",
        ),
        ("mcts(truncate=5, close=foo)", "no evaluator 'foo'"),
        (
            "mcts(leaf=schwarz, playout=greedy)",
            "character 28: 'playout' is for leaves that play on: leaf=playout or leaf=mix(share, EVAL)",
        ),
        (
            "mcts(leaf=star(1), truncate=5)",
            "'truncate' is for leaves that play on",
        ),
        ("mcts(ponder=yes)", "'ponder' is off or on"),
        ("mcts(ponder=on, keep=off)", "'ponder=on' needs keep=on"),
        ("mcts(ponder=on, graph=off)", "'keep=on' needs graph=on"),
        ("monte_alpha(playout=greedy)", "there is no 'playout' here"),
        ("monte_alpha(solver=on)", "there is no 'solver' here"),
    ] {
        match PlayerRecipe::parse(text, &game) {
            Ok(_) => panic!("{text} was accepted"),
            Err(error) => assert!(error.to_string().contains(part), "{text}: {error}"),
        }
    }
}

#[test]
fn the_policy_named_is_the_one_that_plays() {
    let game = Standard::default();
    let (position, _) = game.parse_position(MIDDLE).expect("a position");
    let value = |text: &str| {
        let mut player = PlayerRecipe::parse(text, &game)
            .unwrap_or_else(|error| panic!("{error}"))
            .make();
        player.new_game(1);
        player.value(&position).value.expect("a value")
    };
    let [uniform, again, greedy, mixed, cut] = [
        "mcts(sims=3000, solver=off, leaf=playout)",
        "mcts(sims=3000, solver=off, playout=uniform)",
        "mcts(sims=3000, solver=off, playout=greedy)",
        "mcts(sims=3000, solver=off, playout=mixture(0.5, greedy, uniform))",
        "mcts(sims=3000, solver=off, truncate=2, close=schwarz)",
    ]
    .map(value);
    assert_eq!(uniform, again);
    assert!(greedy != uniform && mixed != greedy && mixed != uniform && cut != uniform);
    // A share of 1 or 0 is the policy alone, but for the numbers that are drawn to choose it.
    let alone = value("mcts(sims=3000, solver=off, playout=mixture(1, greedy, uniform))");
    assert!((alone - greedy).abs() < 0.05, "{alone} {greedy}");
}
