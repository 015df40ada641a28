//! NGramRepeatBlock — the scores with −Inf for each token that would repeat an n-gram of the sequence.

use onnx_tensor::Tensor;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::nn::positive;

pub const OP: OpDef = contrib("NGramRepeatBlock", &[v(1, First, n_gram_repeat_block)]);

fn n_gram_repeat_block(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (ids, scores) = (call.array::<i64>(0)?, call.array::<f32>(1)?);
    let size = positive(call, "ngram_size")?;
    let (&[batch, length], &[rows, words]) = (ids.shape(), scores.shape()) else {
        return Err(OpError::invalid("`input_ids` and `scores` must have rank 2"));
    };
    if batch != rows {
        return Err(OpError::invalid(format!(
            "{batch} sequences, but {rows} rows of scores"
        )));
    }
    call.work(&[batch, length, size])?;
    let ids: Vec<i64> = ids.iter().copied().collect();
    let mut result: Vec<f32> = scores.iter().copied().collect();
    for row in 0..batch {
        let sequence = &ids[row * length..(row + 1) * length];
        let Some(first) = (length + 1).checked_sub(size) else {
            continue;
        };
        let ending = &sequence[first..];
        for n_gram in sequence
            .windows(size)
            .filter(|n_gram| n_gram[..size - 1] == *ending)
        {
            let token = n_gram[size - 1];
            let word = usize::try_from(token).ok().filter(|&word| word < words);
            let word =
                word.ok_or_else(|| OpError::invalid(format!("token {token} has none of {words} scores")))?;
            result[row * words + word] = f32::NEG_INFINITY;
        }
    }
    one(Tensor::new(&[rows, words], result)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, rows, values};

    /// Behind 1, 2, 1 the token 2 would repeat (1, 2); behind 0, 1, 2 nothing repeats.
    #[test]
    fn pairs() {
        let under = ("com.microsoft", "NGramRepeatBlock", 1);
        let ids = |values: [i64; 6]| Tensor::new(&[2, 3], values.to_vec()).expect("two sequences");
        let scores = || rows(&[[0.1_f32, 0.2, 0.3], [0.4, 0.5, 0.6]]);
        let y = rows(&[[0.1_f32, 0.2, f32::NEG_INFINITY], [0.4, 0.5, 0.6]]);
        let size = [attribute("ngram_size", 2)];
        exact(under, &[ids([1, 2, 1, 0, 1, 2]), scores()], &size, &[y]);
        let unknown = values(&[ids([1, 9, 1, 0, 1, 2]), scores()]);
        refused(under, &unknown, &size, "token 9");
    }
}
