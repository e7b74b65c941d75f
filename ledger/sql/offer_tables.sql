-- What a ledger must have as tables of its own: a view of that name could read anything anywhere.
SELECT count(*) FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = 'main' AND NOT temporary
    AND table_name IN ('events', 'conflicts', 'blobs')
