//! Positions in a sequence, for the operators of this group.
//!
//! Interpretation: the text asks for a scalar, the official case `sequence_insert_at_front` has shape
//! `[1]`; one element of any rank is accepted.

use onnx_tensor::Sequence;

use crate::frame::{Call, OpError};

/// The position in `sequence` given by input `index`, counted from the front. `end` allows the position
/// after the last element, for an insertion. A negative position counts from the back.
pub(super) fn position(
    call: &Call<'_>,
    index: usize,
    sequence: &Sequence,
    end: bool,
) -> Result<usize, OpError> {
    let length = sequence.values.len();
    let places = length + usize::from(end);
    let &[given] = call.integers(index)?.as_slice() else {
        return Err(OpError::invalid("`position` must have one element"));
    };
    let front = if given < 0 {
        given.saturating_add(length as i64)
    } else {
        given
    };
    usize::try_from(front)
        .ok()
        .filter(|&front| front < places)
        .ok_or_else(|| OpError::invalid(format!("position {given} is outside [-{length}, {places})")))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Sequence, Tensor, Value, ValueType};

    use crate::frame::testing::{attribute, check, refused, values};

    fn sequence(elements: &[i64]) -> Value {
        Value::Sequence(Sequence {
            element: ValueType::tensor(DType::Int64),
            values: elements
                .iter()
                .map(|&element| Tensor::scalar(element).into())
                .collect(),
        })
    }

    fn number(value: i64) -> Value {
        Tensor::scalar(value).into()
    }

    #[test]
    fn positions_count_from_both_ends() {
        let s = || sequence(&[1, 2, 3]);
        check(("", "SequenceAt", 11), &[s(), number(-3)], &[], &[number(1)]);
        refused(("", "SequenceAt", 11), &[s(), number(3)], &[], "outside [-3, 3)");
        refused(("", "SequenceAt", 11), &[s(), number(-4)], &[], "outside [-3, 3)");
        check(("", "SequenceErase", 11), &[s()], &[], &[sequence(&[1, 2])]);
        check(
            ("", "SequenceErase", 11),
            &[s(), number(-2)],
            &[],
            &[sequence(&[1, 3])],
        );
        refused(
            ("", "SequenceErase", 11),
            &[sequence(&[])],
            &[],
            "nothing to erase",
        );
        let inserted = [s(), number(9), number(-1)];
        check(
            ("", "SequenceInsert", 11),
            &inserted,
            &[],
            &[sequence(&[1, 2, 9, 3])],
        );
        let after_insert = [s(), number(9), number(3)];
        check(
            ("", "SequenceInsert", 11),
            &after_insert,
            &[],
            &[sequence(&[1, 2, 3, 9])],
        );
        refused(
            ("", "SequenceInsert", 11),
            &[s(), number(9), number(4)],
            &[],
            "outside [-3, 4)",
        );
        refused(
            ("", "SequenceInsert", 11),
            &[s(), Tensor::scalar(1.0_f32).into()],
            &[],
            "cannot be inserted into",
        );
    }

    #[test]
    fn parts_of_a_tensor() {
        let parts = |lengths: Tensor| values(&[Tensor::vector(vec![1_i64, 2, 3]), lengths]);
        let under = ("", "SplitToSequence", 24);
        refused(under, &parts(Tensor::scalar(0_i64)), &[], "must be positive");
        refused(under, &parts(Tensor::vector(vec![1_i64, 1])), &[], "sum to");
        refused(
            under,
            &parts(Tensor::vector(vec![4_i64, -1])),
            &[],
            "not an extent",
        );
        let whole = Value::Sequence(Sequence {
            element: ValueType::tensor(DType::Int64),
            values: values(&[
                Tensor::vector(Vec::<i64>::new()),
                Tensor::vector(vec![1_i64, 2, 3]),
            ]),
        });
        // `keepdims` is ignored if `split` is present.
        let lengths = parts(Tensor::vector(vec![0_i64, 3]));
        check(under, &lengths, &[attribute("keepdims", 0)], &[whole]);
        let squeezed = [Tensor::vector(vec![1_i64, 2, 3]).into()];
        check(
            under,
            &squeezed,
            &[attribute("keepdims", 0)],
            &[sequence(&[1, 2, 3])],
        );
    }

    #[test]
    fn concatenation_along_old_and_new_axes() {
        let row = |elements: [i64; 2]| Tensor::vector(elements.to_vec()).into();
        let rows = [Value::Sequence(Sequence {
            element: ValueType::tensor(DType::Int64),
            values: vec![row([1, 2]), row([3, 4])],
        })];
        let under = ("", "ConcatFromSequence", 11);
        let flat = Tensor::vector(vec![1_i64, 2, 3, 4]);
        check(under, &rows, &[attribute("axis", -1)], &[flat.into()]);
        let columns = Tensor::new(&[2, 2], vec![1_i64, 3, 2, 4]).expect("four elements");
        let last = [attribute("axis", -1), attribute("new_axis", 1)];
        check(under, &rows, &last, &[columns.into()]);
        refused(under, &[sequence(&[])], &[attribute("axis", 0)], "empty sequence");
        refused(under, &rows, &[attribute("axis", 1)], "outside [-1, 1)");
        refused(
            ("", "SequenceEmpty", 11),
            &[],
            &[attribute("dtype", 17)],
            "cannot be",
        );
    }
}
