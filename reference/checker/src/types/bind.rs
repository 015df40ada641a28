//! Binds type parameters to the types of the inputs of one call.

use onnx_schema::{Formal, FormalOption, OperatorSchema, SchemaType, TypeRef};
use onnx_tensor::ValueType;

use crate::problem::Problem;

/// The types to which the inputs of a call bind the type parameters.
#[derive(Clone, Default, Debug)]
pub struct Bound(Vec<(&'static str, ValueType)>);

impl Bound {
    /// The type of a type parameter.
    pub fn get(&self, parameter: &str) -> Option<&ValueType> {
        self.0
            .iter()
            .find(|(name, _)| *name == parameter)
            .map(|(_, bound)| bound)
    }
}

/// Checks the types of a call's inputs against the signature: each must be in its set, and each type
/// parameter must have one type.
///
/// An input that is omitted or whose type is unknown is `None` and binds nothing. Both the check of a
/// model, with inferred types, and the interpreter, with the types of values, use this.
pub fn bind<'t>(
    schema: &'static OperatorSchema,
    inputs: impl IntoIterator<Item = Option<&'t ValueType>>,
) -> (Bound, Vec<Problem>) {
    let (mut bound, mut problems) = (Bound::default(), Vec::new());
    for (index, found) in inputs.into_iter().enumerate() {
        let (Some(found), Some(formal)) = (found, schema.input(index)) else {
            continue;
        };
        problems.extend(hold(&mut bound, schema, formal, ("input", index), found));
    }
    (bound, problems)
}

/// Checks one input or output against its set and its type parameter, and binds the parameter if it is
/// unbound.
pub(super) fn hold(
    bound: &mut Bound,
    schema: &'static OperatorSchema,
    formal: &'static Formal,
    (what, index): (&'static str, usize),
    found: &ValueType,
) -> Option<Problem> {
    let allowed = schema.types(formal);
    if !allowed.iter().any(|allowed| allowed.matches(found)) {
        let (name, found, allowed) = (formal.name.to_owned(), found.to_string(), list(allowed));
        return Some(Problem::TypeNotAllowed {
            what,
            index,
            name,
            found,
            allowed,
        });
    }
    let TypeRef::Constraint(parameter) = formal.type_ref else {
        return None;
    };
    if is_heterogeneous(formal) {
        return None;
    }
    match bound.get(parameter) {
        None => {
            bound.0.push((parameter, found.clone()));
            None
        }
        Some(before) if before.same_kind(found) => None,
        Some(before) => Some(Problem::TypeConflict {
            what,
            index,
            name: formal.name.to_owned(),
            found: found.to_string(),
            parameter,
            bound: before.to_string(),
        }),
    }
}

/// Whether the values of a variadic parameter may have different types.
pub(super) fn is_heterogeneous(formal: &Formal) -> bool {
    formal.option == FormalOption::Variadic && !formal.homogeneous
}

fn list(types: &[SchemaType]) -> String {
    let texts: Vec<String> = types.iter().map(ToString::to_string).collect();
    texts.join(", ")
}
