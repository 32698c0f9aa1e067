//! Reads games from shards and from files of JSON lines, in batches.

use anyhow::{Result, bail};
use engine::play::playable::Playable;
use std::path::PathBuf;
use trainer::data::{
    ShardReader,
    json_lines::{GameLines, is_json_lines},
};
use trainer::shard::{PlayedGame, ShardHeader};
use web::{api_types::PlayedPly, position_values::has_chance};

pub(super) struct GameToJudge<G: Playable> {
    pub(super) name: String,
    pub(super) players: Vec<String>,
    pub(super) start: G::Position,
    pub(super) plies: Vec<PlayedPly>,
    /// Result that the rules did not give, such as by resignation; `None` in unfinished games, too.
    pub(super) payoffs: Option<Vec<f32>>,
}

pub(super) struct GamesToJudge<G: Playable> {
    shards: Option<ShardReader<G>>,
    read: u64,
    /// Remaining files with their names; the next one is last.
    files: Vec<(String, GameLines<G>)>,
}

impl<G: Playable> GamesToJudge<G> {
    pub(super) fn open(paths: &[PathBuf]) -> Result<Self> {
        let is_text = |path: &&PathBuf| is_json_lines(path);
        let (texts, shards): (Vec<_>, Vec<_>) = paths.iter().partition(is_text);
        let shards: Vec<PathBuf> = shards.into_iter().cloned().collect();
        let shards = (!shards.is_empty() || texts.is_empty()).then(|| ShardReader::open(&shards));
        let open = |path: &PathBuf| {
            let lines = GameLines::<G>::open(path)?;
            anyhow::Ok((path.display().to_string(), lines))
        };
        let source = Self {
            shards: shards.transpose()?,
            read: 0,
            files: texts.into_iter().rev().map(open).collect::<Result<_>>()?,
        };
        let header = |rules: &G| ShardHeader::new(rules, serde_json::Value::Null);
        let expected = header(source.rules());
        for (name, lines) in &source.files {
            let found = header(&lines.rules);
            if (&found.game, &found.map) != (&expected.game, &expected.map) {
                let (found, expected) = (found.game, expected.game);
                bail!("{name}: games of '{found}' among games of '{expected}'; judge them apart");
            }
        }
        Ok(source)
    }

    pub(super) fn rules(&self) -> &G {
        match (&self.shards, self.files.last()) {
            (None, Some((_, lines))) => &lines.rules,
            (Some(shards), _) => &shards.rules,
            (None, None) => unreachable!("a path is required"),
        }
    }

    /// Reads up to `count` games; none at the end.
    pub(super) fn next_games(&mut self, count: u64) -> Result<Vec<GameToJudge<G>>> {
        let mut games = Vec::new();
        if let Some(shards) = &self.shards {
            let first = self.read;
            self.read = shards.games.min(first + count);
            for (game, number) in (shards.read_games(first, self.read)?)
                .iter()
                .zip(first + 1..)
            {
                games.push(from_shard(shards, game, number));
            }
        }
        while (games.len() as u64) < count
            && let Some((name, lines)) = self.files.last_mut()
        {
            let Some(game) = next_of_file(name, lines)? else {
                self.files.pop();
                continue;
            };
            games.push(game);
        }
        Ok(games)
    }
}

fn from_shard<G: Playable>(
    shards: &ShardReader<G>,
    game: &PlayedGame<G>,
    number: u64,
) -> GameToJudge<G> {
    let (rules, record) = (&shards.rules, &game.record);
    let plies = record.positions(rules).zip(&record.plies);
    let plies = plies.map(|(position, ply)| PlayedPly {
        face: has_chance::<G>().then_some(ply.outcome),
        mv: rules.format_move(&position, ply.mv),
    });
    let player = |&player: &u8| shards.players[usize::from(player)].clone();
    let payoffs = &record.payoffs[..rules.seats()];
    GameToJudge {
        name: format!("game {number}"),
        players: game.players.iter().map(player).collect(),
        start: record.start,
        plies: plies.collect(),
        payoffs: (!record.ending.is_played()).then(|| payoffs.to_vec()),
    }
}

fn next_of_file<G: Playable>(
    name: &str,
    lines: &mut GameLines<G>,
) -> Result<Option<GameToJudge<G>>> {
    let Some((number, line, has_result)) = lines.next_game()? else {
        return Ok(None);
    };
    let has_own_result = has_result && (!line.ending.is_played() || line.forfeit.is_some());
    let player = |&player: &u8| lines.header.players[usize::from(player)].clone();
    let plies = line.plies.into_iter().map(|ply| PlayedPly {
        face: has_chance::<G>().then_some(ply.outcome),
        mv: ply.mv,
    });
    Ok(Some(GameToJudge {
        name: format!("{name}: line {number}"),
        players: line.players.iter().map(player).collect(),
        start: lines.rules.parse_position(&line.start)?.0,
        plies: plies.collect(),
        payoffs: has_own_result.then_some(line.payoffs),
    }))
}
