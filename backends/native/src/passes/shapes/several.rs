//! Shapes of operators with several outputs.

use std::sync::Arc;

use onnx_tensor::{Dim, ValueType};

use super::{Context, Shape, whole};
use crate::ir::{Graph, Node, dtype, shape};
use crate::ops::call::{axis, extent};

/// Returns the types of the outputs of an If: what both branches give for the types of their inputs.
pub fn of_branches(graph: &Graph, node: &Node, branches: &[Arc<Graph>; 2]) -> Vec<Option<ValueType>> {
    let [then, otherwise] = branches.each_ref().map(|branch| inferred(graph, node, branch));
    let common = |(a, b): (Option<ValueType>, Option<ValueType>)| {
        let (same, other) = (dtype(a.as_ref())?, dtype(b.as_ref())?);
        let both = |(a, b): (&Dim, &Dim)| match a == b {
            true => a.clone(),
            false => Dim::Unknown,
        };
        let dims = shape(a.as_ref()).zip(shape(b.as_ref()));
        let dims = dims.filter(|(a, b)| a.len() == b.len());
        (same == other).then(|| ValueType::Tensor {
            dtype: same,
            shape: dims.map(|(a, b)| a.iter().zip(b).map(both).collect()),
        })
    };
    then.into_iter().zip(otherwise).map(common).collect()
}

/// Infers the outputs of a branch whose inputs have the types of the node's. What was known before
/// may be that of other inputs.
fn inferred(graph: &Graph, node: &Node, branch: &Arc<Graph>) -> Vec<Option<ValueType>> {
    let mut branch = Graph::clone(branch);
    branch.forget_shapes();
    for (&inner, outer) in branch.inputs.clone().iter().zip(node.inputs.iter().skip(1)) {
        branch.values[inner.index()].known = outer.and_then(|id| graph.known(id).cloned());
    }
    match super::super::infer::run(&mut branch) {
        Ok(_) => branch
            .outputs
            .iter()
            .map(|&id| branch.known(id).cloned())
            .collect(),
        Err(_) => vec![None; branch.outputs.len()],
    }
}

impl Context<'_> {
    /// Returns the shape of each output; `None` if the operator has a rule for its first output only.
    pub(super) fn several(&self) -> Option<Vec<Option<Shape>>> {
        let count = self.node.outputs.len();
        Some(match self.operator.schema.name {
            "Split" => self.split().unwrap_or_default(),
            "Dropout" | "MaxPool" => vec![self.first(); count],
            "TopK" => vec![self.top_k(); count],
            "Unique" => self.unique(),
            "DynamicQuantizeLinear" => vec![self.first_shape(), Some(Vec::new()), Some(Vec::new())],
            "SoftmaxCrossEntropyLoss" => vec![self.loss(), self.first_shape()],
            "TreeEnsembleClassifier" => self.classified(["classlabels_int64s", "classlabels_strings"]),
            "SVMClassifier" => self.voted(),
            "LinearClassifier" => self.classified(["classlabels_ints", "classlabels_strings"]),
            "RNN" | "GRU" | "LSTM" => self.recurrent().unwrap_or_default(),
            "Attention" => self.attention().unwrap_or_default(),
            "CausalConvWithState" => self.causal(),
            "LinearAttention" => self.linear_attention().unwrap_or_default(),
            "StringSplit" => vec![None, self.first_shape()],
            _ => return None,
        })
    }

    fn first_shape(&self) -> Option<Shape> {
        Some(self.shape(0)?.to_vec())
    }

    fn top_k(&self) -> Option<Shape> {
        let mut result = self.first_shape()?;
        let at = axis(self.int("axis")?, result.len()).ok()?;
        let k = match self.operator.schema.since {
            ..10 => self.int("k"),
            _ => self.ints(1).and_then(|k| k.first().copied()),
        };
        result[at] = k.and_then(|k| extent(k).ok()).map_or(Dim::Unknown, Dim::Fixed);
        Some(result)
    }

    /// The number of elements that differ is unknown. Without an axis, the result is a vector.
    fn unique(&self) -> Vec<Option<Shape>> {
        let vector = || Some(vec![Dim::Unknown]);
        let along = |at: i64| {
            let mut result = self.first_shape()?;
            let at = axis(at, result.len()).ok()?;
            result[at] = Dim::Unknown;
            Some(result)
        };
        let first = match self.int("axis") {
            Some(at) => along(at),
            None => vector(),
        };
        vec![first, vector(), vector(), vector()]
    }

    /// The result, the keys and the values with those of the past, and the scores. Operands of
    /// three axes have their heads in the last.
    fn attention(&self) -> Option<Vec<Option<Shape>>> {
        let heads = |name: &str| self.int(name).and_then(|heads| extent(heads).ok());
        let (q_heads, kv_heads) = (heads("q_num_heads"), heads("kv_num_heads"));
        let q = self.with_heads(0, q_heads)?;
        let k = self.with_heads(1, kv_heads)?;
        let v = self.with_heads(2, kv_heads)?;
        let total = |past: usize, tokens: &Dim| match self.node.input(past) {
            None => tokens.clone(),
            Some(_) => {
                let both = [self.shape(past).and_then(|shape| shape.get(2)), Some(tokens)];
                let both = both.map(|dim| dim.and_then(whole));
                match both {
                    [Some(past), Some(new)] => past.checked_add(new).map_or(Dim::Unknown, Dim::Fixed),
                    _ => Dim::Unknown,
                }
            }
        };
        let [batch, heads, queries, _] = q.clone();
        let keys = total(4, &k[2]);
        let present = |of: &[Dim; 4], past: usize| {
            vec![of[0].clone(), of[1].clone(), total(past, &of[2]), of[3].clone()]
        };
        let result = match self.shape(0)?.len() {
            3 => {
                let hidden = q_heads
                    .zip(whole(&v[3]))
                    .and_then(|(heads, size)| heads.checked_mul(size));
                vec![
                    batch.clone(),
                    queries.clone(),
                    hidden.map_or(Dim::Unknown, Dim::Fixed),
                ]
            }
            _ => vec![batch.clone(), heads.clone(), queries.clone(), v[3].clone()],
        };
        let scores = vec![batch, heads, queries, keys];
        Some(vec![
            Some(result),
            Some(present(&k, 4)),
            Some(present(&v, 5)),
            Some(scores),
        ])
    }

    /// Returns the extents of an operand as `[batch, heads, tokens, size]`.
    fn with_heads(&self, position: usize, heads: Option<usize>) -> Option<[Dim; 4]> {
        match self.shape(position)? {
            [batch, heads, tokens, size] => {
                Some([batch.clone(), heads.clone(), tokens.clone(), size.clone()])
            }
            [batch, tokens, hidden] => {
                let heads = heads.filter(|heads| *heads > 0)?;
                let size = super::mapped(hidden, |hidden| {
                    hidden.is_multiple_of(heads).then_some(hidden / heads)
                });
                Some([batch.clone(), Dim::Fixed(heads), tokens.clone(), size])
            }
            _ => None,
        }
    }
}
