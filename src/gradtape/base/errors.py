"""Every exception class that TensorFlow names in `tf.errors`, with its codes."""

from __future__ import annotations

from typing import Any

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED = range(8)
RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = range(8, 15)
DATA_LOSS, UNAUTHENTICATED = 15, 16


class OpError(Exception):
    """The base of the errors that ops raise.

    `node_def` and `op` are kept for programs that build such errors; here they are always None. A message alone will
    do: Keras rebuilds errors from that, to say in which layer they were raised.
    """

    code = UNKNOWN

    def __init__(self, node_def: Any, op: Any = None, message: str | None = None, *args: Any) -> None:
        if message is None and isinstance(node_def, str):
            node_def, message = None, node_def
        super().__init__(message)
        self._node_def, self._op, self._message = node_def, op, message or ""

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self) -> Any:
        """Always None: eager ops have no graph node."""
        return self._op

    @property
    def node_def(self) -> Any:
        """Always None: eager ops have no graph node."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The number of this class in `tf.errors`."""
        return self.code

    def __str__(self) -> str:
        return self._message


class CancelledError(OpError):
    """The operation was cancelled."""

    code = CANCELLED


class UnknownError(OpError):
    """No better class applies."""

    code = UNKNOWN


class InvalidArgumentError(OpError):
    """An argument does not fit: its shape, dtype, axis or value."""

    code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """Time ran out."""

    code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """Something asked for by name is not there."""

    code = NOT_FOUND


class AlreadyExistsError(OpError):
    """Something to be created is there already."""

    code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    """The caller is not known."""

    code = UNAUTHENTICATED


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """Something must happen first, such as initialisation."""

    code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation was stopped half-way."""

    code = ABORTED


class OutOfRangeError(OpError):
    """An iteration went past its end."""

    code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """There is no kernel for these arguments."""

    code = UNIMPLEMENTED


class InternalError(OpError):
    """An invariant does not hold."""

    code = INTERNAL


class UnavailableError(OpError):
    """A service cannot be reached."""

    code = UNAVAILABLE


class DataLossError(OpError):
    """Stored data cannot be read back."""

    code = DATA_LOSS


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic value was used as a Python value."""


def invalid(message: str) -> InvalidArgumentError:
    """An `InvalidArgumentError` with this message."""
    return InvalidArgumentError(None, None, message)
