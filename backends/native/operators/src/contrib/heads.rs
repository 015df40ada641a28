//! Queries, keys and values by heads: batch × heads × sequence × size.

use crate::compose::{Composed, Composition, Id};
use crate::error::invalid;

/// Queries, keys and values.
pub struct Heads {
    pub query: Id,
    pub key: Id,
    pub value: Id,
    /// Keys and values before these.
    pub past: Option<[Id; 2]>,
}

impl Heads {
    /// Makes heads without a past.
    pub fn of(query: Id, key: Id, value: Id) -> Heads {
        Heads {
            query,
            key,
            value,
            past: None,
        }
    }

    /// The number of keys, past ones included.
    pub fn keys(&self, c: &Composition<'_>) -> Composed<usize> {
        let along = |id: Id| Ok::<_, crate::compose::Halt>(c.shape(id)?.get(2).copied().unwrap_or(0));
        let past = match self.past {
            Some([keys, _]) => along(keys)?,
            None => 0,
        };
        Ok(past + along(self.key)?)
    }
}

/// Splits batch × sequence × (heads · size); of rank 4 they are split already.
pub fn split_heads(c: &mut Composition<'_>, x: Id, count: usize, name: &str) -> Composed<Id> {
    match c.shape(x)?[..] {
        [_, _, _, _] => Ok(x),
        [batch, sequence, width] if width % count == 0 => {
            let apart = c.reshape(x, &[batch, sequence, count, width / count])?;
            c.transpose(apart, &[0, 2, 1, 3])
        }
        ref shape => Ok(invalid(format!(
            "`{name}` of shape {shape:?} is not divisible into {count} heads"
        ))?),
    }
}

/// The inverse of [`split_heads`].
pub fn joined_heads(c: &mut Composition<'_>, x: Id) -> Composed<Id> {
    let &[batch, count, sequence, size] = &c.shape(x)?[..] else {
        return Ok(invalid("heads must have rank 4")?);
    };
    let turned = c.transpose(x, &[0, 2, 1, 3])?;
    c.reshape(turned, &[batch, sequence, count * size])
}

/// Takes apart batch × sequence × heads × parts × size.
pub fn packed_heads(c: &mut Composition<'_>, x: Id, count: usize, parts: usize) -> Composed<Vec<Id>> {
    let shape = c.shape(x)?;
    let &[batch, sequence, heads, found, size] = &shape[..] else {
        return Ok(invalid(format!(
            "packed heads of shape {shape:?} must have rank 5"
        ))?);
    };
    if heads != count || found != parts {
        return Ok(invalid(format!(
            "packed heads of shape {shape:?} must be B × S × {count} × {parts} × H"
        ))?);
    }
    let all = c.split(x, 3, &vec![1; parts])?;
    let turned = |part: Id, c: &mut Composition<'_>| {
        let part = c.reshape(part, &[batch, sequence, count, size])?;
        c.transpose(part, &[0, 2, 1, 3])
    };
    all.into_iter().map(|part| turned(part, c)).collect()
}
