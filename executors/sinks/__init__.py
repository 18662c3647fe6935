"""Where results are written: files of four formats and folders of them, streaming and atomic."""

from lazyframe.executors.sinks.sink import Sink, open_sink

__all__ = ["Sink", "open_sink"]
