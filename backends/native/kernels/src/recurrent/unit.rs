//! Some sequences of one direction, step by step.

use std::ops::Range;

use super::sequences::Sequences;
use super::weights::{Group, Operand};
use super::{Cell, Direction};
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::gemm::job::{Job, Weights};
use crate::gemm::{Matrix, PackedB};
use crate::int8::{After, DynamicRows, DynamicScale, ScaledRows, ScaledWeights};
use crate::memory::Shared;
use crate::{Pool, scratch};

/// The number of rows of a product with the input: complete tiles.
pub(super) const ROWS: usize = 112;

/// The parts of one call that do not depend on the thread.
pub(super) struct Call<'a> {
    pub pool: &'a Pool,
    pub directions: &'a [Direction],
    pub sequences: &'a Sequences<'a>,
    pub all: Option<Shared<'a, f32>>,
    pub hidden: Option<Shared<'a, f32>>,
    pub cell: Option<Shared<'a, f32>>,
}

/// The working memory of some sequences of one direction, one row for each.
struct Memory<'a> {
    hidden: &'a mut [f32],
    cell: &'a mut [f32],
    /// A product or an operand of a GRU.
    other: &'a mut [f32],
    /// The inputs of the steps of a chunk.
    x: &'a mut [f32],
    /// The sums of the first and the second group.
    sums: [&'a mut [f32]; 2],
    /// Quantized rows.
    bytes: DynamicRows,
}

/// Dense rows of a product.
#[derive(Clone, Copy)]
struct Rows<'a> {
    x: &'a [f32],
    count: usize,
    /// How weights in bytes have them quantized, if it does not follow from these rows alone.
    scale: Option<DynamicScale>,
    /// Whether the product is computed on this thread.
    alone: bool,
}

impl Call<'_> {
    /// Computes these sequences of a direction; `alone` on this thread.
    pub fn unit(&self, which: usize, rows: Range<usize>, alone: bool) {
        let direction = &self.directions[which];
        let (units, count) = (direction.hidden, rows.len());
        if count == 0 {
            return;
        }
        let longest = rows.clone().map(|row| self.length(row)).max().unwrap_or(0);
        let chunk = (direction.rows(ROWS) / count).clamp(1, longest.max(1));
        let columns = |group: usize| direction.groups.get(group).map_or(0, |group| group.r.n());
        let state = count * units;
        let lengths = [
            state,
            state,
            state,
            chunk * count * direction.input,
            chunk * count * columns(0),
            chunk * count * columns(1),
        ];
        scratch::with(lengths.iter().sum(), |memory| {
            let mut rest = memory;
            let [hidden, cell, other, x, first, second] =
                lengths.map(|length| rest.split_off_mut(..length).unwrap_or_default());
            let mut memory = Memory {
                hidden,
                cell,
                other,
                x,
                sums: [first, second],
                bytes: DynamicRows::default(),
            };
            self.begin(which, &rows, &mut memory);
            let scale = direction.is_joint().then(|| self.scale_of_inputs(direction));
            for start in (0..longest).step_by(chunk) {
                let steps = start..(start + chunk).min(longest);
                self.gather(direction, &rows, &steps, memory.x);
                for (group, sums) in direction.groups.iter().zip(&mut memory.sums) {
                    let rows = Rows {
                        x: &memory.x[..steps.len() * count * direction.input],
                        count: steps.len() * count,
                        scale,
                        alone,
                    };
                    self.input_sums(group, &rows, &mut memory.bytes, sums);
                }
                for step in steps.clone() {
                    self.step(which, &rows, step, step - start, &mut memory, alone);
                }
            }
            self.end(which, &rows, &memory);
        });
    }

    fn length(&self, row: usize) -> usize {
        self.sequences
            .lengths
            .map_or(self.sequences.steps, |lengths| lengths[row])
    }

    /// The offset of a state of a sequence.
    fn state(&self, which: usize, row: usize) -> usize {
        let units = self.directions[which].hidden;
        if self.sequences.batch_first {
            (row * self.directions.len() + which) * units
        } else {
            (which * self.sequences.batch + row) * units
        }
    }

    /// The offset of the result of a step.
    fn result(&self, which: usize, row: usize, time: usize) -> usize {
        let (all, units) = (self.directions.len(), self.directions[which].hidden);
        if self.sequences.batch_first {
            ((row * self.sequences.steps + time) * all + which) * units
        } else {
            ((time * all + which) * self.sequences.batch + row) * units
        }
    }

    /// The position of a step of a sequence; `None` after its end.
    fn time(&self, direction: &Direction, row: usize, step: usize) -> Option<usize> {
        let length = self.length(row);
        let time = if direction.reverse {
            length.checked_sub(step + 1)?
        } else {
            step
        };
        (time < length).then_some(time)
    }

    fn begin(&self, which: usize, rows: &Range<usize>, memory: &mut Memory) {
        let units = self.directions[which].hidden;
        for (given, state) in [
            (self.sequences.hidden, &mut *memory.hidden),
            (self.sequences.cell, &mut *memory.cell),
        ] {
            for (row, state) in rows.clone().zip(state.chunks_exact_mut(units)) {
                match given {
                    Some(given) => state.copy_from_slice(&given[self.state(which, row)..][..units]),
                    None => state.fill(0.0),
                }
            }
        }
    }

    /// Copies the inputs of some steps, one row for each step and sequence; zeros after the end of
    /// a sequence.
    fn gather(&self, direction: &Direction, rows: &Range<usize>, steps: &Range<usize>, x: &mut [f32]) {
        let Sequences {
            steps: all,
            batch,
            batch_first,
            ..
        } = *self.sequences;
        let width = direction.input;
        for (number, step) in steps.clone().enumerate() {
            for (place, row) in rows.clone().enumerate() {
                let target = &mut x[(number * rows.len() + place) * width..][..width];
                match self.time(direction, row, step) {
                    Some(time) => {
                        let at = if batch_first {
                            row * all + time
                        } else {
                            time * batch + row
                        };
                        target.copy_from_slice(&self.sequences.x[at * width..][..width]);
                    }
                    None => target.fill(0.0),
                }
            }
        }
    }

    /// Returns how all inputs are quantized.
    fn scale_of_inputs(&self, direction: &Direction) -> DynamicScale {
        let Sequences { x, steps, batch, .. } = *self.sequences;
        DynamicScale::of(self.pool.isa(), &x[..steps * batch * direction.input])
    }

    /// Computes the products of the inputs of some steps, with biases.
    fn input_sums(&self, group: &Group, rows: &Rows, bytes: &mut DynamicRows, sums: &mut [f32]) {
        let epilogue = Epilogue {
            bias: Bias::Column(&group.bias),
            ..Epilogue::default()
        };
        match &group.w {
            Operand::Floats(weights) => self.multiply(rows, weights, &epilogue, sums),
            Operand::Bytes(weights) => {
                let after = After {
                    bias: Some(&group.bias),
                    added: false,
                };
                self.multiply_bytes(rows, weights, after, bytes, sums);
            }
        }
    }

    /// Adds the products of states and weights to sums.
    fn add_state(&self, rows: &Rows, weights: &Operand, bytes: &mut DynamicRows, sums: &mut [f32]) {
        let epilogue = Epilogue {
            residual: Residual::Output,
            ..Epilogue::default()
        };
        match weights {
            Operand::Floats(weights) => self.multiply(rows, weights, &epilogue, sums),
            Operand::Bytes(weights) => {
                let after = After {
                    bias: None,
                    added: true,
                };
                self.multiply_bytes(rows, weights, after, bytes, sums);
            }
        }
    }

    /// Quantizes rows and multiplies them by packed weights.
    fn multiply_bytes(
        &self,
        rows: &Rows,
        weights: &ScaledWeights,
        after: After,
        bytes: &mut DynamicRows,
        result: &mut [f32],
    ) {
        let isa = self.pool.isa();
        let scale = rows.scale.unwrap_or_else(|| DynamicScale::of(isa, rows.x));
        bytes.fill(isa, rows.x, weights.k(), scale, weights.needs_row_sums());
        let (data, stride) = bytes.rows();
        let quantized = ScaledRows {
            count: rows.count,
            bytes: data,
            stride,
            sums: &bytes.sums,
            scale: scale.scale,
            zero: scale.zero.into(),
        };
        weights.multiply(self.pool, &quantized, after, result, rows.alone);
    }

    /// Multiplies rows by packed weights.
    fn multiply(&self, rows: &Rows, weights: &PackedB, epilogue: &Epilogue, result: &mut [f32]) {
        let Rows { x, count, .. } = *rows;
        assert!(x.len() == count * weights.k && result.len() >= count * weights.n);
        let job = Job {
            isa: weights.isa,
            a: Matrix {
                data: x,
                rows: count,
                columns: weights.k,
                row_stride: weights.k,
                column_stride: 1,
            },
            b: Weights::Floats(&weights.data),
            n: weights.n,
            epilogue,
            c: Shared::new(result),
            first: 0,
        };
        if rows.alone {
            job.run_here();
        } else {
            job.run(self.pool);
        }
    }

    /// Computes one step; `number` is its place in the chunk.
    fn step(
        &self,
        which: usize,
        rows: &Range<usize>,
        step: usize,
        number: usize,
        memory: &mut Memory,
        alone: bool,
    ) {
        let direction = &self.directions[which];
        let (isa, units, count) = (self.pool.isa(), direction.hidden, rows.len());
        let Memory {
            hidden,
            cell,
            other,
            sums: [first, second],
            bytes,
            ..
        } = memory;
        let weights = &direction.groups[0].r;
        let width = weights.n();
        let first = &mut first[number * count * width..][..count * width];
        let of = |x| Rows {
            x,
            count,
            scale: None,
            alone,
        };
        self.add_state(&of(hidden), weights, bytes, first);
        if let (
            Cell::Gru {
                gate, reset_after, ..
            },
            Some(group),
        ) = (direction.cell, direction.groups.get(1))
        {
            let second = &mut second[number * count * units..][..count * units];
            for place in 0..count {
                let own = place * units..(place + 1) * units;
                let kept = (!reset_after).then(|| &mut other[own.clone()]);
                let sums = &mut first[place * width..][..width];
                direction.gru_gates(isa, gate, sums, &hidden[own], kept);
            }
            if reset_after {
                let late = Epilogue {
                    bias: Bias::Column(&direction.late_bias),
                    ..Epilogue::default()
                };
                if let Operand::Floats(weights) = &group.r {
                    self.multiply(&of(hidden), weights, &late, other);
                }
            } else {
                self.add_state(&of(other), &group.r, bytes, second);
            }
        }
        for (place, row) in rows.clone().enumerate() {
            let Some(time) = self.time(direction, row, step) else {
                continue;
            };
            let own = place * units..(place + 1) * units;
            let sums = &mut first[place * width..][..width];
            let hidden = &mut hidden[own.clone()];
            match direction.cell {
                Cell::Rnn { activation } => direction.rnn(isa, activation, sums, hidden),
                Cell::Lstm { .. } => direction.lstm(isa, sums, hidden, &mut cell[own]),
                Cell::Gru {
                    candidate,
                    reset_after,
                    ..
                } => {
                    let fresh = &mut second[number * count * units..][own.clone()];
                    let after = reset_after.then(|| &other[own]);
                    direction.gru(isa, candidate, sums, fresh, hidden, after);
                }
            }
            if let Some(all) = self.all {
                // SAFETY: the result of this step of this sequence, which belongs to this thread.
                let target = unsafe { all.part(self.result(which, row, time), units) };
                target.copy_from_slice(hidden);
            }
        }
    }

    /// Stores the last states, and zeros after the end of each sequence.
    fn end(&self, which: usize, rows: &Range<usize>, memory: &Memory) {
        let units = self.directions[which].hidden;
        for (place, row) in rows.clone().enumerate() {
            let own = place * units..(place + 1) * units;
            for (target, state) in [(self.hidden, &*memory.hidden), (self.cell, &*memory.cell)] {
                if let Some(target) = target {
                    // SAFETY: the state of this sequence, which belongs to this thread.
                    let target = unsafe { target.part(self.state(which, row), units) };
                    target.copy_from_slice(&state[own.clone()]);
                }
            }
            for time in self.length(row)..self.sequences.steps {
                if let Some(all) = self.all {
                    // SAFETY: as in `step`.
                    unsafe { all.part(self.result(which, row, time), units) }.fill(0.0);
                }
            }
        }
    }
}
