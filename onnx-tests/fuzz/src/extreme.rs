//! The numbers, strings and extents of edits: small ones that are mostly valid, and the limits of each
//! range.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

const INTS: [i64; 36] = [
    0,
    -1,
    1,
    2,
    -2,
    3,
    7,
    8,
    64,
    127,
    128,
    -128,
    255,
    256,
    -129,
    32767,
    32768,
    65535,
    65536,
    1 << 20,
    (1 << 31) - 1,
    1 << 31,
    -(1 << 31),
    -(1 << 31) - 1,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    1 << 40,
    1 << 53,
    ((1 << 60) + 2) / 3,
    1 << 60,
    1 << 61,
    1 << 62,
    i64::MAX,
    i64::MIN + 1,
    i64::MIN,
];

const FLOATS: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.0,
    1e-30,
    1e-40,
    -1e-30,
    1e10,
    1e30,
    -1e30,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    f32::EPSILON,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    9.223_372e18,
];

const STRINGS: [&[u8]; 20] = [
    b"",
    b" ",
    b"\0",
    b"\xff\xfe",
    b"SAME_UPPER",
    b"SAME_LOWER",
    b"VALID",
    b"NOTSET",
    b"linear",
    b"nearest",
    b"cubic",
    b"reflect",
    b"wrap",
    b"edge",
    b"constant",
    b"none",
    b"ii,ij->",
    b"...->",
    b"(((((((((((((((((((((((a*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*$",
    "\u{202e}\u{fffe}\u{1b}[31m".as_bytes(),
];

/// Extents of hostile shapes.
const EXTENTS: [i64; 12] = [
    0,
    1,
    -1,
    65536,
    (1 << 31) - 1,
    1 << 31,
    1 << 32,
    1 << 40,
    1 << 61,
    1 << 62,
    i64::MAX,
    i64::MIN,
];

/// An integer: equally often a small one and one at the limits of the types.
pub fn int(rng: &mut ChaCha8Rng) -> i64 {
    if rng.random_bool(0.5) {
        rng.random_range(-4..=9)
    } else {
        *INTS.choose(rng).unwrap_or(&0)
    }
}

/// A float: mostly an extreme one.
pub fn float(rng: &mut ChaCha8Rng) -> f32 {
    if rng.random_bool(0.25) {
        rng.random_range(-4.0..4.0)
    } else {
        *FLOATS.choose(rng).unwrap_or(&0.0)
    }
}

/// A string: a value of some attribute, invalid UTF-8, or a long one.
pub fn string(rng: &mut ChaCha8Rng) -> Vec<u8> {
    match rng.random_range(0..16) {
        0 => vec![b'a'; rng.random_range(1..5000)],
        _ => STRINGS.choose(rng).unwrap_or(&&b""[..]).to_vec(),
    }
}

/// A shape of few elements.
pub fn small_shape(rng: &mut ChaCha8Rng) -> Vec<i64> {
    let rank = *[0, 1, 1, 2, 2, 3, 3, 4, 4, 5].choose(rng).unwrap_or(&1);
    let mut shape: Vec<i64> = (0..rank).map(|_| rng.random_range(0..=5)).collect();
    // Occasionally one large extent: for loops, and blocks of kernels.
    if rng.random_bool(0.1) && rank > 0 {
        let at = rng.random_range(0..rank);
        shape = vec![1; rank];
        shape[at] = rng.random_range(1..3000);
    }
    shape
}

/// A shape without elements in which other extents are huge.
pub fn hollow_shape(rng: &mut ChaCha8Rng) -> Vec<i64> {
    let rank = rng.random_range(2..=5);
    let huge = |rng: &mut ChaCha8Rng| {
        *[1 << 20, 1 << 31, 1 << 40, 1 << 61, 1 << 62, i64::MAX]
            .choose(rng)
            .unwrap_or(&1)
    };
    let mut shape: Vec<i64> = (0..rank)
        .map(|_| {
            if rng.random_bool(0.5) {
                huge(rng)
            } else {
                rng.random_range(0..4)
            }
        })
        .collect();
    let at = rng.random_range(0..rank);
    shape[at] = 0;
    shape
}

/// An extent at the limits.
pub fn extent(rng: &mut ChaCha8Rng) -> i64 {
    *EXTENTS.choose(rng).unwrap_or(&0)
}
