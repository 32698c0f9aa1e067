//! Tests: exact values against a slow solver, and studies by games with threads and interruptions.

use super::{game_runners::RollOuts, *};
use arena::statistics::Interval;
use engine::core::game::Game;
use engine::games::einstein::{Position, Variant, tables::run_sequentially};
use engine::play::build::PlayerRecipe;
use std::{collections::HashMap, fs};

fn minimax_value(game: &Standard, position: &Position, cache: &mut HashMap<u64, f64>) -> f64 {
    if let Some(payoff) = game.payoff(position, position.seat()) {
        return payoff.into();
    }
    if let Some(value) = cache.get(&position.bits()) {
        return *value;
    }
    let mut best = |face| {
        let moves = game.legal_moves(position, face);
        let values = moves
            .iter()
            .map(|&mv| 1.0 - minimax_value(game, &game.play(position, mv), cache));
        values.fold(0.0, f64::max)
    };
    let value = (1..=6).map(&mut best).sum::<f64>() / 6.0;
    cache.insert(position.bits(), value);
    value
}

#[test]
fn starts_of_few_stones_have_the_values_of_a_slow_solver() {
    for variant in [Variant::Classic, Variant::NearestOnly] {
        let game = Standard::new(variant, Standard::default().die());
        let tables = Tables::in_memory(4, variant, &run_sequentially, &|_, _| {}).unwrap();
        let mut cache = HashMap::new();
        for stones in [1, 2] {
            let found = exact_study(&game, &tables, stones).unwrap();
            let orders = &found.rows.orders;
            let (mut sum, mut largest) = (0.0, [[0.0_f64; 30]; 30]);
            for (first, one) in orders.iter().enumerate() {
                for (second, other) in orders.iter().enumerate() {
                    let expected =
                        minimax_value(&game, &arrangements::start(one, other), &mut cache);
                    assert!((found.values[first][second] - expected).abs() < 4e-5);
                    sum += expected;
                    largest[first][second] = expected;
                }
            }
            let count = orders.len();
            let random = sum / (count * count) as f64;
            assert!((found.setup_values.random.value - random).abs() < 4e-5);
            let least = |row: &[f64; 30]| row[..count].iter().copied().fold(1.0, f64::min);
            let answered = largest[..count].iter().map(least).fold(0.0, f64::max);
            let setup_values = &found.setup_values;
            assert!((setup_values.second_sees.value.value - answered).abs() < 4e-5);
            let (displayed, seen) = (
                setup_values.second_sees.value.value,
                setup_values.first_sees.value.value,
            );
            let Interval { lower, upper } = setup_values.assured;
            assert!(displayed <= lower + 1e-9 && upper <= seen + 1e-9);
            let value = setup_values.equilibrium.value;
            assert!(value > lower - 1e-9 && value < upper + 1e-9 && upper < lower + 1e-4);
        }
        assert!(
            exact_study(&game, &tables, 3).is_err(),
            "six stones are too many"
        );
    }
}

fn settings(games: u32) -> Settings {
    Settings {
        game: Standard::default(),
        games,
        seed: 5,
        threads: 2,
        state: None,
        slice: Default::default(),
        better: None,
    }
}

fn recipe(text: &str) -> PlayerRecipe<Standard> {
    PlayerRecipe::parse(text, &Standard::default()).unwrap()
}

fn full_games(player: &str, luck: Option<&str>) -> FullGameRunner {
    FullGameRunner {
        game: Standard::default(),
        players: [recipe(player), recipe(player)],
        luck: luck.map(recipe),
    }
}

fn setup_values(player: &str, settings: &Settings) -> SetupStudy {
    study_games(&full_games(player, None), settings, &ProgressBar::hidden())
        .unwrap()
        .unwrap()
}

#[test]
fn random_players_gain_what_other_programs_found() {
    let found = setup_values("random", &settings(2)).setup_values;
    // `benches playouts` gives 53.15 %, as two other programs do.
    let random = found.random;
    assert!(
        (random.value - 0.5315).abs() < 3.0 * random.error && random.error < 0.0015,
        "{random:?}"
    );
    assert_eq!(found.games, 2 * NUM_MEETINGS);
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let one = Settings {
        threads: 1,
        ..settings(2)
    };
    let complete = setup_values("MrBlack(0)", &one).setup_values;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let stored = Settings {
        state: Some(path.clone()),
        ..settings(2)
    };
    assert_eq!(setup_values("MrBlack(0)", &stored).setup_values, complete);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        text.lines().count(),
        1 + NUM_MEETINGS as usize / CHUNK_MEETINGS
    );
    fs::write(&path, &text[..text.len() / 3]).unwrap();
    assert_eq!(setup_values("MrBlack(0)", &stored).setup_values, complete);
    let other = Settings { seed: 6, ..stored };
    let games = full_games("MrBlack(0)", None);
    let refused = study_games(&games, &other, &ProgressBar::hidden()).map(drop);
    let other = refused.unwrap_err().to_string();
    assert!(other.contains("its seed is 5, not 6"), "{other}");
    let orders = complete.classes.iter().map(|class| class.orders.len());
    assert_eq!(orders.sum::<usize>(), 720);
    let displayed = complete.text();
    for part in [
        "best classes",
        "worst classes",
        "who begins wins",
        "(taken)",
    ] {
        assert!(displayed.contains(part), "{part}: {displayed}");
    }
}

#[test]
fn luck_adjustment_keeps_the_mean() {
    let game = Standard::default();
    let by_eval = RollOuts {
        name: String::new(),
        evaluator: engine::play::build::parse_evaluator("schwarz", &game).unwrap(),
        oracle: None,
        game,
    };
    let design = Design::new();
    let few = |games: &dyn GameRunner| {
        let mut table = games.make_play_game();
        let meetings = (0..NUM_MEETINGS as usize).step_by(199);
        let sums: Vec<Sums> = meetings
            .map(|pairing| play_meeting(&mut table, &design, pairing, &settings(8)).unwrap())
            .collect();
        let games = 8.0 * sums.len() as f64;
        let sum = |of: fn(&Sums) -> i64| {
            sums.iter().map(of).sum::<i64>() as f64 / UNITS_PER_POINT / games
        };
        let mean = sum(|sums| sums[0] + sums[1]);
        let variance = sum(|sums| sums[2]) - mean * mean;
        (mean, variance, (variance / games).sqrt())
    };
    let player = "star1(depth=1, eval=schwarz)";
    let (mean, variance, error) = few(&full_games(player, None));
    let with_luck = few(&full_games(player, Some("star1(depth=2, eval=abt)")));
    assert!(with_luck.1 < variance / 2.0, "{with_luck:?}");
    for (other, _, its_error) in [with_luck, few(&by_eval)] {
        assert!(
            (other - mean).abs() < 3.5 * error.hypot(its_error),
            "{other} {mean}"
        );
    }
}

#[test]
fn a_better_player_gains_on_either_side() {
    let games = FullGameRunner {
        players: [recipe("greedy"), recipe("star1(depth=2)")],
        ..full_games("greedy", Some("star1(depth=1)"))
    };
    let rows = Rows::new(6);
    let random = vec![1.0 / rows.len() as f64; rows.len()];
    let mixes = [random.clone(), random];
    let play = || {
        stronger_play::measure_improvement(&games, &rows, ("random", &mixes), 1000, 3, &|| ())
            .unwrap()
    };
    let found = play();
    for gain in [found.first_gains, found.second_gains] {
        assert!(gain.value > 0.1 && gain.error < 0.02, "{found:?}");
    }
    assert!(found.change.value.abs() < 0.03, "{found:?}");
    assert_eq!(found, pool(1).unwrap().install(play));
}
