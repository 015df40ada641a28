//! The share of each operator in the time of each backend, as a picture.

use crate::render::RenderError;
use crate::render::pictures::{Bar, bars};
use run_record::profile::Profile;

/// More operators are one bar, "others".
const OPERATORS: usize = 12;

/// A group of bars for each operator, a bar for each backend, with the time of one run. `None`
/// without a profile.
pub fn shares_svg(profile: &Profile) -> Result<Option<String>, RenderError> {
    let measured: Vec<_> = profile
        .backends
        .iter()
        .filter(|backend| !backend.steps.is_empty())
        .collect();
    if measured.is_empty() {
        return Ok(None);
    }
    let times: Vec<_> = measured
        .iter()
        .map(|backend| profile.operators(backend))
        .collect();
    let mut totals = std::collections::BTreeMap::<&str, f64>::new();
    for operator in times.iter().flatten() {
        *totals.entry(&operator.operator).or_default() += operator.own_ns;
    }
    let mut order: Vec<(&str, f64)> = totals.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let of = |backend: usize, wanted: &dyn Fn(&str) -> bool| {
        let list = times[backend].iter();
        let matching = list.filter(|operator| wanted(&operator.operator));
        matching.map(|operator| operator.own_ns).sum::<f64>()
    };
    let bar = |name: String, wanted: &dyn Fn(&str) -> bool| Bar {
        name,
        values: (0..measured.len()).map(|at| of(at, wanted)).collect(),
    };
    let named: Vec<&str> = order.iter().take(OPERATORS).map(|(name, _)| *name).collect();
    let mut groups: Vec<Bar> = named
        .iter()
        .map(|name| bar((*name).to_owned(), &|operator| operator == *name))
        .collect();
    if order.len() > OPERATORS {
        let others = order.len() - OPERATORS;
        groups.push(bar(format!("{others} others"), &|operator| {
            !named.contains(&operator)
        }));
    }
    let legend: Vec<&str> = measured.iter().map(|backend| backend.name.as_str()).collect();
    let title = format!("{}: time of each operator in one run", profile.model);
    bars(
        "Time by operator and backend",
        &title,
        &legend,
        &groups,
        super::time,
    )
    .map(Some)
}
