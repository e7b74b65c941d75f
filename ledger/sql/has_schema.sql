SELECT 1 FROM duckdb_tables()
WHERE database_name = current_database() AND table_name = 'schema_migrations' AND NOT temporary
