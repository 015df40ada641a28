//! Matrix products: MatMul and Gemm with their epilogues. A constant right side is packed once. For a single
//! row on the left nothing is packed, because each weight is used once.

use std::sync::Arc;

use native_kernels::gemm::{Matrix, PackedB, PackedQuantized, Rhs, gemm, gemm_batch};
use native_kernels::{Bias, Epilogue, Residual};
use onnx_tensor::Tensor;

use super::{Attempt, Device, Lowered, Use, weights};
use crate::error::Problem;
use crate::ir::{Epilogued, Operator};
use crate::ops::MatMulShape;
use crate::ops::fast::{Fast, Product};

/// The layout of the operands: extents as stored, and whether they are transposed.
pub struct Sides {
    /// The numbers of rows, columns and summands.
    pub extents: [usize; 3],
    /// The left and right matrices of each product.
    pub pairs: Vec<(usize, usize)>,
    pub turned: [bool; 2],
}

/// Returns the layout of the operands of a product, if it has products and they fit.
pub fn sides(used: &Use, operator: &Operator) -> Option<Sides> {
    let (a, b) = (&used.float(0)?.shape, &used.inputs.get(1)?.as_ref()?.shape);
    if matches!(operator.row.fast, Some(Fast::Product(Product::General))) {
        let turned = [
            operator.attributes.flag("transA").ok()?,
            operator.attributes.flag("transB").ok()?,
        ];
        let (&[ar, ac], &[br, bc]) = (&a[..], &b[..]) else {
            return None;
        };
        let (m, k) = if turned[0] { (ac, ar) } else { (ar, ac) };
        let (bk, n) = if turned[1] { (bc, br) } else { (br, bc) };
        return (k == bk).then(|| Sides {
            extents: [m, n, k],
            pairs: vec![(0, 0)],
            turned,
        });
    }
    let shape = MatMulShape::new(a, b).ok()?;
    let mut sides = Sides {
        extents: shape.extents,
        pairs: shape.pairs,
        turned: [false; 2],
    };
    // If one matrix on the right multiplies all on the left, their rows are those of one product.
    let stacked = a.len() >= 2 && sides.pairs.iter().enumerate().all(|(at, &pair)| pair == (at, 0));
    if sides.pairs.is_empty() {
        return None;
    }
    if stacked && sides.pairs.len() > 1 {
        sides.extents[0] *= sides.pairs.len();
        sides.pairs = vec![(0, 0)];
    }
    Some(sides)
}

/// Returns a matrix that is stored transposed if it is turned.
pub fn matrix<T: Copy>(
    data: &[T],
    rows: usize,
    columns: usize,
    turned: bool,
) -> Result<Matrix<'_, T>, Problem> {
    Ok(if turned {
        Matrix::new(data, columns, rows)?.transposed()
    } else {
        Matrix::new(data, rows, columns)?
    })
}

/// The constant that is added to the sums.
pub enum Added {
    Nothing,
    Columns(Vec<f32>),
    Rows(Vec<f32>),
    /// A value for each sum.
    Whole(Vec<f32>),
}

/// Returns C times beta, as it broadcasts to `m` rows and `n` columns. The shape decides, because in a square
/// product a column is as long as a row. `None` if C is unknown or does not broadcast.
pub fn added(used: &Use, [m, n]: [usize; 2], beta: f32) -> Option<Added> {
    if !used.has(2) {
        return Some(Added::Nothing);
    }
    let (shape, values) = (&used.float(2)?.shape, used.floats(2)?);
    let values: Vec<f32> = values.iter().map(|value| value * beta).collect();
    match shape[..] {
        [] | [1] | [1, 1] => Some(Added::Columns(vec![*values.first()?; n])),
        [columns] | [1, columns] if columns == n => Some(Added::Columns(values)),
        [rows, 1] if rows == m => Some(Added::Rows(values)),
        [rows, columns] if rows == m && columns == n => Some(Added::Whole(values)),
        _ => None,
    }
}

/// The right side, if it is packed.
enum Packed {
    Floats(Arc<PackedB>),
    Quantized(Arc<PackedQuantized>),
}

/// Returns the packed right side of a product by a constant.
fn packed(
    used: &Use,
    device: &Device,
    [k, n]: [usize; 2],
    turned: bool,
    alpha: f32,
) -> Result<Option<Packed>, Problem> {
    let Some(values) = used.floats(1) else {
        return Ok(None);
    };
    let pack = || -> Result<PackedB, Problem> {
        let scaled: Vec<f32>;
        let values = if alpha == 1.0 {
            values
        } else {
            scaled = values.iter().map(|value| value * alpha).collect();
            &scaled
        };
        Ok(PackedB::new(&device.pool, matrix(values, k, n, turned)?)?)
    };
    let constants: Vec<&Tensor> = used.constant(1).into_iter().collect();
    let parameters = (k, n, turned, alpha.to_bits());
    Ok(Some(Packed::Floats(
        device.packs.get(&constants, parameters, pack)?,
    )))
}

/// Lowers a product, whose weights are restored by `dequantize` if that is given.
pub fn lower(used: &Use, device: &Device, product: &Epilogued, dequantize: Option<&Operator>) -> Attempt {
    let Epilogued { operator, activation } = product;
    let activation = *activation;
    let Some(Sides {
        extents: [m, n, k],
        pairs,
        turned,
    }) = sides(used, operator)
    else {
        return Ok(None);
    };
    if !used.is_plain() || [m, n, k].contains(&0) {
        return Ok(None);
    }
    let alpha = operator.attributes.find_float("alpha")?.unwrap_or(1.0);
    let beta = operator.attributes.find_float("beta")?.unwrap_or(1.0);
    let Some(added) = added(used, [m, n], beta) else {
        return Ok(None);
    };
    let whole = matches!(added, Added::Whole(_));
    if (used.has(3) && used.float(3).is_none()) || (whole && used.has(3)) {
        return Ok(None);
    }
    let packed = match dequantize {
        None if used.float(1).is_none() => return Ok(None),
        None if pairs.len() == 1 && (m > 1 || alpha != 1.0) => {
            packed(used, device, [k, n], turned[1], alpha)?
        }
        None => None,
        Some(dequantize) => match weights::packed(used, device, dequantize, [k, n], turned[1])? {
            Some(packed) if pairs.len() == 1 && alpha == 1.0 => Some(Packed::Quantized(packed)),
            _ => return Ok(None),
        },
    };
    if packed.is_none() && alpha != 1.0 {
        return Ok(None);
    }
    let mut reads = vec![0];
    reads.extend(packed.is_none().then_some(1));
    reads.extend(used.has(3).then_some(3));
    let has_residual = used.has(3);
    Lowered::new(used, device, reads, move |device, inputs, outputs| {
        let mut epilogue = Epilogue {
            activation,
            ..Epilogue::default()
        };
        match &added {
            Added::Nothing => {}
            Added::Columns(values) => epilogue.bias = Bias::Column(values),
            Added::Rows(values) => epilogue.bias = Bias::Row(values),
            Added::Whole(values) => epilogue.residual = Residual::Add(values),
        }
        if has_residual {
            epilogue.residual = Residual::Add(inputs[inputs.len() - 1]);
        }
        if let [_] = pairs[..] {
            let a = matrix(inputs[0], m, k, turned[0])?;
            let b = match &packed {
                Some(Packed::Floats(packed)) => Rhs::Packed(packed),
                Some(Packed::Quantized(packed)) => Rhs::Quantized(packed),
                None => Rhs::Matrix(matrix(inputs[1], k, n, turned[1])?),
            };
            return Ok(gemm(&device.pool, a, b, &epilogue, outputs[0])?);
        }
        let part = |data: &[f32], which: usize, length: usize| {
            which * length..(which * length + length).min(data.len())
        };
        let mut all = Vec::with_capacity(pairs.len());
        for &(left, right) in &pairs {
            let a = Matrix::new(&inputs[0][part(inputs[0], left, m * k)], m, k)?;
            let b = Matrix::new(&inputs[1][part(inputs[1], right, k * n)], k, n)?;
            all.push((a, b));
        }
        Ok(gemm_batch(&device.pool, &all, &epilogue, outputs[0])?)
    })
}
