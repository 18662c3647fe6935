"""A picture as a person holds it: shown in notebooks, written to files, or read as text."""

from __future__ import annotations

import base64
from pathlib import Path

from lazyframe.boundary import public
from lazyframe.drawing.picture import Picture
from lazyframe.planner.errors import InvalidArgumentError, SinkError
from lazyframe.planner.nouns import counted


class Drawing:
    """A picture of a graph. A notebook shows it; elsewhere `save()` writes it.

    Example:
        >>> picture = lf.from_dict({"x": [1, 2]}).filter(lf.col("x") > 1).show_graph()
        >>> picture
        Drawing of 2 boxes and 1 arrow; save("graph.svg"), to_svg(), to_dot() or to_mermaid() give it away
        >>> picture.to_svg()[:4]
        '<svg'
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture

    def to_svg(self) -> str:
        """The picture as SVG, which browsers and editors show without another program."""
        from lazyframe.drawing.svg import to_svg

        return to_svg(self.picture)

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        from lazyframe.drawing.texts import to_dot

        return to_dot(self.picture)

    def to_mermaid(self) -> str:
        """The graph as a flowchart of Mermaid, which Markdown renderers show."""
        from lazyframe.drawing.texts import to_mermaid

        return to_mermaid(self.picture)

    @public
    def save(self, path: str | Path) -> None:
        """Write the picture to a file.

        Args:
            path: a name that ends in `.svg`, `.dot` or `.mmd` (Mermaid), which says how.

        Raises:
            InvalidArgumentError: where it ends in something else.
            SinkError: where the file cannot be written.
        """
        writers = {".svg": self.to_svg, ".dot": self.to_dot, ".mmd": self.to_mermaid}
        write = writers.get(Path(path).suffix)
        if write is None:
            raise InvalidArgumentError(
                f"a picture is not written to {str(path)!r}", hint="end the name in .svg, .dot or .mmd"
            )
        try:
            Path(path).write_text(write(), encoding="utf-8")
        except OSError as error:
            raise SinkError(f"{str(path)!r} cannot be written: {error.strerror}") from error

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        # As an image: notebooks that do not trust a page leave out SVG that stands in it.
        address = base64.b64encode(self.to_svg().encode()).decode()
        return f'<img class="lazyframe" alt="graph of {self._size()}" src="data:image/svg+xml;base64,{address}"/>'

    def _size(self) -> str:
        boxes, arrows = len(self.picture.boxes), len(self.picture.arrows)
        return f"{boxes:,} box{'' if boxes == 1 else 'es'} and {counted(arrows, 'arrow')}"

    def __repr__(self) -> str:
        return f'Drawing of {self._size()}; save("graph.svg"), to_svg(), to_dot() or to_mermaid() give it away'


__all__ = ["Drawing"]
