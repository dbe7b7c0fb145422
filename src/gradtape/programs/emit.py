"""Emit a program as straight-line Python over raw NumPy values: no tape, no Tensors, no dispatch.

A long program becomes several functions that hand the values that are still needed from one to the next, so that
compiling takes linear time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradtape.core.recorder import FLOATING_POINT, QUIET
from gradtape.core.tensor import Tensor, truth
from gradtape.programs.journal import Journal
from gradtape.programs.lower import expression, makes_new, ufunc_of
from gradtape.programs.parts import in_parts
from gradtape.programs.program import (
    Apply,
    Assign,
    Check,
    Detach,
    Draw,
    Effect,
    External,
    Fused,
    Guard,
    Instruction,
    Program,
    Read,
    Reread,
    Shape,
    Slot,
)
from gradtape.programs.simplify import made_by, used_by

CHUNK = 1000
"""How many instructions a function of the emitted source has."""

INLINE = (int, float, bool, str, bytes, type(None))


EXACT = 1 << 24
"""Whole numbers below this are the same in every floating dtype that is fast."""


class GuardFailed(Exception):
    """A value is not what the program was captured for."""

    def __init__(self, index: int, observed: Any) -> None:
        super().__init__(index)
        self.index, self.observed = index, observed


class Replay:
    """A program, emitted. Called with the raw inputs it gives the raw outputs, and commits what the program changes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        emitter = _Emitter(program)
        self.text = emitter.text
        self._chunks = [emitter.names[f"chunk{i}"] for i in range(emitter.chunks)]
        self.plain = not any(isinstance(i, Draw | External | Effect) for i in program.instructions)
        self._cells = [cell for cell, _ in program.reads]
        self._shapes = [
            (cell, program.shapes[slot].shape)
            for cell, slot in program.reads
            if getattr(cell, "_shape", None) is not None
        ]
        self._writes = [cell for cell, _ in program.final.values()]
        self._effects = [i.function for i in last_effects(program)]
        self._arities = [len(i.args) for i in last_effects(program)]
        self._count = len(program.outputs)

    def __call__(self, values: Iterable[Any], journal: Journal) -> list[Any]:
        """Run once.

        Raises:
            GuardFailed: if this is not the program for these values; then nothing has changed.
            Exception: whatever an instruction raises; then nothing has changed either, unless it was an effect.
        """
        for cell, shape in self._shapes:
            if cell._tensor._value.shape != shape:
                raise GuardFailed(-1, None)
        state: list[Any] = [*values, *[cell._tensor._value for cell in self._cells]]
        token = FLOATING_POINT.set(QUIET)
        try:
            for chunk in self._chunks:
                state = chunk(state, journal)
        finally:
            FLOATING_POINT.reset(token)
        journal.committed = True
        position = self._count
        for cell in self._writes:
            cell._tensor = Tensor(state[position])
            position += 1
        for function, arity in zip(self._effects, self._arities, strict=True):
            function(*state[position : position + arity])
            position += arity
        return state[: self._count]


def normalised(value: Any) -> Any:
    """What a kernel returned, with rank 0 as a NumPy scalar."""
    if type(value) is np.ndarray:
        return value[()] if value.ndim == 0 and value.dtype.char != "O" else value
    if isinstance(value, np.generic):
        return value
    value = np.array(value, dtype=object if isinstance(value, bytes) else None)
    return value if value.dtype.char == "O" else value[()]


def last_effects(program: Program) -> list[Effect]:
    """The effects after all external calls; those before happen in their places."""
    found: list[Effect] = []
    for instruction in program.instructions:
        if isinstance(instruction, Effect):
            found.append(instruction)
        elif isinstance(instruction, External):
            found = []
    return found


class _Emitter:
    """The source of a program, and the names that it uses."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[str, Any] = {"n": normalised, "GuardFailed": GuardFailed, "np": np, "truth": truth}
        self.chunks = 0
        self.alias: dict[Slot, Slot] = {}
        self.guards = 0
        self.externals = sum([isinstance(i, External) for i in program.instructions])  # that are still to come
        self.owned: dict[Slot, None] = {}  # arrays made here that nothing else is a view of
        self.dying: set[Slot] = set()  # slots that nothing uses after the instruction that is emitted now
        self.bodies = 0
        self.numbers: dict[tuple[str, str], str] = {}  # names of Python numbers as arrays of a dtype
        self.known: dict[int, str] = {}  # names of constants by id
        texts = []
        instructions = program.instructions
        bounds = range(0, max(len(instructions), 1), CHUNK)
        result = self._result()
        last = self._last_uses(result)
        live = [*program.inputs, *[slot for _, slot in program.reads]]
        for number, start in enumerate(bounds):
            stop = min(start + CHUNK, len(instructions))
            following = None if stop == len(instructions) else stop
            text, live = self._chunk(number, start, stop, live, last, result if following is None else None)
            texts.append(text)
        self.text = "\n".join(texts)

    def _result(self) -> list[Slot]:
        """The slots that are wanted at the end: outputs, new values of variables, arguments of effects."""
        program = self.program
        effects = [s for i in last_effects(program) for s in i.args]
        return [*program.outputs, *[slot for _, slot in program.final.values()], *effects]

    def _resolve(self, slot: Slot) -> Slot:
        while slot in self.alias:
            slot = self.alias[slot]
        return slot

    def _last_uses(self, result: list[Slot]) -> dict[Slot, int]:
        last: dict[Slot, int] = {}
        for number, instruction in enumerate(self.program.instructions):
            match instruction:
                case Assign(_, slot, out) | Detach(slot, out):
                    self.alias[out] = self._resolve(slot)
            for slot in used_by(instruction):
                last[self._resolve(slot)] = number
        for slot in result:
            last[self._resolve(slot)] = len(self.program.instructions)
        return last

    def _chunk(
        self, number: int, start: int, stop: int, live: list[Slot], last: dict[Slot, int], result: list[Slot] | None
    ) -> tuple[str, list[Slot]]:
        lines = [f"def chunk{number}(state, journal):"]
        if live:
            lines.append(f"    {''.join([f's{slot}, ' for slot in live])}= state")
        lines.append("    state.clear()")
        held = dict.fromkeys(live)
        self.owned = {}
        for i in range(start, stop):
            instruction = self.program.instructions[i]
            self.externals -= isinstance(instruction, External)
            self.dying = {s for s in map(self._resolve, used_by(instruction)) if s in held and last.get(s, -1) <= i}
            lines += [f"    {line}" for line in self._statements(instruction)]
            for slot in made_by(instruction):
                held[slot] = None
            self._note_aliases(instruction)
            dead = [
                s
                for s in dict.fromkeys(map(self._resolve, (*used_by(instruction), *made_by(instruction))))
                if s in held and last.get(s, -1) <= i
            ]
            for slot in dead:
                del held[slot]
            if dead:
                lines.append(f"    del {', '.join([f's{s}' for s in dead])}")
        leaving = [s for s in held if last.get(s, -1) >= stop] if result is None else []
        row = [f"s{s}" for s in leaving] if result is None else [self._value(s) for s in result]
        lines.append(f"    return [{', '.join(row)}]")
        text = "\n".join(lines) + "\n"
        code = compile(text, f"<gradtape {self.program.name} {number}>", "exec")
        exec(code, self.names)
        self.chunks += 1
        return text, leaving

    def _value(self, slot: Slot) -> str:
        slot = self._resolve(slot)
        constants = self.program.constants
        return self._constant(constants[slot]) if slot in constants else f"s{slot}"

    def _row(self, slots: Sequence[Slot]) -> str:
        return ", ".join(map(self._value, slots))

    def _constant(self, value: Any) -> str:
        """An expression for a Python value or array that never changes."""
        if type(value) in INLINE:
            text = repr(value)
            if text not in ("inf", "-inf", "nan"):
                return text
        if type(value) is tuple and all(type(v) in INLINE and type(v) is not float for v in value):
            return repr(value)
        name = self.known.get(id(value))
        if name is None:
            name = self.known[id(value)] = f"c{len(self.known)}"
            self.names[name] = value
        return name

    def _statements(self, instruction: Instruction) -> list[str]:
        match instruction:
            case Apply():
                return [self._apply(instruction)]
            case Fused():
                return self._fused(instruction)
            case Guard(slot, observe, expected):
                index = self.guards
                self.guards += 1
                value = self._value(slot)
                if observe is truth and self.program.shapes[slot].shape == ():
                    return [f"if {'not ' if expected else ''}{value}: raise GuardFailed({index}, {not expected})"]
                seen = f"{self._constant(observe)}({value})"
                wanted = self._constant(expected)
                return [f"seen = {seen}", f"if seen != {wanted}: raise GuardFailed({index}, seen)"]
            case Draw(op_seed, out):
                return [f"s{out} = journal.key({op_seed!r})"]
            case Check(function, args):
                return [f"{self._constant(function)}({self._row(args)})"]
            case External(function, args, outs, several, pending, variables):
                lines = [f"journal.bind({self._constant(v)}, {self._value(slot)})" for v, slot in pending]
                met = self._constant(variables) if variables else "()"
                call = f"journal.call({self._constant(function)}, [{self._row(args)}], {met})"
                made = "".join([f"s{s}, " for s in outs])
                if several:
                    return [*lines, f"{made}= map(n, {call})" if outs else call]
                return [*lines, f"s{outs[0]} = n({call})"]
            case Read(variable, out):
                value = f"s{out} = {self._constant(variable)}._tensor._value"
                if getattr(variable, "_shape", None) is None:
                    return [value]
                return [value, f"if s{out}.shape != {self._shape(out)!r}: raise GuardFailed(-1, None)"]
            case Effect(function, args) if self.externals:
                return [f"journal.call({self._constant(function)}, [{self._row(args)}])"]
            case Effect() | Assign() | Reread() | Detach():
                return []

    def _apply(self, instruction: Apply) -> str:
        args = [*map(self._value, instruction.args)]
        known = None if instruction.several else self.program.shapes[instruction.outs[0]]
        if known is not None and (known.shape or instruction.primitive.made is Tensor):
            ufunc = ufunc_of(instruction) if known.shape else None
            short = expression(self.program, instruction, args) if ufunc is None else None
            if ufunc is not None:
                place = "".join([f"s{s}" for s in self._reusable(instruction, known)])
                return f"s{instruction.outs[0]} = {self._ufunc(ufunc, instruction, args, place)}"
            if short is not None:
                return f"s{instruction.outs[0]} = {short}"
        return self._called(instruction, args)

    def _called(self, instruction: Apply, args: list[str]) -> str:
        primitive, shapes = instruction.primitive, self.program.shapes
        call = self._call(instruction, args)
        if not instruction.several:
            out = instruction.outs[0]
            plain = primitive.made is Tensor or shapes[out].shape != ()
            return f"s{out} = {call if plain else f'n({call})'}"
        made = "".join([f"s{s}, " for s in instruction.outs])
        plain = all(shapes[s].shape != () for s in instruction.outs)
        return f"{made}= {call if plain else f'map(n, {call})'}"

    def _call(self, instruction: Apply, args: list[str]) -> str:
        kernel = instruction.primitive.kernel
        if isinstance(kernel, partial) and not kernel.keywords and kernel.args == (np,):
            kernel, args = kernel.func, ["np", *args]
        args = [*args, *[f"{k}={self._constant(v)}" for k, v in instruction.params.items()]]
        return f"{self._constant(kernel)}({', '.join(args)})"

    def _ufunc(self, ufunc: np.ufunc, instruction: Apply, args: list[str], place: str) -> str:
        """A call of a ufunc, into an array if there is a place for the result."""
        self.names[ufunc.__name__] = ufunc
        numbers = [self._number(instruction, s) for s in instruction.args]
        row = [number or arg for number, arg in zip(numbers, args, strict=True)]
        if place:  # `maximum` and `minimum` do not want it by position
            row.append(f"out={place}" if ufunc in (np.maximum, np.minimum) else place)
        return f"{ufunc.__name__}({', '.join(row)})"

    def _number(self, instruction: Apply, slot: Slot) -> str:
        """A Python number as an array of rank 0, of the dtype of the floating array it meets: converted once."""
        value = self.program.constants.get(slot)
        if type(value) is not float and not (type(value) is int and abs(value) < EXACT):
            return ""
        dtypes = {self._dtype(s) for s in instruction.args if s != slot}
        dtype = dtypes.pop() if len(dtypes) == 1 else None
        if dtype is None or dtype.char not in "fd":
            return ""
        key = (dtype.char, repr(value))
        if key not in self.numbers:
            self.numbers[key] = f"k{len(self.numbers)}"
            self.names[self.numbers[key]] = np.array(value, dtype)
        return self.numbers[key]

    def _dtype(self, slot: Slot) -> Any:
        constants = self.program.constants
        return getattr(constants[slot], "dtype", None) if slot in constants else self.program.shapes[slot].dtype

    def _reusable(self, instruction: Apply, known: Shape) -> list[Slot]:
        """A slot whose array may hold the result, as nothing needs what is in it any more: one, or none."""
        for slot in map(self._resolve, instruction.args):
            if slot in self.owned and slot in self.dying and self.program.shapes[slot] == known:
                return [slot]
        return []

    def _note_aliases(self, instruction: Instruction) -> None:
        """Keep account of the arrays that were made here and that nothing can be a view of."""
        fresh = isinstance(instruction, Fused) or (isinstance(instruction, Apply) and makes_new(instruction))
        if fresh:
            shapes = self.program.shapes
            self.owned.update(dict.fromkeys([s for s in made_by(instruction) if shapes[s].shape]))
        else:
            for slot in map(self._resolve, used_by(instruction)):
                self.owned.pop(slot, None)

    def _fused(self, instruction: Fused) -> list[str]:
        """The outputs as empty arrays, and one call that fills them part by part."""
        name = f"part{self.bodies}"
        self.bodies += 1
        whole = [s for s in instruction.args if self._shape(s)]
        single = [s for s in instruction.args if not self._shape(s)]
        exec(compile(self._part(name, instruction, whole, single), f"<gradtape {name}>", "exec"), self.names)
        self.names["in_parts"] = in_parts
        shapes = [(slot, self.program.shapes[slot]) for slot in instruction.outs]
        lines = [f"s{slot} = np.empty({known.shape!r}, {self._constant(known.dtype)})" for slot, known in shapes]
        rows = ", ".join([f"({self._listed(slots)})" for slots in (whole, instruction.outs, single)])
        return [*lines, f"in_parts({name}, {rows})"]

    def _listed(self, slots: Sequence[Slot]) -> str:
        return "".join([f"{self._value(s)}, " for s in slots])

    def _shape(self, slot: Slot) -> tuple[int, ...]:
        constants = self.program.constants
        return tuple(getattr(constants[slot] if slot in constants else self.program.shapes[slot], "shape", ()))

    def _part(self, name: str, instruction: Fused, whole: list[Slot], single: list[Slot]) -> str:
        """A function that does one part. A result goes where nothing is needed any more, if there is such a place."""
        text = {s: f"x{s}" for s in (*whole, *single)}
        text.update({s: f"o{s}" for s in instruction.outs})
        lines = [f"def {name}({', '.join([text[s] for s in (*whole, *instruction.outs, *single)])}):"]
        last = {s: i for i, a in enumerate(instruction.applications) for s in a.args}
        free: dict[Any, list[str]] = {}
        mine: set[Slot] = set()
        for i, application in enumerate(instruction.applications):
            [out] = application.outs
            args = [text[s] for s in application.args]
            ufunc = ufunc_of(application)
            for slot in mine.intersection(application.args):
                if ufunc is None:  # what its kernel gives may be a view
                    mine.remove(slot)
                elif last[slot] == i:
                    free.setdefault(self.program.shapes[slot].dtype, []).append(text[slot])
            dtype = self.program.shapes[out].dtype
            if ufunc is not None:
                place = text.get(out) or (free[dtype].pop() if free.get(dtype) else "")
                call = self._ufunc(ufunc, application, args, place)
                if out not in text:
                    text[out] = place or f"t{out}"
                    mine.add(out)
                lines.append(f"    {call if place else f't{out} = {call}'}")
            elif out in text:
                lines.append(f"    {text[out]}[...] = {self._call(application, args)}")
            else:
                text[out] = f"t{out}"
                lines.append(f"    t{out} = {self._call(application, args)}")
        return "\n".join(lines) + "\n"
