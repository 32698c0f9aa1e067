//! Command `atlas`: values of EinStein's set-ups.

use super::OutputArguments;
use anyhow::{Context, Result, bail};
use arena::setup_starts::Setups;
use benches::setup_values::{
    MAX_DISPLAYED, MAX_EXACT_STONES, NUM_MEETINGS, Settings, SetupStudy,
    analysis::SetupValues,
    exact_study,
    game_runners::{FullGameRunner, GameRunner, RollOuts},
    study_games,
};
use clap::value_parser;
use cli::GameArguments;
use cli::MAX_GAMES;
use cli::ShardArguments;
use cli::output;
use cli::progress_bar;
use engine::core::job_array::TaskSlice;
use engine::games::einstein::{Standard, setup::setup_index, tables::shared_tables::shared_tables};
use engine::play::build::{PlayerRecipe, parse_evaluator};
use engine::play::player_notation::trusted_text;
use std::path::PathBuf;

/// Value the set-ups of EinStein, and their equilibrium
///
/// With one to three stones a side (on any of the six home squares; the other numbers of the die
/// are gone from the start) all values are exact, by the endgame tables. With six, all 720 set-ups
/// meet all, up to symmetry, in games of a policy against itself; values are estimates, with the
/// sampling error and the change by a stronger player.
#[derive(clap::Args)]
#[command(after_help = "Example: benches atlas --stones 2\n         \
                  benches atlas --games 32 --state atlas.jsonl --best best.txt --mix mix.txt\n\
                  Then:    alea arena --setups best.txt --player ... --player ..., or --setups nash:mix.txt")]
pub(crate) struct Arguments {
    /// Stones a side: 1, 2 or 3 (exact; 3 needs tables of six stones), or 6
    #[arg(long, default_value_t = 6, value_name = "N", value_parser = parse_stones)]
    stones: usize,
    /// Evaluator of the policy, which takes the best successor, and of luck
    #[arg(long, default_value = "best", value_name = "EVAL")]
    eval: String,
    /// Stones of the tables that end games
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = value_parser!(u8).range(2..=6))]
    tablebase: u8,
    /// Whole games of this player against itself instead of the policy
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Games of each of the 64,800 meetings of two set-ups; an odd number is rounded up
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = value_parser!(u64).range(1..=MAX_GAMES / NUM_MEETINGS), allow_negative_numbers = true)]
    games: u64,
    /// A stronger player, to measure how set-up values change when both sides play better [default: star1(depth=3, eval=EVAL)]
    #[arg(long, value_name = "PLAYER")]
    better: Option<String>,
    /// Games of each kind with the stronger player; 0 for none
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = value_parser!(u64).range(0..=MAX_GAMES), allow_negative_numbers = true)]
    checks: u64,
    /// Seed of dice and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File of finished games, from which an interrupted study resumes
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    #[command(flatten)]
    shard: ShardArguments,
    /// Write the best sixteen against each other, for 'alea arena --setups FILE'
    #[arg(long, value_name = "FILE")]
    best: Option<PathBuf>,
    /// Write the mix for an unknown first seat, for 'alea arena --setups nash:FILE'
    #[arg(long, value_name = "FILE")]
    mix: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    game: GameArguments,
}

fn parse_stones(text: &str) -> Result<usize, String> {
    let stones = text.parse().ok();
    let valid = stones.filter(|stones| (1..=MAX_EXACT_STONES).contains(stones) || *stones == 6);
    valid.ok_or_else(|| "expected 1, 2, 3 or 6".to_owned())
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        output::check_output_dirs(&[&self.best, &self.mix, &self.output.csv, &self.output.svg])?;
        let game = (self.game).require::<Standard>("set-ups are those of its stones")?;
        if self.stones < 6 && (self.best.is_some() || self.mix.is_some()) {
            bail!("--best and --mix are lists of set-ups of six stones");
        }
        let is_spread = self.shard.slice() != TaskSlice::All;
        if self.stones < 6 && (self.state.is_some() || self.player.is_some() || is_spread) {
            bail!("--state, --shard and --player are for six stones; fewer are solved, not played");
        }
        let study = if self.stones < 6 {
            let stones = 2 * self.stones;
            let tables = shared_tables(stones, game.variant()).with_context(|| {
                format!("endgame tables of {stones} stones are needed ('alea solve --stones {stones}' makes them in ./tables, ALEA_TABLES names another place)")
            })?;
            exact_study(&game, &tables, self.stones)?
        } else {
            match self.study_games(&game)? {
                Some(study) => study,
                None => return self.shard.report_task_end(self.output.json).map(drop),
            }
        };
        let setup_values = &study.setup_values;
        output::print_result(self.output.json, setup_values, || setup_values.text())?;
        let write = |path: &Option<PathBuf>, content: &dyn Fn() -> Result<String>| -> Result<()> {
            path.as_ref()
                .map_or(Ok(()), |path| Ok(output::write_file(path, content()?)?))
        };
        write(&self.best, &|| Ok(best_setup_pairs(setup_values)))?;
        write(&self.mix, &|| Ok(setup_weights_text(setup_values)))?;
        write(&self.output.csv, &|| Ok(study.text_table().csv()))?;
        write(&self.output.svg, &|| Ok(study.svg()?))
    }

    /// Values set-ups by games; `None` in one task of a job array, which only stores its games.
    fn study_games(&self, game: &Standard) -> Result<Option<SetupStudy>> {
        let recipe = |text: &str| PlayerRecipe::parse(trusted_text(text), game);
        let by_eval = recipe(&format!("star1(depth=1, eval={})", self.eval))?;
        let policy = match &self.player {
            Some(player) => recipe(player)?,
            None => by_eval.clone(),
        };
        let stronger = format!("star1(depth=3, eval={})", self.eval);
        let stronger = recipe(self.better.as_ref().unwrap_or(&stronger))?;
        let players = |players| FullGameRunner {
            game: game.clone(),
            players,
            luck: Some(by_eval.clone()),
        };
        let settings = Settings {
            game: game.clone(),
            games: self.games.next_multiple_of(2) as u32,
            seed: self.seed,
            threads: rayon::current_num_threads(),
            state: self.state.clone(),
            slice: self.shard.slice(),
            better: (self.checks > 0).then(|| (players([policy.clone(), stronger]), self.checks)),
        };
        let games: Box<dyn GameRunner> = if self.player.is_some() {
            Box::new(players([policy.clone(), policy]))
        } else {
            let (eval, tablebase) = (&self.eval, self.tablebase);
            let notation = format!("rollout(games=1, eval={eval}, tablebase={tablebase})");
            Box::new(RollOuts {
                game: game.clone(),
                name: recipe(&notation)?.name().to_owned(),
                evaluator: parse_evaluator(trusted_text(eval), game)?,
                oracle: Some(shared_tables(tablebase.into(), game.variant())?),
            })
        };
        Ok(study_games(&*games, &settings, &progress_bar("meetings"))?)
    }
}

fn comment_header(setup_values: &SetupValues, what: &str) -> String {
    format!(
        "# {what}: benches atlas, {}, {} games, seed {}\n",
        setup_values.source, setup_values.games, setup_values.seed
    )
}

fn best_setup_pairs(setup_values: &SetupValues) -> String {
    let mut text = comment_header(
        setup_values,
        "the best sixteen against each other, twice, so that either side begins",
    );
    let orders: Vec<&String> = setup_values.classes[..MAX_DISPLAYED]
        .iter()
        .flat_map(|class| &class.orders)
        .collect();
    let index =
        |order: &&String| setup_index(&order.bytes().map(|digit| digit - b'0').collect::<Vec<_>>());
    let best: Vec<usize> = orders.iter().filter_map(index).collect();
    if let Setups::Index(pairs) = Setups::product(&best) {
        let order = |setup: usize| {
            best.iter()
                .position(|&other| other == setup)
                .map_or("", |index| orders[index])
        };
        for (red, blue) in pairs {
            text += &format!("{}:{}\n", order(red), order(blue));
        }
    }
    text
}

fn setup_weights_text(setup_values: &SetupValues) -> String {
    let mut text = comment_header(setup_values, "a mix of set-ups, weight and stones");
    for class in &setup_values.classes {
        let weight = (class.weight / class.orders.len() as f64 * 1e6).round();
        for order in class.orders.iter().filter(|_| weight > 0.0) {
            text += &format!("{weight} {order}\n");
        }
    }
    text
}
