//! Shapes of operators on images.

use onnx_tensor::{Dim, Value};

use super::{Known, Shape, fixed, mapped};
use crate::call::{axis, extent, extents};
use crate::error::Problem;
use crate::{Call, unpooled};

impl Known<'_> {
    /// The size is `[N, C, H, W]` or `[N, C, D, H, W]`; the grid has a coordinate for each spatial axis.
    pub fn affine_grid(&self) -> Option<Shape> {
        let size = self.listed(1)?;
        let ([images, _], spatial) = size.split_first_chunk()?;
        Some(
            [
                std::slice::from_ref(images),
                spatial,
                &[Dim::Fixed(spatial.len())],
            ]
            .concat(),
        )
    }

    pub fn grid_sample(&self) -> Option<Shape> {
        let (x, grid) = (self.shape(0)?, self.shape(1)?);
        let places = grid.get(1..grid.len().checked_sub(1)?)?;
        Some([x.get(..2)?, places].concat())
    }

    pub fn depth_to_space(&self) -> Option<Shape> {
        self.blocks(divided, multiplied)
    }

    pub fn space_to_depth(&self) -> Option<Shape> {
        self.blocks(multiplied, divided)
    }

    /// Changes the channels by the elements of a block, rows and columns by its sides.
    fn blocks(&self, of_channels: fn(&Dim, usize) -> Dim, of_sides: fn(&Dim, usize) -> Dim) -> Option<Shape> {
        let block = extent(self.int("blocksize")?).ok().filter(|block| *block > 0)?;
        let square = block.checked_mul(block)?;
        let [images, channels, rows, columns] = self.shape(0)? else {
            return None;
        };
        Some(vec![
            images.clone(),
            of_channels(channels, square),
            of_sides(rows, block),
            of_sides(columns, block),
        ])
    }

    /// RoiAlign: one image for each region.
    pub fn regions(&self) -> Option<Shape> {
        let (x, regions) = (self.shape(0)?, self.shape(1)?);
        let bins = ["output_height", "output_width"].map(|name| extent(self.int(name)?).ok());
        let [Some(rows), Some(columns)] = bins else {
            return None;
        };
        let of_regions = vec![regions.first()?.clone(), x.get(1)?.clone()];
        Some([of_regions, fixed(&[rows, columns])].concat())
    }

    pub fn center_crop_pad(&self) -> Option<Shape> {
        let mut result = self.shape(0)?.to_vec();
        let wanted = self.listed(1)?;
        let listed = match self.attributes.ints("axes").ok()? {
            Some(list) => list.to_vec(),
            None => (0..result.len() as i64).collect(),
        };
        if listed.len() != wanted.len() {
            return None;
        }
        for (at, dim) in listed.into_iter().zip(wanted) {
            let at = axis(at, result.len()).ok()?;
            result[at] = dim;
        }
        Some(result)
    }

    /// The columns of a block hold its channels one after another.
    pub fn col2im(&self) -> Option<Shape> {
        let [images, columns, _] = self.shape(0)? else {
            return None;
        };
        let block = self.ints(2).and_then(|block| extents(&block).ok());
        let block = block.and_then(|block| block.into_iter().try_fold(1, usize::checked_mul));
        let channels = block.map_or(Dim::Unknown, |block| {
            mapped(columns, |extent| extent.checked_div(block))
        });
        Some([vec![images.clone(), channels], self.listed(1)?].concat())
    }

    pub fn unpool(&self) -> Option<Shape> {
        if self.is_given(2) {
            self.listed(2)
        } else {
            self.settled(2, unpooled)
        }
    }

    /// The extents that a function of the shape of the first input returns, if it is fixed and the inputs
    /// from this one on are constants: the function reads them.
    pub fn settled(
        &self,
        first: usize,
        extents: impl FnOnce(&Call, &[usize]) -> Result<Vec<usize>, Problem>,
    ) -> Option<Shape> {
        let open = vec![Dim::Unknown; self.shape(0)?.len()];
        let later = first..self.inputs.len();
        let constant = |position| Some(Value::Tensor(self.constant(position)?.clone()));
        let constants: Vec<Option<Value>> = later.clone().map(constant).collect();
        let missing = later
            .zip(&constants)
            .any(|(position, constant)| self.is_given(position) && constant.is_none());
        let Some(shape) = self.fixed(0).filter(|_| !missing) else {
            return Some(open);
        };
        let inputs: Vec<Option<&Value>> = std::iter::repeat_n(None, first)
            .chain(constants.iter().map(Option::as_ref))
            .collect();
        let call = Call {
            since: self.since,
            attributes: self.attributes,
            inputs: &inputs,
            outputs: 1,
        };
        Some(fixed(&extents(&call, &shape).ok()?))
    }
}

fn multiplied(dim: &Dim, by: usize) -> Dim {
    mapped(dim, |extent| extent.checked_mul(by))
}

fn divided(dim: &Dim, by: usize) -> Dim {
    mapped(dim, |extent| extent.is_multiple_of(by).then_some(extent / by))
}
