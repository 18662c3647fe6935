"""Layers of a graph: which box stands in which, and in what order.

A box's layer is the longest way to it. Arrows over several layers get a bend in each, which all that leave one box share, as the
branches of a tree their trunk. Layers are ordered by the mean place of their neighbours, down and up, and the order with the
fewest crossings is kept (Sugiyama, Tagawa and Toda 1981).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from lazyframe.drawing.picture import ALONG, BACK, BESIDE, Arrow, Picture

Key = str | tuple[str, int]
"""A box; or, of a box and a later layer, where its arrows bend in it."""

_SWEEPS = 12


def ends(arrow: Arrow) -> tuple[str, str]:
    """The boxes of an arrow, the one in the earlier layer first."""
    return (arrow.head, arrow.tail) if arrow.way == BACK else (arrow.tail, arrow.head)


def layers_of(picture: Picture) -> dict[str, int]:
    """The layer of each box: the longest way to it, and for those that nothing leads to, just before their first reader."""
    above: dict[str, list[str]] = {box.key: [] for box in picture.boxes}
    below: dict[str, list[str]] = {box.key: [] for box in picture.boxes}
    for arrow in picture.arrows:
        if arrow.way == ALONG:
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
    for box in picture.boxes:
        if box.level_with:
            layers[box.key] = layers[box.level_with]
        elif box.group and not above[box.key] and not below[box.key]:
            layers[box.key] = of_group[box.group]
    return layers


class Links:
    """The boxes and bends of each layer, and how they are joined."""

    def __init__(self, picture: Picture, layer_of: Mapping[str, int]) -> None:
        self.layers: list[list[Key]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
        self.group_of: dict[Key, str] = {}
        self.before: dict[Key, list[Key]] = {}
        self.after: dict[Key, list[Key]] = {}
        self.bends: dict[Arrow, list[tuple[str, int]]] = {}
        for box in picture.boxes:
            self._put(layer_of[box.key], box.key, box.group)
        linked: set[tuple[Key, Key]] = set()
        for arrow in dict.fromkeys(picture.arrows):
            if arrow.way == BESIDE:
                self.bends[arrow] = []
                continue
            upper, lower = ends(arrow)
            bends = self.bends[arrow] = [(upper, layer) for layer in range(layer_of[upper] + 1, layer_of[lower])]
            for bend in bends:
                if bend not in self.group_of:
                    self._put(bend[1], bend, self.group_of[upper])
            way: list[Key] = [upper, *bends, lower]
            for pair in pairwise(way):
                if pair not in linked:
                    linked.add(pair)
                    self.after.setdefault(pair[0], []).append(pair[1])
                    self.before.setdefault(pair[1], []).append(pair[0])

    def _put(self, layer: int, key: Key, group: str) -> None:
        self.layers[layer].append(key)
        self.group_of[key] = group

    def arrange(self) -> None:
        """Order the layers so that few arrows cross; the boxes of a group stay together."""
        groups = {name: number for number, name in enumerate(dict.fromkeys(self.group_of.values()))}
        best, fewest = [list(layer) for layer in self.layers], -1
        for sweep in range(_SWEEPS):
            downward = sweep % 2 == 0
            neighbours = self.before if downward else self.after
            place = {key: number / max(len(layer), 1) for layer in self.layers for number, key in enumerate(layer)}
            for layer in self.layers if downward else reversed(self.layers):
                wanted = {key: mean([place[n] for n in neighbours.get(key, ())], place[key]) for key in layer}
                layer.sort(key=lambda key, wanted=wanted: (groups[self.group_of[key]], wanted[key]))  # type: ignore[misc]
                place.update({key: number / len(layer) for number, key in enumerate(layer)})
            crossings = self._crossings()
            if fewest < 0 or crossings < fewest:
                best, fewest = [list(layer) for layer in self.layers], crossings
            if fewest == 0 and sweep:
                break
        self.layers = best

    def _crossings(self) -> int:
        count = 0
        for upper, lower in pairwise(self.layers):
            at = {key: number for number, key in enumerate(lower)}
            seen: list[int] = []
            for key in upper:
                found = sorted([at[other] for other in self.after.get(key, ())])
                count += sum([len(seen) - bisect_right(seen, place) for place in found])
                for place in found:
                    insort(seen, place)
        return count


def mean(values: Sequence[float], otherwise: float) -> float:
    """The mean of some values, or what stands for that of none."""
    return sum(values) / len(values) if values else otherwise


def only(picture: Picture, group: str) -> Picture:
    """The part of a picture that lies in one group."""
    keys = {box.key for box in picture.boxes if box.group == group}
    return Picture(
        tuple([box for box in picture.boxes if box.key in keys]),
        tuple([arrow for arrow in picture.arrows if arrow.tail in keys and arrow.head in keys]),
        picture.across,
    )


def groups_of(picture: Picture) -> Iterable[str]:
    """The names of the groups, in their order."""
    return dict.fromkeys([box.group for box in picture.boxes])


__all__ = ["Key", "Links", "ends", "groups_of", "layers_of", "mean", "only"]
