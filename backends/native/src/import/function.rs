//! Inlines functions: those of the model, and operators with an ONNX function body.

use std::collections::HashMap;
use std::sync::Arc;

use onnx_model::{Function, Limits, Node as FileNode, Source};
use onnx_schema::{OperatorSchema, canonical_domain};

use super::node::{Actual, optional};
use super::scope::Scope;
use super::{ImportError, Importer, canonical};

/// The maximum nesting depth of calls and bodies; it ends the recursion of a function that calls itself.
pub const MAX_DEPTH: u32 = 64;

/// Returns the ONNX function body of an operator version, if it has one.
pub fn of_schema(schema: &'static OperatorSchema, opset: i64) -> Result<Option<Function>, ImportError> {
    let opset = u32::try_from(opset).unwrap_or_default();
    let Some(body) = onnx_schema::function_body(schema, opset) else {
        return Ok(None);
    };
    let source = Source::named("a function body of the schema table");
    let function = Function::decode(body.proto, &source, &Limits::default());
    function.map(Some).map_err(|error| ImportError::FunctionBody {
        operator: schema.to_string(),
        problem: error.to_string(),
    })
}

impl Importer<'_> {
    /// Returns the function of the model that a node calls, if any.
    pub fn local_function(&self, node: &FileNode) -> Option<Arc<Function>> {
        let domain = canonical_domain(&node.domain);
        let key = (domain, node.operator.as_str(), node.overload.as_str());
        self.functions.get(&key).map(|function| Arc::clone(function))
    }

    /// Replaces a call by the nodes of the function's body.
    pub fn call(
        &mut self,
        scope: &mut Scope,
        node: &FileNode,
        function: &Function,
        mut given: Actual,
    ) -> Result<(), ImportError> {
        for default in &function.attribute_defaults {
            given
                .entry(default.name.clone())
                .or_insert_with(|| default.value.clone());
        }
        let mut names = HashMap::new();
        for (position, formal) in function.inputs.iter().enumerate() {
            let actual = node.inputs.get(position).map_or("", String::as_str);
            names.insert(formal.clone(), scope.read(actual)?);
        }
        self.deeper()?;
        let caller = scope.enter_function(names, canonical(&function.opset_imports));
        self.all(scope, &function.nodes, Some(&given))?;
        let outputs = function.outputs.iter().zip(&node.outputs);
        let outputs = outputs
            .filter_map(|(formal, actual)| Some((formal, optional(actual)?)))
            .map(|(formal, actual)| Ok((actual.to_owned(), scope.read(formal)?)))
            .collect::<Result<Vec<_>, ImportError>>()?;
        scope.leave_function(caller);
        self.depth -= 1;
        for (name, id) in outputs {
            scope.alias(&name, id);
        }
        Ok(())
    }

    /// Increments the nesting depth.
    pub fn deeper(&mut self) -> Result<(), ImportError> {
        if self.depth >= MAX_DEPTH {
            return Err(ImportError::TooDeep(MAX_DEPTH));
        }
        self.depth += 1;
        Ok(())
    }
}
