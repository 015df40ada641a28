//! Facts about one result, as pairs of label and value.

use run_record::text::{clip, error, nanoseconds, shape, signed_error, thousands};
use run_record::{CaseRecord, OutputStats};

/// Label and value.
pub(super) type Fact = (&'static str, String);

/// Facts about the result's worst output, and about the run.
pub(super) fn facts(record: &CaseRecord) -> Vec<Fact> {
    let mut facts = record.worst_output().map(output_facts).unwrap_or_default();
    facts.extend(judgement_facts(record));
    facts
}

/// Facts about a result other than its outputs.
pub(super) fn result_facts(record: &CaseRecord) -> Vec<Fact> {
    let mut facts = judgement_facts(record);
    let time = |ns: Option<u64>| ns.map_or_else(String::new, nanoseconds);
    facts.extend([("load", time(record.load_ns)), ("first run", time(record.run_ns))]);
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn judgement_facts(record: &CaseRecord) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(level) = record.level {
        facts.push(("accuracy", level.label().to_owned()));
    }
    if let Some(place) = record.place.as_ref().filter(|place| place.fell_back()) {
        facts.push(("ran on", place.words()));
    }
    if record.official == Some(true) {
        facts.push(("official rule", "passes".to_owned()));
    }
    if record.attempts > 1 {
        facts.push(("attempts", record.attempts.to_string()));
    }
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// Facts about one output.
pub(super) fn output_facts(output: &OutputStats) -> Vec<Fact> {
    let named = format!(
        "{} {} {}",
        clip(&output.name, 60),
        output.dtype,
        shape(&output.shape)
    );
    let (differing, elements) = (thousands(output.differing), thousands(output.elements));
    let first = output.first.iter().map(|first| {
        let (actual, expected) = (clip(&first.actual, 60), clip(&first.expected, 60));
        format!("at {} got {actual}, expected {expected}", shape(&first.index))
    });
    let special = output.special.named();
    let special = special.map(|(count, what)| format!("{} {what}", thousands(count)));
    let mut facts = vec![
        ("output", named),
        ("differ", format!("{differing} of {elements}")),
        ("first", first.collect::<Vec<_>>().join("; ")),
        ("unequal", thousands(output.unequal)),
        ("allowed", output.allowed.clone()),
        ("max abs", error(output.max_abs)),
        ("max rel", error(output.max_rel)),
        ("max ULP", error(output.max_ulp)),
        ("mean abs", error(output.mean_abs)),
        ("mean ULP", error(output.mean_ulp)),
        ("bias", signed_error(output.bias)),
        ("rtol needed", error(output.needed_rtol)),
        ("bound", bound(output)),
        ("special values", special.collect::<Vec<_>>().join(", ")),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// The model of the bound, and the largest error relative to it.
fn bound(output: &OutputStats) -> String {
    output.model.as_ref().map_or_else(String::new, |model| {
        let model = clip(model, 80);
        match output.of_bound {
            of_bound if of_bound.is_infinite() => format!("{model}: must be exact"),
            of_bound => format!("{model}, error {} of it", error(of_bound)),
        }
    })
}
