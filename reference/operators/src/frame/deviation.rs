//! Named deviations of the reference from the specification.

/// A violation or gap of the specification for which all runtimes and exporters agree on one behaviour, so
/// that real models rely on it. A run implements that behaviour; a strict run rejects the model or the
/// node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Deviation {
    /// A name or declaration is missing that no result depends on.
    Declarations,
    /// Constant-1 returns integers.
    IntegerConstant,
    /// An operator that a later release withdrew retroactively.
    WithdrawnLater,
    /// An operator that ONNX Runtime adds to the domain of ONNX.
    RuntimeOperator,
    /// Nodes are not in topological order.
    NodeOrder,
    /// A pooling window that `ceil_mode` adds covers only padding.
    WindowInPadding,
    /// `tf_half_pixel_for_nn` in Resize-13 to 19.
    TfHalfPixelForNn,
    /// `mode` = `wrap` in Pad-18.
    PadWrap,
    /// `reduction` = `max` or `min` in ScatterElements-16 and ScatterND-16.
    ScatterExtremum,
    /// A negative axis where the text counts from the front only, or is silent.
    NegativeAxis,
    /// A negative index where the text does not say that it counts from the back (Gather-1, Scatter-9).
    NegativeIndex,
    /// A condition of Compress with a rank other than 1.
    ConditionRank,
    /// STFT-17 with a signal of rank 2.
    SignalRank,
    /// A letter of an Einsum equation with extent 1 in one operand and another extent in the next.
    EinsumUnitLetter,
    /// A scan output of a Loop without iterations whose body does not declare the whole shape.
    LoopWithoutShape,
    /// DynamicQuantizeLinear of all zeros, for which the scale is 0.
    QuantizedZeros,
}

impl Deviation {
    /// Every deviation.
    pub const ALL: [Deviation; 16] = [
        Deviation::Declarations,
        Deviation::IntegerConstant,
        Deviation::WithdrawnLater,
        Deviation::RuntimeOperator,
        Deviation::NodeOrder,
        Deviation::WindowInPadding,
        Deviation::TfHalfPixelForNn,
        Deviation::PadWrap,
        Deviation::ScatterExtremum,
        Deviation::NegativeAxis,
        Deviation::NegativeIndex,
        Deviation::ConditionRank,
        Deviation::SignalRank,
        Deviation::EinsumUnitLetter,
        Deviation::LoopWithoutShape,
        Deviation::QuantizedZeros,
    ];

    /// Its name in options and reports.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The accepted behaviour and its evidence, in one or two sentences.
    pub const fn doc(self) -> &'static str {
        self.row().1
    }

    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Deviation::Declarations => (
                "declarations",
                "A name or a declaration that no result depends on is missing, repeated or wrong: graph-name, \
                 node-name-twice, value-type-missing, value-shape-missing, ir-feature, metadata-twice, \
                 extent-negative, attribute-untyped, value-type-wrong (float16 converters; ONNX \
                 Runtime 1.32 accepts it), initializer-not-input (an initializer of IR version \
                 3 that is not a graph input; ONNX Runtime 1.31 and tract accept it).",
            ),
            Deviation::IntegerConstant => (
                "integer-constant",
                "Constant-1 returns integers, although that version lists only floats. The PyTorch \
                 exporters whose models are in the official data of onnx 1.2.1 to 1.10.2 \
                 (test_operator_repeat, test_PixelShuffle) wrote shapes this way.",
            ),
            Deviation::WithdrawnLater => (
                "withdrawn-later",
                "An operator that a later release withdrew: GroupNormalization-18, which onnx 1.13 to \
                 1.20 accept and test (test_group_normalization_example).",
            ),
            Deviation::RuntimeOperator => (
                "runtime-operator",
                "An operator that ONNX Runtime adds to the domain of ONNX: SimplifiedLayerNormalization, and \
                 LayerNormalization below opset 17. The optimizer of ONNX Runtime and the model builder of \
                 onnxruntime-genai write them; RMSNormalization-23 and LayerNormalization-17 have nearly the \
                 same definitions.",
            ),
            Deviation::NodeOrder => (
                "node-order",
                "Nodes are not in topological order. They run in topological order; in a graph without \
                 cycles all such orders have the same result. ONNX Runtime sorts the graph too.",
            ),
            Deviation::WindowInPadding => (
                "window-in-padding",
                "A window that ceil_mode adds and that starts in the padding at the end is omitted in \
                 MaxPool-10 and 11, AveragePool-10 and 11 and LpPool-18 and 22, as the text of MaxPool-22 \
                 and AveragePool-22 says. PyTorch, the origin of the definition, and ONNX Runtime 1.31 \
                 omit it in every version; onnx.reference does in LpPool.",
            ),
            Deviation::TfHalfPixelForNn => (
                "tf-half-pixel-for-nn",
                "Resize-13, 18 and 19 accept coordinate_transformation_mode tf_half_pixel_for_nn with the \
                 formula of Resize-11. The text drops it; ONNX Runtime 1.31 keeps it, and exports of \
                 TensorFlow use it.",
            ),
            Deviation::PadWrap => (
                "pad-wrap",
                "Pad-18 accepts mode wrap as in Pad-19. The text of 18 does not list it; onnx.reference \
                 and ONNX Runtime 1.31 accept it.",
            ),
            Deviation::ScatterExtremum => (
                "scatter-extremum",
                "ScatterElements-16 and ScatterND-16 accept reduction max and min as in version 18. \
                 onnx.reference and ONNX Runtime 1.31 accept them, and exports of PyTorch use them.",
            ),
            Deviation::NegativeAxis => (
                "negative-axis",
                "A negative axis counts from the back in Compress-9, Concat-1 and 4, OneHot-9, Scan-9, \
                 Slice-1 and 10, Split-1, Squeeze-1 and Unsqueeze-1, as version 11 of each says. ONNX \
                 Runtime 1.31 and onnx.reference do so in every version; converters below opset 11 write \
                 it.",
            ),
            Deviation::NegativeIndex => (
                "negative-index",
                "A negative index counts from the back in Gather-1 and Scatter-9, as version 11 says. \
                 ONNX Runtime 1.31 and tract do so in every version; the tracing exporter of PyTorch \
                 writes `x[-1]` this way at opset 9.",
            ),
            Deviation::ConditionRank => (
                "condition-rank",
                "A condition with a rank other than 1 is flattened in Compress without axis, like the \
                 input. ONNX Runtime 1.31 does so; paddle2onnx writes masked_select this way.",
            ),
            Deviation::SignalRank => (
                "signal-rank",
                "STFT-17 accepts a signal of rank 2, [batch, length]; the text asks for [batch, length, \
                 1]. ONNX Runtime 1.31 accepts it, and exports of PyTorch use it.",
            ),
            Deviation::EinsumUnitLetter => (
                "einsum-unit-letter",
                "A letter whose extent is 1 in one operand of Einsum is broadcast to its extent in the \
                 others. The text refers to numpy.einsum, which broadcasts it, as onnx.reference and ONNX \
                 Runtime 1.31 do.",
            ),
            Deviation::LoopWithoutShape => (
                "loop-without-shape",
                "A scan output of a Loop or Scan without iterations has extent 0 for each undeclared \
                 extent, and rank 1 if the body declares no rank. ONNX Runtime 1.31 does so.",
            ),
            Deviation::QuantizedZeros => (
                "quantized-zeros",
                "DynamicQuantizeLinear of all zeros has the scale 1 and the zero point 0; the formula has \
                 the scale 0 and divides by it. ONNX Runtime 1.31 returns the scale 1 (onnx.reference \
                 1/255); with every scale the values and their products are 0.",
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
