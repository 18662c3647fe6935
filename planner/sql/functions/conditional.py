"""SQL's choices between values, written as functions. CASE and if() stand with the predicates."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.bind import call, choice
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar, null_of
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.functions.arguments import arguments
from lazyframe.planner.types import NULL


def chosen(e: Expressions, conditions: list[Scalar], results: list[exp.Expression | Scalar]) -> Scalar:
    """The result of the first condition that is true, else the last one; constants take the type of the others."""
    written = [e.written_constant(part) if isinstance(part, exp.Expression) else None for part in results]
    values: list[Scalar] = []
    for part, found in zip(results, written, strict=True):
        if isinstance(part, Scalar):
            values.append(part)
        else:
            values.append(literal(found.value) if found is not None else e.bind(part))
    return choice(conditions, written, values)


def guarded(subject: Scalar, value: Scalar) -> Scalar:
    """`value`, null where `subject` is."""
    if not subject.nullable:
        return value
    return choice([call("is_null", subject)], [None, None], [null_of(value.dtype), value])


def _null_if(e: Expressions, tree: exp.Nullif) -> Scalar:
    e.only(tree, "this", "expression")
    equal = e.apply("equal", tree.this, tree.expression)
    return chosen(e, [equal], [null_of(NULL), e.bind(tree.this)])


def _if_not_null(e: Expressions, tree: exp.Nvl2) -> Scalar:
    e.only(tree, "this", "true", "false")
    otherwise = tree.args.get("false") or null_of(NULL)
    return chosen(e, [call("is_not_null", e.bind(tree.this))], [tree.args["true"], otherwise])


def _coalesce(e: Expressions, tree: exp.Coalesce) -> Scalar:
    e.only(tree, "this", "expressions", "is_nvl", "is_null")
    return e.apply("coalesce", tree.this, *tree.expressions)


def _extreme(function: str) -> Handler:
    """Nulls among the arguments are left out; in dialects that say so, one makes all null."""

    def bind(e: Expressions, tree: exp.Func) -> Scalar:
        e.only(tree, "this", "expressions", "ignore_nulls")
        found = e.apply(function, tree.this, *tree.expressions)
        if tree.args.get("ignore_nulls"):
            return found
        for part in (tree.this, *tree.expressions):
            found = guarded(e.bind(part), found)
        return found

    return bind


def _iff(e: Expressions, tree: exp.Anonymous) -> Scalar:
    condition, *results = arguments(tree, 3)
    return chosen(e, [e.predicate(condition, "iff()")], list(results))


def _decode(e: Expressions, tree: exp.DecodeCase) -> Scalar:
    """`decode(x, a, r, b, s, otherwise)`, in which null finds null."""
    subject, *rest = tree.expressions
    if len(rest) < 2:
        raise InvalidArgumentError("decode() takes a value, pairs of a value and a result, and perhaps a default")
    pairs = [(rest[i], rest[i + 1]) for i in range(0, len(rest) - 1, 2)]
    otherwise = rest[-1] if len(rest) % 2 else null_of(NULL)
    conditions = [e.apply("equal_missing", subject, each) for each, _ in pairs]
    return chosen(e, conditions, [*[result for _, result in pairs], otherwise])


def _constant_or_null(e: Expressions, tree: exp.Anonymous) -> Scalar:
    if len(tree.expressions) < 2:
        raise InvalidArgumentError("constant_or_null() takes a value, and others that make it null")
    value, *others = [e.bind(part) for part in tree.expressions]
    for other in others:
        value = guarded(other, value)
    return value


FORMS: dict[type | str, Handler] = {
    exp.Coalesce: _coalesce,
    exp.DecodeCase: _decode,
    exp.Greatest: _extreme("greatest"),
    exp.Least: _extreme("least"),
    exp.Nullif: _null_if,
    exp.Nvl2: _if_not_null,
    "constant_or_null": _constant_or_null,
    "iff": _iff,
}

__all__ = ["FORMS", "chosen", "guarded"]
