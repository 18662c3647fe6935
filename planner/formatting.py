"""Plans and expressions as text, for people."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import pyarrow as pa

from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.frames import Bound, Frame, described
from lazyframe.planner.functions.spans import span_text
from lazyframe.planner.graph import Node, fold
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Cache,
    Distinct,
    Explode,
    Filter,
    HorizontalConcat,
    Interpolate,
    Join,
    Limit,
    MapBatches,
    PartitionTopK,
    Plan,
    Project,
    Recursion,
    RecursionInput,
    Reverse,
    RowIndex,
    Sample,
    Scan,
    SetOperation,
    Shared,
    Shift,
    Sort,
    Tail,
    TopK,
    Union,
    Unpivot,
    Values,
    Window,
)
from lazyframe.planner.scalars import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    GroupingCall,
    Literal,
    Parameter,
    Scalar,
    SortKey,
    WindowCall,
    conjuncts,
)
from lazyframe.planner.types import is_interval, type_name
from lazyframe.planner.unbound import (
    Aggregated,
    Apply,
    Choose,
    Constant,
    Convert,
    Differentiated,
    Grouping,
    Many,
    Member,
    Named,
    Ordered,
    Placeholder,
    Ref,
    Restricted,
    Unbound,
    Windowed,
)

_PRECEDENCE = {
    "|": 1, "^": 2, "&": 3,
    "==": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5, "<=>": 5, "<!>": 5,
    "+": 6, "-": 6, "*": 7, "/": 7, "//": 7, "%": 7, "**": 9,
}  # fmt: skip
_NOT = 4
_ATOM = 10
_LONGEST = 2_000
_SHOWN_VALUES = 6

Text = tuple[str, int]
"""An expression and how tightly its outermost operator binds."""


def format_scalar(scalar: Scalar) -> str:
    """An expression, as it would be written."""
    return fold(scalar, _scalar_text)[0]


def format_unbound(expression: Unbound) -> str:
    return fold(expression, _unbound_text)[0]


def format_parts(expression: Unbound, named: Callable[[Unbound], str | None]) -> dict[int, str]:
    """The text of an expression and of each of its parts, by the ids of their nodes.

    Args:
        expression: all of it.
        named: what some parts are called; None for those that are written as ever.
    """
    found: dict[int, str] = {}

    def step(current: Unbound, children: list[Text]) -> Text:
        name = named(current)
        text = _unbound_text(current, children) if name is None else (name, _ATOM)
        found[id(current)] = text[0]
        return text

    fold(expression, step)
    return found


def _scalar_text(scalar: Scalar, children: list[Text]) -> Text:
    match scalar:
        case Column(name=name):
            return name if name.isidentifier() else f"`{name}`", _ATOM
        case Literal(value=value):
            return format_value(value), _ATOM
        case Parameter(cell=cell, index=index):
            return f"${cell.name}{list(index) if index else ''}", _ATOM
        case Cast(to=to, lenient=lenient):
            return _cast_text(children[0], to, lenient), _ATOM
        case SortKey(descending=descending, nulls_first=nulls_first):
            return _order_text(children[0], descending, nulls_first), _ATOM
        case Case():
            return _case_text(children)
        case AggregateCall():
            return _aggregate_text(
                scalar.function, len(scalar.args), scalar.where, scalar.distinct, scalar.options, children
            )
        case WindowCall():
            return _window_text(scalar, children)
        case GroupingCall():
            return f"grouping({', '.join([text for text, _ in children])})", _ATOM
        case Call(function="is_in"):
            return _member_text(children[0], dict(scalar.options)["values"])
        case Call():
            return _call_text(scalar.function, scalar.options, children)
    assert scalar.placeholder, f"no text for {type(scalar).__name__}"
    return scalar.placeholder, _ATOM


def _unbound_text(current: Unbound, children: list[Text]) -> Text:
    match current:
        case Ref(name=name):
            return f"col({name!r})", _ATOM
        case Constant(value=value):
            return repr(value), _ATOM
        case Placeholder(cell=cell, index=index):
            return f"param({cell.name!r}){list(index) if index else ''}", _ATOM
        case Many(selection=selection):
            return f"columns{selection.identity()}", _ATOM
        case Named(name=name):
            base = _wrapped(children[0], _ATOM)
            if name is not None:
                return f"{base}.alias({name!r})", _ATOM
            prefix = f".name.prefix({current.prefix!r})" * bool(current.prefix)
            return base + prefix + f".name.suffix({current.suffix!r})" * bool(current.suffix), _ATOM
        case Differentiated():
            return f"grad({children[0][0]}, wrt={children[1][0]})", _ATOM
        case Convert(to=to, lenient=lenient):
            return _cast_text(children[0], to, lenient), _ATOM
        case Member(values=values):
            return f"{children[0][0]} in {list(values)!r}"[:_LONGEST], 5
        case Choose():
            return _case_text(children)
        case Ordered(descending=descending, nulls_first=nulls_first):
            return _order_text(children[0], descending, nulls_first), _ATOM
        case Aggregated():
            return _aggregate_text(
                current.function, len(current.args), current.where, current.distinct, current.options, children
            )
        case Windowed():
            return _window_text(current, children)
        case Restricted():
            return f"{children[0][0]}.filter({children[1][0]})", _ATOM
        case Grouping():
            return f"grouping({', '.join([text for text, _ in children])})", _ATOM
        case Apply():
            return _call_text(current.function, current.options, children)
    raise AssertionError(f"no text for {type(current).__name__}")


def _cast_text(arg: Text, to: pa.DataType, lenient: bool) -> str:
    return f"{'try_cast' if lenient else 'cast'}({arg[0]} as {type_name(to)})"


def _order_text(arg: Text, descending: bool, nulls_first: bool) -> str:
    return arg[0] + " desc" * descending + " nulls first" * nulls_first


def format_value(value: pa.Scalar) -> str:
    if not value.is_valid:
        return "null"
    if pa.types.is_timestamp(value.type) or pa.types.is_date(value.type) or pa.types.is_time(value.type):
        return f"'{pc.cast(value, pa.string()).as_py()}'"
    if is_interval(value.type):
        return span_text(*value.as_py())
    if pa.types.is_duration(value.type) or pa.types.is_decimal(value.type):
        return str(value.as_py() if value.type != pa.duration("ns") else value.value)
    text = repr(value.as_py())
    return text if len(text) <= 200 else text[:199] + "…"


def _call_text(function: str, options: tuple[tuple[str, Any], ...], children: list[Text]) -> Text:
    from lazyframe.planner.functions.definition import lookup

    symbol = lookup(function).symbol
    if symbol and len(children) == 2:
        binds = _PRECEDENCE.get(symbol, 6)
        left, right = children
        # A comparison of a comparison is never read from left to right.
        loose = binds + (binds == 5)
        text = f"{_wrapped(left, loose)} {symbol} {_wrapped(right, binds + (symbol not in ('&', '|')))}"
        return _cut(text), binds
    if function == "negate":
        return f"-{_wrapped(children[0], 8)}", 8
    if function == "not":
        return f"not {_wrapped(children[0], _NOT)}", _NOT
    if function in ("is_null", "is_not_null"):
        return f"{_wrapped(children[0], 6)} {function.replace('_', ' ')}", 5
    parts = [text for text, _ in children]
    # What only tells two calls of a volatile function apart is not for people.
    parts += [f"{key}={_option_text(value)}" for key, value in options if value is not None and key != "instance"]
    return _cut(f"{function}({', '.join(parts)})"), _ATOM


def _option_text(value: Any) -> str:
    return format_value(value) if isinstance(value, pa.Scalar) else repr(value)


def _member_text(arg: Text, values: pa.Array) -> Text:
    shown = ", ".join(format_value(v) for v in values[:_SHOWN_VALUES])
    more = f", … {len(values) - _SHOWN_VALUES} more" if len(values) > _SHOWN_VALUES else ""
    return f"{_wrapped(arg, 6)} in ({shown}{more})", 5


def _case_text(children: list[Text]) -> Text:
    count = len(children) // 2
    parts = [f"when {children[i][0]} then {children[count + i][0]}" for i in range(count)]
    return _cut(f"case {' '.join(parts)} else {children[-1][0]} end"), _ATOM


def _aggregate_text(
    function: str,
    count: int,
    where: Node | None,
    distinct: bool,
    options: tuple[tuple[str, Any], ...],
    children: list[Text],
) -> Text:
    parts = [text for text, _ in children[:count]]
    parts += [f"{key}={value!r}" for key, value in options if value is not None]
    rest = children[count:]
    text = f"{function}({'distinct ' * distinct}{', '.join(parts)}"
    condition = rest.pop(0)[0] if where is not None else None
    if rest:
        text += " order by " + ", ".join(key for key, _ in rest)
    return _cut(text + ")" + (f" where {condition}" if condition else "")), _ATOM


def _window_text(call: WindowCall | Windowed, children: list[Text]) -> Text:
    parts = iter(children)
    args = [next(parts) for _ in call.args]
    keys = [next(parts)[0] for _ in call.keys] if isinstance(call, Windowed) else []
    partition = [next(parts)[0] for _ in call.partition]
    order = keys + [next(parts)[0] for _ in call.order]
    rest = list(parts)
    text = _aggregate_text(call.function, len(args), call.where, call.distinct, call.options, [*args, *rest])[0]
    over = []
    if partition:
        over.append("partition by " + ", ".join(partition))
    if order:
        over.append("order by " + ", ".join(order))
    if call.frame is not None:
        over.append(format_frame(call.frame))
    return _cut(f"{text} over ({' '.join(over)})"), _ATOM


def format_frame(frame: Frame) -> str:
    """A window frame as SQL writes it."""
    text = f"{frame.unit} between {_bound_text(frame.start)} and {_bound_text(frame.end)}"
    return text + (f" exclude {frame.exclude.replace('_', ' ')}" if frame.exclude != "no_others" else "")


def _bound_text(bound: Bound) -> str:
    text = described(bound).lower()
    return text if bound.offset is None else f"{format_value(bound.offset)} {text}" + " exclusive" * bound.is_open


def _wrapped(child: Text, binds: int) -> str:
    text, own = child
    return f"({text})" if own < binds else text


def _cut(text: str) -> str:
    """Keep the text of a very deep expression from growing with every level."""
    return text if len(text) <= _LONGEST else text[: _LONGEST // 2] + " … " + text[-_LONGEST // 2 :]


def format_named(exprs: tuple[tuple[str, Scalar], ...], most: int = 12) -> str:
    """Named expressions: `x, y + 1 as z`."""
    shown = []
    for name, scalar in exprs[:most]:
        text = format_scalar(scalar)
        same = isinstance(scalar, Column) and scalar.name == name
        shown.append(text if same else f"{text} as {name if name.isidentifier() else f'`{name}`'}")
    if len(exprs) > most:
        shown.append(f"… {len(exprs) - most} more")
    return ", ".join(shown)


def _names(names: tuple[str, ...] | list[str], most: int = 12) -> str:
    shown = [name if name.isidentifier() else f"`{name}`" for name in names[:most]]
    return ", ".join(shown + ([f"… {len(names) - most} more"] if len(names) > most else []))


def label(plan: Plan) -> str:
    """One line that says what a node does."""
    match plan:
        case Scan():
            return _scan_label(plan)
        case Filter(predicate=predicate):
            return "Filter " + " & ".join(_wrapped(fold(p, _scalar_text), 3) for p in conjuncts(predicate))
        case Project(exprs=exprs):
            return f"Project {format_named(exprs)}"
        case Aggregate(keys=keys, aggregates=aggregates):
            by = f" by {format_named(keys)}" if keys else ""
            return f"Aggregate {format_named(aggregates)}{by}"
        case Window(calls=calls):
            return f"Window {format_named(calls)}"
        case PartitionTopK(call=call, count=count):
            return f"PartitionTopK {format_scalar(call)} <= {count}"
        case Distinct(subset=subset, keep=keep):
            on = "" if list(subset) == plan.schema.names else f" on {_names(subset)}"
            return f"Distinct{on} keep {keep}"
        case Join():
            return _join_label(plan)
        case AsofJoin():
            return _asof_label(plan)
        case Sort(keys=keys):
            return "Sort by " + ", ".join(map(format_scalar, keys))
        case TopK(keys=keys, count=count, offset=offset):
            text = f"TopK {count} by {', '.join(map(format_scalar, keys))}" + (f" after {offset}" if offset else "")
            return text + (f", as {plan.gives}" if plan.gives else "")
        case Limit(count=count, offset=offset):
            return f"Limit {'all' if count is None else count}" + (f" after {offset}" if offset else "")
        case Tail(count=count):
            return f"Tail {count}"
        case Reverse():
            return "Reverse"
        case Shift(count=count):
            return f"Shift {count}"
        case Interpolate(columns=columns):
            return f"Interpolate {_names(columns)}"
        case Union():
            return "Union"
        case SetOperation(kind=kind, keep_duplicates=keep_duplicates):
            return kind.capitalize() + " all" * keep_duplicates
        case HorizontalConcat():
            return "HorizontalConcat"
        case Explode(columns=columns, keep_empty=keep_empty, ordinality=ordinality):
            counted = f" with ordinality {_names([ordinality])}" if ordinality is not None else ""
            return f"Explode {_names(columns)}{counted}" + " without empty" * (not keep_empty)
        case Unpivot(on=on, keep_nulls=keep_nulls):
            return f"Unpivot {_names(on)}" + " without nulls" * (not keep_nulls)
        case RowIndex(name=name, start=start):
            return f"RowIndex as {name}" + (f" from {start}" if start else "")
        case Sample(count=count, fraction=fraction, seed=seed):
            return f"Sample {count if fraction is None else f'{fraction:.4g} of all'} with seed {seed}"
        case MapBatches(function=function):
            return f"MapBatches {getattr(function, '__name__', type(function).__name__)}"
        case Cache():
            return "Cache"
        case Values(columns=columns, count=count):
            names = f"[{_names([name for name, _ in columns])}] " if columns else ""
            return f"Values {names}({count} {'row' if count == 1 else 'rows'})"
        case Shared(kept=kept, reader=reader):
            return "Shared" if kept else f"Recomputed for {f'reader {reader}' if reader else 'each reader'}"
        case Recursion(name=name, distinct=distinct):
            return f"Recursion {_names([name])}" + " distinct" * distinct
        case RecursionInput(name=name):
            return f"RecursionInput {_names([name])}"
    raise AssertionError(f"no label for {type(plan).__name__}")


def _scan_label(plan: Scan) -> str:
    total = len(plan.source.schema)
    text = f"Scan {plan.source.name} [{_names(plan.columns)}]"
    if len(plan.columns) < total:
        text += f" {len(plan.columns)} of {total} columns"
    if plan.predicate is not None:
        text += " where " + " & ".join(_wrapped(fold(p, _scalar_text), 3) for p in conjuncts(plan.predicate))
    if plan.limit is not None:
        text += f" limit {plan.limit}"
    known = [f"{format_scalar(value)} among {name}" for name, value in plan.filters]
    known += [f"{format_scalar(value)} within {name}" for name, value in plan.thresholds]
    return text + (f" with {' & '.join(known)}" if known else "")


def _join_label(plan: Join) -> str:
    text = f"Join {plan.kind}" + (f" as {_names([plan.mark])}" if plan.mark else "")
    if plan.left_keys:
        pairs = [f"{a!r} == {b!r}" for a, b in zip(plan.left_keys, plan.right_keys, strict=True)]
        text += " on " + " & ".join(pairs)
    if plan.condition is not None:
        text += f" if {plan.condition!r}"
    text += " nulls equal" * plan.nulls_equal + (f" validate {plan.validate}" if plan.validate != "m:m" else "")
    given = [name for name in plan.gives if name]
    return text + (f", {plan.first} first as {', '.join(given)}" if given else "")


def _asof_label(plan: AsofJoin) -> str:
    symbols = {"backward": ">=", "forward": "<=", "nearest": "~"}
    symbol = symbols[plan.strategy].rstrip("=") if plan.strict else symbols[plan.strategy]
    text = f"AsofJoin {plan.kind} on {plan.left_on!r} {symbol} {plan.right_on!r}"
    if plan.left_by:
        text += " by " + " & ".join([f"{a!r} == {b!r}" for a, b in zip(plan.left_by, plan.right_by, strict=True)])
    return text + ("" if plan.tolerance is None else f" within {format_value(plan.tolerance)}")


def format_plan(
    root: Plan, note: Callable[[Plan], str] = lambda plan: "", *, known: Container[bytes] = frozenset()
) -> str:
    """The plan as an indented tree. A node that stands in several places is written out once and numbered.

    Args:
        root: the plan.
        note: more to say of a node, after its label.
        known: digests of nodes that only need to be recognised: their labels are cut, and their inputs are left out.
    """
    parents: dict[bytes, int] = {}
    stack = [root]
    while stack:
        current = stack.pop()
        parents[current.digest] = parents.get(current.digest, 0) + 1
        if parents[current.digest] == 1 and current.digest not in known:
            stack.extend(current.children())
    numbers: dict[bytes, int] = {}
    lines: list[str] = []
    pending: list[tuple[Plan, int]] = [(root, 0)]
    while pending:
        current, depth = pending.pop()
        # Chains far deeper than a screen is wide are no longer indented further.
        indent = "  " * min(depth, 60)
        if current.digest in known:
            lines.append(f"{indent}{_recognisable(current)}")
            continue
        number = numbers.get(current.digest)
        if number is not None:
            lines.append(f"{indent}see #{number}")
            continue
        mark = ""
        if parents[current.digest] > 1 and current.children():
            numbers[current.digest] = len(numbers) + 1
            mark = f"#{numbers[current.digest]} "
        lines.append(f"{indent}{mark}{label(current)}{note(current)}")
        pending.extend((child, depth + 1) for child in reversed(current.children()))
    return "\n".join(lines)


def _recognisable(plan: Plan, most: int = 72) -> str:
    """The label of a node, cut, with `…` for what is left out."""
    text = f"Scan {plan.source.name}" if isinstance(plan, Scan) else label(plan)
    cut = text if len(text) <= most else text[: most - 1].rstrip()
    return f"{cut} …" if cut != text or plan.children() or isinstance(plan, Scan) else cut
