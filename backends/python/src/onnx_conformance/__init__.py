"""Write a worker of onnx-conformance in Python: the harness then runs the official tests of ONNX on your runtime.

A worker is a program that loads and runs models at the request of the harness. This package implements the protocol.
You write two functions:

>>> import onnx, onnx.reference
>>> from onnx_conformance import serve
>>> def load(model, options):
...     return onnx.reference.ReferenceEvaluator(model.proto())
>>> def run(session, inputs):
...     return session.run(None, inputs)
>>> serve(load, run, name="onnx_reference", version=onnx.__version__)  # doctest: +SKIP

- `serve`, `Backend`, `Model`, `Signature`, `Placement`: the interface of a backend.
- `Profile`, `StepTime`: the times of its steps.
- `Unsupported`, `NotTaken`, `OutOfMemory`, `Missing` and others: its errors.
- `Option`, `THREADS`, `SPINNING`: its options.
- `SparseTensor`, `RawTensor`, `NARROW`, `SUB_BYTE`, `narrow`, `view_as`: values that numpy does not have.
"""

from .backend import Backend, Options, Outputs, Placement
from .elements import NARROW, SUB_BYTE
from .errors import BackendError, LoadError, Missing, NotTaken, OptionError, OutOfMemory, RunError, Unsupported
from .model import Model, Signature
from .options import SPINNING, THREADS, Option
from .profile import Profile, StepTime
from .tensors import RawTensor, narrow, view_as
from .value_types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseType,
    TensorType,
    ValueType,
    parse_type,
)
from .values import SparseTensor, Value
from .worker import serve

__version__ = "0.2.0"

__all__ = [
    "NARROW",
    "SPINNING",
    "SUB_BYTE",
    "THREADS",
    "Backend",
    "BackendError",
    "LoadError",
    "MapType",
    "Missing",
    "Model",
    "NotTaken",
    "Option",
    "OptionError",
    "OptionalType",
    "Options",
    "OutOfMemory",
    "Outputs",
    "Placement",
    "Profile",
    "RawTensor",
    "RunError",
    "SequenceType",
    "Signature",
    "SparseTensor",
    "SparseType",
    "StepTime",
    "TensorType",
    "Unsupported",
    "Value",
    "ValueType",
    "narrow",
    "parse_type",
    "serve",
    "view_as",
]
