"""Attach Python's operators, indexing and iteration to `Tensor` and the variables: the only place that does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gradtape.base import dtypes
from gradtape.base.errors import InvalidArgumentError, invalid
from gradtape.core.batching import align, batched
from gradtape.core.cell import Cell
from gradtape.core.convert import existing, mixed_dtypes, to_tensor
from gradtape.core.data import PLAIN
from gradtape.core.effects import check
from gradtape.core.kinds import discrete
from gradtape.core.primitive import Primitive
from gradtape.core.recorder import STATE
from gradtape.core.rules import shape_of
from gradtape.core.tensor import Tensor
from gradtape.ops import elementwise as ew
from gradtape.ops import selection as sel
from gradtape.ops.indexing import gather, gather_nd
from gradtape.ops.keys import basic, mask_of
from gradtape.ops.linalg import BLAS, matmul
from gradtape.ops.places import true_places
from gradtape.ops.shaping import cast_discrete, getitem, reshape, unstack

FLOAT32, FLOAT64, INT64 = np.dtype("float32"), np.dtype("float64"), np.dtype("int64")
Operator = Callable[[Any, Any], Any]
Pair = tuple[Tensor, Tensor]

REAL = "fVi"  # kinds of NumPy dtypes; V is bfloat16
NUMBERS = "fViuc"
NUMBER_OR_NONE = frozenset([int, type(None)])


def is_symbolic(value: Any) -> bool:
    """Whether this is one of Keras' placeholders, which take over in mixed expressions."""
    return type(value).__name__ == "KerasTensor"


def takes_over(value: Any, op: str) -> bool:
    """Whether this is a placeholder, or says that it knows the operator: sparse tensors know how to multiply."""
    kind = type(value)
    return kind is not Tensor and (kind.__name__ == "KerasTensor" or op in getattr(kind, "_takes_over", ()))


def not_for(op: str, dtype: np.dtype[Any]) -> InvalidArgumentError:
    """The error for a dtype that an op does not take."""
    return invalid(
        f"Value for attr 'T' of {dtypes.from_numpy(dtype).name} is not in the list of allowed values of {op} [Op:{op}]"
    )


def coerced(value: Any, like: Tensor) -> Tensor:
    """Return the other operand as a Tensor of the dtype of `like`; a Tensor or variable keeps its own."""
    if type(value) not in PLAIN:
        value = existing(value)
    return value if type(value) is Tensor else to_tensor(value, dtypes.from_numpy(like._value.dtype))


def hinted(value: Any, like: Tensor) -> Tensor:
    """Like `coerced`, but a Python value that has no place in that dtype takes its own."""
    try:
        return coerced(value, like)
    except TypeError:
        return to_tensor(value)


def per_kind(table: Mapping[str, Primitive]) -> dict[str, Primitive]:
    """Spell out a table of the primitives that serve each of several kinds of dtypes."""
    return {kind: primitive for kinds, primitive in table.items() for kind in kinds}


def same_dtype(x: Tensor, y: Tensor, op: str) -> Pair:
    """Check that both have one dtype."""
    if x._value.dtype != y._value.dtype:
        raise mixed_dtypes(op, x._value.dtype, y._value.dtype)
    return x, y


def binary(
    op: str,
    table: Mapping[str, Primitive],
    *,
    convert: Callable[[Any, Tensor], Tensor] = coerced,
    prepare: Callable[[Tensor, Tensor, str], Pair] = same_dtype,
) -> tuple[Operator, Operator]:
    """An operator and its reflection: which primitive serves which kind of dtype, and what to do to the operands first.

    Two Tensors of float32 or float64, or one and a Python number, go straight to the primitive.
    """
    primitives = per_kind(table)
    floating = primitives["f"].__call__  # bound once: calling the object looks the method up each time

    def general(x: Tensor, y: Tensor) -> Any:
        x, y = prepare(x, y, op)
        primitive = primitives.get(x._value.dtype.kind)
        if primitive is None:
            raise not_for(op, x._value.dtype)
        return primitive(x, y)

    def forward(x: Any, y: Any) -> Any:
        dtype = x._value.dtype
        if dtype is FLOAT32 or dtype is FLOAT64:
            kind = type(y)
            if kind is Tensor:
                if y._value.dtype is dtype:
                    return floating(x, y)
            elif kind is float or kind is int:
                return floating(x, y)
            elif isinstance(y, Cell):
                y = y._read()
                if y._value.dtype is dtype:
                    return floating(x, y)
        if takes_over(y, op):
            return NotImplemented
        return general(x, convert(y, x))

    def reflected(x: Any, y: Any) -> Any:
        dtype = x._value.dtype
        if (dtype is FLOAT32 or dtype is FLOAT64) and (type(y) is float or type(y) is int):
            return floating(y, x)
        if is_symbolic(y):
            return NotImplemented
        return general(coerced(y, x), x)

    return forward, reflected


def logical(op: str, bools: Primitive, integers: Primitive) -> tuple[Operator, Operator]:
    """A logical operator on booleans that is bitwise on integers, and its reflection."""

    def apply(x: Tensor, y: Tensor) -> Any:
        same_dtype(x, y, op)
        kind = x._value.dtype.kind
        if kind not in "biu":
            raise not_for(op, x._value.dtype)
        return (bools if kind == "b" else integers)(x, y)

    def forward(x: Any, y: Any) -> Any:
        return NotImplemented if is_symbolic(y) else apply(x, coerced(y, x))

    def reflected(x: Any, y: Any) -> Any:
        return NotImplemented if is_symbolic(y) else apply(coerced(y, x), x)

    return forward, reflected


def unary(op: str, table: Mapping[str, Primitive]) -> Callable[[Any], Any]:
    """An operator of one operand."""
    primitives = per_kind(table)

    def apply(x: Any) -> Any:
        primitive = primitives.get(x._value.dtype.kind)
        if primitive is None:
            raise not_for(op, x._value.dtype)
        return primitive(x)

    return apply


# What operands need first.


@batched(align)
@discrete
def join_strings(xp: Any, x: Any, y: Any) -> Any:
    """Put the strings of y behind those of x."""
    return xp.asarray(x + y, dtype=object)


def quotients(x: Tensor, y: Tensor, op: str) -> Pair:
    """Operands of `/`: integers become float64, or float32 if they have 16 bits or fewer."""
    dtype = x._value.dtype
    if dtype != y._value.dtype:
        names = [dtypes.from_numpy(v._value.dtype) for v in (x, y)]
        raise TypeError(f"`x` and `y` must have the same dtype, got {names[0]!r} != {names[1]!r}.")
    if dtype.kind in "iu":
        wide = FLOAT32 if dtype.itemsize <= 2 else FLOAT64
        return cast_discrete(x, dtype=wide), cast_discrete(y, dtype=wide)
    if dtype.kind in "bO":
        name = dtypes.from_numpy(dtype)
        raise TypeError(f"Invalid dtype {name!r} in __truediv__. Expected a floating, complex or integer dtype.")
    return x, y


def whole_quotients(x: Tensor, y: Tensor, op: str) -> Pair:
    """Operands of `//` and `%`: an integer divisor is not zero."""
    same_dtype(x, y, op)
    if y._value.dtype.kind in "iu":
        check(check_divisor, y, op)
    return x, y


def check_divisor(y: Any, op: str) -> None:
    """Raise InvalidArgumentError if a divisor is zero."""
    if not np.all(y):
        raise invalid(f"Integer division by zero [Op:{op}]")


# Equality also holds between what cannot be compared.


def equality(primitive: Primitive, op: str, unlike: bool) -> Operator:
    """`==` or `!=`: elementwise, and one plain answer (`unlike`) for None and for shapes that do not fit."""
    compare = binary(op, {"fViucbO": primitive})[0]

    def forward(x: Any, y: Any) -> Any:
        if y is None:
            return unlike
        try:
            return compare(x, y)
        except InvalidArgumentError:
            other = existing(y)
            if not _broadcast(x._value.shape, np.shape(other._value if type(other) is Tensor else other)):
                return Tensor(np.bool_(unlike))
            raise

    return forward


def _broadcast(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(shape), reversed(other), strict=False))


# Matrix product, indexing, iteration.


def matrix_product(a: Tensor, b: Tensor) -> Any:
    """Matrix product over the last two axes. Raises InvalidArgumentError unless both have two and fit."""
    x, y = a._value, b._value
    dtype = x.dtype
    if dtype is y.dtype and dtype.char in BLAS and x.ndim == y.ndim == 2 and x.shape[1] == y.shape[0]:
        return matmul(a, b)
    same_dtype(a, b, "MatMul")
    for position, value in enumerate((x, y)):
        if value.ndim < 2:
            raise invalid(f"In[{position}] ndims must be >= 2: {value.ndim} [Op:MatMul]")
    if x.dtype.kind not in NUMBERS:
        raise not_for("MatMul", x.dtype)
    if x.shape[-1] != y.shape[-2] or not _broadcast(x.shape[:-2], y.shape[:-2]):
        raise invalid(f"Matrix size-incompatible: In[0]: {list(x.shape)}, In[1]: {list(y.shape)} [Op:MatMul]")
    return matmul(a, b)


def _matmul(x: Any, y: Any) -> Any:
    if type(y) is Tensor:
        return matrix_product(x, y)
    if isinstance(y, Cell):
        return matrix_product(x, y._read())
    return NotImplemented if is_symbolic(y) else matrix_product(x, coerced(y, x))


def _rmatmul(x: Any, y: Any) -> Any:
    return NotImplemented if is_symbolic(y) else matrix_product(coerced(y, x), x)


def masked(x: Tensor, mask: Any) -> Any:
    """The slices of x, over its leading axes, where the mask (a boolean array or Tensor) holds, in one row."""
    shape, covered = x._value.shape, shape_of(mask)
    rank = len(covered)
    if shape[:rank] != covered:
        raise ValueError(f"Shapes {shape[:rank]} and {covered} are incompatible")
    flat = reshape(x, shape=(math.prod(covered), *shape[rank:]))
    return gather(flat, true_places(mask), axis=0)


def moving_place(key: Any) -> list[Any]:
    """The numbers along the leading axes, if the key is those and one varies from call to call; else nothing."""
    assert STATE.capture is not None
    parts = [existing(p) for p in (key if type(key) is tuple else (key,))]
    varying = False
    for part in parts:
        if type(part) is Tensor and part._value.ndim == 0 and part._value.dtype.kind in "iu":
            varying = varying or STATE.capture.varies(part)
        elif type(part) is not int:
            return []
    return parts if varying else []


def at_place(x: Tensor, parts: list[Any]) -> Any:
    """`x[parts]` as a gather, so that the numbers are read at each replay."""
    shape = x._value.shape
    if len(parts) > len(shape):
        raise invalid(f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims")
    wide = [cast_discrete(p, dtype=INT64) if type(p) is Tensor else p for p in parts]
    check(check_place, shape, *wide)
    sizes = zip(wide, shape, strict=False)
    numbers = [sel.where(n < 0, n + size, n) if type(n) is Tensor else n % size for n, size in sizes]
    return gather_nd(x, to_tensor(numbers))


def check_place(shape: tuple[int, ...], *numbers: Any) -> None:
    """Raise InvalidArgumentError unless these are numbers along the leading axes of a tensor of this shape."""
    for axis, (number, size) in enumerate(zip(numbers, shape, strict=False)):
        if not -size <= number < size:
            bad = number if number >= 0 else number + size
            raise invalid(f"slice index {bad} of dimension {axis} out of bounds.")


def index(x: Any, key: Any) -> Any:
    """`x[key]` with basic indices, or with one boolean mask."""
    kind = type(key)
    if kind is int:
        shape = x._value.shape
        if shape and -shape[0] <= key < shape[0]:
            return getitem(x, key=key)
    elif kind is slice:
        if x._value.ndim and key.step != 0 and NUMBER_OR_NONE.issuperset(map(type, (key.start, key.stop, key.step))):
            return getitem(x, key=key)
    elif kind is not tuple:
        mask = mask_of(key)
        if mask is not None:
            return masked(x, mask)
    if STATE.capture is not None and (moving := moving_place(key)):
        return at_place(x, moving)
    return getitem(x, key=basic(key, x._value.shape))


def iterate(x: Any) -> Iterator[Tensor]:
    """The slices along the first axis. Raises TypeError for a scalar."""
    if x._value.ndim == 0:
        raise TypeError("Cannot iterate over a scalar tensor.")
    if STATE.recorders and len(x._value):
        return iter(unstack(x, axis=0))
    return map(Tensor, x._value) if x._value.dtype.char != "O" else (getitem(x, key=(i,)) for i in range(len(x._value)))


def attach() -> None:
    """Give `Tensor` its operators, and the variables the same on what they hold."""
    binaries = {
        "add": binary("AddV2", {NUMBERS: ew.add, "O": join_strings}, convert=hinted),
        "sub": binary("Sub", {NUMBERS: ew.subtract}),
        "mul": binary("Mul", {NUMBERS: ew.multiply, "b": sel.logical_and}),
        "truediv": binary("RealDiv", {"fVc": ew.divide}, convert=hinted, prepare=quotients),
        "floordiv": binary("FloorDiv", {"fViu": ew.floor_divide}, prepare=whole_quotients),
        "mod": binary("FloorMod", {"fViu": ew.floor_mod}, prepare=whole_quotients),
        "pow": binary("Pow", {"fVic": ew.power}),
        "matmul": (_matmul, _rmatmul),
        "and": logical("BitwiseAnd", sel.logical_and, sel.bitwise_and),
        "or": logical("BitwiseOr", sel.logical_or, sel.bitwise_or),
        "xor": logical("BitwiseXor", sel.logical_xor, sel.bitwise_xor),
    }
    methods: dict[str, Callable[..., Any]] = {
        "lt": binary("Less", {"fViu": sel.less})[0],
        "le": binary("LessEqual", {"fViu": sel.less_equal})[0],
        "gt": binary("Greater", {"fViu": sel.greater})[0],
        "ge": binary("GreaterEqual", {"fViu": sel.greater_equal})[0],
        "eq": equality(sel.equal, "Equal", unlike=False),
        "ne": equality(sel.not_equal, "NotEqual", unlike=True),
        "neg": unary("Neg", {"fVic": ew.negative}),
        "abs": unary("Abs", {"fVi": ew.absolute, "c": ew.complex_abs}),
        "invert": unary("Invert", {"b": sel.logical_not, "iu": sel.invert}),
        "getitem": index,
        "iter": iterate,
    }
    for name, (forward, reflected) in binaries.items():
        methods[name], methods[f"r{name}"] = forward, reflected
    for name, method in methods.items():
        method.__name__ = method.__qualname__ = f"__{name}__"
        setattr(Tensor, f"__{name}__", method)
        setattr(Cell, f"__{name}__", on_value(method))


def on_value(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a variable that does to its value what this does to a Tensor."""

    def apply(self: Any, *operand: Any) -> Any:
        return method(self._read(), *operand)

    apply.__name__ = apply.__qualname__ = method.__name__
    return apply


attach()
