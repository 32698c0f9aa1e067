//! From the rules of a game (`engine/src/games/example_game.rs`) to a trained model: self-play,
//! training, and a match against the hand-made evaluator. Run it by `cargo run --release -p
//! alea-cli --example my_game`.

use arena::matches::{Contestant, MatchOptions, play_match};
use engine::{games::example_game::Columns, play::player_notation::trusted_text};
use indicatif::ProgressBar;
use std::error::Error;
use trainer::config::TrainConfig;
use trainer::dataset::{SampleOptions, Samples};
use trainer::selfplay::{Limits, SelfPlay, SelfPlayConfig};
use trainer::training::{Family, TrainingRun, train};

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let (games, training) = (directory.path().join("games"), directory.path().join("fit"));
    let mut played = SelfPlayConfig::for_game(&Columns);
    played.games = 8000;
    SelfPlay::<Columns>::new(played)?.run(&games, &Limits::default(), &ProgressBar::hidden())?;
    let mut config = TrainConfig::default();
    config.ntuple.phases = vec![2, 3, 4, 5, 6, 7].into();
    let samples = Samples::<Columns>::open(&[&games], &SampleOptions::without_labels(0.1, 1))?;
    let (family, silent) = (Family::NTuple, ProgressBar::hidden());
    let report = train(&TrainingRun {
        config: &config,
        family,
        samples: &samples,
        initial_model: None,
        provenance: "8000 games",
        directory: &training,
        observer: (&silent).into(),
    })?;
    let model = format!("star1(depth=1, eval=model:{})", report.model.display());
    let learned = Contestant::of(trusted_text(&model), &Columns)?;
    let by_hand = Contestant::of("star1(depth=1, eval=lead)", &Columns)?;
    let options = MatchOptions::new(Columns, 1000, 1);
    println!("{}", play_match(&learned, &by_hand, &options)?);
    Ok(())
}
