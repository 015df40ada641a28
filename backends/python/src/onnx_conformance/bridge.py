"""A worker over any module with the interface of `onnx.backend.base`.

    python -m onnx_conformance.bridge MODULE[:DEVICE]

The harness starts it for `--backend onnx-backend:MODULE[:DEVICE]`. MODULE is a module or a class in one. It has
`prepare`, and may have `is_compatible` and `supports_device`:

    onnx-backend:onnxruntime.backend
    onnx-backend:my_package.backend.MyBackend:CUDA:1

A model is unsupported if `is_compatible` returns false, or if the module raises `unittest.SkipTest` (as the test
runner of `onnx` does) or `NotImplementedError`. Any other exception is an error.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import unittest
from types import ModuleType
from typing import Any

import numpy as np

from .backend import Backend, Options
from .errors import Missing, RunError, Unsupported
from .model import Model, Signature
from .values import Value
from .worker import serve

_USAGE = "use: python -m onnx_conformance.bridge MODULE[:DEVICE]\n"


class Bridge(Backend):
    """The backend of a module; `text` is `MODULE` or `MODULE:DEVICE`."""

    unsupported = (NotImplementedError, unittest.SkipTest)

    def __init__(self, text: str) -> None:
        self._path, _, device = text.partition(":")
        self._device = device or "CPU"
        self._module: Any = None
        self.name = f"onnx-backend:{text}"
        self.devices = (self._device,)

    def start(self, options: Options) -> None:
        """Imports the module and checks that it supports the device."""
        del options
        self._module = _imported(self._path)
        self.version, self.build = _version(self._path), str(getattr(self._module, "__file__", ""))
        supports = getattr(self._module, "supports_device", None)
        if supports is not None and not supports(self._device):
            raise Missing(f"`{self._path}` does not support the device {self._device}")

    def load(self, model: Model, options: Options) -> tuple[Any, Signature]:
        """Prepares a model, if the module says that it is compatible."""
        del options
        proto = model.proto()
        compatible = getattr(self._module, "is_compatible", None)
        if compatible is not None and not compatible(proto, self._device):
            raise Unsupported(f"`{self._path}` reports that the model is not compatible")
        prepared = self._module.prepare(proto, self._device)
        if prepared is None:
            raise Unsupported(f"`{self._path}` returned None from `prepare` for this model")
        return prepared, model.signature

    def run(self, session: tuple[Any, Signature], inputs: dict[str, Value]) -> list[object]:
        """Runs with the inputs by position, because the interface has no names."""
        prepared, signature = session
        missing = [name for name in signature.inputs if name not in inputs]
        if missing:
            raise RunError(f"input `{missing[0]}` is missing, and the interface has inputs by position only")
        if len(inputs) != len(signature.inputs):
            raise Unsupported("inputs that override initializers: onnx.backend.base passes inputs by position")
        outputs = prepared.run([inputs[name] for name in signature.inputs])
        if not isinstance(outputs, (list, tuple)):
            raise RunError(f"expected a tuple of outputs, got a {type(outputs).__name__}")
        # Arrays on a device are complete only after they are copied, so the copy is part of the run.
        return [_settled(output) for output in outputs]


def _settled(output: object) -> object:
    foreign = hasattr(output, "__array__") and not isinstance(output, (np.ndarray, np.generic))
    return np.asarray(output) if foreign else output


def _imported(path: str) -> Any:
    """Returns the module of this name, or an attribute of one: `package.module.Class`."""
    found, rest = _module(path)
    for name in rest:
        if not hasattr(found, name):
            raise Missing(f"module `{path}` cannot be imported: `{found.__name__}` has no `{name}`")
        found = getattr(found, name)
    if not hasattr(found, "prepare"):
        raise Missing(f"`{path}` is not a backend: it has no `prepare` (interface of onnx.backend.base)")
    return found


def _module(path: str) -> tuple[Any, list[str]]:
    """Imports the longest prefix of a path that is a module; returns it and the remaining names."""
    names = path.split(".")
    for count in range(len(names), 0, -1):
        name = ".".join(names[:count])
        try:
            module: ModuleType = importlib.import_module(name)
        except Exception as error:
            if count > 1 and _is_absent(name, error):
                continue
            message = f"module `{path}` cannot be imported ({sys.executable}): {type(error).__name__}: {error}"
            raise Missing(message) from error
        return module, names[count:]
    raise Missing(f"`{path}` is not a module; {_USAGE.strip()}")


def _is_absent(name: str, error: Exception) -> bool:
    """Whether this module or one of its parent packages is missing, as opposed to a module that it imports."""
    return isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}.")


def _version(path: str) -> str:
    """The version of a module's package; empty if it has none."""
    top = path.partition(".")[0]
    found = getattr(sys.modules.get(top), "__version__", None)
    if found is not None:
        return str(found)
    try:
        return importlib.metadata.version(top)
    except importlib.metadata.PackageNotFoundError:
        return ""


def main() -> None:
    """Serves the module in the first argument."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("--"):
        sys.stderr.write(_USAGE)
        sys.exit(2)
    serve(Bridge(sys.argv.pop(1)))


if __name__ == "__main__":
    main()
