//! Functions of one variable on the tape, with their derivatives, which are also recorded on the tape.

use super::tape::{Tape, Var};
use crate::shared::activation;

/// A function of one variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    Exp,
    Log,
    Sqrt,
    Reciprocal,
    Sigmoid,
    Softplus,
    Erf,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
}

impl Function {
    /// The value at `x`.
    pub(super) fn at(self, x: f64) -> f64 {
        let f: fn(f64) -> f64 = match self {
            Function::Exp => libm::exp,
            Function::Log => libm::log,
            Function::Sqrt => libm::sqrt,
            Function::Reciprocal => f64::recip,
            Function::Sigmoid => activation::sigmoid,
            Function::Softplus => activation::softplus,
            Function::Erf => libm::erf,
            Function::Sin => libm::sin,
            Function::Cos => libm::cos,
            Function::Tan => libm::tan,
            Function::Asin => libm::asin,
            Function::Acos => libm::acos,
            Function::Atan => libm::atan,
            Function::Sinh => libm::sinh,
            Function::Cosh => libm::cosh,
            Function::Tanh => libm::tanh,
            Function::Asinh => libm::asinh,
            Function::Acosh => libm::acosh,
            Function::Atanh => libm::atanh,
        };
        f(x)
    }
}

impl Tape<'_> {
    /// The derivative of `function` at `x`, where its value is `y`.
    pub(super) fn slope(&mut self, function: Function, x: Var, y: Var) -> Var {
        match function {
            Function::Exp => y,
            Function::Log => self.apply(Function::Reciprocal, x),
            Function::Sqrt => {
                let reciprocal = self.apply(Function::Reciprocal, y);
                self.scale(reciprocal, 0.5)
            }
            Function::Reciprocal => {
                let square = self.mul(y, y);
                self.scale(square, -1.0)
            }
            Function::Sigmoid => {
                let negated = self.scale(y, -1.0);
                let rest = self.plus(negated, 1.0);
                self.mul(y, rest)
            }
            Function::Softplus => self.apply(Function::Sigmoid, x),
            Function::Erf => {
                let square = self.mul(x, x);
                let negated = self.scale(square, -1.0);
                let bell = self.apply(Function::Exp, negated);
                self.scale(bell, std::f64::consts::FRAC_2_SQRT_PI)
            }
            Function::Sin => self.apply(Function::Cos, x),
            Function::Cos => {
                let sine = self.apply(Function::Sin, x);
                self.scale(sine, -1.0)
            }
            Function::Tan => self.square_plus(y, 1.0, 1.0),
            Function::Tanh => self.square_plus(y, -1.0, 1.0),
            Function::Sinh => self.apply(Function::Cosh, x),
            Function::Cosh => self.apply(Function::Sinh, x),
            Function::Asin => self.inverse_slope(x, -1.0, 1.0, true),
            Function::Acos => {
                let slope = self.inverse_slope(x, -1.0, 1.0, true);
                self.scale(slope, -1.0)
            }
            Function::Atan => self.inverse_slope(x, 1.0, 1.0, false),
            Function::Asinh => self.inverse_slope(x, 1.0, 1.0, true),
            Function::Acosh => self.inverse_slope(x, 1.0, -1.0, true),
            Function::Atanh => self.inverse_slope(x, -1.0, 1.0, false),
        }
    }

    /// `factor` · x² + `term`.
    fn square_plus(&mut self, x: Var, factor: f64, term: f64) -> Var {
        let square = self.mul(x, x);
        let scaled = self.scale(square, factor);
        self.plus(scaled, term)
    }

    /// 1 / (`factor` · x² + `term`), or 1 / its square root: the derivatives of the inverse functions.
    fn inverse_slope(&mut self, x: Var, factor: f64, term: f64, root: bool) -> Var {
        let inner = self.square_plus(x, factor, term);
        let divisor = if root {
            self.apply(Function::Sqrt, inner)
        } else {
            inner
        };
        self.apply(Function::Reciprocal, divisor)
    }
}
