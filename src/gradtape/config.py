"""`tf.config`: the devices there are (one CPU), and switches that are accepted."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from gradtape.programs.function import Switch

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices of a type: one CPU.

    >>> import gradtape as tf
    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Return the logical devices of a type: one CPU."""
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices of a type that are used: all there are."""
    return list_physical_devices(device_type)


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Make functions run eagerly at each call, or be captured and replayed again."""
    Switch.eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether functions run eagerly at each call."""
    return Switch.eagerly


def set_soft_device_placement(enabled: Any) -> None:
    """Accepted: there is one device."""


__all__ = [
    "LogicalDevice",
    "PhysicalDevice",
    "functions_run_eagerly",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_soft_device_placement",
]
