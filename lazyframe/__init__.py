"""lazyframe: a lazy dataframe and query engine. A query is a graph, known before it runs.

Example:
    >>> import lazyframe as lf
    >>> df = lf.from_dict({"city": ["Rome", "Oslo"], "t": [31, 12]})
    >>> df.filter(lf.col("t") > 20).select("city").to_dicts()
    [{'city': 'Rome'}]
"""

from pathlib import Path as _Path

# In a checkout the packages `planner` and `executors` lie beside this one; an installed wheel has them inside.
_here = _Path(__file__).parent
if not (_here / "planner").is_dir():
    __path__.append(str(_here.parent))

from lazyframe import datasets, errors, optim, selectors
from lazyframe.checkpoints import checkpoint
from lazyframe.config import config
from lazyframe.dataframe import DataFrame
from lazyframe.eager import eager
from lazyframe.expr import Expr
from lazyframe.fitting import History, fit
from lazyframe.frame import LazyFrame, concat
from lazyframe.functions import (
    all,
    all_horizontal,
    any_horizontal,
    asc,
    coalesce,
    col,
    concat_str,
    corr,
    count,
    date,
    desc,
    duration,
    exclude,
    first,
    grouping,
    interval,
    last,
    len,
    lit,
    max,
    max_horizontal,
    mean,
    median,
    min,
    min_horizontal,
    n_unique,
    now,
    product,
    quantile,
    random,
    std,
    struct,
    sum,
    var,
    when,
)
from lazyframe.gradients import grad, no_grad, value_and_grad
from lazyframe.group_by import GroupBy
from lazyframe.io import (
    from_arrow,
    from_dict,
    from_dicts,
    from_pandas,
    from_polars,
    read_csv,
    read_ipc,
    read_json,
    read_parquet,
    scan_csv,
    scan_ipc,
    scan_json,
    scan_parquet,
)
from lazyframe.parameter_tables import ParamTable, param_table
from lazyframe.parameters import Param, param
from lazyframe.planner.schema import Schema
from lazyframe.prepared import PreparedQuery, prepare
from lazyframe.query import Query
from lazyframe.running import collect_all
from lazyframe.sql import Session, sql
from lazyframe.tracing import trace
from lazyframe.watching import Watch, watch
from lazyframe.windows.frame import window_frame
from lazyframe.windows.functions import cume_dist, dense_rank, ntile, percent_rank, rank, row_number

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """Give an IPython shell or notebook the magics `%sql` and `%%sql`; `%load_ext lazyframe` calls it."""
    from lazyframe.magics import register

    register(shell)


__all__ = [
    "DataFrame", "Expr", "GroupBy", "History", "LazyFrame", "Param", "ParamTable", "PreparedQuery", "Query", "Schema", "Session", "Watch", "all",
    "all_horizontal", "any_horizontal", "asc", "checkpoint", "coalesce", "col", "collect_all", "concat", "concat_str", "config",
    "corr", "count", "cume_dist", "datasets", "date", "dense_rank", "desc", "duration", "eager", "errors", "exclude", "first",
    "fit", "from_arrow", "from_dict", "from_dicts", "from_pandas", "from_polars", "grad", "grouping", "interval",
    "last", "len", "lit", "max", "max_horizontal", "mean", "median", "min", "min_horizontal", "n_unique", "no_grad",
    "now", "ntile", "optim", "param", "param_table", "percent_rank", "prepare", "product", "quantile", "random", "rank", "read_csv",
    "read_ipc", "read_json", "read_parquet", "row_number", "scan_csv", "scan_ipc", "scan_json", "scan_parquet",
    "selectors", "sql", "std", "struct", "sum", "trace", "value_and_grad", "var", "watch", "when", "window_frame",
]  # fmt: skip
