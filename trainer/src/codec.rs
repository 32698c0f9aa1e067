//! The one place that knows bincode.
//!
//! bincode is named by the project although it is no longer maintained; 2.0.1 is its last working release. To
//! replace it (by postcard, say), change these two functions and raise [`crate::shard::VERSION`].
//! Decoding is limited, so that a damaged length cannot ask for all memory.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Most bytes that decoding one value may claim: far above any game, far below any machine.
const LIMIT: usize = 1 << 20;

fn configuration() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_variable_int_encoding().with_limit::<LIMIT>()
}

/// Appends the encoding of a value.
///
/// # Errors
/// If the value has no encoding.
pub fn encode<T: Serialize>(value: &T, bytes: &mut Vec<u8>) -> Result<(), String> {
    bincode::serde::encode_into_std_write(value, bytes, configuration()).map(|_| ()).map_err(|error| error.to_string())
}

/// Decodes one value from the front of `bytes`; returns it with the number of bytes it took.
///
/// # Errors
/// If the bytes are not the encoding of such a value.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), String> {
    bincode::serde::decode_from_slice(bytes, configuration()).map_err(|error| error.to_string())
}
