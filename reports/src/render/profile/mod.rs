//! Profiles: on the terminal, as a table, as a trace, and as a page.

mod csv;
mod page;
mod roofline;
mod shares;
mod text;
mod trace;

pub use self::csv::profile_csv;
pub use self::page::profile_html;
pub use self::roofline::roofline_svg;
pub use self::shares::shares_svg;
pub use self::text::profile_text;
pub use self::trace::profile_trace;

use run_record::profile::{BackendProfile, Profile, ProfiledStep};
use run_record::text::{counted, nanoseconds, percent};

/// A time: `12.3 µs`.
fn time(ns: f64) -> String {
    nanoseconds(ns.max(0.0).round() as u64)
}

/// A part of the time of a run: `12.3 %`.
fn share(ns: f64, run_ns: f64) -> String {
    if run_ns > 0.0 {
        format!("{:.1} %", 100.0 * ns / run_ns)
    } else {
        String::new()
    }
}

/// The part of the peak, as `62 %`; empty if it is not known.
fn of_peak(part: Option<f64>) -> String {
    part.map(|part| format!("{:.0} %", 100.0 * part))
        .unwrap_or_default()
}

/// A count of calls in one run: `1`, or `0.50` where a step runs in a part of the runs.
fn calls(calls: f64) -> String {
    if calls.fract() == 0.0 {
        run_record::text::thousands(calls as u64)
    } else {
        format!("{calls:.2}")
    }
}

/// A rate in units of 10⁹ in a second: `123`, `1.25`; empty without a time.
fn giga(amount: f64, ns: f64) -> String {
    match ns > 0.0 {
        true if amount / ns >= 100.0 => format!("{:.0}", amount / ns),
        true => format!("{:.3}", amount / ns)
            .chars()
            .take(4)
            .collect::<String>()
            .trim_end_matches('.')
            .to_owned(),
        false => String::new(),
    }
}

/// The nodes of a step by name, those of a body with the node around it.
fn nodes(profile: &Profile, step: &ProfiledStep) -> Vec<String> {
    let named = |&at: &usize| profile.nodes.get(at).map(|node| node.name.clone());
    step.nodes.iter().filter_map(named).collect()
}

/// The nodes of a step in one cell, else the backend's own name.
fn title(profile: &Profile, step: &ProfiledStep) -> String {
    match nodes(profile, step) {
        nodes if nodes.is_empty() => step.name.clone(),
        nodes => nodes.join(" + "),
    }
}

/// What a backend's profile is, in one line: the time of a run, and how much of it the steps explain.
fn summary(profile: &Profile, backend: &BackendProfile) -> String {
    let threads = counted(profile.threads, "thread");
    let explained = percent(
        backend.steps_ns().min(backend.run_ns()).round() as u64,
        backend.run_ns().round() as u64,
    );
    let omitted = match backend.omitted {
        0 => String::new(),
        omitted => format!("; the worker left out {omitted} short steps"),
    };
    let known = if backend.inputs_at_load {
        "; no latency: the backend knew the inputs when it loaded the model, and may have computed nodes then"
    } else {
        ""
    };
    format!(
        "{threads}: {} in a profiled run (median of {}), {explained} of it in {}{omitted}{known}",
        time(backend.run_ns()),
        backend.runs_ns.len(),
        counted(backend.steps.len(), "step")
    )
}

/// What the machine can do, in one line.
fn peak(profile: &Profile) -> Option<String> {
    let peak = profile.peak.as_ref()?;
    let rates = peak
        .bytes
        .iter()
        .map(|(size, rate)| format!("{:.0} GB/s out of {}", rate / 1e9, bytes(*size)));
    Some(format!(
        "peak of this machine: {:.0} GFLOP/s; {}",
        peak.operations / 1e9,
        rates.collect::<Vec<_>>().join(", ")
    ))
}

/// `256 KiB`, `64 MiB`.
fn bytes(size: u64) -> String {
    match size {
        size if size < 1 << 20 => format!("{} KiB", size >> 10),
        size => format!("{} MiB", size >> 20),
    }
}
