//! Scan outputs: tensors of one shape, one for each round, stacked along a new first axis.

use onnx_tensor::{Dim, Tensor, Value, ValueType};

use crate::error::{Problem, invalid};
use crate::ir::shape;
use crate::ops::call::count;
use crate::ops::movement::reshape;
use crate::size::has_room;

/// The number of tensors that are kept separately. A tensor with one element takes a hundred times the memory
/// of its element, and a loop may have millions of rounds.
const SINGLE: usize = 64;

/// The values of one scan output so far.
#[derive(Default)]
pub struct Stack {
    /// The last values, each with a first axis of extent 1.
    single: Vec<Tensor>,
    /// The values before, [`SINGLE`] concatenated in each.
    joined: Vec<Tensor>,
    /// The number of values.
    rounds: usize,
    /// Whether the last round is first in the result.
    reversed: bool,
}

impl Stack {
    /// Makes a stack whose last round is first in the result.
    pub fn reversed() -> Stack {
        Stack {
            reversed: true,
            ..Stack::default()
        }
    }

    /// Adds the value of the next round.
    ///
    /// # Errors
    /// A value that is not a tensor, tensors of different shapes, and a result that is too large.
    pub fn push(&mut self, value: Value) -> Result<(), Problem> {
        let Value::Tensor(tensor) = value else {
            return invalid(format!(
                "a scan output must be a tensor, got {}",
                value.value_type()
            ));
        };
        let mut shape = vec![1];
        shape.extend(tensor.shape());
        self.single.push(reshape(&tensor, &shape)?);
        self.rounds += 1;
        if self.single.len() == SINGLE {
            shape[0] = self.rounds;
            has_room(count(&shape)?)?;
            let joined = self.join()?;
            self.joined.push(joined);
        }
        Ok(())
    }

    /// Returns the result. `declared` is its type, for a loop without rounds; `number` is the output in an
    /// error.
    pub fn finish(mut self, declared: Option<&ValueType>, number: usize) -> Result<Tensor, Problem> {
        if self.rounds == 0 {
            return empty(declared, number);
        }
        if !self.single.is_empty() {
            let joined = self.join()?;
            self.joined.push(joined);
        }
        if let Some(shape) = self.joined.first().map(Tensor::shape) {
            let extents: Vec<usize> = [self.rounds].iter().chain(&shape[1..]).copied().collect();
            count(&extents)?;
        }
        if self.reversed {
            self.joined.reverse();
        }
        concatenated(&self.joined)
    }

    fn join(&mut self) -> Result<Tensor, Problem> {
        let mut single = std::mem::take(&mut self.single);
        if self.reversed {
            single.reverse();
        }
        concatenated(&single)
    }
}

fn concatenated(tensors: &[Tensor]) -> Result<Tensor, Problem> {
    crate::ops::concat(&tensors.iter().collect::<Vec<_>>(), 0)
}

/// Returns the result of no rounds, of the declared type of the body's output; an unknown extent becomes 0.
fn empty(declared: Option<&ValueType>, number: usize) -> Result<Tensor, Problem> {
    let Some(dtype) = crate::ir::dtype(declared) else {
        return invalid(format!("scan output {number} of no rounds has no declared type"));
    };
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => *extent,
        Dim::Named(_) | Dim::Unknown => 0,
    };
    let mut extents = vec![0];
    extents.extend(shape(declared).unwrap_or_default().iter().map(extent));
    count(&extents)?;
    crate::ops::numbers::from_ints(dtype, &extents, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mut stack: Stack, rounds: i64, expected: impl Iterator<Item = i64>) {
        for round in 0..rounds {
            stack
                .push(Value::Tensor(Tensor::vector(vec![round, -round])))
                .expect("room");
        }
        let rounds = usize::try_from(rounds).expect("a count");
        let expected = expected.flat_map(|round| [round, -round]).collect();
        let result = stack.finish(None, 0).expect("a tensor");
        let expected = Tensor::new(&[rounds, 2], expected).expect("a tensor");
        assert!(result.same_bits(&expected), "{rounds} rounds");
    }

    #[test]
    fn rounds_are_stacked_in_order() {
        for rounds in [1, 63, 64, 65, 200] {
            check(Stack::default(), rounds, 0..rounds);
            check(Stack::reversed(), rounds, (0..rounds).rev());
        }
    }

    #[test]
    fn rounds_of_different_shapes_are_refused() {
        let mut stack = Stack::default();
        let mut push = |length: usize| stack.push(Value::Tensor(Tensor::vector(vec![0_f32; length])));
        push(1).expect("the first");
        push(2).expect("not compared yet");
        assert!(stack.finish(None, 0).is_err());
    }
}
