"""Gradients: `lf.grad` and `lf.value_and_grad`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lazyframe.boundary import public
from lazyframe.recording import no_grad


@public
def grad(loss: Any, wrt: Any) -> Any:
    """How much a value changes by what it is computed from, as part of the graph: nothing runs.

    Args:
        loss: an expression, or a frame or prepared query of one row and one column.
        wrt: what to differentiate by: a parameter, its name (such as that of `$name` in SQL), or a list of them; of an
            expression over columns, a column (`lf.col("x")` or its name) as well.

    Returns:
        Of an expression over columns its derivative in each row, an expression; for a list a list of them. Of an expression of
        parameters alone the same, and for a list a frame of one row with a column for each. Of a frame always such a frame. The
        gradient by an array is a column of lists.

    Raises:
        InvalidArgumentError: where the value does not move with what is asked for, or is no loss.
        TypeMismatchError: for a parameter that is no float.
        UnsupportedError: where the path leads through something that has no derivative.

    Example:
        >>> df = lf.from_dict({"x": [1.0, 2.0, 3.0]})
        >>> cube = lf.col("x") ** 3
        >>> slope = lf.grad(cube, wrt=lf.col("x"))
        >>> df.select(slope=slope, bend=lf.grad(slope, wrt=lf.col("x"))).to_dict()
        {'slope': [3.0, 12.0, 27.0], 'bend': [6.0, 12.0, 18.0]}
        >>> w = lf.param("w", 0.5)
        >>> loss = df.select(((lf.col("x") * w - 1) ** 2).mean())
        >>> lf.grad(loss, wrt=[w]).to_dicts()
        [{'w': 0.6666666666666666}]
    """
    from lazyframe.walks_back import gradient

    return gradient(loss, wrt)


@public
def value_and_grad(loss: Any, wrt: Iterable[Any], **parameters: Any) -> tuple[Any, list[Any]]:
    """Run a loss together with its gradients.

    Where the loss is made of aggregates over rows, so are the gradients, and the rows are read once for all of them.

    Args:
        loss: a frame or prepared query of one row and one column, or an expression of parameters alone.
        wrt: the parameters to differentiate by, or their names.
        parameters: values by name, as for `collect`; the others have the value of their own.

    Returns:
        The value, and a list with the gradient by each parameter: a float, or an array of the parameter's shape. All are None
        where the loss is null, as the mean of no rows is.

    Raises:
        InvalidArgumentError, TypeMismatchError, UnsupportedError: as `lf.grad`.

    Example:
        >>> x, y, w = lf.param("x", 2.0), lf.param("y", 3.0), lf.param("w", 4.0)
        >>> lf.value_and_grad((x + y) * w, [x, y, w])
        (20.0, [4.0, 4.0, 5.0])
        >>> df = lf.from_dict({"t": [1.0, 2.0]})
        >>> loss = lf.prepare("select sum((t * $w - 1) ** 2) as loss from df", df=df)
        >>> lf.value_and_grad(loss, ["w"], w=0.5)
        (0.25, [-1.0])
    """
    from lazyframe.walks_back import value_and_gradient

    return value_and_gradient(loss, wrt, parameters)


__all__ = ["grad", "no_grad", "value_and_grad"]
