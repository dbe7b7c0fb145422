"""The tape: entries in the order of recording, and the walk that pulls cotangents back through them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape.core.batching import Batched, batched
from gradtape.core.cotangents import broadcast_to, matched, strong_product
from gradtape.core.indexed_slices import IndexedSlices, accumulated, densified
from gradtape.core.kinds import discrete
from gradtape.core.recorder import FLOATING_POINT, QUIET, listening
from gradtape.core.rules import shape_of
from gradtape.core.tensor import Tensor, raw, wrap

if TYPE_CHECKING:
    from gradtape.core.cell import Cell
    from gradtape.core.primitive import Primitive

WIDTH = 6
"""Items per entry: plan, ids of the live arguments, residuals, argument shapes if broadcast, static parameters, and
id(s) of the output. Entries lie one after another in one list: as a tuple each, they would be a million objects for the
garbage collector to visit again and again."""

WATCHED = -1
ARRAYS = (np.ndarray, Batched)


class Tape:
    """A recorder that keeps an entry per application of a primitive to a live Tensor.

    `live` maps the id of each Tensor that a watched one leads to, to where the entry that made it begins, or to
    `WATCHED`. Tensors are known by id alone, so the tape keeps alive the residuals of its entries and nothing else.
    """

    __slots__ = ("entries", "live", "watched")

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.live: dict[int, int] = {}
        self.watched: set[int] = set()

    def watch(self, tensor: Tensor) -> None:
        """Record what is computed from this Tensor from now on."""
        if tensor._id not in self.live:
            self.live[tensor._id] = WATCHED
            self.watched.add(tensor._id)

    def read(self, variable: Cell, tensor: Tensor) -> None:
        """Take no notice of variables: `GradientTape`'s own tape does."""

    def record(self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> None:
        """Add an entry if a gradient can flow from the output to an argument that is live."""
        live = self.live
        ids: tuple[int, ...]
        if len(args) == 2:  # most ops: the loop below, unrolled
            x, y = args
            if type(x) is Tensor and x._id in live:
                if type(y) is Tensor and y._id in live:
                    mask, ids = 3, (x._id, y._id)
                else:
                    mask, ids = 1, (x._id,)
            elif type(y) is Tensor and y._id in live:
                mask, ids = 2, (y._id,)
            else:
                return
        else:
            ids = tuple([a._id for a in args if type(a) is Tensor and a._id in live])
            if not ids:
                return
            mask = sum([1 << i for i, a in enumerate(args) if type(a) is Tensor and a._id in live])
        plan = primitive.plans.get(mask)
        if plan is None:
            plan = primitive.plan(mask, len(args))
        if not plan.pulls:
            return
        entries = self.entries
        if type(out) is Tensor:
            made: Any = out._id
            live[made] = len(entries)
            # Rank 0 (a NumPy scalar) was not broadcast.
            shapes = _broadcast_shapes(args, out._value) if plan.broadcasts and type(out._value) in ARRAYS else None
        else:
            made = tuple([o._id for o in out])
            live.update(dict.fromkeys(made, len(entries)))
            shapes = None
        entries += (plan, ids, plan.collect(args, out) if plan.collect else args, shapes, params, made)

    def pull_back(self, seeds: Sequence[tuple[int, Any]], sources: set[int], selective: bool) -> dict[int, Any]:
        """Cotangents of the source ids, given (id, cotangent) of the targets; a source without a path is absent.

        Rules get raw arrays if no recorder listens, and Tensors otherwise. Cotangents are conjugates of TensorFlow's
        gradients, so that rules are plain transposes. With `selective`, only entries between targets and sources
        are visited, which pays on a tape that is asked more than once.
        """
        traced = listening()
        candidates = self.between([i for i, _ in seeds], min(sources, default=0)) if selective else self.entries
        # None if all that was watched is asked for: then every entry leads to a source.
        needed = None if self.watched <= sources else self.needed(candidates, sources)
        token = FLOATING_POINT.set(QUIET)
        try:
            found = self.walk(candidates, seeds, sources, needed, traced, False)
            if _any_nan(found.values(), traced):
                found = self.walk(candidates, seeds, sources, needed, traced, True)
        finally:
            FLOATING_POINT.reset(token)
        return found

    def between(self, targets: Iterable[int], lowest: int) -> list[Any]:
        """The entries that the targets came from, in order; what is older than every source cannot come from one."""
        live, entries = self.live, self.entries
        reached: set[int] = set()
        pending = [live[i] for i in targets if live.get(i, WATCHED) != WATCHED]
        while pending:
            start = pending.pop()
            if start not in reached:
                reached.add(start)
                pending += [live[i] for i in entries[start + 1] if i > lowest and live[i] != WATCHED]
        return [item for start in sorted(reached) for item in entries[start : start + WIDTH]]

    @staticmethod
    def needed(candidates: Sequence[Any], sources: set[int]) -> set[int]:
        """The ids on the way to a source."""
        needed = set(sources)
        for ids, made in zip(candidates[1::WIDTH], candidates[5::WIDTH], strict=True):
            if not needed.isdisjoint(ids):
                needed.update(made) if type(made) is tuple else needed.add(made)
        return needed

    @staticmethod
    def walk(
        candidates: Sequence[Any],
        seeds: Iterable[tuple[int, Any]],
        sources: set[int],
        needed: set[int] | None,
        traced: bool,
        careful: bool,
    ) -> dict[int, Any]:
        """Visit the candidates last to first, each once all the cotangents of its outputs have been summed."""
        found: dict[int, Any] = {}
        cts: dict[int, Any] = {}
        ct: Any
        saved: Any
        for i, ct in seeds:
            ct = _tensor(ct) if traced else raw(ct)
            cts[i] = accumulated(cts[i], ct) if i in cts else ct
        take = cts.pop
        for made, params, shapes, saved, ids, plan in zip(*[reversed(candidates)] * WIDTH, strict=True):
            if type(made) is tuple:
                ct = tuple([_taken(cts, found, sources, i) for i in made])
                if all(c is None for c in ct):
                    continue
            else:
                ct = take(made, None)
                if ct is None:
                    continue
                if made in sources:
                    found[made] = ct
                if type(ct) is IndexedSlices and not plan.transparent:
                    ct = densified(ct)
            if not traced:
                saved = plan.unpack(saved)
            pulls = plan.pulls
            if careful:
                pulls = plan.careful = plan.careful or plan.pulls_with(strong_product)
            for ordinal, position, pull in pulls:
                i = ids[ordinal]
                if needed is not None and i not in needed:
                    continue
                pulled = pull(ct, saved, params)
                if pulled is None:
                    continue
                if shapes is not None:
                    pulled = matched(pulled, shapes[position])
                before = cts.get(i)
                cts[i] = pulled if before is None else accumulated(before, pulled)
        for i in sources:
            if i in cts:
                found[i] = cts[i]
        return found


def _taken(cts: dict[int, Any], found: dict[int, Any], sources: set[int], i: int) -> Any:
    """Take the cotangent of one of several outputs, and keep it if it is asked for."""
    ct = cts.pop(i, None)
    if ct is not None and i in sources:
        found[i] = ct
    return densified(ct)


def _broadcast_shapes(args: tuple[Any, ...], out: Any) -> Any:
    """The shapes of the arguments if broadcasting changed one of them, else None."""
    shape = out.shape
    for a in args:
        if shape_of(a) != shape:
            return tuple([shape_of(a) for a in args])
    return None


def _tensor(value: Any) -> Any:
    return value if type(value) is Tensor or type(value) is IndexedSlices else wrap(value)


def _any_nan(cts: Iterable[Any], traced: bool) -> bool:
    """Whether one of these cotangents holds a NaN, as a decision that a capture knows of."""
    if not traced:
        return any(map(_is_nan, cts))
    parts = [ct.values if type(ct) is IndexedSlices else ct for ct in cts]
    return bool(parts) and bool(any_nan(*parts))


def _any_nan_batch(primitive: Any, size: int, flags: Any, args: list[Any], params: dict[str, Any]) -> Any:
    """One answer for all examples: the walk is theirs together."""
    return broadcast_to(any_nan(*args), shape=(size,))


@batched(_any_nan_batch)
@discrete
def any_nan(xp: Any, *xs: Any) -> Any:
    """Whether there is a NaN in any of the arrays."""
    return xp.bool_(any(map(_is_nan, xs)))


def _is_nan(ct: Any) -> bool:
    """Whether a cotangent holds a NaN: one pass of a dot product, far cheaper than `isnan`."""
    kind = type(ct)
    if kind is IndexedSlices:
        return _is_nan(ct.values)
    if kind is Tensor:
        return _is_nan(ct._value)
    if kind is Batched:
        return _is_nan(ct.array)
    if kind is np.ndarray:
        if ct.dtype.char not in "fd":
            return bool(np.isnan(ct).any())
        flat = ct.ravel()
        ct = flat.dot(flat)
    return ct != ct
