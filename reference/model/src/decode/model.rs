//! Decodes `ModelProto` and `FunctionProto`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Decoder, metadata, text};
use crate::error::{ModelError, ModelErrorKind, Within};
use crate::proto::{FunctionProto, ModelProto, OperatorSetIdProto};
use crate::{Function, Model};

/// The first IR version whose models must import operator sets (IR.md).
const FIRST_IR_WITH_OPSETS: i64 = 3;

impl Decoder<'_> {
    pub(super) fn model(&mut self, proto: ModelProto) -> Result<Model, ModelError> {
        let missing = |field| ModelErrorKind::Missing { field };
        let oddities = metadata::of_model(&proto);
        let ir_version = proto.ir_version.ok_or(missing("ir_version"))?;
        let mut opset_imports = opsets(proto.opset_import)?;
        if opset_imports.is_empty() && ir_version < FIRST_IR_WITH_OPSETS {
            opset_imports.insert(String::new(), 1);
        }
        let graph = self
            .graph(proto.graph.ok_or(missing("graph"))?)
            .within(|| "graph".to_owned())?;
        let function = |(index, proto): (usize, FunctionProto)| {
            let label = text::quoted(proto.name.as_deref());
            self.function(proto)
                .within(|| format!("functions[{index}]{label}"))
                .map(Arc::new)
        };
        Ok(Model {
            ir_version,
            opset_imports,
            graph: Arc::new(graph),
            functions: proto
                .functions
                .into_iter()
                .enumerate()
                .map(function)
                .collect::<Result<_, _>>()?,
            producer_name: text::lossy(proto.producer_name),
            producer_version: text::lossy(proto.producer_version),
            oddities,
        })
    }

    pub(super) fn function(&mut self, proto: FunctionProto) -> Result<Function, ModelError> {
        Ok(Function {
            domain: text::domain(proto.domain)?,
            name: text::name(proto.name, "name")?,
            overload: text::name(proto.overload, "overload")?,
            inputs: text::names(proto.input, "input")?,
            outputs: text::names(proto.output, "output")?,
            attributes: text::names(proto.attribute, "attribute")?,
            attribute_defaults: self.attributes(proto.attribute_proto, "attribute_proto")?,
            opset_imports: opsets(proto.opset_import)?,
            nodes: self.nodes(proto.node)?,
        })
    }
}

/// Returns the opset of each domain. A domain may be imported twice with the same opset.
fn opsets(protos: Vec<OperatorSetIdProto>) -> Result<BTreeMap<String, i64>, ModelError> {
    let mut imports = BTreeMap::new();
    for (index, proto) in protos.into_iter().enumerate() {
        let here = || format!("opset_import[{index}]");
        let domain = text::domain(proto.domain).within(here)?;
        let version = proto
            .version
            .ok_or(ModelErrorKind::Missing { field: "version" })
            .within(here)?;
        match imports.insert(domain.clone(), version) {
            Some(first) if first != version => {
                return Err(ModelErrorKind::OpsetTwice {
                    domain,
                    first,
                    second: version,
                })
                .within(here);
            }
            _ => {}
        }
    }
    Ok(imports)
}
