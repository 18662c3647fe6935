"""The hybrid of run lengths and bit-packed groups in which Parquet stores indices of dictionaries and definition levels.

Specification: https://parquet.apache.org/docs/file-format/data-pages/encodings/, "RLE".
"""

from __future__ import annotations

from lazyframe.executors.compiled.kinds import I64, POINTER, U8, U32, U64, Kind
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer, Value

SLACK = 8
"""How many bytes behind the runs may be read."""

_MOST_BITS = 32
_GROUP = 8


def read_runs(
    cg: Function,
    name: str,
    out: Pointer,
    count: Value,
    source: Pointer,
    size: Value,
    bits: Value,
    values: Pointer | None,
) -> Value:
    """Call a reader of `count` numbers of `bits` bits each.

    Args:
        cg: where it is called.
        name: of the function, which is one for each kind of `out`, with `values` and without.
        out: gets `values[number]` for each number, or the number itself without `values`.
        count: how many there are.
        source: the runs.
        size: how many bytes they take.
        bits: at most 32; `values` must hold as many as that many bits tell apart.
        values: what the numbers stand for.

    Returns:
        0 where the runs are corrupt, else 2 more than the greatest number, or 1 where there was none.
    """
    kind = out.element

    def write(cg: Function, *given: Value) -> Value:
        return _write(cg, kind, *given, looked_up=values is not None)

    parameters = [POINTER, I64, POINTER, I64, I64, POINTER]
    return cg.local(name, I64, parameters, write, out, count, source, size, bits, source if values is None else values)


def is_one_run(cg: Function, source: Pointer, size: Value, count: Value) -> Value:
    """Whether numbers of one bit are one run of ones, as where no row is null."""
    position, head, shift, found = (cg.variable(I64, 0) for _ in range(4))
    with cg.loop() as bytes_:
        with cg.if_((position.get() >= size) | (shift.get() >= 35)):
            bytes_.leave()
        byte = source[position.get()].to(I64)
        position.add(1)
        head.set(head.get() | ((byte & 127) << shift.get()))
        with cg.if_(byte < 128):
            with cg.if_((head.get() == (count << 1)) & (position.get() < size)):
                found.set(source[position.get()].to(I64))
            bytes_.leave()
        shift.add(7)
    return found.get() == 1


def _write(
    cg: Function,
    kind: Kind,
    out: Value,
    count: Value,
    source: Value,
    size: Value,
    bits: Value,
    values: Value,
    *,
    looked_up: bool,
) -> Value:
    assert isinstance(out, Pointer)
    assert isinstance(source, Pointer)
    assert isinstance(values, Pointer)
    out, source, values = out.of(kind), source.of(U8), values.of(kind)
    _unless(cg, (bits >= 0) & (bits <= _MOST_BITS))
    mask = ((cg.lift(1, I64) << bits) - 1).to(U64)
    if cg.module.checked:
        out, source, values = out.of(kind, count), source.of(U8, size + SLACK), values.of(kind, mask.to(I64) + 1)

    def value(number: Value) -> Value:
        return values[number.to(I64)] if looked_up else number.to(kind)

    position, row, greatest = (cg.variable(I64, start) for start in (0, 0, -1))
    with cg.loop("until all are read") as runs:
        with cg.if_(row.get() >= count):
            runs.leave()
        head, shift = cg.variable(I64, 0), cg.variable(I64, 0)
        with cg.loop() as bytes_:
            _unless(cg, (position.get() < size) & (shift.get() < 35))
            byte = source[position.get()].to(I64)
            position.add(1)
            head.set(head.get() | ((byte & 127) << shift.get()))
            with cg.if_(byte < 128):
                bytes_.leave()
            shift.add(7)
        many = head.get().shifted_right(1)
        with cg.if_((head.get() & 1) == 1) as packed:
            _unless(cg, many * bits <= size - position.get())
            rest = count - row.get()
            wanted = cg.choose(many * _GROUP < rest, many * _GROUP, rest)
            greatest.set(
                _unpack(cg, out.at(row.get()), wanted, source.at(position.get()), bits, mask, greatest.get(), value)
            )
            position.add(many * bits)
            row.add(wanted)
        with packed.otherwise():
            width = (bits + 7).shifted_right(3)
            _unless(cg, (many <= count - row.get()) & (width <= size - position.get()) & (many > 0))
            number = source.unaligned(position.get(), U32).to(U64) & mask
            position.add(width)
            with cg.if_(number.to(I64) > greatest.get()):
                greatest.set(number.to(I64))
            run, same = out.at(row.get()), value(number)
            with cg.for_range(0, many) as index:
                run[index] = same
            row.add(many)
    return greatest.get() + 2


def _unpack(
    cg: Function, out: Pointer, count: Value, source: Pointer, bits: Value, mask: Value, greatest: Value, value: object
) -> Value:
    """Write bit-packed numbers, eight of which take as many bytes as each has bits; gives the greatest so far."""
    assert callable(value)
    most = cg.variable(U64, 0)
    groups = count.shifted_right(3)

    def write(group: Value, numbers: list[Value]) -> None:
        highest = most.get()
        for number in numbers:
            highest = cg.choose(number > highest, number, highest)
        most.set(highest)
        for lane, number in enumerate(numbers):
            out[group * _GROUP + lane] = value(number)

    with cg.if_(bits <= 16) as narrow:
        # Two words hold four numbers each: the other one may begin within a byte.
        half = bits << 2
        steps = [(bits * lane).to(U64) for lane in range(_GROUP // 2)]
        with cg.for_range(0, groups) as group:
            low = source.unaligned(group * bits, U64)
            high = source.unaligned(group * bits + half.shifted_right(3), U64).shifted_right((half & 7).to(U64))
            write(group, [word.shifted_right(step) & mask for word in (low, high) for step in steps])
    with narrow.otherwise():
        places = [(bits * lane).shifted_right(3) for lane in range(_GROUP)]
        shifts = [((bits * lane) & 7).to(U64) for lane in range(_GROUP)]
        with cg.for_range(0, groups) as group:
            words = [source.unaligned(group * bits + place, U64) for place in places]
            write(group, [word.shifted_right(shift) & mask for word, shift in zip(words, shifts, strict=True)])
    with cg.for_range(groups * _GROUP, count) as index:
        bit = index * bits
        number = source.unaligned(bit.shifted_right(3), U64).shifted_right((bit & 7).to(U64)) & mask
        most.set(cg.choose(number > most.get(), number, most.get()))
        out[index] = value(number)
    found = most.get().to(I64)
    return cg.choose((count > 0) & (found > greatest), found, greatest)


def _unless(cg: Function, condition: Value) -> None:
    with cg.if_(~condition):
        cg.return_(0)
