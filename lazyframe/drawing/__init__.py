"""Pictures of graphs: as SVG, which needs no other program, and as text for Graphviz and Mermaid."""

from lazyframe.drawing.drawing import Drawing
from lazyframe.drawing.picture import Arrow, Box, Picture

__all__ = ["Arrow", "Box", "Drawing", "Picture"]
