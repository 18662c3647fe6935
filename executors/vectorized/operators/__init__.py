"""The operators of the vectorized executor, one a file: transforms and sinks of pipelines."""
