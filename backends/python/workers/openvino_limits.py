"""Which tensors OpenVINO has, and which its CPU device cannot carry: it is read from the network that it compiled.

- It copies an input to an output by a step `Identity`, which overruns the memory of tensors of four bits, and copies
  the pointers of strings: the process ends, now or later.
- It converts int64 to int32 without a check. Only values that are given to a run are refused here: a wrong result of
  an operator stays a wrong result.
"""

import numpy as np

from onnx_conformance import Unsupported

TYPES = {"bfloat16": "bf16", "int4": "i4", "uint4": "u4", "uint2": "u2", "float4e2m1": "f4e2m1"}
TYPES |= {"float8e4m3fn": "f8e4m3", "float8e5m2": "f8e5m2", "float8e8m0": "f8e8m0"}
NOT_COPIED = {"string", "i4", "u4", "f4e2m1", "nf4"}
INT32 = np.iinfo(np.int32)


def checked(network):
    """A compiled network. Raises Unsupported if it copies an input that the device cannot copy."""
    for step in network.get_runtime_model().get_ordered_ops():
        kind, element = fact(step, "layerType"), fact(step, "runtimePrecision")
        if kind == "Identity" and element in NOT_COPIED:
            raise Unsupported(f"the CPU device of OpenVINO cannot copy a tensor of {element}", operator="Identity")
    return network


def check_integers(request, given):
    """Raises Unsupported if an input that the network converts to int32 is given a larger integer."""
    large = [port for port, value in given.items() if beyond_int32(value)]
    narrowed = converted_inputs(request.get_compiled_model().get_runtime_model()) if large else set()
    for port in large:
        if port.node.get_friendly_name() in narrowed:
            raise Unsupported(f"the CPU device of OpenVINO converts the input `{port.any_name}` to int32")


def beyond_int32(value):
    wide = isinstance(value, np.ndarray) and value.dtype in (np.int64, np.uint64) and value.size > 0
    return wide and bool(value.max() > INT32.max or value.min() < INT32.min)


def converted_inputs(network):
    """The names of the inputs that a step converts to int32."""
    steps = [step for step in network.get_ordered_ops() if fact(step, "layerType") == "Convert"]
    narrowed = [step for step in steps if fact(step, "outputPrecisions") == "i32"]
    return {step.input_value(0).get_node().get_friendly_name() for step in narrowed}


def fact(step, name):
    return step.get_rt_info()[name].value
