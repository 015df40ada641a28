//! An inference against the values of a run: every expression must have the value that the run gave.

use std::collections::HashMap;

use onnx_tensor::Value;

use crate::extent::{Atom, Expr};
use crate::fact::{Content, Fact, integers, reals};
use crate::model::Inference;

/// How much of a run an inference says.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Agreement {
    /// The extents of the compared values, and the ranks that are not known.
    pub extents: usize,
    /// Those that the inference gives for these inputs.
    pub exact: usize,
}

/// The inputs of a run of the main graph, and the values that it computed, by name.
pub struct Run<'a> {
    /// The values that were fed.
    pub inputs: &'a [(String, Value)],
    /// Outputs and inner values.
    pub values: &'a [(String, Value)],
}

impl Inference {
    /// Compares the inference with the values of a run.
    ///
    /// # Errors
    /// An extent, an element or a condition that does not hold in the run, as text.
    pub fn agrees(&mut self, run: &Run<'_>) -> Result<Agreement, String> {
        let symbols = self.measured(run.inputs)?;
        let mut agreement = Agreement::default();
        for (name, value) in run.values {
            let fact = self.value(name).map(|inferred| inferred.fact).unwrap_or_default();
            let mut compared = Compared {
                inference: self,
                symbols: &symbols,
                agreement: &mut agreement,
            };
            compared
                .value(&fact, value)
                .map_err(|text| format!("`{name}`: {text}"))?;
        }
        for constraint in self.constraints.clone() {
            let relation = constraint.relation.simplified(&mut self.symbols);
            if constraint.certain && relation.holds(&self.symbols, &symbols) == Some(false) {
                let text = constraint.text(&self.symbols);
                return Err(format!(
                    "{}: {} does not hold: {text}",
                    constraint.cause, constraint.what
                ));
            }
        }
        Ok(agreement)
    }

    /// The values of symbols that these inputs decide.
    fn measured(&mut self, inputs: &[(String, Value)]) -> Result<HashMap<Atom, i64>, String> {
        let mut pairs: Vec<(Expr, i64)> = Vec::new();
        for (name, value) in inputs {
            if let Some(inferred) = self.value(name) {
                pair(&inferred.fact, value, &mut pairs);
            }
        }
        let mut symbols = HashMap::new();
        for (expr, found) in &pairs {
            let expr = self.symbols.simplified(expr);
            if let Some(atom) = expr.atom().filter(|atom| self.symbols.is_free(*atom)) {
                symbols.entry(atom).or_insert(*found);
            }
        }
        for (expr, found) in &pairs {
            match self.symbols.evaluate(expr, &symbols) {
                Some(known) if known != *found => {
                    return Err(format!("an input has {found} for {}", self.symbols.text(expr)));
                }
                _ => {}
            }
        }
        Ok(symbols)
    }
}

/// The expressions of a value beside the numbers that it has.
fn pair(fact: &Fact, value: &Value, pairs: &mut Vec<(Expr, i64)>) {
    match (fact, value) {
        (Fact::Tensor(known), Value::Tensor(tensor)) => {
            let extents = tensor.shape().iter().map(|&extent| extent as i64);
            pairs.extend(known.shape.iter().cloned().zip(extents));
            if let (Content::Integers(list), Some(found)) = (&known.content, integers(tensor)) {
                pairs.extend(list.iter().cloned().zip(found));
            }
        }
        (Fact::Sequence(known), Value::Sequence(sequence)) => {
            pairs.push((known.length.clone(), sequence.values.len() as i64));
        }
        (
            Fact::Optional(known),
            Value::Optional {
                value: Some(value), ..
            },
        ) => pair(known, value, pairs),
        (Fact::Optional(known), value) => pair(known, value, pairs),
        _ => {}
    }
}

struct Compared<'a> {
    inference: &'a mut Inference,
    symbols: &'a HashMap<Atom, i64>,
    agreement: &'a mut Agreement,
}

impl Compared<'_> {
    fn value(&mut self, fact: &Fact, value: &Value) -> Result<(), String> {
        match (fact, value) {
            (Fact::Tensor(known), Value::Tensor(tensor)) => {
                let found = tensor.shape();
                if known.shape.len() != found.len() {
                    return Err(format!(
                        "rank {} was inferred, but the value is {found:?}",
                        known.shape.len()
                    ));
                }
                for (at, (expr, &found)) in known.shape.iter().zip(found).enumerate() {
                    self.number(expr, found as i64, true)
                        .map_err(|text| format!("extent {at} of {:?}: {text}", tensor.shape()))?;
                }
                self.content(&known.content, tensor)
            }
            (Fact::Sequence(known), Value::Sequence(sequence)) => {
                self.number(&known.length, sequence.values.len() as i64, true)
                    .map_err(|text| format!("length: {text}"))?;
                for (at, value) in sequence.values.iter().enumerate() {
                    match known.items.as_ref().and_then(|items| items.get(at)) {
                        Some(item) => self.value(item, value)?,
                        None => self.element(known.element.as_deref(), value)?,
                    }
                }
                Ok(())
            }
            (
                Fact::Optional(known),
                Value::Optional {
                    value: Some(value), ..
                },
            ) => self.value(known, value),
            (Fact::Optional(_), Value::Optional { value: None, .. }) => Ok(()),
            (Fact::Unknown, Value::Tensor(_)) => {
                self.agreement.extents += 1;
                Ok(())
            }
            (Fact::Unknown, _) => Ok(()),
            (known, value) => Err(format!(
                "{known:?} was inferred, but the value is {}",
                value.value_type()
            )),
        }
    }

    /// An element of a sequence whose elements have common extents.
    fn element(&mut self, known: Option<&[Option<Expr>]>, value: &Value) -> Result<(), String> {
        let (Some(known), Value::Tensor(tensor)) = (known, value) else {
            return Ok(());
        };
        if known.len() != tensor.rank() {
            return Err(format!(
                "elements of rank {} were inferred, but one is {:?}",
                known.len(),
                tensor.shape()
            ));
        }
        for (expr, &found) in known.iter().zip(tensor.shape()) {
            if let Some(expr) = expr {
                self.number(expr, found as i64, true)?;
            }
        }
        Ok(())
    }

    fn number(&mut self, expr: &Expr, found: i64, counts: bool) -> Result<(), String> {
        let text = |compared: &Self, expr: &Expr| compared.inference.symbols.text(expr);
        self.agreement.extents += usize::from(counts);
        match self.inference.symbols.evaluate(expr, self.symbols) {
            Some(known) if known == found => {
                self.agreement.exact += usize::from(counts);
                Ok(())
            }
            Some(known) => Err(format!(
                "{} = {known} was inferred, but it is {found}",
                text(self, expr)
            )),
            None => {
                let simple = self.inference.symbols.simplified(expr);
                let (least, most) = self.inference.symbols.bounds(&simple);
                if (least..=most).contains(&found) {
                    Ok(())
                } else {
                    Err(format!("{least} to {most} was inferred, but it is {found}"))
                }
            }
        }
    }

    fn content(&mut self, content: &Content, tensor: &onnx_tensor::Tensor) -> Result<(), String> {
        let differ = || "the elements differ".to_owned();
        match content {
            Content::Unknown => Ok(()),
            Content::Constant(known) => known.same_bits(tensor).then_some(()).ok_or_else(differ),
            Content::Reals(known) => match reals(tensor) {
                // The standard leaves the bits of NaN open.
                Some(found) if found.len() == known.len() => {
                    let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
                    found.iter().zip(known).all(same).then_some(()).ok_or_else(differ)
                }
                _ => Err(differ()),
            },
            Content::Integers(known) => {
                let found = integers(tensor)
                    .filter(|found| found.len() == known.len())
                    .ok_or_else(differ)?;
                for (at, (expr, found)) in known.iter().zip(found).enumerate() {
                    self.number(expr, found, false)
                        .map_err(|text| format!("element {at}: {text}"))?;
                }
                Ok(())
            }
        }
    }
}
