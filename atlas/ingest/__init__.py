"""Ingest: what people already have becomes events, recognised by content, exactly once."""
