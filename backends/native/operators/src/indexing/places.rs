//! Where the elements are that indices name.

use super::index;
use crate::error::{Problem, invalid};
use crate::movement::{Run, strides};

/// Groups of adjacent elements of a tensor, all of one length.
#[derive(Debug, Default)]
pub struct Places {
    /// The position of the first element of each group.
    pub starts: Vec<usize>,
    /// The number of elements of a group.
    pub length: usize,
}

impl Places {
    /// Finds the elements that GatherElements and ScatterElements name with indices along `at`.
    ///
    /// Lines of equal indices, as a broadcast gives them, name adjacent elements.
    ///
    /// # Errors
    /// Shapes that do not match, or an index that is out of range.
    pub fn find_elements(
        &mut self,
        shape: &[usize],
        index_shape: &[usize],
        at: usize,
        indices: &[i64],
    ) -> Result<(), Problem> {
        let fits = |axis: usize| axis == at || index_shape[axis] <= shape[axis];
        if index_shape.len() != shape.len() || !(0..shape.len()).all(fits) {
            return invalid(format!(
                "indices of shape {index_shape:?} do not match a tensor of shape {shape:?}"
            ));
        }
        let Some((&width, outer)) = index_shape.split_last() else {
            return invalid("the indices must not be a scalar");
        };
        check(indices, shape[at])?;
        let own = strides(shape);
        let (stride, step) = (own[at], usize::from(at != outer.len()));
        let lines = || indices.chunks(width.max(1));
        let alike = step == 1 && lines().all(|line| line.iter().all(|value| *value == line[0]));
        self.length = if alike { width } else { 1 };
        self.starts.clear();
        // The coordinates of a line, without that of the last axis.
        let mut coordinates = vec![0; outer.len()];
        for line in lines() {
            let axes = coordinates.iter().enumerate().filter(|(axis, _)| *axis != at);
            let start: usize = axes.map(|(axis, coordinate)| coordinate * own[axis]).sum();
            let named = &line[..line.len() / self.length];
            let position = |(place, &value)| start + place * step + from_start(value, shape[at]) * stride;
            self.starts.extend(named.iter().enumerate().map(position));
            advance(&mut coordinates, outer);
        }
        Ok(())
    }

    /// Finds what GatherND and ScatterND name: the elements behind each row of coordinates, which follow
    /// `batch` axes.
    ///
    /// # Errors
    /// Coordinates that are out of range. The caller has checked the shapes.
    pub fn find_rows(
        &mut self,
        shape: &[usize],
        index_shape: &[usize],
        batch: usize,
        indices: &[i64],
    ) -> Result<(), Problem> {
        let Some((&width, rows)) = index_shape.split_last() else {
            return invalid("indices must not be a scalar");
        };
        let own = strides(shape);
        let per_batch = rows[batch..].iter().product::<usize>().max(1);
        let batch_size: usize = shape[batch..].iter().product();
        self.length = shape[batch + width..].iter().product();
        self.starts.clear();
        for row in 0..rows.iter().product() {
            let mut start = (row / per_batch) * batch_size;
            for axis in 0..width {
                start += index(indices[row * width + axis], shape[batch + axis])? * own[batch + axis];
            }
            self.starts.push(start);
        }
        Ok(())
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.starts.len() * self.length
    }

    /// Returns the groups as runs of the first source.
    pub fn runs(&self) -> impl Iterator<Item = Run> {
        self.starts.iter().map(|&start| Run {
            source: 0,
            start,
            length: self.length,
        })
    }
}

/// Refuses the first index that is out of range.
fn check(indices: &[i64], extent: usize) -> Result<(), Problem> {
    let extent = extent as i64;
    let inside = |value: i64| (-extent <= value) & (value < extent);
    // Without an early end, the compiler can compare several at once.
    if indices.iter().fold(true, |all, &value| all & inside(value)) {
        return Ok(());
    }
    let outside = indices.iter().find(|&&value| !inside(value));
    outside.map_or(Ok(()), |&value| index(value, extent as usize).map(drop))
}

/// Resolves an index that [`check`] found in range.
fn from_start(value: i64, extent: usize) -> usize {
    (if value < 0 { value + extent as i64 } else { value }) as usize
}

/// Moves to the next coordinates in row-major order; after the last ones come the first.
fn advance(coordinates: &mut [usize], shape: &[usize]) {
    for (coordinate, &extent) in coordinates.iter_mut().zip(shape).rev() {
        *coordinate += 1;
        if *coordinate < extent {
            return;
        }
        *coordinate = 0;
    }
}
