"""`Variable`: a cell that programs assign to."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from operator import add, iadd, isub, sub
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradtape.base.dtypes import DType, as_dtype
from gradtape.base.errors import invalid
from gradtape.base.tensor_shape import TensorShape
from gradtape.core import name_scope
from gradtape.core.batching import check_unbatched
from gradtape.core.cell import Cell
from gradtape.core.convert import existing, to_tensor
from gradtape.core.effects import detached, settled
from gradtape.core.recorder import ACTIVE, STATE, paused
from gradtape.core.tensor import Reference, Tensor


class VariableSynchronization(enum.Enum):
    """Accepted by `Variable`; there is one device, so it makes no difference."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregationV2(enum.Enum):
    """Accepted by `Variable`; there is one replica, so it makes no difference."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


LARGE = 16_384
"""From how many elements on an update in place pays."""

IN_PLACE: dict[Any, Callable[[Any, Any], Any]] = {add: iadd, sub: isub}


def _references(cell: Cell) -> tuple[int, int]:
    """How many references there are to the Tensor of a variable, and to its array."""
    tensor = cell._tensor
    value = tensor._value
    return sys.getrefcount(tensor), sys.getrefcount(value)


NO_OTHERS = _references(Cell(Tensor(np.zeros(1)), False))


def _alone(cell: Cell) -> bool:
    """Whether a variable is the only one that holds its array: then writing into it changes nothing else."""
    value = cell._tensor._value
    owned = type(value) is np.ndarray and value.base is None and value.flags.writeable
    del value
    return owned and _references(cell) == NO_OTHERS


class Variable(Cell):
    """A value that training changes.

    Assignments rebind it to a new Tensor: what a tape recorded before keeps the value it saw. Tapes watch trainable
    variables by themselves; an assignment is never recorded.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> v.assign_add(2.0).numpy()
    np.float32(3.0)

    Args:
        initial_value: anything convertible to a tensor, or a function without arguments that returns it.
        trainable: whether tapes watch it by themselves; true unless given.
        name: its name, to which `:0` is added.
        dtype: its dtype; by default that of the initial value.
        constraint: a function that optimizers may apply after an update; kept, never applied here.
        shape: a shape that later values have to fit, for variables of which a size may change.

    Raises:
        ValueError: without an initial value, or if it does not fit `shape`.
        TypeError: if a Python value does not fit `dtype`.
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregationV2 = VariableAggregationV2.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
        **kwargs: Any,
    ) -> None:
        if type(self) is not Variable and type(self).__init__ is Variable.__init__:
            raise NotImplementedError(
                f"{type(self).__name__}: tf.Variable cannot be subclassed; keep a variable as an attribute instead."
            )
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
                "`variable_def`. You provided neither."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"Argument `constraint` must be None or a callable. a callable. Got a {type(constraint)}:  {constraint}"
            )
        if callable(initial_value) and not isinstance(existing(initial_value), Tensor):
            initial_value = initial_value()
        value = to_tensor(initial_value, None if dtype is None else as_dtype(dtype), "initial_value")
        super().__init__(detached(value), trainable is not False)
        if STATE.capture is not None:
            STATE.capture.create(self)
        self._shape = None if shape is None else TensorShape(shape)
        if self._shape is not None and not self._shape.is_compatible_with(value.shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({value._value.shape}) is not "
                "compatible with "
                f"the explicitly supplied `shape` argument ({shape})."
            )
        self._name = name_scope.current("Variable" if name is None else name)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation

    # What it is.

    @property
    def dtype(self) -> DType:
        """The element type, which never changes."""
        return self._tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, as declared if it was."""
        return self._tensor.shape if self._shape is None else self._shape

    def get_shape(self) -> TensorShape:
        """Return the shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Check that the shape is compatible. Raises ValueError if it is not."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Variable's shape {self.shape} is not compatible with supplied shape {shape}.")

    @property
    def name(self) -> str:
        """The name, with `:0` behind it."""
        return f"{self._name}:0"

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it by themselves."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function given as `constraint`."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """What was given as `synchronization`."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregationV2:
        """What was given as `aggregation`."""
        return self._aggregation

    @property
    def device(self) -> str:
        """The device that holds the value: always the CPU."""
        return self._tensor.device

    @property
    def initializer(self) -> None:
        """Always None: variables are initialised when they are made."""
        return

    @property
    def initial_value(self) -> NoReturn:
        """Refuse, as TensorFlow does. Raises RuntimeError."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Refuse, as TensorFlow does. Raises AttributeError."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def op(self) -> NoReturn:
        """Refuse, as TensorFlow does. Raises AttributeError."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    def __repr__(self) -> str:
        return self._text(self.name)

    def _text(self, name: str) -> str:
        value = settled(self._peek())
        text = repr(value.item() if value.ndim == 0 else value)
        lead = "\n" if "\n" in text else ""
        return f"<tf.Variable '{name}' shape={self.shape} dtype={self.dtype.name}, numpy={lead}{text}>"

    def ref(self) -> Reference:
        """Return a hashable reference to this object, for sets and dict keys."""
        return Reference(self)

    experimental_ref = ref

    def __hash__(self) -> int:
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    # What it holds. Programs get Tensors of their own; ops read the cell's.

    def numpy(self) -> Any:
        """Return a copy of the value."""
        return self._peek().numpy()

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Return true."""
        return to_tensor(True)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._peek().__array__(dtype)

    def __bool__(self) -> bool:
        return bool(self._peek())

    def __int__(self) -> int:
        return int(self._peek())

    def __float__(self) -> float:
        return float(self._peek())

    def __complex__(self) -> complex:
        return complex(self._peek())

    def eval(self, session: Any = None) -> NoReturn:
        """Refuse, as TensorFlow does. Raises RuntimeError."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    to_proto = eval

    # Assignment.

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Rebind to a new value.

        Args:
            value: a value of the variable's shape, convertible to its dtype.
            read_value: whether to return the variable.

        Returns:
            An object that stands for the variable, or None.

        Raises:
            ValueError: for another shape, or a Tensor of another dtype.
            TypeError: for a Python value that has no place in the dtype.
        """
        new = to_tensor(value, self._tensor.dtype)
        shape = new._value.shape
        if shape != self._tensor._value.shape and not (
            self._shape is not None and self._shape.is_compatible_with(shape)
        ):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape {self.shape}, "
                "and the "
                f"assigned value shape {shape} are incompatible."
            )
        return self._rebind(new, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Add to the value; arguments and result as `assign`.

        Raises:
            InvalidArgumentError: for another shape, or a dtype without arithmetic.
            ValueError: for a Tensor of another dtype.
        """
        return self._rebind(self._moved(add, self._delta(delta, "AssignAddVariableOp")), read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Subtract from the value; arguments, result and errors as `assign_add`."""
        return self._rebind(self._moved(sub, self._delta(delta, "AssignSubVariableOp")), read_value)

    def load(self, value: Any, session: Any = None) -> None:
        """Rebind to a new value, as `assign`."""
        self.assign(value, read_value=False)

    def _delta(self, delta: Any, op: str) -> Any:
        value = self._tensor._value
        if type(delta) is Tensor and delta._value.dtype is value.dtype:
            change = delta
        else:
            change = to_tensor(delta, self._tensor.dtype)
        if change._value.shape != value.shape:
            raise invalid(
                f"Cannot update variable with shape {list(value.shape)} using a Tensor with shape "
                f"{list(change._value.shape)}, "
                "shapes must be equal."
            )
        if value.dtype.char in "?O":
            raise invalid(f"No OpKernel was registered to support Op {op!r} with dtype {self.dtype.name}.")
        return change

    def _moved(self, operation: Callable[[Any, Any], Any], change: Tensor) -> Tensor:
        """The value after a change: in the old one's memory if it is large and nobody else can see that."""
        if STATE.capture is not None:
            with paused():
                return operation(self._peek(), change)
        if self._tensor._value.size >= LARGE and not STATE.recorders and _alone(self):
            operation = IN_PLACE[operation]
        return Tensor(operation(self._tensor._value, change._value))

    def _rebind(self, new: Tensor, read_value: bool = True) -> Variable | None:
        """Hold the value of a Tensor from now on; the one place where a variable changes."""
        if ACTIVE:
            check_unbatched(new._value)
        if STATE.capture is None:
            self._tensor = Tensor(new._value)
        else:
            before = self._tensor
            self._tensor = Tensor(new._value)
            STATE.capture.assign(self, before, new, self._tensor)
        return _UnreadVariable(self) if read_value else None

    # Copies.

    def __copy__(self) -> Variable:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        made = Variable.__new__(Variable)
        memo[id(self)] = made
        made.__dict__.update(self.__dict__)
        Cell.__init__(made, detached(self._peek()), self._trainable)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._peek(), self._trainable, self._name, self._shape)

    # TensorFlow refuses these: they would quietly replace the variable by a tensor.

    def __iadd__(self, other: Any) -> NoReturn:
        raise _not_in_place("variable +=", "variable.assign_add(value)", "variable + value")

    def __isub__(self, other: Any) -> NoReturn:
        raise _not_in_place("variable -=", "variable.assign_sub(value)", "variable - value")

    def __imul__(self, other: Any) -> NoReturn:
        raise _not_in_place("var *=", "var.assign(var * value)", "var * value")

    def __itruediv__(self, other: Any) -> NoReturn:
        raise _not_in_place("var /=", "var.assign(var / value)", "var / value")

    def __ipow__(self, other: Any) -> NoReturn:
        raise _not_in_place("var **=", "var.assign(var ** value)", "var ** value")

    if TYPE_CHECKING:  # attached by `ops.variable_ops` and `ops.operators`

        def value(self) -> Tensor: ...

        def read_value(self) -> Tensor: ...

        def __getattr__(self, name: str) -> Any: ...

        def __getitem__(self, key: Any) -> Tensor: ...

        def __add__(self, other: Any) -> Tensor: ...

        def __sub__(self, other: Any) -> Tensor: ...

        def __mul__(self, other: Any) -> Tensor: ...


def _not_in_place(what: str, change: str, new: str) -> RuntimeError:
    return RuntimeError(
        f"`{what} value` with `tf.Variable`s is not supported. Use `{change}` to modify the variable, or `out = "
        f"{new}` if "
        "you need to get a new output Tensor."
    )


def _restored(tensor: Tensor, trainable: bool, name: str, shape: TensorShape | None) -> Variable:
    made = Variable(tensor, trainable=trainable, shape=shape)
    made._name = name
    return made


class _UnreadVariable(Variable):
    """What assignments return: it stands for the variable, whatever that holds when it is asked."""

    def __init__(self, owner: Variable) -> None:
        self.__dict__ = {"_owner": owner._cell}

    @property
    def _cell(self) -> Variable:
        return self.__dict__["_owner"]

    @property
    def _tensor(self) -> Tensor:  # type: ignore[override]
        return self._cell._tensor

    @property
    def _trainable(self) -> bool:  # type: ignore[override]
        return self._cell._trainable

    def _read(self) -> Tensor:
        return self._cell._read()

    def _rebind(self, new: Tensor, read_value: bool = True) -> Variable | None:
        return self._cell._rebind(new, read_value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_owner"], name)

    @property
    def name(self) -> str:
        return "UnreadVariable"

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        return self._cell.__deepcopy__(memo)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._cell.__reduce__()
