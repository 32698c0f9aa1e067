//! Fuzz targets for notations, and for settings files.

use crate::game_texts::with_every_game;
use crate::players::is_cheap;
use engine::learned::inputs::Learnable;
use engine::play::player_notation::Notation;
use trainer::config::TrainConfig;
use trainer::selfplay::{SelfPlay, SelfPlayConfig};

pub(crate) fn notation(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(notation) = Notation::parse(&text) {
        let printed = notation.to_string();
        let again = Notation::parse(&printed).expect(&printed);
        assert!(is_same_notation(&notation, &again), "{text} became {printed}");
    }
}

fn is_same_notation(a: &Notation, b: &Notation) -> bool {
    let mut pairs = a.arguments.iter().zip(&b.arguments);
    (&a.name, a.arguments.len()) == (&b.name, b.arguments.len())
        && pairs.all(|(a, b)| a.key == b.key && is_same_notation(&a.value, &b.value))
}

pub(crate) fn settings(bytes: &[u8]) {
    fn train<G: Learnable>(game: &G, config: &TrainConfig) {
        if let Ok(resolved) = config.resolve(game) {
            let text = resolved.to_toml();
            let again = TrainConfig::from_toml(&text).expect(&text);
            assert_eq!(again.to_toml(), text);
        }
    }
    fn selfplay<G: Learnable>(_: &G, config: &SelfPlayConfig) {
        let _ = SelfPlay::<G>::new(config.clone());
    }
    let text = String::from_utf8_lossy(bytes);
    if let Ok(config) = TrainConfig::from_toml(&text) {
        with_every_game!(train, &config);
    }
    if let Ok(config) = toml::from_str::<SelfPlayConfig>(&text) {
        let cheap = config.players.iter().all(|player| is_cheap(&player.player));
        // Labels and options may build endgame tables first.
        if cheap && config.labels.is_empty() && config.options.is_default() {
            with_every_game!(selfplay, &config);
        }
    }
}
