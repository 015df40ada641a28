//! The backend and its sessions.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use backend_api::{Backend, BackendError, Capabilities, Description, LoadRequest, Named, Session};
use onnx_model::{Folder, Model, Source};
use onnx_tensor::{Sequence, Value};

use crate::error::{NodeError, Problem};
use crate::exec::Program;
use crate::guard::guarded;
use crate::import::{Imported, import};
use crate::ir::{Graph, ValueId};
use crate::kernels::Device;
use crate::ops;
use crate::passes::{self, Dump};
use crate::settings::{HELP, Settings};
use crate::size::count;

/// The native backend.
#[derive(Clone, Debug)]
pub struct Native {
    settings: Settings,
}

impl Native {
    /// A backend with these options.
    pub fn new(settings: Settings) -> Native {
        Native { settings }
    }
}

impl Backend for Native {
    fn describe(&self) -> Description {
        Description {
            name: "native".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: "graph compiler and kernels of this repository".to_owned(),
            options: self.settings.in_effect(),
            wants_inputs_at_load: false,
            provider: String::new(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let opset = |domain: &onnx_schema::Domain| (domain.name.to_owned(), i64::from(domain.newest_opset));
        Capabilities {
            opsets: onnx_schema::domains().iter().map(opset).collect(),
            operators: ops::implemented().map(ToString::to_string).collect(),
            devices: vec!["cpu".to_owned()],
            options: HELP.map(|(name, help)| (name.to_owned(), help.to_owned())).into(),
        }
    }

    fn load(&mut self, request: &LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        guarded(BackendError::load, || self.loaded(request))
    }
}

impl Native {
    fn loaded(&self, request: &LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        let folder = request.folder.clone().map(Folder::new);
        let source = Source::named("the model");
        let source = folder
            .as_ref()
            .map_or(source, |folder| source.with_external(folder));
        let model = Model::decode(request.model.clone(), &source, &onnx_model::Limits::default())
            .map_err(BackendError::load)?;
        let imported = import(&model).map_err(crate::import::ImportError::at_load)?;
        drop(model);
        let dump = Dump::new(self.settings.dump.clone())?;
        let device = Arc::new(Device::new(&self.settings, dump));
        let loaded = Loaded::new(imported, device).map_err(NodeError::at_load)?;
        Ok(Box::new(loaded))
    }
}

/// A graph compiled, with the names of what it is fed.
struct Compiled {
    program: Program,
    input_names: Vec<String>,
}

impl Compiled {
    fn new(mut graph: Graph, device: &Arc<Device>) -> Result<Compiled, NodeError> {
        let name = |&id: &ValueId| graph.value(id).name.clone();
        let input_names = graph.inputs.iter().map(name).collect();
        passes::run(&mut graph, &device.rewrites, &device.dump)?;
        Ok(Compiled {
            program: Program::new(graph, Arc::clone(device))?,
            input_names,
        })
    }
}

/// A compiled model.
struct Loaded {
    /// With the defaults of inputs as constants: old models list all of their weights among the inputs.
    closed: Compiled,
    output_names: Vec<String>,
    /// Where there are defaults, what is compiled when one is fed another value.
    open: Option<Open>,
}

/// The graph before its defaults became constants.
struct Open {
    graph: Graph,
    defaults: BTreeMap<String, Value>,
    device: Arc<Device>,
    compiled: Option<Compiled>,
}

impl Open {
    /// Compiled now, if it is not yet; with the defaults.
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
            closed: Compiled::new(graph, &device)?,
            output_names,
            open,
        })
    }
}

impl Session for Loaded {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        guarded(BackendError::run, || self.outputs(inputs))
    }
}

impl Loaded {
    fn outputs(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        // Of two with one name the first counts.
        let named = inputs.iter().rev();
        let named: HashMap<&str, &Value> = named.map(|(name, value)| (name.as_str(), value)).collect();
        let find = |name: &String| named.get(name.as_str()).copied();
        let (compiled, defaults) = match &mut self.open {
            Some(open) if open.defaults.keys().any(|name| find(name).is_some()) => {
                let (compiled, defaults) = open.compiled().map_err(NodeError::at_run)?;
                (compiled, Some(defaults))
            }
            _ => (&mut self.closed, None),
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

/// The value with its elements in row-major order, shared where they are already.
///
/// # Errors
/// Where a tensor in it is larger than a value may be.
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
        Value::Map(_) | Value::Sparse(_) => value.clone(),
    })
}
