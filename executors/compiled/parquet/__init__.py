"""Decoding column chunks of Parquet files by compiled kernels."""
