-- summary: Files of code objects that were inspected here, by their content.
-- kinds: isa_object
-- grain: event_id
-- columns: event_id       the event
--          recorded_us    when it was recorded, UTC microseconds
--          md5            digest of the file
--          size           bytes
--          container      elf, bundle, ccob_v2 …
--          images         device images in it
--          schema_version form of the facts
--          table_version  opcode tables it was read with
WITH told AS (
    SELECT event_id, recorded_us, from_json(body, '{
        "md5": "VARCHAR", "size": "BIGINT", "container": "VARCHAR", "images": ["JSON"],
        "schema_version": "INTEGER", "table_version": "VARCHAR"
    }') AS d
    FROM _parsed
    WHERE kind = 'isa_object'
)
SELECT
    event_id,
    recorded_us,
    lower(d.md5) AS md5,
    d.size AS size,
    d.container AS container,
    CAST(coalesce(len(d.images), 0) AS INTEGER) AS images,
    d.schema_version AS schema_version,
    d.table_version AS table_version
FROM told
WHERE d.md5 IS NOT NULL
