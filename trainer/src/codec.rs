//! Numbers of shards as bytes, in as few as they need; `docs/formats.md` says how.
//!
//! Invariant: a damaged length claims no memory that its bytes do not take.

/// A first byte that two bytes of a length follow; lengths below are a byte.
const TWO_BYTES: u8 = 251;
/// A first byte that four follow.
const FOUR_BYTES: u8 = 252;

/// Appends how many games there are, and the length of each in bytes.
///
/// # Errors
/// In words, if there are more than 32 bits count.
pub fn put_index(lengths: &[u32], bytes: &mut Vec<u8>) -> Result<(), String> {
    let games = u32::try_from(lengths.len()).map_err(|_| "these are too many games")?;
    for length in std::iter::once(games).chain(lengths.iter().copied()) {
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(length @ ..TWO_BYTES), _) => bytes.push(length),
            (_, Ok(length)) => {
                bytes.push(TWO_BYTES);
                bytes.extend(length.to_le_bytes());
            }
            _ => {
                bytes.push(FOUR_BYTES);
                bytes.extend(length.to_le_bytes());
            }
        }
    }
    Ok(())
}

/// The length of each game, from all bytes of an index; `None` if they are none.
#[must_use]
pub fn take_index(mut bytes: &[u8]) -> Option<Vec<u32>> {
    let games = take_length(&mut bytes)? as usize;
    let lengths = (0..games.min(bytes.len() + 1)).map(|_| take_length(&mut bytes));
    let lengths: Vec<u32> = lengths.collect::<Option<_>>()?;
    bytes.is_empty().then_some(lengths)
}

fn take_length(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, rest) = bytes.split_first()?;
    let size = match first {
        ..TWO_BYTES => 0,
        TWO_BYTES => 2,
        FOUR_BYTES => 4,
        _ => return None,
    };
    let (number, rest) = rest.split_at_checked(size)?;
    *bytes = rest;
    let mut length = [0; 4];
    length[..size].copy_from_slice(number);
    Some(if size == 0 {
        first.into()
    } else {
        u32::from_le_bytes(length)
    })
}

/// Appends a whole number: seven bits a byte, the lowest first, and the highest bit of a byte says
/// that another follows (LEB128).
#[inline]
pub(crate) fn put_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front; `None` if there is none, or not in its shortest form.
#[inline]
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
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
    fn lengths_take_the_bytes_that_the_format_names() {
        for (lengths, form) in [
            (&[][..], &[0][..]),
            (&[250, 251], &[2, 250, 251, 251, 0]),
            (&[0xFFFF, 0x1_0000], &[2, 251, 255, 255, 252, 0, 0, 1, 0]),
            (&[u32::MAX], &[1, 252, 255, 255, 255, 255]),
        ] {
            let mut bytes = Vec::new();
            put_index(lengths, &mut bytes).unwrap();
            assert_eq!(bytes, form);
            assert_eq!(take_index(&bytes).as_deref(), Some(lengths));
        }
        let many = [&[252][..], &u32::MAX.to_le_bytes(), &[1, 2]].concat();
        for none in [
            &[][..],
            &[1],
            &[1, 251, 0],
            &[1, 252, 0, 0, 0],
            &[1, 253, 0, 0, 0, 0, 0, 0, 0, 0],
            &[1, 2, 3],
            &many,
        ] {
            assert_eq!(take_index(none), None, "{none:?}");
        }
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
            put_number(number, &mut bytes);
            assert_eq!(bytes, form);
            assert_eq!(take_number(&mut &bytes[..]), Some(number));
        }
        for none in [
            &[][..],
            &[128],
            &[128, 0],
            &[255; 11],
            &[255, 255, 255, 255, 255, 255, 255, 255, 255, 2],
        ] {
            assert_eq!(take_number(&mut &none[..]), None, "{none:?}");
        }
    }
}
