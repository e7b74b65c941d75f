INSERT INTO schema_migrations VALUES (?, ?, ?, ?)
