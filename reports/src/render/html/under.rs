//! The conditions of the run: its phases, the machine, the backends' options.

use run_record::Report;
use run_record::text::{gibibytes, percent, seconds};

pub(super) struct Under<'a> {
    pub phases: Vec<Phase<'a>>,
    /// Labels and known values.
    pub environment: Vec<(&'static str, String)>,
    pub backends: Vec<Backend<'a>>,
}

pub(super) struct Phase<'a> {
    pub name: &'a str,
    pub wall: String,
    pub share: String,
    pub width: String,
}

pub(super) struct Backend<'a> {
    pub name: &'a str,
    pub facts: Vec<(&'static str, String)>,
}

pub(super) fn under(report: &Report) -> Under<'_> {
    let named: f64 = report.phases.iter().map(|(_, wall)| wall).sum();
    let total = named.max(report.wall_s);
    // In a bench, this is the time in which backends ran.
    let rest = if report.judged() { "all else" } else { "timed runs" };
    let rest = (!report.phases.is_empty() && total - named > total / 100.0).then_some((rest, total - named));
    let phases = report.phases.iter().map(|(name, wall)| (name.as_str(), *wall));
    let phases = phases.chain(rest).map(|(name, wall)| Phase {
        name,
        wall: seconds(wall),
        share: percent((wall * 1e3) as u64, (total * 1e3) as u64),
        width: format!("{:.2}", if total > 0.0 { wall / total * 100.0 } else { 0.0 }),
    });
    Under {
        phases: phases.collect(),
        environment: environment(report),
        backends: backends(report),
    }
}

fn environment(report: &Report) -> Vec<(&'static str, String)> {
    let environment = &report.started.environment;
    let counted = |count: u64, text: String| if count > 0 { text } else { String::new() };
    let locale: Vec<String> = environment
        .locale
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut facts = vec![
        (
            "System",
            format!("{} {}", environment.os, environment.kernel)
                .trim()
                .to_owned(),
        ),
        ("Processor", environment.cpu.clone()),
        (
            "Hardware threads",
            counted(environment.cores.into(), environment.cores.to_string()),
        ),
        (
            "Memory",
            counted(environment.memory_bytes, gibibytes(environment.memory_bytes)),
        ),
        ("Harness", environment.harness.clone()),
        ("Locale", locale.join(" ")),
        ("Command", report.started.command.join(" ")),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn backends(report: &Report) -> Vec<Backend<'_>> {
    let facts = |info: &run_record::BackendInfo| {
        let options: Vec<String> = info
            .options
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut facts = vec![
            ("Adapter", info.kind.clone()),
            ("Version", info.version.clone()),
            ("Build", info.build.clone()),
            ("Providers", info.providers.join(", ")),
            ("Options", options.join(" ")),
        ];
        facts.retain(|(_, value)| !value.is_empty());
        facts
    };
    report
        .backends
        .iter()
        .map(|backend| Backend {
            name: &backend.info.name,
            facts: facts(&backend.info),
        })
        .collect()
}
