//! Products of matrices and convolutions, with what is fused into them; mixtures of experts.

use onnx_tensor::{DType, ValueType};

use super::{Declaration, contrib, flag, only, text};
use crate::families::{matmul_shapes, suffix_of, window};
use crate::{Domain, Draft, Made};

const FACTOR: Domain = Domain::from(-3.0, 3.0);

pub(in super::super) const OPERATORS: &[Declaration] = &[
    contrib("DynamicQuantizeMatMul", |d| {
        let (shape, columns) = bytes_shapes(d);
        d.input(&shape, FACTOR)?;
        let inner = shape[shape.len() - 1];
        let each = d.pick("scales", &["one", "columns"]) == "columns";
        let of_columns: &[usize] = if each { &[columns] } else { &[] };
        d.input(&[inner, columns], Domain::ANY)?;
        super::super::matrices::scale(d, of_columns)?;
        d.optional("zero point", of_columns, Domain::from(-8.0, 8.0))?;
        d.optional("bias", &[columns], FACTOR)?;
        Ok(())
    }),
    contrib("FusedConv", fused_conv),
    contrib("FusedGemm", fused_gemm),
    contrib("FusedMatMul", |d| fused_mat_mul(d, true)),
    contrib("Inverse", |d| {
        let extent = [1, 2, 3, 5][d.draws.below(4)];
        let stacked = d.pick("batch", &["none", "two"]) == "two";
        let shape: &[usize] = if stacked {
            &[2, extent, extent]
        } else {
            &[extent, extent]
        };
        let dtype = d.input_dtype(0)?;
        // The diagonal dominates, so that the matrix is far from a singular one.
        let count: usize = shape.iter().product();
        let element = |place: usize| {
            let (row, column) = (place / extent % extent, place % extent);
            if row == column {
                12
            } else {
                ((row * 3 + column * 5) % 4) as i64 - 2
            }
        };
        let numbers: Vec<i64> = (0..count).map(element).collect();
        d.give(crate::whole(dtype, shape, &numbers)?);
        Ok(())
    }),
    contrib("MatMulInteger16", |d| {
        only(d, "T3", DType::Int32)?;
        let (a, b) = matmul_shapes(d);
        d.input(&a, Domain::ANY)?;
        d.input(&b, Domain::ANY)?;
        Ok(())
    }),
    contrib("MatMulIntegerToFloat", |d| {
        let (shape, columns) = bytes_shapes(d);
        let inner = shape[shape.len() - 1];
        let each = d.pick("scales", &["one", "columns"]) == "columns";
        let of_columns: &[usize] = if each { &[columns] } else { &[] };
        d.input(&shape, Domain::ANY)?;
        d.input(&[inner, columns], Domain::ANY)?;
        super::super::matrices::scale(d, &[])?;
        super::super::matrices::scale(d, of_columns)?;
        d.optional("zero point of A", &[], Domain::from(-8.0, 8.0))?;
        d.optional("zero point of B", of_columns, Domain::from(-8.0, 8.0))?;
        d.optional("bias", &[columns], FACTOR)?;
        Ok(())
    }),
    contrib("MatMulNBits", mat_mul_n_bits),
    contrib("MoE", experts),
    contrib("NhwcConv", |d| {
        let window = window(d, true)?;
        let (channels, maps) = (1 + d.draws.below(3), 1 + d.draws.below(3));
        d.input(&[&[1], &window.input[..], &[channels]].concat(), FACTOR)?;
        d.input(&[&[maps, channels], &window.kernel[..]].concat(), FACTOR)?;
        d.optional("bias", &[maps], FACTOR)?;
        Ok(())
    }),
    contrib("NhwcFusedConv", |d| {
        let window = window(d, true)?;
        let (channels, maps) = (1 + d.draws.below(3), 1 + d.draws.below(3));
        text(d, "activation", &["Relu", "Sigmoid", "Tanh"]);
        d.input(&[&[1], &window.input[..], &[channels]].concat(), FACTOR)?;
        d.input(&[&[maps, channels], &window.kernel[..]].concat(), FACTOR)?;
        d.optional("bias", &[maps], FACTOR)?;
        Ok(())
    }),
    contrib("QMoE", quantized_experts),
    contrib("TransposeMatMul", |d| fused_mat_mul(d, false)),
];

/// The shape of A, and the number of columns of B.
fn bytes_shapes(d: &mut Draft) -> (Vec<usize>, usize) {
    let (rows, inner, columns) = (1 + d.draws.below(4), 1 + d.draws.below(9), 1 + d.draws.below(4));
    match d.pick("form", &["matrix", "stack"]) {
        "stack" => (vec![2, rows, inner], columns),
        _ => (vec![rows, inner], columns),
    }
}

fn fused_mat_mul(d: &mut Draft, batches: bool) -> Made {
    let (rows, inner, columns) = (1 + d.draws.below(4), 1 + d.draws.below(9), 1 + d.draws.below(4));
    let batch: Vec<usize> = match d.pick("batch", &["none", "one", "two"]) {
        "one" => vec![2],
        "two" => vec![2, 3],
        _ => vec![],
    };
    d.scalar("alpha", &[0.5, -2.0]);
    let mut operand = |names: [&str; 2], rows: usize, columns: usize| -> Made {
        let transposed = flag(d, names[0]);
        let behind = batches && flag(d, names[1]);
        let (first, last) = if transposed {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let mut shape = [&batch[..], &[first, last]].concat();
        if behind {
            let end = shape.len() - 1;
            shape[..end].rotate_right(1);
        }
        d.input(&shape, FACTOR)?;
        Ok(())
    };
    operand(["transA", "transBatchA"], rows, inner)?;
    operand(["transB", "transBatchB"], inner, columns)
}

const ACTIVATIONS: [&str; 6] = ["Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "Clip"];

fn fused_conv(d: &mut Draft) -> Made {
    let window = window(d, true)?;
    let (channels, maps) = (1 + d.draws.below(3), 1 + d.draws.below(3));
    let activation = d.pick("activation", &ACTIVATIONS);
    d.text("activation", activation);
    match activation {
        "LeakyRelu" => d.floats("activation_params", &[0.25]),
        "HardSigmoid" => d.floats("activation_params", &[0.25, 0.5]),
        "Clip" => d.floats("activation_params", &[-1.0, 6.0]),
        _ => {}
    }
    d.input(&[&[1, channels], &window.input[..]].concat(), FACTOR)?;
    d.input(&[&[maps, channels], &window.kernel[..]].concat(), FACTOR)?;
    d.optional("bias", &[maps], FACTOR)?;
    Ok(())
}

fn fused_gemm(d: &mut Draft) -> Made {
    let float = matches!(d.dtype("T")?, DType::Float | DType::Float16 | DType::Double);
    d.require(float, "the effect of an activation on integers is undefined")?;
    let activation = d.pick(
        "activation",
        &["Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "HardSigmoid"],
    );
    d.text("activation", activation);
    if matches!(activation, "LeakyRelu" | "Elu" | "HardSigmoid") {
        d.float("activation_alpha", 0.25);
    }
    if activation == "HardSigmoid" {
        d.float("activation_beta", 0.5);
    }
    let (m, k, n) = (1 + d.draws.below(4), 1 + d.draws.below(9), 1 + d.draws.below(4));
    d.scalar("alpha", &[0.5]);
    d.scalar("beta", &[2.0]);
    let a = if flag(d, "transA") { [k, m] } else { [m, k] };
    let b = if flag(d, "transB") { [n, k] } else { [k, n] };
    d.input(&a, FACTOR)?;
    d.input(&b, FACTOR)?;
    if d.whether("addend") {
        let shape = suffix_of(d, "C", m, n);
        d.input(&shape, FACTOR)?;
    }
    Ok(())
}

fn mat_mul_n_bits(d: &mut Draft) -> Made {
    let bits: usize = d.pick("bits", &["4", "8", "2"]).parse().unwrap_or(4);
    let block = if d.pick("block", &["16", "32"]) == "32" {
        32
    } else {
        16
    };
    let inner = match d.pick("inner", &["one block", "blocks", "part of a block"]) {
        "blocks" => 2 * block,
        "part of a block" => block + 5,
        _ => block,
    };
    let (rows, columns) = (1 + d.draws.below(3), 1 + d.draws.below(4));
    for (name, value) in [
        ("K", inner),
        ("N", columns),
        ("bits", bits),
        ("block_size", block),
    ] {
        d.int(name, value as i64);
    }
    let blocks = inner.div_ceil(block);
    d.input(&[rows, inner], FACTOR)?;
    d.input(&[columns, blocks, block * bits / 8], Domain::ANY)?;
    super::super::matrices::scale(d, &[columns, blocks])?;
    match d.pick("zero points", &["absent", "given"]) {
        "given" => {
            let packed = d.dtype("T3")? == DType::Uint8;
            d.require(
                packed || d.dtype("T3")? == d.dtype("T1")?,
                "real zero points have the type of A",
            )?;
            let width = if packed {
                (blocks * bits).div_ceil(8)
            } else {
                blocks
            };
            d.input(
                &[columns, width],
                if packed {
                    Domain::ANY
                } else {
                    Domain::whole(0.0, 3.0)
                },
            )?;
        }
        _ => d.skip(),
    }
    d.skip();
    d.optional("bias", &[columns], FACTOR)?;
    Ok(())
}

/// Attributes of a mixture of experts, the number of experts and the number of outputs of the first
/// projection for each hidden unit.
fn mixture(d: &mut Draft) -> (usize, usize) {
    let experts = 2 + d.draws.below(2);
    let best = 1 + d.draws.below(2) as i64;
    d.int("k", best);
    flag(d, "normalize_routing_weights");
    let function = text(
        d,
        "activation_type",
        &["relu", "gelu", "silu", "identity", "swiglu"],
    );
    if function == "swiglu" {
        d.int("swiglu_fusion", 1);
        d.float("activation_beta", 1.0);
        d.float("swiglu_limit", 7.0);
        return (experts, 2);
    }
    (experts, 1)
}

/// Logits of the router, of which no two are near.
fn logits(d: &mut Draft, tokens: usize, experts: usize) -> Made {
    let dtype = d.input_dtype(1)?;
    let numbers: Vec<i64> = (0..tokens * experts)
        .map(|place| ((place % experts * 2 + place / experts) % (2 * experts)) as i64 - 2)
        .collect();
    d.give(crate::whole(dtype, &[tokens, experts], &numbers)?);
    Ok(())
}

fn experts(d: &mut Draft) -> Made {
    let (tokens, width, hidden) = (1 + d.draws.below(3), 1 + d.draws.below(5), 1 + d.draws.below(5));
    let (experts, parts) = mixture(d);
    d.input(&[tokens, width], FACTOR)?;
    logits(d, tokens, experts)?;
    d.input(&[experts, parts * hidden, width], FACTOR)?;
    d.optional("first bias", &[experts, parts * hidden], FACTOR)?;
    d.input(&[experts, width, hidden], FACTOR)?;
    d.optional("second bias", &[experts, width], FACTOR)?;
    Ok(())
}

fn quantized_experts(d: &mut Draft) -> Made {
    only(d, "T1", DType::Uint8)?;
    let of_scales = d.dtype("T2")?;
    let floats = matches!(of_scales, DType::Float | DType::Float16 | DType::Bfloat16);
    d.require(floats, "scales of integers are floats")?;
    let (tokens, width, hidden) = (1 + d.draws.below(3), 16 * (1 + d.draws.below(2)), 16);
    let bits: usize = d.pick("bits", &["4", "8"]).parse().unwrap_or(4);
    let block = d.pick("block_size", &["absent", "16"]) == "16";
    let (experts, parts) = mixture(d);
    d.int("expert_weight_bits", bits as i64);
    if block {
        d.int("block_size", 16);
    }
    d.input(&[tokens, width], Domain::UNIT)?;
    logits(d, tokens, experts)?;
    for (rows, columns) in [(parts * hidden, width), (width, hidden)] {
        d.input(&[experts, rows, columns * bits / 8], Domain::ANY)?;
        let shape = if block {
            vec![experts, rows, columns / 16]
        } else {
            vec![experts, rows]
        };
        d.input(&shape, Domain::from(0.0, 0.0625))?;
        d.optional("bias", &[experts, rows], Domain::UNIT)?;
    }
    d.results(vec![ValueType::tensor(d.output_dtype(0)?)]);
    Ok(())
}
