CREATE TABLE IF NOT EXISTS schema_migrations (
    number     INTEGER NOT NULL,
    name       VARCHAR NOT NULL,
    digest     VARCHAR NOT NULL,
    applied_us BIGINT  NOT NULL
)
