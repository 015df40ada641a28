"""The digest of an exported graph, so that an export that differs is noticed.

It covers what the exporter decides: imports, operators, attributes, how values connect, types and shapes of inputs and
outputs, and small integer tensors (shapes, axes, indices). It leaves out floats of weights and of tables of trees, whose
last bit follows the processor that trained them; who wrote the file, when and from which source line; names, which hold
counters and addresses; and the order of nodes and initializers, which follows sets in some converters. So a value is
known by what computes it, and a graph by its outputs and the set of its nodes.
"""

import hashlib

import onnx
from onnx import numpy_helper

FLOATS = {onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}
SMALL = 64


def digest(model: onnx.ModelProto) -> str:
    imports = sorted((entry.domain, entry.version) for entry in model.opset_import)
    functions = sorted(function_key(function) for function in model.functions)
    return key(model.ir_version, imports, functions, graph_key(model.graph, {}))


def key(*parts) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def graph_key(graph: onnx.GraphProto, outer: dict[str, str]) -> str:
    extents: dict[str, str] = {}
    inputs = [type_key(info, extents) for info in graph.input]
    values = outer | {info.name: key("input", index, inputs[index]) for index, info in enumerate(graph.input)}
    values |= {tensor.name: tensor_key(tensor) for tensor in graph.initializer}
    values |= {tensor.values.name: key("sparse", list(tensor.dims)) for tensor in graph.sparse_initializer}
    nodes = node_keys(graph.node, values)
    outputs = [(values[info.name], type_key(info, extents)) for info in graph.output]
    return key(inputs, outputs, nodes)


def function_key(function: onnx.FunctionProto) -> str:
    values = {name: key("input", index) for index, name in enumerate(function.input)}
    nodes = node_keys(function.node, values)
    return key(function.domain, function.name, [values[name] for name in function.output], nodes)


def node_keys(nodes, values: dict[str, str]) -> list[str]:
    """The keys of all nodes, sorted; adds those of their outputs to `values`. Nodes may stand in any order."""
    keys, waiting = [], list(nodes)
    while waiting:
        later = []
        for node in waiting:
            try:
                found = node_key(node, values)
            except KeyError:
                later.append(node)
                continue
            keys.append(found)
            values |= {name: key(found, index) for index, name in enumerate(node.output) if name}
        if len(later) == len(waiting):
            # What nothing defines: an exporter's fault, which the case shows.
            values |= {name: key("undefined") for name in later[0].input if name and name not in values}
        waiting = later
    return sorted(keys)


def node_key(node: onnx.NodeProto, values: dict[str, str]) -> str:
    inputs = [values[name] if name else "" for name in node.input]
    attributes = sorted((each.name, attribute_key(each, values, node.domain)) for each in node.attribute)
    return key(node.domain, node.op_type, node.overload, inputs, attributes, [bool(name) for name in node.output])


def attribute_key(attribute: onnx.AttributeProto, values: dict[str, str], domain: str) -> str:
    kind = onnx.AttributeProto.AttributeType.Name(attribute.type)
    if attribute.ref_attr_name:
        return key(kind, attribute.ref_attr_name)
    value = onnx.helper.get_attribute_value(attribute)
    if kind == "FLOATS" and (domain == "ai.onnx.ml" or len(value) > SMALL):
        return key(kind, len(value))
    convert = {
        "TENSOR": tensor_key,
        "GRAPH": lambda graph: graph_key(graph, values),
        "SPARSE_TENSOR": lambda tensor: key(list(tensor.dims)),
        "TYPE_PROTO": lambda proto: proto.SerializeToString(deterministic=True),
    }
    if kind in convert:
        return key(kind, convert[kind](value))
    if kind.removesuffix("S") in convert:
        return key(kind, [convert[kind.removesuffix("S")](item) for item in value])
    return key(kind, list(value) if kind.endswith("S") else value)


def tensor_key(tensor: onnx.TensorProto) -> str:
    """Type, shape, and the elements of small tensors of integers and strings."""
    size = 1
    for extent in tensor.dims:
        size *= extent
    keep = size <= SMALL and tensor.data_type not in FLOATS
    return key(tensor.data_type, list(tensor.dims), numpy_helper.to_array(tensor).tolist() if keep else None)


def type_key(info: onnx.ValueInfoProto, extents: dict[str, str]) -> str:
    """The type; symbolic extents are numbered in the order in which they occur."""
    proto = onnx.TypeProto()
    proto.CopyFrom(info.type)
    for dim in proto.tensor_type.shape.dim if proto.HasField("tensor_type") else []:
        if dim.dim_param:
            dim.dim_param = extents.setdefault(dim.dim_param, f"d{len(extents)}")
    return key(proto.SerializeToString(deterministic=True))
