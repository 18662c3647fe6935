"""The source of a function that is traced: its tree, and the place of each part of it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any, NoReturn

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.site import DescribedSite, Site, ambient

_NEVER: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "write the condition under which it would fail as an if"),
    ast.TryStar: ("try", "write the condition under which it would fail as an if"),
    ast.Raise: ("raise", "return None, and look for nulls in the result"),
    ast.Assert: ("assert", "check the rows with frame.filter(...).count()"),
    ast.With: ("with", "compute what it needs before, and give it as an argument"),
    ast.AsyncWith: ("with", "compute what it needs before, and give it as an argument"),
    ast.Yield: ("yield", "return one value"),
    ast.YieldFrom: ("yield", "return one value"),
    ast.Await: ("await", "compute what it waits for before, and give it as an argument"),
    ast.AsyncFor: ("async for", "compute what it waits for before, and give it as an argument"),
    ast.Global: ("global", "return the value instead"),
    ast.Nonlocal: ("nonlocal", "return the value instead"),
    ast.Delete: ("del", "leave it out"),
    ast.Import: ("import", "import it at the top of the file"),
    ast.ImportFrom: ("import", "import it at the top of the file"),
    ast.FunctionDef: ("a function within", "define it outside, under @lf.trace of its own"),
    ast.AsyncFunctionDef: ("a function within", "define it outside, under @lf.trace of its own"),
    ast.ClassDef: ("a class within", "define it outside"),
    ast.Lambda: ("a lambda within", "define it outside, under @lf.trace of its own"),
    ast.Match: ("match", "write if and elif"),
}
"""What has no meaning for a whole column, and what to write instead."""


class Source:
    """A function as it is written.

    Args:
        function: it, not decorated.

    Raises:
        UnsupportedError: where its source is not there, or holds what cannot be traced.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = getattr(function, "__name__", "the function")
        if not isinstance(function, FunctionType):
            raise UnsupportedError(
                f"{self.name} is no function written in Python",
                hint="write one that calls it, or @lf.trace(fallback=True, returns=...)",
            )
        self.signature = inspect.signature(function, follow_wrapped=False)
        self._places = _places(function.__code__)
        self.node, self._line = _tree(function, self.name)
        self._column = 0
        self._check()

    @property
    def body(self) -> list[ast.stmt]:
        """The statements."""
        if isinstance(self.node, ast.Lambda):
            return [ast.copy_location(ast.Return(self.node.body), self.node.body)]
        return self.node.body

    def _check(self) -> None:
        if isinstance(self.node, ast.AsyncFunctionDef):
            self.refuse(self.node, "an async function cannot be traced", "define it with def alone")
        for statement in self.body:
            for node in ast.walk(statement):
                refused = _NEVER.get(type(node))
                if refused is not None:
                    self.refuse(node, f"{refused[0]} cannot be traced", refused[1])

    def site(self, node: ast.AST) -> Any:
        """Where a part of the function is."""
        first = getattr(node, "lineno", 1) + self._line
        last = getattr(node, "end_lineno", first - self._line) + self._line
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        offset = self._places.get((first, last, start, end))
        code = self.function.__code__
        if offset is not None:
            return Site(code, offset)
        line = self._places.get((first,))
        return DescribedSite(_described(code, first)) if line is None else _OnLine(code, line)

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """What is built within is written at a part of the function."""
        outer = ambient.site
        ambient.site = self.site(node)
        try:
            yield
        finally:
            ambient.site = outer

    def refuse(self, node: ast.AST, message: str, hint: str) -> NoReturn:
        """Say what cannot be traced, and where."""
        raise UnsupportedError(f"{self.name}(): {message}", hint=hint, site=self.site(node))


class _OnLine(Site):
    """A place of which no more than the line is known."""

    __slots__ = ()

    def position(self) -> tuple[int, int | None, int | None, int | None]:
        return super().position()[0], None, None, None


def _described(code: CodeType, line: int) -> str:
    import linecache

    text = linecache.getline(code.co_filename, line).strip()
    return f'  File "{code.co_filename}", line {line}, in {code.co_name}' + (f"\n    {text}" if text else "")


def _places(code: CodeType) -> dict[tuple[int, ...], int]:
    """The instruction that stands for each place: by first line, last line, first and last column, and by line."""
    found: dict[tuple[int, ...], int] = {}
    for index, (line, end_line, column, end_column) in enumerate(code.co_positions()):
        if line is None:
            continue
        found.setdefault((line,), 2 * index)
        if end_line is not None and column is not None and end_column is not None:
            found.setdefault((line, end_line, column, end_column), 2 * index)
    return found


def _tree(function: FunctionType, name: str) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, int]:
    """The tree of a function, and what to add to the lines in it."""
    try:
        lines, start = inspect.getsourcelines(function.__code__)
    except (OSError, TypeError):
        raise UnsupportedError(
            f"the source of {name}() is not available, as it was not read from a file or a notebook",
            hint="define it in a file, or write @lf.trace(fallback=True, returns=...) to run it for each row",
        ) from None
    text = "".join(lines)
    indented = text[:1].isspace()
    try:
        # Within a block, so that columns stay what they are.
        tree = ast.parse("if 1:\n" + text if indented else text)
    except SyntaxError:
        try:
            tree = ast.parse(textwrap.dedent(text).strip().rstrip(",)"))
        except SyntaxError:
            raise UnsupportedError(
                f"the source of {name}() is part of a larger expression", hint="define it with def"
            ) from None
        indented = False
    wanted = (ast.Lambda,) if name == "<lambda>" else (ast.FunctionDef, ast.AsyncFunctionDef)
    found: list[Any] = [node for node in ast.walk(tree) if isinstance(node, wanted)]
    if name == "<lambda>":
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        found = [node for node in found if tuple([arg.arg for arg in node.args.args]) == names]
        if len(found) > 1:
            raise UnsupportedError("there are several lambdas on one line", hint="define the function with def")
    if not found:
        raise UnsupportedError(f"the source of {name}() is not found", hint="define it with def, in a file")
    return found[0], start - 1 - (1 if indented else 0)


__all__ = ["Source"]
