"""The graph walked backwards: from what a query computes to how much each of its parameters changes it.

The gradient of an expression is an expression, and that of a plan a plan: both are optimised, compiled and run as any other.

| module | holds |
|---|---|
| `terms.py` | arithmetic of derivatives |
| `partials.py`, `polygamma.py` | the rule of each scalar function |
| `expressions.py` | the walk through an expression |
| `tangents.py` | the derivative of an aggregate as aggregates over the same rows |
| `segments.py` | a plan as expressions over the rows that its leaves give |
| `groups.py`, `windows.py` | what the cotangent of an aggregate or a window is for the rows below |
| `losses.py` | the plan of a loss and its gradients |
"""
