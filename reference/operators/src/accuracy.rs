//! Measures the error of elementwise functions against an evaluation with 320-bit floats.
//!
//! The test evaluates every 97th bit pattern of float16 and bfloat16, and as many samples of float and
//! double, and compares the errors with the bounds below. With `ACCURACY_STRIDE=1` in the environment it
//! evaluates all patterns of the 16-bit formats and 100 times as many samples of the wide ones;
//! `--nocapture` prints the measured errors. The table in `shared::elementwise` comes from such a run.

use astro_float::{BigFloat, Consts, RoundingMode};
use onnx_model::Attribute;
use onnx_tensor::{Float, Tensor, Value, bf16, f16};

use crate::frame::testing::{attribute, evaluate};

/// Precision of the exact evaluation in bits. Cancellation in the formulas below loses at most 149 bits
/// (the smallest float is 2^−149).
const BITS: usize = 320;
const NEAREST: RoundingMode = RoundingMode::ToEven;

/// A function of one operand, the largest magnitude for which the exact evaluation is valid (16 and 32
/// bits; 64 bits), and its error bounds in ULP (f16, bf16 and f32; f64).
struct Function {
    operator: &'static str,
    since: u32,
    attributes: Vec<Attribute>,
    exact: fn(&BigFloat, &mut Consts) -> BigFloat,
    domain: [f64; 2],
    bounds: [f64; 2],
}

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
    for function in functions() {
        let [narrow, double] = function.bounds;
        let worst = [
            measure(
                &function,
                &F16,
                (F16.greatest_bits - 1) / stride,
                function.domain[0],
                &mut consts,
            ),
            measure(
                &function,
                &BF16,
                (BF16.greatest_bits - 1) / stride,
                function.domain[0],
                &mut consts,
            ),
            measure(&function, &F32, wide, function.domain[0], &mut consts),
            measure(&function, &F64, wide, function.domain[1], &mut consts),
        ];
        let name = (function.operator, function.attributes.len());
        eprintln!("{name:?} {worst:.7?}");
        assert!(
            worst[..3].iter().all(|&error| error <= narrow),
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
    let outputs = evaluate(
        ("", function.operator, function.since),
        &input,
        &function.attributes,
    )
    .unwrap();
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
    let difference = number(computed).sub(exact, BITS, NEAREST);
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

fn functions() -> Vec<Function> {
    let everywhere = [f64::MAX; 2];
    let function = |operator, since, exact, domain, double| Function {
        operator,
        since,
        attributes: Vec::new(),
        exact,
        domain,
        // A result that is close to a tie, but not a tie, can round to a tie in f64.
        bounds: [0.5 + 1e-8, double],
    };
    let with = |function: Function, attributes: &[(&str, f32)]| Function {
        attributes: attributes
            .iter()
            .map(|&(name, value)| attribute(name, value))
            .collect(),
        ..function
    };
    let gated = [65504.0, 100.0];
    vec![
        function("Exp", 13, |x, c| x.exp(BITS, NEAREST, c), everywhere, 1.0),
        function("Log", 13, |x, c| x.ln(BITS, NEAREST, c), everywhere, 1.0),
        function("Sqrt", 13, |x, _| x.sqrt(BITS, NEAREST), everywhere, 0.5),
        function(
            "Reciprocal",
            13,
            |x, _| x.reciprocal(BITS, NEAREST),
            everywhere,
            0.5,
        ),
        function("Sin", 22, |x, c| x.sin(BITS, NEAREST, c), everywhere, 1.0),
        function("Cos", 22, |x, c| x.cos(BITS, NEAREST, c), everywhere, 1.0),
        function("Tan", 22, |x, c| x.tan(BITS, NEAREST, c), everywhere, 1.0),
        function("Asin", 22, |x, c| x.asin(BITS, NEAREST, c), everywhere, 1.0),
        function("Acos", 22, |x, c| x.acos(BITS, NEAREST, c), everywhere, 1.0),
        function("Atan", 22, |x, c| x.atan(BITS, NEAREST, c), everywhere, 1.0),
        function("Sinh", 22, |x, c| x.sinh(BITS, NEAREST, c), everywhere, 2.0),
        function("Cosh", 22, |x, c| x.cosh(BITS, NEAREST, c), everywhere, 2.0),
        function("Tanh", 13, |x, c| x.tanh(BITS, NEAREST, c), everywhere, 2.0),
        function("Asinh", 22, |x, c| x.asinh(BITS, NEAREST, c), everywhere, 2.0),
        function("Acosh", 22, |x, c| x.acosh(BITS, NEAREST, c), everywhere, 2.0),
        function("Atanh", 22, |x, c| x.atanh(BITS, NEAREST, c), everywhere, 2.0),
        function("Erf", 13, erf, [8.0, 8.0], 1.0),
        function("Gelu", 20, gelu, [14.0, 8.0], 8.0),
        function("Sigmoid", 13, sigmoid, gated, 2.0),
        function("Softplus", 22, softplus, gated, 2.0),
        function("Mish", 22, mish, gated, 4.0),
        function("Swish", 24, swish, gated, 3.0),
        with(
            function("Elu", 22, |x, c| elu(x, 0.75, c), everywhere, 2.0),
            &[("alpha", 0.75)],
        ),
    ]
}

/// `value` as a 320-bit float, built from its significand because the library misreads subnormal numbers.
fn number(value: f64) -> BigFloat {
    let (significand, exponent) = libm::frexp(value);
    let mut number = BigFloat::from_f64(significand, BITS);
    if let Some(own) = number.exponent().filter(|_| value != 0.0) {
        number.set_exponent(own + exponent);
    }
    number
}

fn sigmoid(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let e = x.neg().exp(BITS, NEAREST, consts);
    e.add(&number(1.0), BITS, NEAREST).reciprocal(BITS, NEAREST)
}

fn swish(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    x.mul(&sigmoid(x, consts), BITS, NEAREST)
}

fn softplus(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let e = x.exp(BITS, NEAREST, consts);
    e.add(&number(1.0), BITS, NEAREST).ln(BITS, NEAREST, consts)
}

fn mish(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let gate = softplus(x, consts).tanh(BITS, NEAREST, consts);
    x.mul(&gate, BITS, NEAREST)
}

fn elu(x: &BigFloat, alpha: f64, consts: &mut Consts) -> BigFloat {
    if x.is_positive() {
        return x.clone();
    }
    let e = x.exp(BITS, NEAREST, consts);
    e.sub(&number(1.0), BITS, NEAREST)
        .mul(&number(alpha), BITS, NEAREST)
}

fn gelu(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let z = x.div(&number(2.0).sqrt(BITS, NEAREST), BITS, NEAREST);
    let distribution = erf(&z, consts).add(&number(1.0), BITS, NEAREST);
    x.mul(&distribution, BITS, NEAREST)
        .mul(&number(0.5), BITS, NEAREST)
}

/// 2/√π e^(−x²) Σ 2ⁿ x^(2n+1) / (1 · 3 ⋯ (2n+1)), whose terms have one sign (Abramowitz and Stegun, 7.1.6).
fn erf(x: &BigFloat, consts: &mut Consts) -> BigFloat {
    let square = x.mul(x, BITS, NEAREST);
    let double = square.add(&square, BITS, NEAREST);
    let (mut term, mut sum) = (x.clone(), x.clone());
    for odd in (3..).step_by(2) {
        term = term
            .mul(&double, BITS, NEAREST)
            .div(&number(f64::from(odd)), BITS, NEAREST);
        let next = sum.add(&term, BITS, NEAREST);
        if next == sum {
            break;
        }
        sum = next;
    }
    let pi = consts.pi(BITS, NEAREST);
    let scale = number(4.0).div(&pi, BITS, NEAREST).sqrt(BITS, NEAREST);
    let decay = square.neg().exp(BITS, NEAREST, consts);
    sum.mul(&decay, BITS, NEAREST).mul(&scale, BITS, NEAREST)
}
