//! Every kind of value as input and output.

use backend_api::BackendError;
use onnx_model::{AttributeValue, Model};
use onnx_tensor::{
    DType, Element, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, I2, I4, Map,
    MapKey, Sequence, SparseTensor, Tensor, U2, U4, Value, ValueType, bf16, f16,
};

use crate::fixture::{one_node, pass_through, run};

/// Fails unless both values have the same type, shape and bits.
fn assert_same(found: &Value, expected: &Value, what: &str) {
    let same = match (found, expected) {
        (Value::Tensor(a), Value::Tensor(b)) => a.same_bits(b),
        (Value::Sequence(a), Value::Sequence(b)) => {
            assert!(
                a.element.same_kind(&b.element),
                "{what}: elements of {}, expected {}",
                a.element,
                b.element
            );
            assert_eq!(a.values.len(), b.values.len(), "{what}");
            return a
                .values
                .iter()
                .zip(&b.values)
                .for_each(|(a, b)| assert_same(a, b, what));
        }
        (Value::Sparse(a), Value::Sparse(b)) => {
            a.values.same_bits(&b.values) && a.indices.same_bits(&b.indices) && a.shape == b.shape
        }
        (Value::Map(a), Value::Map(b)) => {
            assert!(
                a.key == b.key && a.element.same_kind(&b.element),
                "{what}: got {a:?}, expected {b:?}"
            );
            assert!(
                a.entries.keys().eq(b.entries.keys()),
                "{what}: got {a:?}, expected {b:?}"
            );
            return a
                .entries
                .values()
                .zip(b.entries.values())
                .for_each(|(a, b)| assert_same(a, b, what));
        }
        (
            Value::Optional {
                element: a,
                value: found,
            },
            Value::Optional {
                element: b,
                value: expected,
            },
        ) => {
            assert!(a.same_kind(b), "{what}: optional of {a}, expected {b}");
            match (found, expected) {
                (Some(found), Some(expected)) => return assert_same(found, expected, what),
                (found, expected) => found.is_none() && expected.is_none(),
            }
        }
        _ => false,
    };
    assert!(same, "{what}: expected {expected:?}, got {found:?}");
}

/// Runs a model that must succeed, and returns its only output.
fn only_output(model: &Model, inputs: &[Value], what: &str) -> Value {
    match run(model, inputs) {
        Ok(outputs) => outputs.into_iter().next().expect("one output is declared"),
        Err(error) => panic!("{what}: {error}"),
    }
}

/// Fails unless the value is unchanged as input and output.
fn check_unchanged(value: &Value, value_type: &ValueType) {
    let what = format!("{value_type} {value:?}");
    let found = only_output(&pass_through(value_type), std::slice::from_ref(value), &what);
    assert_same(&found, value, &what);
}

/// Elements that vary every bit of the type.
fn sample(dtype: DType, shape: &[usize]) -> Tensor {
    fn tensor<T: Element>(shape: &[usize], element: impl Fn(u64) -> T) -> Tensor {
        let count = shape.iter().product::<usize>() as u64;
        // An odd multiplier reaches every pattern of the low bits.
        let spread = |index: u64| index.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
        Tensor::new(shape, (0..count).map(|index| element(spread(index))).collect())
            .expect("the number of elements of the shape")
    }
    match dtype {
        DType::Float => tensor(shape, |bits| f32::from_bits(bits as u32)),
        DType::Uint8 => tensor(shape, |bits| bits as u8),
        DType::Int8 => tensor(shape, |bits| bits as i8),
        DType::Uint16 => tensor(shape, |bits| bits as u16),
        DType::Int16 => tensor(shape, |bits| bits as i16),
        DType::Int32 => tensor(shape, |bits| bits as i32),
        DType::Int64 => tensor(shape, |bits| bits as i64),
        DType::String => tensor(shape, |bits| {
            format!("{}é\0{bits}", if bits % 3 == 0 { "" } else { "ß" })
        }),
        DType::Bool => tensor(shape, |bits| bits % 2 == 1),
        DType::Float16 => tensor(shape, |bits| f16::from_bits(bits as u16)),
        DType::Double => tensor(shape, f64::from_bits),
        DType::Uint32 => tensor(shape, |bits| bits as u32),
        DType::Uint64 => tensor(shape, |bits| bits),
        DType::Complex64 => tensor(shape, |bits| onnx_tensor::Complex32::new(bits as f32, 1.0)),
        DType::Complex128 => tensor(shape, |bits| onnx_tensor::Complex64::new(bits as f64, 1.0)),
        DType::Bfloat16 => tensor(shape, |bits| bf16::from_bits(bits as u16)),
        DType::Float8E4M3Fn => tensor(shape, |bits| F8E4M3Fn(bits as u8)),
        DType::Float8E4M3Fnuz => tensor(shape, |bits| F8E4M3Fnuz(bits as u8)),
        DType::Float8E5M2 => tensor(shape, |bits| F8E5M2(bits as u8)),
        DType::Float8E5M2Fnuz => tensor(shape, |bits| F8E5M2Fnuz(bits as u8)),
        DType::Uint4 => tensor(shape, |bits| U4::wrap(bits as i64)),
        DType::Int4 => tensor(shape, |bits| I4::wrap(bits as i64)),
        DType::Float4E2M1 => tensor(shape, |bits| F4E2M1(bits as u8 & 15)),
        DType::Float8E8M0 => tensor(shape, |bits| F8E8M0(bits as u8)),
        DType::Uint2 => tensor(shape, |bits| U2::wrap(bits as i64)),
        DType::Int2 => tensor(shape, |bits| I2::wrap(bits as i64)),
        DType::Float6E2M3 => tensor(shape, |bits| F6E2M3(bits as u8 & 63)),
        DType::Float6E3M2 => tensor(shape, |bits| F6E3M2(bits as u8 & 63)),
    }
}

/// The types that the runtime does not have.
const UNSUPPORTED: [DType; 4] = [
    DType::Complex64,
    DType::Complex128,
    DType::Float6E2M3,
    DType::Float6E3M2,
];

#[test]
fn tensors_of_every_type() {
    for dtype in DType::ALL
        .into_iter()
        .filter(|dtype| !UNSUPPORTED.contains(dtype))
    {
        for shape in [&[3, 5][..], &[], &[0], &[2, 0, 3]] {
            check_unchanged(&sample(dtype, shape).into(), &ValueType::tensor(dtype));
        }
    }
}

#[test]
fn unsupported_elements_are_refused() {
    let float = pass_through(&ValueType::tensor(DType::Float));
    for dtype in UNSUPPORTED {
        let found = run(&float, &[sample(dtype, &[2]).into()]);
        assert!(
            matches!(&found, Err(BackendError::Unsupported { message, .. }) if message.contains(dtype.onnx_name())),
            "{dtype}: {found:?}"
        );
    }
}

#[test]
fn elements_have_the_same_value_in_the_runtime() {
    let float = ValueType::tensor(DType::Float);
    // There is no kernel that casts from float4e2m1.
    let narrow = [
        (DType::Uint4, [0.0, 1.0, 7.0, 8.0, 15.0]),
        (DType::Int4, [0.0, 1.0, 7.0, -8.0, -1.0]),
        (DType::Uint2, [0.0, 1.0, 2.0, 3.0, 1.0]),
        (DType::Int2, [0.0, 1.0, -2.0, -1.0, 1.0]),
        (DType::Float8E4M3Fn, [0.0, 1.0, 448.0, -0.5, 208.0]),
        (DType::Float8E4M3Fnuz, [0.0, 1.0, 240.0, -0.5, 208.0]),
        (DType::Float8E5M2, [0.0, 1.0, 57344.0, -0.5, 224.0]),
        (DType::Float8E5M2Fnuz, [0.0, 1.0, 57344.0, -0.5, 224.0]),
        (DType::Float8E8M0, [0.25, 1.0, 2.0, 4.0, 0.5]),
        (DType::Bfloat16, [0.0, 1.0, 3.140625, -0.5, 256.0]),
    ];
    for (dtype, numbers) in narrow {
        let value: Value = Tensor::vector(numbers.map(|number: f64| number as f32).to_vec()).into();
        let to = |dtype: DType| Some(("to", AttributeValue::Int(dtype.to_onnx().into())));
        let this = ValueType::tensor(dtype);
        let narrowed = one_node("Cast", to(dtype), std::slice::from_ref(&float), &this);
        let narrowed = only_output(&narrowed, std::slice::from_ref(&value), dtype.onnx_name());
        assert_eq!(as_numbers(&narrowed), numbers, "{dtype}");
        let widened = one_node("Cast", to(DType::Float), &[this], &float);
        assert_same(
            &only_output(&widened, &[narrowed], dtype.onnx_name()),
            &value,
            dtype.onnx_name(),
        );
    }
}

/// Returns the elements of a tensor of a narrow type as numbers.
fn as_numbers(value: &Value) -> Vec<f64> {
    match value.as_tensor() {
        Some(Tensor::Uint4(array)) => array.iter().map(|element| element.get().into()).collect(),
        Some(Tensor::Int4(array)) => array.iter().map(|element| element.get().into()).collect(),
        Some(Tensor::Uint2(array)) => array.iter().map(|element| element.get().into()).collect(),
        Some(Tensor::Int2(array)) => array.iter().map(|element| element.get().into()).collect(),
        Some(Tensor::Float8E4M3Fn(array)) => array.iter().map(|element| element.to_f64()).collect(),
        Some(Tensor::Float8E4M3Fnuz(array)) => array.iter().map(|element| element.to_f64()).collect(),
        Some(Tensor::Float8E5M2(array)) => array.iter().map(|element| element.to_f64()).collect(),
        Some(Tensor::Float8E5M2Fnuz(array)) => array.iter().map(|element| element.to_f64()).collect(),
        Some(Tensor::Float8E8M0(array)) => array.iter().map(|element| element.to_f64()).collect(),
        Some(Tensor::Bfloat16(array)) => array.iter().map(|element| element.to_f64()).collect(),
        _ => panic!("{value:?} is of another type"),
    }
}

#[test]
fn views_are_fed_in_row_major_order() {
    let Tensor::Int32(array) = sample(DType::Int32, &[3, 5]) else {
        panic!("a sample has the requested type")
    };
    let transposed = Tensor::Int32(array.reversed_axes());
    check_unchanged(&transposed.into(), &ValueType::tensor(DType::Int32));
}

#[test]
fn sparse_tensors() {
    let value_type = ValueType::Sparse {
        dtype: DType::Float,
        shape: None,
    };
    let indices = [
        Tensor::vector(vec![1_i64, 5]),
        Tensor::new(&[2, 2], vec![0_i64, 1, 1, 2]).expect("four"),
    ];
    for indices in indices {
        let values = Tensor::vector(vec![1.5_f32, -2.0]);
        check_unchanged(
            &Value::Sparse(SparseTensor {
                values,
                indices,
                shape: vec![2, 3],
            }),
            &value_type,
        );
    }
}

fn sequence(dtype: DType, values: Vec<Tensor>) -> (Value, ValueType) {
    let element = ValueType::tensor(dtype);
    let values = values.into_iter().map(Value::from).collect();
    let value_type = ValueType::Sequence(Box::new(element.clone()));
    (Value::Sequence(Sequence { element, values }), value_type)
}

#[test]
fn sequences() {
    // The runtime has no sequences of float4e2m1.
    let known = |dtype: &DType| !UNSUPPORTED.contains(dtype) && *dtype != DType::Float4E2M1;
    for dtype in DType::ALL.into_iter().filter(known) {
        let values = vec![sample(dtype, &[2, 3]), sample(dtype, &[]), sample(dtype, &[0])];
        let (value, value_type) = sequence(dtype, values);
        check_unchanged(&value, &value_type);
    }
}

#[test]
fn empty_sequences_of_types_with_a_kernel() {
    for dtype in DType::ALL
        .into_iter()
        .filter(|dtype| !UNSUPPORTED.contains(dtype))
    {
        let (value, value_type) = sequence(dtype, Vec::new());
        match dtype.bits() {
            None | Some(16..) => check_unchanged(&value, &value_type),
            Some(_) if [DType::Bool, DType::Uint8, DType::Int8].contains(&dtype) => {
                check_unchanged(&value, &value_type)
            }
            // `SequenceEmpty` has no kernel for narrow types.
            Some(_) => {
                let (holder, _) = sequence(dtype, Vec::new());
                let float = ValueType::Sequence(Box::new(ValueType::tensor(DType::Float)));
                let found = run(&pass_through(&float), &[holder]);
                assert!(
                    matches!(found, Err(BackendError::Unsupported { .. })),
                    "{dtype}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn optionals_with_and_without_value() {
    let (inner, inner_type) = sequence(DType::Float, vec![sample(DType::Float, &[2])]);
    let tensor = (sample(DType::Float, &[2]).into(), ValueType::tensor(DType::Float));
    for (inner, element) in [tensor, (inner, inner_type)] {
        let value_type = ValueType::Optional(Box::new(element.clone()));
        let identity = one_node("Identity", None, std::slice::from_ref(&value_type), &value_type);
        for value in [Some(Box::new(inner)), None] {
            let value = Value::Optional {
                element: element.clone(),
                value,
            };
            let what = format!("{value:?}");
            assert_same(
                &only_output(&identity, std::slice::from_ref(&value), &what),
                &value,
                &what,
            );
        }
    }
}

#[test]
fn an_optional_that_the_runtime_creates() {
    let element = ValueType::tensor(DType::Float);
    let attribute = Some(("type", AttributeValue::Type(element.clone())));
    let absent = one_node(
        "Optional",
        attribute,
        &[],
        &ValueType::Optional(Box::new(element.clone())),
    );
    let expected = Value::Optional { element, value: None };
    assert_same(&only_output(&absent, &[], "Optional"), &expected, "Optional");
}

/// A map from keys to single floats.
fn map<const N: usize>(key: DType, entries: [(MapKey, f32); N]) -> (Value, ValueType) {
    let element = ValueType::tensor(DType::Float);
    let value_type = ValueType::Map {
        key,
        value: Box::new(element.clone()),
    };
    let entries = entries
        .map(|(key, value)| (key, Tensor::scalar(value).into()))
        .into();
    (
        Value::Map(Map {
            key,
            element,
            entries,
        }),
        value_type,
    )
}

fn text(text: &str) -> MapKey {
    MapKey::String(text.to_owned())
}

#[test]
fn maps() {
    let strings = map(DType::String, [(text("b"), 2.0), (text("a"), 1.0)]);
    let integers = map(DType::Int64, [(MapKey::Int(7), 2.0), (MapKey::Int(-1), 1.0)]);
    let words = AttributeValue::Strings(vec![b"a".to_vec(), b"c".to_vec(), b"b".to_vec()]);
    let numbers = AttributeValue::Ints(vec![-1, 0, 7]);
    let dense: Value = Tensor::new(&[1, 3], vec![1.0_f32, 0.0, 2.0])
        .expect("three elements")
        .into();
    for ((value, value_type), vocabulary, entries) in [
        (strings, "string_vocabulary", words),
        (integers, "int64_vocabulary", numbers),
    ] {
        check_unchanged(&value, &value_type);
        let float = ValueType::tensor(DType::Float);
        let vectorizer = one_node(
            "ai.onnx.ml.DictVectorizer",
            Some((vocabulary, entries)),
            &[value_type],
            &float,
        );
        assert_same(
            &only_output(&vectorizer, &[value], vocabulary),
            &dense,
            vocabulary,
        );
    }
}

#[test]
fn sequences_of_maps() {
    let (first, element) = map(DType::String, [(text("p"), 1.0), (text("q"), 2.0)]);
    let (second, _) = map(DType::String, [(text("p"), 3.0), (text("q"), 4.0)]);
    let expected = Value::Sequence(Sequence {
        element: element.clone(),
        values: vec![first, second],
    });
    let value_type = ValueType::Sequence(Box::new(element));
    check_unchanged(&expected, &value_type);
    let labels = AttributeValue::Strings(vec![b"p".to_vec(), b"q".to_vec()]);
    let attribute = Some(("classlabels_strings", labels));
    let zip = one_node(
        "ai.onnx.ml.ZipMap",
        attribute,
        &[ValueType::tensor(DType::Float)],
        &value_type,
    );
    let scores = Tensor::new(&[2, 2], vec![1.0_f32, 2.0, 3.0, 4.0]).expect("four elements");
    assert_same(
        &only_output(&zip, &[scores.into()], "ZipMap"),
        &expected,
        "ZipMap",
    );
}
