//! The inference of a whole model.

use std::collections::{HashMap, HashSet};

use onnx_model::Model;
use onnx_tensor::{Dim, ValueType};

use crate::constraint::{Claim, Constraint};
use crate::elements::Use;
use crate::extent::{Atom, Expr, Symbols};
use crate::fact::{Entry, Fact};
use crate::finding::Finding;
use crate::limits::Limits;
use crate::walker::{Frame, Walker};

/// What is known of a model without running it.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The violations, in file order.
    pub findings: Vec<Finding>,
    /// The symbols of all expressions.
    pub symbols: Symbols,
    /// The conditions that are left.
    pub constraints: Vec<Constraint>,
    /// The conditions that usual inputs meet.
    pub(crate) usual: Vec<Constraint>,
    /// What nodes say of the elements of inputs.
    pub(crate) uses: Vec<Use>,
    /// What declarations of values say of open extents, which is not known to hold.
    pub(crate) claims: Vec<Claim>,
    /// The values of the main graph by name.
    values: HashMap<String, Entry>,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The type without extents.
    pub kind: Option<ValueType>,
    /// The extents and elements.
    pub fact: Fact,
}

/// Infers the extents of every value of a model.
pub fn infer(model: &Model) -> Inference {
    infer_within(model, Limits::default())
}

/// Like [`infer`], within limits.
pub fn infer_within(model: &Model, limits: Limits) -> Inference {
    inferred(model, Walker::new(model, limits))
}

/// Like [`infer`], for inputs that are long enough: every slice finds the elements that it names. Circular
/// pads are concatenations of slices, whose extents would otherwise double with each layer.
pub(crate) fn infer_long(model: &Model) -> Inference {
    let mut walker = Walker::new(model, Limits::default());
    walker.state.assumes = true;
    inferred(model, walker)
}

fn inferred<'m>(model: &'m Model, mut walker: Walker<'m>) -> Inference {
    let frame = Frame {
        place: "main graph",
        imports: &model.opset_imports,
        attributes: None,
        depth: 0,
        main: true,
    };
    let (_, scope) = walker.graph(&model.graph, frame, None, &[]);
    let values = scope
        .values
        .into_iter()
        .map(|(name, entry)| (name.to_owned(), entry));
    let values = values.collect();
    let mut claims: Vec<Claim> = walker.state.claims.into_values().collect();
    claims.sort_unstable_by_key(|claim| claim.extent.atom());
    Inference {
        findings: walker.findings,
        symbols: walker.state.symbols,
        constraints: walker.state.constraints,
        usual: walker.state.usual,
        uses: walker.state.uses,
        claims,
        values,
    }
}

impl Inference {
    /// What is known of a value of the main graph.
    pub fn value(&self, name: &str) -> Option<Inferred> {
        let entry = self.values.get(name)?;
        Some(Inferred {
            kind: entry.kind.clone(),
            fact: entry.fact.clone(),
        })
    }

    /// The extents of a tensor of the main graph, with every bound symbol replaced.
    pub fn shape(&mut self, name: &str) -> Option<Vec<Expr>> {
        let shape = self.values.get(name)?.fact.shape()?;
        Some(
            shape
                .iter()
                .map(|extent| self.symbols.simplified(extent))
                .collect(),
        )
    }

    /// The type of a value of the main graph, with extents: a number, the expression of names, or unknown.
    pub fn value_type(&mut self, name: &str) -> Option<ValueType> {
        let kind = self.values.get(name)?.kind.clone()?;
        let ValueType::Tensor { dtype, .. } = kind else {
            return Some(kind);
        };
        let shape = self
            .shape(name)
            .map(|shape| shape.iter().map(|extent| self.dim(extent)).collect());
        Some(ValueType::Tensor { dtype, shape })
    }

    /// The symbols in the extents of these values.
    pub fn symbols_of<'n>(&mut self, names: impl IntoIterator<Item = &'n String>) -> HashSet<Atom> {
        let mut found = HashSet::new();
        for name in names {
            let shape = self.shape(name).unwrap_or_default();
            found.extend(shape.iter().flat_map(|extent| self.symbols.free(extent)));
        }
        found
    }

    /// For each axis of a tensor, whether its extent is open, and these symbols decide it.
    pub fn decided_by(&mut self, name: &str, symbols: &HashSet<Atom>) -> Vec<bool> {
        let shape = self.shape(name).unwrap_or_default();
        let decided = |extent: &Expr| {
            let free = self.symbols.free(extent);
            !free.is_empty() && free.iter().all(|atom| symbols.contains(atom))
        };
        shape.iter().map(decided).collect()
    }

    fn dim(&self, extent: &Expr) -> Dim {
        match extent.constant() {
            Some(extent) => usize::try_from(extent).map_or(Dim::Unknown, Dim::Fixed),
            None if self.symbols.is_named(extent) => Dim::Named(self.symbols.text(extent)),
            None => Dim::Unknown,
        }
    }
}
