//! `alea train`: fits evaluators to game records.

mod sweep;

use crate::commands::MAX_GAMES;
use crate::games::{self, with_game, with_type};
use crate::output;
use crate::settings::SetArguments;
use anyhow::{Context, Result, ensure};
use arena::results_report::loss_svg;
use engine::core::files;
use engine::learned::{inputs::Learnable, model_file::ModelFile};
use engine::play::player_notation::trusted_text;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use sweep::SweepArguments;
use trainer::config::TrainConfig;
use trainer::curve::Observer;
use trainer::dataset::{SampleOptions, Samples};
use trainer::shard;
use trainer::training::{
    Family, TdReport, TdTrainingRun, TrainingReport, TrainingRun, train, train_td,
};

/// Fit an n-tuple network and a neural network to game records
///
/// Both can learn from games against themselves instead. The models are exported for the engine. An
/// interrupted run resumes from the last checkpoint.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea train --data runs/data --out runs/model\n         \
alea train --data runs/data --data runs/endgames --out runs/model   # games of both\n         \
alea train --print-config > train.toml   # all settings, with comments\n         \
alea train --data runs/data --config train.toml --family network --out runs/model\n         \
alea train --data runs/data --set training.epochs=40 --out runs/model\n         \
alea train --data runs/data --sweep 'network.learning_rate=[0.001, 0.004]' --out runs/sweep   # compared\n         \
alea train --data runs/new --family network --from runs/model/network/network.safetensors --out runs/tuned\n         \
alea train --family network --games 200000 --out runs/model   # from its own games, without records"
)]
pub(crate) struct Arguments {
    /// Directory of game records, made by `alea selfplay`; may be given several times, with games
    /// of one variant
    #[arg(long, value_name = "DIR", required_unless_present_any = ["print_config", "games"])]
    data: Vec<PathBuf>,
    /// Learn from N games of each network against itself, without records; overrides the settings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_GAMES), conflicts_with = "data", allow_negative_numbers = true)]
    games: Option<u64>,
    /// Game of --games, with parameters if need be; records name theirs
    #[arg(long, requires = "games")]
    game: Option<String>,
    /// Directory for checkpoints, curves and models
    #[arg(long, value_name = "DIR", required_unless_present = "print_config")]
    out: Option<PathBuf>,
    /// Settings; keys that are left out have their defaults
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    sweep: SweepArguments,
    /// Start from the weights of a model of the same shape, a path or the name of a shipped one,
    /// instead of new ones; overrides the settings
    #[arg(long, value_name = "MODEL")]
    from: Option<String>,
    /// What to fit
    #[arg(long, default_value = "both", value_parser = ["network", "ntuple", "both"])]
    family: String,
    /// Seed of initial weights and order; overrides the settings
    #[arg(long)]
    seed: Option<u64>,
    /// What trains networks: cpu, or burn on wgpu, cuda or flex if compiled in; overrides the settings
    #[arg(long)]
    backend: Option<String>,
    /// Write the settings file with all defaults and comments to standard output, and stop
    #[arg(long, conflicts_with = "set")]
    print_config: bool,
    /// Write one JSON object a model
    #[arg(long)]
    json: bool,
}

const PROGRAM_VERSION: &str = concat!("alea ", env!("CARGO_PKG_VERSION"));

pub(crate) const VALIDATION_FRACTION: f64 = 0.05;

/// Checks settings for the game. Dynamic, so that what follows is compiled once for all games.
type CheckConfig<'a> = dyn Fn(&TrainConfig) -> Result<()> + 'a;

/// Trains a family in a directory.
type Fit<'a> = dyn FnMut(&TrainConfig, Family, &Path) -> Result<FitReport> + 'a;

/// Report of a training on records, or from games of the network against itself.
#[derive(Serialize)]
#[serde(untagged)]
enum FitReport {
    Supervised(TrainingReport),
    Td(TdReport),
}

impl FitReport {
    fn summary(&self) -> String {
        match self {
            Self::Supervised(report) => summary(report),
            Self::Td(report) => td_summary(report),
        }
    }
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        if self.print_config {
            return output::print_line(TrainConfig::default_toml().trim_end());
        }
        let Some(out) = &self.out else {
            unreachable!("clap requires it")
        };
        let mut config = read_config(self.config.as_deref(), &self.set, self.seed)?;
        if let Some(backend) = &self.backend {
            config.training.backend.clone_from(backend);
        }
        if let Some(model) = &self.from {
            ensure!(
                self.family != "both",
                "--from {model}: a model is of one family; add --family network or --family ntuple"
            );
            config.training.initial_model.clone_from(model);
        }
        if let Some(games) = self.games {
            config.online.games = games;
            let game = self.game.as_deref().unwrap_or(games::DEFAULT_GAME);
            return with_game!(trusted_text(game), game => self.fit_by_td(&game, &config, out));
        }
        let game = games::game_of_records(&self.data);
        with_type!(&game, OneGame => self.fit_to_records::<OneGame>(&config, out))
    }

    fn families(&self) -> &'static [Family] {
        match self.family.as_str() {
            "network" => &[Family::Network],
            "ntuple" => &[Family::NTuple],
            _ => &[Family::NTuple, Family::Network],
        }
    }

    fn fit_by_td<G: Learnable>(&self, game: &G, config: &TrainConfig, out: &Path) -> Result<()> {
        let check = |config: &TrainConfig| Ok(config.resolve(game).map(drop)?);
        self.fit_all(config, out, &check, &mut |config, family, directory| {
            fit_family_by_td(config, family, game, None, directory).map(FitReport::Td)
        })
    }

    fn fit_to_records<G: Learnable>(&self, config: &TrainConfig, out: &Path) -> Result<()> {
        self.sweep.combinations()?;
        let samples = open_samples_and_report::<G>(&self.data, config)?;
        let rules = samples.game().clone();
        let mut loaded = Some((sample_options(config), samples));
        let check = |config: &TrainConfig| Ok(config.resolve(&rules).map(drop)?);
        self.fit_all(config, out, &check, &mut |config, family, directory| {
            let options = sample_options(config);
            let samples = match loaded.take() {
                Some((found, samples)) if found == options => samples,
                // The memory is free before it is filled again.
                other => {
                    drop(other);
                    open_samples_and_report::<G>(&self.data, config)?
                }
            };
            let report = fit_family(config, family, &samples, &self.data, None, directory)?;
            loaded = Some((options, samples));
            Ok(FitReport::Supervised(report))
        })
    }

    /// Calls `fit` for each family, or each of each combination of a sweep, and prints the results.
    fn fit_all(
        &self,
        config: &TrainConfig,
        out: &Path,
        check: &CheckConfig<'_>,
        fit: &mut Fit<'_>,
    ) -> Result<()> {
        if !self.sweep.is_empty() {
            let trained = (config, self.families());
            return self.sweep.run(trained, (out, self.json), check, fit);
        }
        for &family in self.families() {
            let report = fit(config, family, &out.join(family.name()))?;
            output::print_result(self.json, &report, || report.summary())?;
        }
        Ok(())
    }
}

/// Reads the settings of a training, by default all defaults, and overrides them.
pub(crate) fn read_config(
    path: Option<&Path>,
    set: &SetArguments,
    seed: Option<u64>,
) -> Result<TrainConfig> {
    let mut config = match path {
        Some(path) => {
            let config = set.read_toml::<TrainConfig>(path)?;
            config.check().with_context(|| path.display().to_string())?;
            config
        }
        None => {
            let config = set.parse_toml::<TrainConfig>("", String::new)?;
            config.check()?;
            config
        }
    };
    config.seed = seed.unwrap_or(config.seed);
    Ok(config)
}

fn sample_options(config: &TrainConfig) -> SampleOptions {
    SampleOptions::new(&config.target, VALIDATION_FRACTION, config.seed)
        .with_memory_limit(config.training.window)
}

pub(crate) fn open_samples<G: Learnable>(
    data: &[PathBuf],
    config: &TrainConfig,
) -> Result<Samples<G>> {
    let samples = Samples::open(data, &sample_options(config))?;
    if samples.duplicate_games() > 0 {
        output::note(&format!(
            "{} games are duplicates up to symmetry; all of a kind train, or all validate",
            samples.duplicate_games()
        ));
    }
    Ok(samples)
}

/// Loads records; prints the numbers of training, validation and omitted positions.
pub(crate) fn open_samples_and_report<G: Learnable>(
    data: &[PathBuf],
    config: &TrainConfig,
) -> Result<Samples<G>> {
    let samples = open_samples(data, config)?;
    let (training, validation) = (samples.num_training(), samples.validation().len());
    output::note(&format!(
        "{training} training and {validation} validation positions"
    ));
    if samples.num_held_out() > 0 {
        output::note(&format!(
            "{} positions are left out, as they are of the suites that players are judged on",
            samples.num_held_out()
        ));
    }
    Ok(samples)
}

pub(crate) fn fit_family<G: Learnable>(
    config: &TrainConfig,
    family: Family,
    samples: &Samples<G>,
    data: &[PathBuf],
    initial_model: Option<&ModelFile<G>>,
    directory: &Path,
) -> Result<TrainingReport> {
    let _claim = files::claim_directory(directory)?;
    // Contains no paths, so that equal runs in other directories write equal files.
    let provenance =
        json!({ "program": PROGRAM_VERSION, "records": source_runs::<G>(data)? }).to_string();
    Ok(output::with_progress("samples", |progress| {
        train(&TrainingRun {
            config,
            family,
            samples,
            initial_model,
            provenance: &provenance,
            directory,
            observer: observer(progress),
        })
    })?)
}

pub(crate) fn fit_family_by_td<G: Learnable>(
    config: &TrainConfig,
    family: Family,
    game: &G,
    initial_model: Option<&ModelFile<G>>,
    directory: &Path,
) -> Result<TdReport> {
    let _claim = files::claim_directory(directory)?;
    let provenance = json!({ "program": PROGRAM_VERSION }).to_string();
    Ok(output::with_progress("games", |progress| {
        train_td(&TdTrainingRun {
            game,
            config,
            family,
            initial_model,
            provenance: &provenance,
            directory,
            observer: observer(progress),
        })
    })?)
}

/// Settings of the self-play runs that made the records: one object, or a list in `sources`.
fn source_runs<G: Learnable>(data: &[PathBuf]) -> Result<Value> {
    let mut runs = Vec::new();
    for directory in data {
        for shard in shard::list(directory)? {
            let run = shard::read_header::<G>(&shard)?.run;
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    }
    Ok(if runs.len() > 1 {
        json!({ "sources": runs })
    } else {
        runs.pop().unwrap_or_default()
    })
}

fn observer(progress: &ProgressBar) -> Observer<'_> {
    let draw = Some(&loss_svg as _);
    Observer { progress, draw }
}

pub(crate) fn td_summary(report: &TdReport) -> String {
    format!(
        "{:<8} {} games, {} positions: loss {:.5} nats against results; {:.0} games/s; engine agrees to {:.1e} on {} positions\n         {}",
        report.family,
        report.games,
        report.positions,
        report.loss,
        report.games_per_second,
        report.parity,
        report.parity_positions,
        report.model.display(),
    )
}

pub(crate) fn summary(report: &TrainingReport) -> String {
    format!(
        "{:<8} epoch {} of {}: loss {:.5}, validation {:.5} nats; {:.0} samples/s; engine agrees to {:.1e} on {} positions\n         {}",
        report.family,
        report.best_epoch,
        report.epochs,
        report.training_loss,
        report.validation_loss,
        report.samples_per_second,
        report.parity,
        report.parity_positions,
        report.model.display(),
    )
}
