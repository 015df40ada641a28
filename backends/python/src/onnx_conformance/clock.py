"""Measured runs of a model."""

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
    """Calls `work`; returns its time in nanoseconds and its result."""
    start = time.perf_counter_ns()
    result = work()
    return time.perf_counter_ns() - start, result


@contextmanager
def without_collector() -> Iterator[None]:
    """Disables Python's garbage collector during a measurement, as `timeit` does."""
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
    """Returns the times of `count` runs. They start with the first set of inputs and cycle through all.

    `see` receives the number and the outputs of each run after the clock is read, and before the next run may
    reuse their memory.
    """
    times = []
    for number, inputs in enumerate(islice(cycle(sets), count)):
        start = time.perf_counter_ns()
        outputs = run(inputs)
        times.append(time.perf_counter_ns() - start)
        see(number, outputs)
    return times
