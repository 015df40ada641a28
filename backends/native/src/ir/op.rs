//! What a node does.

use std::fmt;
use std::sync::Arc;

use onnx_model::AttributeValue;
use onnx_schema::OperatorSchema;

use super::attributes::Attributes;
use super::fused::Fused;
use super::graph::Graph;
use crate::ops::Row;

/// What a node does: an operator as ONNX defines it, or one that a pass made.
#[derive(Clone, Debug)]
pub enum Op {
    /// An operator without bodies.
    Plain(Operator),
    /// What a pass made of several nodes.
    Fused(Fused),
    /// If: the condition, then what its bodies capture, in one list for both.
    If {
        /// The operator.
        operator: Operator,
        /// Each with all captured values as inputs: then, else.
        branches: [Arc<Graph>; 2],
    },
    /// Loop, Scan or SequenceMap: the operator's inputs, then what the body captures.
    Repeat {
        /// The operator.
        operator: Operator,
        /// The inputs of its own that the node has; captured values follow.
        own_inputs: usize,
        /// The body: its declared inputs, then what it captures.
        body: Arc<Graph>,
    },
}

/// One version of an operator with its attributes.
#[derive(Clone)]
pub struct Operator {
    /// The signature.
    pub schema: &'static OperatorSchema,
    /// What computes it.
    pub row: &'static Row,
    /// The attributes, defaults filled in; those that hold graphs are left out.
    pub attributes: Arc<Attributes>,
}

impl Op {
    /// The operator as ONNX has it; of a fused node the one that it is named after.
    pub fn operator(&self) -> Option<&Operator> {
        match self {
            Op::Plain(operator) | Op::If { operator, .. } | Op::Repeat { operator, .. } => Some(operator),
            Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => Some(&inner.operator),
            Op::Fused(Fused::Interleaved(convolution)) => Some(&convolution.inner.operator),
            Op::Fused(Fused::Affine(_) | Fused::Attention(_) | Fused::Rearrange(_) | Fused::Reorder) => None,
        }
    }

    /// How the operator is named in messages: with its since, as `Softmax-13`.
    pub fn label(&self) -> String {
        match self {
            Op::Fused(fused) if self.operator().is_none() => fused.to_string(),
            _ => self
                .operator()
                .map(|operator| operator.schema.to_string())
                .unwrap_or_default(),
        }
    }

    /// The operator, if it is of `ai.onnx`, has this name and no body.
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
    /// A version of an operator of `ai.onnx` with these attributes, if there is code for it.
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
