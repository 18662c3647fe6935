"""What the command line returns to the shell."""

FAILED = 1
"""A query or a file failed."""

WRONG_ARGUMENTS = 2
"""The arguments make no sense."""

INTERRUPTED = 130
"""Ctrl-C."""

BROKEN_PIPE = 141
"""Nobody reads on."""
