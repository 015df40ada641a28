//! Helpers for unit tests of operators: one call with the schema of a version, without an interpreter.
//!
//! The operators are those of the built crate, a dependency of its own tests: of `crate`, only what tests
//! call by name is compiled a second time. A test must not mix types of both.
//!
//! Types and arity are not checked against the schema (`onnx-interpreter` does that); attribute defaults
//! come from it.

use approx::relative_eq;
use onnx_model::{Attribute, AttributeValue, Graph};
use onnx_tensor::{DType, Tensor, Value, footprint_bytes};

pub(crate) use onnx_operators::frame::Reading;
use onnx_operators::frame::{Call, Deviation, Host, OpError, Readings, version};

/// The operator under test: domain, name, since_version.
pub(crate) type OpVersion = (&'static str, &'static str, u32);

/// A host that allows values up to one mebibyte and a thousand steps, and no bodies.
#[derive(Default)]
pub(crate) struct TestHost {
    steps: std::cell::Cell<u32>,
    strict: bool,
    readings: Readings,
}

impl Host for TestHost {
    fn run_body(&self, _: &Graph, _: Vec<Option<Value>>) -> Result<Vec<Option<Value>>, OpError> {
        Err(OpError::undefined("a body in a unit test"))
    }

    fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError> {
        match footprint_bytes(shape, dtype) {
            Ok(bytes) if bytes <= 1 << 20 => Ok(()),
            _ => Err(OpError::TooLarge {
                shape: shape.to_vec(),
                dtype,
                budget: 1 << 20,
            }),
        }
    }

    fn step(&self) -> Result<(), OpError> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > 1000 {
            return Err(OpError::TooManySteps { budget: 1000 });
        }
        Ok(())
    }

    fn work(&self, operations: u64) -> Result<(), OpError> {
        let budget = 1 << 30;
        if operations <= budget {
            Ok(())
        } else {
            Err(OpError::TooMuchWork {
                wanted: operations,
                budget,
            })
        }
    }

    fn tolerates(&self, _: Deviation) -> bool {
        !self.strict
    }

    fn takes(&self, reading: Reading) -> bool {
        self.readings.has(reading)
    }

    fn draw_seed(&self) -> u64 {
        0
    }
}

/// An attribute from a plain Rust value.
pub(crate) fn attribute(name: &str, value: impl Into<Given>) -> Attribute {
    Attribute {
        name: name.to_owned(),
        value: value.into().0,
    }
}

/// The value of an attribute in a test.
pub(crate) struct Given(AttributeValue);

impl From<Tensor> for Given {
    fn from(tensor: Tensor) -> Given {
        Given(AttributeValue::Tensor(tensor))
    }
}

macro_rules! given {
    ($($element:ty: $one:ident $many:ident $convert:expr;)*) => {$(
        impl From<$element> for Given {
            fn from(value: $element) -> Given {
                Given(AttributeValue::$one($convert(value)))
            }
        }
        impl<const N: usize> From<[$element; N]> for Given {
            fn from(values: [$element; N]) -> Given {
                Given(AttributeValue::$many(values.into_iter().map($convert).collect()))
            }
        }
    )*};
}
given! {
    i64: Int Ints std::convert::identity;
    f32: Float Floats std::convert::identity;
    &str: String Strings |text: &str| text.as_bytes().to_vec();
}

/// A string tensor of rank 1.
pub(crate) fn strings(texts: &[&str]) -> Tensor {
    Tensor::vector(texts.iter().map(|&text| text.to_owned()).collect())
}

/// A float tensor of rank 2, row by row.
pub(crate) fn rows<const N: usize>(rows: &[[f32; N]]) -> Tensor {
    Tensor::new(&[rows.len(), N], rows.concat()).expect("rows of equal length")
}

/// Evaluates one version on `inputs`, with as many outputs as its schema allows.
pub(crate) fn evaluate(
    under: OpVersion,
    inputs: &[Value],
    attributes: &[Attribute],
) -> Result<Vec<Value>, OpError> {
    evaluate_under(&TestHost::default(), under, inputs, attributes)
}

/// Like [`evaluate`], with inputs that may be omitted.
pub(crate) fn evaluate_optional(
    schema: &'static onnx_schema::OperatorSchema,
    inputs: &[Option<Value>],
    attributes: &[Attribute],
) -> Result<Vec<Value>, OpError> {
    let row =
        version(schema.domain, schema.name, schema.since).unwrap_or_else(|| panic!("no row of {schema}"));
    let wanted = vec![true; schema.outputs.len()];
    let host = TestHost::default();
    let outputs = (row.eval)(&Call::new(schema, inputs, attributes, &wanted, &host))?;
    Ok(outputs.into_iter().flatten().collect())
}

fn evaluate_under(
    host: &TestHost,
    (domain, name, since): OpVersion,
    inputs: &[Value],
    attributes: &[Attribute],
) -> Result<Vec<Value>, OpError> {
    let schema = onnx_schema::lookup(domain, name, since).filter(|schema| schema.since == since);
    let schema = schema.unwrap_or_else(|| panic!("no schema of {name} {since}"));
    let row = version(domain, name, since).unwrap_or_else(|| panic!("no row of {name} {since}"));
    let inputs: Vec<_> = inputs.iter().cloned().map(Some).collect();
    let wanted = vec![true; schema.outputs.len()];
    let outputs = (row.eval)(&Call::new(schema, &inputs, attributes, &wanted, host))?;
    Ok(outputs.into_iter().flatten().collect())
}

/// Checks that the outputs equal `expected` in kind, type, shape and elements; floats to a relative 1e-6,
/// so that values printed by another framework serve.
#[track_caller]
pub(crate) fn check(under: OpVersion, inputs: &[Value], attributes: &[Attribute], expected: &[Value]) {
    check_under(&TestHost::default(), under, inputs, attributes, expected);
}

/// Like [`check`], with this reading in place of the default answer.
#[track_caller]
pub(crate) fn check_reading(
    reading: Reading,
    under: OpVersion,
    inputs: &[Value],
    attributes: &[Attribute],
    expected: &[Value],
) {
    let host = TestHost {
        readings: Readings::default().with(reading),
        ..TestHost::default()
    };
    check_under(&host, under, inputs, attributes, expected);
}

#[track_caller]
fn check_under(
    host: &TestHost,
    under: OpVersion,
    inputs: &[Value],
    attributes: &[Attribute],
    expected: &[Value],
) {
    let outputs =
        evaluate_under(host, under, inputs, attributes).unwrap_or_else(|error| panic!("{under:?}: {error}"));
    let same = outputs.len() == expected.len() && outputs.iter().zip(expected).all(|(a, b)| near(a, b));
    assert!(
        same,
        "{under:?} {attributes:?}\n got {outputs:?}\n expected {expected:?}"
    );
}

/// Like [`check`], for tensors, with elements equal bit for bit.
#[track_caller]
pub(crate) fn exact(under: OpVersion, inputs: &[Tensor], attributes: &[Attribute], expected: &[Tensor]) {
    let outputs =
        evaluate(under, &values(inputs), attributes).unwrap_or_else(|error| panic!("{under:?}: {error}"));
    let same = |(output, expected): (&Value, &Tensor)| matches!(output, Value::Tensor(output) if output.same_bits(expected));
    assert!(
        outputs.len() == expected.len() && outputs.iter().zip(expected).all(same),
        "{under:?} {attributes:?}\n got {outputs:?}\n expected {expected:?}"
    );
}

/// Tensors as values.
pub(crate) fn values(tensors: &[Tensor]) -> Vec<Value> {
    tensors.iter().cloned().map(Value::from).collect()
}

/// Checks that the call fails with an error whose message contains `part`.
#[track_caller]
pub(crate) fn refused(under: OpVersion, inputs: &[Value], attributes: &[Attribute], part: &str) {
    match evaluate(under, inputs, attributes) {
        Ok(outputs) => panic!("{under:?} {attributes:?} succeeds with {outputs:?}"),
        Err(error) => assert!(
            error.to_string().contains(part),
            "{under:?}: `{error}` does not contain `{part}`"
        ),
    }
}

/// Like [`refused`], in a strict run, which accepts no deviation from the specification.
#[track_caller]
pub(crate) fn refused_strictly(under: OpVersion, inputs: &[Value], attributes: &[Attribute], part: &str) {
    let strict = TestHost {
        strict: true,
        ..TestHost::default()
    };
    match evaluate_under(&strict, under, inputs, attributes) {
        Ok(outputs) => panic!("{under:?} {attributes:?} succeeds with {outputs:?}"),
        Err(error) => assert!(
            error.to_string().contains(part),
            "{under:?}: `{error}` does not contain `{part}`"
        ),
    }
}

fn near(have: &Value, want: &Value) -> bool {
    relative_eq!(have, want, epsilon = 0.0, max_relative = 1e-6)
}
