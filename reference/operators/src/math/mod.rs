//! Mathematics (`onnx/defs/math`): elementwise functions, products, transforms.

pub(crate) use matrices::multiply;

// The rest of this file is written by `cargo xtask generate index`.

mod abs;
mod acos;
mod acosh;
mod add;
mod asin;
mod asinh;
mod atan;
mod atanh;
mod blackman_window;
mod ceil;
mod celu;
mod class_loss;
mod clip;
mod cos;
mod cosh;
mod cum_prod;
mod cum_sum;
mod cumulate;
mod det;
mod dft;
mod div;
mod einsum;
mod einsum_product;
mod elu;
mod erf;
mod exp;
mod floor;
mod fourier;
mod gelu;
mod gemm;
mod hamming_window;
mod hann_window;
mod hard_sigmoid;
mod hard_swish;
mod hardmax;
mod leaky_relu;
mod log;
mod log_softmax;
mod log_sum_exp;
mod mat_mul;
mod mat_mul_integer;
mod matrices;
mod max;
mod mean;
mod mel_weight_matrix;
mod min;
mod mish;
mod modulo;
mod mul;
mod neg;
mod negative_log_likelihood_loss;
mod pow;
mod prelu;
mod q_linear_mat_mul;
mod reciprocal;
mod relu;
mod round;
mod selu;
mod shrink;
mod sigmoid;
mod sign;
mod sin;
mod sinh;
mod softmax;
mod softmax_cross_entropy_loss;
mod softplus;
mod softsign;
mod sqrt;
mod stft;
mod sub;
mod sum;
mod swi_glu;
mod swish;
mod tan;
mod tanh;
mod thresholded_relu;
mod top_k;
mod window;

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
    &blackman_window::OP,
    &ceil::OP,
    &celu::OP,
    &clip::OP,
    &cos::OP,
    &cosh::OP,
    &cum_prod::OP,
    &cum_sum::OP,
    &det::OP,
    &dft::OP,
    &div::OP,
    &einsum::OP,
    &elu::OP,
    &erf::OP,
    &exp::OP,
    &floor::OP,
    &gelu::OP,
    &gemm::OP,
    &hamming_window::OP,
    &hann_window::OP,
    &hard_sigmoid::OP,
    &hard_swish::OP,
    &hardmax::OP,
    &leaky_relu::OP,
    &log::OP,
    &log_softmax::OP,
    &mat_mul::OP,
    &mat_mul_integer::OP,
    &max::OP,
    &mean::OP,
    &mel_weight_matrix::OP,
    &min::OP,
    &mish::OP,
    &modulo::OP,
    &mul::OP,
    &neg::OP,
    &negative_log_likelihood_loss::OP,
    &pow::OP,
    &prelu::OP,
    &q_linear_mat_mul::OP,
    &reciprocal::OP,
    &relu::OP,
    &round::OP,
    &selu::OP,
    &shrink::OP,
    &sigmoid::OP,
    &sign::OP,
    &sin::OP,
    &sinh::OP,
    &softmax::OP,
    &softmax_cross_entropy_loss::OP,
    &softplus::OP,
    &softsign::OP,
    &sqrt::OP,
    &stft::OP,
    &sub::OP,
    &sum::OP,
    &swi_glu::OP,
    &swish::OP,
    &tan::OP,
    &tanh::OP,
    &thresholded_relu::OP,
    &top_k::OP,
];
