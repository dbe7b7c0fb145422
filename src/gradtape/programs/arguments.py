"""Arguments of functions: how many are positional, and how they become what an `input_signature` wants."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

from gradtape.base import nest
from gradtape.core.convert import to_tensor
from gradtape.programs.spec import TensorSpec


def positional(parameters: inspect.Signature | None) -> int:
    """How many arguments a call has that needs no binding; -1 if there is no such number."""
    if parameters is None:
        return -1
    kinds = [p.kind for p in parameters.parameters.values()]
    plain = all(k in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for k in kinds)
    return len(kinds) if plain else -1


def fitted(of: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments as tensors of the dtypes and shapes in the `input_signature` of a function, if it has one."""
    signature = of.input_signature
    if signature is None:
        return args
    given = args
    if kwargs or of.parameters is not None:
        given = (of.parameters or inspect.signature(of.python_function)).bind(*args, **kwargs).args
    before = len(given) - len(signature)
    if before not in (0, 1):  # one more: the object of a method called through its class
        raise TypeError(f"{of!r} takes {len(signature)} arguments by its input_signature, got {len(given)}.")
    fitted = [_one(of, spec, value) for spec, value in zip(signature, given[before:], strict=True)]
    return (*given[:before], *fitted)


def _one(of: Any, spec: Any, value: Any) -> Any:
    if nest.is_nested(spec):
        return nest.map_structure(partial(_one, of), spec, value)
    if not isinstance(spec, TensorSpec):
        return value
    try:
        found = to_tensor(value, spec.dtype)
    except ValueError as error:
        raise TypeError(f"{of!r} wants {spec} by its input_signature: {error}") from None
    if not spec.shape.is_compatible_with(found.shape):
        raise TypeError(f"{of!r} wants {spec} by its input_signature, got shape {found.shape}.")
    return found
