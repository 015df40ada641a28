//! The core of Softmax, LogSoftmax and SoftmaxCrossEntropyLoss: ln Σ eˣ of a lane, in f64.

use onnx_tensor::element::CompensatedSum;
use onnx_tensor::{Accumulator, Real};

/// Σ eˣ = sum · e^greatest.
#[derive(Clone, Copy, Debug)]
pub struct LogSumExp {
    greatest: f64,
    sum: f64,
}

impl LogSumExp {
    /// Computes it for the elements of `lane`.
    pub fn of<T: Real>(lane: &[T]) -> Self {
        let greatest = lane
            .iter()
            .map(|x| x.to_f64())
            .fold(f64::NEG_INFINITY, <f64 as Real>::max);
        let mut sum = CompensatedSum::default();
        lane.iter()
            .for_each(|x| sum.add(libm::exp(x.to_f64() - greatest)));
        LogSumExp {
            greatest,
            sum: sum.finish(),
        }
    }

    /// Writes eˣ / Σ eˣ for each element of `lane`, each rounded once.
    pub fn probabilities<T: Real>(self, lane: &[T], result: &mut [T]) {
        for (x, y) in lane.iter().zip(result) {
            *y = T::from_f64(libm::exp(x.to_f64() - self.greatest) / self.sum);
        }
    }

    /// Writes x − ln Σ eˣ for each element of `lane`, each rounded once.
    pub fn log_probabilities<T: Real, U: Real>(self, lane: &[T], result: &mut [U]) {
        let log_sum = libm::log(self.sum);
        for (x, y) in lane.iter().zip(result) {
            *y = U::from_f64(x.to_f64() - self.greatest - log_sum);
        }
    }
}
