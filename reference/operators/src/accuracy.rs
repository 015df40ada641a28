//! Measures the error of elementwise functions against an evaluation with 320-bit floats.
//!
//! The test evaluates every 97th bit pattern of float16 and bfloat16, and as many samples of float and
//! double, and compares the errors with the bounds below. With `ACCURACY_STRIDE=1` in the environment it
//! evaluates all patterns of the 16-bit formats and 100 times as many samples of the wide ones;
//! `--nocapture` prints the measured errors. The table in `shared::elementwise` comes from such a run.

use onnx_exact::{BITS, BigFloat, Consts, FUNCTIONS, Function, number};
use onnx_model::Attribute;
use onnx_tensor::{Float, Tensor, Value, bf16, f16};

use crate::frame::testing::{attribute, evaluate};

/// The bound of formats of at most 32 bits, in ULP: correct rounding.
const NARROW: f64 = 0.5;

/// A float format: its range and how it is sampled.
struct Format<T> {
    from_bits: fn(u64) -> T,
    least_bits: u64,
    greatest_bits: u64,
    precision: i32,
    least_exponent: i32,
    greatest_exponent: i32,
}

const F16: Format<f16> = Format {
    from_bits: |bits| f16::from_bits(bits as u16),
    least_bits: 1,
    greatest_bits: 0x7BFF,
    precision: 11,
    least_exponent: -24,
    greatest_exponent: 16,
};
const BF16: Format<bf16> = Format {
    from_bits: |bits| bf16::from_bits(bits as u16),
    least_bits: 1,
    greatest_bits: 0x7F7F,
    precision: 8,
    least_exponent: -133,
    greatest_exponent: 128,
};
const F32: Format<f32> = Format {
    from_bits: |bits| f32::from_bits(bits as u32),
    least_bits: 1,
    greatest_bits: 0x7F7F_FFFF,
    precision: 24,
    least_exponent: -149,
    greatest_exponent: 128,
};
const F64: Format<f64> = Format {
    from_bits: f64::from_bits,
    // 2^−149: below this value, the formulas that cancel are not valid.
    least_bits: 0x36A0_0000_0000_0000,
    greatest_bits: 0x7FEF_FFFF_FFFF_FFFF,
    precision: 53,
    least_exponent: -1074,
    greatest_exponent: 1024,
};

#[test]
fn elementwise_functions_keep_their_bounds() {
    let stride: u64 = std::env::var("ACCURACY_STRIDE").map_or(97, |stride| stride.parse().unwrap());
    let wide = if stride == 1 { 50_000 } else { 500 };
    let mut consts = Consts::new().unwrap();
    for function in FUNCTIONS {
        let double = function.double_bound;
        let worst = [
            measure(
                function,
                &F16,
                (F16.greatest_bits - 1) / stride,
                function.domain[0],
                &mut consts,
            ),
            measure(
                function,
                &BF16,
                (BF16.greatest_bits - 1) / stride,
                function.domain[0],
                &mut consts,
            ),
            measure(function, &F32, wide, function.domain[0], &mut consts),
            measure(function, &F64, wide, function.domain[1], &mut consts),
        ];
        let name = (function.operator, function.attributes.len());
        eprintln!("{name:?} {worst:.7?}");
        assert!(
            worst[..3].iter().all(|&error| error <= NARROW),
            "{name:?}: {worst:?}"
        );
        assert!(worst[3] <= double, "{name:?}: {worst:?}");
    }
}

/// The greatest error of `function`, in ULP, over `count` patterns of each sign.
fn measure<T: Float>(
    function: &Function,
    format: &Format<T>,
    count: u64,
    limit: f64,
    consts: &mut Consts,
) -> f64 {
    let step = (format.greatest_bits - format.least_bits) / count;
    let samples: Vec<T> = (0..=count)
        .map(|index| (format.from_bits)(format.least_bits + index * step))
        .flat_map(|x| [x, x.neg()])
        .filter(|x| x.to_f64().abs() <= limit)
        .collect();
    let input = [Value::from(Tensor::vector(samples.clone()))];
    let attributes: Vec<Attribute> = function
        .attributes
        .iter()
        .map(|&(name, value)| attribute(name, value))
        .collect();
    let outputs = evaluate(("", function.operator, function.since), &input, &attributes).unwrap();
    let Some(Value::Tensor(output)) = outputs.first() else {
        panic!("{} returns no tensor", function.operator);
    };
    let computed = output.array::<T>().unwrap();
    let errors = samples.iter().zip(computed).map(|(x, y)| {
        let exact = (function.exact)(&number(x.to_f64()), consts);
        error(format, y.to_f64(), &exact)
    });
    errors.fold(0.0, f64::max)
}

/// The error of `computed` in ULP of `exact`. It is infinite if exactly one of them is NaN, or if
/// `computed` overflows and `exact` does not.
fn error<T>(format: &Format<T>, computed: f64, exact: &BigFloat) -> f64 {
    let exponent = exact.exponent().unwrap_or(i32::MAX);
    let agrees = match computed {
        _ if computed.is_nan() || exact.is_nan() => Some(computed.is_nan() && exact.is_nan()),
        _ if computed.is_infinite() => Some(exponent >= format.greatest_exponent),
        _ => None,
    };
    if let Some(agrees) = agrees {
        return if agrees { 0.0 } else { f64::INFINITY };
    }
    let difference = number(computed).sub(exact, BITS, onnx_exact::NEAREST);
    let unit = if exact.is_zero() {
        format.least_exponent
    } else {
        (exponent - format.precision).max(format.least_exponent)
    };
    match difference.as_raw_parts() {
        Some((mantissa, _, _, power, _)) if !difference.is_zero() => {
            let leading = mantissa
                .last()
                .map_or(0.0, |&word| word as f64 / 2.0_f64.powi(64));
            libm::ldexp(leading, power - unit)
        }
        Some(_) => 0.0,
        None => f64::INFINITY,
    }
}
