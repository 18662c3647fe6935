"""The 43 questions of ClickBench in our words.

Where the benchmark leaves the order of rows with equal counts open, and so which of them a limit lets through, the keys decide:
answers can then be compared. Limits after an offset start where this data still has rows.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.agreement import ANY_ORDER, ANY_ROWS, GIVEN_ORDER
from benchmarks.clickbench.data import COUNTER, REFERER_HASH, URL_HASH, USER
from benchmarks.contenders import Question

_JULY = f""""CounterID" = {COUNTER} AND "EventDate" BETWEEN DATE '2013-07-01' AND DATE '2013-07-31'"""

_SUMS = ", ".join(f'sum("ResolutionWidth" + {number}) AS s{number}' for number in range(90))

_HOST = r"^https?://(?:www\.)?([^/]+)/.*$"


def _top(keys: str, *, where: str = "", besides: str = "", limit: str = "10") -> str:
    """The groups with the most hits."""
    return f"""SELECT {keys}, {besides}count(*) AS c FROM hits{" WHERE " * bool(where)}{where}
        GROUP BY {keys} ORDER BY c DESC, {keys} LIMIT {limit}"""


def _by_users(keys: str, where: str = "") -> str:
    """The groups with the most users."""
    return f"""SELECT {keys}, count(DISTINCT "UserID") AS u FROM hits{" WHERE " * bool(where)}{where}
        GROUP BY {keys} ORDER BY u DESC, {keys} LIMIT 10"""


def questions(rows: int) -> tuple[Question, ...]:
    """The questions about a table of so many rows: what counts as a frequent group depends on it."""
    least = rows // 1_000
    phrase = """"SearchPhrase" <> ''"""
    model = """"MobilePhoneModel" <> ''"""
    google = """"URL" LIKE '%google%'"""
    traffic = """sum("IsRefresh") AS refreshes, avg("ResolutionWidth") AS width, """
    counted = f'{_JULY} AND "IsRefresh" = 0 AND "DontCountHits" = 0'
    texts = {
        "rows": "SELECT count(*) FROM hits",
        "rows with an advertisement": 'SELECT count(*) FROM hits WHERE "AdvEngineID" <> 0',
        "sum, count, mean": 'SELECT sum("AdvEngineID"), count(*), avg("ResolutionWidth") FROM hits',
        "mean of a wide integer": 'SELECT avg(CAST("UserID" AS DOUBLE PRECISION)) FROM hits',
        "different users": 'SELECT count(DISTINCT "UserID") FROM hits',
        "different phrases": 'SELECT count(DISTINCT "SearchPhrase") FROM hits',
        "first and last day": 'SELECT min("EventDate"), max("EventDate") FROM hits',
        "advertisements": _top('"AdvEngineID"', where='"AdvEngineID" <> 0'),
        "regions by users": _by_users('"RegionID"'),
        "regions by hits": """SELECT "RegionID", sum("AdvEngineID") AS a, count(*) AS c, avg("ResolutionWidth") AS w,
            count(DISTINCT "UserID") AS u FROM hits GROUP BY "RegionID" ORDER BY c DESC, "RegionID" LIMIT 10""",
        "models by users": _by_users('"MobilePhoneModel"', model),
        "phones by users": _by_users('"MobilePhone", "MobilePhoneModel"', model),
        "phrases": _top('"SearchPhrase"', where=phrase),
        "phrases by users": _by_users('"SearchPhrase"', phrase),
        "phrases of engines": _top('"SearchEngineID", "SearchPhrase"', where=phrase),
        "users": _top('"UserID"'),
        "phrases of users": _top('"UserID", "SearchPhrase"'),
        "some phrases of users": 'SELECT "UserID", "SearchPhrase", count(*) FROM hits GROUP BY "UserID", "SearchPhrase" LIMIT 10',
        "phrases of users by minute": """SELECT "UserID", extract(minute FROM "EventTime") AS m, "SearchPhrase", count(*) AS c
            FROM hits GROUP BY "UserID", m, "SearchPhrase" ORDER BY c DESC, "UserID", m, "SearchPhrase" LIMIT 10""",
        "one user": f'SELECT "UserID" FROM hits WHERE "UserID" = {USER}',
        "pages of Google": f"SELECT count(*) FROM hits WHERE {google}",
        "phrases that lead to Google": f"""SELECT "SearchPhrase", min("URL") AS url, count(*) AS c FROM hits WHERE {google}
            AND {phrase} GROUP BY "SearchPhrase" ORDER BY c DESC, "SearchPhrase" LIMIT 10""",
        "phrases that lead to its titles": f"""SELECT "SearchPhrase", min("URL") AS url, min("Title") AS title, count(*) AS c,
            count(DISTINCT "UserID") AS u FROM hits WHERE "Title" LIKE '%Google%' AND "URL" NOT LIKE '%.google.%' AND {phrase}
            GROUP BY "SearchPhrase" ORDER BY c DESC, "SearchPhrase" LIMIT 10""",
        "first pages of Google, all columns": f'SELECT * FROM hits WHERE {google} ORDER BY "EventTime", "WatchID" LIMIT 10',
        "phrases by time": f'SELECT "SearchPhrase" FROM hits WHERE {phrase} ORDER BY "EventTime", "WatchID" LIMIT 10',
        "phrases by text": f'SELECT "SearchPhrase" FROM hits WHERE {phrase} ORDER BY "SearchPhrase" LIMIT 10',
        "phrases by time and text": f"""SELECT "SearchPhrase" FROM hits WHERE {phrase}
            ORDER BY "EventTime", "SearchPhrase" LIMIT 10""",
        "length of addresses": f"""SELECT "CounterID", avg(length("URL")) AS l, count(*) AS c FROM hits WHERE "URL" <> ''
            GROUP BY "CounterID" HAVING count(*) > {least} ORDER BY l DESC, "CounterID" LIMIT 25""",
        "hosts by regular expression": f"""SELECT regexp_replace("Referer", '{_HOST}', '\\1') AS k, avg(length("Referer")) AS l,
            count(*) AS c, min("Referer") AS first FROM hits WHERE "Referer" <> '' GROUP BY k HAVING count(*) > {least}
            ORDER BY l DESC, k LIMIT 25""",
        "ninety sums": f"SELECT {_SUMS} FROM hits",
        "clients of engines": _top('"SearchEngineID", "ClientIP"', where=phrase, besides=traffic),
        "clients of hits with a phrase": _top('"WatchID", "ClientIP"', where=phrase, besides=traffic),
        "clients of hits": _top('"WatchID", "ClientIP"', besides=traffic),
        "addresses": _top('"URL"'),
        "addresses and a constant": """SELECT 1 AS one, "URL", count(*) AS c FROM hits GROUP BY one, "URL"
            ORDER BY c DESC, "URL" LIMIT 10""",
        "clients and what follows of them": """SELECT "ClientIP", "ClientIP" - 1 AS a, "ClientIP" - 2 AS b, "ClientIP" - 3 AS d,
            count(*) AS c FROM hits WHERE "ClientIP" > -2000000000
            GROUP BY "ClientIP", a, b, d ORDER BY c DESC, "ClientIP" LIMIT 10""",
        "views of pages": _top('"URL"', where=f"""{counted} AND "URL" <> ''"""),
        "views of titles": _top('"Title"', where=f"""{counted} AND "Title" <> ''"""),
        "views of linked pages": _top(
            '"URL"', where=f'{_JULY} AND "IsRefresh" = 0 AND "IsLink" <> 0 AND "IsDownload" = 0', limit="10 OFFSET 100"
        ),
        "sources of views": f"""SELECT "TraficSourceID", "SearchEngineID", "AdvEngineID",
            CASE WHEN "SearchEngineID" = 0 AND "AdvEngineID" = 0 THEN "Referer" ELSE '' END AS src, "URL" AS dst, count(*) AS c
            FROM hits WHERE {_JULY} AND "IsRefresh" = 0
            GROUP BY "TraficSourceID", "SearchEngineID", "AdvEngineID", src, dst
            ORDER BY c DESC, "TraficSourceID", "SearchEngineID", "AdvEngineID", src, dst LIMIT 10 OFFSET 1000""",
        "views by hash": _top(
            '"URLHash", "EventDate"',
            where=f'{_JULY} AND "IsRefresh" = 0 AND "TraficSourceID" IN (-1, 6) AND "RefererHash" = {REFERER_HASH}',
            limit="10 OFFSET 10",
        ),
        "sizes of windows": _top(
            '"WindowClientWidth", "WindowClientHeight"', where=f'{counted} AND "URLHash" = {URL_HASH}', limit="10 OFFSET 100"
        ),
        "views by minute": f"""SELECT date_trunc('minute', "EventTime") AS m, count(*) AS c FROM hits
            WHERE {counted} AND "EventDate" BETWEEN DATE '2013-07-14' AND DATE '2013-07-15'
            GROUP BY m ORDER BY m LIMIT 10 OFFSET 100""",
    }  # fmt: skip
    orders = {"some phrases of users": ANY_ROWS, "one user": ANY_ORDER}
    polars = {"hosts by regular expression": partial(_polars_hosts, least=least)}
    return tuple(
        Question(f"{number:02} {name}", text, polars.get(name), order=orders.get(name, GIVEN_ORDER))
        for number, (name, text) in enumerate(texts.items())
    )


def _polars_hosts(tables: Any, least: int) -> Any:
    """In the API of Polars, whose SQL knows no groups in a replacement."""
    from polars import col, len

    return (
        tables.hits.filter(col("Referer") != "")
        .group_by(k=col("Referer").str.replace(_HOST, "${1}"))
        .agg(l=col("Referer").str.len_chars().mean(), c=len(), first=col("Referer").min())
        .filter(col("c") > least)
        .sort("l", "k", descending=[True, False])
        .head(25)
    )
