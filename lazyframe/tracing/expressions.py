"""The expressions of a traced function: Python's values, and expressions of columns."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NoReturn

from lazyframe.expr import Expr, _choose, balanced, call
from lazyframe.parameters import ArrayParam
from lazyframe.planner.errors import InvalidArgumentError, LazyFrameError, UserFunctionError
from lazyframe.planner.nouns import with_article
from lazyframe.tracing.branches import Condition, Missing, chosen
from lazyframe.tracing.calls import ONLY_VALUES, replacement
from lazyframe.tracing.comparisons import compared
from lazyframe.tracing.source import Source
from lazyframe.tracing.values import holds_column

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.MatMult: operator.matmul,
}  # fmt: skip
_CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}
_CHANGING = frozenset(
    "add append clear discard extend insert pop popitem remove reverse setdefault sort update".split()  # noqa: SIM905
)
"""Methods that change what they are called on."""


class Evaluator:
    """Finds the values of expressions.

    Args:
        source: the function.
        variables: what its variables hold.
        depth: how many traced functions are around.
    """

    def __init__(self, source: Source, variables: dict[str, Any], depth: int) -> None:
        self.source = source
        self.variables = variables
        self.depth = depth

    def refuse(self, node: ast.AST, message: str, hint: str) -> NoReturn:
        """Say what cannot be traced, and where."""
        self.source.refuse(node, message, hint)

    def value(self, node: ast.expr) -> Any:
        """The value of an expression of Python: one of ours where it depends on a column."""
        found: Callable[[Any], Any] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if found is None:
            name = type(node).__name__
            self.refuse(
                node, f"an expression of the form {name} cannot be traced", "write it with operators, calls and if"
            )
        with self.source.at(node):
            try:
                return found(node)
            except LazyFrameError:
                raise
            except RecursionError:
                self.refuse(node, "it is nested too deeply", "compute parts of it before")
            except Exception as error:
                raise UserFunctionError(f"{self.source.name}(): {type(error).__name__}: {error}") from error

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        return self.variable(node.id, node)

    def variable(self, name: str, node: ast.AST) -> Any:
        """What a name stands for."""
        if name in self.variables:
            found = self.variables[name]
            if isinstance(found, Missing):
                self._refuse_missing(found, name, node)
            return found
        function = self.source.function
        code = function.__code__
        if name in code.co_freevars:
            assert function.__closure__ is not None
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        if name in function.__globals__:
            return function.__globals__[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name {name!r} is not defined")

    def _refuse_missing(self, found: Missing, name: str, node: ast.AST) -> NoReturn:
        error = getattr(found, "error", None)
        if error is not None:
            self.refuse(node, error.message, error.hint)
        self.refuse(node, f"the variable {name!r} has no value in some rows", "give it one before the if")

    def _namedexpr(self, node: ast.NamedExpr) -> Any:
        found = self.value(node.value)
        self.assign(node.target, found)
        return found

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self._several(node.elts))

    def _list(self, node: ast.List) -> Any:
        return self._several(node.elts)

    def _set(self, node: ast.Set) -> Any:
        return self._hashed(node, self._several(node.elts))

    def _hashed(self, node: ast.AST, found: list[Any]) -> Any:
        # A set of expressions is only asked whether something is in it.
        return found if holds_column(found) else set(found)

    def _dict(self, node: ast.Dict) -> Any:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                found.update(self.value(value))
            else:
                found[self.value(key)] = self.value(value)
        return found

    def _several(self, nodes: Iterable[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found.extend(self.items(node.value))
            else:
                found.append(self.value(node))
        return found

    def items(self, node: ast.expr) -> Iterable[Any]:
        """What a loop goes through, which must be known."""
        found = self.value(node)
        if isinstance(found, Expr):
            self.refuse(
                node,
                f"a loop over the values of a column: {found!r}",
                "loop over a range or list of known length; for the items of a list in each row use .list",
            )
        iter(found)
        return found

    def _attribute(self, node: ast.Attribute) -> Any:
        return getattr(self.value(node.value), node.attr)

    def _subscript(self, node: ast.Subscript) -> Any:
        base = self.value(node.value)
        key = self.value(node.slice)
        if isinstance(key, Expr) and isinstance(base, (list, tuple, dict)):
            self.refuse(
                node,
                "which item it is depends on a column",
                "join with a frame of the values, or choose between them with if",
            )
        return base[key]

    def _slice(self, node: ast.Slice) -> Any:
        return slice(*[None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)])

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
                continue
            assert isinstance(part, ast.FormattedValue)
            found = self.value(part.value)
            if holds_column(found):
                self.refuse(
                    part, "a column cannot be formatted", "write lf.concat_str(...), with .cast('string') for numbers"
                )
            if part.conversion != -1:
                found = _CONVERSIONS[part.conversion](found)
            parts.append(format(found, "" if part.format_spec is None else self.value(part.format_spec)))
        return "".join(parts)

    def _binop(self, node: ast.BinOp) -> Any:
        return self.operate(node, node.op, self.value(node.left), self.value(node.right))

    def operate(self, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
        """An operator between two values."""
        return _BINARY[type(op)](left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            found = self.condition(node.operand)
            return not found if isinstance(found, bool) else call("not", found)
        found = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return -found
        return +found if isinstance(node.op, ast.UAdd) else ~found

    def condition(self, node: ast.expr) -> Condition:
        """What decides: an expression where it depends on a column."""
        found = self.value(node)
        return found if isinstance(found, Expr) else bool(found)

    def _boolop(self, node: ast.BoolOp) -> Any:
        """As Python has it: what stands behind is not looked at where what stands before decides."""
        is_and = isinstance(node.op, ast.And)
        left = self.value(node.values[0])
        for part in node.values[1:]:
            if not isinstance(left, Expr):
                if bool(left) is not is_and:
                    return left
                left = self.value(part)
                continue
            right = self.value(part)
            left = self._both(left, right, is_and, safe=not isinstance(right, Expr) or _cannot_fail(part))
        return left

    def _both(self, left: Expr, right: Any, is_and: bool, safe: bool) -> Expr:
        whole = call("and" if is_and else "or", left, right)
        if safe:
            return whole
        decided = call("not", left) if is_and else left
        return _choose([decided], [not is_and], whole)

    def _ifexp(self, node: ast.IfExp) -> Any:
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse)
        return chosen(condition, self.value(node.body), self.value(node.orelse))

    def _compare(self, node: ast.Compare) -> Any:
        """As Python has it: a chain ends at the first comparison that is false for all rows."""
        left = self.value(node.left)
        parts: list[Any] = []
        for op, written in zip(node.ops, node.comparators, strict=True):
            right = self.value(written)
            found = compared(op, left, right, partial(self.refuse, node))
            if not isinstance(found, Expr) and not found:
                return self._all(parts, found)
            parts.append(found)
            left = right
        return self._all(parts[:-1], parts[-1])

    def _all(self, parts: list[Any], last: Any) -> Any:
        """All comparisons of a chain."""
        ours = [part._node for part in (*parts, last) if isinstance(part, Expr)]
        if not ours:
            return last
        if not isinstance(last, Expr) and not last:
            return False
        return Expr(balanced("and", ours))

    def _call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        args = self._several(node.args)
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                kwargs.update(self.value(keyword.value))
            else:
                kwargs[keyword.arg] = self.value(keyword.value)
        if function in ONLY_VALUES:
            self.refuse(node, f"{function.__name__}() does something for each row", "do it with the rows of collect()")
        owner = getattr(function, "__self__", None)
        if isinstance(owner, (list, dict, set, bytearray)) and function.__name__ in _CHANGING:
            self.refuse(node, f"{with_article(type(owner).__name__)} cannot be changed", "make another: a = [*a, b]")
        if not holds_column(args) and not holds_column(kwargs):
            return function(*args, **kwargs)
        return self._called(node, function, args, kwargs)

    def _called(self, node: ast.Call, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """A call with columns among the arguments."""
        from lazyframe.tracing import Traced
        from lazyframe.tracing.statements import traced

        if isinstance(function, Traced):
            return traced(function._read(), tuple(args), kwargs, self.depth + 1)
        bound = getattr(function, "__self__", None)
        if isinstance(getattr(function, "__func__", None), Traced):
            return traced(function.__func__._read(), (bound, *args), kwargs, self.depth + 1)
        ours = replacement(function)
        if ours is not None:
            return ours(*args, **kwargs)
        if not isinstance(bound, (Expr, ArrayParam)) and not _is_ours(function):
            self._refuse_call(node, function, bound)
        return function(*args, **kwargs)

    def _refuse_call(self, node: ast.Call, function: Any, bound: Any) -> NoReturn:
        if isinstance(bound, (list, tuple, dict)):
            self.refuse(node, f".{function.__name__}() looks for a column among values", "write x in [...]")
        name = getattr(function, "__qualname__", None) or repr(function)
        self.refuse(
            node,
            f"{name}() is called with a column, and is not known to have a meaning for one",
            "put it under @lf.trace too, write it with expressions, or use @lf.trace(fallback=True, returns=...)",
        )

    def _listcomp(self, node: ast.ListComp) -> Any:
        return list(self._comprehended(node, [node.elt]))

    def _generatorexp(self, node: ast.GeneratorExp) -> Any:
        return list(self._comprehended(node, [node.elt]))

    def _setcomp(self, node: ast.SetComp) -> Any:
        return self._hashed(node, list(self._comprehended(node, [node.elt])))

    def _dictcomp(self, node: ast.DictComp) -> Any:
        return dict(self._comprehended(node, [node.key, node.value]))

    def _comprehended(self, node: Any, parts: list[ast.expr]) -> list[Any]:
        before = self.variables
        self.variables = dict(before)
        found: list[Any] = []

        def go(generators: list[ast.comprehension]) -> None:
            if not generators:
                values = [self.value(part) for part in parts]
                found.append(values[0] if len(values) == 1 else tuple(values))
                return
            first, *rest = generators
            for item in self.items(first.iter):
                self.assign(first.target, item)
                conditions = [self.condition(test) for test in first.ifs]
                if any([isinstance(condition, Expr) for condition in conditions]):
                    self.refuse(first.ifs[0], "how many items there are depends on a column", "write a loop with if")
                if all(conditions):
                    go(rest)

        try:
            go(node.generators)
        finally:
            self.variables = before
        return found

    def assign(self, target: ast.expr, value: Any) -> None:
        """Give a variable, or several, a value."""
        match target:
            case ast.Name(id=name):
                self.variables[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if isinstance(value, Expr):
                    self.refuse(target, "a column is one value, not several", "give each its own name")
                items = list(value)
                if any([isinstance(part, ast.Starred) for part in parts]):
                    self.refuse(target, "a variable number of values", "take them one by one")
                if len(items) != len(parts):
                    raise InvalidArgumentError(f"{len(items)} values are given to {len(parts)} variables")
                for part, item in zip(parts, items, strict=True):
                    self.assign(part, item)
            case _:
                self.refuse(target, "only variables are assigned", "use a variable of its own, or with_columns()")


_SAFE = (
    ast.Name, ast.Load, ast.Constant, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot,
    ast.In, ast.NotIn, ast.List, ast.Tuple, ast.Set, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub,
)  # fmt: skip


def _cannot_fail(node: ast.AST) -> bool:
    """Whether it may be computed for rows in which nobody asks for it: comparisons of variables, as they are written."""
    return all([isinstance(part, _SAFE) for part in ast.walk(node)])


def _is_ours(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    return module == "lazyframe" or module.startswith("lazyframe.")


__all__ = ["Evaluator"]
