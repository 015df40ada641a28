//! A profile on the terminal.

use comfy_table::CellAlignment;

use super::{calls, giga, of_peak, peak, share, summary, time, title};
use run_record::Look;
use run_record::profile::{BackendProfile, Profile};

use crate::render::table::framed;
use run_record::shown::one_line;
use run_record::text::clip;

/// The maximum number of characters of the nodes of a step.
const NODES: usize = 60;

/// For each backend the operators and the `longest` steps.
pub fn profile_text(profile: &Profile, longest: usize, look: Look) -> String {
    let mut parts: Vec<String> = peak(profile).into_iter().collect();
    for backend in &profile.backends {
        parts.push(if backend.problem.is_empty() {
            backend_text(profile, backend, longest, look)
        } else {
            format!(
                "{}: no profile: {}",
                one_line(&backend.name),
                one_line(&backend.problem)
            )
        });
    }
    parts.join("\n")
}

fn backend_text(profile: &Profile, backend: &BackendProfile, longest: usize, look: Look) -> String {
    let run = backend.run_ns();
    let operators = profile.operators(backend);
    let rows = operators.iter().map(|operator| {
        vec![
            one_line(&operator.operator).into_owned(),
            share(operator.own_ns, run),
            time(operator.own_ns),
            calls(operator.calls),
            of_peak(operator.of_peak()),
        ]
    });
    let operators = table(
        look,
        &["operator", "share", "time", "calls", "of peak"],
        rows.collect(),
    );
    let steps = backend.longest();
    let rows = steps.iter().take(longest).map(|step| {
        let cost = step.cost.unwrap_or_default();
        let rate = |amount: f64| {
            if amount > 0.0 {
                giga(amount, step.own_ns)
            } else {
                String::new()
            }
        };
        vec![
            clip(&one_line(&title(profile, step)), NODES),
            one_line(&profile.operator(step)).into_owned(),
            share(step.own_ns, run),
            time(step.own_ns),
            rate(cost.operations),
            rate(cost.bytes),
            of_peak(profile.of_peak(step)),
        ]
    });
    let heads = [
        "longest nodes",
        "operator",
        "share",
        "time",
        "GFLOP/s",
        "GB/s",
        "of peak",
    ];
    let steps = table(look, &heads, rows.collect());
    format!(
        "{} {}, {}\n{operators}\n{steps}",
        one_line(&backend.name),
        one_line(&backend.version),
        summary(profile, backend)
    )
}

fn table(look: Look, heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = framed(look);
    table.set_header(heads);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}
