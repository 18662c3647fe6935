"""The graph walked backwards: from what a query computes to how much each of its parameters changes it.

The gradient of an expression is an expression, and that of a plan a plan: both are optimised, compiled and run as any other.

| module | holds |
|---|---|
| `terms.py` | arithmetic of derivatives |
| `partials.py` | the rule of each scalar function |
| `expressions.py`, `contents.py` | the walk through an expression, and through lists and structs that are made in it |
| `derivatives.py` | the derivative of an expression alone, by a column or a parameter |
| `tangents.py` | the derivative of an aggregate as aggregates over the same rows |
| `segments.py`, `plans.py` | a plan as expressions over the rows that its leaves give; the rule of each relation |
| `combined.py`, `reshaped.py` | those of relations with several inputs, and of rows that become several |
| `groups.py`, `windows.py` | what the cotangent of an aggregate or a window is for the rows below |
| `equals.py`, `moments.py`, `turned.py` | the same of extremes and quantiles, of skewness and kurtosis, and of frames that move |
| `tables.py` | what it is for the rows of a table that is learned |
| `accumulation.py`, `matching.py` | what reaches a row from several places is summed; groups beside their rows |
| `losses.py`, `together.py` | the plan of a loss and its gradients |
| `refusals.py` | why there is none |
"""
