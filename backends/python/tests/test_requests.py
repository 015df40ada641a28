"""Answers to requests, and the errors for invalid requests and failing backends."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from onnx_conformance import Backend, Model, Profile, StepTime, Value, outputs, service
from onnx_conformance.requests import HeaderError, Request

from .echo import Absent, Count, Echo, in_memory, peer_of
from .harness_side import Blob, Peer, frame, model

ONE = Blob("x", "tensor(float)", TensorProto(data_type=1, raw_data=np.float32(1.5).tobytes()).SerializeToString())
PLAIN = model({"x": "tensor(float)"}, {"y": "tensor(float)"})


def named(producer: str) -> bytes:
    """A model for which the echo raises the exception of this name."""
    return PLAIN + b"\x12" + bytes([len(producer)]) + producer.encode()


def test_hello_describes_the_backend() -> None:
    answer = peer_of(Echo(), ["--opt", "threads=4"]).ask("hello", versions=[9, 1], harness="h").header
    assert answer == {
        "id": 1,
        "answer": "hello",
        "version": 1,
        "backend": {
            "name": "echo",
            "version": "1.5",
            "build": "by hand",
            "options": {"threads": "4", "mood": "calm"},
            "wants_inputs_at_load": False,
            "provider": "paper",
        },
    }


def test_capabilities_name_the_options() -> None:
    answer = peer_of(Echo()).ask("capabilities").header
    assert answer["options"] == {"threads": "number of threads, 1 by default", "mood": "how it feels"}
    assert (answer["opsets"], answer["devices"], answer["operators"]) == ({"": 21}, ["paper"], ["Identity-21"])


def test_a_case_is_loaded_and_run() -> None:
    peer = peer_of(Echo())
    assert peer.ask("probe", PLAIN, model=len(PLAIN)).header["answer"] == "probed"
    first, second = peer.load(PLAIN), peer.load(PLAIN)
    assert first != second
    ran = peer.run(first, [ONE])
    assert ran.header["nanoseconds"] > 0
    assert TensorProto.FromString(ran.blobs()[0].data).raw_data == np.float32(1.5).tobytes()
    placed = peer.ask("placement", session=first).header
    assert placed["placement"] == [{"node": "y", "operator": "Identity", "provider": "paper"}]
    assert peer.ask("unload", session=first).header["answer"] == "unloaded"
    refused = peer.run(first, [ONE]).header
    assert (refused["answer"], refused["reason"]) == ("refused", "unknown_session")
    assert peer.run(second, [ONE]).header["answer"] == "ran"
    assert peer.ask("shutdown").header["answer"] == "bye"


def test_inputs_that_the_model_does_not_declare_are_errors() -> None:
    peer = peer_of(Echo())
    session = peer.load(PLAIN)
    other = Blob("z", ONE.type, ONE.data)
    whole = Blob("x", "tensor(int64)", TensorProto(data_type=7, raw_data=bytes(8)).SerializeToString())
    for inputs, message in [
        ([ONE, other], "the model has no input `z`"),
        ([whole], "input `x` is tensor(int64), but the model declares tensor(float)"),
    ]:
        error = peer.run(session, inputs).header["error"]
        assert error == {"kind": "run", "message": message}


def test_a_file_without_a_graph_is_no_model() -> None:
    error = peer_of(Echo()).ask("load", model=0).header["error"]
    assert error == {"kind": "load", "message": "the file has no graph"}


def test_nothing_is_answered_after_shutdown() -> None:
    asked = frame({"id": 1, "request": "shutdown"}) + frame({"id": 2, "request": "capabilities"})
    assert [answer.header["answer"] for answer in in_memory(Echo(), asked)] == ["bye"]


def test_only_load_and_run_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Backend):
        def load(self, model: Model, options: Any) -> None:
            time.sleep(0.02)

        def run(self, session: Any, inputs: dict[str, Value]) -> list[Value]:
            time.sleep(0.01)
            return list(inputs.values())

    def delayed(work: Callable[..., Any]) -> Callable[..., Any]:
        def later(*arguments: Any) -> Any:
            time.sleep(0.05)
            return work(*arguments)

        return later

    monkeypatch.setattr(Request, "values", delayed(Request.values))
    monkeypatch.setattr(service, "encode_outputs", delayed(outputs.encode_outputs))
    peer = peer_of(Slow())
    loaded = peer.ask("load", PLAIN, model=len(PLAIN)).header
    assert loaded["nanoseconds"] >= 20_000_000
    start = time.perf_counter_ns()
    ran = peer.run(loaded["session"], [ONE]).header
    elapsed = time.perf_counter_ns() - start
    assert ran["nanoseconds"] >= 10_000_000
    assert elapsed - ran["nanoseconds"] >= 100_000_000, "decoding and encoding are not timed"


def test_a_bench_rotates_over_the_sets() -> None:
    peer = peer_of(Count())
    session = peer.load(model({"x": "tensor(double)"}, {"runs": "tensor(int64)", "sum": "tensor(double)"}))
    sets = [[Blob("x", "tensor(double)", number(index))] for index in (10.0, 20.0)]
    payload = b"".join(blob.data for blobs in sets for blob in blobs)
    entries = [[blob.entry() for blob in blobs] for blobs in sets]
    answer = peer.ask("bench", payload, session=session, warmup=3, iterations=4, sets=entries)
    assert (len(answer.header["warmup_nanoseconds"]), len(answer.header["nanoseconds"])) == (3, 4)
    first = answer.blobs("first")
    last = answer.blobs("last", skip=sum(len(blob.data) for blob in first))
    # Three warm-up runs, then the sets a b a b: the first measured run is the fourth, the last the seventh.
    assert [decoded(blob) for blob in first] == [4, 10.0]
    assert [decoded(blob) for blob in last] == [7, 20.0]


def test_a_bench_of_one_run_is_first_and_last() -> None:
    peer = peer_of(Count())
    session = peer.load(model({}, {"runs": "tensor(int64)", "sum": "tensor(double)"}))
    answer = peer.ask("bench", session=session, warmup=0, iterations=1, sets=[[]])
    assert answer.header["first"] == answer.header["last"]
    half = len(answer.payload) // 2
    assert answer.payload[:half] == answer.payload[half:]


class Timed(Echo):
    """Reports the same steps in each run, the last of which takes longer."""

    def profile(self, model: Model, options: Any, inputs: dict[str, Value], runs: int) -> Profile:
        del options
        assert list(model.signature.inputs) == list(inputs)
        assert not model.constants
        found = Profile()
        for run in range(runs):
            late = 900 if run == runs - 1 else 0
            found.add(100 + late, [StepTime("a", 10 + late, "Abs"), StepTime("b", 5), StepTime("b", 6)])
        return found


def test_a_profile_has_the_median_of_each_step() -> None:
    payload = PLAIN + ONE.data
    answer = peer_of(Timed()).ask("profile", payload, model=len(PLAIN), runs=3, inputs=[ONE.entry()]).header
    assert answer == {
        "id": 1,
        "answer": "profiled",
        "nanoseconds": [100, 100, 1000],
        "omitted": 0,
        "steps": [
            {"name": "a", "operator": "Abs", "calls": 3, "nanoseconds": 930, "median": 10},
            {"name": "b", "operator": "", "calls": 6, "nanoseconds": 33, "median": 11},
        ],
    }


def test_the_shortest_steps_are_omitted_from_a_long_profile() -> None:
    found = Profile()
    found.add(1, [StepTime(f"{number:0100}", number) for number in range(20_000)])
    fields = found.fields()
    assert len(json.dumps(fields)) < 1 << 20
    assert fields["omitted"] == 20_000 - len(fields["steps"]) > 0
    assert fields["steps"][-1]["nanoseconds"] == 19_999


def test_a_backend_without_times_of_steps_does_not_support_a_profile() -> None:
    ask = {"model": len(PLAIN), "inputs": [ONE.entry()]}
    error = peer_of(Echo()).ask("profile", PLAIN + ONE.data, runs=1, **ask).header["error"]
    assert error == {"kind": "unsupported", "message": "this worker reports no times of steps"}
    refused = peer_of(Echo()).ask("profile", PLAIN + ONE.data, runs=0, **ask).header
    assert (refused["answer"], refused["reason"]) == ("refused", "malformed")


def number(value: float) -> bytes:
    return TensorProto(data_type=11, raw_data=np.float64(value).tobytes()).SerializeToString()


def decoded(blob: Blob) -> float:
    proto = TensorProto.FromString(blob.data)
    return float(np.frombuffer(proto.raw_data, {7: np.int64, 11: np.float64}[proto.data_type])[0])


def test_a_bench_keeps_the_first_outputs_if_the_runtime_reuses_their_memory() -> None:
    class Reuses(Count):
        memory = np.zeros((), np.int64)

        def run(self, session: Any, inputs: dict[str, Value]) -> dict[str, Any]:
            self.memory += 1
            return {"runs": self.memory, "sum": np.array(0.0)}

    peer = peer_of(Reuses())
    session = peer.load(model({}, {"runs": "tensor(int64)", "sum": "tensor(double)"}))
    answer = peer.ask("bench", session=session, warmup=0, iterations=3, sets=[[]])
    assert decoded(answer.blobs("first")[0]) == 1


@pytest.mark.parametrize(
    ("producer", "kind", "message"),
    [
        ("unsupported", "unsupported", "no Add"),
        ("typed", "unsupported", "TypedRefusal: not this"),
        ("value_error", "load", "ValueError: a fault"),
        ("memory", "out_of_memory", "MemoryError: 8 GiB"),
        ("out_of_memory", "out_of_memory", "the device is full"),
        ("surrogate", "load", "ValueError: ?"),
    ],
)
def test_an_error_has_the_kind_of_its_stage(producer: str, kind: str, message: str) -> None:
    peer = peer_of(Echo())
    data = named(producer)
    for request in ("load", "probe"):
        header = peer.ask(request, data, model=len(data)).header
        assert (header["answer"], header["error"]["kind"], header["error"]["message"]) == ("failed", kind, message)
    session = peer.load(model({producer: "tensor(float)", "x": "tensor(float)"}, {"y": "tensor(float)"}))
    error = peer.run(session, [Blob(producer, ONE.type, ONE.data)]).header["error"]
    assert (error["kind"], error["message"]) == ("run" if kind == "load" else kind, message)
    assert peer.run(session, [ONE]).header["answer"] == "ran", "the session is still loaded"


def test_a_refusal_names_its_operator() -> None:
    data = named("unsupported")
    header = peer_of(Echo()).ask("load", data, model=len(data)).header
    assert header["error"] == {"kind": "unsupported", "message": "no Add", "operator": "Add"}


def test_a_long_message_is_cut() -> None:
    data = named("long")
    message = peer_of(Echo()).ask("load", data, model=len(data)).header["error"]["message"]
    assert message.startswith("ValueError: xxx")
    assert len(message) == 32 << 10


def test_an_answer_that_does_not_fit_is_refused() -> None:
    outputs = {f"{'y' * 2000}{index}": "tensor(float)" for index in range(600)}

    class Wide(Echo):
        def run(self, session: Any, inputs: dict[str, Value]) -> Any:
            return dict.fromkeys(outputs, np.zeros(1, np.float32))

    peer = peer_of(Wide())
    session = peer.load(model({}, outputs))
    header = peer.run(session, []).header
    assert (header["answer"], header["reason"]) == ("refused", "too_long")


@pytest.mark.parametrize(
    ("fields", "payload", "reason", "message"),
    [
        ({"request": "dance"}, b"", "unknown_message", "message `dance` is unknown"),
        ({"request": "bound", "session": 1}, b"", "unknown_message", "message `bound` is unknown"),
        ({"request": "hello", "versions": [2, 3]}, b"", "version", "no common protocol version: offered [2, 3]"),
        ({"request": "hello"}, b"", "malformed", "message `hello`: missing field `versions`"),
        ({"request": "hello", "versions": 1}, b"", "malformed", "message `hello`: field `versions` is not a list"),
        ({"request": "load"}, b"", "malformed", "message `load`: missing field `model`"),
        ({"request": "load", "model": -1}, b"", "malformed", "message `load`: field `model` is not a non-neg"),
        ({"request": "load", "model": True}, b"", "malformed", "message `load`: field `model` is not a non-neg"),
        ({"request": "load", "model": 2}, b"m", "malformed", "`model` has 2 bytes in the header, but the"),
        ({"request": "load", "model": 0}, b"m", "malformed", "the payload has 1 bytes that the header does not"),
        ({"request": "load", "model": 0, "folder": 3}, b"", "malformed", "message `load`: field `folder` is not text"),
        ({"request": "load", "model": 0, "files": [{}]}, b"", "malformed", "message `load`: a file without"),
        ({"request": "load", "model": 0, "inputs": [{}]}, b"", "malformed", "message `load`: a value without name"),
        ({"request": "run", "inputs": []}, b"", "malformed", "message `run`: missing field `session`"),
        ({"request": "run", "session": 7, "inputs": []}, b"", "unknown_session", "session 7 is not loaded"),
        ({"request": "run", "session": 1}, b"", "malformed", "message `run`: missing field `inputs`"),
        ({"request": "run", "session": 1, "inputs": {}}, b"", "malformed", "message `run`: field `inputs` is not a"),
        ({"request": "run", "session": 1, "inputs": [], "outputs": [1]}, b"", "malformed", "message `run`: field `out"),
        (
            {"request": "run", "session": 1, "inputs": [ONE.entry(), ONE.entry()]},
            ONE.data * 2,
            "malformed",
            "message `run`: two values have the name `x`",
        ),
        (
            {"request": "run", "session": 1, "inputs": [{**ONE.entry(), "bytes": 2**63}]},
            ONE.data,
            "malformed",
            "`x` has 9223372036854775808 bytes",
        ),
        ({"request": "bench", "session": 1, "warmup": 0, "iterations": 0, "sets": [[]]}, b"", "malformed", "at least"),
        ({"request": "bench", "session": 1, "warmup": 0, "iterations": 1, "sets": []}, b"", "malformed", "at least"),
        ({"request": "bench", "session": 1, "warmup": 0, "iterations": 1, "sets": [1]}, b"", "malformed", "at least"),
        (
            {"request": "bench", "session": 1, "warmup": 40_000, "iterations": 1, "sets": [[]]},
            b"",
            "malformed",
            "40001 runs requested, the maximum is 40000",
        ),
        ({"request": "placement", "session": 7}, b"", "unknown_session", "session 7 is not loaded"),
        ({"request": "unload", "session": 7}, b"", "unknown_session", "session 7 is not loaded"),
    ],
)
def test_an_invalid_request_is_refused(fields: dict[str, Any], payload: bytes, reason: str, message: str) -> None:
    peer = peer_of(Echo())
    peer.load(PLAIN)
    header = peer.ask(fields.pop("request"), payload, **fields).header
    assert (header["answer"], header["reason"]) == ("refused", reason), header
    assert header["message"].startswith(message), header["message"]
    assert peer.run(1, [ONE]).header["answer"] == "ran", "the next request is answered as usual"


def test_fields_that_are_not_known_are_ignored() -> None:
    peer = peer_of(Echo())
    assert peer.ask("load", PLAIN, model=len(PLAIN), colour="red").header["answer"] == "loaded"


@pytest.mark.parametrize(
    "header",
    [b"", b"[]", b'{"request":"hello"}', b'{"id":-1,"request":"hello"}', b'{"id":1}', b"[" * 200_000, b"\xff",
     b'{"id":true,"request":"hello"}', b'{"id":18446744073709551616,"request":"hello"}'],
)  # fmt: skip
def test_a_header_without_an_id_ends_the_worker(header: bytes) -> None:
    with pytest.raises(HeaderError, match="the header is not a message"):
        in_memory(Echo(), frame(header))


@pytest.mark.parametrize(
    ("arguments", "option", "message"),
    [
        (["--opt", "thread=4"], "thread", "unknown option; known: mood, threads"),
        (["--opt", "threads=four"], "threads", "`four` is not a valid int (number of threads, 1 by default)"),
        (["--opt", "threads=0"], "threads", "`0` is not in the range 1 to 1024"),
        (["--opt", "mood=sad"], "mood", "`sad` is not one of calm, glad"),
        (["--opt", "threads"], "threads", "has no value; write `key=value`"),
        (["--opt"], "", "has no value; write `key=value`"),
        (["--opt", "threads=1", "--opt", "threads=2"], "threads", "given twice"),
        (["--verbose"], "--verbose", "unknown argument; a worker takes `--opt key=value`, which can be repeated"),
    ],
)
def test_an_invalid_option_is_the_answer_to_every_request(arguments: list[str], option: str, message: str) -> None:
    peer = peer_of(Echo(), arguments)
    for request in ("hello", "capabilities", "shutdown"):
        header = peer.ask(request).header
        assert header["error"] == {"kind": "option", "option": option, "message": message}


def test_a_missing_runtime_is_the_answer_to_every_request() -> None:
    header = peer_of(Absent()).ask("hello", versions=[1]).header
    assert header["error"] == {"kind": "missing", "message": "no paper; buy some"}


def test_inputs_that_are_known_at_load_arrive() -> None:
    seen: list[dict[str, Value]] = []

    class Wants(Count):
        def load(self, model: Model, options: Any) -> Any:
            seen.append(model.constants)
            return super().load(model, options)

    peer = peer_of(Wants())
    assert peer.ask("hello", versions=[1]).header["backend"]["wants_inputs_at_load"] is True
    peer.ask("load", PLAIN + ONE.data, model=len(PLAIN), inputs=[ONE.entry()])
    assert list(seen[0]) == ["x"]
    assert np.asarray(seen[0]["x"]) == np.float32(1.5)


def test_a_folder_is_passed_to_load(tmp_path: Path) -> None:
    folders: list[Path | None] = []

    class Sees(Echo):
        def load(self, model: Model, options: Any) -> Any:
            folders.append(model.folder)
            return super().load(model, options)

    peer = peer_of(Sees())
    peer.load(PLAIN, folder=str(tmp_path))
    peer.load(PLAIN)
    assert folders == [tmp_path, None]


def test_a_thousand_models_leave_no_files_behind() -> None:
    class Holds(Echo):
        alive = 0

        def load(self, model: Model, options: Any) -> Any:
            Holds.alive += 1
            return super().load(model, options)

        def unload(self, session: dict[str, Any]) -> None:
            Holds.alive -= 1

    peer: Peer = peer_of(Holds())
    for _ in range(1000):
        peer.ask("unload", session=peer.load(PLAIN))
    peer.ask("probe", PLAIN, model=len(PLAIN))
    assert Holds.alive == 0
