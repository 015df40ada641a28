//! The error of elementary functions in units in the last place (ULP), and its bound.

use native_kernels::elementwise::{Unary, unary};
use native_kernels::{Activation, Pool};

/// A function, its value in f64, and its error bound.
pub struct Function {
    pub name: &'static str,
    pub op: Unary,
    pub exact: fn(f64) -> f64,
    /// The bound on any instruction set.
    pub bound: f64,
    /// The arguments for which it holds.
    pub domain: fn(f32) -> bool,
}

fn function(name: &'static str, op: Unary, exact: fn(f64) -> f64, bound: f64) -> Function {
    Function {
        name,
        op,
        exact,
        bound,
        domain: |_| true,
    }
}

fn sigmoid(x: f64) -> f64 {
    if x < 0.0 {
        x.exp() / (1.0 + x.exp())
    } else {
        1.0 / (1.0 + (-x).exp())
    }
}

fn mish(x: f64) -> f64 {
    x * (x.max(0.0) + (-x.abs()).exp().ln_1p()).tanh()
}

/// The functions and their bounds, which the documentation of the crate states too.
pub fn functions() -> Vec<Function> {
    use Activation as A;
    vec![
        function("exp", Unary::Exp, f64::exp, 1.02),
        function("log", Unary::Log, f64::ln, 1.0),
        function("erf", Unary::Erf, libm::erf, 1.5),
        function("sin", Unary::Sin, f64::sin, 0.501),
        function("cos", Unary::Cos, f64::cos, 0.501),
        function("asin", Unary::Asin, f64::asin, 0.501),
        function("acos", Unary::Acos, f64::acos, 0.501),
        function("atan", Unary::Atan, f64::atan, 0.501),
        function("tanh", Unary::Activation(A::Tanh), libm::tanh, 2.5),
        function("sigmoid", Unary::Activation(A::Sigmoid), sigmoid, 2.5),
        function(
            "gelu",
            Unary::Activation(A::Gelu),
            |x| 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
            7.0,
        ),
        // The error of the decomposed operators.
        function(
            "gelu where nothing cancels",
            Unary::Activation(A::Gelu),
            |x| 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
            2.25,
        )
        .of(|x| x >= -0.5),
        function(
            "elu",
            Unary::Activation(A::Elu { alpha: 1.0 }),
            |x| if x < 0.0 { x.exp_m1() } else { x },
            1.0,
        ),
        function(
            "softplus",
            Unary::Activation(A::Softplus),
            |x| x.max(0.0) + (-x.abs()).exp().ln_1p(),
            2.0,
        ),
        function(
            "selu",
            Unary::Activation(A::Selu {
                alpha: 1.5,
                gamma: 1.25,
            }),
            |x| 1.25 * if x < 0.0 { 1.5 * x.exp_m1() } else { x },
            2.5,
        ),
        function(
            "celu",
            Unary::Activation(A::Celu { alpha: 1.5 }),
            |x| if x < 0.0 { 1.5 * (x / 1.5).exp_m1() } else { x },
            2.5,
        ),
        function("mish", Unary::Activation(A::Mish), mish, 4.0).of(|x| x >= -80.0),
        // Its exponential is subnormal.
        function("mish", Unary::Activation(A::Mish), mish, 64.0),
        function(
            "swish",
            Unary::Activation(A::Swish { alpha: 1.0 }),
            |x| x * sigmoid(x),
            64.0,
        ),
    ]
}

impl Function {
    /// Restricts the function to some arguments.
    fn of(self, domain: fn(f32) -> bool) -> Function {
        Function { domain, ..self }
    }

    /// Returns the largest error of each pool's kernels over these arguments, and its argument. `y` is
    /// working memory.
    pub fn worst(&self, pools: &[Pool], x: &[f32], y: &mut [f32]) -> Vec<(f64, f32)> {
        let exact: Vec<f64> = x.iter().map(|x| (self.exact)(f64::from(*x))).collect();
        let of = |pool: &Pool, y: &mut [f32]| {
            unary(pool, self.op, x, y).unwrap();
            let errors = x
                .iter()
                .zip(&*y)
                .zip(&exact)
                .filter(|((x, _), _)| (self.domain)(**x))
                .map(|((x, y), exact)| (error(*y, *exact), *x));
            errors.fold(
                (0.0, 0.0),
                |worst, error| if error.0 > worst.0 { error } else { worst },
            )
        };
        pools.iter().map(|pool| of(pool, y)).collect()
    }
}

/// Returns the difference of `got` and `exact`, in units in the last place of an f32 of that size; 0.5 for a
/// correctly rounded result, without computing it. NaN must match NaN.
fn error(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if got == rounded || (got.is_nan() && rounded.is_nan()) {
        return 0.5;
    }
    if got.is_nan() || rounded.is_nan() || got.is_infinite() {
        return f64::INFINITY;
    }
    let largest = f64::from(f32::MAX);
    (f64::from(got) - exact.clamp(-largest, largest)).abs() / unit(exact)
}

/// Returns the distance of adjacent f32 at `exact`.
fn unit(exact: f64) -> f64 {
    let exponent = ((exact.abs().to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    f64::from_bits(((exponent - 23 + 1023) as u64) << 52)
}
