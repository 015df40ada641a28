//! A node with all that is known about it, and the vocabulary of rules.

use std::collections::HashMap;
use std::rc::Rc;

use onnx_model::{AttributeValue, Node};
use onnx_schema::{DefaultValue, OperatorSchema};
use onnx_tensor::{DType, Tensor, ValueType};

use crate::constraint::{Relation, Shown, State};
use crate::extent::Expr;
use crate::fact::{Content, Entry, Fact, MAX_LIST, SequenceFact, Shape, TensorFact, dtype_of};
use crate::finding::{Outcome, Stop, parameter, wrong_rank};

/// Attributes by name, with references resolved.
pub(crate) type Attributes<'m> = HashMap<&'m str, &'m AttributeValue>;

/// A node of an operator version.
pub(crate) struct Call<'c, 'm> {
    pub schema: &'static OperatorSchema,
    /// The version of the operator.
    pub since: u32,
    pub node: &'m Node,
    pub attributes: &'c Attributes<'m>,
    pub inputs: &'c [Entry],
    /// The types of the outputs.
    pub kinds: &'c [Option<ValueType>],
    pub state: &'c mut State,
    /// The node in texts.
    pub cause: Rc<str>,
}

/// The greatest rank that is followed.
pub(crate) const MAX_RANK: usize = 64;

impl<'m> Call<'_, 'm> {
    /// The number of outputs that the node lists.
    pub fn outputs(&self) -> usize {
        self.node.outputs.len()
    }

    /// Whether the node lists an input at this position.
    pub fn given(&self, at: usize) -> bool {
        self.node.inputs.get(at).is_some_and(|name| !name.is_empty())
    }

    /// The name of an input in the schema.
    pub fn formal(&self, at: usize) -> &'static str {
        self.schema.input(at).map_or("input", |formal| formal.name)
    }

    pub fn fact(&self, at: usize) -> &Fact {
        self.inputs.get(at).map_or(&Fact::Unknown, |entry| &entry.fact)
    }

    pub fn tensor(&self, at: usize) -> Outcome<&TensorFact> {
        match self.fact(at) {
            Fact::Tensor(tensor) => Ok(tensor),
            Fact::Unknown | Fact::Sequence(_) | Fact::Optional(_) => Err(Stop::Unknown),
        }
    }

    pub fn sequence(&self, at: usize) -> Outcome<SequenceFact> {
        match self.fact(at) {
            Fact::Sequence(sequence) => Ok((**sequence).clone()),
            Fact::Unknown | Fact::Tensor(_) | Fact::Optional(_) => Err(Stop::Unknown),
        }
    }

    pub fn dtype(&self, at: usize) -> Option<DType> {
        dtype_of(self.inputs.get(at)?.kind.as_ref())
    }

    /// The element type of an output.
    pub fn result(&self, at: usize) -> Option<DType> {
        dtype_of(self.kinds.get(at)?.as_ref())
    }

    /// The extents of an input.
    pub fn shape(&mut self, at: usize) -> Outcome<Shape> {
        let shape = self.tensor(at)?.shape.clone();
        Ok(shape
            .iter()
            .map(|extent| self.state.symbols.simplified(extent))
            .collect())
    }

    /// The extents of an input of this rank.
    pub fn ranked<const N: usize>(&mut self, at: usize) -> Outcome<[Expr; N]> {
        let shape = self.shape(at)?;
        let rank = shape.len();
        match <[Expr; N]>::try_from(shape) {
            Ok(extents) => Ok(extents),
            Err(_) => self.wrong_rank(at, rank, &format!("{N}")),
        }
    }

    /// The extents of an input of at least this rank.
    pub fn at_least_rank(&mut self, at: usize, least: usize) -> Outcome<Shape> {
        let shape = self.shape(at)?;
        if shape.len() >= least {
            Ok(shape)
        } else {
            self.wrong_rank(at, shape.len(), &format!("{least} or more"))
        }
    }

    pub fn wrong_rank<T>(&self, at: usize, found: usize, expected: &str) -> Outcome<T> {
        wrong_rank(format!(
            "`{}` has rank {found}, expected {expected}",
            self.formal(at)
        ))
    }

    /// The rank of an input, if it is known.
    pub fn rank(&self, at: usize) -> Option<usize> {
        Some(self.fact(at).shape()?.len())
    }

    // Attributes.

    /// The value of an attribute that the node sets.
    pub fn attribute(&self, name: &str) -> Option<&'m AttributeValue> {
        self.attributes.get(name).copied()
    }

    /// An integer, or its default.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name) {
            Some(AttributeValue::Int(value)) => Some(*value),
            Some(_) => None,
            None => match self.schema.attribute(name)?.default? {
                DefaultValue::Int(value) => Some(value),
                _ => None,
            },
        }
    }

    /// Whether an integer is set and not 0.
    pub fn flag(&self, name: &str) -> bool {
        self.int(name).is_some_and(|value| value != 0)
    }

    /// A list of integers, or its default.
    pub fn ints(&self, name: &str) -> Option<Vec<i64>> {
        match self.attribute(name) {
            Some(AttributeValue::Ints(list)) => Some(list.clone()),
            Some(_) => None,
            None => match self.schema.attribute(name)?.default? {
                DefaultValue::Ints(list) => Some(list.to_vec()),
                _ => None,
            },
        }
    }

    /// A string, or its default.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.attribute(name) {
            Some(AttributeValue::String(text)) => Some(String::from_utf8_lossy(text).into_owned()),
            Some(_) => None,
            None => match self.schema.attribute(name)?.default? {
                DefaultValue::String(text) => Some(text.to_owned()),
                _ => None,
            },
        }
    }

    /// The number of elements of a list.
    pub fn count(&self, name: &str) -> Option<usize> {
        match self.attribute(name)? {
            AttributeValue::Ints(list) => Some(list.len()),
            AttributeValue::Floats(list) => Some(list.len()),
            AttributeValue::Strings(list) => Some(list.len()),
            AttributeValue::Tensor(tensor) => Some(tensor.len()),
            _ => None,
        }
    }

    // Elements.

    /// The elements of an input of integers.
    pub fn list(&mut self, at: usize) -> Outcome<Vec<Expr>> {
        let list = self.tensor(at)?.content.integers().ok_or(Stop::Unknown)?;
        Ok(list
            .iter()
            .map(|element| self.state.symbols.simplified(element))
            .collect())
    }

    /// The only element of an input of integers.
    pub fn only(&mut self, at: usize) -> Outcome<Expr> {
        match <[Expr; 1]>::try_from(self.list(at)?) {
            Ok([only]) => Ok(only),
            Err(list) => parameter(format!(
                "`{}` has {} elements, expected 1",
                self.formal(at),
                list.len()
            )),
        }
    }

    /// The elements of an input of integers that are all known.
    pub fn numbers(&mut self, at: usize) -> Outcome<Vec<i64>> {
        let list = self.list(at)?;
        list.iter()
            .map(Expr::constant)
            .collect::<Option<_>>()
            .ok_or(Stop::Unknown)
    }

    /// The elements of an input of real numbers.
    pub fn reals(&self, at: usize) -> Outcome<Vec<f64>> {
        self.tensor(at)?.content.reals().ok_or(Stop::Unknown)
    }

    /// The number of elements of an input of one axis.
    pub fn length(&mut self, at: usize) -> Outcome<Expr> {
        let [length] = self.ranked::<1>(at)?;
        Ok(length)
    }

    /// The number of elements of an input of one axis, if it is a number.
    pub fn known_length(&mut self, at: usize) -> Outcome<usize> {
        let length = self
            .length(at)?
            .constant()
            .and_then(|length| usize::try_from(length).ok());
        length.filter(|&length| length <= MAX_RANK).ok_or(Stop::Unknown)
    }

    /// Integers in an attribute, or in later versions in an input. `None` if neither is given.
    pub fn numbers_of(&mut self, name: &str, at: usize) -> Outcome<Option<Vec<i64>>> {
        if self.schema.attribute(name).is_some() {
            return match self.attribute(name) {
                Some(_) => self.ints(name).map(Some).ok_or(Stop::Unknown),
                None => Ok(self.ints(name)),
            };
        }
        if self.given(at) {
            self.numbers(at).map(Some)
        } else {
            Ok(None)
        }
    }

    /// The position of an axis, counted from the end if it is negative.
    pub fn axis(&self, axis: i64, rank: usize) -> Outcome<usize> {
        let front = if axis < 0 {
            axis.saturating_add(rank as i64)
        } else {
            axis
        };
        match usize::try_from(front).ok().filter(|&front| front < rank) {
            Some(front) => Ok(front),
            None => parameter(format!("axis {axis} is outside of rank {rank}")),
        }
    }

    /// The positions of several axes, in their order, none twice.
    pub fn axes(&self, list: &[i64], rank: usize) -> Outcome<Vec<usize>> {
        let mut found: Vec<usize> = Vec::with_capacity(list.len());
        for &axis in list {
            let at = self.axis(axis, rank)?;
            if found.contains(&at) {
                return parameter(format!("axis {axis} occurs twice"));
            }
            found.push(at);
        }
        Ok(found)
    }

    /// The axis of the attribute `axis`.
    pub fn axis_attribute(&self, rank: usize) -> Outcome<usize> {
        self.axis(self.int("axis").ok_or(Stop::Unknown)?, rank)
    }

    /// The elements of an input are indices of an axis: from `least` on, below `end`. Those that are known
    /// demand an extent that has them.
    pub fn indices(&mut self, at: usize, least: &Expr, end: &Expr) -> Outcome<()> {
        if let Some([known]) = self.extremes(at, 1).as_deref() {
            return self.has(at, *known, least, end);
        }
        if let Some(most) = self.inputs.get(at).and_then(|entry| entry.most.clone()) {
            let count = self.add(&most, &1.into());
            self.prefer("indices", end.clone(), count);
        }
        self.drawn_within(at, least, end);
        Ok(())
    }

    /// The least and the greatest of the known integers of an input, in each of some columns.
    pub fn extremes(&self, at: usize, columns: usize) -> Option<Vec<(i64, i64)>> {
        match &self.tensor(at).ok()?.content {
            Content::Constant(Tensor::Int64(array)) => ends(array.iter().copied(), columns),
            Content::Constant(Tensor::Int32(array)) => {
                ends(array.iter().map(|&element| element.into()), columns)
            }
            Content::Integers(list) => {
                let numbers: Option<Vec<i64>> = list.iter().map(Expr::constant).collect();
                ends(numbers?.into_iter(), columns)
            }
            _ => None,
        }
    }

    /// The least and the greatest of the indices at an input are in this range.
    pub fn has(&mut self, at: usize, (first, last): (i64, i64), least: &Expr, end: &Expr) -> Outcome<()> {
        if let (Some(low), Some(high)) = (least.constant(), end.constant())
            && (first < low || last >= high)
        {
            let index = if first < low { first } else { last };
            let name = self.formal(at);
            return parameter(format!(
                "`{name}` has the index {index}, outside of [{low}, {high})"
            ));
        }
        self.at_least(end, &last.saturating_add(1).into(), "an extent with all indices")?;
        self.at_least(&first.into(), least, "the least index")
    }

    /// Usual inputs have at least this extent.
    pub fn prefer(&mut self, what: &'static str, extent: Expr, least: Expr) {
        let relation = Relation::AtLeast(extent, least);
        self.state.prefer(&self.cause, what, relation);
    }

    /// The elements of an input of the model that arrive here are drawn from these, the end excluded.
    pub fn drawn_within(&mut self, at: usize, least: &Expr, end: &Expr) {
        if let Some(source) = self.inputs.get(at).and_then(|entry| entry.source.clone()) {
            let relation = Relation::Within(source, least.clone(), end.clone());
            self.state.require(&self.cause, "indices", relation);
        }
    }

    /// The extents of the inputs, and which nodes decided their symbols, for a message.
    pub fn inputs_text(&mut self) -> String {
        let mut texts = Vec::new();
        for at in 0..self.inputs.len() {
            texts.push(match self.shape(at) {
                Ok(shape) => Shown(&self.state.symbols, &shape).to_string(),
                Err(_) if !self.given(at) => "none".to_owned(),
                Err(_) => "?".to_owned(),
            });
        }
        let facts = self.inputs.iter().filter_map(|entry| entry.fact.shape());
        let causes = self.state.symbols.causes(&facts.flatten().collect::<Vec<_>>());
        if causes.is_empty() {
            texts.join(", ")
        } else {
            format!("{}, where {}", texts.join(", "), causes.join(" and "))
        }
    }

    /// A list that is short enough to be followed.
    pub fn is_short(&self, shape: &[Expr]) -> Option<usize> {
        let count = shape
            .iter()
            .try_fold(1_i64, |known, extent| known.checked_mul(extent.constant()?));
        count
            .and_then(|count| usize::try_from(count).ok())
            .filter(|&count| count <= MAX_LIST)
    }
}

/// The least and the greatest of the elements in each of some columns; `None` without an element.
fn ends(elements: impl Iterator<Item = i64>, columns: usize) -> Option<Vec<(i64, i64)>> {
    let mut found = vec![(i64::MAX, i64::MIN); columns];
    for (at, element) in elements.enumerate() {
        let known = found.get_mut(at.checked_rem(columns)?)?;
        *known = (known.0.min(element), known.1.max(element));
    }
    found.iter().all(|(least, most)| least <= most).then_some(found)
}

/// One output with these extents.
pub(crate) fn one(shape: Shape) -> Outcome<Vec<Fact>> {
    Ok(vec![Fact::of(shape)])
}

/// The rule of an operator version: what is known of the outputs.
pub(crate) type ShapeRule = fn(&mut Call<'_, '_>) -> Outcome<Vec<Fact>>;
