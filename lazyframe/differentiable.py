"""What gradients ask of an expression or a frame: whether it moves with a parameter, and by which operation it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lazyframe.boundary import public

if TYPE_CHECKING:
    from lazyframe.drawing import Drawing
    from lazyframe.expr import Expr
    from lazyframe.gradient_graph import GradFn


class HasGradient:
    """The walk backwards from an expression or a frame."""

    __slots__ = ()

    def _graph(self) -> Any:
        """The node on top."""
        return self._written if hasattr(self, "_written") else self._node  # type: ignore[attr-defined]

    @property
    def requires_grad(self) -> bool:
        """Whether it moves with a parameter that gradients may be asked by.

        Example:
            >>> w = lf.param("w", 1.0)
            >>> (w * 2).requires_grad, (w > 2).requires_grad, w.detach().requires_grad
            (True, False, False)
        """
        from lazyframe.gradient_graph import requires_grad

        return requires_grad(self._graph())

    @property
    def is_leaf(self) -> bool:
        """Whether nothing that moves was computed to get it: a parameter, a column, a constant."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> GradFn | None:
        """The operation through which a gradient goes first on its way back; None for a leaf.

        Example:
            >>> x, y = lf.param("x", 2.0), lf.param("y", 3.0)
            >>> (x * y).grad_fn
            <MultiplyBackward>
            >>> (x * y).grad_fn.next_functions
            ((<AccumulateGrad of x>, 0), (<AccumulateGrad of y>, 0))
        """
        from lazyframe.gradient_graph import grad_fn

        return grad_fn(self._graph())

    @public
    def backward(self, **parameters: Any) -> None:
        """Run the loss and its gradients, and add them to `grad` of every parameter that the loss moves with.

        Args:
            parameters: values by name, as for `collect`.

        Raises:
            InvalidArgumentError: where it is no loss: a frame of one row and one column, or an expression of parameters.

        Example:
            >>> x, y, w = lf.param("x", 2.0), lf.param("y", 3.0), lf.param("w", 4.0)
            >>> ((x + y) * w).backward()
            >>> x.grad, y.grad, w.grad
            (4.0, 4.0, 5.0)
        """
        from lazyframe.walks_back import backward

        backward(self, parameters)


class Differentiable(HasGradient):
    """What gradients ask of an expression."""

    __slots__ = ()

    def detach(self) -> Expr:
        """The same values, through which no gradient goes.

        Example:
            >>> w = lf.param("w", 3.0)
            >>> lf.value_and_grad(w * w.detach(), [w])
            (9.0, [3.0])
        """
        return cast("Expr", self)._apply("detach")

    @public
    def show_graph(self, *, backward: bool | None = None) -> Drawing:
        """The graph of the expression as a picture, in which values flow down. Nothing runs.

        Args:
            backward: whether to draw beside it the way of its gradient up to the parameters, with their values and `grad` as
                they are now; by default, where it moves with a parameter.

        Returns:
            A drawing, which notebooks show; it has `save()`, `to_svg()`, `to_dot()` and `to_mermaid()`.

        Raises:
            InvalidArgumentError: with `backward=True`, where it moves with no parameter.

        Example:
            >>> x, y = lf.param("x", 2.0), lf.param("y", 3.0)
            >>> z = x * y
            >>> z.backward()
            >>> print(z.show_graph().to_mermaid())
            flowchart TB
                subgraph g0["forward"]
                    n0["x<br/>2.0"]:::parameter
                    n1["y<br/>3.0"]:::parameter
                    n2["multiply<br/>x * y"]:::columns
                end
                subgraph g1["backward"]
                    n3["x.grad<br/>3.0"]:::gradient
                    n4["y.grad<br/>2.0"]:::gradient
                    n5["MultiplyBackward"]:::gradient
                end
                n0 --> n2
                n1 --> n2
                n2 -.-> n5
                n5 --> n3
                n5 --> n4
            ...
        """
        from lazyframe.drawing import Drawing
        from lazyframe.drawing.expressions import picture_of

        return Drawing(picture_of(cast("Expr", self)._node, backward=backward))
