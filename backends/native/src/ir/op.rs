//! The operation of a node.

use std::fmt;
use std::sync::Arc;

use onnx_model::AttributeValue;
use onnx_schema::OperatorSchema;

use super::fused::Fused;
use super::graph::Graph;
use crate::attributes::Attributes;
use crate::ops::Row;

/// The operation of a node: an ONNX operator, or one that a pass made.
#[derive(Clone, Debug)]
pub enum Op {
    /// An operator without bodies.
    Plain(Operator),
    /// A fused node, which a pass made from several.
    Fused(Fused),
    /// If. Inputs: the condition, then the captured values of both bodies in one list.
    If {
        operator: Operator,
        /// The then-branch and the else-branch, each with all captured values as inputs.
        branches: [Arc<Graph>; 2],
    },
    /// Loop, Scan or SequenceMap. Inputs: those of the operator, then the captured values of the body.
    Repeat {
        operator: Operator,
        /// The number of inputs of the operator; captured values follow.
        own_inputs: usize,
        /// The body. Inputs: the declared ones, then the captured values.
        body: Arc<Graph>,
    },
}

/// One version of an operator with its attributes.
#[derive(Clone)]
pub struct Operator {
    /// The signature.
    pub schema: &'static OperatorSchema,
    /// The code that computes it.
    pub row: &'static Row,
    /// The attributes with defaults, without those that hold graphs.
    pub attributes: Arc<Attributes>,
}

impl Op {
    /// Returns the ONNX operator; for a fused node, the one that it is named after.
    pub fn operator(&self) -> Option<&Operator> {
        match self {
            Op::Plain(operator) | Op::If { operator, .. } | Op::Repeat { operator, .. } => Some(operator),
            Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => Some(&inner.operator),
            Op::Fused(Fused::Dequantized(inner)) => Some(&inner.product.operator),
            Op::Fused(Fused::Bytes(inner)) => Some(&inner.operator),
            Op::Fused(Fused::Interleaved(convolution)) => Some(&convolution.inner.operator),
            Op::Fused(Fused::Rounded(inner)) => inner.function.as_ref(),
            Op::Fused(Fused::Affine(_) | Fused::Attention(_) | Fused::Rearrange(_) | Fused::Reorder) => None,
        }
    }

    /// The name of the operator in messages, with its version: `Softmax-13`.
    pub fn label(&self) -> String {
        match self {
            Op::Fused(fused) if self.operator().is_none() => fused.to_string(),
            _ => self
                .operator()
                .map(|operator| operator.schema.to_string())
                .unwrap_or_default(),
        }
    }

    /// Returns the operator if it is in `ai.onnx`, has this name and no body.
    pub fn plain(&self, name: &str) -> Option<&Operator> {
        match self {
            Op::Plain(operator) if operator.schema.domain.is_empty() && operator.schema.name == name => {
                Some(operator)
            }
            _ => None,
        }
    }
}

impl Operator {
    /// Makes a version of an operator of `ai.onnx` with these attributes, if it is implemented.
    pub fn make<'a>(
        name: &str,
        since: u32,
        attributes: impl IntoIterator<Item = (&'a str, AttributeValue)>,
    ) -> Option<Operator> {
        let schema = onnx_schema::lookup("", name, since)?;
        let owned = |(name, value): (&str, AttributeValue)| (name.to_owned(), value);
        let given = attributes.into_iter().map(owned).collect();
        Some(Operator {
            schema,
            row: crate::ops::find("", name, schema.since)?,
            attributes: Arc::new(Attributes::new(given, schema)),
        })
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.schema)
    }
}
