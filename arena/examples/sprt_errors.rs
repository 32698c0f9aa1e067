//! Prints error rates and durations of sequential tests in simulated matches: `cargo run --release
//! -p alea-arena --example sprt_errors -- 10000`.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use alea_core::random::RandomStream;
use arena::statistics::{
    score_of_elo,
    sequential::{EloModel, SequentialTest, Verdict},
    sequential_simulation::{pair_distribution, simulate_pair_test, simulate_test},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tests: u64 = std::env::args()
        .nth(1)
        .map_or(Ok(10_000), |text| text.parse())?;
    println!("{tests} tests a line, α = β = 5 %, seed 1");
    println!(
        "{:<34} {:>5} {:>9} {:>9} {:>9} {:>12}",
        "test", "truth", "accepted", "rejected", "wrong", "mean length"
    );
    let mut random = RandomStream::new(1);
    for (elo1, model, split) in [
        (10.0, EloModel::Logistic, Some(0.5)),
        (20.0, EloModel::Logistic, Some(0.5)),
        (20.0, EloModel::Logistic, Some(0.8)),
        (20.0, EloModel::Normalized, Some(0.5)),
        (20.0, EloModel::Normalized, Some(0.8)),
        (20.0, EloModel::Logistic, None),
    ] {
        let test = SequentialTest::new(0.0, elo1, 0.05, 0.05, model)?;
        for elo in [0.0, elo1] {
            let (mut accepted, mut rejected, mut length) = (0, 0, 0);
            for _ in 0..tests {
                let (verdict, samples) = match split {
                    Some(split) => simulate_pair_test(
                        &test,
                        1,
                        &pair_distribution(elo, model, split),
                        1_000_000,
                        &mut random,
                    ),
                    None => simulate_test(&test, score_of_elo(elo), 1_000_000, &mut random),
                };
                accepted += u64::from(verdict == Verdict::Accepted);
                rejected += u64::from(verdict == Verdict::Rejected);
                length += samples;
            }
            let fraction = |count: u64| 100.0 * count as f64 / tests as f64;
            let kind = split.map_or("trinomial, games".to_owned(), |split| {
                format!("pentanomial, {:.0} % split", 100.0 * split)
            });
            let name = format!("{model:?} 0:{elo1}, {kind}").to_lowercase();
            let wrong = fraction(if elo == 0.0 { accepted } else { rejected });
            let length = length as f64 / tests as f64;
            println!(
                "{name:<38} {elo:>5} {:>8.2}% {:>8.2}% {wrong:>8.2}% {length:>8.0}",
                fraction(accepted),
                fraction(rejected)
            );
        }
    }
    Ok(())
}
