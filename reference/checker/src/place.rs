//! The names of functions and bodies in findings.

use onnx_model::{Function, Node};

/// The name of a function in findings.
pub fn function_place(function: &Function) -> String {
    match function.overload.as_str() {
        "" => format!("function {}.{}", function.domain, function.name),
        overload => format!("function {}.{}:{overload}", function.domain, function.name),
    }
}

/// The name of a body in findings.
pub fn body_place(enclosing: &str, node: &Node, attribute: &str) -> String {
    format!("{enclosing}, `{attribute}` of node `{}`", node.label())
}
