# ruff: noqa: RET503, FURB163, PLW0120 - functions as users write them
"""Python functions as expressions: the same values as row by row, nulls, refusals at their line, gradients."""

from __future__ import annotations

import functools
import linecache
import math
import random
import re

import pytest

import lazyframe as lf
from lazyframe import col

XS = [-7, -3, -2, -1, 0, 1, 2, 3, 5, 10, 12]
YS = [2, -5, 3, 1, 7, -1, 4, 0, 3, -2, 6]
FRAME = lf.from_dict({"x": XS, "y": YS})


def agrees(function, frame=FRAME):
    """The traced function gives for columns what it gives row by row."""
    found = frame.select(v=function(col("x"), col("y"))).to_dict()["v"]
    wanted = [function(row["x"], row["y"]) for row in frame.to_dicts()]
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        if isinstance(other, float):
            assert one == pytest.approx(other, rel=1e-12, nan_ok=True)
        else:
            assert one == other


@lf.trace
def early_returns(x, y):
    if x < 0:
        return "negative"
    if x == 0:
        return "zero"
    if x < y:
        return "small"
    if y > 2:
        return "large"
    return "other"


@lf.trace
def boolean(x, y):
    return (x > 0 and not y > 2) or x == y or -3 <= x < y <= 4


@lf.trace
def guarded(x, y):
    if y != 0 and 10 // y > 2:
        return x // y
    return x % y if y else None


@lf.trace
def guarded_truth(x, y):
    return x % y if y != 0 else -1


@lf.trace
def augmented(x, y):
    total = 0
    total += x
    total *= 2
    if y > 2:
        total -= y
    total //= 3
    return total


@lf.trace
def loops(x, y):
    total = 0
    for i in range(5):
        if i == 3:
            continue
        if x > i:
            total += i * y
        else:
            total -= 1
    return total


@lf.trace
def breaks(x, y):
    found = -1
    for i, limit in enumerate([0, 2, 4, 8]):
        if x < limit:
            found = i
            break
        if y == limit:
            continue
        found -= y
    return found * 10 + i


@lf.trace
def returns_in_loops(x, y):
    for i in range(4):
        for j in range(3):
            if x == i * j:
                return i * 10 + j
            if y == j:
                break
        x -= 1
    return x


@lf.trace
def whiles(x, y):
    n = 4
    while n > 0:
        x = x + y if n % 2 else x - 1
        n -= 1
    else:
        x = -x
    return x


@lf.trace
def collatz(x, y):
    steps = 0
    x = abs(x) + 1
    for _ in range(12):
        if x == 1:
            break
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


@lf.trace
def square(v):
    return v * v


@lf.trace
def calls(x, y, scale=3, *, shift=1):
    a, b = square(x), square(v=y + shift)
    return max(a, b, scale) - min(a, b) + sum([x, y, scale]) + abs(x) + pow(x, 2)


@lf.trace
def mathematics(x, y):
    r = math.sqrt(x * x + y * y) + math.pi
    return (
        math.log(r)
        + math.sin(x) * math.exp(-abs(y))
        + math.hypot(x, y)
        + math.atan2(y, x)
        + math.floor(r)
        + math.log(r, 2)
    )


@lf.trace
def membership(x, y):
    return (x in (1, 2, 3)) or (y not in {1, 7} and x in range(-3, 0)) or x in [y, y + 1]


@lf.trace
def comprehensions(x, y):
    powers = [x**n for n in range(3) if n != 1]
    return sum(powers) + sum(y * k for k in (1, 2)) + {"a": x, "b": y}["b"] + powers[-1]


@lf.trace
def walrus(x, y):
    if (z := x + y) > 3:
        return z
    return -z


@lf.trace
def texts(x, y):
    label = "even" if x % 2 == 0 else "odd"
    return label + "!" if y > 2 else label


@lf.trace
def rounded(x, y):
    v = x / 4
    return round(v) + round(v, 1) + int(v) + float(y) + math.ceil(v) + math.trunc(v)


@lf.trace
def tuples(x, y):
    pair = (x, y) if x < y else (y, x)
    low, high = pair
    return high - low


@lf.trace
def booleans_and_any(x, y):
    return any([x > 5, y > 5]) and not all([x > 0, y > 0, True])


RATES = {"low": 1, "high": 3}


@lf.trace
def constants(x, y):
    rates = dict(RATES)
    return x * rates["low"] if y < len(rates) else x * rates["high"]


@lf.trace
def recursive(x, y, n=4):
    if n == 0:
        return x
    return recursive(x + y, y, n - 1) - n


FUNCTIONS = [
    early_returns, boolean, guarded, guarded_truth, augmented, loops, breaks, returns_in_loops, whiles, collatz, calls, mathematics,
    membership, comprehensions, walrus, texts, rounded, tuples, booleans_and_any, constants, recursive,
]  # fmt: skip


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not guarded], ids=lambda f: f.__name__)
def test_columns_give_what_rows_give(function):
    agrees(function)
    with lf.eager():
        agrees(function)


def test_a_branch_is_not_computed_for_rows_that_do_not_take_it():
    found = FRAME.select(v=guarded_truth(col("x"), col("y"))).to_dict()["v"]
    assert found[YS.index(0)] == -1
    with pytest.raises(lf.errors.TypeMismatchError, match="a condition must be true or false"):
        FRAME.select(v=guarded(col("x"), col("y")))


def test_closures_and_defaults():
    factor = 3

    @lf.trace
    def scaled(x, y, extra=10):
        return x * factor + extra + y

    agrees(scaled)
    factor = 5
    agrees(scaled)
    assert scaled(1, 2) == 17


def test_methods():
    class Scale:
        def __init__(self, by):
            self.by = by

        @lf.trace
        def of(self, x, y):
            return x * self.by if x > y else self.shifted(y)

        @lf.trace
        def shifted(self, v):
            return v + self.by

    agrees(Scale(4).of)


def test_functions_around_functions():
    @lf.trace
    @functools.wraps(square)
    def other(v):
        return v + 1

    assert FRAME.select(v=other(col("x"))).to_dict()["v"] == [x + 1 for x in XS]

    def doubled(function):
        @functools.wraps(function)
        def inner(*args):
            return 2 * function(*args)

        return inner

    plain = lf.trace(doubled(stranger))
    with pytest.raises(lf.errors.UnsupportedError, match=r"stranger\(\) is called with a column"):
        plain(col("x"))
    around = lf.trace(doubled(square))
    assert FRAME.select(v=around(col("x"))).to_dict()["v"] == [2 * x * x for x in XS]


def test_any_number_of_arguments():
    @lf.trace
    def total(x, *rest, **named):
        for value in rest:
            x += value
        for value in named.values():
            x -= value
        return x

    found = FRAME.select(v=total(col("x"), col("y"), 1, a=col("y"), b=2)).to_dict()["v"]
    assert found == [total(x, y, 1, a=y, b=2) for x, y in zip(XS, YS, strict=True)]


def test_lambdas():
    agrees(lf.trace(lambda x, y: x if x > y else y - 1))


def test_parameters_and_gradients():
    w = lf.param("w", [1.0, 2.0])

    @lf.trace
    def hinge(x, y, weights):
        total = 0.0
        for weight, value in zip(weights, (x, y), strict=True):
            total += weight * value
        return total if total > 0 else 0.0

    loss = FRAME.select(hinge(col("x"), col("y"), w).sum())
    value, (gradient,) = lf.value_and_grad(loss, [w])
    kept = [(x, y) for x, y in zip(XS, YS, strict=True) if x + 2 * y > 0]
    assert value == sum(x + 2 * y for x, y in kept)
    assert list(gradient) == [sum(x for x, _ in kept), sum(y for _, y in kept)]


def test_derivatives_in_rows():
    @lf.trace
    def f(x):
        for _ in range(2):
            if x > 1:
                x = x * x
            else:
                x = x / 2
        return x

    frame = lf.from_dict({"x": [3.0, 0.5, 1.5]})
    found = frame.select(v=lf.grad(f(col("x")), wrt=col("x"))).to_dict()["v"]
    assert found == pytest.approx([4 * 27.0, 0.25, 4 * 1.5**3])


def test_nulls():
    frame = lf.from_dict({"x": [1, None, 5]})

    @lf.trace
    def size(x):
        if x > 3:
            return "large"
        return "small"

    @lf.trace
    def known(x):
        if x is None:
            return "unknown"
        return "known" if x is not None and x != None else "?"  # noqa: E711

    @lf.trace
    def opposite(x):
        if not x > 3:
            return "small"
        return "large"

    found = frame.select(
        a=size(col("x")), b=known(col("x")), c=opposite(col("x")), d=size(col("x")) == "small"
    ).to_dict()
    # What is not known to be true takes the else branch.
    assert found["a"] == ["small", "small", "large"]
    assert found["b"] == ["known", "unknown", "known"]
    assert found["c"] == ["small", "large", "large"]
    by_hand = lf.when(col("x") > 3).then(lf.lit("large")).otherwise(lf.lit("small"))
    assert frame.select(v=by_hand).to_dict()["v"] == found["a"]


def test_nulls_and_early_exits():
    frame = lf.from_dict({"x": [1, None, 5]})

    @lf.trace
    def f(x):
        for i in range(3):
            if x > 4:
                return 100
            if x == i:
                break
            if x is None:
                continue
            i = i  # noqa: PLW0127
        else:
            pass
        return i

    with pytest.raises(lf.errors.UnsupportedError, match="the else of a loop"):
        frame.select(f(col("x")))


def test_nothing_is_returned():
    @lf.trace
    def f(x):
        if x > 3:
            return x

    @lf.trace
    def g(x):
        x = x + 1

    frame = lf.from_dict({"x": [1, 5]})
    assert frame.select(v=f(col("x"))).to_dict() == {"v": [None, 5]}
    assert frame.select(v=g(col("x"))).to_dict() == {"v": [None, None]}


def test_in_verbs():
    @lf.trace
    def is_large(x):
        return x > 3

    frame = lf.from_dict({"x": [1, 5]})
    assert frame.filter(is_large(col("x"))).to_dict() == {"x": [5]}
    assert frame.with_columns(x=is_large(col("x"))).to_dict() == {"x": [False, True]}
    assert frame.group_by(large=is_large(col("x"))).agg(n=lf.len()).to_dict() == {"large": [False, True], "n": [1, 1]}
    assert is_large(5) is True
    assert is_large.__name__ == "is_large"


# Refusals name the line in the function.


@lf.trace
def unbounded(x):
    while x > 1:
        x = x / 2
    return x


@lf.trace
def over_a_column(x):
    total = 0
    for v in x:
        total += v
    return total


def stranger(v):
    return v


@lf.trace
def unknown_call(x):
    y = x + 1
    return stranger(y)


@lf.trace
def printing(x):
    print(x)  # noqa: T201
    return x


@lf.trace
def changing(x):
    values = []
    values.append(x)
    return values[0]


@lf.trace
def half_set(x):
    if x > 1:
        y = 2
    return y


@lf.trace
def endless(x):
    return endless(x + 1)


@lf.trace
def assigned(x):
    table = {"a": 1}
    table["a"] = x
    return table["a"]


@lf.trace
def wrong_type(x):
    y = x + 1
    return y + "a"


@lf.trace
def fails(x):
    rate = 1 / 0
    return x * rate


@lf.trace
def as_text(x):
    return f"{x:.2f}"


@lf.trace
def as_index(x):
    return [1, 2, 3][x]


@lf.trace
def long_range(x):
    total = x
    for i in range(10**9):
        total += i
    return total


@lf.trace
def a_range_of_columns(x):
    total = 0
    for i in range(x):
        total += i
    return total


@lf.trace
def numbers(x):
    if x:
        return 1
    return 2


REFUSED = [
    (unbounded, 1, "UnsupportedError", "how often a while loop runs depends on a column", "if ...: break"),
    (over_a_column, 2, "UnsupportedError", "a loop over the values of a column", "range or list"),
    (unknown_call, 2, "UnsupportedError", r"stranger\(\) is called with a column", "@lf.trace too"),
    (printing, 1, "UnsupportedError", r"print\(\) does something", "collect"),
    (changing, 2, "UnsupportedError", "a list cannot be changed", r"[*a, b]"),
    (half_set, 3, "UnsupportedError", "'y' has no value in some rows", "before the if"),
    (endless, 0, "UnsupportedError", "calls itself, more than 100 calls deep", "loop"),
    (assigned, 2, "UnsupportedError", "only variables are assigned", "variable"),
    (wrong_type, 2, "TypeMismatchError", "between int64 and string", "cast"),
    (fails, 1, "UserFunctionError", r"fails\(\): ZeroDivisionError: division by zero", ""),
    (as_text, 1, "UnsupportedError", "cannot be formatted", "concat_str"),
    (as_index, 1, "UnsupportedError", "which item it is depends on a column", "join"),
    (long_range, 2, "UnsupportedError", "longer than 10,000 rounds", "fallback"),
    (a_range_of_columns, 2, "UnsupportedError", r"range\(\) of a column", "if ...: break"),
    (numbers, 1, "TypeMismatchError", "a condition must be true or false", "!= 0"),
]


@pytest.mark.parametrize(
    ("function", "line", "kind", "message", "hint"), REFUSED, ids=lambda v: getattr(v, "__name__", None)
)
def test_refusals(function, line, kind, message, hint):
    with pytest.raises(getattr(lf.errors, kind), match=message) as caught:
        FRAME.select(function(col("x")))
    assert hint in str(caught.value)
    first = function.__wrapped__.__code__.co_firstlineno + 1  # the line of def, below the decorator
    assert int(re.findall(r'test_tracing.py", line (\d+)', str(caught.value))[-1]) == first + line


NEVER = {
    "try": "try:\n        return x\n    except ValueError:\n        return 0",
    "raise": "raise ValueError",
    "with": "with open('f'):\n        return x",
    "yield": "yield x",
    "global": "global y\n    return x",
    "del": "del x",
    "import": "import os\n    return x",
    "a lambda within": "return (lambda v: v)(x)",
    "assert": "assert x\n    return x",
    "match": "match x:\n        case 1:\n            return 2",
    "a function within": "def g():\n        return 1\n    return x",
}


def written(body, name="f", arguments="x", place="written.py"):
    """A function of which the source is there."""
    source = f"def {name}({arguments}):\n    {body}\n"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    found = {}
    exec(compile(source, place, "exec"), {"math": math}, found)
    return found[name]


@pytest.mark.parametrize("what", NEVER)
def test_what_is_refused_where_it_is_written(what):
    function = written(NEVER[what], place=f"{what}.py")
    with pytest.raises(lf.errors.UnsupportedError, match=f"{what} cannot be traced") as caught:
        lf.trace(function)
    assert f'File "{what}.py", line 2, in f' in str(caught.value)


def test_without_a_source():
    found = {}
    exec("def f(x): return x + 1", found)
    with pytest.raises(lf.errors.UnsupportedError, match="is not available"):
        lf.trace(found["f"])
    with pytest.raises(lf.errors.UnsupportedError, match="no function written in Python"):
        lf.trace(math.sqrt)
    with pytest.raises(lf.errors.InvalidArgumentError, match="decorates a function"):
        lf.trace(3)
    with pytest.raises(lf.errors.InvalidArgumentError, match="go together"):
        lf.trace(fallback=True)
    fallen = lf.trace(fallback=True, returns="int64")(found["f"])
    assert FRAME.select(v=fallen(col("x"))).to_dict()["v"] == [x + 1 for x in XS]


def test_wrong_arguments():
    with pytest.raises(lf.errors.InvalidArgumentError, match=r"calls\(\): missing a required argument: 'y'"):
        calls(col("x"))


def test_fallback():
    @lf.trace(fallback=True, returns="string")
    def quotient(x, y, digits=2):
        try:
            return f"{x / y:.{digits}f}"
        except ZeroDivisionError:
            return None

    agrees(quotient)
    found = FRAME.select(v=quotient(col("x"), y=4, digits=1)).to_dict()["v"]
    assert found == [quotient(x, 4, 1) for x in XS]
    assert FRAME.filter(x=100).select(v=quotient(col("x"), 2)).to_dict() == {"v": []}
    with pytest.raises(lf.errors.UserFunctionError, match=r"quotient\(1, 'a'\) raised TypeError") as caught:
        lf.from_dict({"x": [1]}).select(v=quotient(col("x"), lf.lit("a"))).collect()
    assert "test_tracing.py" in str(caught.value)

    @lf.trace(fallback=True, returns="int64")
    def wrong(x):
        return str(stranger(x)) + "!"

    with pytest.raises(lf.errors.UserFunctionError, match=r"gave what is not int64"):
        FRAME.select(v=wrong(col("x"))).collect()

    @lf.trace(fallback=True, returns="float64")
    def could_be_traced(x):
        return x * 2.0

    assert "python_function" not in repr(could_be_traced(col("x")))
    assert "python_function" in repr(quotient(col("x"), 2))
    w = lf.param("w", 1.0)
    loss = FRAME.select(wrong(col("x") * w).sum())
    with pytest.raises(lf.errors.LazyFrameError):
        lf.value_and_grad(loss, [w])


# Functions made at random.


class Writer:
    """Writes a function of x and y in which nothing fails."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = ["x", "y"]
        self.depth = 0

    def number(self, level=0):
        pick = self.random.randrange(8 if level < 3 else 2)
        if pick == 0:
            return self.random.choice(self.names)
        if pick == 1:
            return str(self.random.randint(-4, 9))
        a, b = self.number(level + 1), self.number(level + 1)
        if pick == 2:
            return f"({a} + {b})"
        if pick == 3:
            return f"({a} - {b})"
        if pick == 4:
            return f"({a} * {self.random.randint(-3, 3)})"
        if pick == 5:
            return f"({a} {self.random.choice(['//', '%'])} {self.random.choice([2, 3, -3, 7])})"
        if pick == 6:
            return f"({a} if {self.truth(level + 1)} else {b})"
        return f"{self.random.choice(['min', 'max'])}({a}, {b})"

    def truth(self, level=0):
        pick = self.random.randrange(7 if level < 3 else 2)
        a, b = self.number(level + 1), self.number(level + 1)
        compared = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        if pick <= 1:
            return f"({a} {compared} {b})"
        if pick == 2:
            return f"({a} < {b} <= {self.number(level + 1)})"
        if pick == 3:
            return f"({self.truth(level + 1)} {self.random.choice(['and', 'or'])} {self.truth(level + 1)})"
        if pick == 4:
            return f"(not {self.truth(level + 1)})"
        if pick == 5:
            return f"({a} in (1, 2, {self.random.randint(3, 9)}))"
        return f"({a} != 0 and 10 // {a} {compared} {b})"

    def block(self, indent, in_loop=False):
        lines = []
        before = list(self.names)
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(indent, in_loop)
        self.names = before
        return lines

    def statement(self, indent, in_loop):
        pad = "    " * indent
        pick = self.random.randrange(10)
        if pick <= 2 or self.depth > 1:
            name = self.random.choice(["x", "y", "z", "t"])
            if name not in self.names:
                line = f"{pad}{name} = {self.number()}"
                self.names.append(name)
                return [line]
            if self.random.random() < 0.5:
                return [f"{pad}{name} = ({self.number()}) % 50"]
            return [f"{pad}{name} {self.random.choice(['+=', '-='])} {self.number()}"]
        if pick == 3:
            return [f"{pad}if {self.truth()}:", f"{pad}    return {self.number()}"]
        if pick == 4 and in_loop:
            return [f"{pad}if {self.truth()}:", f"{pad}    {self.random.choice(['break', 'continue'])}"]
        self.depth += 1
        try:
            if pick <= 7:
                lines = [f"{pad}if {self.truth()}:", *self.block(indent + 1, in_loop)]
                if self.random.random() < 0.4:
                    lines += [f"{pad}elif {self.truth()}:", *self.block(indent + 1, in_loop)]
                if self.random.random() < 0.6:
                    lines += [f"{pad}else:", *self.block(indent + 1, in_loop)]
                return lines
            name = f"i{self.depth}"
            lines = [f"{pad}for {name} in range({self.random.randint(1, 3)}):"]
            self.names.append(name)
            lines += self.block(indent + 1, in_loop=True)
            self.names.remove(name)
            return lines
        finally:
            self.depth -= 1

    def function(self):
        lines = []
        for _ in range(self.random.randint(2, 4)):
            lines += self.statement(1, in_loop=False)
        lines.append(f"    return {self.number()}")
        return "\n".join(lines).strip()


@pytest.mark.parametrize("seed", range(150))
def test_functions_made_at_random(seed):
    body = Writer(seed).function()
    function = lf.trace(written(body, arguments="x, y", place=f"random_{seed}.py"))
    agrees(function)
