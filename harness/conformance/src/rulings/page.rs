//! Renders the groups of a run as Markdown: rulings, groups without a ruling, and reports for the
//! authors of backends.

use std::fmt::Write;

use run_record::shown::markdown as escape;
use run_record::text::counted;

use super::{Decided, Group, Party};

/// The maximum number of characters of a reason.
const REASON: usize = 300;

/// The page. `models` gives the folder of the model of a group's smallest case, if it was written.
pub fn page(decided: &Decided<'_>, models: impl Fn(&Group) -> Option<String>) -> String {
    let mut text = String::from("# Disagreements on generated cases\n");
    let parties = [
        (None, "Not ruled"),
        (Some(Party::Reference), "The reference is wrong"),
        (Some(Party::Backend), "The backend is wrong"),
        (Some(Party::Specification), "The specification leaves it open"),
    ];
    for (party, title) in parties {
        let groups: Vec<_> = decided
            .groups
            .iter()
            .filter(|(_, ruling)| ruling.map(|ruling| ruling.wrong) == party)
            .collect();
        if groups.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n## {title}: {}\n", groups.len());
        for (group, ruling) in groups {
            let _ = writeln!(text, "### {}\n", escape(&group.title()));
            if let Some(ruling) = ruling {
                let _ = writeln!(
                    text,
                    "{}\n\n> {}\n",
                    escape(&ruling.what),
                    escape(&ruling.sentence)
                );
            }
            if !group.causes.is_empty() {
                let _ = writeln!(text, "In common: {}.\n", escape(&group.causes.join(", ")));
            }
            if let Some((case, reason)) = group.cases.first() {
                let reason = escape(&reason.chars().take(REASON).collect::<String>());
                let _ = writeln!(text, "Smallest case: {}: {reason}", escape(case));
            }
            if let Some(folder) = models(group) {
                let _ = writeln!(text, "\nModel and inputs: {}", escape(&folder));
            }
            text.push('\n');
        }
    }
    if !decided.readings.is_empty() {
        text.push_str(
            "\n## Other readings of the specification\n\n| backend | reading | cases |\n|:--|:--|--:|\n",
        );
        for ((backend, reading), count) in &decided.readings {
            let _ = writeln!(text, "| {} | {} | {count} |", escape(backend), escape(reading));
        }
    }
    if !decided.stale.is_empty() {
        text.push_str("\n## Rulings without disagreements\n\n");
        for ruling in &decided.stale {
            let _ = writeln!(
                text,
                "- {}: {} agrees",
                escape(&ruling.title()),
                escape(&ruling.case)
            );
        }
    }
    text
}

impl Group {
    /// The title of the group: `ort RoiAlign-10, 16: value (10 cases)`.
    pub fn title(&self) -> String {
        let versions: Vec<String> = self.versions.iter().map(ToString::to_string).collect();
        format!(
            "{} {}-{}: {} ({})",
            self.backend,
            self.operator,
            versions.join(", "),
            self.symptom,
            counted(self.cases.len(), "case")
        )
    }

    /// A name for a folder.
    pub fn slug(&self) -> String {
        let text = format!("{}-{}-{}", self.backend, self.operator, self.symptom);
        text.chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "-.".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect()
    }
}
