"""Functions and networks of TensorFlow and Keras through tf2onnx, with weights from a seed."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

from functools import partial  # noqa: E402

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
import tf2onnx  # noqa: E402
from case import Export, Subject  # noqa: E402
from keras import layers  # noqa: E402

tf.get_logger().setLevel("ERROR")

# Each subject has two of these, in turn.
OPSETS = [9, 11, 13, 15, 17, 18]


def draw(*shape, low=-1.0, high=1.0):
    return lambda generator: generator.uniform(low, high, shape).astype(np.float32)


def whole(*shape, low=0, high=5, dtype=np.int32):
    return lambda generator: generator.integers(low, high, shape).astype(dtype)


def image(size=16, channels=3):
    return keras.Input((size, size, channels))


def sequential(*parts):
    return lambda: keras.Sequential(list(parts))


def residual():
    entry = image()
    x = layers.Conv2D(8, 3, padding="same", activation="relu")(entry)
    y = layers.BatchNormalization()(layers.Conv2D(8, 3, padding="same")(x))
    y = layers.GlobalAveragePooling2D()(layers.add([x, y]))
    return keras.Model(entry, layers.Dense(4, activation="softmax")(y))


def unet():
    entry = image()
    down = layers.Conv2D(8, 3, padding="same", activation="relu")(entry)
    deep = layers.Conv2D(8, 3, padding="same", activation="swish")(layers.MaxPool2D()(down))
    up = layers.Conv2DTranspose(8, 2, strides=2)(deep)
    return keras.Model(entry, layers.Conv2D(2, 1, activation="sigmoid")(layers.concatenate([up, down])))


def attention():
    entry = keras.Input((6, 8))
    x = layers.MultiHeadAttention(2, 4)(entry, entry)
    return keras.Model(entry, layers.LayerNormalization()(layers.add([x, entry])))


def squeeze_excite():
    entry = image()
    x = layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2)(entry)
    gate = layers.Dense(6, activation="hard_sigmoid")(layers.GlobalMaxPooling2D()(x))
    return keras.Model(entry, layers.multiply([x, layers.Reshape((1, 1, 6))(gate)]))


def application(make, **options):
    return lambda: make(weights=None, input_shape=(32, 32, 3), classes=10, **options)


# Name → (constructor, input without the batch).
NETWORKS = {
    "dense": (sequential(keras.Input((5,)), layers.Dense(7, activation="elu"), layers.Dense(3)), draw(2, 5)),
    "residual": (residual, draw(2, 16, 16, 3)),
    "unet": (unet, draw(2, 16, 16, 3)),
    "attention": (attention, draw(2, 6, 8)),
    "squeeze-excite": (squeeze_excite, draw(2, 16, 16, 3)),
    "lstm": (sequential(keras.Input((6, 4)), layers.LSTM(5, return_sequences=True), layers.LSTM(3)), draw(2, 6, 4)),
    "gru": (sequential(keras.Input((6, 4)), layers.GRU(5)), draw(2, 6, 4)),
    "rnn": (sequential(keras.Input((6, 4)), layers.SimpleRNN(5)), draw(2, 6, 4)),
    "bidirectional": (sequential(keras.Input((6, 4)), layers.Bidirectional(layers.LSTM(5))), draw(2, 6, 4)),
    "embedding": (sequential(keras.Input((6,), dtype="int32"), layers.Embedding(9, 4), layers.Conv1D(5, 3),
                             layers.GlobalMaxPooling1D()), whole(2, 6, high=9)),
    "separable": (sequential(image(), layers.SeparableConv2D(6, 3, strides=2, padding="same"),
                             layers.AveragePooling2D(3, strides=2, padding="same"), layers.Flatten()), draw(2, 16, 16, 3)),
    "conv3d": (sequential(keras.Input((5, 6, 6, 2)), layers.Conv3D(3, 2), layers.MaxPool3D()), draw(2, 5, 6, 6, 2)),
    "dilated": (sequential(image(), layers.Conv2D(4, 3, dilation_rate=2, padding="same"),
                           layers.UpSampling2D(2, interpolation="bilinear"), layers.Cropping2D(1),
                           layers.ZeroPadding2D(((1, 2), (0, 3)))), draw(2, 16, 16, 3)),
    "causal": (sequential(keras.Input((9, 3)), layers.Conv1D(4, 3, padding="causal", dilation_rate=2),
                          layers.PReLU(), layers.LeakyReLU(0.1)), draw(2, 9, 3)),
    "transpose-same": (sequential(image(8), layers.Conv2DTranspose(4, 3, strides=2, padding="same"),
                                  layers.Conv2DTranspose(4, 4, strides=3, padding="valid")), draw(1, 8, 8, 3)),
    "group-norm": (sequential(image(8, 4), layers.GroupNormalization(2), layers.UnitNormalization()), draw(2, 8, 8, 4)),
    "mobilenet": (application(keras.applications.MobileNet, alpha=0.25), draw(1, 32, 32, 3)),
    "mobilenet-v2": (application(keras.applications.MobileNetV2, alpha=0.35), draw(1, 32, 32, 3)),
    "mobilenet-v3": (application(keras.applications.MobileNetV3Small, alpha=1.0, minimalistic=True), draw(1, 32, 32, 3)),
}


@tf.function
def search(x):
    total = tf.constant(0.0)
    index = tf.constant(0)
    while index < 5 and total < 2.0:
        total += tf.reduce_sum(tf.abs(x)) * 0.1
        index += 1
    return total, index


@tf.function
def branch(x):
    if tf.reduce_sum(x) > 0:
        return x + 1.0
    return x * 2.0


# Name → (function, inputs).
FUNCTIONS = {
    "resize-nearest": (lambda x: tf.image.resize(x, (7, 5), method="nearest"), [draw(1, 4, 6, 3)]),
    "resize-bilinear": (lambda x: tf.image.resize(x, (7, 5)), [draw(1, 4, 6, 3)]),
    "resize-nearest-v1": (lambda x: tf.compat.v1.image.resize_nearest_neighbor(x, (7, 9)), [draw(1, 4, 6, 3)]),
    "resize-nearest-corners": (lambda x: tf.compat.v1.image.resize_nearest_neighbor(x, (7, 9), align_corners=True),
                               [draw(1, 4, 6, 3)]),
    "resize-bilinear-v1": (lambda x: tf.compat.v1.image.resize_bilinear(x, (7, 9)), [draw(1, 4, 6, 3)]),
    "resize-bilinear-corners": (lambda x: tf.compat.v1.image.resize_bilinear(x, (7, 9), align_corners=True),
                                [draw(1, 4, 6, 3)]),
    "resize-cubic": (lambda x: tf.compat.v1.image.resize_bicubic(x, (7, 9), half_pixel_centers=True), [draw(1, 4, 6, 3)]),
    "crop-and-resize": (lambda x, boxes: tf.image.crop_and_resize(x, boxes, [0, 0], (3, 4)),
                        [draw(1, 6, 6, 2), draw(2, 4, low=0.0, high=1.0)]),
    "non-max-suppression": (lambda boxes, scores: tf.image.non_max_suppression(boxes, scores, 5, 0.4, 0.1),
                            [draw(9, 4, low=0.0, high=5.0), draw(9, low=0.0, high=1.0)]),
    "pad-reflect": (lambda x: tf.pad(x, [[1, 2], [0, 1]], "REFLECT"), [draw(4, 5)]),
    "pad-symmetric": (lambda x: tf.pad(x, [[1, 2], [0, 1]], "SYMMETRIC"), [draw(4, 5)]),
    "strided-slice": (lambda x: x[1:, ::-2, tf.newaxis, ..., -1], [draw(4, 5, 6)]),
    "gather-nd": (lambda x: tf.gather_nd(x, [[0, 1], [3, 2]]), [draw(4, 5, 6)]),
    "gather-batch": (lambda x, k: tf.gather(x, k, batch_dims=1), [draw(3, 5), whole(3, 2)]),
    "scatter-nd": (lambda w: tf.scatter_nd([[1], [3]], w, (5, 4)), [draw(2, 4)]),
    "tensor-scatter-add": (lambda x, w: tf.tensor_scatter_nd_add(x, [[1], [1]], w), [draw(5, 4), draw(2, 4)]),
    "segment-sum": (lambda x: tf.math.unsorted_segment_sum(x, [0, 1, 0, 2], 3), [draw(4, 5)]),
    "where": (lambda x: tf.where(x > 0, x, -x * 2), [draw(4, 5)]),
    "where-indices": (lambda x: tf.where(x > 0), [draw(4, 5)]),
    "boolean-mask": (lambda x: tf.boolean_mask(x, x > 0), [draw(4, 5)]),
    "top-k": (lambda x: tf.math.top_k(x, 3), [draw(4, 5)]),
    "arg-max": (lambda x: tf.argmax(x, -1, output_type=tf.int32), [draw(4, 5)]),
    "sort": (lambda x: tf.sort(x, direction="DESCENDING"), [draw(4, 5)]),
    "unique": (lambda x: tf.unique(x), [whole(9)]),
    "cumsum": (lambda x: tf.cumsum(x, 1, exclusive=True, reverse=True), [draw(4, 5)]),
    "one-hot": (lambda x: tf.one_hot(x, 5, 2.0, -1.0), [whole(2, 3, low=-1, high=6)]),
    "einsum": (lambda x, y: tf.einsum("bij,bkj->bik", x, y), [draw(2, 3, 4), draw(2, 5, 4)]),
    "matmul-transposed": (lambda x, y: tf.matmul(x, y, transpose_b=True), [draw(2, 3, 4), draw(2, 5, 4)]),
    "matrix-band-part": (lambda x: tf.linalg.band_part(x, -1, 0), [draw(2, 4, 4)]),
    "diagonal": (lambda x: tf.linalg.diag(x), [draw(2, 4)]),
    "diagonal-part": (lambda x: tf.linalg.diag_part(x), [draw(2, 4, 4)]),
    "depth-to-space": (lambda x: tf.nn.depth_to_space(x, 2), [draw(1, 3, 3, 8)]),
    "space-to-depth": (lambda x: tf.nn.space_to_depth(x, 2), [draw(1, 4, 4, 3)]),
    "space-to-batch": (lambda x: tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]), [draw(1, 4, 4, 3)]),
    "batch-to-space": (lambda x: tf.batch_to_space(x, [2, 2], [[0, 1], [0, 0]]), [draw(4, 2, 2, 3)]),
    "conv-same-strided": (lambda x, w: tf.nn.conv2d(x, w, 2, "SAME"), [draw(1, 7, 8, 3), draw(3, 3, 3, 4)]),
    "conv-same-dilated": (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", dilations=2), [draw(1, 7, 8, 3), draw(3, 3, 3, 4)]),
    "pool-same": (lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"), [draw(1, 7, 8, 3)]),
    "average-pool-same": (lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"), [draw(1, 7, 8, 3)]),
    "local-response": (lambda x: tf.nn.local_response_normalization(x, 2, 1.5, 0.3, 0.7), [draw(1, 4, 4, 6)]),
    "floor-mod": (lambda x, y: tf.math.floormod(x, y), [draw(4, 5), draw(4, 5, low=0.3, high=2.0)]),
    "floor-mod-integers": (lambda x, y: tf.math.floormod(x, y), [whole(4, 5, low=-9, high=9), whole(4, 5, low=1, high=4)]),
    "floor-div-integers": (lambda x, y: x // y, [whole(4, 5, low=-9, high=9), whole(4, 5, low=1, high=4)]),
    "squared-difference": (lambda x, y: tf.math.squared_difference(x, y), [draw(4, 5), draw(5)]),
    "round": (lambda x: tf.round(x * 4) / 4, [draw(4, 5)]),
    "erf": (lambda x: tf.math.erf(x) + tf.math.rsqrt(x + 2) + tf.math.softplus(x), [draw(4, 5)]),
    "leaky": (lambda x: tf.nn.leaky_relu(x, 0.3) + tf.nn.relu6(x * 9) + tf.nn.selu(x), [draw(4, 5)]),
    "softmax": (lambda x: tf.nn.softmax(x, axis=1), [draw(2, 4, 5)]),
    "log-softmax": (lambda x: tf.nn.log_softmax(x), [draw(2, 4, 5)]),
    "cross-entropy": (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0], x), [draw(2, 4)]),
    "reduce-all": (lambda x: tf.reduce_all(x > -0.5, 1), [draw(2, 4)]),
    "reduce-logsumexp": (lambda x: tf.reduce_logsumexp(x, [0, 2], keepdims=True), [draw(2, 3, 4)]),
    "variance": (lambda x: tf.nn.moments(x, [0, 1]), [draw(4, 5)]),
    "reverse-sequence": (lambda x: tf.reverse_sequence(x, [3, 1], seq_axis=1), [draw(2, 4)]),
    "reverse": (lambda x: tf.reverse(x, [1]), [draw(2, 4)]),
    "roll": (lambda x: tf.roll(x, 2, 1), [draw(2, 5)]),
    "tile": (lambda x: tf.tile(x, [2, 1, 3]), [draw(2, 1, 2)]),
    "broadcast-to": (lambda x: tf.broadcast_to(x, tf.stack([tf.shape(x)[0] * 2, 3, 2])), [draw(1, 2)]),
    "split": (lambda x: tf.split(x, [1, 3], axis=1), [draw(2, 4)]),
    "stack": (lambda x, y: tf.unstack(tf.stack([x, y], axis=1)), [draw(2, 4), draw(2, 4)]),
    "range": (lambda x: tf.range(tf.shape(x)[0]) * 2, [draw(4, 2)]),
    "linspace": (lambda x: tf.linspace(0.0, 1.0, 5) * x, [draw(5)]),
    "eye": (lambda x: tf.eye(tf.shape(x)[0]) + x, [draw(3, 3)]),
    "fill": (lambda x: tf.fill(tf.shape(x), 2.0) - tf.ones_like(x), [draw(3, 2)]),
    "cast": (lambda x: (tf.cast(x * 5, tf.int32), tf.cast(x, tf.float64), tf.cast(x, tf.bool)), [draw(3, 2)]),
    "bitwise": (lambda x, y: (tf.bitwise.bitwise_and(x, y), tf.bitwise.left_shift(x, y)), [whole(3, 4), whole(3, 4)]),
    "is-nan": (lambda x: tf.math.is_nan(tf.math.log(x)), [draw(3, 4)]),
    "clip": (lambda x: tf.clip_by_value(x, -0.3, 0.4), [draw(3, 4)]),
    "clip-norm": (lambda x: tf.clip_by_norm(x, 0.5), [draw(3, 4)]),
    "fake-quantize": (lambda x: tf.quantization.fake_quant_with_min_max_args(x, -1.0, 1.0), [draw(3, 4)]),
    "fft": (lambda x: tf.abs(tf.signal.rfft(x)), [draw(2, 8)]),
    "stft": (lambda x: tf.abs(tf.signal.stft(x, 8, 4)), [draw(2, 32)]),
    "while": (lambda x: search(x), [draw(3, 4)]),
    "cond": (lambda x: branch(x), [draw(3, 4)]),
    "map": (lambda x: tf.map_fn(lambda row: tf.reduce_max(row) - row, x), [draw(3, 4)]),
    "tensor-array": (lambda x: tf.scan(lambda total, row: total + row, x), [draw(3, 4)]),
    "string-split": (lambda x: tf.strings.lower(x), [lambda _: np.array(["Ab", "cD"], dtype=object)]),
}


def export(name: str, opset: int) -> Export:
    generator = np.random.default_rng(11)
    # tf2onnx numbers its names, and sorts nodes by them: a graph must not depend on those before it.
    tf2onnx.utils.INTERNAL_NAME = 1
    if name in NETWORKS:
        keras.utils.set_random_seed(5)
        keras.backend.clear_session()
        make, inputs = NETWORKS[name][0], [NETWORKS[name][1]]
        call = make()
        for weight in call.weights:
            if "moving" in weight.path or "variance" in weight.path:
                weight.assign(generator.uniform(0.5, 1.5, weight.shape))
    else:
        call, inputs = FUNCTIONS[name]
    values = [make(generator) for make in inputs]
    signature = [
        tf.TensorSpec([None, *value.shape[1:]] if name in NETWORKS else value.shape, tf.as_dtype(value.dtype), f"x{index}")
        for index, value in enumerate(values)
    ]
    function = tf.function(lambda *given: call(*given), input_signature=signature)
    proto, _ = tf2onnx.convert.from_function(function, input_signature=signature, opset=opset)
    answer = tf.nest.flatten(function(*[tf.constant(value) for value in values]))
    names = [info.name.removesuffix(":0") for info in proto.graph.input]
    given = dict(zip([spec.name for spec in signature], values))
    inputs = {info.name: given[name] for info, name in zip(proto.graph.input, names)}
    return Export(proto, inputs, [value.numpy() for value in answer])


def subjects() -> list[Subject]:
    return [
        Subject("tensorflow", f"{name}-{opset}", partial(export, name, opset), (1e-3, 1e-4))
        for index, name in enumerate([*NETWORKS, *FUNCTIONS])
        for opset in (OPSETS[index % 6], OPSETS[(index + 3) % 6])
    ]
