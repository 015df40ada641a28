//! Transformers in the form of exporters: projections, normalisations, attention, rotary positions,
//! gated layers, embeddings.

use onnx_model::AttributeValue::{Float, Int};
use onnx_tensor::Tensor;

use super::super::draft::{GraphDraft, Wire, broadcast};
use super::super::range::Range;
use super::elementwise::activated;
use super::heads::reduced;

/// Rows of features: [batch, length, features].
pub(super) fn rows(g: &mut GraphDraft) -> Option<Wire> {
    let shape = [g.one_of(&[1, 1, 2]), g.extent(1, 6), g.one_of(&[4, 8, 8, 12, 16])];
    g.float(&shape, |wire| {
        wire.rank() == 3 && wire.len() > 0 && wire.last() <= 64
    })
}

/// The product with a constant matrix, and usually a bias.
pub(super) fn projected(g: &mut GraphDraft, x: &Wire, features: usize) -> Option<Wire> {
    let inner = x.last();
    let w = g.weights(&[inner, features], inner)?;
    let mut shape = x.shape.clone();
    *shape.last_mut()? = features;
    let mut y = g.emit("MatMul", &[x, &w], &[], shape, x.range.dot(w.range, inner));
    if g.draws.one_in(2) {
        let bias = g.weights(&[features], 1)?;
        y = if g.draws.one_in(2) {
            g.combine("Add", &bias, &y)?
        } else {
            g.combine("Add", &y, &bias)?
        };
    }
    g.tamed(y)
}

/// A layer: a product, a bias, an activation.
pub fn layer(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 5, 8], |wire| {
        wire.rank() >= 2 && wire.len() > 0 && wire.last() <= 64
    })?;
    let features = g.one_of(&[1, 4, 8, 16, 17, 24]);
    let y = projected(g, &x, features)?;
    let y = if g.draws.one_in(2) { activated(g, &y)? } else { y };
    g.keep(y);
    Some(())
}

/// The product of two computed values or inputs, with leading axes that may broadcast.
pub fn product(g: &mut GraphDraft) -> Option<()> {
    let a = g.float(&[2, 3, 4], |wire| {
        wire.rank() >= 1 && wire.len() > 0 && wire.last() <= 64
    })?;
    let columns = g.extent(1, 9);
    let mut shape = vec![a.last(), columns];
    match g.draws.below(4) {
        0 if a.rank() > 2 => shape = [&a.shape[..a.rank() - 2], &shape[..]].concat(),
        1 => shape.insert(0, 2),
        2 => shape = vec![a.last()],
        _ => {}
    }
    let b = g.feed(&shape)?;
    let rows = if a.rank() == 1 {
        vec![]
    } else {
        vec![a.shape[a.rank() - 2]]
    };
    let ends = if b.rank() == 1 { vec![] } else { vec![columns] };
    let outer = broadcast(
        &a.shape[..a.rank().saturating_sub(2)],
        &b.shape[..b.rank().saturating_sub(2)],
    )?;
    let y = g.emit(
        "MatMul",
        &[&a, &b],
        &[],
        [outer, rows, ends].concat(),
        a.range.dot(b.range, a.last()),
    );
    g.keep(y);
    Some(())
}

/// LayerNormalization or RMSNormalization, as an operator or decomposed.
pub fn normalization(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 3, 8], |wire| {
        wire.rank() >= 2 && wire.len() > 0 && wire.last() > 1
    })?;
    let y = normalized(g, &x)?;
    g.keep(y);
    Some(())
}

fn normalized(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let features = x.last();
    let most = (features as f64).sqrt() * 2.0 + 2.0;
    let axis = x.rank() - 1;
    if g.opset >= 17 && g.draws.one_in(3) {
        let (scale, bias) = (g.weights(&[features], 1)?, g.weights(&[features], 1)?);
        let attributes = [("axis", Int(-1)), ("epsilon", Float(1e-2))];
        let with_bias: Vec<&Wire> = if g.draws.one_in(3) {
            vec![x, &scale]
        } else {
            vec![x, &scale, &bias]
        };
        return Some(g.emit(
            "LayerNormalization",
            &with_bias,
            &attributes,
            x.shape.clone(),
            Range::rounded(most),
        ));
    }
    let centred = if g.draws.one_in(2) {
        let mean = reduced(g, x, "ReduceMean", &[axis], true)?;
        g.combine("Sub", x, &mean)?
    } else {
        // RMSNormalization does not subtract the mean.
        x.clone()
    };
    let square = if g.draws.one_in(2) {
        let two = g.number(2.0)?;
        let shape = broadcast(&centred.shape, &two.shape)?;
        g.emit(
            "Pow",
            &[&centred, &two],
            &[],
            shape,
            Range::rounded(centred.range.most.powi(2)),
        )
    } else {
        g.combine("Mul", &centred, &centred)?
    };
    let variance = reduced(g, &square, "ReduceMean", &[axis], true)?;
    let epsilon = g.number(0.01)?;
    let sum = if g.draws.one_in(2) {
        g.combine("Add", &variance, &epsilon)?
    } else {
        g.combine("Add", &epsilon, &variance)?
    };
    let deviation = g.map("Sqrt", &sum, &[], most);
    let normal = if g.draws.one_in(2) {
        let quotient = g.combine("Div", &centred, &deviation)?;
        Wire {
            range: Range::rounded(most),
            ..quotient
        }
    } else {
        let inverse = g.map("Reciprocal", &deviation, &[], 10.0);
        g.combine("Mul", &centred, &inverse).map(|wire| Wire {
            range: Range::rounded(most),
            ..wire
        })?
    };
    let scale = g.weights(&[features], 1)?;
    let scaled = if g.draws.one_in(2) {
        g.combine("Mul", &scale, &normal)?
    } else {
        g.combine("Mul", &normal, &scale)?
    };
    if g.draws.one_in(3) {
        return Some(scaled);
    }
    let bias = g.weights(&[features], 1)?;
    if g.draws.one_in(2) {
        g.combine("Add", &bias, &scaled)
    } else {
        g.combine("Add", &scaled, &bias)
    }
}

/// Two projections, one of which gates the other.
pub fn gated(g: &mut GraphDraft) -> Option<()> {
    let x = rows(g)?;
    let features = g.one_of(&[4, 8, 16]);
    let (a, b) = (projected(g, &x, features)?, projected(g, &x, features)?);
    let gate = g.map("Sigmoid", &a, &[], 1.0);
    let gate = g.combine("Mul", &a, &gate)?;
    let inner = if g.draws.one_in(2) {
        g.combine("Mul", &gate, &b)?
    } else {
        g.combine("Mul", &b, &gate)?
    };
    let inner = g.tamed(inner)?;
    let y = projected(g, &inner, x.last())?;
    let y = if g.draws.one_in(2) {
        g.combine("Add", &x, &y)?
    } else {
        y
    };
    g.keep(y);
    Some(())
}

/// Rows of a table by indices that are inputs, and a sum with positions.
pub fn embedding(g: &mut GraphDraft) -> Option<()> {
    let (words, features) = (g.extent(3, 9), g.one_of(&[4, 8, 16]));
    let (n, length) = (g.one_of(&[1, 2]), g.extent(1, 6));
    let numbers: Vec<i64> = (0..n * length)
        .map(|_| g.draws.between(0, words as i64 - 1))
        .collect();
    let numbers = g.fed(
        Tensor::new(&[n, length], numbers).ok()?,
        Range::multiples(words as f64, 1.0),
    );
    let table = g.weights(&[words, features], 1)?;
    let rows = g.emit(
        "Gather",
        &[&table, &numbers],
        &[],
        vec![n, length, features],
        table.range,
    );
    let positions = g.weights(&[length, features], 1)?;
    let y = g.combine("Add", &rows, &positions)?;
    g.keep(y);
    Some(())
}
