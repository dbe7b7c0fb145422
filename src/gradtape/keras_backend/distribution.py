"""What Keras asks about devices: there is one, the CPU, and nothing is spread over several."""

from __future__ import annotations

from typing import Any, NoReturn


def list_devices(device_type: str | None = None) -> list[str]:
    """The devices of a type, or all."""
    return ["cpu:0"] if device_type is None or device_type.lower() == "cpu" else []


def get_device_count(device_type: str | None = None) -> int:
    """How many there are."""
    return len(list_devices(device_type))


def refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Say that models and data cannot be distributed."""
    raise NotImplementedError("keras.distribution: gradtape computes on one device, the CPU, in one process.")


initialize = distribute_tensor = _to_backend_mesh = _to_backend_layout = refuse
