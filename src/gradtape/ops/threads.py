"""Work in parts, on this thread and on helpers: NumPy and BLAS let go of the interpreter's lock while they compute."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from gradtape.core.recorder import FLOATING_POINT, QUIET

THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: Callable[[int], Any], count: int) -> None:
    """Call `work(0)` to `work(count - 1)`, in any order and on as many threads as there are processors.

    Products of matrices then keep to the thread that asks for them, see `_Blas`.
    """
    if count < 2 or THREADS < 2:
        for i in range(count):
            work(i)
        return
    job = _Job(work, count)
    BLAS.begin()
    HELPERS.invite(job, min(count, THREADS) - 1)
    job.run()
    for _ in range(count):
        job.done.acquire()
    BLAS.end()
    if job.errors:
        raise job.errors[0]


def spread_lightly(work: Callable[[int], Any], count: int) -> None:
    """Like `spread`, but done here as long as BLAS has its threads: work of a moment is not worth taking them away."""
    if BLAS.is_limited():
        spread(work, count)
    else:
        for i in range(count):
            work(i)


PART = 1 << 16
"""How many elements `in_parts` hands out at a time: what is made of them on the way stays in the cache."""


def in_parts(work: Callable[..., Any], *arrays: Any) -> bool:
    """Call `work` on parts of arrays that match element for element; False where one call for all is as good.

    That is for small arrays, for those that are not laid out alike, and as long as BLAS has its threads: a program of
    dense layers gains far more from two threads in a product than it would here.
    """
    first = arrays[0]
    if (
        not BLAS.is_limited()
        or first.size < 2 * PART
        or any(a.shape != first.shape or not a.flags.c_contiguous for a in arrays)
    ):
        return False
    flat = [a.reshape(-1) for a in arrays]
    spread(lambda i: work(*[a[i * PART : (i + 1) * PART] for a in flat]), -(-first.size // PART))
    return True


WORTH = 1 << 22
"""From how many products of numbers on a part of a product of matrices is worth while: a tenth of a millisecond."""


def product(a: Any, b: Any) -> Any:
    """The product of two matrices; a large one in parts, as long as BLAS is kept to one thread."""
    if not BLAS.is_limited():
        return a @ b
    rows, columns = a.shape[0], b.shape[1]
    count = min(THREADS, a.size * columns // WORTH)
    if count < 2 or a.dtype != b.dtype:
        return a @ b
    out = np.empty((rows, columns), a.dtype)
    step = -(-max(rows, columns) // count)

    def part(i: int) -> None:
        some = slice(i * step, (i + 1) * step)
        if rows >= columns:
            np.matmul(a[some], b, out=out[some])
        else:
            np.matmul(a, b[:, some], out=out[:, some])

    spread(part, count)
    return out


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
            try:
                job = jobs.get(timeout=PAUSE if BLAS.is_limited() else None)
            except Empty:
                BLAS.release()
            else:
                job.run()


PAUSE = 0.1
"""After how many seconds without a job BLAS has its own threads back."""


class _Blas:
    """How many threads NumPy's OpenBLAS uses, where there is one. Other libraries decide for themselves.

    A thread of OpenBLAS's own, once it has worked, waits for more in a loop that keeps a processor busy for tens of
    milliseconds. So from the first job on, until none has come for a while, a product runs on the thread that asks for
    it, also between jobs.
    """

    NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_")

    def __init__(self) -> None:
        self.get, self.set = self._functions()
        self.before: int | None = None
        self.last = 0.0
        self.reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.reset)

    def reset(self) -> None:
        self.lock = threading.Lock()
        self.jobs = 0

    def _functions(self) -> tuple[Callable[[], int], Callable[[int], None]]:
        try:
            library = ctypes.CDLL(np._core._multiarray_umath.__file__)  # type: ignore[attr-defined]
        except (AttributeError, OSError):
            return (lambda: 1), (lambda n: None)
        for name in (*self.NAMES, "openblas_{}_num_threads"):
            if hasattr(library, name.format("set")):
                return getattr(library, name.format("get")), getattr(library, name.format("set"))
        return (lambda: 1), (lambda n: None)

    def begin(self) -> None:
        """A job begins: one thread per product from now on."""
        with self.lock:
            self.jobs += 1
            if self.before is None:
                self.before = self.get()
                self.set(1)

    def end(self) -> None:
        """A job has ended."""
        with self.lock:
            self.jobs -= 1
            self.last = time.monotonic()

    def is_limited(self) -> bool:
        """Whether products use one thread."""
        return self.before is not None

    def release(self) -> None:
        """As many threads as before, unless there is a job, or was one lately."""
        with self.lock:
            if self.before is not None and not self.jobs and time.monotonic() - self.last >= PAUSE:
                self.set(self.before)
                self.before = None


def keep_memory() -> None:
    """Let the C library keep freed memory of tens of megabytes, rather than fetch each array's pages anew.

    glibc does so once a block of that size has been freed. The block is never touched, so it costs nothing. Without
    this a step on arrays of 200 KB spends two thirds of its time on page faults, unless more was freed before.
    """
    np.empty(31 << 20, np.uint8)


keep_memory()
HELPERS = _Helpers()
BLAS = _Blas()
