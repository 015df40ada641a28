//! Decodes `GraphProto` and `NodeProto`.

use onnx_tensor::Value;

use super::{Decoder, text};
use crate::error::{ModelError, Within};
use crate::proto::{GraphProto, NodeProto, SparseTensorProto, TensorProto};
use crate::{Graph, Node};

impl Decoder<'_> {
    pub(super) fn graph(&mut self, proto: GraphProto) -> Result<Graph, ModelError> {
        let mut initializers = self.initializers(proto.initializer)?;
        initializers.extend(self.sparse_initializers(proto.sparse_initializer)?);
        Ok(Graph {
            name: text::lossy(proto.name),
            inputs: self.value_infos(proto.input, "input")?,
            outputs: self.value_infos(proto.output, "output")?,
            initializers,
            nodes: self.nodes(proto.node)?,
            value_info: self.value_infos(proto.value_info, "value_info")?,
        })
    }

    fn initializers(&mut self, protos: Vec<TensorProto>) -> Result<Vec<(String, Value)>, ModelError> {
        let initializer = |(index, mut proto): (usize, TensorProto)| {
            let name = proto.name.take();
            let here = || format!("initializer[{index}]{}", text::quoted(name.as_deref()));
            let value = self.initializer(proto).within(here)?;
            Ok((text::name(name.clone(), "name").within(here)?, value))
        };
        protos.into_iter().enumerate().map(initializer).collect()
    }

    /// The name of a sparse initializer is the name of its values.
    fn sparse_initializers(
        &mut self,
        protos: Vec<SparseTensorProto>,
    ) -> Result<Vec<(String, Value)>, ModelError> {
        let initializer = |(index, mut proto): (usize, SparseTensorProto)| {
            let name = proto.values.as_mut().and_then(|values| values.name.take());
            let here = || format!("sparse_initializer[{index}]{}", text::quoted(name.as_deref()));
            let value = self.sparse(proto).within(here)?;
            Ok((
                text::name(name.clone(), "values.name").within(here)?,
                Value::Sparse(value),
            ))
        };
        protos.into_iter().enumerate().map(initializer).collect()
    }

    pub(super) fn nodes(&mut self, protos: Vec<NodeProto>) -> Result<Vec<Node>, ModelError> {
        let node = |(index, proto): (usize, NodeProto)| {
            let name = proto.name.as_deref().filter(|name| !name.is_empty());
            let label = text::quoted(name.or(proto.op_type.as_deref()));
            self.node(proto).within(|| format!("node[{index}]{label}"))
        };
        protos.into_iter().enumerate().map(node).collect()
    }

    fn node(&mut self, proto: NodeProto) -> Result<Node, ModelError> {
        Ok(Node {
            name: text::lossy(proto.name),
            domain: text::domain(proto.domain)?,
            operator: text::name(proto.op_type, "op_type")?,
            overload: text::name(proto.overload, "overload")?,
            inputs: text::names(proto.input, "input")?,
            outputs: text::names(proto.output, "output")?,
            attributes: self.attributes(proto.attribute, "attribute")?,
        })
    }
}
