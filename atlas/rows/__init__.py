"""v0 rows: how a reading of an output and the circumstances of its run become rows of an event."""
