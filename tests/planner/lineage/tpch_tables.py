"""Tables of TPC-H by chance, small, with values of which every query keeps some."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal

import pyarrow as pa

from benchmarks.tpch.queries import TABLES
from tests.planner.lineage.test_tpch import OF, TYPES

ROWS = {
    "customer": 150, "lineitem": 1_500, "nation": 6, "orders": 300, "part": 30, "partsupp": 240, "region": 3, "supplier": 18,
}  # fmt: skip
PRIMARY = {"c_custkey", "n_nationkey", "o_orderkey", "p_partkey", "r_regionkey", "s_suppkey"}
REFERS = {"custkey": "customer", "nationkey": "nation", "orderkey": "orders", "partkey": "part", "regionkey": "region",
          "suppkey": "supplier"}  # fmt: skip
TEXTS = {
    "c_mktsegment": ["BUILDING", "MACHINERY"],
    "c_phone": ["13-1", "31-2", "23-3", "17-4", "99-5"],
    "l_returnflag": ["R", "A", "N"],
    "l_linestatus": ["O", "F"],
    "l_shipmode": ["MAIL", "SHIP", "AIR", "AIR REG", "RAIL"],
    "l_shipinstruct": ["DELIVER IN PERSON", "NONE"],
    "n_name": ["GERMANY", "FRANCE", "CANADA", "SAUDI ARABIA", "BRAZIL", "PERU"],
    "o_orderstatus": ["F", "O"],
    "o_orderpriority": ["1-URGENT", "2-HIGH", "3-MEDIUM"],
    "o_comment": ["special wild requests", "none", "nothing"],
    "p_brand": ["Brand#23", "Brand#12", "Brand#45"],
    "p_container": ["MED BOX", "SM BOX", "MED BAG"],
    "p_name": ["forest green", "dark green", "forest red"],
    "p_type": ["ECONOMY ANODIZED STEEL", "PROMO BRASS", "MEDIUM POLISHED TIN"],
    "r_name": ["EUROPE", "ASIA", "AMERICA"],
    "s_comment": ["the Customer has Complaints", "fine", "good", "well"],
}
NUMBERS = {"p_size": [1, 3, 15, 49], "l_linenumber": [1, 2, 3], "ps_availqty": [1, 5, 20, 50, 9_000]}
AMOUNTS = {
    "l_discount": ["0.04", "0.05", "0.06", "0.07"],
    "l_quantity": ["2", "12", "23", "49", "120"],
    "ps_supplycost": ["1.25", "2.50", "7.75", "20.00"],
    "c_acctbal": ["-5.00", "10.00", "900.50", "4000.00"],
}
FIRST, DAYS = date(1993, 6, 1), 5 * 365
DATES = {"l_shipdate": 0, "l_commitdate": 20, "l_receiptdate": 25}


def values(rng: random.Random, name: str, rows: int) -> list[object]:
    """Values of a column. Keys of a table are all different, and those that refer to them are often there."""
    kind = next(kind for kind, names in TYPES.items() if name in names.split())
    if name in PRIMARY:
        return rng.sample(range(rows), rows)
    refers = REFERS.get(name.partition("_")[2])
    if refers in ("nation", "region"):
        # Each is referred to: only few of them are asked about.
        return rng.sample([number % ROWS[refers] for number in range(rows)], rows)
    if refers is not None:
        return [rng.randrange(ROWS[refers]) for _ in range(rows)]
    match kind:
        case "int64":
            return rng.choices(NUMBERS.get(name, range(5)), k=rows)
        case "date":
            late = DATES.get(name, 0)
            return [FIRST + timedelta(rng.randrange(DAYS) + rng.randrange(late + 1)) for _ in range(rows)]
        case "decimal(15,2)":
            amounts = [Decimal(each) for each in AMOUNTS.get(name, ())]
            return [rng.choice(amounts) if amounts else Decimal(rng.randrange(100_000)) / 100 for _ in range(rows)]
    texts = TEXTS.get(name) or [f"{name} {number}" for number in range(rows)]
    return rng.sample(texts, rows) if len(texts) == rows else rng.choices(texts, k=rows)


def as_array(name: str, found: list[object]) -> pa.Array:
    kind = next(kind for kind, names in TYPES.items() if name in names.split())
    types = {"int64": pa.int64(), "date": pa.date32(), "decimal(15,2)": pa.decimal128(15, 2), "string": pa.string()}
    return pa.array(found, types[kind])


def tables_of(rng: random.Random) -> dict[str, pa.Table]:
    """The eight tables."""
    found = {}
    for table in TABLES:
        names = [
            name for all_names in TYPES.values() for name in all_names.split() if OF[name.partition("_")[0]] == table
        ]
        found[table] = pa.table({name: as_array(name, values(rng, name, ROWS[table])) for name in names})
    return found


def changed(rng: random.Random, tables: dict[str, pa.Table], names: set[str]) -> dict[str, pa.Table]:
    """The same tables with other values in some columns, null among them."""
    found = dict(tables)
    for name in sorted(names):
        table = OF[name.partition("_")[0]]
        drawn = [None if rng.random() < 0.05 else each for each in values(rng, name, ROWS[table])]
        at = found[table].schema.get_field_index(name)
        found[table] = found[table].set_column(at, name, as_array(name, drawn))
    return found
