"""Errors name the file and the line that the user wrote, with the expression underlined, and show one frame of ours at most."""

from __future__ import annotations

import inspect
import linecache
import pickle
import re
import textwrap
import traceback
from pathlib import Path

import pytest

import lazyframe as lf
from lazyframe import col

HERE = Path(__file__).name
PACKAGES = [
    Path(inspect.getfile(lf)).parent,
    *(Path(inspect.getfile(lf)).parent.parent / p for p in ("planner", "executors")),
]
FRAME = lf.from_dict({"origin": ["JFK", "LGA"], "dep_delay": [2, None], "distance": [10, 20]})


def located(error: lf.errors.LazyFrameError) -> tuple[int, str]:
    """The line that a message names in this file, and the text that it underlines."""
    text = str(error)
    found = re.search(rf'  File ".*{re.escape(HERE)}", line (\d+)(?:, in \S+)?\n    (.*)\n    ( *)(\^+)', text)
    assert found, text
    start = len(found[3])
    return int(found[1]), found[2][start : start + len(found[4])]


def line_of(marker: str) -> int:
    """The line of this file that ends with a comment."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [n for n, line in enumerate(lines, 1) if line.endswith(f"# {marker}")]
    return number


def ours(error: BaseException) -> list[str]:
    """Our own frames in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f.name for f in frames if any(Path(f.filename).is_relative_to(p) for p in PACKAGES)]


def check(error: lf.errors.LazyFrameError, marker: str, underlined: str) -> None:
    assert located(error) == (line_of(marker), underlined)
    assert len(ours(error)) <= 1, ours(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert FRAME.count() == 2


def test_the_verb_of_a_name_in_a_chain_over_several_lines():
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        (
            FRAME
            .filter(col("distance") > 1)
            .select("origin", "dep_dely")  # chained verb
            .head(2)
        )  # fmt: skip
    error = caught.value
    assert error.message == "no column named 'dep_dely'"
    assert error.hint == "did you mean 'dep_delay'?"
    check(error, "chained verb", 'select("origin", "dep_dely")')


def test_the_expression_of_a_name_rather_than_the_verb():
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        FRAME.with_columns(
            a=col("distance") * 2,
            b=col("distanc") + 1,  # expression in a verb
        )
    check(caught.value, "expression in a verb", 'col("distanc")')


def test_an_expression_written_before_the_verb():
    delay = col("dep_dlay").fill_null(0)  # written before
    doubled = delay * 2
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        FRAME.select(doubled)
    check(caught.value, "written before", 'col("dep_dlay")')


def test_an_operator_whose_types_do_not_fit():
    with pytest.raises(lf.errors.TypeMismatchError) as caught:
        FRAME.filter((col("distance") > 1) & (col("origin") * 2 == 4))  # types
    check(caught.value, "types", 'col("origin") * 2')


def test_in_a_function_a_lambda_and_a_comprehension():
    def build():
        return FRAME.sort("orign")  # in a function

    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        build()
    check(caught.value, "in a function", 'FRAME.sort("orign")')
    assert ", in build" in str(caught.value)
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        FRAME.pipe(lambda f: f.drop("orign"))  # in a lambda
    check(caught.value, "in a lambda", 'f.drop("orign")')
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        FRAME.select([col(n).max() for n in ("distance", "distans")])  # in a comprehension
    check(caught.value, "in a comprehension", "col(n)")


def test_text_that_is_not_ascii_is_underlined_where_it_stands():
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        FRAME.filter(col("origin") == "Zürich–Kloten", col("größe") > 1)  # not ascii
    check(caught.value, "not ascii", 'col("größe")')


def test_code_of_a_notebook_cell_is_found_by_its_lines():
    source = textwrap.dedent(
        """
        import lazyframe as lf
        frame = lf.from_dict({"x": [1]})
        result = frame.select(
            lf.col("y"),
        )
        """
    )
    name = "<ipython-input-7>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
            exec(compile(source, name, "exec"), {"__name__": "__main__"})
        text = str(caught.value)
    finally:
        del linecache.cache[name]
    assert f'  File "{name}", line 5\n    lf.col("y"),\n    ^^^^^^^^^^^' in text


def test_code_without_source_still_has_a_line():
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        exec("import lazyframe as lf\n\nlf.from_dict({'x': [1]}).select('y')", {"__name__": "__main__"})
    assert str(caught.value).endswith('  File "<string>", line 3')


# What is found only when a query runs, in whatever thread.


FAILING = {
    "division": lambda: lf.from_dict({"x": [1, 0]}).select(y=1 // col("x")),  # division
    "overflow": lambda: lf.from_dict({"x": [2**63 - 1]}).select(col("x") + 1),  # overflow
    "cast": lambda: FRAME.with_columns(n=col("origin").cast(int)),  # cast
    "filter": lambda: FRAME.filter(col("origin").cast(int) > 1),  # filter
    "sort": lambda: FRAME.sort(col("origin").cast(int)),  # sort
    "group": lambda: FRAME.group_by(col("origin").cast(int)).len(),  # group
    "sum": lambda: lf.from_dict({"x": [2**63 - 1, 1]}).select(col("x").sum()),  # sum
    "join": lambda: FRAME.join(FRAME, on=col("origin").cast(int) < col("distance_right")),  # join
    "verb": lambda: FRAME.cast({"origin": int}),  # verb
}
UNDERLINED = {
    "division": '1 // col("x")', "overflow": 'col("x") + 1', "cast": 'col("origin").cast(int)', "filter": 'col("origin").cast(int)',
    "sort": 'col("origin").cast(int)', "group": 'col("origin").cast(int)', "sum": 'col("x").sum()', "join": 'col("origin").cast(int)',
    "verb": 'FRAME.cast({"origin": int})',
}  # fmt: skip


@pytest.mark.parametrize("action", ["collect", "count rows", "batches", "submit", "arrow", "sink", "explain"])
@pytest.mark.parametrize("kind", list(FAILING))
def test_errors_of_a_run_name_the_line_that_computes(kind, action, tmp_path):
    query = FAILING[kind]()
    with lf.config(threads=2), pytest.raises(lf.errors.EvaluationError) as caught:  # noqa: PT012
        match action:
            case "collect":
                query.collect()
            case "count rows":
                query.tail(1).to_dicts()
            case "batches":
                list(query.collect_batches())
            case "submit":
                query.submit().result()
            case "arrow":
                query.to_arrow()
            case "sink":
                query.sink_parquet(tmp_path / "out.parquet")
            case "explain":
                query.explain(analyze=True)
    check(caught.value, kind, UNDERLINED[kind])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["division", "cast", "filter", "sort", "verb"])
@pytest.mark.parametrize("threads", [1, 2])
def test_errors_from_worker_threads(kind, threads, in_parts):
    origins = ["1"] * 30 + ["JFK"] + ["2"] * 30
    frame = in_parts({"origin": origins, "x": [1] * 30 + [0] + [1] * 30})
    query = {
        "division": lambda: frame.select(1 // col("x")),  # threaded division
        "cast": lambda: frame.select(col("origin").cast(int)),  # threaded cast
        "filter": lambda: frame.filter(col("origin").cast(int) > 1),  # threaded filter
        "sort": lambda: frame.sort(col("origin").cast(int)),  # threaded sort
        "verb": lambda: frame.cast({"origin": int}),  # threaded verb
    }[kind]()
    with lf.config(threads=threads), pytest.raises(lf.errors.EvaluationError) as caught:
        query.collect()
    assert located(caught.value)[0] == line_of(f"threaded {kind}")
    assert len(ours(caught.value)) <= 1
    assert frame.head(3).count() == 3


def test_the_first_error_in_row_order_is_the_one_that_is_raised(in_parts):
    frame = in_parts({"s": [str(n) for n in range(20)] + ["first"] + ["1"] * 5 + ["second"] * 10})
    for _ in range(10):
        with lf.config(threads=3), pytest.raises(lf.errors.EvaluationError, match="'first'"):
            frame.select(col("s").cast(int)).collect()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_error_in_rows_that_nobody_asks_for_is_not_raised(in_parts, threads):
    frame = in_parts({"s": ["1", "2", "3", "4", "five", "six", "seven"]}).select(col("s").cast(int))
    with lf.config(threads=threads):
        for _ in range(20):
            assert frame.head(4).to_dict() == {"s": [1, 2, 3, 4]}
            assert frame.head(1).to_dict() == {"s": [1]}
            assert frame.head(0).to_dict() == {"s": []}


def test_branches_that_are_not_taken_are_not_evaluated(answer):
    frame = lf.from_dict({"x": [6, 7], "d": [0, 2], "s": ["a", "5"]})
    guarded = lf.when(col("d") != 0).then(col("x") // col("d")).otherwise(-1)
    assert answer(frame.select(guarded.alias("q"))) == {"q": [-1, 3]}
    parsed = lf.when(col("s") != "a").then(col("s").cast(int))
    assert answer(frame.select(parsed)) == {"s": [None, 5]}
    assert answer(frame.filter(col("s") != "a").select(col("s").cast(int))) == {"s": [5]}
    assert answer(frame.select(n=(col("x") // col("d")).sum().filter(col("d") != 0))) == {"n": [3]}


def test_a_users_function_names_the_line_of_its_verb(in_parts):
    def broken(table):
        raise RuntimeError("no")

    for streaming in (True, False):
        with pytest.raises(lf.errors.UserFunctionError, match="broken raised RuntimeError: no") as caught:
            in_parts({"x": [1, 2]}).map_batches(broken, streaming=streaming).collect()  # function
        assert located(caught.value)[0] == line_of("function")
        assert len(ours(caught.value)) <= 1


def test_an_error_of_a_join_that_is_found_when_it_runs():
    with pytest.raises(lf.errors.InvalidArgumentError) as caught:  # noqa: PT012
        query = lf.concat([FRAME, FRAME]).join(FRAME, on="origin", validate="1:1")  # validate
        query.collect()
    check(caught.value, "validate", 'lf.concat([FRAME, FRAME]).join(FRAME, on="origin", validate="1:1")')


@pytest.mark.parametrize(
    "kind", ["ColumnNotFoundError", "SourceNotFoundError", "SinkError", "QueryCancelledError", "DuplicateColumnError"]
)
def test_errors_travel_to_other_processes(kind):
    error = getattr(lf.errors, kind)("what", hint="do")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.hint, str(again)) == (type(error), "what", "do", "what\ndo")
    assert str(pickle.loads(pickle.dumps(again))) == str(error)
    assert isinstance(error, lf.errors.LazyFrameError)


def test_errors_are_those_of_python_too():
    for kind, base in [
        ("ColumnNotFoundError", KeyError), ("TypeMismatchError", TypeError), ("InvalidArgumentError", ValueError),
        ("EvaluationError", ArithmeticError), ("SourceNotFoundError", FileNotFoundError), ("SinkError", OSError),
        ("LazyValueError", TypeError), ("DuplicateColumnError", ValueError),
    ]:  # fmt: skip
        assert issubclass(getattr(lf.errors, kind), base)
