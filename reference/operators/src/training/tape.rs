//! A tape of computations on arrays of f64, for reverse-mode differentiation.
//!
//! The primitives are sums, products, powers, matrix products, functions of one variable, and two linear
//! maps that only move elements, [`Origin::Pick`] and its adjoint [`Origin::Put`]. These two express every
//! reshape, transpose, slice, broadcast and reduction. The derivative of each primitive consists of
//! primitives and is recorded as well, so the tape can be differentiated again.

use std::rc::Rc;

use ndarray::ArrayView2;
use onnx_tensor::{Array, DType};

use super::function::Function;
use crate::frame::{Call, OpError};
use crate::shared::broadcast;

/// An array on the tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Var(usize);

/// For each element of one array, the position of an element of another.
type Map = Rc<[usize]>;

/// How an array was computed.
#[derive(Clone)]
enum Origin {
    /// An input.
    Leaf,
    /// Elementwise, of two arrays of the same shape.
    Add(Var, Var),
    Mul(Var, Var),
    Pow(Var, Var),
    /// `[B, m, k]` by `[B, k, n]`.
    MatMul(Var, Var),
    Apply(Function, Var),
    /// `result[i] = x[map[i]]`.
    Pick(Var, Map),
    /// `result[map[i]] += x[i]`.
    Put(Var, Map),
}

struct Entry {
    shape: Vec<usize>,
    values: Rc<[f64]>,
    origin: Origin,
    /// Whether it depends on a differentiation variable.
    varies: bool,
}

pub(super) struct Tape<'a> {
    call: &'a Call<'a>,
    entries: Vec<Entry>,
}

impl<'a> Tape<'a> {
    /// An empty tape; `call` reserves its memory.
    pub(super) fn new(call: &'a Call<'a>) -> Self {
        Tape {
            call,
            entries: Vec::new(),
        }
    }

    /// The shape of an array.
    pub(super) fn shape(&self, x: Var) -> &[usize] {
        &self.entries[x.0].shape
    }

    /// The elements of an array in row-major order.
    pub(super) fn values(&self, x: Var) -> &[f64] {
        &self.entries[x.0].values
    }

    /// Whether the array depends on a varying leaf.
    pub(super) fn varies(&self, x: Var) -> bool {
        self.entries[x.0].varies
    }

    /// An input array, with as many values as its shape has elements.
    pub(super) fn leaf(&mut self, shape: &[usize], values: Vec<f64>, varies: bool) -> Var {
        self.push(shape.to_vec(), values, Origin::Leaf, varies)
    }

    /// Applies a function to each element.
    pub(super) fn apply(&mut self, function: Function, x: Var) -> Var {
        let values = self.values(x).iter().map(|&x| function.at(x)).collect();
        let shape = self.shape(x).to_vec();
        self.push(shape, values, Origin::Apply(function, x), self.varies(x))
    }

    fn push(&mut self, shape: Vec<usize>, values: Vec<f64>, origin: Origin, varies: bool) -> Var {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        let values = values.into();
        self.entries.push(Entry {
            shape,
            values,
            origin,
            varies,
        });
        Var(self.entries.len() - 1)
    }

    /// An array with the shape of `like` and every element `value`.
    pub(super) fn filled(&mut self, like: Var, value: f64) -> Var {
        let (shape, count) = (self.shape(like).to_vec(), self.values(like).len());
        self.leaf(&shape, vec![value; count], false)
    }

    fn zip(&mut self, a: Var, b: Var, origin: Origin, f: impl Fn(f64, f64) -> f64) -> Var {
        let values = self
            .values(a)
            .iter()
            .zip(self.values(b))
            .map(|(&a, &b)| f(a, b))
            .collect();
        let varies = self.varies(a) || self.varies(b);
        self.push(self.shape(a).to_vec(), values, origin, varies)
    }

    /// a + b, of equal shape.
    pub(super) fn add(&mut self, a: Var, b: Var) -> Var {
        self.zip(a, b, Origin::Add(a, b), |a, b| a + b)
    }

    /// a · b, of equal shape.
    pub(super) fn mul(&mut self, a: Var, b: Var) -> Var {
        self.zip(a, b, Origin::Mul(a, b), |a, b| a * b)
    }

    /// aᵇ, of equal shape.
    pub(super) fn pow(&mut self, a: Var, b: Var) -> Var {
        self.zip(a, b, Origin::Pow(a, b), libm::pow)
    }

    /// `factor` · x.
    pub(super) fn scale(&mut self, x: Var, factor: f64) -> Var {
        let factor = self.filled(x, factor);
        self.mul(x, factor)
    }

    /// x · f(x), where f is treated as constant.
    pub(super) fn masked(&mut self, x: Var, f: impl Fn(f64) -> f64) -> Var {
        let mask = self.values(x).iter().map(|&x| f(x)).collect();
        let shape = self.shape(x).to_vec();
        let mask = self.leaf(&shape, mask, false);
        self.mul(x, mask)
    }

    /// a − b, of equal shape.
    pub(super) fn sub(&mut self, a: Var, b: Var) -> Var {
        let negated = self.scale(b, -1.0);
        self.add(a, negated)
    }

    /// x + `term`.
    pub(super) fn plus(&mut self, x: Var, term: f64) -> Var {
        let term = self.filled(x, term);
        self.add(x, term)
    }

    /// The current value of `x` as a constant.
    pub(super) fn detached(&mut self, x: Var) -> Var {
        let (shape, values) = (self.shape(x).to_vec(), self.values(x).to_vec());
        self.leaf(&shape, values, false)
    }

    /// An array of `shape` whose element i is element `map[i]` of `x`. Every position must exist.
    pub(super) fn pick(&mut self, x: Var, shape: &[usize], map: Map) -> Var {
        let values = map.iter().map(|&from| self.values(x)[from]).collect();
        self.push(shape.to_vec(), values, Origin::Pick(x, map), self.varies(x))
    }

    /// An array of `shape` whose element j is the sum of the elements i of `x` with `map[i]` = j. Every
    /// position must exist.
    pub(super) fn put(&mut self, x: Var, shape: &[usize], map: Map) -> Var {
        let mut values = vec![0.0; shape.iter().product()];
        for (&to, &value) in map.iter().zip(self.values(x)) {
            values[to] += value;
        }
        self.push(shape.to_vec(), values, Origin::Put(x, map), self.varies(x))
    }

    /// The same elements with another shape of equal size.
    pub(super) fn reshape(&mut self, x: Var, shape: &[usize]) -> Var {
        let map = (0..self.values(x).len()).collect();
        self.pick(x, shape, map)
    }

    /// `x` broadcast to a shape.
    pub(super) fn broadcast(&mut self, x: Var, shape: &[usize]) -> Result<Var, OpError> {
        if self.shape(x) == shape {
            return Ok(x);
        }
        self.call.reserve(shape, DType::Double)?;
        let map = broadcast::elements(&positions(self.shape(x))?, shape)?.into();
        Ok(self.pick(x, shape, map))
    }

    /// The shape of `x` with extent 1 on `axes` (sorted, below the rank), and for each element of `x` its
    /// position there.
    pub(super) fn groups(&self, x: Var, axes: &[usize]) -> Result<(Vec<usize>, Map), OpError> {
        let mut shape = self.shape(x).to_vec();
        axes.iter().for_each(|&axis| shape[axis] = 1);
        let map = broadcast::elements(&positions(&shape)?, self.shape(x))?.into();
        Ok((shape, map))
    }

    /// Sums over `axes`, which remain with extent 1.
    pub(super) fn sum(&mut self, x: Var, axes: &[usize]) -> Result<Var, OpError> {
        let (shape, map) = self.groups(x, axes)?;
        Ok(self.put(x, &shape, map))
    }

    /// Axis `i` of the result is axis `order[i]` of `x`; `order` is a permutation.
    pub(super) fn permute(&mut self, x: Var, order: &[usize]) -> Result<Var, OpError> {
        let permuted = positions(self.shape(x))?.permuted_axes(order);
        let map = permuted.iter().copied().collect();
        Ok(self.pick(x, permuted.shape(), map))
    }

    /// The concatenation of a zero and the flattened arrays: the first array starts at position 1.
    pub(super) fn joined(&mut self, arrays: &[Var]) -> Var {
        let total = 1 + arrays
            .iter()
            .map(|&array| self.values(array).len())
            .sum::<usize>();
        let mut joined = self.leaf(&[total], vec![0.0; total], false);
        let mut start = 1;
        for &array in arrays {
            let end = start + self.values(array).len();
            let placed = self.put(array, &[total], (start..end).collect());
            joined = self.add(joined, placed);
            start = end;
        }
        joined
    }

    /// `[B, m, k]` by `[B, k, n]`.
    pub(super) fn matmul(&mut self, a: Var, b: Var) -> Result<Var, OpError> {
        let (&[batch, m, k], &[_, _, n]) = (self.shape(a), self.shape(b)) else {
            return Err(OpError::invalid("a matrix product requires matrices"));
        };
        let shape = vec![batch, m, n];
        self.call.reserve(&shape, DType::Double)?;
        self.call.products(DType::Double, &[batch, m, n, k])?;
        let mut values = Vec::with_capacity(batch * m * n);
        for index in 0..batch {
            let left = ArrayView2::from_shape((m, k), &self.values(a)[index * m * k..][..m * k])?;
            let right = ArrayView2::from_shape((k, n), &self.values(b)[index * k * n..][..k * n])?;
            values.extend(left.dot(&right));
        }
        let varies = self.varies(a) || self.varies(b);
        Ok(self.push(shape, values, Origin::MatMul(a, b), varies))
    }

    /// The derivatives of the sum of all elements of `y` with respect to each of `targets`; `None` if `y`
    /// does not depend on it.
    pub(super) fn backward(&mut self, y: Var, targets: &[Var]) -> Result<Vec<Option<Var>>, OpError> {
        let mut adjoints: Vec<Option<Var>> = vec![None; y.0 + 1];
        adjoints[y.0] = Some(self.filled(y, 1.0));
        let least = targets.iter().map(|target| target.0).min().unwrap_or(0);
        for index in (least..=y.0).rev() {
            let Some(adjoint) = adjoints[index] else { continue };
            for (parent, part) in self.pull_back(Var(index), adjoint)? {
                let before = adjoints[parent.0];
                adjoints[parent.0] = Some(before.map_or(part, |before| self.add(before, part)));
            }
        }
        Ok(targets
            .iter()
            .map(|target| adjoints.get(target.0).copied().flatten())
            .collect())
    }

    /// The contributions of the adjoint of `y` to those of the operands of `y`.
    fn pull_back(&mut self, y: Var, adjoint: Var) -> Result<Vec<(Var, Var)>, OpError> {
        let mut parts = Vec::with_capacity(2);
        match self.entries[y.0].origin.clone() {
            Origin::Leaf => {}
            Origin::Add(a, b) => parts.extend([(a, adjoint), (b, adjoint)]),
            Origin::Mul(a, b) => {
                for (this, other) in [(a, b), (b, a)] {
                    if self.varies(this) {
                        parts.push((this, self.mul(adjoint, other)));
                    }
                }
            }
            Origin::Pow(a, b) => self.pull_back_pow(y, (a, b), adjoint, &mut parts),
            Origin::MatMul(a, b) => {
                if self.varies(a) {
                    let right = self.permute(b, &[0, 2, 1])?;
                    parts.push((a, self.matmul(adjoint, right)?));
                }
                if self.varies(b) {
                    let left = self.permute(a, &[0, 2, 1])?;
                    parts.push((b, self.matmul(left, adjoint)?));
                }
            }
            Origin::Apply(function, x) => {
                let slope = self.slope(function, x, y);
                parts.push((x, self.mul(adjoint, slope)));
            }
            Origin::Pick(x, map) => {
                let shape = self.shape(x).to_vec();
                parts.push((x, self.put(adjoint, &shape, map)));
            }
            Origin::Put(x, map) => {
                let shape = self.shape(x).to_vec();
                parts.push((x, self.pick(adjoint, &shape, map)));
            }
        }
        parts.retain(|&(parent, _)| self.varies(parent));
        Ok(parts)
    }

    /// For y = aᵇ: b·aᵇ⁻¹ and y·ln a.
    fn pull_back_pow(&mut self, y: Var, (a, b): (Var, Var), adjoint: Var, parts: &mut Vec<(Var, Var)>) {
        if self.varies(a) {
            let minus_one = self.filled(b, -1.0);
            let exponent = self.add(b, minus_one);
            let power = self.pow(a, exponent);
            let slope = self.mul(b, power);
            parts.push((a, self.mul(adjoint, slope)));
        }
        if self.varies(b) {
            let log = self.apply(Function::Log, a);
            let slope = self.mul(y, log);
            parts.push((b, self.mul(adjoint, slope)));
        }
    }
}

/// The position of each element of an array of `shape`.
fn positions(shape: &[usize]) -> Result<Array<usize>, OpError> {
    let count = shape.iter().product();
    Ok(ndarray::ArrayD::from_shape_vec(shape, (0..count).collect())?.into_shared())
}
