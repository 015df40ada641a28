//! Evaluating one version of an operator in a unit test. Operators are named as in the schema, those of another domain as
//! `domain::Name`.

use onnx_model::{Attribute, AttributeValue, Graph};
use onnx_tensor::{DType, Tensor, Value};

use super::{Call, Host, OpError, Outputs, version};

/// A host without limits, bodies or randomness.
struct Bare;

impl Host for Bare {
    fn run_body(&self, _: &Graph, _: Vec<Option<Value>>) -> Result<Outputs, OpError> {
        Err(OpError::undefined("a unit test runs no body"))
    }
    fn reserve(&self, _: &[usize], _: DType) -> Result<(), OpError> {
        Ok(())
    }
    fn step(&self) -> Result<(), OpError> {
        Ok(())
    }
    fn draw_seed(&self) -> u64 {
        0
    }
}

/// Evaluates version `since` of an operator; every output is wanted.
pub(crate) fn eval(
    operator: &str,
    since: u32,
    inputs: &[Option<Value>],
    attributes: &[(&str, AttributeValue)],
) -> Result<Outputs, OpError> {
    let (domain, name) = operator.split_once("::").unwrap_or(("", operator));
    let schema = onnx_schema::lookup(domain, name, since).expect("the schema knows the operator");
    assert_eq!(schema.since, since, "{operator} has no version {since}");
    let row = version(domain, name, since).expect("the operator has a row for the version");
    let attributes: Vec<Attribute> = attributes
        .iter()
        .map(|(name, value)| Attribute {
            name: (*name).to_owned(),
            value: value.clone(),
        })
        .collect();
    let wanted = vec![true; schema.max_outputs.min(8)];
    (row.eval)(&Call::new(schema, inputs, &attributes, &wanted, &Bare))
}

fn values(tensors: &[Tensor]) -> Vec<Option<Value>> {
    tensors.iter().cloned().map(Value::from).map(Some).collect()
}

/// Holds the outputs of an operator over tensors against `expected`, bit for bit.
#[track_caller]
pub(crate) fn check(
    operator: &str,
    since: u32,
    inputs: &[Tensor],
    attributes: &[(&str, AttributeValue)],
    expected: &[Tensor],
) {
    let outputs = eval(operator, since, &values(inputs), attributes)
        .unwrap_or_else(|error| panic!("{operator}-{since}: {error}"));
    assert_eq!(outputs.len(), expected.len(), "outputs of {operator}-{since}");
    for (index, (output, expected)) in outputs.iter().zip(expected).enumerate() {
        match output {
            Some(Value::Tensor(found)) if found.same_bits(expected) => {}
            found => panic!("{operator}-{since}, output {index}: {found:?} instead of {expected:?}"),
        }
    }
}

/// Holds that an operator has no result, for a reason that contains `reason`.
#[track_caller]
pub(crate) fn check_error(
    operator: &str,
    since: u32,
    inputs: &[Tensor],
    attributes: &[(&str, AttributeValue)],
    reason: &str,
) {
    match eval(operator, since, &values(inputs), attributes) {
        Err(error) if error.to_string().contains(reason) => {}
        other => panic!("{operator}-{since}: {other:?} instead of an error with `{reason}`"),
    }
}
