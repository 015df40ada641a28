//! The linear maps of Winograd's filtering along one axis, for the points 0, ±1, (±2,) ∞.
//!
//! Lines have the length of the larger tile; the smaller tile uses the first 4 values.

use super::WinogradTile;
use crate::simd::Simd;

/// The maximum length of a line.
pub(super) const LINE: usize = 6;

const WEIGHTS_TWO: [[f64; 3]; 4] = [
    [1.0, 0.0, 0.0],
    [0.5, 0.5, 0.5],
    [0.5, -0.5, 0.5],
    [0.0, 0.0, 1.0],
];

const WEIGHTS_FOUR: [[f64; 3]; 6] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// Returns the map from the three taps of a line to the `N` weights of its products.
pub(super) fn weight_matrix<const N: usize>(tile: WinogradTile) -> [[f64; 3]; N] {
    std::array::from_fn(|i| match tile {
        WinogradTile::Two => WEIGHTS_TWO[i],
        WinogradTile::Four => WEIGHTS_FOUR[i],
    })
}

/// Transforms a line of the image.
#[inline(always)]
pub(super) fn image_line<S: Simd>(s: S, tile: WinogradTile, d: [S::V; LINE]) -> [S::V; LINE] {
    let zero = s.zero();
    match tile {
        WinogradTile::Two => [
            s.sub(d[0], d[2]),
            s.add(d[1], d[2]),
            s.sub(d[2], d[1]),
            s.sub(d[1], d[3]),
            zero,
            zero,
        ],
        WinogradTile::Four => {
            let (two, four) = (s.splat(2.0), s.splat(4.0));
            let minus_four = s.splat(-4.0);
            let minus_five = s.splat(-5.0);
            let even = s.fma(d[2], minus_four, d[4]);
            let odd = s.fma(d[1], minus_four, d[3]);
            let difference = s.sub(d[4], d[2]);
            let twice = s.mul(s.sub(d[3], d[1]), two);
            [
                s.fma(d[0], four, s.fma(d[2], minus_five, d[4])),
                s.add(even, odd),
                s.sub(even, odd),
                s.add(difference, twice),
                s.sub(difference, twice),
                s.fma(d[1], four, s.fma(d[3], minus_five, d[5])),
            ]
        }
    }
}

/// Transforms a line of sums to results; the first two or four are used.
#[inline(always)]
pub(super) fn result_line<S: Simd>(s: S, tile: WinogradTile, m: [S::V; LINE]) -> [S::V; 4] {
    let (plus, minus) = (s.add(m[1], m[2]), s.sub(m[1], m[2]));
    match tile {
        WinogradTile::Two => [s.add(m[0], plus), s.sub(minus, m[3]), s.zero(), s.zero()],
        WinogradTile::Four => {
            let (plus_two, minus_two) = (s.add(m[3], m[4]), s.sub(m[3], m[4]));
            [
                s.add(m[0], s.add(plus, plus_two)),
                s.fma(minus_two, s.splat(2.0), minus),
                s.fma(plus_two, s.splat(4.0), plus),
                s.add(s.fma(minus_two, s.splat(8.0), minus), m[5]),
            ]
        }
    }
}
