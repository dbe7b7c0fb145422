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
from gradtape.programs.lower import NEW, SIGNS, expression, ufunc_of
from gradtape.programs.parts import in_parts
from gradtape.programs.program import (
    Apply,
    Check,
    Draw,
    Effect,
    External,
    Fused,
    Guard,
    Instruction,
    Program,
    Read,
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
        self.plain = not any(isinstance(i, Draw | External | Effect) for i in program.rest)
        self._cells = [cell for cell, _ in program.reads]
        self._shapes = [
            (cell, program.shapes[slot].shape)
            for cell, slot in program.reads
            if getattr(cell, "_shape", None) is not None
        ]
        self._writes = [cell for cell, _ in program.final.values()]
        effects = last_effects(program)
        self._effects = [i.function for i in effects]
        self._arities = [len(i.args) for i in effects]
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
    for instruction in program.rest:
        if isinstance(instruction, Effect):
            found.append(instruction)
        elif isinstance(instruction, External):
            found = []
    return found


class _Emitter:
    """The source of a simplified program, and the names that it uses."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[str, Any] = {"n": normalised, "GuardFailed": GuardFailed, "np": np, "truth": truth}
        self.chunks = 0
        self.guards = 0
        self.externals = sum([isinstance(i, External) for i in program.rest])  # that are still to come
        self.owned: set[Slot] = set()  # arrays made here that nothing else is a view of
        self.dying: list[Slot] = []  # slots that nothing uses after the instruction that is emitted now
        self.taken: Slot | None = None  # the one of them whose array holds its result
        self.parts: list[str] = []  # functions that fused instructions call
        self.bodies = 0
        self.numbers: dict[tuple[str, str], str] = {}  # names of Python numbers as arrays of a dtype
        self.known: dict[int, str] = {}  # names of constants by id
        self.values = {slot: self._constant(v) for slot, v in program.constants.items()}  # what slots are called
        count = len(program.instructions)
        result = self._result()
        deaths = self._deaths(result)
        live = [*program.inputs, *[slot for _, slot in program.reads]]
        self.values.update({s: f"s{s}" for s in live})
        texts = []
        for number, start in enumerate(range(0, max(count, 1), CHUNK)):
            stop = min(start + CHUNK, count)
            text, live = self._chunk(number, range(start, stop), live, deaths, result if stop == count else None)
            texts.append(text)
        self.text = "\n".join(texts)

    def _result(self) -> list[Slot]:
        """The slots that are wanted at the end: outputs, new values of variables, arguments of effects."""
        program = self.program
        effects = [s for i in last_effects(program) for s in i.args]
        return [*program.outputs, *[slot for _, slot in program.final.values()], *effects]

    def _deaths(self, result: list[Slot]) -> list[list[Slot]]:
        """For each instruction, the slots that nothing uses after it."""
        values = self.values
        values.update({s: f"s{s}" for s in result if s not in values})
        deaths = []
        for instruction in reversed(self.program.instructions):
            dying = []
            for slot in (*used_by(instruction), *made_by(instruction)):
                if slot not in values:
                    values[slot] = f"s{slot}"
                    dying.append(slot)
            deaths.append(dying)
        deaths.reverse()
        return deaths

    def _chunk(
        self, number: int, span: range, live: list[Slot], deaths: list[list[Slot]], result: list[Slot] | None
    ) -> tuple[str, list[Slot]]:
        lines = [f"def chunk{number}(state, journal):"]
        if live:
            lines.append(f"    {self._listed(live)}= state")
        lines.append("    state.clear()")
        self.owned = set()
        instructions, shapes = self.program.instructions, self.program.shapes
        for i in span:
            instruction = instructions[i]
            self.dying, self.taken = deaths[i], None
            if type(instruction) is Apply:
                lines.append(f"    {self._apply(instruction)}")
            else:
                lines += [f"    {line}" for line in self._statements(instruction)]
            dead = [s for s in self.dying if s != self.taken and shapes[s].shape]
            if dead:
                lines.append(f"    del {self._row(dead)}")
        if result is None:
            gone = {slot for i in span for slot in deaths[i]}
            made = [slot for i in span for slot in made_by(instructions[i])]
            live = [slot for slot in (*live, *made) if slot not in gone]
        lines.append(f"    return [{self._row(live if result is None else result)}]")
        text = "\n".join([*self.parts, *lines]) + "\n"
        self.parts = []
        exec(compile(text, f"<gradtape {self.program.name} {number}>", "exec"), self.names)
        self.chunks += 1
        return text, live

    def _row(self, slots: Sequence[Slot]) -> str:
        return ", ".join([self.values[s] for s in slots])

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
            case Fused():
                return self._fused(instruction)
            case Guard(slot, observe, expected, _):
                index = self.guards
                self.guards += 1
                value = self.values[slot]
                self.owned.discard(slot)
                if observe is truth and self.program.shapes[slot].shape == ():
                    return [f"if {'not ' if expected else ''}{value}: raise GuardFailed({index}, {not expected})"]
                seen = f"{self._constant(observe)}({value})"
                wanted = self._constant(expected)
                return [f"seen = {seen}", f"if seen != {wanted}: raise GuardFailed({index}, seen)"]
            case Draw(op_seed, out):
                return [f"s{out} = journal.key({op_seed!r})"]
            case Check(function, args):
                self.owned.difference_update(args)
                return [f"{self._constant(function)}({self._row(args)})"]
            case External(function, args, outs, several, pending, variables):
                self.externals -= 1
                self.owned.difference_update(used_by(instruction))
                lines = [f"journal.bind({self._constant(v)}, {self.values[slot]})" for v, slot in pending]
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
                self.owned.difference_update(args)
                return [f"journal.call({self._constant(function)}, [{self._row(args)}])"]
        return []

    def _apply(self, instruction: Apply) -> str:
        primitive, slots, _, outs, several = instruction
        shapes = self.program.shapes
        args = [self.values[s] for s in slots]
        known = None if several else shapes[outs[0]]
        ufunc = ufunc_of(instruction)
        if ufunc is not None and known is not None and known.shape:
            return self._into(ufunc, instruction, args, known)
        if ufunc is not None or primitive in NEW:
            self.owned.update([s for s in outs if shapes[s].shape])
        else:  # the result may be a view
            self.owned.difference_update(slots)
        if known is not None and (known.shape or primitive.made is Tensor):
            short = expression(self.program, instruction, args)
            if short is not None:
                return f"s{outs[0]} = {short}"
        return self._called(instruction, args)

    def _into(self, ufunc: np.ufunc, instruction: Apply, args: list[str], known: Shape) -> str:
        """A ufunc that makes an array, in the place of an argument that nothing needs any more if there is one."""
        out, shapes = instruction.outs[0], self.program.shapes
        self.owned.add(out)
        self.taken = next((s for s in self.dying if s in self.owned and shapes[s] == known), None)
        if self.taken is None:
            return f"s{out} = {self._ufunc(ufunc, instruction, args, '')}"
        place = self.values[out] = self.values[self.taken]
        return self._ufunc(ufunc, instruction, args, place)

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
        """A ufunc of arrays, into one of them or another array if there is a place for the result."""
        constants, row = self.program.constants, args
        if not constants.keys().isdisjoint(instruction.args):
            numbers = [s in constants and self._number(instruction, s) for s in instruction.args]
            row = [number or arg for number, arg in zip(numbers, args, strict=True)]
        sign = SIGNS.get(ufunc)
        if sign is not None and place in ("", row[0]):  # compiled faster than a call
            return f"{row[0]} {sign}{'=' if place else ''} {row[1]}"
        self.names[ufunc.__name__] = ufunc
        if place:  # `maximum` and `minimum` do not want it by position
            row = [*row, f"out={place}" if ufunc in (np.maximum, np.minimum) else place]
        return f"{ufunc.__name__}({', '.join(row)})"

    def _number(self, instruction: Apply, slot: Slot) -> str:
        """A Python number as an array of rank 0, of the dtype of the floating array it meets: converted once."""
        value = self.program.constants[slot]
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

    def _fused(self, instruction: Fused) -> list[str]:
        """The outputs as empty arrays, and one call that fills them part by part."""
        name = f"part{self.bodies}"
        self.bodies += 1
        whole = [s for s in instruction.args if self._shape(s)]
        single = [s for s in instruction.args if not self._shape(s)]
        self.parts.append(self._part(name, instruction, whole, single))
        self.names["in_parts"] = in_parts
        self.owned.update(instruction.outs)
        shapes = [(slot, self.program.shapes[slot]) for slot in instruction.outs]
        lines = [f"s{slot} = np.empty({known.shape!r}, {self._constant(known.dtype)})" for slot, known in shapes]
        rows = ", ".join([f"({self._listed(slots)})" for slots in (whole, instruction.outs, single)])
        return [*lines, f"in_parts({name}, {rows})"]

    def _listed(self, slots: Sequence[Slot]) -> str:
        return "".join([f"{self.values[s]}, " for s in slots])

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
        return "\n".join(lines)
