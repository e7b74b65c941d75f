"""A/B runs: two commands or environments in turn, each run an event as it ends."""
