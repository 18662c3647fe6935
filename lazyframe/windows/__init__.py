"""Window functions of expressions: values computed from the rows around each row."""

from lazyframe.windows.cumulative import Cumulative
from lazyframe.windows.neighbours import Neighbours
from lazyframe.windows.over import Over
from lazyframe.windows.ranking import Ranking
from lazyframe.windows.rolling import Rolling
from lazyframe.windows.rolling_by import RollingBy
from lazyframe.windows.weighted import Weighted


class Windows(Over, Ranking, Neighbours, Cumulative, Rolling, RollingBy, Weighted):
    """What can be computed from the rows around each row."""

    __slots__ = ()


__all__ = ["Windows"]
