"""`Tensor`: an immutable handle on a NumPy value. Operators are attached by `ops.operators`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradtape.base import dtypes
from gradtape.base.dtypes import DType
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.recorder import STATE

next_id = itertools.count(1).__next__


def exact(value: Any) -> Any:
    """A hashable stand-in for a value, to the last bit."""
    if value.dtype.char == "O":
        return value.shape, tuple(value.reshape(-1).tolist())
    return value.shape, value.dtype, value.tobytes()


def truth(value: Any) -> bool:
    """Whether a value counts as true; an empty one does not."""
    return bool(value) if value.size else False


class Tensor:
    """An array of one dtype that never changes.

    The value is a NumPy array, or a NumPy scalar when the rank is 0 (arithmetic on those is ten times faster). Every
    Tensor has an id of its own, larger than the ids of all Tensors made before it: the tape knows Tensors by their ids.

    >>> import gradtape as tf
    >>> tf.constant([1.0, 2.0]) * 3
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 6.], dtype=float32)>
    """

    __slots__ = ("__weakref__", "_id", "_keras_logits", "_keras_mask", "_origin", "_value")
    _origin: tuple[Any, Any]  # of a slice of a variable: the variable and the key
    _keras_logits: Any  # Keras' note of what a softmax or sigmoid was taken of
    __array_priority__ = 100

    def __init__(self, value: Any) -> None:
        self._value = value
        self._id = next_id()

    @property
    def dtype(self) -> DType:
        """The element type."""
        return dtypes.from_numpy(self._value.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape, always fully defined."""
        return TensorShape(self._value.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self._value.ndim)

    @property
    def device(self) -> str:
        """The device that holds the value: always the CPU."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    backing_device = device

    def get_shape(self) -> TensorShape:
        """Return the shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Check that the shape is this one. Raises ValueError if it is not."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self._value.shape} is not compatible with supplied shape {shape}.")

    def cpu(self) -> Tensor:
        """Return this Tensor."""
        return self

    def gpu(self) -> NoReturn:
        """Raise RuntimeError: there is only the CPU."""
        raise RuntimeError("GPU:0 unknown device: gradtape computes on the CPU.")

    def eval(self, feed_dict: Any = None, session: Any = None) -> NoReturn:
        """Raise NotImplementedError: there are no sessions."""
        raise NotImplementedError("eval is not supported when eager execution is enabled, is .numpy() what you want?")

    def consumers(self) -> NoReturn:
        """Raise NotImplementedError: there is no graph."""
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    # Exits: what Python makes of the value may decide what happens next, so a capture has to know.

    def _settled(self, observe: Callable[[Any], Any] = exact) -> Any:
        if STATE.capture is not None:
            STATE.capture.settle(self, observe)
        return self._value

    def numpy(self) -> Any:
        """Return a writable copy of the value: an array, or a NumPy scalar for rank 0."""
        value = self._settled()
        if value.ndim == 0:
            return value[()]
        return value.copy()

    def ref(self) -> Reference:
        """Return a hashable reference to this object, for sets and dict keys."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """Return a hashable reference to this object."""
        return Reference(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._settled(), dtype=dtype)

    def __dlpack__(self, **options: Any) -> Any:
        return np.array(self._settled()).__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return np.array(self._value).__dlpack_device__()

    def __repr__(self) -> str:
        value = self._settled()
        name = self.dtype.name
        text = repr(value.item() if value.ndim == 0 else value).replace(f"dtype=dtype({name})", f"dtype={name}")
        lead = "\n" if "\n" in text else ""
        return f"<tf.Tensor: shape={value.shape}, dtype={name}, numpy={lead}{text}>"

    def __str__(self) -> str:
        value = self._settled()
        text = repr(value.item()) if value.dtype.char == "O" and value.ndim == 0 else str(value)
        lead = "\n" if "\n" in text else ""
        return f"tf.Tensor({lead}{text}, shape={value.shape}, dtype={self.dtype.name})"

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec)

    def __bool__(self) -> bool:
        if STATE.capture is not None:
            STATE.capture.settle(self, truth)
        value = self._value
        return bool(value) if value.size else False

    def __int__(self) -> int:
        return int(_scalar(self._settled()))

    def __float__(self) -> float:
        return float(_scalar(self._settled()))

    def __complex__(self) -> complex:
        return complex(_scalar(self._settled()))

    def __index__(self) -> int:
        value = self._value
        if value.ndim != 0 or value.dtype.kind not in "iu":
            raise TypeError(f"only integer scalar tensors can be converted to an index, got {self!r}")
        return int(self._settled())

    def __len__(self) -> int:
        if self._value.ndim == 0:
            raise TypeError("Scalar tensor has no `len()`")
        return int(self._value.shape[0])

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self  # immutable; and tapes know it by its id

    def __reduce__(self) -> tuple[Any, ...]:
        return Tensor, (self._settled(),)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __getattr__(self, name: str) -> Any:
        if name == "assign" and hasattr(self, "_origin"):  # a slice of a variable can be assigned to
            variable, key = self._origin
            return partial(variable._assign_at, key)
        if name in _GRAPH_ONLY:
            raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
        instead = f"Use tf.{_INSTEAD[name]}, or" if name in _INSTEAD else "It may be an attribute of NumPy arrays: see"
        if name in _INSTEAD or hasattr(np.ndarray, name):
            raise AttributeError(f"Tensor object has no attribute {name!r}. {instead} .numpy().")
        raise AttributeError(f"Tensor object has no attribute {name!r}")

    if TYPE_CHECKING:  # attached by `ops.operators` and `ops.numpy_protocol`

        def __add__(self, other: Any) -> Tensor: ...

        def __radd__(self, other: Any) -> Tensor: ...

        def __sub__(self, other: Any) -> Tensor: ...

        def __rsub__(self, other: Any) -> Tensor: ...

        def __mul__(self, other: Any) -> Tensor: ...

        def __rmul__(self, other: Any) -> Tensor: ...

        def __truediv__(self, other: Any) -> Tensor: ...

        def __rtruediv__(self, other: Any) -> Tensor: ...

        def __floordiv__(self, other: Any) -> Tensor: ...

        def __rfloordiv__(self, other: Any) -> Tensor: ...

        def __mod__(self, other: Any) -> Tensor: ...

        def __rmod__(self, other: Any) -> Tensor: ...

        def __pow__(self, other: Any) -> Tensor: ...

        def __rpow__(self, other: Any) -> Tensor: ...

        def __matmul__(self, other: Any) -> Tensor: ...

        def __rmatmul__(self, other: Any) -> Tensor: ...

        def __and__(self, other: Any) -> Tensor: ...

        def __rand__(self, other: Any) -> Tensor: ...

        def __or__(self, other: Any) -> Tensor: ...

        def __ror__(self, other: Any) -> Tensor: ...

        def __xor__(self, other: Any) -> Tensor: ...

        def __rxor__(self, other: Any) -> Tensor: ...

        def __lt__(self, other: Any) -> Tensor: ...

        def __le__(self, other: Any) -> Tensor: ...

        def __gt__(self, other: Any) -> Tensor: ...

        def __ge__(self, other: Any) -> Tensor: ...

        def __eq__(self, other: Any) -> Any: ...

        def __ne__(self, other: Any) -> Any: ...

        def __neg__(self) -> Tensor: ...

        def __abs__(self) -> Tensor: ...

        def __invert__(self) -> Tensor: ...

        def __getitem__(self, key: Any) -> Tensor: ...

        def __iter__(self) -> Iterator[Tensor]: ...


_GRAPH_ONLY = ("graph", "name", "op", "value_index")
_INSTEAD = {
    "T": "transpose",
    "all": "reduce_all",
    "any": "reduce_any",
    "argmax": "argmax",
    "argmin": "argmin",
    "argsort": "argsort",
    "astype": "cast",
    "clip": "clip_by_value",
    "conj": "math.conj",
    "cumprod": "math.cumprod",
    "cumsum": "cumsum",
    "dot": "tensordot",
    "flatten": "reshape",
    "imag": "math.imag",
    "max": "reduce_max",
    "mean": "reduce_mean",
    "min": "reduce_min",
    "prod": "reduce_prod",
    "ravel": "reshape",
    "real": "math.real",
    "repeat": "repeat",
    "reshape": "reshape",
    "round": "round",
    "size": "size",
    "squeeze": "squeeze",
    "std": "math.reduce_std",
    "sum": "reduce_sum",
    "swapaxes": "transpose",
    "take": "gather",
    "transpose": "transpose",
    "var": "math.reduce_variance",
}
"""What does the same as the attribute of that name that arrays have."""


class Reference:
    """A hashable stand-in for an object that compares elementwise; `deref` gives the object."""

    __slots__ = ("_object",)

    def __init__(self, referent: Any) -> None:
        self._object = referent

    def deref(self) -> Any:
        """Return the object."""
        return self._object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._object is other._object

    def __hash__(self) -> int:
        return id(self._object)

    def __lt__(self, other: Reference) -> bool:
        return id(self._object) < id(other._object)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"


def _scalar(value: Any) -> Any:
    if value.ndim:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return value.item() if value.dtype.char == "O" else value


def wrap(value: Any) -> Tensor:
    """Return a Tensor of what a kernel returned, with rank 0 normalised to a NumPy scalar (strings stay arrays)."""
    if type(value) is np.ndarray:
        if value.ndim == 0 and value.dtype.char != "O":
            value = value[()]
    elif type(value) is Tensor:
        return value
    elif not isinstance(value, np.generic) and not hasattr(value, "level"):  # what is batched stays so
        value = np.array(value, dtype=object if isinstance(value, bytes) else None)
        if value.dtype.char != "O":
            value = value[()]
    return Tensor(value)


def raw(value: Any) -> Any:
    """Return the NumPy value behind a Tensor, or anything else as it is."""
    return value._value if type(value) is Tensor else value
