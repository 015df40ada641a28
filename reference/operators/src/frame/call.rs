//! One evaluation of a node: its inputs, its attributes with the defaults of its version, its outputs.

use onnx_model::{Attribute, Graph};
use onnx_schema::{AttributeKind, OperatorSchema};
use onnx_tensor::{Array, DType, Element, Map, Sequence, Tensor, TensorError, Value, ValueType};

use super::{Deviation, Enclosing, Host, OpError, Reading};

/// Products of narrow elements that take as long as one operation on an element of another kind.
pub const PRODUCTS_AT_ONCE: u64 = 16;

/// The product of extents; an extent of zero counts as one, and what exceeds u64 is its greatest value.
fn product(extents: &[usize]) -> u64 {
    let factors = extents.iter().map(|&extent| extent.max(1) as u64);
    factors.fold(1, u64::saturating_mul)
}

/// What an operator gives back: a value for each output, `None` where the node names none.
pub type Outputs = Vec<Option<Value>>;

/// The outputs of an operator that has one.
pub fn one(value: impl Into<Value>) -> Result<Outputs, OpError> {
    Ok(vec![Some(value.into())])
}

/// One evaluation of a node. Arity and types have been held against the schema before it is made.
pub struct Call<'a> {
    pub(super) schema: &'static OperatorSchema,
    pub(super) attributes: &'a [Attribute],
    inputs: &'a [Option<Value>],
    wanted: &'a [bool],
    host: &'a dyn Host,
}

impl<'a> Call<'a> {
    /// A call of the version that `schema` describes. `wanted` says for each output of the node whether it is named.
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

    /// How many inputs the node has, omitted ones in between included.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Input `index`, or `None` where it is omitted.
    pub fn optional(&self, index: usize) -> Option<&'a Value> {
        self.inputs.get(index)?.as_ref()
    }

    /// Input `index`.
    pub fn value(&self, index: usize) -> Result<&'a Value, OpError> {
        self.optional(index).ok_or_else(|| OpError::MissingInput {
            index,
            name: self.schema.input(index).map_or("?", |formal| formal.name),
        })
    }

    /// Input `index`, which is a tensor.
    pub fn tensor(&self, index: usize) -> Result<&'a Tensor, OpError> {
        match self.value(index)? {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(self.kind(index, "tensor", other)),
        }
    }

    /// Input `index`, which is a tensor where it is not omitted.
    pub fn optional_tensor(&self, index: usize) -> Result<Option<&'a Tensor>, OpError> {
        self.optional(index).map(|_| self.tensor(index)).transpose()
    }

    /// All inputs from `first` on, which are tensors (a variadic input).
    pub fn tensors_from(&self, first: usize) -> Result<Vec<&'a Tensor>, OpError> {
        (first..self.input_count())
            .map(|index| self.tensor(index))
            .collect()
    }

    /// Input `index`, which is a sequence.
    pub fn sequence(&self, index: usize) -> Result<&'a Sequence, OpError> {
        match self.value(index)? {
            Value::Sequence(sequence) => Ok(sequence),
            other => Err(self.kind(index, "sequence", other)),
        }
    }

    /// Input `index`, which is a map.
    pub fn map(&self, index: usize) -> Result<&'a Map, OpError> {
        match self.value(index)? {
            Value::Map(map) => Ok(map),
            other => Err(self.kind(index, "map", other)),
        }
    }

    /// The element type of input `index`, which is a tensor.
    pub fn dtype(&self, index: usize) -> Result<DType, OpError> {
        Ok(self.tensor(index)?.dtype())
    }

    /// The array of input `index`, a tensor of `T`.
    pub fn array<T: Element>(&self, index: usize) -> Result<&'a Array<T>, OpError> {
        Ok(self.tensor(index)?.array::<T>()?)
    }

    /// The array of input `index` where it is not omitted.
    pub fn optional_array<T: Element>(&self, index: usize) -> Result<Option<&'a Array<T>>, OpError> {
        Ok(self
            .optional_tensor(index)?
            .map(|tensor| tensor.array::<T>())
            .transpose()?)
    }

    /// The elements of input `index`, an int32 or int64 tensor of any shape: axes, a shape, pads.
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

    /// As [`Call::integers`], where the input is not omitted.
    pub fn optional_integers(&self, index: usize) -> Result<Option<Vec<i64>>, OpError> {
        self.optional(index).map(|_| self.integers(index)).transpose()
    }

    /// The only element of input `index`, a tensor of `T` with one element.
    pub fn scalar<T: Element>(&self, index: usize) -> Result<T, OpError> {
        let array = self.array::<T>(index)?;
        match (array.len(), array.first()) {
            (1, Some(value)) => Ok(value.clone()),
            (count, _) => Err(OpError::invalid(format!(
                "input {index} must have one element, it has {count}"
            ))),
        }
    }

    /// `dtype`, if output `index` may have it in this version: for operators whose output type is not that of an input.
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

    /// The element type that an integer attribute names by its number in `TensorProto.DataType`.
    pub fn optional_dtype_attribute(&self, name: &str) -> Result<Option<DType>, OpError> {
        let unknown = || OpError::Attribute {
            name: name.to_owned(),
            problem: "is no element type",
        };
        let number = self.optional_int(name)?;
        let dtype = |number| {
            i32::try_from(number)
                .ok()
                .and_then(|number| DType::from_onnx(number).ok())
        };
        number.map(|number| dtype(number).ok_or_else(unknown)).transpose()
    }

    /// As [`Call::optional_dtype_attribute`], for an attribute that is required or has a default.
    pub fn dtype_attribute(&self, name: &str) -> Result<DType, OpError> {
        self.optional_dtype_attribute(name)?
            .ok_or_else(|| OpError::Attribute {
                name: name.to_owned(),
                problem: "is required",
            })
    }

    /// How many outputs the node lists.
    pub fn output_count(&self) -> usize {
        self.wanted.len()
    }

    /// Whether output `index` is named by the node.
    pub fn wants(&self, index: usize) -> bool {
        self.wanted.get(index).copied().unwrap_or(false)
    }

    /// Asks for leave to make a tensor of this size, before memory is taken, and charges its elements as work. Every operator
    /// whose output or scratch can be larger than its inputs together asks. The size is the product of the extents that
    /// are not zero.
    pub fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError> {
        self.host.reserve(shape, dtype)
    }

    /// Counts one step of a loop.
    pub fn step(&self) -> Result<(), OpError> {
        self.host.step()
    }

    /// Charges a loop over these extents, before it begins; an extent of zero counts as one. Every operator that does more
    /// than read its inputs and write its outputs a few times asks.
    pub fn work(&self, extents: &[usize]) -> Result<(), OpError> {
        self.host.work(product(extents))
    }

    /// As [`Call::work`], for multiplications of elements of `dtype` that a matrix product makes: all but those of f64 run
    /// [`PRODUCTS_AT_ONCE`] at a time.
    pub fn products(&self, dtype: DType, extents: &[usize]) -> Result<(), OpError> {
        let count = product(extents);
        self.host.work(match dtype {
            DType::Double => count,
            _ => count.div_ceil(PRODUCTS_AT_ONCE),
        })
    }

    /// Whether the run departs from the specification in this way: it does unless it is strict.
    pub fn tolerates(&self, deviation: Deviation) -> bool {
        self.host.tolerates(deviation)
    }

    /// Whether the run takes this reading of what the specification leaves open.
    pub fn takes(&self, reading: Reading) -> bool {
        self.host.takes(reading)
    }

    /// Departs from the specification, unless the run is strict: then `refusal` is the error.
    pub fn deviate(&self, deviation: Deviation, refusal: OpError) -> Result<(), OpError> {
        match self.tolerates(deviation) {
            true => Ok(()),
            false => Err(refusal),
        }
    }

    /// Runs a subgraph in the scope of this node.
    pub fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Outputs, OpError> {
        self.host.run_body(body, inputs)
    }

    /// The graph in which the node stands, for an operator that is about the graph itself (Gradient).
    pub fn enclosing(&self) -> Result<Enclosing<'a>, OpError> {
        let inside = || OpError::undefined("this operator inside a function");
        self.host.enclosing().ok_or_else(inside)
    }

    /// The call of another node under the same interpreter.
    pub fn beside<'b>(
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

    /// The seed for a random operator: the bits of the `seed` attribute where it is set (an integer in Dropout, else a float),
    /// else drawn from the interpreter.
    pub fn seed(&self) -> Result<u64, OpError> {
        let given = match self.schema.attribute("seed").map(|seed| seed.kind) {
            Some(AttributeKind::Int) => self.optional_int("seed")?.map(i64::cast_unsigned),
            _ => self.optional_float("seed")?.map(|seed| u64::from(seed.to_bits())),
        };
        Ok(given.unwrap_or_else(|| self.host.draw_seed()))
    }

    fn kind(&self, index: usize, expected: &'static str, found: &Value) -> OpError {
        OpError::Kind {
            index,
            expected,
            found: found.value_type().to_string(),
        }
    }
}
