"""Runs of a model, each measured by itself."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from typing import TypeVar

from .values import Value

Inputs = dict[str, Value]
Result = TypeVar("Result")


def measured(work: Callable[[], Result]) -> tuple[int, Result]:
    """What the work gives, and its time in nanoseconds."""
    start = time.perf_counter_ns()
    result = work()
    return time.perf_counter_ns() - start, result


@contextmanager
def without_collector() -> Iterator[None]:
    """As `timeit` does: Python's collector of circular garbage does not run in the middle of what is measured."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def bench(
    run: Callable[[Inputs], Result], count: int, sets: Sequence[Inputs], see: Callable[[int, Result], None]
) -> list[int]:
    """The times of `count` runs. They begin with the first set of inputs and rotate.

    `see` gets the number and the outputs of each run after its clock has been read, and before the next run may
    reuse their memory.
    """
    times = []
    for number, inputs in enumerate(islice(cycle(sets), count)):
        start = time.perf_counter_ns()
        outputs = run(inputs)
        times.append(time.perf_counter_ns() - start)
        see(number, outputs)
    return times
