"""How results look: tables in terminals, tables in notebooks, schemas of queries that have not run."""

from lazyframe.display.html import render_html
from lazyframe.display.schema import render_schema_html, render_schema_text
from lazyframe.display.text import render_text
from lazyframe.planner.types import type_name

__all__ = ["render_html", "render_schema_html", "render_schema_text", "render_text", "type_name"]
