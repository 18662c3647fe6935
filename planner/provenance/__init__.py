"""Which rows of the sources a row of a result was made of."""

from lazyframe.planner.provenance.annotated import annotate
from lazyframe.planner.provenance.marks import Annotated, Mark, SourceRows, Target

__all__ = ["Annotated", "Mark", "SourceRows", "Target", "annotate"]
