//! The role of an input, derived from the graph and the input's name.

use onnx_model::{AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_shapes::Elements;
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

use super::reach::{Reach, is_cast_to_bool, passes, reads_shape};

/// The role of an input.
#[derive(Clone, PartialEq, Debug)]
pub enum Role {
    /// Indices into a table: token ids, categories.
    Index {
        /// The number of rows of the table.
        rows: usize,
    },
    /// 1 for elements that count, 0 for others.
    Mask,
    /// 0, 1, 2, … along the last axis, below the number of rows of the table if it has one.
    Position {
        /// The number of rows of the table.
        rows: Option<usize>,
    },
    /// Lengths of sequences.
    Length {
        /// The greatest length: the extent of the sequences.
        most: Option<usize>,
    },
    /// An integer that the model compares with a constant, as a sampling rate.
    Compared(i64),
    /// What a node says of an operand that the input reaches.
    Operand(Elements),
    /// An image: floats in [0, 1], or bytes.
    Image,
    /// Integers of unknown meaning that need not be indices or sizes.
    Integer,
    /// Anything else.
    Other,
}

impl Role {
    /// The role of an input of integers whose elements are indices in these bounds.
    pub(super) fn within(self, info: &ValueInfo, bounds: Option<&(i64, i64)>) -> Role {
        let is_bool = matches!(
            &info.value_type,
            Some(ValueType::Tensor {
                dtype: DType::Bool,
                ..
            })
        );
        let end = bounds
            .and_then(|(_, end)| usize::try_from(*end).ok())
            .filter(|&end| end > 0);
        let Some(end) = end.filter(|_| !is_bool) else {
            return self;
        };
        match self {
            Role::Index { rows } => Role::Index { rows: rows.min(end) },
            Role::Position { rows } => Role::Position {
                rows: Some(rows.map_or(end, |rows| rows.min(end))),
            },
            Role::Mask if end >= 2 => Role::Mask,
            Role::Length { most } if end >= 2 => Role::Length {
                most: Some(most.map_or(end - 1, |most| most.min(end - 1))),
            },
            // What is at least 1 is a number of elements.
            Role::Integer | Role::Other if end >= 2 && bounds.is_some_and(|(least, _)| *least > 0) => {
                Role::Length { most: Some(end - 1) }
            }
            Role::Length { .. } | Role::Mask | Role::Image | Role::Integer | Role::Other => {
                Role::Index { rows: end }
            }
            Role::Compared(_) | Role::Operand(_) => self,
        }
    }
}

/// The role of an input of `model`.
pub fn role(model: &Model, info: &ValueInfo) -> Role {
    of_reach(&Reach::new(&model.graph), info)
}

/// The role of an input of a graph.
pub(super) fn of_reach(reach: &Reach<'_>, info: &ValueInfo) -> Role {
    let name = info.name.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let Some(ValueType::Tensor { dtype, shape }) = &info.value_type else {
        return Role::Other;
    };
    // A list is one of lengths to some operators.
    let may_be_mask =
        *dtype == DType::Bool || dtype.is_integer() && shape.as_ref().is_none_or(|shape| shape.len() > 1);
    if has(&["mask"]) || may_be_mask && is_mask(reach, &info.name) {
        return Role::Mask;
    }
    let truth = Truth::of(reach, &info.name);
    if truth == Truth::Only {
        return Role::Mask;
    }
    // Bytes are those of images.
    if dtype.is_integer() && *dtype != DType::Uint8 {
        // One number can be nothing else; of several, some are.
        let is_one = shape
            .as_ref()
            .is_none_or(|shape| shape.iter().all(|dim| *dim == Dim::Fixed(1)));
        if let Some(constant) = compared(reach, &info.name).next().filter(|_| is_one) {
            return Role::Compared(constant);
        }
        let rows = rows(reach, &info.name);
        return match rows {
            rows if has(&["position", "pos_id"]) => Role::Position { rows },
            Some(rows) => Role::Index { rows },
            None if is_length(&name) => Role::Length { most: None },
            None if truth == Truth::Also => Role::Mask,
            None => Role::Other,
        };
    }
    // Frameworks that know floats only make integers of them first.
    if dtype.is_float()
        && reach.is_cast_to_integers(&info.name)
        && let Some(rows) = rows(reach, &info.name)
    {
        return Role::Index { rows };
    }
    // Other inputs with the shape of an image may be features, of both signs.
    if has(&["image", "pixel"]) || *dtype == DType::Uint8 {
        Role::Image
    } else {
        Role::Other
    }
}

/// The words by which inputs of lengths are recognised.
const LENGTHS: [&str; 4] = ["length", "_len", "lens", "seqlen"];

fn is_length(name: &str) -> bool {
    LENGTHS.iter().any(|part| name.contains(part))
}

/// The input whose sequences have the lengths in another input: the one after whom it is named, as
/// `waveforms` of `waveforms_lens`, or else the first of floats with at least two axes.
pub(super) fn measured_by<'m>(model: &'m Model, lengths: &ValueInfo) -> Option<&'m ValueInfo> {
    let name = lengths.name.to_lowercase();
    let end = LENGTHS.iter().filter_map(|part| name.find(part)).min()?;
    let stem = name.get(..end)?.trim_end_matches('_');
    let sequences = |info: &&ValueInfo| match &info.value_type {
        Some(ValueType::Tensor {
            dtype,
            shape: Some(dims),
        }) => dims.len() >= 2 && dtype.is_float(),
        _ => false,
    };
    let named = |info: &&ValueInfo| info.name.to_lowercase() == stem;
    let inputs = || {
        model
            .graph
            .required_inputs()
            .filter(|info| info.name != lengths.name)
    };
    inputs().find(named).or_else(|| inputs().find(sequences))
}

/// Whether a model casts the elements of an input to booleans.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Truth {
    No,
    /// And reads them otherwise, as a mask that also counts elements.
    Also,
    /// And reads only their booleans.
    Only,
}

impl Truth {
    fn of(reach: &Reach<'_>, input: &str) -> Truth {
        let readers = reach.readers(input).into_iter();
        let (casts, others): (Vec<_>, Vec<_>) = readers
            .filter(|(node, place)| !passes(node, *place) && !reads_shape(node))
            .partition(|(node, _)| is_cast_to_bool(node));
        match (casts.is_empty(), others.is_empty()) {
            (true, _) => Truth::No,
            (false, true) => Truth::Only,
            (false, false) => Truth::Also,
        }
    }
}

/// Whether an operand that an input reaches is a mask by its name in the schema.
fn is_mask(reach: &Reach<'_>, input: &str) -> bool {
    let mut readers = reach.readers(input).into_iter();
    readers.any(|(node, place)| {
        let schema = onnx_schema::versions(&node.domain, &node.operator).last();
        let formal = schema.and_then(|schema| schema.input(place));
        formal.is_some_and(|formal| formal.name.contains("mask"))
    })
}

/// The number of rows of the smallest table that an input indexes: it is connected to the indices of a
/// Gather, or to the depth of a OneHot, also where the model chooses between an index and one from the end.
fn rows(reach: &Reach<'_>, input: &str) -> Option<usize> {
    let rows = |(node, position): (&Node, usize)| match (node.operator.as_str(), position) {
        ("Gather" | "GatherElements", 1) => table(reach.graph, node),
        ("OneHot", 0) => depth(reach.graph, node),
        _ => None,
    };
    let reached = reach.reached(input).into_iter();
    reached
        .filter(|(.., line)| line.keeps_chosen())
        .filter_map(|(node, position, _)| rows((node, position)))
        .min()
}

/// Whether the elements of an input are ids of something in an embedding, several for each sample.
pub(super) fn has_ids(reach: &Reach<'_>, info: &ValueInfo) -> bool {
    matches!(of_reach(reach, info), Role::Index { .. })
}

/// The integers with which the main graph compares an input.
pub(super) fn compared(reach: &Reach<'_>, input: &str) -> impl Iterator<Item = i64> {
    let constant = |(node, position): (&Node, usize)| match node.operator.as_str() {
        "Equal" => integer(reach.graph, node.inputs.get(1 - position.min(1))?),
        _ => None,
    };
    reach.readers(input).into_iter().filter_map(constant)
}

/// The constant of this name in the main graph.
pub(super) fn constant<'g>(graph: &'g Graph, name: &str) -> Option<&'g Tensor> {
    let stored = graph.initializer(name).and_then(Value::as_tensor);
    let made = || {
        let node = graph
            .nodes
            .iter()
            .find(|node| node.outputs.first().is_some_and(|output| output == name))?;
        match node.attribute("value")? {
            AttributeValue::Tensor(tensor) if node.operator == "Constant" => Some(tensor),
            _ => None,
        }
    };
    stored.or_else(made)
}

/// The only element of an integer constant.
pub(super) fn integer(graph: &Graph, name: &str) -> Option<i64> {
    match constant(graph, name)? {
        Tensor::Int64(array) if array.len() == 1 => array.iter().next().copied(),
        Tensor::Int32(array) if array.len() == 1 => array.iter().next().map(|&number| number.into()),
        _ => None,
    }
}

/// The extent of the axis that a Gather indexes.
fn table(graph: &Graph, node: &Node) -> Option<usize> {
    let axis = match node.attribute("axis") {
        Some(AttributeValue::Int(axis)) => *axis,
        _ => 0,
    };
    let shape = shape_of(graph, node.inputs.first()?)?;
    let axis = if axis < 0 { axis + shape.len() as i64 } else { axis };
    shape.get(usize::try_from(axis).ok()?).copied()
}

fn depth(graph: &Graph, node: &Node) -> Option<usize> {
    usize::try_from(integer(graph, node.inputs.get(1)?)?).ok()
}

/// The shape of a constant or of an input with fixed extents, also through operators that keep the
/// shape: a cast or dequantized table.
fn shape_of(graph: &Graph, name: &str) -> Option<Vec<usize>> {
    let mut name = name;
    for _ in 0..4 {
        if let Some(Value::Tensor(tensor)) = graph.initializer(name) {
            return Some(tensor.shape().to_vec());
        }
        if let Some(info) = graph.inputs.iter().find(|info| info.name == name) {
            let Some(ValueType::Tensor {
                shape: Some(dims), ..
            }) = &info.value_type
            else {
                return None;
            };
            let fixed = |dim: &Dim| {
                if let Dim::Fixed(extent) = dim {
                    Some(*extent)
                } else {
                    None
                }
            };
            return dims.iter().map(fixed).collect();
        }
        let node = graph
            .nodes
            .iter()
            .find(|node| node.outputs.first().is_some_and(|output| output == name))?;
        match node.operator.as_str() {
            "Constant" => {
                return match node.attribute("value") {
                    Some(AttributeValue::Tensor(tensor)) => Some(tensor.shape().to_vec()),
                    _ => None,
                };
            }
            "Cast" | "DequantizeLinear" | "Identity" => name = node.inputs.first()?,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn model(nodes: Vec<Node>) -> Model {
        let table = Tensor::new(&[100, 2], vec![0.0_f32; 200]).unwrap();
        Model::new(
            13,
            Graph {
                nodes,
                initializers: vec![("table".to_owned(), table.into())],
                ..Graph::default()
            },
        )
    }

    fn node(operator: &str, inputs: &[&str], output: &str) -> Node {
        Node {
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        }
    }

    #[track_caller]
    fn check(name: &str, dtype: DType, shape: &[usize], nodes: Vec<Node>, expected: Role) {
        let info = ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype,
                shape: Some(shape.iter().map(|extent| Dim::Fixed(*extent)).collect()),
            }),
        };
        assert_eq!(role(&model(nodes), &info), expected, "{name}");
    }

    #[test]
    fn an_index_is_below_the_number_of_rows_of_its_table() {
        let nodes = vec![
            node("Cast", &["ids"], "cast"),
            node("Unsqueeze", &["cast", "axes"], "wide"),
            node("Gather", &["table", "wide"], "y"),
        ];
        check(
            "ids",
            DType::Int64,
            &[1, 4],
            nodes.clone(),
            Role::Index { rows: 100 },
        );
        // The bound of an index into a table of unknown shape is unknown.
        check(
            "ids",
            DType::Int64,
            &[4],
            vec![node("Gather", &["x", "ids"], "y")],
            Role::Other,
        );
        let nodes = vec![node("Gather", &["table", "position_ids"], "y")];
        check(
            "position_ids",
            DType::Int64,
            &[1, 4],
            nodes,
            Role::Position { rows: Some(100) },
        );
    }

    /// What tf2onnx writes for an embedding of Keras: floats that are cast, negative ones from the end.
    #[test]
    fn a_choice_between_an_index_and_one_from_the_end_is_an_index() {
        let cast = |input: &str, output: &str, to: i64| Node {
            attributes: vec![onnx_model::Attribute {
                name: "to".to_owned(),
                value: AttributeValue::Int(to),
            }],
            ..node("Cast", &[input], output)
        };
        let ids = vec![cast("ids", "i", 6), node("Less", &["i", "zero"], "less")];
        let added = node("Add", &["i", "rows"], "from_end");
        let gather = node("Gather", &["table", "chosen"], "y");
        let chosen = node("Where", &["less", "from_end", "i"], "chosen");
        let by_where = [ids.clone(), vec![added.clone(), chosen, gather.clone()]].concat();
        let by_product = [
            ids,
            vec![
                added,
                node("Not", &["less"], "not"),
                cast("not", "first", 6),
                node("Mul", &["i", "first"], "a"),
                cast("less", "second", 6),
                node("Mul", &["second", "from_end"], "b"),
                node("Add", &["b", "a"], "chosen"),
                gather,
            ],
        ]
        .concat();
        for nodes in [by_where, by_product] {
            for dtype in [DType::Float, DType::Int64] {
                check("ids", dtype, &[2, 21], nodes.clone(), Role::Index { rows: 100 });
            }
        }
        let clipped = vec![
            cast("ids", "i", 6),
            node("Clip", &["i", "zero", "most"], "in_range"),
            node("Gather", &["table", "in_range"], "y"),
        ];
        check("ids", DType::Float, &[2, 21], clipped, Role::Other);
    }

    #[test]
    fn an_integer_is_one_that_the_model_compares_it_with() {
        let nodes = vec![
            node("Reshape", &["sr", "one"], "list"),
            node("Gather", &["list", "zero"], "wide"),
            node("Equal", &["rate", "wide"], "is_wide_band"),
        ];
        let mut model = model(nodes);
        let rate = Tensor::scalar(16_000_i64);
        Arc::make_mut(&mut model.graph)
            .initializers
            .push(("rate".to_owned(), rate.into()));
        let info = ValueInfo {
            name: "sr".to_owned(),
            value_type: Some(ValueType::tensor(DType::Int32)),
        };
        assert_eq!(role(&model, &info), Role::Compared(16_000));
    }

    #[test]
    fn what_is_cast_to_booleans_is_a_mask() {
        let to_bool = |input: &str| {
            let mut cast = node("Cast", &[input], "kept");
            cast.attributes.push(onnx_model::Attribute {
                name: "to".to_owned(),
                value: AttributeValue::Int(9),
            });
            cast
        };
        let cast = |input: &str| vec![node("Unsqueeze", &["m"], "wide"), to_bool(input)];
        for dtype in [DType::Int64, DType::Float, DType::Uint8] {
            check("m", dtype, &[1, 4], cast("wide"), Role::Mask);
        }
        let also = [cast("wide"), vec![node("ReduceSum", &["m"], "count")]].concat();
        check("m", DType::Int64, &[1, 4], also.clone(), Role::Mask);
        check("m", DType::Float, &[1, 4], also, Role::Other);
        let table = [cast("wide"), vec![node("Gather", &["table", "m"], "y")]].concat();
        check("m", DType::Int64, &[1, 4], table, Role::Index { rows: 100 });
    }

    #[test]
    fn names_and_shapes_identify_masks_lengths_and_images() {
        check("attention_mask", DType::Int64, &[1, 4], vec![], Role::Mask);
        check(
            "seq_lens",
            DType::Int32,
            &[2],
            vec![],
            Role::Length { most: None },
        );
        check("pixel_values", DType::Float, &[1, 3, 8, 8], vec![], Role::Image);
        check("x", DType::Uint8, &[8, 8, 3], vec![], Role::Image);
        check("x", DType::Float, &[1, 3, 8, 8], vec![], Role::Other);
    }
}
