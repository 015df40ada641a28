//! `ambiguities`: shows the open questions of the specification, and how backends answer them.

use clap::Args;
use harness_conformance::run::Earlier;
use harness_console::outln;
use harness_corpus::readings::{Question, Readings as Ledger};
use run_record::Report;
use run_record::shown::markdown as escape;
use run_record::text::counted;

use super::generated::Generating;
use super::models::Models;
use super::running::{RunExtent, run_cases};
use super::selection::Cases;
use super::workers::Named;
use super::{CliError, Exit};

/// Show the open questions of the specification: the sentences, every answer, the evidence for the
/// default, and which answer each backend follows. Writes Markdown.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask ambiguities > docs/ambiguities.md\n  \
    cargo xtask ambiguities resize-extent --backend ort --backend tract\n  \
    cargo xtask ambiguities --list\n  \
    cargo xtask conformance --backend reference:reading=resize-extent=real --filter resize\n\n\
    The backends run the own cases that distinguish the answers; `conformance` reports the same for all other cases.\n\n\
    Exit codes: 0 done; 2 usage: an unknown question; 5 interrupted; 6 a backend is missing.")]
pub struct Ambiguities {
    /// Only these questions. Default: all.
    #[arg(value_name = "QUESTION")]
    questions: Vec<String>,
    #[command(flatten)]
    backends: Named,
    /// List the questions with their answers, the default first, and run nothing.
    #[arg(long)]
    list: bool,
}

impl Ambiguities {
    /// Whether backends are asked.
    pub(super) fn asks(&self) -> bool {
        !self.list
    }

    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let ledger = Ledger::embedded()?;
        let questions = chosen(&ledger, &self.questions)?;
        if self.list {
            for question in questions {
                let others: Vec<&str> = question.others().collect();
                let (name, default) = (&question.name, &question.default);
                outln(format_args!("{name}={default} or {}", others.join(", ")))?;
            }
            return Ok(Exit::Passed);
        }
        let report = self.run(&questions)?;
        outln(format_args!("{}", page(&questions, &report).trim_end()))?;
        Ok(match (report.complete, report.missing.is_empty()) {
            (_, false) => Exit::BackendMissing,
            (false, true) => Exit::Incomplete,
            (true, true) => Exit::Passed,
        })
    }

    /// Runs the own cases that distinguish the answers.
    fn run(&self, questions: &[&Question]) -> Result<Report, CliError> {
        let own = |pattern: &&String| pattern.starts_with("own/");
        let patterns = questions
            .iter()
            .flat_map(|question| question.cases.iter().filter(own));
        let cases = Cases {
            release: None,
            cases: None,
            own: true,
            corpus: None,
            variants: None,
            filters: patterns.cloned().collect(),
        };
        if cases.filters.is_empty() {
            return Ok(Report {
                complete: true,
                ..Report::default()
            });
        }
        let folder = tempfile::tempdir().map_err(CliError::Folder)?;
        run_cases(
            &cases,
            &Generating::none(),
            &self.backends.judged(),
            &Models::NONE,
            (folder.path(), Earlier::REPLACED),
            RunExtent::default(),
        )
    }
}

fn chosen<'l>(ledger: &'l Ledger, names: &[String]) -> Result<Vec<&'l Question>, CliError> {
    let all = ledger.questions();
    if names.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        let found = all.iter().find(|question| question.name == *name);
        found.ok_or_else(|| {
            CliError::Usage(format!(
                "`{name}` is not an open question; `ambiguities --list` lists them"
            ))
        })
    };
    names.iter().map(find).collect()
}

fn page(questions: &[&Question], report: &Report) -> String {
    let mut text = String::from(
        "# Ambiguities: open questions of the specification\n\n\
         The specification of ONNX leaves these questions open, or answers them in two ways. The reference gives the default answer; the \
         option `reading` selects another one (`reference:reading=QUESTION=ANSWER`, several joined by `+`). The entries are in \
         `onnx-tests/readings.toml`; the command `ambiguities` writes this page, with the answers of backends to the own cases \
         that distinguish the answers.\n",
    );
    for question in questions {
        text.push_str(&section(question, report));
    }
    text
}

fn section(question: &Question, report: &Report) -> String {
    let mut text = format!("\n## {}\n\n{}\n\n", question.name, question.asks);
    text.push_str(&format!("Operators: {}.\n\n", question.operators.join(", ")));
    for sentence in &question.text {
        text.push_str(&format!("> {sentence}\n>\n"));
    }
    text.push_str("\n| answer | result | who gives it | backends of this run |\n|:--|:--|:--|:--|\n");
    let names = std::iter::once(question.default.as_str()).chain(question.others());
    for name in names {
        let Some(answer) = question.answers.get(name) else {
            continue;
        };
        let (says, who) = (&answer.says, &answer.who);
        let backends = followers(question, Some(name), report);
        let shown = if name == question.default {
            format!("**{name}**")
        } else {
            name.to_owned()
        };
        text.push_str(&format!("| {shown} | {says} | {who} | {backends} |\n"));
    }
    let neither = followers(question, None, report);
    if neither != "–" {
        text.push_str(&format!("| none of them | | | {neither} |\n"));
    }
    let (by, why) = (question.by.label(), &question.why);
    text.push_str(&format!(
        "\nThe default is **{}**, by {by}: {why}.\n",
        question.default,
        why = why.trim_end_matches('.')
    ));
    text
}

/// The backends that follow an answer, with the number of cases.
fn followers(question: &Question, answer: Option<&str>, report: &Report) -> String {
    let count = |backend: &str| {
        let of = report
            .readings
            .iter()
            .filter(|one| one.question == question.name && one.backend == backend);
        of.filter(|one| one.answer.as_deref() == answer).count()
    };
    let counts = report
        .backends
        .iter()
        .map(|backend| (&backend.info, count(&backend.info.name)));
    let texts = counts.filter(|(_, count)| *count > 0).map(|(info, count)| {
        let name = escape(&format!("{} {}", info.name, info.version));
        format!("{name} ({})", counted(count, "case"))
    });
    match texts.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "–".to_owned(),
        texts => texts,
    }
}
