//! `profile.csv`: a row for each step.

use super::nodes;
use crate::render::RenderError;
use crate::render::table::{Field, Table};
use run_record::profile::{BackendProfile, Profile, ProfiledStep};

/// A step of a backend.
struct Row<'a> {
    profile: &'a Profile,
    backend: &'a BackendProfile,
    step: &'a ProfiledStep,
}

/// The steps of all backends. `own_ns` and `calls` are those of one run, `share` the part of the
/// run, `nodes` are separated by spaces.
pub fn profile_csv(profile: &Profile) -> Result<String, RenderError> {
    let rows = profile.backends.iter().flat_map(|backend| {
        let steps = backend.steps.iter();
        steps.map(move |step| Row {
            profile,
            backend,
            step,
        })
    });
    Table::of(&fields(), rows).csv()
}

fn fields<'a>() -> Vec<Field<Row<'a>>> {
    vec![
        ("model", |row| row.profile.model.as_str().into()),
        ("backend", |row| row.backend.name.as_str().into()),
        ("threads", |row| row.profile.threads.into()),
        ("step", |row| row.step.name.as_str().into()),
        ("step_operator", |row| row.step.operator.as_str().into()),
        ("operator", |row| {
            row.profile.operator(row.step).to_string().into()
        }),
        ("nodes", |row| nodes(row.profile, row.step).join(" ").into()),
        ("calls", |row| row.step.calls.into()),
        ("own_ns", |row| row.step.own_ns.into()),
        ("share", |row| share(row).into()),
        ("operations", |row| {
            row.step.cost.map(|cost| cost.operations).into()
        }),
        ("bytes", |row| row.step.cost.map(|cost| cost.bytes).into()),
        ("least_ns", |row| least_ns(row).into()),
        ("of_peak", |row| row.profile.of_peak(row.step).into()),
    ]
}

fn share(row: &Row<'_>) -> Option<f64> {
    let run = row.backend.run_ns();
    (run > 0.0).then(|| row.step.own_ns / run)
}

fn least_ns(row: &Row<'_>) -> Option<f64> {
    let (peak, cost) = row.profile.peak.as_ref().zip(row.step.cost)?;
    Some(peak.least_ns(cost))
}
