//! Reductions over axes.

use super::axes::{axes, axis, give_axes};
use super::shapes::{empty_or_full, full};
use crate::{Domain, Draft, Made};

/// A reduction with `keepdims`, axes by attribute or input, and `noop_with_empty_axes`. From
/// `empty_since` on the operator is defined for no elements.
///
/// # Errors
/// None for a reduction.
pub fn reduction(d: &mut Draft, domain: Domain, empty_since: u32) -> Made {
    let empty = d.since() >= empty_since;
    let shape = empty_or_full(d, 0, 5, empty);
    d.flag("keepdims", true);
    d.flag("noop_with_empty_axes", false);
    d.input(&shape, domain)?;
    let options: &[&str] = match (d.has("axes"), shape.is_empty()) {
        (_, true) => &["absent"],
        (true, false) => &["absent", "some", "all"],
        (false, false) => &["absent", "some", "all", "none"],
    };
    match d.pick("axes", options) {
        "some" => {
            let (given, _) = axes(d, shape.len(), 1, 11);
            give_axes(d, &given)
        }
        "all" => {
            let given: Vec<i64> = (0..shape.len() as i64).collect();
            give_axes(d, &given)
        }
        "none" => give_axes(d, &[]),
        _ => Ok(()),
    }
}

/// ArgMax and ArgMin: one axis.
///
/// # Errors
/// None for these.
pub fn arg_reduction(d: &mut Draft) -> Made {
    let shape = full(d, 1, 5);
    d.flag("keepdims", true);
    d.flag("select_last_index", false);
    // NaN has no order: the right index is undefined.
    d.input(&shape, Domain::from(-8.0, 8.0))?;
    if d.whether("axis given") {
        let (given, _) = axis(d, shape.len(), 11);
        d.int("axis", given);
    }
    Ok(())
}
