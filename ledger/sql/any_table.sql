SELECT 1 FROM duckdb_tables() WHERE NOT temporary AND NOT internal LIMIT 1
