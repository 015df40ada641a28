//! One evaluation of a node, as seen by a rule.

use onnx_model::Attribute;
use onnx_operators::frame::{Call, Eval, OpError, Outputs};
use onnx_schema::TypeRef;
use onnx_tensor::{Array, DType, Real, Tensor, TensorError, Value, dispatch};

use crate::bodies::Bodies;
use crate::precision;
use crate::radius::Radius;

/// One evaluation of a node.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// Its inputs and attributes.
    pub call: &'a Call<'a>,
    /// The function that evaluates it.
    pub eval: Eval,
    /// Its outputs: the exact result, rounded once.
    pub outputs: &'a Outputs,
    /// Runs its bodies.
    pub bodies: &'a dyn Bodies,
    /// The error radius of each input of the call.
    pub errors: &'a [Radius],
}

impl Query<'_> {
    /// Whether all inputs are exact.
    pub fn inputs_exact(&self) -> bool {
        self.errors.iter().all(Radius::is_exact)
    }

    /// The first input whose error is unknown, if any.
    pub fn unknown_input(&self) -> Option<&Radius> {
        self.errors
            .iter()
            .find(|radius| matches!(radius, Radius::Unknown(_)))
    }

    /// The tensor of output `index`.
    pub fn output(&self, index: usize) -> Option<&Tensor> {
        self.outputs.get(index)?.as_ref()?.as_tensor()
    }

    /// The element type of output `index`, if it is a tensor.
    pub fn output_dtype(&self, index: usize) -> Option<DType> {
        self.output(index).map(Tensor::dtype)
    }

    /// The unit roundoff of output `index`; 0 if it is not a float tensor.
    pub fn unit(&self, index: usize) -> f64 {
        self.output_dtype(index).and_then(precision::unit).unwrap_or(0.0)
    }

    /// Input `index` in f64, if it is a numeric tensor.
    pub fn input(&self, index: usize) -> Option<Array<f64>> {
        reals(self.call.optional(index)?.as_tensor()?)
    }

    /// The radii of input `index` in its shape; zeros if it is omitted or exact.
    pub fn error(&self, index: usize) -> Option<Array<f64>> {
        let shape = self.call.optional(index)?.as_tensor()?.shape();
        self.errors.get(index)?.array(shape)
    }

    /// Whether all inputs with errors are tensors of f16, bf16, f32 or f64.
    pub fn only_floats_are_off(&self) -> bool {
        let mut off = (0..self.errors.len()).filter(|index| !self.errors[*index].is_exact());
        off.all(|index| self.is_float(index))
    }

    /// Whether input `index` is a tensor of f16, bf16, f32 or f64.
    pub fn is_float(&self, index: usize) -> bool {
        let tensor = self.call.optional(index).and_then(Value::as_tensor);
        tensor.is_some_and(|tensor| is_float(tensor.dtype()))
    }

    /// Evaluates the operator again with float inputs, and other numeric inputs with errors, in
    /// f64, replaced by the result of `change` (index, value).
    ///
    /// # Errors
    /// Those of the operator for such inputs.
    pub fn again(
        &self,
        change: impl Fn(usize, Array<f64>) -> Array<f64>,
    ) -> Result<Vec<Option<Array<f64>>>, OpError> {
        let outputs = self.evaluate_with(self.call.given_attributes(), |index, tensor| {
            let off = self.errors.get(index).is_some_and(|radius| !radius.is_exact());
            (off || is_float(tensor.dtype())).then_some(())?;
            Some(Tensor::from(change(index, reals(tensor)?)))
        })?;
        Ok(outputs.iter().map(|output| reals(output.as_ref()?)).collect())
    }

    /// Evaluates the operator again with each float input replaced by the result of `replace` (index,
    /// tensor), unless it is `None`.
    ///
    /// # Errors
    /// Those of the operator for such inputs.
    pub fn evaluate(
        &self,
        replace: impl Fn(usize, &Tensor) -> Option<Tensor>,
    ) -> Result<Vec<Option<Tensor>>, OpError> {
        self.evaluate_with(self.call.given_attributes(), |index, tensor| {
            let floats = is_float(tensor.dtype());
            floats.then(|| replace(index, tensor)).flatten()
        })
    }

    /// A float operand as doubles.
    fn double(&self, index: usize) -> Option<Value> {
        let tensor = self.call.optional(index)?.as_tensor()?;
        let wide = is_float(tensor.dtype()).then(|| reals(tensor)).flatten()?;
        Some(Value::Tensor(Tensor::from(wide)))
    }

    /// Like [`evaluate`](Self::evaluate), with other attributes, and with replacement of tensors of any type.
    /// Where a float is replaced by doubles, the other operands of its type variable become doubles, too:
    /// they have one type.
    ///
    /// # Errors
    /// Those of the operator for such inputs and attributes.
    pub fn evaluate_with(
        &self,
        attributes: &[Attribute],
        replace: impl Fn(usize, &Tensor) -> Option<Tensor>,
    ) -> Result<Vec<Option<Tensor>>, OpError> {
        let replaced =
            |index: usize| replace(index, self.call.optional(index)?.as_tensor()?).map(Value::Tensor);
        let mut inputs: Vec<Option<Value>> = (0..self.call.input_count()).map(replaced).collect();
        let variable = |index: usize| match self.call.schema().input(index)?.type_ref {
            TypeRef::Constraint(name) => Some(name),
            TypeRef::Concrete(_) => None,
        };
        let is_double = |value: &Option<Value>| matches!(value, Some(Value::Tensor(Tensor::Double(_))));
        let widened: Vec<&str> = (0..inputs.len())
            .filter(|index| is_double(&inputs[*index]))
            .filter_map(variable)
            .collect();
        for (index, input) in inputs.iter_mut().enumerate().filter(|(_, input)| input.is_none()) {
            let is_widened = variable(index).is_some_and(|name| widened.contains(&name));
            let wide = is_widened.then(|| self.double(index)).flatten();
            *input = wide.or_else(|| self.call.optional(index).cloned());
        }
        let wanted: Vec<bool> = (0..self.call.output_count())
            .map(|index| self.call.wants(index))
            .collect();
        let call = self
            .call
            .with_node(self.call.schema(), &inputs, attributes, &wanted);
        let outputs = (self.eval)(&call)?;
        let tensor = |value: Option<Value>| match value? {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        };
        Ok(outputs.into_iter().map(tensor).collect())
    }
}

/// Whether operators compute in this type with rounding.
pub fn is_float(dtype: DType) -> bool {
    match dtype {
        DType::Float16 | DType::Bfloat16 | DType::Float | DType::Double => true,
        // Storage formats: operators only convert to and from them.
        DType::Float8E4M3Fn
        | DType::Float8E4M3Fnuz
        | DType::Float8E5M2
        | DType::Float8E5M2Fnuz
        | DType::Float8E8M0
        | DType::Float6E2M3
        | DType::Float6E3M2
        | DType::Float4E2M1 => false,
        // No operator that rounds accepts complex numbers.
        DType::Complex64 | DType::Complex128 => false,
        DType::Uint8
        | DType::Int8
        | DType::Uint16
        | DType::Int16
        | DType::Int32
        | DType::Int64
        | DType::String
        | DType::Bool
        | DType::Uint32
        | DType::Uint64
        | DType::Uint4
        | DType::Int4
        | DType::Uint2
        | DType::Int2 => false,
    }
}

/// A numeric or bool tensor in f64.
pub fn reals(tensor: &Tensor) -> Option<Array<f64>> {
    macro_rules! small {
        ($($variant:ident $to:expr),*) => {
            match tensor {
                Tensor::Bool(array) => Some(array.mapv(|flag| f64::from(u8::from(flag)))),
                $(Tensor::$variant(array) => Some(array.mapv($to)),)*
                _ => None,
            }
        };
    }
    let small = small!(
        Float8E4M3Fn | x | x.to_f64(),
        Float8E4M3Fnuz | x | x.to_f64(),
        Float8E5M2 | x | x.to_f64(),
        Float8E5M2Fnuz | x | x.to_f64(),
        Float8E8M0 | x | x.to_f64(),
        Float6E2M3 | x | x.to_f64(),
        Float6E3M2 | x | x.to_f64(),
        Float4E2M1 | x | x.to_f64(),
        Uint4 | x | f64::from(x.get()),
        Int4 | x | f64::from(x.get()),
        Uint2 | x | f64::from(x.get()),
        Int2 | x | f64::from(x.get())
    );
    if let Tensor::Double(array) = tensor {
        return Some(array.clone());
    }
    small.map(|array| array.into_shared()).or_else(|| {
        let convert = || -> Result<Array<f64>, TensorError> {
            dispatch!(real, tensor.dtype(), T => Ok(tensor.array::<T>()?.mapv(Real::to_f64).into_shared()))
        };
        convert().ok()
    })
}
