SELECT number, digest FROM schema_migrations ORDER BY number
