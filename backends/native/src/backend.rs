//! The backend and its sessions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use backend_api::{
    Backend, BackendError, Capabilities, Description, LoadRequest, Named, Profile, Session, Switch,
};
use native_kernels::Pool;
use onnx_model::{Folder, Model, Source};
use onnx_tensor::{Sequence, Value};

use crate::dump::Dump;
use crate::error::{NodeError, Problem};
use crate::exec::{Program, fold};
use crate::guard::guarded;
use crate::import::{ImportError, Imported, check, import};
use crate::ir::{Graph, ValueId};
use crate::kernels::{Device, Packs, Recording, Steps};
use crate::ops;
use crate::passes;
use crate::rewrites::Rewrites;
use crate::settings::Settings;
use crate::size::count;

/// The native backend.
#[derive(Clone, Debug)]
pub struct Native {
    settings: Settings,
}

impl Native {
    /// Makes a backend with these options.
    pub fn new(settings: Settings) -> Native {
        Native { settings }
    }
}

impl Backend for Native {
    fn describe(&self) -> Description {
        Description {
            name: "native".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: "graph compiler and kernels of this repository; as in the reference: the model decoder, the static \
                    checker, tensors, the formulas of ai.onnx.ml"
                .to_owned(),
            options: self.settings.in_effect(),
            wants_inputs_at_load: false,
            provider: String::new(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let opset = |domain: &onnx_schema::Domain| (domain.name.to_owned(), i64::from(domain.newest_opset));
        let contrib = [(onnx_schema::CONTRIB_DOMAIN.to_owned(), 1)];
        Capabilities {
            opsets: onnx_schema::domains().iter().map(opset).chain(contrib).collect(),
            operators: ops::implemented().map(ToString::to_string).collect(),
            devices: vec!["cpu".to_owned()],
            options: Settings::help(),
        }
    }

    fn load(&mut self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        guarded(BackendError::load, || self.loaded(request))
    }
}

impl Native {
    fn loaded(&self, request: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        let folder = request.folder.map(Folder::new);
        let source = Source::named("the model");
        let source = folder
            .as_ref()
            .map_or(source, |folder| source.with_external(folder));
        let model = Model::decode(request.model, &source, &onnx_model::Limits::default())
            .map_err(BackendError::load)?;
        let imported = check(&model)
            .and_then(|()| import(&model))
            .map_err(ImportError::at_load)?;
        drop(model);
        let loaded = Loaded::new(imported, Arc::new(self.device()?)).map_err(NodeError::at_load)?;
        Ok(Box::new(loaded))
    }
}

impl Native {
    /// Makes the device of the settings.
    fn device(&self) -> Result<Device, BackendError> {
        let settings = &self.settings;
        Ok(Device {
            pool: Pool::new(usize::from(settings.threads.get())),
            rewrites: match settings.optimize {
                Switch::On => settings.without.clone().unwrap_or(Rewrites::ALL),
                Switch::Off => Rewrites::without(passes::names().collect()),
            },
            dump: Dump::new(settings.dump.as_ref().map(PathBuf::from))?,
            profile: settings.profile.as_ref().map(PathBuf::from),
            winograd: settings.winograd == Switch::On,
            folds_bodies: true,
            packs: Packs::default(),
            steps: Steps::new(settings.steps),
            recording: Recording::default(),
            fold,
        })
    }
}

/// A compiled graph with the names of its inputs.
struct Compiled {
    program: Program,
    input_names: Vec<String>,
}

impl Compiled {
    fn new(mut graph: Graph, device: &Arc<Device>) -> Result<Compiled, NodeError> {
        let name = |&id: &ValueId| graph.value(id).name.clone();
        let input_names = graph.inputs.iter().map(name).collect();
        passes::run(&mut graph, device)?;
        Ok(Compiled {
            program: Program::new(graph, Arc::clone(device))?,
            input_names,
        })
    }
}

/// A compiled model.
struct Loaded {
    /// The program with default inputs as constants; old models list all weights as inputs. If a default does
    /// not fit the model, its error is returned only when the default is used.
    closed: Result<Compiled, NodeError>,
    /// The names that may be fed.
    input_names: HashSet<String>,
    output_names: Vec<String>,
    /// The program in which defaults are inputs, if there are any; used when another value is fed.
    open: Option<Open>,
    device: Arc<Device>,
}

/// The graph before its defaults became constants.
struct Open {
    graph: Graph,
    defaults: BTreeMap<String, Value>,
    device: Arc<Device>,
    compiled: Option<Compiled>,
}

impl Open {
    /// Returns the program and the defaults; compiles it at the first call.
    fn compiled(&mut self) -> Result<(&mut Compiled, &BTreeMap<String, Value>), NodeError> {
        let compiled = match self.compiled.take() {
            Some(compiled) => compiled,
            None => Compiled::new(self.graph.clone(), &self.device)?,
        };
        Ok((self.compiled.insert(compiled), &self.defaults))
    }
}

impl Loaded {
    fn new(imported: Imported, device: Arc<Device>) -> Result<Loaded, NodeError> {
        let Imported {
            mut graph,
            output_names,
            defaults,
        } = imported;
        let open = (!defaults.is_empty()).then(|| Open {
            graph: graph.clone(),
            defaults,
            device: Arc::clone(&device),
            compiled: None,
        });
        let input_names = graph
            .inputs
            .iter()
            .map(|&id| graph.value(id).name.clone())
            .collect();
        for id in std::mem::take(&mut graph.inputs) {
            let default = open
                .as_ref()
                .and_then(|open| open.defaults.get(&graph.value(id).name));
            match default {
                Some(default) => graph.set_constant(id, default.clone()),
                None => graph.inputs.push(id),
            }
        }
        Ok(Loaded {
            closed: match Compiled::new(graph, &device) {
                Err(error) if open.is_some() && error.is_fault_of_model() => Err(error),
                compiled => Ok(compiled?),
            },
            input_names,
            output_names,
            open,
            device,
        })
    }
}

impl Session for Loaded {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        guarded(BackendError::run, || self.outputs(inputs))
    }

    fn profile(&mut self, inputs: &[Named], runs: u32) -> Result<Profile, BackendError> {
        guarded(BackendError::run, || {
            let device = Arc::clone(&self.device);
            device.recording.of(runs, || self.outputs(inputs).map(drop))
        })
    }
}

impl Loaded {
    fn outputs(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        if let Some((name, _)) = inputs.iter().find(|(name, _)| !self.input_names.contains(name)) {
            let problem = "the model has no input of this name; an initializer is a constant if it is not an \
                           input, and always before IR version 4";
            return Err(NodeError::of_input(name, Problem::Invalid(problem.to_owned())).at_run());
        }
        // If a name occurs twice, the first value is used.
        let named = inputs.iter().rev();
        let named: HashMap<&str, &Value> = named.map(|(name, value)| (name.as_str(), value)).collect();
        let find = |name: &String| named.get(name.as_str()).copied();
        let (compiled, defaults) = match &mut self.open {
            Some(open) if open.defaults.keys().any(|name| find(name).is_some()) => {
                let (compiled, defaults) = open.compiled().map_err(NodeError::at_run)?;
                (compiled, Some(defaults))
            }
            _ => (
                self.closed.as_mut().map_err(|error| error.clone().at_run())?,
                None,
            ),
        };
        let value = |name| find(name).or_else(|| defaults?.get(name));
        let fed = compiled.input_names.iter().map(|name| {
            let standard = value(name).map(standard).transpose();
            standard.map_err(|problem| NodeError::of_input(name, problem))
        });
        let fed = fed
            .collect::<Result<Vec<_>, NodeError>>()
            .map_err(NodeError::at_run)?;
        let outputs = compiled.program.run_model(fed).map_err(NodeError::at_run)?;
        Ok(self.output_names.iter().cloned().zip(outputs).collect())
    }
}

/// Returns the value with its elements in row-major order, shared if they already are.
///
/// # Errors
/// If a tensor is larger than the limit for a value.
fn standard(value: &Value) -> Result<Value, Problem> {
    Ok(match value {
        Value::Tensor(tensor) => {
            count(tensor.shape())?;
            Value::Tensor(tensor.to_standard())
        }
        Value::Sequence(list) => {
            let values = list.values.iter().map(standard).collect::<Result<_, _>>()?;
            let element = list.element.clone();
            Value::Sequence(Sequence { element, values })
        }
        Value::Optional { element, value } => {
            let value = value.as_deref().map(standard).transpose()?.map(Box::new);
            let element = element.clone();
            Value::Optional { element, value }
        }
        Value::Map(_) | Value::Sparse(_) | Value::Stored(_) => value.clone(),
    })
}

#[cfg(test)]
mod tests {

    use onnx_model::{Graph as FileGraph, ValueInfo};
    use onnx_tensor::{DType, Tensor, ValueType};

    use super::*;
    use crate::fixture::node;

    fn loaded(ir_version: i64, graph: FileGraph) -> Result<Box<dyn Session>, BackendError> {
        let model = Model {
            ir_version,
            ..Model::new(9, graph)
        };
        let request = LoadRequest {
            model: model.encode().into(),
            ..LoadRequest::default()
        };
        Native::new(Settings::default()).load(request)
    }

    /// Runs `x + w` for x = 1, where w is 2 in the model and is fed with 5.
    fn fed_over_an_initializer(ir_version: i64, listed: bool) -> Result<Vec<Named>, BackendError> {
        let info = |name: &str| ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::tensor(DType::Float)),
        };
        let one = |number: f32| Value::Tensor(Tensor::vector(vec![number]));
        let graph = FileGraph {
            inputs: ["x", "w"]
                .into_iter()
                .take(1 + usize::from(listed))
                .map(info)
                .collect(),
            outputs: vec![info("y")],
            initializers: vec![("w".to_owned(), one(2.0))],
            nodes: vec![node("Add", "x w", "y", &[])],
            ..FileGraph::default()
        };
        loaded(ir_version, graph)?.run(&[("x".to_owned(), one(1.0)), ("w".to_owned(), one(5.0))])
    }

    /// One reading of the text makes initializers constants before IR version 4. The backend follows it, and
    /// does not ignore a fed value.
    #[test]
    fn a_value_for_an_initializer_is_used_or_refused() {
        let outputs = fed_over_an_initializer(8, true).expect("a default may be replaced");
        let sum = outputs
            .first()
            .and_then(|(_, y)| y.as_tensor())
            .and_then(|y| y.to_vec::<f32>().ok());
        assert_eq!(sum, Some(vec![6.0]));
        for (ir_version, listed) in [(3, true), (8, false)] {
            let error = fed_over_an_initializer(ir_version, listed)
                .expect_err("a constant")
                .to_string();
            assert!(error.contains("`w`") && error.contains("IR version 4"), "{error}");
        }
    }

    /// The default of the shape does not fit; the fed value does.
    #[test]
    fn a_default_that_does_not_fit_can_be_replaced() {
        let info = |name: &str, dtype: DType| ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::tensor(dtype)),
        };
        let list = |extents: [i64; 2]| Value::Tensor(Tensor::vector(extents.to_vec()));
        let graph = FileGraph {
            inputs: vec![info("x", DType::Float), info("s", DType::Int64)],
            outputs: vec![info("y", DType::Float)],
            initializers: vec![
                ("s".to_owned(), list([7, 2])),
                ("c".to_owned(), Value::Tensor(Tensor::vector(vec![1.0_f32, 2.0]))),
            ],
            nodes: vec![node("Reshape", "c s", "d", &[]), node("Add", "d x", "y", &[])],
            ..FileGraph::default()
        };
        let mut session = loaded(8, graph).expect("the default is not used yet");
        let x = ("x".to_owned(), Value::Tensor(Tensor::scalar(1.0_f32)));
        let outputs = session
            .run(&[x.clone(), ("s".to_owned(), list([2, 1]))])
            .expect("it fits");
        let y = outputs
            .first()
            .and_then(|(_, y)| y.as_tensor())
            .expect("a tensor");
        assert_eq!((y.shape(), y.to_vec::<f32>()), (&[2, 1][..], Ok(vec![2.0, 3.0])));
        assert!(session.run(&[x]).is_err());
    }
}
