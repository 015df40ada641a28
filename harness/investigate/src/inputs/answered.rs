//! Inputs that the reference answers.

use backend_api::Named;
use harness_compare::leaves;
use harness_conformance::judge::Judgement;
use onnx_tensor::{Dim, Tensor, ValueType, dispatch};
use run_record::{ErrorStage, Verdict};

use super::dims::{DEFAULT, FEW, FITTING, is_chosen};
use super::request::OTHER_VALUES;
use super::telling::telling;
use super::usual::WIDTH;
use super::{Drawn, Otherwise, Request, shown, values};
use crate::InvestigateError;
use crate::runner::{Answer, RunRequest, Runner};
use crate::subject::Subject;

/// The most other extents that are tried after a refusal.
const VARIANTS: usize = 9;

/// The most other values of integers of unknown meaning that are tried.
pub(super) const OTHERS: usize = 3;

/// Inputs with the answer of the reference.
#[derive(Debug)]
pub struct Answered {
    /// The inputs.
    pub drawn: Drawn,
    /// The outputs, or why there are none.
    pub outputs: Result<Vec<Named>, Judgement>,
    /// What the reference said to inputs with the usual extents; `None` if these are the inputs.
    pub refused: Option<String>,
}

/// The inputs of [`answered`]. The reference is not asked if all extents are fixed or given: no others could
/// be tried.
///
/// # Errors
/// Those of [`answered`].
pub fn fitting(
    subject: &Subject,
    request: &Request,
    reference: &mut Runner,
) -> Result<(Drawn, Option<String>), InvestigateError> {
    let drawn = values(subject, request, reference)?;
    if drawn.is_open() {
        asked(subject, request, drawn, reference).map(|answered| (answered.drawn, answered.refused))
    } else {
        Ok((drawn, None))
    }
}

/// Values for the inputs of `subject` as [`values`] gives them. If the reference refuses them, integers of
/// unknown meaning are drawn as indices, and then other extents are tried where nothing decides them: a
/// condition that shape inference does not know may be met there. If an output contradicts its declaration,
/// or all outputs are equal, other values are drawn. If all are refused, the first inputs and the first
/// refusal are returned.
///
/// # Errors
/// Those of [`values`]; a worker cannot be started again, or the command is interrupted.
pub fn answered(
    subject: &Subject,
    request: &Request,
    reference: &mut Runner,
) -> Result<Answered, InvestigateError> {
    let drawn = values(subject, request, reference)?;
    asked(subject, request, drawn, reference)
}

/// Asks the reference about `drawn` inputs, and if it refuses them about others.
fn asked(
    subject: &Subject,
    request: &Request,
    drawn: Drawn,
    reference: &mut Runner,
) -> Result<Answered, InvestigateError> {
    let (refusal, contradicting) = match ask(subject, &drawn, reference)? {
        Ok(outputs) => match contradiction(subject, &drawn, &outputs) {
            None => return telling(subject, request, (drawn, outputs), reference),
            Some(contradiction) => (contradiction, Some(outputs)),
        },
        Err(refusal) => (refusal, None),
    };
    let is_declared = contradicting.is_some();
    if !is_declared
        && is_of_inputs(&refusal)
        && let Some(answered) = hinted(subject, request, (&drawn, &refusal), reference)?
    {
        return Ok(answered);
    }
    if !is_declared && let Some(answered) = otherwise(subject, request, (&drawn, &refusal), reference)? {
        return Ok(answered);
    }
    if !is_declared
        && drawn.is_wide
        && bound(&refusal.reason).is_some()
        && let Some(answered) = attempt(subject, &request.otherwise(Otherwise::Flags), &refusal, reference)?
    {
        return Ok(answered);
    }
    // Values change extents; a rank that no run has is declared wrongly.
    let mut is_of_no_run = is_declared;
    let mut tried = vec![];
    if !drawn.is_wide {
        tried.push(drawn.dims.clone());
    }
    let variants = request.variant..=request.variant + VARIANTS;
    for variant in variants.filter(|_| is_of_inputs(&refusal)) {
        let request = Request {
            variant,
            is_narrow: !is_declared,
            ..request.clone()
        };
        let Some(other) = others(subject, &request, reference)? else {
            continue;
        };
        // With the same extents, integers of unknown meaning differ.
        let same = tried.iter().filter(|dims| **dims == other.dims).count();
        let most = if drawn.is_wide { OTHERS } else { 1 };
        if !is_declared && same >= most {
            continue;
        }
        tried.push(other.dims.clone());
        match ask(subject, &other, reference)? {
            Ok(outputs) if contradiction(subject, &other, &outputs).is_some() => {
                is_of_no_run &= has_other_rank(subject, &outputs);
            }
            Ok(outputs) => {
                return Ok(Answered {
                    drawn: other,
                    outputs: Ok(outputs),
                    refused: Some(refusal.reason),
                });
            }
            Err(next) if !is_of_inputs(&next) => break,
            Err(_) => {}
        }
    }
    if let Some(outputs) = contradicting.filter(|outputs| is_of_no_run && has_other_rank(subject, outputs)) {
        return Ok(Answered {
            drawn,
            outputs: Ok(outputs),
            refused: None,
        });
    }
    for otherwise in OTHER_VALUES {
        if is_of_inputs(&refusal)
            && let Some(answered) = attempt(subject, &request.otherwise(otherwise), &refusal, reference)?
        {
            return Ok(answered);
        }
    }
    Ok(Answered {
        drawn,
        outputs: Err(refusal),
        refused: None,
    })
}

/// The answer to other inputs, of which the refusal says what they must be: below an extent that it names, or
/// fewer where the reference took all its time or its budget; or to square images, of which some models take
/// the root of the number of patches.
fn otherwise(
    subject: &Subject,
    request: &Request,
    (drawn, refusal): (&Drawn, &Judgement),
    reference: &mut Runner,
) -> Result<Option<Answered>, InvestigateError> {
    let is_large = |(_, extent, why): &(String, usize, &'static str)| *extent > FEW && is_chosen(why);
    let is_width = |(_, extent, why): &(String, usize, &'static str)| *extent == WIDTH && *why == DEFAULT;
    let otherwise = match (&refusal.verdict, bound(&refusal.reason)) {
        // What is not supported may be a run of so many operations.
        (Verdict::Timeout | Verdict::Unsupported, _) if drawn.dims.iter().any(is_large) => {
            Otherwise::FewElements
        }
        (Verdict::Error(_), Some(bound)) if drawn.is_wide => Otherwise::Below(bound),
        (Verdict::Error(_), _) if drawn.dims.iter().any(is_width) => Otherwise::Square,
        _ => return Ok(None),
    };
    attempt(subject, &request.otherwise(otherwise), refusal, reference)
}

/// The answer to other inputs; `None` if there is none.
fn attempt(
    subject: &Subject,
    request: &Request,
    refusal: &Judgement,
    reference: &mut Runner,
) -> Result<Option<Answered>, InvestigateError> {
    let Some(drawn) = others(subject, request, reference)? else {
        return Ok(None);
    };
    let outputs = ask(subject, &drawn, reference)?;
    Ok(outputs.ok().map(|outputs| Answered {
        drawn,
        outputs: Ok(outputs),
        refused: Some(refusal.reason.clone()),
    }))
}

/// The extent below which an index is by a refusal: `index 9 is outside [-6, 6)`.
fn bound(reason: &str) -> Option<usize> {
    let (_, range) = reason.split_once("index ")?.1.split_once(" is outside [")?;
    range.split_once(')')?.0.split_once(", ")?.1.parse().ok()
}

/// Values for another attempt; `None` if none can be drawn: other extents may be too many elements.
pub(super) fn others(
    subject: &Subject,
    request: &Request,
    reference: &mut Runner,
) -> Result<Option<Drawn>, InvestigateError> {
    match values(subject, request, reference) {
        Err(InvestigateError::Input { .. }) => Ok(None),
        drawn => drawn.map(Some),
    }
}

/// Other extents that a refusal suggests, each in turn until one is answered or changes the refusal: shape
/// inference does not know every condition, and the refusal of a node names the extents that do not fit.
fn hinted(
    subject: &Subject,
    request: &Request,
    refused: (&Drawn, &Judgement),
    reference: &mut Runner,
) -> Result<Option<Answered>, InvestigateError> {
    /// The most extents that are set.
    const MOST: usize = 6;
    let (mut request, mut tried) = (request.clone(), Vec::new());
    let (mut dims, mut reason) = (refused.0.dims.clone(), refused.1.reason.clone());
    for _ in 0..MOST {
        let mut hints = hints(&reason, &dims).into_iter();
        let Some(hint) = hints.find(|hint| !tried.contains(hint)) else {
            break;
        };
        tried.push(hint.clone());
        request.dims.push(format!("{}={}", hint.0, hint.1));
        let Some(mut drawn) = others(subject, &request, reference)? else {
            request.dims.pop();
            continue;
        };
        for (name, _, why) in &mut drawn.dims {
            if tried.iter().any(|(hinted, _)| hinted == name) {
                *why = FITTING;
            }
        }
        match ask(subject, &drawn, reference)? {
            Ok(outputs) => {
                return Ok(Some(Answered {
                    drawn,
                    outputs: Ok(outputs),
                    refused: Some(refused.1.reason.clone()),
                }));
            }
            Err(next) if !is_of_inputs(&next) => break,
            Err(next) if next.reason == reason => {
                request.dims.pop();
            }
            Err(next) => (dims, reason) = (drawn.dims, next.reason),
        }
    }
    Ok(None)
}

/// The extents of dimensions that a refusal suggests: of two shapes in it that differ in an extent, one has
/// the extent of a dimension that was chosen.
fn hints(reason: &str, dims: &[(String, usize, &'static str)]) -> Vec<(String, usize)> {
    let lists = reason.split('[').skip(1).filter_map(|rest| {
        let list = rest.split(']').next()?.split(',');
        list.map(|number| number.trim().parse().ok())
            .collect::<Option<Vec<usize>>>()
    });
    let lists: Vec<Vec<usize>> = lists.collect();
    let mut found = Vec::new();
    for (one, other) in lists.iter().zip(lists.iter().skip(1)) {
        for (&a, &b) in one.iter().zip(other).filter(|(a, b)| a != b) {
            for (from, to) in [(a, b), (b, a)] {
                let of_extent =
                    |(_, extent, why): &&(String, usize, &'static str)| *extent == from && is_chosen(why);
                let hints = dims.iter().filter(of_extent).map(|(name, ..)| (name.clone(), to));
                found.extend(hints.filter(|_| one.len() == other.len() && to > 0));
            }
        }
    }
    // Fewer elements are sooner answered.
    found.sort_by_key(|(_, to)| *to);
    found
}

/// Whether an output has another rank than it declares.
fn has_other_rank(subject: &Subject, outputs: &[Named]) -> bool {
    let differs = |(name, value): &Named| {
        let rank = declared(subject, name).map(<[Dim]>::len);
        rank.zip(value.as_tensor())
            .is_some_and(|(rank, tensor)| rank != tensor.shape().len())
    };
    outputs.iter().any(differs)
}

/// The shape that an output declares.
fn declared<'s>(subject: &'s Subject, name: &str) -> Option<&'s [Dim]> {
    let mut outputs = subject.model.graph.outputs.iter();
    let info = outputs.find(|info| info.name == name)?;
    match info.value_type.as_ref()? {
        ValueType::Tensor { shape, .. } => shape.as_deref(),
        _ => None,
    }
}

impl Answered {
    /// Whether the reference answers, and every output is empty or has the same element everywhere, so that a
    /// comparison says little.
    pub fn is_constant(&self) -> bool {
        self.outputs.as_ref().is_ok_and(|outputs| {
            let leaves = leaves(outputs);
            let many = leaves.iter().any(|(_, tensor)| tensor.len() != 1);
            many && leaves.iter().all(|(_, tensor)| is_constant(tensor))
        })
    }
}

fn is_constant(tensor: &Tensor) -> bool {
    let constant = dispatch!(plain, tensor.dtype(), T => {
        let elements = tensor.to_vec::<T>();
        elements.map(|list| list.windows(2).all(|pair| pair[0] == pair[1] || is_nan(pair)))
    });
    constant.unwrap_or(false)
}

/// Whether no element equals itself.
fn is_nan<T: PartialEq>(elements: &[T]) -> bool {
    #[expect(clippy::eq_op, reason = "a NaN differs from itself")]
    elements.iter().all(|element| element != element)
}

/// The output whose declared shape contradicts what was drawn for an operand on which shapes depend: such a
/// comparison says nothing about a runtime. A declaration may be wrong; then no such operand is drawn.
fn contradiction(subject: &Subject, drawn: &Drawn, outputs: &[Named]) -> Option<Judgement> {
    let differs = |(name, value): &&Named| {
        let (Some(dims), Some(tensor)) = (declared(subject, name), value.as_tensor()) else {
            return false;
        };
        let shape = tensor.shape();
        let fits = |(dim, extent): (&Dim, &usize)| !matches!(dim, Dim::Fixed(fixed) if fixed != extent);
        dims.len() != shape.len() || !dims.iter().zip(shape).all(fits)
    };
    let (name, value) = outputs.iter().find(differs).filter(|_| drawn.is_parametric)?;
    Some(Judgement {
        verdict: Verdict::Error(ErrorStage::Run),
        reason: format!(
            "with the drawn inputs, output `{name}` is {}, which its declaration contradicts: give the inputs (--input)",
            shown(&value.value_type())
        ),
    })
}

/// Whether other inputs may be answered: the reference did not end, and knows the operators.
fn is_of_inputs(refusal: &Judgement) -> bool {
    matches!(refusal.verdict, Verdict::Error(_))
}

pub(super) fn ask(
    subject: &Subject,
    drawn: &Drawn,
    reference: &mut Runner,
) -> Result<Answer<Vec<Named>>, InvestigateError> {
    let request = run_request(subject, drawn);
    Ok(reference.run(&request)?.map(|outputs| outputs.values))
}

pub(super) fn run_request(subject: &Subject, drawn: &Drawn) -> RunRequest {
    RunRequest {
        model: subject.bytes.clone(),
        external: subject.external.clone(),
        inputs: drawn.values.clone(),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Value;

    use super::*;

    #[test]
    fn outputs_without_a_difference_are_noticed() {
        let check = |outputs: &[Tensor], expected: bool| {
            let named = |tensor: &Tensor| ("y".to_owned(), Value::Tensor(tensor.clone()));
            let answered = Answered {
                drawn: Drawn::default(),
                outputs: Ok(outputs.iter().map(named).collect()),
                refused: None,
            };
            assert_eq!(answered.is_constant(), expected, "{outputs:?}");
        };
        let floats = |values: &[f32]| Tensor::vector(values.to_vec());
        check(&[floats(&[])], true);
        check(&[floats(&[0.0, 0.0]), floats(&[])], true);
        check(&[floats(&[f32::NAN, f32::NAN])], true);
        check(&[floats(&[0.0, f32::NAN])], false);
        check(&[floats(&[1.0])], false);
        check(&[floats(&[0.0, 0.0]), floats(&[1.0, 2.0])], false);
        check(&[Tensor::vector(vec![true, true])], true);
    }

    #[test]
    fn a_refusal_names_the_extent_of_what_is_indexed() {
        let check = |reason: &str, expected| assert_eq!(bound(reason), expected, "{reason}");
        check("node `g` (Gather-13): index -91 is outside [-6, 6)", Some(6));
        check("index 5 is outside [0, 4)", Some(4));
        check("axis 3 is outside [-2, 2)", None);
        check("index 5 is outside [0, many)", None);
    }

    #[test]
    fn a_refusal_names_the_extents_that_do_not_fit() {
        let check = |reason: &str, expected: &[(&str, usize)]| {
            let dims = [("n", 256, DEFAULT), ("m", 10, FITTING), ("k", 7, "--dim")];
            let dims = dims.map(|(name, extent, why)| (name.to_owned(), extent, why));
            let expected: Vec<(String, usize)> = expected
                .iter()
                .map(|(name, extent)| ((*name).to_owned(), *extent))
                .collect();
            assert_eq!(hints(reason, &dims), expected, "{reason}");
        };
        check(
            "initial_h has shape [1, 10, 128], expected [1, 256, 128]",
            &[("n", 10), ("m", 256)],
        );
        check("shapes [2, 10] and [2, 3] cannot be broadcast", &[("m", 3)]);
        check("[7] and [10]", &[("m", 7)]);
        check("[10] and [10]", &[]);
        check("[10, 2] and [3]", &[]);
        check("[a] of 10 is not [3]", &[]);
        check("[10] is not [0]", &[]);
    }
}
