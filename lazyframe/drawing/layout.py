"""Where boxes stand: in layers, so that arrows go one way, and within a layer near what they are joined to.

Between two layers arrows curve; past a layer they go straight through a gap that is kept for them, so that none goes through
a box. Groups stand side by side, and share the layers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lazyframe.drawing.layers import Key, Links, groups_of, layers_of, mean, only
from lazyframe.drawing.picture import Arrow, Picture

_SWEEPS = 10
_BEND_GAP = 8.0
_GROUP_GAP = 56.0


@dataclass(slots=True)
class Placed:
    """A box, or the bend of an arrow, with its place and size; `along` is the way arrows go, `beside` across it.

    A layer begins at `layer` and ends at `layer_end`.
    """

    along: float = 0.0
    beside: float = 0.0
    length: float = 0.0
    width: float = 0.0
    layer: float = 0.0
    layer_end: float = 0.0

    @property
    def middle(self) -> float:
        """Where its middle is, across the arrows."""
        return self.beside + self.width / 2


@dataclass(slots=True)
class Layout:
    """Places of boxes by key, and for each arrow the bends through which it goes, the earliest layer first."""

    boxes: dict[str, Placed] = field(default_factory=dict)
    trunks: dict[tuple[str, int], Placed] = field(default_factory=dict)
    bends: dict[Arrow, list[Placed]] = field(default_factory=dict)
    length: float = 0.0
    width: float = 0.0

    def placed(self, key: Key) -> Placed:
        """Where a box or bend is."""
        return self.boxes[key] if isinstance(key, str) else self.trunks[key]


def lay_out(picture: Picture, sizes: Mapping[str, tuple[float, float]], gap: float, layer_gap: float) -> Layout:
    """Place the boxes of a picture.

    Args:
        picture: what is drawn.
        sizes: of each box its extent along the arrows and across them.
        gap: between boxes of a layer.
        layer_gap: between layers.
    """
    layout = Layout()
    layer_of = layers_of(picture)
    lengths = [0.0] * (max(layer_of.values(), default=-1) + 1)
    for name, number in layer_of.items():
        lengths[number] = max(lengths[number], sizes[name][0])
    starts, at = [], 0.0
    for length in lengths:
        starts.append(at)
        at += length + layer_gap
    layout.length = max(at - layer_gap, 0.0)
    groups = list(groups_of(picture))
    parts = [picture] if picture.across or len(groups) < 2 else [only(picture, group) for group in groups]
    beside = 0.0
    for part in parts:
        links = Links(part, {box.key: layer_of[box.key] for box in part.boxes})
        links.arrange()
        layout.boxes.update({box.key: Placed() for box in part.boxes})
        layout.trunks.update({bend: Placed() for bends in links.bends.values() for bend in bends})
        layout.bends.update({arrow: [layout.trunks[bend] for bend in bends] for arrow, bends in links.bends.items()})
        for layer, start, length in zip(links.layers, starts, lengths, strict=False):
            for key in layer:
                placed = layout.placed(key)
                placed.length, placed.width = sizes[key] if isinstance(key, str) else (length, 0.0)
                placed.along = placed.layer = start
                placed.layer_end = start + length
        width = _align(links, layout, gap)
        for layer in links.layers:
            for key in layer:
                layout.placed(key).beside += beside
        beside += width + _GROUP_GAP
    # What leads from one group to another has no bends.
    layout.bends.update({arrow: [] for arrow in picture.arrows if arrow not in layout.bends})
    layout.width = max(beside - _GROUP_GAP, 0.0)
    return layout


def _align(links: Links, layout: Layout, gap: float) -> float:
    """Move each box towards the middle of its neighbours, as far as those beside it let it. Gives the width of all."""
    for layer in links.layers:
        beside = 0.0
        for key in layer:
            placed = layout.placed(key)
            placed.beside = beside
            beside += placed.width + gap
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        neighbours = links.before if downward else links.after
        for layer in links.layers if downward else reversed(links.layers):
            wanted, weights = [], []
            for key in layer:
                own = layout.placed(key)
                near = neighbours.get(key, ())
                wanted.append(mean([layout.placed(n).middle for n in near], own.middle) - own.width / 2)
                # Long arrows are to be straight.
                is_bend = not isinstance(key, str)
                weights.append(8.0 if is_bend and any([not isinstance(n, str) for n in near]) else 1.0)
            _spread([layout.placed(key) for key in layer], wanted, weights, gap)
    everything = [layout.placed(key) for layer in links.layers for key in layer]
    least = min((each.beside for each in everything), default=0.0)
    for each in everything:
        each.beside -= least
    return max((each.beside + each.width for each in everything), default=0.0)


def _spread(row: Sequence[Placed], wanted: Sequence[float], weights: Sequence[float], gap: float) -> None:
    """Give each of a row the place it wants, moved so that the order holds and none overlap: a least-squares fit.

    Neighbours that would overlap form a block, which stands at the mean of what its members want (pool adjacent violators).
    """
    blocks: list[tuple[float, float, list[tuple[Placed, float]]]] = []
    for each, want, own in zip(row, wanted, weights, strict=True):
        start, weight, members = want, own, [(each, 0.0)]
        while blocks:
            other_start, other_weight, others = blocks[-1]
            last, offset = others[-1]
            room = offset + last.width + (gap if last.width and members[0][0].width else max(gap / 2, _BEND_GAP))
            if other_start + room <= start:
                break
            blocks.pop()
            start = (other_start * other_weight + (start - room) * weight) / (other_weight + weight)
            members = [*others, *[(member, room + at) for member, at in members]]
            weight += other_weight
        blocks.append((start, weight, members))
    for start, _, members in blocks:
        for member, at in members:
            member.beside = start + at


def framed(picture: Picture, layout: Layout, margin: float) -> dict[str, tuple[float, float, float, float]]:
    """For each group the frame around its boxes and arrows: its place along and beside, its length and width."""
    frames: dict[str, tuple[float, float, float, float]] = {}
    group_of = {box.key: box.group for box in picture.boxes}
    placed = [(box.group, layout.boxes[box.key]) for box in picture.boxes]
    if not picture.across:
        # Groups share their layers, from the first to the last.
        placed += [(group, Placed(0.0, own.beside, layout.length, own.width)) for group, own in placed]
        placed += [(group_of[arrow.tail], bend) for arrow, bends in layout.bends.items() for bend in bends]
    for group, own in placed:
        if not group:
            continue
        a, b, c, d = (
            own.along - margin,
            own.beside - margin,
            own.along + own.length + margin,
            own.beside + own.width + margin,
        )
        held = frames.get(group, (a, b, c, d))
        frames[group] = (min(a, held[0]), min(b, held[1]), max(c, held[2]), max(d, held[3]))
    return {name: (a, b, c - a, d - b) for name, (a, b, c, d) in frames.items()}


__all__ = ["Layout", "Placed", "framed", "lay_out"]
