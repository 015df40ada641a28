//! Evaluations that are generated from the schema of a version.

use std::fmt;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeKind, AttributeValue, Graph, ValueInfo};
use onnx_operators::frame::version;
use onnx_schema::{AttributeSchema, DefaultValue, Formal, FormalOption, OperatorSchema, SchemaType, TypeRef};
use onnx_tensor::{DType, Tensor, Value, ValueType};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::inputs::{Elements, FLOATS, INTEGERS, SHAPES, value};

/// One evaluation.
pub struct Case {
    pub schema: &'static OperatorSchema,
    pub inputs: Vec<Option<Value>>,
    pub attributes: Vec<Attribute>,
}

/// `Conv-11(tensor(float)[1, 1, 4, 4], …; group=4611686018427387904)`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.schema)?;
        for input in &self.inputs {
            match input {
                None => write!(f, "-, ")?,
                Some(Value::Tensor(tensor)) => {
                    write!(f, "{}{:?}", tensor.dtype(), tensor.shape())?;
                    if let Ok(numbers) = tensor.to_vec::<i64>() {
                        write!(f, "={:?}", numbers.iter().take(6).collect::<Vec<_>>())?;
                    }
                    if let Ok(numbers) = tensor.to_vec::<f32>() {
                        write!(f, "={:?}", numbers.iter().take(6).collect::<Vec<_>>())?;
                    }
                    f.write_str(", ")?;
                }
                Some(other) => write!(f, "{}, ", other.value_type())?,
            }
        }
        for attribute in &self.attributes {
            match &attribute.value {
                AttributeValue::Graph(_) => write!(f, "; {}=…", attribute.name)?,
                value => write!(f, "; {}={value:?}", attribute.name)?,
            }
        }
        f.write_str(")")
    }
}

/// The versions that the reference evaluates.
fn versions() -> impl Iterator<Item = &'static OperatorSchema> {
    onnx_schema::all()
        .chain(onnx_schema::contrib())
        .filter(|schema| version(schema.domain, schema.name, schema.since).is_some())
}

/// Each attribute and each integer operand at each extreme, over each shape, with ordinary values for the
/// rest.
pub fn systematic() -> impl Iterator<Item = Case> + Send {
    versions().flat_map(|schema| {
        let shapes = 0..SHAPES.len();
        shapes.flat_map(move |shape| {
            let mild = move |flavour: usize, elements: Elements, changed: Option<Attribute>| Case {
                schema,
                inputs: inputs(schema, flavour, |_| SHAPES[shape], |_| elements),
                attributes: attributes(schema, SHAPES[shape].len(), changed),
            };
            let elements = (0..INTEGERS.len())
                .map(Elements::Extreme)
                .chain([Elements::Mild, Elements::Mixed]);
            let operands = elements.map(move |elements| mild(0, elements, None));
            let flavours = (1..4).map(move |flavour| mild(flavour, Elements::Mild, None));
            let extremes = schema.attributes.iter().flat_map(move |attribute| {
                let rank = SHAPES[shape].len();
                extremes(attribute, rank)
                    .into_iter()
                    .map(move |extreme| mild(0, Elements::Mild, Some(extreme)))
            });
            operands.chain(flavours).chain(extremes)
        })
    })
}

/// The number of random evaluations of each version.
const DRAWS: usize = 400;

/// Random shapes, elements and attributes of every version.
pub fn random() -> impl Iterator<Item = Case> + Send {
    versions().enumerate().flat_map(|(number, schema)| {
        let mut generator = ChaCha8Rng::seed_from_u64(number as u64);
        (0..DRAWS).map(move |_| draw(schema, &mut generator))
    })
}

fn draw(schema: &'static OperatorSchema, generator: &mut ChaCha8Rng) -> Case {
    let picks: Vec<(usize, Elements)> = (0..8)
        .map(|_| {
            let elements = match generator.random_range(0..6) {
                0..=2 => Elements::Mild,
                3 | 4 => Elements::Extreme(generator.random_range(0..INTEGERS.len())),
                _ => Elements::Mixed,
            };
            (generator.random_range(0..SHAPES.len()), elements)
        })
        .collect();
    let pick = |at: usize| picks[at % picks.len()];
    let inputs = inputs(
        schema,
        generator.random_range(0..3),
        |at| SHAPES[pick(at).0],
        |at| pick(at).1,
    );
    let rank = SHAPES[pick(0).0].len();
    let mut attributes = attributes(schema, rank, None);
    for attribute in schema.attributes {
        let candidates = extremes(attribute, generator.random_range(0..=rank.max(1)));
        if !candidates.is_empty() && generator.random_bool(0.4) {
            attributes.retain(|given| given.name != attribute.name);
            attributes.push(candidates[generator.random_range(0..candidates.len())].clone());
        }
    }
    Case {
        schema,
        inputs,
        attributes,
    }
}

/// One value for each declared input, two for a variadic one. `flavour` selects the types of the type sets
/// consistently.
fn inputs<'a>(
    schema: &'static OperatorSchema,
    flavour: usize,
    shape: impl Fn(usize) -> &'a [usize],
    elements: impl Fn(usize) -> Elements,
) -> Vec<Option<Value>> {
    let count = match schema.inputs.last() {
        Some(last) if last.option == FormalOption::Variadic => schema.inputs.len() + 1,
        _ => schema.inputs.len(),
    };
    let input = |at: usize| {
        let formal = schema.input(at)?;
        let kind = chosen(schema, formal, flavour)?;
        let vector = [shape(0).len().max(1)];
        // Axes, shapes and counts are vectors, usually with one entry for each axis of the first input.
        let is_list = at > 0 && matches!(kind, SchemaType::Tensor(DType::Int64)) && flavour.is_multiple_of(2);
        let shape = if is_list { &vector } else { shape(at) };
        Some(value(kind, shape, elements(at)))
    };
    (0..count).map(input).collect()
}

fn chosen(schema: &'static OperatorSchema, formal: &Formal, flavour: usize) -> Option<&'static SchemaType> {
    let types = schema.types(formal);
    let preferred = [DType::Float, DType::Int64, DType::Double, DType::String][flavour % 4];
    let wanted = types
        .iter()
        .find(|kind| matches!(kind, SchemaType::Tensor(dtype) if *dtype == preferred));
    let by_name = match formal.type_ref {
        TypeRef::Constraint(_) | TypeRef::Concrete(_) => {
            types.get(flavour.saturating_sub(1) % types.len().max(1))
        }
    };
    wanted.or(by_name)
}

/// The required attributes with ordinary values; `changed` replaces the attribute of the same name.
fn attributes(schema: &'static OperatorSchema, rank: usize, changed: Option<Attribute>) -> Vec<Attribute> {
    let is_changed = |attribute: &&AttributeSchema| {
        changed
            .as_ref()
            .is_none_or(|changed| changed.name != attribute.name)
    };
    let required = schema
        .attributes
        .iter()
        .filter(|attribute| attribute.required || attribute.name == "kernel_shape");
    let mild = required
        .filter(is_changed)
        .filter_map(|attribute| mild(attribute, rank));
    let mut attributes: Vec<Attribute> = mild.collect();
    attributes.extend(changed);
    attributes
}

fn mild(attribute: &AttributeSchema, rank: usize) -> Option<Attribute> {
    let value = match attribute.kind {
        AttributeKind::Int => AttributeValue::Int(1),
        AttributeKind::Float => AttributeValue::Float(1.0),
        AttributeKind::String => AttributeValue::String(text(attribute).into()),
        AttributeKind::Ints => AttributeValue::Ints(vec![1; rank.saturating_sub(2).max(1)]),
        AttributeKind::Floats => AttributeValue::Floats(vec![1.0; rank]),
        AttributeKind::Strings => AttributeValue::Strings(vec!["a".into()]),
        AttributeKind::Tensor => AttributeValue::Tensor(Tensor::vector(vec![1.0_f32])),
        AttributeKind::Graph => AttributeValue::Graph(Arc::new(body(rank))),
        AttributeKind::TypeProto => AttributeValue::Type(ValueType::tensor(DType::Float)),
        AttributeKind::Tensors
        | AttributeKind::Graphs
        | AttributeKind::SparseTensor
        | AttributeKind::SparseTensors
        | AttributeKind::TypeProtos => return None,
    };
    Some(named(attribute, value))
}

fn text(attribute: &AttributeSchema) -> &'static str {
    match attribute.default {
        Some(DefaultValue::String(text)) => text,
        _ if attribute.name == "equation" => "ij,jk->ik",
        _ => "a",
    }
}

/// A body with `count` inputs and outputs.
fn body(count: usize) -> Graph {
    let infos = |what: &str| {
        let info = |at| ValueInfo {
            name: format!("{what}{at}"),
            value_type: None,
        };
        (0..count).map(info).collect()
    };
    Graph {
        inputs: infos("i"),
        outputs: infos("o"),
        ..Graph::default()
    }
}

fn named(attribute: &AttributeSchema, value: AttributeValue) -> Attribute {
    Attribute {
        name: attribute.name.to_owned(),
        value,
    }
}

/// The values that string attributes of all operators accept.
const TEXTS: [&str; 34] = [
    "",
    "NOTSET",
    "SAME_UPPER",
    "SAME_LOWER",
    "VALID",
    "nearest",
    "linear",
    "cubic",
    "bilinear",
    "bicubic",
    "constant",
    "reflect",
    "edge",
    "wrap",
    "zeros",
    "border",
    "reflection",
    "tf_crop_and_resize",
    "align_corners",
    "half_pixel",
    "asymmetric",
    "not_larger",
    "not_smaller",
    "max",
    "avg",
    "add",
    "mul",
    "min",
    "sum",
    "none",
    "bidirectional",
    "CRD",
    "ii,ij->j",
    "...a,...->...",
];

/// The attribute at each extreme of its type. Lists have `rank`, `rank` − 2 and 2 · (`rank` − 2) entries.
fn extremes(attribute: &AttributeSchema, rank: usize) -> Vec<Attribute> {
    let lengths = [
        rank.saturating_sub(2).max(1),
        rank,
        2 * rank.saturating_sub(2).max(1),
    ];
    let values: Vec<AttributeValue> = match attribute.kind {
        AttributeKind::Int => INTEGERS
            .into_iter()
            .chain([7, 16])
            .map(AttributeValue::Int)
            .collect(),
        AttributeKind::Float => FLOATS.map(|number| AttributeValue::Float(number as f32)).to_vec(),
        AttributeKind::String => TEXTS.map(|text| AttributeValue::String(text.into())).to_vec(),
        AttributeKind::Ints => {
            let of = |number: i64| lengths.map(|length| AttributeValue::Ints(vec![number; length]));
            let mut lists: Vec<_> = INTEGERS.into_iter().flat_map(of).collect();
            lists.push(AttributeValue::Ints(Vec::new()));
            lists.push(AttributeValue::Ints(INTEGERS.to_vec()));
            lists
        }
        AttributeKind::Floats => {
            let of = |number: f64| AttributeValue::Floats(vec![number as f32; rank]);
            FLOATS
                .into_iter()
                .map(of)
                .chain([AttributeValue::Floats(Vec::new())])
                .collect()
        }
        AttributeKind::Strings => vec![
            AttributeValue::Strings(Vec::new()),
            AttributeValue::Strings(vec!["a".into(), "b".into()]),
        ],
        AttributeKind::Graph => (0..6)
            .map(|count| AttributeValue::Graph(Arc::new(body(count))))
            .collect(),
        AttributeKind::Tensor => vec![
            AttributeValue::Tensor(Tensor::scalar(i64::MAX)),
            AttributeValue::Tensor(Tensor::vector(Vec::<f32>::new())),
        ],
        AttributeKind::TypeProto
        | AttributeKind::Tensors
        | AttributeKind::Graphs
        | AttributeKind::SparseTensor
        | AttributeKind::SparseTensors
        | AttributeKind::TypeProtos => Vec::new(),
    };
    values.into_iter().map(|value| named(attribute, value)).collect()
}
