//! Model files that the command contains: all but `ntuple-1` and `strong-2`, of three megabytes
//! each.

macro_rules! files {
    ($($name:ident = $file:literal)*) => {
        $(#[doc = $file] pub static $name: &[u8] = include_bytes!($file);)*

        /// Path in the repository and content of every file.
        pub static FILES: &[(&str, &[u8])] = &[$((concat!("models/", $file), $name)),*];
    };
}

files! {
    BACKGAMMON_3 = "backgammon-3.safetensors"
    FAST_1 = "fast-1.safetensors"
    HAVANNAH_3 = "havannah-3.safetensors"
    HAVANNAH_4 = "havannah-4.safetensors"
    INTEGER_1 = "integer-1.safetensors"
    QUICK_NETWORK = "quick-network.safetensors"
    QUICK_NTUPLE = "quick-ntuple.safetensors"
    REVERSI_2 = "reversi-2.safetensors"
    REVERSIXT_2 = "reversixt-2.safetensors"
    STRONG_1 = "strong-1.safetensors"
}
