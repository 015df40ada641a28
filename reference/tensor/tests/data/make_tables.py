"""Writes the tables of expected conversions for tests/conversions.rs, from ml_dtypes 0.6.0 and onnx 1.23.2.

Usage: make_tables.py FOLDER (this one). Needs `pip install onnx==1.23.2`, which installs numpy and ml_dtypes.

FORMAT.txt, one line for each probe: the bits of a float32, the pattern that `astype` returns, the pattern that
`onnx.numpy_helper.saturate_cast` returns; all hexadecimal. The probes are every value of the format, every midpoint
between neighbours, the next float32 on each side of both, values that are too large, Inf, NaN, and the negatives
of all of these.
FORMAT_values.txt: the bits of the float32 that each pattern represents, in order.
float8e8m0.txt has no third column, because ml_dtypes has no saturation for this format.
small_integers.txt: a value, then the value of its low bits as int4, uint4, int2 and uint2.
"""

import sys
import warnings
from pathlib import Path

import ml_dtypes
import numpy as np
from onnx.numpy_helper import saturate_cast

warnings.simplefilter("ignore")

FORMATS = {
    "float8e4m3fn": (ml_dtypes.float8_e4m3fn, 8),
    "float8e4m3fnuz": (ml_dtypes.float8_e4m3fnuz, 8),
    "float8e5m2": (ml_dtypes.float8_e5m2, 8),
    "float8e5m2fnuz": (ml_dtypes.float8_e5m2fnuz, 8),
    "float4e2m1": (ml_dtypes.float4_e2m1fn, 4),
    "float6e2m3": (ml_dtypes.float6_e2m3fn, 6),
    "float6e3m2": (ml_dtypes.float6_e3m2fn, 6),
    "float8e8m0": (ml_dtypes.float8_e8m0fnu, 8),
}


def values(dtype, bits):
    return np.arange(2**bits, dtype=np.uint8).view(dtype).astype(np.float32)


def probes(dtype, bits):
    finite = np.unique(np.abs(values(dtype, bits)[np.isfinite(values(dtype, bits))])).astype(np.float64)
    midpoints = (finite[1:] + finite[:-1]) / 2
    beyond = finite[-1] + (finite[-1] - finite[-2]) * np.array([0.5, 1.0, 2.0])
    centres = np.concatenate([finite, midpoints, beyond]).astype(np.float32)
    around = [np.nextafter(centres, np.float32(0)), centres, np.nextafter(centres, np.float32(np.inf))]
    special = np.array([0.0, 1e-45, 1e-7, 3.4e38, np.inf, np.nan], np.float32)
    positive = np.concatenate([*around, special])
    return np.unique(np.concatenate([positive, -positive]).view(np.uint32)).view(np.float32)


def patterns(array):
    return array.view(np.uint8)


def main():
    folder = Path(sys.argv[1])
    for name, (dtype, bits) in FORMATS.items():
        inputs = probes(dtype, bits)
        columns = [patterns(inputs.astype(dtype))]
        if name != "float8e8m0":
            columns.append(patterns(saturate_cast(inputs, dtype)))
        rows = zip(inputs.view(np.uint32), *columns)
        lines = ["{:08x} {}".format(row[0], " ".join(f"{p:02x}" for p in row[1:])) for row in rows]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
        decoded = [f"{bits:08x}" for bits in values(dtype, bits).view(np.uint32)]
        (folder / f"{name}_values.txt").write_text("\n".join(decoded) + "\n")
    whole = np.arange(-40, 40, dtype=np.int32)
    kept = [whole.astype(t).astype(np.int32) for t in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)]
    lines = [" ".join(map(str, row)) for row in zip(whole, *kept)]
    (folder / "small_integers.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
