-- summary: The newest measurement: greatest recording time, origin and sequence number; of a collection its decode row.
-- grain: row_id
-- columns: row_id  the row
--          arch    GPU architecture
-- param: profiled BOOLEAN = FALSE  only rows that hold a profile
SELECT row_id, arch
FROM rows
WHERE NOT $profiled OR kernels > 0
ORDER BY recorded_us DESC, origin DESC, seq DESC, starts_with(phase, 'decode') DESC, ordinal DESC
LIMIT 1
