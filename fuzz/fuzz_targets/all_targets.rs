//! All fuzz targets; the environment variable `FUZZ` names the one that runs, on seeds in
//! `seeds/NAME`.
//!
//! Targets may refuse bytes but never panic; what they accept satisfies the project's invariants.

#![no_main]

mod checksum_repair;
mod files;
mod game_texts;
mod notations_and_settings;
mod players;
mod protocols;
mod requests;
#[cfg(target_os = "linux")]
mod untrusted_input;

use std::sync::LazyLock;

type Target = fn(&[u8]);

const TARGETS: &[(&str, Target)] = &[
    ("positions", game_texts::positions),
    ("moves", game_texts::moves),
    ("transcripts", game_texts::transcripts),
    ("maps", game_texts::maps),
    ("answers", game_texts::answers),
    ("protocols", protocols::protocols),
    ("requests", requests::requests),
    ("notation", notations_and_settings::notation),
    ("settings", notations_and_settings::settings),
    ("recipes", players::recipes),
    ("shards", files::shards),
    ("lines", files::lines),
    ("parquet", files::parquet),
    ("models", files::models),
    ("tables", files::tables),
    ("states", files::states),
    #[cfg(target_os = "linux")]
    ("trust", untrusted_input::trust),
];

/// The target that `FUZZ` names; without a name, prints all names and exits.
static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name_of_target = std::env::var("FUZZ").unwrap_or_default();
    let found = TARGETS.iter().find(|(name, _)| *name == name_of_target);
    found.map(|found| found.1).unwrap_or_else(|| {
        TARGETS.iter().for_each(|(name, _)| println!("{name}"));
        std::process::exit(i32::from(!name_of_target.is_empty()))
    })
});

libfuzzer_sys::fuzz_target!(
    init: LazyLock::force(&TARGET),
    |bytes: &[u8]| TARGET(bytes)
);
