"""Runs generated cases of contrib operators on ONNX Runtime and compares it with the reference.

Usage: contrib_witness.py FOLDER [OPERATOR…]

The folder is written by `cargo run -p onnx-interpreter --example contrib -- FOLDER`. One line for each operator:
the cases that ONNX Runtime answers alike, those that it answers otherwise, those that it refuses, and those that
end its process, each with the first reason. An answer is alike within the reference's bound, or without one within 1e-3 (1e-2 for
types of 16 bits) of the largest element.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper


def tensor(path):
    message = onnx.TensorProto()
    message.ParseFromString(path.read_bytes())
    return message


def run(session, feeds):
    """The outputs; types without a NumPy type, as bfloat16, are refused."""
    arrays = {feed.name: numpy_helper.to_array(feed) for feed in feeds}
    if any(array.dtype.kind in "OSU" for array in arrays.values()):
        # No value of ONNX Runtime is made of text.
        return session.run(None, arrays)
    values = {
        feed.name: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(arrays[feed.name], feed.data_type)
        for feed in feeds
    }
    return [output.numpy() for output in session.run_with_ort_values(None, values)]


def wide(array):
    return numpy.asarray(array, dtype=numpy.float64)


def difference(expected, found, radius):
    """Why an output differs; None if it does not."""
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return f"{found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if expected.dtype.kind in "OSUb":
        return None if (expected == found).all() else "other values"
    a, b = wide(expected), wide(found)
    off = numpy.abs(a - b)
    equal = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
    if radius is None:
        floats = expected.dtype.kind == "f" or expected.dtype.name == "bfloat16"
        share = 1e-3 if expected.dtype.itemsize > 2 else 1e-2
        finite = numpy.abs(a[numpy.isfinite(a)])
        radius = share * finite.max() if floats and finite.size else 0.0
    bad = ~equal & ~(off <= radius)
    if not bad.any():
        return None
    place = numpy.unravel_index(numpy.argmax(bad), bad.shape) if bad.shape else ()
    return f"{int(bad.sum())} of {bad.size}, first at {list(map(int, place))}: {b[place]}, expected {a[place]}"


# Types of which a tensor has two elements in a byte: NumPy has no such array, an initializer has.
PACKED = (onnx.TensorProto.INT4, onnx.TensorProto.UINT4, onnx.TensorProto.FLOAT4E2M1)


def with_constants(model, feeds):
    """Makes initializers of the feeds that no array can hold; returns the others."""
    packed = {feed.name for feed in feeds if feed.data_type in PACKED}
    kept = [one for one in model.graph.input if one.name not in packed]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.graph.initializer.extend(feed for feed in feeds if feed.name in packed)
    return [feed for feed in feeds if feed.name not in packed]


def judge(folder):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    data = folder / "test_data_set_0"
    feeds = [tensor(path) for path in sorted(data.glob("input_*.pb"), key=lambda p: int(p.stem[6:]))]
    try:
        model = onnx.load(folder / "model.onnx")
        feeds = with_constants(model, feeds)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        names = {one.name for one in session.get_inputs()}
        outputs = run(session, [feed for feed in feeds if feed.name in names])
    except Exception as error:  # noqa: BLE001: whatever it raises is a refusal
        return "refused", str(error).replace("\n", " ")[-150:]
    for index, found in enumerate(outputs):
        expected = numpy_helper.to_array(tensor(data / f"output_{index}.pb"))
        path = data / f"radius_{index}.pb"
        radius = wide(numpy_helper.to_array(tensor(path))) if path.exists() else None
        if why := difference(expected, found, radius):
            return "differs", f"output {index}: {why}"
    return "alike", ""


def worker(folders):
    """Judges folders in this process: a line of JSON for each."""
    for folder in folders:
        print(json.dumps(judge(Path(folder))), flush=True)


def verdicts(folders):
    """Judges folders in processes of their own: one that ends has its verdict."""
    while folders:
        command = [sys.executable, __file__, "--worker", *map(str, folders)]
        answer = subprocess.run(command, capture_output=True, text=True)
        judged = [json.loads(line) for line in answer.stdout.splitlines()]
        yield from zip(folders, judged)
        folders = folders[len(judged):]
        if folders:
            why = answer.stderr.strip().splitlines() or [f"exit {answer.returncode}"]
            yield folders[0], ("ends", why[-1][-150:])
            folders = folders[1:]


def main():
    if sys.argv[1] == "--worker":
        return worker(sys.argv[2:])
    root, wanted = Path(sys.argv[1]), sys.argv[2:]
    for suite in sorted(path for path in root.iterdir() if path.is_dir()):
        if wanted and not any(part in suite.name for part in wanted):
            continue
        counts, first = Counter(), {}
        for folder, (verdict, why) in verdicts(sorted(suite.iterdir())):
            counts[verdict] += 1
            first.setdefault(verdict, f"{folder.name}: {why}")
        print(f"{suite.name}: {', '.join(f'{counts[v]} {v}' for v in ('alike', 'differs', 'refused', 'ends'))}")
        for verdict in ("differs", "refused", "ends"):
            if verdict in first:
                print(f"    {verdict} {first[verdict]}")


if __name__ == "__main__":
    main()
