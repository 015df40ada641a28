//! Where the reference departs from the letter of the specification, by name.

/// A breach or gap of the specification in which every runtime and exporter agrees on one meaning, so that real models
/// rely on it. A run gives that meaning; a strict run refuses the model or the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Deviation {
    /// A name or a declaration is missing on which no result depends.
    Declarations,
    /// Constant-1 gives integers.
    IntegerConstant,
    /// An operator that a later release withdrew as if it had never been.
    WithdrawnLater,
    /// Nodes do not stand in topological order.
    NodeOrder,
    /// A window of pooling that `ceil_mode` adds lies in padding only.
    WindowInPadding,
    /// `tf_half_pixel_for_nn` in Resize-13 to 19.
    TfHalfPixelForNn,
    /// `mode` = `wrap` in Pad-18.
    PadWrap,
    /// `reduction` = `max` or `min` in ScatterElements-16 and ScatterND-16.
    ScatterExtremum,
    /// A negative axis where the text counts from the front only, or does not say from where.
    NegativeAxis,
    /// A negative index where the text does not say that it counts from the back (Gather-1, Scatter-9).
    NegativeIndex,
    /// STFT-17 with a signal of rank 2.
    SignalRank,
    /// A letter of an Einsum equation with extent 1 in one operand and another extent in the next.
    EinsumUnitLetter,
    /// A scan output of a Loop without iterations whose body does not declare its whole shape.
    LoopWithoutShape,
    /// DynamicQuantizeLinear of zeros alone, whose scale is 0.
    QuantizedZeros,
}

impl Deviation {
    /// Every deviation.
    pub const ALL: [Deviation; 14] = [
        Deviation::Declarations,
        Deviation::IntegerConstant,
        Deviation::WithdrawnLater,
        Deviation::NodeOrder,
        Deviation::WindowInPadding,
        Deviation::TfHalfPixelForNn,
        Deviation::PadWrap,
        Deviation::ScatterExtremum,
        Deviation::NegativeAxis,
        Deviation::NegativeIndex,
        Deviation::SignalRank,
        Deviation::EinsumUnitLetter,
        Deviation::LoopWithoutShape,
        Deviation::QuantizedZeros,
    ];

    /// Its name in options and reports.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// What is tolerated, and on what evidence; one or two sentences.
    pub const fn doc(self) -> &'static str {
        self.row().1
    }

    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Deviation::Declarations => (
                "declarations",
                "A name or a declaration is missing on which no result depends: graph-name, node-name-twice, \
                 value-type-missing, value-shape-missing, ir-feature.",
            ),
            Deviation::IntegerConstant => (
                "integer-constant",
                "Constant-1 gives integers, though that version lists floats only. The PyTorch exporters whose models \
                 stand in the official data of onnx 1.2.1 to 1.10.2 (test_operator_repeat, test_PixelShuffle) wrote \
                 shapes so.",
            ),
            Deviation::WithdrawnLater => (
                "withdrawn-later",
                "An operator that a later release withdrew: GroupNormalization-18, which onnx 1.13 to 1.20 hold valid \
                 and test (test_group_normalization_example).",
            ),
            Deviation::NodeOrder => (
                "node-order",
                "Nodes stand in another than topological order. They are run in topological order; where the graph has \
                 no circle all such orders give the same result. ONNX Runtime sorts the graph too.",
            ),
            Deviation::WindowInPadding => (
                "window-in-padding",
                "A window that ceil_mode adds and that starts in the padding at the end is left out in MaxPool-10 and 11, \
                 AveragePool-10 and 11 and LpPool-18 and 22, as the text of MaxPool-22 and AveragePool-22 says. PyTorch, to \
                 which the definition goes back, and ONNX Runtime 1.31 leave it out at every version; onnx.reference does \
                 in LpPool.",
            ),
            Deviation::TfHalfPixelForNn => (
                "tf-half-pixel-for-nn",
                "Resize-13, 18 and 19 take coordinate_transformation_mode tf_half_pixel_for_nn with the formula of Resize-11. \
                 The text drops it; ONNX Runtime 1.31 keeps it, and exports of TensorFlow hold it.",
            ),
            Deviation::PadWrap => (
                "pad-wrap",
                "Pad-18 takes mode wrap with the meaning of Pad-19. The text of 18 does not list it; onnx.reference and ONNX \
                 Runtime 1.31 take it.",
            ),
            Deviation::ScatterExtremum => (
                "scatter-extremum",
                "ScatterElements-16 and ScatterND-16 take reduction max and min with the meaning of version 18. onnx.reference \
                 and ONNX Runtime 1.31 take them, and exports of PyTorch hold them.",
            ),
            Deviation::NegativeAxis => (
                "negative-axis",
                "A negative axis counts from the back in Compress-9, Concat-1 and 4, OneHot-9, Scan-9, Slice-1 and 10, \
                 Split-1, Squeeze-1 and Unsqueeze-1, as version 11 of each says. ONNX Runtime 1.31 counts so at every \
                 version, and so does onnx.reference; converters below opset 11 write it.",
            ),
            Deviation::NegativeIndex => (
                "negative-index",
                "A negative index counts from the back in Gather-1 and Scatter-9, as version 11 says. ONNX Runtime 1.31 and \
                 tract count so at every version; the exporter of PyTorch by tracing writes `x[-1]` so at opset 9.",
            ),
            Deviation::SignalRank => (
                "signal-rank",
                "STFT-17 takes a signal of rank 2, [batch, length]: the text asks for [batch, length, 1]. ONNX Runtime 1.31 \
                 takes it, and exports of PyTorch hold it.",
            ),
            Deviation::EinsumUnitLetter => (
                "einsum-unit-letter",
                "A letter whose extent is 1 in one operand of Einsum is broadcast to its extent in the others. The text \
                 refers to numpy.einsum, which broadcasts so, as onnx.reference and ONNX Runtime 1.31 do.",
            ),
            Deviation::LoopWithoutShape => (
                "loop-without-shape",
                "A Loop or Scan without iterations gives a scan output whose undeclared extents are 0, or of rank 1 where \
                 the body declares no rank. ONNX Runtime 1.31 does so.",
            ),
            Deviation::QuantizedZeros => (
                "quantized-zeros",
                "DynamicQuantizeLinear of zeros alone has the scale 1 and the zero point 0: the formula gives the scale 0 \
                 and divides by it. ONNX Runtime 1.31 gives the scale 1 (onnx.reference 1/255): with every scale the values and their \
                 products with it are 0.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Deviation;

    #[test]
    fn names_are_unique_and_every_one_is_listed_once() {
        let mut names: Vec<_> = Deviation::ALL.iter().map(|deviation| deviation.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Deviation::ALL.len());
        assert!(
            Deviation::ALL
                .iter()
                .all(|deviation| deviation.doc().ends_with('.'))
        );
    }
}
