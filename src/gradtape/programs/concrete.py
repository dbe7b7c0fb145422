"""`ConcreteFunction`: a function for one signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.base import nest
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.programs.spec import TensorSpec


class ConcreteFunction:
    """A function for one signature: it takes the tensors of that, and what else was given stays."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], owner: Any = None) -> None:
        self._function, self._args, self._kwargs, self._owner = function, args, kwargs, owner
        leaves = nest.flatten([list(args), kwargs])
        self._places = [i for i, leaf in enumerate(leaves) if _is_tensor(leaf)]
        self._specs = [_spec(leaves[i]) for i in self._places]
        if all(spec.shape.is_fully_defined() for spec in self._specs):
            self._try()

    def _try(self) -> None:
        """Capture the program beforehand, without a trace of what it does."""
        blank = [_blank(spec) for spec in self._specs]
        leaves = nest.flatten([list(self._args), self._kwargs])
        given = [
            b if isinstance(leaves[i], TensorSpec) else leaves[i] for i, b in zip(self._places, blank, strict=True)
        ]
        args, kwargs = self._filled(given)
        self._function.prepare(args, kwargs, self._owner)

    def _filled(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        leaves = nest.flatten([list(self._args), self._kwargs])
        for place, tensor in zip(self._places, tensors, strict=True):
            leaves[place] = tensor
        args, kwargs = nest.pack_sequence_as([list(self._args), self._kwargs], leaves)
        return tuple(args), kwargs

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with a `TensorSpec` for each tensor."""
        return self._filled(self._specs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call with tensors, flat or in the structure of the signature.

        Raises:
            TypeError: if there are more or fewer of them, or a Python value is not the one that this was made for.
            InvalidArgumentError: if one has another shape or dtype.
        """
        names = list(self._function.parameters.parameters) if self._function.parameters is not None else []
        given = list(args) + [kwargs[n] for n in names if n in kwargs]
        leaves = nest.flatten(given)
        tensors = leaves if len(leaves) == len(self._places) else [leaf for leaf in leaves if _is_tensor(leaf)]
        if len(tensors) != len(self._places):
            raise TypeError(
                f"ConcreteFunction {self._function.name} takes {len(self._places)} tensors, got {len(tensors)}."
            )
        self._check_others(names, args, kwargs)
        found = [self._one(t, spec) for t, spec in zip(tensors, self._specs, strict=True)]
        filled, rest = self._filled(found)
        return self._function.called(filled, rest, self._owner)

    def _check_others(self, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise TypeError for a Python value other than the one that this is the function for."""
        before = 0 if self._owner is None else 1
        bound = {**dict(zip(names, self._args, strict=False)), **self._kwargs}
        given = dict(zip(names[before:], args, strict=False)) if len(args) + before == len(self._args) else {}
        for name, value in {**given, **kwargs}.items():
            fixed = bound.get(name, value)
            if isinstance(fixed, int | float | str | bytes | None) and (type(value), value) != (type(fixed), fixed):
                raise TypeError(
                    f"ConcreteFunction {self._function.name} was made for {name}={fixed!r}, which cannot be changed; "
                    f"got {name}={value!r}."
                )

    def _one(self, value: Any, spec: TensorSpec) -> Tensor:
        found = value if type(value) is Tensor else to_tensor(value, spec.dtype)
        if not spec.is_compatible_with(found):
            raise invalid(
                f"ConcreteFunction {self._function.name} wants {spec}, got shape {found.shape}, dtype {found.dtype!r}."
            )
        return found

    def __repr__(self) -> str:
        return f"<gradtape concrete function {self._function.name!r}>"


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, Tensor | TensorSpec | np.ndarray | np.generic)


def _spec(leaf: Any) -> TensorSpec:
    return leaf if isinstance(leaf, TensorSpec) else TensorSpec.from_tensor(leaf)


def _blank(spec: TensorSpec) -> Tensor:
    if spec.dtype.numpy_dtype.char == "O":
        return wrap(np.full(spec.shape.as_list(), b"", dtype=object))
    return wrap(np.zeros(spec.shape.as_list(), spec.dtype.numpy_dtype))
