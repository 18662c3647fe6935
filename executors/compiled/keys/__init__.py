"""Kernels that code and sort the keys of vectorized operators."""
