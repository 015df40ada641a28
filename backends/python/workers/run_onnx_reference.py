"""The reference evaluator of the `onnx` package."""

import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import RuntimeImplementationError

from onnx_conformance import serve


def load(model, _options):
    return ReferenceEvaluator(model.proto())


def run(session, inputs):
    return session.run(None, inputs)


OPSETS = {"": onnx.defs.onnx_opset_version()}
UNSUPPORTED = (RuntimeImplementationError,)
serve(load, run, name="onnx_reference", version=onnx.__version__, opsets=OPSETS, unsupported=UNSUPPORTED)
