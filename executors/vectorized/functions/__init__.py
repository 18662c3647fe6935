"""The kernels of all functions, one file a topic, under the names of their definitions in `planner/functions/`."""

from __future__ import annotations

from importlib import import_module

from lazyframe.executors.vectorized.kernel import Kernel

TOPICS = (
    "arithmetic", "comparison", "logic", "maths", "bits", "strings", "words", "similarity", "binary", "dates", "intervals",
    "lists", "list_aggregates", "list_algebra", "lambdas", "structs", "maps", "vectors", "volatile", "python",
)  # fmt: skip

_kernels: dict[str, Kernel] = {}


def kernel_of(name: str) -> Kernel:
    """The kernel of the function of that name. A topic is imported when one of its functions is first needed."""
    found = _kernels.get(name)
    if found is None:
        from lazyframe.planner.functions.table import TOPICS

        topic = next(t.__name__.rpartition(".")[2] for t in TOPICS if name in t.FUNCTIONS)
        _kernels.update(import_module(f"{__name__}.{topic}").KERNELS)
        found = _kernels[name]
    return found
