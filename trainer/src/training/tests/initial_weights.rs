//! Trainings that begin with the weights of a model. With a learning rate of nearly 0 they end with
//! these weights, too.

use super::*;
use alea_play::playable::Rules;
use engine::games::reversixt::ReversiXt;

const NO_LEARNING: f64 = 1e-30;

fn train_from(
    initial_model: Option<&ModelFile<Standard>>,
    directory: &Path,
    config: &TrainConfig,
    family: Family,
) -> Result<TrainingReport, Error> {
    train(&TrainingRun {
        config,
        family,
        samples: &samples(),
        initial_model,
        provenance: "",
        directory,
        observer: (&ProgressBar::hidden()).into(),
    })
}

fn learn_from(
    initial_model: Option<&ModelFile<Standard>>,
    directory: &Path,
    config: &TrainConfig,
    family: Family,
) -> Result<TdReport, Error> {
    train_td(&TdTrainingRun {
        game: &Standard::default(),
        config,
        family,
        initial_model,
        provenance: "",
        directory,
        observer: (&ProgressBar::hidden()).into(),
    })
}

fn load(model: &Path) -> ModelFile<Standard> {
    ModelFile::load(&Standard::default(), model).unwrap()
}

fn without_learning(mut config: TrainConfig) -> TrainConfig {
    (config.network.learning_rate, config.ntuple.learning_rate) = (NO_LEARNING, NO_LEARNING);
    config.online.learning_rate = Some(NO_LEARNING);
    (config.online.games, config.online.report_every) = (40, 40);
    config
}

fn initial_weights_of(file: &ModelFile<Standard>) -> serde_json::Value {
    let metadata: serde_json::Value = serde_json::from_str(&file.provenance).unwrap();
    metadata
        .get(INITIAL_WEIGHTS_KEY)
        .cloned()
        .unwrap_or_default()
}

#[test]
fn trainings_begin_with_the_weights_of_a_model() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str, family: Family| directory.path().join(name).join(family.name());
    for family in [Family::Network, Family::NTuple] {
        let trained = train_from(None, &path("first", family), &config(), family).unwrap();
        let first = load(&trained.model);
        assert_eq!(initial_weights_of(&first), serde_json::Value::Null);
        let config = without_learning(config());
        let (records, games) = (path("records", family), path("games", family));
        let fitted = train_from(Some(&first), &records, &config, family).unwrap();
        let learned = learn_from(Some(&first), &games, &config, family).unwrap();
        for model in [&fitted.model, &learned.model] {
            let file = load(model);
            assert!(file.model == first.model, "{family:?}");
            assert_eq!(initial_weights_of(&file), first.checksum());
        }
        assert!((fitted.validation_loss - trained.validation_loss).abs() < 1e-9);
        // The same command goes on; another initial model is another training.
        let again = train_from(Some(&first), &records, &config, family).unwrap();
        assert_eq!(again, fitted);
        let refused = train_from(None, &records, &config, family).unwrap_err();
        assert!(
            refused.to_string().contains("another model to begin with"),
            "{refused}"
        );
    }
}

#[test]
fn a_model_of_another_shape_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let trained = train_in(directory.path().join("first"), &config(), Family::Network).unwrap();
    let first = load(&trained.model);
    let mut wider = config();
    wider.network.hidden = vec![32, 16];
    let expected = "the initial weights are of another network (layers [16, 16], inputs alive) than the settings describe: ";
    for (config, family, described) in [
        (
            &wider,
            Family::Network,
            "network (layers [32, 16], inputs alive)",
        ),
        (&wider, Family::NTuple, "ntuple (tuple set stones)"),
    ] {
        let second = directory.path().join("second").join(family.name());
        let game = Standard::default();
        for refused in [
            train_from(Some(&first), &second, config, family).unwrap_err(),
            check_initial_model(&game, config, family, &first).unwrap_err(),
        ] {
            assert_eq!(refused.to_string(), format!("{expected}{described}"));
        }
    }
    check_initial_model(&Standard::default(), &config(), Family::Network, &first).unwrap();
}

#[test]
fn td_learning_is_for_two_seats() {
    let game = ReversiXt::from_notation("reversixt(map=four)", None).unwrap();
    let refused = check_seats(&game).unwrap_err().to_string();
    let expected = "TD learning is for games of two seats; reversixt(map=four) has 4";
    assert_eq!(refused, expected);
    check_seats(&Standard::default()).unwrap();
}
