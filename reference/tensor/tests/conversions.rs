//! Compares the conversions of narrow types with ml_dtypes at every value, midpoint, neighbour and special
//! value.
//!
//! `data/make_tables.py` generates the tables and documents their columns.

use onnx_tensor::minifloat::{self, Format, Overflow};
use onnx_tensor::{F8E8M0, I2, I4, RoundMode, U2, U4};

/// Parses the hexadecimal fields of each line.
fn rows(table: &str) -> impl Iterator<Item = Vec<u32>> {
    let number = |field| u32::from_str_radix(field, 16).expect("a hexadecimal field");
    table
        .lines()
        .map(move |line| line.split(' ').map(number).collect())
}

fn check(format: Format, probes: &str, values: &str) {
    for row in rows(probes) {
        let [bits, special, saturated] = row[..] else {
            panic!("expected three fields, got {row:?}")
        };
        let value = f64::from(f32::from_bits(bits));
        let ours = [Overflow::Special, Overflow::Saturate].map(|overflow| format.encode(value, overflow));
        assert_eq!(
            ours.map(u32::from),
            [special, saturated],
            "{format:?} of {value:e} ({bits:#010x})"
        );
    }
    for (pattern, row) in rows(values).enumerate() {
        let (ours, theirs) = (format.decode(pattern as u16), f64::from(f32::from_bits(row[0])));
        let same = ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
        assert!(
            same,
            "{format:?} pattern {pattern:#04x}: expected {theirs}, got {ours}"
        );
    }
}

macro_rules! formats {
    ($($name:ident: $format:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            check(
                minifloat::$format,
                include_str!(concat!("data/", stringify!($name), ".txt")),
                include_str!(concat!("data/", stringify!($name), "_values.txt")),
            );
        }
    )*};
}
formats! {
    float8e4m3fn: E4M3FN,
    float8e4m3fnuz: E4M3FNUZ,
    float8e5m2: E5M2,
    float8e5m2fnuz: E5M2FNUZ,
    float4e2m1: E2M1,
    float6e2m3: E2M3,
    float6e3m2: E3M2,
}

/// Where a float32 is subnormal (below 2^−126), ml_dtypes 0.6.0 does not round to nearest. The smallest
/// float32 above 2^−127 becomes 2^−126, and every value below 2^−127 becomes 2^−127, which is NaN in the
/// table of `Cast` version 24.
#[test]
fn float8e8m0() {
    for row in rows(include_str!("data/float8e8m0.txt")) {
        let value = f32::from_bits(row[0]);
        if !value.is_subnormal() {
            let ours = F8E8M0::from_f64(f64::from(value), RoundMode::Nearest, Overflow::Special);
            assert_eq!(u32::from(ours.0), row[1], "{value:e} ({:#010x})", row[0]);
        }
    }
    for (pattern, row) in rows(include_str!("data/float8e8m0_values.txt")).enumerate() {
        let (ours, theirs) = (F8E8M0(pattern as u8).to_f64(), f64::from(f32::from_bits(row[0])));
        assert!(
            ours == theirs || ours.is_nan() && theirs.is_nan(),
            "pattern {pattern:#04x}: {ours}"
        );
    }
}

/// The special values in the table of `Cast` version 24, and each mode between two powers.
#[test]
fn float8e8m0_by_the_specification() {
    use Overflow::{Saturate, Special};
    use RoundMode::{Down, Nearest, Up};
    let least = 2_f64.powi(-127);
    let greatest = 2_f64.powi(127);
    let cases = [
        (0.0, Up, Saturate, 0x00),
        (0.0, Nearest, Special, 0xFF),
        (f64::NAN, Up, Saturate, 0xFF),
        (f64::INFINITY, Up, Saturate, 0xFE),
        (f64::INFINITY, Nearest, Special, 0xFF),
        (greatest * 1.5, Up, Saturate, 0xFE),
        (greatest * 1.5, Nearest, Special, 0xFF),
        (greatest * 1.5, Down, Special, 0xFE),
        (least / 2.0, Up, Saturate, 0x00),
        (least / 2.0, Nearest, Special, 0xFF),
        (least * 1.25, Nearest, Special, 0x00),
        (least * 1.5, Nearest, Special, 0x01),
        (1.0, Up, Saturate, 127),
        (1.0_f64.next_up(), Up, Saturate, 128),
        (1.0_f64.next_up(), Nearest, Saturate, 127),
        (1.5_f64.next_down(), Nearest, Saturate, 127),
        (1.5, Nearest, Saturate, 128),
        (2.0_f64.next_down(), Down, Saturate, 127),
    ];
    for (value, mode, overflow, expected) in cases {
        assert_eq!(
            F8E8M0::from_f64(value, mode, overflow).0,
            expected,
            "{value:e} {mode:?} {overflow:?}"
        );
    }
}

#[test]
fn small_integers_keep_the_low_bits() {
    for line in include_str!("data/small_integers.txt").lines() {
        let fields: Vec<i64> = line
            .split(' ')
            .map(|field| field.parse().expect("an integer"))
            .collect();
        let value = fields[0];
        let ours = [
            i64::from(I4::wrap(value).get()),
            i64::from(U4::wrap(value).get()),
            i64::from(I2::wrap(value).get()),
            i64::from(U2::wrap(value).get()),
        ];
        assert_eq!(ours, fields[1..], "{value}");
    }
}

/// Compares f16 and bf16 with `half` at each midpoint of neighbours and on both sides of it. Its bf16 is
/// rounded from f32; a midpoint of bf16 is a float32.
#[test]
fn sixteen_bits_agree_with_half() {
    let probes = |format: Format| {
        (0..format.max_finite()).flat_map(move |bits| {
            let (low, high) = (format.decode(bits), format.decode(bits + 1));
            let middle = ((low + high) / 2.0) as f32;
            [middle.next_down(), middle, middle.next_up()]
                .into_iter()
                .flat_map(|value| [value, -value])
        })
    };
    for value in probes(minifloat::F16) {
        let ours = minifloat::F16.encode(f64::from(value), Overflow::Special);
        assert_eq!(ours, half::f16::from_f32(value).to_bits(), "f16 of {value:e}");
    }
    for value in probes(minifloat::BF16) {
        let ours = minifloat::BF16.encode(f64::from(value), Overflow::Special);
        assert_eq!(ours, half::bf16::from_f32(value).to_bits(), "bf16 of {value:e}");
    }
}
