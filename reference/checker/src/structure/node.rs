//! Checks a node against the signature of its operator or function.

use std::collections::HashSet;

use onnx_model::{Attribute, AttributeValue, Function, Node};
use onnx_schema::{CONTRIB_DOMAIN, Formal, FormalOption, OperatorSchema, Unresolved, canonical_domain};

use super::bodies::body_arity;
use super::{Frame, Structure, values};
use crate::attribute_kind::kind_problem;
use crate::problem::Problem;
use crate::resolve::{Resolved, resolve, shown};

impl<'m> Structure<'m, '_> {
    /// The violations of the node itself: its operator, the number of its inputs and outputs, its
    /// attributes.
    pub(super) fn node(&self, node: &'m Node, frame: Frame<'_, 'm>) -> Vec<Problem> {
        let mut problems = references(node, frame.declared);
        if node.operator.is_empty() {
            problems.push(Problem::OperatorUnnamed);
            return problems;
        }
        if !node.overload.is_empty() && self.functions.called_by(node).is_none() {
            problems.push(Problem::OverloadUnknown {
                function: format!("{}.{}", shown(&node.domain), node.operator),
                overload: node.overload.clone(),
            });
            return problems;
        }
        let resolved = resolve(&self.functions, frame.imports, node);
        if let Ok(Resolved::Operator(schema)) = resolved {
            problems.extend(self.other_import(schema, node, frame));
        }
        match resolved {
            Ok(Resolved::Operator(schema)) if schema.deprecated => problems.push(Problem::OperatorDeprecated),
            Ok(Resolved::Operator(schema)) => {
                if schema.is_contrib() && schema.domain != CONTRIB_DOMAIN {
                    problems.push(Problem::OperatorOfRuntime);
                }
                signature(schema, node, &mut problems);
                values::check(schema, node, &mut problems);
                problems.extend(body_arity(schema, node, self.model.ir_version));
            }
            Ok(Resolved::Function(function)) => call(function, node, &mut problems),
            Ok(Resolved::Foreign) => {}
            // Reported once, for the import.
            Err(Problem::OpsetUnknown { .. }) => {}
            Err(Problem::OperatorUnknown { opset, .. }) if opset < 1 => {}
            Err(problem) => problems.push(problem),
        }
        problems
    }

    /// The version of an operator in a function, if the imports of the model give another one.
    fn other_import(&self, schema: &OperatorSchema, node: &Node, frame: Frame) -> Option<Problem> {
        let imports = &self.model.opset_imports;
        frame.declared?;
        let opset = *imports.get(canonical_domain(&node.domain))?;
        if opset < 1 {
            return None;
        }
        let model = match onnx_schema::resolve(imports, &node.domain, &node.operator) {
            Ok(found) => Some(found.since),
            Err(Unresolved::UnknownOperator { .. }) => None,
            Err(_) => return None,
        };
        let here = schema.since;
        (model != Some(here)).then_some(Problem::FunctionImport { here, model })
    }
}

/// Checks references to attributes of the enclosing function.
fn references(node: &Node, declared: Option<&HashSet<&str>>) -> Vec<Problem> {
    let problem = |attribute: &Attribute| {
        let AttributeValue::Reference(target, _) = &attribute.value else {
            return None;
        };
        let (name, target) = (attribute.name.clone(), target.clone());
        match declared {
            None => Some(Problem::ReferenceOutside { name, target }),
            Some(declared) if !declared.contains(target.as_str()) => {
                Some(Problem::ReferenceUndeclared { name, target })
            }
            Some(_) => None,
        }
    };
    node.attributes.iter().filter_map(problem).collect()
}

/// Checks a node of an operator version.
fn signature(schema: &OperatorSchema, node: &Node, problems: &mut Vec<Problem>) {
    let count = node.inputs.len();
    if !(schema.min_inputs..=schema.max_inputs).contains(&count) {
        let (least, most) = (schema.min_inputs, schema.max_inputs);
        problems.push(Problem::InputCount {
            found: count,
            least,
            most,
        });
    }
    let count = node.outputs.len();
    if !(schema.min_outputs..=schema.max_outputs).contains(&count) {
        let (least, most) = (schema.min_outputs, schema.max_outputs);
        problems.push(Problem::OutputCount {
            found: count,
            least,
            most,
        });
    }
    problems.extend(omitted("input", &node.inputs, String::is_empty, |at| {
        schema.input(at)
    }));
    problems.extend(omitted("output", &node.outputs, String::is_empty, |at| {
        schema.output(at)
    }));
    for attribute in &node.attributes {
        if schema.attribute(&attribute.name).is_none() {
            problems.push(Problem::AttributeUnknown {
                name: attribute.name.clone(),
            });
        }
        problems.extend(kind_problem(schema, &attribute.name, &attribute.value));
    }
    let missing = schema
        .attributes
        .iter()
        .filter(|attribute| attribute.required && node.attribute(attribute.name).is_none());
    problems.extend(missing.map(|attribute| Problem::AttributeMissing {
        name: attribute.name.to_owned(),
    }));
}

/// Reports names of parameters that are omitted and not optional.
pub(crate) fn omitted(
    what: &'static str,
    names: &[String],
    is_omitted: impl Fn(&String) -> bool,
    formal_at: impl Fn(usize) -> Option<&'static Formal>,
) -> Vec<Problem> {
    let problem = |(index, _): (usize, &String)| {
        let formal = formal_at(index).filter(|formal| formal.option != FormalOption::Optional)?;
        let name = formal.name.to_owned();
        Some(Problem::ParameterOmitted { what, index, name })
    };
    names
        .iter()
        .enumerate()
        .filter(|(_, name)| is_omitted(name))
        .filter_map(problem)
        .collect()
}

/// Checks a call of a function of the model. Trailing inputs and any outputs may be omitted.
fn call(function: &Function, node: &Node, problems: &mut Vec<Problem>) {
    if node.inputs.len() > function.inputs.len() {
        let (found, most) = (node.inputs.len(), function.inputs.len());
        problems.push(Problem::InputCount {
            found,
            least: 0,
            most,
        });
    }
    if node.outputs.len() > function.outputs.len() {
        let (found, most) = (node.outputs.len(), function.outputs.len());
        problems.push(Problem::OutputCount {
            found,
            least: 0,
            most,
        });
    }
    let declares = |name: &String| {
        function.attributes.contains(name)
            || function
                .attribute_defaults
                .iter()
                .any(|default| default.name == *name)
    };
    let unknown = node
        .attributes
        .iter()
        .filter(|attribute| !declares(&attribute.name));
    problems.extend(unknown.map(|attribute| Problem::AttributeUnknown {
        name: attribute.name.clone(),
    }));
}
