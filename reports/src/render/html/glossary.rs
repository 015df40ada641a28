//! Definitions of the terms on the page, from docs/glossary.md.

/// A table of terms and their meanings.
const GLOSSARY: &str = include_str!("../../../../docs/glossary.md");

/// A term and its definition.
pub(super) struct Term {
    /// The end of its anchor, `term-…`.
    pub id: &'static str,
    pub name: &'static str,
    pub definition: &'static str,
}

/// The terms of the page in their order: the end of the anchor, and the name in the glossary.
const NAMES: [(&str, &str); 30] = [
    ("case", "case"),
    ("backend", "backend"),
    ("passed", "passed"),
    ("wrong", "wrong"),
    ("broken", "broken"),
    ("unsupported", "not supported"),
    ("excluded", "excluded"),
    ("not_run", "not run"),
    ("mismatch", "mismatch"),
    ("nondeterministic", "nondeterministic"),
    ("variant_differs", "variant differs"),
    ("flaky", "flaky"),
    ("undecided", "undecided"),
    ("waiver", "waiver"),
    ("error", "error"),
    ("crash", "crash"),
    ("timeout", "timeout"),
    ("out_of_memory", "out of memory"),
    ("protocol", "protocol"),
    ("policy", "policy"),
    ("exact", "exact"),
    ("within_rounding", "within rounding"),
    ("tolerated_no_bound", "tolerated, no bound known"),
    ("tolerated", "tolerated, beyond rounding"),
    ("outside", "out of tolerance"),
    ("ulp", "ULP"),
    ("bound", "bound"),
    ("noise", "noise"),
    ("opset", "opset"),
    ("gate", "gate"),
];

/// Every term of the page.
pub(super) fn terms() -> Vec<Term> {
    let term = |(id, name)| Term {
        id,
        name,
        definition: definition(name),
    };
    NAMES.map(term).into()
}

/// The meaning of a term in the glossary, whose lines may have several names; empty if it has none.
fn definition(name: &str) -> &'static str {
    let rows = || {
        GLOSSARY.lines().filter_map(|line| {
            let mut cells = line.split('|').skip(1).map(str::trim);
            Some((cells.next()?, cells.next()?))
        })
    };
    let row = rows()
        .find(|(term, _)| *term == name)
        .or_else(|| rows().find(|(terms, _)| terms.split(", ").any(|term| term == name)));
    row.map_or("", |(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Term, terms};
    use crate::render::severity::Class;
    use run_record::{Level, VerdictKind};

    #[test]
    fn every_verdict_class_and_level_has_a_definition() {
        let ids: BTreeSet<&str> = terms().iter().map(|term| term.id).collect();
        assert_eq!(ids.len(), terms().len(), "an id occurs twice");
        let verdicts = VerdictKind::ALL.map(|kind| match Class::of(kind) {
            Class::Passed | Class::Excluded | Class::Unsupported | Class::NotRun => Class::of(kind).key(),
            Class::Wrong | Class::Broken => kind.key(),
        });
        let keys = verdicts
            .into_iter()
            .chain(Class::ALL.map(Class::key))
            .chain(Level::ALL.map(Level::key));
        keys.for_each(|key| assert!(ids.contains(key), "`{key}` has no definition"));
    }

    #[test]
    fn the_glossary_defines_every_term_in_plain_text() {
        for Term { name, definition, .. } in terms() {
            assert!(
                definition.ends_with('.'),
                "docs/glossary.md has no line for `{name}`"
            );
            assert!(
                !definition.contains(['`', '[', '*']),
                "{name}: the page shows no markup"
            );
        }
    }
}
