//! Several shapes of the inputs of one model, one after the other in one session of a backend.

use harness_console::note;
use harness_investigate::inputs::{Answered, Drawn, Request, values};
use harness_investigate::runner::Runner;
use harness_investigate::subject::Subject;

use super::prepare::Sample;
use crate::CliError;
use crate::inputs::draw;

/// Inputs of up to `count` shapes that fit the model, and at the end those of the first again: a session
/// must not keep anything of an earlier shape. One set of inputs if the model has no other shape.
///
/// # Errors
/// A value cannot be generated for an input.
pub(super) fn in_turn(
    subject: &Subject,
    request: &Request,
    count: usize,
    reference: &mut Runner,
) -> Result<Vec<Sample>, CliError> {
    let Answered { drawn, outputs, .. } = draw(subject, request, reference)?;
    let mut shapes = vec![drawn];
    for variant in 1..4 * count.max(1) {
        if shapes.len() >= count {
            break;
        }
        let request = Request {
            variant,
            ..request.clone()
        };
        let other = values(subject, &request, reference)?;
        if shapes.iter().all(|known| extents(known) != extents(&other)) {
            shapes.push(other);
        }
    }
    if shapes.len() < 2 {
        note(format_args!(
            "{}: no other shape of the inputs fits the model",
            subject.name
        ));
        let only = shapes.into_iter().map(|only| Sample {
            answer: Some(outputs.clone()),
            ..Sample::new("", only.values)
        });
        return Ok(only.collect());
    }
    let named = |drawn: &Drawn| Sample {
        is_spare: true,
        ..Sample::new(&name(drawn), drawn.values.clone())
    };
    let mut samples: Vec<_> = shapes.iter().map(named).collect();
    if let Some(first) = samples.first_mut() {
        first.answer = Some(outputs);
        let again = Sample {
            name: format!("{}, again", first.name),
            ..first.clone()
        };
        samples.push(again);
    }
    let names: Vec<&str> = samples.iter().map(|sample| sample.name.as_str()).collect();
    note(format_args!("{}: in turn {}", subject.name, names.join("; ")));
    Ok(samples)
}

fn extents(drawn: &Drawn) -> Vec<(&str, usize)> {
    let dims = drawn.dims.iter();
    dims.map(|(name, extent, _)| (name.as_str(), *extent)).collect()
}

/// `batch=1, sequence=17`.
fn name(drawn: &Drawn) -> String {
    let dims = extents(drawn).into_iter();
    let texts: Vec<String> = dims.map(|(name, extent)| format!("{name}={extent}")).collect();
    texts.join(", ")
}
