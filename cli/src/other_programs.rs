//! External programs as players; systems other than Unix only have an error message.

use engine::play::playable::Playable;
use std::path::Path;

#[cfg(unix)]
pub(crate) fn provide<G: Playable>() {
    arena::external::provide_external::<G>();
}

#[cfg(not(unix))]
pub(crate) fn provide<G: Playable>() {
    engine::play::player_plugins::register::<G>("external", |_, _| {
        Err((
            1,
            "other programs are players on Linux and macOS only".to_owned(),
        ))
    });
}

pub(crate) fn log_to(folder: Option<&Path>) {
    #[cfg(unix)]
    if let Some(folder) = folder {
        arena::external::log::set_log_directory(folder.to_owned());
    }
    #[cfg(not(unix))]
    let _ = folder;
}
