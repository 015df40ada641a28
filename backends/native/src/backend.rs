//! The backend and its sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use backend_api::{Backend, BackendError, Capabilities, Description, LoadRequest, Named, Session};
use onnx_model::{Folder, Model, Source};
use onnx_tensor::Value;

use crate::error::NodeError;
use crate::exec::Program;
use crate::import::import;
use crate::kernels::Device;
use crate::ops;
use crate::passes::{self, Dump};
use crate::settings::{HELP, Settings};

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
        let folder = request.folder.clone().map(Folder::new);
        let source = Source::named("the model");
        let source = folder
            .as_ref()
            .map_or(source, |folder| source.with_external(folder));
        let model = Model::decode(&request.model, &source, &onnx_model::Limits::default())
            .map_err(BackendError::load)?;
        let mut imported = import(&model).map_err(crate::import::ImportError::at_load)?;
        drop(model);
        let dump = Dump::new(self.settings.dump.clone())?;
        passes::run(&mut imported.graph, self.settings.optimize, &dump).map_err(NodeError::at_load)?;
        let device = Device::new(&self.settings, dump);
        let input_names = imported
            .graph
            .inputs
            .iter()
            .map(|&id| imported.graph.value(id).name.clone());
        let input_names = input_names.collect();
        let program = Program::new(imported.graph, Arc::new(device)).map_err(NodeError::at_load)?;
        Ok(Box::new(Loaded {
            program,
            input_names,
            output_names: imported.output_names,
            defaults: imported.defaults,
        }))
    }
}

/// A compiled model.
struct Loaded {
    program: Program,
    input_names: Vec<String>,
    output_names: Vec<String>,
    defaults: BTreeMap<String, Value>,
}

impl Session for Loaded {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        let mut fed = Vec::with_capacity(self.input_names.len());
        for name in &self.input_names {
            let given = inputs
                .iter()
                .find(|(given, _)| given == name)
                .map(|(_, value)| value);
            fed.push(given.or_else(|| self.defaults.get(name)).map(standard));
        }
        let outputs = self.program.run(fed).map_err(NodeError::at_run)?;
        Ok(self.output_names.iter().cloned().zip(outputs).collect())
    }
}

/// The value with its elements in row-major order, shared where they are already.
fn standard(value: &Value) -> Value {
    match value {
        Value::Tensor(tensor) => Value::Tensor(tensor.to_standard()),
        other => other.clone(),
    }
}
