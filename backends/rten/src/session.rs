//! A loaded model and its runs.

use std::sync::Arc;

use backend_api::{BackendError, Named, Session};
use onnx_model::Model as FileModel;
use onnx_tensor::{DType, ValueType};
use rten::{DataType, Model, NodeId, RunOptions, ThreadPool, ValueOrView};

use crate::value::{from_rten, to_rten};

/// A loaded model.
pub struct RtenSession {
    model: Model,
    outputs: Vec<Output>,
    options: RunOptions,
}

struct Output {
    name: String,
    id: NodeId,
    /// The declared type, if rten uses another one for it.
    declared: Option<DType>,
}

impl RtenSession {
    /// Calls `file` to decode the model only if rten's own names and types do not determine the outputs.
    pub fn new(
        model: Model,
        pool: Arc<ThreadPool>,
        file: impl FnOnce() -> Result<FileModel, BackendError>,
    ) -> Result<RtenSession, BackendError> {
        let info = |id: &NodeId| model.node_info(*id);
        let outputs = model.output_ids().iter().map(|id| Output {
            name: info(id)
                .and_then(|info| info.name())
                .unwrap_or_default()
                .to_owned(),
            id: *id,
            declared: None,
        });
        let mut outputs: Vec<Output> = outputs.collect();
        let is_told = |id: &NodeId| {
            let dtype = info(id).and_then(|info| info.dtype());
            dtype.is_some_and(|dtype| dtype != rten::ValueType::Tensor(DataType::Int32))
        };
        // The result of folding has no name of its own.
        let is_named = outputs.iter().all(|output| !output.name.is_empty());
        if !is_named || !model.output_ids().iter().all(is_told) {
            let file = file()?;
            for (output, info) in outputs.iter_mut().zip(&file.graph.outputs) {
                output.name.clone_from(&info.name);
                output.declared = match info.value_type {
                    Some(ValueType::Tensor { dtype, .. }) => Some(dtype),
                    _ => None,
                };
            }
        }
        Ok(RtenSession {
            model,
            outputs,
            options: RunOptions::default().with_thread_pool(Some(pool)),
        })
    }
}

impl Session for RtenSession {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        let fed = inputs.iter().map(|(name, value)| {
            let id = self.model.node_id(name).map_err(BackendError::run)?;
            Ok((id, ValueOrView::from(to_rten(name, value)?)))
        });
        let fed = fed.collect::<Result<Vec<_>, BackendError>>()?;
        let wanted: Vec<NodeId> = self.outputs.iter().map(|output| output.id).collect();
        let values = self
            .model
            .run(fed, &wanted, Some(self.options.clone()))
            .map_err(BackendError::run)?;
        self.outputs
            .iter()
            .zip(values)
            .map(|(output, value)| {
                Ok((
                    output.name.clone(),
                    from_rten(&output.name, value, output.declared)?,
                ))
            })
            .collect()
    }
}
