//! Bounds on the content of a file.

/// Upper bounds that are checked before memory is allocated.
///
/// The defaults admit the largest models in public use and keep a file of a few megabytes from exhausting a
/// machine. Change one with `Limits { nodes: 1000, ..Limits::default() }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The size of the file in bytes. Default 2 GiB, the limit of protobuf.
    pub file_bytes: u64,
    /// The bytes that messages take in memory, without the elements of tensors. A message of two bytes in a
    /// file can take 300 bytes in memory. Default 1 GiB.
    pub message_bytes: u64,
    /// The number of nodes in all graphs, bodies and functions. Default 500,000.
    pub nodes: u64,
    /// The number of initializers in all graphs. Default 200,000.
    pub initializers: u64,
    /// The nesting depth of graphs; the main graph counts as one. Default 32, which corresponds to about 100
    /// nested messages, the limit of protobuf. A larger number does not raise that limit.
    pub graph_depth: u64,
    /// The number of axes of a tensor or of a declared shape. Default 64.
    pub rank: u64,
    /// The number of elements of one tensor, also of the dense form of a sparse tensor; extents of zero are
    /// not counted ([`onnx_tensor::footprint()`]). Default 2^30.
    pub tensor_elements: u64,
    /// The number of elements of all tensors in a file. Default 2^32.
    pub total_elements: u64,
    /// The bytes of external data read for one file. Default 8 GiB.
    pub external_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            file_bytes: 2 << 30,
            message_bytes: 1 << 30,
            nodes: 500_000,
            initializers: 200_000,
            graph_depth: 32,
            rank: 64,
            tensor_elements: 1 << 30,
            total_elements: 1 << 32,
            external_bytes: 8 << 30,
        }
    }
}

/// One of the [`Limits`], as a part of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    FileBytes,
    MessageBytes,
    Nodes,
    Initializers,
    GraphDepth,
    Rank,
    TensorElements,
    TotalElements,
    ExternalBytes,
    /// The nesting depth of messages: 100, the limit of protobuf implementations.
    MessageDepth,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limit::FileBytes => "bytes of the file",
            Limit::MessageBytes => "bytes of memory for messages",
            Limit::Nodes => "nodes",
            Limit::Initializers => "initializers",
            Limit::GraphDepth => "nested graphs",
            Limit::Rank => "axes",
            Limit::TensorElements => "elements of one tensor",
            Limit::TotalElements => "elements of all tensors",
            Limit::ExternalBytes => "bytes of external data",
            Limit::MessageDepth => "nested messages",
        })
    }
}
