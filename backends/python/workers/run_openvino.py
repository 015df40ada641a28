import openvino as ov
from openvino_limits import TYPES, checked
from openvino_steps import feeds, profile_by

from onnx_conformance import THREADS, RawTensor, narrow, serve

NAMES, CORE = {short: name for name, short in TYPES.items()}, ov.Core()


def load(model, options, **settings):
    settings |= {"INFERENCE_NUM_THREADS": options["threads"], "INFERENCE_PRECISION_HINT": "f32"}
    source = CORE.read_model(model.file() if model.folder else model.data)
    return checked(CORE.compile_model(source, "CPU", settings)).create_infer_request()


def tensor(value):
    if raw := narrow(value):  # OpenVINO would convert the array
        return ov.Tensor(raw.bits(), ov.Shape(raw.shape), getattr(ov.Type, TYPES[raw.element]))
    return ov.Tensor(value.astype(str) if value.dtype == object else value)


def run(request, inputs):
    request.infer(feeds(request, inputs, tensor))
    found = [(NAMES.get(output.element_type.get_type_name()), output) for output in request.output_tensors]
    return [RawTensor(name, tuple(t.shape), t.data.tobytes()) if name else t.data.copy() for name, t in found]


about = {"name": "openvino", "version": ov.__version__, "devices": CORE.available_devices}
serve(load, run, profile=profile_by(load, tensor), options={"threads": THREADS}, **about)
