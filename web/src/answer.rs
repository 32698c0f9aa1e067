//! Answers to JSON API requests; docs/reference/api.md explains every key.
//!
//! Invariant: requests share only caches, which never change an answer.

use crate::api_types::{Problem, Question};
use crate::game_names::{each_game, parse, parse_page_game, with_game};
use crate::limits::{
    MAX_DEPTH, MAX_EVALUATORS, MAX_PLIES, RequestLimits, evaluators, own_models_of, parse_evaluator,
};
use crate::position_values::{MoveValuer, PositionValues, Roll, has_chance};
use crate::puzzles::puzzle;
use crate::review::review;
use crate::transcripts::{read_games, text_formats, write_game, written_formats};
use engine::core::{
    game::{ChanceSource as _, Payoffs},
    monotonic_clock::Instant,
    random::{RandomStream, SeedSpace, derive_seed},
    text::{shorten, strip_bom},
};
use engine::play::{
    analysis::MoveValue,
    build::{PlayerRecipe, evaluator_from},
    own_scale::OwnScale,
    playable::Playable,
    player::Decision,
    player_notation::Notation,
    points::Points,
    registry::AnyEvaluator,
};
use engine::search::limits::Limits;
use serde::de::Error as _;
use serde_json::{Value, json};
use std::sync::OnceLock;

const MAX_QUOTED_CHARS: usize = 80;

/// Answers one JSON API request; on failure, the answer is an object with the key `error`.
#[must_use]
pub fn answer(request: &[u8], request_limits: &RequestLimits) -> Value {
    answer_with_observer(request, request_limits, &Limits::NONE, None)
}

/// Answers a request, whose searches end early if `limits` says so. A streamed analysis calls
/// `receive(values, false)` after every search depth except the last, and stops if that returns
/// false; the last call is always `receive(answer, true)`.
pub fn answer_each(
    request: &[u8],
    request_limits: &RequestLimits,
    limits: &Limits,
    mut receive: impl FnMut(&Value, bool) -> bool,
) {
    let mut observer = |answer: &Value| receive(answer, false);
    let answer = answer_with_observer(request, request_limits, limits, Some(&mut observer));
    receive(&answer, true);
}

type Observer<'a> = dyn FnMut(&Value) -> bool + 'a;

fn answer_with_observer(
    request: &[u8],
    request_limits: &RequestLimits,
    limits: &Limits,
    observer: Option<&mut Observer<'_>>,
) -> Value {
    parse_request(request)
        .and_then(|(game, question)| {
            answer_question(game, &question, request_limits, limits, observer)
        })
        .unwrap_or_else(|problem| json!(problem))
}

fn parse_request(request: &[u8]) -> Result<(Option<String>, Question), Problem> {
    let parse = || {
        let mut request: Value = serde_json::from_slice(strip_bom(request))?;
        let keys = request.as_object_mut();
        let game = keys.and_then(|keys| keys.remove("game"));
        let question = serde_json::from_value(request)?;
        match (matches!(question, Question::Games {}), game) {
            (true, Some(_)) => Err(serde_json::Error::custom("unknown field `game`")),
            (false, None) => Err(serde_json::Error::custom("missing field `game`")),
            (_, game) => Ok((game.map(serde_json::from_value).transpose()?, question)),
        }
    };
    parse().map_err(|error| {
        let problem = format!("this is no request: {error}; docs/reference/api.md has all of them");
        Problem::invalid_request(shorten(&problem, 500))
    })
}

fn answer_question(
    game: Option<String>,
    question: &Question,
    request_limits: &RequestLimits,
    limits: &Limits,
    observer: Option<&mut Observer<'_>>,
) -> Result<Value, Problem> {
    // Cached: searching for model files takes time.
    static GAMES: OnceLock<Value> = OnceLock::new();
    match game {
        None => Ok(GAMES
            .get_or_init(|| json!({ "games": engine::for_games!(each_game! game_json) }))
            .clone()),
        Some(game) => {
            engine::for_games!(with_game! &game, rules => answer_in_game(rules, question, request_limits, limits, observer))
        }
    }
}

fn game_json<G: Playable>() -> Vec<Value> {
    let json = |&notation: &&'static str| {
        let game: G = parse_page_game(notation, &parse(notation).ok()?).ok()?;
        let evaluator = |name: &str, help: &str| json!({ "name": name, "help": help });
        let own = evaluators::<G>()
            .filter(|entry| {
                let evaluator = evaluator_from(&Notation::new(entry.name), &game);
                evaluator.is_ok_and(|evaluator| evaluator.estimates_payoffs())
            })
            .map(|entry| evaluator(entry.name, entry.help));
        let best = has_best(&game).then(|| evaluator("best", "the learned model"));
        let models: Vec<_> = model_opponents(&game).collect();
        let own_models =
            (models.iter()).map(|(name, _)| evaluator(&format!("model:{name}"), "your model"));
        let level = |(name, player): (&str, String)| json!({ "name": name, "player": player });
        Some(json!({
            "name": G::INFO.name,
            "notation": notation,
            "seats": (0..game.seats()).map(|seat| game.seat_title(seat)).collect::<Value>(),
            "faces": has_chance::<G>().then(|| game.outcome_numbers().collect::<Value>()),
            "face_names": has_chance::<G>().then(|| {
                game.outcome_numbers().map(|face| game.outcome_name(face)).collect::<Value>()
            }),
            "evaluators": own.chain(best).chain(own_models).collect::<Value>(),
            "strongest_evaluator": game.strongest_evaluator_name(),
            "levels": opponent_levels(&game).map(level).collect::<Value>(),
            "rollout": default_rollout(&game),
            "models": models.iter().cloned().map(level).collect::<Value>(),
            "puzzles": puzzle_lines(&game).lines().count(),
            "formats": text_formats::<G>().map(|format| format.name).collect::<Value>(),
            "writes": written_formats(&game).collect::<Value>(),
            "points": game.points().map(points_json),
        }))
    };
    G::INFO
        .web_page_variants()
        .iter()
        .filter_map(json)
        .collect()
}

fn points_json(points: Points) -> Value {
    json!({ "unit": points.unit, "max": points.max, "default_win": points.default_win })
}

fn has_best<G: Playable>(game: &G) -> bool {
    game.evaluator(&Notation::new("best")).is_ok()
}

/// Opponents that the page offers, weakest first, as (name of the level, player's notation).
pub fn opponent_levels<G: Playable>(
    game: &G,
) -> impl Iterator<Item = (&'static str, String)> + use<G> {
    let strongest = game.strongest_evaluator_name();
    let levels = G::INFO.levels.iter();
    levels.map(move |(name, player)| (*name, player.replace("EVAL", strongest)))
}

/// Name of each own model of the game, with the strongest level's player by it if a level that does
/// not err has an evaluator.
pub fn model_opponents<G: Playable>(
    game: &G,
) -> impl Iterator<Item = (&'static str, String)> + use<G> {
    let mut levels = G::INFO.levels.iter().rev();
    let learned =
        levels.find(|(_, player)| player.contains("EVAL") && !player.starts_with("softmax"));
    let search = learned.map_or("star2(depth=3, eval=EVAL)", |(_, player)| player);
    own_models_of(game).map(move |model| {
        let evaluator = format!("model:{}", model.name);
        (&*model.name, search.replace("EVAL", &evaluator))
    })
}

/// Notation of rollouts that take one to four seconds for the moves of a roll; `None` without
/// chance.
fn default_rollout<G: Playable>(game: &G) -> Option<String> {
    let evaluator = game.strongest_evaluator_name();
    let length = match G::SEPARATE_OUTCOMES {
        true => "games=36, plies=6",
        false => "games=1000",
    };
    has_chance::<G>().then(|| format!("rollout({length}, eval={evaluator})"))
}

/// Notation of the player that reviews games unless the user names another.
pub fn default_reviewer<G: Playable>(game: &G) -> String {
    let best = game.strongest_evaluator_name();
    match game.seats() {
        // Each roll has moves of its own there, and a third ply costs seconds a move.
        2 if G::SEPARATE_OUTCOMES => format!("star2(depth=2, eval={best})"),
        2 if has_chance::<G>() => format!("star2(depth=3, eval={best})"),
        2 => format!("star1(depth=2, eval={best})"),
        _ => format!("maxn(depth=2, eval=shares({best}))"),
    }
}

fn puzzle_lines<G: Playable>(game: &G) -> &'static str {
    let rules = game.notation();
    let mut puzzles = G::INFO.puzzles.iter();
    puzzles
        .find(|(notation, _)| *notation == rules)
        .map_or("", |(_, lines)| lines)
}

fn answer_in_game<G: Playable>(
    game: &G,
    question: &Question,
    request_limits: &RequestLimits,
    limits: &Limits,
    observer: Option<&mut Observer<'_>>,
) -> Result<Value, Problem> {
    let at_most = |max: usize, what: &str, count: usize| match count > max {
        true => Err(Problem::invalid_request(format!(
            "{count} {what} are more than the {max} of one request"
        ))),
        false => Ok(()),
    };
    let parse_position = |text: &str| {
        let (position, outcome) = game.parse_position(text).map_err(|problem| {
            let text = shorten(text, MAX_QUOTED_CHARS);
            Problem::invalid_request(format!("position '{text}': {problem}"))
        })?;
        Ok((position, outcome.filter(|_| has_chance::<G>())))
    };
    let player = |text: &str| match limits.is_stopped() {
        true => Err(Problem::invalid_request("nobody waits for an answer")),
        false => request_limits.build_player(game, text),
    };
    Ok(match question {
        Question::Games {} => return Err(Problem::invalid_request("'games' is asked about none")),
        Question::New { seed, best } => position_json(game, &start(game, *seed, *best), None),
        Question::Position { position } => {
            let (position, outcome) = parse_position(position)?;
            position_json(game, &position, outcome)
        }
        Question::Roll {
            position,
            seed,
            ply,
        } => {
            let (position, _) = parse_position(position)?;
            position_json(game, &position, roll(game, &position, *seed, *ply))
        }
        Question::Analyse {
            position,
            player: text,
            stream,
            faces,
        } => {
            let (position, outcome) = parse_position(position)?;
            let recipe = player(text)?;
            let mut valuer = MoveValuer::new(game, &recipe)
                .with_only_outcome(outcome.filter(|_| *faces == Some(false)))
                .with_limits(limits);
            let values = match observer.filter(|_| *stream) {
                None => valuer.analyse(&position, None),
                Some(observer) => valuer.analyse(
                    &position,
                    Some(&mut |values| {
                        let answer = values_json(game, &recipe, &position, outcome, values);
                        values.analysis.stats.depth >= MAX_DEPTH || observer(&answer)
                    }),
                ),
            };
            values_json(game, &recipe, &position, outcome, &values?)
        }
        Question::Puzzle { number } => puzzle(puzzle_lines(game), *number)?,
        Question::Evaluate {
            position,
            evaluators,
        } => {
            let (position, _) = parse_position(position)?;
            at_most(MAX_EVALUATORS, "evaluators", evaluators.len())?;
            let evaluators = evaluators.iter().take_while(|_| !limits.is_stopped());
            let values = evaluators.map(|name| evaluation_json(game, &position, name));
            json!({ "values": values.collect::<Value>() })
        }
        Question::Move {
            position,
            player: text,
            seed,
        } => {
            let (position, outcome) = parse_position(position)?;
            let recipe = player(text)?;
            let Decision { best, value, .. } =
                choose_move(game, &position, outcome, &recipe, *seed, limits)?;
            let next = game.play(&position, best);
            let flips = game.to_move(&next) != game.to_move(&position);
            let own = |value: f32| if flips { 1.0 - value } else { value };
            // Of a finished game neither a search nor the tables are asked.
            let end = game.payoff(&next, game.to_move(&position));
            let value = value.map(|value| {
                end.unwrap_or_else(|| {
                    let searched = Some(own(value)).filter(|_| game.seats() == 2);
                    let fitted = || recipe.observed_win_rate(&next, searched?, limits);
                    let known = exact_value(game, &next).or_else(fitted);
                    known.map_or(value, own)
                })
            });
            let is_exact = end.is_some() || exact_value(game, &next).is_some();
            without_null(json!({
                "move": game.format_move(&position, best),
                "value": value,
                "scale": recipe.scale().filter(|_| value.is_some() && !is_exact),
                "position": game.format_position(&next, None),
            }))
        }
        Question::Write {
            start,
            plies,
            players,
            resigned,
            format,
        } => {
            let (start, _) = parse_position(start)?;
            at_most(MAX_PLIES, "plies", plies.len())?;
            write_game(game, start, plies, players, *resigned, format)?
        }
        Question::Read { text, format } => read_games(game, text, format)?,
        Question::Judge {
            start,
            plies,
            payoffs,
            player: text,
        } => {
            let deadline = Instant::now() + request_limits.total;
            let (start, _) = parse_position(start)?;
            at_most(MAX_PLIES, "plies", plies.len())?;
            let recipe = player(text)?;
            let mut valuer = MoveValuer::new(game, &recipe).with_limits(limits);
            let payoffs = payoffs.as_deref();
            json!(review(
                game,
                start,
                plies,
                payoffs,
                &mut valuer,
                Some(deadline)
            )?)
        }
    })
}

/// Start position chosen by `seed`; if `best`, from the game's list of strong starts, if any.
pub fn start<G: Playable>(game: &G, seed: u64, best: bool) -> G::Position {
    let mut random = RandomStream::new(derive_seed(seed, SeedSpace::Arena, &[]));
    let best = best.then(|| game.strong_start(seed)).flatten();
    best.unwrap_or_else(|| game.random_start(&mut random, 0))
}

/// Roll before ply `ply` of a game with this seed; `None` if the game has no dice or is over.
pub fn roll<G: Playable>(game: &G, position: &G::Position, seed: u64, ply: u64) -> Option<u8> {
    let goes_on = game.payoffs(position).is_none();
    (goes_on && has_chance::<G>()).then(|| {
        let seed = derive_seed(seed, SeedSpace::Arena, &[ply]);
        game.chance(seed).draw(game, position).0
    })
}

fn position_json<G: Playable>(game: &G, position: &G::Position, face: Option<u8>) -> Value {
    // Through text, so that JSON shows the digits of the `f32`.
    let digits = |payoff: &f32| payoff.to_string().parse::<f64>().ok();
    let payoffs = |position: &G::Position| {
        let payoffs = game.payoffs(position)?;
        let payoffs = payoffs[..game.seats()].iter().map(digits);
        Some(payoffs.collect::<Value>())
    };
    let successor = |&mv: &G::Move| {
        let next = game.play(position, mv);
        json!({
            "move": game.format_move(position, mv),
            "position": game.format_position(&next, None),
            "payoffs": payoffs(&next),
        })
    };
    let moves = game.legal_moves(position, face);
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

fn without_null(mut object: Value) -> Value {
    const OPTIONAL_KEYS: [&str; 9] = [
        "shares",
        "calibrated",
        "equity",
        "results",
        "scale",
        "faces",
        "depth",
        "line",
        "error",
    ];
    if let Some(keys) = object.as_object_mut() {
        keys.retain(|key, value| !value.is_null() || !OPTIONAL_KEYS.contains(&key.as_str()));
    }
    object
}

fn values_json<G: Playable>(
    game: &G,
    recipe: &PlayerRecipe<G>,
    position: &G::Position,
    outcome: Option<u8>,
    values: &PositionValues<G::Move>,
) -> Value {
    let list = |payoffs: Payoffs| (game.seats() > 2).then(|| payoffs[..game.seats()].to_vec());
    let equity = |value: Option<f64>| Some(game.points()?.from_payoff(value?));
    let moves = values.moves();
    let name = |index: usize| game.format_move(position, moves[index].mv);
    let results_after = |index: usize| recipe.result_probabilities(position, moves[index].mv);
    let rated_move = |index: usize| {
        let rated = &moves[index];
        without_null(json!({
            "move": name(index),
            "value": rated.own_scale.or(rated.value),
            "shares": rated.payoffs.and_then(list),
            "calibrated": rated.own_scale.and(rated.value),
            "equity": equity(rated.value.map(f64::from)),
            "results": results_after(index),
            "error": rated.error,
            "exact": rated.is_exact,
        }))
    };
    // If the player gives values, a roll for which it tried no move counts as 0.
    let has_values = moves.iter().any(|rated| rated.value.is_some());
    let is_fitted = moves.iter().any(|rated| rated.own_scale.is_some());
    let rated_roll = |roll: &Roll| {
        let best = values.best(roll.permitted.clone());
        let fitted = best.and_then(|best| moves[best].value);
        let own = best.and_then(|best| moves[best].own_scale);
        without_null(json!({
            "face": roll.face,
            "name": roll.face.map(|face| game.outcome_name(face)),
            "weight": roll.probability,
            "value": own.or(fitted).or(has_values.then_some(0.0)),
            "calibrated": own.and(fitted),
            "equity": equity(fitted.map(f64::from)),
            "results": best.and_then(results_after),
            "best": best.map(name),
        }))
    };
    let permitted = values.allowed_moves(outcome);
    let best = permitted
        .clone()
        .and_then(|permitted| values.best(permitted));
    let of_best = |number: fn(&MoveValue<G::Move>) -> Option<f32>| number(&moves[best?]);
    let (value, own_scale) = match (values.end, &permitted) {
        (Some(end), _) => (Some(end[values.seat].into()), None),
        (None, Some(_)) => (
            of_best(|best| best.value).map(f64::from),
            of_best(|best| best.own_scale).map(f64::from),
        ),
        (None, None) => (
            has_values.then(|| values.expected_over_rolls(|rated| rated.value)),
            is_fitted.then(|| values.expected_over_rolls(|rated| rated.own_scale)),
        ),
    };
    let shown = permitted.unwrap_or(0..moves.len());
    let payoffs = values.end.or_else(|| moves[best?].payoffs);
    let mut next = *position;
    let line = values.analysis.line.iter().map(|&mv| {
        let name = game.format_move(&next, mv);
        next = game.play(&next, mv);
        name
    });
    let line: Vec<String> = line.collect();
    let is_exact = moves.iter().all(|rated| rated.is_exact);
    let has_faces = has_chance::<G>() && values.has_all_rolls;
    let results = match best {
        Some(best) => results_after(best),
        None => recipe.expected_results(position, &values.analysis),
    };
    without_null(json!({
        "value": own_scale.or(value),
        "shares": payoffs.and_then(list),
        "calibrated": own_scale.and(value),
        "equity": equity(value),
        "results": results,
        "scale": recipe.scale().filter(|_| !is_exact),
        "best": best.map(name),
        "line": (!has_chance::<G>() && !line.is_empty()).then_some(line),
        "moves": shown.map(rated_move).collect::<Value>(),
        "faces": has_faces.then(|| values.rolls.iter().map(rated_roll).collect::<Value>()),
        "exact": is_exact,
        "depth": Some(values.analysis.stats.depth).filter(|&depth| depth > 0),
        "nodes": values.analysis.stats.nodes,
        "milliseconds": values.analysis.stats.time.as_secs_f64() * 1000.0,
    }))
}

/// Value of the game's instant oracle, for the seat to move.
fn exact_value<G: Playable>(game: &G, position: &G::Position) -> Option<f32> {
    let entry = G::registry().oracle?;
    let oracle = (entry.read)(&Notation::new((entry.instant)(game)?), game);
    oracle.ok()??.value(game, position)
}

fn evaluation_json<G: Playable>(game: &G, position: &G::Position, name: &str) -> Value {
    let evaluator = parse_evaluator::<G>(name).and_then(|notation| {
        evaluator_from(&notation, game).map_err(|(_, problem)| Problem::invalid_request(problem))
    });
    let name = shorten(name, MAX_QUOTED_CHARS);
    let equity = |value: f32| Some(game.points()?.from_payoff(value.into()));
    let results = |evaluator: &dyn AnyEvaluator<G>| {
        game.points()?
            .name_results(evaluator.result_probabilities(game, position)?)
    };
    match (evaluator, game.payoff(position, game.to_move(position))) {
        (Err(problem), _) => json!({ "name": name, "error": problem.error }),
        (Ok(_), Some(payoff)) => {
            without_null(json!({ "name": name, "value": payoff, "equity": equity(payoff) }))
        }
        (Ok(evaluator), None) => {
            let value = evaluator.value_of(game, position);
            let calibrated = evaluator.observed_win_rate(value);
            without_null(json!({
                "name": name,
                "value": value,
                "calibrated": calibrated,
                "equity": equity(calibrated.unwrap_or(value)),
                "results": results(&*evaluator),
                "scale": OwnScale::of(&*evaluator),
            }))
        }
    }
}

/// Move chosen by a new player built from `recipe`; `outcome` is the roll, in games with dice.
///
/// # Errors
///
/// If the game is over, has dice but no `outcome`, or the player fails.
pub fn choose_move<G: Playable>(
    game: &G,
    position: &G::Position,
    outcome: Option<u8>,
    recipe: &PlayerRecipe<G>,
    seed: u64,
    limits: &Limits,
) -> Result<Decision<G::Move>, Problem> {
    let legal = game.legal_moves(position, outcome);
    if legal.is_empty() {
        return Err(Problem::invalid_request(
            "the game is over, there is no move",
        ));
    }
    if outcome.is_none() && has_chance::<G>() {
        return Err(Problem::invalid_request(
            "the position is before the roll; ask for 'roll' first",
        ));
    }
    let mut player = recipe.make();
    player.new_game(derive_seed(seed, SeedSpace::Player, &[]));
    player
        .decide(position, &legal, limits)
        .map_err(Problem::invalid_request)
}
