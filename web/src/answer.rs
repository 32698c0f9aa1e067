//! From a request to its answer.
//!
//! Invariant: an answer depends on the request and the bounds alone (and, with a limit of time, on
//! how fast the machine is); nothing is remembered from one request to the next but what is known
//! exactly.

use crate::api::{
    Analysis, Answer, Evaluation, EvaluatorFacts, GameFacts, Level, PlayedPly, PositionFacts,
    Problem, RatedFace, RatedMove, Request, Successor,
};
use crate::bounds::{Bounds, evaluators};
use crate::games::{OnBoard, for_board_games, knowledge, read};
use crate::judge::judge;
use crate::puzzles::puzzle;
use crate::rating::{Rated, Rater, faces, has_chance};
use engine::core::{
    clock::Instant,
    game::Chance as _,
    random::{RandomStream, SeedSpace, derive_seed},
    text::shortened,
};
use engine::play::{
    build::{PlayerRecipe, evaluator_from},
    notation::{Argument, Notation},
    playable::Playable,
    player::Failure,
};
use serde_json::Value;
use std::sync::OnceLock;

/// Characters of a wrong text that are repeated.
const MOST_OF_TEXT: usize = 80;

/// Answers a request; what is wrong with it is an answer too.
#[must_use]
pub fn answer(request: Request, bounds: &Bounds) -> Answer {
    let answered = match &request {
        Request::Games {} => {
            // Models are looked at for that.
            static GAMES: OnceLock<Vec<GameFacts>> = OnceLock::new();
            let games = GAMES.get_or_init(|| for_board_games!(each_board_game facts_of_game));
            let games = games.clone();
            Ok(Answer::Games { games })
        }
        Request::New { game, .. }
        | Request::Position { game, .. }
        | Request::Roll { game, .. }
        | Request::Analyse { game, .. }
        | Request::Evaluate { game, .. }
        | Request::Puzzle { game, .. }
        | Request::Move { game, .. }
        | Request::Judge { game, .. } => {
            for_board_games!(with_board_game game, rules => answer_for(rules, &request, bounds))
        }
    };
    answered.unwrap_or_else(Answer::Error)
}

/// The answer to a text, which is to be a request.
#[must_use]
pub fn answer_text(text: &[u8], bounds: &Bounds) -> Answer {
    match serde_json::from_slice(text) {
        Ok(request) => answer(request, bounds),
        Err(error) => Answer::Error(Problem::wrong(shortened(
            &format!("this is no request: {error}; docs/api.md has all of them"),
            500,
        ))),
    }
}

/// As [`answer_text`]; but an analysis that is to be a stream is told after each depth, too, before
/// the answer that is meant, with which comes `true`. Ends early when `tell` says by `false` that
/// nobody listens any more.
pub fn answer_each(text: &[u8], bounds: &Bounds, mut tell: impl FnMut(&Answer, bool) -> bool) {
    if let Ok(Request::Analyse {
        game,
        position,
        player,
        stream: true,
    }) = serde_json::from_slice(text)
    {
        let began = Instant::now();
        let (deepest, time) = bounds.deepening(&player);
        for depth in 1..deepest {
            let (game, position) = (game.clone(), position.clone());
            let asked = Request::Analyse {
                game,
                position,
                player: at_depth(&player, depth),
                stream: false,
            };
            let Answer::Analysis(mut found) = answer(asked, bounds) else {
                break;
            };
            if found.exact || began.elapsed() > time {
                break;
            }
            found.depth = Some(depth);
            if !tell(&Answer::Analysis(found), false) {
                return;
            }
        }
    }
    tell(&answer_text(text, bounds), true);
}

/// A player that looks so many plies ahead.
fn at_depth(player: &str, depth: u32) -> String {
    let Ok(mut notation) = Notation::parse(player) else {
        return player.to_owned();
    };
    let is_depth = |argument: &Argument| argument.key.as_deref() == Some("depth");
    notation.arguments.retain(|argument| !is_depth(argument));
    let depth = Notation::new(depth.to_string());
    notation.with("depth", depth).to_string()
}

/// What is told of a game, once for each of its rules.
fn facts_of_game<G: OnBoard>() -> Vec<GameFacts> {
    let facts = |&notation: &&'static str| {
        let game: G = read(notation).ok()?;
        let evaluator = |name, help| EvaluatorFacts { name, help };
        let mut known: Vec<EvaluatorFacts> = evaluators::<G>()
            .map(|entry| evaluator(entry.name, entry.help))
            .collect();
        if has_best(&game) {
            known.push(evaluator("best", "the learned model"));
        }
        Some(GameFacts {
            name: G::NAME,
            notation,
            faces: has_chance::<G>().then(|| game.outcome_names().collect()),
            evaluators: known,
            levels: levels(&game),
        })
    };
    G::OFFERED.iter().filter_map(facts).collect()
}

/// Whether a game's learned model is of its size.
fn has_best<G: OnBoard>(game: &G) -> bool {
    game.best().is_some() && game.evaluator(&Notation::new("best".to_owned())).is_ok()
}

/// The players to meet, the weakest first.
pub fn levels<G: OnBoard>(game: &G) -> Vec<Level> {
    let usual = evaluators::<G>()
        .next()
        .map_or("random", |first| first.name);
    let strong = if has_best(game) { "best" } else { usual };
    let level = |&(name, player): &(&'static str, &str)| Level {
        name,
        player: player.replace("EVAL", strong).replace("HAND", usual),
    };
    G::LEVELS.iter().map(level).collect()
}

fn answer_for<G: OnBoard>(game: &G, request: &Request, bounds: &Bounds) -> Result<Answer, Problem> {
    match request {
        Request::Games {} => Err(Problem::wrong("no game is asked about")),
        Request::New { seed, best, .. } => {
            let mut random = RandomStream::new(derive_seed(*seed, SeedSpace::Arena, &[]));
            let chosen = best.then(|| game.best_start(*seed)).flatten();
            let start = chosen.unwrap_or_else(|| game.random_start(&mut random, 0));
            Ok(Answer::Position(facts(game, &start, None)))
        }
        Request::Position { position, .. } => {
            let (position, outcome) = read_position(game, position)?;
            Ok(Answer::Position(facts(game, &position, outcome)))
        }
        Request::Roll {
            position,
            seed,
            ply,
            ..
        } => {
            let (position, _) = read_position(game, position)?;
            let goes_on = game.payoffs(&position).is_none();
            let outcome = (goes_on && has_chance::<G>()).then(|| {
                let seed = derive_seed(*seed, SeedSpace::Arena, &[*ply]);
                game.luck(seed).draw(game, &position).0
            });
            Ok(Answer::Position(facts(game, &position, outcome)))
        }
        Request::Analyse {
            position, player, ..
        } => {
            let (position, outcome) = read_position(game, position)?;
            let recipe = recipe(game, player, bounds)?;
            analysis(game, &position, outcome, &recipe).map(Answer::Analysis)
        }
        Request::Puzzle { number, .. } => puzzle(game.puzzles(), *number).map(Answer::Puzzle),
        Request::Evaluate {
            position,
            evaluators,
            ..
        } => {
            let (position, _) = read_position(game, position)?;
            let (asked, most) = (evaluators.len(), bounds.evaluators);
            if asked > most {
                return Err(Problem::wrong(format!(
                    "{asked} evaluators are more than the {most} of one request"
                )));
            }
            let evaluators = evaluators.iter();
            let values = evaluators.map(|name| evaluation(game, &position, name, bounds));
            Ok(Answer::Values {
                values: values.collect(),
            })
        }
        Request::Move {
            position,
            player,
            seed,
            ..
        } => {
            let (position, outcome) = read_position(game, position)?;
            let recipe = recipe(game, player, bounds)?;
            decision(game, &position, outcome, &recipe, *seed)
        }
        Request::Judge {
            start,
            plies,
            player,
            ..
        } => {
            let deadline = Instant::now() + bounds.whole;
            let (start, _) = read_position(game, start)?;
            let (asked, most) = (plies.len(), bounds.plies);
            if asked > most {
                return Err(Problem::wrong(format!(
                    "{asked} plies are more than the {most} of one request"
                )));
            }
            let plies = read_plies(game, start, plies)?;
            let recipe = recipe(game, player, bounds)?;
            let known = knowledge(game, game.known()).map_err(Problem::wrong)?;
            let mut rater = Rater::new(game, &recipe, known);
            judge(game, start, &plies, &mut rater, Some(deadline)).map(Answer::Ledger)
        }
    }
}

fn read_position<G: Playable>(game: &G, text: &str) -> Result<(G::Position, Option<u8>), Problem> {
    let (position, outcome) = game.parse_position(text).map_err(|problem| {
        let text = shortened(text, MOST_OF_TEXT);
        Problem::wrong(format!("position '{text}': {problem}"))
    })?;
    Ok((position, outcome.filter(|_| has_chance::<G>())))
}

fn recipe<G: Playable>(
    game: &G,
    player: &str,
    bounds: &Bounds,
) -> Result<PlayerRecipe<G>, Problem> {
    let bounded = bounds.player::<G>(player)?;
    PlayerRecipe::parse(&bounded, game).map_err(|error| {
        Problem::wrong(format!(
            "player '{}': {}",
            shortened(player, MOST_OF_TEXT),
            error.problem
        ))
    })
}

/// What was rolled and played, with every move read in its position.
fn read_plies<G: Playable>(
    game: &G,
    start: G::Position,
    plies: &[PlayedPly],
) -> Result<Vec<(u8, G::Move)>, Problem> {
    let mut position = start;
    let read = |(number, ply): (usize, &PlayedPly)| {
        let wrong = |problem: String| Problem::wrong(format!("ply {number}: {problem}"));
        if game.payoffs(&position).is_some() {
            return Err(wrong("the game is over before it".to_owned()));
        }
        let face = match (ply.face, has_chance::<G>()) {
            (Some(face), true) => face,
            (None, false) => 0,
            (None, true) => return Err(wrong("'face' is missing".to_owned())),
            (Some(_), false) => return Err(wrong("this game has no 'face'".to_owned())),
        };
        let permitted = permitted(game, &position, Some(face));
        let mv = game.parse_move(&position, &ply.mv);
        let mv = mv.map_err(|error| wrong(shortened(&error.to_string(), 200)))?;
        if !permitted.contains(&mv) {
            let mv = &ply.mv;
            return Err(wrong(format!("the move '{mv}' is not permitted")));
        }
        position = game.play(&position, mv);
        Ok((face, mv))
    };
    (1..).zip(plies).map(read).collect()
}

/// The moves that a roll permits, or all that some roll does; none once the game is over.
fn permitted<G: Playable>(game: &G, position: &G::Position, outcome: Option<u8>) -> G::Moves {
    let mut moves = G::Moves::default();
    if game.payoffs(position).is_some() {
        return moves;
    }
    match outcome.filter(|_| has_chance::<G>()) {
        Some(outcome) => game.permitted(position, outcome, &mut moves),
        None => game.moves(position, &mut moves),
    }
    moves
}

/// Who has won.
fn winner<G: Playable>(game: &G, position: &G::Position) -> Value {
    let Some(payoffs) = game.payoffs(position) else {
        return Value::Null;
    };
    let payoffs = &payoffs[..game.seats()];
    let most = payoffs.iter().copied().fold(0.0, f32::max);
    let best: Vec<usize> = (0..payoffs.len())
        .filter(|&seat| payoffs[seat] == most)
        .collect();
    match best[..] {
        _ if G::WINNERS_ARE_LISTED => best.iter().map(|seat| seat + 1).collect(),
        [seat] => game.seat_name(seat).into(),
        _ => "draw".into(),
    }
}

fn facts<G: Playable>(game: &G, position: &G::Position, face: Option<u8>) -> PositionFacts {
    let seat = game.to_move(position);
    let successor = |&mv: &G::Move| {
        let next = game.play(position, mv);
        Successor {
            mv: game.format_move(position, mv),
            position: game.format_position(&next, None),
            winner: winner(game, &next),
        }
    };
    PositionFacts {
        position: game.format_position(position, face),
        seat,
        seat_name: game.seat_title(seat),
        face,
        over: game.payoffs(position).is_some(),
        winner: winner(game, position),
        svg: game.svg(position, face),
        moves: permitted(game, position, face)
            .iter()
            .map(successor)
            .collect(),
    }
}

fn analysis<G: OnBoard>(
    game: &G,
    position: &G::Position,
    outcome: Option<u8>,
    recipe: &PlayerRecipe<G>,
) -> Result<Analysis, Problem> {
    if let Some(payoff) = game.payoff(position, game.to_move(position)) {
        return Ok(Analysis {
            value: Some(payoff.into()),
            calibrated: None,
            best: None,
            moves: Vec::new(),
            faces: has_chance::<G>().then(Vec::new),
            exact: true,
            nodes: 0,
            milliseconds: 0.0,
            depth: None,
        });
    }
    let known = knowledge(game, game.known()).map_err(Problem::wrong)?;
    let rating = Rater::new(game, recipe, known).rate(position, false);
    let rating = rating.map_err(Problem::wrong)?;
    let faces = faces(game, position);
    let name = |place: usize| game.format_move(position, rating.moves[place].mv);
    let rolled = match outcome {
        Some(outcome) => faces.iter().find(|face| face.face == outcome),
        None => faces.first().filter(|_| !has_chance::<G>()),
    };
    let value = |rated: &Rated<G::Move>| rated.value;
    let best = rolled.and_then(|face| rating.best(&face.permitted, value));
    // A move that a sampling player never tried is taken for worthless; one that rates nothing has
    // no value.
    let rates = rating.moves.iter().any(|rated| rated.value.is_some());
    let or_nothing = |rated: &Rated<G::Move>| rates.then(|| rated.value.unwrap_or(0.0));
    let is_fitted = rating.moves.iter().any(|rated| rated.calibrated.is_some());
    let fitted = |rated: &Rated<G::Move>| is_fitted.then(|| rated.calibrated.unwrap_or(0.0));
    let calibrated = match (rolled, best) {
        (Some(_), best) => best.and_then(|(place, _)| rating.moves[place].calibrated),
        (None, _) => rating.expected(&faces, fitted),
    };
    let shown = match rolled {
        Some(face) => face.permitted.clone(),
        None => (0..rating.moves.len()).collect(),
    };
    Ok(Analysis {
        value: match rolled {
            Some(_) => best.map(|(_, value)| value),
            None => rating.expected(&faces, or_nothing),
        },
        calibrated,
        best: best.map(|(place, _)| name(place)),
        moves: shown
            .iter()
            .map(|&place| {
                let rated = &rating.moves[place];
                RatedMove {
                    mv: name(place),
                    value: rated.value,
                    calibrated: rated.calibrated,
                    exact: rated.exact,
                }
            })
            .collect(),
        faces: has_chance::<G>().then(|| {
            let rated = |face: &crate::rating::Face| {
                let best = rating.best(&face.permitted, or_nothing);
                RatedFace {
                    face: face.face,
                    weight: face.weight,
                    value: best.map(|(_, value)| value),
                    best: best.map(|(place, _)| name(place)),
                }
            };
            faces.iter().map(rated).collect()
        }),
        exact: rating.moves.iter().all(|rated| rated.exact),
        nodes: rating.nodes,
        milliseconds: rating.milliseconds,
        depth: None,
    })
}

fn evaluation<G: Playable>(
    game: &G,
    position: &G::Position,
    name: &str,
    bounds: &Bounds,
) -> Evaluation {
    let mut said = Evaluation {
        name: shortened(name, MOST_OF_TEXT),
        value: None,
        calibrated: None,
        error: None,
    };
    let evaluator = bounds.evaluator::<G>(name).and_then(|notation| {
        evaluator_from(&notation, game).map_err(|(_, problem)| Problem::wrong(problem))
    });
    match (evaluator, game.payoff(position, game.to_move(position))) {
        (Err(problem), _) => said.error = Some(problem.error),
        (Ok(_), Some(payoff)) => said.value = Some(payoff.into()),
        (Ok(evaluator), None) => {
            let value = evaluator.value_of(game, position);
            said.value = Some(value.into());
            said.calibrated = evaluator.in_whole_games(value).map(f64::from);
        }
    }
    said
}

fn decision<G: Playable>(
    game: &G,
    position: &G::Position,
    outcome: Option<u8>,
    recipe: &PlayerRecipe<G>,
    seed: u64,
) -> Result<Answer, Problem> {
    if game.payoffs(position).is_some() {
        return Err(Problem::wrong("the game is over, there is no move"));
    }
    if outcome.is_none() && has_chance::<G>() {
        return Err(Problem::wrong(
            "the position is before the roll; ask for 'roll' first",
        ));
    }
    let legal = permitted(game, position, outcome);
    let mut player = recipe.make();
    player.new_game(derive_seed(seed, SeedSpace::Player, &[]));
    let decision = player.decide(position, &legal);
    if let Some(Failure::OfPlayer(reason) | Failure::OfSystem(reason)) = player.failure() {
        return Err(Problem::wrong(reason));
    }
    Ok(Answer::Move {
        mv: game.format_move(position, decision.best),
        value: decision.value.map(f64::from),
        position: game.format_position(&game.play(position, decision.best), None),
    })
}
