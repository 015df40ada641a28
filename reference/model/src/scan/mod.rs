//! Counts what decoding would allocate, from the wire format alone.
//!
//! Two bytes can encode a message of some 300 bytes in memory, so the length of a file does not bound the
//! memory of its messages. The scan reads tags and lengths, enters the fields that [`shapes`] lists as
//! messages, and stops at the first exceeded limit.

mod shapes;
mod wire;

pub(crate) use shapes::{FUNCTION, MAP, MODEL, OPTIONAL, SEQUENCE, SPARSE, Shape, TENSOR};

use self::shapes::Field;
use self::wire::Wire;
use crate::error::{ModelError, ModelErrorKind, Within};
use crate::limits::{Limit, Limits};

/// The limit of prost, so that prost accepts the depth of every scanned message.
const MESSAGE_DEPTH: u64 = 100;

/// The bytes of memory of a string in a list, without its text.
const STRING: u64 = size_of::<Vec<u8>>() as u64;
/// The largest number of bytes of memory of a number in a list.
const NUMBER: u64 = size_of::<u64>() as u64;

/// Fails if decoding `bytes` as the message `shape` would exceed a limit, or if they are not a protobuf
/// message.
pub(crate) fn scan(bytes: &[u8], shape: &'static Shape, limits: &Limits) -> Result<(), ModelError> {
    let mut scan = Scan {
        limits,
        bytes: 0,
        nodes: 0,
        initializers: 0,
    };
    scan.message(Wire::new(bytes), shape, Depth::default())
}

/// The totals so far.
struct Scan<'a> {
    limits: &'a Limits,
    bytes: u64,
    nodes: u64,
    initializers: u64,
}

/// The nesting depth of a message, in messages and graphs.
#[derive(Clone, Copy, Default)]
struct Depth {
    messages: u64,
    graphs: u64,
}

impl Scan<'_> {
    fn message(&mut self, mut wire: Wire, shape: &'static Shape, around: Depth) -> Result<(), ModelError> {
        let depth = self.enter(shape, around)?;
        while let Some((number, inner)) = wire.field()? {
            match (shape.field(number), inner) {
                (Some(Field::Message(name, inner_shape)), Some(inner)) => {
                    self.message(inner, inner_shape, depth)
                        .within(|| (*name).to_owned())?;
                }
                (Some(Field::Numbers), Some(inner)) => self.add(inner.varints().saturating_mul(NUMBER))?,
                (_, Some(_)) => self.add(STRING)?,
                (_, None) => self.add(NUMBER)?,
            }
        }
        Ok(())
    }

    /// Counts a message and returns its depth.
    fn enter(&mut self, shape: &Shape, around: Depth) -> Result<Depth, ModelErrorKind> {
        let depth = Depth {
            messages: around.messages + 1,
            graphs: around.graphs + shape.graphs,
        };
        self.nodes += shape.nodes;
        self.initializers += shape.initializers;
        within(Limit::MessageDepth, depth.messages, MESSAGE_DEPTH)?;
        within(Limit::GraphDepth, depth.graphs, self.limits.graph_depth)?;
        within(Limit::Nodes, self.nodes, self.limits.nodes)?;
        within(Limit::Initializers, self.initializers, self.limits.initializers)?;
        self.add(shape.bytes)?;
        Ok(depth)
    }

    /// Adds bytes of memory.
    fn add(&mut self, bytes: u64) -> Result<(), ModelErrorKind> {
        self.bytes = self.bytes.saturating_add(bytes);
        within(Limit::MessageBytes, self.bytes, self.limits.message_bytes)
    }
}

/// Fails if `found` exceeds `max`.
pub(crate) fn within(limit: Limit, found: u64, max: u64) -> Result<(), ModelErrorKind> {
    if found <= max {
        Ok(())
    } else {
        Err(ModelErrorKind::Limit { limit, found, max })
    }
}
