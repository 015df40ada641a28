"""The digest of an exported graph, so that an export that differs is noticed.

It covers what the exporter decides: imports, operators, attributes, how values connect, types and shapes of inputs and
outputs, and small integer tensors (shapes, axes, indices). It leaves out floats of weights and of tables of trees, and
integers that a calibration rounded from floats, whose last bit follows the processor that trained them; who wrote the
file, when and from which source line; names, which hold counters and addresses; and the order of nodes, initializers and
values that a Loop carries, which follows sets in some converters. So a value is known by what computes it, and a graph by
its outputs and the set of its nodes.
"""

import hashlib

import onnx
from onnx import numpy_helper

FLOATS = {onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}
SMALL = 64
PREFIXES = ("QAttention", "QEmbed", "QGemm", "QLinear", "QMoE")


def digest(model: onnx.ModelProto) -> str:
    imports = sorted((entry.domain, entry.version) for entry in model.opset_import)
    functions = sorted(function_key(function) for function in model.functions)
    return key(model.ir_version, imports, functions, graph_key(model.graph, {}))


def key(*parts) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def graph_key(graph: onnx.GraphProto, outer: dict[str, str]) -> str:
    extents: dict[str, str] = {}
    inputs = [type_key(info, extents) for info in graph.input]
    values, nodes = graph_values(graph, outer, [key("input", index, kind) for index, kind in enumerate(inputs)])
    outputs = [(values[info.name], type_key(info, extents)) for info in graph.output]
    return key(inputs, outputs, nodes)


def graph_values(graph: onnx.GraphProto, outer: dict[str, str], inputs: list[str]) -> tuple[dict[str, str], list[str]]:
    """The keys of all values and of all nodes of a graph whose inputs have the keys `inputs`."""
    calibrated = {name for node in graph.node if is_quantised(node) for name in node.input}
    values = outer | {info.name: given for info, given in zip(graph.input, inputs)}
    values |= {tensor.name: tensor_key(tensor, tensor.name in calibrated) for tensor in graph.initializer}
    values |= {tensor.values.name: key("sparse", list(tensor.dims)) for tensor in graph.sparse_initializer}
    return values, node_keys(graph.node, values)


def is_quantised(node: onnx.NodeProto) -> bool:
    """The constants of these operators are scales, offsets, and weights and biases in steps of the scales."""
    return node.op_type.startswith(PREFIXES) or any(part in node.op_type for part in ("Quantize", "Integer", "NBits"))


def function_key(function: onnx.FunctionProto) -> str:
    values = {name: key("input", index) for index, name in enumerate(function.input)}
    nodes = node_keys(function.node, values)
    return key(function.domain, function.name, [values[name] for name in function.output], nodes)


def node_keys(nodes, values: dict[str, str]) -> list[str]:
    """The keys of all nodes, sorted; adds those of their outputs to `values`. Nodes may stand in any order, and an Identity
    is its input."""
    keys, waiting = [], list(nodes)
    while waiting:
        later = []
        for node in waiting:
            try:
                found, outputs = keys_of(node, values)
            except KeyError:
                later.append(node)
                continue
            keys += found
            values |= {name: output for name, output in zip(node.output, outputs) if name}
        if len(later) == len(waiting):
            # What nothing defines: an exporter's fault, which the case shows.
            values |= {name: key("undefined") for name in later[0].input if name and name not in values}
        waiting = later
    return sorted(keys)


def keys_of(node: onnx.NodeProto, values: dict[str, str]) -> tuple[list[str], list[str]]:
    """The keys of a node, none for an Identity, and those of its outputs."""
    if node.op_type == "Identity":
        return [], [value_key(node.input[0], values)]
    found, outputs = loop_key(node, values) if node.op_type == "Loop" else node_key(node, values)
    return [found], outputs


def node_key(node: onnx.NodeProto, values: dict[str, str]) -> tuple[str, list[str]]:
    """The key of a node, and those of its outputs."""
    inputs = [value_key(name, values) for name in node.input]
    attributes = sorted((each.name, attribute_key(each, values, node.domain)) for each in node.attribute)
    found = key(node.domain, node.op_type, node.overload, inputs, attributes, [bool(name) for name in node.output])
    return found, [key(found, index) for index, _ in enumerate(node.output)]


def loop_key(node: onnx.NodeProto, values: dict[str, str]) -> tuple[str, list[str]]:
    """As `node_key`, for any order of the values that a Loop carries.

    A carried value is known by its first value and by what the body makes of it, and of those that its body computes it
    from, as in the refinement of colours of Weisfeiler and Leman (1968).
    """
    body = next(each.g for each in node.attribute if each.name == "body")
    rounds, condition, *carried = (value_key(name, values) for name in node.input)
    scalars = [key("input", index) for index in range(2)]
    count = len(carried)
    for _ in range(count + 1):
        inner, nodes = graph_values(body, values, scalars + carried)
        results = [inner[info.name] for info in body.output]
        carried = [key(before, after) for before, after in zip(carried, results[1 : 1 + count])]
    found = key(node.domain, node.op_type, rounds, condition, sorted(carried), results[0], results[1 + count :], nodes)
    scans = [key(found, index) for index, _ in enumerate(node.output[count:])]
    return found, [key(found, each) for each in carried] + scans


def value_key(name: str, values: dict[str, str]) -> str:
    """What computes the value; an input that is left out has no name."""
    return values[name] if name else ""


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


def tensor_key(tensor: onnx.TensorProto, calibrated=False) -> str:
    """Type, shape, and the elements of small tensors of integers and strings that no calibration made."""
    size = 1
    for extent in tensor.dims:
        size *= extent
    keep = size <= SMALL and tensor.data_type not in FLOATS and not calibrated
    return key(tensor.data_type, list(tensor.dims), numpy_helper.to_array(tensor).tolist() if keep else None)


def type_key(info: onnx.ValueInfoProto, extents: dict[str, str]) -> str:
    """The type; symbolic extents are numbered in the order in which they occur."""
    proto = onnx.TypeProto()
    proto.CopyFrom(info.type)
    for dim in proto.tensor_type.shape.dim if proto.HasField("tensor_type") else []:
        if dim.dim_param:
            dim.dim_param = extents.setdefault(dim.dim_param, f"d{len(extents)}")
    return key(proto.SerializeToString(deterministic=True))
