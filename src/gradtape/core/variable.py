"""`Variable`: a cell that programs assign to."""

from __future__ import annotations

from typing import Any

from gradtape.base.dtypes import DType, as_dtype
from gradtape.base.tensor_shape import TensorShape
from gradtape.core.cell import Cell
from gradtape.core.convert import to_tensor
from gradtape.core.tensor import Reference, Tensor


class Variable(Cell):
    """A value that training changes.

    Assignments rebind it to a new Tensor: what a tape recorded before keeps the value it saw.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> v.assign_add(2.0).numpy()
    np.float32(3.0)
    """

    def __init__(self, initial_value: Any = None, trainable: bool | None = None, name: str | None = None, dtype: Any = None) -> None:
        if callable(initial_value):
            initial_value = initial_value()
        value = to_tensor(initial_value, None if dtype is None else as_dtype(dtype), "initial_value")
        super().__init__(Tensor(value._value), trainable is not False)
        self._name = name or "Variable"

    @property
    def dtype(self) -> DType:
        """The element type, which never changes."""
        return self._tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._tensor.shape

    @property
    def name(self) -> str:
        """The name, with `:0` behind it."""
        return f"{self._name}:0"

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it by themselves."""
        return self._trainable

    def numpy(self) -> Any:
        """Return a copy of the value."""
        return self._tensor.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._tensor.__array__(dtype)

    def ref(self) -> Reference:
        """Return a hashable reference to this object."""
        return Reference(self)

    def assign(self, value: Any) -> Variable:
        """Rebind to a new value."""
        self._tensor = Tensor(to_tensor(value, self.dtype)._value)
        return self

    def assign_add(self, delta: Any) -> Variable:
        """Add to the value."""
        return self.assign(self._tensor._value + to_tensor(delta, self.dtype)._value)

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract from the value."""
        return self.assign(self._tensor._value - to_tensor(delta, self.dtype)._value)
