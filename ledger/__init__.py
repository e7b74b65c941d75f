"""An append-only, hash-chained event store in one DuckDB file; it knows nothing of GPUs."""
