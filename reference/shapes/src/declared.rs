//! Declared types of inputs, outputs and inner values.

use std::rc::Rc;

use onnx_model::ValueInfo;
use onnx_tensor::{DType, Dim, ValueType};

use crate::constraint::{Claim, Shown};
use crate::extent::{Compared, Expr};
use crate::fact::{Content, Entry, Fact, SequenceFact, TensorFact, dtype_of, extent_of, shapeless};
use crate::finding::Rule;
use crate::walker::{Frame, Walker};

/// The greatest number of elements of an input whose values are followed.
const MAX_ELEMENTS: i64 = 64;

impl<'m> Walker<'m> {
    /// An input of the main graph. The elements of a short list of integers are symbols.
    pub fn input(&mut self, frame: Frame<'_, 'm>, info: &ValueInfo, entry: Entry) -> Entry {
        let mut entry = self.declared(frame, "input", info, entry);
        entry.source = Some(info.name.as_str().into());
        if let Some(shape) = entry.fact.shape() {
            self.state.given.extend(shape.iter().filter_map(Expr::atom));
            self.state.inputs.insert(info.name.as_str().into(), shape.clone());
        }
        if let Fact::Tensor(tensor) = &mut entry.fact
            && matches!(tensor.content, Content::Unknown)
            && matches!(dtype_of(entry.kind.as_ref()), Some(DType::Int64 | DType::Int32))
        {
            let count = match tensor.shape.as_slice() {
                [] => Some(1),
                [extent] => extent
                    .constant()
                    .filter(|&count| (0..=MAX_ELEMENTS).contains(&count)),
                _ => None,
            };
            if let Some(count) = count {
                let (least, most) = match dtype_of(entry.kind.as_ref()) {
                    Some(DType::Int32) => (i64::from(i32::MIN), i64::from(i32::MAX)),
                    _ => (i64::MIN, i64::MAX),
                };
                let element = |_| self.state.symbols.unknown(least, most);
                tensor.content = Content::Integers((0..count).map(element).collect());
            }
        }
        entry
    }

    /// What is known of a value by inference and by its declaration, which must agree.
    pub fn declared(
        &mut self,
        frame: Frame<'_, 'm>,
        what: &str,
        info: &ValueInfo,
        mut entry: Entry,
    ) -> Entry {
        let Some(declared) = &info.value_type else {
            return entry;
        };
        if entry.kind.is_none() {
            entry.kind = Some(shapeless(declared));
        }
        match (declared, &entry.fact) {
            (
                ValueType::Tensor {
                    shape: Some(dims), ..
                },
                Fact::Tensor(tensor),
            ) => {
                let found = tensor.shape.clone();
                if let Some(clash) = self.clash((what, info), dims, &found, frame.main) {
                    let found: Vec<Expr> = found
                        .iter()
                        .map(|extent| self.state.symbols.simplified(extent))
                        .collect();
                    let message = format!(
                        "{what} `{}` is declared as {}, but is {}: {clash}",
                        info.name,
                        text(dims),
                        Shown(&self.state.symbols, &found)
                    );
                    self.report(frame, None, Rule::ShapeDeclared, message);
                }
            }
            (ValueType::Sequence(inner), Fact::Sequence(sequence)) => {
                if let (
                    ValueType::Tensor {
                        shape: Some(dims), ..
                    },
                    Some(element),
                ) = (&**inner, &sequence.element)
                    && dims.len() != element.len()
                {
                    let message = format!(
                        "{what} `{}` is declared as a sequence of tensors of rank {}, but they have rank {}",
                        info.name,
                        dims.len(),
                        element.len()
                    );
                    self.report(frame, None, Rule::ShapeDeclared, message);
                }
            }
            (_, Fact::Unknown) => entry.fact = self.fact_of(declared, frame.main),
            _ => {}
        }
        entry
    }

    /// How declared extents differ from those that are inferred. An inner extent that inference leaves open
    /// is the declared one. One that an input leaves open, and what an output declares, is only claimed:
    /// converters declare one label for any number of rows.
    fn clash(
        &mut self,
        (what, info): (&str, &ValueInfo),
        dims: &[Dim],
        found: &[Expr],
        main: bool,
    ) -> Option<String> {
        if dims.len() != found.len() {
            return Some(format!("rank {} instead of {}", dims.len(), found.len()));
        }
        let cause: Rc<str> = "its declaration".into();
        for (at, (dim, extent)) in dims.iter().zip(found).enumerate() {
            let extent = self.state.symbols.simplified(extent);
            let declared = match dim {
                Dim::Fixed(fixed) => extent_of(*fixed),
                Dim::Named(name) if main && is_name(name) => match self.state.symbols.lookup(name) {
                    Some(atom) => atom.into(),
                    None => {
                        // The first use of a name says what it is.
                        let atom = self.state.symbols.named(name).into();
                        self.state.symbols.equate(&atom, &extent, &cause);
                        continue;
                    }
                },
                Dim::Named(_) | Dim::Unknown => continue,
            };
            let open = extent.atom().is_some_and(|atom| {
                self.state.symbols.is_free(atom) && self.state.symbols.name(atom).is_none()
            });
            let is_claim =
                what == "output" || extent.atom().is_some_and(|atom| self.state.given.contains(&atom));
            let compared = if open && !is_claim && declared.constant().is_some() {
                self.state.symbols.equate(&extent, &declared, &cause)
            } else {
                self.state.symbols.compare(&extent, &declared)
            };
            if let (true, true, Compared::Open, Some(declared)) = (open, main, compared, declared.constant())
            {
                let claim = Claim {
                    value: info.name.as_str().into(),
                    extent: extent.clone(),
                    declared,
                    is_batch: what == "output" && at == 0 && declared == 1,
                };
                if let Some(other) = self.state.claim(claim) {
                    return Some(format!(
                        "extent {at} is {} by the declaration of `{}`, not {declared}",
                        other.declared, other.value
                    ));
                }
            }
            if compared == Compared::Different {
                let declared = self.state.symbols.simplified(&declared);
                let declared = self.state.symbols.text(&declared);
                let found = match (open, self.state.symbols.bounds(&extent)) {
                    (true, (least, i64::MAX)) => format!("at least {least}"),
                    (true, (_, most)) => format!("at most {most}"),
                    (false, _) => self.state.symbols.text(&extent),
                };
                return Some(format!("extent {at} is {found}, not {declared}"));
            }
        }
        None
    }

    /// The extents that a type declares.
    pub fn fact_of(&mut self, declared: &ValueType, main: bool) -> Fact {
        match declared {
            ValueType::Tensor {
                shape: Some(dims), ..
            }
            | ValueType::Sparse {
                shape: Some(dims), ..
            } => {
                let shape = dims.iter().map(|dim| self.extent(dim, main)).collect();
                Fact::Tensor(TensorFact {
                    shape,
                    content: Content::Unknown,
                })
            }
            ValueType::Sequence(element) => {
                let element = match &**element {
                    // Names in the type of an element may differ from element to element.
                    ValueType::Tensor {
                        shape: Some(dims), ..
                    } => Some(dims.iter().map(fixed).collect()),
                    _ => None,
                };
                Fact::Sequence(Box::new(SequenceFact {
                    length: self.state.symbols.extent(),
                    element,
                    items: None,
                }))
            }
            ValueType::Optional(element) => Fact::Optional(Box::new(self.fact_of(element, main))),
            _ => Fact::Unknown,
        }
    }

    fn extent(&mut self, dim: &Dim, main: bool) -> Expr {
        match dim {
            Dim::Fixed(extent) => extent_of(*extent),
            Dim::Named(name) if main && is_name(name) => self.state.symbols.named(name).into(),
            Dim::Named(_) | Dim::Unknown => self.state.symbols.extent(),
        }
    }
}

fn fixed(dim: &Dim) -> Option<Expr> {
    match dim {
        Dim::Fixed(extent) => Some(extent_of(*extent)),
        Dim::Named(_) | Dim::Unknown => None,
    }
}

/// Whether a name stands for one extent. Converters write `?` and similar for every unknown one.
pub fn is_name(name: &str) -> bool {
    name.chars().any(char::is_alphanumeric) && !matches!(name, "None" | "unk" | "unknown" | "-1")
}

/// The extents of a declaration as text.
fn text(dims: &[Dim]) -> String {
    let dim = |dim: &Dim| match dim {
        Dim::Fixed(extent) => extent.to_string(),
        Dim::Named(name) => name.clone(),
        Dim::Unknown => "?".to_owned(),
    };
    format!("[{}]", dims.iter().map(dim).collect::<Vec<_>>().join(", "))
}
