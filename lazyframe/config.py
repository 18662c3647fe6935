"""Settings, for good or for the time of a `with` block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from types import TracebackType
from typing import Any, Self

from lazyframe.boundary import public
from lazyframe.planner.errors import InvalidArgumentError, did_you_mean


@dataclass(frozen=True, slots=True)
class Settings:
    """What a query runs with.

    Args:
        threads: how many threads work on a query; by default as many as there are cores.
        disable: names of optimizer rules that are switched off.
        max_rows: how many rows a frame shows when printed.
        timeout: seconds after which a query is stopped.
        recursion_limit: how many rounds a recursive query may take before it is taken for endless.
        recursion_rows: how many rows a recursive query may give before it is taken for endless.
        compiled: whether pipelines over many rows are compiled.
    """

    threads: int | None = None
    disable: tuple[str, ...] = ()
    max_rows: int = 10
    timeout: float | None = None
    recursion_limit: int = 100_000
    recursion_rows: int = 20_000_000
    compiled: bool = True


_current = Settings()


def current() -> Settings:
    """The settings in force."""
    return _current


class config:  # noqa: N801 - it is used as a function and as a block
    """Change settings: for good, or within a `with` block.

    Args:
        threads: how many threads work on a query. `LAZYFRAME_THREADS` in the environment is the default.
        disable: names of optimizer rules to switch off, to find out whether one is wrong.
        max_rows: how many rows a frame shows when printed.
        timeout: seconds after which a query is stopped.
        recursion_limit: how many rounds a recursive query may take before it is taken for endless.
        recursion_rows: how many rows a recursive query may give before it is taken for endless.
        compiled: whether pipelines over many rows are compiled; `False` leaves all to the vectorized operators, which give the
            same results. `LAZYFRAME_COMPILED=off` in the environment is the same.

    Example:
        >>> with lf.config(threads=1, disable=["merge_projects"]):
        ...     lf.from_dict({"x": [1, 2]}).filter(lf.col("x") > 1).count()
        1
    """

    @public
    def __init__(self, **settings: Any) -> None:
        global _current
        self._before = _current
        known = [field.name for field in fields(Settings)]
        for name in settings:
            if name not in known:
                raise InvalidArgumentError(f"no setting named {name!r}", hint=did_you_mean(name, known))
        _check(settings)
        if "disable" in settings:
            settings["disable"] = tuple(settings["disable"])
        _current = replace(_current, **settings)

    def __repr__(self) -> str:
        settings = ", ".join([f"{field.name}={getattr(_current, field.name)!r}" for field in fields(Settings)])
        return f"config({settings})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        global _current
        _current = self._before


def _check(settings: dict[str, Any]) -> None:
    for name in ("threads", "max_rows", "recursion_limit", "recursion_rows"):
        value = settings.get(name, 1)
        if value is None and name == "threads":
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InvalidArgumentError(f"{name} is a number of 1 or more, not {value!r}")
    timeout = settings.get("timeout")
    if timeout is not None and not (isinstance(timeout, (int, float)) and timeout > 0):
        raise InvalidArgumentError(f"timeout is a number of seconds, not {timeout!r}")
    compiled = settings.get("compiled", True)
    if not isinstance(compiled, bool):
        raise InvalidArgumentError(f"compiled is True or False, not {compiled!r}")
    disable = settings.get("disable", ())
    if (
        isinstance(disable, str)
        or not isinstance(disable, Sequence)
        or not all(isinstance(name, str) for name in disable)
    ):
        raise InvalidArgumentError("disable is a list of names of rules")
    if disable:
        from lazyframe.planner.optimizer import AT_RUN_TIME, rule_names

        known = [*rule_names(), *AT_RUN_TIME]
        for name in disable:
            if name not in known:
                raise InvalidArgumentError(f"no rule named {name!r}", hint=did_you_mean(name, known))
