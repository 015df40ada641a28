//! Tables as columns.

use onnx_tensor::{Map, MapKey, Sequence, Tensor, Value};

/// A sequence of maps with the same keys and one float for each, as ZipMap gives the probabilities of
/// classes, as one map of columns: the elements of a column are compared and judged together. `None` for any
/// other value.
pub(crate) fn columns(value: &Value) -> Option<Value> {
    let Value::Sequence(Sequence { values, .. }) = value else {
        return None;
    };
    let rows = values.iter().map(|value| match value {
        Value::Map(map) => Some(map),
        _ => None,
    });
    let rows = rows.collect::<Option<Vec<&Map>>>()?;
    let first = rows.first()?;
    let column = |key: &MapKey| {
        let cells = rows.iter().map(|row| match row.entries.get(key)?.as_tensor()? {
            Tensor::Float(cell) if cell.ndim() == 0 => cell.first().copied(),
            _ => None,
        });
        Some((
            key.clone(),
            Value::from(Tensor::vector(cells.collect::<Option<Vec<f32>>>()?)),
        ))
    };
    let is_regular = rows.iter().all(|row| row.entries.len() == first.entries.len());
    let entries = first.entries.keys().map(column).collect::<Option<_>>()?;
    is_regular.then(|| {
        Value::Map(Map {
            key: first.key,
            element: first.element.clone(),
            entries,
        })
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, ValueType};

    use super::*;
    use crate::leaves;

    fn table(rows: &[&[(i128, f32)]]) -> Value {
        let element = ValueType::tensor(DType::Float);
        let row = |cells: &&[(i128, f32)]| {
            let entry = |(key, cell): &(i128, f32)| (MapKey::Int(*key), Tensor::scalar(*cell).into());
            Value::Map(Map {
                key: DType::Int64,
                element: element.clone(),
                entries: cells.iter().map(entry).collect(),
            })
        };
        Value::Sequence(Sequence {
            element: ValueType::Map {
                key: DType::Int64,
                value: Box::new(element.clone()),
            },
            values: rows.iter().map(row).collect(),
        })
    }

    fn check(rows: &[&[(i128, f32)]], names: &[&str]) {
        let found = leaves(&[("p".to_owned(), table(rows))]);
        let found: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, names);
    }

    #[test]
    fn a_table_has_columns_if_all_rows_have_the_same_keys() {
        check(
            &[&[(1, 0.5), (7, 0.25)], &[(1, 0.75), (7, 0.0)]],
            &["p[1]", "p[7]"],
        );
        check(&[&[(1, 0.5)], &[(7, 0.25)]], &["p[0][1]", "p[1][7]"]);
        check(
            &[&[(1, 0.5)], &[(1, 0.5), (7, 0.25)]],
            &["p[0][1]", "p[1][1]", "p[1][7]"],
        );
        check(&[], &[]);
    }
}
