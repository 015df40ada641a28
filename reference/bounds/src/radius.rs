//! The error bound of a value.

use std::borrow::Cow;

use ndarray::{ArrayBase, DataMut, DataOwned, IxDyn};
use onnx_tensor::Array;

use crate::sets::Sets;

/// The maximum distance of the elements of one value from the exact ones.
#[derive(Clone, PartialEq, Debug)]
pub enum Radius {
    /// No error.
    Exact,
    /// These absolute amounts; infinite without a bound.
    Within {
        /// One for each element, in the shape of the value; never negative, never NaN.
        radius: Array<f64>,
        /// The error model for display, such as `gamma_n, n = 576`.
        model: Cow<'static, str>,
        /// The elements with a set of right answers, all of which are within the radius.
        sets: Sets,
    },
    /// No bound is known, with the reason.
    Unknown(Cow<'static, str>),
}

impl Radius {
    /// A radius; exact if it is 0 everywhere. NaN (0 · ∞ in a rule) becomes infinite.
    pub fn within<S>(radius: ArrayBase<S, IxDyn>, model: impl Into<Cow<'static, str>>) -> Radius
    where
        S: DataOwned<Elem = f64> + DataMut,
    {
        if radius.iter().all(|radius| *radius == 0.0) {
            return Radius::Exact;
        }
        let is_ready = radius.iter().all(|radius| *radius >= 0.0);
        let radius = if is_ready {
            radius
        } else {
            radius.mapv_into(|r| if r.is_nan() { f64::INFINITY } else { r.abs() })
        };
        Radius::Within {
            radius: radius.into_shared(),
            model: model.into(),
            sets: Sets::NONE,
        }
    }

    /// Sets of right answers around the exact values `center`; `radius` for the elements without one.
    pub fn among(
        center: &ndarray::ArrayD<f64>,
        radius: &ndarray::ArrayD<f64>,
        found: Sets,
        model: impl Into<Cow<'static, str>>,
    ) -> Radius {
        match Radius::within(found.hull(center, radius), model) {
            Radius::Within { radius, model, .. } => Radius::Within {
                radius,
                model,
                sets: found.finite(),
            },
            other => other,
        }
    }

    /// The elements with a set of right answers.
    pub fn sets(&self) -> &Sets {
        match self {
            Radius::Within { sets, .. } => sets,
            Radius::Exact | Radius::Unknown(_) => const { &Sets::NONE },
        }
    }

    /// An unknown radius.
    pub fn unknown(reason: impl Into<Cow<'static, str>>) -> Radius {
        Radius::Unknown(reason.into())
    }

    /// Whether every element is exact.
    pub fn is_exact(&self) -> bool {
        matches!(self, Radius::Exact)
    }

    /// The radii as an array of `shape`; `None` if unknown.
    pub fn array(&self, shape: &[usize]) -> Option<Array<f64>> {
        match self {
            Radius::Exact => Some(Array::zeros(shape)),
            Radius::Within { radius, .. } => Some(radius.clone()),
            Radius::Unknown(_) => None,
        }
    }
}
