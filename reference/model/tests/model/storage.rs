//! Every storage form of every element type, and its errors.

use onnx_model::proto::{SegmentProto, TensorProto};
use onnx_model::{Limits, decode_tensor, encode_value};
use onnx_tensor::{
    Complex32, Complex64, DType, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0,
    I2, I4, Tensor, U2, U4, bf16, f16,
};
use prost::Message;

fn int32(values: &[i32]) -> TensorProto {
    TensorProto {
        int32_data: values.to_vec(),
        ..TensorProto::default()
    }
}

fn float(values: &[f32]) -> TensorProto {
    TensorProto {
        float_data: values.to_vec(),
        ..TensorProto::default()
    }
}

fn double(values: &[f64]) -> TensorProto {
    TensorProto {
        double_data: values.to_vec(),
        ..TensorProto::default()
    }
}

fn int64(values: &[i64]) -> TensorProto {
    TensorProto {
        int64_data: values.to_vec(),
        ..TensorProto::default()
    }
}

fn uint64(values: &[u64]) -> TensorProto {
    TensorProto {
        uint64_data: values.to_vec(),
        ..TensorProto::default()
    }
}

fn string(values: &[&[u8]]) -> TensorProto {
    TensorProto {
        string_data: values.iter().map(|text| text.to_vec()).collect(),
        ..TensorProto::default()
    }
}

fn raw(bytes: &[u8]) -> TensorProto {
    TensorProto {
        raw_data: Some(bytes.to_vec().into()),
        ..TensorProto::default()
    }
}

/// A message of this type and shape with the elements of another.
fn typed(dtype: DType, dims: &[i64], elements: TensorProto) -> TensorProto {
    TensorProto {
        data_type: Some(dtype.to_onnx()),
        dims: dims.to_vec(),
        ..elements
    }
}

/// Checks that both forms decode to `expected`, and that it encodes to the raw form.
fn check(expected: Tensor, raw_bytes: &[u8], field: TensorProto) {
    let dtype = expected.dtype();
    let dims = [expected.len() as i64];
    for elements in [raw(raw_bytes), field] {
        let proto = typed(dtype, &dims, elements);
        let decoded =
            decode_tensor(&proto.encode_to_vec(), &Limits::default()).expect("a well-formed tensor");
        assert!(
            decoded.same_bits(&expected),
            "{proto:?} was decoded as {decoded:?}"
        );
    }
    let canonical = typed(dtype, &dims, raw(raw_bytes)).encode_to_vec();
    assert_eq!(encode_value(&expected.into(), ""), canonical, "{dtype}");
}

/// The bytes are those of `numpy.array(…).tobytes()` with the types of NumPy and ml_dtypes.
#[test]
fn elements_of_whole_bytes_are_decoded() {
    check(
        Tensor::vector(vec![1.5_f32, -0.0]),
        &[0, 0, 0xC0, 0x3F, 0, 0, 0, 0x80],
        float(&[1.5, -0.0]),
    );
    check(Tensor::vector(vec![0_u8, 255]), &[0, 255], int32(&[0, 255]));
    check(
        Tensor::vector(vec![-1_i8, -128]),
        &[0xFF, 0x80],
        int32(&[-1, -128]),
    );
    check(
        Tensor::vector(vec![0x1234_u16, 0xFFFF]),
        &[0x34, 0x12, 0xFF, 0xFF],
        int32(&[0x1234, 0xFFFF]),
    );
    check(
        Tensor::vector(vec![-2_i16, i16::MIN]),
        &[0xFE, 0xFF, 0, 0x80],
        int32(&[-2, -32768]),
    );
    check(
        Tensor::vector(vec![i32::MIN]),
        &[0, 0, 0, 0x80],
        int32(&[i32::MIN]),
    );
    check(
        Tensor::vector(vec![-2_i64]),
        &[0xFE, 255, 255, 255, 255, 255, 255, 255],
        int64(&[-2]),
    );
    check(Tensor::vector(vec![false, true]), &[0, 1], int32(&[0, 1]));
    check(
        Tensor::vector(vec![1.0_f64]),
        &[0, 0, 0, 0, 0, 0, 0xF0, 0x3F],
        double(&[1.0]),
    );
    check(Tensor::vector(vec![u32::MAX]), &[255; 4], uint64(&[0xFFFF_FFFF]));
    check(Tensor::vector(vec![u64::MAX]), &[255; 8], uint64(&[u64::MAX]));
}

#[test]
fn narrow_floats_are_stored_as_bit_patterns() {
    let halves = vec![f16::from_f32(1.0), f16::from_f32(-2.0)];
    check(
        Tensor::vector(halves),
        &[0, 0x3C, 0, 0xC0],
        int32(&[0x3C00, 0xC000]),
    );
    check(
        Tensor::vector(vec![bf16::from_f32(-1.0)]),
        &[0x80, 0xBF],
        int32(&[0xBF80]),
    );
    check(Tensor::vector(vec![F8E4M3Fn(0xFF)]), &[0xFF], int32(&[0xFF]));
    check(Tensor::vector(vec![F8E4M3Fnuz(0x80)]), &[0x80], int32(&[0x80]));
    check(Tensor::vector(vec![F8E5M2(0x7C)]), &[0x7C], int32(&[0x7C]));
    check(Tensor::vector(vec![F8E5M2Fnuz(0x40)]), &[0x40], int32(&[0x40]));
    check(Tensor::vector(vec![F8E8M0(0x7F)]), &[0x7F], int32(&[0x7F]));
}

#[test]
fn complex_numbers_are_pairs() {
    let raw32 = [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0];
    check(
        Tensor::vector(vec![Complex32::new(1.0, -2.0)]),
        &raw32,
        float(&[1.0, -2.0]),
    );
    let raw64 = [0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0];
    check(
        Tensor::vector(vec![Complex64::new(1.0, -2.0)]),
        &raw64,
        double(&[1.0, -2.0]),
    );
}

/// The first element is in the lowest bits. The counts are odd, so that the last byte is not full.
#[test]
fn small_elements_are_packed() {
    let nibbles = [1, 2, 3];
    check(
        Tensor::vector(nibbles.map(U4::wrap).to_vec()),
        &[0x21, 0x03],
        int32(&[0x21, 0x03]),
    );
    let signed = [-8, -1, 7].map(I4::wrap);
    check(
        Tensor::vector(signed.to_vec()),
        &[0xF8, 0x07],
        int32(&[0xF8, 0x07]),
    );
    // The form of onnx 1.16: `numpy_helper.to_array` and ONNX Runtime read [-8, -8, -7, -6].
    let signed = [-8, -8, -7, -6].map(I4::wrap);
    check(
        Tensor::vector(signed.to_vec()),
        &[0x88, 0xA9],
        int32(&[-120, -87]),
    );
    let floats = [2, 7, 0xB].map(F4E2M1);
    check(
        Tensor::vector(floats.to_vec()),
        &[0x72, 0x0B],
        int32(&[0x72, 0x0B]),
    );
    let crumbs = [0, 1, 2, 3, 1].map(U2::wrap);
    check(
        Tensor::vector(crumbs.to_vec()),
        &[0b1110_0100, 1],
        int32(&[0b1110_0100, 1]),
    );
    let signed = [0, 1, -2, -1, -2].map(I2::wrap);
    check(
        Tensor::vector(signed.to_vec()),
        &[0b1110_0100, 2],
        int32(&[0b1110_0100, 2]),
    );
}

/// Four elements in three bytes of raw_data, one in each entry of int32_data. `onnx.numpy_helper` of onnx
/// 1.23.2 writes these bytes for these patterns.
#[test]
fn floats_of_six_bits_are_packed() {
    let patterns = [0x01, 0x3F, 0x20, 0x15, 0x2A];
    let raw_bytes = [0xC1, 0x0F, 0x56, 0x2A];
    let field = int32(&patterns.map(i32::from));
    check(
        Tensor::vector(patterns.map(F6E2M3).to_vec()),
        &raw_bytes,
        field.clone(),
    );
    check(Tensor::vector(patterns.map(F6E3M2).to_vec()), &raw_bytes, field);
}

#[test]
fn strings_have_one_form() {
    let proto = typed(DType::String, &[2], string(&[b"", "µ".as_bytes()]));
    let expected = Tensor::vector(vec![String::new(), "µ".to_owned()]);
    let decoded = decode_tensor(&proto.encode_to_vec(), &Limits::default()).expect("strings");
    assert!(decoded.same_bits(&expected), "{decoded:?}");
    assert_eq!(encode_value(&expected.into(), ""), proto.encode_to_vec());
}

#[test]
fn a_tensor_without_elements_or_without_axes() {
    let limits = Limits::default();
    let nothing = typed(DType::Int4, &[i64::MAX, 0, 2], TensorProto::default());
    assert!(
        decode_tensor(&nothing.encode_to_vec(), &limits).is_err(),
        "no array can have this shape"
    );
    let empty = typed(DType::Int4, &[7, 0], raw(&[]));
    assert_eq!(
        decode_tensor(&empty.encode_to_vec(), &limits)
            .expect("an empty tensor")
            .shape(),
        [7, 0]
    );
    // An empty raw_data next to a typed field is ignored.
    let scalar = TensorProto {
        raw_data: Some(Default::default()),
        ..typed(DType::Int64, &[], int64(&[5]))
    };
    let scalar = decode_tensor(&scalar.encode_to_vec(), &limits).expect("a scalar");
    assert!(scalar.same_bits(&Tensor::scalar(5_i64)));
}

/// Checks that a tensor is refused with this message.
fn refuse(proto: TensorProto, message: &str) {
    let bytes = proto.encode_to_vec();
    let error = decode_tensor(&bytes, &Limits::default()).expect_err(message);
    assert_eq!(error.to_string(), message);
}

#[test]
fn wrong_counts() {
    let dims = [2, 2];
    refuse(
        typed(DType::Float, &dims, raw(&[0; 7])),
        "raw_data has 7 bytes, expected 16 for shape [2, 2] of float",
    );
    refuse(
        typed(DType::Float, &dims, TensorProto::default()),
        "float_data has 0 values, expected 4 for shape [2, 2] of float",
    );
    refuse(
        typed(DType::Complex64, &[2], float(&[1.0; 3])),
        "float_data has 3 values, expected 4 for shape [2] of complex64",
    );
    refuse(
        typed(DType::Uint4, &[5], int32(&[0; 5])),
        "int32_data has 5 values, expected 3 for shape [5] of uint4",
    );
    refuse(
        typed(DType::Int2, &[5], raw(&[0; 3])),
        "raw_data has 3 bytes, expected 2 for shape [5] of int2",
    );
    refuse(
        typed(DType::String, &[2], string(&[b"a"])),
        "string_data has 1 values, expected 2 for shape [2] of string",
    );
}

#[test]
fn wrong_fields() {
    refuse(
        typed(DType::Int64, &[1], int32(&[1])),
        "int32_data is set, but elements of int64 are stored in int64_data or raw_data",
    );
    let both = TensorProto {
        raw_data: Some(vec![0; 4].into()),
        ..typed(DType::Float, &[1], float(&[0.0]))
    };
    refuse(
        both,
        "both raw_data and float_data are set; only one of them may hold the elements",
    );
    let outside = |proto: TensorProto| TensorProto {
        data_location: Some(1),
        ..proto
    };
    for (proto, field) in [
        (typed(DType::Float, &[1], raw(&[0; 4])), "raw_data"),
        (typed(DType::Float, &[1], float(&[0.0])), "float_data"),
        (typed(DType::Int8, &[1], int32(&[0])), "int32_data"),
    ] {
        refuse(
            outside(proto),
            &format!("both external data and {field} are set; only one of them may hold the elements"),
        );
    }
    refuse(
        typed(DType::String, &[1], raw(&[65])),
        "strings must be stored in string_data",
    );
    let segment = TensorProto {
        segment: Some(SegmentProto::default()),
        ..typed(DType::Int8, &[], raw(&[0]))
    };
    refuse(segment, "a segmented tensor is not supported");
    let elsewhere = TensorProto {
        data_location: Some(2),
        ..typed(DType::Int8, &[], raw(&[0]))
    };
    refuse(
        elsewhere,
        "unknown data_location 2: expected 0 (in the file) or 1 (external)",
    );
}

#[test]
fn wrong_elements() {
    refuse(
        typed(DType::Int8, &[2], int32(&[0, 128])),
        "int32_data[1] is 128, not a valid int8",
    );
    refuse(
        typed(DType::Float16, &[1], int32(&[0x1_0000])),
        "int32_data[0] is 65536, not a valid float16",
    );
    refuse(
        typed(DType::Float8E5M2, &[1], int32(&[-1])),
        "int32_data[0] is -1, not a valid float8e5m2",
    );
    refuse(
        typed(DType::Int4, &[2], int32(&[256])),
        "int32_data[0] is 256, not a valid int4",
    );
    refuse(
        typed(DType::Int4, &[2], int32(&[-129])),
        "int32_data[0] is -129, not a valid int4",
    );
    refuse(
        typed(DType::Uint32, &[1], uint64(&[1 << 32])),
        "uint64_data[0] is 4294967296, not a valid uint32",
    );
    refuse(
        typed(DType::Bool, &[2], raw(&[1, 2])),
        "raw_data[1] is 2, not a valid bool",
    );
    refuse(
        typed(DType::String, &[1], string(&[b"\xFF"])),
        "field `string_data` is not UTF-8: \"\u{FFFD}\"",
    );
}

#[test]
fn wrong_types_and_shapes() {
    let untyped = TensorProto {
        dims: vec![1],
        ..raw(&[0])
    };
    refuse(
        untyped,
        "unknown element type 0: the specification defines 1 (float) to 28 (float6e3m2)",
    );
    let newer = TensorProto {
        data_type: Some(29),
        ..raw(&[0])
    };
    refuse(
        newer,
        "unknown element type 29: the specification defines 1 (float) to 28 (float6e3m2)",
    );
    refuse(
        typed(DType::Int8, &[3, -1], raw(&[0])),
        "axis 1 has the negative extent -1",
    );
    refuse(
        typed(DType::Int8, &[1 << 40, 1 << 40], raw(&[0])),
        "shape [1099511627776, 1099511627776] is too large to address, extents of 0 not counted",
    );
    refuse(
        typed(DType::Int8, &[1 << 40], raw(&[0])),
        "1099511627776 elements of one tensor, the limit is 1073741824",
    );
    refuse(
        typed(DType::Int8, &[1; 65], raw(&[0])),
        "65 axes, the limit is 64",
    );
}
