"""Functions with lambdas."""

from __future__ import annotations
