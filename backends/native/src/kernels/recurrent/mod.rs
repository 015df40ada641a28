//! RNN, GRU and LSTM over f32. Constant weights are packed once; others at each run. The weights of an LSTM
//! may be bytes, if they are constant.

mod bytes;

use std::sync::Arc;

use native_kernels::Activation;
use native_kernels::recurrent::{Cell, Direction, Parameters, Results, Sequences, recurrent};
use onnx_tensor::{DType, Tensor};

use super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use crate::error::{Problem, invalid};
use crate::ir::{Op, Operator};
use crate::ops::fast::{Fast, Gates};
use crate::ops::{Function, activations};

/// The positions of the inputs of LSTM; the other operators have those up to `HIDDEN`.
const X: usize = 0;
const W: usize = 1;
const R: usize = 2;
const BIAS: usize = 3;
const LENGTHS: usize = 4;
const HIDDEN: usize = 5;
const CELL: usize = 6;
const PEEPHOLES: usize = 7;

/// Whether an operation is a recurrent operator.
pub fn is_recurrent(op: &Op) -> bool {
    matches!(op, Op::Plain(operator) if matches!(operator.row.fast, Some(Fast::Recurrent(_))))
}

/// Whether the kernel serves a node, with the shapes that are known.
pub fn serves(used: &Use, operator: &Operator, kind: Gates) -> bool {
    plan(used, operator, kind).is_ok_and(|plan| plan.is_some())
}

/// The sizes and attributes of a node.
struct Plan {
    /// Whether the weights are bytes.
    bytes: bool,
    /// The cell of each direction, and whether it reads the steps backwards.
    directions: Vec<(Cell, bool)>,
    clip: Option<f32>,
    steps: usize,
    batch: usize,
    input: usize,
    hidden: usize,
    batch_first: bool,
    /// The positions of the used outputs.
    outputs: Vec<usize>,
    /// The inputs that the kernel reads, in order.
    reads: Vec<usize>,
}

/// Returns the activation of the kernels for a function, if they have it.
fn native(function: Function) -> Option<Activation> {
    Some(match function {
        Function::Relu => Activation::Relu,
        Function::Tanh => Activation::Tanh,
        Function::Sigmoid => Activation::Sigmoid,
        Function::Softplus => Activation::Softplus,
        Function::LeakyRelu { alpha } => Activation::LeakyRelu { slope: alpha },
        Function::Elu { alpha } => Activation::Elu { alpha },
        Function::HardSigmoid { alpha, beta } => Activation::HardSigmoid { alpha, beta },
        Function::Softsign
        | Function::ThresholdedRelu { .. }
        | Function::Affine { .. }
        | Function::ScaledTanh { .. } => return None,
    })
}

/// Returns the cells of all directions; `None` if the kernels do not have an activation.
fn cells(operator: &Operator, gates: Gates, directions: usize) -> Result<Option<Vec<Cell>>, Problem> {
    let attributes = &operator.attributes;
    let functions = activations(attributes, directions, gates.defaults())?;
    let Some(functions) = functions.into_iter().map(native).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let reset_after = attributes.flag("linear_before_reset")?;
    let coupled = attributes.flag("input_forget")?;
    let cell = |own: &[Activation]| match *own {
        [activation] => Some(Cell::Rnn { activation }),
        [gate, candidate] => Some(Cell::Gru {
            gate,
            candidate,
            reset_after,
        }),
        [gate, candidate, result] => Some(Cell::Lstm {
            gate,
            candidate,
            result,
            coupled,
        }),
        _ => None,
    };
    Ok(functions.chunks_exact(gates.defaults().len()).map(cell).collect())
}

/// Returns the plan of a node whose shapes agree; otherwise the general code states the error.
fn plan(used: &Use, operator: &Operator, kind: Gates) -> Result<Option<Plan>, Problem> {
    let attributes = &operator.attributes;
    let bytes = kind == Gates::FourOfBytes;
    let shape = |position: usize| {
        if bytes {
            bytes::shape(used, position)
        } else {
            <[usize; 3]>::try_from(&used.float(position)?.shape[..]).ok()
        }
    };
    let (Some(x), Some(w), Some(r)) = (used.float(X), shape(W), shape(R)) else {
        return Ok(None);
    };
    let &[first, second, input] = &x.shape[..] else {
        return Ok(None);
    };
    let ([directions, rows, columns], [rd, rr, hidden]) = (w, r);
    let reverse: &[bool] = match attributes.text("direction")? {
        "forward" => &[false],
        "reverse" => &[true],
        "bidirectional" => &[false, true],
        _ => return Ok(None),
    };
    let Some(cells) = cells(operator, kind, reverse.len())? else {
        return Ok(None);
    };
    let batch_first = !bytes && attributes.flag("layout")?;
    let (steps, batch) = if batch_first {
        (second, first)
    } else {
        (first, second)
    };
    let gates = cells.first().map_or(0, |cell| cell.gates());
    let clip = attributes.find_float("clip")?;
    let declared = attributes.find_int("hidden_size")?;
    let fits = directions == reverse.len()
        && [rd, rr, columns] == [directions, rows, input]
        && Some(rows) == gates.checked_mul(hidden)
        && hidden > 0
        && declared.is_none_or(|declared| usize::try_from(declared) == Ok(hidden))
        && clip.is_none_or(|limit| limit >= 0.0);
    let state = [directions, batch, hidden];
    let oriented = if batch_first {
        [batch, directions, hidden]
    } else {
        state
    };
    let given_floats = |position: usize, shape: &[usize]| {
        !used.has(position) || used.float(position).is_some_and(|given| given.shape == shape)
    };
    let lengths = || {
        let given = used.inputs.get(LENGTHS).and_then(Option::as_ref);
        !used.has(LENGTHS) || given.is_some_and(|given| given.dtype == DType::Int32 && given.shape == [batch])
    };
    let is_lstm = matches!(kind, Gates::Four | Gates::FourOfBytes);
    if bytes && !bytes::fits(used, [directions, rows], steps) {
        return Ok(None);
    }
    let inputs_fit = fits
        && given_floats(BIAS, &[directions, 2 * rows])
        && given_floats(HIDDEN, &oriented)
        && (!is_lstm || given_floats(CELL, &oriented))
        && (!is_lstm || given_floats(PEEPHOLES, &[directions, 3 * hidden]))
        && lengths();
    let results: [&[usize]; 3] = if batch_first {
        [&[batch, steps, directions, hidden], &oriented, &oriented]
    } else {
        [&[steps, directions, batch, hidden], &oriented, &oriented]
    };
    let outputs_fit = used
        .positions
        .iter()
        .zip(&used.outputs)
        .all(|(&position, shape)| results.get(position).is_some_and(|result| result == shape));
    if !(inputs_fit && outputs_fit && used.is_plain()) {
        return Ok(None);
    }
    let last = if is_lstm { PEEPHOLES } else { HIDDEN };
    Ok(Some(Plan {
        bytes,
        directions: cells.into_iter().zip(reverse.iter().copied()).collect(),
        clip,
        steps,
        batch,
        input,
        hidden,
        batch_first,
        outputs: used.positions.clone(),
        reads: (0..=last).filter(|&position| used.has(position)).collect(),
    }))
}

impl Plan {
    /// Packs the weights of all directions.
    fn pack<'a>(
        &self,
        device: &Device,
        floats: impl Fn(usize) -> Option<&'a [f32]>,
    ) -> Result<Vec<Direction>, Problem> {
        let (Some(w), Some(r)) = (floats(W), floats(R)) else {
            return invalid("the weights are missing");
        };
        let count = self.directions.len();
        let part = |all: &'a [f32], which: usize| {
            let length = all.len() / count;
            &all[which * length..(which + 1) * length]
        };
        let direction = |(which, &(cell, reverse)): (usize, &(Cell, bool))| {
            let parameters = Parameters {
                w: part(w, which),
                r: part(r, which),
                bias: floats(BIAS).map(|bias| part(bias, which)),
                peepholes: floats(PEEPHOLES).map(|peepholes| part(peepholes, which)),
            };
            let sizes = [self.input, self.hidden];
            Ok(Direction::new(
                &device.pool,
                cell,
                self.clip,
                reverse,
                sizes,
                &parameters,
            )?)
        };
        self.directions.iter().enumerate().map(direction).collect()
    }

    /// Returns the lengths of the sequences.
    fn lengths(&self, lengths: &[i32]) -> Result<Vec<usize>, Problem> {
        let bounded = |&length: &i32| match usize::try_from(length) {
            Ok(length) if length <= self.steps => Ok(length),
            _ => invalid(format!("a sequence has {length} of {} steps", self.steps)),
        };
        lengths.iter().map(bounded).collect()
    }

    fn run(
        &self,
        device: &Device,
        packed: &[Direction],
        inputs: &[Elements],
        outputs: &mut [ElementsMut],
    ) -> Result<(), Problem> {
        let given = |position: usize| {
            let place = self.reads.iter().position(|&read| read == position);
            place.and_then(|place| inputs.get(place))
        };
        let floats = |position: usize| given(position).map(|elements| elements.floats()).transpose();
        let lengths = match given(LENGTHS) {
            Some(Elements::I32(lengths)) => Some(self.lengths(lengths)?),
            Some(_) => return invalid("the lengths of sequences are not int32"),
            None => None,
        };
        let fresh = match packed {
            [] => self.pack(device, |position| floats(position).ok().flatten())?,
            _ => Vec::new(),
        };
        let mut results = Results::default();
        for (position, output) in self.outputs.iter().zip(outputs) {
            let output = Some(output.floats()?);
            match position {
                0 => results.all = output,
                1 => results.hidden = output,
                _ => results.cell = output,
            }
        }
        let sequences = Sequences {
            x: floats(X)?.unwrap_or_default(),
            steps: self.steps,
            batch: self.batch,
            batch_first: self.batch_first,
            lengths: lengths.as_deref(),
            hidden: floats(HIDDEN)?,
            cell: floats(CELL)?,
        };
        let packed = if packed.is_empty() { &fresh } else { packed };
        Ok(recurrent(&device.pool, packed, &sequences, results)?)
    }
}

/// Lowers a recurrent operator.
pub fn lower(used: &Use, device: &Device, operator: &Operator, kind: Gates) -> Attempt {
    let Some(mut plan) = plan(used, operator, kind)? else {
        return Ok(None);
    };
    let weights = [W, R, BIAS, PEEPHOLES];
    let constant = weights
        .iter()
        .all(|&position| !plan.reads.contains(&position) || used.floats(position).is_some());
    let packed = if plan.bytes {
        plan.reads
            .retain(|position| ![W, R, BIAS, LENGTHS, PEEPHOLES].contains(position));
        bytes::packed(used, device, &plan)?
    } else if constant {
        plan.reads.retain(|position| !weights.contains(position));
        let floats = |position: usize| used.has(position).then(|| used.floats(position)).flatten();
        let constants: Vec<&Tensor> = weights
            .iter()
            .filter(|&&position| used.has(position))
            .filter_map(|&position| used.constant(position))
            .collect();
        let parameters = (
            (plan.input, plan.hidden, plan.clip.map(f32::to_bits)),
            (&plan.directions, weights.map(|position| used.has(position))),
        );
        device
            .packs
            .get(&constants, parameters, || plan.pack(device, floats))?
    } else {
        Arc::new(Vec::new())
    };
    let reads = plan.reads.clone();
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        plan.run(device, &packed, inputs, outputs)
    };
    Lowered::of(used, device, reads, Box::new(kernel))
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{self, Float, Int, String, Strings};
    use onnx_tensor::Tensor;

    use crate::fixture::{Fixture, node};

    /// Values between -0.5 and 0.5.
    fn small(shape: &[usize], step: f32) -> Tensor {
        let count: usize = shape.iter().product();
        let elements = (0..count).map(|at| (at as f32 * step).sin() / 2.0);
        Tensor::new(shape, elements.collect::<Vec<f32>>()).expect("as many as the shape has")
    }

    /// Checks a bidirectional operator over 4 steps of 3 sequences, each output alone, with these optional
    /// inputs: bias, lengths, first state, first cell, peepholes.
    #[track_caller]
    fn check(operator: &str, inputs: &str, attributes: &[(&str, AttributeValue)]) {
        let gates = match operator {
            "RNN" => 1,
            "GRU" => 3,
            _ => 4,
        };
        let batch_first = attributes.iter().any(|(name, _)| *name == "layout");
        let (x, state) = if batch_first {
            ([3, 4, 2], [3, 2, 5])
        } else {
            ([4, 3, 2], [2, 3, 5])
        };
        let both = ("direction", String(b"bidirectional".to_vec()));
        let attributes: Vec<_> = attributes.iter().cloned().chain([both]).collect();
        for output in 0..if operator == "LSTM" { 3 } else { 2 } {
            let mut one = node(operator, "x w r", "y", &attributes);
            let name = |name: &str| if name == "-" { "" } else { name }.to_owned();
            one.inputs.extend(inputs.split_whitespace().map(name));
            one.outputs = vec![name("-"); output];
            one.outputs.push(name("y"));
            Fixture::new(&x, vec![one])
                .constant("w", small(&[2, gates * 5, 2], 0.7))
                .constant("r", small(&[2, gates * 5, 5], 0.9))
                .constant("b", small(&[2, gates * 10], 1.3))
                .constant("n", Tensor::vector(vec![4_i32, 0, 2]))
                .constant("h", small(&state, 1.1))
                .constant("c", small(&state, 1.7))
                .constant("p", small(&[2, 15], 0.3))
                .check_kernels(&[], 1e-5);
        }
    }

    #[test]
    fn operands_and_outputs_are_bound_by_their_positions() {
        let batch_first = ("layout", Int(1));
        let names = |names: &[&str]| Strings(names.iter().map(|name| name.as_bytes().to_vec()).collect());
        for options in [&[][..], std::slice::from_ref(&batch_first)] {
            for operator in ["RNN", "GRU", "LSTM"] {
                check(operator, "", options);
                check(operator, "b", options);
                check(operator, "b n h", options);
            }
            check("LSTM", "- - h c", options);
            check("LSTM", "b n - c p", options);
        }
        check(
            "GRU",
            "b - h",
            &[("linear_before_reset", Int(1)), ("clip", Float(0.3))],
        );
        check(
            "LSTM",
            "b n h c p",
            &[("input_forget", Int(1)), ("clip", Float(0.3))],
        );
        check("RNN", "b", &[("activations", names(&["Relu", "Sigmoid"]))]);
    }
}
