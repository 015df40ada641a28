//! The official rule: equal type and shape, floats within rtol 1e-3 and atol 1e-7, everything else bit for
//! bit.

use onnx_tensor::{Element, Float, Tensor, Value, dispatch};

use crate::Outcome;

/// Compares every expected output with the output of the same name.
pub fn same_outputs(outputs: &[(String, Value)], expected: &[(String, Value)]) -> Outcome<()> {
    for (name, want) in expected {
        let (_, have) = outputs
            .iter()
            .find(|(output, _)| output == name)
            .ok_or("an output is missing")?;
        same(have, want).map_err(|problem| format!("output `{name}`: {problem}"))?;
    }
    Ok(())
}

fn same(have: &Value, want: &Value) -> Outcome<()> {
    match (have, want) {
        (Value::Tensor(have), Value::Tensor(want)) => same_tensor(have, want),
        (Value::Sequence(have), Value::Sequence(want)) if have.values.len() == want.values.len() => have
            .values
            .iter()
            .zip(&want.values)
            .try_for_each(|(have, want)| same(have, want)),
        (Value::Map(have), Value::Map(want)) if have.entries.len() == want.entries.len() => have
            .entries
            .iter()
            .zip(&want.entries)
            .try_for_each(|((k, have), (l, want))| {
                if k == l {
                    same(have, want)
                } else {
                    Err("the keys of a map differ".into())
                }
            }),
        (Value::Optional { value: have, .. }, Value::Optional { value: want, .. }) => match (have, want) {
            (None, None) => Ok(()),
            (Some(have), Some(want)) => same(have, want),
            _ => Err("one optional is empty, the other is not".into()),
        },
        (have, want) => Err(format!(
            "kinds differ: got {}, expected {}",
            have.value_type(),
            want.value_type()
        )
        .into()),
    }
}

fn same_tensor(have: &Tensor, want: &Tensor) -> Outcome<()> {
    if have.dtype() != want.dtype() || have.shape() != want.shape() {
        let (a, b) = ((have.dtype(), have.shape()), (want.dtype(), want.shape()));
        return Err(format!("got {a:?}, expected {b:?}").into());
    }
    let close: Outcome<Vec<String>> = dispatch!(float, want.dtype(), T => Ok(far::<T>(have, want)?));
    let differing = match close {
        Ok(differing) => differing,
        Err(_) if have.same_bits(want) => Vec::new(),
        Err(_) => vec![
            format!("got {have:?}, expected {want:?}")
                .chars()
                .take(400)
                .collect(),
        ],
    };
    match differing.as_slice() {
        [] => Ok(()),
        list => Err(format!(
            "{} of {} differ: {}",
            list.len(),
            want.len(),
            list[..list.len().min(4)].join("; ")
        )
        .into()),
    }
}

fn far<T: Float + Element>(have: &Tensor, want: &Tensor) -> Outcome<Vec<String>> {
    let (have, want) = (have.array::<T>()?, want.array::<T>()?);
    let pairs = have
        .iter()
        .zip(want.iter())
        .map(|(a, b)| (a.to_f64(), b.to_f64()));
    Ok(pairs
        .enumerate()
        .filter(|(_, (a, b))| {
            let both_nan = a.is_nan() && b.is_nan();
            !(both_nan || a == b || b.is_finite() && (a - b).abs() <= 1e-7 + 1e-3 * b.abs())
        })
        .map(|(index, (a, b))| format!("[{index}] got {a}, expected {b}"))
        .collect())
}
