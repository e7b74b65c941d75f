-- summary: Whether a series holds runs of more than one process; cheap for a few rows, whatever the ledger's size.
-- columns: is_repeated  true when it does
-- param: series UBIGINT  series_key of a row
-- example: SELECT row_id, is_repeated(series_key) FROM row_heads LIMIT 5
SELECT (
    SELECT min(m.run_key) <> max(m.run_key) FROM live_measurement m WHERE m.series_key = series
)
