//! What the examples `plain_…` of the backends for ONNX Runtime, tract and rten share: arguments, inputs and
//! a clock. They call the libraries without any code of the harness, to compare their latencies with those
//! of `bench`.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The times of the runs before the measurement and in it.
const WARM_UP: Duration = Duration::from_millis(500);
const MEASURED: Duration = Duration::from_secs(2);

/// The least number of measured runs.
const LEAST: usize = 11;

/// The number of inputs that take turns.
const RING: usize = 4;

/// A model with one input, a tensor of floats.
pub struct Plain {
    pub model: PathBuf,
    pub shape: Vec<usize>,
}

impl Plain {
    /// Reads the arguments: a model, and the shape of its input as `1x3x224x224`.
    pub fn from_arguments() -> Result<Plain, Box<dyn Error>> {
        let usage = "usage: MODEL SHAPE, as in model.onnx 1x3x224x224";
        let mut arguments = std::env::args().skip(1);
        let model = arguments.next().ok_or(usage)?.into();
        let shape = arguments.next().ok_or(usage)?;
        let shape = shape.split('x').map(str::parse).collect::<Result<_, _>>()?;
        Ok(Plain { model, shape })
    }

    /// Inputs with elements in [0, 1), no two of them equal.
    pub fn inputs(&self) -> Vec<Vec<f32>> {
        let count = self.shape.iter().product::<usize>();
        let element = |number: usize| (number as f64 * 0.618_033_988_749_895).fract() as f32;
        let input = |first: usize| (0..count).map(|number| element(first + number)).collect();
        (0..RING).map(|number| input(number * count)).collect()
    }
}

/// Prints the median time of `run`, which gets the numbers of the inputs in turn.
pub fn measure(mut run: impl FnMut(usize) -> Result<(), Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let mut number = 0;
    while began.elapsed() < WARM_UP || number < RING {
        run(number % RING)?;
        number += 1;
    }
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < MEASURED || times.len() < LEAST {
        let start = Instant::now();
        run(times.len() % RING)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let median = times[times.len() / 2].as_secs_f64() * 1e6;
    writeln!(
        std::io::stdout(),
        "{median:.1} µs, the median of {} runs",
        times.len()
    )?;
    Ok(())
}
