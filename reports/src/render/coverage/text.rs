//! Coverage for a terminal.

use std::collections::BTreeSet;
use std::fmt::Write;

use comfy_table::{Attribute, Cell, CellAlignment, Color};

use super::Missing;
use run_record::Look;
use run_record::OperatorVersion;
use run_record::coverage::{Coverage, Seen, VersionCoverage};

use crate::render::table::framed;
use run_record::shown::one_line;
use run_record::text::{clip, percent, thousands};

/// The maximum number of values of an attribute without an enumeration that are shown, and of characters
/// of one.
const SHOWN: (usize, usize) = (12, 40);

/// A row for each operator version: whether it is implemented, cases, types and attributes; then the
/// totals.
pub fn coverage_text(coverage: &Coverage, implemented: &BTreeSet<String>, look: Look) -> String {
    let mut table = framed(look);
    table.set_header([
        "operator",
        "implemented",
        "official",
        "own",
        "types",
        "attributes",
    ]);
    for covered in &coverage.versions {
        table.add_row(row(covered, implemented));
    }
    for column in table.column_iter_mut().skip(2).take(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{}\n{}", table.trim_fmt(), totals(coverage, implemented))
}

fn totals(coverage: &Coverage, implemented: &BTreeSet<String>) -> String {
    let have = coverage
        .versions
        .iter()
        .filter(|covered| implemented.contains(&covered.version.id()));
    let whole = coverage.versions.len() as u64;
    let share = |part: usize| format!("{} ({})", thousands(part as u64), percent(part as u64, whole));
    format!(
        "{} operator versions, {} implemented by the reference, {} exercised",
        thousands(whole),
        share(have.count()),
        share(coverage.exercised()),
    )
}

fn row(covered: &VersionCoverage, implemented: &BTreeSet<String>) -> Vec<Cell> {
    let version = covered.version;
    let (official, own) = covered.official_and_own();
    let given = version
        .attributes
        .iter()
        .filter(|attribute| covered.given(attribute) > 0)
        .count();
    let attributes = match version.attributes.len() {
        0 => String::new(),
        declared => format!("{given}/{declared}"),
    };
    let yes = implemented.contains(&version.id());
    let count = |count: usize| match count {
        0 => Cell::new("0").add_attribute(Attribute::Dim),
        count => Cell::new(thousands(count as u64)),
    };
    let id = Cell::new(title(version));
    vec![
        if official + own == 0 {
            id.fg(Color::Red)
        } else {
            id
        },
        Cell::new(if yes { "yes" } else { "no" }).fg(if yes { Color::Green } else { Color::Red }),
        count(official),
        count(own),
        Cell::new(types(covered)),
        Cell::new(attributes),
    ]
}

/// `Upsample-10 (withdrawn)`.
fn title(version: &OperatorVersion) -> String {
    let note = if version.deprecated { " (withdrawn)" } else { "" };
    format!("{}{note}", one_line(&version.id()))
}

/// `T 1/12, T1 1/2`: exercised types of allowed types. A parameter of one type is omitted if that type
/// is exercised.
fn types(covered: &VersionCoverage) -> String {
    let parts = covered.version.parameters.iter().filter_map(|parameter| {
        let (seen, allowed) = (covered.types(parameter).len(), parameter.types.len());
        (allowed > 1 || seen == 0).then(|| format!("{} {seen}/{allowed}", one_line(&parameter.name)))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// A paragraph for each operator version: every type parameter and attribute with the exercised values
/// and the numbers of cases.
pub fn coverage_details(coverage: &Coverage, implemented: &BTreeSet<String>) -> String {
    let mut text = String::new();
    for covered in &coverage.versions {
        let version = covered.version;
        let (official, own) = covered.official_and_own();
        let have = if implemented.contains(&version.id()) {
            "implemented"
        } else {
            "not implemented"
        };
        let (title, official, own) = (title(version), thousands(official as u64), thousands(own as u64));
        _ = writeln!(
            text,
            "{title}: {have} by the reference; official cases {official}, own {own}"
        );
        for parameter in &version.parameters {
            let seen = counted(&covered.types(parameter));
            let (some, all) = (covered.types(parameter).len(), parameter.types.len());
            _ = writeln!(
                text,
                "  {:<30} {some} of {all} types  {seen}",
                one_line(&parameter.name)
            );
        }
        for attribute in &version.attributes {
            let seen = covered.values(attribute);
            let known = attribute
                .values
                .iter()
                .filter(|value| seen.contains_key(value.as_str()))
                .count();
            let share = match attribute.values.len() {
                0 => String::new(),
                all => format!(", {known} of {all} values"),
            };
            let given = thousands(covered.given(attribute) as u64);
            _ = writeln!(
                text,
                "  {:<30} given in {given}{share}  {}",
                one_line(&attribute.name),
                counted(&seen)
            );
        }
        text.push('\n');
    }
    text + &totals(coverage, implemented)
}

/// `float 39, float16 2`; a long list is truncated, with the number of omitted items.
fn counted(seen: &Seen) -> String {
    let shown = seen.iter().take(SHOWN.0);
    let mut shown: Vec<_> = shown
        .map(|(text, cases)| format!("{} ×{cases}", clip(&one_line(text), SHOWN.1)))
        .collect();
    if seen.len() > SHOWN.0 {
        shown.push(format!("{} more", seen.len() - SHOWN.0));
    }
    shown.join(", ")
}

/// The gaps: the versions that no case exercises, then the gaps of the other versions.
pub fn gaps_text(coverage: &Coverage) -> String {
    let untouched = coverage.versions.iter().filter(|covered| covered.uses.is_empty());
    let untouched: Vec<_> = untouched
        .map(|covered| one_line(&covered.version.id()).into_owned())
        .collect();
    let mut text = String::new();
    if !untouched.is_empty() {
        let count = thousands(untouched.len() as u64);
        _ = writeln!(
            text,
            "No case touches {count} operator versions:\n  {}\n",
            untouched.join(", ")
        );
    }
    let mut lacking = 0_u64;
    for covered in coverage
        .versions
        .iter()
        .filter(|covered| !covered.uses.is_empty())
    {
        let lines = lines(&Missing::of(covered));
        if !lines.is_empty() {
            lacking += 1;
            _ = writeln!(text, "{}", one_line(&covered.version.id()));
            for (what, which) in lines {
                _ = writeln!(text, "  {what:<12}{}", one_line(&which));
            }
        }
    }
    let whole = thousands(coverage.versions.len() as u64);
    _ = write!(
        text,
        "{}{whole} operator versions: {} without a case, {} with something that no case has",
        if text.is_empty() { "" } else { "\n" },
        thousands(untouched.len() as u64),
        thousands(lacking),
    );
    text
}

/// The kinds of gaps with their items.
fn lines(missing: &Missing) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let types = missing
        .types
        .iter()
        .map(|(parameter, types)| ("type", format!("{parameter}: {}", types.join(", "))));
    lines.extend(types);
    if !missing.attributes.is_empty() {
        lines.push(("attribute", missing.attributes.join(", ")));
    }
    let values = missing
        .values
        .iter()
        .map(|(name, values)| ("value", format!("{name}: {}", values.join(", "))));
    lines.extend(values);
    for apart in &missing.combinations {
        let types = apart.types.join(", ");
        lines.push((
            "combination",
            format!(
                "{}={} with {}: {types}",
                apart.attribute, apart.value, apart.parameter
            ),
        ));
    }
    lines
}
