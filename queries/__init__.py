"""SQL that says what is true of the events, and the catalog that loads it."""
