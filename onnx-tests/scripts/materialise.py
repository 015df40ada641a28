"""Write the official test data of an `onnx` release whose wheel carries only the code that makes it.

    python materialise.py OUT.zip

Run by `cargo xtask fetch` in an environment of its own with the packages that `corpora.lock` pins. From 1.23 on the
`node` cases are Python modules that compute them; every other suite is still data in the wheel and is copied. The zip has
the layout of an older wheel, so that nothing else has to know the difference.

The same packages must give the same bytes on every machine, since the hash of the zip is pinned:
- NumPy and OpenBLAS choose their kernels by processor, and these differ in the last bit: all but the baseline ones are
  switched off. So are threads, since a sum depends on how it is parted.
- Strings hash by a random seed, which the order of sets follows: it is fixed.
- onnx seeds NumPy's generator before each case; what draws from another one is refused (`random_sources`).
- Entries are sorted, have one time and one mode, and are stored: what a deflater makes depends on its version.
"""

import os
import sys
import zipfile
from pathlib import Path

FIXED = {
    "ONNX_TESTS_RESTARTED": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
DATA = "onnx/backend/test/data"


def restart_in_fixed_environment() -> None:
    """These variables are read when a process or a library starts, so they must be there before."""
    if all(os.environ.get(name) == value for name, value in FIXED.items()):
        return
    from numpy._core import _multiarray_umath as numpy_core

    # NumPy refuses to switch off what the processor does not have.
    optional = [name for name in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__.get(name)]
    fixed = FIXED | {"NPY_DISABLE_CPU_FEATURES": " ".join(optional)}
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | fixed)


def copied() -> dict[str, bytes]:
    """Every file of data that the package has."""
    import onnx.backend.test

    root = Path(onnx.backend.test.__file__).parent / "data"
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return {f"{DATA}/{path.relative_to(root).as_posix()}": path.read_bytes() for path in files}


def computed() -> dict[str, bytes]:
    """The files of the node cases."""
    from onnx.backend.test.loader import load_model_tests

    files = {}
    for case in load_model_tests(kind="node"):
        folder = f"{DATA}/node/{case.name}"
        if f"{folder}/model.onnx" in files:
            raise SystemExit(f"two cases are called {case.name}")
        files[f"{folder}/model.onnx"] = case.model.SerializeToString(deterministic=True)
        if (case.rtol, case.atol) != (1e-3, 1e-7):
            raise SystemExit(f"{case.name} has a tolerance of its own, which is not written yet")
        graph = case.model.graph
        for number, (inputs, outputs) in enumerate(case.data_sets):
            data_set = f"{folder}/test_data_set_{number}"
            for kind, infos, values in (("input", graph.input, inputs), ("output", graph.output, outputs)):
                if len(values) > len(infos):
                    raise SystemExit(f"{case.name} has more {kind}s than its graph")
                for index, (info, value) in enumerate(zip(infos, values)):
                    files[f"{data_set}/{kind}_{index}.pb"] = encoded(info, value)
    return files


def encoded(info, value) -> bytes:
    """`value` as the message that the type of the graph's input or output asks for."""
    from onnx import numpy_helper

    encoders = {
        "map_type": numpy_helper.from_dict,
        "optional_type": numpy_helper.from_optional,
        "sequence_type": numpy_helper.from_list,
        "tensor_type": numpy_helper.from_array,
    }
    kind = info.type.WhichOneof("value")
    if not hasattr(value, "SerializeToString"):
        value = encoders[kind](value, info.name)
    return value.SerializeToString(deterministic=True)


def refuse_other_generators() -> None:
    """Makes every generator that starts from the system's entropy an error: its draws could not be repeated."""
    import random

    import numpy as np

    def refused(what):
        def call(seed=None, *rest):
            if seed is None:
                raise SystemExit(f"a case draws from {what} without a seed")
            return what(seed, *rest)

        return call

    np.random.default_rng = refused(np.random.default_rng)
    np.random.RandomState = refused(np.random.RandomState)
    random.seed(0)


def write(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, files[name])


if __name__ == "__main__":
    restart_in_fixed_environment()
    refuse_other_generators()
    write(Path(sys.argv[1]), copied() | computed())
