//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The versions of the operators, oldest first.

use super::types::*;
use crate::literal::*;

pub(super) static ADAGRAD: [OperatorSchema; 1] = [schema(
    "ai.onnx.preview.training",
    "Adagrad",
    1,
    (3, UNBOUNDED),
    (1, UNBOUNDED),
)
.inputs(&[
    single("R", of("T1")),
    single("T", of("T2")),
    heterogeneous("inputs", of("T3"), 1),
])
.outputs(&[heterogeneous("outputs", of("T3"), 1)])
.attributes(&[
    float("decay_factor", 0.0),
    float("epsilon", 1e-06),
    float("norm_coefficient", 0.0),
])
.constraints(&[
    constraint("T1", IS_INF_10_T1),
    constraint("T2", TENSOR_INT64),
    constraint("T3", IS_INF_10_T1),
])];

pub(super) static ADAM: [OperatorSchema; 1] = [schema(
    "ai.onnx.preview.training",
    "Adam",
    1,
    (3, UNBOUNDED),
    (1, UNBOUNDED),
)
.inputs(&[
    single("R", of("T1")),
    single("T", of("T2")),
    heterogeneous("inputs", of("T3"), 1),
])
.outputs(&[heterogeneous("outputs", of("T3"), 1)])
.attributes(&[
    float("alpha", 0.9),
    float("beta", 0.999),
    float("epsilon", 1e-06),
    float("norm_coefficient", 0.0),
    float("norm_coefficient_post", 0.0),
])
.constraints(&[
    constraint("T1", IS_INF_10_T1),
    constraint("T2", TENSOR_INT64),
    constraint("T3", IS_INF_10_T1),
])];

pub(super) static GRADIENT: [OperatorSchema; 1] = [schema(
    "ai.onnx.preview.training",
    "Gradient",
    1,
    (1, UNBOUNDED),
    (1, UNBOUNDED),
)
.inputs(&[heterogeneous("Inputs", of("T1"), 1)])
.outputs(&[heterogeneous("Outputs", of("T2"), 1)])
.attributes(&[
    required("xs", Strings),
    required("y", String),
    unset("zs", Strings),
])
.constraints(&[constraint("T1", COMPRESS_9_T), constraint("T2", ABS_1_T)])];

pub(super) static MOMENTUM: [OperatorSchema; 1] = [schema(
    "ai.onnx.preview.training",
    "Momentum",
    1,
    (3, UNBOUNDED),
    (1, UNBOUNDED),
)
.inputs(&[
    single("R", of("T1")),
    single("T", of("T2")),
    heterogeneous("inputs", of("T3"), 1),
])
.outputs(&[heterogeneous("outputs", of("T3"), 1)])
.attributes(&[
    required("alpha", Float),
    required("beta", Float),
    required("mode", String),
    required("norm_coefficient", Float),
])
.constraints(&[
    constraint("T1", IS_INF_10_T1),
    constraint("T2", TENSOR_INT64),
    constraint("T3", IS_INF_10_T1),
])];
