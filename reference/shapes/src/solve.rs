//! Extents of inputs, and elements of integer inputs, that meet the conditions of a model.

use std::collections::{BTreeMap, HashMap, HashSet};

use onnx_model::Model;

use crate::constraint::{Constraint, Relation};
use crate::elements::Elements;
use crate::extent::{Atom, Compared, Expr};
use crate::fact::{Content, Fact};
use crate::model::{Inference, infer_long};

/// What an input should be like.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Extents that are given, by input and axis.
    pub given: Vec<(String, usize, i64)>,
    /// Extents that are preferred, by input and axis.
    pub preferred: BTreeMap<(String, usize), i64>,
}

/// Inputs that meet all conditions that inference knows.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Solution {
    /// The extents of every tensor among the required inputs.
    pub extents: BTreeMap<String, Vec<i64>>,
    /// The bounds of indices among the elements of integer inputs: from the first, below the second.
    pub indices: BTreeMap<String, (i64, i64)>,
    /// What the elements of inputs are.
    pub meanings: BTreeMap<String, Elements>,
    /// Elements of short integer inputs on which extents or conditions depend.
    pub elements: BTreeMap<String, Vec<Option<i64>>>,
    /// Why an extent is not the preferred one: input, axis, and the condition.
    pub reasons: Vec<(String, usize, String)>,
}

/// Why no inputs are found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unsolved {
    /// A given extent contradicts the model.
    #[error("extent {axis} of input `{input}` cannot be {given}: it is {known}")]
    Given {
        input: String,
        axis: usize,
        /// The extent that is asked for.
        given: i64,
        /// What the model says.
        known: String,
    },
    /// No extents that were tried meet this condition.
    #[error("no extents of the inputs were found for which {condition}")]
    Condition {
        /// The condition, with the node that states it.
        condition: String,
    },
}

/// The greatest number of combinations that are tried: more than two symbols have.
const MAX_TRIALS: usize = 100_000;

/// The extent of an axis without a preference.
const USUAL: i64 = 4;

/// Finds extents for the inputs of a model. An extent that the model does not decide is the preferred one,
/// or the nearest one above it that meets the conditions, or else one below it.
///
/// # Errors
/// A given extent contradicts the model, or no extents are found.
pub fn solve(model: &Model, inference: &Inference, wishes: &Wishes) -> Result<Solution, Unsolved> {
    // What is too long to be followed may be short where inputs are long enough.
    if inference.symbols.lost
        && let Ok(solution) = searched(model, &infer_long(model), wishes)
    {
        return Ok(solution);
    }
    searched(model, inference, wishes)
}

fn searched(model: &Model, inference: &Inference, wishes: &Wishes) -> Result<Solution, Unsolved> {
    let mut search = Search::new(model, inference.clone());
    search.fix(wishes)?;
    search.order(wishes);
    for level in [Level::Ample, Level::Bodies, Level::Usual, Level::Certain] {
        let conditions = search.conditions(level, wishes);
        if search.run(&conditions) {
            return Ok(search.solution(wishes));
        }
    }
    let conditions = search.conditions(Level::Certain, wishes);
    Err(Unsolved::Condition {
        condition: search.failed(&conditions),
    })
}

/// Which conditions are to hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    /// Those that hold in every run.
    Certain,
    /// Also those that usual inputs meet: no value is empty, and computed indices exist.
    Usual,
    /// Also those of bodies, which may not run.
    Bodies,
    /// Also that nothing is so small that a mistake would not show: a past of a cache, what indices choose
    /// from.
    Ample,
}

/// From which extent on a mistake in the order of elements shows.
const AMPLE: i64 = 4;

struct Search {
    inference: Inference,
    /// The extents of required inputs.
    inputs: Vec<(String, Vec<Expr>, Option<Vec<Expr>>)>,
    /// The symbols to decide, with the values to try.
    symbols: Vec<(Atom, Vec<i64>)>,
    values: HashMap<Atom, i64>,
}

/// A condition with the symbols that decide it.
struct Condition {
    constraint: Constraint,
    symbols: Vec<Atom>,
}

impl Search {
    fn new(model: &Model, inference: Inference) -> Search {
        let required = model.graph.required_inputs().map(|input| input.name.clone());
        let inputs = required.filter_map(|name| match inference.value(&name)?.fact {
            Fact::Tensor(tensor) => {
                let content = match tensor.content {
                    Content::Integers(list) => Some(list),
                    Content::Unknown | Content::Constant(_) | Content::Reals(_) => None,
                };
                Some((name, tensor.shape, content))
            }
            Fact::Unknown | Fact::Sequence(_) | Fact::Optional(_) => None,
        });
        Search {
            inputs: inputs.collect(),
            inference,
            symbols: Vec::new(),
            values: HashMap::new(),
        }
    }

    fn extent(&self, input: &str, axis: usize) -> Option<Expr> {
        let (_, shape, _) = self.inputs.iter().find(|(name, ..)| name == input)?;
        shape.get(axis).cloned()
    }

    /// Takes the given extents as facts, and what is declared of other values.
    fn fix(&mut self, wishes: &Wishes) -> Result<(), Unsolved> {
        for (input, axis, given) in &wishes.given {
            let Some(extent) = self.extent(input, *axis) else {
                continue;
            };
            let symbols = &mut self.inference.symbols;
            if symbols.equate(&extent, &(*given).into(), &"the given extent".into()) == Compared::Different {
                let known = symbols.simplified(&extent);
                let mut texts = vec![symbols.text(&known)];
                texts.extend(symbols.causes(&[&extent]));
                return Err(Unsolved::Given {
                    input: input.clone(),
                    axis: *axis,
                    given: *given,
                    known: texts.join(", "),
                });
            }
        }
        // What is declared of other values holds where nothing contradicts it.
        for claim in self.inference.claims.iter().filter(|claim| !claim.is_batch) {
            let cause = "its declaration".into();
            self.inference
                .symbols
                .equate(&claim.extent, &claim.declared.into(), &cause);
        }
        Ok(())
    }

    /// The symbols of inputs, each with the values to try, in the order of the inputs.
    fn order(&mut self, wishes: &Wishes) {
        let used = self.used();
        let mut seen = HashSet::new();
        for (name, shape, content) in self.inputs.clone() {
            for (axis, extent) in shape.iter().enumerate() {
                let preferred = wishes.preferred.get(&(name.clone(), axis)).copied();
                for atom in self.inference.symbols.free(extent) {
                    if seen.insert(atom) {
                        self.symbols.push((atom, candidates(preferred.unwrap_or(USUAL))));
                    }
                }
            }
            for element in content.iter().flatten() {
                for atom in self.inference.symbols.free(element) {
                    if used.contains(&atom) && seen.insert(atom) {
                        self.symbols.push((atom, candidates(1)));
                    }
                }
            }
        }
    }

    /// The symbols on which an extent or a condition depends.
    fn used(&mut self) -> HashSet<Atom> {
        let mut constraints = self.inference.constraints.clone();
        constraints.extend(self.inference.usual.iter().cloned());
        let sides = constraints
            .iter()
            .flat_map(|constraint| constraint.relation.sides());
        sides.flat_map(|expr| self.inference.symbols.free(expr)).collect()
    }

    /// The conditions on symbols of inputs.
    fn conditions(&mut self, level: Level, wishes: &Wishes) -> Vec<Condition> {
        let known: HashSet<Atom> = self.symbols.iter().map(|(atom, _)| *atom).collect();
        let mut constraints: Vec<Constraint> = self.inference.constraints.clone();
        if level >= Level::Usual {
            constraints.extend(self.inference.usual.iter().cloned());
            constraints.extend(self.filled(if level == Level::Ample { AMPLE } else { 1 }, wishes));
        }
        let mut conditions = Vec::new();
        for mut constraint in constraints {
            let holds = constraint.certain || level >= Level::Bodies;
            if matches!(constraint.relation, Relation::Within(..)) || !holds {
                continue;
            }
            constraint.relation = constraint.relation.simplified(&mut self.inference.symbols);
            let mut symbols = Vec::new();
            for expr in constraint.relation.sides() {
                symbols.extend(self.inference.symbols.free(expr));
            }
            symbols.sort_unstable();
            symbols.dedup();
            if !symbols.is_empty() && symbols.iter().all(|atom| known.contains(atom)) {
                conditions.push(Condition { constraint, symbols });
            }
        }
        conditions
    }

    /// That the extents of inputs are at least `least`, or the preferred ones if these are less, and so, if
    /// it is more than 1, are those from which indices choose.
    fn filled(&mut self, least: i64, wishes: &Wishes) -> Vec<Constraint> {
        let mut extents = Vec::new();
        for (name, shape, _) in &self.inputs {
            for (axis, extent) in shape.iter().enumerate() {
                let preferred = wishes.preferred.get(&(name.clone(), axis));
                extents.push((extent.clone(), *preferred.unwrap_or(&USUAL)));
            }
        }
        for constraint in &self.inference.constraints {
            if let (Relation::Within(_, _, end), 2..) = (&constraint.relation, least) {
                extents.push((end.clone(), least));
            }
        }
        let filled = extents.into_iter().map(|(extent, most)| Constraint {
            cause: "an input".into(),
            what: "an extent that is not small",
            relation: Relation::AtLeast(extent, least.min(most).into()),
            certain: true,
        });
        filled.collect()
    }

    /// Decides one symbol after another; a decision that no value of a later one fits is taken back.
    fn run(&mut self, conditions: &[Condition]) -> bool {
        self.values.clear();
        let places: HashMap<Atom, usize> = self
            .symbols
            .iter()
            .enumerate()
            .map(|(at, (atom, _))| (*atom, at))
            .collect();
        let mut decided_at: Vec<Vec<&Condition>> = (0..self.symbols.len()).map(|_| Vec::new()).collect();
        for condition in conditions {
            let last = condition.symbols.iter().filter_map(|atom| places.get(atom)).max();
            if let Some(list) = last.and_then(|&last| decided_at.get_mut(last)) {
                list.push(condition);
            }
        }
        let mut next = vec![0; self.symbols.len()];
        let (mut at, mut trials) = (0, 0);
        while at < self.symbols.len() {
            let atom = self.symbols[at].0;
            let value = self.symbols[at].1.get(next[at]).copied();
            let Some(value) = value else {
                self.values.remove(&atom);
                next[at] = 0;
                match at.checked_sub(1) {
                    Some(before) => at = before,
                    None => return false,
                }
                continue;
            };
            next[at] += 1;
            trials += 1;
            if trials > MAX_TRIALS {
                return false;
            }
            self.values.insert(atom, value);
            let (symbols, values) = (&self.inference.symbols, &self.values);
            // A function that is not defined there is a condition that does not hold.
            let holds =
                |condition: &&Condition| condition.constraint.relation.holds(symbols, values) == Some(true);
            if decided_at[at].iter().all(holds) {
                at += 1;
            }
        }
        true
    }

    /// A condition that the preferred values break.
    fn failed(&self, conditions: &[Condition]) -> String {
        let preferred: HashMap<Atom, i64> = self
            .symbols
            .iter()
            .filter_map(|(atom, values)| Some((*atom, *values.first()?)))
            .collect();
        let broken = conditions.iter().find(|condition| {
            condition
                .constraint
                .relation
                .holds(&self.inference.symbols, &preferred)
                != Some(true)
        });
        broken
            .or(conditions.first())
            .map_or_else(String::new, |condition| self.said(&condition.constraint))
    }

    fn said(&self, constraint: &Constraint) -> String {
        format!(
            "{} ({}, {})",
            constraint.text(&self.inference.symbols),
            constraint.what,
            constraint.cause
        )
    }

    fn solution(&mut self, wishes: &Wishes) -> Solution {
        let values = std::mem::take(&mut self.values);
        let mut solution = Solution::default();
        for (name, shape, content) in self.inputs.clone() {
            let mut extents = Vec::with_capacity(shape.len());
            for (axis, extent) in shape.iter().enumerate() {
                let found = self.inference.symbols.evaluate(extent, &values).unwrap_or(USUAL);
                extents.push(found);
                let preferred = wishes.preferred.get(&(name.clone(), axis));
                if preferred.is_some_and(|preferred| *preferred != found) {
                    let causes = self.inference.symbols.causes(&[extent]);
                    solution.reasons.push((name.clone(), axis, causes.join("; ")));
                }
            }
            if let Some(content) = content {
                let element = |element: &Expr| self.inference.symbols.evaluate(element, &values);
                solution
                    .elements
                    .insert(name.clone(), content.iter().map(element).collect());
            }
            solution.extents.insert(name, extents);
        }
        for constraint in self.inference.constraints.clone() {
            let Relation::Within(input, least, end) = &constraint.relation else {
                continue;
            };
            let bounds = [least, end].map(|bound| self.inference.symbols.evaluate(bound, &values));
            if let [Some(least), Some(end)] = bounds {
                let known = solution.indices.entry(input.to_string()).or_insert((least, end));
                *known = (known.0.max(least), known.1.min(end));
            }
        }
        for use_ in self.inference.uses.clone() {
            let number = |expr: &Expr| self.inference.symbols.evaluate(expr, &values);
            if let Some(elements) = use_.elements.map(number) {
                // The first node that says something counts.
                solution
                    .meanings
                    .entry(use_.source.to_string())
                    .or_insert(elements);
            }
        }
        solution
    }
}

/// The values to try for a symbol: the preferred one, those above it, greater powers of two, those below.
fn candidates(preferred: i64) -> Vec<i64> {
    let near = preferred..preferred.saturating_add(130);
    let powers = (0..21)
        .map(|power| 1_i64 << power)
        .filter(|&power| power >= preferred.saturating_add(130));
    let below = (0..preferred).rev();
    near.chain(powers).chain(below).collect()
}
