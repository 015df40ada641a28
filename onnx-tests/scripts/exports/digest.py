"""The digest of an exported graph, so that an export that differs is noticed.

It covers what the exporter decides: imports, nodes, names, attributes, declared types and shapes, and small integer
tensors (shapes, axes, indices). It leaves out floats of weights and of tables of trees, whose last bit follows the
processor that trained them, and everything that says who wrote the file, when and from which source line.
"""

import hashlib

import onnx
from onnx import numpy_helper

FLOATS = {onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}
SMALL = 64


def digest(model: onnx.ModelProto) -> str:
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    for field in ("producer_name", "producer_version", "doc_string", "metadata_props", "model_version"):
        bare.ClearField(field)
    strip_graph(bare.graph)
    for function in bare.functions:
        function.ClearField("doc_string")
        function.ClearField("metadata_props")
        strip_nodes(function.node)
        strip_infos(function.value_info)
    return hashlib.sha256(bare.SerializeToString(deterministic=True)).hexdigest()


def strip_graph(graph: onnx.GraphProto) -> None:
    graph.ClearField("doc_string")
    graph.ClearField("metadata_props")
    for infos in (graph.input, graph.output, graph.value_info):
        strip_infos(infos)
    for tensor in graph.initializer:
        strip_tensor(tensor)
    strip_nodes(graph.node)


def strip_infos(infos) -> None:
    for info in infos:
        info.ClearField("doc_string")
        info.ClearField("metadata_props")


def strip_nodes(nodes) -> None:
    for node in nodes:
        node.ClearField("doc_string")
        node.ClearField("metadata_props")
        for attribute in node.attribute:
            attribute.ClearField("doc_string")
            if len(attribute.floats) > SMALL or node.domain == "ai.onnx.ml":
                attribute.ClearField("floats")
            if attribute.HasField("t"):
                strip_tensor(attribute.t)
            for tensor in attribute.tensors:
                strip_tensor(tensor)
            for graph in [attribute.g, *attribute.graphs]:
                strip_graph(graph)


def strip_tensor(tensor: onnx.TensorProto) -> None:
    tensor.ClearField("doc_string")
    tensor.ClearField("metadata_props")
    size = 1
    for extent in tensor.dims:
        size *= extent
    keep = size <= SMALL and tensor.data_type not in FLOATS
    values = str(numpy_helper.to_array(tensor).tolist()).encode() if keep else b""
    for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data"):
        tensor.ClearField(field)
    tensor.raw_data = values
