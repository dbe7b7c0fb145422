"""Skips what a Keras older than 3.15 does not have; 3.15 has to have all that is tested here."""

import importlib.metadata
import re

import pytest

VERSION = importlib.metadata.version("keras")
OLDER = tuple(map(int, VERSION.split(".")[:2])) < (3, 15)
MISSING = re.compile(r"module '(tf\.)?keras[\w.]*' has no attribute")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    except AttributeError as error:
        if OLDER and MISSING.match(str(error)):
            pytest.skip(f"Keras {VERSION}: {error}")
        raise
