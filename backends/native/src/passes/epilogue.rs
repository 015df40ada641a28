//! Merges a following bias, residual and activation into a convolution or product.
//!
//! The merged node takes the position of the last merged node, where all of its inputs are defined. The pass
//! applies to all fused nodes with an epilogue: convolutions, products, and scales with shifts.

use native_kernels::Activation;
use native_kernels::elementwise::Binary;
use onnx_tensor::Tensor;

use super::Report;
use super::pattern::{Around, Links, operator, per_channel};
use crate::error::NodeError;
use crate::ir::{Epilogued, Fused, Graph, Node, Op, ValueId};
use crate::kernels::activation_of;
use crate::ops::fast::Fast;

/// Returns the epilogue of a fused node.
fn epilogue(node: &Node) -> Option<&Epilogued> {
    match &node.op {
        Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => Some(inner),
        Op::Fused(Fused::Dequantized(inner)) => Some(&inner.product),
        _ => None,
    }
}

/// Returns the fused node of a value that only one node reads, if it has no activation yet.
fn open<'g>(around: &Around<'g>, id: ValueId) -> Option<(usize, &'g Node)> {
    let (at, node) = around.sole_producer(id)?;
    epilogue(node).filter(|inner| inner.activation == Activation::Identity)?;
    Some((at, node))
}

/// Merges until nothing changes.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for at in 0..graph.nodes.len() {
        let candidate = operator(&graph.nodes[at]).is_some_and(|operator| {
            matches!(
                operator.row.fast,
                Some(Fast::Binary(Binary::Add) | Fast::Clip | Fast::Activation(_))
            )
        }) || rounding(&graph.nodes[at]).is_some();
        if !candidate {
            continue;
        }
        let merged = {
            let around = links.around(graph);
            let node = &graph.nodes[at];
            with_activation(&around, node).or_else(|| with_sum(&around, node))
        };
        let Some(merged) = merged else { continue };
        report.push(format!(
            "`{}` is merged into `{}`",
            graph.nodes[at].name, graph.nodes[merged.from].name
        ));
        let mut fused = merged.node;
        if let Some(bias) = merged.bias {
            let id = graph.add_constant(format!("{}.bias", fused.name), Tensor::vector(bias));
            fused.inputs.resize(fused.inputs.len().max(3), None);
            fused.inputs[2] = Some(id);
        }
        fused.outputs = graph.nodes[at].outputs.clone();
        links.replace(graph, at, fused);
        let husk = &mut graph.nodes[merged.from];
        links.forget(husk);
        (husk.inputs, husk.outputs) = (Vec::new(), vec![None]);
    }
    graph
        .nodes
        .retain(|node| node.outputs.iter().any(Option::is_some));
    Ok(report)
}

struct Merged {
    /// The position of the fused node.
    from: usize,
    node: Node,
    bias: Option<Vec<f32>>,
}

/// Returns the activation of a rounding to halves.
fn rounding(node: &Node) -> Option<Activation> {
    match &node.op {
        Op::Fused(Fused::Rounded(inner)) if inner.function.is_none() => Some(Activation::nearest(inner.to)),
        _ => None,
    }
}

/// Returns the activation that is `first` and then `next`, if there is one.
fn composed(first: Activation, next: Activation) -> Option<Activation> {
    match (first, next) {
        (Activation::Identity, next) => Some(next),
        // Rounding is monotonic and keeps halves, so these bounds may be applied before it.
        (Activation::Narrow { to, .. }, Activation::Relu) if first == Activation::nearest(to) => {
            Some(Activation::Narrow {
                to,
                low: 0.0,
                high: f32::INFINITY,
            })
        }
        (Activation::Narrow { to, .. }, Activation::Clip { low, high })
            if first == Activation::nearest(to) && to.has(low) && to.has(high) =>
        {
            Some(Activation::Narrow { to, low, high })
        }
        _ => None,
    }
}

fn with_activation(around: &Around, node: &Node) -> Option<Merged> {
    let next = rounding(node).or_else(|| activation(around, node))?;
    let input = node.input(0)?;
    if let Some((
        from,
        Node {
            op: Op::Fused(Fused::Affine(first)),
            ..
        },
    )) = around.sole_producer(input)
    {
        let mut node = around.graph.nodes[from].clone();
        node.op = Op::Fused(Fused::Affine(composed(*first, next)?));
        return Some(Merged {
            from,
            node,
            bias: None,
        });
    }
    let (from, fused) = around.sole_producer(input)?;
    let mut node = fused.clone();
    let inner = match &mut node.op {
        Op::Fused(Fused::Convolution(inner) | Fused::Product(inner)) => inner,
        Op::Fused(Fused::Dequantized(inner)) => &mut inner.product,
        _ => return None,
    };
    inner.activation = composed(inner.activation, next)?;
    Some(Merged {
        from,
        node,
        bias: None,
    })
}

/// Returns the activation of a node, including a Clip with constant bounds.
pub fn activation(around: &Around, node: &Node) -> Option<Activation> {
    let operator = operator(node)?;
    if matches!(operator.row.fast, Some(Fast::Clip)) {
        let bound = |position: usize, default: f32| match node.input(position) {
            Some(id) => around
                .scalar(id)
                .map(|value| value as f32)
                .filter(|bound| !bound.is_nan()),
            None => Some(default),
        };
        return Some(Activation::Clip {
            low: bound(1, f32::MIN)?,
            high: bound(2, f32::MAX)?,
        });
    }
    activation_of(operator)
}

/// Merges an Add of a constant by channel (a bias), or of a value of the same shape (a residual).
fn with_sum(around: &Around, node: &Node) -> Option<Merged> {
    let adds = matches!(operator(node)?.row.fast, Some(Fast::Binary(Binary::Add)));
    if !adds || node.inputs.len() != 2 {
        return None;
    }
    let (a, b) = (node.input(0)?, node.input(1)?);
    let bias = [(a, b), (b, a)].into_iter().find_map(|(sum, other)| {
        let (from, fused) = open(around, sum)?;
        Some(Merged {
            from,
            node: fused.clone(),
            bias: Some(biased(around, fused, sum, around.graph.constant(other)?)?),
        })
    });
    bias.or_else(|| {
        let candidates = [(a, b), (b, a)].into_iter().filter(|&(sum, other)| {
            let constant = around.graph.value(other).constant.is_some();
            sum != other && !constant && around.same_shape(sum, other)
        });
        let open_ones = candidates.filter_map(|(sum, other)| {
            let (from, fused) = open(around, sum).filter(|(_, fused)| fused.input(3).is_none())?;
            Some((from, fused, other))
        });
        // If both operands are fused nodes, it merges into the later one: its residual is still in the cache.
        let (from, fused, other) = open_ones.max_by_key(|(from, ..)| *from)?;
        let mut node = fused.clone();
        node.inputs.resize(node.inputs.len().max(4), None);
        node.inputs[3] = Some(other);
        Some(Merged {
            from,
            node,
            bias: None,
        })
    })
}

/// Returns the bias of a fused node with a constant added.
fn biased(around: &Around, fused: &Node, sum: ValueId, added: &Tensor) -> Option<Vec<f32>> {
    let inner = epilogue(fused)?;
    let weights = crate::ir::fixed_shape(around.graph.known(fused.input(1)?))?;
    let added = match &fused.op {
        Op::Fused(Fused::Convolution(_)) => {
            let rank = crate::ir::shape(around.graph.known(sum)).map_or(weights.len(), <[_]>::len);
            per_channel(added, *weights.first()?, rank)?
        }
        _ => {
            let turned = inner.operator.attributes.flag("transB").ok()?;
            let columns = if turned {
                *weights.first()?
            } else {
                *weights.last()?
            };
            let fits = weights.len() >= 2 && added.len() == columns && added.shape().last() == Some(&columns);
            let no_wider = added.rank() <= crate::ir::shape(around.graph.known(sum))?.len();
            (fits && no_wider).then(|| added.to_vec::<f32>().ok()).flatten()?
        }
    };
    let beta = inner.operator.attributes.find_float("beta").ok()?.unwrap_or(1.0);
    match fused.input(2) {
        None if beta == 1.0 => Some(added),
        Some(id) if beta == 1.0 => {
            let old = around.graph.constant(id)?;
            // The shape decides: a C of one column is as long as a row if the product is square.
            let along_columns = match old.shape() {
                [] | [1] | [1, 1] => true,
                [columns] | [1, columns] => *columns == added.len(),
                _ => false,
            };
            let old = old.to_vec::<f32>().ok().filter(|_| along_columns)?;
            let values = old.iter().cycle().zip(&added);
            Some(values.map(|(a, b)| a + b).collect())
        }
        _ => None,
    }
}
