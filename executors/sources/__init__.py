"""Tables that the executor can read: files of four formats, and what is already in memory."""
