"""The table `hits` of ClickBench, generated: its columns, with skewed keys and texts, in the order of its file.

What the questions look for is there: counter 62 in July 2013, one user, pages of Google, and two hashes of popular pages.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.clickbench import schema

COUNTER = 62
"""The site that some questions are about, with a twentieth of all hits."""

USER = 435_090_932_899_640_449
URL_HASH = 2_868_770_270_353_813_622
REFERER_HASH = 3_594_120_000_172_545_465

_SLICE = 500_000
"""Rows that are drawn, and written as a row group, at a time."""

_FIRST_DAY = np.datetime64("2013-07-01")
_DAYS = 31
_WORDS = (
    "weather", "cinema", "car", "rent", "house", "recipe", "map", "news", "music", "game", "school", "train", "ticket",
    "phone", "photo", "bank", "job", "garden", "dog", "cat", "river", "city", "winter", "summer", "cheap", "best", "new",
    "old", "red", "blue", "green", "forum", "video", "online", "free", "download", "price", "review", "schedule",
)  # fmt: skip
_SUFFIXES = ("ru", "com", "org", "net", "com.tr", "ua")
_MODELS = ("", "iPad", "iPhone", "Nokia 5800", "HTC Desire", "Galaxy S", "Galaxy Tab", "Xperia", "Lumia 800", "Optimus")


def hits(folder: Path, rows: int) -> Path:
    """The folder that has `hits.parquet` of so many rows, made where it is missing."""
    made = folder / f"clickbench-{rows}"
    if not (made / "hits.parquet").is_file():
        print(f"making {made}", file=sys.stderr)
        made.mkdir(parents=True, exist_ok=True)
        _write(made / "hits.parquet.partial", rows)
        (made / "hits.parquet.partial").rename(made / "hits.parquet")
    return made


def _write(path: Path, rows: int) -> None:
    random = np.random.default_rng(0)
    pools = _Pools(random, rows)
    counters = _counters(random, rows)
    writer = None
    for start in range(0, rows, _SLICE):
        table = _slice(random, pools, counters[start : start + _SLICE])
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


class _Pools:
    """What rows are drawn from: pages, phrases and users, the frequent ones first."""

    def __init__(self, random: np.random.Generator, rows: int) -> None:
        self.pages = max(rows // 8, 2_000)
        self.urls = pa.array(_urls(random, self.pages))
        self.titles = pa.array(_titles(random, self.pages))
        self.phrases = pa.array(["", *dict.fromkeys(_phrases(random, max(rows // 30, 500)))])
        users = random.integers(-(2**63), 2**63, max(rows // 6, 500))
        users[min(1_000, len(users) // 3)] = USER
        self.users = users
        addresses = random.integers(-(2**31), 2**31, len(users))
        self.addresses = addresses.astype(np.int32)
        self.url_hashes = random.integers(-(2**63), 2**63, self.pages)
        self.url_hashes[0] = URL_HASH
        self.referer_hashes = random.integers(-(2**63), 2**63, self.pages)
        self.referer_hashes[0] = REFERER_HASH


def _counters(random: np.random.Generator, rows: int) -> np.ndarray:
    """Sites, sorted as the benchmark's file is."""
    drawn = 100 + _skewed(random, 6_000, rows, 1.2)
    drawn[random.random(rows) < 0.05] = COUNTER
    return np.sort(drawn).astype(np.int32)


def _slice(random: np.random.Generator, pools: _Pools, counters: np.ndarray) -> pa.Table:
    count = len(counters)
    days = random.integers(0, _DAYS, count)
    day = _FIRST_DAY + days[np.lexsort((days, counters))]
    moment = day.astype("datetime64[us]") + random.integers(0, 86_400, count) * np.timedelta64(1_000_000, "us")
    user = _skewed(random, len(pools.users), count, 1.05)
    page = _skewed(random, pools.pages, count, 1.1)
    from_page = np.where(random.random(count) < 0.3, -1, _skewed(random, pools.pages, count, 1.1))
    searched = np.where(random.random(count) < 0.87, 0, 1 + _skewed(random, len(pools.phrases) - 1, count, 1.05))
    phone = np.where(random.random(count) < 0.93, 0, 1 + _skewed(random, len(_MODELS) - 1, count, 1.3))
    referers = pa.concat_arrays([pools.urls, pa.array([""])])
    made = {
        "WatchID": random.integers(2**62, 2**63 - 1, count),
        "Title": pools.titles.take(pa.array(page)),
        "EventTime": moment,
        "EventDate": day,
        "CounterID": counters,
        "ClientIP": pools.addresses[user],
        "RegionID": (1 + _skewed(random, 9_000, count, 1.3)).astype(np.int32),
        "UserID": pools.users[user],
        "URL": pools.urls.take(pa.array(page)),
        "Referer": referers.take(pa.array(np.where(from_page < 0, pools.pages, from_page))),
        "IsRefresh": _flag(random, count, 0.1),
        "ResolutionWidth": _one_of(random, count, (1366, 1920, 1280, 1024, 0, 800)),
        "MobilePhone": phone.astype(np.int16),
        "MobilePhoneModel": pa.array(_MODELS).take(pa.array(phone)),
        "TraficSourceID": _one_of(random, count, (0, -1, 3, 6, 2, 1)),
        "SearchEngineID": np.where(searched > 0, _one_of(random, count, (2, 3, 13, 1)), 0).astype(np.int16),
        "SearchPhrase": pools.phrases.take(pa.array(searched)),
        "AdvEngineID": np.where(random.random(count) < 0.97, 0, _one_of(random, count, (2, 27, 13, 45))).astype(
            np.int16
        ),
        "WindowClientWidth": random.integers(300, 2_000, count).astype(np.int16),
        "WindowClientHeight": random.integers(200, 1_200, count).astype(np.int16),
        "IsLink": _flag(random, count, 0.05),
        "IsDownload": _flag(random, count, 0.02),
        "DontCountHits": _flag(random, count, 0.1),
        "RefererHash": np.where(from_page < 0, 0, pools.referer_hashes[from_page]),
        "URLHash": pools.url_hashes[page],
    }
    return pa.table({name: made[name] if name in made else _filler(random, name, moment) for name in schema.COLUMNS})


def _filler(random: np.random.Generator, name: str, moment: np.ndarray) -> object:
    """A column that only `SELECT *` reads."""
    count = len(moment)
    if name in schema.MOMENTS:
        return moment + random.integers(-50_000, 50_000, count) * np.timedelta64(1_000_000, "us")
    if name in schema.TEXTS:
        texts = ["", *(f"{name.lower()}{number}" for number in range(1, schema.TEXTS[name]))]
        return pa.array(texts).take(pa.array(_skewed(random, len(texts), count, 1.5)))
    drawn = _skewed(random, 10_000, count, 1.4)
    wide = np.int64 if name in schema.BIG_INTEGERS else np.int32 if name in schema.INTEGERS else np.int16
    return drawn.astype(wide)


def _skewed(random: np.random.Generator, size: int, count: int, power: float) -> np.ndarray:
    """Places below `size`, the first the most frequent: near to what Zipf's law says, without its endless tail."""
    uniform = random.random(count)
    rank = ((size + 1) ** (1 - power) - 1) * uniform + 1
    return np.minimum(rank ** (1 / (1 - power)) - 1, size - 1).astype(np.int64)


def _flag(random: np.random.Generator, count: int, share: float) -> np.ndarray:
    return (random.random(count) < share).astype(np.int16)


def _one_of(random: np.random.Generator, count: int, values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int16)[_skewed(random, len(values), count, 1.3)]


def _phrases(random: np.random.Generator, count: int) -> list[str]:
    words = random.integers(0, len(_WORDS), (count, 4))
    lengths = random.integers(1, 5, count)
    return [
        " ".join([_WORDS[word] for word in drawn[:length]]) + (f" {number}" if number >= len(_WORDS) else "")
        for number, (drawn, length) in enumerate(zip(words.tolist(), lengths.tolist(), strict=True))
    ]


def _titles(random: np.random.Generator, count: int) -> list[str]:
    every = [f"{phrase} - page {number % 97}".capitalize() for number, phrase in enumerate(_phrases(random, count))]
    every[5::40] = [f"{title} - Google search" for title in every[5::40]]
    every[7::11] = ["" for _ in every[7::11]]
    return every


def _urls(random: np.random.Generator, count: int) -> list[str]:
    site = _skewed(random, 3_000, count, 1.2).tolist()
    words = random.integers(0, len(_WORDS), (count, 2)).tolist()
    every = [
        f"http{'s' * (at % 3 == 0)}://{'www.' * (at % 2)}{_WORDS[at % 30]}{at}.{_SUFFIXES[at % 6]}/{_WORDS[one]}/{_WORDS[other]}?id={number}"
        for number, (at, (one, other)) in enumerate(zip(site, words, strict=True))
    ]
    every[3::60] = [f"http://www.google.com/search?q={number}" for number in range(3, count, 60)]
    every[25::80] = [f"http://redirect.ru/to/google/{number}" for number in range(25, count, 80)]
    every[9::50] = ["" for _ in every[9::50]]
    return every
