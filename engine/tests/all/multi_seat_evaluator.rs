//! Shares of more than two seats hold from depth to depth better than values of the seat to move
//! alone, are nearer to results, and add up.

use engine::{
    core::{game::Game, limits::Limits, random::RandomStream},
    games::reversixt::ReversiXt,
    play::{
        build::PlayerRecipe,
        playable::{ChanceSources as _, Rules as _},
    },
};

type Shares = Vec<f64>;

/// Positions of games that players of depth 1 play, with some random moves, and their results.
fn positions_with_results(game: &ReversiXt) -> Vec<(<ReversiXt as Game>::Position, Shares)> {
    let player = PlayerRecipe::parse("maxn(depth=1, eval=best)", game).unwrap();
    let mut found = Vec::new();
    for seed in 0..12 {
        let mut random = RandomStream::new(seed);
        let mut position = game.random_start(&mut random, 2);
        let (mut player, mut seen) = (player.make(), Vec::new());
        while game.payoffs(&position).is_none() {
            let legal = game.legal_moves(&position, None);
            let mv = match random.below(8) {
                0 => legal[random.below(legal.len())],
                _ => {
                    player
                        .decide(&position, &legal, &Limits::NONE)
                        .unwrap()
                        .best
                }
            };
            if random.below(5) == 0 {
                seen.push(position);
            }
            position = game.play(&position, mv);
        }
        let payoffs = game.payoffs(&position).unwrap();
        let payoffs = payoffs[..game.seats()].iter();
        let result: Shares = payoffs.map(|&payoff| payoff.into()).collect();
        found.extend(seen.into_iter().map(|position| (position, result.clone())));
    }
    found
}

fn shares(game: &ReversiXt, player: &str, position: &<ReversiXt as Game>::Position) -> Shares {
    let recipe = PlayerRecipe::parse(player, game).unwrap();
    let analysis = recipe
        .make()
        .analyse(position, None, &Limits::NONE)
        .unwrap();
    let best = &analysis.moves[analysis.best_by_value(0..analysis.moves.len()).unwrap()];
    let payoffs = best.payoffs.unwrap();
    payoffs[..game.seats()]
        .iter()
        .map(|&payoff| payoff.into())
        .collect()
}

#[test]
fn they_hold_from_depth_to_depth_are_near_results_and_add_up() {
    let game = ReversiXt::from_notation("reversixt(map=four)", None).unwrap();
    let positions = positions_with_results(&game);
    let measured = ["best", "shares(best)", "shares(lines)"].map(|evaluator| {
        let (mut change, mut error) = (0.0, 0.0);
        for (position, result) in &positions {
            let [one, two] = [1, 2].map(|depth| {
                let player = format!("maxn(depth={depth}, eval={evaluator})");
                shares(&game, &player, position)
            });
            for seat in 0..game.seats() {
                change += (one[seat] - two[seat]).abs();
                error += (two[seat] - result[seat]).powi(2);
            }
        }
        let count = (positions.len() * game.seats()) as f64;
        (change / count, error / count)
    });
    println!("change and squared error {measured:?}");
    let [alone, by_seat @ ..] = measured;
    for shares in by_seat {
        assert!(
            shares.0 < 0.6 * alone.0 && shares.1 < 0.9 * alone.1,
            "{measured:?}"
        );
    }
    let unfinished = positions.iter().filter(|(position, _)| {
        let next = game.legal_moves(position, None);
        next.iter()
            .all(|&mv| game.payoffs(&game.play(position, mv)).is_none())
    });
    for (position, _) in unfinished {
        let sum: f64 = shares(&game, "maxn(depth=1, eval=shares(best))", position)
            .iter()
            .sum();
        assert!((sum - 2.0).abs() < 1e-5, "{sum}");
    }
}
