"""Random conditions keep the rows that DuckDB keeps, with the rules of expressions and without."""

from __future__ import annotations

import random
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Plan
from lazyframe.session import execute

RULES = (
    "fold_constants", "unwrap_casts", "unwrap_dates", "simplify_comparisons", "simplify_cases", "simplify_patterns", "push_negation", "simplify_predicates", "merge_comparisons",
)  # fmt: skip

CONSTANTS = {
    "i": ["0", "1", "2", "3", "-1", "2.5", "99999999999", "NULL"],
    "j": ["0", "1", "2", "3", "9007199254740993", "1.5"],
    "f": ["0.0", "-0.0", "1.5", "'NaN'::DOUBLE", "2", "NULL"],
    "m": ["0", "0.05", "1.10", "1.105", "3", "99999999999"],
    "s": ["'a'", "'ab'", "'b'", "''", "NULL"],
    "d": ["DATE '1994-01-01'", "DATE '1994-12-31'", "TIMESTAMP '1994-01-01 12:00'", "DATE '1995-06-01'"],
    "cast(i AS BIGINT)": ["0", "2", "3000000000"],
    "cast(i AS DOUBLE)": ["0", "2.5", "2"],
    "cast(m AS DOUBLE)": ["0.05", "1.1", "0.051"],
    "cast(m AS DECIMAL(20,4))": ["1.1001", "0.0500"],
    "year(d)": ["1993", "1994", "1995"],
    "date_trunc('month', d)": ["DATE '1994-01-01'", "DATE '1994-12-31'"],
    "case when i > 1 then 1 when j = 2 then 2 else 0 end": ["0", "1", "2"],
    "case when i <> 0 then j else null end": ["0", "1"],
    "substr(s, 1, 1)": ["'a'", "''", "'ab'"],
}  # fmt: skip
OPERATORS = ["=", "<>", "<", "<=", ">", ">="]


def column(rng: random.Random, values: list[object], dtype: pa.DataType, rows: int) -> pa.Array:
    return pa.array([rng.choice([*values, None]) for _ in range(rows)], dtype)


def table(rng: random.Random, rows: int) -> pa.Table:
    days = [8766, 8766 + 30, 9130, 8400, 9300]
    return pa.table(
        {
            "n": pa.array(range(rows)),
            "i": column(rng, [-1, 0, 1, 2, 3], pa.int32(), rows),
            "j": column(rng, [0, 1, 2, 3, 2**53 + 1], pa.int64(), rows),
            "f": column(rng, [0.0, -0.0, 1.5, float("nan"), 2.0], pa.float64(), rows),
            "m": column(rng, [Decimal("0.05"), Decimal("1.10"), Decimal("3.00")], pa.decimal128(10, 2), rows),
            "s": column(rng, ["a", "ab", "b", "", "abc"], pa.string(), rows),
            "d": column(rng, days, pa.date32(), rows),
            "b": column(rng, [True, False], pa.bool_(), rows),
        }
    )


def condition(rng: random.Random, depth: int) -> str:
    if depth and rng.random() < 0.75:
        kind = rng.choice(["and", "or", "and", "or", "not", "case", "truth"])
        first, second = condition(rng, depth - 1), condition(rng, depth - 1)
        match kind:
            case "not":
                return f"NOT ({first})"
            case "case":
                return f"CASE WHEN {first} THEN {second} ELSE {rng.choice(['true', 'false', 'null', condition(rng, 0)])} END"
            case "truth":
                return f"({first}) {rng.choice(['IS TRUE', 'IS NOT FALSE', 'IS NULL', '= true', '<> true'])}"
        return f"({first} {kind} {second})"
    value = rng.choice(list(CONSTANTS))
    constants = CONSTANTS[value]
    match rng.randrange(8):
        case 0:
            some = rng.sample(constants, min(len(constants), rng.randrange(1, 4)))
            return f"{value} {rng.choice(['IN', 'NOT IN'])} ({', '.join(some)})"
        case 1:
            return f"{value} BETWEEN {rng.choice(constants)} AND {rng.choice(constants)}"
        case 2:
            return f"{value} IS {rng.choice(['NULL', 'NOT NULL'])}"
        case 3:
            return f"s LIKE {rng.choice(['a%', 'ab', '%b', '%b%', '%', 'a_', ''])!r}"
        case 4:
            return rng.choice(["b", "NOT b", "b = false", f"{value} = {value}", f"{value} <> {value}"])
    sides = [value, rng.choice(constants)]
    if rng.random() < 0.2:
        sides.reverse()
    return f"{sides[0]} {rng.choice(OPERATORS)} {sides[1]}"


def kept(plan: Plan, disable: tuple[str, ...]) -> list[object]:
    return execute(optimize(plan, disable=disable, check=True), optimize=False).column(0).to_pylist()


@pytest.mark.parametrize("seed", range(6))
def test_the_same_rows_are_kept(seed: int) -> None:
    rng = random.Random(seed)
    rows = table(rng, rng.choice([0, 1, 40, 200]))
    connection = duckdb.connect()
    connection.register("r", rows)
    for _ in range(40):
        text = condition(rng, rng.randrange(4))
        query = f"SELECT n FROM r WHERE {text}"
        wanted = [n for (n,) in connection.execute(f"{query} ORDER BY n").fetchall()]
        plan = lf.sql(query, r=rows)._plan
        assert kept(plan, RULES) == wanted, f"without rules, {text}"
        assert kept(plan, ()) == wanted, text
        values = lf.sql(f"SELECT n, {text} AS x FROM r", r=rows)._plan
        got = execute(optimize(values, check=True), optimize=False).column("x").to_pylist()
        assert got == [x for (x,) in connection.execute(f"SELECT {text} FROM r ORDER BY n").fetchall()], text
