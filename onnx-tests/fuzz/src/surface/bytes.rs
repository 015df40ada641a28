//! Mutation of bytes: a few kinds of change at random positions, such that small and large changes are
//! equally likely.

use mutatis::{Candidates, Context, Mutate, Result};

/// Changes of a file or message.
#[derive(Clone, Copy, Default, Debug)]
pub struct Blob;

/// Values of lengths and counts.
const LENGTHS: [u64; 10] = [
    0,
    1,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 40,
    i64::MAX as u64,
    u64::MAX,
];

impl Mutate<Vec<u8>> for Blob {
    fn mutate(&mut self, candidates: &mut Candidates, value: &mut Vec<u8>) -> Result<()> {
        // Only shorter inputs are smaller.
        candidates.mutation(|context| {
            let (from, to) = span(context, value.len());
            drop(value.drain(from..to));
            Ok(())
        })?;
        if candidates.shrink() {
            return Ok(());
        }
        candidates.mutation(|context| {
            let byte = context.rng().gen_u8();
            if let Some(at) = context.rng().gen_index(value.len()) {
                value[at] = byte;
            }
            Ok(())
        })?;
        candidates.mutation(|context| {
            let bit = context.rng().gen_u8() % 8;
            if let Some(at) = context.rng().gen_index(value.len()) {
                value[at] ^= 1 << bit;
            }
            Ok(())
        })?;
        candidates.mutation(|context| {
            let byte = context.rng().gen_u8();
            let at = context.rng().gen_index(value.len() + 1).unwrap_or(0);
            value.insert(at, byte);
            Ok(())
        })?;
        candidates.mutation(|context| {
            let (from, to) = span(context, value.len());
            let copy = value[from..to].to_vec();
            let at = context.rng().gen_index(value.len() + 1).unwrap_or(0);
            value.splice(at..at, copy);
            Ok(())
        })?;
        candidates.mutation(|context| {
            let number = context.rng().choose(LENGTHS).unwrap_or(0).to_le_bytes();
            let width = 1 << context.rng().gen_index(4).unwrap_or(0);
            if let Some(at) = context.rng().gen_index(value.len()) {
                value
                    .iter_mut()
                    .skip(at)
                    .zip(&number[..width])
                    .for_each(|(byte, new)| *byte = *new);
            }
            Ok(())
        })
    }
}

/// A span of up to 64 of the items.
pub fn span(context: &mut Context, length: usize) -> (usize, usize) {
    let from = context.rng().gen_index(length).unwrap_or(0);
    let most = (length - from).min(64);
    let count = context.rng().gen_index(most + 1).unwrap_or(0);
    (from, from + count)
}
