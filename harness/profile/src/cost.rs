//! The operations and bytes of a node, from the shapes of its values.
//!
//! An operation is one multiplication, addition, comparison or elementary function on an element; a
//! fused multiplication and addition counts as two. Bytes are those of each operand and result
//! once; of an operand that is read in part, as many as are written.

use run_record::profile::{Cost, ModelNode};

use crate::naming::NamedModel;
use crate::shapes::{Shapes, product};

/// How the operations of an operator follow from its shapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    /// A convolution: each element of the result is a sum of as many products as a filter has
    /// weights. The filters are the input at this position,
    /// `[filters, channels of a group, window…]`.
    Convolution(usize),
    /// A transposed convolution: each element of the image is multiplied with the weights of its
    /// channel, `[channels, filters of a group, window…]`.
    Transposed,
    /// A matrix product; the length of its sums is the last extent of the first operand.
    Product,
    /// A matrix product whose first operand may be transposed by `transA`.
    Gemm,
    /// A sum of products over all labels of the equation.
    Einsum,
    /// A recurrent network: for each time, batch and direction the products with the weights of the
    /// input and of the state.
    Recurrent,
    /// A sum or maximum over a window with the attribute `kernel_shape` for each element of the result.
    Window,
    /// As many operations as this for each element of the first input.
    PerInput(u32),
    /// As many operations as this for each element of the first output.
    PerOutput(u32),
    /// None: elements are moved.
    Movement,
    /// None: a part of the first input, chosen by others, is copied.
    Selection,
    /// None: neither elements are read nor written, apart from shapes.
    Nothing,
}

/// The family of an operator; `None` for an operator without a model of cost.
fn family(operator: &str) -> Option<Family> {
    use Family::*;
    Some(match operator {
        "Conv" | "ConvInteger" | "com.microsoft.FusedConv" => Convolution(1),
        "QLinearConv" => Convolution(3),
        "ConvTranspose" => Transposed,
        "MatMul" | "MatMulInteger" | "QLinearMatMul" => Product,
        "Gemm" => Gemm,
        "Einsum" => Einsum,
        "LSTM" | "GRU" | "RNN" => Recurrent,
        "MaxPool" | "AveragePool" | "LpPool" => Window,
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" | "ReduceSum" | "ReduceMean" | "ReduceMax"
        | "ReduceMin" | "ReduceProd" | "ArgMax" | "ArgMin" | "CumSum" | "TopK" => PerInput(1),
        "ReduceL1" | "ReduceL2" | "ReduceSumSquare" | "ReduceLogSum" => PerInput(2),
        "ReduceLogSumExp" => PerInput(3),
        // A maximum, a difference, an exponential, a sum, a quotient.
        "Softmax" | "LogSoftmax" => PerInput(5),
        // A mean, a difference, a square with its sum, a product with a scale, a sum with a shift.
        "LayerNormalization"
        | "InstanceNormalization"
        | "GroupNormalization"
        | "MeanVarianceNormalization" => PerInput(7),
        "RMSNormalization" | "LpNormalization" => PerInput(4),
        "BatchNormalization" => PerInput(2),
        // A square and a sum for each channel of the window (five by default), a power, a quotient.
        "LRN" => PerInput(12),
        "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Mod" | "PRelu" | "Max" | "Min" | "Sum" | "Mean" | "And"
        | "Or" | "Xor" | "Not" | "Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual"
        | "BitShift" | "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" | "BitwiseNot" | "Abs" | "Neg" | "Sign"
        | "Floor" | "Ceil" | "Round" | "Sqrt" | "Reciprocal" | "Exp" | "Log" | "Erf" | "Sin" | "Cos"
        | "Tan" | "Asin" | "Acos" | "Atan" | "Sinh" | "Cosh" | "Asinh" | "Acosh" | "Atanh" | "Tanh"
        | "Relu" | "LeakyRelu" | "ThresholdedRelu" | "Clip" | "IsNaN" | "IsInf" | "Cast" | "CastLike"
        | "Where" => PerOutput(1),
        "HardSigmoid" | "Elu" | "Celu" | "Selu" | "Shrink" | "Softsign" | "QuantizeLinear"
        | "DequantizeLinear" => PerOutput(2),
        "Sigmoid" | "Softplus" | "DynamicQuantizeLinear" => PerOutput(3),
        "HardSwish" | "Swish" => PerOutput(4),
        "Gelu" | "Mish" => PerOutput(5),
        // A weight for each of four neighbours.
        "Resize" | "Upsample" | "GridSample" => PerOutput(8),
        "Concat" | "Transpose" | "Expand" | "Tile" | "Pad" | "Split" | "DepthToSpace" | "SpaceToDepth"
        | "OneHot" | "Trilu" | "ScatterND" | "ScatterElements" | "Scatter" | "ReverseSequence"
        | "ConstantOfShape" | "Range" | "EyeLike" => Movement,
        "Gather" | "GatherND" | "GatherElements" | "Slice" | "Compress" => Selection,
        "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" | "Identity" | "Dropout" | "Shape" | "Size"
        | "Constant" => Nothing,
        _ => return None,
    })
}

/// The cost of one evaluation of each node; `None` where the operator has no model or a shape is not known.
pub fn of_nodes(named: &NamedModel, shapes: &Shapes) -> Vec<Option<Cost>> {
    (0..named.nodes.len())
        .map(|at| {
            let node = &named.nodes[at];
            let own_names = !node.function.is_empty();
            let operations = operations(named, at, shapes).filter(|_| !own_names)?;
            let reads = node.inputs.iter().filter(|name| !name.is_empty());
            let reads: f64 = reads.map(|name| read(node, name, shapes)).sum::<Option<f64>>()?;
            let writes: f64 = written(node, shapes)?;
            Some(Cost {
                operations,
                bytes: if moves_nothing(node) { 0.0 } else { reads + writes },
            })
        })
        .collect()
}

/// Whether a node neither reads nor writes elements.
fn moves_nothing(node: &ModelNode) -> bool {
    family(&node.operator) == Some(Family::Nothing)
}

/// Whether the elements of an input of a node are needed by the nodes after it.
pub fn enters(node: &ModelNode, name: &str) -> bool {
    let is_first = node.inputs.first().is_some_and(|first| first == name);
    let asks_shape = matches!(node.operator.as_str(), "Shape" | "Size");
    !moves_nothing(node) || (is_first && !asks_shape)
}

/// The bytes that a node reads of one of its inputs.
pub fn read(node: &ModelNode, name: &str, shapes: &Shapes) -> Option<f64> {
    let all = shapes.bytes(name)?;
    let is_selected = family(&node.operator) == Some(Family::Selection);
    if is_selected && node.inputs.first().is_some_and(|first| first == name) {
        Some(all.min(written(node, shapes)?))
    } else {
        Some(all)
    }
}

/// The bytes that a node writes; outputs that no backend reports are those that it does not compute.
fn written(node: &ModelNode, shapes: &Shapes) -> Option<f64> {
    shapes.bytes(node.outputs.first()?)?;
    Some(node.outputs.iter().filter_map(|name| shapes.bytes(name)).sum())
}

fn operations(named: &NamedModel, at: usize, shapes: &Shapes) -> Option<f64> {
    let node = &named.nodes[at];
    let input = |position: usize| node.inputs.get(position).filter(|name| !name.is_empty());
    let shape = |position: usize| shapes.shape(input(position)?);
    let results = || shapes.elements(node.outputs.first()?);
    let ints = |name: &str| {
        let found = named.attributes[at].iter().find(|(known, _)| known == name);
        found.map(|(_, values)| values.as_slice())
    };
    let window = |filters: &[u64]| filters.get(1..).map(product);
    Some(match family(&node.operator)? {
        Family::Convolution(filters) => {
            let bias = input(filters + 1).is_some_and(|_| filters == 1) || input(8).is_some();
            results()? * (2.0 * window(shape(filters)?)? + f64::from(u8::from(bias)))
        }
        Family::Transposed => {
            let products = 2.0 * shapes.elements(input(0)?)? * window(shape(1)?)?;
            products + if input(2).is_some() { results()? } else { 0.0 }
        }
        Family::Product => 2.0 * results()? * *shape(0)?.last()? as f64,
        Family::Gemm => {
            let transposed = ints("transA").is_some_and(|value| value == [1]);
            let common = *shape(0)?.get(usize::from(!transposed))? as f64;
            results()? * (2.0 * common + f64::from(u8::from(input(2).is_some())))
        }
        Family::Einsum => einsum(
            &named.equations[at],
            &(0..node.inputs.len()).map(shape).collect::<Option<Vec<_>>>()?,
        )?,
        Family::Recurrent => {
            // W is [directions, gates · hidden, inputs], R is [directions, gates · hidden, hidden],
            // X has one row for each time and batch.
            let (x, w, r) = (shape(0)?, shape(1)?, shape(2)?);
            let steps = product(x.get(..2)?);
            2.0 * steps * (product(w) + product(r))
        }
        Family::Window => {
            let window: f64 = ints("kernel_shape")?
                .iter()
                .map(|&extent| extent as f64)
                .product();
            results()? * window
        }
        Family::PerInput(each) => f64::from(each) * shapes.elements(input(0)?)?,
        Family::PerOutput(each) => f64::from(each) * results()?,
        Family::Movement | Family::Selection | Family::Nothing => 0.0,
    })
}

/// A product and a sum for each combination of the labels; `None` for an equation with an ellipsis.
fn einsum(equation: &str, operands: &[&[u64]]) -> Option<f64> {
    let inputs = equation.split("->").next()?;
    let mut extents = std::collections::BTreeMap::new();
    for (labels, shape) in inputs.split(',').zip(operands) {
        let labels: Vec<char> = labels.chars().filter(|c| !c.is_whitespace()).collect();
        if labels.contains(&'.') || labels.len() != shape.len() {
            return None;
        }
        extents.extend(labels.into_iter().zip(shape.iter().copied()));
    }
    let all: Vec<u64> = extents.into_values().collect();
    Some(2.0 * product(&all))
}
