//! Binary encoding of integers (LEB128) and small values (bincode), as in
//! `docs/reference/formats.md`. To replace bincode 2.0.1, which is unmaintained, change `encode`
//! and `decode` and raise the versions in `shard/layout.rs`.

use serde::{Serialize, de::DeserializeOwned};

const MAX_DECODED_BYTES: usize = 1 << 21;

fn configuration() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_variable_int_encoding()
        .with_limit::<MAX_DECODED_BYTES>()
}

/// Appends the bincode encoding of a value.
pub fn encode<T: Serialize>(value: &T, bytes: &mut Vec<u8>) -> Result<(), String> {
    bincode::serde::encode_into_std_write(value, bytes, configuration())
        .map(|_| ())
        .map_err(|error| error.to_string())
}

/// Decodes a bincode value from the front; returns the value and the number of bytes read.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), String> {
    bincode::serde::decode_from_slice(bytes, configuration()).map_err(|error| error.to_string())
}

#[inline]
pub(crate) fn put_leb128(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Removes a LEB128 integer from the front; `None` if cut off, too large or not in shortest form.
#[inline]
pub(crate) fn take_leb128(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7F);
        number |= bits << shift;
        if byte < 0x80 {
            let shortest = byte > 0 || shift == 0;
            return (shortest && bits << shift >> shift == bits).then_some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_the_bytes_that_the_format_names() {
        let mut bytes = vec![9];
        encode(
            &(
                250u64,
                251u64,
                0x1_0000u64,
                u64::MAX,
                7u8,
                true,
                Some(0.5f32),
                None::<f32>,
            ),
            &mut bytes,
        )
        .unwrap();
        let varints = [
            &[250][..],
            &[251, 251, 0],
            &[252, 0, 0, 1, 0],
            &[253],
            &[255; 8],
        ]
        .concat();
        assert_eq!(
            bytes,
            [&[9][..], &varints, &[7, 1, 1, 0, 0, 0, 0x3F, 0]].concat()
        );
    }

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        for (number, form) in [
            (0, &[0][..]),
            (127, &[127]),
            (128, &[128, 1]),
            (16_383, &[255, 127]),
            (16_384, &[128, 128, 1]),
            (u64::MAX, &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        ] {
            let mut bytes = Vec::new();
            put_leb128(number, &mut bytes);
            assert_eq!(bytes, form);
            assert_eq!(take_leb128(&mut &bytes[..]), Some(number));
        }
        for none in [
            &[][..],
            &[128],
            &[128, 0],
            &[255; 11],
            &[255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
        ] {
            assert_eq!(take_leb128(&mut &none[..]), None, "{none:?}");
        }
    }

    #[test]
    fn a_damaged_length_claims_no_memory() {
        let bytes = [&[253][..], &(1u64 << 60).to_le_bytes(), &[1, 2]].concat();
        assert!(decode::<Vec<u64>>(&bytes).is_err());
        assert!(decode::<String>(&bytes).is_err());
    }
}
