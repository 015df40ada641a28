"""A model as a worker receives it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import onnx
from onnx import external_data_helper

from .errors import LoadError, RunError, Unsupported
from .files import inside
from .value_types import TensorType, ValueType, type_of_proto
from .values import Value


@dataclass(frozen=True, slots=True)
class Signature:
    """The inputs and outputs of a model, by name, with the types that the model declares."""

    inputs: dict[str, ValueType | None]
    """The inputs without an initializer, which every run must feed, in the order of the graph."""
    defaults: frozenset[str]
    """The inputs with an initializer, which is their default value."""
    outputs: dict[str, ValueType | None]
    """The outputs in the order of the graph."""

    def check(self, given: Mapping[str, ValueType]) -> None:
        """Refuses an input that the model does not have, and a tensor of another element type than declared.

        Some runtimes ignore the first and convert the second.
        """
        for name, value_type in given.items():
            if name not in self.inputs and name not in self.defaults:
                raise RunError(f"the model has no input `{name}`")
            declared = self.inputs.get(name)
            tensors = isinstance(declared, TensorType) and isinstance(value_type, TensorType)
            if tensors and declared != value_type:
                raise RunError(f"input `{name}` is {value_type}, but the model declares {declared}")

    def only_tensors(self, without: Container[str] = ()) -> None:
        """Raises Unsupported for an input that is no dense tensor, or has one of these element types.

        >>> def load(model, options):
        ...     model.signature.only_tensors(without={"bfloat16", "string"})
        """
        for name, declared in self.inputs.items():
            tensor = declared is None or isinstance(declared, TensorType)
            if not tensor or (isinstance(declared, TensorType) and declared.element in without):
                raise Unsupported(f"input `{name}` of type {declared}")

    @staticmethod
    def of(proto: onnx.ModelProto) -> Signature:
        """Returns the signature of a model's graph."""
        if not proto.HasField("graph"):
            raise LoadError("the file has no graph")
        graph = proto.graph
        stored = {tensor.name for tensor in graph.initializer}
        stored |= {tensor.values.name for tensor in graph.sparse_initializer}
        fed = {info.name: type_of_proto(info.type) for info in graph.input if info.name not in stored}
        defaults = frozenset(info.name for info in graph.input if info.name in stored)
        return Signature(fed, defaults, {info.name: type_of_proto(info.type) for info in graph.output})


@dataclass
class Model:
    """A model to load.

    >>> def load(model, options):
    ...     return my_runtime.compile(model.data)  # or model.proto(), model.inlined(), model.file()
    """

    data: bytes
    """The bytes of the file, a `ModelProto`."""
    signature: Signature
    """The inputs and outputs."""
    folder: Path | None = None
    """The folder of the external data, if there is any."""
    constants: dict[str, Value] = field(default_factory=dict)
    """The values that inputs will have in every run; only for a backend with `wants_inputs_at_load`."""
    place: tempfile.TemporaryDirectory[str] | None = None
    """The folder to which `file` has copied the model."""

    def proto(self) -> onnx.ModelProto:
        """Parses the model, with its external data included. Each call parses again; the time counts as loading."""
        proto = onnx.load_model_from_string(self.data)
        if self.folder is not None:
            external_data_helper.load_external_data_for_model(proto, str(self.folder))
        return proto

    def inlined(self) -> bytes:
        """The bytes of the model with its external data included, for a runtime that accepts only bytes."""
        return self.data if self.folder is None else self.proto().SerializeToString()

    def file(self) -> Path:
        """Writes the model and its external data to files, for a runtime that accepts only paths.

        The files last until the session is unloaded.
        """
        if self.place is None:
            self.place = tempfile.TemporaryDirectory(prefix="model-")
            folder = Path(self.place.name)
            (folder / "model.onnx").write_bytes(self.data)
            if self.folder is not None:
                for location in _locations(onnx.load_model_from_string(self.data)):
                    _bring(self.folder / inside(location), folder / inside(location))
        return Path(self.place.name) / "model.onnx"


def _locations(proto: onnx.ModelProto) -> Iterator[str]:
    """The locations of the external data of a model."""
    names = set()
    for tensor in external_data_helper._get_all_tensors(proto):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            names |= {entry.value for entry in tensor.external_data if entry.key == "location"}
    yield from sorted(names)


def _bring(source: Path, target: Path) -> None:
    """Copies a file: runtimes refuse symbolic links to outside of the folder, and some refuse hard links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
