//! How much a file may ask for.

/// Upper bounds that are checked before memory is taken.
///
/// The defaults admit the largest models in public use and keep a file of a few megabytes from taking a
/// machine down. Change one with `Limits { nodes: 1000, ..Limits::default() }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of the file itself. Default 2 GiB, which is all that protobuf can carry.
    pub file_bytes: u64,
    /// Bytes that the messages take in memory beside the payload of tensors: a message of two bytes in a file
    /// can take 300 in memory. Default 1 GiB.
    pub message_bytes: u64,
    /// Nodes in all graphs, bodies and functions together. Default 500,000.
    pub nodes: u64,
    /// Initializers in all graphs together. Default 200,000.
    pub initializers: u64,
    /// Graphs inside one another, the main graph counted as one. Default 32, about as many as fit into the
    /// 100 messages inside one another that protobuf allows; a greater number does not lift that.
    pub graph_depth: u64,
    /// Axes of a tensor or of a declared shape. Default 64.
    pub rank: u64,
    /// Elements of one tensor, also of the dense tensor that a sparse one stands for; extents of zero are left aside
    /// ([`onnx_tensor::footprint()`]). Default 2^30.
    pub tensor_elements: u64,
    /// Elements of all tensors of a file together. Default 2^32.
    pub total_elements: u64,
    /// Bytes of external data that are read for one file. Default 8 GiB.
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

/// Which of the [`Limits`] was passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(
    missing_docs,
    reason = "the variants are the fields of Limits, and one bound that is fixed"
)]
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
    /// Messages inside one another: 100, as everywhere in protobuf.
    MessageDepth,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limit::FileBytes => "bytes of the file",
            Limit::MessageBytes => "bytes of memory for messages",
            Limit::Nodes => "nodes",
            Limit::Initializers => "initializers",
            Limit::GraphDepth => "graphs inside one another",
            Limit::Rank => "axes",
            Limit::TensorElements => "elements of one tensor",
            Limit::TotalElements => "elements of all tensors",
            Limit::ExternalBytes => "bytes of external data",
            Limit::MessageDepth => "messages inside one another",
        })
    }
}
