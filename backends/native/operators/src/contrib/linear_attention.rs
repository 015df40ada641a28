//! Linear attention and its parts: operators of ONNX of the same names, without what these do not have.

use onnx_schema::DefaultValue;

use super::convolution::shared;
use super::elementwise::{biased, narrowed};
use super::{Row, contrib};
use crate::compose::{Composed, Composition, Id};
use crate::error::{invalid, unsupported};

pub const ROWS: &[Row] = &[
    contrib("CausalConvWithState", |c| {
        by_standard(c, "CausalConvWithState", 4)
    }),
    contrib("LinearAttention", |c| {
        let attributes = c.attributes();
        if attributes.int("kv_num_heads")? > attributes.int("q_num_heads")? {
            return Ok(unsupported("more key heads than query heads")?);
        }
        by_standard(c, "LinearAttention", 6)
    }),
    contrib("LinearAttentionGate", |c| {
        let x = c.input_wide(0)?;
        let sum = biased(c, x, Some(1))?;
        let soft = c.apply("Softplus", &[sum], &[])?;
        let scale = c.input_wide(2)?;
        c.along_last(soft, scale, "decay_scale")?;
        let decay = c.mul(soft, scale)?;
        narrowed(c, decay)?;
        if !c.wants(1) {
            return Ok(());
        }
        let Some(b) = c.find(3) else {
            return Ok(invalid("the output `beta` requires the input `b`")?);
        };
        let own = c.dtype(b)?;
        let b = c.wide(b)?;
        let beta = c.apply("Sigmoid", &[b], &[])?;
        c.give_as(1, beta, own)
    }),
];

/// The first opset with the operators.
const OPSET: u32 = 27;

/// Attributes that ONNX does not have must keep the only value that means the same: the default.
fn by_standard(c: &mut Composition<'_>, operator: &str, inputs: usize) -> Composed {
    let (Some(own), Some(standard)) = (
        onnx_schema::lookup(onnx_schema::CONTRIB_DOMAIN, operator, 1),
        onnx_schema::lookup("", operator, OPSET),
    ) else {
        return Ok(unsupported(format!("{operator} is not implemented"))?);
    };
    for attribute in own.attributes_beyond(standard) {
        let found = c.attributes().find_int(attribute.name)?.map(DefaultValue::Int);
        if attribute.default != found {
            return Ok(unsupported(format!("`{}` = {found:?}", attribute.name))?);
        }
    }
    let names: Vec<&str> = standard
        .attributes
        .iter()
        .map(|attribute| attribute.name)
        .collect();
    let given = shared(c, &names);
    let given_inputs: Vec<Option<Id>> = (0..inputs).map(|position| c.find(position)).collect();
    let found = c.apply_each((operator, OPSET), &given_inputs, &given, 2)?;
    c.give(0, found[0]);
    c.give(1, found[1]);
    Ok(())
}
