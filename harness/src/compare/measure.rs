//! Comparing two tensors of one type and shape, element by element.

use onnx_tensor::{Element, Int, Real, Tensor};
use reports::record::{FirstDifference, OutputStats};

use super::element::{Difference, Tolerance, official_integers};
use super::ulp::Ordinal;

/// The statistics of one output, and whether the official runner would have let it pass.
pub fn measure(
    name: &str,
    expected: &Tensor,
    observed: &Tensor,
    tolerance: Tolerance,
) -> (OutputStats, bool) {
    let mut tally = Tally {
        expected,
        tolerance,
        stats: empty(name, expected),
        official: true,
    };
    macro_rules! walk {
        ($method:ident: $($variant:ident)*) => {
            match (expected, observed) {
                $((Tensor::$variant(a), Tensor::$variant(b)) => {
                    for (index, (a, b)) in a.iter().zip(b.iter()).enumerate() {
                        tally.$method(index, a, b);
                    }
                    true
                })*
                _ => false,
            }
        };
    }
    let _ = walk!(float: Float Double Float16 Bfloat16 Float8E4M3Fn Float8E4M3Fnuz Float8E5M2 Float8E5M2Fnuz Float4E2M1 Float8E8M0
        Float6E2M3 Float6E3M2)
        || walk!(integer: Uint8 Int8 Uint16 Int16 Int32 Int64 Uint32 Uint64 Uint4 Int4 Uint2 Int2)
        || walk!(complex: Complex64 Complex128)
        || walk!(boolean: Bool)
        || walk!(string: String);
    (tally.stats, tally.official)
}

fn empty(name: &str, expected: &Tensor) -> OutputStats {
    let numeric = !matches!(expected, Tensor::String(_) | Tensor::Bool(_));
    let start = if numeric { 0.0 } else { f64::NAN };
    OutputStats {
        name: name.to_owned(),
        dtype: expected.dtype().onnx_name().to_owned(),
        shape: expected.shape().iter().map(|&extent| extent as u64).collect(),
        elements: expected.len() as u64,
        differing: 0,
        max_abs: start,
        max_rel: start,
        max_ulp: start,
        first_difference: None,
    }
}

/// What is wrong with an output, in one line.
pub fn sentence(stats: &OutputStats) -> String {
    let OutputStats {
        name,
        differing,
        elements,
        ..
    } = stats;
    let first = stats.first_difference.as_ref().map_or(String::new(), |first| {
        format!(
            "; first at {:?}: {} for {}",
            first.index, first.actual, first.expected
        )
    });
    let worst = if stats.max_abs.is_nan() {
        String::new()
    } else {
        format!(", max abs {:.3e}", stats.max_abs)
    };
    format!("`{name}`: {differing} of {elements} elements differ{worst}{first}")
}

/// Something that can stand as a float in the comparison.
trait AsFloat: Ordinal {
    fn value(self) -> f64;
}

macro_rules! as_float {
    ($($ty:ty: $to:expr),* $(,)?) => {$(
        impl AsFloat for $ty {
            fn value(self) -> f64 {
                $to(self)
            }
        }
    )*};
}
as_float! {
    f32: Real::to_f64, f64: Real::to_f64, onnx_tensor::f16: Real::to_f64, onnx_tensor::bf16: Real::to_f64,
    onnx_tensor::F8E4M3Fn: onnx_tensor::F8E4M3Fn::to_f64, onnx_tensor::F8E4M3Fnuz: onnx_tensor::F8E4M3Fnuz::to_f64,
    onnx_tensor::F8E5M2: onnx_tensor::F8E5M2::to_f64, onnx_tensor::F8E5M2Fnuz: onnx_tensor::F8E5M2Fnuz::to_f64,
    onnx_tensor::F4E2M1: onnx_tensor::F4E2M1::to_f64, onnx_tensor::F6E2M3: onnx_tensor::F6E2M3::to_f64,
    onnx_tensor::F6E3M2: onnx_tensor::F6E3M2::to_f64, onnx_tensor::F8E8M0: onnx_tensor::F8E8M0::to_f64,
}

/// A number for people: short in the precision of its type, with an exponent where it would be a row of zeros.
fn text<T: AsFloat>(value: T) -> String {
    let value = value.value();
    let narrow = size_of::<T>() <= size_of::<f32>();
    let plain = value == 0.0 || !value.is_finite() || (1e-4..1e7).contains(&value.abs());
    match (narrow, plain) {
        (true, true) => (value as f32).to_string(),
        (true, false) => format!("{:e}", value as f32),
        (false, true) => value.to_string(),
        (false, false) => format!("{value:e}"),
    }
}

/// Something that can stand as an integer in the comparison.
trait AsInteger: Copy {
    fn integer(self) -> i128;
}

macro_rules! as_integer {
    ($($ty:ty: $to:expr),* $(,)?) => {$(
        impl AsInteger for $ty {
            fn integer(self) -> i128 {
                $to(self)
            }
        }
    )*};
}
as_integer! {
    u8: Int::to_i128, i8: Int::to_i128, u16: Int::to_i128, i16: Int::to_i128, u32: Int::to_i128, i32: Int::to_i128,
    u64: Int::to_i128, i64: Int::to_i128,
    onnx_tensor::U4: |x: onnx_tensor::U4| i128::from(x.get()), onnx_tensor::I4: |x: onnx_tensor::I4| i128::from(x.get()),
    onnx_tensor::U2: |x: onnx_tensor::U2| i128::from(x.get()), onnx_tensor::I2: |x: onnx_tensor::I2| i128::from(x.get()),
}

/// The statistics as they grow.
struct Tally<'a> {
    expected: &'a Tensor,
    tolerance: Tolerance,
    stats: OutputStats,
    official: bool,
}

impl Tally<'_> {
    fn float<T: AsFloat + std::fmt::Debug>(&mut self, index: usize, expected: &T, observed: &T) {
        let (a, b) = ((*expected, expected.value()), (*observed, observed.value()));
        let difference = Difference::of_floats(a, b, self.tolerance);
        self.official &= difference.within;
        self.add(index, difference, || (text(*observed), text(*expected)));
    }

    fn integer<T: AsInteger>(&mut self, index: usize, expected: &T, observed: &T) {
        let (a, b) = (expected.integer(), observed.integer());
        self.official &= official_integers(a as f64, b as f64, self.tolerance);
        self.add(index, Difference::of_integers(a, b), || {
            (b.to_string(), a.to_string())
        });
    }

    fn complex<T: AsFloat + Element>(
        &mut self,
        index: usize,
        a: &num_complex::Complex<T>,
        b: &num_complex::Complex<T>,
    ) {
        let part = |a: &T, b: &T| Difference::of_floats((*a, a.value()), (*b, b.value()), self.tolerance);
        let modulus = a.re.value().hypot(a.im.value());
        let difference =
            Difference::of_complex([part(&a.re, &b.re), part(&a.im, &b.im)], modulus, self.tolerance);
        self.official &= difference.within;
        let text = |z: &num_complex::Complex<T>| format!("{}{:+}i", z.re.value(), z.im.value());
        self.add(index, difference, || (text(b), text(a)));
    }

    fn boolean(&mut self, index: usize, a: &bool, b: &bool) {
        self.official &= official_integers(f64::from(*a), f64::from(*b), self.tolerance);
        self.add(index, Difference::of_equality(a == b), || {
            (b.to_string(), a.to_string())
        });
    }

    fn string(&mut self, index: usize, a: &String, b: &String) {
        self.official &= a == b;
        self.add(index, Difference::of_equality(a == b), || {
            (format!("{b:?}"), format!("{a:?}"))
        });
    }

    fn add(&mut self, index: usize, difference: Difference, texts: impl FnOnce() -> (String, String)) {
        // `f64::max` passes over the NaN of what has no size.
        self.stats.max_abs = self.stats.max_abs.max(difference.absolute);
        self.stats.max_rel = self.stats.max_rel.max(difference.relative);
        self.stats.max_ulp = self.stats.max_ulp.max(difference.ulp);
        if difference.within {
            return;
        }
        self.stats.differing += 1;
        if self.stats.first_difference.is_none() {
            let (actual, expected) = texts();
            let index = position(index, self.expected.shape());
            self.stats.first_difference = Some(FirstDifference {
                index,
                actual,
                expected,
            });
        }
    }
}

/// The index of the `flat`-th element in row-major order.
fn position(mut flat: usize, shape: &[usize]) -> Vec<u64> {
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let here = flat % extent.max(1);
            flat /= extent.max(1);
            here as u64
        })
        .collect();
    index.reverse();
    index
}
