//! Forward error bounds of operators: how far each element of a correct implementation may be from
//! the exact result.
//!
//! # Purpose
//! Floating-point results depend on the order of a sum, on fused multiplication, on blocking, on
//! the polynomial for `exp`. All of these choices are correct. This crate computes the effect of
//! such choices on each element of an output from the inputs of a case: a *radius* around the exact
//! result. Rounding explains a value within the radius, and does not explain one outside, for any
//! tolerance.
//!
//! # Error model
//! u is the unit roundoff of the output's element type ([`precision::unit`]): a backend computes in
//! that precision or a better one, rounds to nearest, and keeps intermediate values finite. Then
//! (N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed.):
//! - a sum of n products, in any order, with or without FMA, differs from the exact one by at most
//!   γₙ·Σ|a·b|, γₙ = n·u / (1 − n·u) (§3.1, §4.2): [`rules::linear`];
//! - an elementary function differs by the number of ULP in its table entry, which names the
//!   source: [`rules::pointwise`];
//! - operators that move elements do not change them: [`rules::exact`];
//! - compositions (softmax, norms, attention, cells of recurrent networks) are derived in the file
//!   of their family.
//!
//! Errors of inputs are propagated to first order, so that a graph of several nodes has a bound as
//! well: each rule maps the radii of the inputs to those of the outputs.
//!
//! # Overview of modules
//! - [`Radius`]: the error of one value: exact, within a radius for each element, or unknown with
//!   the reason.
//! - [`Sets`]: the elements whose right answers are several values, because the error of an
//!   argument crosses a jump.
//! - [`Query`]: one evaluation of a node: its call, its exact outputs, the radii of its inputs.
//! - [`bound`]: the radii of its outputs, from the operator's rule in [`rules`].
//! - `error_bounded`: arrays with running errors, for compositions; `number`: the same element by
//!   element, for derivations with loops.
//! - `rough`: magnitudes and radii as operands of another evaluation in float, whose last digits do
//!   not matter.
//! - [`Bodies`]: the interpreter, for operators with bodies: errors are propagated from iteration
//!   to iteration.
//! - [`precision`]: unit roundoff, γ, the ULP of a value.
//! - [`typical`]: the size of the error of an ordinary implementation in place of a bound, for random
//!   rounding.
//!
//! # Scope
//! This crate does not judge: the harness compares. If n·u reaches 1, intermediate results
//! overflow, or an input's error can change a decision, the rule lists the answers that the error
//! admits ([`Sets`]), or the radius is unknown or infinite, never small. The outputs of backends
//! are not used.

mod bodies;
mod error_bounded;
mod neighbourhood;
mod number;
pub mod precision;
mod query;
mod radius;
mod rough;
pub mod rules;
mod sets;

pub use bodies::Bodies;
pub use neighbourhood::largest_near;
pub use precision::Growth;
pub use query::{Query, reals};
pub use radius::Radius;
pub use sets::{Sets, Span};

/// The sizes of the errors of an output.
pub enum Size<'q> {
    /// Radii.
    Radius(Radius),
    /// Of an output of float: writes those of its elements from a position on.
    Written(rules::Written<'q>),
}

/// The size of the rounding errors that one evaluation of a node on exact inputs has in an ordinary
/// implementation, for each output: independent errors in place of the worst ones ([`Growth`]).
/// Without a rule it is a few units of roundoff of the largest element of its row.
pub fn typical<'q>(query: &'q Query<'_>, growth: Growth) -> Vec<Size<'q>> {
    let schema = query.call.schema();
    precision::with_growth(growth, || {
        if let [Some(_)] = query.outputs.as_slice()
            && let Some(written) = rules::written(query)
        {
            return vec![Size::Written(written)];
        }
        if rules::rule(schema.domain, schema.name).is_none() {
            return (0..query.outputs.len())
                .map(|index| Size::Radius(of_row(query, index)))
                .collect();
        }
        let known = |(index, radius)| match radius {
            Radius::Unknown(_) => of_row(query, index),
            known => known,
        };
        let radii = bound(query).into_iter().enumerate();
        radii.map(known).map(Size::Radius).collect()
    })
}

/// The size of the error of sums and quotients within a row of output `index`.
fn of_row(query: &Query<'_>, index: usize) -> Radius {
    const ROUNDINGS: f64 = 4.0;
    let unit = query.unit(index);
    let Some(values) = query.output(index).and_then(reals).filter(|_| unit > 0.0) else {
        return Radius::unknown("no rule");
    };
    let mut radius = values.mapv(f64::abs);
    if radius.ndim() > 0 {
        let last = ndarray::Axis(radius.ndim() - 1);
        for mut row in radius.lanes_mut(last) {
            let finite = row.iter().copied().filter(|x| x.is_finite());
            let most = finite.fold(0.0, f64::max);
            row.fill(most);
        }
    }
    Radius::within(
        radius.mapv_into(|most| ROUNDINGS * unit * most),
        "a few roundings of a row",
    )
}

/// The radii of the outputs of a node, one for each entry of `query.outputs`.
pub fn bound(query: &Query<'_>) -> Vec<Radius> {
    let schema = query.call.schema();
    let count = query.outputs.len();
    let Some(rule) = rules::rule(schema.domain, schema.name) else {
        return vec![Radius::unknown(format!("no bound is derived for {schema}")); count];
    };
    match rule(query) {
        Ok(radii) if radii.len() == count => radii,
        Ok(radii) => {
            let reason = format!(
                "the rule of {schema} returns {} radii for {count} outputs",
                radii.len()
            );
            vec![Radius::unknown(reason); count]
        }
        Err(error) => vec![Radius::unknown(format!("{schema}: {error}")); count],
    }
}
