"""The machines: lowering, pipelines, sources, sinks and operators that run a plan."""
