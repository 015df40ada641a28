//! Counts what decoding would build, from the wire format alone and without building it.
//!
//! Two bytes can stand for a message of some 300 bytes in memory, so that the length of a file bounds
//! nothing. The scan walks tags and lengths, enters messages where [`shapes`] says that a field holds one,
//! and stops at the first limit.

mod shapes;
mod wire;

pub(crate) use shapes::{FUNCTION, MAP, MODEL, OPTIONAL, SEQUENCE, SPARSE, Shape, TENSOR};

use self::shapes::Field;
use self::wire::Wire;
use crate::error::{ModelError, ModelErrorKind, Within};
use crate::limits::{Limit, Limits};

/// prost's own bound, so that whatever passes here is not refused there.
const MESSAGE_DEPTH: u64 = 100;

/// Bytes that a string takes in a list, beside its text.
const STRING: u64 = size_of::<Vec<u8>>() as u64;
/// Bytes that a number takes in a list, at most.
const NUMBER: u64 = size_of::<u64>() as u64;

/// Fails where decoding `bytes` as the message `shape` would pass a limit, or where they are no message at
/// all.
pub(crate) fn scan(bytes: &[u8], shape: &'static Shape, limits: &Limits) -> Result<(), ModelError> {
    let mut scan = Scan {
        limits,
        bytes: 0,
        nodes: 0,
        initializers: 0,
    };
    scan.message(Wire::new(bytes), shape, Depth::default())
}

/// Sums so far.
struct Scan<'a> {
    limits: &'a Limits,
    bytes: u64,
    nodes: u64,
    initializers: u64,
}

/// How many messages and graphs are around a message.
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

    /// Counts a message.
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

    /// Counts memory.
    fn add(&mut self, bytes: u64) -> Result<(), ModelErrorKind> {
        self.bytes = self.bytes.saturating_add(bytes);
        within(Limit::MessageBytes, self.bytes, self.limits.message_bytes)
    }
}

/// Fails if more was found than is allowed.
pub(crate) fn within(limit: Limit, found: u64, most: u64) -> Result<(), ModelErrorKind> {
    match found <= most {
        true => Ok(()),
        false => Err(ModelErrorKind::Limit { limit, found, most }),
    }
}
