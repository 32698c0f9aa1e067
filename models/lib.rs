//! Model files that the command contains, compressed: all but `ntuple-1` and `strong-2`, of three
//! megabytes each.

use miniz_oxide::inflate::decompress_to_vec_zlib;
use std::sync::OnceLock;

/// A model file, decompressed when it is first asked for.
#[derive(Debug)]
pub struct ModelFile {
    compressed: &'static [u8],
    content: OnceLock<Vec<u8>>,
}

impl ModelFile {
    /// The bytes of the file.
    ///
    /// # Panics
    /// Never: the build compressed them.
    pub fn content(&self) -> &[u8] {
        self.content.get_or_init(|| {
            decompress_to_vec_zlib(self.compressed).expect("compressed by the build")
        })
    }
}

macro_rules! files {
    ($($name:ident = $file:literal)*) => {
        $(
            #[doc = $file]
            pub static $name: ModelFile = ModelFile {
                compressed: include_bytes!(concat!(env!("OUT_DIR"), "/", $file)),
                content: OnceLock::new(),
            };
        )*

        /// Path in the repository and content of every file.
        pub static FILES: &[(&str, fn() -> &'static [u8])] =
            &[$((concat!("models/", $file), || $name.content())),*];
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
