"""SQL's functions of vectors, of lists side by side, of paths and of sizes. The values are those of DuckDB 2, where it has them."""

import math

import pytest

import lazyframe as lf
from tests.planner.sql.expressions import value_of

VALUES = [
    ("list_inner_product([1, 2], [2, 1])", 4.0),
    ("list_dot_product([1.5, 2], [2, 1])", 5.0),
    ("array_inner_product([], [])", 0.0),
    ("list_negative_inner_product([1, 2], [2, 1])", -4.0),
    ("list_cosine_similarity([1, 2], [2, 1])", 0.8),
    ("list_cosine_similarity([], [])", None),
    ("list_cosine_distance([1, 0], [0, 3])", 1.0),
    ("list_distance([0, 0], [3, 4])", 5.0),
    ("array_distance([1], null)", None),
    ("list_zip([1, 2], ['a'])", [{"c0": 1, "c1": "a"}, {"c0": 2, "c1": None}]),
    ("list_zip([1, 2], ['a'], true)", [{"c0": 1, "c1": "a"}]),
    ("list_zip([1], null)", [{"c0": 1, "c1": None}]),
    ("list_grade_up([3, 1, 2, null])", [2, 3, 1, 4]),
    ("list_grade_up([3, 1, null], 'DESC')", [1, 2, 3]),
    ("list_grade_up([3, 1, null], 'DESC', 'NULLS FIRST')", [3, 1, 2]),
    ("list_grade_up(null)", None),
    ("array_unique([1, 1, null, 2])", 2),
    ("list_aggregate(['a', 'b'], 'string_agg', '-')", "a-b"),
    ("list_kurtosis_pop([1, 1, 3, 3])", -2.0),
    ("list_entropy([1, 2])", 1.0),
    ("list_approx_count_distinct([1, 2, 2])", 2),
    ("struct_update({'a': 1, 'b': 2}, a := 'x')", {"a": "x", "b": 2}),
    ("struct_values({'a': 1, 'b': 'x'})", {"c0": 1, "c1": "x"}),
    ("struct_values(null::struct(a int))", None),
    ("map {'a': 1}.a", 1),
    ("map {'a': 1}.b", None),
    ("format_bytes(0)", "0 bytes"),
    ("format_bytes(1)", "1 byte"),
    ("format_bytes(1023)", "1023 bytes"),
    ("format_bytes(1024)", "1.0 KiB"),
    ("format_bytes(-1500)", "-1.4 KiB"),
    ("format_bytes(1048575)", "1023.9 KiB"),
    ("format_bytes(9223372036854775807)", "8191.9 PiB"),
    ("format_bytes(null)", None),
    ("formatReadableDecimalSize(999)", "999 bytes"),
    ("formatReadableDecimalSize(999999)", "999.9 kB"),
    ("parse_filename('/a/b/c.txt')", "c.txt"),
    ("parse_filename('/a/b/c.tar.gz', true)", "c.tar"),
    (r"parse_filename('a\b/c.txt', 'backslash')", "b/c.txt"),
    ("parse_filename('a/b/')", ""),
    ("parse_filename('.bashrc', true)", ""),
    ("parse_path('/a/b/c.txt')", ["/", "a", "b", "c.txt"]),
    (r"parse_path('a\b//c')", ["a", "b", "c"]),
    ("parse_path('')", []),
    ("parse_dirname('/a/b/c.txt')", "/"),
    ("parse_dirname('a/b/c.txt')", "a"),
    ("parse_dirname('c.txt')", ""),
    ("parse_dirpath('/a/b/c.txt')", "/a/b"),
    ("parse_dirpath('c.txt')", ""),
    ("parse_dirpath('a//b')", "a/"),
    ("parse_dirpath(null)", None),
    ("'hello'[-2:]", "lo"),
    ("'hello'[-3:-2]", "ll"),
    ("'hello'[-9:2]", "he"),
    ("'hello'[-2:1]", ""),
    ("'hello'[2:-9]", ""),
    ("'hello'[null:2]", None),
    (r"regexp_extract('2024-05', '(\d+)-(\d+)', ['y', 'm'])", {"y": "2024", "m": "05"}),
    (r"regexp_extract('x', '(\d+)-(\d+)', ['y', 'm'])", {"y": "", "m": ""}),
    (r"regexp_extract(null, '(\d+)', ['y'])", None),
    # PostgreSQL's examples of width_bucket, and the ends of the range.
    ("width_bucket(5.35, 0.024, 10.06, 5)", 3),
    ("width_bucket(-1, 0, 10, 5)", 0),
    ("width_bucket(0, 0, 10, 5)", 1),
    ("width_bucket(10, 0, 10, 5)", 6),
    ("width_bucket(3, 10, 0, 5)", 4),
    ("width_bucket(10, 10, 0, 5)", 1),
    ("width_bucket(0, 10, 0, 5)", 6),
    ("width_bucket(null, 0, 10, 5)", None),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_value(expression: str, value: object) -> None:
    assert value_of(expression) == value


def test_the_cosine_of_no_direction() -> None:
    assert math.isnan(value_of("list_cosine_similarity([0, 0], [1, 2])"))


def test_slices_of_text_between_columns() -> None:
    table = "(values ('hello', 2, 4), ('hello', -3, -2), (null, 1, 2), ('hello', null, 2), ('hello', 4, 2)) t(s, i, j)"
    assert lf.sql(f"select s[i:j] x from {table}").collect().to_arrow()["x"].to_pylist() == [
        "ell",
        "ll",
        None,
        None,
        "",
    ]


def test_vectors_in_columns() -> None:
    table = "(values ([1, 2], [3, 4]), (null, [1]), ([1], null), ([5], [6])) t(a, b)"
    assert lf.sql(f"select list_inner_product(a, b) x from {table}").collect().to_arrow()["x"].to_pylist() == [
        11.0,
        None,
        None,
        30.0,
    ]


ROWS = "(values (1, 10), (2, null), (null, 5), (4, 7), (8, 3)) t(x, y)"
AGGREGATES = [
    ("arbitrary(x)", 1),
    ("fsum(x)", 15.0),
    ("kahan_sum(x)", 15.0),
    ("favg(x)", 3.75),
    ("mad(x)", 1.5),
    ("geomean(x)", 2.82842712474619),
    ("sem(x)", 1.340475661845451),
    ("sem(x) filter (x = 1)", 0.0),
    ("sem(x) filter (x > 99)", None),
    ("weighted_avg(x, y)", 3.1),
    ("min(x, 2)", [1, 2]),
    ("max(x, 2)", [8, 4]),
    ("min(x, 9)", [1, 2, 4, 8]),
    ("min(x, 2) filter (x > 99)", None),
    ("arg_max(x, y, 2)", [1, 4]),
    ("arg_min(x, y, 2)", [8, 4]),
    ("max_by(y, x, 2)", [3, 7]),
]


@pytest.mark.parametrize(("aggregate", "value"), AGGREGATES)
def test_aggregate(aggregate: str, value: object) -> None:
    (found,) = lf.sql(f"select {aggregate} x from {ROWS}").collect().to_arrow()["x"].to_pylist()
    assert found == (pytest.approx(value, rel=1e-14) if isinstance(value, float) else value)


def test_the_first_of_equal_ones_is_taken() -> None:
    rows = "(values ('a', 1), ('b', 2), ('c', 2), ('d', 2)) t(x, y)"
    assert lf.sql(f"select arg_max(x, y, 2) v from {rows}").collect().to_arrow()["v"].to_pylist() == [["b", "c"]]


def test_the_greatest_few_over_windows() -> None:
    rows = "(values (1), (3), (2)) t(x)"
    found = lf.sql(f"select max(x, 2) over (order by x) v from {rows} order by x").collect().to_arrow()["v"].to_pylist()
    assert found == [[1], [2, 1], [3, 2]]


@pytest.mark.parametrize(
    ("expression", "dialect", "value"),
    [
        ("cast(date_add(date '2024-01-31', interval 1 day) as string)", "bigquery", "2024-02-01"),
        ("cast(date_sub(date '2024-03-31', interval 1 month) as string)", "bigquery", "2024-02-29"),
        ("isnull(null, 2)", "tsql", 2),
    ],
)
def test_of_other_dialects(expression: str, dialect: str, value: object) -> None:
    assert value_of(expression, dialect) == value


def test_the_year_of_a_format_without_one() -> None:
    assert value_of("strptime('05', '%d')::varchar") == "1900-01-05 00:00:00"


def test_the_era_and_the_parts_of_nothing() -> None:
    assert value_of("era(null::date)") is None
    assert value_of("date_part(['year', 'month'], null::date)") is None
