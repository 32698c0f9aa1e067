//! From a request to its answer, both JSON; docs/reference/api.md says what every key of an answer
//! means.
//!
//! Invariant: an answer depends on the request and the bounds alone (and, with a limit of time, on
//! how fast the machine is); nothing is remembered from one request to the next but what is known
//! exactly.

use crate::api::{Problem, Question};
use crate::bounds::{Bounds, MAX_EVALUATORS, MAX_PLIES, evaluator, evaluators};
use crate::games::{OnBoard, for_board_games, read};
use crate::judge::judge;
use crate::puzzles::puzzle;
use crate::rating::{Face, Rater, Shares, has_chance};
use engine::core::{
    clock::Instant,
    game::Chance as _,
    random::{RandomStream, SeedSpace, derive_seed},
    text::{shortened, without_mark},
};
use engine::play::{
    build::{PlayerRecipe, evaluator_from},
    notation::Notation,
    playable::Playable,
    player::Decision,
};
use engine::search::limits::Limits;
use serde::de::Error as _;
use serde_json::{Value, json};
use std::sync::OnceLock;

/// Characters of a wrong text that are repeated.
const MAX_TEXT: usize = 80;

/// Answers a request; what is wrong with it is an answer too, an object with `error`.
#[must_use]
pub fn answer(request: &[u8], bounds: &Bounds) -> Value {
    answer_within(request, bounds, &Limits::NONE)
}

/// As [`answer`], and searches also end by these limits.
fn answer_within(request: &[u8], bounds: &Bounds, limits: &Limits) -> Value {
    let asked = read_request(request);
    let answered = asked.and_then(|(game, question)| answer_about(game, &question, bounds, limits));
    answered.unwrap_or_else(|problem| json!(problem))
}

/// The game, unless it is asked which there are, and the rest of a request.
fn read_request(request: &[u8]) -> Result<(Option<String>, Question), Problem> {
    let read = || {
        let mut asked: Value = serde_json::from_slice(without_mark(request))?;
        let keys = asked.as_object_mut();
        let game = keys.and_then(|keys| keys.remove("game"));
        let question = serde_json::from_value(asked)?;
        match (matches!(question, Question::Games {}), game) {
            (true, Some(_)) => Err(serde_json::Error::custom("unknown field `game`")),
            (false, None) => Err(serde_json::Error::custom("missing field `game`")),
            (_, game) => Ok((game.map(serde_json::from_value).transpose()?, question)),
        }
    };
    read().map_err(|error| {
        let problem = format!("this is no request: {error}; docs/reference/api.md has all of them");
        Problem::wrong(shortened(&problem, 500))
    })
}

fn answer_about(
    game: Option<String>,
    question: &Question,
    bounds: &Bounds,
    limits: &Limits,
) -> Result<Value, Problem> {
    // Models are looked at for that.
    static GAMES: OnceLock<Value> = OnceLock::new();
    match game {
        None => Ok(GAMES
            .get_or_init(|| json!({ "games": for_board_games!(each_board_game facts_of_game) }))
            .clone()),
        Some(game) => {
            for_board_games!(with_board_game &game, rules => answer_for(rules, question, bounds, limits))
        }
    }
}

/// As [`answer`]; but an analysis that is to be a stream is told after each depth, too, before the
/// answer that is meant, with which comes `true`. Searches also end by these limits; no other is begun once
/// `tell` says by `false` that nobody listens any more.
pub fn answer_each(
    request: &[u8],
    bounds: &Bounds,
    limits: &Limits,
    mut tell: impl FnMut(&Value, bool) -> bool,
) {
    if let Ok((game, question)) = read_request(request)
        && let Question::Analyse {
            position,
            player,
            stream: true,
        } = question
        && let Some((search, deepest, time)) = bounds.deepening(&player)
    {
        let began = Instant::now();
        for depth in 1..deepest {
            let player = search
                .clone()
                .with("depth", Notation::new(depth.to_string()));
            let question = Question::Analyse {
                position: position.clone(),
                player: player.to_string(),
                stream: true,
            };
            let Ok(mut found) = answer_about(game.clone(), &question, bounds, limits) else {
                break;
            };
            if found["exact"] == true || began.elapsed() > time {
                break;
            }
            found["depth"] = depth.into();
            if !tell(&found, false) {
                return;
            }
        }
    }
    tell(&answer_within(request, bounds, limits), true);
}

/// What is told of a game, once for each of its rules.
fn facts_of_game<G: OnBoard>() -> Vec<Value> {
    let facts = |&notation: &&'static str| {
        let game: G = read(notation).ok()?;
        let evaluator = |name, help| json!({ "name": name, "help": help });
        let known = evaluators::<G>().map(|entry| evaluator(entry.name, entry.help));
        let best = has_best(&game).then(|| evaluator("best", "the learned model"));
        let level = |(name, player)| json!({ "name": name, "player": player });
        Some(json!({
            "name": G::NAME,
            "notation": notation,
            "seats": (0..game.seats()).map(|seat| game.seat_title(seat)).collect::<Value>(),
            "faces": has_chance::<G>().then(|| game.outcome_names().collect::<Value>()),
            "evaluators": known.chain(best).collect::<Value>(),
            "levels": levels(&game).map(level).collect::<Value>(),
        }))
    };
    G::OFFERED.iter().filter_map(facts).collect()
}

/// Whether a game's learned model is of its size.
fn has_best<G: OnBoard>(game: &G) -> bool {
    game.best().is_some() && game.evaluator(&Notation::new("best")).is_ok()
}

/// The game's best evaluator, and its usual one.
fn best_and_usual<G: OnBoard>(game: &G) -> [&'static str; 2] {
    let usual = evaluators::<G>().next();
    let usual = usual.map_or("random", |first| first.name);
    [if has_best(game) { "best" } else { usual }, usual]
}

/// The players to meet, the weakest first: how strong one is, in a word, and its notation.
pub fn levels<G: OnBoard>(game: &G) -> impl Iterator<Item = (&'static str, String)> + use<G> {
    let [best, usual] = best_and_usual(game);
    let levels = G::LEVELS.iter();
    levels.map(move |(name, player)| {
        let player = player.replace("EVAL", best).replace("HAND", usual);
        (*name, player)
    })
}

/// Who judges where nobody is named.
pub fn usual_judge<G: OnBoard>(game: &G) -> String {
    let [best, _] = best_and_usual(game);
    let search = match game.seats() {
        2 if has_chance::<G>() => "star2(depth=3",
        2 => "star1(depth=2",
        _ => "maxn(depth=2",
    };
    format!("{search}, eval={best})")
}

fn answer_for<G: OnBoard>(
    game: &G,
    question: &Question,
    bounds: &Bounds,
    limits: &Limits,
) -> Result<Value, Problem> {
    let limited = |what: &str, asked: usize, most: usize| match asked > most {
        true => Err(Problem::wrong(format!(
            "{asked} {what} are more than the {most} of one request"
        ))),
        false => Ok(()),
    };
    let read = |text: &str| {
        let (position, outcome) = game.parse_position(text).map_err(|problem| {
            let text = shortened(text, MAX_TEXT);
            Problem::wrong(format!("position '{text}': {problem}"))
        })?;
        Ok((position, outcome.filter(|_| has_chance::<G>())))
    };
    let recipe = |player: &str| {
        if limits.is_stopped() {
            return Err(Problem::wrong("nobody waits for an answer"));
        }
        let bounded = bounds.player::<G>(player)?;
        PlayerRecipe::parse(&bounded, game).map_err(|error| {
            let player = shortened(player, MAX_TEXT);
            Problem::wrong(format!("player '{player}': {}", error.problem))
        })
    };
    Ok(match question {
        Question::Games {} => return Err(Problem::wrong("'games' is asked about none")),
        Question::New { seed, best } => facts(game, &start(game, *seed, *best), None),
        Question::Position { position } => {
            let (position, outcome) = read(position)?;
            facts(game, &position, outcome)
        }
        Question::Roll {
            position,
            seed,
            ply,
        } => {
            let (position, _) = read(position)?;
            facts(game, &position, roll(game, &position, *seed, *ply))
        }
        Question::Analyse {
            position, player, ..
        } => {
            let (position, outcome) = read(position)?;
            analysis(game, &position, outcome, &recipe(player)?, limits)?
        }
        Question::Puzzle { number } => puzzle(game.puzzles(), *number)?,
        Question::Evaluate {
            position,
            evaluators,
        } => {
            let (position, _) = read(position)?;
            limited("evaluators", evaluators.len(), MAX_EVALUATORS)?;
            let evaluators = evaluators.iter();
            let values = evaluators.map(|name| evaluation(game, &position, name));
            json!({ "values": values.collect::<Value>() })
        }
        Question::Move {
            position,
            player,
            seed,
        } => {
            let (position, outcome) = read(position)?;
            let Decision { best, value, .. } =
                decision(game, &position, outcome, &recipe(player)?, *seed, limits)?;
            json!({
                "move": game.format_move(&position, best),
                "value": value,
                "position": game.format_position(&game.play(&position, best), None),
            })
        }
        Question::Judge {
            start,
            plies,
            payoffs,
            player,
        } => {
            let deadline = Instant::now() + bounds.whole;
            let (start, _) = read(start)?;
            limited("plies", plies.len(), MAX_PLIES)?;
            let recipe = recipe(player)?;
            let mut rater = Rater::new(game, &recipe)?.within(limits);
            let payoffs = payoffs.as_deref();
            json!(judge(
                game,
                start,
                plies,
                payoffs,
                &mut rater,
                Some(deadline)
            )?)
        }
    })
}

/// The start that a seed decides; with `best` one of the best, where a game knows them.
pub fn start<G: OnBoard>(game: &G, seed: u64, best: bool) -> G::Position {
    let mut random = RandomStream::new(derive_seed(seed, SeedSpace::Arena, &[]));
    let chosen = best.then(|| game.best_start(seed)).flatten();
    chosen.unwrap_or_else(|| game.random_start(&mut random, 0))
}

/// The roll that a seed decides for a ply; none without chance, or once the game is over.
pub fn roll<G: Playable>(game: &G, position: &G::Position, seed: u64, ply: u64) -> Option<u8> {
    let goes_on = game.payoffs(position).is_none();
    (goes_on && has_chance::<G>()).then(|| {
        let seed = derive_seed(seed, SeedSpace::Arena, &[ply]);
        game.luck(seed).draw(game, position).0
    })
}

fn facts<G: Playable>(game: &G, position: &G::Position, face: Option<u8>) -> Value {
    // In the digits of the engine's own precision.
    let digits = |payoff: &f32| payoff.to_string().parse::<f64>().ok();
    let payoffs = |position: &G::Position| {
        let payoffs = game.payoffs(position)?;
        Some(
            payoffs[..game.seats()]
                .iter()
                .map(digits)
                .collect::<Value>(),
        )
    };
    let successor = |&mv: &G::Move| {
        let next = game.play(position, mv);
        json!({
            "move": game.format_move(position, mv),
            "position": game.format_position(&next, None),
            "payoffs": payoffs(&next),
        })
    };
    let moves = game.legal(position, face);
    let end = payoffs(position);
    json!({
        "position": game.format_position(position, face),
        "seat": game.to_move(position),
        "face": face,
        "over": end.is_some(),
        "payoffs": end,
        "svg": game.svg(position, face),
        "moves": moves.iter().map(successor).collect::<Value>(),
    })
}

/// An object without keys that are null where not everybody has them.
fn without_absent(mut object: Value) -> Value {
    const OPTIONAL: [&str; 3] = ["shares", "calibrated", "faces"];
    if let Some(keys) = object.as_object_mut() {
        keys.retain(|key, value| !value.is_null() || !OPTIONAL.contains(&key.as_str()));
    }
    object
}

/// What a position, its moves and its rolls are worth to the player of a recipe.
fn analysis<G: OnBoard>(
    game: &G,
    position: &G::Position,
    outcome: Option<u8>,
    recipe: &PlayerRecipe<G>,
    limits: &Limits,
) -> Result<Value, Problem> {
    let several = |shares: Shares| (game.seats() > 2).then(|| shares[..game.seats()].to_vec());
    let rating = Rater::new(game, recipe)?
        .within(limits)
        .rate(position, false)?;
    let name = |index: usize| &*rating.moves[index].name;
    let value = |index: usize| rating.value(index);
    let calibrated = |index: usize| rating.moves[index].calibrated;
    // A move that a sampling player never tried is taken for worthless; one that rates nothing has
    // no value.
    let rates = rating.moves.iter().any(|rated| rated.shares.is_some());
    let is_fitted = rating.moves.iter().any(|rated| rated.calibrated.is_some());
    let rolled = rating.permitted(outcome);
    let best = rolled.and_then(|permitted| rating.best(permitted));
    let rated_move = |index: usize| {
        without_absent(json!({
            "move": name(index),
            "value": value(index),
            "shares": rating.moves[index].shares.and_then(several),
            "calibrated": calibrated(index),
            "exact": rating.moves[index].exact,
        }))
    };
    let moves: Value = match rolled {
        Some(permitted) => permitted.iter().copied().map(rated_move).collect(),
        None => (0..rating.moves.len()).map(rated_move).collect(),
    };
    let rated_face = |face: &Face| {
        let best = rating.best(&face.permitted);
        json!({
            "face": face.face,
            "weight": face.weight,
            "value": best.and_then(value).or(rates.then_some(0.0)),
            "best": best.map(name),
        })
    };
    let (value, calibrated) = match rolled {
        _ if rating.end.is_some() => (rating.end.map(|end| end[rating.seat]), None),
        Some(_) => (best.and_then(value), best.and_then(calibrated)),
        None => (
            rates.then(|| rating.expected(value)),
            is_fitted.then(|| rating.expected(calibrated)),
        ),
    };
    Ok(without_absent(json!({
        "value": value,
        "shares": rating.end.or(best.and_then(|best| rating.moves[best].shares)).and_then(several),
        "calibrated": calibrated,
        "best": best.map(name),
        "moves": moves,
        "faces": has_chance::<G>().then(|| rating.faces.iter().map(rated_face).collect::<Value>()),
        "exact": rating.moves.iter().all(|rated| rated.exact),
        "nodes": rating.stats.nodes,
        "milliseconds": rating.stats.time.as_secs_f64() * 1000.0,
    })))
}

/// What an evaluator says, or what is wrong with its name.
fn evaluation<G: Playable>(game: &G, position: &G::Position, name: &str) -> Value {
    let evaluator = evaluator::<G>(name).and_then(|notation| {
        evaluator_from(&notation, game).map_err(|(_, problem)| Problem::wrong(problem))
    });
    let name = shortened(name, MAX_TEXT);
    match (evaluator, game.payoff(position, game.to_move(position))) {
        (Err(problem), _) => json!({ "name": name, "error": problem.error }),
        (Ok(_), Some(payoff)) => json!({ "name": name, "value": payoff }),
        (Ok(evaluator), None) => {
            let value = evaluator.value_of(game, position);
            let calibrated = evaluator.in_whole_games(value);
            without_absent(json!({ "name": name, "value": value, "calibrated": calibrated }))
        }
    }
}

/// What a player plays; where there is chance, after the roll.
///
/// # Errors
/// In one line, if there is nothing to decide, or the player fails.
pub fn decision<G: Playable>(
    game: &G,
    position: &G::Position,
    outcome: Option<u8>,
    recipe: &PlayerRecipe<G>,
    seed: u64,
    limits: &Limits,
) -> Result<Decision<G::Move>, Problem> {
    let legal = game.legal(position, outcome);
    if legal.is_empty() {
        return Err(Problem::wrong("the game is over, there is no move"));
    }
    if outcome.is_none() && has_chance::<G>() {
        return Err(Problem::wrong(
            "the position is before the roll; ask for 'roll' first",
        ));
    }
    let mut player = recipe.make();
    player.new_game(derive_seed(seed, SeedSpace::Player, &[]));
    player
        .decide(position, &legal, limits)
        .map_err(Problem::wrong)
}
