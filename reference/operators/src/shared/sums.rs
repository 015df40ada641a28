//! Sums and means of f32, each rounded once; an estimate decides most of them.

use onnx_arithmetic::sums::Term;

/// The sum in the order of the terms.
pub fn sum(term: Term, x: &[f32]) -> f32 {
    let decided = term.estimate(x).rounded();
    decided.unwrap_or_else(|| term.sum(x) as f32)
}

/// The sum in the order of the elements, divided by their number.
pub fn mean(x: &[f32]) -> f32 {
    let count = x.len() as f64;
    let decided = Term::Itself.estimate(x).over(count).rounded();
    decided.unwrap_or_else(|| (Term::Itself.sum(x) / count) as f32)
}
