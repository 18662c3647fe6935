"""Tests of strings: what they begin and end with, what stands in them, and the patterns of LIKE."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyframe.executors.compiled.datum import ConstantText, Datum, Number, Text
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.kinds import BOOL, I64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.texts import bytes_equal, constant_at, text_found
from lazyframe.executors.compiled.unicode import advanced, code_points, retreated
from lazyframe.executors.compiled.values import Value, Variable
from lazyframe.planner.functions.patterns import ANY, like_parts
from lazyframe.planner.scalars import Call, Literal


def _starts_with(application: Application) -> Datum:
    text, part = application.texts
    return application.number(begins_with(application.cg, text, part))


def begins_with(cg: Function, text: Text, part: Text) -> Value:
    return cg.both_lazily(text.length >= part.length, lambda: _stands_at(cg, text, cg.lift(0, I64), part))


def ends_with(cg: Function, text: Text, part: Text) -> Value:
    start = text.length - part.length
    return cg.both_lazily(start >= 0, lambda: _stands_at(cg, text, start, part))


def _stands_at(cg: Function, text: Text, place: Value, part: Text) -> Value:
    """Whether a string stands at a place of another behind which there are as many bytes."""
    address = text.address.at(place)
    if isinstance(part, ConstantText):
        return constant_at(cg, address, part)
    return bytes_equal(cg, address, part.address, part.length)


def _ends_with(application: Application) -> Datum:
    text, part = application.texts
    return application.number(ends_with(application.cg, text, part))


def _contains(application: Application) -> Datum:
    text, part = application.texts
    cg = application.cg
    return application.number(text_found(cg, text, cg.lift(0, I64), text.length, part) >= 0)


def _position(application: Application) -> Datum:
    text, part = application.texts
    cg = application.cg
    place = cg.variable(I64, text_found(cg, text, cg.lift(0, I64), text.length, part))
    with cg.if_(place.get() > 0):
        place.set(code_points(cg, text.address, place.get()))
    return application.number(place.get() + 1)


def _find(application: Application) -> Datum:
    """Code points before the first place; null where there is none."""
    text, part = application.texts
    cg = application.cg
    place = cg.variable(I64, text_found(cg, text, cg.lift(0, I64), text.length, part))
    found = place.get() >= 0
    with cg.if_(place.get() > 0):
        place.set(code_points(cg, text.address, place.get()))
    return Number(application.scalar.dtype, place.get(), cg.both(application.valid, found))


def _like(application: Application) -> Datum:
    (text,) = application.texts
    call = application.call
    return application.number(_Match(application, text, _pattern(call)).whole())


def _pattern(call: Call) -> tuple[object, ...]:
    """The parts of a pattern, which has been accepted."""
    pattern, *escape = [argument.value.as_py() for argument in call.args[1:] if isinstance(argument, Literal)]
    parts = like_parts(pattern, *escape)
    assert parts is not None
    return parts


def _accepts_like(call: Call) -> bool:
    constants = call.args[1:]
    if not all(isinstance(c, Literal) and c.value.is_valid for c in constants):
        return False
    pattern, *escape = [c.value.as_py() for c in constants if isinstance(c, Literal)]
    return all(len(e) <= 1 for e in escape) and like_parts(pattern, *escape) is not None


class _Match:
    """A string held against a pattern of LIKE.

    A pattern is runs of texts and single characters with anything between them. The first run stands at the start, the last
    one at the end, and those between are looked for one behind the other, each at the first place where it stands.
    """

    def __init__(self, application: Application, text: Text, parts: Sequence[object]) -> None:
        self._application = application
        self._cg = application.cg
        self._text = text
        runs: list[list[object]] = [[]]
        for part in parts:
            if part is ANY:
                runs.append([])
            else:
                runs[-1].append(self._constant(part) if isinstance(part, str) else part)
        self._runs = runs

    def _constant(self, text: str) -> ConstantText:
        constants = self._application.row.constants
        content = text.encode()
        return constants.text(self._cg, self._text.dtype, constants.new(content), content)

    def whole(self) -> Value:
        """Whether all of the string matches."""
        cg, text = self._cg, self._text
        if len(self._runs) == 1:
            (run,) = self._runs
            if len(run) == 1 and isinstance(run[0], ConstantText):
                part = run[0]
                return cg.both_lazily(text.length == part.length, lambda: constant_at(cg, text.address, part))
            place = cg.variable(I64, self._behind(run, cg.lift(0, I64)))
            return place.get() == text.length
        first, *between, last = self._runs
        matches = cg.variable(BOOL, False)
        place = cg.variable(I64, self._behind(first, cg.lift(0, I64)))
        self._find_all(between, place, lambda: matches.set(self._ends(last, place.get())))
        return matches.get()

    def _find_all(self, runs: Sequence[list[object]], place: Variable, then: Callable[[], None]) -> None:
        """Go on with what comes behind runs that are there."""
        cg = self._cg
        with cg.if_(place.get() >= 0):
            if not runs:
                then()
                return
            place.set(self._search(runs[0], place.get()))
            self._find_all(runs[1:], place, then)

    def _behind(self, run: Sequence[object], start: Value) -> Value:
        """The place behind a run that stands at a place, or -1 where it does not stand there."""
        cg, text = self._cg, self._text
        place = cg.variable(I64, start)
        for part in run:
            at = place.get()
            with cg.if_(at >= 0):
                if isinstance(part, ConstantText):
                    there = self._stands(text.length - at >= part.length, at, part)
                    place.set(cg.choose(there, at + part.length, cg.lift(-1, I64)))
                else:
                    one = cg.lift(1, I64)
                    after = advanced(cg, text.address, at, text.length, one)
                    place.set(cg.choose(at < text.length, after, cg.lift(-1, I64)))
        return place.get()

    def _search(self, run: Sequence[object], start: Value) -> Value:
        """The place behind the first run at or behind a place, or -1."""
        cg, text = self._cg, self._text
        if len(run) == 1 and isinstance(run[0], ConstantText):
            at = text_found(cg, text, start, text.length, run[0])
            return cg.choose(at < 0, at, at + run[0].length)
        here, found = cg.variable(I64, start), cg.variable(I64, -1)
        with cg.loop() as loop:
            found.set(self._behind(run, here.get()))
            with cg.if_(cg.either(found.get() >= 0, here.get() >= text.length)):
                loop.leave()
            here.set(advanced(cg, text.address, here.get(), text.length, cg.lift(1, I64)))
        return found.get()

    def _ends(self, run: Sequence[object], start: Value) -> Value:
        """Whether the last run stands at the end, and not before a place."""
        cg, text = self._cg, self._text
        if not run:
            return cg.truth(True)
        if len(run) == 1 and isinstance(run[0], ConstantText):
            last = text.length - run[0].length
            return self._stands(last >= start, last, run[0])
        # From the end: each single character is one step back, and each text its bytes.
        place = cg.variable(I64, text.length)
        for part in reversed(run):
            at = place.get()
            with cg.if_(at >= 0):
                if isinstance(part, ConstantText):
                    before = at - part.length
                    there = self._stands(before >= 0, before, part)
                    place.set(cg.choose(there, before, cg.lift(-1, I64)))
                else:
                    before = retreated(cg, text.address, at, cg.lift(1, I64))
                    place.set(cg.choose(at > 0, before, cg.lift(-1, I64)))
        return cg.both(place.get() >= 0, place.get() >= start)

    def _stands(self, is_room: Value, place: Value, part: ConstantText) -> Value:
        """Whether a text stands at a place, if there is room for it."""
        cg, text = self._cg, self._text
        return cg.both_lazily(is_room, lambda: _stands_at(cg, text, place, part))


def _any_texts(call: Call) -> bool:
    return True


EMITTERS = {
    "starts_with": Emitter(_starts_with, _any_texts),
    "ends_with": Emitter(_ends_with, _any_texts),
    "contains": Emitter(_contains, _any_texts),
    "find": Emitter(_find, _any_texts),
    "position": Emitter(_position, _any_texts),
    "like": Emitter(_like, _accepts_like, constants=(1, 2)),
}
