"""Benchmarks of whole commands: ratios within one run, because machines are noisy."""
