//! Cells of the schema table: operator version × type parameter × type.

use onnx_schema::{OperatorSchema, SchemaType, TypeRef};

use crate::draft::Types;

/// A type parameter of a version with its possible types: a type constraint, or an input or output of
/// fixed types.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    /// Its types.
    pub types: &'static [SchemaType],
}

/// The type parameters in the order of the schema, then inputs and outputs with types of their own.
pub fn parameters(schema: &OperatorSchema) -> Vec<Parameter> {
    let named = schema.type_constraints.iter();
    let mut parameters: Vec<Parameter> = named
        .map(|constraint| Parameter {
            name: constraint.name,
            types: constraint.types,
        })
        .collect();
    for formal in schema.inputs.iter().chain(schema.outputs) {
        if let TypeRef::Concrete(types) = formal.type_ref
            && parameters.iter().all(|known| known.name != formal.name)
        {
            parameters.push(Parameter {
                name: formal.name,
                types,
            });
        }
    }
    parameters
}

/// The number of combinations of types.
pub(crate) fn combinations(parameters: &[Parameter]) -> usize {
    parameters.iter().fold(1, |count: usize, parameter| {
        count.saturating_mul(parameter.types.len().max(1))
    })
}

/// Combination number `number`, which is below [`combinations`].
pub(crate) fn combination(parameters: &[Parameter], mut number: usize) -> Types {
    let mut types = Types::new();
    for parameter in parameters {
        let count = parameter.types.len().max(1);
        if let Some(of) = parameter.types.get(number % count) {
            types.insert(parameter.name, *of);
        }
        number /= count;
    }
    types
}

/// A short name of a combination, for a case's name: the parameters with a choice.
pub(crate) fn label(parameters: &[Parameter], types: &Types) -> String {
    let several = parameters.iter().filter(|parameter| parameter.types.len() > 1);
    let texts = several.filter_map(|parameter| types.get(parameter.name).map(short));
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() {
        "only".to_owned()
    } else {
        texts.join(".")
    }
}

/// A short name of a type: the element type for a tensor, `float16`; ONNX's notation for others.
pub fn short(of: &SchemaType) -> String {
    match of {
        SchemaType::Tensor(element) => element.onnx_name().to_owned(),
        SchemaType::SparseTensor(_)
        | SchemaType::Sequence(_)
        | SchemaType::Optional(_)
        | SchemaType::Map(..) => of.to_string(),
    }
}
