//! Random rounding: runs of the reference with the errors that an honest implementation makes.
//!
//! Monte Carlo arithmetic (D. Stott Parker, *Monte Carlo Arithmetic*, 1997) at the level of operators: each
//! result of an operator that rounds is moved at random by the error that the operator may have on exact
//! inputs ([`onnx_bounds::typical`]). A result without an error stays: exact sums, masks of zeros and
//! infinities. Operands stay as well. The spread of runs with several seeds shows how far an
//! honest answer may be from the exact one.

mod arithmetic;
mod cancelled;
mod neighbours;
mod operands;
mod overflow;
mod quantized;
mod sequential;
mod share;
mod signs;
mod sums;
mod texts;
mod tiles;

use std::cell::RefCell;

use onnx_arithmetic::perturbation::{Errors, Perturbation, zero};
use onnx_bounds::{Growth, Query, Radius, Sets, Size, precision};
use onnx_model::{Graph, Node};
use onnx_operators::frame::Outputs;
use onnx_tensor::{Array, Element, Float, Int, Tensor, TensorError, Value, dispatch, row_major};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

pub use self::arithmetic::Arithmetic;
use self::sequential::of_sequences;
use self::share::{Share, kind};
pub(crate) use self::texts::writes_text;
use self::tiles::of_tiles;
use crate::origin::Origin;
use crate::settled::{has_whole_numbers, is_exact_if_whole, with_whole_numbers};
use crate::wide::Kept;

/// The unit roundoff of float16.
const HALF: f64 = 1.0 / (1 << 11) as f64;

/// The unit roundoff of float.
const FLOAT: f64 = 1.0 / (1 << 24) as f64;

/// A source of random rounding.
#[derive(Debug)]
pub(crate) struct Noise {
    generator: RefCell<ChaCha8Rng>,
    arithmetic: Arithmetic,
}

/// What a run knows of a node beside its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'g> {
    pub operands: Origin,
    /// What the node has to do with 16-bit values that stay in float.
    pub kept: Kept,
    /// `None` in the body of a function.
    pub graph: Option<&'g Graph>,
    pub node: &'g Node,
}

/// What decides the errors of a node beside its values.
#[derive(Clone, Copy, Debug)]
struct Traits<'g> {
    /// The operator of ONNX whose arithmetic it has ([`kind`]).
    name: &'static str,
    arithmetic: Arithmetic,
    surroundings: Surroundings<'g>,
}

impl Noise {
    /// The same seed results in the same noise.
    pub(crate) fn new(seed: u64, arithmetic: Arithmetic) -> Noise {
        Noise {
            generator: RefCell::new(ChaCha8Rng::seed_from_u64(seed)),
            arithmetic,
        }
    }

    /// A seed for an operator that rounds at random itself.
    pub(crate) fn seed(&self) -> u64 {
        self.generator.borrow_mut().random()
    }

    /// The outputs of a node, each element moved at random by the error that it may have; whether one
    /// differs.
    pub(crate) fn perturb(&self, query: &Query<'_>, surroundings: Surroundings<'_>) -> (Outputs, bool) {
        let arithmetic = match (self.arithmetic, surroundings.kept) {
            (Arithmetic::Wide, Kept::Nothing) => Arithmetic::Approximated,
            (arithmetic, _) => arithmetic,
        };
        let growth = match arithmetic {
            Arithmetic::Rounded | Arithmetic::Approximated | Arithmetic::Wide => Growth::Independent,
            Arithmetic::Narrow | Arithmetic::Reduced => Growth::IndependentNarrow,
        };
        let sizes = precision::with_accurate(arithmetic == Arithmetic::Rounded, || {
            onnx_bounds::typical(query, growth)
        });
        let traits = Traits {
            name: kind(query),
            arithmetic,
            surroundings,
        };
        let sizes = of_sequences(query, traits, of_tiles(query, traits, sizes));
        let first = match sizes.first() {
            Some(Size::Radius(radius)) => Some(radius),
            Some(Size::Written(_)) | None => None,
        };
        let replaced = self
            .overflowed(query, traits)
            .or_else(|| self.cancelled(query, traits))
            .or_else(|| self.beside_infinities(query, traits))
            .or_else(|| self.texts(query, traits));
        let replaced = replaced.unwrap_or_else(|| self.moved(query, traits, first));
        let has_whole = || {
            let operands = (0..query.call.input_count()).filter_map(|index| query.call.optional(index));
            operands.filter_map(Value::as_tensor).all(has_whole_numbers)
        };
        let mut differs = false;
        let perturbed = query.outputs.iter().enumerate().map(|(index, output)| {
            let (Some(Value::Tensor(exact)), Some(size)) = (output, sizes.get(index)) else {
                return output.clone();
            };
            let replaced = replaced.get(index).and_then(Option::as_ref);
            let moved = self.tensor(query, traits, replaced.unwrap_or(exact), size);
            let moved = moved.map(|moved| match surroundings.operands {
                Origin::Settled if is_exact_if_whole(traits.name) => {
                    with_whole_numbers(replaced.unwrap_or(exact), moved, has_whole())
                }
                Origin::Settled | Origin::Exact | Origin::Rounded => moved,
            });
            let Some(changed) = moved.or_else(|| replaced.cloned()) else {
                return output.clone();
            };
            differs |= changed != *exact;
            Some(Value::Tensor(changed))
        });
        let perturbed = perturbed.collect();
        (perturbed, differs)
    }

    /// The moved elements; `None` if all stay.
    fn tensor(
        &self,
        query: &Query<'_>,
        traits: Traits<'_>,
        tensor: &Tensor,
        size: &Size<'_>,
    ) -> Option<Tensor> {
        let (radii, sets) = match size {
            Size::Radius(Radius::Exact) => return None,
            Size::Radius(Radius::Within { radius, sets, .. }) => (Some(row_major(radius)), sets),
            Size::Radius(Radius::Unknown(_)) | Size::Written(_) => (None, const { &Sets::NONE }),
        };
        let radii = radii.as_deref();
        let differs = |moved: Tensor| Some(moved).filter(|moved| moved != tensor);
        let moved = || -> Result<Option<Tensor>, TensorError> {
            match precision::unit(tensor.dtype()) {
                Some(unit) => {
                    let share = Share::of(traits, query, unit);
                    if let Tensor::Float(array) = tensor {
                        let errors = match (size, radii) {
                            (Size::Written(write), _) => Errors::Written(write),
                            (_, Some(radii)) if radii.len() == array.len() => Errors::Each(radii),
                            _ => Errors::OneUlp,
                        };
                        return self.dense_floats(array, errors, share);
                    }
                    dispatch!(float, tensor.dtype(), T => {
                        self.floats(tensor.array::<T>()?, radii, share).map(differs)
                    })
                }
                None => dispatch!(int, tensor.dtype(), T => {
                    self.integers(tensor.array::<T>()?, radii, sets).map(differs)
                }),
            }
        };
        // Other types are not computed with errors.
        moved().ok().flatten()
    }

    /// As [`Self::floats`], for float; `None` if all stay.
    fn dense_floats(
        &self,
        array: &Array<f32>,
        errors: Errors<'_>,
        share: Share,
    ) -> Result<Option<Tensor>, TensorError> {
        let by = Perturbation {
            factor: share.factor,
            least: share.of_range,
            of_value: share.of_value,
            floor: share.least,
            flushes: self.arithmetic != Arithmetic::Rounded,
        };
        let x = row_major(array);
        let (mut generator, mut moved) = (self.generator.borrow_mut(), vec![0.0; x.len()]);
        // One after another: `fill` takes ten times as long.
        let draw = |bits: &mut [i32]| bits.iter_mut().for_each(|bits| *bits = generator.random());
        let differs = by.apply(&x, errors, draw, &mut moved);
        differs.then(|| Tensor::new(array.shape(), moved)).transpose()
    }

    fn floats<T: Float>(
        &self,
        array: &Array<T>,
        radii: Option<&[f64]>,
        share: Share,
    ) -> Result<Tensor, TensorError> {
        let mut generator = self.generator.borrow_mut();
        // As in `Perturbation`.
        let flushes = self.arithmetic != Arithmetic::Rounded && share.of_range == 0.0;
        let greatest = <T as onnx_tensor::Real>::GREATEST_FINITE.to_f64();
        let smallest = precision::ulp(T::DTYPE, 0.0) / 2.0_f64.powi(1 - T::PRECISION as i32);
        each(array, |at, value| {
            let exact = value.to_f64();
            if !exact.is_finite() {
                return value;
            }
            let ulp = precision::ulp(T::DTYPE, exact);
            let error = match radii.and_then(|radii| radii.get(at)) {
                Some(0.0) => return value,
                // A radius that is infinite says nothing; the result is at least rounded.
                Some(error) if error.is_finite() => error.max(ulp),
                _ => ulp,
            };
            let error = (error * share.factor)
                .max(share.of_range)
                .max(exact.abs() * share.of_value);
            // In steps of 2⁻³¹, which need only 32 random bits.
            let bits = generator.random::<i32>();
            if flushes && exact.abs() < smallest && bits % 2 == 0 {
                return T::from_f64(0.0);
            }
            if exact.abs() < error && bits % 4 == 0 {
                return T::from_f64(zero(bits, exact));
            }
            let part = f64::from(bits) / f64::from(1_u32 << 31);
            // No rounding to nearest makes a finite number infinite here.
            let moved = (exact + part * error).clamp(-greatest, greatest);
            T::from_f64(moved.max(2.0 * share.least - moved))
        })
    }

    /// Integers of a quantization whose argument is next to a tie. A quotient by a rounded reciprocal is off
    /// to the same side everywhere: half of the runs choose one side for the whole tensor.
    fn integers<T: Int>(
        &self,
        array: &Array<T>,
        radii: Option<&[f64]>,
        sets: &Sets,
    ) -> Result<Tensor, TensorError> {
        let mut generator = self.generator.borrow_mut();
        let side = generator.random_range(0..4);
        each(array, |at, value| {
            let steps = radii.and_then(|radii| radii.get(at)).copied().unwrap_or(0.0);
            if steps < 1.0 || !steps.is_finite() {
                return value;
            }
            if let Some([first, .., last]) = sets.get(at) {
                let choice = match side {
                    0 => first.low,
                    1 => last.high,
                    _ if generator.random() => first.low,
                    _ => last.high,
                };
                return T::saturate_i128(choice as i128);
            }
            let step = i128::from(generator.random_range(-1_i8..=1)) * steps as i128;
            T::saturate_i128(value.to_i128() + step)
        })
    }
}

/// The results of a function of each element and of its place in row-major order, whatever the layout.
fn each<T: Element + Copy>(
    array: &Array<T>,
    mut of: impl FnMut(usize, T) -> T,
) -> Result<Tensor, TensorError> {
    let elements = row_major(array);
    let moved = elements.iter().enumerate().map(|(at, value)| of(at, *value));
    Tensor::new(array.shape(), moved.collect::<Vec<T>>())
}
