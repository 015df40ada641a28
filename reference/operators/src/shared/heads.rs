//! Code that the attention operators share: heads, scores, row softmax, weighted sums of values.
//!
//! All of it computes in f64; products of f64 inputs are summed in double-double. Arrays have the shape
//! batch × heads × sequence × size. If there are more query heads than key heads, consecutive query heads
//! share a key head.

use ndarray::{Array4, ArrayD, ArrayView2, ArrayView4, Axis, Ix4, Zip, s};
use onnx_tensor::{DType, Tensor};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::frame::{Call, OpError};
use crate::shared::matrix_product::product_in_f64;
use crate::shared::reals::{self, widen};

/// A tensor of batch × heads × sequence × size.
pub fn of_rank_4(tensor: &Tensor, name: &str) -> Result<Array4<f64>, OpError> {
    let array = widen(tensor)?;
    array
        .into_dimensionality::<Ix4>()
        .map_err(|_| OpError::invalid(format!("`{name}` of shape {:?} must have rank 4", tensor.shape())))
}

/// A tensor of batch × sequence × (heads · size), as batch × heads × sequence × size.
pub fn unpack(call: &Call<'_>, tensor: &Tensor, heads: usize, name: &str) -> Result<Array4<f64>, OpError> {
    let &[batch, sequence, width] = tensor.shape() else {
        return Err(OpError::invalid(format!(
            "`{name}` of shape {:?} must have rank 3",
            tensor.shape()
        )));
    };
    if heads == 0 || width % heads != 0 {
        return Err(OpError::invalid(format!(
            "`{name}`: a width of {width} is not divisible into {heads} heads"
        )));
    }
    // The number of heads of size 0 is not limited by the input.
    call.reserve(&[batch, sequence, heads, width / heads], DType::Double)?;
    let split = widen(tensor)?.into_shape_with_order((batch, sequence, heads, width / heads))?;
    Ok(split.permuted_axes([0, 2, 1, 3]))
}

/// The inverse of [`unpack`].
pub fn pack(array: Array4<f64>) -> Result<ArrayD<f64>, OpError> {
    let (batch, heads, sequence, size) = array.dim();
    let dense = array
        .permuted_axes([0, 2, 1, 3])
        .as_standard_layout()
        .into_owned();
    Ok(dense
        .into_shape_with_order((batch, sequence, heads * size))?
        .into_dyn())
}

/// Checks that the shapes of query, key and value agree.
pub fn check(q: &Array4<f64>, k: &Array4<f64>, v: &Array4<f64>) -> Result<(), OpError> {
    let ((batch, heads, _, size), (_, shared, keys, _)) = (q.dim(), k.dim());
    let fits = k.dim() == (batch, shared, keys, size)
        && (v.dim().0, v.dim().1, v.dim().2) == (batch, shared, keys)
        && (heads == shared || shared != 0 && heads % shared == 0);
    if fits {
        Ok(())
    } else {
        Err(OpError::invalid(format!(
            "query {:?}, key {:?} and value {:?} (batch, heads, sequence, size) do not agree",
            q.shape(),
            k.shape(),
            v.shape()
        )))
    }
}

/// scale · Q · Kᵀ.
pub fn scores(
    call: &Call<'_>,
    q: &Array4<f64>,
    k: &Array4<f64>,
    scale: f64,
    dtype: DType,
) -> Result<Array4<f64>, OpError> {
    let shape = [q.dim().0, q.dim().1, q.dim().2, k.dim().2];
    call.reserve(&shape, DType::Double)?;
    call.products(dtype, &[shape[0], shape[1], shape[2], shape[3], q.dim().3])?;
    by_head(q, k, shape, |q, k| Ok(product_in_f64(&q, &k.t(), dtype)? * scale))
}

/// P · V.
pub fn weighted(
    call: &Call<'_>,
    p: &Array4<f64>,
    v: &Array4<f64>,
    dtype: DType,
) -> Result<Array4<f64>, OpError> {
    let shape = [p.dim().0, p.dim().1, p.dim().2, v.dim().3];
    call.reserve(&shape, DType::Double)?;
    call.products(dtype, &[shape[0], shape[1], shape[2], shape[3], p.dim().3])?;
    by_head(p, v, shape, |p, v| product_in_f64(&p, &v, dtype))
}

fn by_head(
    a: &Array4<f64>,
    b: &Array4<f64>,
    shape: [usize; 4],
    f: impl Fn(ArrayView2<'_, f64>, ArrayView2<'_, f64>) -> Result<ndarray::Array2<f64>, OpError>,
) -> Result<Array4<f64>, OpError> {
    let mut result = Array4::zeros(shape);
    if result.is_empty() {
        return Ok(result);
    }
    let group = (shape[1] / b.dim().1.max(1)).max(1);
    for image in 0..shape[0] {
        for head in 0..shape[1] {
            let (a, b) = (
                a.slice(s![image, head, .., ..]),
                b.slice(s![image, head / group, .., ..]),
            );
            result.slice_mut(s![image, head, .., ..]).assign(&f(a, b)?);
        }
    }
    Ok(result)
}

/// Adds masks and biases to scores. The sum is a number of the type of the operands, as in the function body
/// of Attention, and at least a float: a mask of -1e9 that hides all keys of a row leaves no digit of their
/// scores. Runtimes compute sums of 16 bits in either type.
pub struct Sums {
    is_exact: bool,
    /// A type of 16 bits to which sums are rounded.
    narrow: Option<DType>,
    /// Decides between the two nearest floats in a run with random rounding.
    generator: Option<ChaCha8Rng>,
}

impl Sums {
    /// Sums for operands of this type.
    pub fn new(call: &Call<'_>, dtype: DType) -> Sums {
        let generator = call.rounding_seed().map(ChaCha8Rng::seed_from_u64);
        let is_narrow = generator.is_some() && matches!(dtype, DType::Float16 | DType::Bfloat16);
        Sums {
            is_exact: dtype == DType::Double,
            narrow: is_narrow.then_some(dtype),
            generator,
        }
    }

    /// Adds a bias to each score.
    pub fn add(&mut self, scores: &mut Array4<f64>, biases: ArrayView4<'_, f64>) {
        Zip::from(scores)
            .and(biases)
            .for_each(|score, bias| *score = self.of(*score, *bias));
    }

    /// The sum of a score and a bias.
    pub fn of(&mut self, score: f64, bias: f64) -> f64 {
        let sum = score + bias;
        if self.is_exact || bias == 0.0 {
            return sum;
        }
        if let Some(dtype) = self.narrow {
            return reals::round(sum, dtype).unwrap_or(sum);
        }
        let nearest = sum as f32;
        let error = sum - f64::from(nearest);
        let other = if error > 0.0 {
            nearest.next_up()
        } else {
            nearest.next_down()
        };
        let step = (f64::from(other) - f64::from(nearest)).abs();
        let is_other = |generator: &mut ChaCha8Rng| generator.random::<f64>() * step < error.abs();
        if step.is_finite() && self.generator.as_mut().is_some_and(is_other) {
            other.into()
        } else {
            nearest.into()
        }
    }
}

/// Softmax of each row. A row of −Inf becomes NaN, as the formula says.
pub fn softmax(scores: &mut Array4<f64>) {
    for mut row in scores.lanes_mut(Axis(3)) {
        let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.mapv_inplace(|x| libm::exp(x - greatest));
        let sum = row.sum();
        row.mapv_inplace(|x| x / sum);
    }
}
