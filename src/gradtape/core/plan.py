"""A plan: for one primitive and one choice of live arguments, what to save and what to pull back."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter, mul
from typing import TYPE_CHECKING, Any

from gradtape.core.rules import Rule, find

if TYPE_CHECKING:
    from gradtape.core.primitive import Primitive

Product = Callable[[Any, Any], Any]
Pull = Callable[[Any, Any, dict[str, Any]], Any]
"""A pull takes (cotangent of the output, residuals, static parameters) and gives the cotangent of one argument."""

Pulls = tuple[tuple[int, int, Pull], ...]
"""(ordinal among the live arguments, position among all arguments, pull) per argument that a gradient can flow to."""


class Plan:
    """Residuals to keep and pulls to run, computed once per (primitive, live arguments) and cached there."""

    __slots__ = ("broadcasts", "careful", "collect", "partials", "pulls", "reads", "rules", "transparent")

    def __init__(self, primitive: Primitive, live: int, count: int) -> None:
        names, variadic = primitive.names, primitive.variadic
        positions = [i for i in range(count) if live >> i & 1]
        rules = [(k, i, primitive.rules[names[0 if variadic else i]]) for k, i in enumerate(positions)]
        self.rules = [(k, i, rule) for k, i, rule in rules if rule is not None]
        formulas = [rule for _, _, rule in self.rules if isinstance(rule, Rule)]
        reads = dict.fromkeys(r for rule in formulas for r in rule.reads if r != "index")
        self.reads = sorted(
            reads, key=lambda r: names.index(r) if r in names else len(names)
        )  # as the arguments, if they are
        self.broadcasts = primitive.broadcasts
        self.partials = primitive.partials
        self.transparent = not self.broadcasts and [rule for _, _, rule in self.rules] == [1]  # passes sparse rows on
        self.collect = _collector(names, self.reads, variadic)
        self.pulls = self.pulls_with(mul)
        self.careful: Pulls | None = None

    def pulls_with(self, product: Product) -> Pulls:
        """The pulls, with `product` between the cotangent and the partial of an elementwise argument."""
        return tuple((k, i, self._pull(rule, i, product)) for k, i, rule in self.rules)

    def _pull(self, rule: Rule | float | None, index: int, product: Product) -> Pull:
        if not isinstance(rule, Rule):
            assert rule is not None
            return _constant_pull(rule)
        formula, names, reads = rule.formula, rule.params, self.reads
        if names or "index" in rule.reads:

            def values(saved: Any) -> list[Any]:
                return [index if r == "index" else saved[reads.index(r)] for r in rule.reads]

            if self.partials:
                return lambda ct, saved, params: product(ct, formula(*values(saved), **{n: params[n] for n in names}))
            return lambda ct, saved, params: formula(ct, *values(saved), **{n: params[n] for n in names})
        slots = tuple(reads.index(r) for r in rule.reads)
        if not self.partials:
            return lambda ct, saved, params: formula(ct, *[saved[i] for i in slots])
        if len(slots) > 1:
            return lambda ct, saved, params: product(ct, formula(*[saved[i] for i in slots]))
        [slot] = slots
        if product is mul:
            return lambda ct, saved, params: ct * formula(saved[slot])
        return lambda ct, saved, params: product(ct, formula(saved[slot]))


def _constant_pull(constant: float) -> Pull:
    if constant == 1:
        return lambda ct, saved, params: ct
    if constant == -1:
        return lambda ct, saved, params: -ct
    return lambda ct, saved, params: ct * constant


def _collector(
    names: tuple[str, ...], reads: list[str], variadic: bool
) -> Callable[[tuple[Any, ...], Any], Any] | None:
    """How to gather the residuals `reads` of an application from (args, out); None if they are just the arguments."""
    if not reads:
        return lambda args, out: ()
    if reads == ["out"]:
        return lambda args, out: (out,)
    if variadic or not all(r in names for r in reads):
        return lambda args, out: tuple([find(r, names, variadic, args, out) for r in reads])
    slots = [names.index(r) for r in reads]
    if slots == list(range(len(names))):
        return None
    if len(slots) == 1:
        [slot] = slots
        return lambda args, out: (args[slot],)
    pick = itemgetter(*slots)
    return lambda args, out: pick(args)
