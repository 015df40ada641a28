//! Definitions of the terms on the page.

/// A term and its definition.
pub(super) struct Term {
    /// The end of its anchor, `term-…`.
    pub id: &'static str,
    pub name: &'static str,
    pub definition: &'static str,
}

const fn term(id: &'static str, name: &'static str, definition: &'static str) -> Term {
    Term { id, name, definition }
}

/// Every term, in the order of the page.
pub(super) const TERMS: [Term; 30] = [
    term(
        "case",
        "case",
        "One model with its inputs and its expected outputs. Official cases are part of each release of ONNX.",
    ),
    term(
        "backend",
        "backend",
        "A program that runs ONNX models. Each case runs in a process of its own.",
    ),
    term(
        "passed",
        "passed",
        "Every output agrees with the expected one: names, types and shapes are equal, and values as the policy allows. The share is of all cases that are not excluded.",
    ),
    term(
        "wrong",
        "wrong",
        "The backend gives an answer and no error, but the answer is wrong. Its verdicts are mismatch, nondeterministic, variant differs and flaky.",
    ),
    term(
        "broken",
        "broken",
        "The backend gives no answer, and does not report the model as unsupported: error, crash, timeout, out of memory or a protocol violation.",
    ),
    term(
        "unsupported",
        "not supported",
        "The backend itself reports, in a typed answer, that it does not support the model. The text of a message never counts as unsupported. Its verdicts are unsupported, and not taken: the runtime runs the model, but the requested provider does not take every node.",
    ),
    term(
        "excluded",
        "excluded",
        "The test data or the text of the specification is faulty (see errata.toml), or the case cannot be read. It counts neither for nor against a backend.",
    ),
    term(
        "not_run",
        "not run",
        "The run ended before the case, or the backend is missing.",
    ),
    term(
        "mismatch",
        "mismatch",
        "An output differs from the expected one: in a value beyond the tolerance (numeric), in shape, type, name or number of outputs.",
    ),
    term(
        "nondeterministic",
        "nondeterministic",
        "Two runs of the same case give different outputs, and the operator is not random.",
    ),
    term(
        "variant_differs",
        "variant differs",
        "The case in another form, which must not change the answer, gives another answer.",
    ),
    term(
        "flaky",
        "flaky",
        "The case failed and was repeated (--retries), and a repetition had another verdict. It never counts as a pass.",
    ),
    term(
        "undecided",
        "undecided",
        "The answer to a generated graph differs where the errors of earlier values admit any value. It counts neither for nor against the backend.",
    ),
    term(
        "waiver",
        "waiver",
        "A line of a baseline that excuses a failure. It may have an owner, a date until which it is valid, and the only version of the backend for which it is valid.",
    ),
    term(
        "error",
        "error",
        "The backend answers with an error, at load or at run.",
    ),
    term(
        "crash",
        "crash",
        "The process of the backend ends unexpectedly; the signal is named. The case is tried twice.",
    ),
    term(
        "timeout",
        "timeout",
        "The backend does not answer within the time limit of a case.",
    ),
    term(
        "out_of_memory",
        "out of memory",
        "The process of the backend exceeds its memory limit.",
    ),
    term(
        "protocol",
        "protocol",
        "The answer of the worker violates the worker protocol.",
    ),
    term(
        "policy",
        "policy",
        "The rule that decides which differences pass: official (the tolerances of ONNX's own tests), bound (what rounding can explain), strict.",
    ),
    term("exact", "exact", "Every element equals the expected one."),
    term(
        "within_rounding",
        "within rounding",
        "Every error is at most the error that correct rounding of each operation can cause.",
    ),
    term(
        "tolerated_no_bound",
        "tolerated, no bound known",
        "The error is within the official tolerance, but no bound of the rounding error is known for the operator.",
    ),
    term(
        "tolerated",
        "tolerated, beyond rounding",
        "The error is within the official tolerance, but larger than rounding can cause.",
    ),
    term(
        "outside",
        "out of tolerance",
        "The error is larger than the official tolerance and than rounding can cause, or shape, type or number of outputs differ.",
    ),
    term(
        "ulp",
        "ULP",
        "Unit in the last place: the distance between two adjacent numbers of the type. An error of 1 ULP is the smallest possible error.",
    ),
    term(
        "bound",
        "bound",
        "The largest error that correct rounding can cause in this case, computed from the operator and its inputs.",
    ),
    term(
        "noise",
        "noise",
        "The variation of a model's own answer if each operation is rounded at random.",
    ),
    term(
        "opset",
        "opset",
        "The version of the operator set that a model imports. An operator's since-version is the opset that last changed it.",
    ),
    term(
        "gate",
        "gate",
        "The comparison of a run with a baseline, the list of failures that are known and accepted.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::TERMS;
    use crate::render::severity::Class;
    use run_record::{Level, VerdictKind};

    #[test]
    fn every_verdict_class_and_level_has_a_definition() {
        let ids: BTreeSet<&str> = TERMS.iter().map(|term| term.id).collect();
        assert_eq!(ids.len(), TERMS.len(), "an id occurs twice");
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
    fn the_glossary_has_every_term() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/glossary.md");
        let glossary = std::fs::read_to_string(path).unwrap();
        let cells = || {
            glossary
                .lines()
                .filter_map(|line| Some(line.split('|').nth(1)?.trim()))
        };
        // A name may have a comma, and a line several names.
        let names: BTreeSet<&str> = cells().chain(cells().flat_map(|cell| cell.split(", "))).collect();
        for term in &TERMS {
            let name = term.name;
            assert!(names.contains(name), "docs/glossary.md has no line for `{name}`");
        }
    }
}
