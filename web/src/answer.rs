//! From a request to its answer.
//!
//! Invariant: an answer depends on the request and the bounds alone (and, with a limit of time, on
//! how fast the machine is); nothing is remembered from one request to the next but what is known
//! exactly.

use crate::api::{
    Analysis, Answer, Evaluation, EvaluatorFacts, GameFacts, Level, PositionFacts, Problem,
    Question, RatedFace, RatedMove, Request, Successor,
};
use crate::bounds::{Bounds, evaluators};
use crate::games::{OnBoard, for_board_games, read};
use crate::judge::judge;
use crate::puzzles::puzzle;
use crate::rating::{Rater, Shares, faces, has_chance, shares_of};
use engine::core::{
    clock::Instant,
    game::Chance as _,
    random::{RandomStream, SeedSpace, derive_seed},
    text::shortened,
};
use engine::play::{
    build::{PlayerRecipe, evaluator_from},
    notation::Notation,
    playable::Playable,
    player::{Decision, Failure},
};
use serde_json::Value;
use std::sync::OnceLock;

/// Characters of a wrong text that are repeated.
const MOST_OF_TEXT: usize = 80;

/// Answers a request; what is wrong with it is an answer too.
#[must_use]
pub fn answer(request: &Request, bounds: &Bounds) -> Answer {
    let answered = match &request.game {
        None => {
            // Models are looked at for that.
            static GAMES: OnceLock<Vec<GameFacts>> = OnceLock::new();
            let games = GAMES.get_or_init(|| for_board_games!(each_board_game facts_of_game));
            let games = games.clone();
            Ok(Answer::Games { games })
        }
        Some(game) => {
            let question = &request.question;
            for_board_games!(with_board_game game, rules => answer_for(rules, question, bounds))
        }
    };
    answered.unwrap_or_else(Answer::Error)
}

/// The answer to a text, which is to be a request.
#[must_use]
pub fn answer_text(text: &[u8], bounds: &Bounds) -> Answer {
    read_request(text).map_or_else(Answer::Error, |request| answer(&request, bounds))
}

fn read_request(text: &[u8]) -> Result<Request, Problem> {
    let read = serde_json::from_slice::<Value>(text).and_then(Request::try_from);
    read.map_err(|error| {
        let problem = format!("this is no request: {error}; docs/api.md has all of them");
        Problem::wrong(shortened(&problem, 500))
    })
}

/// As [`answer_text`]; but an analysis that is to be a stream is told after each depth, too, before
/// the answer that is meant, with which comes `true`. Ends early when `tell` says by `false` that
/// nobody listens any more.
pub fn answer_each(text: &[u8], bounds: &Bounds, mut tell: impl FnMut(&Answer, bool) -> bool) {
    if let Ok(mut request) = read_request(text)
        && let Question::Analyse { player, stream, .. } = &request.question
        && *stream
        && let Some((search, deepest, time)) = bounds.deepening(player)
    {
        let began = Instant::now();
        for depth in 1..deepest {
            if let Question::Analyse { player, .. } = &mut request.question {
                let depth = Notation::new(depth.to_string());
                *player = search.clone().with("depth", depth).to_string();
            }
            let Answer::Analysis(mut found) = answer(&request, bounds) else {
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

/// What is told of a game, once for each of its rules.
fn facts_of_game<G: OnBoard>() -> Vec<GameFacts> {
    let facts = |&notation: &&'static str| {
        let game: G = read(notation).ok()?;
        let evaluator = |name, help| EvaluatorFacts { name, help };
        let known = evaluators::<G>().map(|entry| evaluator(entry.name, entry.help));
        let best = has_best(&game).then(|| evaluator("best", "the learned model"));
        Some(GameFacts {
            name: G::NAME,
            notation,
            seats: (0..game.seats())
                .map(|seat| game.seat_title(seat))
                .collect(),
            faces: has_chance::<G>().then(|| game.outcome_names().collect()),
            evaluators: known.chain(best).collect(),
            levels: levels(&game),
        })
    };
    G::OFFERED.iter().filter_map(facts).collect()
}

/// Whether a game's learned model is of its size.
fn has_best<G: OnBoard>(game: &G) -> bool {
    game.best().is_some() && game.evaluator(&Notation::new("best".to_owned())).is_ok()
}

/// The game's best evaluator, and its usual one.
fn best_and_usual<G: OnBoard>(game: &G) -> [&'static str; 2] {
    let usual = evaluators::<G>().next();
    let usual = usual.map_or("random", |first| first.name);
    [if has_best(game) { "best" } else { usual }, usual]
}

/// The players to meet, the weakest first.
pub fn levels<G: OnBoard>(game: &G) -> Vec<Level> {
    let [best, usual] = best_and_usual(game);
    let level = |&(name, player): &(&'static str, &str)| Level {
        name,
        player: player.replace("EVAL", best).replace("HAND", usual),
    };
    G::LEVELS.iter().map(level).collect()
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
) -> Result<Answer, Problem> {
    let limited = |what: &str, asked: usize, most: usize| match asked > most {
        true => Err(Problem::wrong(format!(
            "{asked} {what} are more than the {most} of one request"
        ))),
        false => Ok(()),
    };
    let facts = |position, face| Ok(Answer::Position(facts(game, &position, face)));
    match question {
        Question::Games {} => Err(Problem::wrong("'games' is asked about none")),
        Question::New { seed, best } => facts(start(game, *seed, *best), None),
        Question::Position { position } => {
            let (position, outcome) = read_position(game, position)?;
            facts(position, outcome)
        }
        Question::Roll {
            position,
            seed,
            ply,
        } => {
            let (position, _) = read_position(game, position)?;
            facts(position, roll(game, &position, *seed, *ply))
        }
        Question::Analyse {
            position, player, ..
        } => {
            let (position, outcome) = read_position(game, position)?;
            let recipe = recipe(game, player, bounds)?;
            analysis(game, &position, outcome, &recipe).map(Answer::Analysis)
        }
        Question::Puzzle { number } => puzzle(game.puzzles(), *number).map(Answer::Puzzle),
        Question::Evaluate {
            position,
            evaluators,
        } => {
            let (position, _) = read_position(game, position)?;
            limited("evaluators", evaluators.len(), bounds.evaluators)?;
            let evaluators = evaluators.iter();
            let values = evaluators.map(|name| evaluation(game, &position, name, bounds));
            Ok(Answer::Values {
                values: values.collect(),
            })
        }
        Question::Move {
            position,
            player,
            seed,
        } => {
            let (position, outcome) = read_position(game, position)?;
            let recipe = recipe(game, player, bounds)?;
            let decision = decision(game, &position, outcome, &recipe, *seed)?;
            Ok(Answer::Move {
                mv: game.format_move(&position, decision.best),
                value: decision.value.map(f64::from),
                position: game.format_position(&game.play(&position, decision.best), None),
            })
        }
        Question::Judge {
            start,
            plies,
            player,
        } => {
            let deadline = Instant::now() + bounds.whole;
            let (start, _) = read_position(game, start)?;
            limited("plies", plies.len(), bounds.plies)?;
            let recipe = recipe(game, player, bounds)?;
            let mut rater = Rater::new(game, &recipe)?;
            judge(game, start, plies, &mut rater, Some(deadline)).map(Answer::Ledger)
        }
    }
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
        let player = shortened(player, MOST_OF_TEXT);
        Problem::wrong(format!("player '{player}': {}", error.problem))
    })
}

/// The moves that a roll permits, or all that some roll does; none once the game is over.
pub fn permitted<G: Playable>(game: &G, position: &G::Position, outcome: Option<u8>) -> G::Moves {
    let mut moves = G::Moves::default();
    match outcome {
        _ if game.payoffs(position).is_some() => {}
        Some(outcome) => game.permitted(position, outcome, &mut moves),
        None => game.moves(position, &mut moves),
    }
    moves
}

fn payoffs<G: Playable>(game: &G, position: &G::Position) -> Option<Vec<f32>> {
    Some(game.payoffs(position)?[..game.seats()].to_vec())
}

fn facts<G: Playable>(game: &G, position: &G::Position, face: Option<u8>) -> PositionFacts {
    let successor = |&mv: &G::Move| {
        let next = game.play(position, mv);
        Successor {
            mv: game.format_move(position, mv),
            position: game.format_position(&next, None),
            payoffs: payoffs(game, &next),
        }
    };
    let moves = permitted(game, position, face);
    PositionFacts {
        position: game.format_position(position, face),
        seat: game.to_move(position),
        face,
        over: game.payoffs(position).is_some(),
        payoffs: payoffs(game, position),
        svg: game.svg(position, face),
        moves: moves.iter().map(successor).collect(),
    }
}

/// What a position, its moves and its rolls are worth to the player of a recipe.
///
/// # Errors
/// In one line, if the player fails.
pub fn analysis<G: OnBoard>(
    game: &G,
    position: &G::Position,
    outcome: Option<u8>,
    recipe: &PlayerRecipe<G>,
) -> Result<Analysis, Problem> {
    let several = |shares: Shares| (game.seats() > 2).then(|| shares[..game.seats()].to_vec());
    if let Some(payoffs) = game.payoffs(position) {
        let shares = shares_of(&payoffs);
        return Ok(Analysis {
            value: Some(shares[game.to_move(position)]),
            shares: several(shares),
            faces: has_chance::<G>().then(Vec::new),
            exact: true,
            ..Analysis::default()
        });
    }
    let rating = Rater::new(game, recipe)?.rate(position, false)?;
    let faces = faces(game, position);
    let name = |place: usize| game.format_move(position, rating.moves[place].mv);
    // A move that a sampling player never tried is taken for worthless; one that rates nothing has
    // no value.
    let rates = rating.moves.iter().any(|rated| rated.shares.is_some());
    let is_fitted = rating.moves.iter().any(|rated| rated.calibrated.is_some());
    let expected = |of: &dyn Fn(usize) -> Option<f64>| {
        let best = |permitted: &[usize]| of(rating.best(permitted)?);
        let each = faces.iter();
        each.map(|face| face.weight * best(&face.permitted).unwrap_or(0.0))
            .sum::<f64>()
    };
    let calibrated = |place: usize| rating.moves[place].calibrated;
    let rolled = faces.iter().find(|face| face.face == outcome);
    let best = rolled.and_then(|face| rating.best(&face.permitted));
    let all: Vec<usize> = (0..rating.moves.len()).collect();
    let shown = rolled.map_or(&all, |face| &face.permitted);
    let rated_move = |&place: &usize| RatedMove {
        mv: name(place),
        value: rating.value(place),
        shares: rating.moves[place].shares.and_then(several),
        calibrated: calibrated(place),
        exact: rating.moves[place].exact,
    };
    let rated_face = |face: &crate::rating::Face| {
        let best = rating.best(&face.permitted);
        RatedFace {
            face: face.face.unwrap_or_default(),
            weight: face.weight,
            value: best
                .and_then(|best| rating.value(best))
                .or(rates.then_some(0.0)),
            best: best.map(name),
        }
    };
    Ok(Analysis {
        value: match rolled {
            Some(_) => best.and_then(|best| rating.value(best)),
            None => rates.then(|| expected(&|place| rating.value(place))),
        },
        shares: best.and_then(|best| several(rating.moves[best].shares?)),
        calibrated: match rolled {
            Some(_) => best.and_then(calibrated),
            None => is_fitted.then(|| expected(&calibrated)),
        },
        best: best.map(name),
        moves: shown.iter().map(rated_move).collect(),
        faces: has_chance::<G>().then(|| faces.iter().map(rated_face).collect()),
        exact: rating.moves.iter().all(|rated| rated.exact),
        nodes: rating.stats.nodes,
        milliseconds: rating.stats.time.as_secs_f64() * 1000.0,
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
        ..Evaluation::default()
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
) -> Result<Decision<G::Move>, Problem> {
    let legal = permitted(game, position, outcome);
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
    let decision = player.decide(position, &legal);
    if let Some(Failure::OfPlayer(reason) | Failure::OfSystem(reason)) = player.failure() {
        return Err(Problem::wrong(reason));
    }
    Ok(decision)
}
