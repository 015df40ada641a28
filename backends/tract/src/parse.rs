//! Parses a file to a graph of tract and classifies its inputs.

use std::collections::{BTreeMap, HashMap};

use backend_api::{BackendError, LoadRequest};
use onnx_tensor::Value;
use tract_onnx::Onnx;
use tract_onnx::model::ParseResult;
use tract_onnx::pb::tensor_shape_proto::dimension::Value as Extent;
use tract_onnx::pb::type_proto::Value as Typed;
use tract_onnx::pb::{GraphProto, ModelProto};
use tract_onnx::prelude::{Framework, InferenceFact, InferenceModel, IntoArcTensor, OutletId, TractError};
use tract_onnx::tract_core::ops::konst::Const;

use crate::interface::Interface;
use crate::settings::Constants;
use crate::value::{from_tract, to_tract};

/// A parsed model. Each input is either a constant of the graph or fed at run time.
#[derive(Debug)]
pub struct Parsed {
    /// The graph, before shape inference.
    pub graph: InferenceModel,
    /// The inputs and outputs.
    pub interface: Interface,
}

impl Parsed {
    /// Parses the file and classifies its inputs by the values known at load.
    pub fn new(onnx: &Onnx, request: &LoadRequest, policy: Constants) -> Result<Parsed, BackendError> {
        let mut proto = onnx
            .proto_model_for_read(&mut &*request.model)
            .map_err(load_error)?;
        if !request.inputs.is_empty()
            && let Some(graph) = &mut proto.graph
        {
            forget_symbols(graph, false);
        }
        let folder = request.folder.as_ref().map(|folder| folder.to_string_lossy());
        let result = onnx.parse(&proto, folder.as_deref()).map_err(load_error)?;
        if let Some(name) = result.unresolved_inputs.first() {
            return Err(BackendError::load(format!(
                "`{name}` is read but nothing computes it"
            )));
        }
        let interface = Interface {
            outputs: output_names(&proto),
            initialized: initialized_inputs(&proto, &result)?,
            ..Interface::default()
        };
        let mut parsed = Parsed {
            graph: result.model,
            interface,
        };
        parsed.classify_inputs(request, policy)?;
        Ok(parsed)
    }

    /// Whether every fed input has a completely known shape.
    pub fn has_fixed_shapes(&self) -> bool {
        self.graph.inputs.iter().all(|&outlet| {
            let shape = self
                .graph
                .outlet_fact(outlet)
                .map(|fact| fact.shape.as_concrete_finite());
            matches!(shape, Ok(Ok(Some(_))))
        })
    }

    fn classify_inputs(&mut self, request: &LoadRequest, policy: Constants) -> Result<(), BackendError> {
        let given: HashMap<&str, &Value> = request
            .inputs
            .iter()
            .map(|(name, value)| (&**name, value))
            .collect();
        let mut fed = Vec::new();
        for outlet in self.graph.inputs.clone() {
            let name = self.graph.node(outlet.node).name.clone();
            let value = given.get(&*name).copied();
            if let Some(value) = value.filter(|value| becomes_constant(policy, value)) {
                self.make_constant(outlet, name, value)?;
                continue;
            }
            if let Some(value) = value {
                let fact = InferenceFact::dt_shape_from_tensor(&to_tract(&name, value)?);
                self.graph.set_outlet_fact(outlet, fact).map_err(load_error)?;
            }
            fed.push(outlet);
            self.interface.fed.push(name);
        }
        self.graph.set_input_outlets(&fed).map_err(load_error)
    }

    /// Turns an input into a constant, as tract's parser does for an initializer of the same name.
    fn make_constant(&mut self, outlet: OutletId, name: String, value: &Value) -> Result<(), BackendError> {
        let tensor = to_tract(&name, value)?.into_arc_tensor();
        let fact = InferenceFact::try_from(&tensor).map_err(load_error)?;
        self.graph.node_mut(outlet.node).op = Box::new(Const::new(tensor).map_err(load_error)?);
        self.graph.set_outlet_fact(outlet, fact).map_err(load_error)?;
        self.interface.constants.insert(name, value.clone());
        Ok(())
    }
}

/// Makes the symbolic extents of inner values and outputs unknown, and those of the inputs of bodies. The
/// inputs of the model get the shapes of their values, in which no symbol is left, and tract does not join
/// a symbol with a number.
fn forget_symbols(graph: &mut GraphProto, body: bool) {
    for attribute in graph.node.iter_mut().flat_map(|node| &mut node.attribute) {
        if let Some(inner) = &mut attribute.g {
            forget_symbols(inner, true);
        }
    }
    let inputs = if body { &mut graph.input[..] } else { &mut [] };
    for info in graph.value_info.iter_mut().chain(&mut graph.output).chain(inputs) {
        let Some(Typed::TensorType(tensor)) = info.r#type.as_mut().and_then(|typed| typed.value.as_mut())
        else {
            continue;
        };
        for dimension in tensor.shape.iter_mut().flat_map(|shape| &mut shape.dim) {
            if let Some(Extent::DimParam(_)) = dimension.value {
                dimension.value = None;
            }
        }
    }
}

fn becomes_constant(policy: Constants, value: &Value) -> bool {
    value
        .as_tensor()
        .is_some_and(|tensor| policy.takes(tensor.dtype()))
}

fn output_names(proto: &ModelProto) -> Vec<String> {
    let outputs = |graph: &GraphProto| graph.output.iter().map(|output| output.name.clone()).collect();
    proto.graph.as_ref().map(outputs).unwrap_or_default()
}

/// Returns the inputs that tract made constants because they have an initializer.
fn initialized_inputs(
    proto: &ModelProto,
    result: &ParseResult,
) -> Result<BTreeMap<String, Value>, BackendError> {
    let inputs = proto.graph.iter().flat_map(|graph| &graph.input);
    let constants = inputs.filter_map(|input| {
        let outlet = result.outlets_by_name.get(&input.name)?;
        let constant = result.model.node(outlet.node).op_as::<Const>()?;
        Some(from_tract(&input.name, constant.val()).map(|value| (input.name.clone(), value)))
    });
    constants.collect()
}

/// Makes a load error from an error of tract and its causes.
pub fn load_error(error: TractError) -> BackendError {
    BackendError::load(format!("{error:#}"))
}
