"""Functions, one file a topic, and the `table` of them all, which is loaded when the first is called."""
