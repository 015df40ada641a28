"""What a subject of an export is, and how its case is written in the layout of the official tests."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


@dataclass
class Export:
    """A model with the inputs that it was given and the outputs of the framework that exported it."""

    model: onnx.ModelProto
    inputs: dict[str, object]
    outputs: list[object]


@dataclass(frozen=True)
class Subject:
    """One model to export. `export` makes it; `tolerance` is (rtol, atol) where float arithmetic needs another one."""

    family: str
    name: str
    export: Callable[[], Export]
    tolerance: tuple[float, float] | None = None

    @property
    def id(self) -> str:
        return f"{self.family}/{self.name}"


def write_case(folder: Path, export: Export, tolerance: tuple[float, float] | None) -> None:
    """Writes `model.onnx` and one data set. `folder` must not exist."""
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(export.model.SerializeToString(deterministic=True))
    graph = export.model.graph
    constants = {tensor.name for tensor in graph.initializer}
    infos = [info for info in graph.input if info.name not in constants]
    unknown = set(export.inputs) - {info.name for info in infos}
    if unknown:
        raise ValueError(f"the graph has no input {sorted(unknown)}; it has {[info.name for info in infos]}")
    if len(export.outputs) != len(graph.output):
        raise ValueError(f"the graph has {len(graph.output)} outputs, the framework gave {len(export.outputs)}")
    for index, info in enumerate(infos):
        if info.name in export.inputs:
            write_value(data / f"input_{index}.pb", info, export.inputs[info.name])
    for index, (info, value) in enumerate(zip(graph.output, export.outputs)):
        write_value(data / f"output_{index}.pb", info, value)
    if tolerance:
        rtol, atol = tolerance
        (folder / "data.json").write_text(f'{{"rtol": {rtol!r}, "atol": {atol!r}}}\n')


def write_value(path: Path, info: onnx.ValueInfoProto, value: object) -> None:
    """Writes `value` as the message that the type of the graph's input or output asks for."""
    path.write_bytes(encode(info, value).SerializeToString(deterministic=True))


def encode(info: onnx.ValueInfoProto, value: object):
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return sequence(info, value)
    if kind == "map_type":
        return numpy_helper.from_dict(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    return tensor(info, value)


def sequence(info: onnx.ValueInfoProto, values: list):
    message = onnx.SequenceProto(name=info.name)
    if len(values) and isinstance(values[0], dict):
        message.elem_type = onnx.SequenceProto.MAP
        message.map_values.extend(dictionary(value) for value in values)
    else:
        message.elem_type = onnx.SequenceProto.TENSOR
        message.tensor_values.extend(numpy_helper.from_array(np.asarray(value)) for value in values)
    return message


def dictionary(value: dict):
    """A map as skl2onnx's ZipMap gives it: int64 or string keys, float values."""
    message = onnx.MapProto(name="")
    keys = list(value)
    if isinstance(keys[0], str):
        message.key_type = onnx.TensorProto.STRING
        message.string_keys.extend(key.encode() for key in keys)
    else:
        message.key_type = onnx.TensorProto.INT64
        message.keys.extend(int(key) for key in keys)
    floats = np.array(list(value.values()), dtype=np.float32)
    message.values.CopyFrom(onnx.SequenceProto(elem_type=onnx.SequenceProto.TENSOR))
    message.values.tensor_values.extend(numpy_helper.from_array(v.reshape(())) for v in floats)
    return message


def tensor(info: onnx.ValueInfoProto, value: object) -> onnx.TensorProto:
    """The dtype of the framework's value must be the declared one: a conversion here would hide a fault of the export."""
    declared = info.type.tensor_type.elem_type
    array = value if isinstance(value, onnx.TensorProto) else array_of(value)
    message = array if isinstance(array, onnx.TensorProto) else numpy_helper.from_array(array, info.name)
    if declared and message.data_type != declared:
        names = onnx.TensorProto.DataType
        raise ValueError(
            f"`{info.name}` is declared {names.Name(declared)}, the framework gave {names.Name(message.data_type)}"
        )
    message.name = info.name
    return message


def array_of(value: object) -> np.ndarray | onnx.TensorProto:
    """A NumPy array of a value of any framework. bfloat16 of PyTorch has no NumPy type, so it travels as its bits."""
    if type(value).__module__.partition(".")[0] == "torch":
        import torch

        value = value.detach().cpu().contiguous()
        if value.dtype == torch.bfloat16:
            bits = value.view(torch.int16).numpy().tobytes()
            return onnx.TensorProto(data_type=onnx.TensorProto.BFLOAT16, dims=list(value.shape), raw_data=bits)
        return value.numpy()
    array = np.asarray(value)
    return array.astype(object) if array.dtype.kind in "US" else array
