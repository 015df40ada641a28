"""Inputs of OpenVINO's requests, and the times of the steps of a network by the names of the nodes fused into each."""

import time

import openvino as ov
from openvino_limits import check_integers

from onnx_conformance import Profile, StepTime


def feeds(request, inputs, tensor):
    """The tensor of each input of a network. An input that is not given is a KeyError.

    OpenVINO names an input that it returns as an output (Dropout) like the output. Such inputs have their order.
    """
    named = {port: port.names & inputs.keys() for port in request.model_inputs}
    rest = iter([name for name in inputs if not any(name in names for names in named.values())])
    given = {port: inputs[names.pop() if names else next(rest, port.any_name)] for port, names in named.items()}
    check_integers(request, given)
    return {port: tensor(value) for port, value in given.items()}


def profile_by(load, tensor):
    """What `serve` calls to profile a model that `load` compiles."""

    def profile(model, options, inputs, runs):
        request = load(model, options, PERF_COUNT=True)
        return measured(request, feeds(request, inputs, tensor), runs)

    return profile


def measured(request, given, runs):
    """The steps of so many runs, after one that is not measured."""
    found, names = Profile(), fused_names(request.get_compiled_model().get_runtime_model())
    request.infer(given)
    for _ in range(runs):
        start = time.perf_counter_ns()
        request.infer(given)
        took = time.perf_counter_ns() - start
        ran = [info for info in request.profiling_info if info.status == ov.ProfilingInfo.Status.EXECUTED]
        found.add(took, [step_time(info, names) for info in ran])
    return found


def fused_names(network):
    """The names of the nodes that were fused into each step."""
    steps = network.get_ordered_ops()
    return {step.get_friendly_name(): step.get_rt_info()["originalLayersNames"].value for step in steps}


def step_time(info, names):
    name = names.get(info.node_name) or info.node_name
    return StepTime(name, round(info.real_time.total_seconds() * 1e6) * 1000, info.node_type)
