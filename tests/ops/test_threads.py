"""Work in parts: every part once, whoever does it; errors come out; forks and users' own threads do no harm."""

import os
import threading
import time

import numpy as np
import pytest

from gradtape.ops import threads
from gradtape.ops.threads import BLAS, PART, PAUSE, in_parts, product, spread, spread_lightly


@pytest.fixture(autouse=True)
def several(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 3)


def test_every_part_is_done_once():
    for count in (0, 1, 2, 3, 50):
        done = []
        spread(done.append, count)
        assert sorted(done) == list(range(count))


def test_helpers_take_part():
    seen = set()

    def work(i):
        seen.add(threading.get_ident())
        time.sleep(0.02)

    spread(work, 9)
    assert len(seen) > 1


def test_an_error_comes_out_after_all_parts_are_done():
    done = []

    def work(i):
        done.append(i)
        if i == 2:
            raise ZeroDivisionError("part 2")

    with pytest.raises(ZeroDivisionError, match="part 2"):
        spread(work, 6)
    assert len(done) == 6
    spread(done.append, 3)
    assert len(done) == 9


def test_parts_may_have_parts():
    done = []
    spread(lambda i: spread(lambda j: done.append((i, j)), 4), 4)
    assert sorted(done) == [(i, j) for i in range(4) for j in range(4)]


def test_users_threads_do_not_mix():
    results = {}

    def user(n):
        found = []
        spread(lambda i: found.append((n, i)), 20)
        results[n] = sorted(found)

    users = [threading.Thread(target=user, args=(n,)) for n in range(5)]
    for u in users:
        u.start()
    for u in users:
        u.join()
    assert results == {n: [(n, i) for i in range(20)] for n in range(5)}


def test_helpers_do_not_warn_of_floating_point():
    out = np.ones(8)
    spread(lambda i: np.divide(out, 0.0, out=out[:1]) if threading.current_thread().daemon else None, 50)


def test_elementwise_parts():
    x = np.arange(4.0 * PART + 3)
    out = np.empty_like(x)
    spread(lambda i: None, 4)
    assert in_parts(lambda x, out: np.multiply(x, 2, out=out), x, out)
    np.testing.assert_array_equal(out, 2 * x)
    assert not in_parts(lambda *parts: pytest.fail("small"), x[:10], out[:10])
    assert not in_parts(lambda *parts: pytest.fail("strided"), x[::2], out[::2])


def test_light_work_does_not_take_the_threads_of_blas():
    wait_for_release()
    x = np.arange(4.0 * PART)
    assert not in_parts(lambda *parts: pytest.fail("light"), x, np.empty_like(x))
    ran_on = []
    spread_lightly(lambda i: ran_on.append((i, threading.get_ident())), 4)
    assert ran_on == [(i, threading.get_ident()) for i in range(4)]
    assert not BLAS.is_limited()


@pytest.mark.skipif(BLAS.get() < 2, reason="BLAS has one thread, or is not OpenBLAS")
def test_blas_has_its_threads_back_after_a_while():
    wait_for_release()
    before = BLAS.get()
    assert before > 1
    spread(lambda i: None, 4)
    assert BLAS.get() == 1
    wait_for_release()
    assert BLAS.get() == before


@pytest.mark.parametrize("shapes", [((900, 300), (300, 200)), ((130, 300), (300, 901)), ((5, 4), (4, 3))])
@pytest.mark.parametrize("transposed", ["", "a", "b"])
def test_products_in_parts_are_the_products(monkeypatch, shapes, transposed):
    monkeypatch.setattr(BLAS, "is_limited", lambda: True)
    a, b = (np.random.default_rng(0).integers(-4, 5, size=shape).astype(np.float32) for shape in shapes)
    a = np.asfortranarray(a) if transposed == "a" else a
    b = np.asfortranarray(b) if transposed == "b" else b
    seen = []
    monkeypatch.setattr(threads, "spread", lambda work, count: [seen.append(i) or work(i) for i in range(count)])
    np.testing.assert_array_equal(product(a, b), a.astype(int) @ b.astype(int))
    assert len(seen) == min(3, a.size * b.shape[1] // threads.WORTH)


def wait_for_release():
    end = time.monotonic() + 60
    while BLAS.before is not None and time.monotonic() < end:
        time.sleep(PAUSE)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_helpers_of_its_own():
    spread(lambda i: None, 4)
    child = os.fork()
    if not child:
        done = []
        spread(done.append, 8)
        os._exit(0 if sorted(done) == list(range(8)) else 1)
    assert os.waitpid(child, 0)[1] == 0
