//! The models that differ from a pattern in one thing.

use std::sync::Arc;

use onnx_model::{AttributeValue, Graph, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

use super::super::{numbers, replace_tensors, tensor};
use super::{Case, Pattern};

/// A model with what was changed.
type Mutant = (String, Case);

/// Every mutant of a pattern.
pub fn mutants(pattern: &Pattern) -> Vec<Mutant> {
    let case = &pattern.case();
    let types = ["double", "float16", "bfloat16"];
    let types = types.map(|float| (format!("elements of {float}"), pattern.case_of(float)));
    // A change that floats do not show is visible in doubles.
    let doubles = with_near_constants(&pattern.case_of("double")).into_iter();
    let doubles = doubles.map(|(change, case)| (format!("doubles, {change}"), case));
    [
        types.into(),
        doubles.collect(),
        vec![("doubles, numbers of floats".to_owned(), with_doubles(case))],
        with_near_constants(case),
        with_other_constants(case),
        with_other_attributes(case),
        with_other_operators(case),
        with_other_operands(case),
        with_other_extents(case),
        with_other_opsets(case),
        with_other_readers(case),
    ]
    .concat()
}

fn is_float(dtype: DType) -> bool {
    matches!(
        dtype,
        DType::Float | DType::Double | DType::Float16 | DType::Bfloat16
    )
}

/// The case with a changed graph.
fn changed(case: &Case, change: impl FnOnce(&mut Graph)) -> Case {
    let mut case = case.clone();
    change(Arc::make_mut(&mut case.model.graph));
    case
}

/// The case with doubles that have the numbers of its floats, as after a conversion of a model.
fn with_doubles(case: &Case) -> Case {
    let mut case = case.clone();
    replace_tensors(&mut case.model, &mut case.inputs, |_, old| {
        let numbers = numbers(old).filter(|_| is_float(old.dtype()))?;
        Some(tensor(DType::Double, old.shape(), &numbers))
    });
    for input in &mut Arc::make_mut(&mut case.model.graph).inputs {
        if let Some(ValueType::Tensor { dtype, .. }) = &mut input.value_type
            && is_float(*dtype)
        {
            *dtype = DType::Double;
        }
    }
    case
}

/// Replaces the constant at a position of the initializers.
fn with_constant(case: &Case, at: usize, constant: Tensor) -> Case {
    changed(case, |graph| graph.initializers[at].1 = Value::Tensor(constant))
}

/// The constants of numbers with their positions and names.
fn constants(case: &Case) -> impl Iterator<Item = (usize, &str, &Tensor, Vec<f64>)> {
    let all = case.model.graph.initializers.iter().enumerate();
    all.filter_map(|(at, (name, value))| {
        let constant = value.as_tensor()?;
        Some((at, name.as_str(), constant, numbers(constant)?))
    })
}

/// The greatest number of elements of a constant that are each changed; of longer ones only the first is.
const FEW: usize = 3;

/// Floats that differ by 2⁻²² and 2⁻¹⁰ of their size.
pub fn with_near_constants(case: &Case) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (at, name, constant, elements) in
        constants(case).filter(|(_, _, constant, _)| is_float(constant.dtype()))
    {
        for place in 0..elements.len().min(FEW) {
            for share in [-22_i32, 22, 10] {
                let mut near = elements.clone();
                near[place] *= 1.0 + f64::from(share.signum()) * f64::from(-share.abs()).exp2();
                let change = format!("`{name}`[{place}] = {:?}", near[place]);
                let near = tensor(constant.dtype(), constant.shape(), &near);
                all.push((change, with_constant(case, at, near)));
            }
        }
    }
    all
}

/// Constants with another element, another shape, or more elements.
fn with_other_constants(case: &Case) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (at, name, constant, elements) in constants(case) {
        let dtype = constant.dtype();
        for place in 0..elements.len().min(FEW) {
            let old = elements[place];
            let others = if is_float(dtype) {
                vec![0.0, -old, 2.0 * old, 1.0]
            } else {
                vec![old - 1.0, old + 1.0, 0.0]
            };
            for other in others.into_iter().filter(|other| *other != old) {
                let mut changed = elements.clone();
                changed[place] = other;
                let changed = tensor(dtype, constant.shape(), &changed);
                all.push((
                    format!("`{name}`[{place}] = {other}"),
                    with_constant(case, at, changed),
                ));
            }
        }
        let mut reshaped = |shape: Vec<usize>, elements: &[f64]| {
            let change = format!("`{name}` of shape {shape:?}");
            all.push((change, with_constant(case, at, tensor(dtype, &shape, elements))));
        };
        let shape = constant.shape();
        reshaped([&[1], shape].concat(), &elements);
        reshaped([&[1; 4], shape].concat(), &elements);
        reshaped([shape, &[1]].concat(), &elements);
        reshaped(shape.iter().rev().copied().collect(), &elements);
        let twice: Vec<f64> = elements
            .iter()
            .flat_map(|element| [*element, element * 1.5])
            .collect();
        reshaped([&[2], shape].concat(), &twice);
        reshaped([shape, &[2]].concat(), &twice);
        if let [first, ..] = elements[..] {
            reshaped(Vec::new(), &[first]);
            reshaped(vec![4], &[first, 1.5 * first, first, first]);
        }
    }
    all
}

/// Attributes that are changed, or omitted.
fn with_other_attributes(case: &Case) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (at, node) in case.model.graph.nodes.iter().enumerate() {
        for (place, attribute) in node.attributes.iter().enumerate() {
            let mut add = |value: Option<AttributeValue>| {
                let change = format!("`{}` of {} {at} = {value:?}", attribute.name, node.operator);
                let case = changed(case, |graph| match value {
                    Some(value) => graph.nodes[at].attributes[place].value = value,
                    None => drop(graph.nodes[at].attributes.remove(place)),
                });
                all.push((change, case));
            };
            add(None);
            match &attribute.value {
                AttributeValue::Int(value) => {
                    [value - 1, value + 1]
                        .into_iter()
                        .for_each(|value| add(Some(AttributeValue::Int(value))));
                }
                AttributeValue::Float(value) => {
                    let others = [value.next_up(), value.next_down(), 2.0 * value, 0.0, -value];
                    others
                        .into_iter()
                        .for_each(|value| add(Some(AttributeValue::Float(value))));
                }
                AttributeValue::Ints(values) => {
                    for place in 0..values.len() {
                        for step in [-1, 1] {
                            let mut values = values.clone();
                            values[place] += step;
                            add(Some(AttributeValue::Ints(values)));
                        }
                        if place > 0 {
                            let mut values = values.clone();
                            values.swap(place - 1, place);
                            add(Some(AttributeValue::Ints(values)));
                        }
                    }
                }
                AttributeValue::String(text) if text.contains(&b'>') => {
                    let text = String::from_utf8_lossy(text);
                    let (left, right) = text.split_once("->").unwrap_or((&text, ""));
                    let turned: String = right.chars().rev().collect();
                    let shorter: String = right.chars().skip(1).collect();
                    for other in [
                        left.to_owned(),
                        format!("{left}->{turned}"),
                        format!("{left}->{shorter}"),
                    ] {
                        add(Some(AttributeValue::String(other.into_bytes())));
                    }
                }
                _ => {}
            }
        }
    }
    all
}

/// Operators that stand in for others of the same signature.
const SIBLINGS: &[&[&str]] = &[
    &["Add", "Sub", "Mul", "Div", "Pow"],
    &["Sigmoid", "Tanh", "Erf", "HardSigmoid", "Softplus"],
    &["Sqrt", "Exp", "Abs", "Reciprocal"],
    &["Relu", "Neg", "LeakyRelu", "Sigmoid"],
    &["ReduceMean", "ReduceMax", "ReduceSum"],
    &["Softmax", "LogSoftmax", "Hardmax"],
    &["Max", "Min", "Sum", "Mean"],
    &["IsNaN", "Not"],
    &["MaxPool", "AveragePool"],
];

fn with_other_operators(case: &Case) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (at, node) in case.model.graph.nodes.iter().enumerate() {
        let families = SIBLINGS
            .iter()
            .filter(|family| family.contains(&node.operator.as_str()));
        for &other in families
            .copied()
            .flatten()
            .filter(|other| **other != node.operator)
        {
            let case = changed(case, |graph| graph.nodes[at].operator = other.to_owned());
            all.push((format!("{other} instead of {} {at}", node.operator), case));
        }
    }
    all
}

/// Operands in another order, omitted, or that are other values.
fn with_other_operands(case: &Case) -> Vec<Mutant> {
    let mut all = Vec::new();
    let graph = &case.model.graph;
    for (at, node) in graph.nodes.iter().enumerate() {
        let mut add = |what: String, inputs: Vec<String>| {
            if inputs != node.inputs {
                let case = changed(case, |graph| graph.nodes[at].inputs = inputs);
                all.push((format!("{what} of {} {at}", node.operator), case));
            }
        };
        let before = graph.nodes[..at]
            .iter()
            .rev()
            .filter_map(|node| node.outputs.first());
        let given = graph.inputs.iter().map(|input| &input.name);
        let constants = graph.initializers.iter().map(|(name, _)| name);
        let others: Vec<&String> = before.take(3).chain(given).chain(constants.take(3)).collect();
        for place in 0..node.inputs.len() {
            if place > 0 {
                let mut swapped = node.inputs.clone();
                swapped.swap(place - 1, place);
                add(format!("operands {} and {place} exchanged", place - 1), swapped);
            }
            let mut shorter = node.inputs.clone();
            shorter.truncate(place);
            add(format!("only {place} operands"), shorter);
            for other in &others {
                let mut replaced = node.inputs.clone();
                replaced[place].clone_from(other);
                add(format!("`{other}` as operand {place}"), replaced);
            }
        }
    }
    all
}

/// Inputs with an extent of 1, with one axis more, or with exchanged axes.
fn with_other_extents(case: &Case) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (at, (name, value)) in case.inputs.iter().enumerate() {
        let Some((old, elements)) = value.as_tensor().and_then(|old| Some((old, numbers(old)?))) else {
            continue;
        };
        let shape = old.shape();
        let mut shapes = vec![
            [&[1], shape].concat(),
            [&[2], shape].concat(),
            shape[1..].to_vec(),
        ];
        for axis in 0..shape.len() {
            for extent in [1, shape[axis] + 1] {
                let mut other = shape.to_vec();
                other[axis] = extent;
                shapes.push(other);
            }
            if axis > 0 {
                let mut other = shape.to_vec();
                other.swap(axis - 1, axis);
                shapes.push(other);
            }
        }
        for shape in shapes {
            let count = shape.iter().product();
            let repeated: Vec<f64> = elements.iter().copied().cycle().take(count).collect();
            let dims = shape.iter().copied().map(Dim::Fixed).collect();
            let mut case = changed(case, |graph| {
                graph.inputs[at].value_type = Some(ValueType::Tensor {
                    dtype: old.dtype(),
                    shape: Some(dims),
                });
            });
            case.inputs[at].1 = Value::Tensor(tensor(old.dtype(), &shape, &repeated));
            all.push((format!("`{name}` of shape {shape:?}"), case));
        }
    }
    all
}

fn with_other_opsets(case: &Case) -> Vec<Mutant> {
    let opset = |opset: i64| {
        let mut case = case.clone();
        case.model.opset_imports.insert(String::new(), opset);
        (format!("opset {opset}"), case)
    };
    [9, 11, 13, 17, 18, 20, 23, 25].map(opset).into()
}

/// Each inner value as an output, so that it has a second reader.
fn with_other_readers(case: &Case) -> Vec<Mutant> {
    let graph = &case.model.graph;
    let listed = |name: &String| graph.outputs.iter().any(|output| output.name == *name);
    let inner = graph
        .nodes
        .iter()
        .flat_map(|node| &node.outputs)
        .filter(|name| !listed(name));
    let read = |name: &String| {
        let output = ValueInfo {
            name: name.clone(),
            value_type: None,
        };
        (
            format!("`{name}` as an output"),
            changed(case, |graph| graph.outputs.push(output)),
        )
    };
    inner.map(read).collect()
}
