//! Checks a recurrent network and divides it among threads.

use super::Direction;
use super::unit::{Call, ROWS};
use crate::Pool;
use crate::error::{KernelError, Result, ensure, need, product};
use crate::memory::Shared;

/// The inputs of a recurrent network.
#[derive(Clone, Copy, Debug)]
pub struct Sequences<'a> {
    /// `[steps][batch][input]`, or `[batch][steps][input]`.
    pub x: &'a [f32],
    /// The number of steps.
    pub steps: usize,
    /// The number of sequences.
    pub batch: usize,
    /// Whether the batch is the first axis of `x` and of all results and states.
    pub batch_first: bool,
    /// The number of steps of each sequence, at most `steps`; all if not given.
    pub lengths: Option<&'a [usize]>,
    /// The first hidden states, `[directions][batch][hidden]` or `[batch][directions][hidden]`; zeros if not
    /// given.
    pub hidden: Option<&'a [f32]>,
    /// The first cells of an LSTM, like `hidden`.
    pub cell: Option<&'a [f32]>,
}

/// The wanted results.
#[derive(Debug, Default)]
pub struct Results<'a> {
    /// The hidden states after all steps, `[steps][directions][batch][hidden]` or
    /// `[batch][steps][directions][hidden]`; zeros after the end of a sequence.
    pub all: Option<&'a mut [f32]>,
    /// The last hidden states, like [`Sequences::hidden`].
    pub hidden: Option<&'a mut [f32]>,
    /// The last cells of an LSTM.
    pub cell: Option<&'a mut [f32]>,
}

/// The maximum number of sequences that are computed together.
const SEQUENCES: usize = 64;
/// The number of products of a step from which its columns are divided among threads.
const DIVIDED: usize = 1 << 19;

/// Runs a recurrent network; the directions have the same cell and sizes.
///
/// No result depends on the number of threads.
pub fn recurrent(
    pool: &Pool,
    directions: &[Direction],
    sequences: &Sequences,
    results: Results,
) -> Result<()> {
    let Some(first) = directions.first() else {
        return Ok(());
    };
    check(directions, sequences, &results)?;
    let (threads, batch) = (pool.threads(), sequences.batch);
    let chunks = if first.is_joint() {
        1
    } else {
        let least = batch.div_ceil(first.rows(SEQUENCES));
        least.max(batch.min(threads.div_ceil(directions.len())))
    };
    let call = Call {
        pool,
        directions,
        sequences,
        all: results.all.map(Shared::new),
        hidden: results.hidden.map(Shared::new),
        cell: results.cell.map(Shared::new),
    };
    let units = directions.len() * chunks;
    let unit = |unit: usize, alone: bool| {
        let rows = crate::thread::share(batch, chunks, unit % chunks);
        call.unit(unit / chunks, rows, alone);
    };
    let products = batch.div_ceil(chunks.max(1)) * first.cell.gates() * first.hidden * first.hidden;
    if 2 * units <= threads && products >= DIVIDED {
        (0..units).for_each(|number| unit(number, false));
    } else {
        pool.split(units, 1, |range| range.for_each(|number| unit(number, true)));
    }
    Ok(())
}

fn check(directions: &[Direction], sequences: &Sequences, results: &Results) -> Result<()> {
    let what = "recurrent";
    let Sequences { steps, batch, .. } = *sequences;
    let (hidden, input) = (directions[0].hidden, directions[0].input);
    let alike = |other: &Direction| {
        (other.hidden, other.input, other.cell.gates()) == (hidden, input, directions[0].cell.gates())
    };
    ensure(directions.iter().all(alike), what, || {
        "the directions differ in their sizes".into()
    })?;
    need(
        "recurrent: input",
        product(what, &[steps, batch, input])?,
        sequences.x.len(),
    )?;
    let state = product(what, &[directions.len(), batch, hidden])?;
    for given in [sequences.hidden, sequences.cell].into_iter().flatten() {
        need("recurrent: first state", state, given.len())?;
    }
    if let Some(lengths) = sequences.lengths {
        need("recurrent: lengths", batch, lengths.len())?;
        let fit = lengths[..batch].iter().all(|&length| length <= steps);
        ensure(fit, what, || format!("a sequence is longer than {steps} steps"))?;
    }
    let all = product(what, &[steps, state])?;
    product(what, &[ROWS.max(batch), directions[0].cell.gates(), hidden])?;
    let length = |results: &Option<&mut [f32]>| results.as_ref().map(|results| results.len());
    for (needed, got) in [
        (all, length(&results.all)),
        (state, length(&results.hidden)),
        (state, length(&results.cell)),
    ] {
        got.map_or(Ok(()), |got| need("recurrent: result", needed, got))?;
    }
    let sizes = input.checked_add((directions[0].cell.gates() + 3).saturating_mul(hidden));
    sizes.map(|_| ()).ok_or(KernelError::Overflow(what))
}
