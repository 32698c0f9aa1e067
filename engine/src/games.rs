//! All games, and the only list of them, [`crate::for_games!`].

pub mod example_game;
pub use {
    alea_backgammon as backgammon, alea_einstein as einstein, alea_havannah as havannah,
    alea_reversi as reversi, alea_reversixt as reversixt,
};

/// Expands `for_games!(callback! arguments)` to `callback!([Name = Type, …] arguments)` with name
/// and type of every game. A new game is added here.
#[macro_export]
macro_rules! for_games {
    ($($callback:ident)::+ ! $($arguments:tt)*) => {
        $crate::add_test_game! { [
            EinStein = $crate::games::einstein::Standard,
            Havannah = $crate::games::havannah::Havannah,
            Reversi = $crate::games::reversi::Reversi,
            ReversiXt = $crate::games::reversixt::ReversiXt,
            Backgammon = $crate::games::backgammon::Backgammon,
        ] $($callback)::+ ! $($arguments)* }
    };
}

/// Appends the example game to the list, in builds that shall show it.
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
