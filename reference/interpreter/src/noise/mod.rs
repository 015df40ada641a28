//! Random rounding: runs of the reference with the errors that an honest implementation makes.
//!
//! Monte Carlo arithmetic (D. Stott Parker, *Monte Carlo Arithmetic*, 1997) at the level of operators: each
//! result of an operator that rounds is moved at random by the error that the operator may have on exact
//! inputs ([`onnx_bounds::typical`]). A result without an error stays: exact sums, masks of zeros and
//! infinities. Operands stay as well. The spread of runs with several seeds shows how far an
//! honest answer may be from the exact one.

mod arithmetic;
mod operands;
mod share;

use std::cell::RefCell;

use onnx_arithmetic::perturbation::{Errors, Perturbation};
use onnx_bounds::{Growth, Query, Radius, Sets, precision};
use onnx_operators::frame::Outputs;
use onnx_tensor::{Array, Float, Int, Tensor, TensorError, Value, dispatch};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

pub use self::arithmetic::Arithmetic;
use self::share::{Share, kind};
use crate::origin::Origin;
use crate::settled::with_whole_numbers;
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

/// What decides the errors of a node beside its values.
#[derive(Clone, Copy, Debug)]
struct Traits {
    /// The operator of ONNX whose arithmetic it has ([`kind`]).
    name: &'static str,
    operands: Origin,
    arithmetic: Arithmetic,
}

impl Noise {
    /// The same seed results in the same noise.
    pub(crate) fn new(seed: u64, arithmetic: Arithmetic) -> Noise {
        Noise {
            generator: RefCell::new(ChaCha8Rng::seed_from_u64(seed)),
            arithmetic,
        }
    }

    /// The outputs of a node, each element moved at random by the error that it may have. `kept` is what the
    /// node has to do with 16-bit values that stay in float.
    pub(crate) fn perturb(&self, query: &Query<'_>, operands: Origin, kept: Kept) -> Outputs {
        let arithmetic = match (self.arithmetic, kept) {
            (Arithmetic::Wide, Kept::Nothing) => Arithmetic::Approximated,
            (arithmetic, _) => arithmetic,
        };
        let growth = match arithmetic {
            Arithmetic::Rounded | Arithmetic::Approximated | Arithmetic::Wide => Growth::Independent,
            Arithmetic::Narrow | Arithmetic::Reduced => Growth::IndependentNarrow,
        };
        let radii = onnx_bounds::typical(query, growth);
        let traits = Traits {
            name: kind(query),
            operands,
            arithmetic,
        };
        let moved = self.moved(query, traits, radii.first());
        let perturbed = query.outputs.iter().enumerate().map(|(index, output)| {
            let (Some(Value::Tensor(tensor)), Some(radius)) = (output, radii.get(index)) else {
                return output.clone();
            };
            let tensor = moved.get(index).and_then(Option::as_ref).unwrap_or(tensor);
            let moved = self.tensor(query, traits, tensor, radius);
            Some(Value::Tensor(match operands {
                Origin::Settled => with_whole_numbers(tensor, moved),
                Origin::Exact | Origin::Rounded => moved,
            }))
        });
        perturbed.collect()
    }

    fn tensor(&self, query: &Query<'_>, traits: Traits, tensor: &Tensor, radius: &Radius) -> Tensor {
        let sets = radius.sets();
        let radius = match radius {
            Radius::Exact => return tensor.clone(),
            Radius::Within { radius, .. } => radius.as_slice(),
            Radius::Unknown(_) => None,
        };
        let moved = || -> Result<Tensor, TensorError> {
            match precision::unit(tensor.dtype()) {
                Some(unit) => {
                    let share = Share::of(traits, query, unit);
                    if let Tensor::Float(array) = tensor
                        && let Some(moved) = self.dense_floats(array, radius, share)
                    {
                        return Ok(moved);
                    }
                    dispatch!(float, tensor.dtype(), T => {
                        Ok(Tensor::from(self.floats(tensor.array::<T>()?, radius, share)))
                    })
                }
                None => dispatch!(int, tensor.dtype(), T => {
                    Ok(Tensor::from(self.integers(tensor.array::<T>()?, radius, sets)))
                }),
            }
        };
        // Other types are not computed with errors.
        moved().unwrap_or_else(|_| tensor.clone())
    }

    /// As [`Self::floats`], for dense elements of float.
    fn dense_floats(&self, array: &Array<f32>, radii: Option<&[f64]>, share: Share) -> Option<Tensor> {
        let x = array.as_slice()?;
        let errors = match radii {
            Some(radii) if radii.len() == x.len() => Errors::Each(radii),
            Some(_) => return None,
            None => Errors::OneUlp,
        };
        let by = Perturbation {
            factor: share.factor,
            least: share.of_range,
            of_value: share.of_value,
            floor: share.least,
            flushes: self.arithmetic != Arithmetic::Rounded,
        };
        let (mut generator, mut moved) = (self.generator.borrow_mut(), vec![0.0; x.len()]);
        by.apply(
            x,
            errors,
            |bits| bits.iter_mut().for_each(|bits| *bits = generator.random()),
            &mut moved,
        );
        Tensor::new(array.shape(), moved).ok()
    }

    fn floats<T: Float>(&self, array: &Array<T>, radii: Option<&[f64]>, share: Share) -> Array<T> {
        let mut generator = self.generator.borrow_mut();
        let mut place = 0;
        // As in `Perturbation`.
        let flushes = self.arithmetic != Arithmetic::Rounded && share.of_range == 0.0;
        let greatest = <T as onnx_tensor::Real>::GREATEST_FINITE.to_f64();
        let smallest = precision::ulp(T::DTYPE, 0.0) / 2.0_f64.powi(1 - T::PRECISION as i32);
        let moved = array.mapv(|value| {
            let (exact, at) = (value.to_f64(), place);
            place += 1;
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
            let part = f64::from(bits) / f64::from(1_u32 << 31);
            // No rounding to nearest makes a finite number infinite here.
            let moved = (exact + part * error).clamp(-greatest, greatest);
            T::from_f64(moved.max(2.0 * share.least - moved))
        });
        moved.into_shared()
    }

    /// Integers of a quantization whose argument is next to a tie. A quotient by a rounded reciprocal is off
    /// to the same side everywhere: half of the runs choose one side for the whole tensor.
    fn integers<T: Int>(&self, array: &Array<T>, radii: Option<&[f64]>, sets: &Sets) -> Array<T> {
        let mut generator = self.generator.borrow_mut();
        let side = generator.random_range(0..4);
        let mut place = 0;
        let moved = array.mapv(|value| {
            let at = place;
            place += 1;
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
        });
        moved.into_shared()
    }
}
