"""Side-by-side runs of lazyframe and its peers: `python -m benchmarks --help`."""
