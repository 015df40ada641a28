# OpenVINO on the processor. It converts arrays of types that it does not know, so these are passed as bits.
import time

import openvino as ov

from onnx_conformance import THREADS, Profile, RawTensor, StepTime, narrow, serve

TYPES = {"bfloat16": "bf16", "int4": "i4", "uint4": "u4", "uint2": "u2", "float4e2m1": "f4e2m1"}
TYPES |= {"float8e4m3fn": "f8e4m3", "float8e5m2": "f8e5m2", "float8e8m0": "f8e8m0"}
NAMES, CORE = {short: name for name, short in TYPES.items()}, ov.Core()


def compiled(model, options, **settings):
    settings |= {"INFERENCE_NUM_THREADS": options["threads"], "INFERENCE_PRECISION_HINT": "f32"}
    source = CORE.read_model(model.file() if model.folder else model.data)
    return CORE.compile_model(source, "CPU", settings)


def load(model, options):
    return compiled(model, options).create_infer_request()


def tensor(value):
    if raw := narrow(value):
        return ov.Tensor(raw.bits(), ov.Shape(raw.shape), getattr(ov.Type, TYPES[raw.element]))
    return ov.Tensor(value.astype(str) if value.dtype == object else value)


def feeds(request, inputs):
    return {port: tensor(inputs[name]) for port in request.model_inputs for name in port.names & inputs.keys()}


def profile(model, options, inputs, runs):
    network, found = compiled(model, options, PERF_COUNT=True), Profile()
    # The names of the nodes that were fused into a step.
    steps = network.get_runtime_model().get_ordered_ops()
    names = {step.get_friendly_name(): step.get_rt_info()["originalLayersNames"].value for step in steps}
    request = network.create_infer_request()
    given = feeds(request, inputs)
    request.infer(given)
    for _ in range(runs):
        start = time.perf_counter_ns()
        request.infer(given)
        took = time.perf_counter_ns() - start
        ran = [info for info in request.profiling_info if info.status == ov.ProfilingInfo.Status.EXECUTED]
        found.add(took, [StepTime(name_of(info, names), nanoseconds(info.real_time), info.node_type) for info in ran])
    return found


def name_of(info, names):
    return names.get(info.node_name) or info.node_name


def nanoseconds(duration):
    return round(duration.total_seconds() * 1e6) * 1000


def run(request, inputs):
    request.infer(feeds(request, inputs))
    found = [(NAMES.get(output.element_type.get_type_name()), output) for output in request.output_tensors]
    return [RawTensor(name, tuple(t.shape), t.data.tobytes()) if name else t.data.copy() for name, t in found]


about = {"name": "openvino", "version": ov.__version__, "devices": CORE.available_devices}
serve(load, run, profile=profile, options={"threads": THREADS}, **about)
