//! The fields of each message that hold messages, and the memory of each message.

use crate::proto;

/// The layout of a message as the scan needs it.
pub(crate) struct Shape {
    /// The memory of one message, in bytes.
    pub(super) bytes: u64,
    /// The number of graphs, nodes and initializers that one message counts as.
    pub(super) graphs: u64,
    pub(super) nodes: u64,
    pub(super) initializers: u64,
    fields: &'static [(u64, Field)],
}

/// A field that is not a single number or a string.
pub(super) enum Field {
    /// A message or a list of messages, with the name of the field.
    Message(&'static str, &'static Shape),
    /// A packed list of numbers, which take more memory than bytes in the file.
    Numbers,
}

use Field::{Message, Numbers};

impl Shape {
    /// Returns the content of the field with this number, if it is listed.
    pub(super) fn field(&self, number: u64) -> Option<&'static Field> {
        self.fields
            .iter()
            .find(|(known, _)| *known == number)
            .map(|(_, field)| field)
    }
}

/// A message of type `M` that is not a graph, node or initializer.
const fn shape<M>(fields: &'static [(u64, Field)]) -> Shape {
    Shape {
        bytes: size_of::<M>() as u64,
        graphs: 0,
        nodes: 0,
        initializers: 0,
        fields,
    }
}

pub(crate) static MODEL: Shape = shape::<proto::ModelProto>(&[
    (7, Message("graph", &GRAPH)),
    (8, Message("opset_import", &OPSET)),
    (14, Message("metadata_props", &ENTRY)),
    (20, Message("training_info", &TRAINING)),
    (25, Message("functions", &FUNCTION)),
    (26, Message("configuration", &DEVICE)),
]);

pub(crate) static FUNCTION: Shape = shape::<proto::FunctionProto>(&[
    (7, Message("node", &NODE)),
    (9, Message("opset_import", &OPSET)),
    (11, Message("attribute_proto", &ATTRIBUTE)),
    (12, Message("value_info", &VALUE_INFO)),
    (14, Message("metadata_props", &ENTRY)),
]);

static TRAINING: Shape = shape::<proto::TrainingInfoProto>(&[
    (1, Message("initialization", &GRAPH)),
    (2, Message("algorithm", &GRAPH)),
    (3, Message("initialization_binding", &ENTRY)),
    (4, Message("update_binding", &ENTRY)),
]);

static GRAPH: Shape = Shape {
    graphs: 1,
    ..shape::<proto::GraphProto>(&[
        (1, Message("node", &NODE)),
        (5, Message("initializer", &INITIALIZER)),
        (11, Message("input", &VALUE_INFO)),
        (12, Message("output", &VALUE_INFO)),
        (13, Message("value_info", &VALUE_INFO)),
        (14, Message("quantization_annotation", &ANNOTATION)),
        (15, Message("sparse_initializer", &SPARSE_INITIALIZER)),
        (16, Message("metadata_props", &ENTRY)),
    ])
};

static NODE: Shape = Shape {
    nodes: 1,
    ..shape::<proto::NodeProto>(&[
        (5, Message("attribute", &ATTRIBUTE)),
        (9, Message("metadata_props", &ENTRY)),
        (10, Message("device_configurations", &NODE_DEVICE)),
    ])
};

static ATTRIBUTE: Shape = shape::<proto::AttributeProto>(&[
    (5, Message("t", &TENSOR)),
    (6, Message("g", &GRAPH)),
    (8, Numbers),
    (10, Message("tensors", &TENSOR)),
    (11, Message("graphs", &GRAPH)),
    (14, Message("tp", &TYPE)),
    (15, Message("type_protos", &TYPE)),
    (22, Message("sparse_tensor", &SPARSE)),
    (23, Message("sparse_tensors", &SPARSE)),
]);

static VALUE_INFO: Shape = shape::<proto::ValueInfoProto>(&[
    (2, Message("type", &TYPE)),
    (4, Message("metadata_props", &ENTRY)),
]);

static ANNOTATION: Shape =
    shape::<proto::TensorAnnotation>(&[(2, Message("quant_parameter_tensor_names", &ENTRY))]);

const TENSOR_FIELDS: &[(u64, Field)] = &[
    (1, Numbers),
    (3, Message("segment", &SEGMENT)),
    (5, Numbers),
    (7, Numbers),
    (11, Numbers),
    (13, Message("external_data", &ENTRY)),
    (16, Message("metadata_props", &ENTRY)),
];
pub(crate) static TENSOR: Shape = shape::<proto::TensorProto>(TENSOR_FIELDS);
static INITIALIZER: Shape = Shape {
    initializers: 1,
    ..shape::<proto::TensorProto>(TENSOR_FIELDS)
};

const SPARSE_FIELDS: &[(u64, Field)] = &[
    (1, Message("values", &TENSOR)),
    (2, Message("indices", &TENSOR)),
    (3, Numbers),
];
pub(crate) static SPARSE: Shape = shape::<proto::SparseTensorProto>(SPARSE_FIELDS);
static SPARSE_INITIALIZER: Shape = Shape {
    initializers: 1,
    ..shape::<proto::SparseTensorProto>(SPARSE_FIELDS)
};

static TYPE: Shape = shape::<proto::TypeProto>(&[
    (1, Message("tensor_type", &TENSOR_TYPE)),
    (4, Message("sequence_type", &SEQUENCE_TYPE)),
    (5, Message("map_type", &MAP_TYPE)),
    (7, Message("opaque_type", &OPAQUE_TYPE)),
    (8, Message("sparse_tensor_type", &TENSOR_TYPE)),
    (9, Message("optional_type", &OPTIONAL_TYPE)),
]);

static TENSOR_TYPE: Shape = shape::<proto::TensorTypeProto>(&[(2, Message("shape", &TENSOR_SHAPE))]);
static SEQUENCE_TYPE: Shape = shape::<proto::SequenceTypeProto>(&[(1, Message("elem_type", &TYPE))]);
static OPTIONAL_TYPE: Shape = shape::<proto::OptionalTypeProto>(&[(1, Message("elem_type", &TYPE))]);
static MAP_TYPE: Shape = shape::<proto::MapTypeProto>(&[(2, Message("value_type", &TYPE))]);
static OPAQUE_TYPE: Shape = shape::<proto::OpaqueTypeProto>(&[]);
static TENSOR_SHAPE: Shape = shape::<proto::TensorShapeProto>(&[(1, Message("dim", &DIMENSION))]);
static DIMENSION: Shape = shape::<proto::DimensionProto>(&[]);

pub(crate) static SEQUENCE: Shape = shape::<proto::SequenceProto>(&[
    (3, Message("tensor_values", &TENSOR)),
    (4, Message("sparse_tensor_values", &SPARSE)),
    (5, Message("sequence_values", &SEQUENCE)),
    (6, Message("map_values", &MAP)),
    (7, Message("optional_values", &OPTIONAL)),
]);

pub(crate) static MAP: Shape = shape::<proto::MapProto>(&[(3, Numbers), (5, Message("values", &SEQUENCE))]);

pub(crate) static OPTIONAL: Shape = shape::<proto::OptionalProto>(&[
    (3, Message("tensor_value", &TENSOR)),
    (4, Message("sparse_tensor_value", &SPARSE)),
    (5, Message("sequence_value", &SEQUENCE)),
    (6, Message("map_value", &MAP)),
    (7, Message("optional_value", &OPTIONAL)),
]);

static OPSET: Shape = shape::<proto::OperatorSetIdProto>(&[]);
static ENTRY: Shape = shape::<proto::StringStringEntryProto>(&[]);
static SEGMENT: Shape = shape::<proto::SegmentProto>(&[]);
static DEVICE: Shape = shape::<proto::DeviceConfigurationProto>(&[]);

static NODE_DEVICE: Shape =
    shape::<proto::NodeDeviceConfigurationProto>(&[(2, Message("sharding_spec", &SHARDING))]);
static SHARDING: Shape = shape::<proto::ShardingSpecProto>(&[
    (2, Numbers),
    (3, Message("index_to_device_group_map", &DEVICE_GROUP)),
    (4, Message("sharded_dim", &SHARDED_DIM)),
]);
static DEVICE_GROUP: Shape = shape::<proto::IntIntListEntryProto>(&[(2, Numbers)]);
static SHARDED_DIM: Shape =
    shape::<proto::ShardedDimProto>(&[(2, Message("simple_sharding", &SIMPLE_SHARDED_DIM))]);
static SIMPLE_SHARDED_DIM: Shape = shape::<proto::SimpleShardedDimProto>(&[]);
