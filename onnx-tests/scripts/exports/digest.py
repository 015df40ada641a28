"""The digest of an exported graph, so that an export that differs is noticed.

It covers what the exporter decides: imports, nodes, attributes, how values connect, declared types and shapes, and small
integer tensors (shapes, axes, indices). It leaves out floats of weights and of tables of trees, whose last bit follows the
processor that trained them; who wrote the file, when and from which source line; and names, which hold counters and
addresses: values and symbolic extents are numbered in the order in which they occur.
"""

import hashlib

import onnx
from onnx import numpy_helper

FLOATS = {onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}
ELEMENTS = ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data")
SMALL = 64


def digest(model: onnx.ModelProto) -> str:
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    for field in ("producer_name", "producer_version", "doc_string", "metadata_props", "model_version"):
        bare.ClearField(field)
    names = Names()
    names.graph(bare.graph)
    for function in bare.functions:
        names.function(function)
    return hashlib.sha256(bare.SerializeToString(deterministic=True)).hexdigest()


class Names:
    """Numbers names in the order in which they occur, and strips what the digest leaves out."""

    def __init__(self):
        self.values: dict[str, str] = {}
        self.extents: dict[str, str] = {}

    def value(self, name: str) -> str:
        return self.values.setdefault(name, f"v{len(self.values)}") if name else ""

    def graph(self, graph: onnx.GraphProto) -> None:
        for field in ("name", "doc_string", "metadata_props"):
            graph.ClearField(field)
        self.infos(graph.input)
        for tensor in graph.initializer:
            tensor.name = self.value(tensor.name)
            strip(tensor)
        self.nodes(graph.node)
        self.infos(graph.output)
        # What is declared of inner values follows the order of a dictionary in some exporters.
        graph.ClearField("value_info")

    def function(self, function: onnx.FunctionProto) -> None:
        for field in ("doc_string", "metadata_props", "value_info"):
            function.ClearField(field)
        function.input[:] = [self.value(name) for name in function.input]
        self.nodes(function.node)
        function.output[:] = [self.value(name) for name in function.output]

    def nodes(self, nodes) -> None:
        for node in nodes:
            for field in ("name", "doc_string", "metadata_props"):
                node.ClearField(field)
            node.input[:] = [self.value(name) for name in node.input]
            for attribute in sorted(node.attribute, key=lambda attribute: attribute.name):
                self.attribute(attribute, node.domain == "ai.onnx.ml")
            node.output[:] = [self.value(name) for name in node.output]

    def attribute(self, attribute: onnx.AttributeProto, trained: bool) -> None:
        attribute.ClearField("doc_string")
        if trained or len(attribute.floats) > SMALL:
            attribute.ClearField("floats")
        for tensor in [*([attribute.t] if attribute.HasField("t") else []), *attribute.tensors]:
            tensor.ClearField("name")
            strip(tensor)
        if attribute.HasField("g"):
            self.graph(attribute.g)
        for graph in attribute.graphs:
            self.graph(graph)

    def infos(self, infos) -> None:
        for info in infos:
            info.ClearField("doc_string")
            info.ClearField("metadata_props")
            info.name = self.value(info.name)
            for dim in info.type.tensor_type.shape.dim:
                if dim.dim_param:
                    dim.dim_param = self.extents.setdefault(dim.dim_param, f"d{len(self.extents)}")


def strip(tensor: onnx.TensorProto) -> None:
    """Leaves type, shape and small integers."""
    tensor.ClearField("doc_string")
    tensor.ClearField("metadata_props")
    size = 1
    for extent in tensor.dims:
        size *= extent
    keep = size <= SMALL and tensor.data_type not in FLOATS
    values = str(numpy_helper.to_array(tensor).tolist()).encode() if keep else b""
    for field in ELEMENTS:
        tensor.ClearField(field)
    tensor.raw_data = values
