//! Runs operators over float16 and bfloat16 on the kernels for f32. Operands are converted before each
//! operator and results are rounded after it, as ONNX requires. Constants are converted once.
//!
//! A sum, product, quotient or root has the same bits as if it were rounded from the exact result, because
//! f32 has more than twice the digits; so has a function of one value ([`rounded_once`]). Other results are
//! those of f32, rounded once more.

use half::slice::HalfFloatSliceExt;
use native_kernels::half::{Half, bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use native_kernels::{Buffer, Pool};
use onnx_tensor::{DType, Tensor};

use super::rounded_once;
use super::used::Operand;
use super::{
    Attempt, Device, Elements, ElementsMut, Kernel, Lowered, Use, convolution, half_row, lower_floats,
    product,
};
use crate::error::{Problem, invalid};
use crate::ir::{Epilogued, Op, Operator};
use crate::ops::fast::{Fast, RealFunction};

/// Returns the half type of an element type, if it is one.
pub fn half_type(dtype: DType) -> Option<Half> {
    match dtype {
        DType::Float16 => Some(Half::F16),
        DType::Bfloat16 => Some(Half::Bf16),
        _ => None,
    }
}

fn is_half(dtype: DType) -> bool {
    half_type(dtype).is_some()
}

/// Returns the kernel of a node that reads or writes halves; `None` if it does neither.
pub fn lower(used: &Use, device: &Device) -> Option<Attempt> {
    let Op::Plain(operator) = used.op else {
        return None;
    };
    if matches!(operator.row.fast, Some(Fast::Cast)) {
        return Some(cast(used, device));
    }
    let gives = used.dtypes.iter().any(|&dtype| is_half(dtype));
    gives.then(|| by_floats(used, device, operator))
}

/// Lowers a cast between f32 and a half type.
fn cast(used: &Use, device: &Device) -> Attempt {
    let Some(Some(x)) = used.inputs.first() else {
        return Ok(None);
    };
    let (from, to) = (x.dtype, used.dtypes[0]);
    let known = (is_half(from) && to == DType::Float) || (from == DType::Float && is_half(to));
    if !known || !used.is_plain() {
        return Ok(None);
    }
    let kernel = |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| match (inputs, outputs) {
        ([x], [ElementsMut::F32(y)]) => widen(&device.pool, *x, y),
        ([Elements::F32(x)], [y]) => narrow(&device.pool, x, y),
        _ => invalid("a cast has one input and one output"),
    };
    Lowered::of(used, device, vec![0], Box::new(kernel))
}

fn by_floats(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let dtype = used.dtypes[0];
    let alike = used.dtypes.iter().all(|&other| other == dtype);
    let floats = used.inputs.iter().flatten().map(|operand| operand.dtype);
    let float = |dtype: DType| is_half(dtype) || matches!(dtype, DType::Float | DType::Double);
    if !alike || floats.filter(|&dtype| float(dtype)).any(|other| other != dtype) {
        return Ok(None);
    }
    // The default of a missing bound is the largest value of the half type.
    let bounded = (1..3).all(|position| used.has(position));
    if matches!(operator.row.fast, Some(Fast::Clip)) && !bounded {
        return Ok(None);
    }
    let constants = used.inputs.iter().map(|input| widened(input.as_ref(), dtype));
    let constants = constants.collect::<Result<Vec<Option<Tensor>>, _>>()?;
    let mut inputs = Vec::with_capacity(used.inputs.len());
    for (input, constant) in used.inputs.iter().zip(&constants) {
        inputs.push(widened_operand(input.as_ref(), constant, dtype));
    }
    let Some(half) = half_type(dtype) else {
        return Ok(None);
    };
    let wide = used.as_floats(inputs, half);
    let lowered = match operator.row.fast {
        Some(Fast::Convolution { transposed: false }) => {
            if !wide.floats(1).is_some_and(convolution::is_finite) {
                return Ok(None);
            }
            convolution::lower(&wide, device, &Epilogued::plain(operator), None)
        }
        Some(Fast::Product(_)) => {
            if let Some(row) = half_row::lower(used, &wide, device, operator)? {
                return Ok(Some(row));
            }
            product::lower(&wide, device, &Epilogued::plain(operator), None)
        }
        _ => lower_floats(&wide, device),
    };
    let Some(lowered) = lowered? else {
        return Ok(None);
    };
    Ok(Some(between(
        lowered,
        &constants,
        rounded_once::exact(operator),
        half,
    )?))
}

fn widened(input: Option<&Operand>, dtype: DType) -> Result<Option<Tensor>, Problem> {
    match input.and_then(|operand| operand.constant) {
        Some(tensor) if tensor.dtype() == dtype => widened_tensor(tensor).map(Some),
        _ => Ok(None),
    }
}

/// Returns a tensor of halves as f32.
///
/// # Errors
/// Another element type.
pub fn widened_tensor(tensor: &Tensor) -> Result<Tensor, Problem> {
    let mut wide = vec![0.0; tensor.len()];
    widen(&Pool::new(1), Elements::of_tensor(tensor)?, &mut wide)?;
    Ok(Tensor::new(tensor.shape(), wide)?)
}

fn widened_operand<'b>(
    input: Option<&Operand<'b>>,
    constant: &'b Option<Tensor>,
    dtype: DType,
) -> Option<Operand<'b>> {
    let mut operand = input?.clone();
    if operand.dtype == dtype {
        operand.dtype = DType::Float;
        operand.constant = constant.as_ref();
    }
    Some(operand)
}

/// Wraps a kernel for f32 in conversions; the constants that it reads are stored in it. With `exact`, the
/// kernel is that function of its only operand.
fn between(
    lowered: Lowered,
    constants: &[Option<Tensor>],
    exact: Option<RealFunction>,
    half: Half,
) -> Result<Lowered, Problem> {
    let held = |&at: &usize| match constants.get(at) {
        Some(Some(tensor)) => Ok(Some(tensor.to_vec::<f32>()?)),
        _ => Ok(None),
    };
    let held = lowered
        .reads
        .iter()
        .map(held)
        .collect::<Result<Vec<_>, Problem>>()?;
    let open = |(at, held): (usize, &Option<Vec<f32>>)| held.is_none().then_some(at);
    let reads = lowered
        .reads
        .iter()
        .copied()
        .zip(&held)
        .filter_map(open)
        .collect();
    Ok(Lowered {
        kernel: Box::new(Between {
            kernel: lowered.kernel,
            held,
            exact,
            half,
        }),
        reads,
        lengths: lowered.lengths,
        // The parts of a concatenation are halves in other memory, so they must be copied.
        places: None,
    })
}

struct Between {
    kernel: Box<dyn Kernel>,
    /// The elements of each operand, if they are constant.
    held: Vec<Option<Vec<f32>>>,
    exact: Option<RealFunction>,
    /// The type of the results.
    half: Half,
}

impl Kernel for Between {
    fn run(
        &mut self,
        device: &Device,
        inputs: &[Elements],
        outputs: &mut [ElementsMut],
    ) -> Result<(), Problem> {
        let mut wide = Vec::with_capacity(inputs.len());
        for input in inputs {
            wide.push(widened_elements(&device.pool, *input)?);
        }
        let mut given = inputs.iter().zip(&wide);
        let mut operands = Vec::with_capacity(self.held.len());
        for held in &self.held {
            match (held, held.is_none().then(|| given.next()).flatten()) {
                (Some(held), _) => operands.push(Elements::F32(held)),
                (None, Some((_, Some(wide)))) => operands.push(Elements::F32(wide)),
                (None, Some((other, None))) => operands.push(*other),
                (None, None) => return invalid("an operand is missing"),
            }
        }
        let mut results = outputs
            .iter()
            .map(|output| Buffer::try_zeroed(output.len()))
            .collect::<Result<Vec<Buffer<f32>>, _>>()?;
        let mut targets: Vec<ElementsMut> = results
            .iter_mut()
            .map(|result| ElementsMut::F32(result))
            .collect();
        self.kernel.run(device, &operands, &mut targets)?;
        drop(targets);
        if let (Some(exact), [Some(x)], [y]) = (&self.exact, &wide[..], &mut results[..]) {
            rounded_once::correct(x, y, self.half, exact);
        }
        for (result, output) in results.iter().zip(outputs) {
            narrow(&device.pool, result, output)?;
        }
        Ok(())
    }
}

/// Returns halves as f32; `None` for other elements, such as indices.
fn widened_elements(pool: &Pool, x: Elements) -> Result<Option<Buffer<f32>>, Problem> {
    if !matches!(x, Elements::F16(_) | Elements::Bf16(_)) {
        return Ok(None);
    }
    let mut wide = Buffer::try_zeroed(x.len())?;
    widen(pool, x, &mut wide)?;
    Ok(Some(wide))
}

/// Converts halves to f32, exactly.
pub fn widen(pool: &Pool, x: Elements, y: &mut [f32]) -> Result<(), Problem> {
    match x {
        Elements::F16(x) => Ok(f16_to_f32(pool, x.reinterpret_cast(), y)?),
        Elements::Bf16(x) => Ok(bf16_to_f32(pool, x.reinterpret_cast(), y)?),
        _ => invalid("an operand is not a half"),
    }
}

/// Rounds f32 to the nearest halves.
pub fn narrow(pool: &Pool, x: &[f32], y: &mut ElementsMut) -> Result<(), Problem> {
    match y {
        ElementsMut::F16(y) => Ok(f32_to_f16(pool, x, y.reinterpret_cast_mut())?),
        ElementsMut::Bf16(y) => Ok(f32_to_bf16(pool, x, y.reinterpret_cast_mut())?),
        _ => invalid("a result is not a half"),
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::{AttributeValue, Node as FileNode};
    use onnx_tensor::{Tensor, f16};

    use crate::fixture::{Fixture, node};

    /// Runs these nodes between casts from x to float16 and to y, and compares with the general code, up to
    /// this share of the largest element.
    fn check(nodes: Vec<FileNode>, share: f32) {
        let to = |dtype: i64| [("to", AttributeValue::Int(dtype))];
        let mut all = vec![node("Cast", "x", "h", &to(10))];
        all.extend(nodes);
        all.push(node("Cast", "r", "y", &to(1)));
        let halves = |count: usize| {
            let value = |at: usize| f16::from_f32((at * 7919 % 251) as f32 / 125.0 - 1.0);
            (0..count).map(value).collect::<Vec<f16>>()
        };
        Fixture::new(&[2, 5, 4, 3], all)
            .constant("c", Tensor::new(&[5, 1, 1], halves(5)).unwrap())
            .constant("w", Tensor::new(&[3, 5, 1, 1], halves(15)).unwrap())
            .constant("m", Tensor::new(&[3, 7], halves(21)).unwrap())
            .check_kernels(&[], share);
    }

    #[test]
    fn each_operator_of_a_chain_is_rounded() {
        let nodes = vec![
            node("Mul", "h c", "a", &[]),
            node("Add", "a h", "b", &[]),
            node("Div", "b c", "d", &[]),
            node("Sub", "d h", "r", &[]),
        ];
        check(nodes, 0.0);
    }

    #[test]
    fn constant_weights_are_stored_in_kernels() {
        let nodes = vec![
            node("Conv", "h w", "a", &[]),
            node("Relu", "a", "b", &[]),
            node("MatMul", "b m", "r", &[]),
        ];
        // One unit of a float16 in the last place.
        check(nodes, 1.0 / 1024.0);
    }
}
