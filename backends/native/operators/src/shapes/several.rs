//! Types that attributes or other inputs decide, and shapes of operators with several outputs.

use onnx_tensor::{DType, Dim};

use super::{Known, Shape, whole};
use crate::call::{axis, extent};

impl Known<'_> {
    /// ConstantOfShape: the type of the value.
    pub fn filled_dtype(&self) -> Option<DType> {
        let value = self.attributes.tensor("value").ok()?;
        Some(value.map_or(DType::Float, |value| value.dtype()))
    }

    /// QuantizeLinear: the type of the zero point, else that of the attribute, else uint8.
    pub fn quantized_dtype(&self) -> Option<DType> {
        if self.is_given(2) {
            self.dtype(2)
        } else {
            Some(self.named_dtype("output_dtype").unwrap_or(DType::Uint8))
        }
    }

    /// TopK: as many elements of the axis as `k` says.
    pub fn top_k(&self) -> Option<Shape> {
        let mut result = self.shape_like(0)?;
        let at = axis(self.int("axis")?, result.len()).ok()?;
        let k = match self.since {
            ..10 => self.int("k"),
            _ => self.ints(1).and_then(|k| k.first().copied()),
        };
        result[at] = k.and_then(|k| extent(k).ok()).map_or(Dim::Unknown, Dim::Fixed);
        Some(result)
    }

    /// The number of elements that differ is unknown. Without an axis, the result is a vector.
    pub fn unique(&self) -> Vec<Option<Shape>> {
        let vector = || Some(vec![Dim::Unknown]);
        let along = |at: i64| {
            let mut result = self.shape_like(0)?;
            let at = axis(at, result.len()).ok()?;
            result[at] = Dim::Unknown;
            Some(result)
        };
        let first = match self.int("axis") {
            Some(at) => along(at),
            None => vector(),
        };
        vec![first, vector(), vector(), vector()]
    }

    /// The result, the keys and the values with those of the past, and the scores. Operands of
    /// three axes have their heads in the last.
    pub fn attention(&self) -> Option<Vec<Option<Shape>>> {
        let heads = |name: &str| self.int(name).and_then(|heads| extent(heads).ok());
        let (q_heads, kv_heads) = (heads("q_num_heads"), heads("kv_num_heads"));
        let q = self.with_heads(0, q_heads)?;
        let k = self.with_heads(1, kv_heads)?;
        let v = self.with_heads(2, kv_heads)?;
        let total = |past: usize, tokens: &Dim| match self.operand(past) {
            None => tokens.clone(),
            Some(_) => {
                let both = [self.shape(past).and_then(|shape| shape.get(2)), Some(tokens)];
                let both = both.map(|dim| dim.and_then(whole));
                match both {
                    [Some(past), Some(new)] => past.checked_add(new).map_or(Dim::Unknown, Dim::Fixed),
                    _ => Dim::Unknown,
                }
            }
        };
        let [batch, heads, queries, _] = q.clone();
        let keys = total(4, &k[2]);
        let present = |of: &[Dim; 4], past: usize| {
            vec![of[0].clone(), of[1].clone(), total(past, &of[2]), of[3].clone()]
        };
        let result = match self.shape(0)?.len() {
            3 => {
                let hidden = q_heads
                    .zip(whole(&v[3]))
                    .and_then(|(heads, size)| heads.checked_mul(size));
                vec![
                    batch.clone(),
                    queries.clone(),
                    hidden.map_or(Dim::Unknown, Dim::Fixed),
                ]
            }
            _ => vec![batch.clone(), heads.clone(), queries.clone(), v[3].clone()],
        };
        let scores = vec![batch, heads, queries, keys];
        Some(vec![
            Some(result),
            Some(present(&k, 4)),
            Some(present(&v, 5)),
            Some(scores),
        ])
    }

    /// Returns the extents of an operand as `[batch, heads, tokens, size]`.
    fn with_heads(&self, position: usize, heads: Option<usize>) -> Option<[Dim; 4]> {
        match self.shape(position)? {
            [batch, heads, tokens, size] => {
                Some([batch.clone(), heads.clone(), tokens.clone(), size.clone()])
            }
            [batch, tokens, hidden] => {
                let heads = heads.filter(|heads| *heads > 0)?;
                let size = super::mapped(hidden, |hidden| {
                    hidden.is_multiple_of(heads).then_some(hidden / heads)
                });
                Some([batch.clone(), Dim::Fixed(heads), tokens.clone(), size])
            }
            _ => None,
        }
    }
}
