//! Forms with an additional axis for outputs with one element.

use std::collections::HashMap;

use onnx_model::{Attribute, AttributeValue, Graph, Node, ValueInfo};
use onnx_schema::OperatorSchema;
use onnx_tensor::{Dim, Tensor, Value, ValueType};

use super::initializers::with_graph;
use super::{Changed, NotApplicable, Set, Subject, names, opset};

/// The first IR version in which an initializer need not be an input.
const FREE_INITIALIZERS: i64 = 4;

/// How an axis is added: an operator, the name of its second argument, and the argument's value for a
/// shape.
struct Means {
    operator: &'static str,
    attribute: &'static str,
    argument: fn(&[usize]) -> Vec<i64>,
}

/// By a Reshape to the shape with a leading 1.
pub(super) fn reshape(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    longer(
        subject,
        &Means {
            operator: "Reshape",
            attribute: "shape",
            argument: |shape| {
                [1].into_iter()
                    .chain(shape.iter().map(|&extent| extent as i64))
                    .collect()
            },
        },
    )
}

/// By an Unsqueeze at axis 0.
pub(super) fn unsqueeze(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    longer(
        subject,
        &Means {
            operator: "Unsqueeze",
            attribute: "axes",
            argument: |_| vec![0],
        },
    )
}

fn longer(subject: &Subject<'_>, means: &Means) -> Result<Changed, NotApplicable> {
    names::can_change(subject.model)?;
    super::branch::computed(&subject.model.graph)?;
    let mut model = subject.model.clone();
    let schema = opset::operator(&mut model, means.operator)?;
    let mut graph = Graph::clone(&model.graph);
    let (mut sets, mut renamed, mut added) = (subject.sets.to_vec(), HashMap::new(), Vec::new());
    for number in 0..graph.outputs.len() {
        let Some(ValueInfo {
            name,
            value_type: Some(value_type),
        }) = graph.outputs.get(number).cloned()
        else {
            continue;
        };
        let Some(shape) = single(&sets, &name) else {
            continue;
        };
        opset::takes(schema, &value_type)?;
        let inner = names::fresh(&model, &format!("{name}_inside"));
        added.push(node(
            &mut graph,
            schema,
            means,
            &shape,
            (inner.clone(), name.clone()),
            model.ir_version,
        ));
        lengthen(&mut graph.outputs[number], &mut sets, &shape)?;
        renamed.insert(name, inner);
    }
    if added.is_empty() {
        return Err(NotApplicable::NoSingleElement);
    }
    names::replace(&mut graph.nodes, &renamed);
    graph.nodes.extend(added);
    Ok(Changed {
        model: with_graph(&model, graph),
        sets,
    })
}

/// The shape of an output that is a tensor of one element, the same in every data set.
fn single(sets: &[Set], name: &str) -> Option<Vec<usize>> {
    let mut shapes = sets.iter().map(|set| {
        let (_, value) = set.expected.iter().find(|(output, _)| output == name)?;
        let tensor = value.as_tensor().filter(|tensor| tensor.len() == 1)?;
        Some(tensor.shape().to_vec())
    });
    let first = shapes.next()??;
    shapes
        .all(|shape| shape.as_ref() == Some(&first))
        .then_some(first)
}

/// The node that adds the axis; its second argument is an attribute or an initializer, depending on the
/// version.
fn node(
    graph: &mut Graph,
    schema: &OperatorSchema,
    means: &Means,
    shape: &[usize],
    (from, to): (String, String),
    ir_version: i64,
) -> Node {
    let argument = (means.argument)(shape);
    let mut node = Node {
        operator: means.operator.to_owned(),
        inputs: vec![from],
        outputs: vec![to.clone()],
        ..Node::default()
    };
    if schema.attribute(means.attribute).is_some() {
        node.attributes.push(Attribute {
            name: means.attribute.to_owned(),
            value: AttributeValue::Ints(argument),
        });
        return node;
    }
    let name = format!("{to}_{}", means.attribute);
    let value = Value::Tensor(Tensor::vector(argument));
    if ir_version < FREE_INITIALIZERS {
        graph.inputs.push(ValueInfo {
            name: name.clone(),
            value_type: Some(value.value_type()),
        });
    }
    node.inputs.push(name.clone());
    graph.initializers.push((name, value));
    node
}

/// Adds an axis to the declared type and to the expected values.
fn lengthen(info: &mut ValueInfo, sets: &mut [Set], shape: &[usize]) -> Result<(), NotApplicable> {
    if let Some(ValueType::Tensor {
        shape: Some(dims), ..
    }) = &mut info.value_type
    {
        dims.insert(0, Dim::Fixed(1));
    }
    let longer: Vec<usize> = [1].into_iter().chain(shape.iter().copied()).collect();
    for (name, value) in sets.iter_mut().flat_map(|set| &mut set.expected) {
        if *name == info.name
            && let Value::Tensor(tensor) = value
        {
            *tensor = tensor
                .reshape(&longer)
                .map_err(|_| NotApplicable::NoSingleElement)?;
        }
    }
    Ok(())
}
