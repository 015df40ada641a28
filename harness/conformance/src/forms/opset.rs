//! The operators that a form adds to a model: their versions, and the values that they accept.

use onnx_model::Model;
use onnx_schema::{OperatorSchema, releases};
use onnx_tensor::ValueType;

use super::NotApplicable;

/// The version of an operator of ai.onnx that the model imports. If the model does not import ai.onnx,
/// the import is added: the newest opset of the oldest release that has the model's other domains.
pub(super) fn operator(
    model: &mut Model,
    name: &'static str,
) -> Result<&'static OperatorSchema, NotApplicable> {
    let missing = || NotApplicable::NoOperator { operator: name };
    if !model.opset_imports.contains_key("") {
        let of_domain = |(domain, opset): (&String, &i64)| {
            let has = |release: &&onnx_schema::Release| {
                release
                    .opset_of(domain)
                    .is_some_and(|newest| i64::from(newest) >= *opset)
            };
            releases().iter().position(|release| has(&release))
        };
        let positions = model.opset_imports.iter().map(of_domain);
        let newest = positions
            .collect::<Option<Vec<usize>>>()
            .and_then(|all| all.into_iter().max());
        let release = newest
            .and_then(|position| releases().get(position))
            .ok_or_else(missing)?;
        model.opset_imports.insert(String::new(), release.opset.into());
    }
    onnx_schema::resolve(&model.opset_imports, "", name)
        .ok()
        .filter(|schema| !schema.deprecated)
        .ok_or_else(missing)
}

/// Fails if the first input of an operator cannot have this type, or the first output if no input has a
/// type variable.
pub(super) fn takes(schema: &OperatorSchema, value_type: &ValueType) -> Result<(), NotApplicable> {
    // The only input of an If is its condition.
    let formal = match schema.name {
        "If" => schema.output(0),
        _ => schema.input(0),
    };
    let types = formal.map_or(&[][..], |formal| schema.types(formal));
    if types.iter().any(|known| known.matches(value_type)) {
        Ok(())
    } else {
        Err(NotApplicable::TypeNotTaken {
            operator: schema.to_string(),
            value_type: value_type.to_string(),
        })
    }
}
