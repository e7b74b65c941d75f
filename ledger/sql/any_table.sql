SELECT 1 FROM duckdb_tables()
WHERE database_name = current_database() AND NOT temporary AND NOT internal LIMIT 1
