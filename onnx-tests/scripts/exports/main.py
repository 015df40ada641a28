"""Exports networks of frameworks as cases in the layout of the official tests.

    python main.py MODULE OUT LOCK [--only GLOB] [--pin]

MODULE is one of the files with a table of subjects. Each subject is exported once; the digest of its graph must be the
one in LOCK, or the exporter must refuse it where LOCK says `refused`. `--pin` writes LOCK's lines instead. A case that
is in OUT already is kept.
"""

import argparse
import fnmatch
import importlib
import re
import shutil
import sys
import time
import traceback
from pathlib import Path

from case import write_case
from digest import digest

REFUSED = "refused"


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("module")
    arguments.add_argument("out", type=Path)
    arguments.add_argument("lock", type=Path)
    arguments.add_argument("--only", default="*")
    arguments.add_argument("--pin", action="store_true")
    arguments.add_argument("--verbose", action="store_true")
    given = arguments.parse_args()
    pinned = read_lock(given.lock)
    found, faults = {}, 0
    for subject in importlib.import_module(given.module).subjects():
        if not fnmatch.fnmatchcase(subject.id, given.only):
            continue
        if not given.pin and pinned.get(subject.id) == REFUSED:
            continue
        started = time.monotonic()
        found[subject.id], reason = build(subject, given.out, given.verbose)
        print(f"{subject.id}: {found[subject.id][:12]} {time.monotonic() - started:.1f} s {reason}", flush=True)
        if not given.pin and found[subject.id] != pinned.get(subject.id):
            print(f"  the lock says {pinned.get(subject.id)}", flush=True)
            faults += 1
    if given.pin:
        write_lock(given.lock, pinned | found)
    return 1 if faults else 0


def build(subject, out: Path, verbose: bool) -> tuple[str, str]:
    """Writes the case; gives the digest of its graph, or `refused` and why."""
    place = out / subject.family / subject.name
    partial = place.with_name(f".{subject.name}")
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


def read_lock(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines() if path.exists() else []
    matches = (re.fullmatch(r'"(.+)" = "(.+)"', line) for line in lines)
    return {match[1]: match[2] for match in matches if match}


def write_lock(path: Path, digests: dict[str, str]) -> None:
    head = "# The digest of each exported graph (see digest.py), or `refused` where the exporter gives none.\n"
    path.write_text(head + "".join(f'"{name}" = "{value}"\n' for name, value in sorted(digests.items())))


if __name__ == "__main__":
    sys.exit(main())
