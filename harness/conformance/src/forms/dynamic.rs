//! A form with inputs of several shapes, one after the other in one session.

use backend_api::Named;
use onnx_model::{Graph, Model};
use onnx_shapes::{Wishes, infer, solve};
use onnx_tensor::{DType, Tensor, TensorError, Value, dispatch};

use super::initializers::with_graph;
use super::shapes::{forget, symbolic};
use super::{Changed, NotApplicable, Set, Subject};

/// The most elements of an integer input on which extents may depend; its value stays.
const SHORT: usize = 64;

/// The most elements of an input with other extents.
const MOST: usize = 1 << 24;

/// The model with symbolic extents and no types of inner values. It gets the inputs of the first data set,
/// then inputs with other extents that fit the model, whose outputs the reference is asked for, and then the
/// first again: a session must not keep anything of an earlier shape.
pub(super) fn dynamic(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let first = subject.sets.first().ok_or(NotApplicable::NoTensorInput)?;
    let open = match symbolic(subject) {
        Ok(changed) => changed.model,
        Err(_) => subject.model.clone(),
    };
    let mut graph = Graph::clone(&open.graph);
    forget(&mut graph);
    let model = with_graph(&open, graph);
    let inputs = enlarged(&model, &first.inputs).ok_or(NotApplicable::OneShape)?;
    let other = Set {
        name: format!("{}, other extents", first.name),
        inputs,
        expected: Vec::new(),
        drawn: false,
        asked: true,
    };
    let again = Set {
        name: format!("{}, again", first.name),
        ..first.clone()
    };
    Ok(Changed {
        model,
        sets: vec![first.clone(), other, again],
    })
}

/// Inputs with greater extents that meet the conditions of a model, with the elements of `inputs`, repeated:
/// an index stays below what it indexes. `None` if no other extents are found.
fn enlarged(model: &Model, inputs: &[Named]) -> Option<Vec<Named>> {
    let mut pinned = Graph::clone(&model.graph);
    for (name, _) in inputs.iter().filter(|(_, value)| is_short(value)) {
        pinned.inputs.retain(|input| input.name != *name);
    }
    let kept = inputs.iter().filter(|(_, value)| is_short(value));
    pinned.initializers.extend(kept.cloned());
    let pinned = with_graph(model, pinned);
    let mut wishes = Wishes::default();
    for (name, value) in inputs {
        for (axis, extent) in value
            .as_tensor()
            .map_or(&[][..], Tensor::shape)
            .iter()
            .enumerate()
        {
            let more = i64::try_from(*extent).ok()?.checked_add(1)?;
            wishes.preferred.insert((name.clone(), axis), more);
        }
    }
    let solution = solve(&pinned, &infer(&pinned), &wishes).ok()?;
    let mut other = Vec::with_capacity(inputs.len());
    let mut differ = false;
    for (name, value) in inputs {
        let extents = solution.extents.get(name).map(|extents| {
            let extents = extents.iter().map(|extent| usize::try_from(*extent).ok());
            extents.collect::<Option<Vec<usize>>>()
        });
        let changed = match (value, extents) {
            (Value::Tensor(tensor), Some(extents)) => Value::Tensor(repeated(tensor, &extents?)?),
            _ => value.clone(),
        };
        differ |= changed.as_tensor().map(Tensor::shape) != value.as_tensor().map(Tensor::shape);
        other.push((name.clone(), changed));
    }
    differ.then_some(other)
}

/// Whether extents may depend on the elements of a value.
fn is_short(value: &Value) -> bool {
    let whole = |dtype| !matches!(dtype, DType::Bool | DType::String) && !dtype.is_float();
    value
        .as_tensor()
        .is_some_and(|tensor| whole(tensor.dtype()) && tensor.len() <= SHORT)
}

/// A tensor with other extents: the elements repeat along each axis. `None` if there are no elements to
/// repeat or too many.
fn repeated(tensor: &Tensor, extents: &[usize]) -> Option<Tensor> {
    let count = extents
        .iter()
        .try_fold(1_usize, |count, extent| count.checked_mul(*extent));
    let shape = tensor.shape();
    if shape.len() != extents.len() || count? > MOST || tensor.is_empty() {
        return None;
    }
    let place = |mut at: usize| {
        let (mut from, mut stride) = (0, 1);
        for (&extent, &own) in extents.iter().zip(shape).rev() {
            from += at % extent % own * stride;
            at /= extent;
            stride *= own;
        }
        from
    };
    let places: Vec<usize> = (0..extents.iter().product()).map(place).collect();
    gathered(tensor, extents, &places).ok()
}

/// The elements at these places, in this shape.
fn gathered(tensor: &Tensor, extents: &[usize], places: &[usize]) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => {
        let elements = tensor.to_vec::<T>()?;
        Tensor::new(extents, places.iter().filter_map(|&from| elements.get(from).cloned()).collect())
    })
}

#[cfg(test)]
mod tests {
    use onnx_rejections::model;

    use super::*;

    fn floats(shape: &[usize]) -> Value {
        let count: usize = shape.iter().product();
        let elements = (0..count).map(|at| at as f32).collect();
        Value::Tensor(Tensor::new(shape, elements).unwrap())
    }

    #[track_caller]
    fn check(text: &str, inputs: &[(&str, Value)], expected: Option<&[&[usize]]>) {
        let inputs: Vec<Named> = inputs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let set = Set {
            name: "set".to_owned(),
            inputs,
            expected: Vec::new(),
            drawn: false,
            asked: false,
        };
        let subject = Subject {
            model: &model(text),
            sets: &[set],
        };
        let found = dynamic(&subject).ok().map(|changed| {
            let [first, other, again] = &changed.sets[..] else {
                panic!("three sets")
            };
            assert!(other.asked && !again.asked && again.inputs.len() == first.inputs.len());
            let shapes = other
                .inputs
                .iter()
                .map(|(_, value)| value.as_tensor().unwrap().shape());
            shapes.map(<[usize]>::to_vec).collect::<Vec<_>>()
        });
        assert_eq!(
            found,
            expected.map(|shapes| shapes.iter().map(|shape| shape.to_vec()).collect()),
            "{text}"
        );
    }

    #[test]
    fn other_extents_fit_the_model() {
        check(
            "graph x:float[2,3] w:float[3,4] -> y:float[2,4]\ny = MatMul(x, w)",
            &[("x", floats(&[2, 3])), ("w", floats(&[3, 4]))],
            Some(&[&[3, 4], &[4, 5]]),
        );
        // The shape that is fed stays, and with it the number of elements.
        check(
            "graph x:float[6] s:int64[2] -> y:float[2,3]\ny = Reshape(x, s)",
            &[
                ("x", floats(&[6])),
                ("s", Value::Tensor(Tensor::vector(vec![2_i64, 3]))),
            ],
            None,
        );
        check(
            "graph x:float -> y:float\ny = Abs(x)",
            &[("x", floats(&[]))],
            None,
        );
    }

    #[test]
    fn elements_repeat_along_each_axis() {
        let Value::Tensor(tensor) = floats(&[1, 2]) else {
            panic!("a tensor")
        };
        let found = repeated(&tensor, &[2, 3]).unwrap();
        assert_eq!(found.to_vec::<f32>().unwrap(), [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
