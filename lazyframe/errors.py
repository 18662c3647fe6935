"""The errors that users of the package can meet; `LazyFrameError` is the base of all."""

from lazyframe.planner.errors import (
    AmbiguousColumnError,
    ColumnNotFoundError,
    DuplicateColumnError,
    EvaluationError,
    FunctionNotFoundError,
    InvalidArgumentError,
    LazyFrameError,
    LazyValueError,
    QueryCancelledError,
    SinkError,
    SourceError,
    SourceNotFoundError,
    SqlSyntaxError,
    TableNotFoundError,
    TypeMismatchError,
    UnsupportedError,
    UserFunctionError,
)

__all__ = [
    "AmbiguousColumnError", "ColumnNotFoundError", "DuplicateColumnError", "EvaluationError", "FunctionNotFoundError",
    "InvalidArgumentError", "LazyFrameError", "LazyValueError", "QueryCancelledError", "SinkError", "SourceError",
    "SourceNotFoundError", "SqlSyntaxError", "TableNotFoundError", "TypeMismatchError", "UnsupportedError",
    "UserFunctionError",
]  # fmt: skip

for _name in __all__:
    # Tracebacks show the name by which users catch it.
    globals()[_name].__module__ = __name__
