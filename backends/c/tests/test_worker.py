"""The C library over a pair of pipes, under AddressSanitizer: the bits of every element type, the answer to every fault.

It needs no package: frames and tensors are encoded here, as docs/protocol.md defines them.
"""

import json
import random
import struct
import subprocess
import time
import unittest
from pathlib import Path

ECHO = Path(__file__).parent / "echo"
MAGIC = b"\x89ONXW\r\n\x1a"
BITS = {"float": 32, "uint8": 8, "int8": 8, "uint16": 16, "int16": 16, "int32": 32, "int64": 64, "bool": 8, "float16": 16}
BITS |= {"double": 64, "uint32": 32, "uint64": 64, "complex64": 64, "complex128": 128, "bfloat16": 16, "float8e4m3fn": 8}
BITS |= {"float8e4m3fnuz": 8, "float8e5m2": 8, "float8e5m2fnuz": 8, "uint4": 4, "int4": 4, "float4e2m1": 4}
BITS |= {"float8e8m0": 8, "uint2": 2, "int2": 2, "float6e2m3": 6, "float6e3m2": 6}
NUMBERS = {name: index + 1 + (index > 6) for index, name in enumerate(BITS)}


def frame(header, payload=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return MAGIC + struct.pack("<IIQ", 1, len(text), len(payload)) + text + payload


def varint(value):
    data = b""
    while value >= 0x80:
        data, value = data + bytes([value & 0x7F | 0x80]), value >> 7
    return data + bytes([value])


def tensor(number, dims, raw):
    shape = b"".join(b"\x08" + varint(extent) for extent in dims)
    return shape + b"\x10" + varint(number) + b"\x4a" + varint(len(raw)) + raw


def talk(data, *arguments):
    """Sends data; returns the answers and the exit code."""
    # Memory that is still in use at the end of the process is not a leak.
    environment = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1"}
    done = subprocess.run([ECHO, *arguments], input=data, capture_output=True, timeout=60, env=environment)
    answers, rest = [], done.stdout
    while rest:
        _, header, payload = struct.unpack("<IIQ", rest[8:24])
        answers.append((json.loads(rest[24 : 24 + header]), rest[24 + header : 24 + header + payload]))
        rest = rest[24 + header + payload :]
    return answers, done.returncode, done.stderr.decode()


def run_request(number, blobs, **more):
    inputs = [{"name": f"y{index}", "type": kind, "bytes": len(data)} for index, (kind, data) in enumerate(blobs)]
    payload = b"".join(data for _, data in blobs)
    return frame({"id": number, "request": "run", "session": 1, "inputs": inputs, **more}, payload)


LOAD = frame({"id": 0, "request": "load", "model": 1}, b"m")


class Worker(unittest.TestCase):
    def test_every_element_type_keeps_its_bits(self):
        draw = random.Random(1)
        blobs = []
        for name, bits in BITS.items():
            for dims in ((), (0,), (3,), (2, 5), (0, 3), (257,)):
                count = 1
                for extent in dims:
                    count *= extent
                blobs.append((f"tensor({name})", tensor(NUMBERS[name], dims, draw.randbytes((count * bits + 7) // 8))))
        requests = [run_request(index + 1, [blob, blobs[0]]) for index, blob in enumerate(blobs)]
        answers, code, errors = talk(LOAD + b"".join(requests))
        self.assertEqual((len(answers), code, errors), (len(blobs) + 1, 0, ""))
        for (header, payload), (kind, data) in zip(answers[1:], blobs):
            self.assertEqual([entry["type"] for entry in header["outputs"]], [kind, "tensor(float)"])
            self.assertEqual(payload, data + blobs[0][1])

    def test_requests_have_their_answers(self):
        one = ("tensor(float)", tensor(1, (1,), bytes(4)))
        entry = {"name": "y0", "type": one[0], "bytes": len(one[1])}
        bench = {"request": "bench", "session": 1, "warmup": 1, "iterations": 3, "sets": [[entry], [entry, entry]]}
        cases = [
            ({"request": "hello", "versions": [3, 1]}, b"", "hello"),
            ({"request": "hello", "versions": [3]}, b"", "version"),
            ({"request": "capabilities"}, b"", "capabilities"),
            ({"request": "load", "model": 1}, b"m", "loaded"),
            ({"request": "load", "model": 3}, b"bad", "unsupported"),
            ({"request": "load", "model": 3}, b"m", "malformed"),
            ({"request": "load", "model": 1}, b"mm", "malformed"),
            ({"request": "load"}, b"", "malformed"),
            ({"request": "load", "model": 1, "folder": "/"}, b"m", "unsupported"),
            ({"request": "dance"}, b"", "unknown_message"),
            ({"request": "run", "session": 9, "inputs": []}, b"", "unknown_session"),
            ({"request": "run", "session": 2**63 - 1, "inputs": []}, b"", "unknown_session"),
            ({"request": "run", "session": 1}, b"", "malformed"),
            ({"request": "run", "session": 1, "inputs": [entry]}, one[1], "ran"),
            ({"request": "run", "session": 1, "inputs": [entry], "outputs": []}, one[1], "ran"),
            ({"request": "run", "session": 1, "inputs": [entry]}, one[1] + b"x", "malformed"),
            ({"request": "run", "session": 1, "inputs": [{**entry, "type": "seq(tensor(float))"}]}, one[1], "unsupported"),
            (bench, one[1] * 3, "benched"),
            ({**bench, "iterations": 0}, one[1] * 3, "malformed"),
            ({**bench, "iterations": 40_000}, one[1] * 3, "malformed"),
            ({**bench, "sets": []}, b"", "malformed"),
            ({"request": "unload", "session": 1}, b"", "unloaded"),
            ({"request": "unload", "session": 1}, b"", "unknown_session"),
            ({"request": "shutdown"}, b"", "bye"),
            ({"request": "capabilities"}, b"", None),
        ]
        data = b"".join(frame({"id": index, **header}, payload) for index, (header, payload, _) in enumerate(cases))
        answers, code, errors = talk(data)
        found = [header.get("reason") or header.get("error", {}).get("kind") or header["answer"] for header, _ in answers]
        self.assertEqual(found, [expected for _, _, expected in cases if expected])
        self.assertEqual((code, errors), (0, ""))
        benched = answers[17][0]
        self.assertEqual((len(benched["warmup_nanoseconds"]), len(benched["nanoseconds"])), (1, 3))
        self.assertEqual((len(benched["first"]), len(benched["last"])), (1, 1))
        self.assertEqual([header["id"] for header, _ in answers], list(range(len(answers))))

    def test_invalid_tensors_are_refused(self):
        good = tensor(1, (2,), bytes(8))
        bad = [good[:-1], good[:3], b"\xff" * 20, tensor(2, (2,), bytes(8)), tensor(1, (3,), bytes(8)), b"\x0b\x0c"]
        bad += [tensor(1, (2**62, 2**62), bytes(8)), tensor(1, (2**64 - 1,), bytes(8)), tensor(1, [1] * 33, bytes(4))]
        bad += [good + b"\x70\x01", b"\x0a\x02\x80\x80" + good, good + b"\x4a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"]
        requests = [run_request(1, [("tensor(float)", data)]) for data in bad]
        answers, code, errors = talk(LOAD + b"".join(requests))
        self.assertEqual([header.get("reason") for header, _ in answers[1:]], ["malformed"] * len(bad))
        self.assertEqual((code, errors), (0, ""))

    def test_random_bytes_for_a_tensor_are_refused_or_decoded(self):
        draw = random.Random(2)
        good = tensor(7, (3, 2), draw.randbytes(48))
        requests = b""
        for number in range(1, 3000):
            data = bytearray(good)
            for _ in range(draw.randrange(1, 4)):
                data[draw.randrange(len(data))] = draw.randrange(256)
            requests += run_request(number, [("tensor(int64)", bytes(data))])
        answers, code, errors = talk(LOAD + requests)
        self.assertEqual((len(answers), code, errors), (3000, 0, ""))

    def test_a_worker_whose_harness_is_gone_ends_during_a_run(self):
        began = time.monotonic()
        environment = {"ASAN_OPTIONS": "detect_leaks=0", "ECHO_HANGS": "1"}
        worker = subprocess.Popen([ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        worker.stdin.write(LOAD + run_request(1, []))
        worker.stdin.close()
        self.assertEqual(worker.wait(timeout=60), 4)
        self.assertGreater(time.monotonic() - began, 9)
        worker.stdout.close()

    def test_an_invalid_frame_ends_the_worker(self):
        for data in (b"What is this? It is not a frame", MAGIC, frame(b"[]"), frame(b"{"), frame({"id": 1}), frame(b"[" * 9999)):
            self.assertEqual(talk(data)[1], 3, data[:40])
        huge = MAGIC + struct.pack("<IIQ", 1, 2, 2 << 30) + b"{}"
        self.assertEqual(talk(huge)[1], 3)

    def test_an_invalid_option_is_the_answer_to_every_request(self):
        for arguments in (["--opt", "thread=2"], ["--opt"], ["-x", "y"], ["--opt", "threads=0"]):
            answers, _, _ = talk(frame({"id": 1, "request": "hello", "versions": [1]}), *arguments)
            self.assertEqual(answers[0][0]["error"]["kind"], "option")
        answers, _, _ = talk(frame({"id": 1, "request": "hello", "versions": [1]}), "--opt", "threads=99")
        self.assertEqual(answers[0][0]["error"], {"kind": "missing", "message": "no 99 threads"})


if __name__ == "__main__":
    unittest.main()
