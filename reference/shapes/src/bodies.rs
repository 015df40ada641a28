//! Operators with bodies: If, Loop, Scan, SequenceMap.

use std::rc::Rc;

use onnx_checker::body_place;
use onnx_model::{AttributeValue, Graph, Node};
use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, ValueType};

use crate::call::{Attributes, Call};
use crate::constraint::State;
use crate::extent::{Expr, Operation, Symbols};
use crate::fact::{Content, Entry, Fact, SequenceFact, TensorFact};
use crate::finding::{Outcome, Stop, known};
use crate::merge::{Join, element_of, joined_elements};
use crate::walker::{Frame, Scope, Walker};

/// The operators of ai.onnx whose outputs are those of bodies.
pub(crate) const HAS_BODIES: &[&str] = &["If", "Loop", "Scan", "SequenceMap"];

/// A node with bodies.
pub(crate) struct Site<'a, 'm> {
    node: &'m Node,
    schema: &'static OperatorSchema,
    frame: Frame<'a, 'm>,
    scope: &'a Scope<'m, 'a>,
    pub inputs: &'a [Entry],
    attributes: &'a Attributes<'m>,
    cause: Rc<str>,
}

impl<'a, 'm> Site<'a, 'm> {
    pub fn call<'c>(&'c self, state: &'c mut State) -> Call<'c, 'm> {
        Call {
            schema: self.schema,
            since: self.schema.since,
            node: self.node,
            attributes: self.attributes,
            inputs: self.inputs,
            kinds: &[],
            state,
            cause: Rc::clone(&self.cause),
        }
    }

    /// An input that has one element.
    fn single(&self, state: &mut State, at: usize) -> Outcome<Option<Expr>> {
        let mut call = self.call(state);
        if let Some(shape) = known(call.shape(at))? {
            let count = call.product(&shape);
            call.equal(&count, &1.into(), "elements of a condition or trip count and 1,")?;
        }
        known(call.only(at))
    }

    pub fn graph(&self, name: &str) -> Outcome<&'m Graph> {
        match self.attributes.get(name) {
            Some(AttributeValue::Graph(graph)) => Ok(graph),
            _ => Err(Stop::Unknown),
        }
    }
}

impl<'m> Walker<'m> {
    /// The outputs of a node with bodies.
    pub fn bodies(
        &mut self,
        (node, schema): (&'m Node, &'static OperatorSchema),
        frame: Frame<'_, 'm>,
        scope: &Scope<'m, '_>,
        (inputs, attributes): (&[Entry], &Attributes<'m>),
        cause: Rc<str>,
    ) -> Outcome<Vec<Entry>> {
        if self.is_too_deep(frame) {
            return Err(Stop::Unknown);
        }
        let site = Site {
            node,
            schema,
            frame,
            scope,
            inputs,
            attributes,
            cause,
        };
        match schema.name {
            "If" => self.branches(&site),
            "Loop" => self.repeat(&site),
            "Scan" if schema.since == 8 => self.scan_8(&site),
            "Scan" => self.scan(&site),
            _ => self.sequence_map(&site),
        }
    }

    /// The outputs of a body that runs whenever its node does.
    fn certain_body(&mut self, site: &Site<'_, 'm>, name: &str, given: &[Entry]) -> Outcome<Vec<Entry>> {
        let graph = site.graph(name)?;
        let inside = Frame {
            place: &body_place(site.frame.place, site.node, name),
            depth: site.frame.depth + 1,
            main: false,
            ..site.frame
        };
        Ok(self.graph(graph, inside, Some(site.scope), given).0)
    }

    /// The outputs of a body, whose conditions hold only if it runs.
    fn body(&mut self, site: &Site<'_, 'm>, name: &str, given: &[Entry]) -> Outcome<Vec<Entry>> {
        self.body_and(site, name, given, |_, _| ())
    }

    /// Like [`Walker::body`]; `inside` is done where what the body decides still holds.
    fn body_and(
        &mut self,
        site: &Site<'_, 'm>,
        name: &str,
        given: &[Entry],
        inside: impl FnOnce(&mut Symbols, &[Entry]),
    ) -> Outcome<Vec<Entry>> {
        let mark = self.state.symbols.mark();
        self.state.conditional += 1;
        let outputs = self.certain_body(site, name, given);
        self.state.conditional -= 1;
        let mut outputs = outputs?;
        inside(&mut self.state.symbols, &outputs);
        for entry in &mut outputs {
            entry.fact = self.settled(std::mem::take(&mut entry.fact));
            entry.source = None;
        }
        self.state.symbols.undo(mark);
        Ok(outputs)
    }

    /// The value with every bound symbol replaced, before the bindings of a body are forgotten.
    fn settled(&mut self, fact: Fact) -> Fact {
        let symbols = &mut self.state.symbols;
        match fact {
            Fact::Tensor(tensor) => Fact::Tensor(TensorFact {
                shape: tensor
                    .shape
                    .iter()
                    .map(|extent| symbols.simplified(extent))
                    .collect(),
                content: match tensor.content {
                    Content::Integers(list) => {
                        Content::Integers(list.iter().map(|element| symbols.simplified(element)).collect())
                    }
                    other => other,
                },
            }),
            Fact::Sequence(mut sequence) => {
                sequence.length = symbols.simplified(&sequence.length);
                for extent in sequence.element.iter_mut().flatten().flatten() {
                    *extent = symbols.simplified(extent);
                }
                if let Some(items) = sequence.items.take() {
                    sequence.items = Some(items.into_iter().map(|item| self.settled(item)).collect());
                }
                Fact::Sequence(sequence)
            }
            Fact::Optional(inner) => Fact::Optional(Box::new(self.settled(*inner))),
            Fact::Unknown => Fact::Unknown,
        }
    }

    /// If: the branch that a known condition selects, otherwise what both have in common.
    fn branches(&mut self, site: &Site<'_, 'm>) -> Outcome<Vec<Entry>> {
        let condition = site.single(&mut self.state, 0)?;
        match condition.and_then(|condition| condition.constant()) {
            Some(0) => return self.certain_body(site, "else_branch", &[]),
            Some(_) => return self.certain_body(site, "then_branch", &[]),
            None => {}
        }
        let then = self.body(site, "then_branch", &[])?;
        let other = self.body(site, "else_branch", &[])?;
        let mut join = Join::default();
        let both = |(then, other): (Entry, Entry)| Entry {
            fact: join.fact(&mut self.state.symbols, &then.fact, &other.fact),
            kind: then.kind.or(other.kind),
            source: None,
            most: None,
        };
        Ok(then.into_iter().zip(other).map(both).collect())
    }

    /// Runs a body on states until what is known of them holds for every iteration. Returns the outputs of
    /// the body, the states after any number of iterations, and the input and output condition if there
    /// is one.
    pub fn settle(
        &mut self,
        site: &Site<'_, 'm>,
        mut states: Vec<Entry>,
        (before, after): (&[Entry], &[Entry]),
        first: usize,
    ) -> Outcome<(Vec<Entry>, Vec<Entry>)> {
        let mut join = Join::default();
        loop {
            let given = [before, &states, after].concat();
            join.changed = false;
            // An iteration that keeps an extent under its own conditions keeps it wherever it runs.
            let outputs = self.body_and(site, "body", &given, |symbols, outputs| {
                for (state, output) in states.iter_mut().zip(outputs.iter().skip(first)) {
                    state.fact = join.fact(symbols, &state.fact, &output.fact);
                    state.source = None;
                    if state.kind.is_none() {
                        state.kind.clone_from(&output.kind);
                    }
                }
            })?;
            if !join.changed {
                for state in &mut states {
                    let fact = std::mem::take(&mut state.fact);
                    state.fact = join.renamed(&mut self.state.symbols, fact);
                }
                return Ok((outputs, states));
            }
        }
    }

    /// The number of the iteration, or the condition. Many bodies declare a vector of one element.
    fn counter(&mut self, body: &Graph, at: usize, dtype: DType, element: Expr) -> Entry {
        let declared = body.inputs.get(at).and_then(|input| input.value_type.as_ref());
        let shape = match declared {
            Some(ValueType::Tensor {
                shape: Some(dims), ..
            }) if dims.len() == 1 => vec![1.into()],
            _ => Vec::new(),
        };
        Entry {
            kind: Some(ValueType::tensor(dtype)),
            fact: Fact::Tensor(TensorFact {
                shape,
                content: Content::Integers(vec![element]),
            }),
            source: None,
            most: None,
        }
    }

    fn repeat(&mut self, site: &Site<'_, 'm>) -> Outcome<Vec<Entry>> {
        let trips = site.single(&mut self.state, 0)?;
        let starts = site
            .single(&mut self.state, 1)?
            .is_some_and(|condition| condition.is(1));
        let call = site.call(&mut self.state);
        let conditional = call.given(1);
        let [iteration, condition] =
            [(0, i64::MAX), (0, 1)].map(|(least, most)| call.state.symbols.unknown(least, most));
        let body = site.graph("body")?;
        let before = [
            self.counter(body, 0, DType::Int64, iteration),
            self.counter(body, 1, DType::Bool, condition.clone()),
        ];
        let states: Vec<Entry> = site.inputs.get(2..).unwrap_or_default().to_vec();
        let count = states.len();
        let (outputs, mut results) = self.settle(site, states, (&before, &[]), 1)?;
        let goes_on = outputs
            .first()
            .and_then(|output| output.fact.integers())
            .is_some_and(|list| matches!(list.as_slice(), [only] if only.is(1) || *only == condition));
        let symbols = &mut self.state.symbols;
        let most = trips.map(|trips| symbols.apply(Operation::Max, vec![trips, 0.into()]));
        let length = match most {
            Some(most) if !conditional || (starts && goes_on) => most,
            Some(most) => {
                let (_, most) = symbols.bounds(&most);
                symbols.unknown(0, most)
            }
            None => symbols.extent(),
        };
        // Without an iteration, only the declaration of the body says what a scan output would be.
        let runs = self.state.symbols.bounds(&length).0 >= 1;
        let scanned = outputs.into_iter().skip(1 + count).enumerate();
        for (at, output) in scanned {
            let declared = body
                .outputs
                .get(1 + count + at)
                .and_then(|info| info.value_type.as_ref());
            results.push(self.stacked(output, (&length, 0), runs, declared));
        }
        Ok(results)
    }

    /// Tensors of one shape along a new axis.
    pub fn stacked(
        &mut self,
        output: Entry,
        (length, axis): (&Expr, i64),
        runs: bool,
        declared: Option<&ValueType>,
    ) -> Entry {
        let fact = match output.fact.shape().cloned() {
            None => Fact::Unknown,
            Some(mut shape) => {
                let declares = matches!(declared, Some(ValueType::Tensor { shape: Some(_), .. }));
                if !runs && !declares {
                    return Entry {
                        fact: Fact::Unknown,
                        ..output
                    };
                }
                if !runs {
                    // An extent that the declaration leaves open is not known if nothing runs.
                    let known = declared.map(|declared| self.fact_of(declared, false));
                    let known = known.and_then(|known| known.shape().cloned()).unwrap_or_default();
                    for (at, extent) in shape.iter_mut().enumerate() {
                        if known.get(at).is_none_or(|known| known.constant().is_none()) {
                            *extent = self.state.symbols.extent();
                        }
                    }
                }
                let rank = shape.len() as i64 + 1;
                let at = if axis < 0 { axis.saturating_add(rank) } else { axis };
                match usize::try_from(at).ok().filter(|&at| at <= shape.len()) {
                    Some(at) => shape.insert(at, length.clone()),
                    None => {
                        return Entry {
                            fact: Fact::Unknown,
                            ..output
                        };
                    }
                }
                Fact::of(shape)
            }
        };
        Entry { fact, ..output }
    }

    fn sequence_map(&mut self, site: &Site<'_, 'm>) -> Outcome<Vec<Entry>> {
        let first = site.call(&mut self.state).sequence(0)?;
        let start = self.state.symbols.len();
        let mut items: Vec<Vec<Fact>> = Vec::new();
        let (mut kinds, mut generic) = (Vec::new(), Vec::new());
        let count = first
            .items
            .as_ref()
            .map(Vec::len)
            .filter(|&count| count <= crate::limits::MAX_UNROLLED);
        for sample in 0..count.unwrap_or(1).max(1) {
            let mut given = Vec::with_capacity(site.inputs.len());
            for entry in site.inputs {
                given.push(self.sample(entry, count.map(|_| sample)));
            }
            let outputs = self.body(site, "body", &given)?;
            kinds = outputs.iter().map(|output| output.kind.clone()).collect();
            generic = outputs.iter().map(|output| output.fact.clone()).collect();
            items.push(generic.clone());
        }
        let outputs = kinds.into_iter().enumerate().map(|(at, kind)| {
            let known: Option<Vec<Fact>> = count.map(|count| {
                let column = items
                    .iter()
                    .map(|outputs| outputs.get(at).cloned().unwrap_or_default());
                column.take(count).collect()
            });
            let element = match &known {
                Some(known) => joined_elements(&mut self.state.symbols, known),
                // A symbol of the body may differ from element to element.
                None => generic.get(at).and_then(Fact::shape).map(|shape| {
                    let outer = |extent: &Expr| extent.atoms().all(|atom| (atom.0 as usize) < start);
                    shape
                        .iter()
                        .map(|extent| outer(extent).then(|| extent.clone()))
                        .collect()
                }),
            };
            Entry {
                kind: kind.map(|kind| ValueType::Sequence(Box::new(kind))),
                fact: Fact::Sequence(Box::new(SequenceFact {
                    length: first.length.clone(),
                    element,
                    items: known,
                })),
                source: None,
                most: None,
            }
        });
        Ok(outputs.collect())
    }

    /// What SequenceMap passes to its body: an element of a sequence, another value unchanged.
    fn sample(&mut self, entry: &Entry, position: Option<usize>) -> Entry {
        let Some(ValueType::Sequence(element)) = &entry.kind else {
            return entry.clone();
        };
        let fact = match &entry.fact {
            Fact::Sequence(sequence) => {
                let item = position.and_then(|at| sequence.items.as_ref()?.get(at).cloned());
                item.unwrap_or_else(|| element_of(&mut self.state.symbols, sequence))
            }
            _ => Fact::Unknown,
        };
        Entry {
            kind: Some((**element).clone()),
            fact,
            source: None,
            most: None,
        }
    }
}
