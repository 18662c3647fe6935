"""Call a function's kernel as the evaluator does."""

from typing import Any

import pyarrow as pa

from lazyframe.executors.vectorized.functions import kernel_of
from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.planner.functions.table import FUNCTIONS


def call(name: str, /, *values: Any, **options: Any) -> Any:
    """The answers as Python values: a list, or one value where all arguments are scalars.

    Python values among the arguments are constants. The null behaviour the definition promises is checked.
    """
    function = FUNCTIONS[name]
    arrow = [v if isinstance(v, (pa.Array, pa.Scalar)) else pa.scalar(v) for v in values]
    signature = function.resolve(tuple(v.type for v in arrow), options)
    assert function.resolve(signature.arguments, options) == signature
    given = [v if v.type == t else v.cast(t) for v, t in zip(arrow, signature.arguments, strict=True)]
    rows = next((len(v) for v in given if isinstance(v, pa.Array)), 1)
    result = kernel_of(name).run(given, Arguments(signature.arguments, signature.result, options), rows)
    if result.type != signature.result:
        result = result.cast(signature.result)
    if isinstance(result, pa.Scalar):
        return [result.as_py()] * rows if any(isinstance(v, pa.Array) for v in given) else result.as_py()
    result.validate(full=True)
    assert len(result) == rows
    if function.nulls == "propagate":
        columns = [v.to_pylist() if isinstance(v, pa.Array) else [v.as_py()] * rows for v in given]
        assert [any(c[i] is None for c in columns) for i in range(rows)] == result.is_null().to_pylist()
    elif function.nulls == "never":
        assert result.null_count == 0
    return result.to_pylist()
