"""SQL's functions of vectors, which are lists of numbers."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.functions.arguments import arguments, plain


def _cosine_distance(e: Expressions, tree: exp.Expression) -> Scalar:
    left, right = arguments(tree, 2) if isinstance(tree, exp.Anonymous) else (tree.this, tree.expression)
    return call("subtract", literal(1.0), e.apply("list_cosine_similarity", left, right))


def _negative_product(e: Expressions, tree: exp.Anonymous) -> Scalar:
    return call("negate", e.apply("list_inner_product", *arguments(tree, 2)))


FORMS: dict[type | str, Handler] = {
    exp.CosineDistance: _cosine_distance,
    exp.EuclideanDistance: plain("list_distance", "this", "expression"),
    "array_cosine_distance": _cosine_distance,
    "list_cosine_distance": _cosine_distance,
    **dict.fromkeys(
        ("list_negative_inner_product", "list_negative_dot_product", "array_negative_inner_product", "array_negative_dot_product"),
        _negative_product,
    ),
}  # fmt: skip

__all__ = ["FORMS"]
