//! Input values of a model: read from files, or generated from a seed.
//!
//! Generated values have a range that fits the role of their input ([`roles`]): token ids below the number of
//! rows of the embedding, masks of 0 and 1, positions, lengths, images in [0, 1], other floats normal, some
//! of them at values where the model makes a difference ([`probes`]). The extent of a symbolic dimension is
//! that of a given value, or that of `--dim` or `--shape`, or one that fits the model, nearest to a default
//! by its name (`onnx-shapes`); [`Drawn::dims`] lists the extents. Indices are below the extent of what they
//! index, also where that is an extent of another input.

mod answered;
mod branches;
mod dims;
mod draw;
mod fit;
mod given;
mod narrow;
mod operands;
mod placed;
mod probes;
mod ranges;
mod reach;
mod request;
mod roles;
mod samples;
mod telling;
mod texts;
mod usual;

use std::collections::BTreeMap;

use backend_api::Named;
use onnx_model::{Model, ValueInfo};
use onnx_shapes::Solution;
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use answered::{Answered, answered, fitting};
pub use branches::{Branches, branches};
pub(crate) use dims::Dims as Extents;
pub use request::{Otherwise, Request};
pub use roles::{Role, role};
pub use samples::{Sample, samples};

use self::fit::{Fit, fit};
use self::given::GivenError;
use self::probes::{Probes, probes};
use self::reach::Reach;
use self::roles::{compared, has_ids, measured_by, of_reach};
use self::texts::{Texts, texts};
use crate::InvestigateError;
use crate::error::InputProblem;
use crate::runner::Runner;
use crate::subject::Subject;

/// The most integers of an input that may decide shapes.
const FEW: usize = 8;

/// Values for every input that needs one.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// The values, in the order of the graph.
    pub values: Vec<Named>,
    /// Symbolic dimensions with their extents and the sources: `--dim`, `--shape`, `an input`,
    /// `default`, `fits the model`.
    pub dims: Vec<(String, usize, &'static str)>,
    /// Descriptions of generated values: ``input_ids: token ids below 30522, int64[1,16]``.
    pub drawn: Vec<String>,
    /// What was done with images: ``image: cat.png resized to 224×224 …``.
    pub images: Vec<String>,
    /// Whether an input has integers of unknown meaning that an index or a size could not be, or values of
    /// the model.
    is_wide: bool,
    /// Whether an input may decide shapes: few integers, or what a node says of its operand.
    is_parametric: bool,
}

impl Drawn {
    /// The inputs without elements.
    pub fn empty(&self) -> impl Iterator<Item = &str> {
        let empty = |(_, value): &&Named| value.as_tensor().is_some_and(Tensor::is_empty);
        self.values.iter().filter(empty).map(|(name, _)| name.as_str())
    }

    /// Whether other inputs could be drawn: an extent is neither fixed nor given, or the meaning of integers
    /// is unknown.
    fn is_open(&self) -> bool {
        self.is_wide || self.dims.iter().any(|(_, _, why)| dims::is_chosen(why))
    }
}

/// Values for the inputs of `subject`. The reference decodes images.
///
/// # Errors
/// The model has no input of a given name, a file cannot be read or does not fit, or a value cannot be
/// generated for an input.
pub fn values(
    subject: &Subject,
    request: &Request,
    reference: &mut Runner,
) -> Result<Drawn, InvestigateError> {
    let wrong = |problem| InvestigateError::Input {
        model: subject.name.clone(),
        problem,
    };
    let graph = &subject.model.graph;
    let dims = dims::Dims::new(&graph.inputs, &request.dims, &request.shapes).map_err(wrong)?;
    let reach = Reach::new(graph);
    let dims = dims.of_ids(&graph.inputs, |info| has_ids(&reach, info));
    let dims = dims.of_variant(request.variant).of_one_sample(request.is_timed);
    let mut dims = dims.otherwise(request.otherwise);
    let mut values = given_values(subject, request, &mut dims, reference)?;
    let drawing = Drawing {
        model: &subject.model,
        reach,
        seed: request.seed,
        variant: request.variant as u64,
        is_narrow: request.is_narrow,
        otherwise: request.otherwise,
        most: if request.is_narrow {
            draw::MAX_TRIED
        } else {
            draw::MAX_ELEMENTS
        },
        is_probed: !request.is_narrow && !request.is_timed,
        is_special: request.is_special,
    };
    let Fit {
        solution,
        mut elements,
        is_wide,
    } = fit(&drawing, &mut dims, &values).map_err(wrong)?;
    let images = request.inputs.iter();
    let mut drawn = Drawn {
        is_wide,
        images: images
            .filter_map(|text| given::image(text, &graph.inputs, &dims))
            .collect(),
        ..Drawn::default()
    };
    let mut free = Vec::new();
    for (number, info) in graph.required_inputs().enumerate() {
        if let Some(value) = values.remove(&info.name) {
            drawn.values.push((info.name.clone(), value));
            continue;
        }
        let (value, words) = match elements.remove(&info.name) {
            // Shapes depend on the elements of a tensor.
            Some(fitting) => {
                drawn.is_parametric |= fitting.0.as_tensor().is_some();
                fitting
            }
            None => {
                let role = drawing.role(info, &solution, &mut dims);
                let probes = drawing.probes(info, &role);
                drawn.is_parametric |= matches!(
                    (&role, &info.value_type),
                    (Role::Operand(_), Some(ValueType::Tensor { .. }))
                );
                drawn.is_wide |= role == Role::Integer || !probes.is_empty();
                free.push(drawn.values.len());
                let place = (number, 0);
                drawing
                    .draw(info, place, (&role, &probes), &mut dims)
                    .map_err(wrong)?
            }
        };
        drawn.is_parametric |=
            is_integer(info) && value.as_tensor().is_some_and(|tensor| tensor.len() <= FEW);
        drawn.drawn.push(words);
        drawn.values.push((info.name.clone(), value));
    }
    ranges::order(&mut drawn.values, &free);
    // Optional inputs get values only if the user gives them.
    drawn.values.extend(values);
    drawn.dims = dims.used();
    Ok(drawn)
}

/// Draws the inputs of a model.
struct Drawing<'m> {
    model: &'m Model,
    reach: Reach<'m>,
    seed: u64,
    /// The number of the attempt after a refusal.
    variant: u64,
    /// Whether integers of unknown meaning are small.
    is_narrow: bool,
    otherwise: Otherwise,
    /// The most elements of an input.
    most: usize,
    /// Whether values at which the model makes a difference are drawn.
    is_probed: bool,
    /// Whether some floats are NaN, infinite or zero.
    is_special: bool,
}

impl Drawing<'_> {
    /// A value for the input with this number in an attempt, with a description.
    fn draw(
        &self,
        info: &ValueInfo,
        (number, attempt): (usize, u64),
        (role, probes): (&Role, &Probes),
        dims: &mut dims::Dims,
    ) -> Result<(Value, String), InputProblem> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream((self.variant << 48) + (attempt << 32) + number as u64);
        let mut draw = draw::Draw {
            info,
            role,
            probes,
            rng,
            otherwise: self.otherwise,
            is_special: self.is_special,
            most: self.most,
        };
        draw.value(dims)
    }

    /// Values for some elements of an input: all for one of unknown meaning, and those that agree with its
    /// meaning for others.
    fn probes(&self, info: &ValueInfo, role: &Role) -> Probes {
        let found = || probes(&self.reach, info);
        match role {
            _ if !self.is_probed => Probes::default(),
            Role::Integer => found(),
            Role::Other => Probes {
                large: !is_grid(&self.reach, info),
                small: has_epsilon(self.model),
                texts: if is_text(info) {
                    texts(self.model)
                } else {
                    Texts::default()
                },
                ..found()
            },
            Role::Image => {
                let Probes { numbers, equal, .. } = found();
                Probes {
                    numbers,
                    equal,
                    rare: true,
                    ..Probes::default()
                }
            }
            // A padding or an end among the tokens.
            Role::Index { rows } => {
                let Probes {
                    negative,
                    mut numbers,
                    outside,
                    ..
                } = found();
                numbers.retain(|number| (0.0..*rows as f64).contains(number));
                numbers.extend(outside);
                Probes {
                    negative,
                    numbers,
                    rare: true,
                    ..Probes::default()
                }
            }
            Role::Operand(_) => Probes {
                boxes: found().boxes,
                others: true,
                ..Probes::default()
            },
            Role::Mask | Role::Position { .. } | Role::Length { .. } | Role::Compared(_) => Probes::default(),
        }
    }

    /// What an input means, as far as the model and the solution tell.
    fn role(&self, info: &ValueInfo, solution: &Solution, dims: &mut dims::Dims) -> Role {
        if let Some(elements) = solution.meanings.get(&info.name) {
            return Role::Operand(elements.clone());
        }
        let mut role = of_reach(&self.reach, info);
        if let Role::Length { most } = &mut role {
            *most = self.extent_of_sequences(info, solution, dims);
        }
        match role.within(info, solution.indices.get(&info.name)) {
            Role::Other if self.is_narrow && is_integer(info) => {
                let compared = compared(&self.reach, &info.name).next();
                // Where ranges begin, as the offsets of bags.
                let is_ascending = self.variant % 2 == 1 && is_list(info);
                let otherwise = if is_ascending {
                    Role::Position { rows: None }
                } else {
                    Role::Other
                };
                compared.map_or(otherwise, Role::Compared)
            }
            Role::Other if self.is_narrow || !is_integer(info) || sizes(info, solution) => Role::Other,
            Role::Other => match self.otherwise {
                Otherwise::Below(rows) => Role::Index { rows },
                Otherwise::Flags => Role::Mask,
                _ => Role::Integer,
            },
            role => role,
        }
    }

    /// The extent of the sequences whose lengths an input has: that of their second axis, or of the last
    /// where the second has a fixed extent, as features before frames.
    fn extent_of_sequences(
        &self,
        lengths: &ValueInfo,
        solution: &Solution,
        dims: &mut dims::Dims,
    ) -> Option<usize> {
        let sequences = measured_by(self.model, lengths)?;
        let extents = match solution.extents.get(&sequences.name) {
            Some(extents) => Some(
                extents
                    .iter()
                    .map(|extent| usize::try_from(*extent).ok())
                    .collect(),
            ),
            None => dims
                .resolve(sequences)
                .map(|extents| extents.into_iter().map(Some).collect()),
        };
        let extents: Vec<Option<usize>> = extents?;
        let Some(ValueType::Tensor {
            shape: Some(declared),
            ..
        }) = &sequences.value_type
        else {
            return None;
        };
        let open = |axis: &usize| !matches!(declared.get(*axis), Some(Dim::Fixed(_)));
        let axis = (1..extents.len()).find(open).unwrap_or(1);
        extents.get(axis).copied().flatten()
    }
}

/// Whether extents or conditions depend on the elements of an input.
fn sizes(info: &ValueInfo, solution: &Solution) -> bool {
    let elements = solution.elements.get(&info.name);
    elements.is_some_and(|elements| elements.iter().any(Option::is_some))
}

/// Whether the main graph has an epsilon: that of a normalisation, or a small positive constant that is a
/// term or a limit.
fn has_epsilon(model: &Model) -> bool {
    /// The greatest.
    const EPSILON: f64 = 1e-2;
    let graph = &model.graph;
    let is_small = |name: &String| {
        reach::scalar(graph, name).is_some_and(|constant| constant > 0.0 && constant <= EPSILON)
    };
    graph.nodes.iter().any(|node| {
        let is_term = matches!(node.operator.as_str(), "Add" | "Max" | "Clip");
        node.attribute("epsilon").is_some()
            || node.operator.ends_with("Normalization")
            || is_term && node.inputs.iter().any(is_small)
    })
}

/// Whether GridSample reads an input as positions: far outside of an image all are the same.
fn is_grid(reach: &Reach<'_>, info: &ValueInfo) -> bool {
    let mut readers = reach.readers(&info.name).into_iter();
    readers.any(|(node, place)| node.operator == "GridSample" && place == 1)
}

fn is_text(info: &ValueInfo) -> bool {
    matches!(
        &info.value_type,
        Some(ValueType::Tensor {
            dtype: DType::String,
            ..
        })
    )
}

fn is_list(info: &ValueInfo) -> bool {
    matches!(&info.value_type, Some(ValueType::Tensor { shape: Some(shape), .. }) if shape.len() == 1)
}

fn is_integer(info: &ValueInfo) -> bool {
    matches!(&info.value_type, Some(ValueType::Tensor { dtype, .. }) if dtype.is_integer())
}

/// The values from files, checked against the types of their inputs.
fn given_values(
    subject: &Subject,
    request: &Request,
    dims: &mut dims::Dims,
    reference: &mut Runner,
) -> Result<BTreeMap<String, Value>, InvestigateError> {
    let wrong = |problem| InvestigateError::Input {
        model: subject.name.clone(),
        problem,
    };
    let inputs = &subject.model.graph.inputs;
    let mut values = BTreeMap::new();
    for text in &request.inputs {
        let found = given::read(text, inputs, dims, reference).map_err(|error| match error {
            GivenError::Problem(problem) => wrong(problem),
            GivenError::Investigate(error) => *error,
        })?;
        for (name, origin, value) in found {
            let info = known(inputs, &name).map_err(wrong)?;
            fits(info, &origin, &value).map_err(wrong)?;
            dims.learn(info, &value).map_err(wrong)?;
            if values.insert(name.clone(), value).is_some() {
                return Err(wrong(InputProblem::Twice { name }));
            }
        }
    }
    Ok(values)
}

/// The input of this name.
pub(crate) fn known<'g>(inputs: &'g [ValueInfo], name: &str) -> Result<&'g ValueInfo, InputProblem> {
    let found = inputs.iter().find(|info| info.name == name);
    found.ok_or_else(|| InputProblem::UnknownInput {
        name: name.to_owned(),
        known: names(inputs),
    })
}

/// The names of inputs, for a message.
fn names(inputs: &[ValueInfo]) -> String {
    let names: Vec<String> = inputs.iter().map(|info| format!("`{}`", info.name)).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Whether a value has the declared type and shape.
fn fits(info: &ValueInfo, origin: &str, value: &Value) -> Result<(), InputProblem> {
    let Some(declared) = &info.value_type else {
        return Ok(());
    };
    let found = value.value_type();
    let shapes = match (declared, &found) {
        (
            ValueType::Tensor {
                shape: Some(declared),
                ..
            },
            ValueType::Tensor {
                shape: Some(found), ..
            },
        ) => {
            declared.len() == found.len()
                && declared.iter().zip(found).all(|pair| match pair {
                    (Dim::Fixed(declared), Dim::Fixed(found)) => declared == found,
                    _ => true,
                })
        }
        _ => true,
    };
    if declared.same_kind(&found) && shapes {
        Ok(())
    } else {
        Err(InputProblem::Unfit {
            name: info.name.clone(),
            origin: origin.to_owned(),
            found: shown(&found),
            expected: shown(declared),
        })
    }
}

/// A type with its shape: `tensor(float)[N, 3]`.
pub fn shown(value_type: &ValueType) -> String {
    match value_type {
        ValueType::Tensor {
            shape: Some(shape), ..
        } => {
            let extent = |dim: &Dim| match dim {
                Dim::Fixed(extent) => extent.to_string(),
                Dim::Named(name) => name.clone(),
                Dim::Unknown => "?".to_owned(),
            };
            let shape: Vec<String> = shape.iter().map(extent).collect();
            format!("{value_type}[{}]", shape.join(", "))
        }
        other => other.to_string(),
    }
}
