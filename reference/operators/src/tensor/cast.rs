//! Cast — converts the elements to another element type, with the rules and interpretations of [`convert`].
//!
//! Exact if the target type has the value; otherwise a float is rounded once, to nearest, ties to even, and
//! so is an integer of 4 or 2 bits; the fraction is dropped for an integer of 8 bits and more.
//!
//! Versions: 1 selects the type by a string (`FLOAT`), later ones by its number. 9 adds text, 13 bfloat16
//! and detailed rules, 19 the floats of 8 bits with `saturate`, 24 float8e8m0 with `round_mode`.
//! Interpretation: versions 19 to 23 have a table in which saturated Inf becomes NaN in the two FNUZ
//! formats; their official cases have the largest finite value, and version 24 corrects the table
//! accordingly. The reference applies the correction to all of them.

use onnx_tensor::DType;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::convert::{self, Rules};

pub const OP: OpDef = op(
    "Cast",
    &[
        v(1, First, |call| cast(call, named(call)?)),
        v(6, Semantics, |call| cast(call, call.dtype_attribute("to")?)),
        v(9, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(13, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(19, Semantics, |call| cast(call, call.dtype_attribute("to")?)),
        v(21, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(23, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(24, Semantics, |call| cast(call, call.dtype_attribute("to")?)),
        v(25, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
        v(28, TypesOnly, |call| cast(call, call.dtype_attribute("to")?)),
    ],
);

/// The type of version 1, by its name in `TensorProto.DataType`.
fn named(call: &Call<'_>) -> Result<DType, OpError> {
    let name = call.string("to")?;
    DType::ALL
        .into_iter()
        .find(|dtype| dtype.onnx_name().to_ascii_uppercase() == name)
        .ok_or_else(|| OpError::invalid(format!("`to` is `{name}`, which is not an element type")))
}

fn cast(call: &Call<'_>, to: DType) -> Result<Outputs, OpError> {
    let (x, to) = (call.tensor(0)?, call.output_dtype(0, to)?);
    call.reserve(x.shape(), to)?;
    one(convert::convert(x, to, Rules::of(call)?)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{F6E2M3, F8E4M3Fnuz, F8E5M2, F8E8M0, I4, Tensor, bf16};

    use crate::frame::testing::{attribute, check, refused, strings};

    #[test]
    fn each_version_casts_by_its_rules() {
        let floats = |values: &[f32]| Tensor::vector(values.to_vec());
        let to = |number: i64| attribute("to", number);
        let cases = [
            (
                1,
                floats(&[1.9, -1.9]),
                vec![attribute("to", "INT32")],
                Tensor::vector(vec![1, -1]),
            ),
            (
                6,
                Tensor::vector(vec![200_i16]),
                vec![to(3)],
                Tensor::vector(vec![-56_i8]),
            ),
            (
                6,
                floats(&[0.0, -0.0, 0.5, f32::NAN]),
                vec![to(9)],
                Tensor::vector(vec![false, false, true, true]),
            ),
            (
                9,
                strings(&["1e-5", "1E8", "-INF", "0"]),
                vec![to(11)],
                Tensor::vector(vec![1e-5, 1e8, f64::NEG_INFINITY, 0.0]),
            ),
            (
                9,
                strings(&["-7", "1e3"]),
                vec![to(7)],
                Tensor::vector(vec![-7_i64, 1000]),
            ),
            (
                13,
                floats(&[314.15926, 1e10]),
                vec![to(8)],
                strings(&["314.15927", "10000000000"]),
            ),
            // Above 2⁶² + 2⁵⁴, which is halfway between two bfloat16; a double cannot hold the 1.
            (
                13,
                Tensor::vector(vec![(1_i64 << 62) + (1 << 54) + 1]),
                vec![to(16)],
                Tensor::vector(vec![bf16::from_bits(0x5E81)]),
            ),
            (
                19,
                floats(&[f32::INFINITY, -1e6]),
                vec![to(18)],
                Tensor::vector(vec![F8E4M3Fnuz(0x7F), F8E4M3Fnuz(0xFF)]),
            ),
            (
                19,
                floats(&[1e6, 1.0]),
                vec![to(19), attribute("saturate", 0_i64)],
                Tensor::vector(vec![F8E5M2(0x7C), F8E5M2(0x3C)]),
            ),
            (
                21,
                floats(&[8.0, -9.0, f32::NAN]),
                vec![to(22)],
                Tensor::vector(vec![I4::wrap(-8), I4::wrap(7), I4::wrap(0)]),
            ),
            (
                21,
                floats(&[0.5, 1.5, 2.5, -0.75, -6.5, 7.6]),
                vec![to(22)],
                Tensor::vector([0, 2, 2, -1, -6, 8].map(I4::wrap).to_vec()),
            ),
            (
                24,
                floats(&[1.25, 1.5]),
                vec![to(24)],
                Tensor::vector(vec![F8E8M0(128), F8E8M0(128)]),
            ),
            (
                24,
                floats(&[1.25, 1.5]),
                vec![to(24), attribute("round_mode", "nearest")],
                Tensor::vector(vec![F8E8M0(127), F8E8M0(128)]),
            ),
            (
                25,
                floats(&[1.75, 1e9]),
                vec![to(24), attribute("round_mode", "down")],
                Tensor::vector(vec![F8E8M0(127), F8E8M0(156)]),
            ),
            // ml_dtypes has these bit patterns.
            (
                28,
                floats(&[1.3, 7.6, -0.06, 100.0]),
                vec![to(27)],
                Tensor::vector([10, 31, 32, 31].map(F6E2M3).to_vec()),
            ),
        ];
        for (since, x, attributes, expected) in cases {
            check(("", "Cast", since), &[x.into()], &attributes, &[expected.into()]);
        }
    }

    #[test]
    fn undefined_casts_are_rejected() {
        let one = || [Tensor::vector(vec![1.0_f32]).into()];
        refused(
            ("", "Cast", 1),
            &one(),
            &[attribute("to", "int32")],
            "not an element type",
        );
        refused(
            ("", "Cast", 13),
            &one(),
            &[attribute("to", 17_i64)],
            "float8e4m3fn",
        );
        refused(("", "Cast", 13), &one(), &[attribute("to", 14_i64)], "complex64");
        let up = [attribute("to", 24_i64), attribute("round_mode", "even")];
        refused(("", "Cast", 24), &one(), &up, "`round_mode` is `even`");
        for (text, to) in [("2.718", 6), ("300", 2), ("Hello World!", 1)] {
            refused(
                ("", "Cast", 13),
                &[strings(&[text]).into()],
                &[attribute("to", to)],
                text,
            );
        }
    }
}
