"""`function`: TensorFlow's decorator. Functions run eagerly here, so that what they do never depends on it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gradtape.base import nest
from gradtape.base.dtypes import DType, as_dtype, float32
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.convert import to_tensor


class TensorSpec:
    """The shape and dtype that an argument of a `function` must have.

    >>> import gradtape as tf
    >>> tf.TensorSpec([None, 2], tf.float32)
    TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = TensorShape(shape), as_dtype(dtype), name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Make the spec of a tensor."""
        found = to_tensor(tensor)
        return cls(found.shape, found.dtype, name)

    @property
    def shape(self) -> TensorShape:
        """The shape, in which sizes may be unknown."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name given."""
        return self._name

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor or spec has this dtype and fits this shape."""
        found = other if isinstance(other, TensorSpec) else to_tensor(other)
        return found.dtype is self._dtype and self._shape.is_compatible_with(found.shape)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self._shape, self._dtype) == (other._shape, other._dtype)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))


class Function:
    """A function decorated with `function`; `python_function` is the one underneath."""

    def __init__(self, python_function: Callable[..., Any], input_signature: Sequence[Any] | None) -> None:
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        functools.update_wrapper(self, python_function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, its arguments converted if there is an `input_signature`."""
        if self.input_signature is not None:
            args, kwargs = self._fitted(args, kwargs), {}
        return self.python_function(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return Function(functools.partial(self.python_function, instance), self.input_signature)

    def _fitted(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments as tensors of the signature's dtypes and shapes."""
        signature = self.input_signature or ()
        given = inspect.signature(self.python_function).bind(*args, **kwargs).args
        before = len(given) - len(signature)
        if before not in (0, 1):  # one more: the object of a method called through its class
            raise TypeError(f"{self!r} takes {len(signature)} arguments by its input_signature, got {len(given)}.")
        fitted = [self._one(spec, value) for spec, value in zip(signature, given[before:], strict=True)]
        return (*given[:before], *fitted)

    def _one(self, spec: Any, value: Any) -> Any:
        if nest.is_nested(spec):
            return nest.map_structure(self._one, spec, value)
        found = to_tensor(value, spec.dtype)
        if not spec.shape.is_compatible_with(found.shape):
            raise TypeError(f"{self!r} wants shape {spec.shape} by its input_signature, got {found.shape}.")
        return found

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Function:
        """Return the function itself: it is the same for all arguments."""
        return self

    def __repr__(self) -> str:
        return f"<gradtape function {getattr(self.python_function, '__name__', self.python_function)!r}>"


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Decorate a function. It runs eagerly at each call; only `input_signature` makes a difference.

    Args:
        func: the function.
        input_signature: a `TensorSpec` (or structure of them) per argument, to which arguments are converted.
        autograph, jit_compile, reduce_retracing: accepted: nothing is traced.

    Raises:
        TypeError: on a call that does not fit `input_signature`.

    >>> import gradtape as tf
    >>> @tf.function
    ... def double(x):
    ...     return x + x
    >>> double(tf.constant(2.0)).numpy()
    np.float32(4.0)
    """

    def decorate(inner: Callable[..., Any]) -> Function:
        return Function(inner, input_signature)

    return decorate if func is None else decorate(func)
