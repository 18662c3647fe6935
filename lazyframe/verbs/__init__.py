"""The verbs of a frame by topic: each builds one step of a plan."""
