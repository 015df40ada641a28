"""Writes models of one node each, to find operators that are slow alone: `operators.py FOLDER`.

Needs onnx and numpy. Most operands have 64 rows of 4096 elements. Each model becomes
`FOLDER/NAME/model.onnx`; `onnx-conformance bench FOLDER` measures them.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F, D, H = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16
I, I32, U8, B = TensorProto.INT64, TensorProto.INT32, TensorProto.UINT8, TensorProto.BOOL
NAMES = {F: "float", D: "double", H: "float16", I: "int64", I32: "int32", U8: "uint8", B: "bool"}

ROWS = [64, 4096]
COLUMN = [64, 1]
IMAGES = [4, 64, 32, 32]
IMAGE = [1, 64, 64, 64]

UNARY = """Abs Acos Asin Asinh Atan Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log
Mish Neg Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh
ThresholdedRelu""".split()
REDUCTIONS = """ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
ReduceSumSquare""".split()


class Models:
    """Writes models below a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.random = np.random.default_rng(0)

    def add(self, name, operator, operands, results, opset=20, **attributes):
        """A model of one node. An operand is `(type, shape)`, or an array if it is constant, or None."""
        names = [f"x{at}" if operand is not None else "" for at, operand in enumerate(operands)]
        inputs, constants = [], []
        for label, operand in zip(names, operands):
            if isinstance(operand, np.ndarray):
                constants.append(numpy_helper.from_array(operand, label))
            elif operand is not None:
                inputs.append(helper.make_tensor_value_info(label, *operand))
        outputs = [helper.make_tensor_value_info(f"y{at}", *result) for at, result in enumerate(results)]
        node = helper.make_node(operator, names, [output.name for output in outputs], **attributes)
        graph = helper.make_graph([node], name, inputs, outputs, constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        (self.folder / name).mkdir(parents=True, exist_ok=True)
        onnx.save(model, self.folder / name / "model.onnx")

    def indices(self, below, *shape):
        return self.random.integers(0, below, shape)


def ints(*values):
    return np.array(values, np.int64)


def floats(*values):
    return np.array(values, np.float32)


def elementwise(models):
    for operator in UNARY:
        models.add(operator, operator, [(F, ROWS)], [(F, ROWS)])
    for operator in ["Abs", "Neg", "Sign"]:
        models.add(f"{operator}-int64", operator, [(I, ROWS)], [(I, ROWS)])
    models.add("Exp-double", "Exp", [(D, ROWS)], [(D, ROWS)])
    for operator in ["Add", "Sub", "Mul", "Div", "Max", "Min"]:
        for of in [F, D, I, I32, U8]:
            models.add(f"{operator}-{NAMES[of]}", operator, [(of, ROWS), (of, ROWS)], [(of, ROWS)])
        models.add(f"{operator}-row", operator, [(F, ROWS), (F, ROWS[1:])], [(F, ROWS)])
    for operator in ["Pow", "PRelu"]:
        models.add(operator, operator, [(F, ROWS), (F, ROWS[1:])], [(F, ROWS)])
    models.add("Mod-int64", "Mod", [(I, ROWS), ints(7)], [(I, ROWS)])
    models.add("Mod", "Mod", [(F, ROWS), floats(7)], [(F, ROWS)], fmod=1)
    for operator in ["Equal", "Greater", "Less", "GreaterOrEqual"]:
        models.add(operator, operator, [(F, ROWS), (F, ROWS)], [(B, ROWS)])
        models.add(f"{operator}-int64", operator, [(I, ROWS), ints(7)], [(B, ROWS)])
    for operator in ["And", "Or", "Xor"]:
        models.add(operator, operator, [(B, ROWS), (B, COLUMN)], [(B, ROWS)])
    for operator, of in [("BitwiseAnd", I32), ("BitwiseXor", U8)]:
        models.add(operator, operator, [(of, ROWS), (of, ROWS)], [(of, ROWS)])
    models.add("BitShift", "BitShift", [(U8, ROWS), np.array([2], np.uint8)], [(U8, ROWS)], direction="RIGHT")
    models.add("Not", "Not", [(B, ROWS)], [(B, ROWS)])
    for operator in ["IsNaN", "IsInf"]:
        models.add(operator, operator, [(F, ROWS)], [(B, ROWS)])
    bounds = [np.array(-1, np.float32), np.array(1, np.float32)]
    models.add("Clip", "Clip", [(F, ROWS), *bounds], [(F, ROWS)])
    models.add("Clip-int64", "Clip", [(I, ROWS), np.array(-1), np.array(1)], [(I, ROWS)])
    models.add("Where", "Where", [(B, ROWS), (F, ROWS), (F, ROWS)], [(F, ROWS)])
    models.add("Where-int64", "Where", [(B, COLUMN), (I, ROWS), np.array(-1)], [(I, ROWS)])
    for operator in ["Sum", "Mean"]:
        models.add(operator, operator, [(F, ROWS)] * 3, [(F, ROWS)])
    casts = [(F, I), (I, F), (B, F), (F, B), (F, H), (H, F), (F, U8), (U8, F), (I, I32), (F, D), (D, F), (F, I32)]
    for of, to in casts:
        models.add(f"Cast-{NAMES[of]}-{NAMES[to]}", "Cast", [(of, ROWS)], [(to, ROWS)], to=to)


def reductions(models):
    for operator in REDUCTIONS:
        for axis, shape in enumerate([[1, 4096], COLUMN]):
            models.add(f"{operator}-{axis}", operator, [(F, ROWS), ints(axis)], [(F, shape)])
    for operator in ["ReduceSum", "ReduceMax", "ReduceMin"]:
        models.add(f"{operator}-int64", operator, [(I, ROWS), ints(1)], [(I, COLUMN)])
    for operator in ["ArgMax", "ArgMin"]:
        for axis, shape in enumerate([[1, 4096], COLUMN]):
            models.add(f"{operator}-{axis}", operator, [(F, ROWS)], [(I, shape)], axis=axis)
    for operator in ["Softmax", "LogSoftmax", "Hardmax"]:
        models.add(operator, operator, [(F, ROWS)], [(F, ROWS)], axis=-1)
    models.add("LpNormalization", "LpNormalization", [(F, ROWS)], [(F, ROWS)], axis=-1)
    models.add("MeanVarianceNormalization", "MeanVarianceNormalization", [(F, IMAGES)], [(F, IMAGES)])
    models.add("LRN", "LRN", [(F, IMAGES)], [(F, IMAGES)], size=5)
    ones = np.ones(64, np.float32)
    models.add("LayerNormalization", "LayerNormalization", [(F, ROWS), np.ones(4096, np.float32)], [(F, ROWS)])
    models.add("InstanceNormalization", "InstanceNormalization", [(F, IMAGES), ones, ones], [(F, IMAGES)])
    models.add("BatchNormalization", "BatchNormalization", [(F, IMAGES), *[ones] * 4], [(F, IMAGES)])
    labels = models.indices(512, 512)
    models.add("SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLoss", [(F, [512, 512]), labels], [(F, [])])


def moves(models):
    for of in [F, I]:
        name, one = NAMES[of], {F: np.float32, I: np.int64}[of]

        def add(operator, operands, results, label=None, **attributes):
            models.add(f"{label or operator}-{name}", operator, operands, results, **attributes)

        add("CumSum", [(of, ROWS), np.array(1)], [(of, ROWS)])
        add("TopK", [(of, ROWS), ints(10)], [(of, [64, 10]), (I, [64, 10])])
        add("TopK", [(of, ROWS), ints(4096)], [(of, ROWS), (I, ROWS)], label="TopK-all")
        add("Transpose", [(of, ROWS)], [(of, [4096, 64])])
        add("Transpose", [(of, [8, 16, 32, 64])], [(of, [8, 32, 16, 64])], label="Transpose-heads", perm=[0, 2, 1, 3])
        add("Concat", [(of, ROWS), (of, ROWS)], [(of, [64, 8192])], axis=1)
        add("Split", [(of, ROWS)], [(of, [64, 2048])] * 2, axis=1, num_outputs=2)
        add("Slice", [(of, ROWS), ints(50), ints(4050), ints(1), ints(2)], [(of, [64, 2000])])
        add("Slice", [(of, ROWS), ints(-1), ints(-5000), ints(1), ints(-1)], [(of, ROWS)], label="Slice-back")
        add("Expand", [(of, COLUMN), ints(*ROWS)], [(of, ROWS)])
        add("Tile", [(of, [64, 64]), ints(1, 64)], [(of, ROWS)])
        add("Pad", [(of, ROWS), ints(1, 1, 1, 1)], [(of, [66, 4098])])
        add("Pad", [(of, ROWS), ints(1, 1, 1, 1)], [(of, [66, 4098])], label="Pad-reflect", mode="reflect")
        add("Gather", [(of, ROWS), models.indices(64, 500)], [(of, [500, 4096])], axis=0)
        add("Gather", [(of, ROWS), models.indices(4096, 500)], [(of, [64, 500])], label="Gather-columns", axis=1)
        add("GatherElements", [(of, ROWS), models.indices(4096, 64, 1000)], [(of, [64, 1000])], axis=1)
        add("GatherND", [(of, ROWS), models.indices(64, 5000, 2)], [(of, [5000])])
        updates = [(of, ROWS), models.indices(4096, 64, 1000), (of, [64, 1000])]
        add("ScatterElements", updates, [(of, ROWS)], axis=1)
        add("ScatterElements", updates, [(of, ROWS)], label="ScatterElements-add", opset=18, axis=1, reduction="add")
        add("ScatterND", [(of, ROWS), models.indices(64, 5000, 2), (of, [5000])], [(of, ROWS)])
        add("NonZero", [(of, ROWS)], [(I, [2, None])])
        add("Trilu", [(of, [8, 256, 256])], [(of, [8, 256, 256])])
        add("Compress", [(of, ROWS), np.arange(4096) % 2 == 0], [(of, [64, None])], axis=1)
        add("Unique", [(of, [4096])], [(of, [None])])
        add("OneHot", [(I, [4096]), ints(64), np.array([0, 1], one)], [(of, [4096, 64])])
    models.add("DepthToSpace", "DepthToSpace", [(F, IMAGE)], [(F, [1, 16, 128, 128])], blocksize=2)
    models.add("SpaceToDepth", "SpaceToDepth", [(F, [1, 16, 128, 128])], [(F, IMAGE)], blocksize=2)
    cube = [(F, [64, 64, 64])]
    models.add("ReverseSequence", "ReverseSequence", [*cube, np.full(64, 50)], cube, time_axis=1, batch_axis=0)
    models.add("EyeLike", "EyeLike", [(F, [512, 512])], [(F, [512, 512])])
    models.add("Range", "Range", [np.array(0), np.array(100_000), np.array(1)], [(I, [None])])


def products(models):
    stack = (F, [8, 64, 64])
    models.add("Einsum", "Einsum", [stack, stack], [stack], equation="bij,bjk->bik")
    heads = (F, [2, 64, 8, 32])
    models.add("Einsum-heads", "Einsum", [heads, heads], [(F, [2, 8, 64, 64])], equation="bqhd,bkhd->bhqk")
    for of in [D, I32]:
        square = (of, [128, 128])
        models.add(f"MatMul-{NAMES[of]}", "MatMul", [square, square], [square])
    square = (U8, [128, 128])
    models.add("MatMulInteger", "MatMulInteger", [square, square], [(I32, [128, 128])])
    weights = models.indices(255, 32, 32, 3, 3).astype(np.uint8)
    models.add("ConvInteger", "ConvInteger", [(U8, [1, 32, 32, 32]), weights], [(I32, [1, 32, 30, 30])])


def images(models):
    for operator in ["MaxPool", "LpPool"]:
        models.add(operator, operator, [(F, IMAGE)], [(F, [1, 64, 32, 32])], kernel_shape=[2, 2], strides=[2, 2])
    models.add("AveragePool", "AveragePool", [(F, IMAGE)], [(F, [1, 64, 62, 62])], kernel_shape=[3, 3])
    line, half = [1, 64, 4096], [1, 64, 2048]
    models.add("MaxPool-line", "MaxPool", [(F, line)], [(F, half)], kernel_shape=[2], strides=[2])
    volume, eighth = [1, 16, 16, 64, 16], [1, 16, 8, 32, 8]
    models.add("MaxPool-volume", "MaxPool", [(F, volume)], [(F, eighth)], kernel_shape=[2] * 3, strides=[2] * 3)
    grid = (F, [1, 64, 64, 2])
    models.add("GridSample", "GridSample", [(F, [1, 16, 64, 64]), grid], [(F, [1, 16, 64, 64])])
    regions = (models.random.random((50, 4)).cumsum(1) * 8).astype(np.float32)
    operands = [(F, [1, 64, 32, 32]), regions, np.zeros(50, np.int64)]
    size = {"output_height": 7, "output_width": 7, "sampling_ratio": 2}
    models.add("RoiAlign", "RoiAlign", operands, [(F, [50, 64, 7, 7])], **size)
    for mode in ["linear", "cubic"]:
        operands = [(F, [1, 16, 64, 64]), None, floats(1, 1, 2, 2)]
        models.add(f"Resize-{mode}", "Resize", operands, [(F, [1, 16, 128, 128])], mode=mode)
    operands = [(F, [1, 1000, 4]), (F, [1, 5, 1000]), ints(50), floats(0.5)]
    models.add("NonMaxSuppression", "NonMaxSuppression", operands, [(I, [None, 3])])
    models.add("Col2Im", "Col2Im", [(F, [1, 576, 1024]), ints(34, 34), ints(3, 3)], [(F, [1, 64, 34, 34])])
    models.add("DFT", "DFT", [(F, [16, 1024, 1])], [(F, [16, 1024, 2])], opset=17, axis=1)


def quantization(models):
    scale, zero = np.array(0.1, np.float32), np.array(3, np.uint8)
    models.add("QuantizeLinear", "QuantizeLinear", [(F, ROWS), scale, zero], [(U8, ROWS)])
    models.add("DequantizeLinear", "DequantizeLinear", [(U8, ROWS), scale, zero], [(F, ROWS)])
    models.add("DynamicQuantizeLinear", "DynamicQuantizeLinear", [(F, ROWS)], [(U8, ROWS), (F, []), (U8, [])])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    models = Models(sys.argv[1])
    for family in [elementwise, reductions, moves, products, images, quantization]:
        family(models)


if __name__ == "__main__":
    main()
