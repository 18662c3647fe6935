"""Elementary functions of our own: exponentials, logarithms, powers, and those of angles.

The last bits of a library's exponential differ from one library to the next, so that kernels could not call one and agree with
numpy. Here each function is a straight line of IEEE operations (no branch, no table, no fused operation), written once over
`Lanes`: run over numpy's arrays it computes, run over staged values it writes a kernel, and both give the same bits on any machine.

The methods are the usual ones, for which see J.-M. Muller, "Elementary Functions: Algorithms and Implementation" (3rd ed., 2016):
the argument is reduced by Cody's and Waite's scheme, a polynomial does the rest (scripts/elementary_coefficients.py), and where
the last bit asks for it, numbers are sums of two floats (`double_double.py`). Errors are below one unit in the last place, and
results that are floats, such as log10(1000) or cbrt(27), are exact.
"""

from __future__ import annotations

from lazyframe.executors.elementary.functions import FUNCTIONS, Elementary

__all__ = ["FUNCTIONS", "Elementary"]
