"""Exports networks of frameworks as cases in the layout of the official tests.

    python main.py MODULE OUT LOCK [--only GLOB]… [--pin]

MODULE is one of the files with a table of subjects. Each subject that LOCK names is exported once, and the digest of its
graph must be the one in LOCK: one that differs is left out, the others are exported, and the exit status is 1. A case that
is in OUT already is kept. `--pin` exports every subject and writes LOCK's lines; what an exporter refuses has no line.
"""

import argparse
import fnmatch
import importlib
import os
import re
import shutil
import sys
import time
import traceback
from pathlib import Path

import onnx
from case import write_case
from digest import digest

REFUSED = "refused"
# Converters name and order things by sets of strings; sums depend on how threads part them.
FIXED = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def restart_in_fixed_environment() -> None:
    """These variables are read when a process starts."""
    if any(os.environ.get(name) != value for name, value in FIXED.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | FIXED)


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("module")
    arguments.add_argument("out", type=Path)
    arguments.add_argument("lock", type=Path)
    arguments.add_argument("--only", action="append", metavar="GLOB", help="only these subjects (repeatable)")
    arguments.add_argument("--pin", action="store_true")
    arguments.add_argument("--verbose", action="store_true")
    given = arguments.parse_args()
    pinned = read_lock(given.lock)
    found, faults = {}, 0
    subjects = importlib.import_module(given.module).subjects()
    for name in stale_names(pinned, subjects, given.only):
        if given.pin:
            del pinned[name]
            continue
        print(f"{name}: the lock has it, and {given.module} has no such subject", flush=True)
        faults += 1
    for subject in subjects:
        if not is_selected(subject.id, given.only):
            continue
        if not given.pin and pinned.get(subject.id, REFUSED) == REFUSED:
            continue
        started = time.monotonic()
        expected = None if given.pin else pinned.get(subject.id)
        found[subject.id], reason = build(subject, given.out, expected, given.verbose)
        print(f"{subject.id}: {found[subject.id][:12]} {time.monotonic() - started:.1f} s {reason}", flush=True)
        if not given.pin and found[subject.id] != pinned.get(subject.id):
            print(f"  differs from the lock and is left out: expected {pinned[subject.id]}", flush=True)
            shutil.rmtree(given.out / subject.family / subject.name, ignore_errors=True)
            faults += 1
    if given.pin:
        write_lock(given.lock, pinned | found)
    if faults:
        print(f"{faults} exports of {given.module} are missing or differ from the lock", flush=True)
    return 1 if faults else 0


def is_selected(name: str, patterns: list[str] | None) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns or ["*"])


def stale_names(pinned: dict[str, str], subjects: list, patterns: list[str] | None) -> list[str]:
    """The selected names of the lock, of the families of these subjects, that no subject has."""
    families, names = {subject.family for subject in subjects}, {subject.id for subject in subjects}
    of_families = (name for name in pinned if name.split("/")[0] in families)
    return sorted(name for name in of_families if is_selected(name, patterns) and name not in names)


def build(subject, out: Path, pinned: str | None, verbose: bool) -> tuple[str, str]:
    """Writes the case; gives the digest of its graph, or `refused` and why."""
    place = out / subject.family / subject.name
    partial = place.with_name(f".{subject.name}")
    if kept := kept_digest(place, pinned):
        return kept, "(kept)"
    for folder in (place, partial):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        export = subject.export()
        write_case(partial, export, subject.tolerance)
    except (Exception, SystemExit) as error:  # Whatever an exporter raises must not end the other exports.
        shutil.rmtree(partial, ignore_errors=True)
        if verbose:
            traceback.print_exc()
        return REFUSED, f"{type(error).__name__}: {str(error).strip()[:300]!r}"
    partial.rename(place)
    return digest(export.model), ""


def kept_digest(place: Path, pinned: str | None) -> str | None:
    """The digest of the case that is there already, if it is the pinned one. A case is complete or not there at all."""
    model = place / "model.onnx"
    return pinned if pinned and model.is_file() and digest(onnx.load(model)) == pinned else None


def read_lock(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines() if path.exists() else []
    matches = (re.fullmatch(r'"(.+)" = "(.+)"', line) for line in lines)
    return {match[1]: match[2] for match in matches if match}


def write_lock(path: Path, digests: dict[str, str]) -> None:
    head = "# The digest of each exported graph (see digest.py).\n"
    lines = (f'"{name}" = "{value}"\n' for name, value in sorted(digests.items()) if value != REFUSED)
    path.write_text(head + "".join(lines))


if __name__ == "__main__":
    restart_in_fixed_environment()
    sys.exit(main())
