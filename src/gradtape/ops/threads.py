"""Work in parts, on this thread and on helpers: NumPy and BLAS let go of the interpreter's lock while they compute."""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import numpy as np

from gradtape.core.recorder import FLOATING_POINT, QUIET

THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: Callable[[int], Any], count: int) -> None:
    """Call `work(0)` to `work(count - 1)`, in any order and on as many threads as there are processors.

    Meanwhile a product of matrices keeps to the thread that asked for it: threads of BLAS's own would wait for each
    other, for far longer than they compute if other programs want the processors too.
    """
    if count < 2 or THREADS < 2:
        for i in range(count):
            work(i)
        return
    job = _Job(work, count)
    with BLAS.limited():
        HELPERS.invite(job, min(count, THREADS) - 1)
        job.run()
        for _ in range(count):
            job.done.acquire()
    if job.errors:
        raise job.errors[0]


class _Job:
    """Parts still to be done; whoever has time takes the next."""

    __slots__ = ("done", "errors", "left", "work")

    def __init__(self, work: Callable[[int], Any], count: int) -> None:
        self.work = work
        self.left = deque(range(count))
        self.done = threading.Semaphore(0)
        self.errors: list[BaseException] = []

    def run(self) -> None:
        while True:
            try:
                part = self.left.popleft()
            except IndexError:
                return
            try:
                self.work(part)
            except BaseException as error:  # raised again where the job was given
                self.errors.append(error)
            finally:
                self.done.release()


class _Helpers:
    """Threads that wait for jobs, started when the first job comes. A forked process starts its own."""

    def __init__(self) -> None:
        self.reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.reset)

    def reset(self) -> None:
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.count = 0
        self.lock = threading.Lock()

    def invite(self, job: _Job, helpers: int) -> None:
        """Let up to this many threads take part."""
        if self.count < helpers:
            with self.lock:
                while self.count < helpers:
                    threading.Thread(target=self._help, args=(self.jobs,), daemon=True, name="gradtape").start()
                    self.count += 1
        for _ in range(helpers):
            self.jobs.put(job)

    @staticmethod
    def _help(jobs: SimpleQueue[_Job]) -> None:
        FLOATING_POINT.set(QUIET)
        while True:
            jobs.get().run()


class _Blas:
    """The number of threads that NumPy's OpenBLAS uses, where there is one. Other libraries decide for themselves."""

    NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_")

    def __init__(self) -> None:
        self.get, self.set = self._functions()
        self.lock = threading.Lock()
        self.depth = 0
        self.before = 0

    def _functions(self) -> tuple[Callable[[], int], Callable[[int], None]]:
        try:
            library = ctypes.CDLL(np._core._multiarray_umath.__file__)  # type: ignore[attr-defined]
        except (AttributeError, OSError):
            return (lambda: 1), (lambda n: None)
        for name in (*self.NAMES, "openblas_{}_num_threads"):
            if hasattr(library, name.format("set")):
                return getattr(library, name.format("get")), getattr(library, name.format("set"))
        return (lambda: 1), (lambda n: None)

    @contextmanager
    def limited(self) -> Any:
        """One thread per product, until the last of those who asked for it is done."""
        with self.lock:
            self.depth += 1
            if self.depth == 1:
                self.before = self.get()
                self.set(1)
        try:
            yield
        finally:
            with self.lock:
                self.depth -= 1
                if not self.depth:
                    self.set(self.before)


HELPERS = _Helpers()
BLAS = _Blas()
