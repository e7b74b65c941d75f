CREATE OR REPLACE TEMP TABLE observed_files AS
SELECT unnest(from_json($seen, '[{
    "role": "VARCHAR", "path": "VARCHAR", "asked": "VARCHAR", "found": "VARCHAR",
    "bytes": "BIGINT", "why": "VARCHAR"
}]'), recursive := true)
