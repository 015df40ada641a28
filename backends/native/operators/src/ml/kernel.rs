//! The kernels of support vector machines.
//!
//! The specification names them only; the formulas are those of libsvm, where the attributes come from.

use super::super::numbers::sum;
use super::features::Features;
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};

/// A function of a row and a support vector, with γ, c₀ and d of `kernel_params`.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kernel {
    /// u·v
    Linear,
    /// (γ u·v + c₀)^d
    Polynomial([f64; 3]),
    /// exp(−γ |u − v|²)
    Radial([f64; 3]),
    /// tanh(γ u·v + c₀)
    Tangent([f64; 3]),
}

impl Kernel {
    fn read(attributes: &Attributes) -> Result<Kernel, Problem> {
        let parameters = || match attributes.floats("kernel_params")? {
            Some(&[gamma, offset, degree]) => Ok([gamma, offset, degree].map(f64::from)),
            _ => invalid("expected gamma, coef0 and degree in `kernel_params`"),
        };
        match attributes.text("kernel_type")? {
            "LINEAR" => Ok(Kernel::Linear),
            "POLY" => parameters().map(Kernel::Polynomial),
            "RBF" => parameters().map(Kernel::Radial),
            "SIGMOID" => parameters().map(Kernel::Tangent),
            other => invalid(format!(
                "attribute `kernel_type` is `{other}`, which is not a kernel"
            )),
        }
    }

    fn of(self, row: &[f64], vector: &[f64]) -> f64 {
        let dot = || dot(row, vector);
        match self {
            Kernel::Linear => dot(),
            Kernel::Polynomial([gamma, offset, degree]) => (gamma * dot() + offset).powf(degree),
            Kernel::Tangent([gamma, offset, _]) => (gamma * dot() + offset).tanh(),
            Kernel::Radial([gamma, ..]) => {
                let distance = sum(row.iter().zip(vector).map(|(u, v)| (u - v) * (u - v)));
                (-gamma * distance).exp()
            }
        }
    }
}

/// The support vectors of a model.
pub struct Vectors {
    kernel: Kernel,
    width: usize,
    values: Vec<f64>,
}

impl Vectors {
    /// Reads this number of support vectors, as wide as the rows.
    pub fn read(attributes: &Attributes, count: usize, features: &Features) -> Result<Vectors, Problem> {
        let values = doubles(attributes, "support_vectors")?;
        if count.checked_mul(features.width) != Some(values.len()) {
            return invalid(format!(
                "expected {count} `support_vectors` of {} features, got {} values",
                features.width,
                values.len()
            ));
        }
        Ok(Vectors {
            kernel: Kernel::read(attributes)?,
            width: features.width,
            values,
        })
    }

    /// Returns the value of the kernel for a row and each vector.
    pub fn of(&self, row: &[f64]) -> Vec<f64> {
        let vectors = self.values.chunks_exact(self.width.max(1));
        vectors.map(|vector| self.kernel.of(row, vector)).collect()
    }
}

/// Returns a list of floats; empty if the attribute is not present.
pub fn doubles(attributes: &Attributes, name: &str) -> Result<Vec<f64>, Problem> {
    let list = attributes.floats(name)?.unwrap_or_default();
    Ok(list.iter().copied().map(f64::from).collect())
}

/// Returns the sum of the products of two lists, in their order.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    sum(a.iter().zip(b).map(|(x, y)| x * y))
}
