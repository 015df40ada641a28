//! NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss; `class_loss.rs` describes them.

use super::super::function::Function;
use super::super::subgraph::Operand;
use super::super::tape::{Tape, Var};
use super::{Site, reductions};
use crate::frame::OpError;

pub(super) fn apply(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Option<Vec<Operand>>, OpError> {
    match site.name() {
        "NegativeLogLikelihoodLoss" => {
            let x = site.var(tape, 0)?;
            let loss = loss(tape, site, x)?;
            site.one(loss)
        }
        "SoftmaxCrossEntropyLoss" => {
            let x = site.var(tape, 0)?;
            let logarithms = reductions::log_softmax(tape, x, &[1])?;
            let loss = loss(tape, site, logarithms)?;
            site.several([loss, logarithms])
        }
        _ => Ok(None),
    }
}

/// The loss of log-probabilities of shape (N, C, …) for the classes in input 1 and the weights in input 2.
fn loss(tape: &mut Tape<'_>, site: &Site<'_>, logarithms: Var) -> Result<Var, OpError> {
    let targets = site.call.tensor(1)?.shape().to_vec();
    let classes = site.call.integers(1)?;
    let &[_, count, ref inner @ ..] = tape.shape(logarithms) else {
        return Err(site.unknown());
    };
    // Avoids a division by zero for empty scores.
    let inner = inner.iter().product::<usize>().max(1);
    let ignored = site.call.optional_int("ignore_index")?;
    let given = site.optional(tape, 2)?;
    let ones = tape.leaf(&[count], vec![1.0; count], false);
    let weights = given.unwrap_or(ones);
    let total = tape.values(logarithms).len();
    // For each sample, the positions of its log-probability and of its weight; 0 is the leading zero.
    let (mut picked, mut weighed) = (Vec::new(), Vec::new());
    for (sample, &class) in classes.iter().enumerate() {
        let class = match usize::try_from(class) {
            _ if Some(class) == ignored => None,
            Ok(class) if class < count => Some(class),
            _ => return Err(OpError::invalid(format!("class {class} is outside [0, {count})"))),
        };
        let place = class.map(|class| (sample / inner * count + class) * inner + sample % inner + 1);
        if place.is_some_and(|place| place > total) || tape.values(weights).len() != count {
            return Err(OpError::invalid(
                "the shapes of scores, classes and weights do not agree",
            ));
        }
        picked.push(place.unwrap_or(0));
        weighed.push(class.map_or(0, |class| class + 1));
    }
    let (logarithms, weights) = (tape.joined(&[logarithms]), tape.joined(&[weights]));
    let picked = tape.pick(logarithms, &targets, picked.into());
    let weighed = tape.pick(weights, &targets, weighed.into());
    let losses = tape.mul(picked, weighed);
    let losses = tape.scale(losses, -1.0);
    let all: Vec<usize> = (0..targets.len()).collect();
    let sum = |tape: &mut Tape<'_>, x: Var| {
        let sum = tape.sum(x, &all)?;
        Ok::<Var, OpError>(tape.reshape(sum, &[]))
    };
    match site.call.string("reduction")? {
        "none" => Ok(losses),
        "sum" => sum(tape, losses),
        "mean" => {
            let (losses, weights) = (sum(tape, losses)?, sum(tape, weighed)?);
            let inverse = tape.apply(Function::Reciprocal, weights);
            Ok(tape.mul(losses, inverse))
        }
        other => Err(OpError::invalid(format!("`reduction` is {other:?}"))),
    }
}
