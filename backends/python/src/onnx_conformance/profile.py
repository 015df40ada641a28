"""The times of a backend's steps (docs/protocol.md, "profile")."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from .frames import MAX_HEADER

_MAX_STEPS = MAX_HEADER - (64 << 10)
"""The bytes of all steps in a header, which also has the times of the runs."""


@dataclass(frozen=True, slots=True)
class StepTime:
    """The time of one call of a step: what the runtime runs as one unit, a node or several fused ones.

    The name of the step contains the names of the nodes of the model that belong to it.
    """

    name: str
    nanoseconds: int
    operator: str = ""


@dataclass(slots=True)
class Profile:
    """The times of some runs of a model, and of the steps in each of them."""

    nanoseconds: list[int] = field(default_factory=list)
    runs: list[list[StepTime]] = field(default_factory=list)

    def add(self, nanoseconds: int, steps: Iterable[StepTime]) -> None:
        """Adds a run: its time, which includes the cost of measuring the steps, and its steps in order."""
        self.nanoseconds.append(nanoseconds)
        self.runs.append(list(steps))

    def fields(self) -> dict[str, Any]:
        """The fields of the answer. The shortest steps are omitted if all do not fit."""
        steps = [_step(calls) for calls in _by_step(self.runs)]
        left, kept = _MAX_STEPS, set()
        for number in sorted(range(len(steps)), key=lambda number: -steps[number]["nanoseconds"]):
            left -= len(json.dumps(steps[number])) + 1
            if left < 0:
                break
            kept.add(number)
        shown = [step for number, step in enumerate(steps) if number in kept]
        return {"nanoseconds": self.nanoseconds, "omitted": len(steps) - len(shown), "steps": shown}


def _by_step(runs: Sequence[Sequence[StepTime]]) -> list[list[list[StepTime]]]:
    """The calls of each step in each run, in the order in which the steps first ran."""
    found: dict[tuple[str, str], list[list[StepTime]]] = {}
    for number, run in enumerate(runs):
        for step in run:
            calls = found.setdefault((step.name, step.operator), [[] for _ in runs])
            calls[number].append(step)
    return list(found.values())


def _step(calls: list[list[StepTime]]) -> dict[str, Any]:
    in_run = [sum(step.nanoseconds for step in run) for run in calls]
    first = next(step for run in calls for step in run)
    return {
        "name": first.name,
        "operator": first.operator,
        "calls": sum(map(len, calls)),
        "nanoseconds": sum(in_run),
        "median": int(median(in_run)),
    }
