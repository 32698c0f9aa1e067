//! The games and their only list, [`crate::for_games!`].

#[cfg(feature = "test-game")]
pub mod example_game;
pub use {
    alea_einstein as einstein, alea_havannah as havannah, alea_reversi as reversi,
    alea_reversixt as reversixt,
};

/// Calls a macro with the name and type of every game: `for_games!(callback! arguments)` becomes
/// `callback!([Name = Type, …] arguments)`. New games are added here.
#[macro_export]
macro_rules! for_games {
    ($($callback:ident)::+ ! $($arguments:tt)*) => {
        $crate::add_test_game! { [
            EinStein = $crate::games::einstein::Standard,
            Havannah = $crate::games::havannah::Havannah,
            Reversi = $crate::games::reversi::Reversi,
            ReversiXt = $crate::games::reversixt::ReversiXt,
        ] $($callback)::+ ! $($arguments)* }
    };
}

/// Adds the test game in builds for tests.
#[cfg(feature = "test-game")]
#[doc(hidden)]
#[macro_export]
macro_rules! add_test_game {
    ([$($games:tt)*] $($callback:ident)::+ ! $($arguments:tt)*) => {
        $($callback)::+! { [$($games)* Columns = $crate::games::example_game::Columns,] $($arguments)* }
    };
}

#[cfg(not(feature = "test-game"))]
#[doc(hidden)]
#[macro_export]
macro_rules! add_test_game {
    ([$($games:tt)*] $($callback:ident)::+ ! $($arguments:tt)*) => {
        $($callback)::+! { [$($games)*] $($arguments)* }
    };
}
