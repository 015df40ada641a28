//! Models that satisfy every rule of the checker, but violate a rule in an operator's text on shapes or
//! values.

/// A sentence of an operator's text, and a model that violates it, in the form of
/// [`model`](crate::model).
#[derive(Debug)]
pub struct OperatorCase {
    /// The sentence and its location.
    pub sentence: &'static str,
    /// The model, at opset 13.
    pub text: &'static str,
}

const fn case(sentence: &'static str, text: &'static str) -> OperatorCase {
    OperatorCase { sentence, text }
}

/// One model for each sentence.
#[rustfmt::skip]
pub const OPERATORS: &[OperatorCase] = &[
    case("MatMul-13: behaves like numpy.matmul, which refuses inner extents that differ",
        "graph x:float[2,3] w:float[4,5] -> y:float[a,b]\ny = MatMul(x, w)"),
    case("Add-13: supports multidirectional (NumPy-style) broadcasting; 2 and 3 do not broadcast",
        "graph x:float[2] w:float[3] -> y:float[a]\ny = Add(x, w)"),
    case("Where-16 and -9: condition, X and Y broadcast",
        "graph c:bool[2] x:float[3] w:float[2] -> y:float[a]\ny = Where(c, x, w)"),
    case("Concat-13: all input tensors must have the same shape, except for the dimension size of the axis to concatenate on",
        "graph x:float[2,3] w:float[2,4] -> y:float[a,b]\ny = Concat(x, w) axis=0"),
    case("Concat-13, axis: a negative value counts from the back; accepted range is [-r, r-1]",
        "graph x:float[2,3] -> y:float[a,b]\ny = Concat(x) axis=4"),
    case("Reshape-13: at most one dimension of the new shape can be -1",
        "graph x:float[2,3] -> y:float[a,b]\ns = Constant() value_ints=[-1,-1]\ny = Reshape(x, s)"),
    case("Reshape-13: the input tensor's shape and the output tensor's shape are required to have the same number of elements",
        "graph x:float[2,3] -> y:float[a]\ns = Constant() value_ints=[5]\ny = Reshape(x, s)"),
    case("Transpose-13, perm: the axes are permuted, so that each is named once",
        "graph x:float[2,3] -> y:float[a,b]\ny = Transpose(x) perm=[0,0]"),
    case("Squeeze-13: if an axis is selected with shape entry not equal to one, an error is raised",
        "graph x:float[2,3] -> y:float[a]\ns = Constant() value_ints=[0]\ny = Squeeze(x, s)"),
    case("Unsqueeze-13: the values in axes should not contain any duplicate entries",
        "graph x:float[2] -> y:float[a,b,c]\ns = Constant() value_ints=[0,0]\ny = Unsqueeze(x, s)"),
    case("Gather-13, indices: it is an error if any of the index values are out of bounds",
        "graph x:float[2,3] -> y:float[a,b]\ni = Constant() value_ints=[7]\ny = Gather(x, i) axis=0"),
    case("GatherElements-13, indices: it is an error if any of the index values are out of bounds",
        "graph x:float[2] -> y:float[a]\ni = Constant() value_ints=[0,9]\ny = GatherElements(x, i) axis=0"),
    case("GatherND-13: it is an error if the last dimension of indices is larger than the rank of data",
        "graph x:float[2,2] i:int64[1,5] -> y:float[a]\ny = GatherND(x, i)"),
    case("Split-13, split: the sum of the values must be equal to the dim value at 'axis' specified",
        "graph x:float[3] -> y:float[a] z:float[b]\ns = Constant() value_ints=[1,1]\ny, z = Split(x, s) axis=0"),
    case("Expand-13: the broadcast rule is similar to numpy.array(input) * numpy.ones(shape); 3 and 4 do not broadcast",
        "graph x:float[3] -> y:float[a]\ns = Constant() value_ints=[4]\ny = Expand(x, s)"),
    case("Flatten-13, axis: must be in the range [-r, r]",
        "graph x:float[2,3] -> y:float[a,b]\ny = Flatten(x) axis=5"),
    case("Softmax-13, axis: accepted range is [-r, r-1]",
        "graph x:float[2,3] -> y:float[a,b]\ny = Softmax(x) axis=3"),
    case("ArgMax-13, axis: accepted range is [-r, r-1]",
        "graph x:float[2,3] -> y:int64[a,b]\ny = ArgMax(x) axis=3"),
    case("Conv-11, W: the number of channels of X must be W.shape[1] * group",
        "graph x:float[1,3,4,4] w:float[2,4,2,2] -> y:float[a,b,c,d]\ny = Conv(x, w)"),
    case("MaxPool-12, kernel_shape: the size of the kernel along each axis",
        "graph x:float[1,1,4,4] -> y:float[a,b,c,d]\ny = MaxPool(x) kernel_shape=[2]"),
    case("Gemm-13: A' has shape (M, K), and B' has shape (K, N)",
        "graph x:float[2,3] w:float[4,5] -> y:float[a,b]\ny = Gemm(x, w)"),
    case("BatchNormalization-9: scale is of shape (C)",
        "graph x:float[1,3,2,2] s:float[2] b:float[3] m:float[3] v:float[3] -> y:float[a,b,c,d]\ny = BatchNormalization(x, s, b, m, v)"),
    case("DepthToSpace-13: the channels are divided by blocksize * blocksize",
        "graph x:float[1,3,2,2] -> y:float[a,b,c,d]\ny = DepthToSpace(x) blocksize=2"),
    case("Pad-13, pads: a 1D tensor of shape [2 * input_rank]",
        "graph x:float[2,3] -> y:float[a,b]\np = Constant() value_ints=[1]\ny = Pad(x, p)"),
    case("Tile-13, repeats: a 1D tensor of the same length as input's dimension number",
        "graph x:float[2,3] -> y:float[a,b]\nr = Constant() value_ints=[2]\ny = Tile(x, r)"),
    case("Slice-13: starts, ends and axes have one length",
        "graph x:float[2,3] -> y:float[a,b]\ns = Constant() value_ints=[0,0]\ne = Constant() value_ints=[1]\ny = Slice(x, s, e)"),
    case("ScatterElements-13: data, indices and updates have the same rank",
        "graph x:float[2,2] i:int64[2] u:float[2] -> y:float[a,b]\ny = ScatterElements(x, i, u)"),
    case("OneHot-11, depth: a scalar or a rank 1 tensor containing exactly one element",
        "graph x:int64[2] v:float[2] -> y:float[a,b]\nd = Constant() value_ints=[2,3]\ny = OneHot(x, d, v)"),
];
