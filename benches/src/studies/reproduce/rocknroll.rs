//! Rock'n'Roll's tournament of 24 players, 10,240 games a pair: 16 × 16 good set-ups, both sides
//! begin, 20 repeats.
//!
//! The printed part of the matrix has 15 of the players; the other nine run against some of them,
//! beside nothing. Invariant: depths are the report's (0 rates direct successors), one less than
//! those of our searches.

use super::{
    Figure, Settings, Target,
    comparison::{Claim, Comparison, Reproduction},
    matches::{Planned, play},
    published::{Matrix, ROCKNROLL_GAMES, rocknroll},
};

use crate::error::Result;

/// One of the 24 players.
struct Entrant {
    /// Its number in the report.
    number: u32,
    /// The report's name.
    name: &'static str,
    /// Our notation. MrRandom is an evaluator in the report, so it takes a win that it sees; as a
    /// player of arbitrary moves it would score four points less than printed. Deeper players
    /// average raw scores with a win counting 1000 as the report's do; the scale of the score is
    /// not printed, see `docs/results.md` for how these were chosen.
    player: String,
    /// Milliseconds of its moves in a game, about, for the estimate of time and the quick size.
    milliseconds: f64,
}

/// The report's names in the order of the numbers, and milliseconds.
const PLAYERS: [(&str, f64); 24] = [
    ("MrRandom", 0.005),
    ("MrMonte(0, 50, MrBlack(0))", 2.0),
    ("MrMonte(0, 100, MrBlack(0))", 4.0),
    ("MrMonte(0, 150, MrBlack(0))", 6.0),
    ("MrMonte(0, 200, MrBlack(0))", 8.0),
    ("MrMonte(1, 200, MrBlack(0))", 100.0),
    ("MrMonte(0, 200, MrBlack(1))", 60.0),
    ("MrBlack(0)", 0.005),
    ("MrBlack(1)", 0.03),
    ("MrBlack(2)", 0.25),
    ("MrBlack(3)", 2.2),
    ("MrBlack(4)", 18.0),
    ("FarmerBoy(0)", 0.005),
    ("FarmerBoy(1)", 0.03),
    ("FarmerBoy(2)", 0.25),
    ("FarmerBoy(3)", 2.2),
    ("FarmerBoy(4)", 18.0),
    ("MrMonte(2, 20, FarmerBoy(0))", 130.0),
    ("MrMonte(2, 40, FarmerBoy(0))", 260.0),
    ("MrMonte(0, 20, MrMonte(0, 10, FarmerBoy(0)))", 250.0),
    ("MrMonte(0, 50, FarmerBoy(0))", 3.0),
    ("MrMonte(0, 100, FarmerBoy(0))", 6.0),
    ("MrMonte(0, 150, FarmerBoy(0))", 9.0),
    ("MrMonte(0, 200, FarmerBoy(0))", 12.0),
];

/// Our notation of a player.
fn notation(name: &str) -> String {
    let deeper = |evaluator: &str, depth: &str| {
        let depth: u32 = depth.strip_suffix(')')?.parse().ok()?;
        let raw = format!("{evaluator}(scale=raw, factor=10)");
        (depth > 0).then(|| format!("star1(depth={}, eval={raw})", depth + 1))
    };
    let found = match name.split_once('(') {
        None => Some("star1(depth=1, eval=random)".to_owned()),
        Some(("MrBlack", depth)) => deeper("schwarz", depth),
        Some(("FarmerBoy", depth)) => deeper("farmer_boy", depth),
        Some(_) => None,
    };
    found.unwrap_or_else(|| name.to_owned())
}

/// All 24.
fn entrants() -> impl Iterator<Item = Entrant> {
    let numbered = (1..).zip(PLAYERS);
    numbered.map(|(number, (name, milliseconds))| Entrant {
        number,
        name,
        player: notation(name),
        milliseconds,
    })
}

/// Whom the nine players without printed figures meet.
const OPPONENT_OF_OTHERS: u32 = 8;

/// Milliseconds of one match at the quick size, and its fewest and most games.
const QUICK_MILLISECONDS: f64 = 800.0;
const QUICK_GAMES: [u64; 2] = [4, 2048];

/// The matches: everybody of the printed matrix against everybody, and the other nine against one
/// of them.
pub(super) fn plan(settings: &Settings) -> Result<Vec<Planned>> {
    let matrix = rocknroll()?;
    let numbers = || entrants().map(|entrant| entrant.number);
    let unknown = |number: &&u32| !numbers().any(|known| known == **number);
    if let Some(number) = settings.only.iter().find(unknown) {
        return Err(format!(
            "Rock'n'Roll's tournament has no player {number}; they are numbered 1 to 24"
        )
        .into());
    }
    let chosen =
        |entrant: &Entrant| settings.only.is_empty() || settings.only.contains(&entrant.number);
    let is_printed = |entrant: &Entrant| matrix.numbers.contains(&entrant.number);
    let (printed, others): (Vec<_>, Vec<_>) = entrants().filter(chosen).partition(is_printed);
    let mut planned = Vec::new();
    for (index, a) in printed.iter().enumerate() {
        let opponents = printed[index + 1..].iter();
        planned.extend(opponents.map(|b| meeting(a, b, &matrix, settings)));
    }
    // Their figures are not printed, and at full size they would take weeks: always at the quick
    // size.
    let quick = Settings {
        full: false,
        ..settings.clone()
    };
    for a in &others {
        let opponents = entrants().filter(|b| b.number == OPPONENT_OF_OTHERS);
        planned.extend(opponents.map(|b| meeting(a, &b, &matrix, &quick)));
    }
    Ok(planned)
}

fn meeting(a: &Entrant, b: &Entrant, matrix: &Matrix, settings: &Settings) -> Planned {
    // The arena itself takes about 7 µs a game.
    let milliseconds = a.milliseconds + b.milliseconds + 0.007;
    let [fewest, most] = QUICK_GAMES;
    let quick = ((QUICK_MILLISECONDS / milliseconds) as u64)
        .clamp(fewest, most)
        .next_power_of_two();
    Planned {
        label: format!("{} {} – {} {}", a.number, a.name, b.number, b.name),
        file: format!("rocknroll-{}-{}", a.number, b.number),
        players: [a.player.clone(), b.player.clone()],
        games: settings.games.unwrap_or(if settings.full {
            ROCKNROLL_GAMES
        } else {
            quick
        }),
        published: matrix
            .of(a.number, b.number)
            .map(|percent| (percent, ROCKNROLL_GAMES)),
        setups: settings.setups.clone(),
        milliseconds,
    }
}

/// Plays the tournament, or those of its players that were chosen.
pub(super) fn run(settings: &Settings, say: &mut dyn FnMut(&str)) -> Result<Reproduction> {
    let planned = plan(settings)?;
    let (printed, others): (Vec<Planned>, Vec<Planned>) =
        planned.into_iter().partition(|one| one.published.is_some());
    let mut comparisons = Vec::new();
    for (title, planned) in [("win % of the first", printed), ("not printed", others)] {
        if !planned.is_empty() {
            comparisons.push(play(title, &planned, settings, say)?);
        }
    }
    let claims = comparisons.first().and_then(largest).into_iter().collect();
    Ok(Reproduction {
        comparisons,
        claims,
        ..Reproduction::of(
            Target::RockNRoll,
            "Rock'n'Roll (A. Schäfer, Jena 2006), tournament of 24 players, 10,240 games a pair",
            settings.full,
            &[
                &format!(
                    "which 16 good set-ups were used is not printed; here: {}",
                    settings.setups
                ),
                "the order in which moves are generated decides between equal ones, and is not printed; here the diagonal step comes first",
                "deeper players average raw scores, a game won counting 1000; the scale of the score is not printed; here the factors of the notations above",
                "games come in pairs with the same dice and sides swapped, so that fewer of them say as much; the report's are independent",
                "MrRandom rates successors at random, and so takes a win when there is one",
                "every player assumes the fair die that is rolled",
                "the printed part of the matrix has 15 players; the other nine play at the quick size, against MrBlack(0)",
            ],
        )
    })
}

/// The figure that differs most.
fn largest(comparison: &Comparison) -> Option<Claim> {
    let size = |figure: &Figure| figure.difference().unwrap_or(0.0).abs();
    let figure = comparison
        .figures
        .iter()
        .max_by(|left, right| size(left).total_cmp(&size(right)))?;
    Some(Claim::new(
        &format!("{:.2} % for {}", figure.published?, figure.label),
        format!("{:.2} %, which differs most", figure.measured),
    ))
}
