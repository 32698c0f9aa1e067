//! Model files that the command contains. `ntuple-1` and `strong-2` (three megabytes each) are in
//! the repository alone.

macro_rules! files {
    ($($(#[$doc:meta])* $name:ident = $file:literal)*) => {
        $($(#[$doc])* pub static $name: &[u8] = include_bytes!($file);)*

        /// Paths in the repository and contents.
        pub static FILES: &[(&str, &[u8])] = &[$((concat!("models/", $file), $name)),*];
    };
}

files! {
    /// EinStein: an integer network for one ply.
    FAST_1 = "fast-1.safetensors"
    /// Havannah: a network for boards of base 4 to 6.
    HAVANNAH_3 = "havannah-3.safetensors"
    /// Havannah: a network for larger boards.
    HAVANNAH_4 = "havannah-4.safetensors"
    /// EinStein: an integer network.
    INTEGER_1 = "integer-1.safetensors"
    /// EinStein: the network of the quick pipeline.
    QUICK_NETWORK = "quick-network.safetensors"
    /// EinStein: the n-tuple network of the quick pipeline.
    QUICK_NTUPLE = "quick-ntuple.safetensors"
    /// Reversi on 8×8 squares.
    REVERSI_1 = "reversi-1.safetensors"
    /// ReversiXT on maps.
    REVERSIXT_2 = "reversixt-2.safetensors"
    /// EinStein: the strongest network.
    STRONG_1 = "strong-1.safetensors"
}
