//! The table of plausible faults of an implementation, as changes of the model that it runs: an attribute
//! that is read wrongly, weights in another layout, an operator that is replaced by another formula.

use onnx_model::AttributeValue::{Float, Int, Ints, String as Text};
use onnx_tensor::{DType, Tensor};

use super::plants::{NORMALIZATIONS, REALS, WEIGHTED, epsilon, rolled, scaled, stale, through, truncated};
use super::site::{Change, Site};

/// A kind of fault.
#[derive(Debug)]
pub struct Fault {
    pub name: &'static str,
    /// Plants it; `None` where it does not apply.
    pub plant: fn(&Site<'_>) -> Option<Change>,
}

const fn fault(name: &'static str, plant: fn(&Site<'_>) -> Option<Change>) -> Fault {
    Fault { name, plant }
}

/// Every kind of fault.
pub const FAULTS: &[Fault] = &[
    fault("epsilon ten times too large", |site| epsilon(site, 10.0)),
    fault("epsilon ten times too small", |site| epsilon(site, 0.1)),
    fault("epsilon of 1e-3", |site| {
        site.is(&NORMALIZATIONS)
            .then(|| site.with("epsilon", Float(1e-3)))
    }),
    fault("alpha 1 % off", |site| {
        let default = match site.node.operator.as_str() {
            "LeakyRelu" => 0.01,
            "HardSigmoid" => 0.2,
            "Elu" | "Celu" | "Gemm" | "ThresholdedRelu" => 1.0,
            "Swish" | "QuickGelu" => 1.0,
            _ => return None,
        };
        site.is(&[&site.node.operator])
            .then(|| site.with("alpha", Float(site.float("alpha", default) * 1.01)))
    }),
    fault("softmax along another axis", |site| {
        let other = match site.int("axis", if site.opset() < 13 { 1 } else { -1 }) {
            -1 => -2,
            _ => -1,
        };
        site.is(&["Softmax", "LogSoftmax"])
            .then(|| site.with("axis", Int(other)))
    }),
    fault("window shifted by one", |site| {
        let onnx_model::AttributeValue::Ints(pads) = site.node.attribute("pads")? else {
            return None;
        };
        let (mut pads, half) = (pads.clone(), pads.len() / 2);
        (site.is(&["Conv", "AveragePool", "MaxPool"]) && pads.last().is_some_and(|last| *last > 0)).then(
            || {
                pads[half - 1] += 1;
                pads[2 * half - 1] -= 1;
                site.with("pads", Ints(pads))
            },
        )
    }),
    fault("padding counted, or not counted, by the average", |site| {
        let other = 1 - site.int("count_include_pad", 0);
        site.is(&["AveragePool"])
            .then(|| site.with("count_include_pad", Int(other)))
    }),
    fault("average in place of maximum", |site| {
        (site.is(&["MaxPool"]) && site.output().is_some()).then(|| {
            let mut change = site.operator("AveragePool");
            change.nodes[0].attributes.retain(|a| a.name != "storage_order");
            change
        })
    }),
    fault("maximum in place of average", |site| {
        site.is(&["GlobalAveragePool"])
            .then(|| site.operator("GlobalMaxPool"))
    }),
    fault("corners aligned, or not", |site| {
        let other = match site.text("coordinate_transformation_mode", "half_pixel").as_str() {
            "align_corners" => "half_pixel",
            "half_pixel" | "pytorch_half_pixel" => "asymmetric",
            _ => "half_pixel",
        };
        (site.is(&["Resize"]) && site.opset() >= 11)
            .then(|| site.with("coordinate_transformation_mode", Text(other.into())))
    }),
    fault("nearest neighbour rounded otherwise", |site| {
        let other = match site.text("nearest_mode", "round_prefer_floor").as_str() {
            "floor" => "ceil",
            _ => "floor",
        };
        (site.is(&["Resize"]) && site.opset() >= 11).then(|| site.with("nearest_mode", Text(other.into())))
    }),
    fault("another cubic coefficient", |site| {
        let other = if site.float("cubic_coeff_a", -0.75) < -0.6 {
            -0.5
        } else {
            -0.75
        };
        (site.is(&["Resize"]) && site.text("mode", "nearest") == "cubic")
            .then(|| site.with("cubic_coeff_a", Float(other)))
    }),
    fault("gelu by the other formula", |site| {
        let other = match site.text("approximate", "none").as_str() {
            "none" => "tanh",
            _ => "none",
        };
        site.is(&["Gelu"])
            .then(|| site.with("approximate", Text(other.into())))
    }),
    fault("sequence read backwards", |site| {
        let other = match site.text("direction", "forward").as_str() {
            "forward" => "reverse",
            "reverse" => "forward",
            _ => return None,
        };
        site.is(&["LSTM", "GRU", "RNN"])
            .then(|| site.with("direction", Text(other.into())))
    }),
    fault("reset gate on the other side of the product", |site| {
        let other = 1 - site.int("linear_before_reset", 0);
        site.is(&["GRU"])
            .then(|| site.with("linear_before_reset", Int(other)))
    }),
    fault("gates swapped", |site| {
        let gates = if site.is(&["LSTM"]) { 4 } else { 3 };
        site.is(&["LSTM", "GRU"]).then_some(())?;
        site.with_constant(2, |values, shape| {
            let block = shape[1..].iter().product::<usize>() / gates;
            for direction in values.chunks_exact_mut(block * gates) {
                let (first, rest) = direction.split_at_mut(block);
                first.swap_with_slice(&mut rest[..block]);
            }
        })
    }),
    fault("exclusive sum, or not", |site| {
        let other = 1 - site.int("exclusive", 0);
        site.is(&["CumSum", "CumProd"])
            .then(|| site.with("exclusive", Int(other)))
    }),
    fault("sum from the other end", |site| {
        let other = 1 - site.int("reverse", 0);
        site.is(&["CumSum", "CumProd"])
            .then(|| site.with("reverse", Int(other)))
    }),
    fault("alpha of LRN not divided by its size", |site| {
        let alpha = site.float("alpha", 1e-4) * site.int("size", 1) as f32;
        site.is(&["LRN"]).then(|| site.with("alpha", Float(alpha)))
    }),
    fault("square matrix transposed", |site| {
        let square = |position| {
            site.constant(position)
                .is_some_and(|t| t.rank() == 2 && t.shape()[0] == t.shape()[1])
        };
        (site.is(&["Gemm", "MatMul"]) && square(1)).then_some(())?;
        site.with_constant(1, |values, shape| {
            let n = shape[0];
            for row in 0..n {
                for column in 0..row {
                    values.swap(row * n + column, column * n + row);
                }
            }
        })
    }),
    fault("smallest in place of largest", |site| {
        let other = 1 - site.int("largest", 1);
        site.is(&["TopK"]).then(|| site.with("largest", Int(other)))
    }),
    fault("attention without its scale", |site| {
        site.is(&["Attention"]).then(|| site.with("scale", Float(1.0)))
    }),
    fault("attention to later positions, or not", |site| {
        let other = 1 - site.int("is_causal", 0);
        site.is(&["Attention"])
            .then(|| site.with("is_causal", Int(other)))
    }),
    fault("attention without its soft cap", |site| {
        (site.is(&["Attention"]) && site.float("softcap", 0.0) > 0.0)
            .then(|| site.with("softcap", Float(0.0)))
    }),
    fault("rotary pairs interleaved, or not", |site| {
        let other = 1 - site.int("interleaved", 0);
        site.is(&["RotaryEmbedding"])
            .then(|| site.with("interleaved", Int(other)))
    }),
    fault("remainder with the sign of the other operand", |site| {
        let other = 1 - site.int("fmod", 0);
        site.is(&["Mod"]).then(|| site.with("fmod", Int(other)))
    }),
    fault("columns before rows of a block", |site| {
        let other = match site.text("mode", "DCR").as_str() {
            "DCR" => "CRD",
            _ => "DCR",
        };
        site.is(&["DepthToSpace"])
            .then(|| site.with("mode", Text(other.into())))
    }),
    fault("another norm", |site| {
        let other = 3 - site.int("p", 2);
        site.is(&["LpNormalization"]).then(|| site.with("p", Int(other)))
    }),
    fault("kernel flipped", |site| {
        let kernel = |shape: &[usize]| shape.get(2..).map_or(1, |rest| rest.iter().product::<usize>());
        site.is(&["Conv", "ConvTranspose"]).then_some(())?;
        site.with_constant(1, |values, shape| {
            values
                .chunks_exact_mut(kernel(shape).max(1))
                .for_each(<[f64]>::reverse);
        })
    }),
    fault("bias dropped", |site| {
        let position = if site.is(&[
            "Conv",
            "ConvTranspose",
            "Gemm",
            "LayerNormalization",
            "BatchNormalization",
        ]) {
            2
        } else if site.is(&["Add"]) {
            1
        } else {
            return None;
        };
        site.with_constant(position, |values, _| values.fill(0.0))
    }),
    fault("rows of the weights rolled by one", |site| {
        site.is(&WEIGHTED).then_some(())?;
        site.with_constant(1, |values, shape| {
            let row = shape.get(1..).map_or(1, |rest| rest.iter().product::<usize>());
            let row = row.min(values.len());
            values.rotate_right(row);
        })
    }),
    fault("one channel of the weights 1 % off", |site| {
        site.is(&WEIGHTED).then_some(())?;
        site.with_constant(1, |values, shape| {
            let row = shape.get(1..).map_or(1, |rest| rest.iter().product::<usize>());
            values.iter_mut().take(row).for_each(|x| *x *= 1.01);
        })
    }),
    fault("one weight of the wrong sign", |site| {
        site.is(&WEIGHTED).then_some(())?;
        site.with_constant(1, |values, _| {
            let largest = (0..values.len()).max_by(|a, b| values[*a].abs().total_cmp(&values[*b].abs()));
            if let Some(place) = largest {
                values[place] = -values[place];
            }
        })
    }),
    fault("weights truncated to 7 bits", |site| truncated(site, 7)),
    fault("weights truncated to 12 bits", |site| truncated(site, 12)),
    fault("zero point off by one", |site| {
        let position = match site.node.operator.as_str() {
            "QuantizeLinear" | "DequantizeLinear" => 2,
            "ConvInteger" | "MatMulInteger" => 3,
            "QLinearConv" | "QLinearMatMul" => 5,
            _ => return None,
        };
        site.with_constant(position, |values, _| {
            values
                .iter_mut()
                .for_each(|x| *x += if *x < 100.0 { 1.0 } else { -1.0 })
        })
    }),
    fault("scale of a quantizer 1 % off", |site| {
        let position = match site.node.operator.as_str() {
            "QuantizeLinear" | "DequantizeLinear" | "QLinearConv" | "QLinearMatMul" => 1,
            _ => return None,
        };
        site.with_constant(position, |values, _| values.iter_mut().for_each(|x| *x *= 1.01))
    }),
    fault("scale of a normalization rolled by one channel", |site| {
        site.is(&NORMALIZATIONS).then_some(())?;
        site.with_constant(1, |values, _| {
            let one = values.len().min(1);
            values.rotate_right(one);
        })
    }),
    fault("mean and variance exchanged", |site| {
        site.is(&["BatchNormalization"])
            .then(|| site.inputs(&[0, 1, 2, 4, 3]))
            .flatten()
    }),
    fault("operands exchanged", |site| {
        site.is(&["Sub", "Div", "Pow", "Less", "Greater", "Where"])
            .then_some(())?;
        if site.is(&["Where"]) {
            site.inputs(&[0, 2, 1])
        } else {
            site.inputs(&[1, 0])
        }
    }),
    fault("residual dropped", |site| {
        (site.is(&["Add"]) && site.constant(0).is_none() && site.constant(1).is_none()).then_some(())?;
        let mut change = site.operator("Identity");
        change.nodes[0].inputs.truncate(1);
        Some(change)
    }),
    fault("activation dropped", |site| {
        site.is(&[
            "Relu",
            "Sigmoid",
            "Tanh",
            "Gelu",
            "Clip",
            "LeakyRelu",
            "Elu",
            "HardSwish",
        ])
        .then(|| {
            let mut change = site.operator("Identity");
            change.nodes[0].attributes.clear();
            change.nodes[0].inputs.truncate(1);
            change
        })
    }),
    fault("hard sigmoid in place of sigmoid", |site| {
        site.is(&["Sigmoid"]).then(|| site.operator("HardSigmoid"))
    }),
    fault("tanh formula in place of erf", |site| {
        let output = site.output()?.clone();
        site.is(&["Erf"]).then(|| {
            let mut change = Change::default();
            let scale = change.constant(&output, Tensor::scalar(std::f32::consts::FRAC_2_SQRT_PI));
            let scaled = format!("{output}__scaled");
            change.node("Mul", &[&site.node.inputs[0], &scale], &scaled);
            change.node("Tanh", &[&scaled], &output);
            change
        })
    }),
    fault("sum in place of mean", |site| {
        site.is(&["ReduceMean"]).then(|| site.operator("ReduceSum"))
    }),
    fault("absolute sum in place of Euclidean norm", |site| {
        site.is(&["ReduceL2"]).then(|| site.operator("ReduceL1"))
    }),
    fault("variance of a sample", |site| {
        let scale = site.constant(1)?;
        let n = scale.len() as f64;
        (site.is(&["LayerNormalization"]) && n > 1.0).then_some(())?;
        site.with_constant(1, |values, _| {
            values.iter_mut().for_each(|x| *x *= ((n - 1.0) / n).sqrt())
        })
    }),
    fault("order of parts exchanged", |site| {
        site.is(&["Concat"])
            .then(|| site.inputs(&[1, 0]))
            .flatten()
            .filter(|_| site.node.inputs.len() == 2)
    }),
    fault("index off by one", |site| {
        site.is(&["Gather"]).then_some(())?;
        site.with_constant(1, |values, _| {
            values
                .iter_mut()
                .for_each(|x| *x += if *x > 0.0 { -1.0 } else { 1.0 })
        })
    }),
    fault("window of a slice off by one", |site| {
        site.is(&["Slice"]).then_some(())?;
        let positive = |position| {
            site.constant(position)
                .is_some_and(|t| t.to_vec::<i64>().is_ok_and(|v| v.iter().all(|x| *x > 0)))
        };
        (positive(1) && positive(2)).then_some(())?;
        let mut change = site.with_constant(1, |values, _| values.iter_mut().for_each(|x| *x -= 1.0))?;
        let ends = site.with_constant(2, |values, _| values.iter_mut().for_each(|x| *x -= 1.0))?;
        change.nodes[0].inputs[2].clone_from(&ends.nodes[0].inputs[2]);
        change.constants.extend(ends.constants);
        Some(change)
    }),
    fault("output 1 % too large", |site| scaled(site, 1.01)),
    fault("output 0.1 % too large", |site| scaled(site, 1.001)),
    fault("output 20 % too large", |site| scaled(site, 1.2)),
    fault("output through bfloat16", |site| through(site, DType::Bfloat16)),
    fault("output through float16", |site| through(site, DType::Float16)),
    fault("output shifted by one along the last axis", |site| {
        (site.is(&REALS) && site.opset() >= 11).then(|| site.followed(rolled))?
    }),
    fault("last element of each row not written", |site| {
        (site.is(&REALS) && site.opset() >= 13).then(|| site.followed(stale))?
    }),
    fault("output clipped at 6", |site| {
        (site.is(&["Relu"]) && site.opset() >= 12).then(|| {
            site.followed(|from, to, change| {
                let six = change.constant(to, Tensor::scalar(6_f32));
                change.node("Clip", &[from, "", &six], to);
            })
        })?
    }),
];
