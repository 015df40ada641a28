//! Support vectors: code that SVMClassifier and SVMRegressor share.
//!
//! The specification has no formulas. The reference uses those of libsvm (Chang and Lin, "LIBSVM: a library
//! for support vector machines", 2011), the origin of the attributes: with γ, c₀ and d of `kernel_params`,
//! LINEAR u·v, POLY (γ u·v + c₀)^d, RBF exp(−γ|u − v|²), SIGMOID tanh(γ u·v + c₀). All in f64.

use super::features::Features;
use crate::frame::{Call, OpError};

/// A kernel function of a row and a support vector.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// The inner product.
    Linear,
    /// A polynomial of the inner product.
    Poly(Params),
    /// A radial basis function.
    Rbf(Params),
    /// A hyperbolic tangent of the inner product.
    Sigmoid(Params),
}

/// The attribute `kernel_params`.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    gamma: f64,
    coef0: f64,
    degree: f64,
}

impl Kernel {
    /// Reads the attributes `kernel_type` and `kernel_params`; the latter is optional if the kernel does
    /// not use it.
    pub fn read(call: &Call<'_>) -> Result<Kernel, OpError> {
        let params = || match call.optional_floats("kernel_params")?.unwrap_or_default()[..] {
            [gamma, coef0, degree] => {
                let [gamma, coef0, degree] = [gamma, coef0, degree].map(f64::from);
                Ok(Params { gamma, coef0, degree })
            }
            _ => Err(OpError::invalid(
                "`kernel_params` must have the three elements gamma, coef0 and degree",
            )),
        };
        match call.string("kernel_type")? {
            "LINEAR" => Ok(Kernel::Linear),
            "POLY" => Ok(Kernel::Poly(params()?)),
            "RBF" => Ok(Kernel::Rbf(params()?)),
            "SIGMOID" => Ok(Kernel::Sigmoid(params()?)),
            other => Err(OpError::invalid(format!(
                "attribute `kernel_type` is {other}, which is not a known kernel"
            ))),
        }
    }

    fn evaluate(self, u: &[f64], v: &[f64]) -> f64 {
        let pairs = || u.iter().zip(v);
        let product = || pairs().map(|(a, b)| a * b).sum::<f64>();
        match self {
            Kernel::Linear => product(),
            Kernel::Poly(p) => libm::pow(p.gamma * product() + p.coef0, p.degree),
            Kernel::Rbf(p) => libm::exp(-p.gamma * pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>()),
            Kernel::Sigmoid(p) => libm::tanh(p.gamma * product() + p.coef0),
        }
    }
}

/// Support vectors with their kernel.
pub struct SupportVectors {
    kernel: Kernel,
    width: usize,
    values: Vec<f64>,
}

impl SupportVectors {
    /// Reads the attribute `support_vectors`, which holds `count` vectors, for rows of `features`.
    pub fn read(call: &Call<'_>, count: usize, features: &Features) -> Result<SupportVectors, OpError> {
        let values = call.floats("support_vectors")?;
        if Some(values.len()) != features.width.checked_mul(count) {
            return Err(OpError::invalid(format!(
                "`support_vectors` has {} values, expected {count} vectors of {} features",
                values.len(),
                features.width
            )));
        }
        call.work(&[features.rows, count, features.width])?;
        let values = values.into_iter().map(f64::from).collect();
        Ok(SupportVectors {
            kernel: Kernel::read(call)?,
            width: features.width,
            values,
        })
    }

    /// The kernel value of `row` and each support vector, in order.
    pub fn kernels(&self, row: &[f64]) -> Vec<f64> {
        // A width of zero has no chunks and no vectors.
        self.values
            .chunks_exact(self.width.max(1))
            .map(|vector| self.kernel.evaluate(row, vector))
            .collect()
    }
}

/// The first value of `rho`, which every model must have.
pub fn first_rho(rho: &[f32]) -> Result<f64, OpError> {
    rho.first()
        .copied()
        .map(f64::from)
        .ok_or_else(|| OpError::invalid("attribute `rho` must not be empty"))
}
