"""Questions about all rows of a table that its metadata answers."""

from __future__ import annotations

from lazyframe.planner.relations import Aggregate, Plan, Project, Scan
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import AggregateCall, Column, Scalar
from lazyframe.planner.sources import Question


@rule(Aggregate, over=(Scan, Project))
def answer_from_metadata(plan: Aggregate) -> Plan | None:
    """Aggregate len(), count(x), min(x), max(x) (Scan)  =>  Scan of the one row in which the source answers.

    Sound: a footer says how many rows a file has and, of columns that have them written down exactly, how many nulls and
    which the least and greatest values are. Between them may stand a projection, of columns that are plain columns. The
    source looks at its files again when the row is read, and reads them where their metadata no longer says it, so that a
    plan that is kept is right for files that were replaced.

    Not min and max of floats, from whose bounds NaN is left out, nor of texts, whose bounds may be cut short. Not below a
    predicate or a limit, nor by keys, nor of distinct values.
    """
    if plan.keys:
        return None
    below, names = plan.input, None
    if isinstance(below, Project):
        below, names = below.input, below.bindings
    if not isinstance(below, Scan) or below.predicate is not None or below.limit is not None:
        return None
    ask = getattr(below.source, "summary", None)
    if ask is None:
        return None
    questions = []
    for _, aggregate in plan.aggregates:
        question = _question(aggregate)
        if question is None:
            return None
        if names is not None and question.column is not None:
            column = names[question.column]
            if not isinstance(column, Column):
                return None
            question = question._replace(column=column.name)
        questions.append(question)
    source = ask(tuple(questions), plan.schema)
    return None if source is None else scan(source)


def _question(aggregate: Scalar) -> Question | None:
    match aggregate:
        case AggregateCall(function="len", args=(), where=None, distinct=False, options=()):
            return Question("len", None)
        case AggregateCall(
            function="count" | "min" | "max" as function, args=(Column(name=name),), where=None, options=()
        ):
            # Of the distinct values the least is the same, and how many there are is not.
            return None if aggregate.distinct and function == "count" else Question(function, name)
    return None
