"""The cases of a suite as a picture: how many times longer each peer takes than we do, query by query.

It is SVG text with a style of its own, so that it can be read on a bright and on a dark page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from benchmarks.runner import OURS, Case

_ROW, _TOP, _LEFT, _WIDTH, _RIGHT = 22, 64, 300, 560, 40
_COLOURS = (
    ("#0072b2", "#56b4e9"), ("#c05000", "#f08a3c"), ("#00795a", "#2fc79b"), ("#a0468c", "#e08fc6"), ("#8a6d00", "#e0c040"),
    ("#666666", "#b0b0b0"), ("#3b3bb0", "#9a9aff"),
)  # fmt: skip
"""On bright and on dark ground, told apart by the colour-blind as well; the shape of the marks differs besides."""

_STYLE = """text { font: 13px system-ui, sans-serif; fill: #222; }
.line { stroke: #8884; } .even { stroke: #222; stroke-width: 1.5; }
.faint { fill: #666; }
"""
_DARK_STYLE = "text { fill: #ddd; } .even { stroke: #ddd; } .faint { fill: #aaa; }"


def chart(title: str, cases: Sequence[Case]) -> str:
    """The picture, as SVG.

    Args:
        title: above it.
        cases: a row each; all have times of ours.
    """
    peers = list(dict.fromkeys(who for case in cases for who in case.samples if who != OURS))
    ratios = {
        (index, who): case.median(who) / case.median(OURS)
        for index, case in enumerate(cases)
        for who in case.samples
        if who != OURS
    }
    least, most = _bounds(list(ratios.values()))

    def across(ratio: float) -> float:
        return _LEFT + _WIDTH * (math.log(ratio) - math.log(least)) / (math.log(most) - math.log(least))

    bottom = _TOP + _ROW * len(cases) + 4
    width, height = _LEFT + _WIDTH + _RIGHT, bottom + 44
    bright = "".join(f".p{place} {{ fill: {_colour(place)[0]}; }}\n" for place in range(len(peers)))
    dark = "".join(f".p{place} {{ fill: {_colour(place)[1]}; }} " for place in range(len(peers)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}{bright}@media (prefers-color-scheme: dark) {{ {_DARK_STYLE} {dark}}}</style>",
        f'<text x="12" y="22" font-weight="600">{escape(title)}</text>',
    ]
    for place, who in enumerate(peers):
        left = 20 + place * (width - 40) / max(len(peers), 5)
        parts += [_mark(place, left, 42), f'<text x="{left + 10:.0f}" y="46">{escape(who)}</text>']
    for ratio in _ticks(least, most):
        kind = "even" if ratio == 1 else "line"
        place = f"{across(ratio):.1f}"
        parts.append(f'<line class="{kind}" x1="{place}" x2="{place}" y1="{_TOP - 6}" y2="{bottom}"/>')
        parts.append(f'<text class="faint" x="{place}" y="{bottom + 16}" text-anchor="middle">{ratio:g}</text>')
    legend = f"times as long as {OURS}, which is at 1: marks to the right of the line are slower"
    parts.append(f'<text class="faint" x="{_LEFT + _WIDTH}" y="{bottom + 36}" text-anchor="end">{legend}</text>')
    for index, case in enumerate(cases):
        middle = _TOP + _ROW * index + _ROW / 2
        parts.append(f'<line class="line" x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{middle}" y2="{middle}"/>')
        name = escape(case.name if len(case.name) <= 42 else case.name[:41] + "…")
        parts.append(f'<text x="{_LEFT - 12}" y="{middle + 4}" text-anchor="end">{name}</text>')
        for place, who in enumerate(peers):
            if (index, who) in ratios:
                parts.append(_mark(place, across(ratios[index, who]), middle, f"{who}: {ratios[index, who]:.2f}"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _colour(place: int) -> tuple[str, str]:
    return _COLOURS[place % len(_COLOURS)]


def _bounds(ratios: Sequence[float]) -> tuple[float, float]:
    """Both in the series 1, 2, 5, 10, around all ratios and 1."""
    steps = [digit * 10.0**power for power in range(-4, 5) for digit in (1, 2, 5)]
    least = max(step for step in steps if step <= min([*ratios, 0.5]))
    return least, min(step for step in steps if step >= max([*ratios, 2]))


def _ticks(least: float, most: float) -> list[float]:
    steps = [float(f"{digit}e{power}") for power in range(-4, 5) for digit in (1, 2, 5)]
    return [step for step in steps if least * 0.999 <= step <= most * 1.001]


def _mark(place: int, x: float, y: float, title: str = "") -> str:
    shapes = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"',
        f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9"',
        f'<path d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"',
        f'<path d="M{x:.1f} {y - 6:.1f}l6 10h-12z"',
        f'<path d="M{x:.1f} {y + 6:.1f}l6 -10h-12z"',
    )
    shape = f'{shapes[place % len(shapes)]} class="p{place}"'
    return f"{shape}><title>{escape(title)}</title></{shape[1 : shape.index(' ')]}>" if title else f"{shape}/>"
