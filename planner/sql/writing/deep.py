"""Expressions that nest too deeply for one SELECT are computed in several, one above the other."""

from __future__ import annotations

from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Filter, Plan, Project
from lazyframe.planner.relations.project import choose, column
from lazyframe.planner.scalars import Column, Scalar, SortKey
from lazyframe.planner.sql.writing.select import MAX_HEIGHT, height, step_of_height


def divided(plan: Plan) -> list[Plan]:
    """The node, or a chain of nodes that gives the same, lowest first, where its expressions nest too deeply."""
    scalars = plan.scalars()
    if not isinstance(plan, (Filter, Project)):
        return [plan]
    repeated = _repeated(scalars)
    if not repeated and all([height(scalar) <= MAX_HEIGHT for scalar in scalars]):
        return [plan]
    layers, shallow = _cut(scalars, repeated)
    chain: list[Plan] = []
    below, kept = plan.input, list(plan.input.schema)
    last_use = _last_uses(layers, shallow)
    temporary: list[Column] = []
    for index, layer in enumerate(layers):
        passing = [t for t in temporary if last_use.get(t.name, -1) >= index]
        exprs = [(f.name, column(plan.input.schema, f.name)) for f in kept]
        exprs += [(t.name, t) for t in passing]
        below = Project(below, (*exprs, *layer))
        chain.append(below)
        temporary = [t for t in passing if last_use.get(t.name, -1) > index]
        temporary += [Column(name, s.dtype, s.nullable) for name, s in layer]
    supply = iter(shallow)
    if isinstance(plan, Filter):
        chain.append(Filter(below, next(supply)))
        chain.append(choose(chain[-1], plan.schema.names))
    else:
        chain.append(Project(below, tuple([(name, next(supply)) for name, _ in plan.exprs])))
    return chain


_LONG = 64
"""From how many nodes on a part that stands in several places is computed before."""


def _repeated(scalars: tuple[Scalar, ...]) -> set[int]:
    """The parts, by their `id`, that stand in several places and are long."""
    lengths: dict[int, int] = {}
    places: dict[int, int] = {}
    for root in scalars:
        for node in postorder(root):
            if id(node) in lengths:
                continue
            length = 1
            for child in node.children():
                places[id(child)] = places.get(id(child), 0) + 1
                length += 1 if places[id(child)] > 1 and lengths[id(child)] >= _LONG else lengths[id(child)]
            lengths[id(node)] = length
    return {found for found, count in places.items() if count > 1 and lengths[found] >= _LONG}


def _cut(scalars: tuple[Scalar, ...], repeated: set[int]) -> tuple[list[list[tuple[str, Scalar]]], list[Scalar]]:
    """Layers of named parts, each over those before it, and the expressions over all of them."""
    made: dict[int, tuple[Scalar, int, int]] = {}
    layers: list[list[tuple[str, Scalar]]] = []
    number = 0
    for root in scalars:
        for node in postorder(root):
            if id(node) in made:
                continue
            children = [made[id(child)] for child in node.children()]
            rebuilt = node.with_children([child for child, _, _ in children])
            layer = max([layer for _, _, layer in children], default=0)
            below = zip(node.children(), [depth for _, depth, _ in children], strict=True)
            deep = step_of_height(node, below)
            if (
                (deep >= MAX_HEIGHT // 2 or id(node) in repeated)
                and node is not root
                and not isinstance(node, SortKey)
                and not node.holds_aggregate
            ):
                number += 1
                name = f"part_{number}"
                if layer == len(layers):
                    layers.append([])
                layers[layer].append((name, rebuilt))
                made[id(node)] = Column(name, node.dtype, node.nullable), 1, layer + 1
            else:
                made[id(node)] = rebuilt, deep, layer
    return layers, [made[id(root)][0] for root in scalars]


def _last_uses(layers: list[list[tuple[str, Scalar]]], shallow: list[Scalar]) -> dict[str, int]:
    """The last layer that uses each name; what stands above all layers is one more."""
    found: dict[str, int] = {}
    for index, scalars in enumerate([*[[s for _, s in layer] for layer in layers], shallow]):
        for scalar in scalars:
            for name in scalar.columns:
                found[name] = index
    return found
