//! Mathematics (`onnx/defs/math`): elementwise functions, products, transforms.

// The rest of this file is written by `cargo xtask generate index`.

mod abs;
mod acos;
mod acosh;
mod add;
mod asin;
mod asinh;
mod atan;
mod atanh;
mod ceil;
mod celu;
mod cos;
mod cosh;
mod div;
mod elu;
mod erf;
mod exp;
mod floor;
mod gelu;
mod hard_sigmoid;
mod hard_swish;
mod leaky_relu;
mod log;
mod max;
mod mean;
mod min;
mod mish;
mod mul;
mod neg;
mod reciprocal;
mod relu;
mod round;
mod selu;
mod sigmoid;
mod sign;
mod sin;
mod sinh;
mod softplus;
mod softsign;
mod sqrt;
mod sub;
mod sum;
mod swish;
mod tan;
mod tanh;
mod thresholded_relu;

use crate::frame::OpDef;

#[rustfmt::skip]
pub(crate) const OPERATORS: &[&OpDef] = &[
    &abs::OP,
    &acos::OP,
    &acosh::OP,
    &add::OP,
    &asin::OP,
    &asinh::OP,
    &atan::OP,
    &atanh::OP,
    &ceil::OP,
    &celu::OP,
    &cos::OP,
    &cosh::OP,
    &div::OP,
    &elu::OP,
    &erf::OP,
    &exp::OP,
    &floor::OP,
    &gelu::OP,
    &hard_sigmoid::OP,
    &hard_swish::OP,
    &leaky_relu::OP,
    &log::OP,
    &max::OP,
    &mean::OP,
    &min::OP,
    &mish::OP,
    &mul::OP,
    &neg::OP,
    &reciprocal::OP,
    &relu::OP,
    &round::OP,
    &selu::OP,
    &sigmoid::OP,
    &sign::OP,
    &sin::OP,
    &sinh::OP,
    &softplus::OP,
    &softsign::OP,
    &sqrt::OP,
    &sub::OP,
    &sum::OP,
    &swish::OP,
    &tan::OP,
    &tanh::OP,
    &thresholded_relu::OP,
];
