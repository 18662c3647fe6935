"""Pipelines compiled into machine code by LLVM."""
