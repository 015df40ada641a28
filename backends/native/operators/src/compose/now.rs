//! Compositions over whole values: each node is computed as it is written.

use onnx_tensor::{DType, Dim, Tensor, Value};

use super::{Compose, Composition, Given, Halt, Id, Writer};
use crate::attributes::Attributes;
use crate::error::{Problem, unsupported};
use crate::{Call, Outcome, find};

/// The values so far.
#[derive(Default)]
struct Now {
    values: Vec<Value>,
}

impl Now {
    fn push(&mut self, value: Value) -> Id {
        self.values.push(value);
        Id(u32::try_from(self.values.len() - 1).unwrap_or(u32::MAX))
    }

    fn get(&self, id: Id) -> Option<&Value> {
        self.values.get(id.0 as usize)
    }
}

impl Writer for Now {
    fn dtype(&self, id: Id) -> Option<DType> {
        Some(self.elements(id)?.dtype())
    }

    fn dims(&self, id: Id) -> Option<Vec<Dim>> {
        Some(
            self.elements(id)?
                .shape()
                .iter()
                .copied()
                .map(Dim::Fixed)
                .collect(),
        )
    }

    fn elements(&self, id: Id) -> Option<&Tensor> {
        self.get(id)?.as_tensor()
    }

    fn constant(&mut self, tensor: Tensor) -> Id {
        self.push(Value::Tensor(tensor))
    }

    fn node(
        &mut self,
        (operator, opset): (&str, u32),
        inputs: &[Option<Id>],
        attributes: Given<'_>,
        results: usize,
    ) -> Result<Vec<Id>, Problem> {
        let schema = onnx_schema::lookup("", operator, opset);
        let row = schema.and_then(|schema| find("", operator, schema.since));
        let (Some(schema), Some(row)) = (schema, row) else {
            return unsupported(format!("{operator} is not implemented"));
        };
        let owned = |(name, value): &(&str, _)| ((*name).to_owned(), Clone::clone(value));
        let given = attributes.iter().map(owned).collect();
        let inputs: Vec<Option<&Value>> = inputs.iter().map(|id| self.get((*id)?)).collect();
        let values = row.run(&Call {
            since: schema.since,
            attributes: &Attributes::new(given, schema),
            inputs: &inputs,
            outputs: results,
        })?;
        if values.len() < results {
            return unsupported(format!("{operator} with {results} outputs"));
        }
        Ok(values
            .into_iter()
            .take(results)
            .map(|value| self.push(value))
            .collect())
    }
}

/// Computes a composed operator.
///
/// # Errors
/// Those of the operator.
pub fn run(compose: Compose, call: &Call) -> Outcome {
    let mut now = Now::default();
    let inputs = call.inputs.iter().map(|value| Some(now.push((*value)?.clone())));
    let inputs = inputs.collect();
    let all = Composition::new(&mut now, call.attributes, inputs, vec![true; call.outputs]);
    let results = match all.written(compose) {
        Ok(results) => results,
        Err(Halt::Problem(problem)) => return Err(problem),
        Err(Halt::Unknown) => return unsupported("an operand is not a tensor"),
    };
    let value = |id: Option<Id>| now.get(id?).cloned();
    Ok(results.into_iter().map_while(value).collect())
}
