//! The populations: operators that add products, element types, kinds of terms, lengths.

use std::fmt;

use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, ValueType};

/// An operator whose result is a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// MatMul of two matrices.
    MatMul,
    /// Gemm with transB = 1, without C.
    Gemm,
    /// Einsum `ij,jk->ik`.
    Einsum,
    /// Conv with a kernel of 3×3.
    Conv,
    /// ReduceSum over the last axis.
    ReduceSum,
    /// ReduceMean over the last axis.
    ReduceMean,
    /// ReduceSumSquare over the last axis.
    ReduceSumSquare,
    GlobalAveragePool,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 8] = [
        Kind::MatMul,
        Kind::Gemm,
        Kind::Einsum,
        Kind::Conv,
        Kind::ReduceSum,
        Kind::ReduceMean,
        Kind::ReduceSumSquare,
        Kind::GlobalAveragePool,
    ];

    pub fn operator(self) -> &'static str {
        match self {
            Kind::MatMul => "MatMul",
            Kind::Gemm => "Gemm",
            Kind::Einsum => "Einsum",
            Kind::Conv => "Conv",
            Kind::ReduceSum => "ReduceSum",
            Kind::ReduceMean => "ReduceMean",
            Kind::ReduceSumSquare => "ReduceSumSquare",
            Kind::GlobalAveragePool => "GlobalAveragePool",
        }
    }

    /// Whether the result is divided by the number of terms.
    pub fn divides(self) -> bool {
        matches!(self, Kind::ReduceMean | Kind::GlobalAveragePool)
    }

    /// Whether the terms are products with a second operand, which is an initializer.
    pub fn multiplies(self) -> bool {
        matches!(self, Kind::MatMul | Kind::Gemm | Kind::Einsum | Kind::Conv)
    }

    /// The first of the opsets 18 and 22 whose version of the operator accepts the type: many
    /// backends know no newer one.
    pub fn opset(self, dtype: DType) -> Option<u32> {
        let accepts = |opset: &u32| {
            let versions = onnx_schema::versions("", self.operator());
            let version = versions.iter().rev().find(|schema| schema.since <= *opset);
            version.is_some_and(|schema| takes(schema, dtype))
        };
        [18, 22].into_iter().find(accepts)
    }
}

fn takes(schema: &OperatorSchema, dtype: DType) -> bool {
    let types = schema.input(0).map_or(&[][..], |formal| schema.types(formal));
    types
        .iter()
        .any(|allowed| allowed.matches(&ValueType::tensor(dtype)))
}

/// What the terms of a sum are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Terms {
    /// Uniform in (−1, 1): terms of both signs, which cancel.
    Signed,
    /// Uniform in (0, 1): every partial sum is larger than the one before.
    Positive,
    /// 2⁻ⁿ for uniform n in (0, 6): large terms next to small ones, all positive. The smallest
    /// product is still many times the spacing of the largest sum: below it, rounding to nearest
    /// itself loses terms.
    Wide,
}

impl Terms {
    const ALL: [Terms; 3] = [Terms::Signed, Terms::Positive, Terms::Wide];
}

/// A population of sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The operator.
    pub kind: Kind,
    /// The element type.
    pub dtype: DType,
    pub terms: Terms,
    /// The number of terms of each sum; Conv takes the next multiple of 9.
    pub length: usize,
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Terms::Signed => "signed",
            Terms::Positive => "positive",
            Terms::Wide => "wide",
        })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject {
            kind,
            dtype,
            terms,
            length,
        } = self;
        write!(f, "{} {dtype} {terms} {length}", kind.operator())
    }
}

/// The element types.
const TYPES: [DType; 4] = [DType::Float, DType::Double, DType::Float16, DType::Bfloat16];

/// The numbers of terms.
const LENGTHS: [usize; 4] = [16, 64, 256, 1024];

/// The operators and element types, those of `operators` only if there are any.
pub fn adders(operators: &[String]) -> Vec<(Kind, DType)> {
    let named = |kind: &Kind| operators.is_empty() || operators.iter().any(|name| name == kind.operator());
    let pairs = Kind::ALL.into_iter().filter(named);
    pairs
        .flat_map(|kind| TYPES.map(|dtype| (kind, dtype)))
        .filter(|(kind, dtype)| kind.opset(*dtype).is_some())
        .collect()
}

/// All populations of the operators.
pub fn subjects(operators: &[String]) -> Vec<Subject> {
    let mut all = Vec::new();
    for (kind, dtype) in adders(operators) {
        for terms in Terms::ALL {
            all.extend(LENGTHS.map(|length| Subject {
                kind,
                dtype,
                terms,
                length,
            }));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// bfloat16 came to MatMul with version 13 and to Conv with version 22; Einsum has no type of
    /// 16 bits but float16.
    #[test]
    fn only_types_of_the_schema_are_tested() {
        assert_eq!(Kind::MatMul.opset(DType::Bfloat16), Some(18));
        assert_eq!(Kind::Conv.opset(DType::Bfloat16), Some(22));
        assert_eq!(Kind::Conv.opset(DType::Float), Some(18));
        assert_eq!(Kind::Einsum.opset(DType::Bfloat16), None);
        assert!(subjects(&["Pad".to_owned()]).is_empty());
    }
}
