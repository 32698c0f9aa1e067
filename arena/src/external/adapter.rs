//! Adapter of a game to a protocol and the options of one program.

use super::{coordinates, dialect_options::Dialect, protocol::Protocol, reply::Reply};
use alea_core::game::Seat;
use alea_play::{
    playable::Playable,
    player::Failure::{self, PlayerFault},
};

pub(super) struct Request {
    pub(super) line: String,
    pub(super) reply: Reply,
}

/// Placeholder and its value; a line with a placeholder whose value is `None` is left out.
pub(super) type Substitution = (&'static str, Option<String>);

pub(super) struct ProtocolAdapter<G: Playable> {
    pub(super) game: G,
    pub(super) protocol: &'static Protocol,
    pub(super) dialect: Dialect,
    substitutions: Vec<Substitution>,
    size: Option<u32>,
    chance: bool,
}

impl<G: Playable> ProtocolAdapter<G> {
    pub(super) fn new(dialect: Dialect, game: G) -> Result<Self, String> {
        let (rules, protocol) = (game.notation(), dialect.protocol);
        let (fits, size) = match protocol.name {
            "lines" => (true, None),
            "tcga" => (G::INFO.name == "einstein", Some(5)),
            "nboard" => (
                ["reversi", "reversi(score=discs)"].contains(&rules.as_str()),
                None,
            ),
            _ => (game.seats() == 2, None),
        };
        if !fits {
            return Err(format!("{}, not for {rules}", protocol.games));
        }
        let size = size.or_else(|| first_number(&game.parameters()));
        let size = size.or_else(|| first_number(G::INFO.parameters));
        let seconds = dialect.think_seconds().to_string();
        let time_for = |way: &str| (dialect.time == way).then(|| seconds.clone());
        let seconds_per_game = (dialect.think * 20).as_secs().max(1).to_string();
        let substitutions = vec![
            ("size", size.map(|size| size.to_string())),
            ("ms", Some(dialect.think.as_millis().to_string())),
            ("version", Some(dialect.version.to_string())),
            ("rules", Some(game.external_rules_name())),
            ("settings", time_for("settings")),
            (
                "whole_game",
                time_for("settings").and(Some(seconds_per_game)),
            ),
            ("left", time_for("left")),
            ("genmove", time_for("genmove").or(Some(String::new()))),
            ("seconds", Some(seconds)),
        ];
        let outcomes = game.outcome_numbers();
        Ok(Self {
            chance: outcomes.start() < outcomes.end(),
            game,
            protocol,
            dialect,
            substitutions,
            size,
        })
    }

    pub(super) fn tracks_board(&self) -> bool {
        self.protocol.tracks_board
    }

    pub(super) fn accepts_positions(&self) -> bool {
        !self.tracks_board() || self.chance
    }

    pub(super) fn requests(&self, text: &str, substitutions: &[Substitution]) -> Vec<Request> {
        let dialect = &self.dialect;
        let time = Some(&*dialect.time).filter(|time| time.contains(' '));
        let text = text
            .replace("{init}", &dialect.init)
            .replace("{game}", &dialect.game)
            .replace("{time}", time.unwrap_or_default());
        let request = |line: &str| {
            let mut line = line.to_owned();
            for (name, value) in substitutions.iter().chain(&self.substitutions) {
                let name = format!("{{{name}}}");
                if line.contains(&name) {
                    line = line.replace(&name, value.as_deref()?);
                }
            }
            let line = line.trim_start();
            let mut replies = self.protocol.replies.iter();
            let reply = replies.find(|(begin, _)| line.starts_with(begin));
            let reply = reply.map_or(Reply::Nothing, |(_, reply)| *reply);
            let line = line.trim_end().to_owned();
            (!line.is_empty()).then_some(Request { line, reply })
        };
        text.split(';').filter_map(request).collect()
    }

    pub(super) fn position_placeholders(
        &self,
        position: &G::Position,
        outcome: u8,
        first: Seat,
    ) -> Vec<Substitution> {
        let (game, dialect) = (&self.game, &self.dialect);
        let shown_outcome = game.outcome_numbers().contains(&outcome).then_some(outcome);
        let texts = [None, shown_outcome].map(|outcome| game.format_position(position, outcome));
        let seat = match game.to_move(position) {
            seat if dialect.first_begins => usize::from(seat != first),
            seat => seat,
        };
        let colour = match &dialect.colours {
            Some(words) => words[seat].clone(),
            None => game.seat_title(seat).to_lowercase(),
        };
        vec![
            ("colour", Some(colour)),
            ("die", self.chance.then(|| game.outcome_name(outcome))),
            ("start", self.chance.then(|| texts[0].clone())),
            ("written", Some((self.protocol.format_position)(&texts))),
            ("position", texts.into_iter().next()),
        ]
    }

    pub(super) fn move_placeholder(&self, ours: &str) -> Substitution {
        let theirs = coordinates::move_to_program(ours, &self.dialect, self.size);
        let is_sent = self.gets_all_moves() && (ours != "pass" || theirs != "none");
        ("move", is_sent.then_some(theirs))
    }

    pub(super) fn gets_all_moves(&self) -> bool {
        self.protocol.name != "lines" || self.dialect.version > 1
    }

    pub(super) fn translate_answer(&self, answer: &str) -> Result<String, Failure> {
        if self.protocol.name == "gtp" && answer.eq_ignore_ascii_case("resign") {
            return Err(PlayerFault("resigned".to_owned()));
        }
        Ok(coordinates::move_from_program(
            answer,
            &self.dialect,
            self.size,
        ))
    }
}

fn first_number(parameters: &str) -> Option<u32> {
    let digits = |sign: char| !sign.is_ascii_digit();
    let mut numbers = parameters.split(digits).filter(|word| !word.is_empty());
    numbers.next()?.parse().ok()
}

#[cfg(test)]
mod tests;
