"""Operators over whole batches, with pyarrow.compute and numpy: the reference that is always available."""
