"""Long programs: captured, emitted and run without recursion, at a cost that grows with their length alone."""

import sys

import gradtape as tf


def long(n):
    @tf.function
    def f(x):
        for _ in range(n):
            x = tf.sin(x + 1.0)
        return x

    return f


def calls_of(f, x):
    """How many calls, of Python's functions and of C's, a call makes."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        f(x)
    finally:
        sys.setprofile(before)
    return count


def test_capture_and_emission_take_linear_time_and_replays_one_call_per_thousand_instructions():
    x = tf.ones(4)
    long(3)(x)  # whatever is made once
    found = []
    for n in (500, 1000, 2000):
        f = long(n)
        found.append([calls_of(f, x) for _ in range(3)])
    for once, twice, four_times in list(zip(*found, strict=True))[:2]:
        step = (twice - once) / 500
        assert abs((four_times - twice) / 1000 - step) < 0.02 * step
    assert found[2][2] < 100


def test_nothing_recurs():
    f = long(15_000)
    first, second = f(tf.ones(2)), f(tf.ones(2))
    assert first.numpy().tolist() == second.numpy().tolist()
    assert len(f.programs[0].instructions) == 30_000
