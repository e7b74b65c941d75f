"""Tasks: bounded contracts between evidence and an experiment."""
