"""Models that are sent once and named by their digests afterwards."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from onnx_conformance.store import Store

from .echo import Echo, peer_of
from .harness_side import Peer, model

PLAIN = model({"x": "tensor(float)"}, {"y": "tensor(float)"})


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def entry(data: bytes, sent: bool = False) -> dict[str, Any]:
    return {"sha256": sha256(data), "bytes": len(data), "sent": sent}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ONNX_CONFORMANCE_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


def peer(store: bool = True) -> Peer:
    made = peer_of(Echo())
    answer = made.ask("hello", versions=[1], store=store).header
    assert answer.get("store", False) == store
    return made


def test_a_model_is_sent_once(folder: Path) -> None:
    first = peer()
    assert first.ask("load", model=entry(PLAIN)).header["sha256"] == [sha256(PLAIN)]
    assert first.ask("load", PLAIN, model=entry(PLAIN, sent=True)).header["answer"] == "loaded"
    again = peer()
    assert again.ask("load", model=entry(PLAIN)).header["answer"] == "loaded"
    assert again.ask("probe", model=entry(PLAIN)).header["answer"] == "probed"
    (folder / sha256(PLAIN)).write_bytes(PLAIN[::-1])
    assert again.ask("load", model=entry(PLAIN)).header["answer"] == "missing"


def test_one_answer_names_all_missing_files(folder: Path) -> None:
    files = [{"location": "a", "bytes": entry(b"a")}, {"location": "b", "bytes": entry(b"b")}]
    answer = peer().ask("load", PLAIN, model=entry(PLAIN, sent=True), files=files).header
    assert (answer["answer"], answer["sha256"]) == ("missing", [sha256(b"a"), sha256(b"b")])
    assert [path.name for path in folder.iterdir()] == [sha256(PLAIN)]


@pytest.mark.parametrize(
    ("named", "payload", "message"),
    [
        ({"sha256": "../../../etc/passwd", "bytes": 1}, b"", "`model`: expected a SHA-256"),
        ({"sha256": 7, "bytes": 1}, b"", "`model`: expected a SHA-256"),
        ({"sha256": sha256(b""), "bytes": -1}, b"", "field `model` is not a non-negative integer"),
        ({"sha256": sha256(b"a"), "bytes": 1, "sent": True}, b"b", "`model` has the SHA-256"),
        ({"sha256": sha256(b"a"), "bytes": 2, "sent": True}, b"a", "the payload has 1 left"),
    ],
)
def test_a_wrong_digest_is_refused(folder: Path, named: dict[str, Any], payload: bytes, message: str) -> None:
    answer = peer().ask("load", payload, model=named).header
    assert answer["reason"] == "malformed"
    assert message in answer["message"]
    assert not list(folder.iterdir())


def test_a_worker_that_was_not_asked_has_no_store(folder: Path) -> None:
    answer = peer(store=False).ask("load", model=entry(PLAIN)).header
    assert (answer["answer"], answer["reason"]) == ("refused", "malformed")
    assert not folder.exists()


def test_the_files_that_were_used_least_recently_are_removed(tmp_path: Path) -> None:
    store = Store(tmp_path, 10)
    (tmp_path / "a file of the user").write_bytes(bytes(100))
    for age, data in [(30, b"1111"), (20, b"2222")]:
        store.keep(sha256(data), data)
        os.utime(tmp_path / sha256(data), (1e9 - age, 1e9 - age))
    assert store.find(sha256(b"1111"), 4) == b"1111"
    store.keep(sha256(b"3333"), b"3333")
    assert store.find(sha256(b"2222"), 4) is None
    assert store.find(sha256(b"1111"), 4) == b"1111"
    store.keep(sha256(bytes(11)), bytes(11))
    assert store.find(sha256(b"3333"), 4) == b"3333"
    assert (tmp_path / "a file of the user").exists()


@pytest.mark.parametrize("size", ["", "many"])
def test_a_store_that_cannot_be_made_is_not_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ONNX_CONFORMANCE_STORE", str(tmp_path / ("store" if size else "file/store")))
    monkeypatch.setenv("ONNX_CONFORMANCE_STORE_BYTES", size)
    assert peer_of(Echo()).ask("hello", versions=[1], store=True).header["store"] is False
