//! MoE and QMoE with constant weights: the tokens of each expert, one expert after the other.

use std::ops::Range;
use std::sync::Arc;

use native_kernels::elementwise::{Binary, Unary, binary, unary};
use native_kernels::gemm::{CodeBits, Matrix, PackedB, PackedQuantized, Quantized, Rhs, gemm};
use native_kernels::{Activation, Bias, Buffer, Epilogue, Pool};
use onnx_tensor::{DType, Tensor};

use super::{Attempt, Device, Lowered, Use};
use crate::error::{Problem, invalid};
use crate::ir::Operator;
use crate::ops::experts::{Between, Mixture, Parts, Places, ROUTER_WEIGHTS, codes, places};

/// The weights of an expert in a projection.
enum Packed {
    Floats(PackedB),
    Quantized(PackedQuantized),
}

/// A projection of all experts.
struct Projection {
    packed: Arc<Vec<Packed>>,
    bias: Option<Vec<f32>>,
    /// The number of inputs, and of outputs.
    extents: [usize; 2],
}

/// What a node is, if the kernel serves it.
struct Plan {
    mixture: Mixture,
    tokens: usize,
    width: usize,
    experts: usize,
    projections: Vec<(usize, Places)>,
}

/// Whether the kernel serves a node, with the shapes that are known.
pub fn serves(used: &Use, operator: &Operator, quantized: bool) -> bool {
    plan(used, operator, quantized).is_ok_and(|plan| plan.is_some())
}

/// Returns the plan of a node with constant weights whose types and shapes agree.
fn plan(used: &Use, operator: &Operator, quantized: bool) -> Result<Option<Plan>, Problem> {
    let mixture = Mixture::read(&operator.attributes, quantized)?;
    let real = used.dtypes[0];
    let shape = |position: usize| {
        let operand = used.inputs.get(position)?.as_ref()?;
        (operand.dtype == real).then_some(&operand.shape[..])
    };
    let (Some([leading @ .., width]), Some(&[tokens, experts])) = (shape(0), shape(1)) else {
        return Ok(None);
    };
    let constant = |position: usize, dtype: DType| {
        let found = used.constant(position);
        found.is_some_and(|tensor| tensor.dtype() == dtype) || !used.has(position)
    };
    let weights = if quantized { DType::Uint8 } else { real };
    let given: Vec<(usize, Places)> = (0..)
        .zip(places(quantized))
        .filter(|(_, place)| used.has(place.weights))
        .collect();
    let constant = given.iter().all(|(_, place)| {
        let [scales, zeros] = place.steps;
        constant(place.weights, weights)
            && constant(place.bias, real)
            && constant(scales, real)
            && constant(zeros, DType::Uint8)
            && used
                .constant(place.weights)
                .is_some_and(|all| all.rank() == 3 && all.shape()[0] == experts)
    });
    let routed = !quantized || !used.has(ROUTER_WEIGHTS) || shape(ROUTER_WEIGHTS) == Some(&[tokens, experts]);
    let real = matches!(real, DType::Float | DType::Float16 | DType::Bfloat16);
    let fits = tokens == leading.iter().product::<usize>() && mixture.best <= experts && given.len() >= 2;
    Ok(
        (real && constant && routed && fits && used.is_plain()).then_some(Plan {
            mixture,
            tokens,
            width: *width,
            experts,
            projections: given,
        }),
    )
}

/// Lowers MoE, or QMoE.
pub fn lower(used: &Use, device: &Device, operator: &Operator, quantized: bool) -> Attempt {
    let Some(plan) = plan(used, operator, quantized)? else {
        return Ok(None);
    };
    let mut projections = Vec::new();
    for &(number, place) in &plan.projections {
        let Some(projection) = projection(used, device, operator, (number, place, quantized))? else {
            return Ok(None);
        };
        projections.push(projection);
    }
    let Some(hidden) = width_between(&plan, &projections) else {
        return Ok(None);
    };
    let mut reads = vec![0, 1];
    reads.extend((quantized && used.has(ROUTER_WEIGHTS)).then_some(ROUTER_WEIGHTS));
    Lowered::new(used, device, reads, move |device, inputs, outputs| {
        let routes = routes(&plan, inputs[1], inputs.get(2).copied());
        outputs[0].fill(0.0);
        for expert in 0..plan.experts {
            let chosen: Vec<(usize, f32)> = routes
                .iter()
                .filter(|route| route.expert == expert)
                .map(|route| (route.token, route.weight))
                .collect();
            if !chosen.is_empty() {
                let network = Network {
                    pool: &device.pool,
                    plan: &plan,
                    projections: &projections,
                    hidden,
                    expert,
                };
                network.add(inputs[0], &chosen, outputs[0])?;
            }
        }
        Ok(())
    })
}

/// Returns the width between the projections, if all fit.
fn width_between(plan: &Plan, projections: &[Projection]) -> Option<usize> {
    let [first, second, third @ ..] = projections else {
        return None;
    };
    let ([k, width], [hidden, n]) = (first.extents, second.extents);
    let fused = match plan.mixture.function {
        Between::Gated { parts, .. } if (parts == Parts::Apart) != third.is_empty() => {
            if parts == Parts::Apart { 1 } else { 2 }
        }
        Between::Gated { .. } => return None,
        _ => 1,
    };
    let alike = third.iter().all(|third| third.extents == first.extents);
    (k == plan.width && n == plan.width && width == fused * hidden && alike).then_some(hidden)
}

/// Packs a projection; `None` if its bias does not fit.
fn projection(
    used: &Use,
    device: &Device,
    operator: &Operator,
    (number, place, quantized): (usize, Places, bool),
) -> Result<Option<Projection>, Problem> {
    let Some(weights) = used.constant(place.weights) else {
        return Ok(None);
    };
    let steps = place.steps.map(|position| used.constant(position));
    let constants: Vec<&Tensor> = [Some(weights), steps[0], steps[1]]
        .into_iter()
        .flatten()
        .collect();
    let attributes = ["expert_weight_bits", "block_size"].map(|name| operator.attributes.find_int(name));
    let packed = device
        .packs
        .get(&constants, (number, quantized, attributes), || match steps[0] {
            Some(scales) if quantized => {
                let all = codes(&operator.attributes, number, [weights, scales], steps[1])?;
                all.into_iter()
                    .map(|codes| quantized_pack(&device.pool, &codes))
                    .collect()
            }
            _ => float_pack(used, device, place.weights),
        })?;
    let Some(extents) = packed.first().map(Packed::extents) else {
        return Ok(None);
    };
    let bias = used.floats(place.bias).map(<[f32]>::to_vec);
    let fits = bias
        .as_ref()
        .is_none_or(|bias| bias.len() == packed.len() * extents[1]);
    Ok(fits.then_some(Projection {
        packed,
        bias,
        extents,
    }))
}

fn float_pack(used: &Use, device: &Device, position: usize) -> Result<Vec<Packed>, Problem> {
    let (Some(all), Some(&[experts, n, k])) =
        (used.floats(position), used.constant(position).map(Tensor::shape))
    else {
        return invalid("the weights of experts are missing");
    };
    let one = |expert: usize| {
        let own = &all[expert * n * k..(expert + 1) * n * k];
        let matrix = Matrix::new(own, n, k)?.transposed();
        Ok(Packed::Floats(PackedB::new(&device.pool, matrix)?))
    };
    (0..experts).map(one).collect()
}

fn quantized_pack(pool: &Pool, codes: &crate::ops::experts::Codes) -> Result<Packed, Problem> {
    let [k, n] = codes.extents;
    let quantized = Quantized {
        bits: if codes.bits == 8 {
            CodeBits::Eight
        } else {
            CodeBits::Four
        },
        k,
        n,
        turned: false,
        block: codes.block,
        codes: &codes.codes,
        scales: &codes.scales,
        zeros: &codes.zeros,
    };
    Ok(Packed::Quantized(PackedQuantized::new(pool, quantized)?))
}

impl Packed {
    fn extents(&self) -> [usize; 2] {
        match self {
            Packed::Floats(weights) => [weights.k(), weights.n()],
            Packed::Quantized(weights) => [weights.k(), weights.n()],
        }
    }

    fn side(&self) -> Rhs<'_> {
        match self {
            Packed::Floats(weights) => Rhs::Packed(weights),
            Packed::Quantized(weights) => Rhs::Quantized(weights),
        }
    }
}

/// An expert of a token.
struct Route {
    expert: usize,
    token: usize,
    weight: f32,
}

/// Returns the best experts of each token; of equal logits, the first is better.
fn routes(plan: &Plan, logits: &[f32], given: Option<&[f32]>) -> Vec<Route> {
    let Plan { mixture, experts, .. } = plan;
    let mut all = Vec::with_capacity(plan.tokens * mixture.best);
    for (token, row) in logits.chunks_exact(*experts).enumerate() {
        let mut order: Vec<usize> = (0..*experts).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        order.truncate(mixture.best);
        let greatest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let power = |x: f32| f64::from(x - greatest).exp();
        let sum: f64 = row.iter().map(|&x| power(x)).sum();
        let weight = |expert: usize| match given {
            Some(given) => f64::from(given[token * experts + expert]),
            None => power(row[expert]) / sum,
        };
        let chosen: f64 = order.iter().map(|&expert| weight(expert)).sum();
        let divisor = if mixture.normalize { chosen } else { 1.0 };
        all.extend(order.into_iter().map(|expert| Route {
            expert,
            token,
            weight: (weight(expert) / divisor) as f32,
        }));
    }
    all
}

/// The network of an expert.
struct Network<'a> {
    pool: &'a Pool,
    plan: &'a Plan,
    projections: &'a [Projection],
    /// The number of inputs of the second projection.
    hidden: usize,
    expert: usize,
}

impl Network<'_> {
    /// Adds the outputs for these tokens with their weights.
    fn add(&self, x: &[f32], chosen: &[(usize, f32)], y: &mut [f32]) -> Result<(), Problem> {
        let (width, rows) = (self.plan.width, chosen.len());
        let mut input = Buffer::try_zeroed(rows * width)?;
        for (&(token, _), row) in chosen.iter().zip(input.chunks_exact_mut(width)) {
            row.copy_from_slice(&x[token * width..][..width]);
        }
        let hidden = self.activated(&input, rows)?;
        // The input is not needed any more.
        self.project(1, &hidden, rows, Activation::Identity, &mut input)?;
        for (&(token, weight), row) in chosen.iter().zip(input.chunks_exact(width)) {
            let target = &mut y[token * width..][..width];
            target.iter_mut().zip(row).for_each(|(y, x)| *y += weight * x);
        }
        Ok(())
    }

    /// Returns what the second projection takes.
    fn activated(&self, x: &[f32], rows: usize) -> Result<Buffer<f32>, Problem> {
        let first = match self.plan.mixture.function {
            Between::Identity | Between::Gated { .. } => Activation::Identity,
            Between::Relu => Activation::Relu,
            Between::Gelu => Activation::GeluTanh,
            Between::Silu => Activation::Swish { alpha: 1.0 },
        };
        let mut y = Buffer::try_zeroed(rows * self.projections[0].extents[1])?;
        self.project(0, x, rows, first, &mut y)?;
        let mut linear = Buffer::try_zeroed(rows * self.hidden)?;
        if self.projections.len() > 2 {
            self.project(2, x, rows, Activation::Identity, &mut linear)?;
        }
        if let Between::Gated {
            alpha,
            beta,
            limit,
            parts,
        } = self.plan.mixture.function
        {
            let mut gate = Buffer::try_zeroed(rows * self.hidden)?;
            for row in 0..rows {
                let own = row * self.hidden..(row + 1) * self.hidden;
                self.take_apart(parts, &y, own, (&mut gate, &mut linear));
            }
            gate.iter_mut().for_each(|x| *x = x.min(limit));
            linear.iter_mut().for_each(|x| *x = x.clamp(-limit, limit) + beta);
            let swish = Unary::Activation(Activation::Swish { alpha });
            unary(self.pool, swish, &gate, &mut y[..rows * self.hidden])?;
        } else if self.projections.len() < 3 {
            return Ok(y);
        }
        let shape = [rows * self.hidden];
        let mut product = Buffer::try_zeroed(shape[0])?;
        binary(
            self.pool,
            Binary::Mul,
            (&shape, &y[..shape[0]]),
            (&shape, &linear),
            &mut product,
        )?;
        Ok(product)
    }

    /// Copies the gate and, if it is in the first projection, the linear part of a row.
    fn take_apart(
        &self,
        parts: Parts,
        y: &[f32],
        own: Range<usize>,
        (gate, linear): (&mut [f32], &mut [f32]),
    ) {
        let twice = 2 * own.start..2 * own.end;
        let (gate, linear) = (&mut gate[own.clone()], &mut linear[own.clone()]);
        match parts {
            Parts::Apart => gate.copy_from_slice(&y[own]),
            Parts::Halves => {
                let (first, second) = y[twice].split_at(own.len());
                gate.copy_from_slice(first);
                linear.copy_from_slice(second);
            }
            Parts::Interleaved => {
                for ((pair, gate), linear) in y[twice].chunks_exact(2).zip(gate).zip(linear) {
                    (*gate, *linear) = (pair[0], pair[1]);
                }
            }
        }
    }

    /// Computes a projection of rows.
    fn project(
        &self,
        which: usize,
        x: &[f32],
        rows: usize,
        activation: Activation,
        y: &mut [f32],
    ) -> Result<(), Problem> {
        let projection = &self.projections[which];
        let [k, n] = projection.extents;
        let own = self.expert * n..(self.expert + 1) * n;
        let epilogue = Epilogue {
            activation,
            bias: projection
                .bias
                .as_ref()
                .map_or(Bias::None, |bias| Bias::Column(&bias[own])),
            ..Epilogue::default()
        };
        let side = projection.packed[self.expert].side();
        Ok(gemm(self.pool, Matrix::new(x, rows, k)?, side, &epilogue, y)?)
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{self, Float, Int, String};
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    fn text(value: &str) -> AttributeValue {
        String(value.as_bytes().to_vec())
    }

    fn floats(shape: &[usize], step: f32, size: f32) -> Tensor {
        let count: usize = shape.iter().product();
        let elements = (0..count).map(|at| (at as f32 * step).sin() * size);
        Tensor::new(shape, elements.collect::<Vec<f32>>()).expect("as many as the shape has")
    }

    fn bytes(shape: &[usize], step: usize) -> Tensor {
        let elements = (0..shape.iter().product()).map(|at| (at * step % 251) as u8);
        Tensor::new(shape, elements.collect::<Vec<u8>>()).expect("as many as the shape has")
    }

    /// Compares the kernel with the composition: 7 tokens of 16 elements, 4 experts with 32 units, or with
    /// `parts` of them in the first projection.
    #[track_caller]
    fn check(operator: &str, inputs: &str, attributes: &[(&str, AttributeValue)], parts: usize) {
        let name = |name: &str| if name == "-" { "" } else { name }.to_owned();
        let mut one = node(operator, "x r", "y", attributes);
        one.domain = onnx_schema::CONTRIB_DOMAIN.to_owned();
        one.inputs.extend(inputs.split_whitespace().map(name));
        let wide = parts * 32;
        Fixture::new(&[7, 16], vec![one])
            .constant("r", floats(&[7, 4], 1.9, 2.0))
            .constant("w1", floats(&[4, wide, 16], 0.7, 0.5))
            .constant("w2", floats(&[4, 16, 32], 0.9, 0.5))
            .constant("w3", floats(&[4, 32, 16], 1.3, 0.5))
            .constant("b1", floats(&[4, wide], 0.3, 1.0))
            .constant("b2", floats(&[4, 16], 0.4, 1.0))
            .constant("b3", floats(&[4, 32], 0.6, 1.0))
            .constant("q1", bytes(&[4, wide, 8], 7919))
            .constant("q2", bytes(&[4, 16, 16], 104_729))
            .constant("s1", floats(&[4, wide], 0.7, 0.05))
            .constant("s2", floats(&[4, 16], 0.9, 0.05))
            .constant("z1", bytes(&[4, wide / 2], 31))
            .constant("z2", bytes(&[4, 8], 17))
            .constant("t1", floats(&[4, wide, 1], 0.7, 0.05))
            .constant("t2", floats(&[4, 16, 2], 0.9, 0.05))
            .constant("g", floats(&[7, 4], 0.8, 1.0))
            .check_kernels(&[], 1e-5);
    }

    #[test]
    fn experts_of_floats() {
        let best = ("k", Int(2));
        check("MoE", "w1 b1 w2 b2", &[], 1);
        check(
            "MoE",
            "w1 - w2",
            &[best.clone(), ("activation_type", text("gelu"))],
            1,
        );
        let silu = ("activation_type", text("silu"));
        let normal = ("normalize_routing_weights", Int(1));
        check("MoE", "w1 b1 w2 b2 w3 b3", &[best.clone(), silu, normal], 1);
        for (fusion, parts, inputs) in [
            (0, 1, "w1 b1 w2 b2 w3 b3"),
            (1, 2, "w1 b1 w2 b2"),
            (2, 2, "w1 b1 w2 b2"),
        ] {
            let gated = [
                best.clone(),
                ("activation_type", text("swiglu")),
                ("swiglu_fusion", Int(fusion)),
                ("swiglu_limit", Float(1.5)),
                ("activation_alpha", Float(1.7)),
                ("activation_beta", Float(1.0)),
            ];
            check("MoE", inputs, &gated, parts);
        }
    }

    #[test]
    fn experts_of_codes() {
        let best = ("k", Int(3));
        check("QMoE", "q1 s1 b1 q2 s2 b2", std::slice::from_ref(&best), 1);
        let zeros = "q1 s1 - q2 s2 - - - - z1 z2 - g";
        check("QMoE", zeros, std::slice::from_ref(&best), 1);
        check("QMoE", "q1 t1 b1 q2 t2 b2", &[best, ("block_size", Int(16))], 1);
    }
}
