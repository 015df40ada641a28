//! Every pattern that a pass looks for, and models that differ from one in a single thing: a constant, an
//! attribute, an operator, the order of operands, an element type, an extent, the opset, or a second reader.
//!
//! Each model runs on native with all passes and without any, and on the reference with the bounds of its
//! rounding errors: what the passes make of a model computes what the model says.

mod mutants;
mod pattern;
mod patterns;

use std::collections::BTreeSet;
use std::path::Path;

use backend_api::Named;
use backend_native::{Rewrites, Settings};
use onnx_interpreter::{Limits, Radius, run_bounded};
use onnx_model::Model;
use onnx_tensor::Value;

use super::{native, numbers, untouched};
use mutants::mutants;
use pattern::Pattern;
use patterns::PATTERNS;

/// A model with its inputs.
#[derive(Clone, Debug)]
struct Case {
    model: Model,
    inputs: Vec<Named>,
}

/// The outcome of a comparison with the reference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The reference refuses the model, or it has no bound.
    Open,
    /// Every result is within its bound.
    Held,
}

/// Whether each element is within its radius around the exact result; `None` without a bound.
pub fn within(found: &Value, exact: &Value, radius: &Radius) -> Option<Result<(), String>> {
    let (Value::Tensor(found), Value::Tensor(exact)) = (found, exact) else {
        return None;
    };
    if found.dtype() != exact.dtype() || found.shape() != exact.shape() {
        let [found, exact] = [found, exact].map(|tensor| format!("{} {:?}", tensor.dtype(), tensor.shape()));
        return Some(Err(format!("{found} instead of {exact}")));
    }
    let radius = radius.array(exact.shape())?;
    let elements = numbers(found)?.into_iter().zip(numbers(exact)?).zip(&radius);
    for (at, ((found, exact), &radius)) in elements.enumerate() {
        let same = found == exact || (found.is_nan() && exact.is_nan());
        if radius.is_finite() && !same && (found - exact).abs() > radius {
            return Some(Err(format!("element {at} is {found}, not {exact} ± {radius:e}")));
        }
        // An infinite radius gives no verdict.
    }
    Some(Ok(()))
}

/// Compares native, with and without passes, with the reference.
fn check(case: &Case) -> Result<Outcome, String> {
    let rewritten = native(Settings::default(), &case.model, &case.inputs);
    let plain = native(untouched(), &case.model, &case.inputs);
    let (rewritten, plain) = match (rewritten, plain) {
        (Ok(rewritten), Ok(plain)) => (rewritten, plain),
        (Err(_), Err(_)) => return Ok(Outcome::Open),
        (Ok(_), Err(error)) => return Err(format!("only without passes it is refused: {error}")),
        (Err(error), Ok(_)) => return Err(format!("only with passes it is refused: {error}")),
    };
    let Ok(exact) = run_bounded(&case.model, &case.inputs, Limits::default()) else {
        return Ok(Outcome::Open);
    };
    let mut held = Outcome::Open;
    for (((_, rewritten), (_, plain)), (name, exact, radius)) in rewritten.iter().zip(&plain).zip(&exact) {
        match within(rewritten, exact, radius) {
            None => {}
            Some(Ok(())) => held = Outcome::Held,
            // What native computes without passes too is not what a pass changed.
            Some(Err(_)) if within(plain, exact, radius).is_some_and(|plain| plain.is_err()) => {}
            Some(Err(problem)) => return Err(format!("`{name}`: {problem}")),
        }
    }
    Ok(held)
}

/// Runs every pattern, and every mutant of it, of some lines of the table.
fn check_share(share: usize, shares: usize) {
    let (mut held, mut wrong) = (0, Vec::new());
    for pattern in PATTERNS.iter().skip(share).step_by(shares) {
        let case = pattern.case();
        match check(&case) {
            Ok(Outcome::Held) => held += 1,
            Ok(Outcome::Open) => wrong.push(format!("{}: not compared", pattern.name)),
            Err(problem) => wrong.push(format!("{}: {problem}", pattern.name)),
        }
        for (change, mutant) in mutants(pattern) {
            match check(&mutant) {
                Ok(outcome) => held += usize::from(outcome == Outcome::Held),
                Err(problem) => wrong.push(format!("{} with {change}: {problem}", pattern.name)),
            }
        }
    }
    let first = wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {held} models:\n{first}", wrong.len());
    assert!(held > 300, "only {held} models were compared");
}

#[test]
fn near_misses_keep_their_meaning_first_half() {
    check_share(0, 2);
}

#[test]
fn near_misses_keep_their_meaning_second_half() {
    check_share(1, 2);
}

/// The names of all passes, which the error of an unknown one lists.
fn passes() -> Vec<String> {
    let error = "?".parse::<Rewrites>().expect_err("no pass has this name");
    let (_, list) = error.split_once("known: ").expect("a list of passes");
    list.split(", ").map(str::to_owned).collect()
}

/// The passes that changed the model of a pattern, from the dump of its graphs.
fn changing(pattern: &Pattern) -> BTreeSet<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dump.txt");
    let settings = Settings {
        dump: Some(path.display().to_string()),
        ..Settings::default()
    };
    let Case { model, inputs } = pattern.case();
    native(settings, &model, &inputs).unwrap_or_else(|error| panic!("{}: {error}", pattern.name));
    let dump = std::fs::read_to_string(path).expect("the dump");
    let mut lines = dump.lines().peekable();
    let mut found = BTreeSet::new();
    while let Some(line) = lines.next() {
        let name = line.strip_prefix("== ").and_then(|line| line.split_once(':'));
        if let Some((name, _)) = name
            && lines.peek().is_some_and(|next| next.starts_with("-- "))
        {
            found.insert(name.to_owned());
        }
    }
    found
}

/// A new pass needs a pattern, and a pattern that its pass no longer finds tests nothing.
#[test]
fn every_pass_changes_a_pattern() {
    let changing: BTreeSet<String> = PATTERNS.iter().flat_map(changing).collect();
    let without: Vec<String> = passes()
        .into_iter()
        .filter(|pass| !changing.contains(pass))
        .collect();
    assert_eq!(
        without,
        Vec::<String>::new(),
        "passes that change no pattern of the table"
    );
}

/// The files of `passes` that no list of passes names, with what they are.
const HELPERS: [(&str, &str); 13] = [
    ("bodies", "runs the passes in bodies"),
    ("chain", "the nodes that replace one"),
    ("columns", "a part of scales"),
    ("formula", "what fusions replace"),
    ("infer", "types and shapes, before every pass"),
    ("inline", "a part of constants"),
    ("mod", "the lists"),
    ("names", "the names of the lists"),
    ("pattern", "queries about a graph"),
    ("rules", "what nodes must fulfil"),
    ("sequences", "a part of constants"),
    ("shape_values", "a part of constants"),
    ("shapes", "a part of infer"),
];

#[test]
fn every_file_of_a_pass_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/passes");
    let entries = std::fs::read_dir(folder)
        .expect("the passes")
        .map(|entry| entry.expect("an entry").path());
    let files = entries.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let known: BTreeSet<String> = passes()
        .into_iter()
        .chain(HELPERS.iter().map(|(name, _)| (*name).to_owned()))
        .collect();
    assert_eq!(files.collect::<BTreeSet<String>>(), known);
}

/// The comparison sees a change of a constant by 2⁻²² in doubles: for each pattern with such a constant, the
/// answers of the pattern are wrong for at least one of its mutants.
#[test]
fn a_small_change_of_a_constant_is_visible() {
    for name in [
        "gelu by Div",
        "gelu by Mul",
        "gelu by Tanh",
        "swish with a factor",
    ] {
        let pattern = PATTERNS
            .iter()
            .find(|pattern| pattern.name == name)
            .expect("a pattern");
        let case = pattern.case_of("double");
        let Case { model, inputs } = &case;
        let answers = native(untouched(), model, inputs).expect("it runs");
        let seen = mutants::with_near_constants(&case)
            .into_iter()
            .filter(|(_, mutant)| {
                let exact = run_bounded(&mutant.model, inputs, Limits::default()).expect("it runs");
                let mut both = answers.iter().zip(&exact);
                both.any(|((_, answer), (_, exact, radius))| {
                    within(answer, exact, radius).is_some_and(|held| held.is_err())
                })
            })
            .count();
        assert!(seen > 0, "{name}: no change is visible");
    }
}
