//! Operators whose operands are dequantized bytes and whose result is quantized: sums, products,
//! concatenations, means and functions of one value, without f32 in memory.

use native_kernels::elementwise::Binary;
use native_kernels::int8::{
    ByteMap, BytePair, BytePart, ByteScale, Bytes, PairOperation, average_pool, concat_bytes,
};
use native_kernels::pool::{PoolShape, Pooling};
use onnx_tensor::{DType, Tensor, Value};

use super::super::movement::{Joined, joined};
use super::super::used::Operand;
use super::super::{Attempt, Device, Elements, ElementsMut, Lowered, Use};
use super::pooling::{Planes, window};
use super::{is_byte, zeros};
use crate::error::{Problem, invalid};
use crate::ir::{Fused, Graph, Layout, Node, OnBytes, Op, Operator};
use crate::ops::Call;
use crate::ops::fast::{Fast, Pooled};
use crate::ops::numbers::slice;

/// The positions of the bytes of an operand; its scale and zero point follow.
fn position(operand: usize) -> usize {
    3 * operand
}

/// What is computed.
enum Kind {
    Pair(PairOperation),
    /// A pair of which one operand has an element for each channel.
    ByChannel {
        operation: PairOperation,
        is_first: bool,
    },
    Concat,
    Mean(Mean),
    Map,
}

/// Images and channels, the size of an image, and the window.
struct Mean {
    images: [usize; 2],
    size: [usize; 2],
    shape: PoolShape,
}

/// A fused node with its scales.
struct Parts {
    kind: Kind,
    operands: Vec<ByteScale>,
    result: ByteScale,
}

/// Whether a fused node on bytes has a kernel for channels last. A Concat also needs complete words.
pub fn combines(graph: &Graph, node: &Node) -> bool {
    let (Op::Fused(Fused::Bytes(inner)), Some(used)) = (&node.op, Use::of(graph, node)) else {
        return false;
    };
    matches!(parts(&used, inner), Ok(Some(_)))
}

fn parts(used: &Use, inner: &OnBytes) -> Result<Option<Parts>, Problem> {
    let scale = |dtype: DType, at: usize| -> Option<ByteScale> {
        let (scale, zero) = (used.floats(at)?, zeros(used, at + 1)?);
        let (&[scale], &[zero]) = (scale, &zero[..]) else {
            return None;
        };
        let signed = dtype == DType::Int8;
        is_byte(dtype).then_some(ByteScale { signed, scale, zero })
    };
    let operand = |number: usize| used.inputs.get(position(number))?.as_ref();
    let found = (0..inner.operands).map(|number| scale(operand(number)?.dtype, position(number) + 1));
    let found: Option<Vec<ByteScale>> = found.collect();
    let result = used
        .dtypes
        .first()
        .and_then(|dtype| scale(*dtype, position(inner.operands)));
    let (Some(operands), Some(result), Some(first)) = (found, result, operand(0)) else {
        return Ok(None);
    };
    if used.outputs[0].contains(&0) || first.shape.contains(&0) {
        return Ok(None);
    }
    let alike = (0..inner.operands)
        .all(|number| operand(number).is_some_and(|operand| operand.shape == used.outputs[0]));
    let kind = match inner.operator.row.fast {
        Some(Fast::Binary(function)) => match pair(used, function, operand(1), alike) {
            Some(kind) => kind,
            None => return Ok(None),
        },
        Some(Fast::Concat) => Kind::Concat,
        Some(Fast::Pool(Pooled { mean: true, global })) => match mean(first, &inner.operator, global)? {
            Some(mean) => Kind::Mean(mean),
            None => return Ok(None),
        },
        Some(Fast::Activation(_)) if alike => Kind::Map,
        _ => return Ok(None),
    };
    Ok(Some(Parts {
        kind,
        operands,
        result,
    }))
}

/// Returns how two operands are combined, if they have the shape of the result, or one of them has an element
/// for each of its channels.
fn pair(used: &Use, function: Binary, second: Option<&Operand>, alike: bool) -> Option<Kind> {
    let operation = match function {
        Binary::Add => PairOperation::Add,
        Binary::Sub => PairOperation::Subtract,
        Binary::Mul => PairOperation::Multiply,
        _ => return None,
    };
    if alike {
        return Some(Kind::Pair(operation));
    }
    let whole = &used.outputs[0];
    let is_whole = |operand: &Operand| operand.shape == *whole;
    let by_channel = |operand: &Operand| {
        let (Some((own, ones)), Some(leading)) = (operand.shape.split_at_checked(2), whole.get(..2)) else {
            return false;
        };
        operand.shape.len() == whole.len() && own == leading && ones.iter().all(|&extent| extent == 1)
    };
    let (first, second) = (used.inputs.first()?.as_ref()?, second?);
    let is_first = by_channel(first) && is_whole(second);
    (is_first || is_whole(first) && by_channel(second)).then_some(Kind::ByChannel { operation, is_first })
}

fn mean(x: &Operand, operator: &Operator, global: bool) -> Result<Option<Mean>, Problem> {
    let &[batch, channels, rows, columns] = x.shape.as_slice() else {
        return Ok(None);
    };
    let size = [rows, columns];
    let shape = if global {
        Some(PoolShape {
            window: native_kernels::conv::Window {
                kernel: size,
                ..native_kernels::conv::Window::square(1, 1, 0)
            },
            pooling: Pooling::Average { include_pad: false },
            ceil_mode: false,
        })
    } else {
        let include_pad = operator.attributes.flag("count_include_pad")?;
        window(operator, size, Pooling::Average { include_pad })?
    };
    let short = |shape: &PoolShape| {
        let [rows, columns] = shape.window.kernel;
        rows.saturating_mul(columns) <= native_kernels::int8::MAX_PIXELS
    };
    let ambiguous =
        |shape: &PoolShape| shape.ceil_mode && shape.pooling == Pooling::Average { include_pad: true };
    let images = [batch, channels];
    Ok(shape
        .filter(|shape| short(shape) && !ambiguous(shape))
        .map(|shape| Mean { images, size, shape }))
}

pub fn lower(used: &Use, device: &Device, inner: &OnBytes) -> Attempt {
    let Some(Parts {
        kind,
        operands,
        result,
    }) = parts(used, inner)?
    else {
        return Ok(None);
    };
    let all: Option<Vec<&Operand>> = (0..inner.operands)
        .map(|number| used.inputs.get(position(number))?.as_ref())
        .collect();
    let Some(all) = all.filter(|all| all.iter().all(|operand| operand.layout == used.layout)) else {
        return Ok(None);
    };
    match (kind, &operands[..]) {
        (Kind::Pair(operation), &[a, b]) => {
            let pair = BytePair::new(&device.pool, operation, [a, b], result);
            let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
                let [a, b] = [inputs[0].bytes()?, inputs[1].bytes()?];
                Ok(pair.run(&device.pool, a.raw(), b.raw(), outputs[0].bytes()?.raw())?)
            };
            Lowered::of(used, device, vec![position(0), position(1)], Box::new(kernel))
        }
        (Kind::ByChannel { operation, is_first }, &[a, b]) => {
            let pair = BytePair::new(&device.pool, operation, [a, b], result);
            let period = match used.layout {
                Layout::ChannelsLast => used.outputs[0][1].next_multiple_of(4),
                _ => 1,
            };
            let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
                let (long, short) = (
                    inputs[usize::from(is_first)].bytes()?,
                    inputs[usize::from(!is_first)].bytes()?,
                );
                let y = outputs[0].bytes()?.raw();
                Ok(pair.run_repeated(&device.pool, long.raw(), (short.raw(), period), is_first, y)?)
            };
            Lowered::of(used, device, vec![position(0), position(1)], Box::new(kernel))
        }
        (Kind::Map, &[from]) => {
            let map = ByteMap::of_table(&device.pool, table(&inner.operator, from, result)?);
            let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
                let x = inputs[0].bytes()?;
                Ok(map.run(&device.pool, x.raw(), outputs[0].bytes()?.raw())?)
            };
            Lowered::of(used, device, vec![position(0)], Box::new(kernel))
        }
        (Kind::Mean(mean), &[from]) => average(used, device, mean, [from, result]),
        (Kind::Concat, _) => match joined(used, device, &inner.operator, &all)? {
            Some(joined) => concat(used, device, joined, &operands, result),
            None => Ok(None),
        },
        (Kind::Pair(_) | Kind::ByChannel { .. } | Kind::Map | Kind::Mean(_), _) => Ok(None),
    }
}

/// Returns the bits of the result for each byte.
fn table(operator: &Operator, from: ByteScale, to: ByteScale) -> Result<[u8; 256], Problem> {
    let x: Vec<f32> = (0..=u8::MAX).map(|bits| from.value(bits)).collect();
    let x = Value::Tensor(Tensor::vector(x));
    let outputs = operator.row.run(&Call {
        since: operator.schema.since,
        attributes: &operator.attributes,
        inputs: &[Some(&x)],
        outputs: 1,
    })?;
    let [Value::Tensor(y)] = &outputs[..] else {
        return invalid("expected one tensor");
    };
    let mut table = [0; 256];
    for (bits, &value) in table.iter_mut().zip(slice::<f32>(y)?) {
        // NaN becomes 0, as in the general code.
        *bits = to.bits(if value.is_nan() { 0.0 } else { value });
    }
    Ok(table)
}

fn average(used: &Use, device: &Device, mean: Mean, scales: [ByteScale; 2]) -> Attempt {
    let Mean { images, size, shape } = mean;
    let output = shape.output(size)?;
    let planes = Planes::new(images, [size, output]);
    let plain = used.layout == Layout::Plain;
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let pool = &device.pool;
        let (x, y) = (inputs[0].bytes()?.raw(), outputs[0].bytes()?.raw());
        let run = |x: &[u8], y: &mut [u8]| {
            Ok(average_pool(
                pool,
                images,
                size,
                &shape,
                scales,
                Bytes::Unsigned(x),
                y,
            )?)
        };
        if plain {
            planes.around(pool, x, y, run)
        } else {
            run(x, y)
        }
    };
    Lowered::of(used, device, vec![position(0)], Box::new(kernel))
}

fn concat(used: &Use, device: &Device, joined: Joined, operands: &[ByteScale], to: ByteScale) -> Attempt {
    let maps = operands
        .iter()
        .map(|from| ByteMap::rescaled(&device.pool, *from, to));
    let maps: Vec<ByteMap> = maps.collect();
    let reads = (0..operands.len()).map(position).collect();
    let kernel = move |device: &Device, inputs: &[Elements], outputs: &mut [ElementsMut]| {
        let parts = inputs
            .iter()
            .zip(&maps)
            .zip(&joined.lengths)
            .map(|((input, map), &len)| {
                let x = input.bytes()?;
                Ok(BytePart { x, len, map })
            });
        let parts = parts.collect::<Result<Vec<_>, Problem>>()?;
        Ok(concat_bytes(
            &device.pool,
            joined.rows,
            &parts,
            outputs[0].bytes()?.raw(),
        )?)
    };
    Lowered::of(used, device, reads, Box::new(kernel))
}
