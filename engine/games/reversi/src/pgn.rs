//! Othello games in PGN: tags such as `[Black "name"]`, numbered moves, `1. f5 d6 2. c3 …`, and the
//! final discs, `34-30`. Comments, variations and marks are skipped.

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Game {
    tags: Vec<(String, String)>,
    /// Offset of the first move, in characters.
    pub(super) begin: usize,
    pub(super) moves: Vec<(String, usize)>,
    result: Option<String>,
}

impl Game {
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        let tag = self
            .tags
            .iter()
            .find(|tag| tag.0.eq_ignore_ascii_case(name));
        tag.map(|tag| tag.1.as_str())
    }

    pub(super) fn result_discs(&self) -> Option<[u8; 2]> {
        let texts = [self.tag("Result"), self.result.as_deref()];
        texts.into_iter().flatten().find_map(|text| {
            let (black, white) = text.split_once('-')?;
            let discs = [black.trim().parse().ok()?, white.trim().parse().ok()?];
            discs.iter().any(|&discs: &u8| discs > 1).then_some(discs)
        })
    }
}

pub(super) fn is_pgn(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .and_then(parse_tags)
        .is_some()
}

pub(super) fn parse_games(text: &str) -> Vec<Game> {
    let (mut games, mut game, mut words) = (Vec::new(), Game::default(), CommentSkipper::default());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (begin, is_before) = (at, game.moves.is_empty() && game.result.is_none());
        at += line.chars().count();
        if let Some(tags) = parse_tags(line).filter(|_| !words.are_inside()) {
            if !is_before {
                games.push(std::mem::take(&mut game));
            }
            game.tags.extend(tags);
            continue;
        }
        for (word, at) in words.words_of_line(line, begin) {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            if is_number || word.starts_with('$') {
                continue;
            }
            if game.result.is_some() {
                games.push(std::mem::take(&mut game));
            }
            if game.moves.is_empty() {
                game.begin = at;
            }
            if word == "*" || word.starts_with(|sign: char| sign.is_ascii_digit()) {
                game.result = Some(word);
            } else {
                game.moves.push((word, at));
            }
        }
    }
    games.extend(Some(game).filter(|game| *game != Game::default()));
    games
}

fn parse_tags(line: &str) -> Option<Vec<(String, String)>> {
    let (mut rest, mut tags) = (line.trim(), Vec::new());
    while !rest.is_empty() {
        let (name, behind) = rest.strip_prefix('[')?.split_once('"')?;
        let is_word = |name: &str| {
            name.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if !is_word(name.trim()) {
            return None;
        }
        // Programs do not always escape quotation marks; the closing one precedes a bracket.
        let ends = behind.match_indices('"').filter_map(|(end, _)| {
            let next = behind[end + 1..]
                .trim_start()
                .strip_prefix(']')?
                .trim_start();
            (next.is_empty() || next.starts_with('[')).then_some((end, next))
        });
        let (end, next) = ends.into_iter().next()?;
        let value = behind[..end].replace("\\\"", "\"").replace("\\\\", "\\");
        tags.push((name.trim().to_owned(), value));
        rest = next;
    }
    Some(tags).filter(|tags| !tags.is_empty())
}

#[derive(Default)]
struct CommentSkipper {
    in_comment: bool,
    variations: u32,
}

impl CommentSkipper {
    fn are_inside(&self) -> bool {
        self.in_comment || self.variations > 0
    }

    fn words_of_line(&mut self, line: &str, begin: usize) -> Vec<(String, usize)> {
        let (mut words, mut is_open) = (Vec::<(String, usize)>::new(), false);
        for (sign, at) in line.chars().zip(begin..) {
            let was_open = std::mem::replace(&mut is_open, false);
            match sign {
                '}' => self.in_comment = false,
                _ if self.in_comment => {}
                '{' => self.in_comment = true,
                '(' => self.variations += 1,
                ')' => self.variations = self.variations.saturating_sub(1),
                _ if self.variations > 0 => {}
                ';' | '#' => break,
                '.' | '!' | '?' => {}
                sign if sign.is_whitespace() => {}
                sign => {
                    is_open = true;
                    match words.last_mut().filter(|_| was_open) {
                        Some((word, _)) => word.push(sign),
                        None => words.push((sign.to_string(), at)),
                    }
                }
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_read_as_archives_write_them() {
        let text = "[Event \"?\"]\n[Black \"a \"b\" [x]\"] [White \"c\\\\d\"]\n[Result \"34-30\"]\n\n\
            1. F5 d6\n3. c3 {no (good) 4. a1\n [x \"y\"] } d3! (2. c4 (3. f4) 4. e6) 2... c4 $3 ; e6\n34-30\n\
            f5 f6 1-0 f5 * [Black \"e\"]\n[Black \"e\"]\n";
        let games = parse_games(text);
        let moves = |game: &Game| game.moves.iter().map(|mv| mv.0.clone()).collect::<Vec<_>>();
        let all: Vec<_> = games.iter().map(moves).collect();
        assert_eq!(
            all[..2],
            [vec!["F5", "d6", "c3", "d3", "c4"], vec!["f5", "f6"]]
        );
        assert_eq!(
            (games[0].tag("black"), games[0].tag("White")),
            (Some("a \"b\" [x]"), Some("c\\d"))
        );
        assert_eq!(
            (games[0].result_discs(), games[1].result_discs()),
            (Some([34, 30]), None)
        );
        let first = text.find("F5").unwrap();
        assert_eq!((games[0].begin, games[0].moves[1].1), (first, first + 3));
        assert_eq!(games.last().unwrap().tag("Black"), Some("e"));
        assert!(is_pgn("\n [Black \"a\"]\n") && !is_pgn("[a]") && !is_pgn("f5"));
    }
}
