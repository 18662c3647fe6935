"""A picture as a text that other programs draw: Graphviz's DOT and Mermaid's flowcharts."""

from __future__ import annotations

from lazyframe.display.escaping import visible
from lazyframe.drawing.layers import ends
from lazyframe.drawing.picture import ALONG, BACK, BESIDE, STROKES, STYLES, Box, Picture

_MERMAID_ESCAPES = {ord(c): f"#{ord(c)};" for c in '"#&<>[]{}()|`\\;'}


def to_dot(picture: Picture) -> str:
    """The graph in the language of Graphviz: `dot -Tpng` draws it."""
    names = _names(picture)
    lines = [
        "digraph {",
        f"    rankdir={'LR' if picture.across else 'TB'}",
        '    node [shape=box, style="rounded,filled", fontname=monospace, fontsize=10]',
    ]
    for number, (group, boxes) in enumerate(_groups(picture).items()):
        indent = "    "
        if group:
            lines += [f"    subgraph cluster_{number} {{", f"        label={_quoted([group])}"]
            indent = "        "
        for box in boxes:
            style = STYLES[box.kind]
            label = _quoted(box.lines)
            lines.append(f'{indent}{names[box.key]} [label={label}, fillcolor="{style.fill}", color="{style.stroke}"]')
        if group:
            lines.append("    }")
    for arrow in dict.fromkeys(picture.arrows):
        stroke = STROKES[arrow.kind]
        dashes = ", style=dashed" if stroke.dashes else ""
        # What goes back is drawn back, so that both directions have the same ranks.
        way = {ALONG: "", BACK: ", dir=back", BESIDE: ", constraint=false"}[arrow.way]
        tail, head = ends(arrow)
        lines.append(f'    {names[tail]} -> {names[head]} [color="{stroke.color}"{dashes}{way}]')
    return "\n".join([*lines, "}"])


def to_mermaid(picture: Picture) -> str:
    """The graph as a flowchart of Mermaid."""
    names = _names(picture)
    lines = [f"flowchart {'LR' if picture.across else 'TB'}"]
    for number, (group, boxes) in enumerate(_groups(picture).items()):
        indent = "    "
        if group:
            lines.append(f'    subgraph g{number}["{_in_mermaid(group)}"]')
            indent = "        "
        for box in boxes:
            text = "<br/>".join([_in_mermaid(line) for line in box.lines])
            lines.append(f'{indent}{names[box.key]}["{text}"]:::{box.kind}')
        if group:
            lines.append("    end")
    arrows = list(dict.fromkeys(picture.arrows))
    for arrow in arrows:
        sign = "-.->" if STROKES[arrow.kind].dashes else "-->"
        lines.append(f"    {names[arrow.tail]} {sign} {names[arrow.head]}")
    for number, arrow in enumerate(arrows):
        if arrow.kind != "data":
            lines.append(f"    linkStyle {number} stroke:{STROKES[arrow.kind].color}")
    kinds = dict.fromkeys(box.kind for box in picture.boxes)
    looks = [f"    classDef {kind} fill:{STYLES[kind].fill},stroke:{STYLES[kind].stroke}" for kind in kinds]
    return "\n".join([*lines, *looks])


def _names(picture: Picture) -> dict[str, str]:
    return {box.key: f"n{number}" for number, box in enumerate(picture.boxes)}


def _groups(picture: Picture) -> dict[str, list[Box]]:
    groups: dict[str, list[Box]] = {}
    for box in picture.boxes:
        groups.setdefault(box.group, []).append(box)
    return groups


def _quoted(lines: tuple[str, ...] | list[str]) -> str:
    escaped = [visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    # Each line ends in what says that it begins at the left.
    return '"' + "".join([f"{line}\\l" for line in escaped]) + '"' if len(escaped) > 1 else f'"{escaped[0]}"'


def _in_mermaid(text: str) -> str:
    return visible(text).translate(_MERMAID_ESCAPES)


__all__ = ["to_dot", "to_mermaid"]
