//! Device placement of nodes. The messages are decoded so that no field is unknown, but not used.

/// A set of devices.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DeviceConfigurationProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub name: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "2")]
    pub num_devices: Option<i32>,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub device: Vec<Vec<u8>>,
}

/// How a node is distributed over devices.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NodeDeviceConfigurationProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub configuration_id: Option<Vec<u8>>,
    #[prost(message, repeated, tag = "2")]
    pub sharding_spec: Vec<ShardingSpecProto>,
    #[prost(int32, optional, tag = "3")]
    pub pipeline_stage: Option<i32>,
}

/// How a tensor is distributed over devices.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ShardingSpecProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub tensor_name: Option<Vec<u8>>,
    #[prost(int64, repeated, packed = "false", tag = "2")]
    pub device: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    pub index_to_device_group_map: Vec<IntIntListEntryProto>,
    #[prost(message, repeated, tag = "4")]
    pub sharded_dim: Vec<ShardedDimProto>,
}

/// An integer with a list of integers.
#[derive(Clone, PartialEq, prost::Message)]
pub struct IntIntListEntryProto {
    #[prost(int64, optional, tag = "1")]
    pub key: Option<i64>,
    #[prost(int64, repeated, packed = "false", tag = "2")]
    pub value: Vec<i64>,
}

/// How one axis is split.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ShardedDimProto {
    #[prost(int64, optional, tag = "1")]
    pub axis: Option<i64>,
    #[prost(message, repeated, tag = "2")]
    pub simple_sharding: Vec<SimpleShardedDimProto>,
}

/// One split of an axis.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SimpleShardedDimProto {
    #[prost(oneof = "ShardedDimValue", tags = "1, 2")]
    pub dim: Option<ShardedDimValue>,
    #[prost(int64, optional, tag = "3")]
    pub num_shards: Option<i64>,
}

/// The alternatives of [`SimpleShardedDimProto`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum ShardedDimValue {
    #[prost(int64, tag = "1")]
    DimValue(i64),
    #[prost(bytes = "vec", tag = "2")]
    DimParam(Vec<u8>),
}
