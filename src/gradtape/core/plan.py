"""A plan: for one primitive and one choice of live arguments, what to save and what to pull back."""

from __future__ import annotations

from collections.abc import Callable
from operator import mul
from typing import TYPE_CHECKING, Any

from gradtape.core.rules import DTYPE, SHAPE, Rule, dtype_of, shape_of
from gradtape.core.tensor import Tensor, raw

if TYPE_CHECKING:
    from gradtape.core.primitive import Primitive

Product = Callable[[Any, Any], Any]
Pull = Callable[[Any, Any, dict[str, Any]], Any]
"""A pull takes (cotangent of the output, residuals, static parameters) and gives the cotangent of one argument."""

Pulls = tuple[tuple[int, int, Pull], ...]
"""(ordinal among the live arguments, position among all arguments, pull) per argument that a gradient can flow to."""


class Plan:
    """Residuals to keep and pulls to run, computed once per (primitive, live arguments) and cached there."""

    __slots__ = (
        "bare",
        "broadcasts",
        "careful",
        "collect",
        "partials",
        "pulls",
        "reads",
        "rules",
        "transparent",
        "unpack",
    )

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
        in_order = not variadic and tuple(self.reads) == names
        live_names = () if variadic else tuple(names[i] for i in positions)
        # One residual is kept as it is: a tuple less to make, and for the garbage collector to look at.
        self.bare = len(self.reads) == 1 and not in_order
        found = [_source(r, names, variadic, live_names) for r in self.reads]
        self.collect = (
            None if in_order else _compiled(f"args, out: {self._row(found)}", shape_of=shape_of, dtype_of=dtype_of)
        )
        values = [_raw_source(self._saved(k), r, names, variadic, live_names) for k, r in enumerate(self.reads)]
        self.unpack = _compiled(f"saved: {self._row(values)}", raw=raw, Tensor=Tensor)
        self.pulls = self.pulls_with(mul)
        self.careful: Pulls | None = None

    def _saved(self, k: int) -> str:
        return "saved" if self.bare else f"saved[{k}]"

    def _row(self, expressions: list[str]) -> str:
        return expressions[0] if self.bare else f"({''.join([f'{e}, ' for e in expressions])})"

    def pulls_with(self, product: Product) -> Pulls:
        """The pulls, with `product` between the cotangent and the partial of an elementwise argument."""
        return tuple((k, i, self._pull(rule, i, product)) for k, i, rule in self.rules)

    def _pull(self, rule: Rule | float | None, index: int, product: Product) -> Pull:
        if not isinstance(rule, Rule):
            assert rule is not None
            return _constant_pull(rule)
        arguments = [str(index) if r == "index" else self._saved(self.reads.index(r)) for r in rule.reads]
        arguments += [f"{n}=params[{n!r}]" for n in rule.params]
        if not self.partials:
            body = f"formula({', '.join(['ct', *arguments])})"
        elif product is mul:
            body = f"ct * formula({', '.join(arguments)})"
        else:
            body = f"product(ct, formula({', '.join(arguments)}))"
        pull: Pull = _compiled(f"ct, saved, params: {body}", formula=rule.named(), product=product)
        return pull


def _compiled(text: str, **names: Any) -> Any:
    """A lambda written for one plan: it names each residual, where a general one would loop over them in every step."""
    return eval(f"lambda {text}", names)


def _constant_pull(constant: float) -> Pull:
    if constant == 1:
        return lambda ct, saved, params: ct
    if constant == -1:
        return lambda ct, saved, params: -ct
    return lambda ct, saved, params: ct * constant


def _source(read: str, names: tuple[str, ...], variadic: bool, live: tuple[str, ...]) -> str:
    """The expression for one residual of an application, given its args and out. What is live is a Tensor."""
    if read == "out":
        return "out"
    if variadic:
        return "args" if read in names else "tuple([shape_of(a) for a in args])"
    if read in names:
        return f"args[{names.index(read)}]"
    shape = read.endswith(SHAPE)
    name = read.removesuffix(SHAPE if shape else DTYPE)
    argument = f"args[{names.index(name)}]"
    if name in live:
        return f"{argument}._value.{'shape' if shape else 'dtype'}"
    return f"{'shape_of' if shape else 'dtype_of'}({argument})"


def _raw_source(saved: str, read: str, names: tuple[str, ...], variadic: bool, live: tuple[str, ...]) -> str:
    """The expression for the raw value of one residual that was saved."""
    several = f"tuple([raw(s) for s in {saved}])"
    if read == "out":
        return f"{saved}._value if type({saved}) is Tensor else {several}"
    if variadic:
        return several if read in names else saved
    if read not in names:
        return saved
    return f"{saved}._value" if read in live else f"{saved}._value if type({saved}) is Tensor else {saved}"
