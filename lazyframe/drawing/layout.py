"""Where boxes stand: in layers, so that arrows go one way, and within a layer near what they are joined to.

The layered drawing of Sugiyama, Tagawa and Toda (1981): a box's layer is the longest way to it, arrows over several layers get
a bend in each, and layers are ordered by the mean place of their neighbours, a few times down and up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lazyframe.drawing.picture import Arrow, Box, Picture

_SWEEPS = 8


@dataclass(slots=True)
class Placed:
    """A box, or the bend of an arrow, with its place and size; `along` is the way arrows go, `beside` across it."""

    along: float = 0.0
    beside: float = 0.0
    length: float = 0.0
    width: float = 0.0


@dataclass(slots=True)
class Layout:
    """Places of boxes by key, and for each arrow the points through which it goes."""

    boxes: dict[str, Placed] = field(default_factory=dict)
    bends: dict[Arrow, list[Placed]] = field(default_factory=dict)
    length: float = 0.0
    width: float = 0.0


def lay_out(picture: Picture, sizes: Mapping[str, tuple[float, float]], gap: float, layer_gap: float) -> Layout:
    """Place the boxes of a picture.

    Args:
        picture: what is drawn.
        sizes: of each box its extent along the arrows and across them.
        gap: between boxes of a layer.
        layer_gap: between layers.
    """
    layout = Layout()
    layer_of = _layers(picture)
    order = _orders(picture, layer_of, layout)
    along = 0.0
    for layer in order:
        length = max((sizes[key][0] for key in layer if isinstance(key, str)), default=0.0)
        beside = 0.0
        for key in layer:
            if isinstance(key, str):
                placed = layout.boxes[key]
                placed.length, placed.width = sizes[key]
            else:
                placed = layout.bends[key[0]][key[1]]
            placed.along = along + (0.0 if isinstance(key, str) else length / 2)
            placed.beside = beside
            beside += placed.width + gap
        layout.width = max(layout.width, beside - gap)
        along += length + layer_gap
    layout.length = max(along - layer_gap, 0.0)
    _align(order, layout, picture, gap)
    return layout


_Key = str | tuple[Arrow, int]


def _layers(picture: Picture) -> dict[str, int]:
    """The layer of each box: the longest way to it, and for those that nothing leads to, just before their first reader."""
    above: dict[str, list[str]] = {box.key: [] for box in picture.boxes}
    below: dict[str, list[str]] = {box.key: [] for box in picture.boxes}
    for arrow in picture.arrows:
        above[arrow.head].append(arrow.tail)
        below[arrow.tail].append(arrow.head)
    waiting = {key: len(tails) for key, tails in above.items()}
    ready = [key for key, count in waiting.items() if count == 0]
    layers = dict.fromkeys(waiting, 0)
    for key in ready:
        for head in below[key]:
            layers[head] = max(layers[head], layers[key] + 1)
            waiting[head] -= 1
            if waiting[head] == 0:
                ready.append(head)
    assert len(ready) == len(layers), "the arrows form a circle"
    for key, tails in above.items():
        if not tails and below[key]:
            layers[key] = min(layers[head] for head in below[key]) - 1
    # What has no arrow stands with the others of its group.
    of_group: dict[str, int] = {}
    for box in picture.boxes:
        of_group[box.group] = max(of_group.get(box.group, 0), layers[box.key])
    alone = [box for box in picture.boxes if box.group and not above[box.key] and not below[box.key]]
    return {**layers, **{box.key: of_group[box.group] for box in alone}}


def _orders(picture: Picture, layer_of: Mapping[str, int], layout: Layout) -> list[list[_Key]]:
    """The boxes and bends of each layer, in an order in which few arrows cross."""
    count = max(layer_of.values(), default=-1) + 1
    order: list[list[_Key]] = [[] for _ in range(count)]
    group_of: dict[_Key, str] = {}
    before: dict[_Key, list[_Key]] = {}
    after: dict[_Key, list[_Key]] = {}
    for box in picture.boxes:
        order[layer_of[box.key]].append(box.key)
        layout.boxes[box.key] = Placed()
        group_of[box.key] = box.group
    for arrow in dict.fromkeys(picture.arrows):
        layers = range(layer_of[arrow.tail] + 1, layer_of[arrow.head])
        layout.bends[arrow] = [Placed() for _ in layers]
        way: list[_Key] = [arrow.tail, *[(arrow, number) for number in range(len(layers))], arrow.head]
        for number, layer in enumerate(layers):
            order[layer].append((arrow, number))
            group_of[arrow, number] = group_of[arrow.tail]
        for one, other in pairwise(way):
            after.setdefault(one, []).append(other)
            before.setdefault(other, []).append(one)
    names = {name: number for number, name in enumerate(dict.fromkeys(box.group for box in picture.boxes))}
    for sweep in range(_SWEEPS):
        layers_in_turn = range(1, count) if sweep % 2 == 0 else range(count - 2, -1, -1)
        neighbours = before if sweep % 2 == 0 else after
        place = {key: number / max(len(layer), 1) for layer in order for number, key in enumerate(layer)}
        for layer in layers_in_turn:
            keys = order[layer]
            wanted = {key: _mean([place[n] for n in neighbours.get(key, ())], place[key]) for key in keys}
            # Boxes of a group stay together.
            keys.sort(key=lambda key: (names[group_of[key]], wanted[key]))
            place.update({key: number / max(len(keys), 1) for number, key in enumerate(keys)})
    return order


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _align(order: list[list[_Key]], layout: Layout, picture: Picture, gap: float) -> None:
    """Move each box towards the middle of its neighbours, as far as those beside it in its layer let it."""
    neighbours: dict[_Key, list[_Key]] = {}
    for arrow, bends in layout.bends.items():
        way: list[_Key] = [arrow.tail, *[(arrow, number) for number in range(len(bends))], arrow.head]
        for one, other in pairwise(way):
            neighbours.setdefault(one, []).append(other)
            neighbours.setdefault(other, []).append(one)
    level = {key: number for number, layer in enumerate(order) for key in layer}

    def placed(key: _Key) -> Placed:
        return layout.boxes[key] if isinstance(key, str) else layout.bends[key[0]][key[1]]

    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        for number in range(len(order)) if downward else reversed(range(len(order))):
            wanted = []
            for key in order[number]:
                near = [n for n in neighbours.get(key, ()) if (level[n] < number) == downward]
                own = placed(key)
                middle = _mean([placed(n).beside + placed(n).width / 2 for n in near], own.beside + own.width / 2)
                wanted.append(middle - own.width / 2)
            _spread([placed(key) for key in order[number]], wanted, gap)
    everything = [*layout.boxes.values(), *[bend for bends in layout.bends.values() for bend in bends]]
    least = min((each.beside for each in everything), default=0.0)
    for each in everything:
        each.beside -= least
    layout.width = max((each.beside + each.width for each in everything), default=0.0)


def _spread(row: Sequence[Placed], wanted: Sequence[float], gap: float) -> None:
    """Give each of a row the place it wants, moved so that the order holds and none overlap: a least-squares fit.

    Neighbours that would overlap form a block, which stands at the mean of what its members want (pool adjacent violators).
    """
    blocks: list[tuple[float, int, list[tuple[Placed, float]]]] = []
    for each, want in zip(row, wanted, strict=True):
        start, count, members = want, 1, [(each, 0.0)]
        while blocks:
            other_start, other_count, others = blocks[-1]
            last, offset = others[-1]
            room = offset + last.width + gap
            if other_start + room <= start:
                break
            blocks.pop()
            start = (other_start * other_count + (start - room) * count) / (other_count + count)
            members = [*others, *[(member, room + at) for member, at in members]]
            count += other_count
        blocks.append((start, count, members))
    for start, _, members in blocks:
        for member, at in members:
            member.beside = start + at


def framed(boxes: Iterable[Box], layout: Layout, margin: float) -> dict[str, tuple[float, float, float, float]]:
    """For each group the frame around its boxes: its place along and beside, its length and width."""
    frames: dict[str, tuple[float, float, float, float]] = {}
    for box in boxes:
        if not box.group:
            continue
        own = layout.boxes[box.key]
        a, b, c, d = (
            own.along - margin,
            own.beside - margin,
            own.along + own.length + margin,
            own.beside + own.width + margin,
        )
        held = frames.get(box.group, (a, b, c, d))
        frames[box.group] = (min(a, held[0]), min(b, held[1]), max(c, held[2]), max(d, held[3]))
    return {name: (a, b, c - a, d - b) for name, (a, b, c, d) in frames.items()}


__all__ = ["Layout", "Placed", "framed", "lay_out"]
