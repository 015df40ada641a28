//! What a backend adds with.

use std::fmt;

use crate::accumulation::order::Order;

/// How partial sums are rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Nearest,
    /// Toward zero.
    Zero,
    /// The probes show no rounding.
    Unseen,
}

/// The accumulator of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accumulator {
    /// The bits of partial sums; `None` if they have more than `seen`.
    pub bits: Option<u32>,
    /// The greatest number of bits that the element type lets the probes see.
    pub seen: u32,
    /// The bits of the factors of a product; `None` if they have all bits of the element type, or
    /// there are no products.
    pub factors: Option<u32>,
    /// How partial sums are rounded.
    pub direction: Direction,
    /// The order of the additions; `None` if the element type does not let the probes see it.
    pub order: Option<Order>,
}

impl fmt::Display for Accumulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bits {
            Some(bits) => write!(f, "{}", name(bits))?,
            None => write!(f, "more than {} bits", self.seen)?,
        }
        match self.direction {
            Direction::Nearest => f.write_str(", to nearest")?,
            Direction::Zero => f.write_str(", toward zero")?,
            Direction::Unseen => {}
        }
        if let Some(order) = self.order {
            write!(f, ", {order}")?;
        }
        match self.factors {
            Some(bits) => write!(f, ", factors of {bits} bits"),
            None => Ok(()),
        }
    }
}

/// The element type with so many bits of precision.
fn name(bits: u32) -> String {
    match bits {
        8 => "bfloat16".to_owned(),
        11 => "float16".to_owned(),
        24 => "float".to_owned(),
        53 => "double".to_owned(),
        _ => format!("{bits} bits"),
    }
}
