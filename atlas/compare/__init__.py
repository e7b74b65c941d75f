"""Comparing: judging series of runs, and which of them may be compared at all."""
