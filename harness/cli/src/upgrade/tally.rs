//! The results of conversions of cases, as tables.

use std::collections::BTreeMap;

use harness_console::outln;
use harness_investigate::upgrade::UpgradeResult;
use onnx_upgrade::Targets;

use super::targets::shown;
use crate::CliError;
use crate::columns::columns;
use run_record::text::counted;

/// The result of a conversion on the reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The same outputs.
    Equal,
    /// Other outputs, within the bound of rounding.
    Rounding,
    /// Other outputs, or none, with the reason.
    Wrong(String),
    /// The converter gives no model, with the reason.
    Refused(String),
}

impl Outcome {
    pub fn of(held: &UpgradeResult) -> Outcome {
        match held {
            UpgradeResult::Right(local) if local.deviation == 0.0 => Outcome::Equal,
            UpgradeResult::Right(_) => Outcome::Rounding,
            UpgradeResult::Wrong(_) | UpgradeResult::Failed(_) => Outcome::Wrong(held.reason()),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Outcome::Equal => "equal",
            Outcome::Rounding => "within rounding",
            Outcome::Wrong(_) => "wrong",
            Outcome::Refused(_) => "refused",
        }
    }

    fn reason(&self) -> &str {
        match self {
            Outcome::Equal | Outcome::Rounding => "",
            Outcome::Wrong(reason) | Outcome::Refused(reason) => reason,
        }
    }
}

/// A converted case.
pub(super) struct Conversion {
    pub case: String,
    pub targets: Targets,
    pub converter: String,
    pub outcome: Outcome,
    /// The results of backends on the original.
    pub before: Vec<UpgradeResult>,
    /// The results of backends on the converted model; empty if there is none.
    pub after: Vec<UpgradeResult>,
}

impl Conversion {
    fn targets(&self) -> String {
        let targets = self
            .targets
            .iter()
            .map(|(domain, to)| format!("{} {to}", shown(domain)));
        targets.collect::<Vec<_>>().join(", ")
    }
}

/// All conversions of a command.
pub(super) struct Tally {
    backends: Vec<String>,
    conversions: Vec<Conversion>,
    /// The number of converted cases.
    pub cases: usize,
    /// The number of cases that are not older than the target.
    pub newer: usize,
    /// The number of cases with random outputs.
    pub random: usize,
    /// Cases without an answer of the reference, with the reason.
    pub unanswered: Vec<String>,
    /// Cases that cannot be read, with the reason.
    pub unreadable: Vec<String>,
}

impl Tally {
    pub fn new(backends: Vec<String>) -> Tally {
        Tally {
            backends,
            conversions: Vec::new(),
            cases: 0,
            newer: 0,
            random: 0,
            unanswered: Vec::new(),
            unreadable: Vec::new(),
        }
    }

    pub fn add(&mut self, conversion: Conversion) {
        self.conversions.push(conversion);
    }

    /// Whether no conversion of this converter is wrong, on the reference and on backends that are right
    /// on the original.
    pub fn is_sound(&self, converter: &str) -> bool {
        let of_converter = |conversion: &&Conversion| conversion.converter == converter;
        self.conversions
            .iter()
            .filter(of_converter)
            .all(|conversion| !matches!(conversion.outcome, Outcome::Wrong(_)))
    }

    /// Prints the counts and the wrong conversions.
    pub fn tell(&self) -> Result<(), CliError> {
        outln(format_args!(
            "{} converted; omitted: {} not older than the target, {} random, {} without an answer of the reference, {} not readable",
            counted(self.cases, "case"),
            self.newer,
            self.random,
            self.unanswered.len(),
            self.unreadable.len()
        ))?;
        for line in columns("", &self.counts()) {
            outln(format_args!("{line}"))?;
        }
        for line in self.by_reason() {
            outln(format_args!("{line}"))?;
        }
        for conversion in self
            .conversions
            .iter()
            .filter(|one| matches!(one.outcome, Outcome::Wrong(_)))
        {
            outln(format_args!(
                "wrong: {} to {} by {}: {}",
                conversion.case,
                conversion.targets(),
                conversion.converter,
                conversion.outcome.reason()
            ))?;
        }
        self.tell_backends()
    }

    fn counts(&self) -> Vec<Vec<String>> {
        let names = ["equal", "within rounding", "wrong", "refused"];
        let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for conversion in &self.conversions {
            let of_converter = counts.entry(&conversion.converter).or_default();
            *of_converter.entry(conversion.outcome.name()).or_default() += 1;
        }
        let header = ["converter", "conversions"]
            .into_iter()
            .chain(names)
            .map(str::to_owned);
        let mut rows = vec![header.collect()];
        for (converter, of_converter) in counts {
            let all: usize = of_converter.values().sum();
            let cells = names
                .iter()
                .map(|name| of_converter.get(name).copied().unwrap_or(0).to_string());
            rows.push(
                [converter.to_owned(), all.to_string()]
                    .into_iter()
                    .chain(cells)
                    .collect(),
            );
        }
        rows
    }

    /// Refusals by step and reason.
    fn by_reason(&self) -> Vec<String> {
        let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for conversion in &self.conversions {
            if let Outcome::Refused(reason) = &conversion.outcome {
                *reasons.entry((&conversion.converter, reason)).or_default() += 1;
            }
        }
        let line = |((converter, reason), count)| {
            format!("refused by {converter}, {}: {reason}", counted(count, "time"))
        };
        reasons.into_iter().map(line).collect()
    }

    /// Prints where a backend is right only before or only after the conversion.
    fn tell_backends(&self) -> Result<(), CliError> {
        for (index, backend) in self.backends.iter().enumerate() {
            let (mut both, mut lost, mut won, mut neither) = (0, Vec::new(), 0, 0);
            for conversion in &self.conversions {
                let (Some(before), Some(after)) = (conversion.before.get(index), conversion.after.get(index))
                else {
                    continue;
                };
                match (before.is_right(), after.is_right()) {
                    (true, true) => both += 1,
                    (true, false) => lost.push((conversion, after)),
                    (false, true) => won += 1,
                    (false, false) => neither += 1,
                }
            }
            outln(format_args!(
                "{backend}: {both} right before and after, {} right only before, {won} right only after, {neither} right in neither",
                lost.len()
            ))?;
            for (conversion, after) in lost {
                outln(format_args!(
                    "  {} to {} by {}: {}: {}",
                    conversion.case,
                    conversion.targets(),
                    conversion.converter,
                    after.words(),
                    after.reason()
                ))?;
            }
        }
        Ok(())
    }

    /// One row for each conversion.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut header: Vec<String> = ["case", "to", "converter", "reference", "reason"]
            .map(str::to_owned)
            .to_vec();
        for backend in &self.backends {
            header.extend([format!("{backend} before"), format!("{backend} after")]);
        }
        let mut write = |row: &[String]| {
            // Writing to memory does not fail.
            let _ = writer.write_record(row);
        };
        write(&header);
        for conversion in &self.conversions {
            let outcome = &conversion.outcome;
            let mut row = vec![
                conversion.case.clone(),
                conversion.targets(),
                conversion.converter.clone(),
                outcome.name().to_owned(),
                outcome.reason().to_owned(),
            ];
            for index in 0..self.backends.len() {
                let words =
                    |held: &[UpgradeResult]| held.get(index).map_or(String::new(), UpgradeResult::words);
                row.extend([words(&conversion.before), words(&conversion.after)]);
            }
            write(&row);
        }
        let bytes = writer.into_inner().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
