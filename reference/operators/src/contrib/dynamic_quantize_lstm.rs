//! DynamicQuantizeLSTM — LSTM with weights of 8 bits; inputs and states are quantized as they come.
//!
//! The products are exact in int32, scaled in f64; gates and states in f64, outputs rounded once.
//!
//! Interpretation, as in ONNX Runtime: DynamicQuantizeLinear-11 is applied to all of X at once, up to the end
//! of the longest sequence, and at each step to the hidden states of the whole batch, rounded to float. The
//! last states of sequences that have ended share the scale of the others. In runs with random rounding only
//! a part of them does, because runtimes keep other numbers in their place (ONNX Runtime where it reads
//! backwards), and the states of a batch have several scales, as in ONNX Runtime with several threads.

use ndarray::{Array2, Array3, Array4, ArrayD, Axis, Ix3, concatenate, s};
use onnx_tensor::{DType, Tensor, Value};

use super::quantized_states::Choices;
use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};
use crate::rnn::{Activation, activation_functions, has_peepholes, lengths};
use crate::shared::matrix_product::product;
use crate::shared::quantized::{reals, steps, wrapped};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("DynamicQuantizeLSTM", &[v(1, First, dynamic_quantize_lstm)]);

/// The gates in the order of the weights.
const GATES: usize = 4;

fn dynamic_quantize_lstm(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.array::<f32>(0)?.view().into_dimensionality::<Ix3>();
    let x = x.map_err(|_| OpError::invalid("X must have rank 3"))?;
    let (steps, batch, width) = x.dim();
    let (reverse, directions) = match call.string("direction")? {
        "forward" => (false, 1),
        "reverse" => (true, 1),
        "bidirectional" => (false, 2),
        other => return Err(OpError::invalid(format!("`direction` is `{other}`"))),
    };
    let lengths = lengths(call, (steps, batch))?;
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let hidden = hidden(call, directions)?;
    call.reserve(&[steps, directions, batch, hidden], DType::Double)?;
    call.work(&[
        steps,
        directions,
        batch,
        hidden,
        GATES,
        width.saturating_add(hidden),
    ])?;
    let rows = x
        .slice(s![..longest, .., ..])
        .as_standard_layout()
        .into_owned()
        .into_shape_with_order((longest * batch, width))?;
    let mut choices = Choices::of(call);
    let sequences = choices.sequences(batch);
    let functions = activation_functions(call, &["Sigmoid", "Tanh", "Tanh"], directions)?;
    let mut y = Array4::zeros((steps, directions, batch, hidden));
    let (mut last_h, mut last_c) = (
        state(call, 5, directions, batch, hidden)?,
        state(call, 6, directions, batch, hidden)?,
    );
    for (d, functions) in functions.iter().enumerate() {
        let w = Weights::read(call, (1, 8), d, (width, hidden))?;
        let r = Weights::read(call, (2, 10), d, (hidden, hidden))?;
        let layer = Layer {
            call,
            gates: Gates::read(call, d, directions, hidden, functions)?,
            recurrent: r,
        };
        let input = w.product(call, &choices.with_errors(rows.clone()))?;
        let mut h = last_h.index_axis(Axis(0), d).to_owned();
        let mut c = last_c.index_axis(Axis(0), d).to_owned();
        for step in 0..longest {
            // The place in X of each sequence; `None` if it has ended.
            let backwards = reverse || d == 1;
            let place = |length: usize| {
                let at = if backwards {
                    length.checked_sub(step + 1)
                } else {
                    Some(step)
                };
                at.filter(|_| step < length)
            };
            let places: Vec<Option<usize>> = lengths.iter().map(|length| place(*length)).collect();
            let products = layer.products(&h, &places, sequences, &mut choices)?;
            layer.step(&input, &places, &products, (&mut h, &mut c));
            for (image, at) in places.iter().enumerate() {
                if let Some(at) = *at {
                    y.slice_mut(s![at, d, image, ..]).assign(&h.row(image));
                }
            }
        }
        last_h.index_axis_mut(Axis(0), d).assign(&h);
        last_c.index_axis_mut(Axis(0), d).assign(&c);
    }
    let outputs = [y.into_dyn(), last_h.into_dyn(), last_c.into_dyn()];
    outputs
        .into_iter()
        .map(|array| Ok(Some(Value::from(narrow(array, DType::Float)?))))
        .collect()
}

/// The size of the hidden state, by the recurrent weights.
fn hidden(call: &Call<'_>, directions: usize) -> Result<usize, OpError> {
    let shape = call.tensor(2)?.shape();
    let &[count, hidden, width] = shape else {
        return Err(OpError::invalid("R must have rank 3"));
    };
    let fits = count == directions && hidden.checked_mul(GATES) == Some(width);
    let given = call.optional_int("hidden_size")?;
    if fits && given.is_none_or(|given| usize::try_from(given) == Ok(hidden)) {
        Ok(hidden)
    } else {
        Err(OpError::invalid(format!(
            "R of shape {shape:?} does not fit {directions} directions and `hidden_size` {given:?}"
        )))
    }
}

/// The initial state at input `index`; zeros if it is omitted.
fn state(
    call: &Call<'_>,
    index: usize,
    directions: usize,
    batch: usize,
    hidden: usize,
) -> Result<Array3<f64>, OpError> {
    let shape = (directions, batch, hidden);
    let Some(tensor) = call.optional_tensor(index)? else {
        return Ok(Array3::zeros(shape));
    };
    let state = widen(tensor)?.into_dimensionality::<Ix3>().ok();
    state.filter(|state| state.dim() == shape).ok_or_else(|| {
        OpError::invalid(format!(
            "the initial state of shape {:?} must have the shape {shape:?}",
            tensor.shape()
        ))
    })
}

/// A quantized matrix of one direction: inputs × (gates · hidden).
struct Weights {
    /// In float, which holds them exactly.
    steps: Array2<f32>,
    /// The scale of each column.
    scales: Vec<f64>,
}

impl Weights {
    /// The weights at the first input and the scale at the second, with the zero point behind it.
    fn read(
        call: &Call<'_>,
        (weights, scale): (usize, usize),
        direction: usize,
        (inputs, hidden): (usize, usize),
    ) -> Result<Weights, OpError> {
        let columns = hidden * GATES;
        let all = steps(call.tensor(weights)?, 0)?;
        let misfit = || {
            OpError::invalid(format!(
                "weights of shape {:?} must be directions × {inputs} × {columns}",
                all.shape()
            ))
        };
        if all.ndim() != 3 || all.shape()[0] <= direction || all.shape()[1..] != [inputs, columns] {
            return Err(misfit());
        }
        let mut steps: Array2<f32> = all
            .index_axis(Axis(0), direction)
            .to_owned()
            .into_dimensionality()?;
        let of = |index: usize| per_column(&reals(call.tensor(index)?)?, direction, columns);
        let zeros: Vec<f32> = of(scale + 1)?.into_iter().map(|zero| zero as f32).collect();
        for mut row in steps.rows_mut() {
            row.iter_mut().zip(&zeros).for_each(|(step, zero)| *step -= zero);
        }
        Ok(Weights {
            steps,
            scales: of(scale)?,
        })
    }

    /// The product of `x`, quantized, and the weights.
    fn product(&self, call: &Call<'_>, x: &Array2<f32>) -> Result<Array2<f64>, OpError> {
        if x.iter().all(|&x| x == 0.0) {
            return Ok(Array2::zeros((x.nrows(), self.steps.ncols())));
        }
        let value = Value::from(Tensor::from(x.clone().into_dyn()));
        let outputs = standard::evaluate(call, ("DynamicQuantizeLinear", 11), &[Some(value)], &[], 3)?;
        let [
            Some(Value::Tensor(y)),
            Some(Value::Tensor(scale)),
            Some(Value::Tensor(zero)),
        ] = &outputs[..]
        else {
            return Err(OpError::undefined("DynamicQuantizeLinear without three outputs"));
        };
        let zero = i32::from(*zero.array::<u8>()?.first().unwrap_or(&0));
        let scale = f64::from(*scale.array::<f32>()?.first().unwrap_or(&1.0));
        let y: Array2<f32> = steps(y, zero)?.into_owned().into_dimensionality()?;
        let mut result = product::<f32>(&y.view(), &self.steps.view())?;
        for mut row in result.rows_mut() {
            let columns = row.iter_mut().zip(&self.scales);
            columns.for_each(|(sum, of_column)| *sum = f64::from(wrapped(*sum)) * (scale * of_column));
        }
        Ok(result)
    }
}

/// The parameters of a direction, one for each column: of shape directions, or directions × columns.
fn per_column(values: &ArrayD<f64>, direction: usize, columns: usize) -> Result<Vec<f64>, OpError> {
    match *values.shape() {
        [count] if direction < count => Ok(vec![values[[direction]]; columns]),
        [count, width] if direction < count && width == columns => {
            Ok(values.index_axis(Axis(0), direction).iter().copied().collect())
        }
        ref shape => Err(OpError::invalid(format!(
            "a scale or zero point of shape {shape:?} does not fit {columns} columns"
        ))),
    }
}

/// The parameters of the gates of one direction.
struct Gates<'f> {
    hidden: usize,
    bias: Vec<f64>,
    /// Empty if the gates have no such term.
    peepholes: Vec<f64>,
    functions: &'f [Activation],
    clip: f64,
    coupled: bool,
}

impl<'f> Gates<'f> {
    fn read(
        call: &Call<'_>,
        direction: usize,
        directions: usize,
        hidden: usize,
        functions: &'f [Activation],
    ) -> Result<Gates<'f>, OpError> {
        let vector = |index: usize, width: usize| {
            let Some(tensor) = call.optional_tensor(index)? else {
                return Ok(vec![0.0; width]);
            };
            if tensor.shape() == [directions, width] {
                Ok(widen(tensor)?
                    .index_axis(Axis(0), direction)
                    .iter()
                    .copied()
                    .collect())
            } else {
                Err(OpError::invalid(format!(
                    "input {index} has shape {:?}, expected [{directions}, {width}]",
                    tensor.shape()
                )))
            }
        };
        let clip = call.optional_float("clip")?.map_or(f64::INFINITY, f64::from);
        if clip.is_nan() || clip < 0.0 {
            return Err(OpError::invalid(format!("`clip` is {clip}, must be at least 0")));
        }
        let both: Vec<f64> = vector(3, 2 * GATES * hidden)?;
        let (of_w, of_r) = both.split_at(GATES * hidden);
        Ok(Gates {
            hidden,
            bias: of_w.iter().zip(of_r).map(|(w, r)| w + r).collect(),
            peepholes: if has_peepholes(call) {
                vector(7, 3 * hidden)?
            } else {
                Vec::new()
            },
            functions,
            clip,
            coupled: call.flag("input_forget")?,
        })
    }

    fn activate(&self, which: usize, x: f64) -> f64 {
        self.functions[which].apply(x.clamp(-self.clip, self.clip))
    }

    /// The next hidden and cell state of a unit, from the sums of products of its gates.
    fn unit(&self, unit: usize, sums: [f64; GATES], cell: f64) -> (f64, f64) {
        let peephole = |gate: usize, cell: f64| {
            let weight = self.peepholes.get(gate * self.hidden + unit);
            weight.map_or(0.0, |weight| weight * cell)
        };
        let [input, output, forget, new] = sums;
        let input = self.activate(0, input + peephole(0, cell));
        let forget = if self.coupled {
            1.0 - input
        } else {
            self.activate(0, forget + peephole(2, cell))
        };
        let next = forget * cell + input * self.activate(1, new);
        let output = self.activate(0, output + peephole(1, next));
        (output * self.activate(2, next), next)
    }
}

/// One direction.
struct Layer<'l, 'c, 'f> {
    call: &'l Call<'c>,
    gates: Gates<'f>,
    recurrent: Weights,
}

impl Layer<'_, '_, '_> {
    /// The products of the states, of which as many sequences as said have a scale in common. The states of
    /// those that have ended count for a part.
    fn products(
        &self,
        h: &Array2<f64>,
        places: &[Option<usize>],
        sequences: usize,
        choices: &mut Choices,
    ) -> Result<Array2<f64>, OpError> {
        let mut read = h.mapv(|h| h as f32);
        let share = choices.share() as f32;
        let ended = read.rows_mut().into_iter().zip(places);
        for (mut row, _) in ended.filter(|(_, at)| at.is_none()) {
            row.mapv_inplace(|h| h * share);
        }
        let parts = read.axis_chunks_iter(Axis(0), sequences.max(1));
        let parts = parts
            .map(|part| {
                self.recurrent
                    .product(self.call, &choices.with_errors(part.to_owned()))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
        Ok(concatenate(Axis(0), &views)?)
    }

    /// Replaces the states of the batch by those after the next inputs, whose products are rows of `input`:
    /// the step of each sequence is in `places`. Those of sequences that have ended stay.
    fn step(
        &self,
        input: &Array2<f64>,
        places: &[Option<usize>],
        products: &Array2<f64>,
        (h, c): (&mut Array2<f64>, &mut Array2<f64>),
    ) {
        let hidden = self.gates.hidden;
        for ((image, unit), h) in h.indexed_iter_mut() {
            let Some(at) = places[image] else { continue };
            let sum = |gate: usize| {
                let column = gate * hidden + unit;
                let of_input = input[[at * places.len() + image, column]];
                of_input + products[[image, column]] + self.gates.bias[column]
            };
            let cell = &mut c[[image, unit]];
            (*h, *cell) = self.gates.unit(unit, [sum(0), sum(1), sum(2), sum(3)], *cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, evaluate_optional};

    fn tensor<T: onnx_tensor::Element>(shape: &[usize], values: Vec<T>) -> Option<Value> {
        Some(
            Tensor::new(shape, values)
                .expect("the values fill the shape")
                .into(),
        )
    }

    /// One unit whose gates are linear: input, output and forget gates have the bias 1, the cell gate is
    /// 2 · x + 3 · h.
    fn inputs(x: Vec<f32>) -> Vec<Option<Value>> {
        let steps = x.len();
        let scale = || tensor(&[1], vec![1.0_f32]);
        let zero = || tensor(&[1], vec![0_i8]);
        vec![
            tensor(&[steps, 1, 1], x),
            tensor(&[1, 1, 4], vec![0_i8, 0, 0, 2]),
            tensor(&[1, 1, 4], vec![0_i8, 0, 0, 3]),
            tensor(&[1, 8], vec![1.0_f32, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            None,
            None,
            None,
            None,
            scale(),
            zero(),
            scale(),
            zero(),
        ]
    }

    fn attributes() -> Vec<Attribute> {
        let mut attributes = vec![attribute("hidden_size", 1)];
        let functions = onnx_model::AttributeValue::Strings(vec![b"Affine".to_vec(); 3]);
        attributes.push(Attribute {
            name: "activations".to_owned(),
            value: functions,
        });
        attributes
    }

    /// By hand: X of 1 and −1 has the scale 2/255, rounded up to float, so that they are 127 and −127 steps
    /// (a quotient below 127.5). The first state is 2 · 127 · scale; alone it is 255 steps of itself. The
    /// second is the first, minus 2 · 127 · scale, plus 3 times the first.
    #[test]
    fn inputs_and_states_are_quantized() {
        let schema = &onnx_schema::versions("com.microsoft", "DynamicQuantizeLSTM")[0];
        let outputs = evaluate_optional(schema, &inputs(vec![1.0, -1.0]), &attributes()).expect("a result");
        let step = f64::from(2.0_f32 / 255.0);
        let first = 2.0 * 127.0 * step;
        let second = first - 2.0 * 127.0 * step + 3.0 * first;
        let y = outputs[0]
            .as_tensor()
            .and_then(|y| y.to_vec::<f32>().ok())
            .expect("floats");
        for (found, expected) in y.iter().zip([first, second]) {
            assert!(
                (f64::from(*found) - expected).abs() < 1e-5,
                "{y:?}, expected {first} and {second}"
            );
        }
    }

    /// A sequence that has ended keeps its state, and its last step is the first one backwards.
    #[test]
    fn sequences_end_at_their_lengths() {
        let schema = &onnx_schema::versions("com.microsoft", "DynamicQuantizeLSTM")[0];
        let of = |x: Vec<f32>, length: Option<i32>, direction: &str| {
            let mut all = inputs(x);
            all[4] = length.and_then(|length| tensor(&[1], vec![length]));
            let mut attributes = attributes();
            attributes.push(attribute("direction", direction));
            let outputs = evaluate_optional(schema, &all, &attributes).expect("a result");
            let floats = |index: usize| outputs[index].as_tensor().and_then(|y| y.to_vec::<f32>().ok());
            (floats(0).expect("Y"), floats(1).expect("Y_h"))
        };
        let (whole, last) = of(vec![1.0, -1.0], None, "forward");
        let (part, same) = of(vec![1.0, -1.0, 50.0], Some(2), "forward");
        assert_eq!((&part[..2], part[2], &same), (&whole[..], 0.0, &last));
        let (backwards, end) = of(vec![-1.0, 1.0, 50.0], Some(2), "reverse");
        assert_eq!((backwards, end), (vec![whole[1], whole[0], 0.0], last));
    }
}
