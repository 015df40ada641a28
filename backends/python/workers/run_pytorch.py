"""PyTorch on the processor, by the converter onnx2torch."""

import onnx2torch
import torch

from onnx_conformance import THREADS, serve


def load(model, options):
    torch.set_num_threads(options["threads"])
    return onnx2torch.convert(model.proto()).eval(), model.signature


def plain(value):
    return value.numpy() if isinstance(value, torch.Tensor) else value


def run(session, inputs):
    module, signature = session
    with torch.no_grad():
        outputs = module(*[torch.from_numpy(inputs[name]) for name in signature.inputs])
    outputs = outputs if isinstance(outputs, (list, tuple)) and len(signature.outputs) > 1 else [outputs]
    return [plain(output) for output in outputs]


OPTIONS, UNSUPPORTED = {"threads": THREADS}, (NotImplementedError,)
serve(load, run, name="pytorch", version=torch.__version__, options=OPTIONS, unsupported=UNSUPPORTED)
