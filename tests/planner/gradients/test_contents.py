"""Lists and structs on the way back."""

from __future__ import annotations

import numpy as np
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import UnsupportedError

DF = lf.from_dict({"x": [1.0, 2.0], "l": [[1.0, 2.0], [3.0, 5.0]]})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select sum([x * $a, x * x * $a][2]) as l from df", 5.0),
        ("select sum([x * $a, 1.0][-2]) as l from df", 3.0),
        ("select sum({'p': x * $a, 'q': 'text'}.p) as l from df", 3.0),
        ("select sum([x * $a, $a * $a][1] * [$a, 2.0][1]) as l from df", 2 * 0.5 * 3.0),
        ("select sum(l[2] * $a) as l from df", 7.0),
        ("select sum(coalesce([x * $a][3], x) + $a) as l from df", 2.0),
        ("select sum(s.p * 2) as l from (select {'p': x * $a} as s from df)", 6.0),
    ],
)
def test_what_is_put_in_and_taken_out(query, expected):
    a = lf.param("a", 0.5)
    loss = lf.sql(query, a=a, df=DF)
    assert lf.value_and_grad(loss, [a])[1] == [pytest.approx(expected, rel=1e-12)]


def test_second_derivatives_by_an_array():
    w = lf.param("w", np.array([0.3, 0.5]))
    first = lf.grad(DF.select((w[0] ** 2 * w[1] ** 3 * col("x")).sum()), w)
    total = first.select(col("w").list.get(0) + 2 * col("w").list.get(-1))
    _, (found,) = lf.value_and_grad(total, [w])
    p, q = 0.3, 0.5
    # Of 3 p² q³: 6 p q³ by p and 9 p² q² by q.
    np.testing.assert_allclose(found, [6 * q**3 + 2 * 18 * p * q**2, 18 * p * q**2 + 2 * 18 * p**2 * q], rtol=1e-12)


def test_an_unknown_function_of_a_list_is_refused_at_its_line():
    a = lf.param("a", 0.5)
    lists = lf.sql("select [x * $a, x] as l, x from df", a=a, df=DF)
    with pytest.raises(UnsupportedError, match=r"list_sum\(\) of a list or struct") as caught:
        lf.grad(lists.select((col("l").list.sum() + a).sum()), a)
    assert 'col("l").list.sum()' in str(caught.value)
    # How long it is does not move.
    assert lf.value_and_grad(lists.select((col("l").list.len() * a).sum()), [a]) == (2.0, [4.0])


def test_a_list_that_an_aggregate_makes_is_not_left_out_in_silence():
    a = lf.param("a", 0.5)
    moved = DF.with_columns(p=col("x") * a)
    loss = lf.sql("select list_sum(l) + p as l from (select list(p) as l, sum(p) as p from m)", m=moved)
    with pytest.raises(UnsupportedError, match="list or struct"):
        lf.grad(loss, a)
    # Unless nothing of it is asked for.
    unused = lf.sql("select list(p) as l, sum(p) as p from m", m=moved).select(col("p") + col("l").list.len())
    assert lf.value_and_grad(unused, [a])[1] == [3.0]
