//! The patterns, at least one for each pass.

use super::pattern::{Pattern, pattern};

/// All patterns.
pub const PATTERNS: &[Pattern] = &[
    pattern(
        "gelu by Div",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        const root float[] 1.4142135623730951
        const one float[] 1
        const half float[] 0.5
        d = Div(x, root)
        e = Erf(d)
        g = Add(one, e)
        m = Mul(x, g)
        y = Mul(m, half)",
    ),
    pattern(
        "gelu by Mul",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        const root float[1] 0.7071067811865476
        const one float[1] 1
        const half float[1] 0.5
        d = Mul(root, x)
        e = Erf(d)
        g = Add(e, one)
        h = Mul(half, x)
        y = Mul(g, h)",
    ),
    pattern(
        "gelu by Tanh",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        const three float[] 3
        const factor float[] 0.044715
        const root float[] 0.7978845608028654
        const one float[] 1
        const half float[] 0.5
        c = Pow(x, three)
        m = Mul(factor, c)
        a = Add(x, m)
        r = Mul(a, root)
        t = Tanh(r)
        g = Add(t, one)
        h = Mul(x, half)
        y = Mul(h, g)",
    ),
    pattern(
        "swish",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        s = Sigmoid(x)
        y = Mul(x, s)",
    ),
    pattern(
        "a composition",
        "model 10 \"\"=20 com.microsoft=1
        graph x:float[2,3,4] -> y:?
        y = com.microsoft::QuickGelu(x) alpha=1.5",
    ),
    pattern(
        "swish with a factor",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        const alpha float[] 1.702
        a = Mul(x, alpha)
        s = Sigmoid(a)
        y = Mul(s, x)",
    ),
    pattern(
        "hardswish",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        h = HardSigmoid(x) alpha=0.16666667 beta=0.5
        y = Mul(x, h)",
    ),
    pattern(
        "layer normalization",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        const axes int64[1] -1
        const two float[] 2
        const epsilon float[] 0.001
        const scale float[4] ~
        const bias float[4] ~
        m = ReduceMean(x, axes)
        d = Sub(x, m)
        p = Pow(d, two)
        v = ReduceMean(p, axes)
        e = Add(v, epsilon)
        s = Sqrt(e)
        n = Div(d, s)
        t = Mul(n, scale)
        y = Add(t, bias)",
    ),
    pattern(
        "layer normalization of opset 13",
        "model 8 \"\"=13
        graph x:float[2,3,4] -> y:?
        const epsilon float[] 0.001
        const scale float[4] ~
        const bias float[4] ~
        m = ReduceMean(x) axes=[2] keepdims=1
        d = Sub(x, m)
        p = Mul(d, d)
        v = ReduceMean(p) axes=[2] keepdims=1
        e = Add(epsilon, v)
        s = Sqrt(e)
        n = Div(d, s)
        t = Mul(scale, n)
        y = Add(bias, t)",
    ),
    pattern(
        "root mean square normalization",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        const axes int64[1] -1
        const two float[] 2
        const epsilon float[] 0.001
        const scale float[4] ~
        p = Pow(x, two)
        v = ReduceMean(p, axes)
        e = Add(v, epsilon)
        s = Sqrt(e)
        n = Div(x, s)
        y = Mul(n, scale)",
    ),
    pattern(
        "root mean square normalization by Reciprocal",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        const axes int64[1] -1
        const epsilon float[] 0.001
        const scale float[4] ~
        p = Mul(x, x)
        v = ReduceMean(p, axes)
        e = Add(v, epsilon)
        s = Sqrt(e)
        r = Reciprocal(s)
        n = Mul(x, r)
        y = Mul(scale, n)",
    ),
    pattern(
        "attention",
        "model 10 \"\"=20
        graph x:float[1,2,5,4] mask:float[1,1,5,5] -> y:?
        const scale float[] 0.5
        k = Transpose(x) perm=[0,1,3,2]
        s = MatMul(x, k)
        t = Mul(s, scale)
        m = Add(t, mask)
        w = Softmax(m) axis=-1
        y = MatMul(w, x)",
    ),
    pattern(
        "attention with scaled operands",
        "model 10 \"\"=20
        graph x:float[1,2,5,4] v:float[1,2,5,3] -> y:?
        const scale float[] 0.7
        const root float[1] 1.5
        q = Div(x, root)
        t = Transpose(x) perm=[0,1,3,2]
        k = Mul(t, scale)
        s = MatMul(q, k)
        w = Softmax(s) axis=3
        y = MatMul(w, v)",
    ),
    pattern(
        "attention with replaced scores",
        "model 10 \"\"=20
        graph x:float[1,2,5,4] c:bool[1,1,5,5] -> y:?
        const low float[] -3e38
        k = Transpose(x) perm=[0,1,3,2]
        s = MatMul(x, k)
        m = Where(c, s, low)
        w = Softmax(m) axis=-1
        y = MatMul(w, x)",
    ),
    pattern(
        "attention without NaN",
        "model 10 \"\"=20
        graph x:float[1,2,5,4] mask:float[5,5] -> y:?
        const zero float[] 0
        k = Transpose(x) perm=[0,1,3,2]
        s = MatMul(x, k)
        m = Add(mask, s)
        w = Softmax(m) axis=-1
        n = IsNaN(w)
        z = Where(n, zero, w)
        y = MatMul(z, x)",
    ),
    pattern(
        "attention of groups of heads",
        "model 10 \"\"=20
        graph x:float[1,4,5,4] h:float[1,2,5,4] -> y:?
        const axis int64[1] 2
        const many int64[5] 1 2 2 5 4
        const heads int64[4] 1 4 5 4
        u = Unsqueeze(h, axis)
        e = Expand(u, many)
        g = Reshape(e, heads)
        t = Transpose(g) perm=[0,1,3,2]
        s = MatMul(x, t)
        w = Softmax(s) axis=-1
        y = MatMul(w, g)",
    ),
    pattern(
        "a boolean mask",
        "model 10 \"\"=23
        graph x:float[1,2,5,4] c:bool[5,5] -> y:?
        y = Attention(x, x, x, c)",
    ),
    pattern(
        "heads",
        "model 10 \"\"=23
        graph x:float[1,5,8] k:float[1,3,4] -> y:?
        y = Attention(x, k, k) q_num_heads=4 kv_num_heads=2",
    ),
    pattern(
        "a mean over all pixels",
        "model 10 \"\"=13
        graph x:float[2,3,4,5] -> y:?
        const w float[6,3,1,1] ~
        c = Conv(x, w)
        r = Relu(c)
        y = ReduceMean(r) axes=[2,3] keepdims=0",
    ),
    pattern(
        "a loss",
        "model 10 \"\"=13
        graph x:float[4,3] l:int64[4] -> y:?
        const w float[3] 0.5 1 2
        i = Identity(l)
        three = Constant() value_int=3
        m = Mod(i, three)
        y = SoftmaxCrossEntropyLoss(x, m, w) reduction=mean ignore_index=1",
    ),
    pattern(
        "images of one pixel",
        "model 10 \"\"=13
        graph x:float[2,6,1,1] -> y:?
        const w float[6,4,3,2] ~
        const b float[4] ~
        y = ConvTranspose(x, w, b) strides=[2,3]",
    ),
    pattern(
        "a shuffle of channels",
        "model 10 \"\"=20
        graph x:float[1,6,2,3] -> y:?
        const split int64[5] 1 3 2 2 3
        const whole int64[4] 1 6 2 3
        a = Reshape(x, split)
        b = Transpose(a) perm=[0,2,1,3,4]
        y = Reshape(b, whole)",
    ),
    pattern(
        "an Einsum",
        "model 10 \"\"=20
        graph x:float[2,5,3,4] w:float[2,6,3,4] -> y:?
        y = Einsum(x, w) equation=bihd,bjhd->bhij",
    ),
    pattern(
        "three summands",
        "model 10 \"\"=20
        graph x:float[2,3] w:float[2,3] -> y:?
        const v float[3] ~
        s = Sum(x, w, v)
        y = Max(s, w, v)",
    ),
    pattern(
        "nodes that change nothing",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        const c float[3,4] ~
        const same int64[3] 2 3 4
        unused = Exp(x)
        i = Identity(x)
        r = Reshape(i, same)
        n = Neg(c)
        a = Add(r, n)
        b = Add(r, n)
        y = Mul(a, b)",
    ),
    pattern(
        "transposes",
        "model 10 \"\"=20
        graph x:float[2,3,4] -> y:?
        a = Transpose(x) perm=[2,0,1]
        b = Transpose(a) perm=[1,0,2]
        y = Exp(b)",
    ),
    pattern(
        "transposes around functions",
        "model 10 \"\"=20
        graph x:float[1,3,4,5] -> y:?
        const two float[] 2
        a = Transpose(x) perm=[0,2,3,1]
        r = Relu(a)
        s = Mul(r, two)
        y = Transpose(s) perm=[0,3,1,2]",
    ),
    pattern(
        "statistics after a convolution",
        "model 10 \"\"=13
        graph x:float[1,2,4,5] -> y:?
        const w float[3,2,3,3] ~
        const b float[3] ~
        const scale float[3] 0.5 1.5 -2
        const shift float[3] ~
        const mean float[3] ~
        const variance float[3] 0.5 1.5 2
        const factor float[3,1,1] 3 0.5 -1
        c = Conv(x, w, b)
        n = BatchNormalization(c, scale, shift, mean, variance)
        y = Mul(n, factor)",
    ),
    pattern(
        "statistics alone",
        "model 10 \"\"=13
        graph x:float[2,3,4] -> y:?
        const scale float[3] 0.5 1.5 -2
        const shift float[3] ~
        const mean float[3] ~
        const variance float[3] 0.5 1.5 2
        const summand float[3,1] ~
        n = BatchNormalization(x, scale, shift, mean, variance) epsilon=0.01
        y = Add(summand, n)",
    ),
    pattern(
        "scaled columns",
        "model 10 \"\"=20
        graph x:float[2,5,4] -> y:?
        const w float[4,6] ~
        const b float[6] ~
        const scale float[6] 0.5 1.5 -2 3 0.25 1
        m = MatMul(x, w)
        a = Add(b, m)
        y = Mul(a, scale)",
    ),
    pattern(
        "a product with an epilogue",
        "model 10 \"\"=13
        graph x:float[3,4] r:float[3,5] -> y:?
        const w float[5,4] ~
        const b float[5] ~
        const low float[] -1.5
        const high float[] 2.5
        g = Gemm(x, w, b) alpha=0.5 beta=1.5 transB=1
        s = Add(g, r)
        c = Clip(s, low, high)
        v = Gemm(c, w) transB=0
        y = Relu(v)",
    ),
    pattern(
        "convolutions with epilogues",
        "model 10 \"\"=13
        graph x:float[1,2,4,5] -> y:?
        const w float[16,2,3,3] ~
        const v float[16,16,1,1] ~
        const b float[1,16,1,1] ~
        a = Conv(x, w) pads=[1,1,1,1]
        s = Add(a, b)
        p = Relu(s)
        q = Conv(p, v)
        t = Add(q, p)
        l = LeakyRelu(t) alpha=0.1
        y = MaxPool(l) kernel_shape=[2,2] strides=[2,2]",
    ),
    pattern(
        "convolutions of halves",
        "model 10 \"\"=13
        graph x:float16[1,2,4,5] -> y:?
        const w float16[16,2,3,3] ~
        const v float16[16,16,1,1] ~
        a = Conv(x, w) pads=[1,1,1,1]
        r = Relu(a)
        y = Conv(r, v)",
    ),
    pattern(
        "units of grouped convolutions",
        "model 10 \"\"=13
        graph x:float[1,20,3,2] -> y:?
        const v float[20,10,1,1] ~
        const w float[20,10,1,1] ~
        const d float[20,1,1,1] ~
        const b float[20] ~
        const split int64[5] 1 2 10 3 2
        const whole int64[4] 1 20 3 2
        p1 = Conv(x, v) group=2
        p2 = Relu(p1)
        p3 = Reshape(p2, split)
        p4 = Transpose(p3) perm=[0,2,1,3,4]
        p5 = Reshape(p4, whole)
        p6 = Conv(p5, d) group=20
        p = Conv(p6, w, b) group=2
        q = Add(x, p)
        r = Relu(q)
        s1 = Conv(r, v) group=2
        s2 = Relu(s1)
        s3 = Reshape(s2, split)
        s4 = Transpose(s3) perm=[0,2,1,3,4]
        s5 = Reshape(s4, whole)
        s6 = Conv(s5, d) group=20
        s = Conv(s6, w, b) group=2
        y = Concat(s, r) axis=1",
    ),
    pattern(
        "a convolution between bytes",
        "model 10 \"\"=13
        graph x:float[1,4,3,3] -> y:?
        const s float[] 0.015625
        const z uint8[] 3
        const t float[] 0.125
        const u uint8[] 0
        const wq int8[3,4,1,1] ~
        const ws float[3] 0.25 0.5 0.125
        const bq int32[3] 10 -200 90
        const bs float[3] 0.00390625 0.0078125 0.001953125
        xq = QuantizeLinear(x, s, z)
        xd = DequantizeLinear(xq, s, z)
        w = DequantizeLinear(wq, ws) axis=0
        b = DequantizeLinear(bq, bs) axis=0
        c = Conv(xd, w, b)
        r = Relu(c)
        yq = QuantizeLinear(r, t, u)
        y = DequantizeLinear(yq, t, u)",
    ),
    pattern(
        "quantized weights",
        "model 10 \"\"=21
        graph x:float[2,8] -> y:?
        const w int4[8,6] ~
        const ws float[2,6] ~
        const wz int4[2,6] ~
        const b float[6] ~
        m = DequantizeLinear(w, ws, wz) axis=0 block_size=4
        a = MatMul(x, m)
        y = Add(a, b)",
    ),
];
