# ONNX Runtime by its Python interface. Tensors of types that numpy does not have are passed as bits.
import onnxruntime as ort
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as NotThere

from onnx_conformance import NARROW, SPINNING, THREADS, RawTensor, narrow, serve


def load(model, options):
    settings = ort.SessionOptions()
    settings.intra_op_num_threads = options["threads"]
    settings.add_session_config_entry("session.intra_op.allow_spinning", str(int(options["spinning"])))
    return ort.InferenceSession(model.file() if model.folder else model.data, settings)


def by_bits(raw):
    value = ort.OrtValue.ortvalue_from_shape_and_type(raw.shape, raw.number, "cpu")
    raw.write(value.data_ptr())
    return value


def run(session, inputs):
    bits = any(output.type[7:-1] in NARROW for output in session.get_outputs())
    raws = {name: RawTensor.of(value) if bits else narrow(value) for name, value in inputs.items()}
    feeds = {name: by_bits(raw) if raw else inputs[name] for name, raw in raws.items()}
    found = session.run_with_ort_values(None, feeds) if bits else session.run(None, feeds)
    return [RawTensor.read(o.data_type()[7:-1], o.shape(), o.data_ptr()) for o in found] if bits else found


OPTIONS = {"threads": THREADS, "spinning": SPINNING}
serve(load, run, name="onnxruntime", version=ort.__version__, options=OPTIONS, unsupported=(NotThere,))
