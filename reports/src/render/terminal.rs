//! The tables at the end of a run.

use super::caveats::{kinship, warnings};
use super::errata::errata_line;
use super::latencies::{Panel, latencies};
use super::models::models;
use super::news::news_text;
use super::table::{Cell, Table, Tone};
use super::tables::{self, figures, median};
use super::{RenderError, findings, throughput, variants};
use crate::View;
use run_record::shown::one_line;
use run_record::text::thousands;
use run_record::{DataFinding, Look};

/// One row for each backend, one column for each verdict; then the excluded cases, and the accuracy of
/// the answers.
pub fn terminal(report: &View, look: Look) -> String {
    let levels = report.levelled().then(|| levels(report, look));
    let variants = variants::any(report).then(|| tables::variants(report, false).terminal(look));
    let news = Some(news_text(report, false)).filter(|text| !text.is_empty());
    let parts = [
        news,
        Some(tables::verdicts(report, false).terminal(look)),
        errata_line(report),
        levels,
        variants,
        data_findings(report),
    ];
    let warnings = warnings(report)
        .into_iter()
        .map(|text| format!("warning: {}", one_line(&text)));
    let kinship = kinship(report).map(|text| format!("note: {}", one_line(&text)));
    parts
        .into_iter()
        .flatten()
        .chain(warnings)
        .chain(kinship)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The data sets with whose stored outputs the reference disagrees; `None` if there are none.
fn data_findings(report: &View) -> Option<String> {
    let (listed, more) = findings::listed(report)?;
    let mut lines = vec![format!("{}:", findings::title(report))];
    let line = |finding: &DataFinding| {
        one_line(&format!("  {}: {}", finding.case, findings::words(finding))).into_owned()
    };
    lines.extend(listed.iter().map(line));
    if more > 0 {
        lines.push(format!("  and {} more, in results.csv", thousands(more as u64)));
    }
    Some(lines.join("\n"))
}

/// The accuracy of the passes, and by which policy they are judged.
fn levels(report: &View, look: Look) -> String {
    let policy = &report.started.policy;
    let said = format!(
        "judged by policy {}, version {}",
        one_line(&policy.name),
        policy.version
    );
    format!("{}\n{said}", tables::levels(report).terminal(look))
}

/// One row for each release, with the passes of each backend; empty if there is only one.
pub fn release_table(report: &View, look: Look) -> String {
    if report.releases.len() < 2 {
        return String::new();
    }
    tables::releases(report).terminal(look)
}

/// One row for each output of a complete model: its significant digits, and the distance of each backend
/// from the reference in multiples of its noise; empty if noise was not measured.
pub fn model_table(report: &View, look: Look) -> String {
    let models = models(report);
    if models.is_empty() {
        return String::new();
    }
    let names = report.backends.iter().map(|backend| backend.info.name.as_str());
    let fixed = ["model", "output, data set", "digits#"].map(String::from);
    let columns = names.clone().map(|name| format!("{name}#"));
    let mut table = Table::new(fixed.into_iter().chain(columns));
    for model in &models {
        for output in &model.outputs {
            let first = [
                Cell::from(model.case),
                format!("{} {}", output.name, output.data_set).into(),
                Cell::own(format!("{:.1}", output.floor.digits)),
            ];
            let answers = names.clone().map(|name| {
                let answer = output.backends.iter().find(|answer| answer.backend == name);
                answer.map_or_else(Cell::default, |answer| {
                    let tone = if answer.deviation.beyond > 0 {
                        Tone::Notable
                    } else {
                        Tone::Plain
                    };
                    Cell::own(answer.words()).toned(tone)
                })
            });
            table.push(first.into_iter().chain(answers));
        }
    }
    let said = "multiples of the model's own noise; !: some elements are beyond it";
    format!("{}\n{said}", table.terminal(look))
}

/// For each kind of weights and thread count a table: a row for each model, with each backend's
/// median and its ratio to the fastest.
///
/// # Errors
/// None that depends on the contents of the report.
pub fn latency_table(report: &View, look: Look) -> Result<String, RenderError> {
    let latencies = latencies(report)?;
    let tables = latencies.panels.iter().map(|panel| {
        let Panel { title, note, .. } = panel;
        format!(
            "{title} ({note})\n{}\nto load, the first run, and the most memory\n{}",
            figures(panel, median).terminal(look),
            figures(panel, |cell| Cell::own(&cell.cost)).terminal(look)
        )
    });
    let mut parts: Vec<String> = tables.collect();
    if let Some(found) = &latencies.throughput {
        parts.push(format!(
            "{}\n{}",
            throughput::ABOUT,
            tables::rates(found).terminal(look)
        ));
    }
    if !latencies.gates.is_empty() {
        parts.push(tables::gates(&latencies.gates).terminal(look));
    }
    if !latencies.machine.is_empty() {
        parts.push(format!("machine: {}", one_line(&latencies.machine)));
    }
    Ok(parts.join("\n\n"))
}
