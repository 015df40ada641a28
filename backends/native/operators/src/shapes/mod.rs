//! Shape rules: the extents of the outputs of an operator from those of its inputs.
//!
//! Each row of the table of operators ([`super::Row`]) names its rule. An extent may be unknown or named. An
//! output without a rule is unknown until the node runs.

mod image;
mod indexing;
mod matrices;
mod ml;
mod movement;
mod recurrent;
mod reduction;
mod reshaping;
mod several;
mod signal;
mod windows;

use onnx_tensor::{DType, Dim, Tensor};

use super::call::int64s;
use crate::attributes::Attributes;

/// The extents of a value, as far as they are known.
pub type Shape = Vec<Dim>;

/// What is known before a run about the operands of a node.
pub struct Known<'a> {
    /// The schema version.
    pub since: u32,
    /// The attributes with defaults.
    pub attributes: &'a Attributes,
    /// The inputs. An omitted optional one is `None`.
    pub inputs: Vec<Option<Operand<'a>>>,
    /// The number of outputs of the node, including unused ones.
    pub outputs: usize,
}

/// What is known about an input.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// The element type of a tensor.
    pub dtype: Option<DType>,
    /// The extents of a tensor, if at least its rank is known.
    pub shape: Option<&'a [Dim]>,
    /// The value of a constant.
    pub constant: Option<&'a Tensor>,
}

/// How the shapes of the outputs of an operator follow from what is known.
#[derive(Clone, Copy, Debug)]
pub enum Shapes {
    /// A rule for the first output. An operator has no others, or their shapes are unknown.
    First(fn(&Known) -> Option<Shape>),
    /// A rule for all outputs.
    Each(fn(&Known) -> Option<Vec<Option<Shape>>>),
    /// Those of the nodes that a composition writes.
    Composed,
    /// The extents of the first output are never all known, for this reason. The rule gives what is known.
    Open(&'static str, fn(&Known) -> Option<Vec<Option<Shape>>>),
}

/// How the element type of the first output follows from what is known, where the signature does not say it.
pub type TypeRule = fn(&Known) -> Option<DType>;

/// The first output has the shape of the first input.
pub const SAME: Shapes = Shapes::First(|known| known.shape_like(0));

/// The inputs broadcast to the output. Before version 7 only the second of two operands broadcasts, to the
/// first one.
pub const BROADCAST: Shapes = Shapes::First(|known| known.broadcast());

/// The output is a scalar.
pub const SCALAR: Shapes = Shapes::First(|_| Some(Vec::new()));

impl Shapes {
    /// Returns why the extents of the first output are never all known.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Shapes::First(_) | Shapes::Each(_) | Shapes::Composed => None,
            Shapes::Open(reason, _) => Some(reason),
        }
    }

    /// Returns the shapes of the outputs, as far as they are known.
    pub fn of(self, known: &Known) -> Vec<Option<Shape>> {
        match self {
            Shapes::First(rule) => vec![rule(known)],
            Shapes::Each(rule) | Shapes::Open(_, rule) => rule(known).unwrap_or_default(),
            Shapes::Composed => Vec::new(),
        }
    }
}

impl Known<'_> {
    fn operand(&self, position: usize) -> Option<&Operand<'_>> {
        self.inputs.get(position)?.as_ref()
    }

    fn is_given(&self, position: usize) -> bool {
        self.operand(position).is_some()
    }

    /// Returns the extents of an input, if at least its rank is known.
    pub fn shape(&self, position: usize) -> Option<&[Dim]> {
        self.operand(position)?.shape
    }

    /// Returns the shape of an input as that of an output.
    pub fn shape_like(&self, position: usize) -> Option<Shape> {
        Some(self.shape(position)?.to_vec())
    }

    /// Returns the element type of an input.
    pub fn dtype(&self, position: usize) -> Option<DType> {
        self.operand(position)?.dtype
    }

    /// Returns the element type that an attribute names.
    pub fn named_dtype(&self, name: &str) -> Option<DType> {
        self.attributes.dtype(name).ok().flatten()
    }

    fn fixed(&self, position: usize) -> Option<Vec<usize>> {
        self.shape(position)?.iter().map(whole).collect()
    }

    fn constant(&self, position: usize) -> Option<&Tensor> {
        self.operand(position)?.constant
    }

    fn ints(&self, position: usize) -> Option<Vec<i64>> {
        int64s(self.constant(position)?).ok()
    }

    fn ints_or_attribute(&self, position: usize, name: &str) -> Option<Vec<i64>> {
        self.ints(position)
            .or_else(|| Some(self.attributes.ints(name).ok()??.to_vec()))
    }

    fn int(&self, name: &str) -> Option<i64> {
        self.attributes.find_int(name).ok()?
    }

    fn broadcast(&self) -> Option<Shape> {
        if self.since < 7 {
            return self.shape_like(0);
        }
        let shapes = (0..self.inputs.len()).map(|position| self.shape(position));
        broadcast_of(&shapes.collect::<Option<Vec<_>>>()?)
    }
}

/// Returns the shape that all of these broadcast to; `None` if fixed extents do not.
fn broadcast_of(shapes: &[&[Dim]]) -> Option<Shape> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let along = |from_end: usize| {
        let dims = shapes
            .iter()
            .filter_map(|shape| shape.get(shape.len().checked_sub(from_end + 1)?));
        dims.cloned().try_fold(Dim::Fixed(1), both)
    };
    (0..rank).rev().map(along).collect()
}

/// Returns the extent to which two broadcast.
fn both(a: Dim, b: Dim) -> Option<Dim> {
    match (a, b) {
        (Dim::Fixed(1), other) | (other, Dim::Fixed(1)) => Some(other),
        (Dim::Fixed(a), Dim::Fixed(b)) => (a == b).then_some(Dim::Fixed(a)),
        (Dim::Fixed(extent), _) | (_, Dim::Fixed(extent)) => Some(Dim::Fixed(extent)),
        (Dim::Named(a), Dim::Named(b)) if a == b => Some(Dim::Named(a)),
        _ => Some(Dim::Unknown),
    }
}

/// Returns the extent if it is fixed.
fn whole(dim: &Dim) -> Option<usize> {
    match dim {
        Dim::Fixed(extent) => Some(*extent),
        Dim::Named(_) | Dim::Unknown => None,
    }
}

/// Applies a function to a fixed extent; the result is unknown for another, or if the function has none.
fn mapped(dim: &Dim, apply: impl FnOnce(usize) -> Option<usize>) -> Dim {
    whole(dim).and_then(apply).map_or(Dim::Unknown, Dim::Fixed)
}

fn fixed(shape: &[usize]) -> Shape {
    shape.iter().map(|&extent| Dim::Fixed(extent)).collect()
}
