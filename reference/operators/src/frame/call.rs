//! One evaluation of a node: its inputs, its attributes with the defaults of the version, its outputs.

use onnx_model::{Attribute, Graph};
use onnx_schema::{AttributeKind, OperatorSchema};
use onnx_tensor::{Array, DType, Element, Map, Sequence, Tensor, TensorError, Value, ValueType};

use super::{Deviation, Enclosing, Host, OpError, Reading, Unspecified};

/// The number of products of narrow elements that cost as much as one operation on another element.
pub const PRODUCTS_AT_ONCE: u64 = 16;

/// The product of extents, saturating. An extent of 0 counts as 1.
fn product(extents: &[usize]) -> u64 {
    let factors = extents.iter().map(|&extent| extent.max(1) as u64);
    factors.fold(1, u64::saturating_mul)
}

/// The outputs of an operator, by position: `None` if the node does not name the output.
pub type Outputs = Vec<Option<Value>>;

/// The outputs of an operator with one output.
pub fn one(value: impl Into<Value>) -> Result<Outputs, OpError> {
    Ok(vec![Some(value.into())])
}

/// One evaluation of a node. The interpreter checks arity and types against the schema before it creates a
/// call.
pub struct Call<'a> {
    pub(super) schema: &'static OperatorSchema,
    pub(super) attributes: &'a [Attribute],
    inputs: &'a [Option<Value>],
    wanted: &'a [bool],
    host: &'a dyn Host,
}

impl<'a> Call<'a> {
    /// A call of the version that `schema` describes. `wanted` states for each output whether the node
    /// names it.
    pub fn new(
        schema: &'static OperatorSchema,
        inputs: &'a [Option<Value>],
        attributes: &'a [Attribute],
        wanted: &'a [bool],
        host: &'a dyn Host,
    ) -> Self {
        Call {
            schema,
            attributes,
            inputs,
            wanted,
            host,
        }
    }

    /// The schema of this version.
    pub fn schema(&self) -> &'static OperatorSchema {
        self.schema
    }

    /// The number of inputs of the node, including omitted inputs before the last one.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Input `index`, or `None` if it is omitted.
    pub fn optional(&self, index: usize) -> Option<&'a Value> {
        self.inputs.get(index)?.as_ref()
    }

    /// Input `index`. Error if it is omitted.
    pub fn value(&self, index: usize) -> Result<&'a Value, OpError> {
        self.optional(index).ok_or_else(|| OpError::MissingInput {
            index,
            name: self.schema.input(index).map_or("?", |formal| formal.name),
        })
    }

    /// Input `index`, which must be a tensor.
    pub fn tensor(&self, index: usize) -> Result<&'a Tensor, OpError> {
        match self.value(index)? {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(self.kind(index, "tensor", other)),
        }
    }

    /// Input `index`, which must be a tensor if it is present.
    pub fn optional_tensor(&self, index: usize) -> Result<Option<&'a Tensor>, OpError> {
        self.optional(index).map(|_| self.tensor(index)).transpose()
    }

    /// All inputs from `first` on, which must be tensors (a variadic input).
    pub fn tensors_from(&self, first: usize) -> Result<Vec<&'a Tensor>, OpError> {
        (first..self.input_count())
            .map(|index| self.tensor(index))
            .collect()
    }

    /// Input `index`, which must be a sequence.
    pub fn sequence(&self, index: usize) -> Result<&'a Sequence, OpError> {
        match self.value(index)? {
            Value::Sequence(sequence) => Ok(sequence),
            other => Err(self.kind(index, "sequence", other)),
        }
    }

    /// Input `index`, which must be a map.
    pub fn map(&self, index: usize) -> Result<&'a Map, OpError> {
        match self.value(index)? {
            Value::Map(map) => Ok(map),
            other => Err(self.kind(index, "map", other)),
        }
    }

    /// The element type of input `index`, which must be a tensor.
    pub fn dtype(&self, index: usize) -> Result<DType, OpError> {
        Ok(self.tensor(index)?.dtype())
    }

    /// The array of input `index`, which must be a tensor of `T`.
    pub fn array<T: Element>(&self, index: usize) -> Result<&'a Array<T>, OpError> {
        Ok(self.tensor(index)?.array::<T>()?)
    }

    /// The array of input `index`, or `None` if it is omitted.
    pub fn optional_array<T: Element>(&self, index: usize) -> Result<Option<&'a Array<T>>, OpError> {
        Ok(self
            .optional_tensor(index)?
            .map(|tensor| tensor.array::<T>())
            .transpose()?)
    }

    /// The elements of input `index`, an int32 or int64 tensor of any shape, such as axes, a shape or pads.
    pub fn integers(&self, index: usize) -> Result<Vec<i64>, OpError> {
        match self.tensor(index)? {
            Tensor::Int64(array) => Ok(array.iter().copied().collect()),
            Tensor::Int32(array) => Ok(array.iter().map(|&value| i64::from(value)).collect()),
            other => Err(TensorError::DType {
                expected: "int32 or int64",
                found: other.dtype(),
            }
            .into()),
        }
    }

    /// Like [`Call::integers`], or `None` if the input is omitted.
    pub fn optional_integers(&self, index: usize) -> Result<Option<Vec<i64>>, OpError> {
        self.optional(index).map(|_| self.integers(index)).transpose()
    }

    /// The only element of input `index`, a tensor of `T` with one element.
    pub fn scalar<T: Element>(&self, index: usize) -> Result<T, OpError> {
        let array = self.array::<T>(index)?;
        match (array.len(), array.first()) {
            (1, Some(value)) => Ok(value.clone()),
            (count, _) => Err(OpError::invalid(format!(
                "input {index} must have one element, got {count}"
            ))),
        }
    }

    /// Checks that this version allows `dtype` for output `index` and returns it; for operators whose
    /// output type is not that of an input.
    pub fn output_dtype(&self, index: usize, dtype: DType) -> Result<DType, OpError> {
        let formal = self.schema.output(index);
        let types = formal.map_or(&[][..], |formal| self.schema.types(formal));
        if types
            .iter()
            .any(|allowed| allowed.matches(&ValueType::tensor(dtype)))
        {
            return Ok(dtype);
        }
        Err(OpError::invalid(format!(
            "output {index} cannot be {dtype} in this version"
        )))
    }

    /// The element type that an integer attribute selects by its number in `TensorProto.DataType`.
    pub fn optional_dtype_attribute(&self, name: &str) -> Result<Option<DType>, OpError> {
        let unknown = || OpError::Attribute {
            name: name.to_owned(),
            problem: "is not an element type",
        };
        let number = self.optional_int(name)?;
        let dtype = |number: i64| DType::from_onnx(number).map_err(|_| unknown());
        number.map(dtype).transpose()
    }

    /// Like [`Call::optional_dtype_attribute`], for an attribute that is required or has a default.
    pub fn dtype_attribute(&self, name: &str) -> Result<DType, OpError> {
        self.optional_dtype_attribute(name)?
            .ok_or_else(|| OpError::Attribute {
                name: name.to_owned(),
                problem: "is required",
            })
    }

    /// The number of outputs that the node lists.
    pub fn output_count(&self) -> usize {
        self.wanted.len()
    }

    /// Whether the node names output `index`.
    pub fn wants(&self, index: usize) -> bool {
        self.wanted.get(index).copied().unwrap_or(false)
    }

    /// Requests a tensor of this size before it is allocated, and charges its elements as work. Every
    /// operator calls it if its output or scratch memory can be larger than all inputs together. The size
    /// is the product of the non-zero extents.
    pub fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError> {
        self.host.reserve(shape, dtype)
    }

    /// Counts one step of a loop.
    pub fn step(&self) -> Result<(), OpError> {
        self.host.step()
    }

    /// Charges a loop over these extents before it starts; an extent of 0 counts as 1. Every operator calls
    /// it if it does more than read its inputs and write its outputs a few times.
    pub fn work(&self, extents: &[usize]) -> Result<(), OpError> {
        self.host.work(product(extents))
    }

    /// Like [`Call::work`], for the multiplications of a matrix product of `dtype`. All types but f64
    /// compute [`PRODUCTS_AT_ONCE`] at a time.
    pub fn products(&self, dtype: DType, extents: &[usize]) -> Result<(), OpError> {
        let count = product(extents);
        self.host.work(match dtype {
            DType::Double => count,
            _ => count.div_ceil(PRODUCTS_AT_ONCE),
        })
    }

    /// Whether the run accepts this deviation from the specification. Every run does, except a strict one.
    pub fn tolerates(&self, deviation: Deviation) -> bool {
        self.host.tolerates(deviation)
    }

    /// Whether the run uses this reading, an answer to a question that the specification leaves open.
    pub fn takes(&self, reading: Reading) -> bool {
        self.host.takes(reading)
    }

    /// Draws a seed for random rounding; `None` if the run has none. Where it has, equal values may differ.
    pub fn rounding_seed(&self) -> Option<u64> {
        self.host.rounding_seed()
    }

    /// Deviates from the specification; a strict run returns the error `refusal`.
    pub fn deviate(&self, deviation: Deviation, refusal: OpError) -> Result<(), OpError> {
        if self.tolerates(deviation) {
            Ok(())
        } else {
            Err(refusal)
        }
    }

    /// Runs a subgraph in the scope of this node.
    pub fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Outputs, OpError> {
        self.host.run_body(body, inputs)
    }

    /// The graph that contains the node, for operators on the graph itself (Gradient).
    pub fn enclosing(&self) -> Result<Enclosing<'a>, OpError> {
        let inside = || OpError::undefined("this operator inside a function");
        self.host.enclosing().ok_or_else(inside)
    }

    /// A call of another node under the same interpreter.
    pub fn with_node<'b>(
        &self,
        schema: &'static OperatorSchema,
        inputs: &'b [Option<Value>],
        attributes: &'b [Attribute],
        wanted: &'b [bool],
    ) -> Call<'b>
    where
        'a: 'b,
    {
        Call::new(schema, inputs, attributes, wanted, self.host)
    }

    /// What the run does with a result that the specification does not determine.
    pub fn unspecified(&self) -> Unspecified {
        self.host.unspecified()
    }

    /// A seed for the draws of such a result.
    pub fn draw_seed(&self) -> u64 {
        self.host.draw_seed()
    }

    /// The seed of a random operator: the bits of the `seed` attribute if it is set (an integer in Dropout,
    /// otherwise a float), otherwise a draw from the interpreter.
    pub fn seed(&self) -> Result<u64, OpError> {
        let given = match self.schema.attribute("seed").map(|seed| seed.kind) {
            Some(AttributeKind::Int) => self.optional_int("seed")?.map(i64::cast_unsigned),
            _ => self.optional_float("seed")?.map(|seed| u64::from(seed.to_bits())),
        };
        match self.host.unspecified() {
            Unspecified::Chosen => Ok(given.unwrap_or_else(|| self.host.draw_seed())),
            Unspecified::Drawn => Ok(self.host.draw_seed()),
            Unspecified::Refused => Err(OpError::undefined(format!(
                "the values of {} are drawn at random",
                self.schema
            ))),
        }
    }

    /// The probability with which a possible outcome is drawn: 1/2 in a run that shows which values depend
    /// on draws, so that few runs show it, and `probability` in others. A certain or impossible outcome
    /// stays so.
    pub fn chance(&self, probability: f64) -> f64 {
        match self.host.unspecified() {
            Unspecified::Drawn if probability > 0.0 && probability < 1.0 => 0.5,
            Unspecified::Drawn | Unspecified::Chosen | Unspecified::Refused => probability,
        }
    }

    fn kind(&self, index: usize, expected: &'static str, found: &Value) -> OpError {
        OpError::Kind {
            index,
            expected,
            found: found.value_type().to_string(),
        }
    }
}
