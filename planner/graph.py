"""The graph: what a node is, and every way to walk one.

A node is immutable, knows its children, and has a structural digest by which nodes compare and hash. All walks are
iterative and visit a shared node once, so that neither a chain of 20,000 verbs nor a ladder of shared diamonds hurts.

Walks know a node by its identity, and digests are computed when they are first asked for: most nodes are built, bound or
rewritten, and never compared. `unified` makes equal nodes of a graph one, where sharing is to be found.

This file is long so that nobody looks elsewhere: what all nodes share, and the only walks, which lean on how nodes are made.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import marshal
import operator
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import blake2b
from operator import is_
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np
import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.site import AnySite, ambient
from lazyframe.planner.types import token as type_token

T = TypeVar("T")
N = TypeVar("N", bound="Node")

_set = object.__setattr__


class Node:
    """A node of the graph: annotated fields, and what follows from them.

    `children` are the nodes of the same sort (plans of a plan, scalars of a scalar). `site` is where the user wrote it; it
    is no part of the digest.
    """

    __slots__ = ("_digest", "site")

    _digest: bytes
    site: AnySite | None

    plan_fields: ClassVar[tuple[_Slot, ...]] = ()
    scalar_fields: ClassVar[tuple[_Slot, ...]] = ()
    child_fields: ClassVar[tuple[_Slot, ...]] = ()
    field_names: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        set_site(self, ambient.site)
        self._derive()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a node never changes: {name} of {type(self).__name__} cannot be set")

    def _derive(self) -> None:
        """Set what follows from the fields, and check them."""

    @property
    def digest(self) -> bytes:
        """What two nodes share only if they mean the same: their class, their data and the digests of their nodes."""
        try:
            return self._digest
        except AttributeError:
            return _digest(self)

    def children(self) -> tuple[Any, ...]:
        raise AssertionError("the decorator `node` gives each class its own")

    def nodes(self) -> tuple[Node, ...]:
        """All nodes that it holds: its children, and the expressions of a plan."""
        raise AssertionError("the decorator `node` gives each class its own")

    def outline(self) -> tuple[object, ...]:
        """What equal nodes share and is known without their digests."""
        return (type(self),)

    def key(self) -> tuple[Any, ...]:
        """What its digest is computed from, where the nodes it holds have theirs."""
        raise AssertionError("the decorator `node` gives each class its own")

    def with_children(self, children: Iterable[Any]) -> Self:
        """The same node over other children, given in the order of `children()`; itself where they are the same."""
        children = tuple(children)
        if all(map(operator.is_, children, self.children())):
            return self
        return self._with(self.child_fields, children)

    def _with(self, slots: tuple[_Slot, ...], nodes: Iterable[Any]) -> Self:
        if len(slots) == 1 and slots[0].shape == "one":
            (only,), name = nodes, slots[0].name
            return self if only is getattr(self, name) else replace(self, **{name: only})
        supply = iter(nodes)
        changes = {}
        for slot in slots:
            old = getattr(self, slot.name)
            new = slot.rebuild(old, supply)
            if new is not old:
                changes[slot.name] = new
        return replace(self, **changes) if changes else self

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from lazyframe.planner.pickling import flattened, restored

        return restored, (flattened(self),)


def setter(cls: type, slot: str) -> Callable[[Any, Any], None]:
    """What sets a slot of a node that is being made, past the guard and in half the time of `object.__setattr__`."""
    found: Callable[[Any, Any], None] = getattr(cls, slot).__set__
    return found


set_site = setter(Node, "site")


def _digest(root: Node) -> bytes:
    """The digest of a node, which gets it together with the nodes below that lack theirs."""
    stack = [root]
    while stack:
        current = stack[-1]
        pending = [node for node in current.nodes() if not hasattr(node, "_digest")]
        if pending:
            stack.extend(pending)
            continue
        stack.pop()
        _set(current, "_digest", blake2b(marshal.dumps(current.key(), 0), digest_size=16).digest())
    return root._digest


class _Slot:
    """A field that holds nodes: one, perhaps one, several, or several with names."""

    __slots__ = ("name", "shape")

    def __init__(self, name: str, shape: str) -> None:
        self.name = name
        self.shape = shape

    def rebuild(self, old: Any, supply: Iterator[Any]) -> Any:
        if self.shape == "one":
            return next(supply)
        if self.shape == "optional":
            return None if old is None else next(supply)
        if self.shape == "many":
            changed = tuple([next(supply) for _ in old])
            return old if all([a is b for a, b in zip(changed, old, strict=True)]) else changed
        named = tuple([(name, next(supply)) for name, _ in old])
        return old if all([a[1] is b[1] for a, b in zip(named, old, strict=True)]) else named


# What the methods of a class are made of, for each field that holds nodes.
_NODES = {
    "one": "(self.{name},)",
    "optional": "(() if self.{name} is None else (self.{name},))",
    "many": "self.{name}",
    "named": "tuple([node for _, node in self.{name}])",
}
_DIGESTS = {
    "one": "self.{name}._digest",
    "optional": "None if self.{name} is None else self.{name}._digest",
    "many": "[node._digest for node in self.{name}]",
    "named": "[(name, node._digest) for name, node in self.{name}]",
}

_SHAPES = {"{}": "one", "{} | None": "optional", "tuple[{}, ...]": "many", "tuple[tuple[str, {}], ...]": "named"}


@dataclass_transform(frozen_default=True, eq_default=False)
def node(cls: type[T]) -> type[T]:
    """Make a class of annotated fields a node: frozen, with slots, and with fields that say which are children.

    A field annotated `Plan` or `Scalar`, such a one or None, a tuple of them, or a tuple of (name, node) pairs holds
    nodes; every other field is data and must be made of plain values (see `token`).

    What a frozen dataclass would do is done here, for two reasons: making some fifty dataclasses takes a quarter of the time
    of `import lazyframe`; and walks call `children` and its like at every step, where a method written for its class is
    several times as fast as one that asks its fields.
    """
    annotations: dict[str, str] = {n: a for n, a in cls.__annotations__.items() if not a.startswith("ClassVar")}
    names = tuple(annotations)
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    kept = {key: value for key, value in cls.__dict__.items() if key not in (*defaults, "__dict__", "__weakref__")}
    made: Any = type(cls.__name__, cls.__bases__, {**kept, "__slots__": names, "__match_args__": names})
    found: dict[str, list[_Slot]] = {"Plan": [], "Scalar": [], "Unbound": []}
    data = []
    for name, annotation in annotations.items():
        for sort, slots in found.items():
            shape = next((s for pattern, s in _SHAPES.items() if annotation == pattern.format(sort)), None)
            if shape:
                slots.append(_Slot(name, shape))
                break
        else:
            data.append(name)
    made.plan_fields = tuple(found["Plan"])
    made.scalar_fields = tuple(found["Unbound"] if made.sort == "unbound" else found["Scalar"])
    made.child_fields = made.plan_fields if made.sort == "plan" else made.scalar_fields
    made.field_names = names
    held = (*made.plan_fields, *made.scalar_fields)
    parts = [repr(cls.__name__), *[f"token(self.{name})" for name in data]]
    parts += [_DIGESTS[slot.shape].format(name=slot.name) for slot in held]
    lines = [f"def __init__(self, {', '.join(names)}):"]
    lines += [f"    set_{name}(self, {name})" for name in names]
    lines += [
        "    self.__post_init__()",
        f"def children(self): return {_tuple_of(made.child_fields)}",
        f"def nodes(self): return {_tuple_of(held)}",
        f"def key(self): return ({', '.join(parts)},)",
    ]
    if made.sort == "plan":
        lines.append(f"def scalars(self): return {_tuple_of(made.scalar_fields)}")
    methods: dict[str, Any] = {}
    known = {"token": token, **{f"set_{name}": setter(made, name) for name in names}}
    exec("\n".join(lines), known, methods)  # noqa: S102 - made of field names of our own classes
    methods["__init__"].__defaults__ = tuple(defaults.values())
    for name, method in methods.items():
        setattr(made, name, method)
    return made


def _tuple_of(slots: tuple[_Slot, ...]) -> str:
    """The expression for the nodes in some fields."""
    return " + ".join([_NODES[slot.shape].format(name=slot.name) for slot in slots]) or "()"


def replace(node: N, **changes: Any) -> N:
    """A copy of `node` with some fields changed, written at the same site."""
    values = [changes[f] if f in changes else getattr(node, f) for f in node.field_names]
    previous = ambient.site
    if previous is node.site:
        return type(node)(*values)
    ambient.site = node.site
    try:
        return type(node)(*values)
    finally:
        ambient.site = previous


def alike(node: N, held: Iterable[Any], **derived: Any) -> N:
    """A copy of `node` that holds other nodes, from which the same follows: they have the types and names of its own.

    It takes a third of the time of `replace`, which derives and checks everything.

    Args:
        node: of any sort.
        held: what it holds instead, in the order of `nodes()`.
        derived: what follows from its fields, by the names of its slots.
    """
    made = object.__new__(type(node))
    supply = iter(held)
    slots, others = _slots_of(type(node))  # type: ignore[arg-type] # a type hashes, though its values may not
    for slot in slots:
        _set(made, slot.name, slot.rebuild(getattr(node, slot.name), supply))
    for name in others:
        _set(made, name, getattr(node, name))
    for name, value in derived.items():
        _set(made, name, value)
    return made


@cache
def _slots_of(kind: type[Node]) -> tuple[tuple[_Slot, ...], tuple[str, ...]]:
    """The fields of a class that hold nodes, and the names of its other fields, and of what it keeps besides."""
    slots = (*kind.plan_fields, *kind.scalar_fields)
    held = {slot.name for slot in slots}
    return slots, (*[name for name in kind.field_names if name not in held], "site")


_PLAIN = frozenset({str, bool, int, bytes, type(None)})


def token(value: Any) -> object:
    """Plain values that two field values share only if they mean the same. Never built from `repr`."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        return tuple([token(item) for item in value]) if value else value
    return _tokenizer(kind)(value)  # type: ignore[arg-type] # a type hashes, though its values may not


@lru_cache(maxsize=1024)
def _tokenizer(kind: type) -> Callable[[Any], object]:
    """What makes tokens of the values of a type."""
    for base, function in _TOKENIZERS:
        if issubclass(kind, base):
            return function
    if hasattr(kind, "identity"):
        return lambda value: ("source", token(value.identity()))
    if issubclass(kind, Callable):  # type: ignore[arg-type]
        # A node that has this token holds the function, so that no other can have its address as long as the node lives.
        return lambda value: ("function", id(value))
    raise TypeError(f"a node cannot hold a {kind.__name__}")


def _marshalled(value: Any) -> bytes:
    return marshal.dumps(value, 0)


def _token_of_moment(value: datetime.datetime) -> object:
    zone = value.tzinfo
    return ("datetime", value.isoformat(), value.fold, None if zone is None else str(zone))


def _token_of_scalar(value: pa.Scalar) -> object:
    if not value.is_valid:
        content = None
    elif isinstance(value, _PLAIN_SCALARS):
        content = token(value.as_py())
    else:
        content = _constant_bytes(repeated(value))
    return ("scalar", type_token(value.type), content)


def repeated(value: pa.Scalar, rows: int = 1) -> pa.Array:
    """An array of one value, so many times."""
    if not rows:
        # Arrow repeats no list zero times.
        return arrow.array([], value.type)
    try:
        return pa.repeat(value, rows)
    except pa.ArrowNotImplementedError:
        # Arrow repeats no struct with a field of type null.
        return arrow.array([value.as_py()] * rows, value.type)


def _constant_bytes(array: pa.Array) -> bytes:
    """The content of a constant array, in one serialised form."""
    sink = pa.BufferOutputStream()
    batch = pa.RecordBatch.from_arrays([pa.concat_arrays([array])], ["_"])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return blake2b(sink.getvalue(), digest_size=16).digest()


_PLAIN_SCALARS = (
    pa.BooleanScalar, pa.Int8Scalar, pa.Int16Scalar, pa.Int32Scalar, pa.Int64Scalar, pa.UInt8Scalar, pa.UInt16Scalar,
    pa.UInt32Scalar, pa.UInt64Scalar, pa.FloatScalar, pa.DoubleScalar, pa.StringScalar, pa.BinaryScalar,
    pa.Decimal128Scalar, pa.Date32Scalar,
)  # fmt: skip
"""Those whose Python value says all, so that no array need be made of one."""

_TOKENIZERS: tuple[tuple[type, Callable[[Any], object]], ...] = (
    (pa.DataType, lambda value: ("type", type_token(value))),
    (Node, lambda value: ("node", value.digest)),
    (enum.Enum, lambda value: ("enum", value.name)),
    (datetime.datetime, _token_of_moment),
    (datetime.date, lambda value: ("date", value.isoformat())),
    (datetime.time, lambda value: ("time", value.isoformat())),
    (datetime.timedelta, lambda value: ("timedelta", value.days, value.seconds, value.microseconds)),
    (decimal.Decimal, lambda value: ("decimal", str(value))),
    (uuid.UUID, lambda value: ("uuid", value.bytes)),
    (np.generic, lambda value: ("numpy", value.dtype.str, value.tobytes())),
    # Tuples whose items have names.
    (tuple, lambda value: tuple([token(item) for item in value])),
    (dict, lambda value: ("dict", tuple([(token(k), token(v)) for k, v in value.items()]))),
    (list, lambda value: ("list", tuple([token(item) for item in value]))),
    (set, lambda value: ("set", tuple(sorted(map(token, value), key=_marshalled)))),
    (frozenset, lambda value: ("set", tuple(sorted(map(token, value), key=_marshalled)))),
    (pa.Scalar, _token_of_scalar),
    (pa.Array, lambda value: ("array", type_token(value.type), _constant_bytes(value))),
    # After numpy's, which are floats too, and of a type of their own.
    (float, lambda value: ("float", value.hex())),
)


def postorder(root: N) -> list[N]:
    """All nodes below and with `root`, children before parents, each once."""
    spine = [root]
    while len(children := spine[-1].children()) == 1:
        spine.append(children[0])
    order = _postorder(spine.pop()) if children else []
    spine.reverse()
    order.extend(spine)
    return order


def _postorder(root: N) -> list[N]:
    # A node is entered when it is first on top of the stack, and finished when it is there again.
    entered: set[int] = set()
    finished: set[int] = set()
    order: list[N] = []
    stack: list[N] = [root]
    while stack:
        current = stack[-1]
        key = id(current)
        if key not in entered:
            entered.add(key)
            children = current.children()
            if children:
                stack.extend(children if len(children) == 1 else children[::-1])
                continue
        stack.pop()
        if key not in finished:
            finished.add(key)
            order.append(current)
    return order


def fold(root: Node, step: Callable[[Any, list[T]], T]) -> T:
    """Compute a value bottom-up: `step(node, values of its children)`, once a node."""
    values: dict[int, T] = {}
    for current in postorder(root):
        values[id(current)] = step(current, [values[id(child)] for child in current.children()])
    return values[id(root)]


def unified(roots: Iterable[N]) -> list[N]:
    """The same graphs, in which nodes that are equal are one.

    Only nodes of one outline over the same children can be equal: digests are asked for where two of them are met.
    """
    became: dict[int, N] = {}
    alone: dict[tuple[Any, ...], N] = {}
    one: dict[bytes, N] = {}
    roots = list(roots)
    for root in roots:
        for current in postorder(root):
            if id(current) in became:
                continue
            children = [became[id(child)] for child in current.children()]
            same = all(map(is_, children, current.children()))
            rebuilt = current if same else current.with_children(children)
            key = (*rebuilt.outline(), *map(id, children))
            other = alone.setdefault(key, rebuilt)
            if other is not rebuilt:
                one.setdefault(other.digest, other)
                rebuilt = one.setdefault(rebuilt.digest, rebuilt)
            became[id(current)] = rebuilt
    return [became[id(root)] for root in roots]


def is_chain(root: Node) -> bool:
    """Whether no node has several children, so that each occurs once."""
    while len(children := root.children()) == 1:
        (root,) = children
    return not children


def remembered(root: Node, slot: str, step: Callable[[Any, list[T]], T]) -> T:
    """As `fold`, where each node keeps its value in `slot`, which its class declares and nothing else sets.

    For what is asked of every node of a graph that grows by one node at a time: the walk ends where the value is known.
    """
    stack = [root]
    while stack:
        current = stack[-1]
        if hasattr(current, slot):
            stack.pop()
            continue
        children = current.children()
        pending = [child for child in children if not hasattr(child, slot)]
        if pending:
            stack.extend(pending)
            continue
        _set(current, slot, step(current, [getattr(child, slot) for child in children]))
        stack.pop()
    return getattr(root, slot)


def rewrite(root: N, step: Callable[[N], N]) -> N:
    """Rebuild bottom-up: each node over its rebuilt children goes through `step`."""

    def rebuild(current: N, children: list[N]) -> N:
        return step(current.with_children(children))

    return fold(root, rebuild)


def rewrite_top_down(root: N, step: Callable[[N], N | None]) -> N:
    """Replace the topmost nodes for which `step` gives another; what it gives is not walked again."""
    values: dict[int, N] = {}
    stack: list[tuple[N, bool]] = [(root, False)]
    while stack:
        current, expanded = stack.pop()
        if id(current) in values:
            continue
        if expanded:
            values[id(current)] = current.with_children([values[id(c)] for c in current.children()])
            continue
        replaced = step(current)
        if replaced is not None:
            values[id(current)] = replaced
            continue
        stack.append((current, True))
        stack.extend((child, False) for child in reversed(current.children()))
    return values[id(root)]


def pullback(
    root: N,
    seed: T,
    rule: Callable[[N, T], Iterable[T | None]],
    add: Callable[[T, T], T],
) -> Mapping[int, T]:
    """Walk backwards: from the value of `root`, give every node its own, by its `id`.

    Args:
        root: where the walk starts.
        seed: the value of `root`.
        rule: from a node and its value, one value for each of its children; None for a child that this node gives none.
        add: joins the values that reach a node by different paths. Associative and commutative.

    Returns:
        The values of the nodes that were given one. `rule` sees no others.

    The nodes are visited in reverse postorder, so a node's value is complete when `rule` sees it.
    """
    values: dict[int, T] = {id(root): seed}
    for current in reversed(postorder(root)):
        own = values.get(id(current))
        if own is None:
            continue
        for child, value in zip(current.children(), rule(current, own), strict=True):
            if value is not None:
                held = values.get(id(child))
                values[id(child)] = value if held is None else add(held, value)
    return values
