//! Vector operations that several instruction sets share.

/// Index of the byte with each lane's bit in a set of lanes, as 64 bytes: byte l is l / 8.
pub(super) static BYTE_OF_LANE: [u64; 8] = {
    let mut bytes = [0; 8];
    let mut byte = 0;
    while byte < 8 {
        bytes[byte] = byte as u64 * 0x0101_0101_0101_0101;
        byte += 1;
    }
    bytes
};

macro_rules! compiled_for {
    ($features:literal $($function:item)*) => {
        $(#[inline] #[target_feature(enable = $features)] $function)*
    };
}

macro_rules! memory_operations {
    ($features:literal) => {
        compiled_for! {
            $features

            pub(super) fn load<T: Copy, const COUNT: usize>(row: &[T; COUNT]) -> Vector {
                const { assert!(size_of::<T>() * COUNT == size_of::<Vector>()) };
                // SAFETY: as many bytes are readable; unaligned load.
                unsafe { row.as_ptr().cast::<Vector>().read_unaligned() }
            }

            pub(super) fn store<T: Copy, const COUNT: usize>(vector: Vector, row: &mut [T; COUNT]) {
                const { assert!(size_of::<T>() * COUNT == size_of::<Vector>()) };
                // SAFETY: as many bytes are writable, any bits are integers; unaligned store.
                unsafe { row.as_mut_ptr().cast::<Vector>().write_unaligned(vector) }
            }
        }
    };
}

/// Operations on several vectors, whose independent instructions alternate.
macro_rules! operations_by_part {
    ($features:literal, [$part:ty; $count:tt];
        $($(<const $number:ident>)? $name:ident($($argument:ident),*) = $value:expr;)*) => {
        pub(super) type Vector = [$part; $count];
        pub(super) type Mask = Vector;

        memory_operations!($features);

        compiled_for! {
            $features

            pub(super) fn or3(a: Vector, b: Vector, c: Vector) -> Vector {
                or(a, or(b, c))
            }

            pub(super) fn rotate_left<const LEFT: i32, const RIGHT: i32>(a: Vector) -> Vector {
                or(shl64::<LEFT>(a), shr64::<RIGHT>(a))
            }

            pub(super) fn masked(mask: Mask, a: Vector) -> Vector {
                and(mask, a)
            }

            pub(super) fn merge(a: Vector, mask: Mask, inside: Vector) -> Vector {
                or(a, and(mask, inside))
            }

            pub(super) fn increment(a: Vector, mask: Mask) -> Vector {
                sub8(a, mask)
            }

            pub(super) fn either(a: Mask, b: Mask) -> Mask {
                or(a, b)
            }

            pub(super) fn both(a: Mask, b: Mask) -> Mask {
                and(a, b)
            }

            pub(super) fn without(mask: Mask, out: Mask) -> Mask {
                andnot(out, mask)
            }

            pub(super) fn mask_of(lanes: u64) -> Mask {
                let bits = load(&[0x8040_2010_0804_0201u64; 8]);
                let bytes = shuffle(load(&[lanes; 8]), load(&BYTE_OF_LANE));
                equal(and(bytes, bits), bits)
            }
        }

        /// Distributes consecutive bytes, in order, to the lanes of a set.
        pub(super) struct Expansion {
            mask: Mask,
            indices: Vector,
            starts: [usize; LANES / 16],
        }

        impl Expansion {
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn new(lanes: u64) -> Self {
                let mask = mask_of(lanes);
                let mut counts = increment(splat(0), mask);
                counts = add8(counts, shl64::<8>(counts));
                counts = add8(counts, shl64::<16>(counts));
                counts = add8(counts, shl64::<32>(counts));
                static EIGHTH_OF_LATER: [u8; 16] = table!(|lane| if lane < 8 { 0x80 } else { 7 });
                counts = add8(counts, shuffle(counts, table(&EIGHTH_OF_LATER)));
                let below = |lane: u32| (lanes & ((1 << lane) - 1)).count_ones() as usize;
                Self {
                    mask,
                    indices: sub8(counts, splat(1)),
                    starts: [0, below(16), below(32), below(48)],
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn expand(&self, bytes: &[u8; LANES], others: Vector) -> Vector {
                let sixteens = load_sixteens(bytes, self.starts);
                blend(self.mask, shuffle(sixteens, self.indices), others)
            }
        }

        $(
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn $name$(<const $number: i32>)?($($argument: Vector),*) -> Vector {
                let part = |part: usize| {
                    $(let $argument = $argument[part];)*
                    $value
                };
                operations_by_part!(@parts $count part)
            }
        )*
    };
    (@parts 2 $part:ident) => { [$part(0), $part(1)] };
    (@parts 4 $part:ident) => { [$part(0), $part(1), $part(2), $part(3)] };
}
