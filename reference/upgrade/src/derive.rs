//! Compares two schemas: whether a version of an operator only adds to the previous one.

use onnx_schema::{Formal, FormalOption, OperatorSchema, SchemaType, TypeRef};

/// An attribute of version 1 without a meaning; it is removed.
pub(crate) const MEANINGLESS: &str = "consumed_inputs";

/// Checks that every node of version `from`, without [`MEANINGLESS`] attributes, is a node of
/// version `to`: no input, output, attribute or type is removed, no default differs, nothing new is
/// required. The table of rewrites lists the steps whose texts differ although their schemas do
/// not.
///
/// # Errors
/// The first difference.
pub fn unchanged(from: &OperatorSchema, to: &OperatorSchema) -> Result<(), String> {
    if to.deprecated {
        return Err(format!("version {} withdraws the operator", to.since));
    }
    formals("input", (from, from.inputs), (to, to.inputs))?;
    formals("output", (from, from.outputs), (to, to.outputs))?;
    linked(from, to)?;
    attributes(from, to)
}

/// The parameters of both versions, position by position.
fn formals(
    what: &str,
    (from, before): (&OperatorSchema, &[Formal]),
    (to, now): (&OperatorSchema, &[Formal]),
) -> Result<(), String> {
    for (index, old) in before.iter().enumerate() {
        let Some(new) = now.get(index) else {
            return Err(format!("there is no {what} `{}` any more", old.name));
        };
        if !admits(new, old) {
            return Err(format!(
                "{what} `{}` may no longer be given in the same way",
                old.name
            ));
        }
        let known = to.types(new);
        let lost = from
            .types(old)
            .iter()
            .find(|of: &&SchemaType| !known.contains(of));
        if let Some(lost) = lost {
            return Err(format!("{what} `{}` may no longer be {lost}", old.name));
        }
    }
    match now.get(before.len()..).unwrap_or_default() {
        [] => Ok(()),
        more if more.iter().all(|formal| formal.option == FormalOption::Optional) => Ok(()),
        more => Err(format!(
            "{what} `{}` is new",
            more.first().map_or("", |formal| formal.name)
        )),
    }
}

/// Whether `new` accepts every type that `old` accepts.
fn admits(new: &Formal, old: &Formal) -> bool {
    match (old.option, new.option) {
        (FormalOption::Single, FormalOption::Single | FormalOption::Optional)
        | (FormalOption::Optional, FormalOption::Optional) => true,
        (FormalOption::Single | FormalOption::Variadic, FormalOption::Variadic) => {
            new.min_arity <= old.min_arity && (!new.homogeneous || old.homogeneous)
        }
        (FormalOption::Optional | FormalOption::Variadic, FormalOption::Single)
        | (FormalOption::Variadic, FormalOption::Optional)
        | (FormalOption::Optional, FormalOption::Variadic) => false,
    }
}

/// Whether parameters that share a type in the new version already share one in the old version.
fn linked(from: &OperatorSchema, to: &OperatorSchema) -> Result<(), String> {
    let before: Vec<&Formal> = from.inputs.iter().chain(from.outputs).collect();
    let now: Vec<&Formal> = {
        let inputs = to.inputs.iter().take(from.inputs.len());
        inputs.chain(to.outputs.iter().take(from.outputs.len())).collect()
    };
    let same = |a: &Formal, b: &Formal| match (a.type_ref, b.type_ref) {
        (TypeRef::Constraint(a), TypeRef::Constraint(b)) => a == b,
        _ => false,
    };
    let one_type = |schema: &OperatorSchema, a: &Formal, b: &Formal| {
        same(a, b) || matches!((schema.types(a), schema.types(b)), ([x], [y]) if x == y)
    };
    for (i, (old_a, new_a)) in before.iter().zip(&now).enumerate() {
        for (old_b, new_b) in before.iter().zip(&now).skip(i + 1) {
            if same(new_a, new_b) && !one_type(from, old_a, old_b) {
                return Err(format!(
                    "`{}` and `{}` must have one type now",
                    new_a.name, new_b.name
                ));
            }
        }
    }
    Ok(())
}

fn attributes(from: &OperatorSchema, to: &OperatorSchema) -> Result<(), String> {
    for old in from.attributes.iter().filter(|old| old.name != MEANINGLESS) {
        let Some(new) = to.attribute(old.name) else {
            return Err(format!("there is no attribute `{}` any more", old.name));
        };
        if (new.kind, new.default) != (old.kind, old.default) {
            return Err(format!("attribute `{}` has another kind or default", old.name));
        }
        if new.required && !old.required {
            return Err(format!("attribute `{}` must be given now", old.name));
        }
    }
    match to
        .attributes
        .iter()
        .find(|new| new.required && from.attribute(new.name).is_none())
    {
        Some(new) => Err(format!("attribute `{}` must be given now", new.name)),
        None => Ok(()),
    }
}
